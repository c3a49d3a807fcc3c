"""Spans in compact form, and the processes and clocks that they come from.

A chunk has the spans of one thread, with numbers in arrays.

A chunk of a run has *stamps* instead of spans: `k, time` is the end of step k, which began at the stamp before;
`-1 - k, time` is the begin of step k, whose own steps follow.
"""

from __future__ import annotations

import functools
from array import array
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple


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


class ClockBounds:
    """The offset of another process's clock, from round trips.

    Its work on a request lies between the request and the answer: `sent <= begin + offset` and `end + offset <= came`.
    The offset is the middle of the interval that all round trips leave, and the error half its length.

    Attributes:
      low, high: the interval, in nanoseconds; None before the first round trip.
    """

    def __init__(self) -> None:
        self.low: int | None = None
        self.high: int | None = None

    def add(self, sent: int, begin: int, end: int, came: int) -> None:
        """Adds a round trip: `sent` and `came` by the clock of this process, `begin` and `end` by the other one."""
        low, high = sent - begin, came - end
        self.low = low if self.low is None else max(self.low, low)
        self.high = high if self.high is None else min(self.high, high)

    @property
    def offset(self) -> int:
        """Nanoseconds to add to times of the other clock."""
        return 0 if self.low is None or self.high is None else (self.low + self.high) // 2

    @property
    def error(self) -> int:
        """The bound of the error of `offset`, in nanoseconds."""
        return 0 if self.low is None or self.high is None else abs(self.high - self.low + 1) // 2


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
        activities: list[Activity],
        times: array[int],
        details: Mapping[int, Mapping[str, Any]],
        stamped: bool = False,
        process: Process | None = None,
        columns: Mapping[str, array[int]] = MappingProxyType({}),
    ) -> None:
        self.columns, self.details = dict(columns), dict(details)
        self.thread, self.activities, self.times = thread, activities, times
        self.stamped, self.process = stamped, process

    def __len__(self) -> int:
        return len(self.times) // 2

    @property
    def begin(self) -> int:
        """The time of its first entry."""
        return self.times[1] if self.stamped else self.times[0]

    @property
    def key(self) -> tuple[Any, ...]:
        """Chunks with equal keys can become one. That of a run holds while the chunk lives."""
        return self.thread, self.process, id(self.activities) if self.stamped else 0

    def share(self) -> None:
        """Exchanges its activities, which came from another process, for equal ones that came before."""
        if self.stamped:
            self.activities = _shared_run(tuple(self.activities))
        else:
            self.activities = [_shared(activity) for activity in self.activities]

    def extend(self, later: Chunk) -> None:
        """Adds the spans of a later chunk with the same key."""
        before = len(self)
        self.times.extend(later.times)
        if self.stamped:
            return
        self.activities += later.activities
        for i, facts in later.details.items():
            self.details[before + i] = facts
        for name in later.columns.keys() - self.columns.keys():
            self.columns[name] = _absent(before)
        for name, column in self.columns.items():
            column.extend(later.columns.get(name) or _absent(len(later)))

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


@functools.lru_cache(maxsize=4096)
def _shared(activity: Activity) -> Activity:
    """The first of equal activities."""
    return activity


@functools.lru_cache(maxsize=1024)
def _shared_run(activities: tuple[Activity, ...]) -> list[Activity]:
    """One list for equal runs."""
    return list(activities)


def _absent(count: int) -> array[int]:
    """A column of so many spans without the detail."""
    return array("q", [-1]) * count


def columns_of(
    details: Sequence[Mapping[str, Any] | None],
) -> tuple[dict[str, array[int]], dict[int, Mapping[str, Any]]]:
    """The details of spans: whole numbers as a column of each name, 8 bytes a span, and the others by the span."""
    columns: dict[str, array[int]] = {}
    others: dict[int, Mapping[str, Any]] = {}
    for i, facts in enumerate(details):
        for name, value in facts.items() if facts else ():
            if value.__class__ is int and 0 <= value < 1 << 63:
                if name not in columns:
                    columns[name] = _absent(len(details))
                columns[name][i] = value
            else:
                others[i] = {**others.get(i, _NONE), name: value}
    return columns, others


def _of_stamps(stamps: array[int]) -> Iterator[tuple[int, int, int]]:
    """Number, begin and end of the spans of runs, one after another.

    A begin without an end (the run failed) ends with the last stamp.
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
