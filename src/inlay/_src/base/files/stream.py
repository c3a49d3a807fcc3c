"""Elements of a file in order, from any place where one begins."""

from __future__ import annotations

from typing import BinaryIO, Self

from inlay._src.base.files.opening import BUFFER, Opened, reading


class Stream:
    """Base class of the elements of a file, one after the other.

    A subclass reads the next element in `__next__` and adds its length to `at`.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      buffer: the buffer size in bytes.
      opened: opens it, from these three: `reading`, or `ahead.reading_ahead`.

    Attributes:
      path: the file.
      at: where the next element begins, counted in bytes after decompression.
    """

    __slots__ = ("_file", "at", "path")

    def __init__(self, path: str, compression: str = "", buffer: int = BUFFER, opened: Opened = reading) -> None:
        self.path, self.at = path, 0
        self._file = opened(path, compression, buffer)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        raise NotImplementedError

    def seek(self, at: int) -> None:
        """Goes on at an earlier value of `at`."""
        skip(self._file, at - self.at)
        self.at = at

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def skip(file: BinaryIO, count: int) -> None:
    """Skips bytes; a decompressed stream, which cannot seek, reads them."""
    if file.seekable():
        file.seek(count, 1)
        return
    while count > 0:
        piece = file.read(min(count, BUFFER))
        if not piece:
            return
        count -= len(piece)
