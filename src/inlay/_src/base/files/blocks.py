"""Files of blocks of bytes that are all of one size."""

from __future__ import annotations

import os
from collections.abc import Iterator

from inlay._src.base import errors
from inlay._src.base.files.opening import BUFFER, Opened, failed, reading
from inlay._src.base.files.records import skip


class Blocks:
    """Blocks of bytes of one size.

    Args:
      path: the file.
      size: of a block, in bytes.
      header, footer: how many bytes in front of the first block and behind the last are left out.
      compression: "", "ZLIB" or "GZIP".
      buffer: how many bytes are read at once.
      opened: opens it, from these three: `reading`, or `ahead.reading_ahead`.

    Attributes:
      at: where the next block begins, counted in bytes after decompression.

    Raises:
      InvalidArgumentError: while it is read, if what is between header and footer is no whole number of blocks.
    """

    __slots__ = ("_ahead", "_checked", "_file", "_footer", "_header", "_size", "at", "path")

    def __init__(
        self,
        path: str,
        size: int,
        header: int = 0,
        footer: int = 0,
        compression: str = "",
        buffer: int = BUFFER,
        opened: Opened = reading,
    ) -> None:
        self.path, self._size, self._header, self._footer = path, size, header, footer
        self._file = opened(path, compression, buffer)
        self.at, self._ahead = 0, b""
        self._checked = bool(compression)  # how much a compressed file holds is known at its end

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self.at < self._header:
            self.seek(self._header)
        if not self._checked:
            self._checked = True
            self._check(_size_of(self.path))
        wanted = self._size + self._footer
        ahead = self._ahead + self._file.read(wanted - len(self._ahead))  # behind a block there is a footer at least
        if len(ahead) < wanted:
            if len(ahead) != self._footer:
                self._check(self.at + len(ahead))
            raise StopIteration
        self.at += self._size
        self._ahead = ahead[self._size :]
        return ahead[: self._size]

    def _check(self, length: int) -> None:
        body = length - self._header - self._footer
        if body % self._size or body < 0:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), input file "
                f'"{self.path}" has body length {body} bytes, which is not an exact multiple of the record length '
                f"({self._size} bytes).",
            )

    def seek(self, at: int) -> None:
        """Goes on at a place that `at` was, before the first block is read."""
        skip(self._file, at - self.at)
        self.at = at

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise failed(path, error) from None
