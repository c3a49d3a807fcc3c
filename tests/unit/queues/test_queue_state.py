"""Queues without graphs: who waits, in which order, and what a cancelled operation leaves."""

from __future__ import annotations

import dataclasses
import random
import signal
import threading
import time
from concurrent.futures import Future
from typing import Any, ClassVar

import pytest

from inlay import errors
from inlay._src.base.types import dtypes
from inlay._src.core.state import CellStore
from inlay._src.tf1.queues import queue_state
from inlay._src.tf1.queues.queue_state import QueueKey, QueueSpec, QueueState


def queue(kind: str = "FIFOQueue", capacity: int = 3, least: int = 0, seeds: tuple[int, int] = (1, 2)) -> QueueState:
    return QueueState(QueueSpec(kind, (dtypes.int32,), ((),), capacity, least, seeds), "q")


def put(state: QueueState, *numbers: int) -> Future[None]:
    return state.enqueue(len(numbers), lambda i: (numbers[i],))


def got(future: Future[Any]) -> list[int]:
    return [element[0] for element in future.result(0)]


def test_elements_leave_in_the_order_in_which_they_came() -> None:
    state = queue()
    put(state, 1, 2, 3).result(0)
    assert got(state.dequeue(2)) == [1, 2]
    assert len(state) == 1


def test_what_finds_no_room_waits_and_is_put_in_before_what_comes_later() -> None:
    state = queue(capacity=2)
    first, second = put(state, 1, 2, 3), put(state, 4)
    assert (first.done(), second.done(), len(state)) == (False, False, 2)
    assert got(state.dequeue(1)) == [1]
    assert (first.done(), second.done()) == (True, False)
    assert got(state.dequeue(2)) == [2, 3]
    assert second.done()
    assert got(state.dequeue(1)) == [4]


def test_a_batch_larger_than_the_queue_is_taken_as_it_comes() -> None:
    state = queue(capacity=2)
    wanted = state.dequeue(5)
    put(state, *range(7))
    assert got(wanted) == [0, 1, 2, 3, 4]


def test_a_cancelled_batch_gives_back_what_it_had() -> None:
    state = queue()
    put(state, 1, 2)
    wanted, behind = state.dequeue(3), state.dequeue(2)
    assert not behind.done()
    assert wanted.cancel()
    assert got(behind) == [1, 2]


def test_a_cancelled_operation_lets_those_behind_it_go_on() -> None:
    state = queue(capacity=1)
    put(state, 1)
    waiting, behind = put(state, 2), put(state, 3)
    assert waiting.cancel()
    assert got(state.dequeue(1)) == [1]
    assert behind.done()
    assert got(state.dequeue(1)) == [3]


def test_closing_waits_for_what_came_before_it() -> None:
    state = queue(capacity=1)
    put(state, 1)
    before, closing, behind = put(state, 2), state.close(), put(state, 3)
    assert not closing.done()
    assert got(state.dequeue(2)) == [1, 2]
    assert before.done() and closing.done() and state.closed
    with pytest.raises(errors.CancelledError, match="FIFOQueue 'q' is closed"):
        behind.result(0)
    with pytest.raises(errors.CancelledError, match="Queue 'q' is already closed"):
        state.close().result(0)


def test_closing_may_cancel_what_waits_to_be_put_in() -> None:
    state = queue(capacity=1)
    put(state, 1)
    waiting = put(state, 2)
    state.close(cancel_pending_enqueues=True).result(0)
    with pytest.raises(errors.CancelledError, match="Enqueue operation was cancelled"):
        waiting.result(0)
    assert got(state.dequeue(1)) == [1]


def test_a_closed_queue_ends_those_that_wait_for_more() -> None:
    state = queue()
    put(state, 1)
    many, fewer = state.dequeue(2), state.dequeue(2, fewer=True)
    state.close()
    with pytest.raises(errors.OutOfRangeError, match=r"closed and has insufficient elements \(requested 1, current"):
        many.result(0)
    assert got(fewer) == [1]
    with pytest.raises(errors.OutOfRangeError, match=r"requested 4, current size 0"):
        state.dequeue(4, fewer=True).result(0)


def test_no_elements_are_put_in_and_taken_at_any_time() -> None:
    state = queue()
    state.close()
    assert put(state).result(0) is None
    assert got(state.dequeue(0)) == []


def test_a_random_queue_keeps_its_least_number_until_it_is_closed() -> None:
    state = queue("RandomShuffleQueue", capacity=10, least=2)
    put(state, *range(4))
    two, more = state.dequeue(2), state.dequeue(1)
    assert two.done() and not more.done()
    state.close()
    assert sorted([*got(two), *got(more), *got(state.dequeue(1))]) == [0, 1, 2, 3]


