"""A worker process as the pool sees it.

    pool ── requests ──▶ worker      the pool holds the reading end too, and can take requests back
    pool ◀── answers ─── worker      ends when the worker does
    pool ──  lifeline ─▶ worker      a pipe without data: closing it kills the worker, whatever that is doing
         last words ──── worker      a file in memory: its standard error, and the stacks that faulthandler writes
           page   ────── worker      shared memory: the last call that it began, and the answers that it defers

A worker reads a request only when it is idle, so requests that it has not read can be taken back. Its state, see
`ownership`, says which thread of this side may read and write.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import time
from array import array
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.descriptors import Descriptor
from inlay._src.base.interpreter.threads import THREADS
from inlay._src.base.span_chunks import Chunk, host_activity
from inlay._src.base.spans import SPANS, now, this_process
from inlay._src.base.tuning import TUNING
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.answers_page import PAGE, AnswersPage
from inlay._src.host.executors.processes.options import DEPTH, PoolOptions
from inlay._src.host.executors.processes.ownership import Answer, Owned, ProtocolError
from inlay._src.host.executors.processes.pending import Pending
from inlay._src.host.executors.processes.remote_pullback import PullbackLost
from inlay._src.host.executors.processes.slots import ReceivedSlots, SentSlots
from inlay._src.host.executors.processes.wire import Packet, PacketKind

DUMP = signal.SIGRTMAX
"""The signal on which a worker writes the stacks of its threads into its last words."""
ENVIRONMENT = {
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", THREADS), "1"
    ),
    # Freed arrays stay with the process: pages that come back from the system are zeroed and faulted in again.
    "MALLOC_MMAP_THRESHOLD_": str(256 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
}
"""Defaults of a worker's environment: one thread per worker, because there are as many workers as cores."""
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from inlay._src.host.executors.processes.child import main; main(*map(int, sys.argv[2:]))"
)
_NO_WAIT = int(socket.MSG_DONTWAIT)
STOPPED_SECONDS = 1.0
"""Seconds for which a worker may be stopped by a signal before it is ready."""
GRACE_SECONDS = 2.0
"""Seconds for which a cancelled call may go on before its worker is killed."""
_WORDS = 4000  # characters of the last words in a message


