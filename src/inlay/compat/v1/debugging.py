"""`tf.compat.v1.debugging`: assertions with the 1.x order of arguments."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.debugging",
    {
        "ops.asserting":
        "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
        "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal "
        "assert_positive assert_rank assert_rank_at_least assert_rank_in assert_scalar assert_type",
        "ops.legacy": "assert_all_finite",
        "ops.math": "is_finite is_inf is_nan",
        "ops.reductions": "is_non_decreasing is_strictly_increasing",
    },
    continues="debugging",
)