def test_random_order_is_tensorflows_for_the_same_seeds() -> None:
    # recorded: RandomShuffleQueue(10, 2, int32, seed=3), numbers 0 to 7, six dequeues, close, dequeue_many(2)
    state = queue("RandomShuffleQueue", capacity=10, least=2, seeds=(87654321, 3))
    put(state, *range(8))
    assert [got(state.dequeue(1))[0] for _ in range(6)] == [7, 3, 4, 0, 6, 2]
    state.close()
    assert got(state.dequeue(2)) == [5, 1]


@pytest.mark.parametrize(("least", "said"), [(-1, "-1 must be >= 0"), (3, "3 must be < capacity 3")])
def test_a_least_number_must_fit(least: int, said: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=said):
        queue("RandomShuffleQueue", least=least)


def test_the_lowest_priority_leaves_first_and_equal_ones_in_order() -> None:
    state = QueueState(QueueSpec("PriorityQueue", (dtypes.int64, dtypes.string), ((), ()), 9), "q")
    for priority, text in ((2, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e")):
        state.enqueue(1, lambda _, element=(priority, text): element)  # type: ignore[misc]
    wanted = state.dequeue(6)
    wanted.cancel()  # and what it had is given back in its place
    assert [text for _, text in state.dequeue(5).result(0)] == ["e", "b", "d", "a", "c"]


def test_a_session_that_is_gone_cancels_all() -> None:
    store = CellStore()
    key = QueueKey("q", QueueSpec("FIFOQueue", (dtypes.int32,), ((),), 1))
    state: Any = store.cell(key)
    put(state, 1)
    waiting = [put(state, 2)]
    other: Any = store.cell(QueueKey("r", key.spec))
    waiting.append(other.dequeue(1))
    store.close()
    waiting.append(state.dequeue(1))
    for future in waiting:
        with pytest.raises(errors.CancelledError, match="was cancelled"):
            future.result(0)
    with pytest.raises(errors.CancelledError, match="its session was closed"):
        store.cell(QueueKey("s", key.spec))


def test_queues_with_one_shared_name_are_one() -> None:
    store, spec = CellStore(), QueueSpec("FIFOQueue", (dtypes.int32,), ((),), 2)
    first = store.cell(QueueKey("a", spec, "shared"))
    assert store.cell(QueueKey("b", spec, "shared")) is first
    assert store.cell(QueueKey("c", spec)) is not store.cell(QueueKey("d", spec))


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (QueueSpec("FIFOQueue", (dtypes.int32,), ((),), 3), "has capacity 2 but requested capacity was 3"),
        (QueueSpec("PaddingFIFOQueue", (dtypes.int32,), ((),), 2), "has type 'FIFOQueue' that does not match"),
        (
            QueueSpec("FIFOQueue", (dtypes.float32,), ((),), 2),
            r"component types \[int32\] but requested component types was \[float\]",
        ),
        (QueueSpec("FIFOQueue", (dtypes.int32,), ((1,),), 2), r"component shapes \[\[\]\] but .* was \[\[1\]\]"),
    ],
)
def test_a_shared_name_stands_for_one_kind(other: QueueSpec, said: str) -> None:
    store = CellStore()
    store.cell(QueueKey("a", QueueSpec("FIFOQueue", (dtypes.int32,), ((),), 2), "shared"))
    with pytest.raises(errors.InvalidArgumentError, match=f"Shared queue 'shared' .*{said}"):
        store.cell(QueueKey("b", other, "shared"))


def test_a_shared_name_without_seeds_takes_those_that_are_there() -> None:
    store, seeded = CellStore(), QueueSpec("RandomShuffleQueue", (dtypes.int32,), ((),), 1, seeds=(1, 2))
    first = store.cell(QueueKey("a", seeded, "shared"))
    assert store.cell(QueueKey("b", dataclasses.replace(seeded, seeds=(0, 0)), "shared")) is first
    with pytest.raises(errors.InvalidArgumentError, match=r"has random seeds \(1, 2\) but requested .* \(1, 3\)"):
        store.cell(QueueKey("c", dataclasses.replace(seeded, seeds=(1, 3)), "shared"))


class CancelledAt(Future[Any]):
    """A future that another thread cancels just before the n-th time that the queue asks it for its state."""

    at: int = 0
    threads: ClassVar[list[threading.Thread]] = []

    def _asked(self) -> None:
        CancelledAt.at -= 1
        if CancelledAt.at == 0:
            thread = threading.Thread(target=self.cancel, daemon=True)  # its callbacks wait for the queue's lock
            thread.start()
            CancelledAt.threads.append(thread)
            while thread.is_alive() and not super().cancelled():
                time.sleep(0)

    def cancelled(self) -> bool:
        self._asked()
        return super().cancelled()

    def set_running_or_notify_cancel(self) -> bool:
        self._asked()
        return super().set_running_or_notify_cancel()


