"""Reductions over axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import explained
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import NUMBERS, REALS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import Truth, truth
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import Role, Shapes, as_first, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, division, math, powers, ranges
from inlay._src.ops.shaping import axes_of, broadcast_like, sum_over, wide


def all_axes(tensor: Any, *_: Any) -> Any:
    """Every axis of a tensor, for a caller who named none."""
    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank is not None:
        return np.arange(tensor.shape.rank, dtype=np.int32)
    return ranges.range_(0, array.rank(tensor))


def _are_all_axes(axis: Any, tensor: Any) -> bool:
    """Whether `axis` is what `all_axes` gives for a tensor of unknown rank."""
    node = getattr(axis, "op", None)
    limit = node.inputs[1].op if node is not None and node.opdef.role is Role.RANGE else None
    return limit is not None and limit.type == "Rank" and limit.inputs[0] is tensor


def reduced(s: Shapes) -> list[Dims]:
    """The shape of a reduction."""
    keep = s.attrs["keepdims"]
    if s.inputs[1] is None and (s.dims[0] is not None or not keep):  # a kernel that is told no axes takes all
        return [tuple(1 for _ in s.dims[0] or ()) if keep else ()]
    dims, axis = s.dims[0], s.value(1)
    if len(s.dims[1] or ()) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(s.dims[1] or ())}: the axes of a reduction")
    if dims is None:
        return [() if not keep and _are_all_axes(s.inputs[1], s.inputs[0]) else None]
    if axis is None:
        return [(None,) * len(dims) if keep else None]
    drop = axes_of(axis, len(dims)) or ()
    return [tuple(1 if i in drop else d for i, d in enumerate(dims) if keep or i not in drop)]


REDUCTION: Any = {"static": {"axis": all_axes}, "infer": reduced, "lower": LoweringHints(fuses=True)}


@op(
    "KeptShape",
    "x:T, axis:Index -> int32",
    static={"axis": all_axes},
    infer=lambda s: [(None if s.dims[0] is None else len(s.dims[0]),)],
    lower=LoweringHints(shape_only=True),
)
def kept_shape(xp, x, axis):
    """The shape a reduction of `x` over `axis` would have with its axes kept."""
    shape = list(np.shape(x))
    for a in axes_of(axis, len(shape)) if axis is not None else range(len(shape)):
        shape[a] = 1
    return np.asarray(shape, np.int32)


def restored(dy: Any, op: Any) -> Any:
    """A reduction's output gradient with the reduced axes back as size 1."""
    return dy if op.attrs["keepdims"] else array.reshape(dy, kept_shape(op.inputs[0], op.inputs[1]))


def _axis(axis: Any, reduction_indices: Any) -> Any:
    """The axes, under their present or their 1.x name."""
    if axis is not None and reduction_indices is not None:
        raise ValueError("Cannot specify both 'axis' and 'reduction_indices'.")
    return reduction_indices if axis is None else axis


