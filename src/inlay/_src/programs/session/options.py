"""Options of sessions and runs: the fields of TensorFlow's messages."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.engine.plan.optimizer_options import get_experimental_options
from inlay._src.programs.session.message import DeclaredMessage


@export("GPUOptions")
class GPUOptions(DeclaredMessage):
    """Options of accelerators, which are accepted: JAX sees to their memory."""

    _spec = (
        "per_process_gpu_memory_fraction: float, allow_growth: bool, allocator_type: str, "
        "deferred_deletion_bytes: int, visible_device_list: str, polling_active_delay_usecs: int, "
        "polling_inactive_delay_msecs: int, "
        "force_gpu_compatible: bool, experimental: GPUOptions.Experimental"
    )

    class Experimental(DeclaredMessage):
        """Options that may change."""

        _spec = (
            "virtual_devices: *GPUOptions.Experimental.VirtualDevices, num_virtual_devices_per_gpu: int, "
            "use_unified_memory: bool, num_dev_to_dev_copy_streams: int, collective_ring_order: str, "
            "timestamped_allocator: bool, kernel_tracker_max_interval: int, kernel_tracker_max_bytes: int, "
            "kernel_tracker_max_pending: int, internal_fragmentation_fraction: float, use_cuda_malloc_async: bool, "
            "disallow_retry_on_allocation_failure: bool, gpu_host_mem_limit_in_mb: float, "
            "gpu_host_mem_disallow_growth: bool, gpu_system_memory_size_in_mb: int, "
            "populate_pjrt_gpu_client_creation_info: bool, node_id: int"
        )

        class VirtualDevices(DeclaredMessage):
            """Parts of one accelerator."""

            _spec = "memory_limit_mb: *float, priority: *int, device_ordinal: *int"


@export("OptimizerOptions")
class OptimizerOptions(DeclaredMessage):
    """Options for the graphs of a session.

    `global_jit_level` has meaning: ON_1 and ON_2 compile pure parts with XLA, those of branches, loops and functions
    too.
    """

    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    L0, L1 = -1, 0
    _spec = (
        "do_common_subexpression_elimination: bool, do_constant_folding: bool, max_folded_constant_in_bytes: int, "
        "do_function_inlining: bool, opt_level: int, global_jit_level: int, cpu_global_jit: bool"
    )


class AutoParallelOptions(DeclaredMessage):
    """Whether a graph is run several times at once."""

    _spec = "enable: bool, num_replicas: int"


class RewriterConfig(DeclaredMessage):
    """Options of the graph rewriter, which are accepted: plans always fold, merge and prune."""

    DEFAULT, ON, OFF, AGGRESSIVE = range(4)
    NO_MEM_OPT, MANUAL, HEURISTICS, SWAPPING_HEURISTICS, RECOMPUTATION_HEURISTICS = range(1, 6)
    _spec = (
        "layout_optimizer: int, constant_folding: int, shape_optimization: int, remapping: int, "
        "common_subgraph_elimination: int, arithmetic_optimization: int, dependency_optimization: int, "
        "loop_optimization: int, function_optimization: int, debug_stripper: int, disable_model_pruning: bool, "
        "scoped_allocator_optimization: int, pin_to_host_optimization: int, implementation_selector: int, "
        "auto_mixed_precision: int, auto_mixed_precision_mkl: int, auto_mixed_precision_onednn_bfloat16: int, "
        "auto_mixed_precision_cpu: int, disable_meta_optimizer: bool, disable_tfg_optimizer: bool, "
        "use_plugin_optimizers: int, cpu_layout_conversion: int, experimental_conditional_code_motion: int, "
        "meta_optimizer_iterations: int, min_graph_nodes: int, "
        "experimental_disable_compressed_tensor_optimization: bool, "
        "experimental_disable_folding_quantization_emulation: bool, memory_optimization: int, "
        "memory_optimizer_target_node_name_scope: str, meta_optimizer_timeout_ms: int, "
        "auto_parallel: AutoParallelOptions, fail_on_optimizer_errors: bool, optimizers: *str"
    )


@export("GraphOptions")
class GraphOptions(DeclaredMessage):
    """Options of a session's graphs.

    `optimizer_options.global_jit_level`, `infer_shapes`, `place_pruned_graph` and `build_cost_model` have meaning; the
    rest is accepted.
    """

    _spec = (
        "enable_recv_scheduling: bool, optimizer_options: OptimizerOptions, build_cost_model: int, "
        "build_cost_model_after: int, infer_shapes: bool, place_pruned_graph: bool, enable_bfloat16_sendrecv: bool, "
        "timeline_step: int, rewrite_options: RewriterConfig"
    )


class ThreadPoolOptionProto(DeclaredMessage):
    """A pool of threads."""

    _spec = "num_threads: int, global_name: str"


class RPCOptions(DeclaredMessage):
    """Options for the communication of processes."""

    _spec = (
        "use_rpc_for_inprocess_master: bool, compression_algorithm: str, compression_level: int, "
        "cache_rpc_response: bool, disable_session_connection_sharing: bool, num_channels_per_target: int"
    )


@export("train.JobDef")
class JobDef(DeclaredMessage):
    """The tasks of a job: number -> address."""

    _spec = "name: str, tasks: {str}"


@export("train.ClusterDef")
class ClusterDef(DeclaredMessage):
    """The jobs of a cluster."""

    _spec = "job: *JobDef"


class SessionMetadata(DeclaredMessage):
    """The name of a session."""

    _spec = "name: str, version: int"


@export("ConfigProto")
class ConfigProto(DeclaredMessage):
    """A session's configuration.

    `allow_soft_placement`, `log_device_placement`, `graph_options` and `intra_op_parallelism_threads` have meaning, and
    `operation_timeout_in_ms`, which bounds every run that has no `RunOptions` with a bound of its own; the other fields
    are accepted.

    Raises:
      ValueError: for a field that TensorFlow's message does not have.
      TypeError: for a value of another type.
    """

    _spec = (
        "device_count: {int}, intra_op_parallelism_threads: int, inter_op_parallelism_threads: int, "
        "use_per_session_threads: bool, session_inter_op_thread_pool: *ThreadPoolOptionProto, placement_period: int, "
        "device_filters: *str, gpu_options: GPUOptions, pluggable_device_options: GPUOptions, "
        "allow_soft_placement: bool, log_device_placement: bool, graph_options: GraphOptions, "
        "operation_timeout_in_ms: int, rpc_options: RPCOptions, cluster_def: ClusterDef, isolate_session_state: bool, "
        "share_cluster_devices_in_session: bool, experimental: ConfigProto.Experimental"
    )

    class Experimental(DeclaredMessage):
        """Options that may change."""

        _spec = (
            "collective_group_leader: str, executor_type: str, recv_buf_max_chunk: int, use_numa_affinity: bool, "
            "collective_deterministic_sequential_execution: bool, collective_nccl: bool, "
            "share_session_state_in_clusterspec_propagation: bool, disable_thread_spinning: bool, "
            "share_cluster_devices_in_session: bool, session_metadata: SessionMetadata, "
            "optimize_for_static_graph: bool, enable_mlir_bridge: bool, mlir_bridge_rollout: int, "
            "enable_mlir_graph_optimization: bool, disable_output_partition_graphs: bool, "
            "xla_fusion_autotuner_thresh: int, use_tfrt: bool, enable_multi_host: bool, tfrt_use_ifrt: bool, "
            "backend_server_port: int, target_tpu: bool, target_gpu: bool, stream_merge_threshold: int, "
            "disable_functional_ops_lowering: bool, xla_prefer_single_graph_cluster: bool, "
            "disable_optimize_for_static_graph: bool, disable_eager_executor_streaming_enqueue: bool, "
            "finalize_function_library_runtime: bool, finalize_resource_manager: bool, tf2xla_dump_dir: str, "
            "online_cost_analysis: bool"
        )


class DebugTensorWatch(DeclaredMessage):
    """A tensor that a debugger watches."""

    _spec = (
        "node_name: str, output_slot: int, debug_ops: *str, debug_urls: *str, tolerate_debug_op_creation_failures: bool"
    )


class DebugOptions(DeclaredMessage):
    """The tensors that a debugger watches."""

    _spec = "debug_tensor_watch_opts: *DebugTensorWatch, global_step: int, reset_disk_byte_usage: bool"


@export("RunOptions")
class RunOptions(DeclaredMessage):
    """One run's options. A run returns at the deadline `timeout_in_ms`; with a `trace_level` it reports its steps."""

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    _spec = (
        "trace_level: int, timeout_in_ms: int, inter_op_thread_pool: int, output_partition_graphs: bool, "
        "debug_options: DebugOptions, report_tensor_allocations_upon_oom: bool, experimental: RunOptions.Experimental"
    )

    class Experimental(DeclaredMessage):
        """Options that may change."""

        _spec = (
            "collective_graph_key: int, use_run_handler_pool: bool, "
            "run_handler_pool_options: RunOptions.Experimental.RunHandlerPoolOptions"
        )

        class RunHandlerPoolOptions(DeclaredMessage):
            """The urgency of a run."""

            _spec = "priority: int"


