"""Broadcasting by the rules of ragged tensors: dimensions are added in front, uniform ones of size 1 are stretched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, broadcast, from_dims
from inlay._src.ops import array, control, joining, math, shaping
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape
from inlay._src.ops.composite.known_sizes import static_size
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.row_partition import RowPartition
from inlay._src.ops.gathering import gather_op


def common_rows(
    operands: Sequence[Sequence[RowPartition]], stretches: Sequence[Sequence[bool]], dtype: Any
) -> tuple[list[RowPartition], list[Any]]:
    """The row partitions that several nested ones have in common.

    Args:
      operands: the partitions of each operand, equally many, outermost first.
      stretches: for each of them whether rows that all have length 1 are stretched.
      dtype: the type of the results, int32 or int64.

    Returns:
      The common partitions, and for each operand a vector: for every value of the result the one that it comes from.
    """
    levels = len(operands[0])
    flat = [math.cast(partition.row_splits(), dtype) for partitions in operands for partition in partitions]
    results = rows.broadcast_rows(
        flat[0],
        flat[1:],
        num=levels + len(operands),
        operands=len(operands),
        stretches=tuple(map(tuple, stretches)),
    )
    lengths = [_common_length([partitions[level] for partitions in operands]) for level in range(levels)]
    common = zip(results[:levels], lengths, strict=True)
    return [RowPartition._of(splits, uniform_row_length=length) for splits, length in common], list(results[levels:])


def _common_length(partitions: Sequence[RowPartition]) -> Any:
    """The length of every row that several partitions have in common, as a scalar; None if a partition is ragged."""
    if not all(partition.is_uniform() for partition in partitions):
        return None
    length: Any = partitions[0].uniform_row_length()
    for partition in partitions[1:]:
        other = math.cast(partition.uniform_row_length(), length.dtype)
        if static_size(length) == 1:
            length = other
        elif static_size(length) is None and static_size(other) != 1:
            length = array.where(math.equal(length, 1), other, length)
    return length


def common_shape(one: DynamicRaggedShape, two: DynamicRaggedShape) -> DynamicRaggedShape:
    """The shape that two shapes broadcast to.

    Args:
      one, two: shapes of known rank, of one dtype if both have row partitions.

    Raises:
      ValueError: if a rank is not known, or the dtypes differ.
      InvalidArgumentError: (eagerly, or when the graph runs) if the shapes do not go together.
    """
    one, two = _same_dtype(one, two)
    if 0 in (one.rank, two.rank) and None not in (one.rank, two.rank):
        return two if one.rank == 0 else one
    one, two, levels = _alike(one, two)
    if not levels:
        inner = shaping.broadcast_dynamic_shape(one.inner_shape, two.inner_shape)
        return one._with([], inner, static=_common_static(one, two, 0))
    partitions, _ = common_rows(*_operands(one, two), one.dtype)
    rest = shaping.broadcast_dynamic_shape(one.inner_shape[1:], two.inner_shape[1:])
    inner = joining.concat([array.reshape(partitions[-1].nvals(), [1]), rest], 0)
    return one._with(partitions, inner, static=TensorShape([None]).concatenate(_common_static(one, two, 1)))


def _common_static(one: DynamicRaggedShape, two: DynamicRaggedShape, start: int) -> TensorShape:
    """The statically known part of the inner shapes that two shapes broadcast to, from a dimension on."""
    dims = (shape._static_inner_shape._dims for shape in (one, two))
    return from_dims(broadcast(*(None if static is None else static[start:] for static in dims)))


def broadcast_to(value: Any, shape: DynamicRaggedShape) -> Any:
    """A value repeated to a shape.

    Args:
      value: a tensor, ragged or not, or what becomes one.
      shape: the shape, of known rank.

    Returns:
      A RaggedTensor if the shape or the value has row partitions, else a tensor.

    Raises:
      ValueError: if a rank is not known, the value has more dimensions than the shape, or the dtypes of the row
        splits differ.
      InvalidArgumentError: (eagerly, or when the graph runs) if the value does not broadcast to the shape.
    """
    source = RaggedTensor._ragged_or_dense(value)
    flat = source.flat_values if isinstance(source, Partitioned) else source
    if isinstance(source, Partitioned) and shape.num_row_partitions and source.row_splits.dtype is not shape.dtype:
        raise ValueError(
            f"Cannot coerce row_splits.dtype: the value has {source.row_splits.dtype.name} splits, the shape "
            f"{shape.dtype.name}"
        )
    own, wanted = _same_dtype(DynamicRaggedShape.from_tensor(source), shape)
    if own.rank is not None and wanted.rank is not None and own.rank > wanted.rank:
        raise ValueError(f"Cannot broadcast a value of rank {own.rank} to a shape of rank {wanted.rank}")
    own, wanted, levels = _alike(own, wanted)
    if not levels:
        return shaping.broadcast_to(flat, wanted.inner_shape)
    operands, stretches = _operands(own, wanted)
    common, where = common_rows(operands, [stretches[0], [False] * levels], wanted.dtype)
    outermost = rows.same_splits(
        common[0].row_splits(), wanted.row_partitions[0].row_splits(), what="Unable to broadcast: the rows differ"
    )
    with control.control_dependencies([outermost]):
        gathered = gather_op(array.reshape(flat, own.inner_shape), where[0])
    return wanted._add_row_partitions(shaping.broadcast_to(gathered, wanted.inner_shape))


def _same_dtype(one: DynamicRaggedShape, two: DynamicRaggedShape) -> tuple[DynamicRaggedShape, DynamicRaggedShape]:
    """Two shapes with sizes of one type: that of row partitions, or int64."""
    if one.dtype is two.dtype:
        return one, two
    if one.row_partitions and two.row_partitions:
        raise ValueError(f"Dtypes don't match: the shapes have {one.dtype.name} and {two.dtype.name} row partitions")
    dtype = one.dtype if one.row_partitions else two.dtype if two.row_partitions else dtypes.int64
    return one.with_dtype(dtype), two.with_dtype(dtype)


def _alike(one: DynamicRaggedShape, two: DynamicRaggedShape) -> tuple[DynamicRaggedShape, DynamicRaggedShape, int]:
    """Two shapes of one rank and one number of row partitions, and that number."""
    if one.rank is None or two.rank is None:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(one.rank, two.rank)
    missing = ((one, rank - one.rank), (two, rank - two.rank))
    levels = max(shape.num_row_partitions and shape.num_row_partitions + more for shape, more in missing)
    one, two = (s._with_rank(rank)._with_num_row_partitions(levels) for s in (one, two))
    return one, two, levels


def _operands(*shapes: DynamicRaggedShape) -> tuple[list[Sequence[RowPartition]], list[list[bool]]]:
    """The row partitions of shapes, and whether each may be stretched: if all its rows have one length, perhaps 1."""
    partitions = [shape.row_partitions for shape in shapes]
    stretches = [[p.is_uniform() and p.static_uniform_row_length in (None, 1) for p in own] for own in partitions]
    return list(partitions), stretches