def _accumulated(xp: Any, function: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """A sum or product in the type of `x`; 16-bit floats are wider on the way.

    NumPy's `sum` reduces by the ufunc, too, and takes as long again to come to it.
    """
    inner = wide(x)
    axes = axes_of(axis, x.ndim)
    if function is np.add:
        total = sum_over(xp, inner, axes, keepdims)
    else:
        reduce = function.reduce if xp is np else xp.prod
        total = reduce(inner, axis=axes, keepdims=keepdims, dtype=inner.dtype)
    return total if inner is x else total.astype(x.dtype)


def _sum_vjp(op, dy):
    return broadcast_like(restored(dy, op), op.inputs[0]), None


@op(
    "Sum", "input:T, axis:Index -> T", types=NUMBERS, vjp=_sum_vjp,
    **{**REDUCTION, "lower": LoweringHints(fuses=True, linear=True)},
)  # fmt: skip
def sum_op(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """The sum over axes."""
    return _accumulated(xp, np.add, input_tensor, axis, keepdims)


def _group_size(op: Any) -> Any:
    """The number of elements reduced into each output element, in the type of the input."""
    x = op.inputs[0]
    return math.cast(division.floordiv(array.size(x), math.maximum(array.size(op.outputs[0]), 1)), x.dtype)


def _mean_vjp(op, dy):
    return broadcast_like(restored(division.real_divide(dy, _group_size(op)), op), op.inputs[0]), None


@op("Mean", "input:T, axis:Index -> T", types=NUMBERS, vjp=_mean_vjp, **REDUCTION)
def _mean(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """The mean over axes; integers are divided as integers."""
    axes, dtype = axes_of(axis, input_tensor.ndim), input_tensor.dtype
    if dtype.kind in "iu":
        widest = np.int64 if dtype.kind == "i" else np.uint64  # their sum may not fit their type, their mean does
        total = sum_over(xp, input_tensor.astype(widest), axes, keepdims)
        count = xp.asarray(max(input_tensor.size // max(total.size, 1), 1), widest)
        quotient = xp.abs(total) // count if dtype.kind == "i" else total // count
        return (quotient * xp.sign(total)).astype(dtype)
    x = wide(input_tensor)
    total = sum_over(xp, x, axes, keepdims)
    count = x.size // total.size if total.size else 1
    if not count and dtype.kind == "c":
        count = 1  # TensorFlow's mean of no complex numbers is 0, that of no real ones NaN
    mean = total / x.dtype.type(count)  # NumPy divides two numbers sooner so than by its ufunc
    return mean if x is input_tensor else mean.astype(dtype)


def _prod_vjp(op, dy):
    x, axis = op.inputs
    # The axes are named: the derived gradient of the other factors is a node, which takes no None.
    others = math.conjugate(_other_factors(x, all_axes(x) if axis is None else axis))
    return math.multiply(broadcast_like(restored(dy, op), x), others), None


@op(
    "OtherFactors",
    "x:T, axis:Index -> T",
    types=NUMBERS,
    static={"axis": all_axes},
    infer=as_first,
)
def _other_factors(xp, x, axis):
    """For each element the product of the others over the axes, which is right also where elements are 0."""
    axes = axes_of(axis, np.ndim(x)) or ()
    last = range(np.ndim(x) - len(axes), np.ndim(x))
    moved = xp.moveaxis(wide(x), axes, last)
    count = int(np.prod([moved.shape[i] for i in last], dtype=np.int64))
    flat = xp.reshape(moved, (*moved.shape[: np.ndim(x) - len(axes)], count))
    ones = xp.ones_like(flat[..., :1])
    before = xp.cumprod(xp.concatenate([ones, flat[..., :-1]], -1), -1, dtype=flat.dtype)
    after = xp.cumprod(xp.concatenate([ones, xp.flip(flat[..., 1:], -1)], -1), -1, dtype=flat.dtype)
    others = xp.reshape(xp.multiply(before, xp.flip(after, -1)), moved.shape)
    return xp.moveaxis(others, last, axes).astype(x.dtype)


@op("Prod", "input:T, axis:Index -> T", types=NUMBERS, vjp=_prod_vjp, **REDUCTION)
def _prod(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """The product over axes."""
    return _accumulated(xp, np.multiply, input_tensor, axis, keepdims)


def _extreme_vjp(op, dy):
    """Elements that equal the extreme share its gradient."""
    x = op.inputs[0]
    chosen = math.cast(math.equal(x, broadcast_like(restored(op.outputs[0], op), x)), x.dtype)
    count = broadcast_like(restored(sum_op(chosen, op.inputs[1], op.attrs["keepdims"]), op), x)
    return math.multiply(division.real_divide(chosen, count), broadcast_like(restored(dy, op), x)), None


def _extreme(xp: Any, x: Any, axis: Any, keepdims: bool, least: bool) -> Any:
    function: Any = np.minimum if least else np.maximum
    reduction = xp.min if least else xp.max
    axes = axes_of(axis, x.ndim)
    if x.size:
        return (function.reduce if xp is np else reduction)(x, axis=axes, keepdims=keepdims)
    # Nothing to compare: the end of the type's range.
    shape, dtype = np.shape(xp.sum(x, axis=axes, keepdims=keepdims)), np.dtype(x.dtype)
    if dtype.kind in "iu":
        end: Any = np.iinfo(dtype).max if least else np.iinfo(dtype).min
    else:
        end = np.inf if least else -np.inf
    return xp.full(shape, end, dtype)


@op("Max", "input:T, axis:Index -> T", types=REALS, vjp=_extreme_vjp, **REDUCTION)
def max_op(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """The greatest element over axes."""
    return _extreme(xp, input_tensor, axis, keepdims, False)


@op("Min", "input:T, axis:Index -> T", types=REALS, vjp=_extreme_vjp, **REDUCTION)
def _min(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """The least element over axes."""
    return _extreme(xp, input_tensor, axis, keepdims, True)


@op("Any", "input:bool, axis:Index -> bool", vjp=no_gradient, **REDUCTION)
def _any(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """Whether any element holds, over axes."""
    reduction = np.logical_or.reduce if xp is np else xp.any
    return reduction(input_tensor, axis=axes_of(axis, input_tensor.ndim), keepdims=keepdims)


@op("All", "input:bool, axis:Index -> bool", vjp=no_gradient, **REDUCTION)
def _all(xp, input_tensor, axis=None, *, keepdims: Truth = False):
    """Whether every element holds, over axes."""
    reduction = np.logical_and.reduce if xp is np else xp.all
    return reduction(input_tensor, axis=axes_of(axis, input_tensor.ndim), keepdims=keepdims)


# ---------------------------------------------------------------- public reductions


def _logsumexp(input_tensor: Any, axis: Any, keepdims: bool, name: str | None) -> Any:
    rows = answers(input_tensor)  # of different lengths: they are not reshaped
    x = input_tensor if rows else math.float_tensor(input_tensor)
    top = max_op(x, axis, True)
    top = array.stop_gradient(array.where(math.is_finite(top), top, array.zeros_like(top)))
    if rows:
        summed = sum_op(powers.exp(math.subtract(x, top)), axis, keepdims)
        return math.add(powers.log(summed), top if keepdims else array.reshape(top, array.shape(summed)), name=name)
    total = math.add(powers.log(sum_op(powers.exp(math.subtract(x, top)), axis, True)), top)
    if keepdims:
        return array.identity(total, name=name)
    return array.reshape(total, array.shape(sum_op(x, axis)), name=name)


class ReductionFunction(Protocol):
    """A reduction with the present and the 1.x names of its arguments."""

    def __call__(
        self,
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Any: ...


def _reduction(label: str, reduced: Callable[..., Any], doc: str, takes: str) -> ReductionFunction:
    """The public form of `reduced(input_tensor, axis, keepdims, name=name)`."""

    @boundary
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: Any = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Tensor:
        try:
            if reduction_indices is not None:
                axis = _axis(axis, reduction_indices)
            keeps = keep_dims if keepdims is None else keepdims
            return reduced(input_tensor, axis, keeps is not None and truth(keeps, "keepdims"), name)
        except Exception as error:
            leave(error)
            raise

    reduce.__name__ = reduce.__qualname__ = f"reduce_{label}"
    reduce.__doc__ = (
        f"{doc}\n\nArgs:\n  input_tensor: {takes}.\n  axis: an axis or a list of them.\n"
        "  keepdims: whether reduced axes stay, with size 1.\n  name: the node's name.\n"
        "  reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."
    )
    return reduce


reduce_sum: ReductionFunction = export("reduce_sum", "math.reduce_sum")(
    _reduction("sum", sum_op, "The sum over `axis`, all axes if None; the result has the input's type.", "numbers")
)
reduce_mean: ReductionFunction = export("reduce_mean", "math.reduce_mean")(
    _reduction("mean", _mean, "The mean over `axis`, all axes if None; integers are divided as integers.", "numbers")
)
reduce_prod: ReductionFunction = export("reduce_prod", "math.reduce_prod")(
    _reduction("prod", _prod, "The product over `axis`, all axes if None; the result has the input's type.", "numbers")
)
_SHARED = "over `axis`, all axes if None; equal ones share the gradient."
reduce_max: ReductionFunction = export("reduce_max", "math.reduce_max")(
    _reduction("max", max_op, f"The greatest element {_SHARED}", "real numbers")
)
reduce_min: ReductionFunction = export("reduce_min", "math.reduce_min")(
    _reduction("min", _min, f"The least element {_SHARED}", "real numbers")
)
reduce_any: ReductionFunction = export("reduce_any", "math.reduce_any")(
    _reduction("any", _any, "Whether any element over `axis` (all axes if None) is True.", "booleans")
)
reduce_all: ReductionFunction = export("reduce_all", "math.reduce_all")(
    _reduction("all", _all, "Whether every element over `axis` (all axes if None) is True.", "booleans")
)
_LOGSUMEXP = "`log(sum(exp(x)))` over `axis`, all axes if None, without overflow."
reduce_logsumexp: ReductionFunction = export("reduce_logsumexp", "math.reduce_logsumexp")(
    _reduction("logsumexp", _logsumexp, _LOGSUMEXP, "floating numbers")
)


@export("math.reduce_variance")
@explained
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The variance over `axis`, all axes if None: the mean of `|x - mean|**2`, a real number.

    Args:
      input_tensor: floating or complex numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
    """
    if answers(input_tensor):  # means over rows of different lengths do not broadcast back to them
        squares, mean = (_mean(v, axis, keepdims) for v in (powers.square(input_tensor), input_tensor))
        return math.maximum(math.subtract(squares, powers.square(mean)), array.zeros((), squares.dtype), name=name)
    x = convert_to_tensor(input_tensor)
    if not x.dtype.is_trainable:
        raise TypeError(f"Input must be either real or complex. Received type {x.dtype.name}.")
    gap = math.subtract(x, _mean(x, axis, True))
    spread = complex_numbers.real(math.multiply(gap, math.conj(gap))) if x.dtype.is_complex else powers.square(gap)
    return _mean(spread, axis, keepdims, name=name)


@export("math.reduce_std")
@explained
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The standard deviation over `axis`, all axes if None.

    Args:
      input_tensor: floating or complex numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
    """
    return powers.sqrt(reduce_variance(input_tensor, axis, keepdims), name=name)


@export("math.reduce_euclidean_norm")
@explained
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of `|x|**2` over `axis`, all axes if None.

    Args:
      input_tensor: numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
    """
    x = convert_to_tensor(input_tensor)
    total = sum_op(math.multiply(x, math.conj(x)), axis, keepdims)
    if x.dtype.is_trainable:
        return powers.sqrt(total, name=name)
    return math.cast(powers.sqrt(math.cast(total, dtypes.float64)), x.dtype, name=name)


@export("count_nonzero", "math.count_nonzero")
@explained
def count_nonzero(
    input: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    *,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input_tensor: Any = None,
) -> Tensor:
    """The number of elements over `axis` (all axes if None) that are not zero (not empty, for strings).

    Args:
      input: any tensor.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      dtype: the type of the count.
      name: the node's name.
      reduction_indices, keep_dims, input_tensor: 1.x names of `axis`, `keepdims` and `input`.
    """
    x = convert_to_tensor(input_tensor if input is None else input)
    marks = x if x.dtype.is_bool else math.not_equal(x, array.zeros_like(x))
    counted = sum_op(
        math.cast(marks, dtypes.int64),
        _axis(axis, reduction_indices),
        truth(keep_dims if keepdims is None else keepdims, "keepdims"),
    )
    return math.cast(counted, dtype, name=name)


# ---------------------------------------------------------------- order


@export("math.is_non_decreasing", "compat.v1.debugging.is_non_decreasing", "compat.v1.is_non_decreasing")
@explained
def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether the elements of `x`, flattened, never fall: a boolean scalar."""
    flat = array.reshape(x, [-1])
    return _all(math.less_equal(flat[:-1], flat[1:]), name=name)


@export("math.is_strictly_increasing", "compat.v1.debugging.is_strictly_increasing", "compat.v1.is_strictly_increasing")
@explained
def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether the elements of `x`, flattened, always rise: a boolean scalar."""
    flat = array.reshape(x, [-1])
    return _all(math.less(flat[:-1], flat[1:]), name=name)
