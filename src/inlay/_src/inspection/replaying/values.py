"""Kinds of values in recordings: nests, composites, dtypes by name, and objects that a recording does not hold."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from inlay._src.base.types import nest
from inlay._src.ops.composite.indexed_slices import IndexedSlices, IndexedSlicesValue
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue


class Opaque:
    """Stands for an object that a recording does not hold.

    Args:
      name: the name of its class.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<an object of class {self.name}, which recordings do not hold>"


class CompositeClass(NamedTuple):
    """A class of composite values: its functions that take a value apart and put one together."""

    kind: type
    parts: Callable[[Any], Sequence[Any]]
    whole: Callable[..., Any]


COMPOSITES = {
    each.kind.__name__: each
    for each in (
        CompositeClass(RaggedTensor, lambda v: v.__reduce__()[1], RaggedTensor),
        CompositeClass(RaggedTensorValue, lambda v: (v.values, v.row_splits), RaggedTensorValue),
        CompositeClass(SparseTensor, lambda v: v._components(), lambda *parts: SparseTensor._of(list(parts))),
        CompositeClass(IndexedSlices, lambda v: (v.values, v.indices, v.dense_shape), IndexedSlices),
        CompositeClass(SparseTensorValue, tuple, SparseTensorValue),
        CompositeClass(IndexedSlicesValue, tuple, IndexedSlicesValue),
    )
}


def field_names(value: Any) -> Sequence[str] | None:
    """The names of the fields of a namedtuple, a dataclass or a class of attrs; None of another value."""
    if isinstance(value, tuple):
        return getattr(value, "_fields", None)
    if isinstance(value, types.SimpleNamespace):
        return list(vars(value))
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    attributes = getattr(value.__class__, "__attrs_attrs__", None)
    return None if attributes is None else [attribute.name for attribute in attributes]


def composite_parts(value: Any) -> Sequence[Any] | None:
    """The parts of a ragged or sparse value; None of another value."""
    composite = COMPOSITES.get(value.__class__.__name__)
    return None if composite is None or value.__class__ is not composite.kind else composite.parts(value)


def leaves(value: Any) -> Iterator[Any]:
    """The values that a nest holds, and those of which its ragged and sparse values are made."""
    parts: Any = composite_parts(value)
    if parts is None and nest.is_nested(value):
        names = field_names(value)
        if isinstance(value, Mapping):
            parts = value.values()
        elif names is not None:
            parts = [getattr(value, name) for name in names]
        elif isinstance(value, (list, tuple)):
            parts = value
    if parts is None:
        yield value
        return
    for part in parts:
        yield from leaves(part)


@functools.lru_cache(256)
def name_of(dtype: np.dtype[Any]) -> str | None:
    """The name of a dtype in canonical bytes; None if its elements are more than bytes, or have fields."""
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None or dtype.kind == "T":
        return None
    if getattr(ml_dtypes, dtype.name, None) is dtype.type:
        return dtype.name
    return dtype.str if np.dtype(dtype.str) == dtype else None


@functools.lru_cache(256)
def dtype_of(name: str) -> np.dtype[Any]:
    """The dtype of a name; never one whose elements are references, which bytes cannot be read as."""
    kind = getattr(ml_dtypes, name, None) if name.isidentifier() else None
    dtype = np.dtype(kind if isinstance(kind, type) and issubclass(kind, np.generic) else name)
    if name_of(dtype) != name:
        raise ValueError(f"{name!r} is no dtype of a recording")
    return dtype
