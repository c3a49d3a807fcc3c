"""`prefetch`: the next elements are made while the consumer works on the last one.

    producer   a parked thread, taken when there is room and given back when there has been none for a while
    buffer     at most `size` elements, in order; an error takes the place of its element

An iteration that nobody reads keeps no thread: its buffer is full, and the producer has left. Leaving the loop early
ends the iteration: the producer leaves with the element that it is at.
"""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import weakref
from collections import deque
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.conditions import new_condition
from inlay._src.base.interpreter.forking import in_child, new_rlock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.spans import SPANS
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node, unresumable
from inlay._src.data.sizes import scalar, size_tensor
from inlay._src.data.ways import AUTOTUNE
from inlay._src.data.working import Failure
from inlay._src.engine.run.scheduling.work_stealing import run_inline
from inlay._src.programs.program import RUNNING

AUTOMATIC = 2
"""The size of the buffer if AUTOTUNE chooses: one element that waits and one that is being made."""
PATIENCE = 1.0
"""Seconds that the end of the process waits for producers to leave."""


@graph_form("PrefetchDataset", "int64")
class PrefetchNode(Node):
    """The elements, some of them made ahead."""

    __slots__ = ()
    name = "_PrefetchDataset"

    def __init__(self, source: Node, size: Any) -> None:
        super().__init__(source.element, (source,), (size,))

    def check(self, iteration: Iteration) -> None:
        self._size(iteration)

    def _size(self, iteration: Iteration) -> int:
        """The number of elements computed ahead.

        Raises:
          InvalidArgumentError: if the size is negative.
        """
        size = scalar(iteration.value(self.tensors[0]), "buffer_size")
        if size < -1:
            raise errors.InvalidArgumentError(
                None, None, f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, got {size}"
            )
        return size

    def cursor(self, iteration: Iteration) -> Cursor:
        size = self._size(iteration)
        source = self.inputs[0].cursor(iteration)
        return PrefetchCursor(source, AUTOMATIC if size == -1 else size) if size else source

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class PrefetchCursor(Cursor):
    """One iteration of `PrefetchNode`. All fields are guarded by `_turn`, the source by `_reading`."""

    __slots__ = ("_buffer", "_closed", "_context", "_ended", "_producing", "_reading", "_size", "_turn")

    def __init__(self, source: Cursor, size: int) -> None:
        super().__init__(source)
        self._size = size
        self._buffer: deque[Any] = deque()
        self._turn = new_condition()  # re-entrant: the garbage collector may close this iteration anywhere
        self._reading = new_rlock()
        self._context: contextvars.Context | None = None
        self._producing = self._ended = self._closed = False
        _LIVE.add(self)

    def __next__(self) -> Values:
        while (item := self._first()) is None:  # nobody makes elements ahead
            with self._reading:
                self._read()
        if item.__class__ is Failure:
            raise item.error
        return item  # type: ignore[no-any-return]

    def _first(self) -> Any:
        """Removes the first element from the buffer, after waiting for it; None if no producer can make it."""
        with self._turn:
            while not self._buffer:
                if self._closed:
                    raise errors.CancelledError(None, None, "this iteration was ended while an element was awaited")
                if self._ended:
                    raise StopIteration
                if not self._produce():
                    return None
                self._turn.wait()
            item = self._buffer.popleft()
            if SPANS.on:
                SPANS.count("elements made ahead", len(self._buffer))
            self._produce()
            self._turn.notify_all()
            return item

    def begin(self) -> None:
        """Begins to make elements before the first is asked for."""
        with self._turn:
            self._produce()

    @property
    def ready(self) -> bool:
        """Whether the next element, or the end, is there."""
        return bool(self._buffer) or self._ended

    # ---- the producer

    def _produce(self) -> bool:
        """Starts a producer if there is room in the buffer; returns whether one is at work."""
        if self._producing or self._ended or self._closed or len(self._buffer) >= self._size or run_inline.on:
            return self._producing
        if self._context is None:
            self._context = contextvars.copy_context()
        with PutOff():  # a producer that is only said to be at work would be awaited for ever
            self._producing = True
            try:
                parked.HELPERS.submit(_Production(self))
            except RuntimeError:  # no more threads now
                self._producing = False
        return self._producing

    def work(self) -> None:
        """The producer's part."""
        context.set_state(RUNNING)
        try:
            while self._has_room():
                with self._reading:
                    self._read()
        finally:
            with self._turn:
                self._producing = False
                close = self._closed
                self._turn.notify_all()
        if close:
            super().close()

    def _has_room(self) -> bool:
        with self._turn:
            if len(self._buffer) >= self._size and not self._closed:
                self._turn.wait(TUNING.producer_linger_seconds)
            return len(self._buffer) < self._size and not self._closed and not self._ended

    def _read(self) -> None:
        ended = False
        item: Any = None
        try:
            item = next(self.sources[0])
        except StopIteration:
            ended = True
        except BaseException as error:
            item = Failure(error)
        with self._turn:
            if ended:
                self._ended = True
            else:
                self._buffer.append(item)
            self._turn.notify_all()

    # ---- position, end

    def hold(self, held: contextlib.ExitStack) -> None:
        held.enter_context(self._reading)
        super().hold(held)

    def state(self) -> Any:
        with self._reading:
            below = super().state()
            with self._turn:
                buffer, ended = list(self._buffer), self._ended
        if any(item.__class__ is Failure for item in buffer):
            raise unresumable("a prefetched dataset", "an element that was made ahead failed; take it first")
        return {**below, "buffer": buffer, "ended": ended}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._buffer.extend(list(values) for values in state["buffer"])
        self._ended = bool(state["ended"])

    def stop(self) -> None:
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        super().stop()

    def close(self) -> None:
        """See `Cursor.close`. A producer that is at work closes the source when it leaves."""
        self.stop()
        with self._turn:
            self._buffer.clear()
            if self._producing:
                return
        super().close()

    def left(self, patience: float) -> None:
        """Waits until no producer is at work, but not longer than so many seconds."""
        with self._turn:
            self._turn.wait_for(lambda: not self._producing, patience)

    def begin_again(self) -> None:
        """In a forked child: the producer stayed behind, and may have been anywhere."""
        if self._producing:
            self._closed, self._producing = True, False


