"""Damage: errors of reading an untrusted file, as one error that says where.

A reader parses a file in blocks of `guarded`. It need not foresee the effects of damaged data: every exception that
they cause there becomes a `DataLossError` that names the file and its part.
"""

from __future__ import annotations

import contextlib
import errno
import json
import re
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.terminal import tamed

_NONSENSE = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, StopIteration,
    struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""Exceptions of Python, NumPy and the readers of archives for senseless bytes."""
MOST_VALUES = 1 << 19
"""Values of a JSON document that is read: two bytes of it can stand for an object of sixty-four."""


_BYTES_A_VALUE = 32
_WORDS: dict[type[BaseException], str] = {
    KeyError: "it lacks the entry",
    IndexError: "a number in it is that of nothing",
    AttributeError: "a part of it is of another type",
    TypeError: "a part of it is of another type",
    RecursionError: "it is nested too deeply",
}
"""Messages for Python's own errors of data, whose texts refer to inlay's source."""
_OF_PYTHON = re.compile(r"'\w+' object|\w\(\) (takes|got|missing)|NoneType|unsupported operand|must be \w+, not")
"""The mark of the text of a TypeError of Python's."""


def damaged(what: str, part: str, why: object) -> errors.OpError:
    """The error for a file that is not as it must be.

    Args:
      what: the file: "The saved model /models/1".
      part: of it; "" for all of it.
      why: the reason, or the exception that it led to.
    """
    place = f" at {part}" if part else ""
    said = why
    if isinstance(why, BaseException):
        said = in_words(why)
        if said is None:
            said = (
                why if type(why) is ValueError else f"{type(why).__name__}: {why}"
            )  # a reader's own checks say it all
    return errors.DataLossError(None, None, f"{what} is damaged{place}: {said}")


def in_words(error: BaseException) -> str | None:
    """The text of an error about data, where its own text speaks of our source; None where that says it."""
    words = _WORDS.get(type(error))
    if words is None or (isinstance(error, TypeError) and not _OF_PYTHON.search(str(error))):
        return None
    return f"{words} {error}" if isinstance(error, KeyError) else words


@contextlib.contextmanager
def guarded(what: str, part: str = "") -> Iterator[None]:
    """Reports exceptions that damaged data cause in the block.

    Args:
      what: see `damaged`.
      part: see `damaged`.

    Raises:
      DataLossError: for every exception that such data cause. Our own errors and those of the system pass.
    """
    try:
        yield
    except (*_NONSENSE, OSError) as error:
        system = isinstance(error, OSError) and error.errno != errno.EINVAL  # EINVAL: an offset that cannot be
        if system or isinstance(error, errors.OpError):
            raise
        tamed(error)
        raise damaged(what, part, error) from error


def json_of(data: bytes, size: int = 0) -> Any:
    """The content of an untrusted JSON document.

    Args:
      data: the document, as UTF-8.
      size: the bytes of the file that it is part of: a large one may have more values.

    Raises:
      ValueError: if it is none, has too many values, is nested too deeply, or an object of it has an entry twice.
    """
    count = data.count(b"[") + data.count(b"{") + data.count(b",")
    if count > (most := max(MOST_VALUES, size // _BYTES_A_VALUE)):
        raise ValueError(f"it has {count:,} values, more than {most:,}")
    try:
        return json.loads(data, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("it has an entry twice")
    return members
