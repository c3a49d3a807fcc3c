"""State that outlives a run: cells that hold a variable's value, and the store that keeps a session's cells.

A cell's value is replaced, never written into: a reader that took it keeps what it read, so concurrent runs cannot see
half of a write. Operations that read, change and put back hold the locks of their cells around NumPy work only, never
around user code, and take several locks in one fixed order.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from inlay import errors
from inlay.interpreter.forking import new_lock
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims

SERIAL = itertools.count()
"""Numbers of variables and cells, in the order in which they are made."""


class Cell:
    """The place of one variable's value.

    Attributes:
      name: for messages.
      dtype, dims: what every value must satisfy.
      value: the current value, or None before initialisation.
      owner: the `Variable`, if it still exists.
      lock: held while a value is read, changed and put back.
      order: its place among cells whose locks are taken together; greater than that of every cell made before.
    """

    __slots__ = ("__weakref__", "dims", "dtype", "lock", "name", "order", "owner", "trainable", "value")
    name: str
    dtype: DType
    dims: Dims
    trainable: bool

    def __init__(self, name: str, dtype: DType, dims: Dims, trainable: bool = True) -> None:
        self.name, self.dtype, self.dims, self.trainable = name, dtype, dims, trainable
        self.value: Any = None
        self.owner: weakref.ref[Any] | None = None
        self.lock: Any = new_lock()
        self.order: int = next(SERIAL)

    def read(self) -> Any:
        """The value; FailedPreconditionError before initialisation."""
        value = self.value
        if value is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Could not find variable {self.name}. Attempting to use uninitialized value {self.name}: run "
                "its initializer first (tf.compat.v1.global_variables_initializer()). "
                "(inlay explain uninitialized-variable)",
            )
        return value

    # What error messages print of a runtime value.
    shape: Dims = ()

    def __repr__(self) -> str:
        return f"<Cell {self.name}>"


class FedCell(Cell):
    """Stands for a variable whose value is fed to a run: every read gives what was fed, and nothing is assigned."""

    __slots__ = ("_fed",)

    def __init__(self, key: Any, value: Any) -> None:
        Cell.__init__(self, key.name, key.dtype, key.dims, key.trainable)
        self._fed = value

    @property
    def value(self) -> Any:
        return self._fed

    @value.setter
    def value(self, value: Any) -> None:
        if value is not None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"variable {self.name} is fed in this run, so it cannot be assigned; leave it out of feed_dict, or run "
                "the assignment by itself",
            )


@contextmanager
def locked(cells: Sequence[Cell]) -> Iterator[None]:
    """Holds the locks of several cells, each once, in the order that every caller uses."""
    with ExitStack() as stack:
        for cell in sorted({id(c): c for c in cells}.values(), key=lambda c: c.order):
            stack.enter_context(cell.lock)
        yield


class Store:
    """The cells of one session, made on first use."""

    def __init__(self) -> None:
        self._cells: dict[Any, Cell] = {}
        self._lock = new_lock()

    def cell(self, key: Any) -> Cell:
        """The cell of a handle's key (a record with `make`, which equals only itself)."""
        found = self._cells.get(key)
        if found is None:
            with self._lock:
                found = self._cells.get(key)
                if found is None:
                    found = self._cells[key] = key.make()
        return found

    def clear(self) -> None:
        """Forgets every cell."""
        self._cells.clear()
