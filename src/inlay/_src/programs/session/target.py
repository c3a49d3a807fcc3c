"""The target of a session: the server that runs its plans, if that is not this process."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any, Protocol

from inlay._src.base import errors
from inlay._src.core.graph import Graph
from inlay._src.engine.plan.plan import Plan

LOCAL = ("", "local", None)


class SessionTarget(Protocol):
    """The place that runs a session's plans.

    Attributes:
      name: the target as it was given.
    """

    name: str

    def devices(self) -> list[str]:
        """The canonical names of the devices that nodes can be placed on."""

    def executable(self, plan: Plan, graph: Graph, soft: bool) -> Any:
        """An object like an `Executable` that runs a plan on the target; `soft` lets it run steps of other devices.

        Raises:
          InvalidArgumentError: for a step that is placed on a device that is not there.
          UnimplementedError: for what cannot run there.
        """

    def reset(self, containers: Sequence[str]) -> None:
        """Forgets the variables in `containers`, or all."""


_SCHEMES = {"grpc": ("inlay._src.cluster.remote", "ServerTarget")}
"""Scheme of a target -> its module, which is loaded on first use, and the class of targets, whose constructor takes the
target and a `ConfigProto` or None."""


def opened(target: Any, config: Any) -> SessionTarget | None:
    """The target of a text; None is this process.

    Raises:
      TypeError: if it is no text.
      NotFoundError: if nothing of that scheme can be a target.
      UnavailableError: if nothing answers there.
    """
    if target is not None and not isinstance(target, (str, bytes)):
        raise TypeError(f"Argument `target` must be a string, but got {type(target)}")
    if target in LOCAL:
        return None
    text = target.decode() if isinstance(target, bytes) else target
    scheme, separator, _ = text.partition("://")
    if not separator or scheme not in _SCHEMES:
        schemes = ", ".join(f'"{name}://host:port"' for name in _SCHEMES)
        raise errors.NotFoundError(
            None,
            None,
            f'No session factory registered for the given session options: {{target: "{text}"}} Registered factories '
            f'are {{{schemes}, "" for this process}}.',
        )
    module, kind = _SCHEMES[scheme]
    return getattr(importlib.import_module(module), kind)(text, config)  # type: ignore[no-any-return]
