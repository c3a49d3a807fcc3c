"""Tracebacks of users: the frames of the library are dropped where an exception leaves it.

    user's frame ▶ public function ▶ frames of the library ▶ user's function ▶ its frames
                          │ `trim`                                  ▲
                          └── user's frame ▶ user's function ▶ its frames: what is printed, and where `pdb.pm()` stands

A public function is a boundary: it drops the frames below it and re-raises. An exception passes several boundaries if
the library calls its own public functions; the outermost one alone trims, for the inner ones' callers read the frames
(`misuse.is_accident`). `debugging.disable_traceback_filtering()`, or the environment variable INLAY_FULL_TRACEBACK=1,
keeps every frame.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
"""The folder of the package, with a separator at its end: frames of files below it are frames of the library."""

HEADING = "Traceback (most recent call last):"
"""The first line of the text of a traceback."""

_PACKAGE = __name__.partition(".")[0]
_TRANSFORMERS = ("malt",)
"""Packages that call a user's function for the library: AutoGraph's transformation."""
_PYTHONS = (os.path.dirname(os.__file__) + os.sep, "<frozen ", "<string>", "<__array_function__")
"""The beginnings of the files of the standard library, and of code that it and NumPy write."""
_BOUNDARIES: set[CodeType] = set()
_TRIMMED = "_inlay_trimmed"
"""The attribute of an exception whose frames were dropped."""


class _TracebackSettings:
    """Attributes: filtered: whether the library's frames are dropped; the test suite, which reads them, keeps them."""

    filtered: bool = os.environ.get("INLAY_FULL_TRACEBACK", "") in ("", "0")


settings = _TracebackSettings()


class RemoteTraceback(Exception):
    """The cause of an exception that came from another process or machine; its text is the traceback there."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return "\n" + self.text


def boundary(function: F) -> F:
    """Declares a function to be a boundary: its `except Exception as error` calls `leave(error)` and re-raises."""
    _BOUNDARIES.add(function.__code__)
    return function


def is_library(frame: FrameType) -> bool:
    """Whether a frame is of the library, or of source that it wrote."""
    return frame.f_code.co_filename.startswith(FOLDER) or _package(frame) == _PACKAGE


def _package(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__")
    return name.partition(".")[0] if isinstance(name, str) else ""


def is_inside(frame: FrameType | None) -> bool:
    """Whether a boundary calls this frame by frames of the library alone."""
    while frame is not None and is_library(frame):
        if frame.f_code in _BOUNDARIES:
            return True
        frame = frame.f_back
    return False


def leave(error: BaseException) -> None:
    """Drops the library's frames of an exception at a boundary, which calls this, unless another is further out."""
    if settings.filtered and not is_inside(sys._getframe(2)):
        trim(error)


def trim(error: BaseException) -> None:
    """Drops the library's frames from the traceback of an exception and of those that are printed before it.

    A cause loses the frames that the exception itself has: the function's frames are printed once. An exception that is
    handled meanwhile may be the caller's, and keeps those.
    """
    shown: set[tuple[int, int]] = set()
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        seen.add(id(at))
        frames = [t for t in users_frames(at.__traceback__) if (id(t.tb_frame), t.tb_lasti) not in shown]
        shown.update((id(t.tb_frame), t.tb_lasti) for t in frames)
        at.__traceback__ = _chained(frames)
        if at.__cause__ is None:
            shown.clear()
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    try:
        setattr(error, _TRIMMED, True)
    except AttributeError:  # a class without attributes
        pass


def is_trimmed(error: BaseException) -> bool:
    """Whether frames of the exception were dropped, so that its last frame is not the one that raised it."""
    return getattr(error, _TRIMMED, False)


def users_frames(trace: TracebackType | None) -> list[TracebackType]:
    """The frames of a traceback without the library's, and without other packages' and Python's between those."""
    frames: list[TracebackType] = []
    start = 0  # of the frames since the last one of the library
    after = False
    while trace is not None:
        if is_library(trace.tb_frame) or _package(trace.tb_frame) in _TRANSFORMERS:
            if after and all(map(_is_installed, frames[start:])):
                del frames[start:]
            start, after = len(frames), True
        else:
            frames.append(trace)
        trace = trace.tb_next
    return frames


def _is_installed(trace: TracebackType) -> bool:
    return _package(trace.tb_frame) != "__main__" and is_installed(trace.tb_frame.f_code.co_filename)


def is_installed(file: str) -> bool:
    """Whether a file is one of a package or of the standard library."""
    return "site-packages" in file or "dist-packages" in file or file.startswith(_PYTHONS)


def place(file: str, line: int) -> str:
    """A line for people: "train.py:12", or "Cell In[3], line 12" if the file is a cell of a notebook."""
    cell = _cell(file)
    return f"{file}:{line}" if cell is None else f"{cell}, line {line}"


def _cell(file: str) -> str | None:
    """The label of a notebook's cell, whose code has the name of a temporary file, as IPython's tracebacks show it."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return None
    try:
        label = shell.compile.format_code_name(file)
    except AttributeError:  # a shell of another kind
        return None
    return None if label is None else " ".join(label)


def _chained(frames: list[TracebackType]) -> TracebackType | None:
    trace: TracebackType | None = None
    for frame in reversed(frames):
        trace = TracebackType(trace, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return trace


def _traces(trace: TracebackType | None) -> list[TracebackType]:
    traces = []
    while trace is not None:
        traces.append(trace)
        trace = trace.tb_next
    return traces


def text_of(error: BaseException, sources: bool = False) -> str:
    """The user's frames of an exception and of its causes as a text.

    Args:
      error: the exception; one from elsewhere has its own text, which comes first.
      sources: with the source lines, for a reader that does not have the traceback itself.
    """
    import traceback

    if isinstance(error.__cause__, RemoteTraceback):
        return error.__cause__.text
    report = traceback.TracebackException.from_exception(error, compact=True, lookup_lines=sources)
    seen: set[int] = set()

    def trim_part(part: Any, exception: Any) -> None:
        if part is None or id(part) in seen:
            return
        seen.add(id(part))
        users = {id(trace) for trace in users_frames(exception.__traceback__)}
        traces = _traces(exception.__traceback__)
        frames = [f for f, trace in zip(part.stack, traces, strict=False) if id(trace) in users] or list(part.stack)
        if not sources:
            frames = [
                traceback.FrameSummary(_cell(f.filename) or f.filename, f.lineno, f.name, lookup_line=False, line="")
                for f in frames
            ]
        part.stack = traceback.StackSummary.from_list(frames)
        trim_part(part.__cause__, exception.__cause__)
        trim_part(part.__context__, exception.__context__)
        for member, raised in zip(part.exceptions or (), getattr(exception, "exceptions", ()), strict=False):
            trim_part(member, raised)

    trim_part(report, error)
    return "".join(report.format()).rstrip()
