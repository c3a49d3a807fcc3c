"""`tf.test`: checking gradients, and what this build can do."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.listing import gpu_device_name, is_built_with_cuda, is_gpu_available
from inlay._src.engine.autodiff.gradient_check import compute_gradient
from inlay._src.tf1.platform.benchmark import Benchmark
from inlay._src.tf1.platform.testing import TestCase, main
__all__ = [
    "Benchmark", "TestCase", "compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_gpu_available", "main"
]
