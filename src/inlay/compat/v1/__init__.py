"""`tf.compat.v1`: the 1.x names."""

from inlay.face import *  # noqa: F403

# isort: split
# The 1.x forms come after the 2.x ones, whose names they take: `import a.b as b` loads the submodule even so.
import inlay.compat.v1.debugging as debugging
import inlay.compat.v1.image as image
import inlay.compat.v1.initializers as initializers
import inlay.compat.v1.nn as nn
import inlay.compat.v1.train as train
from inlay.compat.v1.signatures import *  # noqa: F403
from inlay.core.modes import executing_eagerly_outside_functions as executing_eagerly_outside_functions
from inlay.ops.array import where as where_v2
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
from inlay.ops.asserting import is_numeric_tensor as is_numeric_tensor
from inlay.ops.legacy import batch_gather as batch_gather
from inlay.ops.legacy import boolean_mask as boolean_mask
from inlay.ops.legacy import expand_dims as expand_dims
from inlay.ops.legacy import gather as gather
from inlay.ops.legacy import gather_nd as gather_nd
from inlay.ops.legacy import guarantee_const as guarantee_const
from inlay.ops.legacy import verify_tensor_all_finite as verify_tensor_all_finite
from inlay.ops.legacy import where as where
from inlay.ops.rearranging import depth_to_space as depth_to_space
from inlay.ops.rearranging import invert_permutation as invert_permutation
from inlay.ops.rearranging import reverse as reverse_v2
from inlay.ops.rearranging import space_to_depth as space_to_depth
from inlay.ops.scatter import tensor_scatter_nd_add as tensor_scatter_add
from inlay.ops.scatter import tensor_scatter_nd_sub as tensor_scatter_sub
from inlay.ops.scatter import tensor_scatter_nd_update as tensor_scatter_update
from inlay.ops.seeds import get_seed as get_seed
from inlay.ops.sequences import linspace as lin_space
from inlay.ops.strings import strip as string_strip
from inlay.variables.initializers import RandomNormalV1 as random_normal_initializer
from inlay.variables.initializers import RandomUniformV1 as random_uniform_initializer
