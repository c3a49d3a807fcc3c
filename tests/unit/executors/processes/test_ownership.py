"""The states of a worker: each transition takes certain states and the lock, and answers the right requests."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inlay import errors
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.ownership import Owned, ProtocolError, Workers, WorkerState
from inlay._src.host.executors.processes.pending import Pending
from inlay._src.host.executors.processes.replies import Reply
from inlay._src.host.executors.processes.wire import PacketKind


class Recorder(Owned):
    """A worker without a process: it notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.end, self.other = socket.socketpair()
        self.fileno = self.end.fileno()
        self.unread: list[int] = []
        self.full = False

    def give(self, pending: Pending) -> None:
        if self.full:
            raise BlockingIOError
        number = 1 + max([0, *self.calls])
        self.calls[number] = pending
        self.unread.append(number)

    def take_back(self) -> list[int]:
        numbers, self.unread = self.unread[1:], self.unread[:1]
        return numbers


def call(kind: PacketKind = PacketKind.CALL) -> Pending:
    return Pending(kind, wire.pack(None), "f", "", False)


def reply(number: int) -> Reply:
    return Reply(PacketKind.RESULT, number, False, 0.0, None, None)


@pytest.fixture
def workers() -> Iterator[Workers[Recorder]]:
    made: Workers[Recorder] = Workers(False, lambda pending, error: None)
    yield made
    made.close()


@pytest.fixture
def worker(workers: Workers[Recorder]) -> Iterator[Recorder]:
    made = Recorder()
    with workers.lock:
        workers.add(made)
    yield made
    made.end.close()
    made.other.close()


TRANSITIONS: dict[str, tuple[Callable[[Any, Any, Any], Any], dict[str, str]]] = {
    "lend": (lambda workers, worker, owner: workers.lend(worker, owner), {"IDLE": "DIRECT"}),
    "give_back": (lambda workers, worker, owner: workers.give_back(worker, owner), {"DIRECT": "IDLE"}),
    "give": (
        lambda workers, worker, _: workers.give(worker, call()),
        {"IDLE": "SERVED", "SERVED": "SERVED", "READ": "READ"},
    ),
    "take_back": (lambda workers, worker, _: workers.take_back(worker), {"SERVED": "SERVED", "READ": "READ"}),
    "pin": (
        lambda workers, worker, _: workers.pin(worker, call(PacketKind.PULL)),
        {"DIRECT": "DIRECT", "SERVED": "SERVED", "READ": "READ"},
    ),
    "stop_reading": (lambda workers, worker, _: workers.stop_reading(worker, []), {"READ": "SERVED"}),
    "remove": (
        lambda workers, worker, _: workers.remove(worker),
        {"IDLE": "ENDED", "DIRECT": "ENDED", "SERVED": "ENDED", "READ": "ENDED"},
    ),
}


def moved_to(state: str, workers: Workers[Recorder], worker: Recorder, owner: Pending) -> None:
    if state in ("SERVED", "READ", "ENDED"):
        workers.give(worker, call())
    if state == "READ":
        assert workers.start_reading(worker)
    if state == "DIRECT":
        workers.lend(worker, owner)
    if state == "ENDED":
        workers.remove(worker)
    assert worker.state is WorkerState[state]


@pytest.mark.parametrize("source", [state.name for state in WorkerState])
@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_transition_starts_from_its_states_only(
    workers: Workers[Recorder], worker: Recorder, name: str, source: str
) -> None:
    transition, targets = TRANSITIONS[name]
    owner = call()
    with workers.lock:
        moved_to(source, workers, worker, owner)
        if source not in targets:
            with pytest.raises(errors.InternalError, match=f"a worker process that is {source} was"):
                transition(workers, worker, owner)
            assert worker.state is WorkerState[source]
        else:
            transition(workers, worker, owner)
            assert worker.state is WorkerState[targets[source]]
        assert (worker in workers.idle) == (worker.state is WorkerState.IDLE)
        assert worker.armed == (worker.state in (WorkerState.SERVED, WorkerState.READ))


@pytest.mark.parametrize("name", TRANSITIONS)
def test_a_transition_takes_the_lock(workers: Workers[Recorder], worker: Recorder, name: str) -> None:
    transition, targets = TRANSITIONS[name]
    owner = call()
    with workers.lock:
        moved_to(next(iter(targets)), workers, worker, owner)
    with pytest.raises(errors.InternalError, match="and the lock"):
        transition(workers, worker, owner)


def test_only_its_owner_gives_a_worker_back(workers: Workers[Recorder], worker: Recorder) -> None:
    owner = call()
    with workers.lock:
        workers.lend(worker, owner)
        assert workers.owned_by(owner) is worker
        with pytest.raises(errors.InternalError, match="does not own it"):
            workers.give_back(worker, call())
        worker.ended = "memory"
        workers.give_back(worker, owner)
        assert worker.state is WorkerState.SERVED, "its end is still to be read"
        assert workers.owned_by(owner) is None


@pytest.mark.parametrize("state", ["DIRECT", "ENDED", "READ"])
def test_the_thread_does_not_read_what_another_reads(workers: Workers[Recorder], worker: Recorder, state: str) -> None:
    with workers.lock:
        moved_to(state, workers, worker, call())
        assert not workers.start_reading(worker)


def test_a_worker_that_is_read_is_idle_only_when_that_is_over(workers: Workers[Recorder], worker: Recorder) -> None:
    first, second = call(), call()
    with workers.lock:
        workers.give(worker, first)
        workers.start_reading(worker)
        workers.give(worker, second)
        assert workers.take_back(worker) == [second]
        assert worker.state is WorkerState.READ and not workers.idle
        assert workers.stop_reading(worker, [reply(1)]) == [first]
        assert worker.state is WorkerState.IDLE and workers.idle == [worker]


@pytest.mark.parametrize("numbers", [[2], [1, 3], [1, 2, 3], [7], [1, 1]])
def test_answers_to_other_requests_close_no_call(
    workers: Workers[Recorder], worker: Recorder, numbers: list[int]
) -> None:
    with workers.lock:
        workers.give(worker, call())
        workers.give(worker, call())
        workers.start_reading(worker)
        with pytest.raises(ProtocolError, match="it answered request"):
            workers.stop_reading(worker, list(map(reply, numbers)))
        assert list(worker.calls) == [1, 2] and worker.state is WorkerState.READ


def test_pulls_that_are_taken_back_stay_with_their_worker(workers: Workers[Recorder], worker: Recorder) -> None:
    pull, other = call(PacketKind.PULL), call()
    with workers.lock:
        for pending in (call(), pull, other):
            workers.give(worker, pending)
        assert workers.take_back(worker) == [other]
        assert list(worker.calls.values())[1:] == [pull] and not worker.pinned


def test_a_pinned_call_without_room_is_sent_later(workers: Workers[Recorder], worker: Recorder) -> None:
    owner, pull = call(), call(PacketKind.PULL)
    with workers.lock:
        workers.lend(worker, owner)
        workers.pin(worker, pull)
        worker.full = True
        workers.give_back(worker, owner)
        assert worker.state is WorkerState.SERVED and not worker.calls
        worker.full = False
        workers.send_pinned(worker)
        assert list(worker.calls.values()) == [pull]
