"""`tf.compat.v1.debugging`: assertions with the 1.x order of arguments."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import is_finite, is_inf, is_nan
from inlay._src.ops.asserting import (
    assert_integer_v1 as assert_integer, assert_near_v1 as assert_near, assert_scalar_v1 as assert_scalar,
    assert_type_v1 as assert_type
)
from inlay._src.ops.reductions import is_non_decreasing, is_strictly_increasing
from inlay.compat.v1 import (
    verify_tensor_all_finite as assert_all_finite, assert_equal, assert_greater, assert_greater_equal, assert_less,
    assert_less_equal, assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
    assert_rank, assert_rank_at_least, assert_rank_in
)
from inlay.debugging import (
    Assert, CallRecord, FunctionRecord, ReplayDifference, assert_proper_iterable, assert_same_float_dtype,
    assert_shapes, caches, check_numerics, disable_traceback_filtering, enable_traceback_filtering, fallbacks,
    get_log_device_placement, is_numeric_tensor, is_traceback_filtering_enabled, record, replay, run_inline,
    set_log_device_placement
)
__all__ = [
    "Assert", "CallRecord", "FunctionRecord", "ReplayDifference", "assert_all_finite", "assert_equal",
    "assert_greater", "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype",
    "assert_scalar", "assert_shapes", "assert_type", "caches", "check_numerics", "disable_traceback_filtering",
    "enable_traceback_filtering", "fallbacks", "get_log_device_placement", "is_finite", "is_inf", "is_nan",
    "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing", "is_traceback_filtering_enabled", "record",
    "replay", "run_inline", "set_log_device_placement"
]
