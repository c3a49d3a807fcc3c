"""Where every name at the top of `inlay` is defined."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable as _Callable, Mapping as _Mapping, Sequence as _Sequence
from inlay import (
    app, argmax as arg_max, argmin as arg_min, audio, autodiff, autograph, bitwise, compat, config, contrib, data,
    debugging, distribute, dtypes, errors, experimental, flags, floordiv as floor_div, gfile, graph_util, image,
    initializers, io, jax, linalg, logging, lookup, math, floormod as mod, nest, nn, profiler, python_io, quantization,
    queue, ragged, random, raw_ops, saved_model, sets, signal, space_to_batch as space_to_batch_nd, sparse, strings,
    summary, sysconfig, test, torch, train, types, version
)
from inlay._src.base.interpreter.messages import get_logger
from inlay._src.base.protos.event import Event, HistogramProto, LogMessage, SessionLog, Summary, SummaryMetadata
from inlay._src.base.protos.graph import AttrValue, GraphDef, NameAttrList, NodeDef
from inlay._src.base.protos.saved_model import MetaGraphDef, TensorInfo
from inlay._src.base.types.dtypes import (
    DType, DType as _DType, as_dtype, bfloat16, bool_ as bool, complex128, complex64, float64 as double, float16,
    float32, float64, float16 as half, int16, int32, int64, int8, qint16, qint32, qint8, quint16, quint8, resource,
    string, uint16, uint32, uint64, uint8, variant
)
from inlay._src.base.types.shapes import Dimension, TensorShape, disable_v2_tensorshape, enable_v2_tensorshape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.behavior import (
    disable_eager_execution, disable_v2_behavior, enable_eager_execution, enable_v2_behavior
)
from inlay._src.core.context import (
    device, executing_eagerly, get_current_name_scope, init_scope, inside_function, name_scope
)
from inlay._src.core.device_spec import DeviceSpec
from inlay._src.core.eager.conversion_functions import register_tensor_conversion_function
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.graph import Graph, default_graph as get_default_graph, reset_default_graph
from inlay._src.core.operation import Operation, Operation as _Operation
from inlay._src.core.tensor import Tensor, Tensor as _Tensor, TensorLike as _TensorLike, is_symbolic_tensor, is_tensor
from inlay._src.data.element import NoneTensorSpec
from inlay._src.data.optional import OptionalSpec
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.engine.autodiff.graph_gradients import (
    AggregationMethod, UnconnectedGradients, Derivative as _Derivative, hessians
)
from inlay._src.engine.autodiff.rules import (
    not_differentiable as NotDifferentiable, register_gradient as RegisterGradient, not_differentiable as no_gradient
)
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.host.executors.ray import RayExecutor
from inlay._src.host.executors.selection import executor
from inlay._src.host.executors.threads import Threads
from inlay._src.ops.array import constant, ones, ones_like, shape, size, squeeze, where, zeros, zeros_like
from inlay._src.ops.asserting import (
    assert_integer_v1 as assert_integer, assert_proper_iterable, assert_same_float_dtype, assert_scalar_v1 as
    assert_scalar, assert_type_v1 as assert_type
)
from inlay._src.ops.bits import bitcast
from inlay._src.ops.blocks import required_space_to_batch_paddings
from inlay._src.ops.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm, saturate_cast
from inlay._src.ops.complex_numbers import abs, angle, complex, imag, real
from inlay._src.ops.composite.example_features import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature
)
from inlay._src.ops.composite.example_parsing import parse_single_sequence_example
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.composite.ragged import RaggedTensor, RaggedTensor as _RaggedTensor
from inlay._src.ops.composite.sparse import (
    SparseTensor, SparseTensorValue, SparseTensor as _SparseTensor, placeholder as sparse_placeholder, reorder as
    sparse_reorder, sparse_dense_matmul as sparse_tensor_dense_matmul, to_dense as sparse_tensor_to_dense
)
from inlay._src.ops.composite.sparse_features import (
    fill_empty_rows as sparse_fill_empty_rows, mask as sparse_mask, merge as sparse_merge, reset_shape as
    sparse_reset_shape, softmax as sparse_softmax, sparse_to_dense, to_indicator as sparse_to_indicator
)
from inlay._src.ops.composite.sparse_ops import (
    maximum as sparse_maximum, minimum as sparse_minimum, retain as sparse_retain, slice_ as sparse_slice, split_v1 as
    sparse_split
)
from inlay._src.ops.composite.sparse_shapes import reshape as sparse_reshape, transpose as sparse_transpose
from inlay._src.ops.composite.specs import IndexedSlicesSpec, RaggedTensorSpec, SparseTensorSpec, type_spec_from_value
from inlay._src.ops.composite.text import edit_distance
from inlay._src.ops.control import control_dependencies, group, guarantee_const, no_op, tuple_ as tuple
from inlay._src.ops.counting import bincount, confusion_matrix, histogram_fixed_width, histogram_fixed_width_bins
from inlay._src.ops.csv import decode_csv
from inlay._src.ops.diagonals import (
    eye, diag as matrix_diag, diag_part as matrix_diag_part, set_diag as matrix_set_diag, trace
)
from inlay._src.ops.division import div, divide, divide_no_nan, divide as truediv
from inlay._src.ops.eigenvalues import eigh as self_adjoint_eig, eigvalsh as self_adjoint_eigvals
from inlay._src.ops.einsum import cross, einsum, tensordot
from inlay._src.ops.files import write_file
from inlay._src.ops.gathering import boolean_mask, gather
from inlay._src.ops.hashing import fingerprint, to_hash_bucket_strong as string_to_hash_bucket_strong
from inlay._src.ops.indexing import newaxis, strided_slice
from inlay._src.ops.joining import concat, split
from inlay._src.ops.linalg import cholesky_solve, lstsq as matrix_solve_ls, norm
from inlay._src.ops.lists import identity_n, shape_n
from inlay._src.ops.math import accumulate_n, add_n, cast, conj, logical_xor, round, scalar_mul
from inlay._src.ops.matmul import matmul, matrix_transpose
from inlay._src.ops.matrix_functions import eig, eigvals
from inlay._src.ops.patches import extract_volume_patches
from inlay._src.ops.placeholders import placeholder, placeholder_with_default
from inlay._src.ops.powers import log_sigmoid, polyval
from inlay._src.ops.printed_numbers import as_string
from inlay._src.ops.printing import assert_ as Assert, print_v1 as Print, print_v2 as print
from inlay._src.ops.random import (
    random_crop, normal as random_normal, shuffle as random_shuffle, uniform as random_uniform, truncated_normal
)
from inlay._src.ops.ranges import range_ as range
from inlay._src.ops.rearranging import reverse_sequence, transpose
from inlay._src.ops.reductions import count_nonzero
from inlay._src.ops.scatter import dynamic_partition, dynamic_stitch
from inlay._src.ops.seeds import set_seed as set_random_seed
from inlay._src.ops.segments import unsorted_segment_mean, unsorted_segment_sqrt_n
from inlay._src.ops.sequences import linspace, one_hot, sequence_mask
from inlay._src.ops.serialized import make_ndarray, make_tensor_proto
from inlay._src.ops.shaping import broadcast_dynamic_shape, broadcast_static_shape, ensure_shape
from inlay._src.ops.slicing import pad
from inlay._src.ops.sorting import argsort, searchsorted, sort, unique, unique_with_counts
from inlay._src.ops.special import lbeta
from inlay._src.ops.stacking import parallel_stack, stack, unstack
from inlay._src.ops.strings import (
    decode_raw, reduce_join, regex_replace, join as string_join, to_number as string_to_number, substr
)
from inlay._src.ops.tiling import meshgrid, repeat
from inlay._src.ops.variables.assigning import assign, assign_add, assign_sub, count_up_to
from inlay._src.ops.variables.collections import (
    GraphKeys, add_to_collection, add_to_collections, all_variables, assert_variables_initialized, get_collection,
    get_collection_ref, global_variables, global_variables_initializer, global_variables_initializer as
    initialize_all_variables, local_variables_initializer as initialize_local_variables, variables_initializer as
    initialize_variables, is_variable_initialized, local_variables, local_variables_initializer, model_variables,
    moving_average_variables, report_uninitialized_variables, trainable_variables, variables_initializer
)
from inlay._src.ops.variables.creators import variable_creator_scope
from inlay._src.ops.variables.initializers import (
    Constant as constant_initializer, GlorotNormal as glorot_normal_initializer, GlorotUniform as
    glorot_uniform_initializer, Ones as ones_initializer, Orthogonal as orthogonal_initializer, RandomNormal as
    random_normal_initializer, RandomUniform as random_uniform_initializer, VarianceScaling as
    variance_scaling_initializer, Zeros as zeros_initializer
)
from inlay._src.ops.variables.legacy_initializers import (
    TruncatedNormalV1 as truncated_normal_initializer, UniformUnitScaling as uniform_unit_scaling_initializer
)
from inlay._src.ops.variables.partitioners import (
    create_partitioned_variables, fixed_size_partitioner, min_max_variable_partitioner, variable_axis_size_partitioner
)
from inlay._src.ops.variables.scope import (
    AUTO_REUSE, VariableScope, get_local_variable, get_variable, get_variable_scope, no_regularizer, variable_op_scope,
    variable_scope
)
from inlay._src.ops.variables.template import make_template
from inlay._src.ops.variables.variable import (
    Variable, VariableAggregation, VariableSynchronization, Variable as _Variable
)
from inlay._src.programs.control.branches import case, switch_case
from inlay._src.programs.control.critical_section import CriticalSection
from inlay._src.programs.control.custom_gradient import grad_pass_through, recompute_grad
from inlay._src.programs.control.tensor_array import TensorArray
from inlay._src.programs.functions.concrete import ConcreteFunction as _ConcreteFunction
from inlay._src.programs.graph_def.importing import import_graph_def
from inlay._src.programs.module import Module
from inlay._src.programs.session.interactive import InteractiveSession
from inlay._src.programs.session.options import ConfigProto, GPUOptions, GraphOptions, OptimizerOptions, RunOptions
from inlay._src.programs.session.run_metadata import RunMetadata
from inlay._src.programs.session.session import Session, get_default_session
from inlay._src.tf1.queues.queue import FIFOQueue, PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from inlay._src.tf1.queues.readers import (
    FixedLengthRecordReader, IdentityReader, ReaderBase, TFRecordReader, TextLineReader, WholeFileReader
)
from inlay.io import (
    decode_base64, decode_compressed, decode_json_example, encode_base64, matching_files, parse_tensor, read_file,
    serialize_tensor
)
from inlay.linalg import (
    tensor_diag as diag, tensor_diag_part as diag_part, band_part as matrix_band_part, det as matrix_determinant, inv
    as matrix_inverse, solve as matrix_solve, sqrtm as matrix_square_root, triangular_solve as matrix_triangular_solve
)
from inlay.signal import fft, ifft
from inlay.strings import to_hash_bucket_fast as string_to_hash_bucket_fast, unsorted_segment_join
from typing import (
    Any as _Any, Concatenate as _Concatenate, Generic as _Generic, Literal as _Literal, ParamSpec as _ParamSpec,
    TypeVar as _TypeVar, overload as _overload
)
_P = _ParamSpec("_P")
_Q = _ParamSpec("_Q")
_R = _TypeVar("_R")
_S = _TypeVar("_S")
_Loop = _TypeVar("_Loop", bound=builtins.tuple[_Tensor, ...])
__version__: str
__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "ConfigProto", "CriticalSection", "DType", "DeviceSpec",
    "Dimension", "Event", "FIFOQueue", "FixedLenFeature", "FixedLenSequenceFeature", "FixedLengthRecordReader",
    "GPUOptions", "GradientTape", "Graph", "GraphDef", "GraphKeys", "GraphOptions", "HistogramProto", "IdentityReader",
    "IndexedSlices", "IndexedSlicesSpec", "InteractiveSession", "LogMessage", "MetaGraphDef", "Module", "NameAttrList",
    "NodeDef", "NoneTensorSpec", "NotDifferentiable", "Operation", "OptimizerOptions", "OptionalSpec",
    "PaddingFIFOQueue", "Print", "PriorityQueue", "Processes", "QueueBase", "RaggedFeature", "RaggedTensor",
    "RaggedTensorSpec", "RandomShuffleQueue", "RayExecutor", "ReaderBase", "RegisterGradient", "RunMetadata",
    "RunOptions", "Session", "SessionLog", "SparseFeature", "SparseTensor", "SparseTensorSpec", "SparseTensorValue",
    "Summary", "SummaryMetadata", "TFRecordReader", "Tensor", "TensorArray", "TensorInfo", "TensorShape", "TensorSpec",
    "TextLineReader", "Threads", "TypeSpec", "UnconnectedGradients", "VarLenFeature", "Variable",
    "VariableAggregation", "VariableScope", "VariableSynchronization", "WholeFileReader", "abs", "accumulate_n",
    "acos", "acosh", "add", "add_n", "add_to_collection", "add_to_collections", "all_variables", "angle", "app",
    "approximate_equal", "arg_max", "arg_min", "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh",
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal",
    "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal",
    "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_same_float_dtype", "assert_scalar", "assert_type", "assert_variables_initialized", "assign", "assign_add",
    "assign_sub", "atan", "atan2", "atanh", "audio", "autodiff", "autograph", "batch_to_space", "betainc", "bfloat16",
    "bincount", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape",
    "broadcast_to", "case", "cast", "ceil", "check_numerics", "cholesky", "cholesky_solve", "clip_by_global_norm",
    "clip_by_norm", "clip_by_value", "compat", "complex", "complex128", "complex64", "concat", "cond", "config",
    "confusion_matrix", "conj", "constant", "constant_initializer", "contrib", "control_dependencies",
    "convert_to_tensor", "cos", "cosh", "count_nonzero", "count_up_to", "create_partitioned_variables", "cross",
    "cumprod", "cumsum", "custom_gradient", "data", "debugging", "decode_base64", "decode_compressed", "decode_csv",
    "decode_json_example", "decode_raw", "device", "diag", "diag_part", "digamma", "disable_eager_execution",
    "disable_v2_behavior", "disable_v2_tensorshape", "distribute", "div", "divide", "divide_no_nan", "double",
    "dtypes", "dynamic_partition", "dynamic_stitch", "edit_distance", "eig", "eigvals", "einsum",
    "enable_eager_execution", "enable_v2_behavior", "enable_v2_tensorshape", "encode_base64", "ensure_shape", "equal",
    "erf", "erfc", "errors", "executing_eagerly", "executor", "exp", "expand_dims", "experimental", "expm1",
    "extract_volume_patches", "eye", "fft", "fill", "fingerprint", "fixed_size_partitioner", "flags", "float16",
    "float32", "float64", "floor", "floor_div", "floordiv", "floormod", "foldl", "foldr", "function", "gather",
    "gather_nd", "get_collection", "get_collection_ref", "get_current_name_scope", "get_default_graph",
    "get_default_session", "get_local_variable", "get_logger", "get_static_value", "get_variable",
    "get_variable_scope", "gfile", "global_norm", "global_variables", "global_variables_initializer",
    "glorot_normal_initializer", "glorot_uniform_initializer", "grad_pass_through", "gradients", "graph_util",
    "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifft", "igamma", "igammac", "imag", "image",
    "import_graph_def", "init_scope", "initialize_all_variables", "initialize_local_variables", "initialize_variables",
    "initializers", "inside_function", "int16", "int32", "int64", "int8", "io", "is_finite", "is_inf", "is_nan",
    "is_symbolic_tensor", "is_tensor", "is_variable_initialized", "jax", "lbeta", "less", "less_equal", "lgamma",
    "linalg", "linspace", "local_variables", "local_variables_initializer", "log", "log1p", "log_sigmoid", "logging",
    "logical_and", "logical_not", "logical_or", "logical_xor", "lookup", "make_ndarray", "make_template",
    "make_tensor_proto", "map_fn", "matching_files", "math", "matmul", "matrix_band_part", "matrix_determinant",
    "matrix_diag", "matrix_diag_part", "matrix_inverse", "matrix_set_diag", "matrix_solve", "matrix_solve_ls",
    "matrix_square_root", "matrix_transpose", "matrix_triangular_solve", "maximum", "meshgrid",
    "min_max_variable_partitioner", "minimum", "mod", "model_variables", "moving_average_variables", "multinomial",
    "multiply", "name_scope", "negative", "nest", "newaxis", "nn", "no_gradient", "no_op", "no_regularizer", "norm",
    "not_equal", "numpy_function", "one_hot", "ones", "ones_initializer", "ones_like", "orthogonal_initializer", "pad",
    "parallel_stack", "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor",
    "placeholder", "placeholder_with_default", "polygamma", "polyval", "pow", "print", "profiler", "py_func",
    "py_function", "python_io", "qint16", "qint32", "qint8", "qr", "quantization", "queue", "quint16", "quint8",
    "ragged", "random", "random_crop", "random_index_shuffle", "random_normal", "random_normal_initializer",
    "random_shuffle", "random_uniform", "random_uniform_initializer", "range", "rank", "raw_ops", "read_file", "real",
    "realdiv", "reciprocal", "recompute_grad", "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
    "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource", "reverse", "reverse_sequence",
    "rint", "roll", "round", "rsqrt", "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_add",
    "scatter_div", "scatter_max", "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_sub",
    "scatter_nd_update", "scatter_sub", "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min",
    "segment_prod", "segment_sum", "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask", "serialize_tensor",
    "set_random_seed", "sets", "shape", "shape_n", "sigmoid", "sign", "signal", "sin", "sinh", "size", "slice",
    "slogdet", "sort", "space_to_batch", "space_to_batch_nd", "sparse", "sparse_add", "sparse_concat",
    "sparse_fill_empty_rows", "sparse_mask", "sparse_maximum", "sparse_merge", "sparse_minimum", "sparse_placeholder",
    "sparse_reduce_max", "sparse_reduce_max_sparse", "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_reorder",
    "sparse_reset_shape", "sparse_reshape", "sparse_retain", "sparse_slice", "sparse_softmax", "sparse_split",
    "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense", "sparse_to_indicator",
    "sparse_transpose", "split", "sqrt", "square", "squared_difference", "squeeze", "stack", "stop_gradient",
    "strided_slice", "string", "string_join", "string_split", "string_to_hash_bucket_fast",
    "string_to_hash_bucket_strong", "string_to_number", "strings", "substr", "subtract", "summary", "svd",
    "switch_case", "sysconfig", "tan", "tanh", "tensor_scatter_nd_add", "tensor_scatter_nd_max",
    "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot", "test", "tile",
    "timestamp", "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32", "to_int64",
    "torch", "trace", "train", "trainable_variables", "transpose", "truediv", "truncated_normal",
    "truncated_normal_initializer", "truncatediv", "truncatemod", "tuple", "type_spec_from_value", "types", "uint16",
    "uint32", "uint64", "uint8", "uniform_unit_scaling_initializer", "unique", "unique_with_counts", "unravel_index",
    "unsorted_segment_join", "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack",
    "variable_axis_size_partitioner", "variable_creator_scope", "variable_op_scope", "variable_scope",
    "variables_initializer", "variance_scaling_initializer", "variant", "vectorized_map", "version", "where",
    "while_loop", "write_file", "zeros", "zeros_initializer", "zeros_like", "zeta"
]
def acos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle whose cosine is `x`, in radians, elementwise."""
def acosh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The number whose hyperbolic cosine is `x`, elementwise."""
def add(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x + y` elementwise; strings are joined."""
def approximate_equal(x: _TensorLike, y: _TensorLike, tolerance: _Any = 1e-05, name: str | None = None) -> _Tensor:
    """Whether `|x - y| < tolerance`, elementwise."""
