"""Batches: elements stacked along a new first axis, and taken apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.element import Element, Values, parts_of, row_spec, rows_of, static_row_counts
from inlay._src.data.graph_rows import NUMBER, constant_value, graph_form
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.pipeline import applied
from inlay._src.data.sizes import at_least, size_tensor, static_size
from inlay._src.data.stacking import Read, Stack, Unread, gathering, joined_rows
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.specs import RaggedTensorSpec


def _read_batch(message: Any) -> Node:
    size, drop = message.tensors
    static = constant_value(size) if constant_value(drop) else None
    return BatchNode(message.inputs[0], size, drop, None if static is None else int(static))


class BatchingNode(Node):
    """The base class of nodes that stack elements.

    Args:
      source: the elements to stack.
      size: the number of elements per batch, an int64 scalar.
      drop_remainder: whether a last batch that is smaller is left out, a bool scalar.
      static: the size of every batch if it is known now, else None.
    """

    __slots__ = ()

    def check(self, iteration: Iteration) -> None:
        self.sizes(iteration)

    def sizes(self, iteration: Iteration) -> tuple[int, bool]:
        """The number of elements per batch, and whether a last batch that is smaller is left out.

        Raises:
          InvalidArgumentError: if the number is not positive.
        """
        size, drop = (*iteration.values(self.tensors[:2]), False)[:2]
        return at_least(size, 1, "Batch size"), bool(drop)

    def cardinality(self, iteration: Iteration) -> int:
        (size, drop), count = self.sizes(iteration), self.inputs[0].cardinality(iteration)
        return count if count < 0 else count // size if drop else -(-count // size)


@graph_form("BatchDatasetV2", "int64 bool", {"calls": NUMBER}, read=_read_batch)
class BatchNode(BatchingNode):
    """Consecutive elements stacked along a new first axis.

    Args:
      source, size, drop_remainder, static: see `BatchingNode`.
      calls: the requested number of concurrent calls; it decides whether an element that fails discards its whole
        batch, see `fails_whole`.
    """

    __slots__ = ("calls",)
    name = "_BatchDataset"

    def __init__(self, source: Node, size: Any, drop_remainder: Any, static: int | None, calls: Any = None) -> None:
        spec = nest.map_structure(lambda s: batched_spec(s, static), source.element.spec)
        super().__init__(spec, (source,), (size, drop_remainder))
        self.calls: Any = calls

    def cursor(self, iteration: Iteration) -> Cursor:
        source = self.inputs[0]
        whole = self.calls is None and fails_whole(source, iteration)
        read = Stack(source.element).read
        return BatchCursor(source.cursor(iteration), read, *self.sizes(iteration), whole)


def fails_whole(source: Node, iteration: Iteration) -> bool:
    """Whether an element that cannot be read takes all elements of its batch along, so that the next batch begins
    where it would have begun. Otherwise those that were read before it are lost, and the next batch begins behind it.

    TensorFlow does the first where it makes one stage of `map` and `batch`; see the op `MapAndBatchDataset`, and
    `Options.experimental_optimization.map_and_batch_fusion`.
    """
    if not source.maps:
        return False
    chosen: Any = iteration.options.experimental_optimization  # type: ignore[attr-defined]
    fused = chosen.map_and_batch_fusion
    return chosen.apply_default_optimizations is not False if fused is None else bool(fused)


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of elements of a spec that are stacked."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    return spec._batched_spec(size)


class RaggedRows:
    """Stacks the values of elements whose shapes may differ: tensors of unknown shape become ragged.

    Args:
      element: the structure of the elements.
      rows: the specs of the components as rows of what is made.
    """

    __slots__ = ("_parts", "_rows", "_stack")

    def __init__(self, element: Element, rows: Any) -> None:
        self._parts, self._rows = parts_of(element), nest.flatten(rows)
        self._stack = [Stack(part) for part, _ in self._parts]

    def __call__(self, elements: Sequence[Values]) -> Values:
        """The values of a batch."""
        out: Values = []
        for (part, where), row, stack in zip(self._parts, self._rows, self._stack, strict=True):
            column = [values[where] for values in elements]
            if row is part.spec:
                out += stack(column)
            else:
                out += joined_rows(row, [_ragged(values[0], row) for values in column])
        return out


def _ragged(value: Any, row: Any) -> Any:
    """A value as a ragged tensor of a spec."""
    tensor = EagerTensor(value, row.dtype)
    if not row.ragged_rank:
        return tensor
    return RaggedTensor.from_tensor(tensor, ragged_rank=row.ragged_rank, row_splits_dtype=row.row_splits_dtype)


@graph_form("", "int64 bool", {"rows": object})
class RaggedBatchNode(BatchingNode):
    """Consecutive elements stacked along a new first axis, with ragged components where shapes differ."""

    __slots__ = ("rows",)
    name = "_BatchDataset"

    def __init__(self, source: Node, size: Any, drop_remainder: Any, static: int | None, splits: Any) -> None:
        self.rows: Any = nest.map_structure(lambda s: _ragged_row(s, splits), source.element.spec)
        spec = nest.map_structure(lambda s: batched_spec(s, static), self.rows)
        super().__init__(spec, (source,), (size, drop_remainder))

    def cursor(self, iteration: Iteration) -> Cursor:
        source = self.inputs[0]
        read = gathering(RaggedRows(source.element, self.rows))
        whole = self.rows is not source.element.spec or fails_whole(source, iteration)
        return BatchCursor(source.cursor(iteration), read, *self.sizes(iteration), whole)


def _ragged_row(spec: Any, splits: Any) -> Any:
    """The spec of a component as a row of a ragged batch: itself if all its sizes are known."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None or spec.shape.is_fully_defined():
        return spec
    last = max(i for i, n in enumerate(spec.shape.as_list()) if n is None)
    return RaggedTensorSpec(spec.shape, spec.dtype, last, splits)


