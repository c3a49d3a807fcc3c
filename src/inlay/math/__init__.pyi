"""`tf.math`: mathematics under its namespaced names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay import (
    acos, acosh, add, approximate_equal, argmax, argmin, asin, asinh, atan, atan2, atanh, betainc, ceil, cos, cosh,
    cumprod, cumsum, digamma, equal, erf, erfc, exp, expm1, floor, floordiv, floormod, greater, greater_equal, igamma,
    igammac, is_finite, is_inf, is_nan, less, less_equal, lgamma, log, log1p, logical_and, logical_not, logical_or,
    maximum, minimum, floormod as mod, multiply, negative, not_equal, polygamma, pow, reciprocal, reduce_all,
    reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum, rint, rsqrt,
    segment_max, segment_mean, segment_min, segment_prod, segment_sum, sigmoid, sign, sin, sinh, sqrt, square,
    squared_difference, subtract, tan, tanh, unsorted_segment_max, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sum, zeta
)
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.activations import log_softmax, softmax
from inlay._src.ops.complex_numbers import abs, angle, complex, imag, real
from inlay._src.ops.counting import bincount, confusion_matrix
from inlay._src.ops.cumulative import cumulative_logsumexp
from inlay._src.ops.division import divide, divide_no_nan, reciprocal_no_nan, divide as truediv
from inlay._src.ops.linalg import l2_normalize
from inlay._src.ops.math import accumulate_n, add_n, conj, logical_xor, round, scalar_mul
from inlay._src.ops.nn import ApproxTopK as _ApproxTopK, in_top_k, top_k, zero_fraction
from inlay._src.ops.powers import log_sigmoid, polyval
from inlay._src.ops.reductions import (
    count_nonzero, is_non_decreasing, is_strictly_increasing, reduce_euclidean_norm, reduce_std, reduce_variance
)
from inlay._src.ops.segments import unsorted_segment_mean, unsorted_segment_sqrt_n
from inlay._src.ops.sobol import sobol_sample
from inlay._src.ops.special import bessel_i0, bessel_i1, erfcinv, lbeta
from inlay.math import special
from typing import Any as _Any
__all__ = [
    "abs", "accumulate_n", "acos", "acosh", "add", "add_n", "angle", "approx_max_k", "approx_min_k",
    "approximate_equal", "argmax", "argmin", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e",
    "bessel_i1", "bessel_i1e", "betainc", "bincount", "ceil", "complex", "confusion_matrix", "conj", "cos", "cosh",
    "count_nonzero", "cumprod", "cumsum", "cumulative_logsumexp", "digamma", "divide", "divide_no_nan", "equal", "erf",
    "erfc", "erfcinv", "erfinv", "exp", "expm1", "floor", "floordiv", "floormod", "greater", "greater_equal", "igamma",
    "igammac", "imag", "in_top_k", "invert_permutation", "is_finite", "is_inf", "is_nan", "is_non_decreasing",
    "is_strictly_increasing", "l2_normalize", "lbeta", "less", "less_equal", "lgamma", "log", "log1p", "log_sigmoid",
    "log_softmax", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply",
    "multiply_no_nan", "ndtri", "negative", "nextafter", "not_equal", "polygamma", "polyval", "pow", "real",
    "reciprocal", "reciprocal_no_nan", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "rint",
    "round", "rsqrt", "scalar_mul", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "sigmoid", "sign", "sin", "sinh", "sobol_sample", "softmax", "softplus", "softsign", "special", "sqrt", "square",
    "squared_difference", "subtract", "tan", "tanh", "top_k", "truediv", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum", "xdivy", "xlog1py", "xlogy", "zero_fraction", "zeta"
]
def approx_max_k(operand: _Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, reduction_input_size_override: int = -1, aggregate_to_topk: builtins.bool = True, name: str | None = None) -> _ApproxTopK:
    """The `k` greatest elements of an axis and their indices, in order.

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
      ValueError: if the axis has less than `k` elements, or `recall_target` is no share."""
def approx_min_k(operand: _Any, k: int, reduction_dimension: int = -1, recall_target: float = 0.95, reduction_input_size_override: int = -1, aggregate_to_topk: builtins.bool = True, name: str | None = None) -> _ApproxTopK:
    """The `k` least elements of an axis and their indices, in order.

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
      ValueError: if the axis has less than `k` elements, or `recall_target` is no share."""
def bessel_i0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of order 0 times `exp(-|x|)`, elementwise."""
def bessel_i1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of order 1 times `exp(-|x|)`, elementwise."""
def erfinv(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The number whose error function is `x`, elementwise."""
def invert_permutation(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of a permutation of 0..n-1."""
def multiply_no_nan(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x * y` elementwise, and 0 where `y` is 0 even if `x` is infinite or NaN."""
def ndtri(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The quantile of the standard normal distribution, elementwise."""
def nextafter(x1: _TensorLike, x2: _TensorLike, name: str | None = None) -> _Tensor:
    """The number next to `x1` in the direction of `x2`, elementwise."""
def softplus(features: _TensorLike, name: str | None = None) -> _Tensor:
    """`log(1 + exp(x))` elementwise."""
def softsign(features: _TensorLike, name: str | None = None) -> _Tensor:
    """`x / (1 + |x|)` elementwise."""
def xdivy(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x / y` elementwise, and 0 where `x` is 0."""
def xlog1py(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x * log(1 + y)` elementwise, and 0 where `x` is 0."""
def xlogy(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x * log(y)` elementwise, and 0 where `x` is 0."""
