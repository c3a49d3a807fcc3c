"""The names that users see: re-exports, and nothing else. Add a public name here.

`inlay` itself loads this module when the first name is asked for.
"""

from inlay import autograph as autograph
from inlay import bitwise as bitwise
from inlay import compat as compat
from inlay import config as config
from inlay import contrib as contrib
from inlay import debugging as debugging
from inlay import dtypes as dtypes
from inlay import errors as errors
from inlay import image as image
from inlay import initializers as initializers
from inlay import io as io
from inlay import linalg as linalg
from inlay import logging as logging
from inlay import math as math
from inlay import nest as nest
from inlay import nn as nn
from inlay import ragged as ragged
from inlay import random as random
from inlay import sparse as sparse
from inlay import strings as strings
from inlay import test as test
from inlay import train as train
from inlay.autodiff.custom import custom_gradient as custom_gradient
from inlay.autodiff.graph_gradients import (
    UnconnectedGradients as UnconnectedGradients,
)
from inlay.autodiff.graph_gradients import (
    gradients as gradients,
)
from inlay.autodiff.graph_gradients import (
    not_differentiable as NotDifferentiable,
)
from inlay.autodiff.graph_gradients import (
    register_gradient as RegisterGradient,
)
from inlay.autodiff.passing import grad_pass_through as grad_pass_through
from inlay.autodiff.passing import hessians as hessians
from inlay.autodiff.passing import no_gradient as no_gradient
from inlay.autodiff.tape import GradientTape as GradientTape
from inlay.composite.indexed_slices import IndexedSlices as IndexedSlices
from inlay.composite.ragged import RaggedTensor as RaggedTensor
from inlay.composite.sparse import SparseTensor as SparseTensor
from inlay.composite.sparse import SparseTensorValue as SparseTensorValue
from inlay.composite.sparse import placeholder as sparse_placeholder
from inlay.composite.sparse import reorder as sparse_reorder
from inlay.composite.sparse import sparse_dense_matmul as sparse_tensor_dense_matmul
from inlay.composite.sparse import to_dense as sparse_tensor_to_dense
from inlay.composite.specs import IndexedSlicesSpec as IndexedSlicesSpec
from inlay.composite.specs import RaggedTensorSpec as RaggedTensorSpec
from inlay.composite.specs import SparseTensorSpec as SparseTensorSpec
from inlay.composite.specs import type_spec_from_value as type_spec_from_value
from inlay.composite.text import string_split as string_split
from inlay.control.branches import case as case
from inlay.control.branches import cond as cond
from inlay.control.branches import switch_case as switch_case
from inlay.control.loops import while_loop as while_loop
from inlay.control.maps import (
    foldl as foldl,
)
from inlay.control.maps import (
    foldr as foldr,
)
from inlay.control.maps import (
    map_fn as map_fn,
)
from inlay.control.maps import (
    scan as scan,
)
from inlay.control.maps import (
    vectorized_map as vectorized_map,
)
from inlay.control.tensor_array import TensorArray as TensorArray
from inlay.core.context import executing_eagerly as executing_eagerly
from inlay.core.emit import convert_to_tensor as convert_to_tensor
from inlay.core.graph import (
    Graph as Graph,
)
from inlay.core.graph import (
    Operation as Operation,
)
from inlay.core.graph import (
    default_graph as get_default_graph,
)
from inlay.core.graph import (
    reset_default_graph as reset_default_graph,
)
from inlay.core.modes import disable_eager_execution as disable_eager_execution
from inlay.core.modes import disable_eager_execution as disable_v2_behavior
from inlay.core.modes import enable_eager_execution as enable_eager_execution
from inlay.core.modes import enable_eager_execution as enable_v2_behavior
from inlay.core.modes import is_tensor as is_tensor
from inlay.core.scopes import device as device
from inlay.core.scopes import init_scope as init_scope
from inlay.core.scopes import name_scope as name_scope
from inlay.core.tensor import Tensor as Tensor
from inlay.dtypes import *  # noqa: F403
from inlay.functions.function import function as function
from inlay.hostcall.api import (
    numpy_function as numpy_function,
)
from inlay.hostcall.api import (
    py_func as py_func,
)
from inlay.hostcall.api import (
    py_function as py_function,
)
from inlay.module import Module as Module
from inlay.ops.array import bitcast as bitcast
from inlay.ops.array import broadcast_dynamic_shape as broadcast_dynamic_shape
from inlay.ops.array import broadcast_static_shape as broadcast_static_shape
from inlay.ops.array import broadcast_to as broadcast_to
from inlay.ops.array import (
    constant as constant,
)
from inlay.ops.array import (
    ensure_shape as ensure_shape,
)
from inlay.ops.array import (
    expand_dims as expand_dims,
)
from inlay.ops.array import (
    fill as fill,
)
from inlay.ops.array import (
    identity as identity,
)
from inlay.ops.array import identity_n as identity_n
from inlay.ops.array import linspace as linspace
from inlay.ops.array import one_hot as one_hot
from inlay.ops.array import (
    ones as ones,
)
from inlay.ops.array import (
    ones_like as ones_like,
)
from inlay.ops.array import (
    placeholder as placeholder,
)
from inlay.ops.array import (
    placeholder_with_default as placeholder_with_default,
)
from inlay.ops.array import (
    range_ as range,
)
from inlay.ops.array import (
    rank as rank,
)
from inlay.ops.array import (
    reshape as reshape,
)
from inlay.ops.array import sequence_mask as sequence_mask
from inlay.ops.array import (
    shape as shape,
)
from inlay.ops.array import shape_n as shape_n
from inlay.ops.array import (
    size as size,
)
from inlay.ops.array import (
    squeeze as squeeze,
)
from inlay.ops.array import (
    stack as stack,
)
from inlay.ops.array import (
    stop_gradient as stop_gradient,
)
from inlay.ops.array import (
    transpose as transpose,
)
from inlay.ops.array import (
    unstack as unstack,
)
from inlay.ops.array import (
    where as where,
)
from inlay.ops.array import (
    zeros as zeros,
)
from inlay.ops.array import (
    zeros_like as zeros_like,
)
from inlay.ops.asserting import assert_equal as assert_equal
from inlay.ops.asserting import assert_greater as assert_greater
from inlay.ops.asserting import assert_greater_equal as assert_greater_equal
from inlay.ops.asserting import assert_integer as assert_integer
from inlay.ops.asserting import assert_less as assert_less
from inlay.ops.asserting import assert_less_equal as assert_less_equal
from inlay.ops.asserting import assert_near as assert_near
from inlay.ops.asserting import assert_negative as assert_negative
from inlay.ops.asserting import assert_non_negative as assert_non_negative
from inlay.ops.asserting import assert_non_positive as assert_non_positive
from inlay.ops.asserting import assert_none_equal as assert_none_equal
from inlay.ops.asserting import assert_positive as assert_positive
from inlay.ops.asserting import assert_proper_iterable as assert_proper_iterable
from inlay.ops.asserting import assert_rank as assert_rank
from inlay.ops.asserting import assert_rank_at_least as assert_rank_at_least
from inlay.ops.asserting import assert_rank_in as assert_rank_in
from inlay.ops.asserting import assert_same_float_dtype as assert_same_float_dtype
from inlay.ops.asserting import assert_scalar as assert_scalar
from inlay.ops.asserting import assert_type as assert_type
from inlay.ops.asserting import check_numerics as check_numerics
from inlay.ops.control import (
    control_dependencies as control_dependencies,
)
from inlay.ops.control import (
    group as group,
)
from inlay.ops.control import (
    no_op as no_op,
)
from inlay.ops.control import (
    tuple_ as tuple,
)
from inlay.ops.gathering import boolean_mask as boolean_mask
from inlay.ops.gathering import gather as gather
from inlay.ops.gathering import gather_nd as gather_nd
from inlay.ops.joining import concat as concat
from inlay.ops.joining import meshgrid as meshgrid
from inlay.ops.joining import parallel_stack as parallel_stack
from inlay.ops.joining import repeat as repeat
from inlay.ops.joining import split as split
from inlay.ops.joining import tile as tile
from inlay.ops.legacy import to_bfloat16 as to_bfloat16
from inlay.ops.legacy import to_complex64 as to_complex64
from inlay.ops.legacy import to_complex128 as to_complex128
from inlay.ops.legacy import to_double as to_double
from inlay.ops.legacy import to_float as to_float
from inlay.ops.legacy import to_int32 as to_int32
from inlay.ops.legacy import to_int64 as to_int64
from inlay.ops.printing import assert_ as Assert
from inlay.ops.printing import print_v1 as Print
from inlay.ops.printing import print_v2 as print
from inlay.ops.random import multinomial as multinomial
from inlay.ops.random import normal as random_normal
from inlay.ops.random import random_crop as random_crop
from inlay.ops.random import set_seed as set_random_seed
from inlay.ops.random import shuffle as random_shuffle
from inlay.ops.random import truncated_normal as truncated_normal
from inlay.ops.random import uniform as random_uniform
from inlay.ops.rearranging import argsort as argsort
from inlay.ops.rearranging import pad as pad
from inlay.ops.rearranging import reverse as reverse
from inlay.ops.rearranging import reverse_sequence as reverse_sequence
from inlay.ops.rearranging import roll as roll
from inlay.ops.rearranging import searchsorted as searchsorted
from inlay.ops.rearranging import sort as sort
from inlay.ops.rearranging import unique as unique
from inlay.ops.rearranging import unique_with_counts as unique_with_counts
from inlay.ops.scatter import dynamic_partition as dynamic_partition
from inlay.ops.scatter import dynamic_stitch as dynamic_stitch
from inlay.ops.scatter import scatter_nd as scatter_nd
from inlay.ops.scatter import tensor_scatter_nd_add as tensor_scatter_nd_add
from inlay.ops.scatter import tensor_scatter_nd_max as tensor_scatter_nd_max
from inlay.ops.scatter import tensor_scatter_nd_min as tensor_scatter_nd_min
from inlay.ops.scatter import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from inlay.ops.scatter import tensor_scatter_nd_update as tensor_scatter_nd_update
from inlay.ops.slicing import slice_ as slice
from inlay.ops.slicing import strided_slice as strided_slice
from inlay.ops.strings import as_string as as_string
from inlay.ops.strings import decode_raw as decode_raw
from inlay.ops.strings import join as string_join
from inlay.ops.strings import reduce_join as reduce_join
from inlay.ops.strings import regex_replace as regex_replace
from inlay.ops.strings import substr as substr
from inlay.ops.strings import to_number as string_to_number
from inlay.ops.toplevel import *  # noqa: F403
from inlay.session import (
    ConfigProto as ConfigProto,
)
from inlay.session import (
    GPUOptions as GPUOptions,
)
from inlay.session import (
    GraphOptions as GraphOptions,
)
from inlay.session import (
    InteractiveSession as InteractiveSession,
)
from inlay.session import (
    OptimizerOptions as OptimizerOptions,
)
from inlay.session import (
    RunMetadata as RunMetadata,
)
from inlay.session import (
    RunOptions as RunOptions,
)
from inlay.session import (
    Session as Session,
)
from inlay.types.dtypes import DType as DType
from inlay.types.dtypes import as_dtype as as_dtype
from inlay.types.shapes import TensorShape as TensorShape
from inlay.types.specs import TensorSpec as TensorSpec
from inlay.types.specs import TypeSpec as TypeSpec
from inlay.variables.assigning import assign as assign
from inlay.variables.assigning import assign_add as assign_add
from inlay.variables.assigning import assign_sub as assign_sub
from inlay.variables.assigning import scatter_add as scatter_add
from inlay.variables.assigning import scatter_div as scatter_div
from inlay.variables.assigning import scatter_max as scatter_max
from inlay.variables.assigning import scatter_min as scatter_min
from inlay.variables.assigning import scatter_mul as scatter_mul
from inlay.variables.assigning import scatter_nd_add as scatter_nd_add
from inlay.variables.assigning import scatter_nd_sub as scatter_nd_sub
from inlay.variables.assigning import scatter_nd_update as scatter_nd_update
from inlay.variables.assigning import scatter_sub as scatter_sub
from inlay.variables.assigning import scatter_update as scatter_update
from inlay.variables.collections import GraphKeys as GraphKeys
from inlay.variables.collections import add_to_collection as add_to_collection
from inlay.variables.collections import add_to_collections as add_to_collections
from inlay.variables.collections import all_variables as all_variables
from inlay.variables.collections import assert_variables_initialized as assert_variables_initialized
from inlay.variables.collections import get_collection as get_collection
from inlay.variables.collections import get_collection_ref as get_collection_ref
from inlay.variables.collections import global_variables as global_variables
from inlay.variables.collections import global_variables_initializer as global_variables_initializer
from inlay.variables.collections import is_variable_initialized as is_variable_initialized
from inlay.variables.collections import local_variables as local_variables
from inlay.variables.collections import local_variables_initializer as local_variables_initializer
from inlay.variables.collections import model_variables as model_variables
from inlay.variables.collections import moving_average_variables as moving_average_variables
from inlay.variables.collections import report_uninitialized_variables as report_uninitialized_variables
from inlay.variables.collections import trainable_variables as trainable_variables
from inlay.variables.collections import variables_initializer as variables_initializer
from inlay.variables.initializers import Constant as constant_initializer
from inlay.variables.initializers import GlorotNormal as glorot_normal_initializer
from inlay.variables.initializers import GlorotUniform as glorot_uniform_initializer
from inlay.variables.initializers import Ones as ones_initializer
from inlay.variables.initializers import Orthogonal as orthogonal_initializer
from inlay.variables.initializers import RandomNormal as random_normal_initializer
from inlay.variables.initializers import RandomUniform as random_uniform_initializer
from inlay.variables.initializers import TruncatedNormalV1 as truncated_normal_initializer
from inlay.variables.initializers import UniformUnitScaling as uniform_unit_scaling_initializer
from inlay.variables.initializers import VarianceScaling as variance_scaling_initializer
from inlay.variables.initializers import Zeros as zeros_initializer
from inlay.variables.scope import AUTO_REUSE as AUTO_REUSE
from inlay.variables.scope import VariableScope as VariableScope
from inlay.variables.scope import get_local_variable as get_local_variable
from inlay.variables.scope import get_variable as get_variable
from inlay.variables.scope import get_variable_scope as get_variable_scope
from inlay.variables.scope import variable_op_scope as variable_op_scope
from inlay.variables.scope import variable_scope as variable_scope
from inlay.variables.variable import Variable as Variable
from inlay.variables.variable import VariableAggregation as VariableAggregation
from inlay.variables.variable import VariableSynchronization as VariableSynchronization

newaxis = None
