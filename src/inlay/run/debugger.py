"""Whether a thread stands in a debugger: then nothing else of its run should start and print."""

from __future__ import annotations

import sys
from typing import Any

_DEBUGGERS = frozenset({"bdb", "pdb", "pydevd", "pydevd_frame", "_pydevd_bundle.pydevd_frame"})


def holds(thread: int, runner: dict[str, Any]) -> bool:
    """Whether a thread stands in a debugger's prompt, or its step is being stepped through.

    Args:
      thread: its identity.
      runner: the globals of the module that runs steps. Frames outside of it do not count: a program may be stepped
        over a whole run.
    """
    bdb = sys.modules.get("bdb")
    if bdb is None and "pydevd" not in sys.modules:
        return False
    frame = sys._current_frames().get(thread)
    while frame is not None and frame.f_globals is not runner:
        if frame.f_globals.get("__name__") in _DEBUGGERS:
            return True
        if bdb is not None and isinstance(getattr(frame.f_trace, "__self__", None), bdb.Bdb):
            return True
        frame = frame.f_back
    return False
