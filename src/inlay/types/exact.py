"""Keys of plain Python values that are equal only for values that no program can tell apart."""

from __future__ import annotations

from typing import Any


def exact_key(value: Any) -> Any:
    """A key that is equal only to that of an equal value of the same type, in tuples and frozen sets as well.

    `==` alone says that 1, 1.0 and True are equal, and 0.0 and -0.0. An object that cannot be hashed gives a key that
    cannot be hashed.
    """
    kind = type(value)
    if kind is float:
        return kind, value.hex()
    if kind is complex:
        return kind, value.real.hex(), value.imag.hex()
    if kind is tuple:
        return kind, tuple(map(exact_key, value))
    if kind is frozenset:
        return kind, frozenset(map(exact_key, value))
    return kind, value
