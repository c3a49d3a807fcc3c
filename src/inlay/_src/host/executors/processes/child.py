"""A worker process: reads a request, runs it, answers; until the requests end.

Answers to the calls of one message are deferred: they are in the page at once, and are sent together with the last one,
or when the first has waited for `reply_batch_seconds` at the end of another call.

Output and log records of a call are sent ahead of its answer, with the name of the op. Output of native code to the
descriptors 1 and 2 is sent when the call is over; if the worker dies, the pool reads the end of descriptor 2.
"""

from __future__ import annotations

import faulthandler
import fcntl
import mmap
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.forking import in_child
from inlay._src.base.span_chunks import host_activity
from inlay._src.base.spans import SPANS, name_process, now, this_process
from inlay._src.base.tuning import TUNING
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.answers_page import PAGE, AnswersPage
from inlay._src.host.executors.processes.output import Sender
from inlay._src.host.executors.processes.slots import ReceivedSlots, SentSlots
from inlay._src.host.executors.processes.wire import Packet, PacketKind

MOST_KEPT = 4096
"""The number of pullbacks that a worker keeps; the oldest is removed first."""


_CALL = int(PacketKind.CALL)


class Child:
    """The worker's own side.

    Args:
      requests: the socket of the requests.
      answers: the socket of the answers.
      page: the shared page.
    """

    def __init__(self, requests: socket.socket, answers: socket.socket, page: AnswersPage) -> None:
        self._requests, self._answers, self._page = requests, answers, page
        self._defers, self._sent = False, 0.0
        self._buffer = bytearray(wire.PACKET)
        self._last = 0
        self._bodies: BoundedCache[str, bodies.Body] = BoundedCache("bodies that a worker was sent", 256)
        self._kept: dict[int, Any] = {}
        self._last_kept = 0
        self._sender = Sender(answers)
        self._slots, self._received = SentSlots(), ReceivedSlots()

    def serve(self) -> None:
        """Answers requests until there are no more."""
        while True:
            packet = wire.receive(self._requests, self._buffer, slots=self._received)
            if packet is None:
                return
            requests = wire.packets_of(packet)
            self._defers, self._sent = len(requests) > 1, time.perf_counter()
            for request in requests:
                self._serve(request)
            self._page.send(self._answers)

    def _serve(self, packet: Packet) -> None:
        if packet.number <= self._last:  # requests that are taken back leave gaps, but nothing comes twice or late
            sys.stderr = sys.__stderr__  # the pool reads there why the worker ends
            raise RuntimeError(f"request {packet.number} came after request {self._last}")
        self._last = packet.number
        self._sender.number = packet.number
        kind = packet.kind
        if kind == _CALL:
            self._answer(packet, self._call)
        elif kind == PacketKind.PULL:
            self._answer(packet, self._pull)
        elif kind == PacketKind.DROP:
            for number in wire.unpack(packet, mapped=True):
                self._kept.pop(number, None)
        elif kind == PacketKind.RELEASE:
            for number in wire.unpack(packet, mapped=True):
                self._slots.back(number)
        elif kind == PacketKind.TRACE:
            if wire.unpack(packet, mapped=True):
                name_process("worker")
                SPANS.start()
            elif SPANS.on:
                SPANS.stop()
        elif kind == PacketKind.BODY:
            body = bodies.Body(*wire.unpack(packet, mapped=True))
            self._bodies[body.digest] = body
        else:
            self._begin(wire.unpack(packet, mapped=True), packet.number)

    def _begin(self, setup: dict[str, Any], number: int) -> None:
        self._sender.forward(setup["levels"])
        try:
            if setup["initializer"] is not None:
                function, args = setup["initializer"]
                bodies.function_of(bodies.Body(*function))(*args)
            self._sender.flush()
        except BaseException:
            sys.stderr = sys.__stderr__  # the pool reads there why the worker does not begin
            raise
        wire.outgoing(PacketKind.READY, number, wire.pack(None)).send(self._answers)

    def _answer(self, packet: Packet, run: Callable[[Packet], tuple[PacketKind, wire.PackedValue]]) -> None:
        """Runs a request, and sends its outcome."""
        start = time.perf_counter()
        try:
            kind, packed = run(packet)
        except BaseException as error:
            kind, packed = PacketKind.FAILURE, wire.pack(outcome.packed_failure(error))
        end = time.perf_counter()
        seconds = end - start
        self._sender.flush()
        if self._defers and not SPANS.on and self._page.defer(kind, packet.number, packed, seconds):
            if end - self._sent >= TUNING.reply_batch_seconds:
                self._page.send(self._answers)
                self._sent = end
            return
        try:
            answer = wire.outgoing(kind, packet.number, packed, seconds, self._slots)
        except BaseException as error:
            packed = wire.pack(outcome.packed_failure(error))
            answer = wire.outgoing(PacketKind.FAILURE, packet.number, packed, seconds)
        self._page.send(self._answers)
        if SPANS.on and (chunks := SPANS.take()):
            spans = wire.pack((chunks, this_process()))
            wire.outgoing(PacketKind.SPANS, packet.number, spans).send(self._answers)
        del packed  # its pieces may be arrays in the slot of the request
        if packet.slot and self._received.retained(packet.slot):
            answer = answer.of_retained()
        answer.send(self._answers)
        answer.drop()

    def _call(self, packet: Packet) -> tuple[PacketKind, wire.PackedValue]:
        digest, op, keep, args, kwargs, flow = wire.unpack(packet, mapped=True)
        body = self._bodies.get(digest)
        if body is None:
            return PacketKind.UNKNOWN, wire.pack(None)
        self._sender.op = op
        function = bodies.function_of(body)
        self._page.begin(packet.number)
        begin, cpu = (now(), time.thread_time_ns()) if flow else (0, 0)
        try:
            value = outcome.run(function, args, kwargs, keep)
        finally:
            if begin and SPANS.on:
                details = {"flow": flow, "cpu": time.thread_time_ns() - cpu}
                SPANS.add(host_activity(op, body.label), begin, now(), details)
        if keep:
            value = value[0], self._keep(value[1])
        return PacketKind.RESULT, _packed(value, body.label)

    def _pull(self, packet: Packet) -> tuple[PacketKind, wire.PackedValue]:
        number, op, seeds, keep = wire.unpack(packet, mapped=True)
        self._sender.op = op
        pullback = self._kept.get(number)
        if pullback is None:
            return PacketKind.UNKNOWN, wire.pack(None)
        self._page.begin(packet.number)
        gradients, again = pullback.pull(seeds, keep)
        return PacketKind.RESULT, _packed((gradients, None if again is None else self._keep(again)), "a pullback")

    def _keep(self, pullback: Any) -> int:
        self._last_kept += 1
        self._kept[self._last_kept] = pullback
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return self._last_kept


