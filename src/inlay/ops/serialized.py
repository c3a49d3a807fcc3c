"""Tensors as bytes, in TensorFlow's wire format (the message `TensorProto`), and bytes that are compressed."""

from __future__ import annotations

import base64
import gzip
import zlib
from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

import numpy as np

from inlay import errors
from inlay.core.opdef import scalar, some_values
from inlay.core.values import boxed
from inlay.eager.declaration import op
from inlay.export import export
from inlay.types import dtypes
from inlay.types.dtypes import DENSE, DType

# The numbers of TensorProto's fields.
_DTYPE, _SHAPE, _CONTENT, _STRING = 1, 2, 4, 8
_LISTS = {5: "<f4", 6: "<f8", 9: "<f4", 12: "<f8"}  # packed fixed numbers; 9 and 12 are pairs: complex
_VARINTS = {7, 10, 11, 13, 16, 17}


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _bytes_field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number_field(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value) if value else b""


def _read_varint(text: bytes, at: int) -> tuple[int, int]:
    """(the number at a place, the place after it)."""
    value = shift = 0
    while True:
        byte = text[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _fields(text: bytes) -> Iterator[tuple[int, Any]]:
    """The fields of a message: numbers, or bytes.

    Raises:
      IndexError, ValueError: if it is none.
    """
    at = 0
    while at < len(text):
        key, at = _read_varint(text, at)
        number, form = key >> 3, key & 7
        if form == 0:
            value, at = _read_varint(text, at)
            yield number, value
            continue
        size = {1: 8, 5: 4}.get(form)
        if form == 2:
            size, at = _read_varint(text, at)
        if size is None or not number or at + size > len(text):
            raise ValueError("no message")
        yield number, text[at : at + size]
        at += size


def _numbers(text: bytes) -> Iterable[int]:
    at = 0
    while at < len(text):
        value, at = _read_varint(text, at)
        yield value


def message_of(value: np.ndarray, kind: DType) -> bytes:
    """An array as a TensorProto."""
    dims = b"".join(_bytes_field(2, _number_field(1, size)) for size in value.shape)
    head = _number_field(_DTYPE, kind.as_datatype_enum) + _bytes_field(_SHAPE, dims)
    if kind is dtypes.string:
        return head + b"".join(_bytes_field(_STRING, text) for text in value.reshape(-1).tolist())
    content = np.ascontiguousarray(value).astype(kind.np.newbyteorder("<"), copy=False).tobytes()
    return head + (_bytes_field(_CONTENT, content) if content else b"")


def _size_of(dim: bytes) -> int:
    return next((v for number, v in _fields(dim) if number == 1), 0)


def array_of(message: bytes) -> tuple[np.ndarray, DType]:
    """The array of a TensorProto, and its type.

    Raises:
      IndexError, ValueError, TypeError: if it is none.
    """
    kind, shape, content, listed = 0, b"", b"", []
    for number, value in _fields(message):
        if number == _DTYPE:
            kind = value
        elif number == _SHAPE:
            shape = value
        elif number == _CONTENT:
            content = value
        elif number == _STRING:
            listed.append(value)
        elif number in _LISTS:
            listed.extend(np.frombuffer(value, _LISTS[number]).tolist())
        elif number in _VARINTS:
            listed.extend(_numbers(value) if isinstance(value, bytes) else [value])
    found = dtypes.as_dtype(kind)
    sizes = [_size_of(v) for number, v in _fields(shape) if number == 2]
    return _filled(found, sizes, content, listed), found


def _filled(kind: DType, sizes: list[int], content: bytes, listed: list[Any]) -> np.ndarray:
    """The elements of a message, whose list leaves out repetitions of its last one."""
    count = prod(sizes)
    if kind is dtypes.string:
        flat = np.empty(count, object)
        flat[:] = (listed + (listed[-1:] or [b""]) * count)[:count]
        return flat.reshape(sizes)
    if content:
        return np.frombuffer(content, kind.np.newbyteorder("<")).astype(kind.np).reshape(sizes)
    if kind.is_complex:
        listed = [complex(*pair) for pair in zip(listed[::2], listed[1::2], strict=True)]
    if kind.size == 2 and kind.is_floating:
        listed = np.asarray(listed, np.uint16).view(kind.np).tolist()
    elif kind.is_integer and not kind.is_unsigned:
        listed = [v - (1 << 64) if v >= 1 << 63 else v for v in listed]
    return np.asarray((listed + (listed[-1:] or [0]) * count)[:count], kind.np).reshape(sizes)


@op("SerializeTensor", "tensor:T -> string", types=DENSE, infer=scalar)
@export("io.serialize_tensor", "serialize_tensor")
def serialize_tensor(xp, tensor):
    """A tensor as a string, which `parse_tensor` reads, in TensorFlow too.

    Args:
      tensor: a tensor.
    """
    value = np.asarray(tensor)
    return boxed(message_of(value, dtypes.string if value.dtype == object else dtypes.FROM_NUMPY[value.dtype]))


@op("ParseTensor", "serialized:string -> out_type", infer=lambda s: [None], refuses=some_values)
@export("io.parse_tensor", "parse_tensor")
def parse_tensor(xp, serialized, *, out_type):
    """The tensor that `serialize_tensor` made a string of, here or in TensorFlow.

    Args:
      serialized: a scalar string.
      out_type: the tensor's type.

    Raises:
      InvalidArgumentError: if it is no such string, or of another type.
    """
    if np.ndim(serialized):
        raise ValueError(f"Expected `serialized` to be a scalar, got shape: {list(np.shape(serialized))}")
    text = np.asarray(serialized).item()
    try:
        value, kind = array_of(text)
    except (IndexError, TypeError, ValueError):
        shown = base64.urlsafe_b64encode(text).decode()
        raise ValueError(f"Could not parse `serialized` as TensorProto, base64: {shown}") from None
    if kind is not out_type:
        raise ValueError(f"Type mismatch between parsed tensor ({_c_name(kind)}) and dtype ({_c_name(out_type)})")
    return value


def _c_name(kind: DType) -> str:
    return {"float32": "float", "float64": "double"}.get(kind.name, kind.name)


_DECOMPRESSED = {"": bytes, "ZLIB": zlib.decompress, "GZIP": gzip.decompress}


@op("DecodeCompressed", "bytes:string -> string", infer=lambda s: [s.dims[0]])
@export("io.decode_compressed", "decode_compressed")
def decode_compressed(xp, bytes, *, compression_type=""):
    """Each string decompressed.

    Args:
      bytes: strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
    """
    decode = _DECOMPRESSED.get(compression_type)
    if decode is None:
        raise ValueError(f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}")
    out = np.empty(np.shape(bytes), object)
    try:
        out.reshape(-1)[:] = [decode(text) for text in np.asarray(bytes).reshape(-1).tolist()]
    except (OSError, EOFError, zlib.error) as error:
        raise errors.DataLossError(None, None, f"a string is not compressed as {compression_type}: {error}") from None
    return out
