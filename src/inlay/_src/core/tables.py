"""The live objects of a graph, in tables; attributes of nodes hold references to them, and are data otherwise.

A node says which program a branch is, which cell a handle stands for, or which Python function computes a gradient.
None of those is data: each is in a table of the node's graph, and the node holds its name there. A table keeps what
is in it alive exactly as long as the graph.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TypeSpec
from inlay._src.core.names import Names, as_name


class Reference(NamedTuple):
    """Names an object of a graph, in an attribute of one of its nodes.

    Attributes:
      table: the name of the table: an attribute of `Graph`.
      key: the object's name there.
    """

    table: str
    key: str


class ObjectTable(dict[Any, Any]):
    """Objects of one graph by name, which references find as well. An object that is added again keeps its name.

    Args:
      name: of the table.
      label: the prefix of the names of unnamed objects.
      lock: the graph's.
    """

    __slots__ = ("_keys", "_label", "_lock", "_named", "_names", "name")
    name: str

    def __init__(self, name: str, label: str, lock: Any) -> None:
        self.name, self._label, self._lock = name, label, lock
        self._keys: dict[int, str] = {}  # by identity
        self._names = Names()
        self._named = False  # whether any has a name of its own

    def add(self, item: Any, name: str | None = None) -> Reference:
        """Registers an object, under `name` if nothing else is called so; returns what an attribute holds for it."""
        return Reference(self.name, self.key_of(item, name))

    def key_of(self, item: Any, name: str | None = None) -> str:
        """The name of an object, which is registered by `add` if it is not yet."""
        with self._lock:
            key = self._keys.get(id(item))
            if key is None:
                if name is not None:
                    name = as_name(name, f"a {self._label}")
                key = name or f"{self._label}_{len(self)}"
                if name or self._named:
                    key = self._claimed(key)
                self._keys[id(item)] = key
                self[key] = item
        return key

    def _claimed(self, name: str) -> str:
        """A name that nothing else has. As long as all are made of the label, a number tells them apart."""
        if not self._named:
            self._named = True
            for key in self:
                self._names.note(key)
        return self._names.take(name)

    def __missing__(self, key: Any) -> Any:
        if key.__class__ is not Reference:
            raise KeyError(key)
        return self[key.key]


_DATA = (bool, int, float, complex, str, bytes, type(None), np.generic, enum.Enum, DType, TensorShape, TypeSpec)


def not_data(value: Any) -> Any:
    """The first part of an attribute that is no data, as a list of one; empty if all of it is.

    Data are numbers, text, dtypes, shapes, specs, members of enumerations, arrays of numbers and text, references, and
    tuples, lists and dicts of data.
    """
    if isinstance(value, Mapping):
        return next((path for pair in value.items() if (path := not_data(pair))), [])
    if isinstance(value, (tuple, list)):
        return next((path for part in value if (path := not_data(part))), [])
    if isinstance(value, np.ndarray):
        return not_data(value.ravel().tolist()) if value.dtype == object else []
    return [] if isinstance(value, _DATA) else [value]


def references(value: Any) -> Iterator[Reference]:
    """The references in an attribute."""
    if isinstance(value, Reference):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from references(part)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from references(part)
