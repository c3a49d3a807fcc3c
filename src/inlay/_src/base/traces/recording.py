"""A recording of spans: `tf.profiler.trace`, and the state that all recordings of a process share.

    no recording ──begin──▶ one recording ──end──▶ no recording        under `_lock`

A recording with a sampling rate is on for one window after another; in between nothing is recorded, and nothing is
slower.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter.conditions import Event
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.misuse import repr_of
from inlay._src.base.span_chunks import Span
from inlay._src.base.spans import CAPACITY, SPANS
from inlay._src.base.traces import chrome
from inlay._src.base.traces.summary import Summary

WINDOW = 0.05
"""Seconds of one window of a sampled recording."""
READING = 0.05
"""Seconds between two readings of the memory in use."""


class ProcessRecording:
    """The recording of this process, while there is one, and what it left.

    Attributes:
      spans: the spans of the last recording that has ended, by their begin.
      dropped: the number of spans that it had no room for.
    """

    def __init__(self) -> None:
        self.spans: Sequence[Span] = ()
        self.dropped = 0
        self._lock = new_lock()
        self._running = False
        self._rate = 1.0
        self._ends = Event()
        self._thread: threading.Thread | None = None

    def begin(self, capacity: int = CAPACITY, rate: float = 1.0) -> None:
        """Begins a recording.

        Args:
          capacity: the most spans that are held.
          rate: the share of the time that is recorded.

        Raises:
          AlreadyExistsError: if there is one.
        """
        begun = False
        try:
            with PutOff():
                with self._lock:
                    if self._running or SPANS.is_open:
                        raise errors.AlreadyExistsError(
                            None,
                            None,
                            "Another profiler is running: end it before (profiler.experimental.stop(), or its block)",
                        )
                    self._running, self._rate, self._ends = True, rate, Event()
                    begun = True
                SPANS.start(capacity)
                self._thread = threading.Thread(
                    target=_beside, args=(self._ends, rate), name="inlay-recording", daemon=True
                )
                try:
                    self._thread.start()
                except RuntimeError:  # no threads here: no readings of memory, and no sampling
                    self._thread = None
        except BaseException:
            if begun:  # Ctrl-C: nobody would end it
                self.end()
            raise

    def end(self) -> Sequence[Span]:
        """Ends the recording; returns its spans.

        Raises:
          UnavailableError: if there is none.
        """
        with PutOff():  # the next recording cannot begin before the recorder is closed
            with self._lock:
                if not self._running:
                    raise errors.UnavailableError(
                        None,
                        None,
                        "Cannot export profiling results. No profiler is running: call profiler.experimental.start()",
                    )
                self._running = False
            self._ends.set()
            if self._thread is not None:
                self._thread.join()
            self.dropped = SPANS.dropped
            self.spans = SPANS.stop()
        return self.spans

    @property
    def is_running(self) -> bool:
        """Whether there is a recording."""
        return self._running

    def current(self) -> Sequence[Span]:
        """The spans so far of the recording, or those of the last one."""
        return SPANS.snapshot() if self._running else self.spans

    def forget(self) -> None:
        """In a forked child: the recording is the parent's."""
        self._running, self._thread = False, None


def _beside(ends: Event, rate: float) -> None:
    """The thread of a recording: windows of the sampled ones, and readings of memory."""
    pause = 0.0 if rate >= 1.0 else WINDOW / rate - WINDOW
    while not ends.wait(WINDOW if pause else READING):
        if SPANS.on and (memory := _resident()):
            SPANS.count("memory", memory)
        if pause:
            SPANS.pause()
            if ends.wait(pause):
                return
            SPANS.resume()


def _resident() -> int:
    """Bytes of memory that this process has; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        return 0


RECORDING = ProcessRecording()
in_child(RECORDING.forget)


@export("profiler.trace")
class trace:
    """Records the block: each run of a graph, its steps, host functions, eager ops, stages of datasets, and the same in
    worker processes and on clusters, on one clock.

        with tf.profiler.trace("run.json") as recorded:
            model.fit(dataset)
        print(recorded.summary())

    The file opens in https://ui.perfetto.dev and chrome://tracing: a process for each process, a row for each thread,
    arrows from the submission of a call to its run and its acceptance, and counters.

    Args:
      path: the file, in the Trace Event Format as JSON, compressed if the name ends in `.gz`; None writes none.
      capacity: the most spans that are held; beyond that the oldest go, and are counted in `dropped`. A span takes
        14 to 52 bytes until it is read: the least in long plans, the most for calls on other processes.
      rate: the share of the time that is recorded, more than 0 and at most 1: windows of 50 ms.

    Attributes:
      spans: the spans, by their begin; within the block those so far.
      dropped: the number of spans that there was no room for.

    Raises:
      ValueError: if `rate` or `capacity` is out of range.
      AlreadyExistsError: if something is recorded already.
      OSError: at the begin of the block, if the file cannot be written.
    """

    def __init__(self, path: Any = None, *, capacity: int = CAPACITY, rate: float = 1.0) -> None:
        if not 0 < rate <= 1:
            raise ValueError(f"profiler.trace: rate must be more than 0 and at most 1, got {repr_of(rate)}")
        if capacity < 1:
            raise ValueError(f"profiler.trace: capacity must be at least 1, got {repr_of(capacity)}")
        self._path = None if path is None else path_of(path)
        self._capacity, self._rate = capacity, rate
        self._records = False
        self._spans: Sequence[Span] = ()
        self._dropped = 0

    @property
    def spans(self) -> Sequence[Span]:
        """The spans, by their begin; within the block those so far."""
        return RECORDING.current() if self._records else self._spans

    @property
    def dropped(self) -> int:
        """The number of spans that there was no room for."""
        return SPANS.dropped if self._records else self._dropped

    def __enter__(self) -> trace:
        RECORDING.begin(self._capacity, self._rate)
        try:
            if self._path is not None:
                with open(self._path, "ab"):  # a path that cannot be written is refused before the work, not after it
                    pass
            self._records = True
        except BaseException:
            RECORDING.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._records = False
        self._spans, self._dropped = RECORDING.end(), RECORDING.dropped
        if self._path is not None:
            chrome.write(self._path, self._spans, self._dropped)

    def save(self, path: Any) -> None:
        """Writes the trace to a file, as `path` of the constructor."""
        chrome.write(path_of(path), self.spans, self.dropped)

    def summary(self) -> Summary:
        """The host functions, stages and runs of the trace as a table; see `profiler.summary`."""
        return Summary(self.spans, self.dropped)


@export("profiler.summary")
def summary() -> Summary:
    """The recording that runs, or the last one, as a table of its host functions, stages, runs and ops.

    Host functions are listed by their own time: that of the body, without host functions that it calls. Beside it are
    the number of calls, the time that calls waited for an executor, the bytes that were sent to other processes, and
    the executor that would serve the function better, if there is one.

    Returns:
      The summary; `print` shows the table, and `rows` has its figures.
    """
    return Summary(RECORDING.current(), SPANS.dropped if RECORDING.is_running else RECORDING.dropped)
