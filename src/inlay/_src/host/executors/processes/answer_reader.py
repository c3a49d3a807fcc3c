"""The reading of answers: by the pool's thread, or by a caller who waits for a batch and attends the workers meanwhile.

    packets of a worker ──▶ printed output, log records, spans   written here at once
                       └──▶ answers ──▶ outcomes ──▶ the caller's batch, in the caller's thread
                                               └───▶ `finished`, for the pool's thread
    the end of a worker ──▶ `gone`, for the pool's thread

Deferred answers (`answers_page`) are looked for when a worker with such has sent nothing for a while.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.spans import SPANS
from inlay._src.base.tuning import TUNING
from inlay._src.host.executors.processes import output, wire
from inlay._src.host.executors.processes.ownership import ProtocolError, WorkerState
from inlay._src.host.executors.processes.pending import CallBatch, Outcome, Pending
from inlay._src.host.executors.processes.remote_pullback import PullbackLost
from inlay._src.host.executors.processes.replies import Reply, decoded
from inlay._src.host.executors.processes.scheduling import CallScheduler
from inlay._src.host.executors.processes.wire import Packet, PacketKind
from inlay._src.host.executors.processes.worker import WorkerProcess

_UNKNOWN = int(PacketKind.UNKNOWN)
_ANSWERS = frozenset({int(k) for k in (PacketKind.RESULT, PacketKind.FAILURE, PacketKind.UNKNOWN, PacketKind.BATCH)})


class AnswerReader:
    """Reads the answers of a pool's workers.

    Args:
      calls: the scheduler of the pool.
      with_kept: makes the value of a call that keeps a pullback from its result.

    Attributes:
      gone: workers whose end the pool's thread has to deal with.
      closed: whether that thread has ended.
    """

    def __init__(self, calls: CallScheduler, with_kept: Callable[[WorkerProcess, Pending, Any], Any]) -> None:
        self._calls, self._with_kept = calls, with_kept
        self.gone: deque[WorkerProcess] = deque()
        self.closed = False

    def is_answer(self, worker: WorkerProcess, packet: Packet) -> bool:
        """Whether a packet is the answer to a call; anything else is dealt with."""
        if packet.kind in _ANSWERS:
            return True
        if packet.kind in (PacketKind.PRINTED, PacketKind.LOGGED):
            output.forward(packet)
            return False
        if packet.kind == PacketKind.SPANS:
            SPANS.receive(*wire.unpack(packet, mapped=False))
            return False
        if packet.kind == PacketKind.READY:
            worker.ready, worker.since = True, time.monotonic()
            self._calls.failed = 0
            return False
        return True

    def decoded(self, worker: WorkerProcess, packet: Packet) -> Reply:
        """The reply in a packet, whose slot is the worker's again."""
        try:
            return decoded(packet)
        finally:
            if packet.slot:
                worker.read.append(packet.slot)

    def outcome(self, worker: WorkerProcess, pending: Pending, answer: Reply) -> Outcome | None:
        """The outcome that a reply means for its call; None if the call has to be sent again, with its function."""
        self._calls.mean += 0.2 * (min(answer.seconds, 1.0) - self._calls.mean)
        if answer.kind != _UNKNOWN:
            if answer.error is None and pending.keeps:
                return self._with_kept(worker, pending, answer.value), None
            return answer.value, answer.error
        if pending.body is None:
            return None, PullbackLost(f"worker {worker.pid} forgot it, as it keeps a bounded number of them")
        worker.digests.discard(pending.body.digest)
        return None

    # ---- reading

    def attend(self, batch: CallBatch) -> bool:
        """Reads answers in the thread of a caller; see `Batch.read`."""
        workers = self._calls.workers
        try:
            if self.closed or not workers.attend(batch):
                return False
            while not batch.news and not self.closed:
                self.receive(batch, None)
                if self.gone or self._calls.finished:
                    workers.notify()
        except BaseException as error:
            if not self.closed or not isinstance(error, (OSError, ValueError)):  # it was polled while it was closed
                self._interrupted(batch)
                raise
        finally:
            workers.leave(batch)
            if not self._calls.open:
                workers.notify()
        return True

    def receive(self, batch: CallBatch | None, timeout: float | None) -> None:
        """Reads the answers of all workers, for a caller who waits for a batch or for the thread; feeds the workers."""
        ready = self._calls.workers.readable(batch, self.soonest(timeout))
        if not ready:
            ready = [worker for worker in self._calls.workers if worker.defers]
        if ready and not sum([self.read(worker, batch) for worker in ready]):
            time.sleep(TUNING.reply_batch_seconds / 10)  # another thread reads them
        if self._calls.queue or self._calls.workers.idle:
            with PutOff(), self._calls.lock:
                self._calls.feed()

    def _interrupted(self, batch: CallBatch) -> None:
        """An exception came while a caller read: nobody knows what became of the answers that it has taken."""
        with PutOff(), self._calls.lock:
            for worker in self._calls.workers:
                reader, calls = worker.reader
                if reader is batch:
                    worker.kill("interrupted")
                    open_calls = set(worker.calls.values())
                    taken = [pending for pending in calls if pending not in open_calls]
                    self._calls.finished.extend((p, (None, worker.error(p))) for p in taken)  # or it is told already
                    if worker.state is WorkerState.READ:
                        self.gone.append(worker)
        self._calls.workers.notify()

    def read(self, worker: WorkerProcess, batch: CallBatch | None) -> bool:
        """Reads the answers that a worker has sent; whether it may."""
        with PutOff():
            return self._read(worker, batch)

    def _read(self, worker: WorkerProcess, batch: CallBatch | None) -> bool:
        with self._calls.lock:
            if not self._calls.workers.start_reading(worker, batch):
                return False
        answers: list[Reply] = []
        own: list[tuple[Pending, Outcome]] = []
        ended = worker.ended == "protocol"  # nothing that it says counts any more
        try:
            while not ended:
                packet = worker.receive(wait=False)
                if packet is None:
                    ended = True
                elif self.is_answer(worker, packet):
                    answers += [self.decoded(worker, each) for each in worker.answers_in(packet)]
        except BlockingIOError:
            if not answers and worker.defers:
                answers += [self.decoded(worker, each) for each in worker.deferred()]
        except ProtocolError as error:
            worker.kill("protocol", detail=str(error))
        ended = ended or worker.ended == "protocol"
        if answers:  # the next call has begun
            worker.since = time.monotonic()
        try:
            with self._calls.lock:
                calls = self._calls.workers.stop_reading(worker, answers, ended)
                for pending, answer in zip(calls, answers, strict=True):
                    answered = self.outcome(worker, pending, answer)
                    if answered is None:
                        self._calls.queue.appendleft(pending)
                    elif pending.receiver is batch is not None:
                        own.append((pending, answered))
                    else:
                        self._calls.finished.append((pending, answered))
        except ProtocolError as error:
            worker.kill("protocol", detail=str(error))
        if ended or worker.ended == "protocol":
            with self._calls.lock:
                self._calls.workers.silence(worker)
            self.gone.append(worker)
        worker.reader = None, ()
        if batch is not None and own:
            batch.receive(own)
        return True

    def soonest(self, timeout: float | None) -> float | None:
        """A timeout, or the time until deferred answers should be looked for, if that is less."""
        if timeout == 0 or not any(worker.defers for worker in self._calls.workers):
            return timeout
        patience = 2 * TUNING.reply_batch_seconds
        return patience if timeout is None else min(timeout, patience)

    def deferred(self, worker: WorkerProcess) -> dict[Pending, Outcome]:
        """The outcomes of calls that a worker which has ended did not send any more."""
        if worker.ended == "protocol":
            return {}
        answers = [self.decoded(worker, packet) for packet in worker.deferred()]
        try:
            ended = list(zip(worker.answered(answers), answers, strict=True))
        except ProtocolError:  # it wrote there what is none
            return {}
        outcomes = {pending: self.outcome(worker, pending, answer) for pending, answer in ended}
        with self._calls.lock:
            self._calls.queue.extendleft(pending for pending, answered in outcomes.items() if answered is None)
        return {pending: answered for pending, answered in outcomes.items() if answered is not None}
