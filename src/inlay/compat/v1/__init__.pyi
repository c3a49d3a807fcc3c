"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Sequence as _Sequence
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
    is_tensor, is_variable_initialized, lbeta, less, less_equal, lgamma, linspace, local_variables,
    local_variables_initializer, log, log1p, log_sigmoid, logging, logical_and, logical_not, logical_or, logical_xor,
    make_ndarray, make_template, make_tensor_proto, map_fn, matching_files, matmul, matrix_band_part,
    matrix_determinant, matrix_diag, matrix_diag_part, matrix_inverse, matrix_set_diag, matrix_solve, matrix_solve_ls,
    matrix_square_root, matrix_transpose, matrix_triangular_solve, maximum, meshgrid, min_max_variable_partitioner,
    minimum, mod, model_variables, moving_average_variables, multinomial, multiply, name_scope, negative, nest,
    newaxis, no_gradient, no_op, no_regularizer, norm, not_equal, numpy_function, one_hot, ones, ones_initializer,
    orthogonal_initializer, parallel_stack, parse_example, parse_single_example, parse_single_sequence_example,
    parse_tensor, placeholder, placeholder_with_default, polygamma, polyval, pow, print, py_func, py_function,
    python_io, qint16, qint32, qint8, qr, quantization, queue, quint16, quint8, ragged, random_crop,
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
    string_to_hash_bucket_fast, string_to_hash_bucket_strong, subtract, svd, switch_case, tan, tanh,
    tensor_scatter_nd_add as tensor_scatter_add, tensor_scatter_nd_add, tensor_scatter_nd_max, tensor_scatter_nd_min,
    tensor_scatter_nd_sub, tensor_scatter_nd_update, tensor_scatter_nd_sub as tensor_scatter_sub,
    tensor_scatter_nd_update as tensor_scatter_update, tensordot, tile, timestamp, to_bfloat16, to_complex128,
    to_complex64, to_double, to_float, to_int32, to_int64, trace, trainable_variables, truediv, truncated_normal,
    truncated_normal_initializer, truncatediv, truncatemod, type_spec_from_value, types, uint16, uint32, uint64, uint8,
    uniform_unit_scaling_initializer, unique, unique_with_counts, unravel_index, unsorted_segment_join,
    unsorted_segment_max, unsorted_segment_mean, unsorted_segment_min, unsorted_segment_prod, unsorted_segment_sqrt_n,
    unsorted_segment_sum, unstack, variable_axis_size_partitioner, variable_creator_scope, variable_op_scope,
    variable_scope, variables_initializer, variance_scaling_initializer, variant, vectorized_map, version, write_file,
    zeros, zeros_initializer, zeta
)
from inlay._src.base.errors import OpError
from inlay._src.base.types.dtypes import QUANTIZED_DTYPES
from inlay._src.base.types.shapes import Dimension, dimension_at_index, dimension_value
from inlay._src.core.behavior import (
    control_flow_v2_enabled, disable_control_flow_v2, disable_resource_variables, enable_control_flow_v2,
    enable_resource_variables, resource_variables_enabled
)
from inlay._src.core.context import colocate_with, device_v1 as device, executing_eagerly_outside_functions, op_scope
from inlay._src.core.device_spec import DeviceSpecV1 as DeviceSpec
from inlay._src.core.equality import disable_tensor_equality, enable_tensor_equality
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
from inlay._src.programs.control.branches import cond_v1 as cond
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
from typing import Any as _Any
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
    "is_strictly_increasing", "is_symbolic_tensor", "is_tensor", "is_variable_initialized", "layers", "lbeta", "less",
    "less_equal", "lgamma", "lin_space", "linalg", "linspace", "local_variables", "local_variables_initializer", "log",
    "log1p", "log_sigmoid", "logging", "logical_and", "logical_not", "logical_or", "logical_xor", "lookup", "losses",
    "make_ndarray", "make_template", "make_tensor_proto", "manip", "map_fn", "matching_files", "math", "matmul",
    "matrix_band_part", "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_inverse", "matrix_set_diag",
    "matrix_solve", "matrix_solve_ls", "matrix_square_root", "matrix_transpose", "matrix_triangular_solve", "maximum",
    "meshgrid", "metrics", "min_max_variable_partitioner", "minimum", "mixed_precision", "mod", "model_variables",
    "moving_average_variables", "multinomial", "multiply", "name_scope", "negative", "nest", "newaxis", "nn",
    "no_gradient", "no_op", "no_regularizer", "norm", "not_equal", "numpy_function", "one_hot", "ones",
    "ones_initializer", "ones_like", "op_scope", "orthogonal_initializer", "pad", "parallel_stack", "parse_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "placeholder", "placeholder_with_default",
    "polygamma", "polyval", "pow", "print", "py_func", "py_function", "python_io", "qint16", "qint32", "qint8", "qr",
    "quantization", "quantize", "quantize_v2", "queue", "quint16", "quint8", "ragged", "random", "random_crop",
    "random_gamma", "random_index_shuffle", "random_normal", "random_normal_initializer", "random_poisson",
    "random_shuffle", "random_uniform", "random_uniform_initializer", "range", "rank", "raw_ops", "read_file", "real",
    "realdiv", "reciprocal", "recompute_grad", "reduce_all", "reduce_any", "reduce_join", "reduce_logsumexp",
    "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "regex_replace",
    "register_tensor_conversion_function", "repeat", "report_uninitialized_variables",
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
    "strings", "substr", "subtract", "summary", "svd", "switch_case", "tables_initializer", "tan", "tanh",
    "tensor_scatter_add", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update", "tensordot",
    "test", "tile", "timestamp", "to_bfloat16", "to_complex128", "to_complex64", "to_double", "to_float", "to_int32",
    "to_int64", "trace", "train", "trainable_variables", "transpose", "truediv", "truncated_normal",
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
def arg_max(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> _Any: ...
def arg_min(input: _Any, dimension: _Any, output_type: _Any = ..., name: str | None = None) -> _Any: ...
def argmax(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> _Any: ...
def argmin(input: _Any, axis: _Any = None, name: str | None = None, dimension: _Any = None, output_type: _Any = ...) -> _Any: ...
def assert_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_greater(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_greater_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_less(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_less_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_non_negative(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_non_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_none_equal(x: _Any, y: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_positive(x: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_rank(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_rank_at_least(x: _Any, rank: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def assert_rank_in(x: _Any, ranks: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: str | None = None) -> _Any: ...
def batch_to_space(input: _Any, crops: _Any, block_size: _Any, name: str | None = None, block_shape: _Any = None) -> _Any: ...
def boolean_mask(tensor: _Any, mask: _Any, name: str | None = "boolean_mask", axis: _Any = None) -> _Any: ...
def confusion_matrix(labels: _Any, predictions: _Any, num_classes: _Any = None, dtype: _Any = ..., name: str | None = None, weights: _Any = None) -> _Any: ...
def convert_to_tensor(value: _Any, dtype: _Any = None, name: str | None = None, preferred_dtype: _Any = None, dtype_hint: _Any = None) -> _Any: ...
def count_nonzero(input_tensor: _Any = None, axis: _Any = None, keepdims: _Any = None, dtype: _Any = ..., name: str | None = None, reduction_indices: _Any = None, keep_dims: _Any = None, input: _Any = None) -> _Any: ...
def decode_csv(records: _Any, record_defaults: _Any, field_delim: str = ",", use_quote_delim: builtins.bool = True, name: str | None = None, na_value: str = "", select_cols: _Sequence[int] | None = None) -> list[_Any]: ...
def decode_raw(input_bytes: _Any = None, out_type: _Any = None, little_endian: builtins.bool = True, name: str | None = None, bytes: _Any = None) -> _Any: ...
def depth_to_space(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = "NHWC") -> _Any: ...
def gather(params: _Any, indices: _Any, validate_indices: _Any = None, name: str | None = None, axis: _Any = None, batch_dims: int | None = 0) -> _Any: ...
def gather_nd(params: _Any, indices: _Any, name: str | None = None, batch_dims: _Any = 0, bad_indices_policy: _Any = "") -> _Any: ...
def get_session_handle(data: _TensorLike, name: str | None = None) -> _Tensor: ...
def hessians(ys: _Any, xs: _Any, name: str | None = "hessians", colocate_gradients_with_ops: _Any = False, gate_gradients: builtins.bool = False, aggregation_method: _Any = None) -> list[_Any]: ...
def ones_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> _Any: ...
def pad(tensor: _Any, paddings: _Any, mode: str = "CONSTANT", name: str | None = None, constant_values: _Any = 0) -> _Any: ...
def reduce_join(inputs: _Any, axis: _Any = None, keep_dims: builtins.bool | None = None, separator: str = "", name: str | None = None, reduction_indices: _Any = None, keepdims: builtins.bool | None = None) -> _Any: ...
def serialize_many_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> _Any: ...
def serialize_sparse(sp_input: _Any, name: str | None = None, out_type: _Any = ...) -> _Any: ...
def shape(input: _Any, name: str | None = None, out_type: _Any = None) -> _Any: ...
def size(input: _Any, name: str | None = None, out_type: _Any = None) -> _Any: ...
def space_to_batch(input: _Any, paddings: _Any, block_size: _Any = None, name: str | None = None, block_shape: _Any = None) -> _Any: ...
def space_to_depth(input: _Any, block_size: _Any, name: str | None = None, data_format: _Any = "NHWC") -> _Any: ...
def sparse_segment_mean(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Any: ...
def sparse_segment_sqrt_n(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Any: ...
def sparse_segment_sum(data: _Any, indices: _Any, segment_ids: _Any, name: str | None = None, num_segments: _Any = None, sparse_gradient: builtins.bool = False) -> _Any: ...
def string_to_hash_bucket(string_tensor: _Any = None, num_buckets: int | None = None, name: str | None = None, input: _Any = None) -> _Any: ...
def string_to_number(string_tensor: _Any = None, out_type: _Any = ..., name: str | None = None, input: _Any = None) -> _Any: ...
def substr(input: _Any, pos: _Any, len: _Any, name: str | None = None, unit: str = "BYTE") -> _Any: ...
def transpose(a: _Any, perm: _Any = None, name: str | None = "transpose", conjugate: builtins.bool = False) -> _Any: ...
def tuple(tensors: _Sequence[_Any], name: str | None = None, control_inputs: _Any = None) -> list[_Any]: ...
def verify_tensor_all_finite(t: _Any = None, msg: _Any = None, name: str | None = None, x: _Any = None, message: _Any = None) -> _Any: ...
def zeros_like(tensor: _Any, dtype: _Any = None, name: str | None = None, optimize: _Any = True) -> _Any: ...
