"""Values of host calls as bytes and back: data alone, nothing of it can run.

    encoded(value)  ─▶  Encoded: canonical bytes, and the blobs that they name by digest
    decoded(data, blobs)  ─▶  the value

Two values have the same canonical bytes if and only if a function can tell no difference between them: arrays agree in
dtype, byte order, shape and every bit, so `-0.0` is not `0.0`, and each NaN has its payload. The memory order of an
array is not part of its value.

A tag of one byte says what follows. All numbers begin with the low byte.

    N T F              None, True, False          s b       str, bytes
    i f c              int, float, complex        t l m     tuple, list, mapping
    a g                array, NumPy scalar        r         record: a namedtuple or dataclass, by class name and fields
    o u                array of objects, array    e k       eager tensor, composite value
                       of NumPy's strings         x         another object: the name of its class

Bytes of arrays and texts follow a length; from `BLOB_BYTES` on, a digest stands for them.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import hashlib
import math
import struct
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import ml_dtypes
import numpy as np

from inlay._src.base.types import nest
from inlay._src.base.types.dtypes import as_dtype
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops.composite.indexed_slices import IndexedSlices, IndexedSlicesValue
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue

BLOB_BYTES = 512
"""Bytes of an array or a text from which on it is a blob, which a recording has once."""
DIGEST_BYTES = 32
_DEEPEST = 100
"""Nesting beyond this is another object: a list may hold itself."""
_U8, _U32, _U64 = struct.Struct("<B"), struct.Struct("<I"), struct.Struct("<Q")
_FLOAT, _COMPLEX = struct.Struct("<d"), struct.Struct("<dd")



class Blobs(Protocol):
    """The blobs of canonical bytes, by number: the first that these name is 0."""

    def size(self, number: int) -> int:
        """The number of bytes of one."""

    def fill(self, number: int, out: np.ndarray) -> None:
        """Writes one into an array of uint8 that has its size."""


class Opaque:
    """Stands for an object that a recording does not hold.

    Args:
      name: the name of its class.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<an object of class {self.name}, which recordings do not hold>"


class Encoded(NamedTuple):
    """A value as bytes.

    Attributes:
      data: the canonical bytes.
      blobs: the blobs, in the order in which `data` names them. They may be views of the value's own memory.
      digests: theirs.
    """

    data: bytes
    blobs: list[Any]
    digests: list[bytes]

    @property
    def digest(self) -> bytes:
        """The digest of the value."""
        return hashlib.sha256(self.data).digest()

    def detached(self) -> Encoded:
        """The same, with memory of its own."""
        return self._replace(blobs=[bytes(blob) for blob in self.blobs])


class _Composite(NamedTuple):
    """A class of composite values: how one is taken apart and put together."""

    kind: type
    parts: Callable[[Any], Sequence[Any]]
    whole: Callable[..., Any]


_COMPOSITES = {
    each.kind.__name__: each
    for each in (
        _Composite(RaggedTensor, lambda v: v.__reduce__()[1], RaggedTensor),
        _Composite(RaggedTensorValue, lambda v: (v.values, v.row_splits), RaggedTensorValue),
        _Composite(SparseTensor, lambda v: v._components(), lambda *parts: SparseTensor._of(list(parts))),
        _Composite(IndexedSlices, lambda v: (v.values, v.indices, v.dense_shape), IndexedSlices),
        _Composite(SparseTensorValue, tuple, SparseTensorValue),
        _Composite(IndexedSlicesValue, tuple, IndexedSlicesValue),
    )
}


# ---------------------------------------------------------------- to bytes


def encoded(value: Any) -> Encoded:
    """A value as bytes.

    Args:
      value: arrays, NumPy scalars, eager tensors, ragged and sparse values, Python numbers, texts, None, and tuples,
        lists, mappings, namedtuples and dataclasses of such. An object that NumPy can make an array of is encoded as that
        array; of any other object the name of its class is left.
    """
    writer = _Writer()
    writer.value(value, 0)
    return Encoded(bytes(writer.out), writer.blobs, writer.digests)


