"""1.x forms of functions: other names and orders of arguments, and what only 1.x has."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.core import context
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import answers, operand
from inlay._src.core.graph import default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor, constant_eager
from inlay._src.ops import (
    activations,
    array,
    control,
    counting,
    embeddings,
    extremes,
    gathering,
    image_boxes,
    image_resizing,
    joining,
    losses,
    math,
    nn,
    ranges,
    rearranging,
    reductions,
    slicing,
    strings,
)
from inlay._src.ops.asserting import assert_equal_v1, check_numerics
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.image_checks import refusal

# ---------------------------------------------------------------- the same under other names and in another order

gather: Any = export("compat.v1.gather")(
    another_form(gathering.gather, "params, indices, validate_indices=None, name=None, axis=None, batch_dims=0")
)
gather_nd: Any = export("compat.v1.gather_nd", "compat.v1.manip.gather_nd")(
    another_form(gathering.gather_nd, "params, indices, name=None, batch_dims=0, bad_indices_policy=''")
)
shape: Any = export("compat.v1.shape")(another_form(array.shape, "input, name=None, out_type=None"))
size: Any = export("compat.v1.size")(another_form(array.size, "input, name=None, out_type=None"))
zeros_like: Any = export("compat.v1.zeros_like")(
    another_form(array.zeros_like, "tensor, dtype=None, name=None, optimize=True", tensor="input", optimize=None)
)
ones_like: Any = export("compat.v1.ones_like")(
    another_form(array.ones_like, "tensor, dtype=None, name=None, optimize=True", tensor="input", optimize=None)
)
tuple_: Any = export("compat.v1.tuple")(
    another_form(control.tuple_, "tensors, name=None, control_inputs=None", "tuple")
)
convert: Any = export("compat.v1.convert_to_tensor")(
    another_form(
        convert_to_tensor,
        "value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None",
        preferred_dtype="dtype_hint",
    )
)
transpose: Any = export("compat.v1.transpose")(
    another_form(rearranging.transpose, "a, perm=None, name='transpose', conjugate=False")
)
pad: Any = export("compat.v1.pad")(
    another_form(slicing.pad, "tensor, paddings, mode='CONSTANT', name=None, constant_values=0")
)
substr: Any = export("compat.v1.substr", "compat.v1.strings.substr")(
    another_form(strings.substr, "input, pos, len, name=None, unit='BYTE'")
)
string_length: Any = export("compat.v1.strings.length")(another_form(strings.length, "input, name=None, unit='BYTE'"))
reduce_join: Any = export("compat.v1.reduce_join", "compat.v1.strings.reduce_join")(
    another_form(
        strings.reduce_join,
        "inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None, keepdims=None",
    )
)
string_to_number: Any = export("compat.v1.string_to_number", "compat.v1.strings.to_number")(
    another_form(
        strings.to_number,
        "string_tensor=None, out_type=dtypes.float32, name=None, input=None",
        "string_to_number",
        string_tensor="input",
    )
)
decode_raw: Any = export("compat.v1.decode_raw", "compat.v1.io.decode_raw")(
    another_form(
        strings.decode_raw,
        "input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None",
        bytes="input_bytes",
    )
)
crelu: Any = export("compat.v1.nn.crelu")(another_form(activations.crelu, "features, name=None, axis=-1"))
resize_bilinear: Any = export("compat.v1.image.resize_bilinear")(
    another_form(
        image_resizing.resize_bilinear, "images, size, align_corners=False, name=None, half_pixel_centers=False"
    )
)
resize_bicubic: Any = export("compat.v1.image.resize_bicubic")(
    another_form(
        image_resizing.resize_bicubic, "images, size, align_corners=False, name=None, half_pixel_centers=False"
    )
)
resize_nearest_neighbor: Any = export("compat.v1.image.resize_nearest_neighbor")(
    another_form(
        image_resizing.resize_nearest_neighbor, "images, size, align_corners=False, name=None, half_pixel_centers=False"
    )
)
crop_and_resize: Any = export("compat.v1.image.crop_and_resize")(
    another_form(
        image_boxes.crop_and_resize,
        "image, boxes, box_ind=None, crop_size=None, method='bilinear', extrapolation_value=0, name=None, "
        "box_indices=None",
        box_ind="box_indices",
    )
)
boolean_mask: Any = export("compat.v1.boolean_mask")(
    another_form(gathering.boolean_mask, "tensor, mask, name='boolean_mask', axis=None")
)
verify_tensor_all_finite: Any = export("compat.v1.verify_tensor_all_finite", "compat.v1.debugging.assert_all_finite")(
    another_form(
        check_numerics,
        "t=None, msg=None, name=None, x=None, message=None",
        "verify_tensor_all_finite",
        t="tensor",
        x="tensor",
        msg="message",
    )
)
argmax: Any = export("compat.v1.argmax", "compat.v1.math.argmax")(
    another_form(
        extremes.argmax, "input, axis=None, name=None, dimension=None, output_type=dtypes.int64", dimension="axis"
    )
)
argmin: Any = export("compat.v1.argmin", "compat.v1.math.argmin")(
    another_form(
        extremes.argmin, "input, axis=None, name=None, dimension=None, output_type=dtypes.int64", dimension="axis"
    )
)
arg_max: Any = export("compat.v1.arg_max")(
    another_form(extremes.argmax, "input, dimension, output_type=dtypes.int64, name=None", "arg_max", dimension="axis")
)
arg_min: Any = export("compat.v1.arg_min")(
    another_form(extremes.argmin, "input, dimension, output_type=dtypes.int64, name=None", "arg_min", dimension="axis")
)
count_nonzero: Any = export("compat.v1.count_nonzero", "compat.v1.math.count_nonzero")(
    another_form(
        reductions.count_nonzero,
        "input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None, reduction_indices=None, "
        "keep_dims=None, input=None",
        input_tensor="input",
        reduction_indices="axis",
        keep_dims="keepdims",
    )
)
confusion_matrix: Any = export("compat.v1.confusion_matrix", "compat.v1.math.confusion_matrix")(
    another_form(
        counting.confusion_matrix, "labels, predictions, num_classes=None, dtype=dtypes.int32, name=None, weights=None"
    )
)
moments: Any = export("compat.v1.nn.moments")(
    another_form(nn.moments, "x, axes, shift=None, name=None, keep_dims=None, keepdims=None", keep_dims="keepdims")
)
in_top_k: Any = export("compat.v1.nn.in_top_k", "compat.v1.math.in_top_k")(
    another_form(nn.in_top_k, "predictions, targets, k, name=None")
)
embedding_lookup: Any = export("compat.v1.nn.embedding_lookup")(
    another_form(
        embeddings.sharded_lookup,
        "params, ids, partition_strategy='mod', name=None, validate_indices=True, max_norm=None",
        "embedding_lookup",
        validate_indices=None,
    )
)
weighted_cross_entropy_with_logits: Any = export("compat.v1.nn.weighted_cross_entropy_with_logits")(
    another_form(
        losses.weighted_cross_entropy_with_logits,
        "labels=None, logits=None, pos_weight=None, name=None, targets=None",
        targets="labels",
    )
)

# ---------------------------------------------------------------- with a meaning of their own


@export("compat.v1.constant")
def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A tensor with a fixed value, which is copied. In a graph the last number fills what `shape` has more of.

    Args:
      value: a number, string, nested list, array or eager tensor.
      dtype: the type; None takes the default for the value.
      shape: if given, the result's shape.
      name: the node's name in a graph.
      verify_shape: require `value` to have exactly `shape`.

    Returns:
      A tensor.
    """
    if shape is not None and not verify_shape and context.current().graph is not None:
        numbers = constant_eager(value, None if dtype is None else dtypes.as_dtype(dtype))._value.reshape(-1)
        missing = int(np.prod(shape, dtype=np.int64)) - numbers.size
        if missing < 0:
            raise ValueError(
                f"Too many elements provided. Needed at most {numbers.size + missing}, but received {numbers.size}"
            )
        if numbers.size and missing > 0:
            value = np.concatenate([numbers, np.repeat(numbers[-1:], missing)]).reshape(shape)
    return array.constant(value, dtype, shape, name, verify_shape)


