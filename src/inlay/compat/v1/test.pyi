"""`tf.compat.v1.test`: checks of gradients with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from collections.abc import Mapping as _Mapping
from inlay._src.engine.autodiff.gradient_check import compute_gradient_v1 as compute_gradient
from inlay._src.programs.graph_def.comparing import assert_equal_graph_def_v1 as assert_equal_graph_def
from inlay._src.tf1.platform.testing import get_temp_dir, test_src_dir_path
from inlay.test import (
    Benchmark, CheckFinding, CheckReport, TestCase, check_function, create_local_cluster, disable_with_predicate,
    experimental, gpu_device_name, is_built_with_cuda, is_built_with_gpu_support, is_built_with_rocm,
    is_built_with_xla, is_cpu_target_available, is_gpu_available, main
)
from typing import Any as _Any
__all__ = [
    "Benchmark", "CheckFinding", "CheckReport", "TestCase", "assert_equal_graph_def", "check_function",
    "compute_gradient", "compute_gradient_error", "create_local_cluster", "disable_with_predicate", "experimental",
    "get_temp_dir", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm",
    "is_built_with_xla", "is_cpu_target_available", "is_gpu_available", "main", "test_src_dir_path"
]
def compute_gradient_error(x: _Any, x_shape: _Any, y: _Any, y_shape: _Any, x_init_value: _Any = None, delta: float = 0.001, init_targets: _Any = None, extra_feed_dict: _Mapping[_Any, _Any] | None = None) -> float:
    """The largest difference between the theoretical and the numerical Jacobian of a tensor of a graph.

    Args:
      x: a tensor, or a list of them.
      x_shape: its shape, or a list of them.
      y: a tensor that depends on `x`.
      y_shape: its shape.
      x_init_value: the value of `x`, or a list of them; random numbers from 0 to 1 where None.
      delta: the step of the central differences.
      init_targets: operations to run before.
      extra_feed_dict: further feeds.

    Returns:
      The difference."""
