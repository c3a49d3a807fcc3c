"""Ops that take or give the shape of a ragged tensor: `shape`, `reshape`, `broadcast_to`, `fill` and their like."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.core.eager.emit import LATE_ANSWERS, spread
from inlay._src.ops import array
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_broadcast import broadcast_to, common_shape


class RaggedOperandError(TypeError, ValueError):
    """An op has no meaning for ragged tensors or their shapes. TensorFlow raises ValueError eagerly, else TypeError."""


def _shape(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return DynamicRaggedShape.from_tensor(inputs[0], attrs.get("out_type"))


def _reshaped(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, shape = RaggedTensor._ragged_or_dense(inputs[0]), inputs[1]
    flat = value.flat_values if isinstance(value, Partitioned) else value
    if isinstance(shape, Partitioned):
        raise RaggedOperandError(f"reshape takes a shape of whole numbers, got {shape!r}")
    if not isinstance(shape, DynamicRaggedShape):
        return array.reshape(flat, shape)
    return shape._add_row_partitions(array.reshape(flat, shape.inner_shape))


def _broadcast(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, shape = inputs
    if not isinstance(shape, DynamicRaggedShape):
        raise RaggedOperandError(
            f"BroadcastTo repeats a RaggedTensor to a DynamicRaggedShape (tf.shape of a RaggedTensor gives one), got "
            f"the shape {shape!r}"
        )
    return broadcast_to(value, shape)


def _common(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    shapes = [s if isinstance(s, DynamicRaggedShape) else DynamicRaggedShape._from_inner_shape(s) for s in inputs]
    return common_shape(*shapes)


def _filled(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    shape, value = inputs
    return shape._add_row_partitions(array.fill(shape.inner_shape, value))


def _itself(inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    shape = inputs[0]
    return shape._rebuild([array.identity(part) for part in shape._components()])


SHAPE_RULES: dict[str, Callable[[Sequence[Any], Mapping[str, Any]], Any]] = {
    "Shape": _shape,
    "Reshape": _reshaped,
    "BroadcastTo": _broadcast,
    "BroadcastArgs": _common,
}
"""Op type -> `rule(inputs, attrs)`, for ragged tensors and for shapes of them."""

_OF_SHAPES = {"Fill": _filled, "Identity": _itself, **{k: v for k, v in SHAPE_RULES.items() if k != "Shape"}}


def answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which is a `DynamicRaggedShape`.

    Raises:
      TypeError: if the op has no meaning for shapes of ragged tensors.
    """
    rule = _OF_SHAPES.get(op.name)
    if rule is not None:
        return rule(inputs, attrs)
    shape = next(v for v in spread(inputs) if isinstance(v, DynamicRaggedShape))
    raise RaggedOperandError(
        f"{op.name} does not take a DynamicRaggedShape, got {shape!r}. tf.reshape, tf.broadcast_to, tf.zeros, tf.ones "
        "and tf.fill do; its inner_shape and the row_lengths() of its row_partitions are tensors."
    )


LATE_ANSWERS["ragged_shape"] = answer
