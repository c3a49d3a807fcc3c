"""Messages of options, as TensorFlow's protocol buffers behave: declared fields with types, and no others.

    class Point(DeclaredMessage):
        '''...'''
        _spec = "x: float, name: str, tags: *str, sizes: {int}, other: Point, more: *Point"

declares numbers, texts, lists, a map from texts and messages. A field that was never set reads as 0, "", empty or a
message of its own, which joins the message when one of its fields is set.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, ClassVar, Self

_KINDS: dict[str, type[DeclaredMessage]] = {}
_SCALARS: dict[str, Any] = {
    "bool": (False, lambda value: bool(operator.index(value))),
    "int": (0, operator.index),
    "float": (0.0, float),
    "str": ("", None),
    "object": (None, lambda value: value),
}
"""Kind of a scalar -> (what an unset field reads as, what checks a value)."""


class Several(list[Any]):
    """A repeated field of messages."""

    def __init__(self, kind: type[DeclaredMessage]) -> None:
        super().__init__()
        self._kind = kind

    def add(self, **fields: Any) -> DeclaredMessage:
        """Appends a new message with these fields, and returns it."""
        self.append(self._kind(**fields))
        return self[-1]  # type: ignore[no-any-return]


class DeclaredMessage:
    """A message with the fields that its class declares. Not hashable; equal if all fields are."""

    _spec: ClassVar[str] = ""
    _declared: ClassVar[dict[str, str]] = {}
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init_subclass__(cls) -> None:
        _KINDS[cls.__qualname__] = cls
        pairs = (part.split(":") for part in cls._spec.split(",") if part.strip())
        cls._declared = {name.strip(): kind.strip() for name, kind in pairs}

    def __init__(self, **fields: Any) -> None:
        for name, value in fields.items():
            if name not in self._declared:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            if value is not None:
                self._begin(name, value)

    def _begin(self, name: str, value: Any) -> None:
        kind = self._declared[name]
        if kind[0] == "*":
            for item in value:
                getattr(self, name).append(_built(kind[1:], item))
        elif kind[0] == "{":
            getattr(self, name).update({key: _built(kind[1:-1], item) for key, item in dict(value).items()})
        else:
            self.__dict__[name] = _built(kind, value)

    def __getattr__(self, name: str) -> Any:
        kind = type(self)._declared.get(name)
        if kind is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}; its fields are {_listed(type(self))}")
        if kind in _SCALARS:
            return _SCALARS[kind][0]
        value: Any = {} if kind[0] == "{" else [] if kind[1:] in _SCALARS else None
        if value is None:
            value = Several(_KINDS[kind[1:]]) if kind[0] == "*" else _KINDS[kind]()
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        kind = type(self)._declared.get(name)
        if kind is None:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        if kind not in _SCALARS:
            what = "message" if kind in _KINDS else "map, or repeated"
            raise AttributeError(f'Assignment not allowed to {what} field "{name}" in protocol message object.')
        self.__dict__[name] = _built(kind, value)

    def _set(self) -> Iterator[tuple[str, Any]]:
        """The fields that were set, in the order of their declaration."""
        for name in self._declared:
            value = self.__dict__.get(name)
            is_set = any(True for _ in value._set()) if isinstance(value, DeclaredMessage) else bool(value)
            if is_set:
                yield name, value

    def HasField(self, field_name: str) -> bool:
        """Whether a field that is a message has been set; ValueError for other fields."""
        if self._declared.get(field_name) not in _KINDS:
            raise ValueError(f"Field {type(self).__name__}.{field_name} does not have presence.")
        return any(name == field_name for name, _ in self._set())

    def ClearField(self, field_name: str) -> None:
        """Makes a field one that was never set."""
        self.__dict__.pop(field_name, None)

    def MergeFrom(self, other: Self) -> None:
        """Sets what is set in `other`; lists grow, messages merge."""
        for name, value in other._set():
            if isinstance(value, DeclaredMessage):
                getattr(self, name).MergeFrom(value)
            else:
                self._begin(name, value)

    def CopyFrom(self, other: Self) -> None:
        """Sets what is set in `other`, and nothing else."""
        self.__dict__.clear()
        self.MergeFrom(other)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and dict(self._set()) == dict(other._set())  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return "".join(_text(name, value) for name, value in self._set())


def _built(kind: str, value: Any) -> Any:
    """A value as one of a field's kind; TypeError for others."""
    if kind not in _SCALARS:
        wanted = _KINDS[kind]
        if not isinstance(value, (dict, wanted)):
            raise TypeError(
                "Parameter to initialize message field must be dict or instance of same class: expected "
                f"{wanted} got {type(value)}."
            )
        message = wanted(**value) if isinstance(value, dict) else wanted()
        if isinstance(value, wanted):
            message.CopyFrom(value)
        return message
    if kind == "str":
        if not isinstance(value, (str, bytes)):
            raise TypeError(f"bad argument type for built-in operation: expected a string, got {value!r}")
        return value.decode() if isinstance(value, bytes) else value
    if kind == "float" and isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return _SCALARS[kind][1](value)


def _listed(kind: type[DeclaredMessage]) -> str:
    return ", ".join(kind._declared) or "none"


def _text(name: str, value: Any) -> str:
    """A set field as protocol buffers print it."""
    if isinstance(value, DeclaredMessage):
        inner = "".join(f"  {line}\n" for line in repr(value).splitlines())
        return f"{name} {{\n{inner}}}\n"
    if isinstance(value, dict):
        return "".join(f"{name} {{\n  {_text('key', k)}  {_text('value', v)}}}\n" for k, v in value.items())
    if isinstance(value, list):
        return "".join(_text(name, item) for item in value)
    if isinstance(value, bool):
        value = str(value).lower()
    elif isinstance(value, str):
        value = f'"{value}"'
    shown = f"{value:g}" if isinstance(value, float) else value
    return f"{name}: {shown}\n"