@export("compat.v1.expand_dims")
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The tensor with a dimension of size 1 inserted at `axis` (also called `dim`)."""
    at = axis if axis is not None else dim
    if at is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return array.expand_dims(input, at, name=name)


@export("compat.v1.where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`x` where `condition` holds, else `y`, by the 1.x rules: no broadcasting, but a vector chooses whole rows.

    Args:
      condition: a bool tensor of the shape of `x`, a vector as long as `x` has rows, or a scalar.
      x, y: tensors of one shape; without both, the result is the indices of the true elements.
      name: the node's name.

    Raises:
      ValueError: if the shapes of `x` and `y` differ.
      InvalidArgumentError: if that of `condition` does not fit.
    """
    if x is None or y is None:
        return array.where(condition, x, y, name=name)
    if any(map(answers, (condition, x, y))):
        return _where_of_rows(condition, x, y, name)
    kind = dtypes.bool_ if isinstance(condition, np.ndarray) else None
    condition, x = convert_to_tensor(condition, kind), convert_to_tensor(x)
    y = convert_to_tensor(y, x.dtype) if not hasattr(y, "dtype") else convert_to_tensor(y)
    if not x.shape.is_compatible_with(y.shape):
        raise ValueError(f"x and y must have one shape, got {x.shape} and {y.shape}")
    shape = x.shape.merge_with(y.shape)
    if not (x.shape.is_fully_defined() and y.shape.is_fully_defined()):
        fits = assert_equal_v1(array.shape(x), array.shape(y), message="'then' and 'else' must have the same size")
        with control_dependencies([] if fits is None else [fits]):
            x = array.identity(x)
    if not (x.shape.is_fully_defined() and condition.shape.is_fully_defined()):
        begins = array.shape(x)[: array.rank(condition)]
        fits = assert_equal_v1(
            array.shape(condition), begins, message="Inputs to Select must have the same size and shape"
        )
        with control_dependencies([] if fits is None else [fits]):
            condition = array.identity(condition)
    rank, rows = x.shape.rank, condition.shape.rank
    if rank is None or rows is None:
        ones = array.fill(array.reshape(math.subtract(array.rank(x), array.rank(condition)), [1]), 1)
        condition = array.reshape(condition, joining.concat([array.shape(condition), ones], 0))
    elif rows == 1 and rank > 1:
        if not condition.shape.is_compatible_with(x.shape[:1]):
            raise refusal(f"the condition has {condition.shape[0]} entries for {x.shape[0]} rows")
        condition = array.reshape(condition, [-1] + [1] * (rank - 1))
    elif rows != 0 and not condition.shape.is_compatible_with(x.shape):
        raise refusal(
            f"the condition must be a scalar, a vector, or shaped as x: got {condition.shape} for {x.shape}; "
            "tf.where of 2.x broadcasts"
        )
    chosen = array.where(condition, x, y, name=name)
    chosen.set_shape(shape)
    return chosen


