"""Runs calls: the thread of a waiting caller reads the answers itself; a thread of the dispatcher reads all others.

    run         the caller owns a worker, and reads the answer of its call
    start_many  the caller attends all workers while it waits for its batch; see `answer_reader`
    start       the thread

The owner or reader of a worker reads its packets: see `ownership`.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from typing import Any, ClassVar

from inlay._src.base import errors
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.spans import SPANS
from inlay._src.base.tuning import TUNING
from inlay._src.core.executor import Call
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.answer_reader import AnswerReader
from inlay._src.host.executors.processes.options import PoolOptions
from inlay._src.host.executors.processes.ownership import ProtocolError, WorkerState
from inlay._src.host.executors.processes.pending import CallBatch, CallFuture, Outcome, Pending, Receiver, delivered
from inlay._src.host.executors.processes.remote_pullback import PullbackLost, RemotePullback
from inlay._src.host.executors.processes.scheduling import MESSAGES, CallScheduler
from inlay._src.host.executors.processes.wire import PacketKind
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
      reader: the class of the reader of answers.
      forgotten: whether this is the copy of a forked child.
    """

    reader: ClassVar[type[AnswerReader]] = AnswerReader

    def __init__(self, options: PoolOptions, depth: int, name: str) -> None:
        self._options = options
        self._calls = CallScheduler(options, depth, name)
        self._reader = self.reader(self._calls, self._with_kept)
        self._ending = self.forgotten = False
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
        workers = self._calls.workers
        try:
            workers.attend(batch)  # so that the thread is not woken for the first answers
            for position, call in enumerate(calls):
                try:
                    pending = self._pending(call, before_pickling=functools.partial(workers.leave, batch))
                except Exception as error:
                    batch.add_failed(position, error)
                else:
                    batch.add(position, pending)
                    packed.append(pending)
                if len(packed) == ahead:  # workers run these, while more are packed
                    self._queue(packed, more=True)
                    packed, ahead = [], 8 * ahead
            self._queue(packed)
        except BaseException:
            batch.cancel()
            raise
        finally:
            workers.leave(batch)
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

    def _pending(self, call: Call, before_pickling: Callable[[], None] | None = None) -> Pending:
        """A call packed.

        Args:
          call: the call.
          before_pickling: called before anything of the user's may run, which may wait for other calls.
        """
        body = bodies.cached_body(call.function)
        if body is None:
            if before_pickling is not None:
                before_pickling()
            body = bodies.body_of(call.function)
        value = body.digest, call.op, call.keep, call.args, call.kwargs, call.flow
        try:
            packed = wire.packed_plain(value)
            if packed is None:
                if before_pickling is not None:
                    before_pickling()
                packed = wire.pickled(value)
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
            with PutOff(), self._calls.lock:
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
                if not self._reader.is_answer(worker, packet) or not (answers := worker.answers_in(packet)):
                    continue
                worker.answered(answers)
                answered = self._reader.outcome(worker, pending, self._reader.decoded(worker, answers[0]))
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
        with PutOff(), self._calls.lock:
            self._calls.workers.give_back(worker, pending)
            if self._calls.queue:
                self._calls.feed()
            over = self._reader.closed and worker.state is WorkerState.SERVED
        if over:  # the thread has ended: nobody else would hear of the worker's end
            self._lost(worker)
        if self._calls.finished:
            self._complete()
        if not self._calls.open:
            self._calls.workers.notify()

    def _abandon(self, pending: Pending) -> None:
        """The thread of a call was interrupted: the worker that it owned, if it still does, is killed."""
        with PutOff():
            with self._calls.lock:
                worker = self._calls.workers.owned_by(pending)
                if worker is not None:
                    worker.kill("cancelled")
            if worker is not None:
                self._give_back(worker, pending)

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
            with PutOff(), self._calls.lock:
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
        outcomes: dict[Pending, Outcome] = self._reader.deferred(worker)
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
                self._calls.workers.wait(self._reader.soonest(self._look()))
                if self._calls.workers.attendant is None:
                    self._reader.receive(None, 0)
                while self._reader.gone:
                    self._lost(self._reader.gone.popleft())
                self._complete()
        except BaseException as error:
            self._broken(error)
            raise
        finally:
            if not self.forgotten:
                self._close()

    def read(self, batch: CallBatch) -> bool:
        """Reads answers in the thread of a caller; see `Batch.read`."""
        return self._reader.attend(batch)

    def interrupt(self, batch: CallBatch) -> None:
        """Ends that, if it is for this batch."""
        self._calls.workers.interrupt(batch)

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
        with PutOff(), self._calls.lock:
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
            self._calls.finished.extend(
                (p, (None, fault)) for p in list(worker.calls.values()) if p.receiver is not None
            )
        self._complete()

    def _close(self) -> None:
        """Ends all workers; those that have nothing to do end by themselves."""
        with self._calls.lock:
            self._reader.closed = True
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
