"""JAX, an extra, on first use: namespaces for kernels, compilation, devices and transfers.

64-bit types are kept without the global flag. Values are transferred in two functions alone, `to_device` and `to_host`,
which ask JAX for it; `jax.transfer_guard("disallow")` would refuse any other transfer.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING


@functools.cache
def _loaded(name: str) -> Any:
    """A module of JAX, which is an extra."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if name.partition(".")[0] != error.name:  # it is there, and lacks something itself
            raise
        raise ImportError(
            "This needs JAX, as compiled functions (`jit_compile=True`), accelerators and a few gradients do, and JAX "
            "is not installed: pip install 'inlay[jax]'"
        ) from error


@functools.cache
def is_installed() -> bool:
    """Whether there is a JAX to import; it is not imported for the answer."""
    return importlib.util.find_spec("jax") is not None


def jax() -> Any:
    """JAX itself.

    Raises:
      ImportError: if it is not installed; it names the extra to install.
    """
    return _loaded("jax")


def jnp() -> ModuleType:
    """`jax.numpy`, the other namespace of kernels."""
    return _loaded("jax.numpy")  # type: ignore[no-any-return]


def lax() -> ModuleType:
    """`jax.lax`."""
    return _loaded("jax.lax")  # type: ignore[no-any-return]


def special() -> ModuleType:
    """`jax.scipy.special`."""
    return _loaded("jax.scipy.special")  # type: ignore[no-any-return]


