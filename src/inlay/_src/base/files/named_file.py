"""A file by its name, opened when it is used: `tf.io.gfile.GFile`."""

from __future__ import annotations

import contextlib
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.file_systems import Path, asked, text
from inlay._src.base.files.gfile import stat


@export("io.gfile.GFile", "compat.v1.gfile.GFile", "compat.v1.gfile.Open")
class GFile:
    """A file of text, or of bytes where the mode has a "b". It is opened when it is first used.

    Args:
      name: the file.
      mode: "r", "w", "a", each with "+" or "b" or without.

    Raises:
      InvalidArgumentError: for another mode. Uses raise NotFoundError or FailedPreconditionError if the file cannot be
        opened, and PermissionDeniedError for what the mode does not allow.
    """

    def __init__(self, name: Path, mode: str = "r") -> None:
        if mode.replace("b", "", 1) not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError(
                None, None, f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+', with a 'b' or without: {mode!r}"
            )
        self._name, self._mode = name, mode
        self._file: Any = None

    @property
    def name(self) -> str:
        """The file."""
        return text(self._name)

    @property
    def mode(self) -> str:
        """The mode."""
        return self._mode

    def _opened(self, to: str) -> Any:
        if to == "reading" and not ("r" in self._mode or "+" in self._mode):
            raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
        if to == "writing" and not ("w" in self._mode or "a" in self._mode or "+" in self._mode):
            raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
        if self._file is None:
            mode = self._mode.replace("b", "") + "b"
            self._file = asked(self._name, lambda system, name: system.open(name, mode))
        return self._file

    def _text(self, content: bytes) -> Any:
        """A chunk of text or bytes, by the mode."""
        return content if "b" in self._mode else content.decode()

    def read(self, n: int = -1) -> str | Any:
        """The next chunk.

        Args:
          n: the number of bytes; -1 for all.

        Raises:
          UnicodeDecodeError: if the mode is one of text, and the bytes are not UTF-8.
        """
        return self._text(self._opened("reading").read(n))

    def readline(self) -> str | Any:
        """The next line with its end; empty at the end of the file."""
        return self._text(self._opened("reading").readline())

    def readlines(self) -> list[Any]:
        """The lines that are left."""
        return list(self)

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> str | Any:
        """The next line, with its end."""
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def write(self, file_content: Any) -> None:
        """Writes text as UTF-8, or bytes as they are, in every mode.

        Args:
          file_content: a string, bytes or a bytearray.

        Raises:
          TypeError: for anything else.
        """
        file = self._opened("writing")
        if not isinstance(file_content, (str, bytes, bytearray)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        file.write(file_content.encode() if isinstance(file_content, str) else file_content)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a place in the file.

        Args:
          offset: where to, in bytes.
          whence: 0 from the beginning, 1 from here, 2 from the end.
          position: another name of `offset`.

        Raises:
          TypeError: without an offset.
        """
        to = offset if position is None else position
        if to is None:
            raise TypeError("seek(): offset argument required")
        self._opened("seeking").seek(to, whence)

    def tell(self) -> int:
        """Where in the file what comes next is, in bytes."""
        return int(self._opened("seeking").tell())

    def seekable(self) -> bool:
        """Whether `seek` works: it does."""
        return True

    def size(self) -> int:
        """The number of bytes of the file; written bytes count once they were flushed."""
        return stat(self._name).length

    def flush(self) -> None:
        """Has what was written be seen by others."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Closes the file; it may be used again, and is opened anew then."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(
            Exception
        ):  # `GFile(name).read()` closes nothing else, and the interpreter may be ending
            self.close()


@export("compat.v1.gfile.FastGFile")
class FastGFile(GFile):
    """`GFile` by another name.

    Args:
      name: the file.
      mode: the mode.
    """
