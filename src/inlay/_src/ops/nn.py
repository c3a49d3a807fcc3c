"""Normalization, dropout, top k and embeddings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.ownership import reusable
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import REALS, DType
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core.eager.attributes import whole, wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, composite_of
from inlay._src.core.hints import InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, joining, linalg, math, powers, ranges, reductions, stacking
from inlay._src.ops.activations import relu
from inlay._src.ops.matmul import matmul
from inlay._src.ops.random import stateless_uniform, uniform
from inlay._src.ops.selection import greatest_places
from inlay._src.ops.shaping import axis_of, picked
from inlay._src.ops.sorting import put_along_axis

# ---------------------------------------------------------------- layers


def _bias_infer(s: Shapes) -> list[Dims]:
    value, bias = s.dims
    if bias is not None and len(bias) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(bias)}: the bias has shape {shapes.bracketed(bias)}")
    if value is None:
        return [None]
    if len(value) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(value)}")
    at = 1 if s.attrs["data_format"].startswith("NC") else len(value) - 1
    channel = shapes.merge(value[at : at + 1], bias)
    return [(*value[:at], *(channel or ()), *value[at + 1 :])]


def _bias_vjp(op, dy):
    bias = op.inputs[1]
    if op.attrs["data_format"].startswith("NC"):
        return dy, reductions.reduce_sum(dy, joining.concat([[0], ranges.range_(2, array.rank(dy))], 0))
    rows = dy if dy.shape.rank == 2 else array.reshape(dy, joining.concat([[-1], array.shape(bias)], 0))
    return dy, reductions.reduce_sum(rows, 0)


def _biased(xp: Any, value: Any, bias: Any, data_format: str, *into: Any) -> Any:
    first = data_format.startswith("NC")
    if value.ndim < 2:
        raise ValueError(f"Input tensor must be at least 2D: {shapes.bracketed(value.shape)}")
    if bias.ndim != 1 or value.shape[1 if first else -1] != bias.shape[0]:
        raise ValueError(
            f"Must provide as many biases as the channels of the input tensor: {shapes.bracketed(bias.shape)} vs. "
            f"{shapes.bracketed(value.shape)}"
        )
    return xp.add(value, xp.reshape(bias, (-1,) + (1,) * (value.ndim - 2)) if first else bias, *into)


def _add_bias_here(xp, value, bias, *, data_format="NHWC"):
    return _biased(np, value, bias, data_format, *([value] if reusable(value) else []))


def _bias_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel | None:
    """The source of the addition of a bias to a small array with channels last; a large one may take the result."""
    x, b = values
    test = f"{x}.size <= {TUNING.in_place_elements} and {x}.ndim > 1 and {x}.shape[-1:] == {b}.shape"
    return None if attrs.get("data_format", "").startswith("NC") else InlineKernel(test, f"{x} + {b}")


@op(
    "BiasAdd", "value:T, bias:T -> T", types=dtypes.NUMBERS, infer=_bias_infer, vjp=_bias_vjp,
    lower=LoweringHints(overwrites=_add_bias_here, expression=_bias_written, fresh=True),
)  # fmt: skip
def _bias_add(xp, value, bias, *, data_format="NHWC"):
    """`value` with `bias` added along the channels."""
    return _biased(xp, value, bias, data_format)


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Tensor:
    """`value + bias`, where `bias` lies along the channels.

    Args:
      value: a tensor with channels last, or second if `data_format` begins with "NC".
      bias: a vector with one number per channel.
      data_format: for instance "NHWC" or "NCHW".
      name: the node's name.
    """
    value = math.float_tensor(value)
    bias = convert_to_tensor(bias, value.dtype, name=f"{name or 'BiasAdd'}/bias")
    layout = "NHWC" if data_format is None else str(data_format)
    if not (layout.startswith("NC") or (layout.startswith("N") and layout.endswith("C"))):
        raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`, got {layout!r}")
    if layout.startswith("NC") and value.shape.rank is None:
        raise ValueError("bias_add with channels second needs a value of known rank")
    return _bias_add(value, bias, "NCHW" if layout.startswith("NC") else "NHWC", name=name)


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`matmul(x, weights) + biases`.

    Args:
      x: a matrix of floating numbers.
      weights: a matrix with one column per output.
      biases: a vector with one number per output.
      name: the node's name.
    """
    name = name or "xw_plus_b"
    return bias_add(matmul(x, weights, name=f"{name}/MatMul"), biases, name=name)


