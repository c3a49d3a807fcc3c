"""Python functions as handlers of XLA's foreign function interface, by `ctypes`: no compiler, no extension module.

XLA calls a handler with a call frame: pointers to the buffers of arguments and results.

    compiled program ─▶ handler(frame) ─▶ entry(arguments, results) ─▶ None            the results are written
                                                                    └▶ Future          XLA's thread goes free; they are
                                                                                       written when the future is done

The layout of the structures is that of `xla/ffi/api/c_api.h`, which jaxlib carries with it: `unsupported` compares the
fields that are used here with the header, and says why they do not fit. Then nothing is registered.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import re
import struct
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.source import Source
from inlay._src.base.types import dtypes

Entry = Callable[[Sequence[np.ndarray], Sequence[np.ndarray]], "Future[Any] | None"]
"""Reads arguments, which are valid until it is done, and writes results."""
Handler = Callable[[int], "int | None"]
"""The C function `XLA_FFI_Handler`: takes the address of a call frame, returns that of an error, or None."""

_numbers = itertools.count(1)
_handlers: list[Any] = []
"""Compiled programs, which nobody counts, call handlers by their address."""


class BufferLayout(NamedTuple):
    """The facts that all buffers of one dtype and shape share.

    Attributes:
      memory: the type of their memory.
      shape, dtype: of the array.
    """

    memory: Any
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def array(self, data: int) -> np.ndarray:
        """The array at an address."""
        if not data:
            return np.empty(self.shape, self.dtype)
        return np.ndarray(self.shape, self.dtype, self.memory.from_address(data))


@functools.lru_cache(4096)
def layout(shape: tuple[int, ...], dtype: np.dtype[Any]) -> BufferLayout:
    """The layout of arrays of a shape and dtype."""
    return BufferLayout(ctypes.c_char * (math.prod(shape) * dtype.itemsize), shape, dtype)


def register(handler: Handler) -> str:
    """Makes a handler a target of `jax.ffi.ffi_call`, whose name is returned.

    A compiled program may outlive all else that refers to the handler: it lives as long as the process.
    """
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(handler)
    _handlers.append(function)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    name = f"inlay_host_call_{next(_numbers)}"
    address = ctypes.cast(function, ctypes.c_void_p).value
    xla.jax().ffi.register_ffi_target(name, new(address, None, None), platform="cpu")
    return name


# ---------------------------------------------------------------- the layout of XLA's structures

_FIELDS = {
    "XLA_FFI_CallFrame": "struct_size extension_start api ctx stage args rets attrs future",
    "XLA_FFI_Args": "struct_size extension_start size types args",
    "XLA_FFI_Rets": "struct_size extension_start size types rets",
    "XLA_FFI_Attrs": "struct_size extension_start size types names attrs",
    "XLA_FFI_Buffer": "struct_size extension_start dtype data rank dims",
    "XLA_FFI_Api": "struct_size extension_start api_version internal_api",
    "XLA_FFI_Api_Version": "struct_size extension_start major_version minor_version",
    "XLA_FFI_Extension_Base": "struct_size type next",
    "XLA_FFI_Metadata": "struct_size api_version traits",
    "XLA_FFI_Metadata_Extension": "extension_base metadata",
    "XLA_FFI_Error_Create_Args": "struct_size extension_start message errc",
    "XLA_FFI_Future_Create_Args": "struct_size extension_start future",
    "XLA_FFI_Future_SetAvailable_Args": "struct_size extension_start future",
    "XLA_FFI_Future_SetError_Args": "struct_size extension_start future error",
}
"""Structure -> its first fields, in their order; of `XLA_FFI_Api` those before its functions."""
_WHOLE = frozenset({
    "XLA_FFI_Args", "XLA_FFI_Rets", "XLA_FFI_Attrs", "XLA_FFI_Api", "XLA_FFI_Api_Version", "XLA_FFI_Extension_Base",
})  # fmt: skip
"""Structures that something follows in memory, so that one more field would move it: they have these fields alone."""

_FRAME, _POINTER = ctypes.c_uint64 * 22, ctypes.c_uint64
_API, _STAGE, _ARGUMENTS, _RESULTS, _FUTURE = 2, 4, 9, 14, 21
"""Words of a call frame, in which the structures of arguments, results and attributes are embedded."""
_EXECUTE, _METADATA, _INTERNAL = 3, 1, 13
"""Values of `XLA_FFI_ExecutionStage`, `XLA_FFI_Extension_Type` and `XLA_FFI_Error_Code`."""
_SMALL = 4096
"""Bytes up to which a result is copied while the interpreter is held."""
_BUFFER = struct.Struct("=16xi4xQqQ")
"""dtype, data, rank and dims of an `XLA_FFI_Buffer`."""

_CODES: dict[int, Any] = {
    1: np.bool_, 2: np.int8, 3: np.int16, 4: np.int32, 5: np.int64, 6: np.uint8, 7: np.uint16, 8: np.uint32,
    9: np.uint64, 10: np.float16, 11: np.float32, 12: np.float64, 15: np.complex64, 16: dtypes.bfloat16.np,
    18: np.complex128,
}  # fmt: skip
_DTYPES = {code: np.dtype(kind) for code, kind in _CODES.items()}
"""`XLA_FFI_DataType` -> dtype."""
SUPPORTED = frozenset(_DTYPES.values())
"""The dtypes that arguments and results may have."""


class _Api(NamedTuple):
    """The version of the interface, and the words of `XLA_FFI_Api` that hold its functions."""

    major: int
    minor: int
    words: dict[str, int]


@functools.cache
def _header() -> tuple[_Api | None, str]:
    """The interface of this jaxlib, or None and why it is not the one that is written down here."""
    if struct.calcsize("P") != 8:
        return None, "pointers have 8 bytes where this is written down"
    try:
        text = (Path(xla.jax().ffi.include_dir()) / "xla/ffi/api/c_api.h").read_text()
    except (AttributeError, OSError) as error:
        return None, f"jaxlib has no header of its interface: {error}"
    major, minor = (re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR"))
    if not major or not minor or major[1] != "0":
        return None, f"its major version is {major[1] if major else 'unknown'}, known is 0"
    for name, fields in _FIELDS.items():
        body = re.search(rf"struct {name} {{(.*?)\n}}", text, re.DOTALL)
        declared, expected = (
            re.findall(r"[\w*>] \**(\w+);", re.sub(r"//.*", "", body[1])) if body else [],
            fields.split(),
        )
        if (declared if name in _WHOLE else declared[: len(expected)]) != expected:
            return None, f"{name} has the fields {declared}, known are {expected}"
    functions = re.findall(r"^\s+_XLA_FFI_API_STRUCT_FIELD\((\w+)\);", text, re.MULTILINE)
    first = 2 + 3 + 1  # after its size, its extensions, its version, and `internal_api`
    return _Api(int(major[1]), int(minor[1]), {name: first + place for place, name in enumerate(functions)}), ""


@functools.cache
def unsupported() -> str:
    """Why XLA cannot call Python functions here; "" if it can."""
    api, why = _header()
    if api is None:
        return why
    lacking = {"XLA_FFI_Error_Create", "XLA_FFI_Future_Create", "XLA_FFI_Future_SetAvailable",
               "XLA_FFI_Future_SetError"} - api.words.keys()  # fmt: skip
    return f"the interface lacks {', '.join(sorted(lacking))}" if lacking else ""


# ---------------------------------------------------------------- the handler


def handler(entry: Entry) -> Handler:
    """The handler that calls a function with arrays whose shapes it reads from the frame."""
    frame_at = _FRAME.from_address

    def handle(frame: int) -> int | None:
        words = frame_at(frame)
        if words[1] or words[_STAGE] & 0xFFFFFFFF != _EXECUTE:
            return other_stage(words)
        try:
            running = entry(_arrays(words, _ARGUMENTS), _arrays(words, _RESULTS))
            if running is not None:
                started(words, running)
        except BaseException as error:
            return failed(words, error)
        return None

    return handle


class FrameSource:
    """Source of a handler of arrays of fixed layouts, which reads and writes the memory that a frame points to.

        words = frame_at(frame)
        if words[1] or words[4] & 0xFFFFFFFF != 3: return other_stage(words)
        p, q = words[9], words[14]
        m_0[word_at(word_at(p + 8).value + 24).value]                   an argument: an array of XLA's memory
        b_0(word_at(word_at(q).value + 24).value).raw = r               a result is copied there

    Args:
      source: where it is written.
    """

    HEAD = "def handle(frame, frame_at=frame_at, word_at=word_at, A=A, E=E):"

    def __init__(self, source: Source) -> None:
        self._source = source
        source.names |= {"frame_at": _FRAME.from_address, "word_at": _POINTER.from_address, "other_stage": other_stage}

    def begin(self) -> None:
        """Writes the lines that answer what is no call, and find the pointers."""
        self._source.write(
            "words = frame_at(frame)",
            f"if words[1] or words[{_STAGE}] & 0xFFFFFFFF != {_EXECUTE}: return other_stage(words)",
            f"p, q = words[{_ARGUMENTS}], words[{_RESULTS}]",
        )

    def argument(self, place: int, layout: BufferLayout) -> str:
        """Source of an argument: a read-only array in XLA's memory."""
        return f"{self._source.name('m', _ArraysByAddress(layout))}[{self._address('p', place)}]"

    def result(self, place: int, layout: BufferLayout, value: str) -> None:
        """Writes the line that copies an array of the layout, or for rank 0 a NumPy scalar, into a result."""
        at, shape = self._memory(place, layout), layout.shape
        array = f"{self._array(at, layout)}[...] = {value}"
        if layout.dtype.isbuiltin != 1 or ctypes.sizeof(layout.memory) > _SMALL:
            self._source.write(array)
        elif shape:
            contiguous = f"{value}.__class__ is A and {value}.flags.c_contiguous"
            self._source.write(f"if {contiguous}: {at}.raw = {value}", f"else: {array}")
        else:
            scalar = self._source.name("k", layout.dtype.type)
            self._source.write(f"if {value}.__class__ is {scalar}: {at}.raw = {value}", f"else: {array}")

    def result_array(self, place: int, layout: BufferLayout) -> str:
        """Source of a result: a writable array in XLA's memory."""
        return self._array(self._memory(place, layout), layout)

    def _memory(self, place: int, layout: BufferLayout) -> str:
        return f"{self._source.name('b', layout.memory.from_address)}({self._address('q', place)})"

    def _array(self, memory: str, layout: BufferLayout) -> str:
        return f"A({layout.shape!r}, {self._source.name('d', layout.dtype)}, {memory})"

    @staticmethod
    def _address(pointers: str, place: int) -> str:
        return f"word_at(word_at({pointers}{f' + {8 * place}' if place else ''}).value + 24).value"


