"""Files whose next piece is read, and decompressed, on a thread while the last one is worked on."""

from __future__ import annotations

import atexit
import io
import weakref
from typing import Any, BinaryIO

from inlay._src.base import errors
from inlay._src.base.files.opening import BUFFER, reading
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.conditions import Event
from inlay._src.base.interpreter.forking import in_child, new_lock

PATIENCE = 1.0
"""Seconds that the end of the process waits for a piece that is being read."""


def reading_ahead(path: str, compression: str = "", buffer: int = BUFFER) -> BinaryIO:
    """As `opening.reading`, but a thread opens the file and reads it, one piece ahead.

    An error of opening is raised by the first read.
    """
    size = max(buffer or BUFFER, 16)
    return io.BufferedReader(_Ahead(path, compression, size), size)


class _Piece:
    """A piece that is being read, or was.

    Attributes:
      done: whether it was read.
      data: the chunk; empty at the end.
      error: the exception of reading, or None.
    """

    __slots__ = ("data", "done", "error")

    def __init__(self) -> None:
        self.done = Event()
        self.data = b""
        self.error: BaseException | None = None


class _Ahead(io.RawIOBase):
    """The contents of a file, decompressed. `_guard` guards whether it is closed, and who closes the file then."""

    def __init__(self, path: str, compression: str, size: int) -> None:
        self._path, self._compression, self._size = path, compression, size
        self._file: BinaryIO | None = None
        self._ready = memoryview(b"")
        self._guard = new_lock()
        self._left = self._ended = False
        self._piece = self._next_piece()
        _LIVE.add(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if self._ended:
                return 0
            self._take()
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        return size

    def _take(self) -> None:
        """Takes the piece that was read, and has the next one read."""
        piece = self._piece
        piece.done.wait()
        if piece.error is not None or not piece.data:
            self._ended = True
            if piece.error is not None:
                raise piece.error
            return
        self._ready = memoryview(piece.data)
        self._piece = self._next_piece()

    def _next_piece(self) -> _Piece:
        piece = _Piece()
        try:
            parked.HELPERS.submit(lambda: self._read(piece))
        except RuntimeError:  # no more threads now
            self._read(piece)
        return piece

    def _read(self, piece: _Piece) -> None:
        """The thread's part."""
        try:
            if self._file is None:
                self._file = reading(self._path, self._compression, self._size)
            piece.data = self._file.read(self._size)
        except BaseException as error:
            piece.error = error
        with self._guard:
            piece.done.set()
            left = self._left
        if left:
            self._close_file()

    def close(self) -> None:
        """Closes the file; a thread that reads it does so when it is done."""
        with self._guard:
            self._left, working = True, not self._piece.done.is_set()
        if not working:
            self._close_file()
        super().close()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()

    def finish(self, patience: float) -> None:
        """Waits until no thread reads, but not longer than so many seconds."""
        self._piece.done.wait(patience)

    def begin_again(self) -> None:
        """In a forked child: the thread stayed behind, and the place in the file is the parent's."""
        piece = self._piece = _Piece()
        piece.error = errors.FailedPreconditionError(
            None, None, f"{self._path} was being read ahead when this process was forked: iterate anew"
        )
        piece.done.set()


_LIVE: weakref.WeakSet[_Ahead] = weakref.WeakSet()


@atexit.register
def _at_exit() -> None:
    for ahead in list(_LIVE):
        ahead.finish(PATIENCE)


def _after_fork() -> None:
    for ahead in list(_LIVE):
        ahead.begin_again()


in_child(_after_fork)