class _Production:
    """The job of a producer."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: PrefetchCursor) -> None:
        self._cursor: PrefetchCursor | None = cursor

    def __call__(self) -> None:
        cursor, self._cursor = self._cursor, None
        assert cursor is not None and cursor._context is not None
        cursor._context.copy().run(cursor.work)


_LIVE: weakref.WeakSet[PrefetchCursor] = weakref.WeakSet()


@atexit.register
def _at_exit() -> None:
    """Stops the producers, since threads that still run at exit are cut off in the middle of an element."""
    live = list(_LIVE)
    for cursor in live:
        cursor.stop()
    for cursor in live:
        cursor.left(PATIENCE)


def _after_fork() -> None:
    for cursor in list(_LIVE):
        cursor.begin_again()


in_child(_after_fork)


def begin_ahead(cursor: Cursor) -> None:
    """Begins to make elements at every `prefetch` of an iteration, before one is asked for."""
    waiting = [cursor]
    while waiting:
        stage = waiting.pop()
        if isinstance(stage, PrefetchCursor):
            stage.begin()
        waiting += stage.below()


def prefetch(source: Node, buffer_size: Any, name: str | None = None) -> Node:
    """Computes the next elements in a thread while the consumer works on the current one.

    Args:
      buffer_size: the number of elements computed ahead, an int64 scalar; AUTOTUNE and None are 2, 0 is none.

    Raises:
      InvalidArgumentError: if the size is less than -1.
    """
    return PrefetchNode(source, size_tensor(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size"))
