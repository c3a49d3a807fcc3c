"""Where every name at the top of `inlay` is defined."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "",
    {
        "base.interpreter.messages": "get_logger",
        "base.protos.event": "Event HistogramProto LogMessage SessionLog Summary SummaryMetadata",
        "base.protos.graph": "AttrValue GraphDef NameAttrList NodeDef",
        "base.protos.saved_model": "MetaGraphDef TensorInfo",
        "base.types.dtypes":
        "DType as_dtype bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int32 "
        "int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 uint8 variant",
        "base.types.shapes": "Dimension TensorShape disable_v2_tensorshape enable_v2_tensorshape",
        "base.types.specs": "TensorSpec TypeSpec",
        "core.behavior":
        "disable_eager_execution disable_v2_behavior enable_eager_execution enable_v2_behavior",
        "core.context": "device executing_eagerly get_current_name_scope init_scope inside_function name_scope",
        "core.device_spec": "DeviceSpec",
        "core.eager.conversion_functions": "register_tensor_conversion_function",
        "core.eager.convert": "convert_to_tensor get_static_value",
        "core.graph": "Graph get_default_graph reset_default_graph",
        "core.operation": "Operation",
        "core.tensor": "Tensor is_symbolic_tensor is_tensor",
        "data.element": "NoneTensorSpec",
        "data.optional": "OptionalSpec",
        "engine.autodiff.gradient_tape": "GradientTape",
        "engine.autodiff.graph_gradients": "AggregationMethod UnconnectedGradients gradients hessians",
        "engine.autodiff.rules": "NotDifferentiable RegisterGradient no_gradient",
        "host.api": "numpy_function py_func py_function",
        "host.executors.processes.pool": "Processes",
        "host.executors.ray": "RayExecutor",
        "host.executors.selection": "executor",
        "host.executors.threads": "Threads",
        "ops.array":
        "constant expand_dims fill identity ones ones_like rank reshape shape size squeeze stop_gradient "
        "where zeros zeros_like",
        "ops.asserting":
        "assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
        "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal "
        "assert_positive assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in "
        "assert_same_float_dtype assert_scalar assert_type check_numerics",
        "ops.base64_strings": "decode_base64 encode_base64",
        "ops.bits": "bitcast",
        "ops.blocks": "batch_to_space required_space_to_batch_paddings space_to_batch space_to_batch_nd",
        "ops.clipping": "clip_by_global_norm clip_by_norm clip_by_value global_norm saturate_cast",
        "ops.clock": "timestamp",
        "ops.complex_numbers": "abs angle complex imag real sign",
        "ops.composite.example_features":
        "FixedLenFeature FixedLenSequenceFeature RaggedFeature SparseFeature VarLenFeature",
        "ops.composite.example_parsing": "parse_example parse_single_example parse_single_sequence_example",
        "ops.composite.indexed_slices": "IndexedSlices",
        "ops.composite.ragged": "RaggedTensor",
        "ops.composite.sparse":
        "SparseTensor SparseTensorValue sparse_placeholder sparse_reorder sparse_tensor_dense_matmul "
        "sparse_tensor_to_dense",
        "ops.composite.sparse_features":
        "sparse_fill_empty_rows sparse_mask sparse_merge sparse_reset_shape sparse_softmax sparse_to_dense "
        "sparse_to_indicator",
        "ops.composite.sparse_ops":
        "sparse_add sparse_concat sparse_maximum sparse_minimum sparse_reduce_max sparse_reduce_max_sparse "
        "sparse_reduce_sum sparse_reduce_sum_sparse sparse_retain sparse_slice sparse_split",
        "ops.composite.sparse_shapes": "sparse_reshape sparse_transpose",
        "ops.composite.specs": "IndexedSlicesSpec RaggedTensorSpec SparseTensorSpec type_spec_from_value",
        "ops.composite.text": "edit_distance string_split",
        "ops.control": "control_dependencies group guarantee_const no_op tuple",
        "ops.counting": "bincount confusion_matrix histogram_fixed_width histogram_fixed_width_bins",
        "ops.csv": "decode_csv",
        "ops.cumulative": "cumprod cumsum",
        "ops.determinants": "matrix_determinant slogdet",
        "ops.diagonals":
        "diag diag_part eye matrix_band_part matrix_diag matrix_diag_part matrix_set_diag trace",
        "ops.division":
        "div divide divide_no_nan floor_div floordiv floormod mod realdiv truediv truncatediv truncatemod",
        "ops.eigenvalues": "self_adjoint_eig self_adjoint_eigvals",
        "ops.einsum": "cross einsum tensordot",
        "ops.extremes": "arg_max arg_min argmax argmin",
        "ops.files": "matching_files read_file write_file",
        "ops.gathering": "boolean_mask gather gather_nd",
        "ops.hashing": "fingerprint string_to_hash_bucket_fast string_to_hash_bucket_strong",
        "ops.index_shuffle": "random_index_shuffle",
        "ops.indexing": "newaxis strided_slice",
        "ops.joining": "concat split",
        "ops.json_examples": "decode_json_example",
        "ops.legacy": "to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64",
        "ops.linalg":
        "cholesky cholesky_solve matrix_inverse matrix_solve matrix_solve_ls matrix_triangular_solve norm qr "
        "svd",
        "ops.lists": "identity_n shape_n",
        "ops.math":
        "accumulate_n add add_n approximate_equal cast ceil conj equal floor greater greater_equal is_finite "
        "is_inf is_nan less less_equal logical_and logical_not logical_or logical_xor maximum minimum "
        "multiply negative not_equal rint round scalar_mul subtract",
        "ops.matmul": "matmul matrix_transpose",
        "ops.matrix_functions": "eig eigvals matrix_square_root",
        "ops.patches": "extract_volume_patches",
        "ops.placeholders": "placeholder placeholder_with_default",
        "ops.powers":
        "exp expm1 log log1p log_sigmoid polyval pow reciprocal rsqrt sigmoid sqrt square squared_difference",
        "ops.printed_numbers": "as_string",
        "ops.printing": "Assert Print print",
        "ops.ragged": "unsorted_segment_join",
        "ops.random": "multinomial random_crop random_normal random_shuffle random_uniform truncated_normal",
        "ops.ranges": "range",
        "ops.rearranging": "reverse reverse_sequence roll transpose unravel_index",
        "ops.reductions":
        "count_nonzero reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod "
        "reduce_sum",
        "ops.scatter":
        "dynamic_partition dynamic_stitch scatter_nd tensor_scatter_nd_add tensor_scatter_nd_max "
        "tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update",
        "ops.seeds": "set_random_seed",
        "ops.segments":
        "segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max "
        "unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
        "unsorted_segment_sum",
        "ops.sequences": "linspace one_hot sequence_mask",
        "ops.serialized": "decode_compressed make_ndarray make_tensor_proto parse_tensor serialize_tensor",
        "ops.shaping": "broadcast_dynamic_shape broadcast_static_shape broadcast_to ensure_shape",
        "ops.signal": "fft ifft",
        "ops.slicing": "pad slice",
        "ops.sorting": "argsort searchsorted sort unique unique_with_counts",
        "ops.special": "betainc digamma erf erfc igamma igammac lbeta lgamma polygamma zeta",
        "ops.stacking": "parallel_stack stack unstack",
        "ops.strings": "decode_raw reduce_join regex_replace string_join string_to_number substr",
        "ops.tiling": "meshgrid repeat tile",
        "ops.trigonometry": "acos acosh asin asinh atan atan2 atanh cos cosh sin sinh tan tanh",
        "ops.variables.assigning":
        "assign assign_add assign_sub count_up_to scatter_add scatter_div scatter_max scatter_min scatter_mul "
        "scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub scatter_update",
        "ops.variables.collections":
        "GraphKeys add_to_collection add_to_collections all_variables assert_variables_initialized "
        "get_collection get_collection_ref global_variables global_variables_initializer "
        "initialize_all_variables initialize_local_variables initialize_variables is_variable_initialized "
        "local_variables local_variables_initializer model_variables moving_average_variables "
        "report_uninitialized_variables trainable_variables variables_initializer",
        "ops.variables.creators": "variable_creator_scope",
        "ops.variables.initializers":
        "constant_initializer glorot_normal_initializer glorot_uniform_initializer ones_initializer "
        "orthogonal_initializer random_normal_initializer random_uniform_initializer "
        "variance_scaling_initializer zeros_initializer",
        "ops.variables.legacy_initializers": "truncated_normal_initializer uniform_unit_scaling_initializer",
        "ops.variables.partitioners":
        "create_partitioned_variables fixed_size_partitioner min_max_variable_partitioner "
        "variable_axis_size_partitioner",
        "ops.variables.scope":
        "AUTO_REUSE VariableScope get_local_variable get_variable get_variable_scope no_regularizer "
        "variable_op_scope variable_scope",
        "ops.variables.template": "make_template",
        "ops.variables.variable": "Variable VariableAggregation VariableSynchronization",
        "programs.control.branches": "case cond switch_case",
        "programs.control.critical_section": "CriticalSection",
        "programs.control.custom_gradient": "custom_gradient grad_pass_through recompute_grad",
        "programs.control.loops": "while_loop",
        "programs.control.maps": "foldl foldr map_fn scan vectorized_map",
        "programs.control.tensor_array": "TensorArray",
        "programs.functions.function": "function",
        "programs.graph_def.importing": "import_graph_def",
        "programs.module": "Module",
        "programs.session.interactive": "InteractiveSession",
        "programs.session.options": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunOptions",
        "programs.session.run_metadata": "RunMetadata",
        "programs.session.session": "Session get_default_session",
        "tf1.queues.queue": "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue",
        "tf1.queues.readers":
        "FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader",
    },
    below=("app", "audio", "autodiff", "autograph", "bitwise", "compat", "config", "contrib", "data", "debugging",
    "distribute", "dtypes", "errors", "experimental", "flags", "gfile", "graph_util", "image", "initializers",
    "io", "jax", "linalg", "logging", "lookup", "math", "nest", "nn", "profiler", "python_io", "quantization",
    "queue", "ragged", "random", "raw_ops", "saved_model", "sets", "signal", "sparse", "strings", "summary",
    "sysconfig", "test", "torch", "train", "types", "version"),
    packages={"__internal__": "inlay._src.tools.unmodified.internal", "keras": "inlay.keras", "losses":
    "inlay.keras.losses", "metrics": "inlay.keras.metrics", "optimizers": "inlay.keras.optimizers"},
    absent={
        "TensorArraySpec": "functions take a TensorArray as it is: stack() gives a tensor for a signature",
        "approx_top_k": "tf.math.approx_max_k and approx_min_k",
        "check_pinned": "memory of the host is pinned by JAX",
        "conv": "tf.nn.convolution",
        "conv2d_backprop_filter_v2": "tf.compat.v1.nn.conv2d_backprop_filter",
        "conv2d_backprop_input_v2": "tf.compat.v1.nn.conv2d_backprop_input",
        "depth_to_space": "not yet here, see docs/compatibility.md",
        "distributions": "tf.compat.v1.distributions has those of 1.x",
        "estimator": "write the loop; sessions and datasets are here",
        "feature_column": "Dataset.map with ops, or the preprocessing layers of Keras 3",
        "fftnd": "tf.signal.fftnd",
        "ifftnd": "tf.signal.ifftnd",
        "invert_permutation": "not yet here, see docs/compatibility.md",
        "irfftnd": "tf.signal.irfftnd",
        "lite": "a saved model is what is shipped: tf.saved_model.save",
        "load_library": "no C++ kernels are loaded: write the op as a tf.py_function or tf.numpy_function",
        "load_op_library": "no C++ kernels are loaded: write the op as a tf.py_function or tf.numpy_function",
        "mlir": "Graph.as_graph_def gives a graph as a message, Session.plan what runs",
        "nondifferentiable_batch_function": "tf.py_function(batch=True) groups the calls of a Dataset.map or a map_fn",
        "ragged_fill_empty_rows": "tf.sparse.fill_empty_rows on RaggedTensor.to_sparse()",
        "ragged_fill_empty_rows_grad": "tf.sparse.fill_empty_rows on RaggedTensor.to_sparse()",
        "rfftnd": "tf.signal.rfftnd",
        "space_to_depth": "not yet here, see docs/compatibility.md",
        "tpu": "no TPU runtime",
        "xla": "tf.function(jit_compile=True) compiles with XLA",
    },
)