class WorkerProcess(Owned):
    """A worker process.

    Args:
      setup: the content of the first request; see `child`.
      environment: variables beside those of this process.
      depth: its nesting depth.
      numbers: the numbers of requests of its pool.

    Attributes:
      pid: its process.
      digests: those of the functions that it was sent.
      dropped: the numbers of its pullbacks whose handles were deleted.
      read: the slots of its answers that were read.
      since: the start of the first of its calls, by `time.monotonic`.
      traced: the recording for which it records spans; 0 if it does not.
      ended: the reason for which this side ended it,
        "timeout", "memory", "cancelled", "interrupted", "shutdown", "stopped" or "protocol";
        "" if it did not.
      quiet: whether it has no deferred answers, and is in a call whose end it will send at once, as that lasts long.
      detail: the stacks of its threads at that time, or the fault of its answer; may be "".
      limit: the exceeded limit, or the excess.
    """

    since: float
    _lifeline: Descriptor | None
    _words: Descriptor | None

    def __init__(self, setup: Any, environment: Mapping[str, str], depth: int, numbers: Iterator[int]) -> None:
        super().__init__()
        with contextlib.ExitStack() as passed, contextlib.ExitStack() as failed:

            def owned(number: int, until: contextlib.ExitStack) -> Descriptor:
                return until.enter_context(contextlib.closing(Descriptor(number)))

            def memory(name: str, until: contextlib.ExitStack) -> Descriptor:
                return owned(os.memfd_create(f"inlay-{name}", os.MFD_CLOEXEC), until)

            self._unread, self._requests = map(failed.enter_context, _sockets())
            self._answers, answering = _sockets()
            failed.enter_context(self._answers)
            passed.enter_context(answering)
            reading, writing = os.pipe2(os.O_CLOEXEC)
            lifeline, self._lifeline = owned(reading, passed), owned(writing, failed)
            self._words = memory("words", failed)
            said, page = memory("said", passed), memory("page", passed)
            os.ftruncate(page.number, PAGE)
            shared = AnswersPage(mmap.mmap(page.number, PAGE))
            self._page = failed.enter_context(contextlib.closing(shared))
            descriptors = (self._unread.fileno(), answering.fileno(), lifeline.number, page.number)
            self._process = subprocess.Popen(
                [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", _START, json.dumps(sys.path)]  # type: ignore[attr-defined]
                + [str(fd) for fd in descriptors],
                stdin=subprocess.DEVNULL,
                stdout=said.number,
                stderr=self._words.number,
                pass_fds=descriptors,
                env={**os.environ, **ENVIRONMENT, **environment, DEPTH: str(depth)},
            )
            failed.pop_all()
        self.pid: int = self._process.pid
        self._set_up(setup, numbers)

    def _set_up(self, setup: Any, numbers: Iterator[int]) -> None:
        """Sends the first request."""
        self.digests: set[str] = set()
        self.dropped: deque[int] = deque()
        self.read: deque[int] = deque()
        self._slots, self._answer_slots = SentSlots(), ReceivedSlots()
        self._slot_of: dict[int, int] = {}
        self._batched = self._read_to = self._seen = 0
        self._seen_at, self.quiet = 0.0, False
        self.since = time.monotonic()
        self.traced = 0
        self.detail = ""
        self.limit: float = 0
        self._stopped: float | None = None
        self._buffer = bytearray(wire.PACKET)
        self.fileno = self._answers.fileno()
        self._numbers = numbers
        self._setup = self._last = next(numbers)
        self._send((PacketKind.SETUP, self._setup, wire.pack(setup)))

    # ---- packets

    def _send(self, *requests: tuple[PacketKind, int, wire.PackedValue]) -> None:
        """Sends requests in one packet; BlockingIOError if it has too many already."""
        if len(requests) == 1:
            answers = requests[0][0] in (PacketKind.CALL, PacketKind.PULL)  # only an answer gives a slot back
            packet = wire.outgoing(*requests[0], slots=self._slots if answers else None)
        else:
            packet = wire.outgoing_batch(requests)
        if packet.slot is not None:
            self._slot_of[requests[0][1]] = packet.slot.number
        try:
            packet.send(self._requests, _NO_WAIT)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was dismissed: the reader of its answers sees the end of the socket
        except BlockingIOError:
            self._slot_back(requests[0][1])
            raise
        finally:
            packet.drop()

    def _slot_back(self, number: int, retained: bool = False) -> None:
        """The worker is done with the slot of a request, if that has one."""
        slot = self._slot_of.pop(number, None)
        if slot is not None:
            self._slots.back(slot, retained)

    def answered(self, answers: Sequence[Answer]) -> list[Pending]:
        """See `Owned.answered`; the slots of the requests are free again."""
        calls = super().answered(answers)
        for answer in answers:
            self._slot_back(answer.number, answer.retained)
        return calls

    def give(self, *calls: Pending) -> None:
        for kind, numbers in ((PacketKind.DROP, self.dropped), (PacketKind.RELEASE, self.read)):
            if numbers:
                sent = [numbers.popleft() for _ in range(len(numbers))]
                try:
                    self._send((kind, next(self._numbers), wire.pack(sent)))
                except BaseException:
                    numbers.extend(sent)
                    raise
        if self.traced != (SPANS.epoch if SPANS.on else 0):
            self._send((PacketKind.TRACE, next(self._numbers), wire.pack(SPANS.on)))
            self.traced = SPANS.epoch if SPANS.on else 0
        for pending in calls:
            body = pending.body
            if body is not None and body.digest not in self.digests:
                self._send((PacketKind.BODY, next(self._numbers), wire.pack(tuple(body))))
                self.digests.add(body.digest)
        if not self.calls:
            self.since = time.monotonic()
        requests = [(pending.kind, next(self._numbers), pending.packed) for pending in calls]
        self._last = requests[-1][1]
        self.quiet = False
        if len(requests) > 1:
            self._batched = self._last
        for (_, number, _), pending in zip(requests, calls, strict=True):
            self.calls[number] = pending
        try:
            self._send(*requests)
        except (BlockingIOError, errors.ResourceExhaustedError):
            for _, number, _ in requests:
                del self.calls[number]
            raise
        except BaseException:  # Ctrl-C: it may have been sent, or not
            self.kill("interrupted")
            raise

    def receive(self, wait: bool = True) -> Packet | None:
        """The next packet from the worker, None if it has ended; BlockingIOError if there is none and none to wait for.

        The packet is good until the next one is received.

        Raises:
          ProtocolError: if it belongs to no request that this worker was sent.
        """
        try:
            packet = wire.receive(self._answers, self._buffer, 0 if wait else _NO_WAIT, self._answer_slots)
        except ConnectionResetError:
            return None
        except KeyError as error:
            raise ProtocolError(f"it answered in slot {error}, which it never sent") from None
        self.quiet = False
        if packet is not None and not self._setup <= packet.number <= self._last:
            if packet.segment >= 0:
                os.close(packet.segment)
            raise ProtocolError(f"it answered request {packet.number}, which was not its own")
        return packet

    def take_back(self) -> list[int]:
        numbers, buffer = list[int](), bytearray(wire.PACKET)
        while True:
            try:
                packet = wire.receive(self._unread, buffer, _NO_WAIT)
            except (BlockingIOError, ConnectionResetError):
                return numbers
            if packet is None:
                return numbers
            if packet.segment >= 0:
                os.close(packet.segment)
            if packet.slot:
                if packet.segment >= 0:  # the worker has not seen the slot
                    self._slots.lent[packet.slot].introduced = False
                self._slot_back(packet.number)
            if packet.kind == PacketKind.DROP:
                self.dropped.extend(wire.loads(packet.stream))
            elif packet.kind == PacketKind.RELEASE:
                self.read.extend(wire.loads(packet.stream))
            elif packet.kind == PacketKind.BODY:
                self.digests.clear()
            elif packet.kind == PacketKind.TRACE:
                self.traced = -1
            elif packet.kind in (PacketKind.CALL, PacketKind.PULL, PacketKind.BATCH):
                numbers += [request.number for request in wire.packets_of(packet)]

    def begun(self) -> int:
        """The number of the last call that it began."""
        return self._page.last_begun()

    # ---- deferred answers

    def answers_in(self, packet: Packet) -> Sequence[Packet]:
        """The answers in a packet, without those that `deferred` has read."""
        packets = wire.packets_of(packet)
        return packets if packets[0].number > self._read_to else [p for p in packets if p.number > self._read_to]

    def deferred(self) -> list[Packet]:
        """The answers that it has not sent."""
        open_calls, begun, now = list(self.calls), self.begun(), time.monotonic()
        answers = self._page.deferred(max(self._read_to, open_calls[0] - 1)) if open_calls else []
        if answers and answers[0].number == open_calls[0]:
            self._read_to = answers[-1].number
        else:  # those before it were just sent
            answers = []
        if begun != self._seen:
            self._seen, self._seen_at = begun, now
        lasts = now - self._seen_at >= TUNING.reply_batch_seconds
        self.quiet = lasts and not answers and begun in open_calls
        return answers

    @property
    def defers(self) -> bool:
        """Whether it may have an answer that it does not send soon, as calls of one message are open."""
        return not self.quiet and next(iter(list(self.calls)), self._batched) < self._batched

    def close_span(self, pending: Pending) -> None:
        """Adds the span of a call within which the process ended: it never sends that itself."""
        process = this_process()._replace(pid=self.pid, name="worker")
        details = {0: {"flow": pending.flow, "lost": self.ended or "the worker died"}}
        subject, times = host_activity(pending.op, pending.label), array("q", (int(self.since * 1e9), now()))
        SPANS.receive([Chunk((self.pid, "MainThread"), [subject], times, details)], process)

    # ---- the process

    def resident(self) -> int:
        """Bytes of memory that the process has now, without its slots; 0 if it has ended."""
        try:
            with open(f"/proc/{self.pid}/statm", "rb") as file:
                size = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
                return max(size - self._slots.used - self._answer_slots.used, 0)
        except (OSError, IndexError):
            return 0

    def stopped_for(self) -> float:
        """Seconds for which the process is stopped by a signal, as far as was checked; 0 if it is not."""
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                stopped = file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
        except (OSError, IndexError):
            stopped = False
        if not stopped:
            self._stopped = None
            return 0.0
        now = time.monotonic()
        self._stopped = self._stopped or now
        return now - self._stopped

    def stacks(self) -> str:
        """The stacks of the threads of the process, for which it waits a moment."""
        words = self._words  # stays open for as long as this refers to it
        if words is None:
            return ""
        before = os.fstat(words.number).st_size
        try:
            self._process.send_signal(DUMP)
        except ProcessLookupError:
            return ""
        size, until = before, time.monotonic() + 0.5
        while time.monotonic() < until:
            time.sleep(0.01)
            size, last = os.fstat(words.number).st_size, size
            if size == last > before:
                break
        return os.pread(words.number, max(size - before, 0), before).decode(errors="replace").strip()

    def hold(self, head: Pending, options: PoolOptions) -> None:
        """Kills the process if its first call `head` exceeds a limit of the pool."""
        now = time.monotonic()
        if not self.ready:
            if self.stopped_for() > STOPPED_SECONDS:
                self.kill("stopped", STOPPED_SECONDS)
            elif now - self.since > options.start_timeout:
                self.stacks()  # they are its last words
                self.kill("timeout", options.start_timeout)
            return
        if options.timeout is not None and now - self.since > options.timeout:
            stacks = self.stacks()
            if head in self.calls.values():
                self.kill("timeout", options.timeout, detail=stacks)
        elif options.memory_limit is not None and (resident := self.resident()) > options.memory_limit:
            self.kill("memory", resident)
        elif head.cancelled is not None and now - max(head.cancelled, self.since) > GRACE_SECONDS:
            self.kill("cancelled")

    def kill(self, why: str, limit: float = 0, detail: str = "") -> None:
        """Ends the process now; a reader of its answers sees the end of the socket."""
        if not self.ended:
            self.limit, self.detail, self.ended = limit, detail, why
        self._process.kill()
        try:
            self._answers.shutdown(socket.SHUT_RDWR)  # should a child of its own hold the other end
        except OSError:
            pass

    def dismiss(self) -> None:
        """Asks the process to end when it has nothing more to do."""
        try:
            self._requests.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def bury(self, seconds: float) -> int:
        """Waits for the end of the process, which is killed if that takes longer; frees what it held here."""
        try:
            status = self._process.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            self.kill("shutdown")
            status = self._process.wait()
        return status

    def forget(self) -> None:
        """Closes this side; in a forked child the process is another's."""
        if self._process.returncode is None:
            self._process.returncode = 0  # not a child of this process: nobody waits for it
        self._close()

    def _close(self) -> None:
        for end in (self._requests, self._unread, self._answers):
            end.close()
        self._page.close()
        self._slots.close()
        self._answer_slots = ReceivedSlots()
        self._lifeline = self._words = None

    # ---- its end

    def last_words(self) -> str:
        """The end of what it wrote to its standard error, or faulthandler did; "" once this side is closed."""
        words = self._words
        if words is None:
            return ""
        size = os.fstat(words.number).st_size
        length = min(size, 4 * _WORDS)
        text = os.pread(words.number, length, size - length).decode(errors="replace").strip()
        return text if len(text) <= _WORDS else "..." + text[-_WORDS:]

    @property
    def ended_itself(self) -> bool:
        """Whether it ended by itself, not by a signal; to be asked once it is buried."""
        return not self.ended and (self._process.returncode or 0) >= 0

    def epitaph(self) -> str:
        """The manner of its end, the probable cause, and its last words; valid once it is buried."""
        status = self._process.returncode
        if status is not None and status < 0:
            try:
                name = signal.Signals(-status).name
            except ValueError:
                name = f"signal {-status}"
            how = f"was killed by {name}"
        else:
            how, name = f"ended with exit status {status}", "exit"
        words = self.last_words()
        cause = _CAUSES.get(name, "")
        if self.ended == "interrupted":
            how, cause = "was killed, as an exception interrupted a request to it", ""
        elif self.ended == "stopped":
            how, cause = f"was stopped by a signal for {self.limit:g} s before it was ready, and was killed", ""
        elif self.ended == "timeout":
            how, cause = f"was not ready after {self.limit:g} s (start_timeout), and was killed", ""
        return f"{how}{'. ' + cause if cause else ''}" + (f"\n  Its last words:\n{_indented(words)}" if words else "")

    def error(self, pending: Pending) -> errors.OpError:
        """The error of a call that it had begun."""
        end = ""
        if pending.runs > 1:
            end = f"\n  It was run {pending.runs} times, and its worker was lost each time"
        elif not pending.repeatable:
            end = (
                "\n  It is stateful, so it is not run again: what it did may be done. If a second run does no harm say "
                "stateful=False"
            )
        place = f"the worker process {self.pid} that ran {pending.label}"
        if self.ended == "protocol":
            text = f"the worker process {self.pid} that received the call of {pending.label} was killed: {self.detail}"
            return errors.InternalError(None, None, text + end)
        if self.ended == "timeout":
            stack = f"\n  What it was doing:\n{_indented(self.detail)}" if self.detail else ""
            text = f"{pending.label} took longer than {self.limit:g} s in worker process {self.pid}, which was killed"
            return errors.DeadlineExceededError(None, None, f"{text}{stack}{end} (inlay explain deadline)")
        if self.ended == "memory":
            text = f"{place} had {self.limit:,} bytes of memory resident, more than its limit, and was killed"
            return errors.ResourceExhaustedError(None, None, text + end)
        return errors.UnavailableError(None, None, f"{place} {self.epitaph()}{end} (inlay explain lost-worker)")


_CAUSES = {
    "SIGKILL": "Probable causes: the system ran out of memory, or somebody killed it",
    "SIGSEGV": "Probable cause: a fault in native code that the function calls",
    "SIGBUS": "Probable causes: a mapped file that became shorter, or no room for shared memory",
    "SIGABRT": "Probable cause: native code gave up",
    "SIGFPE": "Probable cause: a division by zero in native code",
    "SIGILL": "Probable cause: native code made for another processor",
    "SIGTERM": "Somebody asked it to end",
    "exit": "Probable cause: the function called os._exit, or native code called exit",
}


def _sockets() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def lost(pending: Pending, worker: WorkerProcess, retries: int) -> BaseException | None:
    """The error of a call that was begun by a worker which ended; None if it should be run again."""
    pending.runs += 1
    if worker.ended == "protocol":
        return worker.error(pending)
    if pending.cancelled is not None or worker.ended in ("shutdown", "cancelled"):
        return CancelledError(f"{pending.label} was cancelled: {worker.ended or 'nobody waits for it'}")
    if pending.kind == PacketKind.PULL:
        return PullbackLost(f"worker {worker.pid}, which kept it, {worker.epitaph()}")
    if pending.repeatable and pending.runs <= retries:
        return None
    return worker.error(pending)