class BatchCursor(Cursor):
    """One iteration of `BatchNode`. Its position has how many elements still belong to a batch that failed.

    Args:
      source: the elements to stack.
      read: reads and stacks the elements of a batch.
      size: the number of elements per batch.
      drop: whether a last batch that is smaller is left out.
      whole: see `fails_whole`.
    """

    __slots__ = ("_drop", "_read", "_size", "_whole", "behind", "ended")
    saved: ClassVar[tuple[str, ...]] = ("behind", "ended")

    def __init__(self, source: Cursor, read: Read, size: int, drop: bool, whole: bool = False) -> None:
        super().__init__(source)
        self._read, self._size, self._drop, self._whole = read, size, drop, whole
        self.behind, self.ended = 0, False

    def __next__(self) -> Values:
        if self.behind:
            self._pass_over()
        if self.ended:
            raise StopIteration
        try:
            batch, count = self._read(self.sources[0], self._size)
        except Unread as unread:
            self.behind = self._size - unread.count - 1 if self._whole else 0
            failures = [unread.error]
        else:
            self.ended = count < self._size
            if not count or (self.ended and self._drop):
                raise StopIteration
            return batch
        raise failures.pop()  # this frame, which its traceback has, must not hold it

    def _pass_over(self) -> None:
        """Reads the elements that belong to a batch that failed; it has said so with the first of its failures."""
        while self.behind and not self.ended:
            self.behind -= 1
            try:
                next(self.sources[0])
            except StopIteration:
                self.ended = True
            except errors.PASS_THROUGH:
                raise
            except Exception:
                continue


@graph_form("UnbatchDataset")
class UnbatchNode(Node):
    """The rows of each element.

    Raises:
      ValueError: if components are known to have different numbers of rows.
    """

    __slots__ = ()
    name = "_UnbatchDataset"

    def __init__(self, source: Node) -> None:
        counts = sorted(static_row_counts(source.element.spec))
        if len(counts) > 1:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
                f"dimension. Encountered both {counts[0]} and {counts[1]}."
            )
        super().__init__(nest.map_structure(row_spec, source.element.spec), (source,))

    def cursor(self, iteration: Iteration) -> Cursor:
        return UnbatchCursor(self.inputs[0].cursor(iteration), self.inputs[0].element)

    def cardinality(self, iteration: Iteration) -> int:
        count = self.inputs[0].cardinality(iteration)
        size = next(iter(static_row_counts(self.inputs[0].element.spec)), None)
        return INFINITE if count == INFINITE else UNKNOWN if count < 0 or size is None else count * size


class UnbatchCursor(Cursor):
    """One iteration of `UnbatchNode`. Its position is the current element and the row in it."""

    __slots__ = ("_at", "_count", "_element", "row", "values")
    saved: ClassVar[tuple[str, ...]] = ("row", "values")

    def __init__(self, source: Cursor, element: Element) -> None:
        super().__init__(source)
        self._element, self._count = element, 0
        self.row: int = 0
        self.values: Values | None = None

    def __next__(self) -> Values:
        while self.row >= self._count:
            self._open(next(self.sources[0]))
        self.row += 1
        return self._at(self.row - 1)  # type: ignore[no-any-return]

    def _open(self, values: Values) -> None:
        self._count, self._at = rows_of(self._element, values)
        self.values, self.row = values, 0

    def restore(self, state: Any) -> None:
        super().restore(state)
        if self.values is not None:
            row = self.row
            self._open(self.values)
            self.row = row


def batch(
    source: Node,
    batch_size: Any,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Node:
    """Stacks consecutive elements along a new first axis.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.
      num_parallel_calls, deterministic: accepted; stacking copies memory, which threads do not accelerate. If an
        element fails and `num_parallel_calls` is given, the next batch begins after that element. Without it and
        directly after a `map`, the next batch begins where it would have begun.

    Raises:
      InvalidArgumentError: during iteration, if shapes of a component differ within a batch.
    """
    size, static = size_tensor(batch_size, "Batch size", 1), static_size(batch_size, drop_remainder)
    drop = convert_to_tensor(drop_remainder, dtypes.bool_)
    return BatchNode(source, size, drop, static, num_parallel_calls)


def unbatch(source: Node, name: str | None = None) -> Node:
    """Splits each element into its rows."""
    return UnbatchNode(source)


applied_unbatch: Any = export("data.experimental.unbatch", "contrib.data.unbatch")(applied(unbatch))


def ragged_batch(
    source: Node,
    batch_size: Any,
    drop_remainder: Any = False,
    row_splits_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Node:
    """Stacks consecutive elements along a new first axis; components of unknown shape become ragged.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.
      row_splits_dtype: int32 or int64: the dtype of the row partitions.
    """
    static, drop = static_size(batch_size, drop_remainder), convert_to_tensor(drop_remainder, dtypes.bool_)
    size, splits = size_tensor(batch_size, "Batch size", 1), dtypes.as_dtype(row_splits_dtype)
    return RaggedBatchNode(source, size, drop, static, splits)


applied_ragged_batch: Any = export("data.experimental.dense_to_ragged_batch")(applied(ragged_batch))
