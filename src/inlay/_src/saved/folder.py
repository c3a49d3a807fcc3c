"""The files of a folder that anyone may have written: regular files within it, no links, of bounded size."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from typing import Any, BinaryIO

from inlay._src.base import errors
from inlay._src.base.files.damage import damaged, guarded, json_of

MOST_DEPTH = 16
"""Folders that a path below a model may name."""


class ModelFolder:
    """A saved model's folder, as its files are read.

    Args:
      path: the folder.

    Attributes:
      path: the same.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def damaged(self, part: str, what: object) -> errors.OpError:
        """The error for a part that is not as it must be."""
        return damaged(f"The saved model {self.path}", part, what)

    def guard(self, part: str) -> contextlib.AbstractContextManager[None]:
        """In the block, what makes no sense is damage of a part; see `files.damage.guarded`."""
        return guarded(f"The saved model {self.path}", part)

    def json(self, part: str, data: bytes) -> dict[str, Any]:
        """The JSON object that the bytes of a part hold.

        Raises:
          DataLossError: if it is none.
        """
        with self.guard(part):
            said = json_of(data)
            if not isinstance(said, dict):
                raise ValueError("it is not a JSON object")
            return said

    def open(self, name: str) -> BinaryIO:
        """A regular file below the folder, open for reading without a buffer; no part of its path is a link.

        Args:
          name: its path in the folder.

        Raises:
          FileNotFoundError: if there is no such file.
          DataLossError: if it is a link, is reached through one, or is no regular file.
        """
        if not is_within(name):
            raise self.damaged(repr(name), "it is not a valid file name of a model")
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            *parents, last = name.split("/")
            try:
                for part in parents:
                    outer, folder = folder, os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
                    os.close(outer)
                handle = os.open(last, flags, dir_fd=folder)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise self.damaged(name, "it is a link or is reached through one; links are not followed") from None
                if error.errno in (errno.ENXIO, errno.EISDIR):
                    raise self.damaged(name, error.strerror) from None
                raise
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise self.damaged(name, "it is not a regular file")
        return os.fdopen(handle, "rb", buffering=0)

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[BinaryIO]:
        """As `open`, until the end of the block; a missing file is damage."""
        try:
            file = self.open(name)
        except FileNotFoundError as error:
            raise self.damaged(name, error.strerror) from None
        with file:
            yield file

    def whole(self, name: str, most: int) -> bytes:
        """The bytes of a file.

        Raises:
          DataLossError: if it has more than `most`, or there is none.
        """
        with self.opened(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise self.damaged(name, f"it has {size:,} bytes, more than {most:,}")
            data, at = bytearray(size), 0
            while count := file.readinto(memoryview(data)[at:]):  # type: ignore[attr-defined]
                at += count
            return bytes(data[:at])


def is_within(name: Any) -> bool:
    """Whether a name of a file stays within the folder."""
    parts = name.split("/") if isinstance(name, str) else [""]
    return len(parts) <= MOST_DEPTH and all(p not in ("", ".", "..") and "\0" not in p and "\\" not in p for p in parts)
