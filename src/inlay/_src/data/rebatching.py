"""Batches that are taken apart and stacked again in other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, nest
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.data.batching import BatchCursor, UnbatchNode, batched_spec
from inlay._src.data.element import Values, static_row_counts
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.sizes import at_least
from inlay._src.data.stacking import Stack


@graph_form("", "int64 bool")
class RebatchNode(Node):
    """The rows of elements, stacked again in other sizes.

    Raises:
      ValueError: if elements are scalars, have known numbers of rows that differ, or the sizes are no vector.
    """

    __slots__ = ()
    name = "_RebatchDataset"

    def __init__(self, source: Node, sizes: Any, drop_remainder: Any) -> None:
        rows, static = UnbatchNode(source), _static_rows(source.element.spec, sizes, drop_remainder)
        spec = nest.map_structure(lambda s: batched_spec(s, static), rows.element.spec)
        super().__init__(spec, (rows,), (sizes, drop_remainder))

    def cursor(self, iteration: Iteration) -> Cursor:
        sizes, drop = iteration.values(self.tensors)
        numbers = [at_least(n, 0, "Batch size") for n in np.ravel(sizes)]
        return RebatchCursor(self.inputs[0].cursor(iteration), Stack(self.inputs[0].element), numbers, bool(drop))

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


def _static_rows(spec: Any, sizes: Any, drop_remainder: Any) -> int | None:
    """The number of rows of every batch if that is known now, else None."""
    if sizes.shape.rank not in (None, 0, 1):
        raise ValueError(
            "Invalid `batch_sizes`. Expected `batch_sizes` to be a scalar or a vector. Received `batch_sizes` of rank "
            f"{sizes.shape.rank}."
        )
    constant, drop = constant_of(sizes), constant_of(drop_remainder)
    if constant is None:
        return None
    wanted = set(np.ravel(constant).tolist())
    if len(wanted) != 1:
        return None
    (size,) = wanted
    if drop is not None and bool(drop):
        return int(size)
    counts = static_row_counts(spec)
    if len(counts) > 1:
        raise ValueError(f"Invalid `input_dataset.` The batch dimension of all components must match, got {counts}.")
    return int(size) if counts and size and counts.pop() % size == 0 else None


class RebatchCursor(BatchCursor):
    """One iteration of `RebatchNode`."""

    __slots__ = ("_sizes", "_stack", "turn")
    saved = ("behind", "ended", "turn")

    def __init__(self, source: Cursor, stack: Stack, sizes: Sequence[int], drop: bool) -> None:
        super().__init__(source, stack.read, sizes[0], drop)
        self._stack, self._sizes, self.turn = stack, sizes, 0

    def __next__(self) -> Values:
        self._size = self._sizes[self.turn]
        self.turn = (self.turn + 1) % len(self._sizes)
        if not self._size and not self.ended:
            return self._stack.none()
        return super().__next__()


def rebatch(source: Node, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Node:
    """Splits batches into rows and stacks these again in other sizes.

    Args:
      batch_size: the number of rows per batch, an int64 scalar, or a vector of sizes in rotation.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.
    """
    sizes = convert_to_tensor(batch_size, dtypes.int64)
    drop = convert_to_tensor(drop_remainder, dtypes.bool_)
    return RebatchNode(source, sizes, drop)