@export("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`relu(matmul(x, weights) + biases)`, with the arguments of `xw_plus_b`."""
    name = name or "relu_layer"
    return relu(xw_plus_b(x, weights, biases, f"{name}/xw_plus_b"), name=name)


@export("nn.dropout")
def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Tensor:
    """Each element 0 with probability `rate`, else divided by `1 - rate`.

    Args:
      x: floating numbers.
      rate: a probability below 1.
      noise_shape: the shape of the random choices, which are broadcast; a None in it is the size of `x` there.
      seed: a number that makes the choices repeatable.
      name: the node's name.

    Raises:
      ValueError: if `rate` is not in [0, 1).
    """
    return _dropped(x, rate, noise_shape, lambda shape, dtype: uniform(shape, dtype=dtype, seed=seed), name)


@export("nn.experimental.stateless_dropout")
def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = None, noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """As `dropout`: equal seeds make equal choices.

    Args:
      x: floating numbers.
      rate: a probability below 1.
      seed: two integers.
      rng_alg: "auto_select" (None too) or "philox".
      noise_shape: the shape of the random choices, which are broadcast; a None in it is the size of `x` there.
      name: the node's name.

    Raises:
      ValueError: if `rate` is not in [0, 1).
    """

    def draw(shape: Any, dtype: Any) -> Any:
        return stateless_uniform(shape, seed, dtype=dtype, alg="auto_select" if rng_alg is None else rng_alg)

    return _dropped(x, rate, noise_shape, draw, name)


@export("nn.experimental.general_dropout")
def general_dropout(
    x: Any, rate: Any, uniform_sampler: Callable[..., Any], noise_shape: Any = None, name: str | None = None
) -> Tensor:
    """As `dropout`, with random numbers of the caller's.

    Args:
      x: floating numbers.
      rate: a probability below 1.
      uniform_sampler: called with `shape` and `dtype` by name, it gives uniform numbers in [0, 1).
      noise_shape: the shape of the random choices, which are broadcast; a None in it is the size of `x` there.
      name: the node's name.

    Raises:
      ValueError: if `rate` is not in [0, 1).
    """
    return _dropped(x, rate, noise_shape, uniform_sampler, name)


def _dropped(x: Any, rate: Any, noise_shape: Any, draw: Callable[..., Any], name: str | None) -> Any:
    """`dropout` with the numbers that `draw(shape=, dtype=)` gives."""
    if answers(x):  # values are dropped, whatever rows they are in
        x = composite_of(x)
        if not hasattr(x, "with_flat_values"):
            convert_to_tensor(x)  # refuses it
        return x.with_flat_values(_dropped(x.flat_values, rate, noise_shape, draw, name))
    x = math.float_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor.")
    if isinstance(rate, (int, float)):
        if rate < 0 or rate >= 1:  # NaN is neither: everything is dropped
            raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate}")
        if rate == 0:
            return array.identity(x, name=name)
    rate = math.number_of(rate, x)
    if rate.shape.rank:
        raise ValueError(f"`rate` must be a scalar or scalar tensor, got shape {rate.shape}")
    keep = math.greater_equal(draw(shape=_noise_shape(x, noise_shape), dtype=x.dtype), rate)
    scaled = division.real_divide(x, math.subtract(powers.one_like(x), rate))
    dropped = array.where(keep, scaled, array.zeros_like(scaled), name=name)
    if dropped.shape.rank is None:
        dropped.set_shape(x.shape)
    return dropped


def _noise_shape(x: Any, noise_shape: Any) -> Any:
    """The shape of random choices for `x`."""
    if noise_shape is None:
        return array.shape(x)
    if not isinstance(noise_shape, (list, tuple, TensorShape)) or None not in noise_shape:
        return noise_shape
    sizes = array.shape(x)
    return stacking.stack([sizes[i] if size is None else size for i, size in enumerate(noise_shape)])