class _Writer:
    """Writes canonical bytes; see `Encoded`."""

    def __init__(self) -> None:
        self.out = bytearray()
        self.blobs: list[Any] = []
        self.digests: list[bytes] = []

    def value(self, value: Any, depth: int) -> None:
        """Writes a value, `depth` levels below the whole."""
        write = _WRITERS.get(value.__class__)
        if write is not None:
            write(self, value, depth + 1)
        elif isinstance(value, np.ndarray):
            self.array(np.asarray(value), depth)
        elif isinstance(value, np.generic):
            self.scalar(value, depth)
        elif isinstance(value, EagerTensor):
            self.tensor(value, depth)
        elif depth < _DEEPEST and nest.is_nested(value):
            self.nested(value, depth + 1)
        else:
            self.other(value, depth)

    def constant(self, value: Any, depth: int) -> None:
        self.out += b"N" if value is None else b"T" if value else b"F"

    def integer(self, value: int, depth: int) -> None:
        size = (value.bit_length() + 8) // 8
        self.out += b"i" + _U32.pack(size) + value.to_bytes(size, "little", signed=True)

    def floating(self, value: float, depth: int) -> None:
        self.out += b"f" + _FLOAT.pack(value)

    def complex(self, value: complex, depth: int) -> None:
        self.out += b"c" + _COMPLEX.pack(value.real, value.imag)

    def text(self, value: str, depth: int) -> None:
        self.out += b"s"
        self.data(value.encode("utf-8", "surrogatepass"))

    def octets(self, value: bytes, depth: int) -> None:
        self.out += b"b"
        self.data(value)

    def array(self, value: np.ndarray, depth: int) -> None:
        """Writes an array; see the module for its tags."""
        if value.dtype.kind == "T" or value.dtype == object:
            if depth >= _DEEPEST:
                self.opaque(value)
                return
            inner = _Writer()
            for item in value.ravel().tolist():
                inner.value(item, depth + 1)
            self.out += b"u" if value.dtype.kind == "T" else b"o"
            self.shape(value.shape)
            if inner.blobs:  # large items are blobs themselves
                self.out += b"\1"
                self.out += inner.out
                self.blobs += inner.blobs
                self.digests += inner.digests
            else:
                self.out += b"\0"
                self.data(bytes(inner.out))
            return
        name = _name_of(value.dtype)
        if name is None:
            self.opaque(value)
            return
        self.out += b"a"
        self.name(name)
        self.shape(value.shape)
        self.data(_bytes_of(value))

    def scalar(self, value: np.generic, depth: int) -> None:
        name = _name_of(value.dtype)
        if name is None:
            self.opaque(value)
            return
        self.out += b"g"
        self.name(name)
        self.data(_bytes_of(np.asarray(value)))

    def tensor(self, value: EagerTensor, depth: int) -> None:
        """Writes an eager tensor; of a variable's handle and of variants the dtype alone."""
        held = value._value if value.dtype._kind not in "rv" else None
        self.out += b"e"
        self.name(value.dtype.name)
        if held is None:
            self.opaque(value)
        else:
            self.value(held, depth + 1)

    def composite(self, value: Any, depth: int) -> None:
        name = value.__class__.__name__
        self.out += b"k"
        self.name(name)
        self.children(list(_COMPOSITES[name].parts(value)), depth)

    def nested(self, value: Any, depth: int) -> None:
        """Writes a container."""
        if isinstance(value, Mapping):
            self.out += b"m" + _U64.pack(len(value))
            for key, child in value.items():
                self.value(key, depth)
                self.value(child, depth)
        elif isinstance(value, list):
            self.out += b"l"
            self.children(value, depth)
        elif isinstance(value, tuple) and not hasattr(value, "_fields"):
            self.out += b"t"
            self.children(value, depth)
        else:
            fields = field_names(value)
            if fields is None:
                self.other(value, depth)
                return
            self.out += b"r"
            self.name(value.__class__.__qualname__)
            self.out += b"t" if isinstance(value, tuple) else b"d"
            self.out += _U32.pack(len(fields))
            for name in fields:
                self.name(name)
                self.value(getattr(value, name), depth)

    def children(self, children: Sequence[Any], depth: int) -> None:
        self.out += _U64.pack(len(children))
        for child in children:
            self.value(child, depth)

    def other(self, value: Any, depth: int) -> None:
        """Writes an object that is an array to NumPy, or the name of its class."""
        if depth < _DEEPEST and not isinstance(value, type) and hasattr(value, "__array__"):
            try:
                array = np.asarray(value)
            except Exception:
                array = None
            if array is not None and array.dtype != object:
                self.array(array, depth)
                return
        self.opaque(value)

    def opaque(self, value: Any) -> None:
        self.out += b"x"
        self.name(value.name if value.__class__ is Opaque else value.__class__.__qualname__)

    def name(self, name: str) -> None:
        text = name.encode("utf-8", "surrogatepass")
        self.out += _U32.pack(len(text)) + text

    def shape(self, shape: Sequence[int]) -> None:
        self.out += _U8.pack(len(shape)) + b"".join(map(_U64.pack, shape))

    def data(self, data: Any) -> None:
        """Writes bytes, or their digest; see the module."""
        size = len(data)
        self.out += _U64.pack(size)
        if size < BLOB_BYTES:
            self.out += data.tobytes() if data.__class__ is np.ndarray else data
            return
        digest = hashlib.sha256(data).digest()
        self.out += digest
        self.blobs.append(data)
        self.digests.append(digest)


