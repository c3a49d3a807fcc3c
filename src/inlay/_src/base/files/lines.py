"""The lines of text files."""

from __future__ import annotations

from collections.abc import Iterator

from inlay._src.base.files.opening import BUFFER, Opened, longest, reading, too_long
from inlay._src.base.files.records import skip


class Lines:
    """The lines of a file, without their ends.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      buffer: how many bytes are read at once.
      opened: opens it, from these three: `reading`, or `ahead.reading_ahead`.

    Attributes:
      at: where the next line begins, counted in bytes after decompression.
    """

    __slots__ = ("_file", "_longest", "at", "path")

    def __init__(self, path: str, compression: str = "", buffer: int = BUFFER, opened: Opened = reading) -> None:
        self.path, self.at = path, 0
        self._longest = longest(path, compression) if compression else -1
        self._file = opened(path, compression, buffer)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        line = self._file.readline(self._longest)
        if not line:
            raise StopIteration
        if len(line) == self._longest and not line.endswith(b"\n"):
            raise too_long(self.path, len(line))
        self.at += len(line)
        line = line.removesuffix(b"\n")
        return line.replace(b"\r", b"") if b"\r" in line else line  # within a line too, as TensorFlow reads it

    def seek(self, at: int) -> None:
        """Goes on at a place that `at` was."""
        skip(self._file, at - self.at)
        self.at = at

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
