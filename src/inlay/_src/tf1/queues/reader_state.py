"""Readers of a session: files whose names come from a queue, record after record.

    read ──▶ line ──▶ the open file ──▶ a record
                        ▲ at its end the name of the next one is taken out of the queue of the reading operation

One read is served at a time. It waits for the name of a file without a thread: the thread that puts a name into the
queue continues the read. A read that is cancelled leaves the records that it had for the next one.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files.blocks import Blocks
from inlay._src.base.files.lines import Lines
from inlay._src.base.files.opening import path_of, reading
from inlay._src.base.files.records import Records
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.core.executor import NotifyingFuture
from inlay._src.core.state import Resource, Waited
from inlay._src.core.values import boxed
from inlay._src.tf1.queues.queue_state import QueueState

Record = tuple[bytes, bytes]
"""A key, which says where a record stands, and the record."""
Source = Callable[[bytes], Iterator[Record]]
"""The records of what a name stands for."""


def lines(skip_header_lines: int) -> Source:
    """The lines of text files; keys are `file:number of the line`."""

    def source(name: bytes) -> Iterator[Record]:
        numbered = enumerate(_closing(Lines(path_of(name))), 1)
        return (
            (b"%s:%d" % (name, number), line) for number, line in itertools.islice(numbered, skip_header_lines, None)
        )

    return source


def records(compression: str) -> Source:
    """The records of record files; keys are `file:place in it`."""

    def source(name: bytes) -> Iterator[Record]:
        file = Records(path_of(name), compression)
        at = file.at
        for record in _closing(file):
            yield b"%s:%d" % (name, at), record
            at = file.at

    return source


def blocks(size: int, header: int, footer: int, hop: int, compression: str) -> Source:
    """The blocks of files; keys are `file:number of the block`."""

    def source(name: bytes) -> Iterator[Record]:
        path = path_of(name)
        if hop in (0, size):
            contents: Iterator[bytes] = _closing(Blocks(path, size, header, footer, compression))
        else:
            contents = _hopping(_whole(path, compression), size, header, footer, hop)
        return ((b"%s:%d" % (name, number), block) for number, block in enumerate(contents))

    return source


def _hopping(text: bytes, size: int, header: int, footer: int, hop: int) -> Iterator[bytes]:
    """Blocks that begin `hop` bytes apart."""
    for at in range(header, len(text) - footer - size + 1, hop):
        yield text[at : at + size]


def whole(name: bytes) -> Iterator[Record]:
    """A file as one record; its key is its name."""
    yield name, _whole(path_of(name), "")


def itself(name: bytes) -> Iterator[Record]:
    """The name itself, as key and record."""
    yield name, name


def _whole(path: str, compression: str) -> bytes:
    file = reading(path, compression)
    try:
        return file.read()
    finally:
        file.close()


def _closing(file: Any) -> Iterator[bytes]:
    """The records of a file, which is closed at the end."""
    try:
        yield from file
    finally:
        file.close()


@dataclass(eq=False, slots=True)
class _Read:
    """A read that was begun.

    Attributes:
      queue: where names come from.
      count: the largest number of records.
      future: its end.
    """

    queue: QueueState
    count: int
    future: Future[list[Record]] = field(default_factory=NotifyingFuture)


class ReaderState(Waited):
    """A reader.

    Args:
      source: gives the records of a name.
      name: its name, for messages.

    Attributes:
      produced: the number of records read.
      completed: the number of files that were read to their end.
    """

    def __init__(self, source: Source, name: str) -> None:
        self.name, self._source = name, source
        self.produced: int = 0
        self.completed: int = 0
        self._lock = new_rlock()
        self._line: deque[_Read] = deque()
        self._open: Iterator[Record] | None = None
        self._awaited: Future[Any] | None = None  # the name of the next file
        self._serving = False
        self._abandoned = False

    def __repr__(self) -> str:
        return f"<reader '{self.name}'>"

    def begin(self, queue: QueueState, count: int) -> Future[list[Record]]:
        """Begins to read records: at least one, at most `count`, all of one file; `serve` goes on."""
        read = _Read(queue, count)
        with self._lock:
            if self._abandoned:
                read.future.set_exception(_cancelled())
                return read.future
            self._line.append(read)
        read.future.add_done_callback(lambda future: self._given_up() if future.cancelled() else None)
        return read.future

    def reset(self) -> None:
        """Begins anew, without an open file."""
        with self._lock:
            self.produced = self.completed = 0
            self._open = None

    def abandon(self) -> None:
        """See `Waited`."""
        with PutOff():
            with self._lock:
                self._abandoned = True
                waiting, awaited = list(self._line), self._awaited
                self._line.clear()
                self._open = None
            if awaited is not None:
                awaited.cancel()
            for read in waiting:
                if read.future.set_running_or_notify_cancel():
                    read.future.set_exception(_cancelled())

    def _given_up(self) -> None:
        """A read was cancelled: the name that it waits for is not taken."""
        with self._lock:
            first = self._line[0] if self._line else None
            awaited = self._awaited if first is not None and first.future.cancelled() else None
        if awaited is not None:
            awaited.cancel()
        else:
            self.serve()  # in case that Ctrl-C interrupted the thread that served the line

    # ---- one at a time

    def serve(self, arrived: bool = False) -> None:
        """Goes on with the reads of the line, unless another thread does.

        Args:
          arrived: whether the name of a file has arrived for which the line waited.
        """
        serves = arrived
        try:
            with self._lock:
                if self._serving and not arrived:
                    return
                self._serving = serves = True
            while self._serve_first():
                pass
        except BaseException:  # Ctrl-C between two reads
            if serves:
                with self._lock:
                    self._serving = False
            raise

    def _serve_first(self) -> bool:
        """Goes on with the first read of the line; False if there is none, or it waits for the name of a file."""
        with self._lock:
            if not self._line:
                self._serving = False
                return False
            first = self._line[0]
        try:
            batch = [] if first.future.cancelled() else self._next_batch(first)
        except BaseException as error:
            self._end(first, error)
            return True
        if batch is not None:
            self._end(first, batch)
            return True
        assert self._awaited is not None
        with PutOff():  # another thread serves once it is called
            self._awaited.add_done_callback(lambda _: self.serve(arrived=True))
            return False

    def _end(self, first: _Read, outcome: list[Record] | BaseException) -> None:
        """Takes a read out of the line; one that was cancelled leaves its records to the next."""
        with PutOff():  # Ctrl-C between the line and the future would leave another thread waiting
            with self._lock:
                if not self._line or self._line[0] is not first:
                    return  # the session is gone
                self._line.popleft()
            if isinstance(outcome, BaseException):
                if first.future.set_running_or_notify_cancel():
                    first.future.set_exception(outcome)
            elif first.future.set_running_or_notify_cancel():
                self.produced += len(outcome)
                first.future.set_result(outcome)
            elif outcome:
                self._open = itertools.chain(outcome, self._open or ())

    def _next_batch(self, read: _Read) -> list[Record] | None:
        """The records of a read; None if it must wait for the name of a file.

        Raises:
          OpError: if there are no more names, or a file cannot be read.
        """
        while True:
            if self._open is None:
                if self._awaited is None:
                    self._awaited = read.queue.dequeue(1)
                if not self._awaited.done():
                    return None
                named, self._awaited = self._awaited, None
                if named.cancelled():
                    if read.future.cancelled():
                        return []
                    continue  # it was a read before this one that gave up
                self._open = self._source(_text(named.result()[0]))
            batch: list[Record] = []
            try:
                for record in itertools.islice(self._open, read.count):
                    batch.append(record)
            except BaseException:
                self._open = None
                raise
            if len(batch) < read.count:
                self._open = None
                self.completed += 1
            if batch:
                return batch


def _text(element: Any) -> bytes:
    """The name that an element of a queue is."""
    value = np.asarray(element[0]).item() if len(element) == 1 else None
    if not isinstance(value, bytes):
        raise errors.InvalidArgumentError(
            None, None, f"a reader takes names from a queue of strings, and got {element}"
        )
    return value


def _cancelled() -> errors.OpError:
    return errors.CancelledError(None, None, "Read operation was cancelled")


def as_values(batch: Sequence[Record]) -> tuple[Any, Any]:
    """The key and the record of a read of one."""
    key, record = batch[0]
    return boxed(key), boxed(record)


def as_vectors(batch: Sequence[Record]) -> tuple[Any, Any]:
    """The keys and the records of a read."""
    out = np.empty((2, len(batch)), object)
    for i, pair in enumerate(batch):
        out[0, i], out[1, i] = pair
    return out[0].copy(), out[1].copy()


class ReaderKey(Resource):
    """Names a reader of a graph; each session has its own.

    Args:
      name: of its node.
      source: gives the records of a name.
    """

    __slots__ = ("name", "source")

    def __init__(self, name: str, source: Source) -> None:
        self.name, self.source = name, source

    def make(self) -> ReaderState:
        """A reader at its beginning."""
        return ReaderState(self.source, self.name)

    def __repr__(self) -> str:
        return f"reader {self.name}"