class _ArraysByAddress(dict[int, np.ndarray]):
    """Read-only arrays of one argument by their address: a program mostly uses the same memory again.

    An array here is a name for memory, not its owner. It is read during a call alone.
    """

    def __init__(self, kind: BufferLayout) -> None:
        self._shape, self._dtype, self._memory_at = kind.shape, kind.dtype, kind.memory.from_address

    def __missing__(self, address: int) -> np.ndarray:
        if len(self) >= 64:
            self.clear()
        array = self[address] = np.ndarray(self._shape, self._dtype, self._memory_at(address))
        array.flags.writeable = False
        return array


def started(words: Any, running: Future[Any]) -> None:
    """Lets XLA wait for the rest of a call."""
    words[_FUTURE] = _signaled(words[_API], running)


def failed(words: Any, error: BaseException) -> int | None:
    """The answer to a call that raised."""
    return _error(words[_API], str(error))


def other_stage(words: Any) -> int | None:
    """The answer to a frame that is no call of the function."""
    if words[1]:
        _describe(words[1])
    return None


def _describe(extension: int) -> None:
    """Answers XLA's question for the version of the interface that a handler was made for."""
    api, _ = _header()
    if api is None or _word(extension + 8) & 0xFFFFFFFF != _METADATA:
        return
    version = _word(extension + 24) + 8 + 16  # past `struct_size`, and the size and extensions of the version itself
    numbers = (ctypes.c_int32 * 2).from_address(version)
    numbers[0], numbers[1] = api.major, api.minor


