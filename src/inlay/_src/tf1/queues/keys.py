"""Names in a graph of what each of its sessions has one of, and may share by a second name."""

from __future__ import annotations

import itertools
from typing import ClassVar, Generic, TypeVar

from inlay._src.core.state import Resource

S = TypeVar("S")
_NUMBERS = itertools.count()


class SharedKey(Resource, Generic[S]):
    """Names a queue or an accumulator of a graph; each session has its own.

    Args:
      name: of its node.
      spec: the declaration of the queue or accumulator.
      shared_name: those of one session that have the same are one; "" is shared with none.
    """

    __slots__ = ("name", "shared_name", "spec")
    kind: ClassVar[str]

    def __init__(self, name: str, spec: S, shared_name: str = "") -> None:
        self.name, self.spec, self.shared_name = name, spec, shared_name

    def state_name(self) -> str:
        """The name of what a session makes of it: the shared one, else one that nothing else has."""
        return self.shared_name or f"_{next(_NUMBERS)}_{self.name}"

    def __repr__(self) -> str:
        return f"{self.kind} {self.name}"
