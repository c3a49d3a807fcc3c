"""`tf.compat.v1.debugging`: assertions with the 1.x order of arguments."""

# ruff: noqa: F401
from inlay.debugging import *  # noqa: F403
from inlay.ops.asserting import assert_equal_v1 as assert_equal
from inlay.ops.asserting import assert_greater_equal_v1 as assert_greater_equal
from inlay.ops.asserting import assert_greater_v1 as assert_greater
from inlay.ops.asserting import assert_less_equal_v1 as assert_less_equal
from inlay.ops.asserting import assert_less_v1 as assert_less
from inlay.ops.asserting import assert_negative_v1 as assert_negative
from inlay.ops.asserting import assert_non_negative_v1 as assert_non_negative
from inlay.ops.asserting import assert_non_positive_v1 as assert_non_positive
from inlay.ops.asserting import assert_none_equal_v1 as assert_none_equal
from inlay.ops.asserting import assert_positive_v1 as assert_positive
