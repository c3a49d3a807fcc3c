"""Runs calls: the thread of a waiting caller reads the answers itself; a thread of the dispatcher reads all others.

    run         the caller owns a worker, and reads the answer of its call
    start_many  the caller attends all workers while it waits for its batch, and leaves to the thread what is not for it:
                outcomes of other calls, and workers that have ended
    start       the thread

The owner or reader of a worker reads its packets: see `ownership`.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Any

from inlay._src.base import errors
from inlay._src.base.spans import SPANS
from inlay._src.base.tuning import TUNING
from inlay._src.core.executor import Call
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes import output, wire
from inlay._src.host.executors.processes.options import PoolOptions
from inlay._src.host.executors.processes.ownership import ProtocolError, WorkerState
from inlay._src.host.executors.processes.pending import CallBatch, CallFuture, Outcome, Pending, Receiver
from inlay._src.host.executors.processes.remote_pullback import PullbackLost, RemotePullback
from inlay._src.host.executors.processes.replies import Reply, decoded, delivered
from inlay._src.host.executors.processes.scheduling import MESSAGES, CallScheduler
from inlay._src.host.executors.processes.wire import Packet, PacketKind
from inlay._src.host.executors.processes.worker import WorkerProcess, lost

END_SECONDS = 2.0
"""Seconds that workers may take to end."""


class PoolDispatcher:
    """The implementation of a pool.

    Args:
      options: the options of the pool.
      depth: the nesting depth of its workers.
      name: the name of the pool in messages.

    Attributes:
      forgotten: whether this is the copy of a forked child.
    """

    def __init__(self, options: PoolOptions, depth: int, name: str) -> None:
        self._options = options
        self._calls = CallScheduler(options, depth, name)
        self._ending = self._closed = self.forgotten = False
        self._starting = 0  # batches that are being packed
        self._gone: deque[WorkerProcess] = deque()  # workers whose end the thread deals with
        self._thread = threading.Thread(target=self._loop, name="inlay-processes", daemon=True)
        self._thread.start()

    # ---- calls

    def start(self, call: Call) -> Future[Any]:
        """Queues a call."""
        return self._submit(self._pending(call))

    def start_many(self, calls: Sequence[Call]) -> CallBatch:
        """Queues calls, which reach each worker in few messages; see `Executor.start_many`."""
        batch, packed = CallBatch(self, len(calls)), list[Pending]()
        ahead = self._calls.most
        self._starting += 1
        try:
            for position, call in enumerate(calls):
                try:
                    pending = self._pending(call)
                except Exception as error:
                    batch.add_failed(position, error)
                else:
                    batch.add(position, pending)
                    packed.append(pending)
                if len(packed) == ahead:  # workers run these, while more are packed
                    self._queue(packed, more=True)
                    packed, ahead = [], 4 * ahead
            self._queue(packed)
        except BaseException:
            batch.cancel()
            raise
        finally:
            self._starting -= 1
        return batch

    def run(self, call: Call) -> Any:
        """Runs a call; the caller's thread reads the answer itself if there is a worker for it."""
        pending, answered = self._pending(call), None
        try:
            worker = self._calls.lent(pending)
            if worker is not None:
                answered = self._run_on(worker, pending)
        except BaseException:
            self._abandon(pending)
            raise
        if answered is not None:
            return delivered(answered)
        return self._waited(pending.receiver or self._submit(pending))

    def _pending(self, call: Call) -> Pending:
        body = bodies.body_of(call.function)
        try:
            packed = wire.pack((body.digest, call.op, call.keep, call.args, call.kwargs, call.flow))
        except Exception as error:
            raise outcome.unsent(call, error) from error
        pending = Pending(PacketKind.CALL, packed, call.label or body.label, call.op, call.keep)
        pending.body, pending.repeatable, pending.flow = body, call.repeatable, call.flow
        if call.keep and call.repeatable:
            pending.again = lambda: self.run(call)[1]  # type: ignore[no-any-return]
        return pending

    def _submit(self, pending: Pending) -> Future[Any]:
        future = pending.receiver = CallFuture(self, pending)
        self._queue([pending])
        if pending.flow:
            SPANS.count("calls that wait for a worker", len(self._calls.queue))
        return future

    def _queue(self, pending: Sequence[Pending], more: bool = False) -> None:
        """Puts calls with their receivers behind the queue; `more` is whether others follow soon."""
        try:
            with self._calls.lock:
                self._calls.check_open()
                self._calls.queue.extend(pending)
                if len(self._calls.queue) == len(pending):
                    self._calls.feed(1 if more else MESSAGES)
            if self._calls.finished:
                self._complete()
        except BaseException:
            self.cancelled(pending)  # Ctrl-C may come here, and the caller will not have their receiver
            raise

    def _waited(self, future: Any) -> Any:
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    # ---- a caller who reads the answer himself

    def _run_on(self, worker: WorkerProcess, pending: Pending) -> Outcome | None:
        """Runs a call on a worker that it owns. None if it is the thread's now, or is yet to be queued."""
        try:
            worker.give(pending)
            while (packet := worker.receive()) is not None:
                if not self._is_answer(worker, packet) or not worker.answers_in(packet):
                    continue
                worker.answered([packet])
                answered = self._outcome(worker, pending, self._decoded(worker, packet))
                if answered is not None:
                    self._give_back(worker, pending)
                    return answered
                worker.give(pending)  # it had to be sent the function again
        except BlockingIOError:
            self._give_back(worker, pending)
            return None
        except errors.ResourceExhaustedError as error:
            self._give_back(worker, pending)
            return None, error
        except ProtocolError as error:
            worker.kill("protocol", detail=str(error))
        pending.receiver = CallFuture(self, pending)  # the worker has ended: the thread says what that means
        self._give_back(worker, pending)
        return None

    def _give_back(self, worker: WorkerProcess, pending: Pending) -> None:
        """The thread of a call needs its worker no longer."""
        limit = self._options.memory_limit
        if limit is not None and not worker.ended and worker.resident() > limit:
            worker.kill("memory")
        with self._calls.lock:
            self._calls.workers.give_back(worker, pending)
            if self._calls.queue:
                self._calls.feed()
            over = self._closed and worker.state is WorkerState.SERVED
        if over:  # the thread has ended: nobody else would hear of the worker's end
            self._lost(worker)
        if self._calls.finished:
            self._complete()
        if not self._calls.open:
            self._calls.workers.notify()

    def _abandon(self, pending: Pending) -> None:
        """The thread of a call was interrupted: the worker that it owned, if it still does, is killed."""
        with self._calls.lock:
            worker = self._calls.workers.owned_by(pending)
            if worker is not None:
                worker.kill("cancelled")
        if worker is not None:
            self._give_back(worker, pending)

    # ---- packets

    def _is_answer(self, worker: WorkerProcess, packet: Packet) -> bool:
        """Whether a packet is the answer to a call; anything else is dealt with."""
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

    def _decoded(self, worker: WorkerProcess, packet: Packet) -> Reply:
        """The reply in a packet, whose slot is the worker's again."""
        try:
            return decoded(packet)
        finally:
            if packet.slot:
                worker.read.append(packet.slot)

    def _outcome(self, worker: WorkerProcess, pending: Pending, answer: Reply) -> Outcome | None:
        """The outcome that a reply means for its call; None if the call has to be sent again, with its function."""
        worker.since = time.monotonic()
        self._calls.mean += 0.2 * (min(answer.seconds, 1.0) - self._calls.mean)
        if answer.kind != PacketKind.UNKNOWN:
            if answer.error is None and pending.keeps:
                return self._with_kept(worker, pending, answer.value), None
            return answer.value, answer.error
        if pending.body is None:
            return None, PullbackLost(f"worker {worker.pid} forgot it, as it keeps a bounded number of them")
        worker.digests.discard(pending.body.digest)
        return None

    # ---- pullbacks

    def _with_kept(self, worker: WorkerProcess, pending: Pending, value: Any) -> Any:
        """A result and the number of a pullback -> the result and the pullback."""
        result, number = value

        def pull(seeds: Any, keep: bool) -> Any:
            return self._pull(worker, number, seeds, keep, pending)

        return result, RemotePullback(pull, lambda: worker.dropped.append(number), pending.again, pending.label)

    def _pull(self, worker: WorkerProcess, number: int, seeds: Any, keep: bool, origin: Pending) -> Any:
        """Pulls on what a worker keeps; PullbackLost if the worker is, or forgot it."""
        packed = wire.pack((number, origin.op, seeds, keep))
        pending = Pending(PacketKind.PULL, packed, origin.label, origin.op, keep)
        again = origin.again
        if again is not None:
            pending.again = lambda: again().pull(seeds, True)[1]  # type: ignore[assignment,return-value]
        answered = None
        try:
            with self._calls.lock:
                if self.forgotten or worker.state is WorkerState.ENDED:
                    raise PullbackLost(f"worker {worker.pid} kept it, and ended")
                direct = worker.state is WorkerState.IDLE
                if direct:
                    self._calls.workers.lend(worker, pending)
                else:
                    pending.receiver = CallFuture(self, pending)
                    self._calls.workers.pin(worker, pending)
            if direct:
                answered = self._run_on(worker, pending)
        except BaseException:
            self._abandon(pending)
            raise
        if answered is not None:
            return delivered(answered)
        if pending.receiver is None:
            raise PullbackLost(f"worker {worker.pid} has no room for a request")
        return self._waited(pending.receiver)

    # ---- the end of a worker

    def _lost(self, worker: WorkerProcess) -> None:
        """A worker has ended: its calls fail, or are run again."""
        with self._calls.lock:
            if worker.state in (WorkerState.ENDED, WorkerState.DIRECT):  # its owner hears of its end, and gives it back
                return
            self._calls.workers.remove(worker)
        worker.bury(END_SECONDS)
        outcomes: dict[Pending, Outcome] = self._deferred(worker)
        calls, begun = [*worker.calls.items(), *((0, pending) for pending in worker.pinned)], worker.begun()
        for number, pending in calls:
            if pending.flow and number == begun and SPANS.on:
                worker.close_span(pending)
            read = worker.ended == "interrupted" and 0 < number < begun  # and its answer was lost
            error = self._judged(worker, pending, begun=number == begun or read)
            if error is not None:
                outcomes[pending] = None, error
        with self._calls.lock:
            if not worker.ready and worker.ended not in ("shutdown", "cancelled", "interrupted"):
                outcomes.update(self._calls.not_started(worker))
            again = [pending for _, pending in calls if pending not in outcomes and pending.receiver is not None]
            self._calls.queue.extendleft(reversed(again))
            self._calls.feed()
        self._calls.finished.extend(outcomes.items())
        worker.forget()
        self._complete()

    def _deferred(self, worker: WorkerProcess) -> dict[Pending, Outcome]:
        """The outcomes of calls that a worker which has ended did not send any more."""
        if worker.ended == "protocol":
            return {}
        answers = [self._decoded(worker, packet) for packet in worker.deferred()]
        try:
            ended = list(zip(worker.answered(answers), answers, strict=True))
        except ProtocolError:  # it wrote there what is none
            return {}
        return {p: answered for p, answer in ended if (answered := self._outcome(worker, p, answer)) is not None}

    def _judged(self, worker: WorkerProcess, pending: Pending, begun: bool) -> BaseException | None:
        """The error of a call of a worker that ended; None if it should be run again."""
        if self._ending:
            return CancelledError(f"{pending.label}: the pool was shut down")
        if begun or worker.ended == "protocol":
            return lost(pending, worker, self._options.retries)
        return PullbackLost(f"worker {worker.pid} kept it, and ended") if pending.pinned else None

    # ---- the thread

    def _loop(self) -> None:
        try:
            while not self._over():
                self._calls.workers.wait(self._soonest(self._look()))
                if self._starting:
                    time.sleep(TUNING.reply_batch_seconds)  # the caller will read the answers, unless that takes long
                if self._calls.workers.attendant is None:
                    self._receive(None, 0)
                while self._gone:
                    self._lost(self._gone.popleft())
                self._complete()
        except BaseException as error:
            self._broken(error)
            raise
        finally:
            if not self.forgotten:
                self._close()

    def read(self, batch: CallBatch) -> bool:
        """Reads answers in the thread of a caller; see `Batch.read`."""
        workers = self._calls.workers
        try:
            if self._closed or not workers.attend(batch):
                return False
            while not batch.news and not self._closed:
                self._receive(batch, None)
                if self._gone or self._calls.finished:
                    workers.notify()
        except BaseException:
            self._interrupted(batch)
            raise
        finally:
            workers.leave(batch)
            if not self._calls.open:
                workers.notify()
        return True

    def interrupt(self, batch: CallBatch) -> None:
        """Ends that, if it is for this batch."""
        self._calls.workers.interrupt(batch)

    def _receive(self, batch: CallBatch | None, timeout: float | None) -> None:
        """Reads the answers of all workers, for a caller who waits for a batch or for the thread; feeds the workers."""
        ready = self._calls.workers.readable(batch, self._soonest(timeout))
        if not ready:
            ready = [worker for worker in self._calls.workers if worker.defers]
        if ready and not sum([self._read(worker, batch) for worker in ready]):
            time.sleep(TUNING.reply_batch_seconds / 10)  # another thread reads them
        if self._calls.queue:
            with self._calls.lock:
                self._calls.feed()

    def _interrupted(self, batch: CallBatch) -> None:
        """Ctrl-C came while a caller read: nobody knows what became of the answers that it has taken."""
        with self._calls.lock:
            for worker in self._calls.workers.in_states(WorkerState.READ):
                reader, calls = worker.reader
                if reader is batch:
                    worker.kill("interrupted")
                    open_calls = set(worker.calls.values())
                    taken = [pending for pending in calls if pending not in open_calls]
                    self._calls.finished.extend((p, (None, lost(p, worker, 0))) for p in taken)
                    self._gone.append(worker)
        self._calls.workers.notify()

    def _read(self, worker: WorkerProcess, batch: CallBatch | None) -> bool:
        """Reads the answers that a worker has sent; whether it may."""
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
                elif self._is_answer(worker, packet):
                    answers += [self._decoded(worker, each) for each in worker.answers_in(packet)]
        except BlockingIOError:
            if not answers and worker.defers:
                answers += [self._decoded(worker, each) for each in worker.deferred()]
        except ProtocolError as error:
            worker.kill("protocol", detail=str(error))
        ended = ended or worker.ended == "protocol"
        try:
            with self._calls.lock:
                calls = self._calls.workers.stop_reading(worker, answers, ended)
                for pending, answer in zip(calls, answers, strict=True):
                    answered = self._outcome(worker, pending, answer)
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
            self._gone.append(worker)
        if batch is not None and own:
            batch.receive(own)
        return True

    def _soonest(self, timeout: float | None) -> float | None:
        """A timeout, or the time until deferred answers should be looked for, if that is less."""
        if timeout == 0 or not any(worker.defers for worker in self._calls.workers):
            return timeout
        patience = 2 * TUNING.reply_batch_seconds
        return patience if timeout is None else min(timeout, patience)

    def _complete(self) -> None:
        """Tells the receivers of what is finished."""
        receivers: dict[Receiver, list[tuple[Pending, Outcome]]] = {}
        while self._calls.finished:
            try:
                pending, answered = self._calls.finished.popleft()
            except IndexError:
                break
            if pending.receiver is not None:
                receivers.setdefault(pending.receiver, []).append((pending, answered))
        for receiver, ended in receivers.items():
            receiver.receive(ended)

    def _look(self) -> float | None:
        """Ends calls that exceed a limit; the seconds until it should be done again, None for ever."""
        wait: float | None = None
        check = TUNING.deadline_check_seconds
        if self._calls.pausing:
            wait = max(self._calls.not_before - time.monotonic(), 0.001)
        if self._calls.blocked:
            wait = check
        for worker in self._calls.workers:
            head = next(iter(list(worker.calls.values())), None)
            if head is None:
                if worker.state is WorkerState.DIRECT:  # its call is being sent
                    wait = check
                elif worker.pinned:
                    wait = check
                    with self._calls.lock:
                        if worker.state is WorkerState.SERVED:
                            self._calls.workers.send_pinned(worker)
                continue
            if self._calls.limited or not worker.ready or head.cancelled is not None:
                wait = min(wait or check, check if worker.ready else 10 * check)
                worker.hold(head, self._options)
        return wait

    def cancelled(self, calls: Sequence[Pending]) -> None:
        """Nobody wants some calls any more."""
        for pending in calls:
            pending.cancelled = time.monotonic()
        self._calls.workers.notify()

    # ---- the end

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        """Takes no more calls, and ends when those that are there are done."""
        with self._calls.lock:
            self._calls.open = False
            calls, idle = self._calls.recall() if cancel_futures else ([], [])
        for pending in calls:
            if pending.receiver is not None:
                pending.receiver.withdraw(pending)
        for worker in idle:
            worker.kill("shutdown")
        self._calls.workers.notify()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join()

    def release(self) -> None:
        """Nobody can give it calls any more; to be called from anywhere, under any lock."""
        self._calls.open = False
        self._calls.workers.notify()

    def end(self) -> None:
        """Ends everything, calls that run too."""
        self._calls.open, self._ending = False, True
        self._calls.workers.notify()
        self._thread.join(4 * END_SECONDS)

    def forget(self) -> None:
        """In a forked child: closes what is the parent's."""
        self.forgotten = True
        for worker in self._calls.workers:
            worker.forget()
        self._calls.workers.close()

    def pending(self) -> list[str]:
        """See `Executor.pending`; each worker tells the stacks of its threads."""
        with self._calls.lock:
            waiting = list(self._calls.queue)
        lines = [f"{pending.description}: waits for a worker" for pending in waiting]
        for worker in self._calls.workers:
            for number, pending in enumerate(list(worker.calls.values())):
                lines.append(f"{pending.description}: {'is next' if number else 'runs'} in worker process {worker.pid}")
            if worker.calls:
                lines += worker.stacks().splitlines()
        return lines

    def _over(self) -> bool:
        """Whether there is nothing more to do for the thread."""
        if self._calls.open:
            return False
        return self._ending or not (
            self._calls.queue
            or self._calls.workers.in_states(WorkerState.DIRECT)
            or any(worker.calls or worker.pinned for worker in self._calls.workers)
        )

    def _broken(self, error: BaseException) -> None:
        """The thread ended by a fault of its own: nobody may wait for it."""
        self._calls.open, self._ending = False, True
        fault = errors.InternalError(None, None, f"the thread that serves worker processes failed: {error!r}")
        for worker in self._calls.workers:
            self._calls.finished.extend((p, (None, fault)) for p in list(worker.calls.values()) if p.receiver is not None)
        self._complete()

    def _close(self) -> None:
        """Ends all workers; those that have nothing to do end by themselves."""
        with self._calls.lock:
            self._closed = True
            workers = list(self._calls.workers)
            waiting = list(self._calls.queue)
            self._calls.queue.clear()
        self._calls.finished.extend((p, (None, CancelledError(f"{p.label}: the pool was shut down"))) for p in waiting)
        for worker in workers:
            worker.kill("shutdown") if worker.calls else worker.dismiss()
        until = time.monotonic() + END_SECONDS
        for worker in workers:
            worker.bury(until - time.monotonic())
            self._lost(worker)
        self._complete()
        self._calls.workers.close()