_WRITERS: dict[type, Callable[[_Writer, Any, int], None]] = {
    type(None): _Writer.constant,
    bool: _Writer.constant,
    int: _Writer.integer,
    float: _Writer.floating,
    complex: _Writer.complex,
    str: _Writer.text,
    bytes: _Writer.octets,
    np.ndarray: _Writer.array,
    EagerTensor: _Writer.tensor,
    **dict.fromkeys([each.kind for each in _COMPOSITES.values()], _Writer.composite),
}


@functools.lru_cache(256)
def _name_of(dtype: np.dtype[Any]) -> str | None:
    """The name of a dtype in canonical bytes; None if its elements are more than bytes, or have fields."""
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None or dtype.kind == "T":
        return None
    if getattr(ml_dtypes, dtype.name, None) is dtype.type:
        return dtype.name
    return dtype.str if np.dtype(dtype.str) == dtype else None


def _bytes_of(value: np.ndarray) -> Any:
    """The bytes of an array as a vector of uint8, of its own memory where that is in one piece."""
    if not value.nbytes:
        return b""
    return np.ascontiguousarray(value).reshape(-1).view(np.uint8)


def field_names(value: Any) -> Sequence[str] | None:
    """The names of the fields of a namedtuple, a dataclass or a class of attrs; None of another value."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if isinstance(value, types.SimpleNamespace):
        return list(vars(value))
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    attributes = getattr(value.__class__, "__attrs_attrs__", None)
    return None if attributes is None else [attribute.name for attribute in attributes]


def composite_parts(value: Any) -> Sequence[Any] | None:
    """The parts of a ragged or sparse value; None of another value."""
    composite = _COMPOSITES.get(value.__class__.__name__)
    return None if composite is None or value.__class__ is not composite.kind else composite.parts(value)


def leaves(value: Any) -> Iterator[Any]:
    """The values that a nest holds, and those of which its ragged and sparse values are made."""
    parts: Any = composite_parts(value)
    if parts is None and nest.is_nested(value):
        names = field_names(value)
        if isinstance(value, Mapping):
            parts = value.values()
        elif names is not None:
            parts = [getattr(value, name) for name in names]
        elif isinstance(value, (list, tuple)):
            parts = value
    if parts is None:
        yield value
        return
    for part in parts:
        yield from leaves(part)


# ---------------------------------------------------------------- from bytes


def decoded(data: bytes, blobs: Blobs, classes: Mapping[str, type] | None = None) -> Any:
    """The value of canonical bytes; arrays are new, and may be written into.

    Args:
      data: the canonical bytes.
      blobs: those that they name.
      classes: name -> class of namedtuples and dataclasses. One of another name becomes a namedtuple, or a
        `types.SimpleNamespace`, with the same fields.

    Raises:
      ValueError, LookupError, struct.error, TypeError: if the bytes are damaged.
    """
    reader = _Reader(data, blobs, classes or {})
    value = reader.value()
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes follow the value")
    return value


class _Reader:
    """Reads canonical bytes; see `decoded`."""

    def __init__(self, data: bytes, blobs: Blobs, classes: Mapping[str, type]) -> None:
        self._data, self._blobs, self._classes = data, blobs, classes
        self._next = 0
        self.at = 0

    def value(self) -> Any:
        """Reads a value."""
        return _READERS[self.take(1)](self)

    def take(self, size: int) -> bytes:
        """Reads some bytes."""
        part = self._data[self.at : self.at + size]
        if len(part) < size:
            raise ValueError("the value is cut short")
        self.at += size
        return part

    def number(self, form: struct.Struct) -> int:
        return form.unpack(self.take(form.size))[0]  # type: ignore[no-any-return]

    def name(self) -> str:
        return self.take(self.number(_U32)).decode("utf-8", "surrogatepass")

    def shape(self) -> tuple[int, ...]:
        return tuple([self.number(_U64) for _ in range(self.number(_U8))])

    def integer(self) -> int:
        return int.from_bytes(self.take(self.number(_U32)), "little", signed=True)

    def octets(self) -> bytes:
        size = self.number(_U64)
        if size < BLOB_BYTES:
            return self.take(size)
        self.check_blob(size)
        out = np.empty(size, np.uint8)
        self.blob(out)
        return out.tobytes()

    def check_blob(self, size: int) -> None:
        """Refuses a blob of another size before memory is taken for it."""
        if self._blobs.size(self._next) != size:
            raise ValueError(f"blob {self._next} of the value has not {size} bytes")

    def blob(self, out: np.ndarray) -> None:
        """Reads the next blob."""
        self.take(DIGEST_BYTES)
        self._blobs.fill(self._next, out)
        self._next += 1

    def array(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """Reads an array; `shape` is that of a scalar."""
        dtype = _dtype_of(self.name())
        dims = self.shape() if shape is None else shape
        size = self.number(_U64)
        if math.prod(dims) * dtype.itemsize != size:
            raise ValueError(f"an array of shape {dims} and dtype {dtype} has not {size} bytes")
        if size < BLOB_BYTES:
            part = np.frombuffer(self.take(size), np.uint8)
        else:
            self.check_blob(size)
        out = np.empty(dims, dtype)
        if size:
            octets = out.reshape(-1).view(np.uint8)
            if size < BLOB_BYTES:
                octets[:] = part
            else:
                self.blob(octets)
        return out

    def objects(self, texts: bool) -> np.ndarray:
        """Reads an array of objects, or of NumPy's strings."""
        shape = self.shape()
        count = math.prod(shape)
        if self.take(1) == b"\1":
            items = [self.value() for _ in range(count)]
        else:
            inner = _Reader(self.octets(), self._blobs, self._classes)
            items = [inner.value() for _ in range(count)]
        out = np.empty(count, np.dtypes.StringDType() if texts else object)
        for index, item in enumerate(items):
            out[index] = item
        return out.reshape(shape)

    def tensor(self) -> Any:
        dtype = as_dtype(self.name())
        value = self.value()
        return value if value.__class__ is Opaque else EagerTensor(value, dtype)

    def children(self) -> list[Any]:
        return [self.value() for _ in range(self.number(_U64))]

    def record(self) -> Any:
        """Reads a namedtuple or a dataclass."""
        kind, form = self.name(), self.take(1)
        fields = [(self.name(), self.value()) for _ in range(self.number(_U32))]
        cls = self._classes.get(kind)
        names, values = [name for name, _ in fields], [value for _, value in fields]
        if form == b"t":
            made = cls or collections.namedtuple(kind.rpartition(".")[2], names, rename=True)  # type: ignore[misc]
            return tuple.__new__(made, values)  # type: ignore[type-var]
        if cls is None:
            return types.SimpleNamespace(**dict(fields))
        made = object.__new__(cls)
        for name, value in fields:
            object.__setattr__(made, name, value)
        return made

    def composite(self) -> Any:
        return _COMPOSITES[self.name()].whole(*self.children())


