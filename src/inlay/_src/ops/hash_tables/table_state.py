"""A table as a value: the state behind a table's handle, in a session or in this process.

Entries are a dictionary of Python keys. A reader takes the current dictionary. A writer of a table that may have
several readers holds its lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.state import Resource
from inlay._src.core.values import boxed


@dataclass(frozen=True)
class TableSpec:
    """The declaration of a table.

    Attributes:
      kind: the op that makes its handle, without its version.
      key_dtype, value_dtype: the types of keys and values.
      key_dims, value_dims: the shape of one key and of one value.
      reserved: keys that cannot be entered -> what they are called in messages: of a dense table the key of free places
        and that of places whose entry was removed.
      buckets: the initial capacity of a dense table; 0 for others.
    """

    kind: str
    key_dtype: DType
    value_dtype: DType
    key_dims: tuple[int, ...] = ()
    value_dims: tuple[int, ...] = ()
    reserved: Mapping[Any, str] = field(default_factory=dict)
    buckets: int = 0

    @property
    def is_static(self) -> bool:
        """Whether it is filled once and never changed."""
        return self.kind == "HashTable"


def _refused(text: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, text)


MOST_FULL = 0.8
"""The share of a dense table's places that entries may take before it grows."""


class TableState(Resource):
    """A table.

    Args:
      spec: the declaration of the table.
      name: its name, for messages.

    Attributes:
      entries: key -> value; None before a static table is filled.
      source: the record of the file that a static table was filled from, if it was one.
    """

    spec: TableSpec
    name: str

    def __init__(self, spec: TableSpec, name: str) -> None:
        self.spec, self.name = spec, name
        if spec.kind == "MutableHashTableOfTensors" and len(spec.value_dims) > 1:
            raise _refused(f"Default value must be a vector, got shape {list(spec.value_dims)}")
        self.entries: dict[Any, Any] | None = None if spec.is_static else {}
        self.source: Any = None
        # Of a dense table: its places, and the values that removed entries leave in theirs until it grows.
        self._buckets, self._left = spec.buckets, list[Any]()
        self._lock = new_lock()

    def __reduce__(self) -> Any:
        if not self.spec.is_static:
            raise TypeError(
                f"the table {self.name} can be changed, so a copy of it in another process would go its own way: use a "
                "StaticHashTable there, or run what uses it in this process"
            )
        return _static, (self.spec, self.name, self.entries)

    def __repr__(self) -> str:
        held = "not initialized" if self.entries is None else f"{len(self.entries)} entries"
        return f"<table {self.name}: {self.spec.key_dtype.name} to {self.spec.value_dtype.name}, {held}>"

    # ---- keys and values

    def _held(self) -> dict[Any, Any]:
        if self.entries is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Table not initialized: run the initializer of {self.name} first (tf.compat.v1.tables_initializer())",
            )
        return self.entries

    def _keys(self, keys: Any, refuse: bool = True) -> tuple[list[Any], tuple[int, ...]]:
        """Keys as what dictionaries hold, and the shape that they have together; reserved ones are refused."""
        shape, own = np.shape(keys), self.spec.key_dims
        if own and shape[len(shape) - len(own) :] != own:
            raise _refused(f"Expected key shape to end with {list(own)}, got {list(shape)}")
        array = np.asarray(keys)
        if own:
            items: list[Any] = list(map(tuple, array.reshape(-1, prod(own)).tolist()))
        else:
            items = array.reshape(-1).tolist()
        for key, label in self.spec.reserved.items():
            if refuse and key in items:
                raise _refused(f"Using the {label} as a table key is not allowed")
        return items, shape[: len(shape) - len(own)]

    def _values(self, values: Any, outer: tuple[int, ...]) -> list[Any]:
        wanted = (*outer, *self.spec.value_dims)
        if np.shape(values) != wanted:
            raise _refused(f"Expected shape {list(wanted)} for value, got {list(np.shape(values))}")
        array = np.asarray(values)
        if self.spec.value_dims:
            return list(array.reshape(-1, *self.spec.value_dims))
        return array.reshape(-1).tolist()  # type: ignore[no-any-return]

    def _array(self, items: Sequence[Any], dtype: DType, shape: tuple[int, ...]) -> Any:
        if dtype is dtypes.string:
            array = np.empty(len(items) if not shape or prod(shape) == len(items) else shape, object)
            if array.ndim == 1:
                array[:] = items
            else:
                array.reshape(len(items), -1)[:] = [np.reshape(item, -1) for item in items]
            return boxed(array.reshape(shape))
        return boxed(np.array(items, dtype.np).reshape(shape))

    def find(self, keys: Any, default: Any) -> Any:
        """The values of keys, and a default for those that are not there.

        Args:
          keys: of any shape.
          default: one value, or one for each key.

        Raises:
          FailedPreconditionError: if the table is static and was not filled.
        """
        held = self._held()
        items, outer = self._keys(keys)
        own = self.spec.value_dims
        if np.shape(default) == own:
            one: Any = np.asarray(default) if own else np.asarray(default)[()]
            values = [held.get(key, one) for key in items]
        else:
            values = [held.get(k, d) for k, d in zip(items, self._values(default, outer), strict=True)]
        return self._array(values, self.spec.value_dtype, (*outer, *own))

    def size(self) -> int:
        """The number of entries; none before a static table is filled."""
        return len(self.entries or ())

    def export(self) -> tuple[Any, Any]:
        """All keys and their values, in the order in which they were entered; of a dense table all its places."""
        with self._lock:
            held, left, buckets = dict(self._held()), list(self._left), self._buckets
        spec = self.spec
        keys, values = list(held), list(held.values())
        if buckets:
            empty, deleted = spec.reserved
            free = buckets - len(keys) - len(left)
            zero = np.zeros(spec.value_dims, spec.value_dtype.np) if spec.value_dtype is not dtypes.string else b""
            none: Any = np.full(spec.value_dims, zero, object) if spec.value_dtype is dtypes.string else zero
            keys += [deleted] * len(left) + [empty] * free
            values += left + [none if spec.value_dims else none.item()] * free
        count = len(keys)
        return (
            self._array(keys, spec.key_dtype, (count, *spec.key_dims)),
            self._array(values, spec.value_dtype, (count, *spec.value_dims)),
        )

    def _reserve(self, count: int) -> None:
        """Grows a dense table until so many entries have room; places of removed entries become free then."""
        while self._buckets and count > self._buckets * MOST_FULL:
            self._buckets *= 2
            self._left = []

    # ---- changes

    def fill(self, keys: Any, values: Any, source: Any = None) -> None:
        """Makes these the entries: of a static table once, of another in place of what there was.

        Raises:
          InvalidArgumentError: if shapes do not fit.
          FailedPreconditionError: if a static table has other entries, or would have two values for a key.
        """
        items, outer = self._keys(keys, refuse=False)
        entries: dict[Any, Any] = {}
        for key, value in zip(items, self._values(values, outer), strict=True):
            if key in self.spec.reserved:  # a free place
                continue
            if key in entries and self.spec.is_static and not np.array_equal(entries[key], value):
                raise errors.FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {_text(key)} has {_text(entries[key])} and "
                    f"trying to add value {_text(value)}",
                )
            entries[key] = value
        with self._lock:
            if self.spec.is_static and self.entries is not None:
                if self.entries != entries:
                    raise errors.FailedPreconditionError(
                        None, None, "Table was already initialized with different data."
                    )
                return
            self.entries, self.source = entries, source
            if self._buckets:
                self._buckets, self._left = max(4, 1 << (len(items) - 1).bit_length() if items else 4), []
                self._reserve(len(entries))

    def insert(self, keys: Any, values: Any) -> None:
        """Enters values, in place of those that the keys had."""
        items, outer = self._keys(keys)
        with self._lock:
            self._reserve(len(self._held()) + len(items))
            # Another dictionary: whoever reads the one that is there goes on undisturbed.
            self.entries = {**self._held(), **dict(zip(items, self._values(values, outer), strict=True))}
            self._left = self._left[max(0, len(self._left) + len(self.entries) - self._buckets) :]

    def remove(self, keys: Any) -> None:
        """Takes keys out; those that are not there are passed over."""
        gone = set(self._keys(keys)[0])
        with self._lock:
            if self._buckets:
                self._left += [value for key, value in self._held().items() if key in gone]
            self.entries = {key: value for key, value in self._held().items() if key not in gone}
            self._left = self._left[max(0, len(self._left) + len(self.entries) - self._buckets) :]


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _static(spec: TableSpec, name: str, entries: dict[Any, Any] | None) -> TableState:
    table = TableState(spec, name)
    table.entries = entries
    return table


class TableKey(Resource):
    """Names one table of a graph; a session makes a table for it.

    Attributes:
      spec: the declaration of the table.
      name: its name, for messages.
    """

    def __init__(self, spec: TableSpec, name: str) -> None:
        self.spec, self.name = spec, name

    def make(self) -> TableState:
        """A table of its own."""
        return TableState(self.spec, self.name)
