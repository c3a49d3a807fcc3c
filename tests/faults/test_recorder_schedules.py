"""Schedules of the span recorder: threads that record, one that reads and stops, interrupted at random lines."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from inlay._src.base import spans
from inlay._src.base.span_chunks import Activity, Chunk
from inlay._src.base.spans import Recorder
from tests.faults.scheduler import ScheduledLock, Scheduler

SUBJECT = Activity("subject", "user")
TRACED = frozenset({str(spans.__file__)})


class ReadsWithoutTheLock(Recorder):
    """Takes a thread's spans without the lock: two readers may both have them."""

    def take(self) -> list[Chunk]:
        """See `Recorder.take`."""
        for buffer in list(self._buffers):
            items = buffer.items[:]
            self._unlocked = len(items)  # a line at which another thread may go on
            buffer.items.clear()
            self._ring.extend(Chunk((0, ""), items[0::4], array("q", _times(items)), {}) for _ in (1,))
        chunks = list(self._ring)
        self._ring.clear()
        return chunks


def _times(items: list[Any]) -> list[int]:
    return [time for pair in zip(items[1::4], items[2::4], strict=True) for time in pair]


class Program:
    """One schedule: three threads record, two read at once, and one starts, pauses and stops.

    Args:
      seed: chooses the schedule.
      make: makes the recorder.
      flushed: entries of a thread's list that become a chunk.
    """

    def __init__(self, seed: int, make: type[Recorder], flushed: int) -> None:
        self.scheduler = Scheduler(seed, TRACED, 400)
        self.recorder = make()
        self.recorder._lock = ScheduledLock(self.scheduler)  # type: ignore[assignment]
        self.flushed = flushed
        self.expected: list[tuple[int, int]] = []
        self.seen: list[tuple[int, int]] = []

    def run(self) -> list[str]:
        """The faults of the schedule."""
        self.scheduler.spawn("main", self._main, traced=False)
        self.scheduler.run()
        wrong = list(self.scheduler.faults)
        if not wrong and sorted(self.seen) != sorted(self.expected):
            lost, more = set(self.expected) - set(self.seen), len(self.seen) - len(set(self.seen))
            wrong.append(f"{len(lost)} spans were lost, {more} came twice")
        return wrong

    def _main(self) -> None:
        self.recorder.start()
        self.recorder._began = 0  # the times of this program are small numbers
        writers = [self.scheduler.spawn(f"writer {k}", lambda k=k: self._write(k)) for k in range(3)]  # type: ignore[misc]
        readers = [self.scheduler.spawn(f"reader {k}", self._read) for k in range(2)]
        pauses = self.scheduler.spawn("pauses", self._pause)
        self.scheduler.wait(lambda: all(task.done for task in (*writers, *readers, pauses)))
        self.seen += [(s.begin, s.end) for s in self.recorder.stop()]

    def _write(self, number: int) -> None:
        for k in range(6):
            self.recorder.add(SUBJECT, number, k)
            self.expected.append((number, k))
        activities = [SUBJECT]
        for k in range(3):  # runs of one plan share a chunk
            begin = number + 10 * (k + 1)
            self.recorder.add_run(activities, [-1, begin, 0, begin + 5])
            self.expected.append((begin, begin + 5))

    def _read(self) -> None:
        here = spans.this_process()
        for _ in range(2):
            for chunk in self.recorder.take():
                self.seen += [(s.begin, s.end) for s in chunk.spans(here)]
            self.recorder.snapshot()

    def _pause(self) -> None:
        self.recorder.pause()
        self.recorder.resume()


def explore(seed: int, count: int, make: type[Recorder] = Recorder) -> list[str]:
    """The faults of the first wrong schedule of so many, with its seed."""
    before = spans._FLUSHED
    try:
        for number in range(seed, seed + count):
            spans._FLUSHED = 8 if number % 2 else before  # chunks while the others record
            if wrong := Program(number, make, spans._FLUSHED).run():
                return [f"seed {number}: {each}" for each in wrong]
    finally:
        spans._FLUSHED = before
    return []


def test_no_span_is_lost_or_comes_twice() -> None:
    assert explore(0, 150) == []


@pytest.mark.exhaustive
def test_no_span_is_lost_or_comes_twice_in_many_schedules() -> None:
    assert explore(1000, 2000) == []


def test_a_recorder_that_reads_without_its_lock_is_seen() -> None:
    assert explore(0, 400, ReadsWithoutTheLock)
