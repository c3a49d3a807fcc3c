"""State that outlives a run: cells that hold a variable's value, and the store that keeps a session's cells.

A value that somebody has read is replaced, never written into: a reader keeps what it read, so concurrent runs cannot
see half of a write. A uniquely referenced value is updated in place: the writer removes it from the cell, so that
concurrent readers block on the lock. Code that interrupts the writer, as signal handlers and finalizers do, is let in:
it reads a copy of the value, and its assignment stays. Operations that read, change and put back hold the locks of
their cells around NumPy work only, never around user code, and take several locks in one fixed order. Small variables
share one lock: a step of training changes a hundred of them, in less time than it would take as many locks.
"""

from __future__ import annotations

import abc
import itertools
import math
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.forking import new_lock, new_rlock
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import EagerTensor

SERIAL = itertools.count()
"""Numbers of variables and cells, in the order in which they are made."""
SMALL_LOCK = new_rlock()
"""The lock of small variables; a thread that takes several locks takes it first."""
TAKEN: dict[int, tuple[Sequence[Cell], Sequence[Any]]] = {}
"""Cells whose values are being written, and these, by an identity of who writes."""


class Cell:
    """The place of one variable's value.

    Attributes:
      name: for messages.
      dtype, dims: the dtype and shape of every value.
      value: the current value, or None before initialization and while it is taken; `read` tells them apart.
      owner: the `Variable`, if it still exists.
      lock: held while a value is read, changed and put back.
      order: its place among cells whose locks are taken together; greater than that of every cell made before.
      joint: the memory in which values of several cells lie end to end, of which this one is the first, or None; see
        `ops.joint_updates`.
    """

    __slots__ = ("__weakref__", "dims", "dtype", "joint", "lock", "name", "order", "owner", "trainable", "value")

    def __init__(self, name: str, dtype: DType, dims: Dims, trainable: bool = True) -> None:
        self.name, self.dtype, self.dims, self.trainable = name, dtype, dims, trainable
        self.value: Any = None
        self.owner: weakref.ref[Any] | None = None
        self.lock: Any = SMALL_LOCK if is_small(dims) else new_rlock()
        self.order: int = next(SERIAL)
        self.joint: Any = None

    def printed(self) -> str:
        """The text of its handle."""
        container = "localhost" if self.owner is None else "Anonymous"
        return (
            f'<ResourceHandle(name="{self.name}", device="/job:localhost/replica:0/task:0/device:CPU:0", '
            f'container="{container}", type="tensorflow::Var", dtype and shapes : '
            f'"[ DType enum: {self.dtype.as_datatype_enum}, Shape: {shapes.bracketed(self.dims)} ]")>'
        )

    def read(self) -> Any:
        """The value; FailedPreconditionError before initialization. Under the lock, call `held` instead."""
        value = self.value
        if value is None:
            with self.lock:
                return self.held()
        return value

    def held(self) -> Any:
        """`read` for who holds the lock."""
        value = self.value
        if value is None:
            value = self._being_written()
        if value is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"Could not find variable {self.name}. Attempting to use uninitialized value {self.name}: run "
                "its initializer first (tf.compat.v1.global_variables_initializer()). "
                "(inlay explain uninitialized-variable)",
            )
        return value

    @property
    def has_value(self) -> bool:
        """Whether it was initialized."""
        if self.value is None:
            with self.lock:
                return self.value is not None or self._being_written() is not None
        return True

    def _being_written(self) -> Any:
        """A copy of what this thread was writing when it was interrupted, or another one before a fork; else None."""
        for cells, arrays in list(TAKEN.values()):
            for cell, array in zip(cells, arrays, strict=False):
                if cell is self:
                    return np.array(array)[()]
        return None

    @contextmanager
    def taken(self) -> Iterator[Any]:
        """The array to write into in the block, which holds the lock: the value if uniquely referenced, else a copy.

        A holder of something for an array, such as its copy on a device, has a weak reference to it, and counts.
        """
        box = [self.held()]
        TAKEN[id(box)] = (self,), box
        try:
            self.value = None
            alone = ownership.getrefcount(box[0]) == ownership.ITEM and ownership.owns_memory(box[0])
            if not alone or weakref.getweakrefcount(box[0]):
                box[0] = np.array(box[0], order="C")
            yield box[0]
        finally:
            if self.value is None:
                self.value = box[0]
            del TAKEN[id(box)]

    # What error messages print of a runtime value.
    shape: Dims = ()

    def __repr__(self) -> str:
        return f"<Cell {self.name}>"


