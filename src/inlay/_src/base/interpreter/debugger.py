"""Whether a thread is in a debugger: then nothing else of its run should start and print."""

from __future__ import annotations

import sys
from types import FrameType

from inlay._src.base.interpreter import collector

_RUNNERS = "inlay._src.engine.run."
"""The prefix of the names of the modules that run steps."""
_DEBUGGERS = frozenset({"bdb", "pdb", "pydevd", "pydevd_frame", "_pydevd_bundle.pydevd_frame"})


def frames() -> dict[int, FrameType]:
    """The frame that each thread is in.

    Before Python 3.12 `_current_frames` may collect garbage while it holds a lock of the interpreter; a finalizer
    written in Python then lets another thread run, which waits for that lock for ever if it asks for frames too or
    starts a thread (python/cpython#106883). So nothing is collected meanwhile.
    """
    if sys.version_info >= (3, 12):
        return sys._current_frames()
    with collector.paused():
        return sys._current_frames()


def holds(thread: int) -> bool:
    """Whether a thread is in a debugger's prompt, or its step is being stepped through.

    Frames outside of what runs steps do not count: a program may be stepped over a whole run.
    """
    bdb = sys.modules.get("bdb")
    if bdb is None and "pydevd" not in sys.modules:
        return False
    kind = getattr(bdb, "Bdb", None)  # another thread may be importing it just now
    frame = frames().get(thread)
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith(_RUNNERS):
        if frame.f_globals.get("__name__") in _DEBUGGERS:
            return True
        if kind is not None and isinstance(getattr(frame.f_trace, "__self__", None), kind):
            return True
        frame = frame.f_back
    return False
