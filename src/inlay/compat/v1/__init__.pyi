"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Callable as _Callable, Sequence as _Sequence
from inlay import (
    AUTO_REUSE, AggregationMethod, Assert, AttrValue, ConfigProto, DType, Event, FIFOQueue, FixedLenFeature,
    FixedLenSequenceFeature, FixedLengthRecordReader, GPUOptions, GradientTape, Graph, GraphDef, GraphKeys,
    GraphOptions, HistogramProto, IdentityReader, IndexedSlices, IndexedSlicesSpec, InteractiveSession, LogMessage,
    MetaGraphDef, Module, NameAttrList, NodeDef, NoneTensorSpec, NotDifferentiable, Operation, OptimizerOptions,
    OptionalSpec, PaddingFIFOQueue, Print, PriorityQueue, Processes, QueueBase, RaggedFeature, RaggedTensor,
    RaggedTensorSpec, RandomShuffleQueue, RayExecutor, ReaderBase, RegisterGradient, RunMetadata, RunOptions, Session,
    SessionLog, SparseFeature, SparseTensor, SparseTensorSpec, SparseTensorValue, Summary, SummaryMetadata,
    TFRecordReader, Tensor, TensorArray, TensorInfo, TensorShape, TensorSpec, TextLineReader, Threads, TypeSpec,
    UnconnectedGradients, VarLenFeature, Variable, VariableAggregation, VariableScope, VariableSynchronization,
    WholeFileReader, abs, accumulate_n, acos, acosh, add, add_n, add_to_collection, add_to_collections, all_variables,
    angle, approximate_equal, argsort, as_dtype, as_string, asin, asinh, assert_integer, assert_proper_iterable,
    assert_same_float_dtype, assert_type, assert_variables_initialized, assign, assign_add, assign_sub, atan, atan2,
    atanh, audio, autodiff, autograph, batch_to_space as batch_to_space_nd, betainc, bfloat16, bincount, bitcast,
    bitwise, bool, broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, case, cast, ceil, check_numerics,
    cholesky, cholesky_solve, clip_by_global_norm, clip_by_norm, clip_by_value, compat, complex, complex128, complex64,
    concat, config, conj, contrib, control_dependencies, cos, cosh, count_up_to, create_partitioned_variables, cross,
    cumprod, cumsum, custom_gradient, decode_base64, decode_compressed, decode_json_example, diag, diag_part, digamma,
    disable_eager_execution, disable_v2_behavior, disable_v2_tensorshape, distribute, div, divide, divide_no_nan,
    double, dtypes, dynamic_partition, dynamic_stitch, edit_distance, eig, eigvals, einsum, enable_eager_execution,
    enable_v2_behavior, enable_v2_tensorshape, encode_base64, ensure_shape, equal, erf, erfc, errors,
    executing_eagerly, executor, exp, experimental, expm1, eye, fft, fill, fingerprint, fixed_size_partitioner,
    float16, float32, float64, floor, floor_div, floordiv, floormod, foldl, foldr, function, get_collection,
    get_collection_ref, get_current_name_scope, get_default_graph, get_default_session, get_local_variable, get_logger,
    get_static_value, get_variable, get_variable_scope, global_norm, global_variables, global_variables_initializer,
    glorot_normal_initializer, glorot_uniform_initializer, grad_pass_through, greater, greater_equal, group,
    guarantee_const, half, histogram_fixed_width, histogram_fixed_width_bins, identity, identity_n, ifft, igamma,
    igammac, imag, import_graph_def, init_scope, initialize_all_variables, initialize_local_variables,
    initialize_variables, inside_function, int16, int32, int64, int8, is_finite, is_inf, is_nan, is_symbolic_tensor,
    is_tensor, is_variable_initialized, jax, lbeta, less, less_equal, lgamma, linspace, local_variables,
    local_variables_initializer, log, log1p, log_sigmoid, logging, logical_and, logical_not, logical_or, logical_xor,
    make_ndarray, make_template, make_tensor_proto, map_fn, matching_files, matmul, matrix_band_part,
    matrix_determinant, matrix_diag, matrix_diag_part, matrix_inverse, matrix_set_diag, matrix_solve, matrix_solve_ls,
    matrix_square_root, matrix_transpose, matrix_triangular_solve, maximum, meshgrid, min_max_variable_partitioner,
    minimum, mod, model_variables, moving_average_variables, multinomial, multiply, name_scope, negative, nest,
    newaxis, no_gradient, no_op, no_regularizer, norm, not_equal, numpy_function, one_hot, ones, ones_initializer,
    orthogonal_initializer, parallel_stack, parse_example, parse_single_example, parse_single_sequence_example,
    parse_tensor, placeholder, placeholder_with_default, polygamma, polyval, pow, print, profiler, py_func,
    py_function, python_io, qint16, qint32, qint8, qr, quantization, queue, quint16, quint8, ragged, random_crop,
    random_index_shuffle, random_normal, random_shuffle, random_uniform, range, rank, raw_ops, read_file, real,
    realdiv, reciprocal, recompute_grad, reduce_all, reduce_any, reduce_logsumexp, reduce_max, reduce_mean, reduce_min,
    reduce_prod, reduce_sum, regex_replace, register_tensor_conversion_function, repeat,
    report_uninitialized_variables, required_space_to_batch_paddings, reset_default_graph, reshape, resource, reverse,
    reverse_sequence, reverse as reverse_v2, rint, roll, round, rsqrt, saturate_cast, scalar_mul, scan, scatter_add,
    scatter_div, scatter_max, scatter_min, scatter_mul, scatter_nd, scatter_nd_add, scatter_nd_sub, scatter_nd_update,
    scatter_sub, scatter_update, searchsorted, segment_max, segment_mean, segment_min, segment_prod, segment_sum,
    self_adjoint_eig, self_adjoint_eigvals, sequence_mask, serialize_tensor, set_random_seed, shape_n, sigmoid, sign,
    signal, sin, sinh, slice, slogdet, sort, space_to_batch_nd, sparse_add, sparse_concat, sparse_fill_empty_rows,
    sparse_mask, sparse_maximum, sparse_merge, sparse_minimum, sparse_placeholder, sparse_reduce_max,
    sparse_reduce_max_sparse, sparse_reduce_sum, sparse_reduce_sum_sparse, sparse_reorder, sparse_reset_shape,
    sparse_reshape, sparse_retain, sparse_slice, sparse_softmax, sparse_split, sparse_tensor_dense_matmul,
    sparse_tensor_to_dense, sparse_to_dense, sparse_to_indicator, sparse_transpose, split, sqrt, square,
    squared_difference, squeeze, stack, stop_gradient, strided_slice, string, string_join, string_split,
    string_to_hash_bucket_fast, string_to_hash_bucket_strong, subtract, svd, switch_case, sysconfig, tan, tanh,
    tensor_scatter_nd_add as tensor_scatter_add, tensor_scatter_nd_add, tensor_scatter_nd_max, tensor_scatter_nd_min,
    tensor_scatter_nd_sub, tensor_scatter_nd_update, tensor_scatter_nd_sub as tensor_scatter_sub,
    tensor_scatter_nd_update as tensor_scatter_update, tensordot, tile, timestamp, to_bfloat16, to_complex128,
    to_complex64, to_double, to_float, to_int32, to_int64, torch, trace, trainable_variables, truediv,
    truncated_normal, truncated_normal_initializer, truncatediv, truncatemod, type_spec_from_value, types, uint16,
    uint32, uint64, uint8, uniform_unit_scaling_initializer, unique, unique_with_counts, unravel_index,
    unsorted_segment_join, unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod,
    unsorted_segment_sqrt_n, unsorted_segment_sum, unstack, variable_axis_size_partitioner, variable_creator_scope,
    variable_op_scope, variable_scope, variables_initializer, variance_scaling_initializer, variant, vectorized_map,
    version, write_file, zeros, zeros_initializer, zeta
)
from inlay._src.base.errors import OpError
from inlay._src.base.types.attributes import disable_tensor_equality, enable_tensor_equality
from inlay._src.base.types.dtypes import QUANTIZED_DTYPES
from inlay._src.base.types.shapes import Dimension, dimension_at_index, dimension_value
from inlay._src.core.behavior import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_resource_variables, enable_control_flow_v2,
    enable_resource_variables, resource_variables_enabled
)
from inlay._src.core.context import colocate_with, device_v1 as device, executing_eagerly_outside_functions, op_scope
from inlay._src.core.device_spec import DeviceSpecV1 as DeviceSpec
from inlay._src.core.operation import Operation as _Operation
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.engine.autodiff.graph_gradients import gradients_v1 as gradients
from inlay._src.engine.autodiff.rules import not_differentiable as NoGradient
from inlay._src.ops.array import where as where_v2
from inlay._src.ops.asserting import assert_near_v1 as assert_near, assert_scalar_v1 as assert_scalar, is_numeric_tensor
from inlay._src.ops.clipping import clip_by_average_norm
from inlay._src.ops.composite.indexed_slices import IndexedSlicesValue, convert_to_tensor_or_indexed_slices
from inlay._src.ops.composite.serialized import deserialize_many_sparse
from inlay._src.ops.composite.sparse import convert_to_tensor_or_sparse_tensor
from inlay._src.ops.division import divide_no_nan as div_no_nan
from inlay._src.ops.hash_tables.table import initialize_all_tables, tables_initializer
from inlay._src.ops.legacy import add_check_numerics_ops, batch_gather, constant, expand_dims, where
from inlay._src.ops.matmul import sparse_matmul
from inlay._src.ops.patches import extract_volume_patches
from inlay._src.ops.quantized_numbers import dequantize, quantize, quantize_v2
from inlay._src.ops.reductions import is_non_decreasing, is_strictly_increasing
from inlay._src.ops.seeds import get_seed
from inlay._src.ops.sequences import linspace as lin_space
from inlay._src.ops.session_handles import delete_session_tensor, get_session_tensor
from inlay._src.ops.shaped_draws import random_gamma
from inlay._src.ops.sorting import setdiff1d
from inlay._src.ops.variables.assigning import batch_scatter_update
from inlay._src.ops.variables.legacy_initializers import (
    ConstantV1 as constant_initializer, RandomNormalV1 as random_normal_initializer, RandomUniformV1 as
    random_uniform_initializer
)
from inlay._src.programs.control.critical_section import CriticalSection
from inlay._src.programs.control.loops import while_loop_v1 as while_loop
from inlay._src.programs.functions.wrapping import wrap_function
from inlay._src.tf1.platform.version import (
    COMPILER_VERSION, GIT_VERSION, GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION
)
from inlay._src.tf1.queues.accumulator import (
    ConditionalAccumulatorBase, ConditionalAccumulator as _ConditionalAccumulator, SparseConditionalAccumulator as
    _SparseConditionalAccumulator
)
from inlay.compat.v1 import (
    app, data, debugging, distributions, flags, gfile, graph_util, image, initializers, io, layers, linalg, lookup,
    losses, manip, math, metrics, mixed_precision, nn, random, resource_loader, saved_model, sets, sparse, spectral,
    strings, summary, test, train
)
from inlay.compat.v1.image import extract_image_patches
from inlay.compat.v1.random import poisson as random_poisson
from inlay.math import invert_permutation
from inlay.quantization import (
    fake_quant_with_min_max_args, fake_quant_with_min_max_args_gradient, fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient, fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient
)
from inlay.signal import fft2d, fft3d, ifft2d, ifft3d
from inlay.strings import strip as string_strip
from typing import Any as _Any, overload as _overload
__all__ = [
    "AUTO_REUSE", "AggregationMethod", "Assert", "AttrValue", "COMPILER_VERSION", "ConditionalAccumulator",
    "ConditionalAccumulatorBase", "ConfigProto", "CriticalSection", "DType", "DeviceSpec", "Dimension", "Event",
    "FIFOQueue", "FixedLenFeature", "FixedLenSequenceFeature", "FixedLengthRecordReader", "GIT_VERSION", "GPUOptions",
    "GRAPH_DEF_VERSION", "GRAPH_DEF_VERSION_MIN_CONSUMER", "GRAPH_DEF_VERSION_MIN_PRODUCER", "GradientTape", "Graph",
    "GraphDef", "GraphKeys", "GraphOptions", "HistogramProto", "IdentityReader", "IndexedSlices", "IndexedSlicesSpec",
    "IndexedSlicesValue", "InteractiveSession", "LogMessage", "MetaGraphDef", "Module", "NameAttrList", "NoGradient",
    "NodeDef", "NoneTensorSpec", "NotDifferentiable", "OpError", "Operation", "OptimizerOptions", "OptionalSpec",
    "PaddingFIFOQueue", "Print", "PriorityQueue", "Processes", "QUANTIZED_DTYPES", "QueueBase", "RaggedFeature",
    "RaggedTensor", "RaggedTensorSpec", "RandomShuffleQueue", "RayExecutor", "ReaderBase", "RegisterGradient",
    "RunMetadata", "RunOptions", "Session", "SessionLog", "SparseConditionalAccumulator", "SparseFeature",
    "SparseTensor", "SparseTensorSpec", "SparseTensorValue", "Summary", "SummaryMetadata", "TFRecordReader", "Tensor",
    "TensorArray", "TensorInfo", "TensorShape", "TensorSpec", "TextLineReader", "Threads", "TypeSpec",
    "UnconnectedGradients", "VERSION", "VarLenFeature", "Variable", "VariableAggregation", "VariableScope",
    "VariableSynchronization", "WholeFileReader", "abs", "accumulate_n", "acos", "acosh", "add",
    "add_check_numerics_ops", "add_n", "add_to_collection", "add_to_collections", "all_variables", "angle", "app",
    "approximate_equal", "arg_max", "arg_min", "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh",
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer", "assert_less", "assert_less_equal",
    "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal",
    "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least", "assert_rank_in",
    "assert_same_float_dtype", "assert_scalar", "assert_type", "assert_variables_initialized", "assign", "assign_add",
    "assign_sub", "atan", "atan2", "atanh", "audio", "autodiff", "autograph", "batch_gather", "batch_scatter_update",
    "batch_to_space", "batch_to_space_nd", "betainc", "bfloat16", "bincount", "bitcast", "bitwise", "bool",
    "boolean_mask", "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "case", "cast", "ceil",
    "check_numerics", "cholesky", "cholesky_solve", "clip_by_average_norm", "clip_by_global_norm", "clip_by_norm",
    "clip_by_value", "colocate_with", "compat", "complex", "complex128", "complex64", "concat", "cond", "config",
    "confusion_matrix", "conj", "constant", "constant_initializer", "contrib", "control_dependencies",
    "control_flow_v2_enabled", "convert_to_tensor", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor", "cos", "cosh", "count_nonzero", "count_up_to",
    "create_partitioned_variables", "cross", "cumprod", "cumsum", "custom_gradient", "data", "debugging",
    "decode_base64", "decode_compressed", "decode_csv", "decode_json_example", "decode_raw", "delete_session_tensor",
    "depth_to_space", "dequantize", "deserialize_many_sparse", "device", "diag", "diag_part", "digamma",
    "dimension_at_index", "dimension_value", "disable_control_flow_v2", "disable_eager_execution",
    "disable_resource_variables", "disable_tensor_equality", "disable_v2_behavior", "disable_v2_tensorshape",
    "distribute", "distributions", "div", "div_no_nan", "divide", "divide_no_nan", "double", "dtypes",
    "dynamic_partition", "dynamic_stitch", "edit_distance", "eig", "eigvals", "einsum", "enable_control_flow_v2",
    "enable_eager_execution", "enable_resource_variables", "enable_tensor_equality", "enable_v2_behavior",
    "enable_v2_tensorshape", "encode_base64", "ensure_shape", "equal", "erf", "erfc", "errors", "executing_eagerly",
    "executing_eagerly_outside_functions", "executor", "exp", "expand_dims", "experimental", "expm1",
    "extract_image_patches", "extract_volume_patches", "eye", "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient", "fake_quant_with_min_max_vars", "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel", "fake_quant_with_min_max_vars_per_channel_gradient", "fft", "fft2d",
    "fft3d", "fill", "fingerprint", "fixed_size_partitioner", "flags", "float16", "float32", "float64", "floor",
    "floor_div", "floordiv", "floormod", "foldl", "foldr", "function", "gather", "gather_nd", "get_collection",
    "get_collection_ref", "get_current_name_scope", "get_default_graph", "get_default_session", "get_local_variable",
    "get_logger", "get_seed", "get_session_handle", "get_session_tensor", "get_static_value", "get_variable",
    "get_variable_scope", "gfile", "global_norm", "global_variables", "global_variables_initializer",
    "glorot_normal_initializer", "glorot_uniform_initializer", "grad_pass_through", "gradients", "graph_util",
    "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifft", "ifft2d", "ifft3d", "igamma", "igammac", "imag",
    "image", "import_graph_def", "init_scope", "initialize_all_tables", "initialize_all_variables",
    "initialize_local_variables", "initialize_variables", "initializers", "inside_function", "int16", "int32", "int64",
    "int8", "invert_permutation", "io", "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_numeric_tensor",
    "is_strictly_increasing", "is_symbolic_tensor", "is_tensor", "is_variable_initialized", "jax", "layers", "lbeta",
    "less", "less_equal", "lgamma", "lin_space", "linalg", "linspace", "local_variables",
    "local_variables_initializer", "log", "log1p", "log_sigmoid", "logging", "logical_and", "logical_not",
    "logical_or", "logical_xor", "lookup", "losses", "make_ndarray", "make_template", "make_tensor_proto", "manip",
    "map_fn", "matching_files", "math", "matmul", "matrix_band_part", "matrix_determinant", "matrix_diag",
    "matrix_diag_part", "matrix_inverse", "matrix_set_diag", "matrix_solve", "matrix_solve_ls", "matrix_square_root",
    "matrix_transpose", "matrix_triangular_solve", "maximum", "meshgrid", "metrics", "min_max_variable_partitioner",
    "minimum", "mixed_precision", "mod", "model_variables", "moving_average_variables", "multinomial", "multiply",
    "name_scope", "negative", "nest", "newaxis", "nn", "no_gradient", "no_op", "no_regularizer", "norm", "not_equal",
    "numpy_function", "one_hot", "ones", "ones_initializer", "ones_like", "op_scope", "orthogonal_initializer", "pad",
    "parallel_stack", "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor",
    "placeholder", "placeholder_with_default", "polygamma", "polyval", "pow", "print", "profiler", "py_func",
    "py_function", "python_io", "qint16", "qint32", "qint8", "qr", "quantization", "quantize", "quantize_v2", "queue",
    "quint16", "quint8", "ragged", "random", "random_crop", "random_gamma", "random_index_shuffle", "random_normal",
    "random_normal_initializer", "random_poisson", "random_shuffle", "random_uniform", "random_uniform_initializer",
    "range", "rank", "raw_ops", "read_file", "real", "realdiv", "reciprocal", "recompute_grad", "reduce_all",
    "reduce_any", "reduce_join", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod",
    "reduce_sum", "regex_replace", "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
    "required_space_to_batch_paddings", "reset_default_graph", "reshape", "resource", "resource_loader",
    "resource_variables_enabled", "reverse", "reverse_sequence", "reverse_v2", "rint", "roll", "round", "rsqrt",
    "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_add", "scatter_div", "scatter_max", "scatter_min",
    "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_update", "scatter_sub",
    "scatter_update", "searchsorted", "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum",
    "self_adjoint_eig", "self_adjoint_eigvals", "sequence_mask", "serialize_many_sparse", "serialize_sparse",
    "serialize_tensor", "set_random_seed", "setdiff1d", "sets", "shape", "shape_n", "sigmoid", "sign", "signal", "sin",
    "sinh", "size", "slice", "slogdet", "sort", "space_to_batch", "space_to_batch_nd", "space_to_depth", "sparse",
    "sparse_add", "sparse_concat", "sparse_fill_empty_rows", "sparse_mask", "sparse_matmul", "sparse_maximum",
    "sparse_merge", "sparse_minimum", "sparse_placeholder", "sparse_reduce_max", "sparse_reduce_max_sparse",
    "sparse_reduce_sum", "sparse_reduce_sum_sparse", "sparse_reorder", "sparse_reset_shape", "sparse_reshape",
    "sparse_retain", "sparse_segment_mean", "sparse_segment_sqrt_n", "sparse_segment_sum", "sparse_slice",
    "sparse_softmax", "sparse_split", "sparse_tensor_dense_matmul", "sparse_tensor_to_dense", "sparse_to_dense",
    "sparse_to_indicator", "sparse_transpose", "spectral", "split", "sqrt", "square", "squared_difference", "squeeze",
    "stack", "stop_gradient", "strided_slice", "string", "string_join", "string_split", "string_strip",
    "string_to_hash_bucket", "string_to_hash_bucket_fast", "string_to_hash_bucket_strong", "string_to_number",
    "strings", "substr", "subtract", "summary", "svd", "switch_case", "sysconfig", "tables_initializer", "tan", "tanh",
    "tensor_scatter_add", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update", "tensordot",
    "test", "tile", "timestamp", "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32",
    "to_int64", "torch", "trace", "train", "trainable_variables", "transpose", "truediv", "truncated_normal",
    "truncated_normal_initializer", "truncatediv", "truncatemod", "tuple", "type_spec_from_value", "types", "uint16",
    "uint32", "uint64", "uint8", "uniform_unit_scaling_initializer", "unique", "unique_with_counts", "unravel_index",
    "unsorted_segment_join", "unsorted_segment_max", "unsorted_segment_mean", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum", "unstack",
    "variable_axis_size_partitioner", "variable_creator_scope", "variable_op_scope", "variable_scope",
    "variables_initializer", "variance_scaling_initializer", "variant", "vectorized_map", "verify_tensor_all_finite",
    "version", "where", "where_v2", "while_loop", "wrap_function", "write_file", "zeros", "zeros_initializer",
    "zeros_like", "zeta"
]
class ConditionalAccumulator(_ConditionalAccumulator):
    def __init__(self, dtype: _Any, shape: _Any = None, shared_name: str | None = None, name: str | None = "conditional_accumulator", reduction_type: str = "MEAN") -> None: ...
