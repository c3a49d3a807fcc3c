"""Files opened for reading and writing, compressed or not, with TensorFlow's errors for those that cannot be."""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from inlay._src.base import errors
from inlay._src.base.misuse import repr_of

BUFFER = 1 << 18
"""Bytes read at once where nothing else is said."""

_STEP = 1 << 14
"""Compressed bytes that are handed to zlib at once: it copies the rest of them wherever one stream ends."""
EXPANSION, ALWAYS = 100, 32 << 20
"""An element of a compressed file may have `EXPANSION` times the bytes of the file, and `ALWAYS` in any case."""

WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS + 16}
"""Compression -> what zlib calls it; "" is none."""


def failed(path: str, error: OSError) -> errors.OpError:
    """The error for a file that cannot be opened, read or written."""
    if isinstance(error, FileNotFoundError):
        return errors.NotFoundError(None, None, f"{path}; No such file or directory")
    return errors.FailedPreconditionError(None, None, f"{path}; {error.strerror}")


Opened = Callable[[str, str, int], BinaryIO]
"""A function that opens a file for reading, from its name, its compression and its buffer size."""


def reading(path: str, compression: str = "", buffer: int = BUFFER) -> BinaryIO:
    """The decompressed content of a file.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      buffer: the buffer size in bytes, 16 at least; 0 takes what is usual.

    Raises:
      InvalidArgumentError: for another compression, and a path that no file can have.
      NotFoundError, FailedPreconditionError: if it cannot be opened. Reading raises DataLossError for what was not
        compressed in this way, or ends too early.
    """
    if compression and compression not in WINDOWS:
        raise errors.InvalidArgumentError(
            None, None, f"Unsupported compression_type. Got {compression!r}: use '', 'ZLIB' or 'GZIP'."
        )
    size = max(buffer or BUFFER, 16)  # 1 would ask for lines, which bytes have not
    try:
        file = open(path, "rb", buffering=size)
    except OSError as error:
        raise failed(path, error) from None
    except ValueError as error:  # a zero, or half a character
        raise errors.InvalidArgumentError(None, None, f"{path!r} is not a file name: {error}") from None
    return file if not compression else inflated(file, path, compression, size)


def inflated(file: BinaryIO, path: str, compression: str, size: int = BUFFER) -> BinaryIO:
    """The content of an open compressed file.

    Args:
      file: the file, at its beginning.
      path: its name, for messages.
      compression: "ZLIB" or "GZIP".
      size: the number of bytes that are decompressed at once.
    """
    return io.BufferedReader(_Inflated(file, path, compression), size)


class _Inflated(io.RawIOBase):
    """The contents of a compressed file; several compressed streams one behind the other are one."""

    def __init__(self, file: BinaryIO, path: str, compression: str) -> None:
        self._file, self._path, self._compression = file, path, compression
        self._ready = self._rest = memoryview(b"")
        self._begin()

    def _begin(self) -> None:
        self._stream = zlib.decompressobj(WINDOWS[self._compression])
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._more():
                return 0
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _more(self) -> bool:
        """Decompresses a piece; False at the end."""
        if self._stream.eof:
            self._begin()
        piece = self._rest[:_STEP] or self._read()[:_STEP]
        if not piece:
            if self._begun:
                raise errors.DataLossError(
                    None, None, f"{self._path} ends within its {self._compression} stream: it was cut short"
                )
            return False
        self._begun = True
        try:
            self._ready = memoryview(self._stream.decompress(piece, 4 * BUFFER))
            left = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            self._rest = self._rest[len(piece) - len(left) :]
        except zlib.error as error:
            raise errors.DataLossError(
                None, None, f"inflate() failed: {error}. {self._path} was read as {self._compression}."
            ) from None
        return True

    def _read(self) -> memoryview:
        self._rest = memoryview(self._file.read(BUFFER))
        return self._rest

    def close(self) -> None:
        self._file.close()
        super().close()


class Deflating:
    """A file that is written compressed.

    Args:
      file: the file that takes the compressed bytes.
      compression: "ZLIB" or "GZIP".
      settings: `level`, `memLevel` and so on, as `zlib.compressobj` takes them.
    """

    def __init__(self, file: BinaryIO, compression: str, settings: Mapping[str, int]) -> None:
        options: dict[str, Any] = {"wbits": WINDOWS[compression], **settings}
        self._file, self._stream = file, zlib.compressobj(**options)

    def write(self, text: bytes) -> None:
        """Takes bytes to compress."""
        self._file.write(self._stream.compress(text))

    def flush(self) -> None:
        """Lets a reader see all that was written so far."""
        self._file.write(self._stream.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Ends the stream and closes the file."""
        try:
            self._file.write(self._stream.flush())
        finally:
            self._file.close()


def writing(path: str, compression: str = "", settings: Mapping[str, int] | None = None) -> Any:
    """A new file to write into, in place of one of that name; `write`, `flush` and `close` are what it has.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      settings: see `Deflating`.

    Raises:
      NotFoundError, FailedPreconditionError: if it cannot be opened.
    """
    try:
        file = open(path, "wb")
    except OSError as error:
        raise failed(path, error) from None
    return Deflating(file, compression, settings or {}) if compression else file


def longest(path: str, compression: str) -> int:
    """The greatest number of bytes of an element of a file: those of a plain file; any number in a compressed one.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
    """
    if not compression:
        return 1 << 64
    try:
        return max(ALWAYS, EXPANSION * os.path.getsize(path))
    except OSError:
        return ALWAYS


def too_long(path: str, count: int) -> errors.OpError:
    """The error for an element of a compressed file that is longer than `longest`."""
    return errors.ResourceExhaustedError(
        None,
        None,
        f"an element of the compressed file {path} has {count:,} bytes or more, over {EXPANSION} times those of the "
        "file: if you trust it, decompress it first, and read that",
    )


_URI = re.compile(r"file://[^/]*(?=/)")


def path_of(value: Any) -> str:
    """A file's name: bytes, text, or a path object; a URI of this machine is its path.

    Raises:
      TypeError: for anything else.
    """
    try:
        text = os.fsdecode(value)
    except TypeError:
        what = "Expected the name of a file as a string, bytes or a path object"
        raise TypeError(f"{what}, not {repr_of(value)}") from None
    uri = _URI.match(text)
    return text if uri is None else text[uri.end() :]
