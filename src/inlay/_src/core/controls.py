"""The blocks of `control_dependencies`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inlay._src.core.graph import Operation


class Controls:
    """One `control_dependencies` block.

    Attributes:
      operations: the operations that every node made in it must follow.
      made: the operations made in it: an operation with one of these as an input follows already.
    """

    __slots__ = ("made", "operations")

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations: Sequence[Operation] = operations
        self.made: set[Operation] = set()
