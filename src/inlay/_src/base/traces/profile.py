"""`tf.profiler.experimental`: recordings in the form that TensorBoard, Perfetto and chrome://tracing read.

`LOGDIR/plugins/profile/TIME/HOST.xplane.pb` is for TensorBoard. `HOST.trace.json.gz` beside it is in the Trace Event
Format (`traces.chrome`). There is one recording at a time, `traces.recording` says how.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.protos.profile import XSpace
from inlay._src.base.span_chunks import Activity, Span
from inlay._src.base.spans import SPANS, now
from inlay._src.base.traces import chrome
from inlay._src.base.traces.recording import RECORDING

_OF_LEVEL_1 = frozenset({"user", "host", "async", "run", "python", "counter"})
"""The categories that `host_tracer_level=1` records."""


@export("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """The kinds of events in a profile.

    Attributes:
      host_tracer_level: 0 records no events but calls of Python; 1 spans of `Trace`, runs and host functions; 2 and
        above steps, eager ops and stages of datasets too.
      python_tracer_level: 1 records the calls of Python functions on the thread that starts the profile.
      device_tracer_level, delay_ms: accepted.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Profile:
    """A profile that is being recorded.

    Args:
      folder: the folder of logs.
      options: the kinds of events.

    Attributes:
      folder, options: the same.
    """

    def __init__(self, folder: str, options: ProfilerOptions) -> None:
        self.options, self.folder = options, folder
        self._calls: list[tuple[Activity, int]] = []
        self._outer: Any = None

    def begin(self) -> None:
        """Records calls of this thread, if they are asked for."""
        if self.options.python_tracer_level:
            self._outer = sys.getprofile()
            sys.setprofile(self._called)

    def end(self) -> None:
        """Records no calls any more."""
        if self.options.python_tracer_level:
            sys.setprofile(self._outer)

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            name = f"{code.co_qualname} {os.path.basename(code.co_filename)}:{code.co_firstlineno}"
            self._calls.append((Activity(name, "python"), now()))
        elif event == "return" and self._calls:
            activity, begin = self._calls.pop()
            SPANS.add(activity, begin, now())

    def write(self, spans: Sequence[Span], dropped: int) -> None:
        """Writes the files."""
        level = self.options.host_tracer_level
        if level < 2:
            wanted = _OF_LEVEL_1 if level else frozenset({"python"})
            spans = [span for span in spans if span.activity.category in wanted]
        folder = os.path.join(self.folder, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        os.makedirs(folder, exist_ok=True)
        host = os.path.join(folder, socket.gethostname())
        chrome.write(f"{host}.trace.json.gz", spans, dropped)
        with open(f"{host}.xplane.pb", "wb") as planes:
            planes.write(_planes(spans).SerializeToString())


def _planes(spans: Sequence[Span]) -> Any:
    """Spans as an `XSpace`: a plane for each process, a line for each thread."""
    space = XSpace(hostnames=list(dict.fromkeys(span.process.host for span in spans)) or [socket.gethostname()])
    planes: dict[tuple[str, int], Any] = {}
    lines: dict[tuple[str, int, int], Any] = {}
    numbers: dict[tuple[str, int, str], int] = {}
    first = spans[0].begin if spans else 0
    for span in spans:
        process, activity = span.process, span.activity
        if activity.category == "counter":
            continue
        key = process.host, process.pid
        plane = planes.get(key)
        if plane is None:
            name = "/host:CPU" if process.name == "main" else f"/host:{process.name} {process.pid}"
            plane = planes[key] = space.planes.add(name=name)
        number = numbers.get((*key, activity.name))
        if number is None:
            number = numbers[(*key, activity.name)] = len(plane.event_metadata) + 1
            plane.event_metadata[number].id, plane.event_metadata[number].name = number, activity.name
        line = lines.get((*key, span.thread[0]))
        if line is None:
            line = plane.lines.add(id=span.thread[0], name=span.thread[1], timestamp_ns=first)
            lines[(*key, span.thread[0])] = line
        line.events.add(
            metadata_id=number, offset_ps=max(span.begin - first, 0) * 1000, duration_ps=(span.end - span.begin) * 1000
        )
    return space


_running: list[_Profile] = []


@export("profiler.experimental.start")
def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Begins a profile.

    Args:
      logdir: the folder of logs, which TensorBoard is shown.
      options: says what is recorded.

    Raises:
      AlreadyExistsError: if there is one.
      OSError: if the folder cannot be made.
    """
    profile = _Profile(path_of(logdir), options or ProfilerOptions())
    os.makedirs(profile.folder, exist_ok=True)  # a folder that cannot be made is refused before the work, not after it
    RECORDING.begin()
    _running.append(profile)
    profile.begin()


@export("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """Ends the profile.

    Args:
      save: whether it is written.

    Raises:
      UnavailableError: if there is none.
    """
    profile = _running.pop() if _running else None
    if profile is not None:
        profile.end()
    spans = RECORDING.end()
    if profile is not None and save:
        profile.write(spans, RECORDING.dropped)


@export("profiler.experimental.Profile")
class Profile:
    """A profile of the block.

    Args:
      logdir, options: as for `start`.
    """

    def __init__(self, logdir: Any, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop()


@export("profiler.experimental.Trace")
class Trace:
    """A span of a profile, of the time that the block takes; without a profile nothing.

    Args:
      name: its name.
      **kwargs: its metadata, such as `step_num=3`.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._arguments, self._begin = name, kwargs, now() if SPANS.on else 0

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds metadata."""
        self._arguments.update(kwargs)

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._begin and SPANS.on:
            arguments = {name: str(value) for name, value in self._arguments.items()}
            SPANS.add(Activity(self._name, "user"), self._begin, now(), arguments)
