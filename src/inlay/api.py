"""Every name at the top of `inlay`, which loads this module when the first one is asked for."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.autodiff.custom_gradient import custom_gradient, grad_pass_through
from inlay.autodiff.gradient_tape import GradientTape
from inlay.autodiff.graph_gradients import UnconnectedGradients, gradients, hessians
from inlay.autodiff.rules import (
    not_differentiable as NotDifferentiable, register_gradient as RegisterGradient, no_gradient
)
from inlay.composite.indexed_slices import IndexedSlices
from inlay.composite.ragged import RaggedTensor
from inlay.composite.sparse import (
    SparseTensor, SparseTensorValue, placeholder as sparse_placeholder, reorder as sparse_reorder, sparse_dense_matmul
    as sparse_tensor_dense_matmul, to_dense as sparse_tensor_to_dense
)
from inlay.composite.specs import IndexedSlicesSpec, RaggedTensorSpec, SparseTensorSpec, type_spec_from_value
from inlay.composite.text import string_split
from inlay.control.branches import case, cond, switch_case
from inlay.control.loops import while_loop
from inlay.control.maps import foldl, foldr, map_fn, scan, vectorized_map
from inlay.control.tensor_array import TensorArray
from inlay.core.context import executing_eagerly
from inlay.core.graph import (
    Graph, disable_eager_execution, disable_eager_execution as disable_v2_behavior, enable_eager_execution,
    enable_eager_execution as enable_v2_behavior, default_graph as get_default_graph, reset_default_graph
)
from inlay.core.operation import Operation
from inlay.core.scopes import device, init_scope, name_scope
from inlay.core.tensor import Tensor, is_tensor
from inlay.eager.convert import convert_to_tensor
from inlay.functions.function import function
from inlay.host.api import numpy_function, py_func, py_function
from inlay.module import Module
from inlay.ops.array import (
    constant, ensure_shape, expand_dims, fill, identity, identity_n, ones, ones_like, placeholder,
    placeholder_with_default, rank, reshape, shape, shape_n, size, squeeze, stop_gradient, where, zeros, zeros_like
)
from inlay.ops.asserting import (
    assert_equal, assert_greater, assert_greater_equal, assert_integer, assert_less, assert_less_equal, assert_near,
    assert_negative, assert_non_negative, assert_non_positive, assert_none_equal, assert_positive,
    assert_proper_iterable, assert_rank, assert_rank_at_least, assert_rank_in, assert_same_float_dtype, assert_scalar,
    assert_type, check_numerics
)
from inlay.ops.bits import bitcast
from inlay.ops.broadcasting import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to
from inlay.ops.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from inlay.ops.complex_numbers import abs, angle, complex, imag, real, sign
from inlay.ops.control import control_dependencies, group, no_op, tuple_ as tuple
from inlay.ops.cumulative import cumprod, cumsum
from inlay.ops.diagonals import (
    tensor_diag as diag, tensor_diag_part as diag_part, eye, band_part as matrix_band_part, diag as matrix_diag,
    diag_part as matrix_diag_part, set_diag as matrix_set_diag, trace
)
from inlay.ops.division import (
    div, divide, divide_no_nan, floordiv as floor_div, floordiv, floormod, floormod as mod, real_divide as realdiv,
    divide as truediv, truncatediv, truncatemod
)
from inlay.ops.einsum import cross, einsum, tensordot
from inlay.ops.extremes import argmax as arg_max, argmin as arg_min, argmax, argmin
from inlay.ops.gathering import boolean_mask, gather, gather_nd
from inlay.ops.indexing import newaxis, strided_slice
from inlay.ops.joining import concat, parallel_stack, split, stack, unstack
from inlay.ops.legacy import to_bfloat16, to_complex128, to_complex64, to_double, to_float, to_int32, to_int64
from inlay.ops.linalg import (
    cholesky, cholesky_solve, det as matrix_determinant, inv as matrix_inverse, solve as matrix_solve, lstsq as
    matrix_solve_ls, triangular_solve as matrix_triangular_solve, norm, qr, eigh as self_adjoint_eig, eigvalsh as
    self_adjoint_eigvals, slogdet, svd
)
from inlay.ops.math import (
    accumulate_n, add, add_n, approximate_equal, cast, ceil, conj, equal, floor, greater, greater_equal, is_finite,
    is_inf, is_nan, less, less_equal, logical_and, logical_not, logical_or, logical_xor, maximum, minimum, multiply,
    negative, not_equal, rint, round, saturate_cast, scalar_mul, subtract
)
from inlay.ops.matmul import matmul, matrix_transpose
from inlay.ops.powers import (
    exp, expm1, log, log1p, log_sigmoid, polyval, pow, reciprocal, rsqrt, sigmoid, sqrt, square, squared_difference
)
from inlay.ops.printing import assert_ as Assert, print_v1 as Print, print_v2 as print
from inlay.ops.random import (
    multinomial, random_crop, normal as random_normal, shuffle as random_shuffle, uniform as random_uniform,
    truncated_normal
)
from inlay.ops.ranges import range_ as range
from inlay.ops.rearranging import reverse, reverse_sequence, roll, transpose
from inlay.ops.reductions import (
    count_nonzero, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min, reduce_prod,
    reduce_sum
)
from inlay.ops.scatter import (
    dynamic_partition, dynamic_stitch, scatter_nd, tensor_scatter_nd_add, tensor_scatter_nd_max, tensor_scatter_nd_min,
    tensor_scatter_nd_sub, tensor_scatter_nd_update
)
from inlay.ops.seeds import set_seed as set_random_seed
from inlay.ops.segments import (
    bincount, confusion_matrix, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n,
    unsorted_segment_sum
)
from inlay.ops.sequences import linspace, one_hot, sequence_mask
from inlay.ops.signal import fft, ifft
from inlay.ops.slicing import pad, slice_ as slice
from inlay.ops.sorting import argsort, searchsorted, sort, unique, unique_with_counts
from inlay.ops.special import betainc, digamma, erf, erfc, igamma, igammac, lbeta, lgamma, polygamma, zeta
from inlay.ops.strings import (
    as_string, decode_raw, reduce_join, regex_replace, join as string_join, to_number as string_to_number, substr
)
from inlay.ops.tiling import meshgrid, repeat, tile
from inlay.ops.trigonometry import acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, sin, sinh, tan, tanh
from inlay.session.options import ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunMetadata, RunOptions
from inlay.session.session import InteractiveSession, Session
from inlay.types.dtypes import (
    DType, as_dtype, bfloat16, bool_ as bool, complex128, complex64, float64 as double, float16, float32, float64,
    float16 as half, int16, int32, int64, int8, qint16, qint32, qint8, quint16, quint8, resource, string, uint16,
    uint32, uint64, uint8, variant
)
from inlay.types.shapes import TensorShape
from inlay.types.specs import TensorSpec, TypeSpec
from inlay.variables.assigning import (
    assign, assign_add, assign_sub, scatter_add, scatter_div, scatter_max, scatter_min, scatter_mul, scatter_nd_add,
    scatter_nd_sub, scatter_nd_update, scatter_sub, scatter_update
)
from inlay.variables.collections import (
    GraphKeys, add_to_collection, add_to_collections, all_variables, assert_variables_initialized, get_collection,
    get_collection_ref, global_variables, global_variables_initializer, is_variable_initialized, local_variables,
    local_variables_initializer, model_variables, moving_average_variables, report_uninitialized_variables,
    trainable_variables, variables_initializer
)
from inlay.variables.initializers import (
    Constant as constant_initializer, GlorotNormal as glorot_normal_initializer, GlorotUniform as
    glorot_uniform_initializer, Ones as ones_initializer, Orthogonal as orthogonal_initializer, RandomNormal as
    random_normal_initializer, RandomUniform as random_uniform_initializer, TruncatedNormalV1 as
    truncated_normal_initializer, UniformUnitScaling as uniform_unit_scaling_initializer, VarianceScaling as
    variance_scaling_initializer, Zeros as zeros_initializer
)
from inlay.variables.scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, variable_op_scope, variable_scope
)
from inlay.variables.variable import Variable, VariableAggregation, VariableSynchronization
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "autograph": "inlay.autograph",
    "bitwise": "inlay.bitwise",
    "compat": "inlay.compat",
    "config": "inlay.config",
    "contrib": "inlay.contrib",
    "debugging": "inlay.debugging",
    "dtypes": "inlay.dtypes",
    "errors": "inlay.errors",
    "experimental": "inlay.experimental",
    "image": "inlay.image",
    "initializers": "inlay.initializers",
    "io": "inlay.io",
    "linalg": "inlay.linalg",
    "logging": "inlay.logging",
    "math": "inlay.math",
    "nest": "inlay.nest",
    "nn": "inlay.nn",
    "ragged": "inlay.ragged",
    "random": "inlay.random",
    "signal": "inlay.signal",
    "sparse": "inlay.sparse",
    "strings": "inlay.strings",
    "test": "inlay.test",
    "train": "inlay.train",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay' has no attribute {name!r}")
    return _importlib.import_module(_BELOW[name])


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
