"""Iterations as values: the state behind the handle of an iterator, in a session or while a function runs."""

from __future__ import annotations

import abc
import itertools
import weakref
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.core import context
from inlay._src.core.state import Resource
from inlay._src.data.element import Element, Values
from inlay._src.data.external_state import ExternalStatePolicy
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.shuffling import position_of, put_at, read_position, seeds_of
from inlay._src.programs.program import RUNNING

_NUMBERS = itertools.count()
_BY_NAME: weakref.WeakValueDictionary[bytes, IteratorState] = weakref.WeakValueDictionary()


class Walked(Resource, abc.ABC):
    """The object that a loop reads: asking whether there is another element takes it.

    Attributes:
      current: the values of the element that `advance` took.
    """

    def __init__(self) -> None:
        self.current: Values = []

    @abc.abstractmethod
    def next(self) -> Values:
        """The values of the next element; StopIteration at the end."""

    def advance(self) -> bool:
        """Makes the next element the current one; False at the end."""
        try:
            self.current = self.next()
        except StopIteration:
            self.current = []
            return False
        return True


class IteratorState(Walked):
    """An iteration that runs, or is going to.

    Args:
      label: the iterator's name, for messages.
      element: the structure of the elements.
      node, iteration, cursor: those of an iteration that is begun.

    Attributes:
      name: its name in this process.
      cursor: where it stands, or None before it is begun.
    """

    def __init__(
        self,
        label: str,
        element: Element,
        node: Node | None = None,
        iteration: Iteration | None = None,
        cursor: Cursor | None = None,
    ) -> None:
        super().__init__()
        self.label, self.element = label, element
        self.name: str = f"{label}_{next(_NUMBERS)}"
        self._node, self._iteration, self.cursor = node, iteration, cursor
        self._lock = new_rlock()
        self._end: Any = None

    def begin(self, node: Node, iteration: Iteration) -> None:
        """Begins a new iteration, and ends the one before."""
        before = context.get()
        context.set_state(RUNNING)
        try:
            with self._lock:
                self.close()
                for seeds in seeds_of(node, iteration):
                    seeds.restart()
                self.cursor = cursor = iteration.opened(node)
                self._node, self._iteration = node, iteration
                self._end = weakref.finalize(self, cursor.close)
        finally:
            context.set_state(before)

    def begin_once(self, node: Node, iteration: Iteration) -> None:
        """Begins an iteration, unless one is begun; of several threads the first one does."""
        if self.cursor is None:
            with self._lock:
                if self.cursor is None:
                    self.begin(node, iteration)

    def follow(self, iteration: Iteration, cursor: Cursor) -> None:
        """Takes another iteration of the same dataset, which somebody else ends."""
        self._iteration, self.cursor = iteration, cursor

    def begun(self) -> Cursor:
        """Where it stands.

        Raises:
          FailedPreconditionError: before it is begun.
        """
        if self.cursor is None:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"GetNext() failed because the iterator has not been initialized: {self.label}. Ensure that you have "
                "run the initializer operation for this iterator before getting the next element. "
                "(inlay explain uninitialized-iterator)",
            )
        return self.cursor

    def next(self) -> Values:
        """The values of the next element.

        Raises:
          StopIteration: at the end.
          FailedPreconditionError: before it is begun.
        """
        before = context.get()
        context.set_state(RUNNING)
        try:
            with self._lock:
                return next(self.begun())
        finally:
            context.set_state(before)

    def get_next(self) -> Values:
        """As `next`.

        Raises:
          OutOfRangeError: at the end.
        """
        try:
            return self.next()
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def position(self, policy: ExternalStatePolicy) -> bytes:
        """Where it stands; see `position_of`.

        Args:
          policy: the treatment of functions with state.

        Raises:
          FailedPreconditionError: before it is begun; if a function has state, and the policy is `FAIL`.
          UnimplementedError: if a stage cannot say, with the reason.
        """
        with self._lock, context.using(RUNNING):
            cursor = self.begun()
            assert self._node is not None and self._iteration is not None
            return position_of(self._node, self._iteration, cursor, policy)

    def go_to(self, position: bytes) -> None:
        """Begins again where another iteration of the same dataset stood.

        Raises:
          FailedPreconditionError: before it is begun.
          DataLossError: if the position is damaged.
        """
        with self._lock:
            self.begun()
            assert self._node is not None and self._iteration is not None
            state = read_position(self._node, self._iteration, position)
            if self._end is not None:
                self.begin(self._node, self._iteration)
            with context.using(RUNNING):
                put_at(self._node, self._iteration, self.begun(), state)

    def close(self) -> None:
        """Ends the iteration."""
        if self._end is not None:
            self._end()

    def handle(self) -> bytes:
        """A name under which it is found as long as it exists."""
        name = self.name.encode()
        _BY_NAME[name] = self
        return name

    def __repr__(self) -> str:
        return f"<IteratorState {self.name}>"


class IteratorWalk(Walked):
    """One loop over an iterator that other loops and threads read as well: each has a current element of its own.

    Args:
      iterator: the iterator.
    """

    def __init__(self, iterator: IteratorState) -> None:
        super().__init__()
        self._iterator = iterator

    def next(self) -> Values:
        """See `IteratorState.next`."""
        return self._iterator.next()

    def __repr__(self) -> str:
        return f"<a walk over {self._iterator!r}>"


def found(handle: Any) -> IteratorState:
    """The iteration of a handle that is a string.

    Raises:
      InvalidArgumentError: if there is none.
    """
    name = handle.item() if hasattr(handle, "item") else handle
    state = _BY_NAME.get(name)
    if state is None:
        raise errors.InvalidArgumentError(
            None, None, f"there is no iterator with the handle {name!r}: it was made in another process, or is gone"
        )
    return state


class IteratorKey(Resource):
    """Names the iteration of a graph's iterator; each session has its own.

    Args:
      name: the iterator's.
      element: the structure of the elements.
    """

    __slots__ = ("element", "name")

    def __init__(self, name: str, element: Element) -> None:
        self.name, self.element = name, element

    def make(self) -> IteratorState:
        """An iteration that is not begun."""
        return IteratorState(self.name, self.element)

    def __repr__(self) -> str:
        return f"iterator {self.name}"
