"""Output and log records of functions in a worker; the parent writes them with the name of the op.

worker   sys.stdout, sys.stderr, logging ─▶ Sender ─▶ packets ahead of the answer
parent   packets ─▶ forward ─▶ its own sys.stdout, sys.stderr, loggers
"""

from __future__ import annotations

import io
import logging
import os
import socket
import sys
from collections.abc import Mapping
from typing import Any

from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import PacketKind

_PART = 20_000  # characters of text in one packet


class Sender:
    """Sends output and log records.

    Args:
      over: the socket of the answers.

    Attributes:
      op: the op whose function runs, "" if there is none.
      number: the current request.
    """

    def __init__(self, over: socket.socket) -> None:
        self._over, self.op, self.number = over, "", 0
        self._streams: list[Printed] = []

    def forward(self, levels: Mapping[str, int]) -> None:
        """Takes the place of the standard streams, and of the root logger's handlers.

        Args:
          levels: of the loggers of the parent, by name; "" is the root.
        """
        self._streams = [Printed(self, 1), Printed(self, 2)]
        sys.stdout, sys.stderr = self._streams
        for name, level in levels.items():
            logging.getLogger(name or None).setLevel(level)
        logging.getLogger().addHandler(_Handler(self))

    def flush(self) -> None:
        """Sends all pending output, that of native code included."""
        for stream in self._streams:
            if stream.unfinished:
                stream.flush()
            size = os.lseek(stream.number, 0, os.SEEK_END)  # a third of the time of `fstat`; writers append
            if size:
                text = os.pread(stream.number, size, 0)
                os.ftruncate(stream.number, 0)
                self.printed(stream.number, text.decode(errors="replace"))

    def printed(self, number: int, text: str) -> None:
        """Sends text of a standard stream."""
        for start in range(0, len(text), _PART):
            packed = wire.pack((number, self.op, text[start : start + _PART]))
            wire.outgoing(PacketKind.PRINTED, self.number, packed).send(self._over)

    def logged(self, record: dict[str, Any]) -> None:
        """Sends a record of a logger."""
        wire.outgoing(PacketKind.LOGGED, self.number, wire.pack((self.op, record))).send(self._over)


class Printed(io.TextIOBase):
    """A standard stream of a worker: whole lines are sent at once, the rest when the call is over.

    Args:
      sender: sends.
      number: 1 for the output, 2 for errors.

    Attributes:
      unfinished: the text of a line that was not sent yet.
    """

    encoding = "utf-8"

    def __init__(self, sender: Sender, number: int) -> None:
        self._sender, self.number, self.unfinished = sender, number, ""

    def writable(self) -> bool:
        """True."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self.number

    def write(self, text: str) -> int:
        """Takes text."""
        lines, newline, rest = (self.unfinished + text).rpartition("\n")
        self.unfinished = rest
        if newline:
            self._sender.printed(self.number, lines + newline)
        return len(text)

    def flush(self) -> None:
        """Sends an unfinished line."""
        if self.unfinished:
            self._sender.printed(self.number, self.unfinished)
            self.unfinished = ""


class _Handler(logging.Handler):
    """Sends records of loggers."""

    def __init__(self, sender: Sender) -> None:
        super().__init__()
        self._sender = sender

    def emit(self, record: logging.LogRecord) -> None:
        """Sends a record with its formatted text."""
        try:
            fields = vars(record) | {"msg": record.getMessage(), "args": None}
            if record.exc_info:
                fields["exc_text"] = logging.Formatter().formatException(record.exc_info)
                fields["exc_info"] = None
            self._sender.logged({name: value for name, value in fields.items() if _plain(value)})
        except Exception:
            self.handleError(record)


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def levels() -> dict[str, int]:
    """The levels of the loggers that have one of their own, by name; "" is the root."""
    named = {
        name: logger.level
        for name, logger in list(logging.root.manager.loggerDict.items())
        if isinstance(logger, logging.Logger) and logger.level
    }
    return {"": logging.root.level, **named}


def forward(packet: wire.Packet) -> None:
    """Prints or logs the output of a worker here; output that this process cannot write is dropped."""
    if packet.kind == PacketKind.LOGGED:
        op, fields = wire.loads(packet.stream)
        record = logging.makeLogRecord(fields)
        if op:
            record.msg = f"[{op}] {record.msg}"
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.handle(record)
        return
    number, op, text = wire.loads(packet.stream)
    stream = sys.stdout if number == 1 else sys.stderr
    if stream is None:
        return
    if op:
        text = "".join(f"[{op}] {line}" for line in text.splitlines(keepends=True))
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):  # a closed pipe or file is no fault of the call, nor of the pool
        pass