def check_report(options: Any, report: Any) -> None:
    """Refuses other objects than messages as the options of a run and as its report.

    Raises:
      TypeError: if `options` has no field of a `RunOptions`, or `report` none of a `RunMetadata`.
    """
    if options is not None and not hasattr(options, "trace_level"):
        raise TypeError(f"Session.run: options must be a tf.compat.v1.RunOptions, got {repr_of(options)}")
    if report is not None and not hasattr(report, "step_stats"):
        raise TypeError(f"Session.run: run_metadata must be a tf.compat.v1.RunMetadata, got {repr_of(report)}")


def asks_for_jit(config: Any) -> bool:
    """Whether a session's configuration asks for compilation."""
    level = config
    for name in ("graph_options", "optimizer_options", "global_jit_level"):
        level = getattr(level, name, None)
    return isinstance(level, int) and level in (OptimizerOptions.ON_1, OptimizerOptions.ON_2)


def asks_for_pruning(config: Any) -> bool:
    """Whether only the nodes that a run needs have to have a device, rather than all nodes of the graph."""
    return bool(getattr(getattr(config, "graph_options", None), "place_pruned_graph", False))


def with_optimizer_options(config: Any) -> Any:
    """The configuration of a session; one that has none of its own takes what `set_experimental_options` said.

    Args:
      config: its own `ConfigProto`, or None.
    """
    rewriting = {name: value for name, value in get_experimental_options().items() if value is not False}
    if config is not None or not rewriting:
        return config
    default = ConfigProto()
    for name, value in rewriting.items():
        if RewriterConfig._declared.get(name) in ("bool", "int"):
            setattr(default.graph_options.rewrite_options, name, value)
    return default
