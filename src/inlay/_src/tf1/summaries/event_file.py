"""Files of events, which TensorBoard reads: records, each a message `Event`, the first of which says the version.

A thread writes the events, so that adding one waits for no disk. A forked child begins a file of its own; the parent
writes the events that were pending at the fork.

              add, the first event                 nothing waits any more
    RESTING ───────────────────────▶ WRITING ─────────────────────────────▶ RESTING
       └──────── begin, close ───────▶  │ a thread of its own, or that of `begin` and `close`, which wait for RESTING

`_writing` says which it is, and changes under the lock `_changed`. Only the thread that made it WRITING opens, writes
and closes the file.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import itertools
import os
import socket
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files import gfile
from inlay._src.base.files.file_systems import asked
from inlay._src.base.files.opening import failed, path_of
from inlay._src.base.files.records import framed
from inlay._src.base.interpreter import threads
from inlay._src.base.interpreter.conditions import new_condition
from inlay._src.base.interpreter.forking import in_child

VERSION = "brain.Event:2"
"""The version in the first event of every file, which readers check."""
PATIENCE = 30.0
"""Seconds that the end of the process waits for what is not written yet."""


class EventFile:
    """A file of events in a folder, made when the first event is added.

    Args:
      folder: where it is; made if it is not there. A name with a scheme, "memory://", "s3://", is of a file system of
        fsspec.
      suffix: the suffix of its name.
      most: the capacity of the writer thread's queue of events; the next one waits for it.

    Attributes:
      folder: where it is.
      path: the file, or None before the first event.

    Raises:
      FailedPreconditionError, PermissionDeniedError: if the folder cannot be made.
    """

    path: str | None

    def __init__(self, folder: Any, suffix: str = "", most: int = 10) -> None:
        self._file: Any = None  # before anything may fail: `__del__` looks at it
        self.folder, self._suffix, self._most = path_of(folder), suffix, max(most, 1)
        gfile.makedirs(self.folder)
        self._afresh()
        _LIVE.add(self)

    def begin(self) -> None:
        """Makes the file before the first event.

        Raises:
          ResourceExhaustedError, FailedPreconditionError: if it cannot be made.
        """
        try:
            with self._alone():
                self._write(())
        except OSError as error:
            raise self._named(error) from None

    def _afresh(self) -> None:
        self.path = None
        self._file = None
        self._error: BaseException | None = None
        self._waiting: deque[bytes] = deque()
        self._writing = False  # whether a thread is going to look at what waits
        self._changed = new_condition()

    def add(self, event: Any) -> None:
        """Adds an event.

        Args:
          event: a message `Event`, which may be changed afterwards.

        Raises:
          ResourceExhaustedError: if the disk was full when earlier events were written; they are lost, and so is this.
          FailedPreconditionError: if they could not be written for another reason.
        """
        text = event.SerializeToString()
        with self._changed:
            while self._error is None and self._writing and len(self._waiting) >= self._most:
                self._changed.wait()
            self._check()
            self._waiting.append(text)
            begins, self._writing = not self._writing, True
        if begins:
            try:
                threads.HELPERS.submit(self._write_all)
            except RuntimeError:  # no more threads now
                self._write_all()

    def flush(self) -> None:
        """Waits until all that was added is in the file.

        Raises:
          ResourceExhaustedError, FailedPreconditionError: if it is not.
        """
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._check()

    def close(self) -> None:
        """Waits until all that was added is in the file, and closes it; the next event begins another file.

        Raises:
          ResourceExhaustedError, FailedPreconditionError: if it is not.
        """
        with self._alone():
            error, self._error = self._error, None
            self._close()
        if error is not None:
            raise error

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """This thread has the file, once all that was added is written; it writes what is added meanwhile."""
        with self._changed:
            while self._writing:
                self._changed.wait()
            self._writing = True
        try:
            yield
        finally:
            self._write_all()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def __del__(self) -> None:
        self._close()

    def _check(self) -> None:
        if self._error is not None:
            raise self._error

    def _write_all(self) -> None:
        """The thread's part."""
        while True:
            with self._changed:
                if not self._waiting:
                    self._writing = False
                    self._changed.notify_all()
                    return
                texts = list(self._waiting)
                self._waiting.clear()
                self._changed.notify_all()
            try:
                if self._error is None:
                    self._write(texts)
            except BaseException as error:
                self._error = self._named(error)

    def _named(self, error: BaseException) -> BaseException:
        if not isinstance(error, OSError):
            return error
        lost = f"{self.path or self.folder}: events could not be written, and are lost: {error.strerror or error}"
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        kind = errors.ResourceExhaustedError if full else errors.FailedPreconditionError
        return kind(None, None, lost)

    def _write(self, texts: Iterable[bytes]) -> None:
        if self._file is None:
            self.path, self._file = opened(self.folder, self._suffix)
            self._put(framed(_first()))
        self._put(b"".join(map(framed, texts)))

    def _put(self, data: bytes) -> None:
        """Writes whole records, or none of them: a partial write to a full disk is truncated."""
        file, left = self._file, memoryview(data)
        local = hasattr(file, "fileno") and file.seekable()
        begin = file.tell() if local else 0
        try:
            while left:
                left = left[file.write(left) :]
            file.flush()
        except OSError:
            if local:
                with contextlib.suppress(OSError):
                    file.truncate(begin)
                    file.seek(begin)
            raise

    def finish(self, patience: float) -> None:
        """Waits until no thread writes, but not longer than so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._writing, patience)

    def begin_again(self) -> None:
        """In a forked child: the file, and what waits for it, are the parent's."""
        with contextlib.suppress(OSError):
            self._close()
        self._afresh()


def opened(folder: str, suffix: str) -> tuple[str, Any]:
    """(the path, the file) of a new event file; named as TensorFlow names it, after the second and the machine.

    Where a file has that name already, the seconds are those of the next free one: nothing is written over.
    """
    for second in itertools.count(int(time.time())):
        path = gfile.join(folder, f"events.out.tfevents.{second:010d}.{socket.gethostname()}{suffix}")
        if "://" in path:
            if not gfile.exists(path):
                return path, asked(path, lambda system, name: system.open(name, "wb"))
            continue
        try:
            return path, open(path, "xb", buffering=0)
        except FileExistsError:
            continue
        except FileNotFoundError as error:
            raise failed(path, error) from None
    raise AssertionError("seconds do not end")


def _first() -> bytes:
    from inlay._src.base.protos.event import Event

    first = Event(wall_time=time.time(), file_version=VERSION)
    first.source_metadata.writer = "inlay._src.tf1.summaries.event_file"
    return first.SerializeToString()  # type: ignore[no-any-return]


_LIVE: weakref.WeakSet[EventFile] = weakref.WeakSet()
_COUNT = itertools.count()


def suffix_of_process(suffix: str) -> str:
    """The suffix of a file of TensorFlow 2: the process and a number come before it."""
    return f".{os.getpid()}.{next(_COUNT)}{'' if suffix.startswith('.') else '.'}{suffix}"


@atexit.register
def _at_exit() -> None:
    for file in list(_LIVE):
        file.finish(PATIENCE)


def _after_fork() -> None:
    for file in list(_LIVE):
        file.begin_again()


in_child(_after_fork)
