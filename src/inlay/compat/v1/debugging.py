"""`tf.compat.v1.debugging`: assertions with the 1.x order of arguments."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.debugging import *
from inlay.ops.asserting import (
    assert_equal_v1 as assert_equal, assert_greater_v1 as assert_greater, assert_greater_equal_v1 as
    assert_greater_equal, assert_less_v1 as assert_less, assert_less_equal_v1 as assert_less_equal, assert_negative_v1
    as assert_negative, assert_non_negative_v1 as assert_non_negative, assert_non_positive_v1 as assert_non_positive,
    assert_none_equal_v1 as assert_none_equal, assert_positive_v1 as assert_positive
)
