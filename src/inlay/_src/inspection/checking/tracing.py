"""Lines of the user's code: the line that changed a value, the line that returned, and their number."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType, TracebackType
from typing import Any

from inlay._src.base.tracebacks import FOLDER, is_installed, place, users_frames

_MOST_LINES = 20_000


@functools.lru_cache(maxsize=4096)
def is_users(file: str) -> bool:
    """Whether a file of code is the user's: neither inlay's, nor an installed package's, nor Python's."""
    return not file.startswith(FOLDER) and not is_installed(file)


def shown(file: str, number: int) -> str:
    """A line of a file for people; a file below the current folder has no more of its path than that."""
    try:
        relative = os.path.relpath(file)
    except (OSError, ValueError):  # the folder was removed, or is on another drive
        return place(file, number)
    return place(file if relative.startswith(os.pardir) or not os.path.isabs(file) else relative, number)


def line(code: CodeType, number: int | None) -> str:
    """A line of code and its function, for people."""
    return f"{shown(code.co_filename, number or code.co_firstlineno)} in {code.co_name}"


def raised_at(trace: TracebackType | None) -> str | None:
    """The innermost line of the user's code in a traceback."""
    frames = [frame for frame in users_frames(trace) if is_users(frame.tb_frame.f_code.co_filename)]
    return line(frames[-1].tb_frame.f_code, frames[-1].tb_lineno) if frames else None


class _TraceEnd(BaseException):
    """The line is known, or there are too many lines: the call need not go on."""


def line_of_change(run: Callable[[], Any], probe: Callable[[], Any]) -> str | None:
    """The line of the user's code after which `probe` returns another value than before.

    Args:
      run: makes the call.
      probe: looks at the value; equal values are no change.

    Returns:
      The line; None if no line of the user's code changes it.
    """
    before, last, result, count = probe(), "", "", 0

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal last, result, count
        count += 1
        if last and probe() != before:
            result = last
            raise _TraceEnd
        if count > _MOST_LINES:
            raise _TraceEnd
        last = line(frame.f_code, frame.f_lineno)
        return local

    _traced(run, local)
    return result or (last if last and probe() != before else None)


def returning_line(run: Callable[[], Any], code: CodeType | None) -> str | None:
    """The last line that code executes in a call; None if it does not run."""
    result: list[str] = []

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return" and frame.f_code is code:
            result.append(line(frame.f_code, frame.f_lineno))
        return local

    _traced(run, local)
    return result[-1] if result else None


def _traced(run: Callable[[], Any], local: Callable[[FrameType, str, Any], Any]) -> None:
    """Makes a call whose frames of the user's code are traced; its result and its exception do not matter."""

    def begin(frame: FrameType, event: str, argument: Any) -> Any:
        return local(frame, event, argument) if is_users(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(begin)
    try:
        run()
    except _TraceEnd:
        pass
    except Exception:  # the caller saw it in the call that it observed
        pass
    finally:
        sys.settrace(before)


def lines_run(run: Callable[[], Any], most: int | None = None) -> int:
    """Makes a call and counts the lines of Python that it runs, those of packages included.

    Args:
      run: makes the call; its exception does not matter.
      most: the number of lines after which the call is ended.
    """
    count = 0

    def step(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        if most is not None and count > most:
            raise _TraceEnd
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        run()
    except (_TraceEnd, Exception):  # the caller looks at what it observed
        pass
    finally:
        sys.settrace(before)
    return count


def functions_called(run: Callable[[], Any]) -> set[str]:
    """The functions written in C that the user's code calls, as `module.name`."""
    names: set[str] = set()

    def profile(frame: FrameType, event: str, argument: Any) -> None:
        if event == "c_call":
            owner = getattr(argument, "__self__", None)
            module = getattr(argument, "__module__", None) or getattr(owner, "__name__", None) or type(owner).__name__
            names.add(f"{module}.{getattr(argument, '__name__', '')}")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        run()
    except Exception:  # the caller saw it in the call that it observed
        pass
    finally:
        sys.setprofile(before)
    return names
