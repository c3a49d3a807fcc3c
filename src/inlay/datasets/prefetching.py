"""Elements made ahead of those who ask for them."""

from __future__ import annotations

from typing import Any

from inlay import errors
from inlay.datasets.node import Cursor, Iteration, Node


class Prefetch(Node):
    """The elements, some of them made ahead.

    Args:
      source: what makes them.
      size: how many, an int64 scalar; AUTOTUNE chooses.
    """

    __slots__ = ()
    name = "_PrefetchDataset"

    def __init__(self, source: Node, size: Any) -> None:
        super().__init__(source.element, (source,), (size,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        checked_size(iteration.value(self.tensors[0]))
        return self.inputs[0].cursor(iteration)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return self.inputs[0].cardinality(iteration)


def checked_size(size: Any) -> int:
    """The size of a buffer of elements that are made ahead.

    Raises:
      InvalidArgumentError: if it is negative, and not AUTOTUNE.
    """
    if int(size) < -1:
        raise errors.InvalidArgumentError(
            None, None, f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got {int(size)}"
        )
    return int(size)
