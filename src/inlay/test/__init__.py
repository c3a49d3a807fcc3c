"""`tf.test`: checking gradients, and what this build can do."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "test",
    {
        "core.devices.listing":
        "gpu_device_name is_built_with_cuda is_built_with_gpu_support is_built_with_rocm is_built_with_xla "
        "is_cpu_target_available is_gpu_available",
        "engine.autodiff.gradient_check": "compute_gradient",
        "inspection.checking.check_function": "check_function",
        "inspection.checking.report": "CheckFinding CheckReport",
        "programs.graph_def.comparing": "assert_equal_graph_def",
        "tf1.platform.benchmark": "Benchmark",
        "tf1.platform.predicates": "create_local_cluster disable_with_predicate",
        "tf1.platform.testing": "TestCase main",
    },
    below=("experimental",),
    absent={
        "benchmark_config": "no optimization passes have to be switched off for a benchmark: ConfigProto()",
        "with_eager_op_as_function": "an eager op runs its kernel: take the decorator away",
    },
)