class SparseConditionalAccumulator(_SparseConditionalAccumulator):
    def __init__(self, dtype: _Any, shape: _Any = None, shared_name: str | None = None, name: str | None = "sparse_conditional_accumulator", reduction_type: str = "MEAN") -> None: ...
def arg_max(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> _Tensor:
    """Where the greatest element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      dimension: one axis.
      output_type: int16, uint16, int32, int64.
      name: the node's name."""
def arg_min(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> _Tensor:
    """Where the least element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      dimension: one axis.
      output_type: int32, int64.
      name: the node's name."""
def argmax(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> _Tensor:
    """Where the greatest element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis, dimension: one axis.
      name: the node's name.
      output_type: int16, uint16, int32, int64."""
def argmin(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> _Tensor:
    """Where the least element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis, dimension: one axis.
      name: the node's name.
      output_type: int32, int64."""
def assert_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x == y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_greater(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x > y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_greater_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x >= y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_less(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x < y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_less_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x <= y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is < 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_non_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is >= 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_non_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is <= 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_none_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless `x != y` for every element.

    Args:
      x, y: tensors that broadcast.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with InvalidArgumentError unless every element is > 0.

    Args:
      x: a tensor.
      message: what the error says first.
      summarize: how many elements to show.
      name: the node's name.
      data: what to show instead of the values.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank it.

    Args:
      x: a tensor.
      rank: what is required: a number, or tensors.
      data: what to show instead of the values.
      summarize: how many elements to show.
      message: what the error says first.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank_at_least(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank at least it.

    Args:
      x: a tensor.
      rank: what is required: a number, or tensors.
      data: what to show instead of the values.
      summarize: how many elements to show.
      message: what the error says first.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def assert_rank_in(x: _Any, ranks: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Operation | None:
    """Fails with ValueError (or when it runs, if a rank is unknown) unless `x` has a rank in it.

    Args:
      x: a tensor.
      ranks: what is required: several numbers, or tensors.
      data: what to show instead of the values.
      summarize: how many elements to show.
      message: what the error says first.
      name: the node's name.

    Returns:
      The operation, on which others may depend; None while executing eagerly."""
def batch_to_space(input: _Any, crops: _Any, block_size: _Any, name: str | None = None, block_shape: _Any = None) -> _Tensor:
    """Parts of the batch put back into blocks of images, and the margin cut off.

    Args:
      input: [batch, height, width, channels].
      crops: two rows: number of elements to cut off before and after.
      block_size, block_shape: the side of a block.
      name: the node's name."""
def boolean_mask(tensor: _Any, mask: _Any, name: str | None = "boolean_mask", axis: _Any = None) -> _Tensor:
    """The slices of `tensor` where `mask` holds; the masked axes become one."""
@_overload
def cond(pred: _Any, true_fn: _Callable[..., _Tensor], false_fn: _Callable[..., _Tensor], strict: builtins.bool = False, name: str | None = None, fn1: _Callable[[], _Any] | None = None, fn2: _Callable[[], _Any] | None = None) -> _Tensor:
    """`tf.cond` with the arguments of 1.x.

    Args:
      pred, true_fn, false_fn, name: as in `tf.cond`.
      strict: whether a list of one tensor stays a list while executing eagerly, as it does in graphs.
      fn1, fn2: the oldest names of the branches.

    Returns:
      The result of the branch; the operation if it returns no tensor.

    Raises:
      TypeError: if a branch has both its names, and as in `tf.cond`."""
@_overload
def cond(pred: _Any, true_fn: _Callable[[], _Any] | None = None, false_fn: _Callable[[], _Any] | None = None, strict: builtins.bool = False, name: str | None = None, fn1: _Callable[[], _Any] | None = None, fn2: _Callable[[], _Any] | None = None) -> _Any: ...
def confusion_matrix(labels: _Any, predictions: _Any, num_classes: _Any = None, dtype: _Any = ..., name: str | None = None, weights: _Any = None) -> _Tensor:
    """Counts of predictions by true label (row) and predicted class (column).

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: number of classes; the greatest label plus 1 if None.
      dtype: the type of the result.
      name: the node's name.
      weights: weight of each pair; 1 if None."""
def convert_to_tensor(value: _Any, dtype: _Any = None, name: str | None = None, preferred_dtype: _Any = None, dtype_hint: _Any = None) -> _Tensor:
    """`value` as a tensor: unchanged if it is one, else a constant.

    Args:
      value: a tensor, variable, number, string, nested list or array.
      dtype: the required type; a tensor of another type is refused.
      name: the constant's name in a graph.
      preferred_dtype, dtype_hint: a type to prefer where the value allows it.

    Returns:
      A tensor.

    Raises:
      ValueError, TypeError: if the value has no such tensor."""
def count_nonzero(input_tensor: _Any = None, axis: _Any = None, keepdims: _Any = None, dtype: _Any = ..., name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None, input: _Any = None) -> _Tensor:
    """The number of elements over `axis` (all axes if None) that are not zero (not empty, for strings).

    Args:
      input_tensor, input: any tensor.
      axis, reduction_indices: an axis or a list of them.
      keepdims, keep_dims: whether reduced axes stay, with size 1.
      dtype: the type of the count.
      name: the node's name."""
def decode_csv(records: _Any, record_defaults: _Any, field_delim: str = ",", use_quote_delim: builtins.bool = True, name: str | None = None, na_value: str = "", select_cols: _Sequence[int] | None = None) -> list[_Any]:
    """Records of comma separated values as one tensor per column.

    Args:
      records: strings, a record each.
      record_defaults: for each column a scalar or a vector of at most one entry: float32, float64, int32, int64 or
        string. Its type is the column's. Its entry is the value of a missing field; without one none may be missing.
      field_delim: the delimiter of the fields, one character.
      use_quote_delim: whether double quotes go around fields; otherwise they are part of them.
      name: the node's name.
      na_value: further texts of a missing field.
      select_cols: the numbers of the columns to read, in order; all of them if None.

    Returns:
      A list of tensors of the shape of `records`.

    Raises:
      InvalidArgumentError: for a record that has another number of fields, or a field of the wrong type."""
def decode_raw(input_bytes: _Any = None, out_type: _Any = None, little_endian: builtins.bool = True, name: str | None = None, bytes: _Any = None) -> _Tensor:
    """The bytes of each string as a row of numbers.

    Args:
      input_bytes, bytes: strings, of one length unless `fixed_length` is given.
      out_type: the numbers' type.
      little_endian: the order of their bytes.
      name: the node's name.

    Raises:
      ValueError: if `fixed_length` is not a positive multiple of the size of `out_type`."""
def depth_to_space(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = "NHWC") -> _Tensor:
    """Blocks of the channels of images spread over space.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width grow.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width]."""
def gather(params: _Any, indices: _Any, validate_indices: _Any = None, name: str | None = None, axis: _Any = None, batch_dims: int | None = 0) -> _Tensor:
    """Slices of `params` along `axis`, in the order of `indices`.

    Args:
      params: the tensor to read.
      indices: integers in [0, size of the axis).
      validate_indices: ignored; indices are always checked.
      name: the node's name.
      axis: the axis; None is the first one after the batch axes.
      batch_dims: number of leading batch axes of both; None is 0."""
def gather_nd(params: _Any, indices: _Any, name: str | None = None, batch_dims: _Any = 0, bad_indices_policy: _Any = "") -> _Tensor:
    """Slices of `params` at multi-dimensional indices.

    Args:
      params: the tensor to read.
      indices: integers; the last axis holds one index into the first axes of `params`.
      batch_dims: number of leading batch axes of both.
      bad_indices_policy: "IGNORE" gives zeros for an index outside; any other policy makes it an error."""
def get_session_handle(data: _TensorLike, name: str | None = None) -> _Tensor:
    """A tensor whose fetched value is a `TensorHandle` of `data`, which stays in the process while the handle lives.

    Args:
      data: a tensor.
      name: the node's name."""
def hessians(ys: _Any, xs: _Any, name: str | None = "hessians", colocate_gradients_with_ops: _Any = False, gate_gradients: builtins.bool = False, aggregation_method: _Any = None) -> list[_Any]:
    """Second derivatives of the sum of `ys` with respect to each of `xs`, as graph nodes.

    Args:
      ys: symbolic tensors.
      xs: symbolic tensors.
      name: the scope of the new nodes.
      colocate_gradients_with_ops: accepted and ignored.
      gate_gradients, aggregation_method: accepted and ignored.

    Returns:
      Per `x` a tensor of shape `x.shape + x.shape`.

    Raises:
      ValueError: if `ys` do not depend on one of `xs`."""
def ones_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> _Tensor:
    """Ones of the shape of `input`, and of its type unless `dtype` is given.  optimize: accepted and ignored."""
def pad(tensor: _Any, paddings: _Any, mode: str = "CONSTANT", name: str | None = None, constant_values: _Any = 0) -> _Tensor:
    """The tensor with a margin.

    Args:
      tensor: the tensor.
      paddings: a matrix: number of elements before and after, per axis.
      mode: "CONSTANT", "REFLECT" (the edge is not repeated) or "SYMMETRIC" (it is).
      name: the node's name.
      constant_values: the margin's value for "CONSTANT"."""
def reduce_join(inputs: _Any, axis: _Any = None, keep_dims: builtins.bool | None = None, separator: str = "", name: str | None = None, reduction_indices: _Any = None, keepdims: builtins.bool | None = None) -> _Tensor:
    """The strings along `axis` (all axes if None) joined.

    Args:
      inputs: a string tensor.
      axis: an axis or a list of them, joined in that order.
      keep_dims, reduction_indices: the 1.x names.
      separator: separator between the parts.
      name: the node's name.
      keepdims: whether joined axes stay, with size 1."""
def serialize_many_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> _Tensor:
    """Each row of a sparse tensor as three strings.

    Args:
      sp_input: a `SparseTensor` of rank 2 or more.
      name: the node's name.
      out_type: string, the only one.

    Returns:
      A matrix of strings, [rows, 3].

    Raises:
      TypeError: if it is no `SparseTensor`."""
def serialize_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> _Tensor:
    """A sparse tensor as three strings, which TensorFlow reads too: its coordinates, values and shape.

    Args:
      sp_input: a `SparseTensor`.
      name: the node's name.
      out_type: string, the only one.

    Raises:
      TypeError: if it is no `SparseTensor`."""
def shape(input: _Any, name: str | None = None, out_type: _Any = None) -> _Tensor:
    """The shape of a tensor when it runs, as a vector of `out_type`, int32 if None; ragged, a `DynamicRaggedShape`."""
def size(input: _Any, name: str | None = None, out_type: _Any = None) -> _Tensor:
    """The number of elements as `out_type`: int32 if None, or int64; any number if the shape is known, or ragged."""
def space_to_batch(input: _Any, paddings: _Any, block_size: _Any = None, name: str | None = None, block_shape: _Any = None) -> _Tensor:
    """Images padded with zeros and cut into blocks; each place in a block becomes a part of the batch.

    Args:
      input: [batch, height, width, channels].
      paddings: two rows: number of zeros before and after.
      block_size, block_shape: the side of a block.
      name: the node's name."""
def space_to_depth(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = "NHWC") -> _Tensor:
    """Blocks of space of images put into the channels.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width shrink.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width]."""
def sparse_segment_mean(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The mean of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
def sparse_segment_sqrt_n(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The sum, divided by the root of their number, of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
def sparse_segment_sum(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The sum of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
def string_to_hash_bucket(string_tensor: _Any = None, num_buckets: int | None = None, name: str | None = None, input: _Any = None) -> _Tensor:
    """A number below `num_buckets` for each string; `to_hash_bucket_fast` spreads them better.

    Args:
      string_tensor, input: strings.
      num_buckets: number of buckets.
      name: the node's name."""
def string_to_number(string_tensor: _Any = None, out_type: _Any = ..., name: str | None = None, input: _Any = None) -> _Tensor:
    """Each string read as a number.

    Args:
      string_tensor, input: a string tensor.
      out_type: float32, float64, int32, int64, uint32 or uint64.
      name: the node's name."""
def substr(input: _Any, pos: _Any, len: _Any, name: str | None = None, unit: str = "BYTE") -> _Tensor:
    """The part of each string from `pos` on, `len` long.

    Args:
      input: a string tensor.
      pos: where it starts; a negative position counts from the end. A scalar or of the shape of `input`, to any rank;
        up to rank 2 it is broadcast with `input`.
      len: maximum length; shaped like `pos`. A negative one is no limit, of characters 0. A negative one is no limit,
          of characters 0.
      name: the node's name.
      unit: "BYTE" or "UTF8_CHAR".

    Raises:
      UnimplementedError: if `pos` would have to be broadcast with `input` over more than two axes."""
def transpose(a: _Any, perm: _Any = None, name: str | None = "transpose", conjugate: builtins.bool = False) -> _Tensor:
    """The tensor with its axes in the order `perm`; reversed if `perm` is None.

    Args:
      a: the tensor.
      perm: a permutation of the axes.
      name: the node's name.
      conjugate: whether to take complex conjugates too."""
def tuple(tensors: _Sequence[_Any], name: str | None = None, control_inputs: _Any = None) -> list[_Any]:
    """The tensors, none of which is available before all of them (and `control_inputs`) are."""
def verify_tensor_all_finite(t: _Any = None, msg: _Any = None, name: str | None = None, x: _Any = None, message: _Any = None) -> _Tensor:
    """The tensor, refusing it when it holds NaN or an infinity."""
def zeros_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> _Tensor:
    """Zeros of the shape of `input`, and of its type unless `dtype` is given.  optimize: accepted and ignored."""
