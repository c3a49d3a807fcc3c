"""Schedules of the process pool: faults that are put into its ownership are seen. The soak explores it as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inlay._src.host.executors.processes import answer_reader, dispatcher, slots
from inlay._src.host.executors.processes.ownership import WorkerState
from inlay._src.host.executors.processes.replies import decoded
from tests.faults import schedules


class SettlingReader(answer_reader.AnswerReader):
    """Closes a call as soon as its answer is read, and reads on: the worker is not in state READ meanwhile."""

    def read(self, worker: Any, batch: Any) -> bool:
        while True:
            try:
                packet = worker.receive(wait=False)
            except BlockingIOError:
                break
            if packet is None:
                self.gone.append(worker)
                self._calls.workers.notify()
                return True
            if not self.is_answer(worker, packet):
                continue
            pending = worker.calls.pop(packet.number, None)
            if pending is not None:
                answered = self.outcome(worker, pending, decoded(packet))
                if answered is not None:
                    self._calls.finished.append((pending, answered))
                    self._calls.workers.notify()
                else:
                    with self._calls.lock:
                        self._calls.queue.appendleft(pending)
        with self._calls.lock:
            if worker.state in (WorkerState.IDLE, WorkerState.SERVED, WorkerState.DIRECT):
                self._calls.workers._settle(worker)
        return True


class SettlesWhileItReads(dispatcher.PoolDispatcher):
    """Has such a reader."""

    reader = SettlingReader


class RunsBegunCallsAgain(dispatcher.PoolDispatcher):
    """Takes a call that was begun for one that was not."""

    def _judged(self, worker: Any, pending: Any, begun: bool) -> Any:
        return super()._judged(worker, pending, begun=False)


class CancelsBegunCalls(dispatcher.PoolDispatcher):
    """Takes the calls of a worker that is not known to be ready for calls that were not begun."""

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        for worker in self._calls.workers.in_states(WorkerState.SERVED, WorkerState.READ):
            if cancel_futures and not worker.ready:
                for pending in list(worker.calls.values()):
                    assert pending.receiver is not None
                    pending.receiver.withdraw(pending)
                worker.kill("shutdown")
        super().shutdown(wait, cancel_futures)


@pytest.mark.parametrize("broken", [SettlesWhileItReads, RunsBegunCallsAgain, CancelsBegunCalls])
def test_a_fault_of_ownership_is_seen(broken: Callable[..., dispatcher.PoolDispatcher]) -> None:
    assert schedules.explore(0, 5_000, broken)


def test_a_slot_that_is_used_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots.ReceivedSlots, "retained", lambda self, number: False)
    assert schedules.explore(0, 5_000)


def test_a_schedule_is_repeated_by_its_seed() -> None:
    def points(seed: int) -> int:
        program = schedules.Program(seed)
        assert program.run() == []
        return program.scheduler.points

    assert [points(seed) for seed in range(20)] == [points(seed) for seed in range(20)]
