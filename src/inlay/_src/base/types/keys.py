"""The key of an attribute or a static value: equal only for values that no program can tell apart.

`==` alone says that 1, 1.0 and True are equal, and 0.0 and -0.0; it cannot say whether two arrays are.
"""

from __future__ import annotations

import enum
import struct
import types
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay._src.base.misuse import too_deep
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape

MOST_BYTES = 1 << 15
"""Arrays above it have no key: to read it would cost more than most of what keys are for."""
_MOST_STRINGS = 1024

Other = Callable[[Any], Any]


class NoKey(TypeError):
    """A value has no key: an object of a class that is not known here, or a large array."""


def refuse(value: Any) -> Any:
    """Says that a value has no key."""
    raise NoKey(f"a {type(value).__name__} has no key")


def key_of(value: Any, other: Other = refuse) -> Any:
    """A hashable key of `value` with its type, in containers as well.

    Numbers, text, dtypes, shapes, classes, members of an enumeration, arrays up to `MOST_BYTES`, and lists, tuples,
    dictionaries, sets and slices of such have one. Dictionaries of one content in another order differ. `other` gives
    the key of a value, also one inside a container, that has none; its result is beside the value's class. By
    default it raises `NoKey`.
    """
    kind = value.__class__
    if kind in THEMSELVES:
        return kind, value
    make = _KEYS.get(kind)
    try:
        return kind, _inherited(value, other) if make is None else make(value, other)
    except RecursionError:
        raise too_deep() from None


THEMSELVES = frozenset({bool, int, str, bytes, type(None), type(...), type, DType, range})
"""Classes of values that nobody can change and that are, beside their class, their own key."""
_pack, _pack_two = struct.Struct("d").pack, struct.Struct("dd").pack


def _items(value: Any, other: Other) -> tuple[Any, ...]:
    return tuple([key_of(v, other) for v in value])


def _members(value: Any, other: Other) -> frozenset[Any]:
    return frozenset([key_of(v, other) for v in value])


def _pairs(value: Mapping[Any, Any], other: Other) -> tuple[Any, ...]:
    return tuple([(key_of(k, other), key_of(v, other)) for k, v in value.items()])


def _array(value: Any, other: Other) -> Any:
    """Type, shape and content of an array or a NumPy scalar."""
    if value.dtype.hasobject:
        if value.dtype != object or value.size > _MOST_STRINGS:
            return other(value)
        return value.shape, _items(value.ravel().tolist(), other)
    return (value.dtype, value.shape, value.tobytes()) if value.nbytes <= MOST_BYTES else other(value)


def _inherited(value: Any, other: Other) -> Any:
    """The key of an instance of a class that is not in the table itself."""
    if isinstance(value, (np.generic, np.dtype, type, enum.Enum)):
        return _array(value, other) if isinstance(value, np.generic) else value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _items(value, other)
    return other(value)


_KEYS: dict[type, Callable[[Any, Other], Any]] = {
    float: lambda v, _: _pack(v),
    complex: lambda v, _: _pack_two(v.real, v.imag),
    tuple: _items,
    list: _items,
    set: _members,
    frozenset: _members,
    dict: _pairs,
    OrderedDict: _pairs,
    types.MappingProxyType: _pairs,
    slice: lambda v, other: _items((v.start, v.stop, v.step), other),
    np.ndarray: _array,
    TensorShape: lambda v, _: v._dims,
}
