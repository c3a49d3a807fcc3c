"""The records of delimited text files (CSV): a record ends where a line does, except within quotes."""

from __future__ import annotations

from collections.abc import Iterator

from inlay.files.opening import BUFFER, reading
from inlay.files.records import skip


class DelimitedRecords:
    """The records of a delimited text file, one string for each, without the end of its last line.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      buffer: how many bytes are read at once.
      header: whether the first record is left out.
      quotes: whether double quotes go around fields, which may then hold ends of lines.

    Attributes:
      at: where the next record begins, counted in bytes after decompression.
    """

    __slots__ = ("_file", "_quotes", "at", "path")
    path: str
    at: int

    def __init__(
        self, path: str, compression: str = "", buffer: int = BUFFER, header: bool = False, quotes: bool = True
    ) -> None:
        self.path, self.at, self._quotes = path, 0, quotes
        self._file = reading(path, compression, buffer)
        if header:
            next(self, None)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        record = line = self._file.readline()
        while line and self._quotes and record.count(b'"') % 2:
            line = self._file.readline()
            record += line
        if not record:
            raise StopIteration
        self.at += len(record)
        return record.removesuffix(b"\n").removesuffix(b"\r")

    def seek(self, at: int) -> None:
        """Goes on at a place that `at` was."""
        skip(self._file, at - self.at)
        self.at = at

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
