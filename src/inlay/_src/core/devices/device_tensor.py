"""`DeviceTensor`: an eager tensor whose value lies on an accelerator, as a `jax.Array`.

Code that knows nothing of devices reads `_value`, which brings the value to the host; code that does uses the
functions here. In the cells of a plan a value on a device is the `jax.Array` itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache, IdentityCache
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import device
from inlay._src.core.tensor import NOT_LENT, EagerTensor

KINDS = frozenset("biufc")
"""Kinds of values that a device can hold."""

_ARRAYS: set[type] = set()  # JAX's class of arrays, once one was made here


class DeviceTensor(EagerTensor):
    """A tensor on an accelerator. Immutable, as every eager tensor.

    Attributes:
      _array: the `jax.Array`.
      _accelerator: the accelerator's canonical name.
    """

    __slots__ = ("_array", "_accelerator")

    def __init__(self, array: Any, dtype: DType, accelerator: str) -> None:
        self._array, self._dtype, self._accelerator = array, dtype, accelerator
        _ARRAYS.add(array.__class__)

    @property
    def _value(self) -> Any:  # type: ignore[override]
        return xla.to_host(self._array)  # JAX keeps what it read

    @property
    def shape(self) -> TensorShape:
        return shapes.from_dims(self._array.shape)

    @property
    def ndim(self) -> int:
        return self._array.ndim  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        return f"/job:localhost/replica:0/task:0{self._accelerator}"

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return self._array.shape[0]  # type: ignore[no-any-return]

    def __dlpack__(self, **kwargs: Any) -> Any:
        if kwargs.pop("copy", None) is False:
            raise BufferError(NOT_LENT)
        self._note_reader()
        return xla.copied(self._array).__dlpack__(**kwargs)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()


def in_use() -> bool:
    """Whether any value of this process ever was on an accelerator."""
    return bool(_ARRAYS)


def is_array(value: Any) -> bool:
    """Whether a runtime value is an array of JAX: it lies on an accelerator."""
    return value.__class__ in _ARRAYS


def tensor_of(value: Any, dtype: DType) -> EagerTensor:
    """A runtime value, wherever it lies, as an eager tensor."""
    if value.__class__ not in _ARRAYS:
        return EagerTensor(value, dtype)
    return DeviceTensor(value, dtype, accelerator_of(value))


def value_of(tensor: EagerTensor) -> Any:
    """An eager tensor's runtime value where it lies."""
    return tensor._array if tensor.__class__ is DeviceTensor else tensor._value  # type: ignore[attr-defined]


def accelerator_of(array: Any) -> str:
    """The canonical name of the accelerator on which an array lies; the CPU's if it is none of the visible ones."""
    where = next(iter(array.devices()))
    return next((name for name, d in device.accelerators().items() if d == where), device.CPU)


def handle(tensor: EagerTensor) -> EagerTensor:
    """Another tensor of the same value: tapes tell tensors apart by identity."""
    if tensor.__class__ is DeviceTensor:
        return DeviceTensor(tensor._array, tensor._dtype, tensor._accelerator)  # type: ignore[attr-defined]
    return EagerTensor(tensor._value, tensor._dtype)


def sent(tensor: EagerTensor, accelerator: str) -> EagerTensor:
    """A tensor's value on an accelerator; no tape records it. A value that no device can hold stays as it is."""
    if tensor._dtype._kind not in KINDS or (tensor.__class__ is DeviceTensor and tensor._accelerator == accelerator):  # type: ignore[attr-defined]
        return tensor
    return DeviceTensor(array_on(value_of(tensor), accelerator), tensor._dtype, accelerator)


_NUMBERS: BoundedCache[Any, Any] = BoundedCache("numbers on devices", 1024)


def read(tensor: EagerTensor, accelerator: str) -> EagerTensor:
    """`sent` for what was read from a variable: sent once until the variable is assigned."""
    if tensor._dtype._kind not in KINDS:
        return tensor
    return DeviceTensor(kept_on(tensor._value, accelerator), tensor._dtype, accelerator)


def array_on(value: Any, accelerator: str) -> Any:
    """A runtime value as an array on an accelerator: itself if it lies there. Single numbers of the host are kept."""
    target = device.accelerators()[accelerator]
    if is_array(value):
        return value if value.devices() == {target} else xla.to_device(value, target)
    key = (target, value.dtype, value.tobytes()) if not value.ndim else None
    array = _NUMBERS.get(key)
    if array is None:
        array = xla.to_device(value, target)
        _ARRAYS.add(array.__class__)
        if key is not None:
            _NUMBERS[key] = array
    return array


_SENT: IdentityCache[dict[Any, Any]] = IdentityCache("values of variables on devices", 1 << 16)
"""Per array of the host: device -> its copy there."""


def kept_on(value: Any, accelerator: str) -> Any:
    """`array_on` for a value that is replaced and never written into: sent once, and kept there while it lives."""
    if value.__class__ is not np.ndarray:
        return array_on(value, accelerator)
    target = device.accelerators()[accelerator]
    there = _SENT.of(value)
    if there is None:
        there = _SENT.keep(value, {})
    if target not in there:
        there[target] = array_on(value, accelerator)
    return there[target]


def on_host(value: Any) -> Any:
    """A runtime value on the host: itself if it lies there."""
    return xla.to_host(value) if value.__class__ in _ARRAYS else value


def hollow(tensor: EagerTensor) -> Any:
    """An array of a tensor's shape and type without its value; it takes no memory."""
    if tensor.__class__ is not DeviceTensor:
        return tensor._value
    return np.broadcast_to(np.empty((), tensor._dtype.np), tensor._array.shape)  # type: ignore[attr-defined]
