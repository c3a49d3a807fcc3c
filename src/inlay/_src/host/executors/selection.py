"""The executor of a call: that of its `executor=`, else that of the scope around it, else none: it runs in place."""

from __future__ import annotations

import concurrent.futures
import importlib
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.core import context
from inlay._src.core.executor import Executor
from inlay._src.host.executors.futures import Futures

INLINE = "inline"
_NAMED = {
    "threads": ("inlay._src.host.executors.threads", "Threads"),
    "processes": ("inlay._src.host.executors.processes.pool", "Processes"),
    "ray": ("inlay._src.host.executors.ray", "RayExecutor"),
}
"""Name -> the module, loaded when it is first asked for, and the class of which the process has one with defaults."""

_shared: dict[str, Executor] = {}
_lock = new_lock()
_FOREIGN: weakref.WeakKeyDictionary[concurrent.futures.Executor, Executor] = weakref.WeakKeyDictionary()


def resolve_executor(value: Any, api: str) -> Executor | None:
    """The executor that `executor=` means; None to run in place.

    Args:
      value: None takes that of the scope; a name; an executor, ours or any other.
      api: the public name, for messages.

    Raises:
      TypeError: if it is nothing of that.
      ValueError: for a name that there is not.
    """
    if value is None:
        return context.current().executor  # type: ignore[no-any-return]
    if isinstance(value, Executor):
        return value
    if isinstance(value, str):
        return None if value == INLINE else _named(value, api)
    if isinstance(value, concurrent.futures.Executor):
        adapter = _FOREIGN.get(value)
        if adapter is None:
            adapter = _FOREIGN[value] = Futures(value)
        return adapter
    names = ", ".join(map(repr, (INLINE, *_NAMED)))
    raise TypeError(
        f"{api}: executor must be one of {names}, an executor such as tf.Processes(workers=4), or any "
        f"concurrent.futures.Executor, got {value!r}"
    )


def _named(name: str, api: str) -> Executor:
    if name not in _NAMED:
        raise ValueError(f"{api}: unknown executor {name!r}; expected one of {', '.join(map(repr, (INLINE, *_NAMED)))}")
    with _lock:
        shared = _shared.get(name)
        if shared is None:
            module, kind = _NAMED[name]
            shared = _shared[name] = getattr(importlib.import_module(module), kind)()
    return shared


def shared_name(executor: Executor | None) -> str | None:
    """The name under which the process has an executor; None if it is no such."""
    return next((name for name, shared in _shared.items() if shared is executor), None)


@export("executor")
@contextmanager
def executor(where: Any) -> Iterator[None]:
    """A scope that sets the executor of the host functions called in it: `with tf.executor("processes"):`.

    An explicit `executor=` overrides the scope. The scope also applies to branches, loops and functions that are traced
    in it. It does not apply to the bodies of host functions.

    Args:
      where: "inline", "threads", "processes", "ray", an executor with options such as `tf.Processes(workers=4)`, or any
        `concurrent.futures.Executor`.

    Raises:
      TypeError, ValueError: if `where` is not an executor.
    """
    chosen = resolve_executor(where, "tf.executor")
    with context.using(context.current().replace(executor=chosen)):
        yield