class FedCell(Cell):
    """Stands for a variable whose value is fed to a run: every read gives what was fed, and nothing is assigned."""

    __slots__ = ("_fed",)

    def __init__(self, key: Any, value: Any) -> None:
        self._fed: Any = None
        Cell.__init__(self, key.name, key.dtype, key.dims, key.trainable)
        self._fed = value

    @property
    def value(self) -> Any:
        return self._fed

    @value.setter
    def value(self, value: Any) -> None:
        if self._fed is not None:  # else it is being made
            raise errors.FailedPreconditionError(
                None,
                None,
                f"variable {self.name} is fed in this run, so it cannot be assigned; leave it out of feed_dict, or run "
                "the assignment by itself",
            )


_Made = TypeVar("_Made")


def is_small(dims: Dims) -> bool:
    """Whether a variable of this shape is small; not where its size is unknown."""
    return dims is not None and None not in dims and math.prod(dims) <= TUNING.small_variable_elements  # type: ignore[arg-type]


def locked(cells: Sequence[Cell], work: Callable[[], _Made]) -> _Made:
    """The result of `work`, called under the locks of cells, each once, in the order that every caller uses."""
    first = cells[0].lock if cells else None
    for cell in cells:
        if cell.lock is not first:
            break
    else:
        return _locked([first] if cells else [], work)
    locks = {cell.lock: -1 if cell.lock is SMALL_LOCK else cell.order for cell in cells}
    return _locked(sorted(locks, key=locks.__getitem__), work)


def _locked(locks: Sequence[Any], work: Callable[[], _Made]) -> _Made:
    if not locks:
        return work()
    with locks[0]:  # an interrupt between taking a lock and noting it would leave it taken for ever
        return _locked(locks[1:], work) if len(locks) > 1 else work()


class Resource:
    """State behind a handle that is no variable, or the key of such state in a graph; see `handle_key`.

    Attributes:
      dtype: `dtypes.variant` of state that lies beside ops without a handle of their own.
      dims, shape, trainable, owner: those of a scalar that is no variable.
    """

    __slots__ = ()
    dtype: DType = dtypes.resource
    dims: tuple[()] = ()
    shape: tuple[()] = ()
    trainable: bool = False
    owner: None = None


class Waited(Resource, abc.ABC):
    """State that operations of a run may wait for."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """Its session is gone: cancels whatever waits for it, and whatever begins to from now on."""


class CellStore:
    """The cells of one session, made on first use."""

    def __init__(self) -> None:
        self._cells: dict[Any, Cell] = {}
        self._shared: dict[str, Cell] = {}
        self._closed = False
        self._lock = new_lock()

    def cell(self, key: Any) -> Cell:
        """The cell of a handle's key (a record with `make`, which equals only itself).

        A key that has a `shared_name` has the cell that was made first under that name, which its `check` refuses if it
        is another kind of state.

        Raises:
          CancelledError: after `close`.
        """
        cell = self._cells.get(key)
        if cell is None:
            with self._lock:
                cell = self._cells.get(key)
                if cell is None:
                    if self._closed:
                        raise errors.CancelledError(None, None, "Run call was cancelled: its session was closed.")
                    cell = self._cells[key] = self._new_cell(key)
        return cell

    def _new_cell(self, key: Any) -> Cell:
        name = getattr(key, "shared_name", "")
        if not name:
            return key.make()  # type: ignore[no-any-return]
        cell = self._shared.get(name)
        if cell is None:
            cell = self._shared[name] = key.make()
        key.check(cell)
        return cell

    def clear(self) -> None:
        """Forgets every cell; operations that wait for one are cancelled."""
        with self._lock:
            cells = list(self._cells.values())
            self._cells.clear()
            self._shared.clear()
        for cell in cells:
            if isinstance(cell, Waited):
                cell.abandon()

    def close(self) -> None:
        """Forgets every cell, and makes no more."""
        with self._lock:
            self._closed = True
        self.clear()


def handle_key(tensor: Any) -> Any:
    """The key behind a resource tensor: the variable's `Cell` or `HandleKey`, or None if it is not known.

    Either has `name`, `dtype`, `dims`, `trainable` and `owner`.
    """
    if isinstance(tensor, EagerTensor):
        return tensor._value
    node = tensor.op
    if node.opdef.role is Role.CONSTANT:
        return node.constant_value()
    reference = node.attrs.get("handle")
    return None if reference is None else node.graph.referred(reference)
