"""Where in the user's program something was defined."""

from __future__ import annotations

import os
import re
import sys
import warnings
from types import MethodType
from typing import Any, NamedTuple

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tracebacks import FOLDER, place


class Site(NamedTuple):
    """A line of the user's program."""

    filename: str
    lineno: int
    function: str

    def without_folder(self) -> Site:
        """The same without the folder of the file, which says nothing elsewhere."""
        return self._replace(filename=os.path.basename(self.filename))

    def __str__(self) -> str:
        return f"{place(self.filename, self.lineno)} in {self.function}"


# Where a converted function keeps (its own code, the function the user wrote). The code tells it from a wrapper that
# `functools.wraps` gave the same attributes.
ORIGINAL = "__inlay_original__"


def as_written(function: Any) -> Any:
    """The function as the user wrote it, if AutoGraph converted it together with the function around it."""
    code, original = getattr(function, ORIGINAL, (None, function))
    if code is None or getattr(function, "__code__", None) is not code:
        return function
    return MethodType(original, function.__self__) if isinstance(function, MethodType) else original


_OURS: BoundedCache[str, bool] = BoundedCache(
    "files of the library", 4096, lambda filename: filename.startswith(FOLDER)
)
_SITES: BoundedCache[tuple[str, int, str], Site] = BoundedCache("lines of the program", 4096, lambda key: Site(*key))
"""A loop that makes thousands of nodes makes one `Site`."""


def caller(within: int = 0) -> Site:
    """The innermost frame outside this library.

    Args:
      within: the number of frames around the caller that are the library's: looking at one takes time.
    """
    frame = sys._getframe(1 + within)
    while frame.f_back is not None and _OURS[frame.f_code.co_filename]:
        frame = frame.f_back
    code = frame.f_code
    return _SITES[code.co_filename, frame.f_lineno, code.co_name]


def warn(message: str, category: type[Warning]) -> None:
    """Issues a warning at the innermost line outside this library.

    Args:
      message: the text.
      category: the class of the warning.
    """
    level, frame = 2, sys._getframe(1)  # level 2 of the standard library is the frame around this one
    while frame.f_back is not None and _OURS[frame.f_code.co_filename]:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def of_function(fn: Any) -> str:
    """Where a callable is written, as far as Python knows: `f (train.py:12)`, else its repr."""
    inner = fn
    while (code := getattr(inner, "__code__", None)) is None or _OURS[code.co_filename]:
        around = ("__wrapped__",) if code is not None else ("func", "__func__", "__wrapped__")
        following = next((f for name in around if (f := getattr(inner, name, None)) is not None), None)
        if following is None:
            break
        inner = following
    name = getattr(fn, "__qualname__", None) or getattr(inner, "__qualname__", None) or repr(fn)
    return f"{name} ({place(code.co_filename, code.co_firstlineno)})" if code is not None else name


_FOLDER = r"(?<=\()[^(].*[\\/](?=[^\\/]+:\d+\)$)"
_ADDRESS = r" at 0x[0-9A-Fa-f]+"


def without_folder(label: str) -> str:
    """The result of `of_function`, without the folder of the file and addresses: the same everywhere."""
    return re.sub(_ADDRESS, "", re.sub(_FOLDER, "", label, count=1))
