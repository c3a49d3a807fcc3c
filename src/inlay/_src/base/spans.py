"""The span recorder: spans of time with their thread and process, in a ring of bounded size.

    thread ── add ──▶ its own list ──┐ when it is full, or when the ring is read
    a run of a plan ── its stamps ───┼──▶ chunk ──▶ ring ── snapshot ──▶ `base.traces`
    another process ── its chunks ───┘                │
                                                      └── beyond the capacity the oldest chunk goes, and is counted

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
from types import MappingProxyType
from typing import Any, NamedTuple

from inlay._src.base.clocks import ClockBounds
from inlay._src.base.interpreter.forking import in_child, new_rlock

now: Callable[[], int] = time.perf_counter_ns
"""The clock of spans, in nanoseconds."""
CAPACITY = 1_000_000
"""Spans that the ring holds unless `start` says another number."""
_FIELDS = 4  # of a span in the list of its thread: activity, begin, end, details
_FLUSHED = 4096 * _FIELDS  # entries of such a list that become a chunk


class Activity(NamedTuple):
    """The subject of spans. They share it, so that a span costs little memory.

    Attributes:
      name: of the op, the function or the stage.
      category: "run" of a plan, its "step", the body of a "host" function, an eager "op", a dataset's "stage" and its
        "work" elsewhere, "submit" and "accept" of a call that an executor runs, "async" for a coroutine, "build" of a
        function or a plan, "gradient" of a tape, "user", "python" or "counter".
      details: facts that hold for each span, such as the op's type, its device, and where it was defined.
    """

    name: str
    category: str
    details: tuple[tuple[str, Any], ...] = ()


@functools.lru_cache(maxsize=4096)
def host_activity(op: str, label: str) -> Activity:
    """The subject of the spans of a host function: its name and definition, and the op that calls it.

    Without an op it is work that a dataset sends, within which host functions are called.
    """
    return Activity(label.split(" ", 1)[0], "host" if op else "work", (("op", op), ("function", label)))


class Process(NamedTuple):
    """The process that spans come from.

    Attributes:
      pid: its number.
      name: "main", "worker" or the task.
      host: the machine.
      clock: the identity of a clock; processes with one clock have equal ones. It is the clock of the process, or of
        the one that hands on its spans.
      offset: nanoseconds to add to its times, so that they are times of that clock.
      error: the bound of the error of that, in nanoseconds; 0 if it is the clock of the process.
    """

    pid: int
    name: str
    host: str
    clock: str
    offset: int = 0
    error: int = 0


class Span(NamedTuple):
    """One span, as the ring is read.

    Attributes:
      activity: its subject.
      begin, end: nanoseconds of the clock of this process.
      process: the process where it ran.
      thread: the native number of the thread, and its name.
      details: facts of this span alone: "flow" (a number that spans of one call share), "bytes", "value" of a counter,
        "lost" for one that never ended by itself.
    """

    activity: Activity
    begin: int
    end: int
    process: Process
    thread: tuple[int, str]
    details: Mapping[str, Any]


_NONE: Mapping[str, Any] = {}


class Chunk:
    """Spans of one thread, in compact form.

    Args:
      thread: its number and name.
      activities: of each span, or of a run those that its stamps count.
      times: begin and end of each span; of a run (number, time) of each stamp.
      details: index of a span -> its details that are no whole numbers.
      stamped: whether this is a run.
      process: the other process that it came from; None is this one.
      columns: name of a detail -> the whole number of each span, -1 where there is none.
    """

    __slots__ = ("activities", "columns", "details", "process", "stamped", "thread", "times")

    def __init__(
        self,
        thread: tuple[int, str],
        activities: Sequence[Activity],
        times: array[int],
        details: Mapping[int, Mapping[str, Any]],
        stamped: bool = False,
        process: Process | None = None,
        columns: Mapping[str, array[int]] = MappingProxyType({}),
    ) -> None:
        self.columns = dict(columns)
        self.thread, self.activities, self.times = thread, activities, times
        self.details, self.stamped, self.process = details, stamped, process

    def __len__(self) -> int:
        return len(self.times) // 2

    @property
    def begin(self) -> int:
        """The time of its first entry."""
        return self.times[1] if self.stamped else self.times[0]

    def __reduce__(self) -> tuple[Any, ...]:
        facts = self.thread, self.activities, self.times, self.details, self.stamped, self.process, self.columns
        return Chunk, facts

    def spans(self, process: Process) -> Iterator[Span]:
        """Its spans; `process` is where they come from, with the offset to this clock."""
        offset = process.offset
        if self.stamped:
            for number, begin, end in _of_stamps(self.times):
                activity = self.activities[number]
                yield Span(activity, begin + offset, end + offset, process, self.thread, _NONE)
            return
        times = iter(self.times)
        for i, activity in enumerate(self.activities):
            begin, end = next(times) + offset, next(times) + offset
            details = self.details.get(i, _NONE)
            numbers = {name: column[i] for name, column in self.columns.items() if column[i] != -1}
            yield Span(activity, begin, end, process, self.thread, {**numbers, **details} if numbers else details)


def _columns(
    details: Sequence[Mapping[str, Any] | None],
) -> tuple[dict[str, array[int]], dict[int, Mapping[str, Any]]]:
    """The details of spans: whole numbers as a column of each name, 8 bytes a span, and the others by the span."""
    columns: dict[str, array[int]] = {}
    others: dict[int, Mapping[str, Any]] = {}
    for i, facts in enumerate(details):
        for name, value in facts.items() if facts else ():
            if value.__class__ is int and 0 <= value < 1 << 63:
                if name not in columns:
                    columns[name] = array("q", [-1]) * len(details)
                columns[name][i] = value
            else:
                others[i] = {**others.get(i, _NONE), name: value}
    return columns, others


def _of_stamps(stamps: array[int]) -> Iterator[tuple[int, int, int]]:
    """Number, begin and end of the spans of a run.

    A stamp `k, time` is the end of step k, which began at the stamp before; `-1 - k, time` is the begin of step k,
    whose own steps follow. A begin without an end (the run failed) ends with the last stamp.
    """
    opened: list[tuple[int, int]] = []
    before = stamps[1] if stamps else 0
    for at in range(0, len(stamps), 2):
        number, time = stamps[at], stamps[at + 1]
        if number < 0:
            opened.append((-1 - number, time))
        elif any(k == number for k, _ in opened):
            while opened[-1][0] != number:  # steps within it that failed
                inner, begin = opened.pop()
                yield inner, begin, time
            yield number, opened.pop()[1], time
        else:
            yield number, before, time
        before = time
    for number, begin in reversed(opened):
        yield number, begin, before


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

    def add_run(self, activities: Sequence[Activity], stamps: list[int]) -> None:
        """Adds the spans of a run by this thread, and empties its stamps; see `_of_stamps`."""
        if stamps[1] < self._began:
            stamps.clear()
            return
        chunk = Chunk((threading.get_native_id(), threading.current_thread().name), activities, array("q", stamps), {},
                      stamped=True)  # fmt: skip
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
        columns, details = _columns(taken[3::_FIELDS])
        self._put(Chunk(buffer.thread, taken[0::_FIELDS], times, details, columns=columns))

    def _put(self, chunk: Chunk) -> None:
        """Adds a chunk to the ring. Under the lock."""
        if not self._open:
            return
        self._ring.append(chunk)
        self._size += len(chunk)
        while self._size > self._capacity and len(self._ring) > 1:
            gone = len(self._ring.popleft())
            self._size -= gone
            self.dropped += gone

    # ---- reading

    def take(self) -> list[Chunk]:
        """The chunks of this process, which leave the ring: for another process, which receives them."""
        with self._lock:
            for buffer in self._buffers:
                self._flush(buffer)
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
        self._clocks.clear()
        self._size = self.dropped = 0

    def _after_fork(self) -> None:
        """A forked child records nothing: the recording is its parent's."""
        self._buffers, self._local = [], threading.local()
        self._ring = deque()
        self._size = 0
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
