"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1",
    {
        "base.errors": "OpError",
        "base.types.attributes": "disable_tensor_equality enable_tensor_equality",
        "base.types.dtypes": "QUANTIZED_DTYPES",
        "base.types.shapes": "Dimension dimension_at_index dimension_value",
        "core.behavior":
        "control_flow_v2_enabled disable_control_flow_v2 disable_resource_variables enable_control_flow_v2 "
        "enable_resource_variables resource_variables_enabled",
        "core.context": "colocate_with device executing_eagerly_outside_functions op_scope",
        "core.device_spec": "DeviceSpec",
        "engine.autodiff.graph_gradients": "gradients hessians",
        "engine.autodiff.rules": "NoGradient",
        "ops.array": "where_v2",
        "ops.asserting":
        "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
        "assert_rank assert_rank_at_least assert_rank_in assert_scalar is_numeric_tensor",
        "ops.blocks": "batch_to_space batch_to_space_nd depth_to_space space_to_batch space_to_depth",
        "ops.clipping": "clip_by_average_norm",
        "ops.composite.indexed_slices": "IndexedSlicesValue convert_to_tensor_or_indexed_slices",
        "ops.composite.serialized": "deserialize_many_sparse serialize_many_sparse serialize_sparse",
        "ops.composite.sparse": "convert_to_tensor_or_sparse_tensor",
        "ops.csv": "decode_csv",
        "ops.division": "div_no_nan",
        "ops.hash_tables.table": "initialize_all_tables tables_initializer",
        "ops.hashing": "string_to_hash_bucket",
        "ops.legacy":
        "add_check_numerics_ops arg_max arg_min argmax argmin batch_gather boolean_mask confusion_matrix "
        "constant convert_to_tensor count_nonzero decode_raw expand_dims gather gather_nd ones_like pad "
        "reduce_join shape size string_to_number substr transpose tuple verify_tensor_all_finite where "
        "zeros_like",
        "ops.matmul": "sparse_matmul",
        "ops.patches": "extract_image_patches extract_volume_patches",
        "ops.quantized_numbers": "dequantize quantize quantize_v2",
        "ops.quantizing":
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars "
        "fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient",
        "ops.rearranging": "invert_permutation reverse_v2",
        "ops.reductions": "is_non_decreasing is_strictly_increasing",
        "ops.scatter": "tensor_scatter_add tensor_scatter_sub tensor_scatter_update",
        "ops.seeds": "get_seed",
        "ops.sequences": "lin_space",
        "ops.session_handles": "delete_session_tensor get_session_handle get_session_tensor",
        "ops.shaped_draws": "random_gamma random_poisson",
        "ops.signal": "fft2d fft3d ifft2d ifft3d",
        "ops.sorting": "setdiff1d",
        "ops.sparse_segments": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
        "ops.strings": "string_strip",
        "ops.variables.assigning": "batch_scatter_update",
        "ops.variables.legacy_initializers":
        "constant_initializer random_normal_initializer random_uniform_initializer",
        "programs.control.branches": "cond",
        "programs.control.critical_section": "CriticalSection",
        "programs.control.loops": "while_loop",
        "programs.functions.wrapping": "wrap_function",
        "tf1.platform.version":
        "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER "
        "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION",
        "tf1.queues.accumulator":
        "ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator",
    },
    below=("app", "data", "debugging", "distributions", "flags", "gfile", "graph_util", "image", "initializers",
    "io", "layers", "linalg", "lookup", "losses", "manip", "math", "metrics", "mixed_precision", "nn", "random",
    "resource_loader", "saved_model", "sets", "sparse", "spectral", "strings", "summary", "test", "train"),
    continues="",
    absent={
        "CXX11_ABI_FLAG": "nothing is compiled against the library",
        "CXX_VERSION": "nothing is compiled against the library",
        "LMDBReader": "read the database with the package lmdb in Dataset.from_generator, or write it as records",
        "MONOLITHIC_BUILD": "nothing is compiled against the library",
        "container": "tables, queues and variables are objects: keep them as long as they are used",
        "load_file_system_library": "file systems come from fsspec: install the one that a path names",
        "quantized_concat": "dequantize, tf.concat, quantize",
        "user_ops": "an example of C++ kernels; tf.py_function makes ops",
    },
)
