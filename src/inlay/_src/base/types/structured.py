"""Structured values as JSON: nests of numbers, text, dtypes, shapes and specs, and back.

    None, True, 3, 0.5, "a"                    themselves
    b"a", tf.float32, TensorShape([2, None])   ["bytes", "61"], ["dtype", "float32"], ["shape", [2, null]]
    [a], (a,), {"k": a}, Point(x=a)            ["list", [a]], ["tuple", [a]], ["dict", [["k", a]]],
                                               ["named", "Point", ["x"], [a]]
    RaggedTensorSpec(...)                      ["spec", "RaggedTensorSpec", [arguments of its constructor]]
    Mine.Spec(...), of an extension type       ["extension", "project.Mine", [["field", value]...]]

A named tuple comes back as one of a class made anew, with the same fields. Text from a file that anyone may have
written makes nothing but such values; a malformed value raises ValueError.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay._src.base.export import Declared, load_all
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec

_MOST_FIELDS = 1 << 10

EXTENSIONS: dict[str, Callable[[str, dict[str, Any]], TypeSpec]] = Declared("extensions")
"""Makes the specs of users' types again, from the name that their class is registered by and their fields."""


def as_data(value: Any, other: Callable[[Any], Any] | None = None) -> Any:
    """A structured value as JSON.

    Args:
      value: the value.
      other: gives what stands for a leaf that is none of the above, beginning with a word of its own; else such a leaf
        is an error.

    Raises:
      TypeError: for a leaf that cannot be written.
    """
    if value is None or value.__class__ in (bool, int, float, str):
        return value
    if isinstance(value, bytes):
        return ["bytes", value.hex()]
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return ["number", dtypes.as_dtype(value.dtype).name, value.item()]
    if isinstance(value, DType):
        return ["dtype", value.name]
    if isinstance(value, TensorShape):
        return ["shape", None if value._dims is None else list(value._dims)]
    if isinstance(value, TypeSpec) and spec_class(type(value).__name__) is type(value):
        return ["spec", type(value).__name__, [as_data(part, other) for part in value._serialize()]]
    registered = vars(getattr(value, "value_type", object)).get("__name__") if isinstance(value, TypeSpec) else None
    if isinstance(registered, str):  # an extension type that gave itself a name
        return ["extension", registered, [[name, as_data(part, other)] for name, part in value._serialize()]]
    kind = type(value)
    if kind in (list, tuple):
        return [kind.__name__, [as_data(child, other) for child in value]]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ["named", kind.__name__, list(value._fields), [as_data(child, other) for child in value]]
    if isinstance(value, list):
        return ["list", [as_data(child, other) for child in value]]
    if isinstance(value, Mapping) and nest.is_nested(value):
        return ["dict", [[as_data(key, other), as_data(child, other)] for key, child in value.items()]]
    if other is None:
        raise TypeError(f"{repr_of(value)} cannot be written as data")
    return other(value)


def from_data(data: Any, other: Callable[[list[Any]], Any] | None = None) -> Any:
    """A structured value from JSON; `other` makes leaves of what stands for them.

    Raises:
      ValueError: if it is malformed.
    """
    try:
        return _value_of(data, other)
    except (TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"a structured value is malformed: {data!r:.120}") from error


def _value_of(data: Any, other: Callable[[list[Any]], Any] | None) -> Any:
    if data is None or data.__class__ in (bool, int, float, str):
        return data
    kind, *said = data
    if kind in ("list", "tuple"):
        (children,) = said
        items = [_value_of(child, other) for child in children]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        (pairs,) = said
        return {_value_of(key, other): _value_of(child, other) for key, child in pairs}
    if kind == "named":
        name, fields, children = said
        return named_tuple(str(name), tuple(map(str, fields)))(*(_value_of(child, other) for child in children))
    if kind == "spec":
        name, arguments = said
        return spec_class(name)(*(_value_of(part, other) for part in arguments))
    if kind == "extension":
        name, pairs = said
        if len(pairs) > _MOST_FIELDS:
            raise ValueError(f"an extension type has {len(pairs)} fields")
        return EXTENSIONS[kind](str(name), {str(field): _value_of(part, other) for field, part in pairs})
    if kind == "dtype":
        return dtypes.as_dtype(said[0])
    if kind == "shape":
        return TensorShape(said[0])
    if kind == "bytes":
        return bytes.fromhex(said[0])
    if kind == "number":
        return dtypes.as_dtype(said[0]).np.type(said[1])
    if other is None:
        raise ValueError(f"a structured value is malformed: {kind!r} is not a kind of it")
    return other(data)


@functools.lru_cache(256)
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """A class of named tuples with these fields; ValueError if there are too many, or one is no identifier."""
    if len(fields) > _MOST_FIELDS:
        raise ValueError(f"a named tuple has {len(fields)} fields")
    return namedtuple(name, fields)  # type: ignore[misc]  # checks that these are identifiers


def spec_class(name: str) -> Any:
    """One of our own classes of specs; None if there is none of that name. The modules that define it are loaded."""
    if name not in _specs():
        _specs.cache_clear()
    if name not in _specs():
        load_all()
        _specs.cache_clear()
    return _specs().get(name)


@functools.cache
def _specs() -> dict[str, type[TypeSpec]]:
    """Our own specs by name."""
    specs, waiting = {"TensorSpec": TensorSpec}, [TypeSpec]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            nested = "." in kind.__qualname__  # the spec of an extension type
            if kind.__module__.partition(".")[0] == "inlay" and not nested:
                specs[kind.__name__] = kind  # type: ignore[assignment]
    return specs  # type: ignore[return-value]
