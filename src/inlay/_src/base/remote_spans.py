"""Spans that another process records for the requests that it is sent, and sends back with the results.

    this process                                  the other one
    request, with a flow ──── sent ─────▶ begin   `RECORDED_HERE.request(...)`: the recorder is on while there is such
                                          end     a request
    `RemoteSpans.receive` ◀── came ──────

The four times of the round trip align the other clock; see `span_chunks.ClockBounds`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.span_chunks import Activity, Chunk, Process
from inlay._src.base.spans import SPANS, now, this_process


class RemoteSpans(NamedTuple):
    """The spans of a request.

    Attributes:
      chunks: the spans.
      process: the process that recorded them.
      begin, end: the time of the request there, in nanoseconds of its clock.
    """

    chunks: Sequence[Chunk]
    process: Process
    begin: int
    end: int

    def receive(self, sent: int) -> None:
        """Adds them to the recording of this process; the request was sent at that time, and its answer came now."""
        SPANS.receive(self.chunks, self.process, (sent, self.begin, self.end, now()))


class Recorded:
    """The outcome of a recorded request.

    Attributes:
      spans: the spans; None if they are not recorded.
    """

    spans: RemoteSpans | None = None


class _RecordedHere:
    """The requests of this process whose spans are recorded for another one."""

    def __init__(self) -> None:
        self._count = 0
        self._started = False
        self._lock = new_lock()

    @contextlib.contextmanager
    def request(self, activity: Activity, flow: int) -> Iterator[Recorded]:
        """The span of a request, and those within; nothing if `flow`, its number in traces, is 0.

        Spans of requests that run at once may leave with any of them.
        """
        recorded = Recorded()
        if not flow:
            yield recorded
            return
        with self._lock:
            self._count += 1
            if not SPANS.on:
                SPANS.start()
                self._started = True
        begin = now()
        try:
            yield recorded
        finally:
            end = now()
            SPANS.add(activity, begin, end, {"flow": flow})
            recorded.spans = RemoteSpans(SPANS.take(), this_process(), begin, end)
            with self._lock:
                self._count -= 1
                if not self._count and self._started:
                    SPANS.stop()
                    self._started = False


RECORDED_HERE = _RecordedHere()