def _word(address: int) -> int:
    return _POINTER.from_address(address).value


def _arrays(words: Any, place: int) -> list[np.ndarray]:
    """The arrays of the arguments or results of a frame, whose pointers begin at word `place`."""
    return [_array(_word(words[place] + 8 * i)) for i in range(words[place - 2])]


def _array(buffer: int) -> np.ndarray:
    code, data, rank, dims = _BUFFER.unpack(ctypes.string_at(buffer, _BUFFER.size))
    shape = struct.unpack(f"={rank}q", ctypes.string_at(dims, 8 * rank)) if rank else ()
    return layout(shape, _DTYPES[code]).array(data)


# ---------------------------------------------------------------- errors and futures


class _ErrorArguments(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint64), ("extension", ctypes.c_void_p), ("message", ctypes.c_char_p),
        ("code", ctypes.c_int),
    )  # fmt: skip


class _FutureArguments(ctypes.Structure):
    _fields_ = (
        ("size", ctypes.c_uint64), ("extension", ctypes.c_void_p), ("future", ctypes.c_void_p),
        ("error", ctypes.c_void_p),
    )  # fmt: skip


def _called(api: int, name: str, arguments: ctypes.Structure) -> int | None:
    """Calls a function of XLA; returns the pointer that it returns."""
    header, _ = _header()
    assert header is not None
    function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(_word(api + 8 * header.words[name]))
    return function(ctypes.addressof(arguments))  # type: ignore[no-any-return]


def _error(api: int, text: str) -> int | None:
    return _called(api, "XLA_FFI_Error_Create", _ErrorArguments(32, None, text.encode(errors="replace"), _INTERNAL))


def _signaled(api: int, running: Future[Any]) -> int:
    """XLA's future for one of Python's: it gets the value or the error of that when it is done."""
    created = _FutureArguments(24)
    _called(api, "XLA_FFI_Future_Create", created)
    future = created.future

    def signal(done: Future[Any]) -> None:
        error = done.exception()
        if error is None:
            _called(api, "XLA_FFI_Future_SetAvailable", _FutureArguments(24, None, future))
        else:
            _called(api, "XLA_FFI_Future_SetError", _FutureArguments(32, None, future, _error(api, str(error))))

    running.add_done_callback(signal)
    return future  # type: ignore[no-any-return]
