"""Values of host calls from the bytes that `encoding` describes."""

from __future__ import annotations

import collections
import math
import struct
import types
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from inlay._src.base.types.dtypes import as_dtype
from inlay._src.core.tensor import EagerTensor
from inlay._src.inspection.replaying.encoding import BLOB_BYTES, COMPLEX, DIGEST_BYTES, FLOAT, U8, U32, U64
from inlay._src.inspection.replaying.values import COMPOSITES, Opaque, dtype_of


class Blobs(Protocol):
    """The blobs of canonical bytes, by number: the first that these name is 0."""

    def size(self, number: int) -> int:
        """The number of bytes of one."""

    def fill(self, number: int, out: np.ndarray) -> None:
        """Writes one into an array of uint8 that has its size."""


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
    reader = _ValueReader(data, blobs, classes or {})
    value = reader.value()
    if reader.at != len(data):
        raise ValueError(f"{len(data) - reader.at} bytes follow the value")
    return value


class _ValueReader:
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
        return self.take(self.number(U32)).decode("utf-8", "surrogatepass")

    def shape(self) -> tuple[int, ...]:
        return tuple([self.number(U64) for _ in range(self.number(U8))])

    def integer(self) -> int:
        return int.from_bytes(self.take(self.number(U32)), "little", signed=True)

    def octets(self) -> bytes:
        size = self.number(U64)
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
        dtype = dtype_of(self.name())
        dims = self.shape() if shape is None else shape
        size = self.number(U64)
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
            inner = _ValueReader(self.octets(), self._blobs, self._classes)
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
        return [self.value() for _ in range(self.number(U64))]

    def record(self) -> Any:
        """Reads a namedtuple or a dataclass."""
        kind, form = self.name(), self.take(1)
        fields = [(self.name(), self.value()) for _ in range(self.number(U32))]
        cls = self._classes.get(kind)
        names, values = [name for name, _ in fields], [value for _, value in fields]
        if form == b"t":
            tuple_class = cls or collections.namedtuple(kind.rpartition(".")[2], names, rename=True)  # type: ignore[misc]
            return tuple.__new__(tuple_class, values)  # type: ignore[type-var]
        if cls is None:
            return types.SimpleNamespace(**dict(fields))
        instance: Any = object.__new__(cls)
        for name, value in fields:
            object.__setattr__(instance, name, value)
        return instance

    def composite(self) -> Any:
        return COMPOSITES[self.name()].whole(*self.children())


_READERS: dict[bytes, Callable[[_ValueReader], Any]] = {
    b"N": lambda reader: None,
    b"T": lambda reader: True,
    b"F": lambda reader: False,
    b"i": _ValueReader.integer,
    b"f": lambda reader: reader.number(FLOAT),
    b"c": lambda reader: complex(*COMPLEX.unpack(reader.take(COMPLEX.size))),
    b"s": lambda reader: reader.octets().decode("utf-8", "surrogatepass"),
    b"b": _ValueReader.octets,
    b"a": _ValueReader.array,
    b"g": lambda reader: reader.array(())[()],
    b"o": lambda reader: reader.objects(False),
    b"u": lambda reader: reader.objects(True),
    b"t": lambda reader: tuple(reader.children()),
    b"l": _ValueReader.children,
    b"m": lambda reader: {reader.value(): reader.value() for _ in range(reader.number(U64))},
    b"r": _ValueReader.record,
    b"e": _ValueReader.tensor,
    b"k": _ValueReader.composite,
    b"x": lambda reader: Opaque(reader.name()),
}