@export("nn.moments")
def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The mean and the variance over `axes`.

    Args:
      x: floating numbers.
      axes: a list of axes; a tensor only with `keepdims`.
      shift: accepted and ignored.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.

    Returns:
      `(mean, variance)`.

    Raises:
      TypeError: for a tensor of axes that do not stay.
    """
    if isinstance(axes, Tensor) and not keepdims:
        raise TypeError(f"Expected list for argument 'axes' of moments, not {axes!r}: pass a list, or keepdims=True")
    if isinstance(axes, (list, tuple)) and not keepdims:
        axes = wholes(axes, "axes")
    x = math.float_tensor(x)
    wide = math.cast(x, dtypes.float32) if x.dtype.size == 2 else x
    mean = reductions.reduce_mean(wide, axes, True)
    gap = powers.squared_difference(wide, array.stop_gradient(mean))
    variance = reductions.reduce_mean(gap, axes, keepdims)
    if not keepdims and answers(wide):
        mean = reductions.reduce_mean(wide, axes, False)
    elif not keepdims:
        mean = array.reshape(mean, array.shape(variance))
    return math.cast(mean, x.dtype, name=name), math.cast(variance, x.dtype)


# ---------------------------------------------------------------- choosing


def _top_k_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.value(1)
    if dims is None:
        return [None, None]
    if not dims:
        raise ValueError("input must have last dimension >= k, got a scalar")
    if k is not None and dims[-1] is not None:
        _check_columns(dims, int(k))
    out = (*dims[:-1], None if k is None else int(k))
    return [out, out]


def _check_columns(shape: Sequence[Any], count: int) -> None:
    if count < 0:
        raise ValueError(f"Need k >= 0, got {count}")
    if not shape or shape[-1] < count:
        raise ValueError(f"input must have at least k columns. Had {tuple(shape[-1:])}, needed {count}")


def _top_k_vjp(op, dvalues, dindices):
    x, places = op.inputs[0], math.cast(op.outputs[1], dtypes.int64)
    axis = op.attrs.get("reduction_dimension", -1)
    dx = array.zeros_like(x) if dvalues is None else put_along_axis(x, places, dvalues, axis=axis)
    return (dx, *(None for _ in op.inputs[1:]))


def _top_places(xp: Any, x: Any, count: int, least: bool = False) -> Any:
    """Where the greatest (or least) elements of the last axis stand; of equal ones the first comes first."""
    _check_columns(np.shape(x), count)
    if least:
        return xp.argsort(x, axis=-1, stable=True)[..., :count]
    if xp is np:
        return greatest_places(x, count)
    backwards = xp.argsort(xp.flip(x, -1), axis=-1, stable=True)
    return (np.shape(x)[-1] - 1 - xp.flip(backwards, -1))[..., :count]


@op(
    "TopKV2",
    "input:T, k:Tk -> T, index_type",
    types={"T": REALS, "Tk": frozenset({dtypes.int32, dtypes.int64, dtypes.int16})},
    static=("k",),
    ranks={"k": 0},
    infer=_top_k_infer,
    vjp=_top_k_vjp,
)
def _top_k(xp, input, k, *, sorted=True, index_type=dtypes.int32):
    """The greatest elements of the last axis, and where they stand."""
    count = k if k.__class__ is int else int(np.asarray(k))
    if xp is np and input.ndim and 0 <= count <= input.shape[-1]:
        places = greatest_places(input, count)
    else:
        places = _top_places(xp, input, count)
    values = input.take(places) if xp is np and input.ndim == 1 else picked(xp, input, places)
    return values, places.astype(index_type.np)


@export("math.top_k", "nn.top_k")
def top_k(
    input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None
) -> TopKV2:
    """The `k` greatest elements of the last axis and their indices; of equal ones the first comes first.

    Args:
      input: real numbers.
      k: number of elements.
      sorted: accepted; the result is always sorted.
      index_type: int32 or int64.
      name: the node's name.

    Returns:
      A pair with the fields `values` and `indices`.
    """
    return TopKV2(*_top_k(input, k, sorted, dtypes.as_dtype(index_type), name))


class TopKV2(NamedTuple):
    """The result of `top_k`.

    Attributes:
      values: the greatest elements.
      indices: where they stand.
    """

    values: Any
    indices: Any


class ApproxTopK(NamedTuple):
    """The result of `approx_max_k` and `approx_min_k`.

    Attributes:
      values: the elements found.
      indices: where they stand.
    """

    values: Any
    indices: Any


def _approx_infer(s: Shapes) -> list[Dims]:
    dims, k, target = s.dims[0], s.attrs["k"], s.attrs["recall_target"]
    if not 0 < target <= 1:
        raise ValueError(f"Invalid recall target: {target:g}. Valid value range in : [0, 1.0].")
    if dims is None:
        return [None, None]
    at = axis_of(s.attrs["reduction_dimension"], len(dims))
    if (dims[at] or k) < k:
        raise ValueError(f"input must have last dimension >= k = {k} but was {dims[at]}")
    out = (*dims[:at], k, *dims[at + 1 :])
    return [out, out]


@op(
    "ApproxTopK",
    "input:T -> T, int32",
    types=frozenset({dtypes.float16, dtypes.bfloat16, dtypes.float32}),
    infer=_approx_infer,
    attrs={"k": AtLeast(0)},
    vjp=_top_k_vjp,
)
def _approx_top_k(
    xp, input, *, k: int, reduction_dimension=-1, recall_target=0.95, is_max_k=True, reduction_input_size_override=-1
):
    """The greatest or least elements of an axis: all of them on the host, the most that were found fast under XLA."""
    axis = axis_of(reduction_dimension, np.ndim(input))
    if xp is not np:
        find = xla.lax().approx_max_k if is_max_k else xla.lax().approx_min_k
        return find(input, k, axis, recall_target, reduction_input_size_override)
    turned = np.moveaxis(input, axis, -1)
    places = _top_places(np, turned, k, not is_max_k)
    results = np.take_along_axis(turned, places, axis=-1), places.astype(np.int32)
    return tuple(np.moveaxis(x, -1, axis) for x in results)


def _approx(which: str, is_max: bool) -> Any:
    def find(
        operand: Any,
        k: int,
        reduction_dimension: int = -1,
        recall_target: float = 0.95,
        reduction_input_size_override: int = -1,
        aggregate_to_topk: bool = True,
        name: str | None = None,
    ) -> ApproxTopK:
        attrs = {
            "k": whole(k, "k"),
            "reduction_dimension": reduction_dimension,
            "recall_target": recall_target,
            "is_max_k": is_max,
            "reduction_input_size_override": reduction_input_size_override,
        }
        return ApproxTopK(*_approx_top_k(operand, name=name, **attrs))

    find.__name__ = find.__qualname__ = f"approx_{which}_k"
    find.__doc__ = f"""The `k` {"greatest" if is_max else "least"} elements of an axis and their indices, in order.

    All of them are found where NumPy computes; compiled for an accelerator that has a fast way, at least the share
    `recall_target` of them is, on average.

    Args:
      operand: float16, bfloat16 or float32.
      k: how many, a Python number.
      reduction_dimension: the axis.
      recall_target: the share of the true ones to be found, above 0, at most 1.
      reduction_input_size_override: the size for which `recall_target` is reckoned, where `operand` is a part of a
        greater one; its own if -1.
      aggregate_to_topk: accepted; the result always holds `k` elements.
      name: the node's name.

    Returns:
      `(values, indices)`, indices of int32.

    Raises:
      TypeError: if `k` is no number.
      ValueError: if the axis has less than `k` elements, or `recall_target` is no share.
    """
    return find


approx_max_k: Any = export("math.approx_max_k", "nn.approx_max_k")(_approx("max", True))
approx_min_k: Any = export("math.approx_min_k", "nn.approx_min_k")(_approx("min", False))


def _in_top_k_infer(s: Shapes) -> list[Dims]:
    predictions, targets = s.dims[:2]
    return [shapes.merge(targets or (None,), None if predictions is None else predictions[:1])]


@op(
    "InTopKV2",
    "predictions:float32, targets:Index, k:Index -> bool",
    static=("k",),
    ranks={"predictions": 2, "targets": 1, "k": 0},
    infer=_in_top_k_infer,
    vjp=no_gradient,
)
def _in_top_k(xp, predictions, targets, k):
    """Whether fewer than k predictions exceed the target's; not where one of them is not finite."""
    if np.ndim(predictions) != 2 or np.shape(targets) != np.shape(predictions)[:1]:
        raise ValueError(
            f"predictions must be [batch, classes] and targets [batch], got shapes {list(np.shape(predictions))} and "
            f"{list(np.shape(targets))}"
        )
    size = np.shape(predictions)[-1]
    if not size:
        return xp.zeros(np.shape(targets), bool)
    inside = xp.logical_and(targets >= 0, targets < size)
    chosen = xp.take_along_axis(predictions, xp.where(inside, targets, 0)[:, None], axis=-1)
    above = xp.sum(xp.greater(predictions, chosen), axis=-1, dtype=np.int64)
    finite = xp.logical_and(inside, xp.all(xp.isfinite(predictions), axis=-1))
    return xp.logical_and(finite, above < int(np.asarray(k)))


@export("math.in_top_k", "nn.in_top_k")
def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each target is among the `k` greatest predictions of its row.

    Args:
      targets: class numbers, [batch].
      predictions: float32, [batch, classes].
      k: number of predictions that count as the top.
      name: the node's name.
    """
    return _in_top_k(predictions, targets, k, name=name)


@export("math.zero_fraction", "nn.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of elements that are 0, as a float32."""
    value = math.float_tensor(value)
    zeros = math.cast(math.equal(value, array.zeros_like(value)), dtypes.float32)
    return reductions.reduce_mean(zeros, name=name)


l2_normalize: Any = linalg.l2_normalize
