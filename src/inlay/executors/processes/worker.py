"""A worker process as the pool sees it.

    pool ── requests ──▶ worker      the pool holds the reading end too: what the worker has not begun can be taken back
    pool ◀── answers ─── worker      ends when the worker does
    pool ──  lifeline ─▶ worker      a pipe that nobody writes to: its end kills the worker, whatever that is doing
         last words ──── worker      a file in memory: its standard error, and the stacks that faulthandler writes
           begun  ────── worker      a word of shared memory: the number of the last call that it began

A worker reads a request only when it has nothing else to do: what it has not read can be taken back.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import CancelledError
from typing import Any

from inlay import errors
from inlay.executors.processes import wire
from inlay.executors.processes.kept import Gone
from inlay.executors.processes.options import DEPTH
from inlay.executors.processes.pending import Pending
from inlay.executors.processes.wire import Kind, Outgoing, Packet
from inlay.interpreter.blocks import THREADS

DUMP = signal.SIGRTMAX
"""Has a worker write the stacks of its threads into its last words."""
ENVIRONMENT = {
    **dict.fromkeys(
        ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", THREADS), "1"
    ),
    # Freed arrays stay with the process: pages that come back from the system are zeroed and faulted in again.
    "MALLOC_MMAP_THRESHOLD_": str(256 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
}
"""What a worker's environment has unless the pool was given something else: one thread per worker, as there are as many
workers as cores."""
_START = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from inlay.executors.processes.child import main; main(*map(int, sys.argv[2:]))"
)
_NO_WAIT = int(socket.MSG_DONTWAIT)
_WORDS = 4000  # characters of the last words that are told


class Worker:
    """A worker process.

    Args:
      setup: what it begins with; see `child`.
      environment: variables beside those of this process.
      depth: how many workers stand above it, itself counted.

    Attributes:
      pid: its process.
      calls: what it was given and has not answered, by number, in order.
      pinned: calls that only it can run, and waits for.
      known: digests of the functions that it was sent.
      dropped: what it keeps and may forget.
      ready: whether it has begun.
      since: when it began with the first of its calls, as `time.monotonic` says.
      ended: why this side ended it: "timeout", "memory", "cancelled", "shutdown"; "" if it did not.
      told: what it was doing then, if that was asked.
      limit: the limit that it exceeded, or by how much it did.
      armed: whether the dispatcher listens to it.
    """

    ended: str
    since: float

    def __init__(self, setup: Any, environment: Mapping[str, str], depth: int) -> None:
        theirs, self._requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._answers, answering = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._unread = theirs
        lifeline, self._lifeline = os.pipe2(os.O_CLOEXEC)
        self._words = os.memfd_create("inlay-words", os.MFD_CLOEXEC)
        said = os.memfd_create("inlay-said", os.MFD_CLOEXEC)
        begun = os.memfd_create("inlay-begun", os.MFD_CLOEXEC)
        os.ftruncate(begun, 8)
        self._page = mmap.mmap(begun, 8)
        self._files = [self._lifeline, self._words]
        given = (theirs.fileno(), answering.fileno(), lifeline, begun)
        try:
            self._process = subprocess.Popen(
                [sys.executable, *subprocess._args_from_interpreter_flags(), "-c", _START, json.dumps(sys.path)]  # type: ignore[attr-defined]
                + [str(fd) for fd in given],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=self._words,
                pass_fds=given,
                env={**os.environ, **ENVIRONMENT, **environment, DEPTH: str(depth)},
            )
        except BaseException:
            self._close()
            raise
        finally:
            answering.close()
            os.close(lifeline)
            os.close(said)
            os.close(begun)
        self.pid: int = self._process.pid
        self.calls: dict[int, Pending] = {}
        self.pinned: deque[Pending] = deque()
        self.known: set[str] = set()
        self.dropped: deque[int] = deque()
        self.ready = False
        self.since = time.monotonic()
        self.ended = self.told = ""
        self.limit: float = 0
        self.armed = False
        self._buffer = bytearray(wire.PACKET)
        self.fileno: int = self._answers.fileno()
        self.send(wire.outgoing(Kind.SETUP, 0, wire.pack(setup)))

    # ---- packets

    def send(self, packet: Outgoing) -> None:
        """Sends a packet; BlockingIOError if it has too many already."""
        try:
            packet.send(self._requests, _NO_WAIT)
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was dismissed: whoever reads its answers hears of it
        finally:
            packet.drop()

    def give(self, pending: Pending) -> None:
        """Sends a call.

        Raises:
          BlockingIOError: if it has too many already.
          ResourceExhaustedError: if there is no room for the call's arrays.
        """
        if self.dropped:
            numbers = [self.dropped.popleft() for _ in range(len(self.dropped))]
            self.send(wire.outgoing(Kind.DROP, 0, wire.pack(numbers)))
        body = pending.body
        if body is not None and body.digest not in self.known:
            self.send(wire.outgoing(Kind.BODY, 0, wire.pack(tuple(body))))
            self.known.add(body.digest)
        packet = wire.outgoing(pending.kind, pending.number, pending.packed)
        if not self.calls:
            self.since = time.monotonic()
        self.calls[pending.number] = pending
        try:
            self.send(packet)
        except BaseException:
            del self.calls[pending.number]
            raise

    def receive(self, wait: bool = True) -> Packet | None:
        """The next packet from the worker, None if it has ended; BlockingIOError if there is none and none to wait for.

        The packet is good until the next one is received.
        """
        try:
            return wire.receive(self._answers, self._buffer, 0 if wait else _NO_WAIT)
        except ConnectionResetError:
            return None

    def take_back(self) -> list[int]:
        """The numbers of the calls that it had not begun: now it will not."""
        numbers: list[int] = []
        buffer = bytearray(wire.PACKET)
        while True:
            try:
                packet = wire.receive(self._unread, buffer, _NO_WAIT)
            except (BlockingIOError, ConnectionResetError):
                return numbers
            if packet is None:
                return numbers
            if packet.segment >= 0:
                os.close(packet.segment)
            if packet.kind == Kind.DROP:
                self.dropped.extend(wire.pickle.loads(packet.stream))
            elif packet.kind == Kind.BODY:
                self.known.clear()
            else:
                numbers.append(packet.number)

    def has_begun(self, pending: Pending) -> bool:
        """Whether it began with a call that it was given and has not answered."""
        return int.from_bytes(self._page[:8], sys.byteorder) == pending.number

    # ---- the process

    def resident(self) -> int:
        """Bytes of memory that the process has now; 0 if it has ended."""
        try:
            with open(f"/proc/{self.pid}/statm", "rb") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        except (OSError, IndexError):
            return 0

    def stacks(self) -> str:
        """What the threads of the process are doing; waits for a moment for it to say so."""
        before = os.fstat(self._words).st_size
        try:
            self._process.send_signal(DUMP)
        except ProcessLookupError:
            return ""
        size, until = before, time.monotonic() + 0.5
        while time.monotonic() < until:
            time.sleep(0.01)
            size, last = os.fstat(self._words).st_size, size
            if size == last > before:
                break
        return os.pread(self._words, max(size - before, 0), before).decode(errors="replace").strip()

    def kill(self, why: str, limit: float = 0) -> None:
        """Ends the process now; who waits for an answer hears that it ended."""
        if not self.ended:
            self.ended, self.limit = why, limit
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
        while self._files:
            os.close(self._files.pop())

    # ---- its end

    def last_words(self) -> str:
        """The end of what it wrote to its standard error, or faulthandler did."""
        size = os.fstat(self._words).st_size
        kept = min(size, 4 * _WORDS)
        text = os.pread(self._words, kept, size - kept).decode(errors="replace").strip()
        return text if len(text) <= _WORDS else "..." + text[-_WORDS:]

    def epitaph(self) -> str:
        """How it ended, what may have been the cause, and its last words; to be asked once it is buried."""
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
        if self.ended == "timeout":
            stack = f"\n  What it was doing:\n{_indented(self.told)}" if self.told else ""
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


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def lost(pending: Pending, worker: Worker, retries: int) -> BaseException | None:
    """The error of a call that was begun by a worker which ended; None if it is to be run again."""
    pending.runs += 1
    if pending.cancelled is not None or worker.ended in ("shutdown", "cancelled"):
        return CancelledError(f"{pending.label} was cancelled: {worker.ended or 'nobody waits for it'}")
    if pending.kind == Kind.PULL:
        return Gone(f"worker {worker.pid}, which kept it, {worker.epitaph()}")
    if pending.repeatable and pending.runs <= retries:
        return None
    return worker.error(pending)
