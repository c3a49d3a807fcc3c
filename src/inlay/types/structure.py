"""Declared structures against what came: nests of dtypes and the results, shapes and gradients that must match them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from inlay.types import nest


class StructureError(Exception):
    """Two nests differ; the message says where, what was expected and what came."""


def leaves_of(declared: Any, got: Any, path: str = "") -> list[Any]:
    """What stands in `got` at the leaves of `declared`, in order.

    A list and a tuple may stand for one another; mappings need the same keys, namedtuples the same fields,
    dataclasses the same class.

    Raises:
      StructureError: at the first container that differs.
    """
    if not nest.is_nested(declared):
        return [got]
    where = f"at {path}" if path else "at the top"
    want, have = _kind(declared), _kind(got)
    if want != have and not (want == ("list or tuple",) and isinstance(got, (list, tuple))):
        raise StructureError(f"{where}: expected {_text(declared)}, got {_text(got)}")
    one, two = nest._items(declared), nest._items(got)
    if len(one) != len(two):
        raise StructureError(f"{where}: expected {_text(declared)}, got {_text(got)}")
    return [
        leaf
        for (key, child), (_, other) in zip(one, two, strict=True)
        for leaf in leaves_of(child, other, f"{path}[{key!r}]")
    ]


def _kind(value: Any) -> tuple[Any, ...]:
    """What two containers must have in common."""
    if isinstance(value, Mapping):
        return ("mapping", *sorted(value, key=repr))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("namedtuple", *value._fields)
    if isinstance(value, (list, tuple)):
        return ("list or tuple",)
    return ("dataclass", type(value)) if nest.is_nested(value) else ("leaf",)


def _text(value: Any) -> str:
    """A container in a few words."""
    if isinstance(value, Mapping):
        return f"a {type(value).__name__} with keys {sorted(value, key=repr)!r}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"a {type(value).__name__} with fields {list(value._fields)}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if dataclasses.is_dataclass(value) and nest.is_nested(value):
        return f"a {type(value).__name__}"
    return "None" if value is None else f"one {type(value).__name__}"