def _where_of_rows(condition: Any, x: Any, y: Any, name: str | None) -> Any:
    """`where` of composites: of three ragged tensors elementwise, else whole rows by a vector."""
    ragged = [hasattr(v, "with_flat_values") for v in (condition, x, y)]
    if all(ragged) or not any(ragged):
        return array.where(condition, x, y, name=name)
    if ragged[0]:
        raise ValueError("Input shapes do not match.")
    condition = convert_to_tensor(condition)
    if condition.shape.rank not in (1, None):
        raise ValueError(f"Shape {condition.shape} must have rank 1")
    first, second = (v.nrows() if hasattr(v, "nrows") else math.cast(array.shape(v)[0], dtypes.int64) for v in (x, y))
    rows = where(condition, ranges.range_(first), math.add(first, ranges.range_(second)))
    return gathering.gather(joining.concat([x, y], 0), rows, name=name)


def _converter(called: str, dtype: Any, node: str) -> Any:
    def convert(x: Any, name: str = node) -> Tensor:
        return math.cast(x, dtype, name=name)

    convert.__name__ = convert.__qualname__ = called
    convert.__doc__ = f"`x` as {dtype.name}; the 1.x spelling of `tf.cast(x, tf.{dtype.name})`."
    return convert


to_float: Any = export("to_float")(_converter("to_float", dtypes.float32, "ToFloat"))
to_double: Any = export("to_double")(_converter("to_double", dtypes.float64, "ToDouble"))
to_int32: Any = export("to_int32")(_converter("to_int32", dtypes.int32, "ToInt32"))
to_int64: Any = export("to_int64")(_converter("to_int64", dtypes.int64, "ToInt64"))
to_bfloat16: Any = export("to_bfloat16")(_converter("to_bfloat16", dtypes.bfloat16, "ToBFloat16"))
to_complex64: Any = export("to_complex64")(_converter("to_complex64", dtypes.complex64, "ToComplex64"))
to_complex128: Any = export("to_complex128")(_converter("to_complex128", dtypes.complex128, "ToComplex128"))


