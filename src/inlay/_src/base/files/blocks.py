"""Files of blocks of bytes that are all of one size."""

from __future__ import annotations

import os

from inlay._src.base import errors
from inlay._src.base.files.opening import BUFFER, Opened, failed, reading
from inlay._src.base.files.stream import Stream


class Blocks(Stream):
    """Blocks of bytes of one size.

    Args:
      path: the file.
      size: of a block, in bytes.
      header, footer: the numbers of bytes in front of the first block and behind the last that are left out.
      compression, buffer, opened: as for `Stream`.

    Raises:
      InvalidArgumentError: while it is read, if what is between header and footer is no whole number of blocks.
    """

    __slots__ = ("_ahead", "_checked", "_footer", "_header", "_size")

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
        super().__init__(path, compression, buffer, opened)
        self._size, self._header, self._footer, self._ahead = size, header, footer, b""
        self._checked = bool(compression)  # how much a compressed file holds is known at its end

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


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError as error:
        raise failed(path, error) from None
