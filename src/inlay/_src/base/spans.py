"""The span recorder: spans of time with their thread and process, in a ring of bounded size.

    thread ── add ──▶ its own list ──┐ when it is full, or when the ring is read
    a run of a plan ── its stamps ───┼──▶ chunk ──▶ ring ── snapshot ──▶ `base.traces`
    another process ── its chunks ───┘                │
                                                      └── beyond the capacity the oldest chunk goes, and is counted

Small chunks of one thread become one: short runs of a plan, and the calls of a worker. A chunk takes more while few
spans have come since it began, so that the oldest chunk has the oldest spans.

`SPANS.on` is the one attribute that code with something to record reads. Code that runs often reads nothing: it has a
*switch* (`on_switch`) that exchanges what runs while the recorder is on.

States of the recorder, moved by `start` and `stop`, one at a time:

    off ──start──▶ on ──stop──▶ closing ──▶ off       in `closing` nothing new is recorded, and the ring still takes
                                                      the spans of threads and runs that end

Times are those of `time.perf_counter_ns`. On Linux it is one clock for all processes of a machine. A clock has an
identity (`Process.clock`); round trips to processes with another clock bound its offset, and the ring is read with the
offset (`Process.offset`) that all of them leave, and the bound of the error of that (`Process.error`). A process that
hands on the spans of others states them on its own clock.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import threading
import time
import weakref
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from inlay._src.base.interpreter.forking import in_child, new_rlock
from inlay._src.base.span_chunks import Activity, Chunk, ClockBounds, Process, Span, columns_of

now: Callable[[], int] = time.perf_counter_ns
"""The clock of spans, in nanoseconds."""
CAPACITY = 1_000_000
"""Spans that the ring holds unless `start` says another number."""
_FIELDS = 4  # of a span in the list of its thread: activity, begin, end, details
_FLUSHED = 4096 * _FIELDS  # entries of such a list that become a chunk
_GROWN = 4096  # entries up to which a chunk takes more


class _Buffer:
    """The spans of one thread since its last chunk.

    Attributes:
      items: flat: activity, begin, end and details of each span. Only the thread appends, and only under the
        recorder's lock is something taken out.
      busy: whether that is happening: a finalizer that runs meanwhile takes nothing.
    """

    __slots__ = ("__weakref__", "alive", "busy", "items", "thread")

    def __init__(self) -> None:
        thread = threading.current_thread()
        self.items: list[Any] = []
        self.busy = False
        self.alive = weakref.ref(thread)
        self.thread = threading.get_native_id(), thread.name


class Recorder:
    """The recorder of a process; see the module.

    Attributes:
      on: whether spans are recorded.
      epoch: the number of the recording; other processes hear of a new one.
      dropped: spans that the ring had no room for, since `start`.
    """

    def __init__(self) -> None:
        self.on = False
        self._open = False
        self.epoch = 0
        self.dropped = 0
        self._capacity = CAPACITY
        self._ring: deque[Chunk] = deque()
        self._size = 0
        self._growing: dict[tuple[Any, ...], Chunk] = {}  # chunks of the ring that take more, by their key
        self._recent = 0  # spans since the first of those began
        self._buffers: list[_Buffer] = []
        self._local = threading.local()
        self._switches: list[Callable[[], None]] = []
        self._clocks: dict[str, ClockBounds] = {}  # by the identity of the clock
        self._began = 0  # when the recording began: spans of an earlier one that come late are dropped
        self._lock = new_rlock()  # a finalizer may record wherever this thread is

    # ---- recording

    def add(self, activity: Activity, begin: int, end: int, details: Mapping[str, Any] | None = None) -> None:
        """Adds a span of this thread.

        Args:
          activity: its subject.
          begin, end: nanoseconds of `now`.
          details: its own facts; see `Span`.
        """
        try:
            buffer = self._local.buffer
        except AttributeError:
            buffer = self._new_buffer()
        items = buffer.items
        items += (activity, begin, end, details)
        if len(items) >= _FLUSHED:
            with self._lock:
                self._flush(buffer)

    @contextlib.contextmanager
    def span(self, name: str, category: str) -> Iterator[None]:
        """A span of the block, if spans are recorded when it begins: for what takes longer than some microseconds."""
        if not self.on:
            yield
            return
        begin = now()
        try:
            yield
        finally:
            self.add(Activity(name, category), begin, now())

    def add_run(self, activities: list[Activity], stamps: list[int]) -> None:
        """Adds the spans of a run by this thread, and empties its stamps; see `span_chunks`."""
        if stamps[1] < self._began:
            stamps.clear()
            return
        thread = threading.get_native_id(), threading.current_thread().name
        chunk = Chunk(thread, activities, array("q", stamps), {}, stamped=True)
        stamps.clear()
        with self._lock:
            self._put(chunk)

    def count(self, name: str, value: float) -> None:
        """Adds a reading of a counter."""
        if self.on:
            moment = now()
            self.add(Activity(name, "counter"), moment, moment, {"value": value})

    def receive(
        self, chunks: Sequence[Chunk], process: Process, round_trip: tuple[int, int, int, int] | None = None
    ) -> None:
        """Adds the chunks that another process took from its ring.

        Args:
          chunks: the chunks, with times of its clock; those of a third process name that.
          process: the process, as it describes itself.
          round_trip: the times of the request for which they were recorded, see `ClockBounds.add`. It aligns a clock
            that is not the one of this process.
        """
        with self._lock:
            if chunks and (chunks[0].begin if round_trip is None else round_trip[0]) < self._began:
                return
            if process.clock != clock() and round_trip is not None:
                self._clocks.setdefault(process.clock, ClockBounds()).add(*round_trip)
            for chunk in chunks:
                chunk.process = chunk.process or process
                chunk.share()
                self._put(chunk)

    def _new_buffer(self) -> _Buffer:
        buffer = self._local.buffer = _Buffer()
        with self._lock:
            if len(self._buffers) > 64:
                for other in self._buffers:
                    if other.alive() is None:
                        self._flush(other)
                self._buffers = [b for b in self._buffers if b.alive() is not None]
            self._buffers.append(buffer)
        return buffer

    def _flush(self, buffer: _Buffer) -> None:
        """Makes a chunk of what a thread recorded. Under the lock."""
        if buffer.busy:
            return
        buffer.busy = True
        try:
            taken = buffer.items[: len(buffer.items) // _FIELDS * _FIELDS]
            del buffer.items[: len(taken)]
        finally:
            buffer.busy = False
        if not taken:
            return
        times = array("q", bytes(4 * len(taken)))
        times[0::2], times[1::2] = array("q", taken[1::_FIELDS]), array("q", taken[2::_FIELDS])
        columns, details = columns_of(taken[3::_FIELDS])
        self._put(Chunk(buffer.thread, taken[0::_FIELDS], times, details, columns=columns))

    def _put(self, chunk: Chunk) -> None:
        """Adds a chunk to the ring. Under the lock."""
        if not self._open:
            return
        count, most = len(chunk), min(_GROWN, self._capacity // 16)
        self._size += count
        self._recent += count
        if self._recent > self._capacity // 8:
            self._end_growth()
        if count > most // 2:
            self._ring.append(chunk)
        elif (growing := self._growing.get(key := chunk.key)) is not None and len(growing) + count <= most:
            growing.extend(chunk)
        else:
            self._ring.append(chunk)
            self._growing[key] = chunk
        while self._size > self._capacity and len(self._ring) > 1:
            gone = self._ring.popleft()
            self._size -= len(gone)
            self.dropped += len(gone)
            if self._growing.get(gone.key) is gone:
                del self._growing[gone.key]

    def _end_growth(self) -> None:
        """The chunks of the ring take no more. Under the lock."""
        self._growing.clear()
        self._recent = 0

    # ---- reading

    def take(self) -> list[Chunk]:
        """The chunks of this process, which leave the ring: for another process, which receives them."""
        with self._lock:
            for buffer in self._buffers:
                self._flush(buffer)
            self._end_growth()
            chunks = list(self._ring)
            self._ring.clear()
            self._size = 0
            for chunk in chunks:
                chunk.process = chunk.process and self._on_this_clock(chunk.process)
        return chunks

    def snapshot(self) -> list[Span]:
        """The spans in the ring, by their begin."""
        with self._lock:
            for buffer in self._buffers:
                self._flush(buffer)
            self._end_growth()  # a chunk that is read stays as it is
            here = this_process()
            placed = [(c, here if c.process is None else self._on_this_clock(c.process)) for c in self._ring]
        spans = (span for chunk, process in placed for span in chunk.spans(process))
        return sorted(spans, key=lambda span: (span.begin, -span.end))

    def _on_this_clock(self, process: Process) -> Process:
        """A process with the offset to the clock of this one, by all round trips so far. Under the lock."""
        bounds = self._clocks.get(process.clock)
        if bounds is None:
            return process
        offset, error = process.offset + bounds.offset, process.error + bounds.error
        return process._replace(clock=clock(), offset=offset, error=error)

    # ---- states

    def start(self, capacity: int = CAPACITY) -> None:
        """Begins a recording with an empty ring.

        Args:
          capacity: the number of spans that it holds.
        """
        with self._lock:
            self._clear()
            self._capacity, self._began = capacity, now()
            self.epoch += 1
            self.on = self._open = True
        self._switch()

    def stop(self) -> list[Span]:
        """Ends the recording; returns its spans, by their begin."""
        self.on = False
        self._switch()
        spans = self.snapshot()
        with self._lock:
            self._open = False
            self._clear()
        return spans

    def pause(self) -> None:
        """Records nothing until `resume`; the ring stays as it is."""
        self.on = False
        self._switch()

    def resume(self) -> None:
        """Records again after `pause`."""
        self.on = self._open
        self._switch()

    @property
    def is_open(self) -> bool:
        """Whether there is a recording, paused or not."""
        return self._open

    def on_switch(self, switch: Callable[[], None]) -> None:
        """Has `switch` called whenever `on` has changed."""
        self._switches.append(switch)

    def _switch(self) -> None:
        for switch in list(self._switches):
            switch()

    def _clear(self) -> None:
        for buffer in self._buffers:
            buffer.items.clear()
        self._ring.clear()
        self._end_growth()
        self._clocks.clear()
        self._size = self.dropped = 0

    def _after_fork(self) -> None:
        """A forked child records nothing: the recording is its parent's."""
        self._buffers, self._local = [], threading.local()
        self._ring, self._growing = deque(), {}
        self._size = self._recent = 0
        self._open = False
        if self.on:
            self.on = False
            self._switch()


def this_process() -> Process:
    """This process, on its own clock."""
    return Process(os.getpid(), _PROCESS_NAME[0], os.uname().nodename, clock())


@functools.cache
def clock() -> str:
    """The identity of the clock of this process: on Linux that of the machine since it was started, and of the
    namespace of times, which a container may have for itself."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        return f"{boot} {os.readlink('/proc/self/ns/time')}" if os.path.lexists("/proc/self/ns/time") else boot
    except OSError:
        return f"{os.uname().nodename} {os.getpid()}"


_FLOWS = itertools.count(1)


def new_flow() -> int:
    """A number for the spans of one call in several threads and processes; no other call has it."""
    return os.getpid() << 32 | next(_FLOWS)


def name_process(name: str) -> None:
    """Names this process in traces."""
    _PROCESS_NAME[0] = name


_PROCESS_NAME = ["main"]
SPANS = Recorder()
"""The recorder of this process."""
in_child(SPANS._after_fork)
