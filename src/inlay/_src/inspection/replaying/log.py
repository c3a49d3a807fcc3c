"""The file of a recording: a log of records, to which a writer appends and nothing else.

The frame of a record is that of a TFRecord file (`base.files.records`): length, checksum of the length, body, checksum
of the body. The first byte of the body is the kind of the record. A record names earlier records by their offsets, so
the beginning of a file up to the end of any record is a whole recording of what happened so far.

    H header      JSON: format, version, versions of packages
    F function    JSON: id, name, place
    O op          JSON: id, name, type
    B blob        bytes of an array or a text
    C call        id of function and op, number, thread, digest of the arguments; the arguments
    R result      id of function, number; the result
    X exception   id of function, number; the exception as data
    D dropped     id of function, number: the result found no room
    E end         JSON: the number of calls of each function
"""

from __future__ import annotations

import struct
import weakref
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from inlay._src.base.files.checksums import extend, extend_by
from inlay._src.base.files.records import mask, masked
from inlay._src.base.interpreter.forking import new_lock

HEAD, CHECK, LENGTH = struct.Struct("<QI"), struct.Struct("<I"), struct.Struct("<Q")
FRAME_BYTES = HEAD.size + CHECK.size
"""Bytes of a record besides its body."""
PIECE = 1 << 20
"""Bytes that are read at a time."""
PREFIX = 64
"""Bytes of a long body that a reader of the whole log gets."""
KINDS = b"HFOBCRXDE"
_TEXTS = b"HFOE"
_LONGEST_TEXT = 1 << 20


class LogWriter:
    """Appends records to a new file.

    Each record is handed to the system before `append` returns, so a process that is killed loses none. Threads take
    turns by a lock of the caller.

    Args:
      path: the file; one that is there is replaced.
    """

    def __init__(self, path: str) -> None:
        self._file: Any = open(path, "wb", buffering=0)
        weakref.finalize(self, self._file.close)
        self.size = 0

    def append(self, kind: bytes, *parts: Any) -> int:
        """Adds a record.

        Args:
          kind: one of `KINDS`.
          *parts: its body: bytes, and arrays of uint8.

        Returns:
          The offset of the record.

        Raises:
          OSError: if it cannot be written; the file ends then with the record before.
        """
        at, length, checksum = self.size, 1 + sum(map(len, parts)), extend(0, kind)
        for part in parts:
            checksum = extend_by(checksum, part) if part.__class__ is np.ndarray else extend(checksum, part)
        number = LENGTH.pack(length)
        head, tail = HEAD.pack(length, masked(number)) + kind, CHECK.pack(mask(checksum))
        pieces = [head, *parts, tail] if length > PIECE else [b"".join([head, *parts, tail])]
        try:
            for piece in pieces:
                self._write(piece)
        except OSError:
            self._file.truncate(at)
            self._file.seek(at)
            raise
        self.size = at + length + FRAME_BYTES
        return at

    def _write(self, data: Any) -> None:
        rest = memoryview(data).cast("B")
        while rest:  # the system may take a part
            rest = rest[self._file.write(rest) :]

    def close(self) -> None:
        """Ends the file."""
        self._file.close()


class LogRecord(NamedTuple):
    """A record of a log that is read from its beginning.

    Attributes:
      kind: one of `KINDS`.
      at: its offset.
      length: the number of bytes of its body, the kind included.
      body: the first bytes of its body behind the kind: all of a text, else `PREFIX` at most.
    """

    kind: bytes
    at: int
    length: int
    body: bytes


class Damage(NamedTuple):
    """The reason why the rest of a log is not read.

    Attributes:
      at: the offset of the first record that is not whole.
      reason: a clause.
    """

    at: int
    reason: str


class LogReader:
    """Reads a log: all of it in order, and single records by offset.

    Args:
      path: the file.

    Attributes:
      damage: after all records were read, what ended them early; None if nothing did.
    """

    def __init__(self, path: str) -> None:
        self._file: BinaryIO = open(path, "rb", buffering=1 << 16)
        weakref.finalize(self, self._file.close)  # a reader that nobody closes, as in `replay(path).check(f)`
        self._lock = new_lock()
        self.damage: Damage | None = None

    def records(self) -> Iterator[LogRecord]:
        """The records in order, each checked whole, with memory for one piece of them; up to the first damage."""
        at = 0
        file = self._file
        file.seek(0)
        while True:
            head = file.read(HEAD.size)
            if not head:
                return
            if len(head) < HEAD.size:
                self.damage = Damage(at, "the file ends within a record")
                return
            length, check = HEAD.unpack(head)
            if masked(head[: LENGTH.size]) != check or not length:
                self.damage = Damage(at, "the length of a record does not have its checksum")
                return
            body = self._checked(at, length)
            if body is None:
                return
            yield LogRecord(body[:1], at, length, body[1:])
            at += length + FRAME_BYTES

    def _checked(self, at: int, length: int) -> bytes | None:
        """The first bytes of a body that has its checksum, else None."""
        first = self._file.read(min(length, PIECE))
        text = first[:1] in _TEXTS and length <= _LONGEST_TEXT
        left, checksum = length - len(first), extend(0, first)
        while left and (piece := self._file.read(min(left, PIECE))):
            left -= len(piece)
            checksum = extend(checksum, piece)
        tail = self._file.read(CHECK.size)
        if left or len(first) < min(length, PIECE) or len(tail) < CHECK.size:
            self.damage = Damage(at, "the file ends within a record")
        elif CHECK.unpack(tail)[0] != mask(checksum):
            self.damage = Damage(at, f"the {length} bytes of a record do not have their checksum")
        elif first[:1] not in KINDS:
            self.damage = Damage(at, f"a record is of no kind that this version reads: {first[:1]!r}")
        else:
            return first if text or len(first) <= PREFIX else first[:PREFIX]
        return None

    def length(self, at: int, kind: bytes) -> int:
        """The bytes of the body of a record of this kind, the kind excluded.

        Raises:
          ValueError: if there is another record, or none.
        """
        with self._lock:
            return self._entered(at, kind)

    def body(self, at: int, kind: bytes) -> bytes:
        """The body of a record of this kind, the kind excluded; `ValueError` as for `length`."""
        with self._lock:
            return self._file.read(self._entered(at, kind))

    def fill(self, at: int, out: np.ndarray) -> None:
        """Writes the body of a blob into an array of uint8 that has its size; `ValueError` as for `length`."""
        with self._lock:
            if self._entered(at, b"B") != len(out):
                raise ValueError("a blob has another size")
            if self._file.readinto(out.data) != len(out):  # type: ignore[attr-defined]
                raise ValueError("the file ends within a blob")

    def _entered(self, at: int, kind: bytes) -> int:
        """Goes to the body of a record; its length without the kind."""
        self._file.seek(at)
        head = self._file.read(HEAD.size + 1)
        if len(head) < HEAD.size + 1 or head[HEAD.size :] != kind:
            raise ValueError(f"there is no record {kind.decode()} at {at}")
        return int(HEAD.unpack(head[: HEAD.size])[0]) - 1

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
