"""`name_scope` and `device`, which work while building and while executing eagerly."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from inlay.core import context
from inlay.core import device as devices
from inlay.export import export


@export("name_scope")
class name_scope:
    """Names of nodes created in the block start with `name/`. A trailing slash re-opens a scope.

    Args:
      name: the prefix (1.x: None takes `default_name`).
      default_name: the prefix if `name` is None.
      values: ignored; a 1.x argument.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Any = None) -> None:
        self._name = default_name if name is None else name
        self._manager: AbstractContextManager[str] | None = None

    @property
    def name(self) -> str | None:
        return self._name

    def __enter__(self) -> str:
        state = context.current()
        if state.graph is None:  # eager ops have no names, but variables made in the block do
            scope = self._name if not self._name or self._name.endswith("/") else f"{state.scope}{self._name}/"
            self._manager = _eager_scope(state.replace(scope=scope or ""))
        else:
            self._manager = state.graph.name_scope(self._name)
        return self._manager.__enter__()

    def __exit__(self, *error: Any) -> None:
        if self._manager is not None:
            self._manager.__exit__(*error)


@contextmanager
def _eager_scope(state: context.State) -> Iterator[str]:
    with context.using(state):
        yield state.scope


@export("device")
@contextmanager
def device(device_name: Any) -> Iterator[None]:
    """Ops in the block are placed on a device.

    Args:
      device_name: `"/CPU:0"`, `"/device:GPU:0"`, `"/job:worker/task:1"`; None leaves every device scope.

    Raises:
      ValueError: if the string is no device. An absent device is refused when an op is placed on it.
    """
    state = context.current()
    with context.using(state.replace(device=devices.canonical(device_name, state.device))):
        yield


@export("init_scope")
@contextmanager
def init_scope() -> Iterator[None]:
    """Leaves every function being traced: ops in the block run eagerly, or in the outermost graph."""
    with context.using(context.State(graph=context.home())):
        yield
