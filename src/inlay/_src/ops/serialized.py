"""Tensors as bytes, in TensorFlow's wire format (the message `TensorProto`), and bytes that are compressed."""

from __future__ import annotations

import base64
import io
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.allowance import charge
from inlay._src.base.files.opening import ALWAYS, BUFFER, EXPANSION, WINDOWS, inflated
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.base.types.dtypes import DENSE, DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import scalar
from inlay._src.core.values import boxed, to_value

_LISTS = (
    "float_val", "double_val", "int_val", "string_val", "scomplex_val", "int64_val", "bool_val", "dcomplex_val",
    "half_val", "uint32_val", "uint64_val",
)  # fmt: skip
"""The fields of a TensorProto that hold its elements where `tensor_content` does not."""
_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val", "uint32": "uint32_val",
    "uint64": "uint64_val", "complex64": "scomplex_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val",
    **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int32"), "int_val"),
}  # fmt: skip
"""Type -> the field of a TensorProto that lists elements of it."""
_ALWAYS_LISTED = frozenset({dtypes.bool_, dtypes.uint16, dtypes.complex64, dtypes.complex128})
"""The types whose elements `make_tensor_proto` lists, as TensorFlow does; of others it lists a single one."""
_MOST_AXES = 32  # NumPy 1's limit; 64 are too many for its broadcast


_EXPANDED = 1 << 26
"""Limit in bytes on the expansion of elements that a message omits and that are not all alike."""


def tensor_message(value: np.ndarray, kind: DType) -> Any:
    """An array as a TensorProto."""
    from inlay._src.base.protos.tensor import TensorProto

    message = TensorProto(dtype=kind.as_datatype_enum)
    message.tensor_shape.SetInParent()
    for size in value.shape:
        message.tensor_shape.dim.add(size=size)
    if kind is dtypes.string:
        message.string_val.extend(value.reshape(-1).tolist())
    else:
        message.tensor_content = np.ascontiguousarray(value).astype(kind.np.newbyteorder("<"), copy=False).tobytes()
    return message


def array_in(message: Any) -> tuple[np.ndarray, DType]:
    """The array of a TensorProto, and its type. An element that is repeated takes its own memory only.

    Raises:
      TypeError, ValueError: if it is not an array: of an unknown type or shape, or with elements that do not fill it.
    """
    kind = dtypes.as_dtype(message.dtype)
    if kind in (dtypes.resource, dtypes.variant) or message.tensor_shape.unknown_rank:
        raise ValueError(
            f"a tensor of type {kind.name} and unknown rank is not an array"
            if kind in dtypes.DENSE
            else f"a {kind.name} is not an array"
        )
    sizes = [dim.size for dim in message.tensor_shape.dim]
    if len(sizes) > _MOST_AXES or any(n < 0 for n in sizes) or prod(n or 1 for n in sizes) * kind.size >= 2**62:
        raise ValueError(f"{sizes[:8]} is not the shape of an array")
    listed = [value for name in _LISTS for value in getattr(message, name)]
    try:
        return _filled(kind, sizes, message.tensor_content, listed), kind
    except OverflowError as error:
        raise ValueError(f"an element is no {kind.name}: {error}") from None