def argmax(input: _Any, axis: _Any = None, output_type: _Any = ..., name: str | None = None, dimension: _Any = None) -> _Tensor:
    """Where the greatest element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis: one axis.
      output_type: int16, uint16, int32, int64.
      name: the node's name.
      dimension: the 1.x name of `axis`."""
def argmin(input: _Any, axis: _Any = None, output_type: _Any = ..., name: str | None = None, dimension: _Any = None) -> _Tensor:
    """Where the least element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis: one axis.
      output_type: int32, int64.
      name: the node's name.
      dimension: the 1.x name of `axis`."""
def asin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle whose sine is `x`, in radians, elementwise."""
def asinh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The number whose hyperbolic sine is `x`, elementwise."""
def assert_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x == y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_greater(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x > y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_greater_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x >= y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_less(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x < y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_less_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x <= y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_near(x: _Any, y: _Any, rtol: _Any = None, atol: _Any = None, message: _Any = None, summarize: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails unless `|x - y| < atol + rtol * |y|` for every element.

    Args:
      x, y: tensors that broadcast.
      rtol, atol: the tolerances; ten times the type's resolution if None.
      message: prefix of the error message.
      summarize: number of elements to show.
      name: the node's name."""
def assert_negative(x: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is < 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_non_negative(x: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is >= 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_non_positive(x: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is <= 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_none_equal(x: _Any, y: _Any, summarize: _Any = None, message: _Any = None, name: str | None = None, data: _Any = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x != y` for every element.

    Args:
      x, y: tensors that broadcast.
      summarize: how many elements to show.
      message: what the error says first.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_positive(x: _Any, message: _Any = None, summarize: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is > 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank(x: _Any, rank: _Any, message: _Any = None, name: str | None = None, data: _Any = None, summarize: _Any = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank it.

    Args:
      x: a tensor.
      rank: what is required: a number, or tensors.
      message: what the error says first.
      name: the node's name.
      data: what to show instead of the values.
      summarize: how many elements to show.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank_at_least(x: _Any, rank: _Any, message: _Any = None, name: str | None = None, data: _Any = None, summarize: _Any = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank at least it.

    Args:
      x: a tensor.
      rank: what is required: a number, or tensors.
      message: what the error says first.
      name: the node's name.
      data: what to show instead of the values.
      summarize: how many elements to show.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank_in(x: _Any, ranks: _Any, message: _Any = None, name: str | None = None, data: _Any = None, summarize: _Any = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank in it.

    Args:
      x: a tensor.
      ranks: what is required: several numbers, or tensors.
      message: what the error says first.
      name: the node's name.
      data: what to show instead of the values.
      summarize: how many elements to show.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def atan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle whose tangent is `x`, in radians, elementwise."""
def atan2(y: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The angle of the point (x, y), in radians between -pi and pi, elementwise."""
def atanh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The number whose hyperbolic tangent is `x`, elementwise."""
def batch_to_space(input: _TensorLike, block_shape: _TensorLike, crops: _TensorLike, name: str | None = None) -> _Tensor:
    """Parts of the batch put back into blocks of space, and the margin cut off: the reverse of `space_to_batch`.

    Args:
      input: [batch, ...]; as many axes as `block_shape` has entries follow, then any others.
      block_shape: a vector with the size of a block along each of those axes.
      crops: a matrix: number of elements to cut off before and after along each of them.

    Returns:
      A tensor of shape [batch / product of block_shape, size * block size - crops ..., ...]."""
def betainc(a: _TensorLike, b: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The regularized incomplete beta function, elementwise; no gradient reaches `a` and `b`.

    Args:
      a, b, x: floats; those that are no scalars have one shape."""
def broadcast_to(input: _TensorLike, shape: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor repeated to `shape`, as arithmetic would repeat it."""
def ceil(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The least whole number not below `x`, elementwise."""
def check_numerics(tensor: _TensorLike, message: _Any, name: str | None = None) -> _Tensor:
    """The tensor, refusing it when it holds NaN or an infinity."""
def cholesky(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The lower triangular factor `L` of Hermitian positive definite matrices, `L @ adjoint(L)`.

    Only the lower triangle of `input` is read. The factor of a matrix that is not positive definite is NaN."""
@_overload
def cond(pred: _Any, true_fn: _Callable[..., _Tensor], false_fn: _Callable[..., _Tensor], name: str | None = None) -> _Tensor:
    """`true_fn()` if `pred` holds, else `false_fn()`. In a graph only the taken branch runs.

    Args:
      pred: a scalar bool.
      true_fn, false_fn: functions without arguments that return nests of tensors of the same structure and dtypes.
      name: the node's name.

    Returns:
      The result of the branch; `pred` where it returns an operation; the operation if it returns nothing.

    Raises:
      TypeError: if a branch is not callable, the branches' results differ, or `pred` is a Python bool in a graph."""
@_overload
def cond(pred: _Any, true_fn: _Callable[[], _Any] | None = None, false_fn: _Callable[[], _Any] | None = None, name: str | None = None) -> _Any: ...
def cos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The cosine of an angle in radians, elementwise."""
def cosh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic cosine, elementwise."""
def cumprod(x: _TensorLike, axis: _TensorLike = 0, exclusive: _Any = False, reverse: _Any = False, name: str | None = None) -> _Tensor:
    """The running product along an axis.

    Args:
      x: numbers.
      axis: the axis.
      exclusive: leave out the element itself.
      reverse: run from the end."""
def cumsum(x: _TensorLike, axis: _TensorLike = 0, exclusive: _Any = False, reverse: _Any = False, name: str | None = None) -> _Tensor:
    """The running sum along an axis.

    Args:
      x: numbers.
      axis: the axis.
      exclusive: leave out the element itself.
      reverse: run from the end."""
@_overload
def custom_gradient(f: _Callable[_P, builtins.tuple[_Tensor, _Any]]) -> _Callable[_P, _Tensor]:
    """Decorator: `f(*x)` returns `(y, grad)`, where `grad(*dy)` gives the cotangents of `x`.

    If `f` reads trainable variables, `grad` is called with `variables=`, the list of them, and returns a pair: the
    cotangents of `x`, and a list of those of the variables.

    Args:
      f: a function of tensors, or a method.

    Returns:
      A function that returns `y`; derivatives of any order use `grad`, which may itself be differentiated.

    Raises:
      TypeError: when it is called, if `f` reads trainable variables and `grad` takes no `variables`."""
@_overload
def custom_gradient(f: _Callable[..., _Any] | None = None) -> _Any: ...
def digamma(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The derivative of `lgamma`, elementwise."""
def equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x == y` elementwise."""
def erf(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Gauss error function, elementwise."""
def erfc(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`1 - erf(x)` elementwise, exact where that is small."""
def exp(x: _TensorLike, name: str | None = None) -> _Tensor:
    """e to the power x, elementwise."""
def expand_dims(input: _TensorLike, axis: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor with a dimension of size 1 inserted at `axis`."""
def expm1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`exp(x) - 1` elementwise, exact for small `x`."""
def fill(dims: _TensorLike, value: _TensorLike, name: str | None = None) -> _Tensor:
    """A tensor of shape `dims` whose elements are all `value`."""
def floor(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The greatest whole number not above `x`, elementwise."""
def floordiv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x // y` elementwise, rounding towards minus infinity; integers refuse a zero divisor."""
def floormod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x % y` elementwise, with the sign of the divisor; integers refuse a zero divisor."""
@_overload
def foldl(fn: _Callable[..., _Tensor], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, name: str | None = None) -> _Tensor:
    """`fn(accumulated, row)` over the rows from the first to the last.

    Args:
      fn: takes the accumulated value and one row; returns the next accumulated value.
      elems: a tensor or nest of tensors with the same number of rows.
      initializer: the first accumulated value; the first row if None.
      parallel_iterations, swap_memory: accepted.
      back_prop: False stops gradients at the result, in graphs.
      name: the nodes' name.

    Returns:
      The last accumulated value."""
@_overload
def foldl(fn: _Callable[..., _Any], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, name: str | None = None) -> _Any: ...
@_overload
def foldr(fn: _Callable[..., _Tensor], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, name: str | None = None) -> _Tensor:
    """`fn(accumulated, row)` over the rows from the last to the first.

    Args:
      fn: takes the accumulated value and one row; returns the next accumulated value.
      elems: a tensor or nest of tensors with the same number of rows.
      initializer: the first accumulated value; the first row if None.
      parallel_iterations, swap_memory: accepted.
      back_prop: False stops gradients at the result, in graphs.
      name: the nodes' name.

    Returns:
      The last accumulated value."""
@_overload
def foldr(fn: _Callable[..., _Any], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, name: str | None = None) -> _Any: ...
class _Function(_Generic[_P, _R]):
    python_function: _Callable[_P, _R]
    input_signature: _Any
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...
    @_overload
    def __get__(self, instance: None, owner: _Any = None) -> _Function[_P, _R]: ...
    @_overload
    def __get__(self: _Function[_Concatenate[_S, _Q], _R], instance: _S, owner: _Any = None) -> _Function[_Q, _R]: ...
    def get_concrete_function(self, *args: _Any, **kwargs: _Any) -> _ConcreteFunction: ...
    def experimental_get_tracing_count(self) -> int: ...
@_overload
def function(
    func: _Callable[_P, _R], input_signature: _Any = None,
    autograph: builtins.bool = True, jit_compile: builtins.bool | None = None, reduce_retracing: builtins.bool = False,
    experimental_implements: _Any = None, experimental_autograph_options: _Any = None,
    experimental_attributes: _Any = None, experimental_relax_shapes: _Any = None, experimental_compile: _Any = None,
    experimental_follow_type_hints: _Any = None,
) -> _Function[_P, _R]:
    """Compiles a Python function into graphs: a call traces it once per signature, and then runs the graph.

    Args:
      func: the function. If it is omitted, `function` returns a decorator.
      input_signature: specs of the arguments. One trace then serves every call, and other arguments raise an error.
      autograph: whether `if`, `while` and `for` on tensors become graph control flow.
      jit_compile: True compiles the pure parts between host calls with XLA; it needs `pip install "inlay[jax]"`.
      reduce_retracing: whether varying sizes become unknown sizes instead of causing new traces.
      experimental_implements: the name of a function that may replace this one. It may depend only on its arguments.
      experimental_autograph_options, experimental_attributes, experimental_relax_shapes, experimental_compile,
      experimental_follow_type_hints: accepted; the older names of the arguments above.

    Returns:
      A `Function`. With `experimental_implements`, tracing it raises AssertionError if it depends on more."""
@_overload
def function(
    func: None = None, input_signature: _Any = None,
    autograph: builtins.bool = True, jit_compile: builtins.bool | None = None, reduce_retracing: builtins.bool = False,
    experimental_implements: _Any = None, experimental_autograph_options: _Any = None,
    experimental_attributes: _Any = None, experimental_relax_shapes: _Any = None, experimental_compile: _Any = None,
    experimental_follow_type_hints: _Any = None,
) -> _Callable[[_Callable[_P, _R]], _Function[_P, _R]]: ...
def gather_nd(params: _Any, indices: _Any, batch_dims: _Any = 0, name: str | None = None, bad_indices_policy: _Any = "") -> _Tensor:
    """Slices of `params` at multi-dimensional indices.

    Args:
      params: the tensor to read.
      indices: integers; the last axis holds one index into the first axes of `params`.
      batch_dims: number of leading batch axes of both.
      bad_indices_policy: "IGNORE" gives zeros for an index outside; any other policy makes it an error."""
def gradients(ys: _Any, xs: _Any, grad_ys: _Any = None, name: str | None = "gradients", gate_gradients: builtins.bool = False, aggregation_method: _Any = None, stop_gradients: _Any = None, unconnected_gradients: _Any = ...) -> list[_Derivative]:
    """Symbolic derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
      ys: a symbolic tensor, ragged or not, or a list of them.
      xs: a symbolic tensor, ragged or not, or a variable, or a list of them.
      grad_ys: cotangents of `ys`, shaped like them; ones where None. IndexedSlices are the rows that are not zero.
      name: the scope of the new nodes.
      gate_gradients, aggregation_method: accepted and ignored.
      stop_gradients: tensors not to differentiate through.
      unconnected_gradients: "none", "zero" or "error" (names the op that let no gradient pass).

    Returns:
      One tensor or None per `x`, ragged where `x` is.

    Raises:
      LookupError: if an op on the way has no gradient.
      TypeError: if a `y` is not of a floating or complex type."""
def greater(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x > y` elementwise."""
def greater_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x >= y` elementwise."""
def identity(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The input, as a tensor of its own in the graph."""
def igamma(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The lower regularized incomplete gamma function, elementwise."""
def igammac(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The upper regularized incomplete gamma function, elementwise."""
def is_finite(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether an element is neither infinite nor NaN."""
def is_inf(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether an element is infinite."""
def is_nan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Whether an element is not a number."""
def less(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x < y` elementwise."""
def less_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x <= y` elementwise."""
def lgamma(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The logarithm of the absolute value of the gamma function, elementwise."""
def log(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The natural logarithm, elementwise."""
def log1p(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`log(1 + x)` elementwise, exact for small `x`."""
def logical_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x and y` elementwise."""
def logical_not(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`not x` elementwise."""
def logical_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x or y` elementwise."""
@_overload
def map_fn(fn: _Callable[..., _Tensor], elems: _Any, dtype: _DType | str | type | None = None, parallel_iterations: _Any = None, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, infer_shape: builtins.bool = True, name: str | None = None, fn_output_signature: _DType | str | type | None = None, *, batch: int | None = None) -> _Tensor:
    """`fn` applied to each row of `elems`, the results stacked.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors, which may be ragged or sparse.
      elems: a tensor or nest of tensors with the same number of rows, ragged and sparse ones included.
      dtype, fn_output_signature: dtypes or specs of the result, nested like it; by default those of the rows of
        `elems`. With a RaggedTensorSpec the results may differ in length.
      parallel_iterations, swap_memory: accepted; rows are taken one after the other.
      back_prop: False stops gradients at the result, in graphs.
      infer_shape: whether all results must have one shape.
      name: the nodes' name.
      batch: hands `fn` so many rows at a time, as they are stacked in `elems` (the last time fewer); it returns as many
        rows. Tensors only.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis.

    Raises:
      TypeError: if `fn` is not callable, or returns another dtype than was declared.
      InvalidArgumentError: with `batch`, if `fn` returns another number of rows than it was given.
      ValueError: if the rows of `elems` differ in number, or a result has other rows than was declared."""
@_overload
def map_fn(fn: _Callable[..., _Any], elems: _Any, dtype: _Any = None, parallel_iterations: _Any = None, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, infer_shape: builtins.bool = True, name: str | None = None, fn_output_signature: _Any = None, *, batch: int | None = None) -> _Any: ...
def maximum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The greater of two, elementwise; where equal, the gradient goes to `x`."""
def minimum(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The lesser of two, elementwise; where equal, the gradient goes to `x`."""
def multinomial(logits: _Any, num_samples: _Any, seed: _Any = None, name: str | None = None, output_dtype: _Any = None) -> _Tensor:
    """Classes drawn by unnormalized log-probabilities.

    Args:
      logits: a matrix, one row per distribution.
      num_samples: number of draws per row.
      seed: the op's seed.
      name: the node's name.
      output_dtype: int32 or int64 (the default).

    Returns:
      Integers of shape [rows, num_samples]."""
def multiply(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x * y` elementwise."""
def negative(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`-x` elementwise."""
def not_equal(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x != y` elementwise."""
@_overload
def numpy_function(func: _Callable[..., _Any], inp: _Any, Tout: _DType | str | type, stateful: builtins.bool = True, name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Tensor:
    """Calls a Python function as an op; the function receives NumPy arrays.

    ```python
    def median(x):
        return np.median(x).astype(np.float32)

    tf.numpy_function(median, [[1.0, 2.0, 9.0]], tf.float32)  # 2.0
    ```

    Args:
      func: the function. It takes one array per input; for rank 0 a NumPy scalar, or `bytes` for a string.
      inp: a list of inputs, as in `py_function`.
      Tout: the exact dtype of the result; a list of dtypes for several results; or a nest of dtypes and specs.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.
      kwargs, output_shapes, sample, grad, executor, rng: as in `py_function`. Without `grad` the gradient is None.
      copy: True gives the function writable arrays of its own. False gives it read-only views without a copy.

    Returns:
      As `py_function`.

    Raises:
      As `py_function`."""
@_overload
def numpy_function(func: None = None, inp: None = None, *, Tout: _DType | str | type, stateful: builtins.bool = True, name: str | None = None, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Callable[[_Callable[..., _Any]], _Callable[..., _Tensor]]: ...
@_overload
def numpy_function(func: _Callable[..., _Any], inp: _Any, Tout: list[_DType | str | type] | builtins.tuple[_DType | str | type, ...], stateful: builtins.bool = True, name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> list[_Tensor]: ...
@_overload
def numpy_function(func: None = None, inp: None = None, *, Tout: list[_DType | str | type] | builtins.tuple[_DType | str | type, ...], stateful: builtins.bool = True, name: str | None = None, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Callable[[_Callable[..., _Any]], _Callable[..., list[_Tensor]]]: ...
@_overload
def numpy_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, stateful: builtins.bool = True, name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Any: ...
def parse_example(serialized: _Any, features: _Any, name: str | None = None, example_names: _Any = None) -> dict[str, _Any]:
    """The features of serialized `Example`s as tensors.

    Args:
      serialized: a vector of strings; a scalar for one example without a batch axis.
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      name: the node's name.
      example_names: as many strings, for messages.

    Returns:
      A dict: for each key a dense, sparse or ragged tensor whose first axis is that of `serialized`.

    Raises:
      ValueError: for features that are none.
      InvalidArgumentError: for a string that is no example, or an example whose features are not as declared."""
def parse_single_example(serialized: _Any, features: _Any, name: str | None = None, example_names: _Any = None) -> dict[str, _Any]:
    """The features of one serialized `Example` as tensors, without a batch axis.

    Args:
      serialized: a scalar string.
      features: key -> `FixedLenFeature`, `FixedLenSequenceFeature`, `VarLenFeature`, `SparseFeature`, `RaggedFeature`.
      name: the node's name.
      example_names: a scalar string, for messages.

    Returns:
      A dict: for each key a dense or sparse tensor; of a `RaggedFeature` a vector, or what its partitions make of it.

    Raises:
      ValueError: for features that are none, or a vector of strings.
      InvalidArgumentError: for a string that is no example, or an example whose features are not as declared."""
def polygamma(a: _TensorLike, x: _TensorLike, name: str | None = None) -> _Tensor:
    """The derivative of order `a` of `digamma` at `x`, elementwise; `a` is a whole number."""
def pow(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x ** y` elementwise."""
@_overload
def py_func(func: _Any = ..., inp: _Any = ..., Tout: _DType | str | type = ..., stateful: builtins.bool = True, name: str | None = None) -> _Tensor:
    """Calls a Python function on NumPy arrays as an op, with the signature of TensorFlow 1; see `numpy_function`.

    Args:
      func: the function. It takes one array per input.
      inp: a list of inputs.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.

    Returns:
      As `py_function`.

    Raises:
      As `py_function`."""
@_overload
def py_func(func: _Any = ..., inp: _Any = ..., Tout: list[_DType | str | type] | builtins.tuple[_DType | str | type, ...] = ..., stateful: builtins.bool = True, name: str | None = None) -> list[_Tensor] | _Any: ...
@_overload
def py_func(func: _Any = ..., inp: _Any = ..., Tout: _Any = ..., stateful: builtins.bool = True, name: str | None = None) -> _Any: ...
@_overload
def py_function(func: _Callable[..., _Any], inp: _Any, Tout: _DType | str | type, name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, stateful: builtins.bool = True, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Tensor:
    """Calls a Python function as an op; the function receives eager tensors and is differentiated through its ops.

    In a graph, the call adds a node that runs the function whenever the graph runs.

    ```python
    def clipped(x):
        return x * 2.0 if x > 0 else x * 0.0

    tf.py_function(clipped, [3.0], tf.float32)  # 6.0; its gradient is that of the branch which ran
    ```

    Args:
      func: the function. It takes one eager tensor per input. If it is omitted, `py_function` returns a decorator.
      inp: a list of inputs: tensors, variables, ragged or sparse tensors, or values that `convert_to_tensor` accepts.
      Tout: the dtype of the result; a list of dtypes for several results; or a nest of dtypes and specs.
      name: the name of the op.
      kwargs: keyword arguments of `func`. Tensors anywhere in a nest become inputs; other objects are passed unchanged.
      output_shapes: shapes nested like `Tout`; or a callable with the parameters of `func` that receives shapes and
        returns shapes; or "infer", which learns them from one call on `sample`. Every call checks them.
      sample: the inputs of the call that `output_shapes="infer"` makes.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      grad: the gradient, `grad(*inputs, *outputs, *output_grads, **kwargs)`. It returns one gradient or None per
        input, and, if `kwargs` contains tensors, a dict of their gradients. It replaces the gradient of the body.
      copy: True gives the body a copy when it reads a tensor as memory (`np.asarray(x)`, `torch.from_dlpack(x)`).
        False gives `np.asarray` and `memoryview` a read-only view without a copy.
      executor: the place where `func` runs: "inline", "threads", "processes", "ray", an executor such as
        `tf.Processes(workers=4)`, or any `concurrent.futures.Executor`. None takes the executor of the enclosing
        `tf.executor` scope, else "inline".
      rng: a seed: an integer, a sequence of integers, a `np.random.SeedSequence` or a tensor of integers. `func`
        receives the keyword argument `rng`, a separate NumPy generator for each call,
        `np.random.default_rng((rng, number))`. The number is the index of the element in a dataset, else that of the
        call.

    Returns:
      A tensor; a list of tensors if `Tout` is a list or tuple; a nest like `Tout`. For an empty `Tout`, the Operation
      in a graph and [] in eager code.

    Raises:
      TypeError: if `Tout` is missing or not a dtype, or `inp` is not a list.
      ValueError: if `func` is not callable.
      errors.OpError: if the function raises. The error is an instance of TensorFlow's class and of the original class."""
@_overload
def py_function(func: None = None, inp: None = None, *, Tout: _DType | str | type, name: str | None = None, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, stateful: builtins.bool = True, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Callable[[_Callable[..., _Any]], _Callable[..., _Tensor]]: ...
@_overload
def py_function(func: _Callable[..., _Any], inp: _Any, Tout: list[_DType | str | type] | builtins.tuple[_DType | str | type, ...], name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, stateful: builtins.bool = True, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> list[_Tensor]: ...
@_overload
def py_function(func: None = None, inp: None = None, *, Tout: list[_DType | str | type] | builtins.tuple[_DType | str | type, ...], name: str | None = None, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, stateful: builtins.bool = True, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Callable[[_Callable[..., _Any]], _Callable[..., list[_Tensor]]]: ...
@_overload
def py_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, name: str | None = None, *, kwargs: _Mapping[str, _Any] | None = None, output_shapes: _Any = None, sample: _Sequence[_Any] | None = None, stateful: builtins.bool = True, grad: _Callable[..., _Any] | None = None, copy: builtins.bool = True, executor: _Any = None, rng: _Any = None) -> _Any: ...
def qr(input: _TensorLike, full_matrices: _Any = False, name: str | None = None) -> list[_Tensor]:
    """Matrices as a unitary `q` times an upper triangular `r`.

    Args:
      input: [..., m, n].
      full_matrices: whether `q` is square.

    Returns:
      `(q, r)`."""
def random_index_shuffle(index: _TensorLike, seed: _TensorLike, max_index: _TensorLike, rounds: _Any = 4, name: str | None = None) -> _Tensor:
    """The place of each index in a permutation of [0, max_index], which `seed` determines.

    Args:
      index: integers in [0, max_index], a scalar or n of them.
      seed: three integers, or three for each index, [n, 3].
      max_index: the greatest index, a scalar or n of them.
      rounds: of the cipher: an even number of at least 4.

    Returns:
      Of the type of `index`; a vector if any argument has n rows."""
def rank(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The number of dimensions of a tensor."""
def realdiv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x / y` elementwise, for floating and complex types."""
def reciprocal(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`1 / x` elementwise."""
def reduce_all(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """Whether every element over `axis` (all axes if None) is True.

    Args:
      input_tensor: booleans.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_any(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """Whether any element over `axis` (all axes if None) is True.

    Args:
      input_tensor: booleans.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_logsumexp(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """`log(sum(exp(x)))` over `axis`, all axes if None, without overflow.

    Args:
      input_tensor: floating numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_max(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The greatest element over `axis`, all axes if None; equal ones share the gradient.

    Args:
      input_tensor: real numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_mean(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The mean over `axis`, all axes if None; integers are divided as integers.

    Args:
      input_tensor: numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_min(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The least element over `axis`, all axes if None; equal ones share the gradient.

    Args:
      input_tensor: real numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_prod(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The product over `axis`, all axes if None; the result has the input's type.

    Args:
      input_tensor: numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reduce_sum(input_tensor: _Any, axis: _Any = None, keepdims: _Any = None, name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The sum over `axis`, all axes if None; the result has the input's type.

    Args:
      input_tensor: numbers.
      axis: an axis or a list of them.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      reduction_indices, keep_dims: 1.x names of `axis` and `keepdims`."""
def reshape(tensor: _TensorLike, shape: _TensorLike, name: str | None = None) -> _Tensor:
    """The same elements in another shape; one size may be -1, which is computed.

    Args:
      tensor: the tensor.
      shape: the new sizes."""
def reverse(tensor: _TensorLike, axis: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor with the order of the given axes turned round."""
def rint(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The nearest whole number, halves to the even one, elementwise."""
def roll(input: _TensorLike, shift: _TensorLike, axis: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor with its elements moved along axes; elements shifted past the end re-enter at the start."""
def rsqrt(x: _TensorLike, name: str | None = None) -> _Tensor:
    """One over the square root, elementwise."""
@_overload
def scan(fn: _Callable[..., _Tensor], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, infer_shape: builtins.bool = True, reverse: builtins.bool = False, name: str | None = None) -> _Tensor:
    """As `foldl`, with every accumulated value stacked.

    Args:
      fn: takes the accumulated value and one row; returns the next accumulated value.
      elems: a tensor or nest of tensors with the same number of rows.
      initializer: the first accumulated value; the first row if None, which is then the first result.
      parallel_iterations, swap_memory: accepted.
      back_prop: False stops gradients at the result, in graphs.
      infer_shape: whether all results must have one shape.
      reverse: whether to go from the last row to the first.
      name: the nodes' name.

    Returns:
      A nest like the accumulated value, each tensor with a new first axis."""
@_overload
def scan(fn: _Callable[..., _Any], elems: _Any, initializer: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, infer_shape: builtins.bool = True, reverse: builtins.bool = False, name: str | None = None) -> _Any: ...
def scatter_add(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Adds to the rows `indices` of `ref`; repeated rows add up.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_div(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Divides the rows `indices` of `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_max(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Takes the maximum with the rows `indices` of `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_min(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Takes the minimum with the rows `indices` of `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_mul(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Multiplies the rows `indices` of `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_nd(indices: _TensorLike, updates: _TensorLike, shape: _TensorLike, name: str | None = None) -> _Tensor:
    """Zeros of `shape` with `updates` added at `indices` (an index that occurs twice adds twice)."""
def scatter_nd_add(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Adds to the slices of `ref` that the last axis of `indices` addresses.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_nd_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Subtracts from the slices of `ref` that the last axis of `indices` addresses.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_nd_update(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = True, name: str | None = None) -> _Tensor | _Variable:
    """Replaces the slices of `ref` that the last axis of `indices` addresses.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = False, name: str | None = None) -> _Tensor | _Variable:
    """Subtracts from the rows `indices` of `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def scatter_update(ref: _Any, indices: _Any, updates: _Any, use_locking: builtins.bool = True, name: str | None = None) -> _Tensor | _Variable:
    """Replaces the rows `indices` of the variable `ref`.

    Returns a tensor with the variable's new value; eagerly the variable."""
def segment_max(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The greatest of each segment; an empty segment is 0.

    Args:
      data: real numbers, [n, ...].
      segment_ids: n integers, sorted, from 0."""
def segment_mean(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The mean of each segment; an empty segment is 0.

    Args:
      data: numbers, [n, ...].
      segment_ids: n integers, sorted, from 0."""
def segment_min(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The least of each segment; an empty segment is 0.

    Args:
      data: real numbers, [n, ...].
      segment_ids: n integers, sorted, from 0."""
def segment_prod(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The product of each segment; an empty segment is 1.

    Args:
      data: numbers, [n, ...].
      segment_ids: n integers, sorted, from 0."""
def segment_sum(data: _TensorLike, segment_ids: _TensorLike, name: str | None = None) -> _Tensor:
    """The sum of each segment; an empty segment is 0.

    Args:
      data: numbers, [n, ...].
      segment_ids: n integers, sorted, from 0."""
def sigmoid(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`1 / (1 + exp(-x))` elementwise."""
def sign(x: _TensorLike, name: str | None = None) -> _Tensor:
    """-1, 0 or 1 elementwise; `x / |x|` for complex numbers."""
def sin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The sine of an angle in radians, elementwise."""
def sinh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic sine, elementwise."""
def slice(input_: _TensorLike, begin: _TensorLike, size: _TensorLike, name: str | None = None) -> _Tensor:
    """A box of a tensor.

    Args:
      input_: the tensor.
      begin: the first index per axis.
      size: the size per axis; -1 is all the rest."""
def slogdet(input: _TensorLike, name: str | None = None) -> list[_Tensor]:
    """The sign of the determinant of square matrices, and the logarithm of its modulus."""
def space_to_batch(input: _TensorLike, block_shape: _TensorLike, paddings: _TensorLike, name: str | None = None) -> _Tensor:
    """Space padded with zeros and cut into blocks; each place in a block becomes a part of the batch.

    Args:
      input: [batch, ...]; as many axes as `block_shape` has entries follow, then any others.
      block_shape: a vector with the size of a block along each of those axes.
      paddings: a matrix: number of zeros before and after along each of them.

    Returns:
      A tensor of shape [batch * product of block_shape, padded size / block size ..., ...]."""
@_overload
def sparse_add(a: _SparseTensor, b: _SparseTensor, threshold: _Any = None, thresh: _Any = None) -> _SparseTensor:
    """The sum of two tensors at least one of which is sparse.

    Args:
      a, b: the tensors, of one shape.
      threshold, thresh: of two sparse ones, sums at a place that both have are left out if they are smaller in magnitude.

    Returns:
      A SparseTensor if both are sparse, else a tensor.

    Raises:
      TypeError: if neither is sparse.
      InvalidArgumentError: if a dense one is of another shape."""
@_overload
def sparse_add(a: _Any, b: _Any, threshold: _Any = None, thresh: _Any = None) -> _Tensor: ...
def sparse_concat(axis: _Any, sp_inputs: _Sequence[_Any], name: str | None = None, expand_nonconcat_dim: builtins.bool = False, concat_dim: _Any = None, expand_nonconcat_dims: builtins.bool | None = None) -> _SparseTensor:
    """Sparse tensors joined along an axis.

    Args:
      axis, concat_dim: the axis.
      sp_inputs: the tensors, of one rank.
      name: ignored.
      expand_nonconcat_dim, expand_nonconcat_dims: whether other sizes may differ; the largest counts."""
def sparse_reduce_max(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The greatest of the values that are there over axes, 0 where there are none; arguments as for `reduce_sum`."""
def sparse_reduce_max_sparse(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> _SparseTensor:
    """The greatest of the values that are there over axes, 0 where there are none; arguments as for `reduce_sum`."""
def sparse_reduce_sum(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> _Tensor:
    """The sum over axes.

    Args:
      sp_input: the sparse tensor.
      axis, reduction_axes: an axis or a list of them; None is all.
      keepdims, keep_dims: whether reduced axes stay, with size 1."""
def sparse_reduce_sum_sparse(sp_input: _Any, axis: _Any = None, keepdims: _Any = None, reduction_axes: _Any = None, keep_dims: _Any = None) -> _SparseTensor:
    """The sum over axes.

    Args:
      sp_input: the sparse tensor.
      axis, reduction_axes: an axis or a list of them; None is all.
      keepdims, keep_dims: whether reduced axes stay, with size 1."""
def sqrt(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The square root, elementwise."""
def square(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`x * x` elementwise."""
def squared_difference(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`conj(x - y) * (x - y)` elementwise."""
def stop_gradient(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The input; no gradient flows back through it."""
@_overload
def string_split(source: _Any, sep: _Any = None, skip_empty: builtins.bool = True, delimiter: _Any = None, *, result_type: _Literal['RaggedTensor'], name: str | None = None) -> _RaggedTensor:
    """Each string of a vector cut at separators; the older 1.x form of `strings.split`.

    Args:
      source: a vector of strings.
      sep, delimiter: a string, each of whose bytes separates; a space if None.
      skip_empty: whether empty parts are left out.
      result_type: "SparseTensor" or "RaggedTensor".
      name: ignored.

    Returns:
      A matrix of [number of strings, largest number of parts], or rows of parts."""
@_overload
def string_split(source: _Any, sep: _Any = None, skip_empty: builtins.bool = True, delimiter: _Any = None, result_type: _Literal['SparseTensor'] = "SparseTensor", name: str | None = None) -> _SparseTensor: ...
@_overload
def string_split(source: _Any, sep: _Any = None, skip_empty: builtins.bool = True, delimiter: _Any = None, result_type: str = "SparseTensor", name: str | None = None) -> _Any: ...
def subtract(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x - y` elementwise."""
@_overload
def svd(tensor: _Any, full_matrices: builtins.bool = False, compute_uv: _Literal[True] = True, name: str | None = None) -> builtins.tuple[_Tensor, _Tensor, _Tensor]:
    """Matrices as `u @ diag(s) @ adjoint(v)`.

    Args:
      tensor: [..., m, n].
      full_matrices: whether `u` and `v` are square.
      compute_uv: whether `u` and `v` are wanted.
      name: the node's name.

    Returns:
      `(s, u, v)`, or `s` alone; the greatest singular value first."""
@_overload
def svd(tensor: _Any, full_matrices: builtins.bool = False, *, compute_uv: _Literal[False], name: str | None = None) -> _Tensor: ...
@_overload
def svd(tensor: _Any, full_matrices: builtins.bool = False, compute_uv: builtins.bool = True, name: str | None = None) -> _Any: ...
def tan(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The tangent of an angle in radians, elementwise."""
def tanh(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The hyperbolic tangent, elementwise."""
def tensor_scatter_nd_add(tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None) -> _Tensor:
    """`tensor` with `updates` added to the slices at `indices`."""
def tensor_scatter_nd_max(tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None) -> _Tensor:
    """`tensor` with the slices at `indices` replaced by the greater of them and `updates`."""
def tensor_scatter_nd_min(tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None) -> _Tensor:
    """`tensor` with the slices at `indices` replaced by the lesser of them and `updates`."""
def tensor_scatter_nd_sub(tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None) -> _Tensor:
    """`tensor` with `updates` subtracted from the slices at `indices`."""
def tensor_scatter_nd_update(tensor: _TensorLike, indices: _TensorLike, updates: _TensorLike, name: str | None = None) -> _Tensor:
    """`tensor` with the slices at `indices` replaced by `updates`."""
def tile(input: _TensorLike, multiples: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor repeated `multiples[i]` times along axis i."""
def timestamp(name: str | None = None) -> _Tensor:
    """The seconds since 1970, as a float64 scalar: each run of a node reads the clock."""
def to_bfloat16(x: _Any, name: str | None = "ToBFloat16") -> _Tensor:
    """`x` as bfloat16; the 1.x spelling of `tf.cast(x, tf.bfloat16)`."""
def to_complex128(x: _Any, name: str | None = "ToComplex128") -> _Tensor:
    """`x` as complex128; the 1.x spelling of `tf.cast(x, tf.complex128)`."""
def to_complex64(x: _Any, name: str | None = "ToComplex64") -> _Tensor:
    """`x` as complex64; the 1.x spelling of `tf.cast(x, tf.complex64)`."""
def to_double(x: _Any, name: str | None = "ToDouble") -> _Tensor:
    """`x` as float64; the 1.x spelling of `tf.cast(x, tf.float64)`."""
def to_float(x: _Any, name: str | None = "ToFloat") -> _Tensor:
    """`x` as float32; the 1.x spelling of `tf.cast(x, tf.float32)`."""
def to_int32(x: _Any, name: str | None = "ToInt32") -> _Tensor:
    """`x` as int32; the 1.x spelling of `tf.cast(x, tf.int32)`."""
def to_int64(x: _Any, name: str | None = "ToInt64") -> _Tensor:
    """`x` as int64; the 1.x spelling of `tf.cast(x, tf.int64)`."""
def truncatediv(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x / y` elementwise, rounded towards zero as C divides integers."""
def truncatemod(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """The remainder of `truncatediv`, elementwise; it has the sign of `x`."""
def unravel_index(indices: _TensorLike, dims: _TensorLike, name: str | None = None) -> _Tensor:
    """The coordinates of elements in a tensor, from their flat indices in row-major order.

    Args:
      indices: places, int32 or int64, a scalar or [n].
      dims: the shape of the tensor.

    Returns:
      One row for each axis: [axes], or [axes, n].

    Raises:
      InvalidArgumentError: for an index beyond the last element, and for more elements than the type of `dims` counts."""
def unsorted_segment_max(data: _TensorLike, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None) -> _Tensor:
    """The greatest of each segment; an empty segment is the type's lowest number.

    Args:
      data: real numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has."""
def unsorted_segment_min(data: _TensorLike, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None) -> _Tensor:
    """The least of each segment; an empty segment is the type's highest number.

    Args:
      data: real numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has."""
def unsorted_segment_prod(data: _TensorLike, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None) -> _Tensor:
    """The product of each segment; an empty segment is 1.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has."""
def unsorted_segment_sum(data: _TensorLike, segment_ids: _TensorLike, num_segments: _TensorLike, name: str | None = None) -> _Tensor:
    """The sum of each segment; an empty segment is 0.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has."""
@_overload
def vectorized_map(fn: _Callable[..., _Tensor], elems: _Any, fallback_to_while_loop: builtins.bool = True, warn: builtins.bool = True) -> _Tensor:
    """`fn` applied to each row of `elems`, the results stacked; dtypes of the results are found by themselves.

    Args:
      fn: takes one row (nested like `elems`), returns a nest of tensors.
      elems: a tensor or nest of tensors with the same number of rows; a single row stands for all.
      fallback_to_while_loop, warn: accepted; rows are always taken one after the other, so every `fn` works.

    Returns:
      A nest like the result of `fn`, each tensor with a new first axis."""
@_overload
def vectorized_map(fn: _Callable[..., _Any], elems: _Any, fallback_to_while_loop: builtins.bool = True, warn: builtins.bool = True) -> _Any: ...
@_overload
def while_loop(cond: _Callable[..., _Any], body: _Callable[..., _Any], loop_vars: list[_Tensor], shape_invariants: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, maximum_iterations: _Any = None, name: str | None = None) -> list[_Tensor]:
    """Repeats `body` while `cond` holds.

    Args:
      cond: takes the loop variables, returns a scalar bool.
      body: takes the loop variables, returns their next values, nested alike.
      loop_vars: a list or tuple of nests of tensors: the first values.
      shape_invariants: shapes or specs, nested like `loop_vars` that hold in every iteration; by default
        the first shapes do, but for the lengths of the rows of ragged tensors.
      parallel_iterations, swap_memory: accepted; iterations run one after the other.
      back_prop: False stops gradients at the loop, in graphs.
      maximum_iterations: an upper bound, an int32 scalar.
      name: the node's name.

    Returns:
      The last values, nested like `loop_vars`.

    Raises:
      TypeError, ValueError: if `body` changes structure, dtype or shape, naming the variable."""
@_overload
def while_loop(cond: _Callable[..., _Any], body: _Callable[..., _Any], loop_vars: _Loop, shape_invariants: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, maximum_iterations: _Any = None, name: str | None = None) -> _Loop: ...
@_overload
def while_loop(cond: _Callable[..., _Any], body: _Callable[..., _Any], loop_vars: _Any, shape_invariants: _Any = None, parallel_iterations: int = 10, back_prop: builtins.bool = True, swap_memory: builtins.bool = False, maximum_iterations: _Any = None, name: str | None = None) -> _Any: ...
def zeta(x: _TensorLike, q: _TensorLike, name: str | None = None) -> _Tensor:
    """The Hurwitz zeta function, the sum over n of `(q + n)**-x`, elementwise."""
