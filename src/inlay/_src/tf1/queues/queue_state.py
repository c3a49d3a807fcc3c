"""A queue of a session: its elements, and the pending operations that put elements in or take them out.

    enqueue ──▶ entering ──▶ elements ──▶ leaving ──▶ dequeue
    (futures)   waits while   at most     waits while   (futures)
                it is full    `capacity`  there are too few

No method blocks: an operation is started and returns a future. Each change of the queue completes the futures that it
can, outside of the lock: first those of operations that put elements in, in the order of their arrival, then those of
operations that take some out. Closing is an operation of the first kind, so that earlier ones still complete. A future
that is cancelled, by a run that ended, returns the elements that it had taken.

    state of an operation   held by                  moves to
    waiting                 its line                 waiting: `_try` moves some elements, under the lock
                                                     ended: `_try`, `close`, `abandon` take it out, under the lock
                                                     cancelled: its future is cancelled, by any thread
    ended (future RUNNING)  the thread that took it  done: that thread sets the future; Ctrl-C waits until it has
    cancelled               its line                 gone: `_try` takes it out and gives back its elements, once

An element is in the queue, held by one waiting operation, or the result of one: never two of these, and never none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.executor import NotifyingFuture
from inlay._src.core.state import Waited
from inlay._src.tf1.queues.elements import AtRandom, ByPriority, Element, Elements, FirstInFirstOut
from inlay._src.tf1.queues.keys import SharedKey


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """The declaration of a queue.

    Attributes:
      kind: the op that makes it, without its version.
      component_types: the dtype of each component.
      shapes: the partial shape of each component; empty if elements may have any.
      capacity: its capacity in elements.
      min_after_dequeue: the number of elements that dequeue operations leave in it until it is closed.
      seeds: of one that gives them out at random.
    """

    kind: str
    component_types: tuple[DType, ...]
    shapes: tuple[Dims, ...]
    capacity: int
    min_after_dequeue: int = 0
    seeds: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        if self.kind == "RandomShuffleQueue" and not 0 <= self.min_after_dequeue < self.capacity:
            sign = "<" if self.min_after_dequeue >= 0 else ">="
            bound = f"capacity {self.capacity}" if self.min_after_dequeue >= 0 else "0"
            raise errors.InvalidArgumentError(
                None, None, f"min_after_dequeue {self.min_after_dequeue} must be {sign} {bound}"
            )

    def elements(self) -> Elements:
        """Nothing yet, in the order of this kind."""
        if self.kind == "RandomShuffleQueue":
            return AtRandom(self.seeds)
        return ByPriority() if self.kind == "PriorityQueue" else FirstInFirstOut()

    def differs(self, other: QueueSpec) -> str:
        """The first difference between this spec and `other`, as a text; "" if they are equal."""
        pairs = (
            ("capacity", self.capacity, other.capacity),
            ("min_after_dequeue", self.min_after_dequeue, other.min_after_dequeue),
            ("component types", _named(self.component_types), _named(other.component_types)),
            ("component shapes", _shaped(self.shapes), _shaped(other.shapes)),
            ("random seeds", self.seeds, other.seeds if any(other.seeds) else self.seeds),
        )
        if self.kind != other.kind:
            return f"has type '{self.kind}' that does not match the requested type '{other.kind}'"
        said = (
            f"has {what} {mine} but requested {what} was {wanted}" for what, mine, wanted in pairs if mine != wanted
        )
        return next(said, "")


def _named(kinds: Sequence[DType]) -> str:
    return f"[{', '.join(d.c_name for d in kinds)}]"


def _shaped(dims: Sequence[Dims]) -> str:
    return f"[{','.join(map(shapes.bracketed, dims))}]"


class _PendingOperation:
    """One that is in progress.

    Attributes:
      future: its end.
      try_it: does what can be done now; gives whether that was anything, and what ends it: None, or a function that
        gives the result.
      gives_back: returns the elements that a cancelled operation had taken.
    """

    __slots__ = ("future", "gives_back", "try_it")

    def __init__(
        self, try_it: Callable[[], tuple[bool, Callable[[], Any] | None]], gives_back: Callable[[], None] | None = None
    ) -> None:
        self.future: Future[Any] = NotifyingFuture()
        self.try_it, self.gives_back = try_it, gives_back


class QueueState(Waited):
    """A queue.

    Args:
      spec: the declaration of the queue.
      name: its name, for messages.
    """

    def __init__(self, spec: QueueSpec, name: str) -> None:
        self.spec, self.name = spec, name
        self.closed: bool = False
        self._elements = spec.elements()
        self._entering: deque[_PendingOperation] = deque()
        self._leaving: deque[_PendingOperation] = deque()
        self._lock = new_lock()
        self._abandoned: errors.OpError | None = None

    def __len__(self) -> int:
        return len(self._elements)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.spec.kind} '{self.name}' of {len(self)} elements{', closed' if self.closed else ''}>"

    @property
    def label(self) -> str:
        """The kind and the name, for messages."""
        return f"{self.spec.kind} '{self.name}'"

    # ---- operations

    def enqueue(self, count: int, element: Callable[[int], Element]) -> Future[None]:
        """Begins to put elements in, which waits while there is no room.

        Args:
          count: the number of elements.
          element: gives one of them, by its number.
        """
        at = 0

        def try_it() -> tuple[bool, Callable[[], Any] | None]:
            nonlocal at
            if self.closed and count:
                return True, _raising(errors.CancelledError, f"{self.label} is closed.")
            end = min(count, at + max(0, self.spec.capacity - len(self._elements)))
            moved = end > at
            for number in range(at, end):
                self._elements.put(element(number))
            at = end
            return moved, None if at < count else _nothing

        return self._begin(self._entering, _PendingOperation(try_it))

    def dequeue(self, count: int, fewer: bool = False) -> Future[list[Element]]:
        """Begins to take elements out, which waits until there are so many.

        Args:
          count: the number of elements.
          fewer: whether less will do once the queue is closed, as long as there are any.
        """
        taken: list[Element] = []

        def give_back() -> None:
            self._elements.put_back(taken)
            taken.clear()

        def try_it() -> tuple[bool, Callable[[], Any] | None]:
            here = len(self._elements)
            if self.closed and here < count - len(taken):
                if not fewer or not (here or taken):
                    wanted = count - len(taken)
                    give_back()
                    return True, _raising(errors.OutOfRangeError, self._too_few(wanted, here))
                taken.extend(self._elements.take() for _ in range(here))
                return True, lambda: self._elements.arranged(taken)
            free = here if self.closed else here - self.spec.min_after_dequeue
            number = max(0, min(free, count - len(taken)))
            if self._elements.together and number < count - len(taken) and here < self.spec.capacity:
                number = 0
            taken.extend(self._elements.take() for _ in range(number))
            return bool(number), (lambda: self._elements.arranged(taken)) if len(taken) == count else None

        return self._begin(self._leaving, _PendingOperation(try_it, give_back))

    def _too_few(self, wanted: int, here: int) -> str:
        return f"{self.label} is closed and has insufficient elements (requested {wanted}, current size {here})"

    def close(self, cancel_pending_enqueues: bool = False) -> Future[None]:
        """Begins to close: later enqueue operations fail. Pending ones are cancelled, or else completed first."""
        if cancel_pending_enqueues:
            with PutOff():
                with self._lock:
                    self.closed = True
                    waiting = self._cleared(self._entering)
                for operation in waiting:
                    operation.future.set_exception(_cancelled("Enqueue"))
            self._move()
            done: Future[None] = NotifyingFuture()
            done.set_result(None)
            return done

        def try_it() -> tuple[bool, Callable[[], Any] | None]:
            if self.closed:
                return True, _raising(errors.CancelledError, f"Queue '{self.name}' is already closed.")
            self.closed = True
            return True, _nothing

        return self._begin(self._entering, _PendingOperation(try_it))

    def abandon(self) -> None:
        """The session that it belongs to is gone: cancels whatever waits, and whatever is begun from now on."""
        with PutOff():
            with self._lock:
                self._abandoned = _cancelled("Queue")
                entering, leaving = self._cleared(self._entering), self._cleared(self._leaving)
            for operation in entering:
                operation.future.set_exception(_cancelled("Enqueue"))
            for operation in leaving:
                operation.future.set_exception(_cancelled("Dequeue"))

    def _cleared(self, line: deque[_PendingOperation]) -> list[_PendingOperation]:
        """Takes all operations out of a line, which gives back what they had taken; those that were not cancelled."""
        operations = list(line)
        line.clear()
        for operation in operations:
            if operation.gives_back is not None:
                operation.gives_back()
        return [operation for operation in operations if operation.future.set_running_or_notify_cancel()]

    # ---- moving

    def _begin(self, line: deque[_PendingOperation], operation: _PendingOperation) -> Future[Any]:
        with self._lock:
            abandoned = self._abandoned
            if abandoned is None:
                line.append(operation)
        if abandoned is not None:
            operation.future.set_exception(abandoned)
            return operation.future
        self._move()
        if not operation.future.done():
            operation.future.add_done_callback(self._ended)
        return operation.future

    def _ended(self, future: Future[Any]) -> None:
        if future.cancelled():
            self._move()  # it stands in the line of others no longer

    def _move(self) -> None:
        """Does what can be done now, for all that wait."""
        moved = True
        while moved:
            ended: list[tuple[Future[Any], Callable[[], Any]]] = []
            with PutOff():
                with self._lock:
                    moved = self._try(self._entering, ended)
                    moved = self._try(self._leaving, ended) or moved
                for future, result in ended:
                    try:
                        value = result()
                    except Exception as error:
                        future.set_exception(error)
                    else:
                        future.set_result(value)

    def _try(self, line: deque[_PendingOperation], ended: list[tuple[Future[Any], Callable[[], Any]]]) -> bool:
        """Goes on with those in front of a line; whether anything changed."""
        changed = False
        while line:
            operation = line[0]
            try:
                moved, result = (True, None) if operation.future.cancelled() else operation.try_it()
            except Exception as error:  # of an element that cannot be had: this operation's alone
                moved, result = True, _failing(error)
            changed = changed or moved
            if result is None and not operation.future.cancelled():
                return changed
            line.popleft()
            if result is not None and operation.future.set_running_or_notify_cancel():
                ended.append((operation.future, result))
            elif operation.gives_back is not None:
                operation.gives_back()
        return changed


def _cancelled(what: str) -> errors.OpError:
    return errors.CancelledError(None, None, f"{what} operation was cancelled")


def _nothing() -> None:
    return None


def _raising(kind: type[errors.OpError], text: str) -> Callable[[], Any]:
    return _failing(kind(None, None, text))


def _failing(error: Exception) -> Callable[[], Any]:
    def result() -> Any:
        raise error

    return result


class QueueKey(SharedKey[QueueSpec]):
    """Names a queue of a graph; see `SharedKey`."""

    __slots__ = ()
    kind = "queue"

    def make(self) -> QueueState:
        """An empty queue."""
        return QueueState(self.spec, self.state_name())

    def check(self, shared: Any) -> None:
        """Checks what was made under the shared name before.

        Raises:
          InvalidArgumentError: if it is another kind of queue.
        """
        different = shared.spec.differs(self.spec) if isinstance(shared, QueueState) else f"is {shared!r}, no queue"
        if different:
            raise errors.InvalidArgumentError(
                None, None, f"Shared queue '{self.shared_name}' {different}.\n  [[{{{{node {self.name}}}}}]]"
            )
