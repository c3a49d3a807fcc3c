"""Values of host calls as bytes: data alone, nothing of it can run. `decoding` reads them.

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

import hashlib
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import nest
from inlay._src.core.tensor import EagerTensor
from inlay._src.inspection.replaying.values import COMPOSITES, Opaque, field_names, name_of

BLOB_BYTES = 512
"""Bytes of an array or a text from which on it is a blob, which a recording has once."""
DIGEST_BYTES = 32
_DEEPEST = 100
"""Nesting beyond this is another object: a list may hold itself."""
U8, U32, U64 = struct.Struct("<B"), struct.Struct("<I"), struct.Struct("<Q")
FLOAT, COMPLEX = struct.Struct("<d"), struct.Struct("<dd")


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


def encoded(value: Any) -> Encoded:
    """A value as bytes.

    Args:
      value: arrays, NumPy scalars, eager tensors, ragged and sparse values, Python numbers, texts, None, and tuples,
        lists, mappings, namedtuples and dataclasses of such. An object that NumPy can make an array of is encoded as
        that array; of any other object the name of its class is left.
    """
    writer = _ValueWriter()
    writer.value(value, 0)
    return Encoded(bytes(writer.out), writer.blobs, writer.digests)


def encoded_arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Encoded:
    """The arguments of a call as bytes: a pair of a tuple and a mapping."""
    try:
        return encoded((tuple(args), dict(kwargs)))
    except Exception:
        return encoded((tuple(map(_encodable, args)), {name: _encodable(value) for name, value in kwargs.items()}))


def encoded_result(value: Any) -> Encoded:
    """The result of a call as bytes; its stand-in if its own methods fail, as a program must not fail by recording."""
    try:
        return encoded(value)
    except Exception:
        return encoded(Opaque(type(value).__qualname__))


def _encodable(value: Any) -> Any:
    try:
        encoded(value)
    except Exception:
        return Opaque(type(value).__qualname__)
    return value


class _ValueWriter:
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
        elif nest.is_nested(value):
            self.nested(value, depth + 1)
        else:
            self.other(value, depth)

    def constant(self, value: Any, depth: int) -> None:
        self.out += b"N" if value is None else b"T" if value else b"F"

    def integer(self, value: int, depth: int) -> None:
        size = (value.bit_length() + 8) // 8
        self.out += b"i" + U32.pack(size) + value.to_bytes(size, "little", signed=True)

    def floating(self, value: float, depth: int) -> None:
        self.out += b"f" + FLOAT.pack(value)

    def complex(self, value: complex, depth: int) -> None:
        self.out += b"c" + COMPLEX.pack(value.real, value.imag)

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
            inner = _ValueWriter()
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
        name = name_of(value.dtype)
        if name is None:
            self.opaque(value)
            return
        self.out += b"a"
        self.name(name)
        self.shape(value.shape)
        self.data(_bytes_of(value))

    def scalar(self, value: np.generic, depth: int) -> None:
        name = name_of(value.dtype)
        if name is None:
            self.opaque(value)
            return
        self.out += b"g"
        self.name(name)
        self.data(value.tobytes())

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
        self.children(list(COMPOSITES[name].parts(value)), depth)

    def nested(self, value: Any, depth: int) -> None:
        """Writes a container."""
        if depth > _DEEPEST:
            self.opaque(value)
        elif value.__class__ is tuple:
            self.out += b"t"
            self.children(value, depth)
        elif isinstance(value, Mapping):
            self.out += b"m" + U64.pack(len(value))
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
            self.out += U32.pack(len(fields))
            for name in fields:
                self.name(name)
                self.value(getattr(value, name), depth)

    def children(self, children: Sequence[Any], depth: int) -> None:
        self.out += U64.pack(len(children))
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
        self.out += U32.pack(len(text)) + text

    def shape(self, shape: Sequence[int]) -> None:
        self.out += U8.pack(len(shape)) + b"".join(map(U64.pack, shape))

    def data(self, data: Any) -> None:
        """Writes bytes, or their digest; see the module."""
        size = len(data)
        self.out += U64.pack(size)
        if size < BLOB_BYTES:
            self.out += data.tobytes() if data.__class__ is np.ndarray else data
            return
        digest = hashlib.sha256(data).digest()
        self.out += digest
        self.blobs.append(data)
        self.digests.append(digest)


_WRITERS: dict[type, Callable[[_ValueWriter, Any, int], None]] = {
    type(None): _ValueWriter.constant,
    bool: _ValueWriter.constant,
    int: _ValueWriter.integer,
    float: _ValueWriter.floating,
    complex: _ValueWriter.complex,
    str: _ValueWriter.text,
    bytes: _ValueWriter.octets,
    np.ndarray: _ValueWriter.array,
    EagerTensor: _ValueWriter.tensor,
    tuple: _ValueWriter.nested,
    list: _ValueWriter.nested,
    dict: _ValueWriter.nested,
    **dict.fromkeys([np.dtype(code).type for code in "?bBhHiIlLqQefdFD"], _ValueWriter.scalar),
    **dict.fromkeys([each.kind for each in COMPOSITES.values()], _ValueWriter.composite),
}


def _bytes_of(value: np.ndarray) -> Any:
    """The bytes of an array as a vector of uint8, of its own memory where that is in one piece."""
    if not value.nbytes:
        return b""
    return np.ascontiguousarray(value).reshape(-1).view(np.uint8)
