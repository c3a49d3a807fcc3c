"""The page that a worker shares with its pool: the call that it runs, and the answers that it defers."""

from __future__ import annotations

import socket
import zlib
from typing import Any

from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import Packet

_WORDS = 16
PAGE = _WORDS + wire.MOST_INLINE
"""Bytes of an `AnswersPage`."""


class AnswersPage:
    """Shared memory that a worker writes: the number of the last call that it began, and the answers that it defers.

        begun number │ bytes of answers │ answers, each a packet with a checksum

    The worker sends its deferred answers in one packet. The pool finds them here, should the worker die before that, or
    a call take long. It may look while the worker writes: an answer that is not whole then has another checksum.

    Args:
      memory: `PAGE` bytes.
    """

    def __init__(self, memory: Any) -> None:
        self._memory = memory
        self._words = memoryview(memory)[:_WORDS].cast("Q")
        self._room = memoryview(memory)[_WORDS:]
        self._first = self._used = 0

    def begin(self, number: int) -> None:
        """A call begins."""
        self._words[0] = number

    def last_begun(self) -> int:
        """The number of the last call that began."""
        return self._words[0]

    def defer(self, kind: int, number: int, packed: wire.PackedValue, seconds: float) -> bool:
        """Adds an answer; False if it has to be sent by itself."""
        stream, start = packed.stream, self._used
        end = start + wire.HEADER.size + len(stream)
        if packed.pieces or end > wire.MOST_INLINE:
            return False
        if not start:
            self._first = number
        checksum = _checksum(kind, number, stream)
        wire.HEADER.pack_into(self._room, start, kind, False, number, seconds, len(stream), checksum, 0)
        self._room[start + wire.HEADER.size : end] = stream
        self._words[1] = self._used = end
        return True

    def send(self, over: socket.socket) -> None:
        """Sends the deferred answers, if there are any."""
        if self._used:
            over.send(wire.in_batch(self._first, bytes(self._room[: self._used])))
            self._words[1] = self._used = 0

    def deferred(self, above: int) -> list[Packet]:
        """The deferred answers whose number is greater than another one."""
        used = min(self._words[1], wire.MOST_INLINE)
        stream, start, answers = bytes(self._room[:used]), 0, list[Packet]()
        while start + wire.HEADER.size <= used:
            kind, _, number, seconds, length, checksum, _ = wire.HEADER.unpack_from(stream, start)
            start += wire.HEADER.size + length
            value = stream[start - length : start]
            if _checksum(kind, number, value) != checksum:
                break
            if number > above:
                answers.append(Packet(kind, number, seconds, value, -1))
        return answers

    def close(self) -> None:
        """Frees it."""
        self._words.release()
        self._room.release()
        self._memory.close()


def _checksum(kind: int, number: int, stream: Any) -> int:
    """The checksum of an answer. A header that is half overwritten does not fit it either."""
    return zlib.crc32(stream, (number << 4 ^ kind) & 0xFFFFFFFF)