def has_result(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


@pytest.mark.parametrize("kind", ["FIFOQueue", "RandomShuffleQueue"])
@pytest.mark.parametrize("seed", range(60))
def test_no_element_is_lost_or_given_twice_whenever_operations_are_cancelled(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue_state, "Future", CancelledAt)
    for at in range(1, 40):
        rand = random.Random(seed)
        CancelledAt.at = at
        state, numbers = queue(kind, capacity=rand.randint(2, 5)), iter(range(100))
        puts: list[tuple[list[int], Future[Any]]] = []
        gets: list[Future[Any]] = []
        for _ in range(rand.randint(2, 9)):
            if (what := rand.randrange(8)) < 3:
                batch = [next(numbers) for _ in range(rand.randint(1, 3))]
                puts.append((batch, put(state, *batch)))
            elif what < 6:
                gets.append(state.dequeue(rand.randint(1, 4), fewer=rand.random() < 0.3))
            elif what == 6 and gets:
                rand.choice(gets).cancel()
            elif rand.random() < 0.3:
                state.close(cancel_pending_enqueues=rand.random() < 0.5)
        CancelledAt.at = 0
        while CancelledAt.threads:
            CancelledAt.threads.pop().join(30)
        results = [got(future) for future in gets if has_result(future)]
        state.abandon()
        left = [element[0] for element in (state._elements.take() for _ in range(len(state)))]
        seen = sorted([number for result in results for number in result] + left)
        assert len(seen) == len(set(seen)), (at, seen)
        whole = [number for batch, future in puts if has_result(future) for number in batch]
        assert set(whole) <= set(seen) <= {number for batch, _ in puts for number in batch}, (at, seen)


def test_an_element_that_cannot_be_had_fails_its_own_operation_alone() -> None:
    def bad(number: int) -> Any:
        raise MemoryError("no room")

    state = queue()
    wanted = state.dequeue(1)
    with pytest.raises(MemoryError, match="no room"):
        state.enqueue(1, bad).result(0)
    put(state, 7).result(0)
    assert got(wanted) == [7]


def test_ctrl_c_between_taking_and_telling_loses_no_element(monkeypatch: pytest.MonkeyPatch) -> None:
    state = queue()
    wanted, tried = state.dequeue(1), QueueState._try

    def interrupted(self: QueueState, *given: Any) -> bool:
        moved = tried(self, *given)
        signal.raise_signal(signal.SIGINT)
        return moved

    monkeypatch.setattr(QueueState, "_try", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put(state, 7)
    assert got(wanted) == [7]


@pytest.mark.parametrize(
    ("capacity", "arriving", "taken", "left"),
    [
        (9, [5, 3, 1], [1, 3], [5]),  # one batch: as in TensorFlow, which takes them together too
        (9, [[5], [1], [3]], [1, 5], [3]),
        (2, [[5, 4], [1, 7, 6]], [4, 5], [1, 6]),
    ],
)
def test_elements_by_priority_are_taken_together(
    capacity: int, arriving: list[Any], taken: list[int], left: list[int]
) -> None:
    state = QueueState(QueueSpec("PriorityQueue", (dtypes.int64,), ((),), capacity), "q")
    batch = state.dequeue(2)
    for part in arriving if isinstance(arriving[0], list) else [arriving]:
        state.enqueue(len(part), lambda number, part=part: (part[number],))
    assert batch.result(30) == [(value,) for value in taken]
    assert [state.dequeue(1).result(30)[0][0] for _ in left] == left


def test_more_elements_by_priority_than_fit_are_in_order() -> None:
    state = QueueState(QueueSpec("PriorityQueue", (dtypes.int64,), ((),), 2), "q")
    batch = state.dequeue(5)
    state.enqueue(5, lambda number: ([5, 1, 4, 2, 3][number],))
    assert batch.result(30) == [(1,), (2,), (3,), (4,), (5,)]


def test_what_a_closed_queue_has_left_is_in_order() -> None:
    state = QueueState(QueueSpec("PriorityQueue", (dtypes.int64,), ((),), 2), "q")
    batch = state.dequeue(5, fewer=True)
    state.enqueue(3, lambda number: ([5, 4, 1][number],))
    state.close()
    assert batch.result(30) == [(1,), (4,), (5,)]
