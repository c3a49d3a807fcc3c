"""`tf.math`: mathematics under its namespaced names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "math",
    {
        "ops.activations": "log_softmax softmax softsign",
        "ops.complex_numbers": "abs angle complex imag real sign",
        "ops.counting": "bincount confusion_matrix",
        "ops.cumulative": "cumprod cumsum cumulative_logsumexp",
        "ops.division": "divide divide_no_nan floordiv floormod mod multiply_no_nan reciprocal_no_nan truediv",
        "ops.extremes": "argmax argmin",
        "ops.linalg": "l2_normalize",
        "ops.math":
        "accumulate_n add add_n approximate_equal ceil conj equal floor greater greater_equal is_finite "
        "is_inf is_nan less less_equal logical_and logical_not logical_or logical_xor maximum minimum "
        "multiply negative nextafter not_equal rint round scalar_mul subtract",
        "ops.nn": "approx_max_k approx_min_k in_top_k top_k zero_fraction",
        "ops.powers":
        "exp expm1 log log1p log_sigmoid polyval pow reciprocal rsqrt sigmoid softplus sqrt square "
        "squared_difference xdivy xlog1py xlogy",
        "ops.rearranging": "invert_permutation",
        "ops.reductions":
        "count_nonzero is_non_decreasing is_strictly_increasing reduce_all reduce_any reduce_euclidean_norm "
        "reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance",
        "ops.segments":
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
        "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
        "unsorted_segment_sum",
        "ops.sobol": "sobol_sample",
        "ops.special":
        "bessel_i0 bessel_i0e bessel_i1 bessel_i1e betainc digamma erf erfc erfcinv erfinv igamma igammac "
        "lbeta lgamma ndtri polygamma zeta",
        "ops.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
    },
    below=("special",),
)