@export("make_tensor_proto")
def make_tensor_proto(
    values: Any, dtype: Any = None, shape: Any = None, verify_shape: bool = False, allow_broadcast: bool = False
) -> ProtoMessage:
    """Values as a TensorProto.

    Args:
      values: values convertible to an array.
      dtype: its type; None takes that of the values.
      shape: its shape; None takes that of the values. A last element is repeated until it is filled.
      verify_shape: whether the values must have that shape.
      allow_broadcast: accepted.

    Raises:
      TypeError, ValueError: if there is no such tensor.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if wanted is not None and (
        wanted in (dtypes.resource, dtypes.variant)
        or (wanted.is_quantized and not isinstance(values, (np.ndarray, np.generic)))
    ):
        raise TypeError(f"Expected {wanted.name}, but got {values!r} of type '{type(values).__name__}'.")
    array = np.asarray(to_value(values, wanted))
    kind = wanted or (dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype))
    if shape is not None:
        sizes = [int(size) for size in shape]
        if verify_shape and list(array.shape) != sizes:
            raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, got {array.shape}.")
        flat, count = array.reshape(-1), prod(sizes)
        if flat.size > count:
            raise ValueError(f"Too many elements provided. Takes at most {count}, but got {flat.size}.")
        last = np.broadcast_to(flat[-1:], (count - flat.size,)) if flat.size else np.zeros(count, array.dtype)
        array = np.concatenate([flat, last]).reshape(sizes)
    return listed_message(array, kind) if array.size == 1 or kind in _ALWAYS_LISTED else tensor_message(array, kind)


def listed_message(value: np.ndarray, kind: DType) -> Any:
    """An array as a TensorProto with its elements in the field of their type, where there is one."""
    message = tensor_message(value, kind)
    field = _FIELDS.get(kind.name)
    if field is None:
        return message
    message.ClearField("tensor_content")
    elements = value.reshape(-1)
    if field == "half_val":
        elements = elements.view(np.uint16)
    elif kind.is_complex:
        elements = elements.view(elements.real.dtype)
    getattr(message, field).extend(elements.tolist())
    return message


@export("make_ndarray")
def make_ndarray(tensor: Any) -> np.ndarray:
    """The array of a TensorProto.

    Raises:
      TypeError, ValueError: if it is not an array.
    """
    return array_in(tensor)[0]


def message_of(value: np.ndarray, kind: DType) -> bytes:
    """An array as the bytes of a TensorProto."""
    return tensor_message(value, kind).SerializeToString()  # type: ignore[no-any-return]


def array_of(text: bytes) -> tuple[np.ndarray, DType]:
    """The array of the bytes of a TensorProto, and its type.

    Raises:
      TypeError, ValueError: if it is none.
    """
    from inlay._src.base.protos.schema import parsed
    from inlay._src.base.protos.tensor import TensorProto

    return array_in(parsed(TensorProto, text))


def _filled(kind: DType, sizes: list[int], content: bytes, listed: list[Any]) -> np.ndarray:
    """The elements of a message, whose list leaves out repetitions of its last one."""
    count = prod(sizes)
    if content and kind is dtypes.string:
        listed = _without_lengths(content, count)
    elif content:
        return np.frombuffer(content, kind.np.newbyteorder("<")).astype(kind.np).reshape(sizes)
    if kind.is_complex:
        listed = [complex(*pair) for pair in zip(listed[::2], listed[1::2], strict=True)]
    if len(listed) > count:
        raise ValueError(f"{len(listed)} elements do not fit into the shape {sizes}")
    if kind is dtypes.string:
        flat = np.empty(max(len(listed), 1), object)
        flat[:] = listed or [b""]
    else:
        if kind.size == 2 and kind.is_floating:
            listed = np.asarray(listed, np.uint16).view(kind.np).tolist()
        flat = np.asarray(listed or [0], kind.np)
    if len(flat) == count or not count:
        return flat[:count].reshape(sizes)
    if len(flat) == 1:
        return np.broadcast_to(flat.reshape(()), sizes)
    if count * max(kind.size, 8) > max(_EXPANDED, 64 * len(flat)):
        raise ValueError(f"{len(flat)} elements stand for the {count} of the shape {sizes}")
    charge(count * max(kind.size, 8))
    return np.concatenate([flat, np.broadcast_to(flat[-1:], (count - len(flat),))]).reshape(sizes)


@op("SerializeTensor", "tensor:T -> string", types=DENSE, infer=scalar)
@export("io.serialize_tensor", "serialize_tensor")
def serialize_tensor(xp, tensor):
    """A tensor as a string, which `parse_tensor` reads, in TensorFlow too.

    Args:
      tensor: a tensor.
    """
    value = np.asarray(tensor)
    return boxed(message_of(value, dtypes.string if value.dtype == object else dtypes.FROM_NUMPY[value.dtype]))


@op("ParseTensor", "serialized:string -> out_type", infer=lambda s: [None], lower=REFUSES_VALUES)
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
    except (TypeError, ValueError):
        shown = base64.urlsafe_b64encode(text).decode()
        raise ValueError(f"Could not parse `serialized` as TensorProto, base64: {shown}") from None
    if kind is not out_type:
        raise ValueError(f"Type mismatch between parsed tensor ({_c_name(kind)}) and dtype ({_c_name(out_type)})")
    return value


def _c_name(kind: DType) -> str:
    return {"float32": "float", "float64": "double"}.get(kind.name, kind.name)


def _decompressed(text: bytes, compression: str) -> bytes:
    """A string decompressed, of which several streams may stand one behind the other.

    Raises:
      ResourceExhaustedError: if it has many times the bytes that it claims to stand for.
    """
    if not compression:
        return text
    most, whole = max(ALWAYS, EXPANSION * len(text)), io.BytesIO()
    with inflated(io.BytesIO(text), "a string", compression) as stream:
        while part := stream.read(BUFFER):
            if whole.tell() + len(part) > most:
                raise errors.ResourceExhaustedError(
                    None,
                    None,
                    f"a string of {len(text):,} bytes stands for more than {most:,}: if you trust it, decompress it "
                    "piece by piece, with zlib",
                )
            whole.write(part)
    return whole.getvalue()


@op("DecodeCompressed", "bytes:string -> string", infer=lambda s: [s.dims[0]])
@export("io.decode_compressed", "decode_compressed")
def decode_compressed(xp, bytes, *, compression_type=""):
    """Each string decompressed.

    Args:
      bytes: strings.
      compression_type: "ZLIB", "GZIP", or "" for strings that are not compressed.
    """
    if compression_type not in ("", *WINDOWS):
        raise ValueError(f"Only ZLIB, GZIP or NONE are supported compressions, got {compression_type!r}")
    out = np.empty(np.shape(bytes), object)
    try:
        out.reshape(-1)[:] = [_decompressed(text, compression_type) for text in np.asarray(bytes).reshape(-1).tolist()]
    except errors.DataLossError as error:
        raise errors.DataLossError(None, None, f"a string is not compressed as {compression_type}: {error}") from None
    return out


# ---------------------------------------------------------------- parts of sparse tensors


def _without_lengths(content: bytes, count: int) -> list[bytes]:
    """The texts that `_with_lengths` joined into one.

    Raises:
      ValueError: if it is no such text.
    """
    sizes: list[int] = []
    at = 0
    while len(sizes) < count:
        size, shift = 0, 0
        while True:
            if at >= len(content) or shift > 56:
                raise ValueError(f"a content of {len(content)} bytes does not hold {count} texts")
            byte, at = content[at], at + 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        sizes.append(size)
    if sum(sizes) != len(content) - at:
        raise ValueError(f"texts of {sum(sizes)} bytes are said to be in {len(content) - at}")
    ends = list(accumulate(sizes, initial=at))
    return [content[start:end] for start, end in pairwise(ends)]


def _with_lengths(texts: list[bytes]) -> bytes:
    """Texts as one: the length of each, seven bits a byte, then all of them."""
    out = bytearray()
    for text in texts:
        size = len(text)
        while size > 0x7F:
            out.append(size & 0x7F | 0x80)
            size >>= 7
        out.append(size)
    return bytes(out) + b"".join(texts)


def part_of(value: np.ndarray, kind: DType) -> bytes:
    """An array as the bytes of a TensorProto that has all its content in one field, text too."""
    message = tensor_message(value, kind)
    if kind is dtypes.string:
        message.ClearField("string_val")
        message.tensor_content = _with_lengths(value.reshape(-1).tolist())
    return message.SerializeToString()  # type: ignore[no-any-return]
