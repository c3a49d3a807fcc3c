"""Runs calls: those that a caller waits for in person, and with a thread of its own all others.

Packets of a worker are read by whoever owns it; see `assigning`.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from concurrent.futures import CancelledError, Future
from typing import Any

from inlay import bodies, errors
from inlay.executors import outcome
from inlay.executors.executor import Call
from inlay.executors.processes import output, wire
from inlay.executors.processes.assigning import Assigning, Finished
from inlay.executors.processes.kept import Gone, KeptThere
from inlay.executors.processes.options import Options
from inlay.executors.processes.pending import CallFuture, Pending
from inlay.executors.processes.wire import Kind, Packet
from inlay.executors.processes.worker import Worker, lost

NAP_SECONDS = 0.0005
"""While the workers have enough to do, answers are read in batches."""
LOOK_SECONDS = 0.02
"""How often running calls are held against their limits."""
START_SECONDS = 120.0
GRACE_SECONDS = 2.0
"""How long a call that was cancelled may go on before its worker is killed."""
END_SECONDS = 2.0
"""How long workers may take to end."""


class Dispatcher:
    """The inside of a pool.

    Args:
      options: what was asked for.
      depth: how many workers stand above its own, themselves counted.
      name: what messages call the pool.

    Attributes:
      forgotten: whether this is the copy of a forked child.
    """

    forgotten: bool

    def __init__(self, options: Options, depth: int, name: str) -> None:
        self._options = options
        self._calls = Assigning(options, depth, name)
        self._numbers = itertools.count(1)
        self._ending = self.forgotten = False
        self._thread = threading.Thread(target=self._loop, name="inlay-processes", daemon=True)
        self._thread.start()

    # ---- calls

    def start(self, call: Call) -> Future[Any]:
        """Queues a call."""
        return self._submit(self._pending(call))

    def run(self, call: Call) -> Any:
        """Runs a call; the caller's thread reads the answer itself if there is a worker for it."""
        pending = self._pending(call)
        while (worker := self._calls.taken()) is not None:
            found = self._run_on(worker, pending)
            if found is not None:
                return _given(found)
        self._submit(pending)
        return self._waited(pending)

    def _pending(self, call: Call) -> Pending:
        body = bodies.body_of(call.function)
        arguments = call.args if call.args.__class__ is tuple else tuple(call.args), call.kwargs
        try:
            packed = wire.pack((body.digest, call.op, call.keep, arguments))
        except Exception as error:
            raise outcome.unsent(call, error) from error
        pending = Pending(Kind.CALL, next(self._numbers), packed, call.label or body.label, call.op, call.keep)
        pending.body, pending.repeatable = body, call.repeatable
        if call.keep and call.repeatable:
            pending.again = lambda: self.run(call)[1]  # type: ignore[no-any-return]
        return pending

    def _submit(self, pending: Pending) -> Future[Any]:
        future = pending.future = CallFuture(self, pending)
        try:
            with self._calls.lock:
                self._calls.check_open()
                if pending.runs:  # it was lost: it is not its turn again, but still
                    self._calls.queue.appendleft(pending)
                else:
                    self._calls.queue.append(pending)
                if len(self._calls.queue) == 1:
                    self._calls.feed()
            if self._calls.finished:
                self._complete()
        except BaseException:
            future.cancel()  # Ctrl-C may come here, and the caller will not have the future
            raise
        return future

    def _waited(self, pending: Pending) -> Any:
        assert pending.future is not None
        try:
            return pending.future.result()
        except BaseException:
            pending.future.cancel()
            raise

    # ---- a caller who waits in person

    def _run_on(self, worker: Worker, pending: Pending) -> Finished | None:
        """Runs a call on a worker that the caller owns: what it gave; None if it was lost and is to be run again."""
        try:
            try:
                worker.give(pending)
            except errors.ResourceExhaustedError as error:
                self._released(worker)
                return None, error
            while (packet := worker.receive()) is not None:
                if self._is_answer(worker, packet):
                    found = self._opened(worker, pending, packet)
                    if found is not None:
                        self._released(worker)
                        return found
                    worker.give(pending)  # it had to be sent the function again
        except BaseException:
            worker.kill("cancelled")
            self._lost(worker)
            raise
        return self._lost(worker).get(pending.number)

    def _released(self, worker: Worker) -> None:
        """A caller needs its worker no longer."""
        limit = self._options.memory_limit
        if limit is not None and worker.resident() > limit:
            worker.kill("memory")
            self._lost(worker)
            return
        with self._calls.lock:
            self._calls.direct.discard(worker)
            self._calls.settle(worker)
            if self._calls.queue:
                self._calls.feed()
        if self._calls.finished:
            self._complete()
        if not self._calls.open:
            self._calls.notify()

    # ---- packets

    def _is_answer(self, worker: Worker, packet: Packet) -> bool:
        """Whether a packet is the answer to a call; anything else is dealt with."""
        if packet.kind in (Kind.PRINTED, Kind.LOGGED):
            output.told(packet)
            return False
        if packet.kind == Kind.READY:
            worker.ready, worker.since = True, time.monotonic()
            self._calls.failed = 0
            return False
        return True

    def _opened(self, worker: Worker, pending: Pending, packet: Packet) -> Finished | None:
        """What an answer gives; None if the call has to be given once more, with its function."""
        worker.calls.pop(pending.number, None)
        worker.since = time.monotonic()
        self._calls.mean += 0.2 * (min(packet.seconds, 1.0) - self._calls.mean)
        try:
            if packet.kind == Kind.RESULT:
                value = wire.unpack(packet, mapped=False)
                return (self._with_kept(worker, pending, value) if pending.keeps else value), None
            if packet.kind == Kind.FAILURE:
                return outcome.opened(wire.unpack(packet, mapped=True)), None
        except BaseException as error:
            return None, error
        if pending.body is None:
            return None, Gone(f"worker {worker.pid} forgot it, as it keeps a bounded number of them")
        worker.known.discard(pending.body.digest)
        return None

    # ---- pullbacks

    def _with_kept(self, worker: Worker, pending: Pending, value: Any) -> Any:
        """A result and the number of a pullback -> the result and the pullback."""
        found, number = value

        def pull(seeds: Any, keep: bool) -> Any:
            return self._pull(worker, number, seeds, keep, pending)

        return found, KeptThere(pull, lambda: worker.dropped.append(number), pending.again, pending.label)

    def _pull(self, worker: Worker, number: int, seeds: Any, keep: bool, origin: Pending) -> Any:
        """Pulls on what a worker keeps; Gone if the worker is, or forgot it."""
        packed = wire.pack((number, origin.op, seeds, keep))
        pending = Pending(Kind.PULL, next(self._numbers), packed, origin.label, origin.op, keep)
        again = origin.again
        if again is not None:
            pending.again = lambda: again().pull(seeds, True)[1]  # type: ignore[assignment,return-value]
        with self._calls.lock:
            if self.forgotten or self._calls.workers.get(worker.fileno) is not worker:
                raise Gone(f"worker {worker.pid} kept it, and ended")
            free = worker in self._calls.idle
            if free:
                self._calls.idle.remove(worker)
                self._calls.own(worker)
            else:
                pending.future = CallFuture(self, pending)
                worker.pinned.append(pending)
        if not free:
            return self._waited(pending)
        found = self._run_on(worker, pending)
        return _given(found if found is not None else (None, Gone(f"worker {worker.pid} kept it, and ended")))

    # ---- the end of a worker

    def _lost(self, worker: Worker) -> dict[int, Finished]:
        """A worker has ended: what that means for its calls; those of which nothing is said are to be run again."""
        with self._calls.lock:
            known = self._calls.leave(worker)
        if not known:
            return {}
        worker.bury(END_SECONDS)
        judged: dict[int, Finished] = {}
        waiting: list[Pending] = []
        for pending in (*worker.calls.values(), *worker.pinned):
            error = self._judged(worker, pending)
            if error is not None:
                judged[pending.number] = None, error
            elif pending.future is not None:
                waiting.append(pending)
        with self._calls.lock:
            error = None if worker.ready or worker.ended else self._calls.not_started(worker)
            if error is None:
                self._calls.queue.extendleft(reversed(waiting))
            else:
                judged.update({pending.number: (None, error) for pending in worker.calls.values()})
                self._calls.finished.extend((pending, (None, error)) for pending in self._calls.queue)
                self._calls.queue.clear()
            self._calls.feed()
        for pending in (*worker.calls.values(), *worker.pinned):
            if pending.future is not None and pending.number in judged:
                self._calls.finished.append((pending, judged[pending.number]))
        worker.forget()
        self._complete()
        return judged

    def _judged(self, worker: Worker, pending: Pending) -> BaseException | None:
        if self._ending:
            return CancelledError(f"{pending.label}: the pool was shut down")
        if worker.has_begun(pending):
            return lost(pending, worker, self._options.retries)
        return Gone(f"worker {worker.pid} kept it, and ended") if pending.kind == Kind.PULL else None

    # ---- the thread

    def _loop(self) -> None:
        try:
            while not self._over():
                timeout = self._look()
                answered = 0
                for number, _ in self._calls.epoll.poll(timeout):
                    if number == self._calls.wake:
                        os.eventfd_read(self._calls.wake)
                    elif (worker := self._calls.workers.get(number)) is not None and worker.armed:
                        answered += self._read(worker)
                with self._calls.lock:
                    self._calls.feed()
                self._complete()
                if answered:
                    self._nap()
        except BaseException as error:
            self._broken(error)
            raise
        finally:
            if not self.forgotten:
                self._close()

    def _read(self, worker: Worker) -> int:
        """Reads the answers that a worker has sent; how many."""
        count = 0
        while True:
            try:
                packet = worker.receive(wait=False)
            except BlockingIOError:
                break
            if packet is None:
                self._lost(worker)
                return count
            if not self._is_answer(worker, packet):
                continue
            count += 1
            pending = worker.calls.get(packet.number)
            if pending is None:
                continue
            found = self._opened(worker, pending, packet)
            if found is not None:
                self._calls.finished.append((pending, found))
            else:
                with self._calls.lock:
                    self._calls.queue.appendleft(pending)
        if count:
            with self._calls.lock:
                self._calls.settle(worker)
        return count

    def _nap(self) -> None:
        """Lets answers gather while no worker can run out of work: then each costs less."""
        served = [len(w.calls) for w in list(self._calls.workers.values()) if w.armed and w.calls]
        if served and min(served) >= 4:
            nap = min(NAP_SECONDS, self._calls.mean * min(served) / 2)
            if nap > NAP_SECONDS / 4:
                time.sleep(nap)

    def _complete(self) -> None:
        """Tells the futures of what is finished."""
        while self._calls.finished:
            try:
                pending, (value, error) = self._calls.finished.popleft()
            except IndexError:
                return
            future = pending.future
            if future is None or not future.set_running_or_notify_cancel():
                continue
            if error is None:
                future.set_result(value)
            else:
                future.set_exception(error)

    def _look(self) -> float | None:
        """Ends calls that exceed a limit; the seconds until it should be done again, None for ever."""
        wait: float | None = None
        if self._calls.pausing:
            wait = max(self._calls.not_before - time.monotonic(), 0.001)
        for worker in list(self._calls.workers.values()):
            head = next(iter(list(worker.calls.values())), None)
            if head is None:
                if worker in self._calls.direct:  # it is given its call now
                    wait = LOOK_SECONDS
                continue
            if self._calls.limited or not worker.ready or head.cancelled is not None:
                wait = min(wait or LOOK_SECONDS, LOOK_SECONDS if worker.ready else 10 * LOOK_SECONDS)
                self._hold(worker, head)
        return wait

    def _hold(self, worker: Worker, head: Pending) -> None:
        """Kills a worker whose call exceeds a limit."""
        now, options = time.monotonic(), self._options
        if not worker.ready:
            if now - worker.since > START_SECONDS:
                worker.kill("timeout", START_SECONDS)
            return
        if options.timeout is not None and now - worker.since > options.timeout:
            worker.told = worker.stacks()
            if head.number in worker.calls:
                worker.kill("timeout", options.timeout)
        elif options.memory_limit is not None and (resident := worker.resident()) > options.memory_limit:
            worker.kill("memory", resident)
        elif head.cancelled is not None and now - max(head.cancelled, worker.since) > GRACE_SECONDS:
            worker.kill("cancelled")

    def cancelled(self, pending: Pending) -> None:
        """Nobody wants a call any more."""
        pending.cancelled = time.monotonic()
        self._calls.notify()

    # ---- the end

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        """Takes no more calls, and ends when those that are there are done."""
        with self._calls.lock:
            self._calls.open = False
            if cancel_futures:
                while self._calls.take_back():
                    pass
            unready = [w for w in self._calls.workers.values() if not w.ready and w not in self._calls.direct]
            waiting = [*self._calls.queue, *(pending for worker in unready for pending in worker.calls.values())]
            futures = [p.future for p in waiting if p.future is not None]
        if cancel_futures:
            for future in futures:
                future.cancel()
            for worker in unready:
                worker.kill("shutdown")
        self._calls.notify()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join()

    def release(self) -> None:
        """Nobody can give it calls any more; to be called from anywhere, under any lock."""
        self._calls.open = False
        self._calls.notify()

    def end(self) -> None:
        """Ends everything, calls that run too."""
        self._calls.open, self._ending = False, True
        self._calls.notify()
        self._thread.join(4 * END_SECONDS)

    def forget(self) -> None:
        """In a forked child: closes what is the parent's."""
        self.forgotten = True
        if self._calls.epoll.closed:  # it was shut down before
            return
        for worker in self._calls.workers.values():
            worker.forget()
        self._calls.epoll.close()
        os.close(self._calls.wake)

    def pending(self) -> list[str]:
        """See `Executor.pending`; each worker tells the stacks of its threads."""
        with self._calls.lock:
            waiting = list(self._calls.queue)
            workers = list(self._calls.workers.values())
        lines = [f"{pending.told}: waits for a worker" for pending in waiting]
        for worker in workers:
            for number, pending in enumerate(list(worker.calls.values())):
                lines.append(f"{pending.told}: {'is next' if number else 'runs'} in worker process {worker.pid}")
            if worker.calls:
                lines += worker.stacks().splitlines()
        return lines

    def _over(self) -> bool:
        """Whether there is nothing more to do for the thread."""
        if self._calls.open:
            return False
        return self._ending or not (
            self._calls.queue or self._calls.direct or any(w.calls for w in self._calls.workers.values())
        )

    def _broken(self, error: BaseException) -> None:
        """The thread ended by a fault of its own: nobody may wait for it."""
        self._calls.open, self._ending = False, True
        found = errors.InternalError(None, None, f"the thread that serves worker processes failed: {error!r}")
        for worker in list(self._calls.workers.values()):
            self._calls.finished.extend((p, (None, found)) for p in worker.calls.values() if p.future is not None)
        self._complete()

    def _close(self) -> None:
        """Ends all workers; those that have nothing to do end by themselves."""
        with self._calls.lock:
            workers = list(self._calls.workers.values())
            waiting = list(self._calls.queue)
            self._calls.queue.clear()
        self._calls.finished.extend((p, (None, CancelledError(f"{p.label}: the pool was shut down"))) for p in waiting)
        for worker in workers:
            worker.kill("shutdown") if worker.calls else worker.dismiss()
        until = time.monotonic() + END_SECONDS
        for worker in workers:
            worker.bury(until - time.monotonic())
            if worker not in self._calls.direct:  # who waits for its answer hears of its end
                self._lost(worker)
        self._complete()
        self._calls.epoll.close()
        os.close(self._calls.wake)


def _given(found: Finished) -> Any:
    """What a call gave: its value, or its error raised."""
    value, error = found
    if error is None:
        return value
    try:
        raise error
    finally:
        del error, found  # the traceback refers to this frame
