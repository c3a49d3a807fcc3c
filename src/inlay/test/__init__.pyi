"""`tf.test`: checking gradients, and what this build can do."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.listing import (
    gpu_device_name, is_built_with_cuda, is_built_with_gpu_support, is_built_with_rocm, is_built_with_xla,
    is_cpu_target_available, is_gpu_available
)
from inlay._src.engine.autodiff.gradient_check import compute_gradient
from inlay._src.inspection.checking.check_function import check_function
from inlay._src.inspection.checking.report import Finding as CheckFinding, Report as CheckReport
from inlay._src.programs.graph_def.comparing import assert_equal_graph_def
from inlay._src.tf1.platform.benchmark import Benchmark
from inlay._src.tf1.platform.predicates import create_local_cluster, disable_with_predicate
from inlay._src.tf1.platform.testing import TestCase, main
from inlay.test import experimental
__all__ = [
    "Benchmark", "CheckFinding", "CheckReport", "TestCase", "assert_equal_graph_def", "check_function",
    "compute_gradient", "create_local_cluster", "disable_with_predicate", "experimental", "gpu_device_name",
    "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla",
    "is_cpu_target_available", "is_gpu_available", "main"
]
