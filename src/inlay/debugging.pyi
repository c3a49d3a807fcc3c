"""`tf.debugging`: assertions, what the caches hold, and runs on the caller's thread so that stepping works."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import (
    assert_equal, assert_greater, assert_greater_equal, assert_less, assert_less_equal, assert_near, assert_negative,
    assert_non_negative, assert_non_positive, assert_none_equal, assert_positive, assert_rank, assert_rank_at_least,
    assert_rank_in, check_numerics
)
from inlay._src.base.interpreter.caches import caches
from inlay._src.base.interpreter.fallbacks import fallbacks
from inlay._src.base.traceback_filtering import (
    disable_traceback_filtering, enable_traceback_filtering, is_traceback_filtering_enabled
)
from inlay._src.engine.plan.placement import get_log_device_placement, set_log_device_placement
from inlay._src.engine.run.scheduling.work_stealing import run_inline
from inlay._src.inspection.replaying.calls import CallRecord, FunctionRecord
from inlay._src.inspection.replaying.differences import ReplayDifference
from inlay._src.inspection.replaying.recording import record
from inlay._src.inspection.replaying.replaying import replay
from inlay._src.ops.asserting import (
    assert_all_finite, assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_scalar, assert_type,
    is_numeric_tensor
)
from inlay._src.ops.printing import assert_ as Assert
from inlay._src.ops.shape_assertions import assert_shapes
__all__ = [
    "Assert", "CallRecord", "FunctionRecord", "ReplayDifference", "assert_all_finite", "assert_equal",
    "assert_greater", "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype",
    "assert_scalar", "assert_shapes", "assert_type", "caches", "check_numerics", "disable_traceback_filtering",
    "enable_traceback_filtering", "fallbacks", "get_log_device_placement", "is_numeric_tensor",
    "is_traceback_filtering_enabled", "record", "replay", "run_inline", "set_log_device_placement"
]
