"""Batches of tensors of different shapes as sparse tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types.shapes import TensorShape, bracketed
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.batching import BatchCursor, BatchingNode
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.sizes import size_tensor
from inlay._src.data.stacking import gathering
from inlay._src.ops.composite.specs import SparseTensorSpec


@graph_form("", "int64", {"shape": TensorShape})
class SparseBatchNode(BatchingNode):
    """Consecutive tensors stacked to sparse tensors."""

    __slots__ = ("shape",)
    name = "_DenseToSparseBatchDataset"

    def __init__(self, source: Node, size: Any, shape: TensorShape) -> None:
        if not isinstance(source.element.spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                f"given dataset has the following component types: {source.element.spec!r}."
            )
        spec = SparseTensorSpec(TensorShape([None]).concatenate(shape), source.element.spec.dtype)
        super().__init__(spec, (source,), (size,))
        self.shape = shape

    def cursor(self, iteration: Iteration) -> Cursor:
        return BatchCursor(self.inputs[0].cursor(iteration), gathering(self._stacked), *self.sizes(iteration))

    def _stacked(self, elements: Sequence[Values]) -> Values:
        """The components of a batch."""
        wanted, arrays = self.shape.as_list(), [np.asarray(values[0]) for values in elements]
        for i, a in enumerate(arrays):
            element = f"Element {i} of the batch, of shape {bracketed(a.shape)},"
            if a.ndim != len(wanted):
                raise errors.InvalidArgumentError(
                    None, None, f"{element} is incompatible with the row shape {self.shape}."
                )
            if any(n is not None and m > n for n, m in zip(wanted, a.shape, strict=True)):
                raise errors.DataLossError(None, None, f"{element} is larger than the row shape {self.shape}.")
        longest = np.max([a.shape for a in arrays], axis=0) if wanted else []
        full = [int(long) if n is None else n for n, long in zip(wanted, longest, strict=True)]
        places = [np.argwhere(np.ones(a.shape, bool)).reshape(a.size, a.ndim) for a in arrays]
        rows = np.repeat(np.arange(len(arrays)), [len(p) for p in places])
        indices = np.column_stack([rows, np.concatenate(places)]).astype(np.int64)
        values = np.concatenate([a.ravel() for a in arrays])
        return [indices, values, np.array([len(arrays), *full], np.int64)]


def sparse_batch(source: Node, batch_size: Any, row_shape: Any, name: str | None = None) -> Node:
    """Stacks tensors of different shapes to sparse tensors.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      row_shape: the dense shape of every row; a size None or -1 is that of the longest element of the batch.

    Raises:
      TypeError: if an element is not one tensor.
      DataLossError: during iteration, if an element is larger than a row.
    """
    shape = TensorShape([None if n == -1 else n for n in TensorShape(row_shape).as_list()])
    return SparseBatchNode(source, size_tensor(batch_size, "Batch size", 1), shape)


applied_sparse_batch: Any = export("data.experimental.dense_to_sparse_batch", "contrib.data.dense_to_sparse_batch")(
    applied(sparse_batch)
)
