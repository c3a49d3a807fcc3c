"""Files that appear whole: a reader sees the old one, or the new one to its last byte."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def replacing(target: str) -> Iterator[BinaryIO]:
    """A new file to write into; it takes its name when the `with` statement ends well, and is gone otherwise.

    Args:
      target: its name; a file that has it is replaced.
    """
    folder, name = os.path.split(target)
    draft = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
    lasting(folder or ".")


def lasting(path: str) -> None:
    """Makes a file's contents, or a folder's names, outlast a failing machine, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
