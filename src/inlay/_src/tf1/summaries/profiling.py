"""`tf.profiler.experimental`: spans of time that a program names, for TensorBoard, Perfetto and chrome://tracing.

`LOGDIR/plugins/profile/TIME/HOST.xplane.pb` is for TensorBoard. `HOST.trace.json.gz` beside it is in the Trace Event
Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

    no profile --start--> one profile --stop--> no profile        under `_lock`

A span belongs to the profile that was there when it began.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import sys
import threading
import time
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.protos.profile import XSpace


@export("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """The kinds of events in a profile.

    Attributes:
      host_tracer_level: 0 records no `Trace`; 1 and above all of them.
      python_tracer_level: 1 records the calls of Python functions on the thread that starts the profile.
      device_tracer_level, delay_ms: accepted.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Profile:
    """The events of a profile.

    Args:
      folder: the folder of logs.
      options: says what is recorded.
    """

    def __init__(self, folder: str, options: ProfilerOptions) -> None:
        self.options, self._folder = options, folder
        self._events: list[dict[str, Any]] = []
        self._calls: list[tuple[str, int]] = []
        self._outer: Any = None
        self._began = _now()

    def begin(self) -> None:
        """Records calls of this thread, if they are wanted."""
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
            self._calls.append(
                (f"{code.co_qualname} {os.path.basename(code.co_filename)}:{code.co_firstlineno}", _now())
            )
        elif event == "return" and self._calls:
            name, began = self._calls.pop()
            self.add(name, began, {})

    def add(self, name: str, began: int, arguments: dict[str, Any]) -> None:
        """Adds a span that ends now."""
        place = {"pid": os.getpid(), "tid": threading.get_native_id()}
        times = {"ts": began / 1e3, "dur": (_now() - began) / 1e3}  # microseconds
        self._events.append({"name": name, "ph": "X", **times, **place, "args": arguments})

    def write(self) -> None:
        """Writes the file."""
        folder = os.path.join(self._folder, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
        os.makedirs(folder, exist_ok=True)
        host = os.path.join(folder, socket.gethostname())
        with gzip.open(f"{host}.trace.json.gz", "wt", encoding="utf-8") as file:
            json.dump({"displayTimeUnit": "ms", "traceEvents": self._events}, file)
        with open(f"{host}.xplane.pb", "wb") as planes:
            planes.write(self._planes().SerializeToString())

    def _planes(self) -> Any:
        """The events as an `XSpace`, a line for each thread."""
        space = XSpace(hostnames=[socket.gethostname()])
        plane = space.planes.add(name="/host:CPU")
        numbers = {name: at + 1 for at, name in enumerate(dict.fromkeys(e["name"] for e in self._events))}
        for name, number in numbers.items():
            plane.event_metadata[number].id, plane.event_metadata[number].name = number, name
        threads: dict[int, Any] = {}
        for event in self._events:
            line = threads.get(event["tid"])
            if line is None:
                line = threads[event["tid"]] = plane.lines.add(id=event["tid"], name="python", timestamp_ns=self._began)
            offset, duration = int(event["ts"] * 1e3) - self._began, int(event["dur"] * 1e3)  # ns
            line.events.add(
                metadata_id=numbers[event["name"]], offset_ps=max(offset, 0) * 1000, duration_ps=duration * 1000
            )
        return space


_lock = new_lock()
_running: list[_Profile] = []
_now = time.perf_counter_ns


@export("profiler.experimental.start")
def start(logdir: Any, options: ProfilerOptions | None = None) -> None:
    """Begins a profile.

    Args:
      logdir: the folder of logs, which TensorBoard is shown.
      options: says what is recorded.

    Raises:
      AlreadyExistsError: if there is one.
    """
    profile = _Profile(path_of(logdir), options or ProfilerOptions())
    with _lock:
        if _running:
            raise errors.AlreadyExistsError(
                None, None, "Another profiler is running: call profiler.experimental.stop()"
            )
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
    with _lock:
        if not _running:
            raise errors.UnavailableError(
                None,
                None,
                "Cannot export profiling results. No profiler is running: call profiler.experimental.start()",
            )
        profile = _running.pop()
    profile.end()
    if save:
        profile.write()


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
        profile = _running[0] if _running else None
        self._profile = profile if profile is not None and profile.options.host_tracer_level else None
        self._name, self._arguments, self._began = name, kwargs, _now()

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds metadata."""
        self._arguments.update(kwargs)

    def __enter__(self) -> Trace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._profile is not None:
            self._profile.add(self._name, self._began, {k: str(v) for k, v in self._arguments.items()})
