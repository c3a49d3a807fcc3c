"""The lines of text files."""

from __future__ import annotations

from inlay._src.base.files.opening import BUFFER, Opened, longest, reading, too_long
from inlay._src.base.files.stream import Stream


class Lines(Stream):
    """The lines of a file, without their ends; the arguments are those of `Stream`."""

    __slots__ = ("_longest",)

    def __init__(self, path: str, compression: str = "", buffer: int = BUFFER, opened: Opened = reading) -> None:
        self._longest = longest(path, compression) if compression else -1
        super().__init__(path, compression, buffer, opened)

    def __next__(self) -> bytes:
        line = self._file.readline(self._longest)
        if not line:
            raise StopIteration
        if len(line) == self._longest and not line.endswith(b"\n"):
            raise too_long(self.path, len(line))
        self.at += len(line)
        line = line.removesuffix(b"\n")
        return line.replace(b"\r", b"") if b"\r" in line else line  # within a line too, as TensorFlow reads it
