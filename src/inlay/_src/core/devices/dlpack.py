"""DLPack: arrays of other libraries as tensors and back, on the device where they lie.

A *capsule* is DLPack's own object, without a way to ask it for its device but to read its first fields.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.core import device, values
from inlay._src.core.devices.device_tensor import DeviceTensor, accelerator_of
from inlay._src.core.tensor import EagerTensor, dtype_of

HOST_KINDS = frozenset({1, 3, 11})
"""DLPack's types of devices whose memory the CPU reads: its own, and that pinned for CUDA or ROCm."""


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tensor: Any) -> Any:
    """A tensor as a DLPack capsule, for `from_dlpack` of another library.

    Args:
      tensor: an eager tensor of numbers.

    Returns:
      A capsule, to be used once. On the host it has memory of its own, as PyTorch and others write into what they
      take. On an accelerator it shares the tensor's memory, which must not be written into; give the library the tensor
      itself (`torch.from_dlpack(tensor)`) and it gets memory of its own there too.

    Raises:
      InvalidArgumentError: for what is no eager tensor of numbers.
    """
    if not isinstance(tensor, EagerTensor) or tensor.dtype._kind not in "biufc":
        raise errors.InvalidArgumentError(
            None, None, f"The argument to `to_dlpack` must be an eager tensor of numbers, got {tensor!r}"
        )
    return tensor._array.__dlpack__() if isinstance(tensor, DeviceTensor) else tensor.__dlpack__()


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """A DLPack capsule of another library as a tensor on the device where it lies, without a copy.

    Args:
      dlcapsule: a capsule, or an array of any library that speaks DLPack. Its memory is shared: a later write into it
        changes the tensor.

    Returns:
      An eager tensor.

    Raises:
      InvalidArgumentError: for memory of a device that is not visible here, or of a type that tensors do not have.
    """
    source = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Capsule(dlcapsule)
    if isinstance(source, EagerTensor):
        return source
    if not lies_on_host(source):
        return on_device(source, copy=False)
    array = np.from_dlpack(source)
    if array.dtype not in dtypes.FROM_NUMPY:
        raise errors.InvalidArgumentError(None, None, f"from_dlpack: tensors have no type {array.dtype}")
    value = values.from_ndarray(array, None)
    return EagerTensor(value if value.ndim else value[()], dtype_of(value))


def on_device(source: Any, copy: bool) -> DeviceTensor:
    """An array of another library that lies on an accelerator as a tensor there; a copy if its owner may write into it.

    InvalidArgumentError if the accelerator is not visible here.
    """
    array: Any = None
    name = device.CPU
    if device.accelerators():
        array = source if _is_jax(source) else xla.from_dlpack(source, copy)
        name = accelerator_of(array)
    if name == device.CPU:
        kind, index = map(int, source.__dlpack_device__())
        raise errors.InvalidArgumentError(
            None,
            None,
            f"an array on a device of DLPack's type {kind}, number {index}, cannot be a tensor: no such accelerator is "
            "visible here. Bring it to the host first (`.cpu()` in PyTorch), or install JAX's plugin for the GPU.",
        )
    return DeviceTensor(array, dtypes.FROM_NUMPY[np.dtype(array.dtype)], name)


def lies_on_host(source: Any) -> bool:
    """Whether an array that speaks DLPack lies where NumPy can read it."""
    if _is_jax(source) and accelerator_of(source) != device.CPU:  # other devices of JAX may call themselves a CPU
        return False
    return int(source.__dlpack_device__()[0]) in HOST_KINDS


def _is_jax(value: Any) -> bool:
    jax = sys.modules.get("jax")
    return jax is not None and isinstance(value, jax.Array)


class _Capsule:
    """A bare capsule as an object that speaks DLPack."""

    def __init__(self, capsule: Any) -> None:
        if type(capsule).__name__ != "PyCapsule":
            raise errors.InvalidArgumentError(
                None, None, f"from_dlpack takes a DLPack capsule or an array that speaks DLPack, got {capsule!r}"
            )
        self._capsule = capsule
        self._device = _device_of(capsule)

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class _DLTensor(ctypes.Structure):
    """The first fields of DLPack's `DLTensor`."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _Versioned(ctypes.Structure):
    """The first fields of `DLManagedTensorVersioned`."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _DLTensor),
    ]


def _device_of(capsule: Any) -> tuple[int, int]:
    """(type, number) of the device of a capsule's memory."""
    api = ctypes.pythonapi
    get_name, get_pointer = api.PyCapsule_GetName, api.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = get_name(capsule)
    if name not in (b"dltensor", b"dltensor_versioned"):
        raise errors.InvalidArgumentError(
            None, None, f"from_dlpack: the capsule is not an array, or was used before (it is called {name!r})"
        )
    address = get_pointer(capsule, name)
    tensor = _DLTensor.from_address(address) if name == b"dltensor" else _Versioned.from_address(address).tensor
    return tensor.device_type, tensor.device_id
