"""Serialized exceptions: class, arguments and other fields; they are rebuilt without a call of `__init__`.

here   Raised(error) ─pickled─▶ classes, arguments, fields ─loaded─▶ there: cls.__new__(cls, *arguments), and the fields

The class is the exception's own, or the first of its bases that can be loaded there. An argument that does not pickle
arrives as its `repr`; another such field stays behind. Exceptions among the arguments travel in the same way.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.host import bodies

_HERE = ("_node_def", "_op", "original_class", "__traceback__")
"""Attributes without a meaning in another process."""
_DEEPEST = 20
"""The depth to which exceptions are sent inside one another."""


class Raised:
    """Pickles an exception; unpickling gives the exception itself.

    Args:
      error: the exception.
      depth: the number of exceptions that enclose it.
    """

    def __init__(self, error: BaseException, depth: int = 0) -> None:
        self._error, self._depth = error, depth

    def __reduce__(self) -> tuple[Any, ...]:
        error = self._error
        fields = {**errors.fields_of(error), **vars(error)}
        sent = {name: data for name, value in fields.items() if name not in _HERE and (data := self._packed(value))}
        if isinstance(error, errors.OpError) and error.original_class is not None:
            classes = _classes(error.original_class)
            return _regained, (errors.mapped_class(error), classes, error.message, error.error_code, sent)
        args = [(self._packed(value), _repr(value)) for value in error.args]
        return _rebuilt, (_classes(type(error)), args, sent)

    def _packed(self, value: Any) -> bytes | None:
        """A value as bytes; None if it does not pickle."""
        try:
            data = bodies.dumps(self._ready(value))
            pickle.loads(data)
        except Exception:
            return None
        return data

    def _ready(self, value: Any) -> Any:
        if isinstance(value, BaseException):
            if self._depth >= _DEEPEST:
                raise RecursionError
            return Raised(value, self._depth + 1)
        if value.__class__ in (list, tuple) and any(isinstance(each, BaseException) for each in value):
            return value.__class__(self._ready(each) for each in value)
        return value


def _classes(cls: type[BaseException]) -> list[bytes]:
    """The class as bytes, and those of its bases that it may be replaced by, the nearest first."""
    pickled = []
    for base in cls.__mro__:
        if issubclass(base, BaseException):
            try:
                pickled.append(bodies.dumps(base))
            except Exception:
                continue
            if errors.is_builtin(base):
                break
    return pickled


def _repr(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _loaded(classes: Sequence[bytes]) -> Iterator[type[BaseException]]:
    for data in classes:
        try:
            yield pickle.loads(data)
        except Exception:  # this process cannot load it
            continue


def _fields(sent: dict[str, bytes]) -> dict[str, Any]:
    fields = {}
    for name, data in sent.items():
        try:
            fields[name] = pickle.loads(data)
        except Exception:
            continue
    return {name: value for name, value in fields.items() if value is not None}


def _regained(
    ours: type[errors.OpError], classes: Sequence[bytes], message: str, code: int | None, sent: dict[str, bytes]
) -> BaseException:
    """An error of inlay that is an instance of another class as well."""
    error = errors.built(ours, next(_loaded(classes), None), message, code)
    errors.set_fields(error, _fields(sent))
    return error


def _rebuilt(classes: Sequence[bytes], args: Sequence[tuple[bytes | None, str]], sent: dict[str, bytes]) -> Any:
    """An exception of the first class that can be instantiated."""
    values = []
    for data, text in args:
        try:
            values.append(text if data is None else pickle.loads(data))
        except Exception:
            values.append(text)
    for cls in _loaded(classes):
        builtin: Any = next(base for base in cls.__mro__ if errors.is_builtin(base))
        for maker in (cls, builtin):  # its own `__new__` may want other arguments
            try:
                error = cls(*values) if cls is builtin else maker.__new__(cls, *values)
            except Exception:
                continue
            if isinstance(error, BaseException):
                error.args = tuple(values)
                errors.set_fields(error, _fields(sent))
                return error
    return errors.UnknownError(None, None, f"an exception that is not known here: {', '.join(map(str, values))}")