def _packed(value: Any, label: str) -> wire.PackedValue:
    try:
        return wire.pack(value)
    except Exception as error:
        raise outcome.unreturned(value, label, error) from error


def main(requests: int, answers: int, lifeline: int, page: int) -> None:
    """Runs a worker.

    Args:
      requests, answers, lifeline, page: its descriptors; see `worker`.
    """
    for number in (requests, answers, lifeline, page):
        os.set_inheritable(number, False)
    for number in (1, 2):  # whoever writes to the same file writes at its end
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_APPEND)
    faulthandler.enable(2, all_threads=True)
    faulthandler.register(signal.SIGRTMAX, 2, all_threads=True)
    _die_with(lifeline)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # a large array holds one
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the parent, which ends its workers
    ends = socket.socket(fileno=requests), socket.socket(fileno=answers)

    def close() -> None:
        for end in ends:
            end.close()

    in_child(close)  # a child of the worker does not answer for it
    Child(*ends, AnswersPage(mmap.mmap(page, PAGE))).serve()


def _die_with(lifeline: int) -> None:
    """Has the kernel kill this process when the other end of a pipe is closed: nothing here need be able to run."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)  # type: ignore[attr-defined]
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    try:
        if not os.read(lifeline, 1):
            os._exit(1)
    except BlockingIOError:
        pass
