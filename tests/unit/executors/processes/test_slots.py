"""Slots: who may touch the memory, when it is used again, and what becomes of arrays that a function retains."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from inlay._src.base.tuning import TUNING
from inlay._src.core.executor import Call
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.host.executors.processes.slots import LEAST, ReceivedSlots, SentSlots, Slot
from tests.unit.executors.batches import outcomes

BOUND = 30.0
LARGE = 100_000  # numbers of 8 bytes: in a slot


class SlotMachine(RuleBasedStateMachine):
    """A sender and a receiver: messages in order, answers in any order, arrays that are retained and dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.sender, self.receiver = SentSlots(), ReceivedSlots()
        self.lent: dict[int, Any] = {}
        self.retained: list[tuple[Any, int]] = []
        self.count = 0

    @rule(size=st.integers(1, 4 * LEAST))
    def send(self, size: int) -> None:
        """The sender writes a message, and the receiver maps its slot."""
        slot = self.sender.take(size)
        if slot is None:
            assert self.sender.size > TUNING.slot_bytes - 4 * LEAST
            return
        assert slot.size >= size and slot.number not in self.lent
        self.count = (self.count + 1) % 256
        np.ndarray(size, np.uint8, slot.memory)[...] = self.count
        descriptor = -1 if slot.introduced else os.dup(slot.descriptor)
        slot.introduced = True
        memory = self.receiver.memory(slot.number, descriptor, size)
        self.lent[slot.number] = (np.ndarray(size, np.uint8, memory), self.count)

    @precondition(lambda self: self.lent)
    @rule(which=st.integers(0, 99), keeps=st.booleans())
    def answer(self, which: int, keeps: bool) -> None:
        """The receiver is done with a message, whose array it retains or not."""
        number = sorted(self.lent)[which % len(self.lent)]
        array, count = self.lent.pop(number)
        message = self.receiver.memory(number, -1, 1)
        if keeps:
            self.retained.append((array[: len(array) // 2 + 1], count))
        del array
        assert self.receiver.retained(number) == keeps
        del message
        self.sender.back(number, keeps)

    @rule()
    def drop(self) -> None:
        """The receiver frees what it retained first."""
        self.retained[:1] = []

    @invariant()
    def nobody_wrote_into_arrays(self) -> None:
        """Arrays have what was sent in them."""
        for array, count in [*self.lent.values(), *self.retained]:
            assert (array == count).all()

    @invariant()
    def sizes_are_right(self) -> None:
        """The sender counts what it has."""
        slots = self.sender._all()
        assert self.sender.size == sum(slot.size for slot in slots) <= TUNING.slot_bytes
        assert self.sender.used <= self.sender.size
        assert set(self.sender.lent) == set(self.lent)

    def teardown(self) -> None:
        """Closes everything."""
        self.lent.clear()
        self.sender.close()


TestSlots = SlotMachine.TestCase
TestSlots.settings = settings(max_examples=25, stateful_step_count=40, deadline=None)


@pytest.fixture(autouse=True)
def _few_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "slot_bytes", 1 << 22)


def test_a_slot_without_room_is_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Slot, size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Slot, "reserve", full)
    slots = SentSlots()
    assert slots.take(LEAST) is None and not slots.lent
    slots.close()


RETAINED: list[Any] = []


def doubled(x: Any) -> Any:
    return x * 2


def same(x: Any) -> Any:
    return x


def written(x: Any) -> Any:
    x += 1
    return x


def retaining(x: Any) -> Any:
    RETAINED.append(x)
    return x[:1]


def retained() -> Any:
    return [(x.flags.writeable, float(x.min()), float(x.max())) for x in RETAINED]


def failing(x: Any) -> Any:
    raise ValueError(f"no {x.sum()}")


@pytest.fixture
def pool() -> Iterator[Processes]:
    with Processes(1) as made:
        yield made


def run(pool: Processes, function: Any, *args: Any) -> Any:
    return pool.run(Call(function, args, label=function.__name__))


def slots_of(pool: Processes) -> SentSlots:
    (worker,) = pool._dispatcher._calls.workers
    return worker._slots


@pytest.mark.parametrize("function", [doubled, same, written])
def test_results_are_the_callers_own(pool: Processes, function: Any) -> None:
    results = []
    for k in range(12):
        x = np.full(LARGE, k, np.float64)
        results.append((run(pool, function, x), function(x.copy())))
        assert (x == k).all()
    for result, expected in results:
        np.testing.assert_array_equal(result, expected)
        assert result.flags.owndata and result.flags.writeable
    slots = slots_of(pool)
    assert not slots.lent and len(slots._all()) == 1, "one slot for all calls"


def test_memory_that_a_function_retains_is_its_own(pool: Processes) -> None:
    for k in range(8):
        assert run(pool, retaining, np.full(LARGE, k, np.float64)) == [k]
        run(pool, doubled, np.zeros(LARGE))
    assert run(pool, retained) == [(True, k, k) for k in range(8)]


@pytest.mark.parametrize("reads", [False, True])
def test_many_calls_are_in_flight(pool: Processes, reads: bool) -> None:
    calls = [Call(doubled, (np.full(LARGE // 8 * (1 + k % 3), k, np.float64),)) for k in range(60)]
    for result, call in zip(outcomes(pool.start_many(calls), len(calls), BOUND, reads), calls, strict=True):
        np.testing.assert_array_equal(result, call.args[0] * 2)
    assert not slots_of(pool).lent
    assert slots_of(pool).size <= TUNING.slot_bytes


def test_a_call_that_fails_gives_its_slot_back(pool: Processes) -> None:
    for k in range(5):
        with pytest.raises(ValueError, match="no "):
            run(pool, failing, np.full(LARGE, k, np.float64))
    assert not slots_of(pool).lent
    assert slots_of(pool).size <= TUNING.slot_bytes
    assert (run(pool, doubled, np.ones(LARGE)) == 2).all()


def test_arrays_without_a_slot_have_a_segment(pool: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "slot_bytes", 0)
    assert (run(pool, doubled, np.ones(LARGE)) == 2).all()
    assert slots_of(pool).size == 0


def test_the_limit_of_memory_leaves_slots_out() -> None:
    with Processes(1, memory_limit=1 << 34) as pool:
        x = np.ones(LARGE)
        run(pool, doubled, x)
        (worker,) = pool._dispatcher._calls.workers
        slots, answers = worker._slots.used, worker._answer_slots.used
        assert slots == answers >= x.nbytes
        with open(f"/proc/{worker.pid}/statm") as file:
            resident = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        assert worker.resident() <= resident - slots
