"""Attribute values and the message `AttrValue`, both ways.

Attributes that TensorFlow declares have a kind, which determines their field: one table holds all kinds. Attributes
that TensorFlow lacks are written by their value. Numbers, text, dtypes, shapes and arrays have fields of their own.
Nested values, and values that are distinct here alone, are a `NameAttrList` that names the constructor of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.files.damage import in_words
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape, as_shape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.tables import Reference
from inlay._src.ops.serialized import array_in, tensor_message
from inlay._src.programs.graph_def.declared import OWN

DEEPEST = 64
"""The limit on nested lists in an attribute."""
_MOST_DIMS = 254  # of TensorFlow


class AttributeKind(NamedTuple):
    """A kind of attribute values.

    Attributes:
      field: of `AttrValue`, and of `AttrValue.ListValue`.
      write: a value as the field has it; messages are copied from it.
      read: the inverse.
      message: whether the field holds a message.
    """

    field: str
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    message: bool = False


def dtype_of(number: int) -> DType:
    """The dtype of a number of the enumeration `DataType`; ValueError if we lack it."""
    try:
        return dtypes.as_dtype(number - 100 if number > 100 else number)
    except (TypeError, ValueError):
        raise ValueError(f"type {number} is unknown, or not supported") from None


def shape_message(shape: Any) -> Any:
    """A shape as a message."""
    return as_shape(shape).as_proto()


def shape_in(message: Any) -> TensorShape:
    """The shape of a message; ValueError if it says a size below -1, or more axes than any tensor has."""
    if message.unknown_rank:
        return TensorShape(None)
    sizes = [dim.size for dim in message.dim]
    if len(sizes) > _MOST_DIMS or any(n < -1 for n in sizes):
        raise ValueError(f"{sizes[:8]}{'…' if len(sizes) > 8 else ''} is not a shape")
    return TensorShape([None if n < 0 else n for n in sizes])


def _text(value: Any) -> bytes:
    return value if value.__class__ is bytes else str(value).encode()


def _as_text(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


def float32_in(value: float) -> float:
    """The number that is meant by one of 32 bits: the shortest that these bits stand for."""
    return float(str(np.float32(value)))


def _tensor(value: Any) -> Any:
    if hasattr(value, "tensor_content"):
        return value
    array = np.asarray(value)
    return tensor_message(array, dtypes.string if array.dtype == object else dtypes.FROM_NUMPY[array.dtype])


KINDS: Mapping[str, AttributeKind] = {
    "bool": AttributeKind("b", bool, bool),
    "int": AttributeKind("i", int, int),
    "float": AttributeKind("f", float, float32_in),
    "string": AttributeKind("s", _text, _as_text),
    "type": AttributeKind("type", lambda d: dtypes.as_dtype(d).as_datatype_enum, dtype_of),
    "shape": AttributeKind("shape", shape_message, shape_in, message=True),
    "tensor": AttributeKind(
        "tensor", _tensor, lambda m: array_in(m)[0], message=True
    ),  # written from arrays and messages
    "func": AttributeKind("func", lambda f: f, lambda f: f, message=True),
}
"""Every kind of single values; those of lists are these, as "list(int)"."""


def put(message: Any, kind: str, value: Any) -> None:
    """Writes a value of a kind into an `AttrValue`; TypeError or ValueError if it is not of that kind."""
    if kind.startswith("list("):
        one = KINDS[kind[5:-1]]
        message.list.SetInParent()
        getattr(message.list, one.field).extend(one.write(v) for v in value)
        return
    one = KINDS[kind]
    written = one.write(value)
    if one.message:
        getattr(message, one.field).CopyFrom(written)
    else:
        setattr(message, one.field, written)


def get(message: Any, kind: str) -> Any:
    """The value of a kind that an `AttrValue` holds; lists are tuples. ValueError if it holds another kind."""
    held = message.WhichOneof("value")
    if kind.startswith("list("):
        one = KINDS[kind[5:-1]]
        if held != "list":
            raise ValueError(f"expected {kind}, got {_said(held)}")
        others = [f.name for f, _ in message.list.ListFields() if f.name != one.field]
        if others:
            raise ValueError(f"expected {kind}, got {', '.join(map(_said, others))}")
        return tuple(one.read(v) for v in getattr(message.list, one.field))
    one = KINDS[kind]
    if held != one.field:
        raise ValueError(f"expected {kind}, got {_said(held)}")
    return one.read(getattr(message, one.field))


def _said(field: str | None) -> str:
    if field is None:
        return "nothing"
    return next((name for name, kind in KINDS.items() if kind.field == field), field)


# ---------------------------------------------------------------- values of no declared kind


def put_any(message: Any, value: Any) -> None:
    """Writes any data into an `AttrValue`.

    Raises:
      TypeError: for what is no data.
    """
    for kind, is_one in _PLAIN.items():
        if is_one(value):
            put(message, kind, value)
            return
    name, parts = _parts(value)
    message.func.name = OWN + name
    for key, part in parts.items():
        put_any(message.func.attr[key], part)


_PLAIN: Mapping[str, Callable[[Any], bool]] = {
    "bool": lambda v: v.__class__ is bool,
    "int": lambda v: v.__class__ is int and -(2**63) <= v < 2**63,
    "string": lambda v: v.__class__ is str,
    "type": lambda v: isinstance(v, DType),
    "shape": lambda v: v.__class__ is TensorShape,
    "tensor": lambda v: isinstance(v, np.ndarray),
    "list(int)": lambda v: v.__class__ is tuple and bool(v) and all(map(_PLAIN["int"], v)),
    "list(type)": lambda v: v.__class__ is tuple and bool(v) and all(map(_PLAIN["type"], v)),
}
"""The kinds of values that a reader knows by the field that they are in."""


def _parts(value: Any) -> tuple[str, dict[str, Any]]:
    """The kind of a value, and its parts by name."""
    if value is None:
        return "none", {}
    if value.__class__ is float or value.__class__ is complex or value.__class__ is int:
        return "number", {"type": type(value).__name__, "text": repr(value)}
    if value.__class__ is bytes:
        return "bytes", {"value": np.array(value, object)}
    if isinstance(value, np.generic):
        return "scalar", {"value": np.asarray(value)}
    if value.__class__ is Reference:
        return "reference", {"table": value.table, "key": value.key}
    if value.__class__ is TensorSpec:
        return "spec", {"shape": value.shape, "dtype": value.dtype, "name": value.name}
    if isinstance(value, (tuple, list)) and value.__class__ in (tuple, list):
        return type(value).__name__, {str(i): part for i, part in enumerate(value)}
    if isinstance(value, Mapping):
        pairs = enumerate(value.items())
        return "dict", {f"{side}{i}": part for i, pair in pairs for side, part in zip("kv", pair, strict=True)}
    raise TypeError(f"a {type(value).__name__} cannot be written: {value!r}")


def get_any(message: Any, depth: int = 0) -> Any:
    """The data that `put_any` wrote.

    Raises:
      ValueError: if it holds nothing that was so written.
    """
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")
    held = message.WhichOneof("value")
    if held == "list":
        fields = [f.name for f, _ in message.list.ListFields()]
        if len(fields) > 1:
            raise ValueError("it is a list of several kinds")
        kinds = [kind for kind, one in KINDS.items() if [one.field] == fields]
        return get(message, f"list({kinds[0]})") if kinds else ()
    if held != "func":
        kinds = [kind for kind, one in KINDS.items() if one.field == held]
        if not kinds:
            raise ValueError(f"expected a value, got {_said(held)}")
        return get(message, kinds[0])
    name = message.func.name
    if not name.startswith(OWN):
        raise ValueError(f"expected a value, got the function {name!r}")
    parts = {key: get_any(part, depth + 1) for key, part in message.func.attr.items()}
    build = _MADE.get(name.removeprefix(OWN))
    if build is None:
        raise ValueError(f"it is a {name!r}, which is unknown")
    try:
        return build(parts)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"it is no {name!r}: {in_words(error) or error}") from None


def _number(parts: Mapping[str, Any]) -> Any:
    return {"float": float, "complex": complex, "int": int}[parts["type"]](parts["text"])


def _in_order(parts: Mapping[str, Any]) -> list[Any]:
    return [parts[str(i)] for i in range(len(parts))]


_MADE: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "none": lambda parts: None,
    "number": _number,
    "bytes": lambda parts: bytes(parts["value"].item()),
    "scalar": lambda parts: parts["value"][()],
    "reference": lambda parts: Reference(str(parts["table"]), str(parts["key"])),
    "spec": lambda parts: TensorSpec(parts["shape"], parts["dtype"], parts["name"]),
    "tuple": lambda parts: tuple(_in_order(parts)),
    "list": _in_order,
    "dict": lambda parts: {parts[f"k{i}"]: parts[f"v{i}"] for i in range(len(parts) // 2)},
}
