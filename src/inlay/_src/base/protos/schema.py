"""Construction of message classes: from their fields, in a pool of descriptors of our own.

The bytes of a message depend on the numbers and types of its fields alone, so what is written here is read by
TensorFlow and the other way round. The package's name is ours and so is the pool: TensorFlow's own messages of the
same fields may be loaded beside ours in one process. No code is generated ahead of time, which would tie the
protobuf package to one release.

Format: https://protobuf.dev/programming-guides/encoding/
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message, message_factory, text_format

PACKAGE = "inlay"
_POOL = descriptor_pool.DescriptorPool()
_Proto = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "bool": _Proto.TYPE_BOOL,
    "bytes": _Proto.TYPE_BYTES,
    "double": _Proto.TYPE_DOUBLE,
    "fixed32": _Proto.TYPE_FIXED32,
    "float": _Proto.TYPE_FLOAT,
    "int32": _Proto.TYPE_INT32,
    "int64": _Proto.TYPE_INT64,
    "sint64": _Proto.TYPE_SINT64,
    "string": _Proto.TYPE_STRING,
    "uint32": _Proto.TYPE_UINT32,
    "uint64": _Proto.TYPE_UINT64,
}


_TYPES_OF_OTHERS: dict[str, Any] = {}
"""The enumerations of the files so far: every other name that is no scalar type is a message."""


class Field(NamedTuple):
    """A field of a message.

    Attributes:
      number: its number on the wire.
      type: a scalar type, or the name of an enumeration or a message, of the same file or of one that it uses.
      form: "" for one value, "repeated", "map" from strings, "map uint32" from numbers, or "oneof NAME" for one of
        several alternatives.
    """

    number: int
    type: str
    form: str = ""


Schema = Mapping[str, Mapping[str, Field]]
"""Message name -> field name -> field. A message "A.B" belongs to the message "A", which stands before it."""

Enums = Mapping[str, Mapping[str, int]]
"""Name of an enumeration -> name of a member -> its number."""


def messages(
    file: str,
    schema: Schema,
    module: str,
    docs: Mapping[str, str],
    *,
    enums: Enums | None = None,
    uses: Sequence[str] = (),
) -> dict[str, Any]:
    """Message classes by name, one for each entry of a schema that belongs to no other.

    Args:
      file: a name for the file of descriptors, unlike that of any other.
      schema: the messages.
      module: where the classes are defined, for pickling and `repr`.
      docs: their docstrings by message name.
      enums: the enumerations of the file. One "A.B" belongs to the message "A".
      uses: the files whose messages and enumerations it names too.
    """
    described = descriptor_pb2.FileDescriptorProto(name=file, package=PACKAGE, syntax="proto3", dependency=uses)
    kinds = dict(_TYPES_OF_OTHERS)
    kinds.update(dict.fromkeys(enums or (), _Proto.TYPE_ENUM))
    descriptors: dict[str, Any] = {}
    for name, fields in schema.items():
        parent, _, last = name.rpartition(".")
        descriptors[name] = (descriptors[parent].nested_type if parent else described.message_type).add(name=last)
        _describe(descriptors[name], name, fields, kinds)
    for name, members in (enums or {}).items():
        parent, _, last = name.rpartition(".")
        enum = (descriptors[parent] if parent else described).enum_type.add(name=last)
        for member, number in members.items():
            enum.value.add(name=member, number=number)
    _POOL.AddSerializedFile(described.SerializeToString())
    _TYPES_OF_OTHERS.update(kinds)
    return {name: _message_class(name, module, docs[name]) for name in schema if "." not in name}


def parsed(kind: Any, data: bytes) -> Any:
    """The message of a class that bytes hold.

    Raises:
      ValueError: if they hold none.
    """
    try:
        return kind.FromString(data)
    except message.DecodeError as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def parsed_text(kind: Any, text: str) -> Any:
    """The message of a class that a text holds, in protobuf's text format.

    Raises:
      ValueError: if it holds none.
    """
    try:
        return text_format.Parse(text, kind())
    except text_format.ParseError as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def all_parsed(kind: Any, data: Iterable[bytes]) -> Iterator[Any]:
    """The messages of a class that several strings hold, one after the other.

    Raises:
      ValueError: at the first that holds none.
    """
    try:
        yield from map(kind.FromString, data)
    except message.DecodeError as error:
        raise ValueError(f"no {kind.__name__}: {error}") from None


def _message_class(name: str, module: str, doc: str) -> Any:
    cls: Any = message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"{PACKAGE}.{name}"))
    cls.__module__, cls.__doc__ = module, doc
    return cls


def _describe(described: Any, full: str, fields: Mapping[str, Field], kinds: Mapping[str, Any]) -> None:
    alternatives: list[str] = []
    for name, (number, kind, form) in fields.items():
        field = described.field.add(name=name, number=number, label=_Proto.LABEL_OPTIONAL)
        if form.startswith("map"):
            entry = _entry(described, name, form.removeprefix("map").strip() or "string", kind, kinds)
            field.label, kind = _Proto.LABEL_REPEATED, f"{full}.{entry}"
        elif form == "repeated":
            field.label = _Proto.LABEL_REPEATED
        elif form:
            choice = form.removeprefix("oneof ")
            if choice not in alternatives:
                alternatives.append(choice)
                described.oneof_decl.add(name=choice)
            field.oneof_index = alternatives.index(choice)
        _typed(field, kind, kinds)


def _entry(message: Any, name: str, key: str, kind: str, kinds: Mapping[str, Any]) -> str:
    """The message of a map's entries, which protobuf knows by its name."""
    title = "".join(part.capitalize() for part in name.split("_")) + "Entry"
    entry = message.nested_type.add(name=title)
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=_Proto.LABEL_OPTIONAL, type=_TYPES[key])
    _typed(entry.field.add(name="value", number=2, label=_Proto.LABEL_OPTIONAL), kind, kinds)
    return title


def _typed(field: Any, kind: str, kinds: Mapping[str, Any]) -> None:
    if kind in _TYPES:
        field.type = _TYPES[kind]
    else:
        field.type, field.type_name = kinds.get(kind, _Proto.TYPE_MESSAGE), f".{PACKAGE}.{kind}"
