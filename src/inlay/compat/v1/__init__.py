"""`tf.compat.v1`: the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1",
    {
        "base.types.shapes": "Dimension dimension_at_index dimension_value",
        "core.behavior":
        "control_flow_v2_enabled disable_control_flow_v2 disable_resource_variables enable_control_flow_v2 "
        "enable_resource_variables resource_variables_enabled",
        "core.context": "colocate_with device executing_eagerly_outside_functions op_scope",
        "core.device_spec": "DeviceSpec",
        "core.equality": "disable_tensor_equality enable_tensor_equality",
        "engine.autodiff.graph_gradients": "gradients hessians",
        "ops.array": "where_v2",
        "ops.asserting":
        "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal assert_near "
        "assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
        "assert_rank assert_rank_at_least assert_rank_in assert_scalar is_numeric_tensor",
        "ops.blocks": "batch_to_space batch_to_space_nd depth_to_space space_to_batch space_to_depth",
        "ops.clipping": "clip_by_average_norm",
        "ops.composite.indexed_slices": "IndexedSlicesValue",
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
        "ops.patches": "extract_image_patches extract_volume_patches",
        "ops.rearranging": "invert_permutation reverse_v2",
        "ops.scatter": "tensor_scatter_add tensor_scatter_sub tensor_scatter_update",
        "ops.seeds": "get_seed",
        "ops.sequences": "lin_space",
        "ops.session_handles": "delete_session_tensor get_session_handle get_session_tensor",
        "ops.shaped_draws": "random_gamma random_poisson",
        "ops.signal": "fft2d fft3d ifft2d ifft3d",
        "ops.sorting": "setdiff1d",
        "ops.sparse_segments": "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum",
        "ops.strings": "string_strip",
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
    "io", "layers", "lookup", "losses", "math", "metrics", "mixed_precision", "nn", "random", "resource_loader",
    "saved_model", "sets", "sparse", "spectral", "strings", "summary", "test", "train"),
    continues="",
)