def wide_types() -> AbstractContextManager[Any]:
    """A context in which JAX keeps 64-bit types, in this thread; the process-wide flag is untouched."""
    return jax().enable_x64(True)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` compiled, once per shapes and types of its arguments; call it within `wide_types`."""
    return jax().jit(function)


IR_STAGES = {
    "hlo": lambda lowered: lowered.as_text(dialect="hlo"),
    "hlo_serialized": lambda lowered: lowered.compiler_ir("hlo").as_serialized_hlo_module_proto(),
    "stablehlo": lambda lowered: lowered.as_text(dialect="stablehlo"),
    "optimized_hlo": lambda lowered: lowered.compile().as_text(),
    "optimized_hlo_serialized": lambda lowered: _optimized(lowered),
    "optimized_hlo_proto_serialized": lambda lowered: _as_hlo_proto(_optimized(lowered)),
}
"""Name of a stage of the compiler -> the representation of a lowered function there, as text or as bytes."""


def _optimized(lowered: Any) -> bytes:
    """The HLO module that XLA made of a lowered function, as an `HloModuleProto`."""
    module = lowered.compile().runtime_executable().hlo_modules()[0]
    return module.as_serialized_hlo_module_proto()  # type: ignore[no-any-return]


def _as_hlo_proto(module: bytes) -> bytes:
    """The `HloProto` whose first field is an `HloModuleProto`."""
    size, length = len(module), bytearray(b"\n")
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    length.append(size)
    return bytes(length) + module


def lowered(function: Callable[..., Any], shapes: Sequence[Sequence[int]], kinds: Sequence[Any]) -> Any:
    """A function lowered for arguments of these shapes and NumPy dtypes; call it within `wide_types`."""
    specs = [jax().ShapeDtypeStruct(tuple(shape), kind) for shape, kind in zip(shapes, kinds, strict=True)]
    return jax().jit(function).lower(*specs)


def is_traced(value: Any) -> bool:
    """Whether a value is known only when compiled code runs."""
    return isinstance(value, jax().core.Tracer)


def transposed(linear: Callable[[Any], Any], shape: Sequence[int], cotangent: Any) -> Any:
    """The transpose of a linear function of an array of `shape`, applied to a cotangent of its result."""
    return jax().linear_transpose(linear, jax().ShapeDtypeStruct(tuple(shape), cotangent.dtype))(cotangent)[0]


# ---------------------------------------------------------------- the way in and out, on the CPU

ALIGNMENT = 64
"""Bytes: where an array begins at a multiple of it, compiled code reads the array itself; else JAX copies it first."""


class AlignedCopies:
    """Arrays as compiled code can read them where they are: themselves, or copies in memory that calls reuse.

    NumPy's large arrays begin 16 bytes behind a page. The memory belongs to one call at a time.
    """

    __slots__ = ("_free",)

    def __init__(self) -> None:
        self._free: list[list[np.ndarray | None]] = []

    def taken(self, values: Sequence[Any]) -> tuple[list[Any], list[np.ndarray | None]]:
        """The values to be passed, and the memory taken, which is given back once the compiled code has run."""
        try:
            memory = self._free.pop()
        except IndexError:
            memory = [None] * len(values)
        return [self._aligned(value, memory, j) for j, value in enumerate(values)], memory

    def given_back(self, memory: list[np.ndarray | None]) -> None:
        """Nobody reads the memory any more."""
        if not self._free and sum(m.nbytes for m in memory if m is not None) <= TUNING.align_memory_bytes:
            self._free.append(memory)

    @staticmethod
    def _aligned(value: Any, memory: list[np.ndarray | None], place: int) -> Any:
        if value.__class__ is not np.ndarray or value.nbytes < TUNING.align_bytes or _is_aligned(value):
            return value
        held = memory[place]
        if held is None or len(held) != value.nbytes:
            raw = np.empty(value.nbytes + ALIGNMENT, np.uint8)
            start = -_address(raw) % ALIGNMENT
            held = memory[place] = raw[start : start + value.nbytes]
        copy = held.view(value.dtype).reshape(value.shape)
        np.copyto(copy, value)
        return copy


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def _is_aligned(array: np.ndarray) -> bool:
    return array.flags.c_contiguous and not _address(array) % ALIGNMENT


def left(result: Any, arguments: Sequence[Any]) -> Any:
    """A result of compiled code on the CPU, as a runtime value, once it is there: a read-only view of JAX's memory.

    Args:
      result: a JAX array.
      arguments: the arguments of the code: a result in the memory of one of those is copied.
    """
    array = np.asarray(result)
    if not array.ndim:
        return array[()]
    if any(value.__class__ is np.ndarray and np.may_share_memory(array, value) for value in arguments):
        return array.copy()
    return array


# ---------------------------------------------------------------- devices


def gpus() -> Mapping[str, Any]:
    """The GPUs that JAX reaches: `/device:GPU:0` -> device."""
    try:
        return {f"/device:GPU:{i}": d for i, d in enumerate(jax().local_devices(backend="gpu"))}
    except RuntimeError:  # there is none, or its driver and its plugin do not fit
        return {}


def cpu() -> Any:
    """The CPU as a JAX device: where a GPU is visible, it is not the default one."""
    return jax().local_devices(backend="cpu")[0]


@contextmanager
def on(device: Any) -> Iterator[None]:
    """A context in which JAX works on `device` unless its arguments lie elsewhere, with 64-bit types."""
    with jax().enable_x64(True), jax().default_device(device):
        yield


def to_device(value: Any, device: Any) -> Any:
    """A runtime value, or an array of another device, as an array on `device` that shares no host memory.

    It returns when the value was read: its owner may then write into it.
    """
    with jax().enable_x64(True):
        if isinstance(value, jax().Array):
            return jax().device_put(value, device)
        if device.platform == "cpu":  # JAX would go on reading the caller's own memory
            value = np.array(value)
        return jax().device_put(value, device).block_until_ready()


def sent_ahead(value: Any, device: Any) -> Any:
    """A copy of a runtime value on its way to a device (None: JAX's default one); it may arrive later.

    Types of 64 bits are kept as JAX is set up to keep them.
    """
    return jax().device_put(np.array(value), device)


def to_host(array: Any) -> Any:
    """A device array as a runtime value; read-only."""
    value = jax().device_get(array)
    return value if value.ndim else value[()]


def from_dlpack(source: Any, copy: bool) -> Any:
    """An object that speaks DLPack as a JAX array on the device where it lies, copied there if asked for."""
    with jax().enable_x64(True):
        array = jax().dlpack.from_dlpack(source)
        return copied(array) if copy else array


def copied(array: Any) -> Any:
    """A copy of a JAX array, on its device."""
    with jax().enable_x64(True):
        return jax().numpy.array(array, copy=True)


def failed_running(error: BaseException) -> bool:
    """Whether an error is the device's (out of memory, lost), rather than the kernel's while it was traced."""
    return isinstance(error, jax().errors.JaxRuntimeError)
