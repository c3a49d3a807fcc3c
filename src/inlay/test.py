"""`tf.test`: checking gradients, and what this build can do."""

from __future__ import annotations

from inlay.autodiff.gradient_check import compute_gradient as compute_gradient
from inlay.core import device as _device

__all__ = ["compute_gradient", "gpu_device_name", "is_built_with_cuda", "is_gpu_available"]


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: object = None) -> bool:
    """Whether a GPU can be placed on.

    Args:
      cuda_only, min_cuda_compute_capability: accepted.
    """
    return bool(gpu_device_name())


def gpu_device_name() -> str:
    """The first GPU's device name, or an empty string."""
    return next((name for name in _device.available() if "GPU" in name), "")


def is_built_with_cuda() -> bool:
    """Whether the package itself was built with CUDA: never, kernels are NumPy's and JAX's."""
    return False
