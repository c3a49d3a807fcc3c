"""Ops applied to records: each of them works on every field, or on the shape of the whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.emit import LATE_ANSWERS, emit, spread
from inlay._src.core.graph import constant_of
from inlay._src.ops import array, math, ranges
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape
from inlay._src.ops.composite.ragged_shape_parts import axis_from_front
from inlay._src.ops.composite.ragged_shape_rules import RaggedOperandError
from inlay._src.ops.composite.structured_tensor import StructuredTensor
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.random import shuffle


def answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which is a `StructuredTensor`.

    Raises:
      TypeError: if the op has no meaning for records.
    """
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(op, inputs, attrs)
    value = next(v for v in spread(inputs) if isinstance(v, StructuredTensor))
    raise RaggedOperandError(
        f"{op.name} does not take a StructuredTensor, got {value!r}. Apply it to fields: value['name'], or "
        "with_updates({'name': function})."
    )


def _fieldwise(values: Sequence[StructuredTensor], function: Callable[[list[Any]], Any]) -> StructuredTensor:
    """Records of which each field is computed from those of other records, as is their shape."""
    dtype = values[0]._ragged_shape.dtype
    whole = DynamicRaggedShape.from_tensor(function([array.ones(v._ragged_shape, dtypes.bool_) for v in values]))
    fields = {name: function([v.field_value(name) for v in values]) for name in values[0].field_names()}
    return StructuredTensor._of_fields(fields, whole.with_dtype(dtype))


def _expanded(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs
    constant = axis if isinstance(axis, int) else constant_of(axis)
    if constant is None:
        raise ValueError("expand_dims of a StructuredTensor needs an axis that is known while the graph is built")
    at = axis_from_front(int(constant), value.rank + 1)
    return _fieldwise([value], lambda parts: emit(op, (parts[0], at), attrs))


def _gathered(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, indices, *rest = inputs
    if not isinstance(value, StructuredTensor):
        raise RaggedOperandError(f"the indices of gather must be a tensor, got {indices!r}")
    axis, batch = attrs.get("axis"), attrs.get("batch_dims", 0) or 0
    at = axis_from_front(batch if axis is None else axis, value.rank)
    return _fieldwise([value], lambda parts: emit(op, (parts[0], indices, *rest), {**attrs, "axis": at}))


def _joined(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    values = inputs[0]
    if not all(isinstance(value, StructuredTensor) for value in values):
        raise ValueError("values must be a list of StructuredTensors")
    paths = [_ranks(value) for value in values]
    for other in paths[1:]:
        if set(other) != set(paths[0]):
            differing = set(other) ^ set(paths[0])
            raise ValueError(f"Some paths are present in some, but not all, structured tensors: {sorted(differing)}")
        if other != paths[0]:
            raise ValueError("Ranks of sub-message do not match")
    at = axis_from_front(attrs["axis"], values[0].rank)
    return _fieldwise(values, lambda parts: emit(op, (parts,), {**attrs, "axis": at}))


def _ranks(value: StructuredTensor, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], int | None]:
    """The ranks of records and of those in their fields, None for other fields, by the names on the way to them."""
    ranks: dict[tuple[str, ...], int | None] = {path: value.rank}
    for name in value.field_names():
        field = value.field_value(name)
        more = _ranks(field, (*path, name)) if isinstance(field, StructuredTensor) else {(*path, name): None}
        ranks.update(more)
    return ranks


def _shuffled(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value = inputs[1]
    if value.rank == 0:
        raise ValueError("Cannot shuffle a scalar StructuredTensor")
    return gather_op(value, shuffle(ranges.range_(value.nrows()), attrs["seed"]), 0, 0)


def _size(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return math.cast(inputs[0]._ragged_shape._num_elements(), attrs.get("out_type", dtypes.int32))


RULES: dict[str, Callable[..., Any]] = {
    "Shape": lambda op, inputs, attrs: inputs[0]._ragged_shape.with_dtype(attrs.get("out_type", dtypes.int32)),
    "Size": _size,
    "Rank": lambda op, inputs, attrs: array.constant(inputs[0].rank, dtypes.int32),
    "ZerosLike": lambda op, inputs, attrs: array.zeros(inputs[0]._ragged_shape),
    "OnesLike": lambda op, inputs, attrs: array.ones(inputs[0]._ragged_shape),
    "ExpandDims": _expanded,
    "GatherV2": _gathered,
    "ConcatV2": _joined,
    "RandomShuffle": _shuffled,
}
"""Op type -> `rule(op, inputs, attrs)`."""

LATE_ANSWERS["structured"] = answer