@export("compat.v1.batch_gather")
def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Slices of `params` along the last axis of `indices`, all axes before it matched up."""
    indices = operand(indices)
    rank = shapes.as_shape(indices.shape).rank
    if rank is None:
        raise ValueError("batch_gather does not allow indices with unknown shape.")
    return gathering.gather(params, indices, batch_dims=rank - 1, name=name)


@export("compat.v1.add_check_numerics_ops")
def add_check_numerics_ops() -> Operation | None:
    """An operation that refuses to run when a floating tensor of the default graph holds NaN or an infinity.

    Raises:
      RuntimeError: while executing eagerly.
    """
    if context.executing_eagerly():
        raise RuntimeError("add_check_numerics_ops() has no meaning in eager code: use check_numerics on tensors")
    checks: list[Any] = []
    for node in default_graph().get_operations():
        for output in node.outputs:
            if output.dtype.is_floating:
                with control.control_dependencies(checks[-1:]):
                    checks.append(check_numerics(output, message=output.name))
    return control.group(*checks)


def _named_only(function: Any) -> Any:
    """A loss whose labels and logits have no order, and must both be given."""

    @wraps(function)
    def loss(labels: Any = None, logits: Any = None, **more: Any) -> Any:
        missing = [n for n, value in (("labels", labels), ("logits", logits)) if value is None]
        if missing:
            raise ValueError(
                f"Both labels and logits must be provided to `{function.__name__}`; {' and '.join(missing)} missing."
            )
        return function(labels=labels, logits=logits, **more)

    return loss


@_named_only
def _softmax_cross_entropy(labels: Any, logits: Any, axis: int, name: str | None) -> Any:
    """The cross entropy of `labels` and `softmax(logits)`; no gradient flows to the labels.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      axis: the axis of the classes.
      name: the node's name.
    """
    return losses.softmax_cross_entropy_with_logits(array.stop_gradient(labels), logits, axis, name)


softmax_cross_entropy_with_logits: Any = export("compat.v1.nn.softmax_cross_entropy_with_logits")(
    another_form(
        _softmax_cross_entropy,
        "labels=None, logits=None, dim=-1, name=None, axis=None",
        "softmax_cross_entropy_with_logits",
        dim="axis",
    )
)
sparse_softmax_cross_entropy_with_logits: Any = export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")(
    another_form(
        _named_only(losses.sparse_softmax_cross_entropy_with_logits),
        "labels=None, logits=None, name=None",
    )
)
sigmoid_cross_entropy_with_logits: Any = export("compat.v1.nn.sigmoid_cross_entropy_with_logits")(
    another_form(_named_only(losses.sigmoid_cross_entropy_with_logits), "labels=None, logits=None, name=None")
)


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Tensor:
    """The cross entropy of `labels` and `softmax(logits)`; gradients flow to both.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      axis, dim: the axis of the classes; the last one if None.
      name: the node's name.
    """
    at = next((a for a in (axis, dim) if a is not None), -1)
    return losses.softmax_cross_entropy_with_logits(labels, logits, at, name)


@export("compat.v1.nn.dropout")
def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: Any = None, name: str | None = None, rate: Any = None
) -> Tensor:
    """Each element kept with probability `keep_prob` and divided by it, else 0.

    Args:
      x: floating numbers.
      keep_prob: the probability of keeping; give this or `rate`.
      noise_shape: the shape of the random choices, which are broadcast.
      seed: a number that makes the choices repeatable.
      name: the node's name.
      rate: the probability of dropping.

    Raises:
      ValueError: if neither or both probabilities are given, or it is a list.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("Exactly one of `keep_prob` and `rate` must be given to dropout.")
    if rate is None:
        if isinstance(keep_prob, (list, tuple)):
            raise ValueError(f"`keep_prob` must be a floating point number or a Tensor, got {keep_prob!r}")
        rate = 1 - keep_prob
    return nn.dropout(x, rate, noise_shape, seed, name)
