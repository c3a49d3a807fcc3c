"""Damage: what reading a file stumbles over whose bytes anyone may have written, as one error that says where.

A reader takes a file apart in blocks of `guarded`. It need not foresee how nonsense shows: whatever the data make
Python raise there is a `DataLossError` that names the file and its part.
"""

from __future__ import annotations

import contextlib
import errno
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator

from inlay import errors

_NONSENSE = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RuntimeError, EOFError, StopIteration,
    struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What bytes that make no sense have Python, NumPy and the readers of archives raise."""


def damaged(what: str, part: str, why: object) -> errors.OpError:
    """The error for a file that is not as it must be.

    Args:
      what: the file: "The saved model /models/1".
      part: of it; "" for all of it.
      why: what is wrong; an exception is told with its class.
    """
    place = f" at {part}" if part else ""
    told = isinstance(why, BaseException) and type(why) is not ValueError  # those of a reader's own checks say it all
    said = f"{type(why).__name__}: {why}" if told else why
    return errors.DataLossError(None, None, f"{what} is damaged{place}: {said}")


@contextlib.contextmanager
def guarded(what: str, part: str = "") -> Iterator[None]:
    """In the block, what makes no sense is damage.

    Args:
      what, part: as `damaged` takes them.

    Raises:
      DataLossError: for whatever such data make Python raise. Errors of ours and of the system pass.
    """
    try:
        yield
    except (*_NONSENSE, OSError) as error:
        system = isinstance(error, OSError) and error.errno != errno.EINVAL  # EINVAL: an offset that cannot be
        if system or isinstance(error, errors.OpError):
            raise
        raise damaged(what, part, error) from error
