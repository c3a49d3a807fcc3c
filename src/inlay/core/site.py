"""Where in the user's program something was defined."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Site(NamedTuple):
    """A line of the user's program."""

    filename: str
    lineno: int
    function: str

    def __str__(self) -> str:
        return f"{self.filename}:{self.lineno} in {self.function}"


# Where a converted function keeps (its own code, the function the user wrote). The code tells it from a wrapper that
# `functools.wraps` gave the same attributes.
ORIGINAL = "__inlay_original__"


def as_written(function: Any) -> Any:
    """The function as the user wrote it, if AutoGraph converted it together with the function around it."""
    code, original = getattr(function, ORIGINAL, (None, None))
    return original if code is not None and getattr(function, "__code__", None) is code else function


class _Ours(dict[str, bool]):
    """File name -> whether it is this library's."""

    def __missing__(self, filename: str) -> bool:
        if len(self) >= _KEPT:
            self.clear()
        found = self[filename] = filename.startswith(_PACKAGE)
        return found


_KEPT = 4096
_ours = _Ours()
_sites: dict[tuple[str, int, str], Site] = {}
"""Lines met before: a loop that makes thousands of nodes makes one `Site`."""


def caller() -> Site:
    """The innermost frame outside this library."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _ours[frame.f_code.co_filename]:
        frame = frame.f_back
    code = frame.f_code
    key = (code.co_filename, frame.f_lineno, code.co_name)
    found = _sites.get(key)
    if found is None:
        if len(_sites) >= _KEPT:
            _sites.clear()
        found = _sites[key] = Site(*key)
    return found


def of_function(fn: Any) -> str:
    """Where a callable is written, as far as Python knows: `f (train.py:12)`, else its repr."""
    inner = fn
    while not hasattr(inner, "__code__"):
        following = (
            getattr(inner, "func", None) or getattr(inner, "__func__", None) or getattr(inner, "__wrapped__", None)
        )
        if following is None:
            break
        inner = following
    code = getattr(inner, "__code__", None)
    name = getattr(fn, "__qualname__", None) or getattr(inner, "__qualname__", None) or repr(fn)
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code is not None else name
