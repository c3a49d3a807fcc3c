"""`tf.math`: mathematics under its namespaced names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.activations import log_softmax, softmax, softsign
from inlay.ops.complex_numbers import abs, angle, complex, imag, real, sign
from inlay.ops.cumulative import cumprod, cumsum
from inlay.ops.division import (
    divide, divide_no_nan, floordiv, floormod, floormod as mod, multiply_no_nan, divide as truediv
)
from inlay.ops.extremes import argmax, argmin
from inlay.ops.linalg import l2_normalize
from inlay.ops.math import (
    accumulate_n, add, add_n, approximate_equal, ceil, conj, equal, floor, greater, greater_equal, is_finite, is_inf,
    is_nan, less, less_equal, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply, negative,
    nextafter, not_equal, rint, round, scalar_mul, subtract
)
from inlay.ops.nn import in_top_k, top_k, zero_fraction
from inlay.ops.powers import (
    exp, expm1, log, log1p, log_sigmoid, polyval, pow, reciprocal, rsqrt, sigmoid, softplus, sqrt, square,
    squared_difference, xdivy, xlog1py, xlogy
)
from inlay.ops.rearranging import invert_permutation
from inlay.ops.reductions import (
    count_nonzero, cumulative_logsumexp, is_non_decreasing, is_strictly_increasing, reduce_all, reduce_any,
    reduce_euclidean_norm, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_std, reduce_sum,
    reduce_variance
)
from inlay.ops.segments import (
    bincount, confusion_matrix, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n,
    unsorted_segment_sum
)
from inlay.ops.special import (
    bessel_i0, bessel_i0e, bessel_i1, bessel_i1e, betainc, digamma, erf, erfc, erfcinv, erfinv, igamma, igammac, lbeta,
    lgamma, ndtri, polygamma, zeta
)
from inlay.ops.trigonometry import acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, sin, sinh, tan, tanh