_READERS: dict[bytes, Callable[[_Reader], Any]] = {
    b"N": lambda reader: None,
    b"T": lambda reader: True,
    b"F": lambda reader: False,
    b"i": _Reader.integer,
    b"f": lambda reader: reader.number(_FLOAT),
    b"c": lambda reader: complex(*_COMPLEX.unpack(reader.take(_COMPLEX.size))),
    b"s": lambda reader: reader.octets().decode("utf-8", "surrogatepass"),
    b"b": _Reader.octets,
    b"a": _Reader.array,
    b"g": lambda reader: reader.array(())[()],
    b"o": lambda reader: reader.objects(False),
    b"u": lambda reader: reader.objects(True),
    b"t": lambda reader: tuple(reader.children()),
    b"l": _Reader.children,
    b"m": lambda reader: {reader.value(): reader.value() for _ in range(reader.number(_U64))},
    b"r": _Reader.record,
    b"e": _Reader.tensor,
    b"k": _Reader.composite,
    b"x": lambda reader: Opaque(reader.name()),
}


@functools.lru_cache(256)
def _dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a name; never one whose elements are references, which bytes cannot be read as."""
    kind = getattr(ml_dtypes, name, None) if name.isidentifier() else None
    dtype = np.dtype(kind if isinstance(kind, type) and issubclass(kind, np.generic) else name)
    if _name_of(dtype) != name:
        raise ValueError(f"{name!r} is no dtype of a recording")
    return dtype
