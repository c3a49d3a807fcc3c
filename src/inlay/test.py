"""`tf.test`: checking gradients, and what this build can do."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "test",
    {
        "core.devices.listing": "gpu_device_name is_built_with_cuda is_gpu_available",
        "engine.autodiff.gradient_check": "compute_gradient",
        "tf1.platform.benchmark": "Benchmark",
        "tf1.platform.testing": "TestCase main",
    },
)
