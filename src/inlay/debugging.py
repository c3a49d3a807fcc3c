"""`tf.debugging`: assertions, what the caches hold, and runs on the caller's thread so that stepping works."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "debugging",
    {
        "base.interpreter.caches": "caches",
        "base.interpreter.fallbacks": "fallbacks",
        "base.traceback_filtering":
        "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled",
        "engine.plan.placement": "get_log_device_placement set_log_device_placement",
        "engine.run.scheduling.work_stealing": "run_inline",
        "inspection.replaying.calls": "CallRecord FunctionRecord",
        "inspection.replaying.differences": "ReplayDifference",
        "inspection.replaying.recording": "record",
        "inspection.replaying.replaying": "replay",
        "ops.asserting":
        "assert_all_finite assert_equal assert_greater assert_greater_equal assert_integer assert_less "
        "assert_less_equal assert_near assert_negative assert_non_negative assert_non_positive "
        "assert_none_equal assert_positive assert_proper_iterable assert_rank assert_rank_at_least "
        "assert_rank_in assert_same_float_dtype assert_scalar assert_type check_numerics is_numeric_tensor",
        "ops.printing": "Assert",
        "ops.shape_assertions": "assert_shapes",
    },
    absent={
        "disable_check_numerics": "tf.debugging.check_numerics checks a tensor",
        "enable_check_numerics": "tf.debugging.check_numerics checks a tensor",
        "experimental": "tf.print shows values, debugging.run_inline lets a debugger step through functions",
    },
)
