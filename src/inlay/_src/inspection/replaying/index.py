"""A recording that is open for reading: an index of its calls in memory, their values in the file.

The index takes about 70 bytes for each call. Values are read when they are asked for, and not kept.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.files import opening
from inlay._src.base.files.damage import damaged, guarded
from inlay._src.inspection.replaying.decoding import decoded
from inlay._src.inspection.replaying.layout import CALL, END_OF_CALL, FORMAT, VERSION, Flag, value_of
from inlay._src.inspection.replaying.log import Damage, LogReader, LogRecord

NO_END = 0
"""The place of the end of a call that has none."""


class Outcome(NamedTuple):
    """The end of a recorded call.

    Attributes:
      kind: b"R", it returned; b"X", it raised; b"D", its result found no room; b"", it did not end.
      value: the result, or the exception as data (see `failures`).
      followed: whether a tape followed the result.
    """

    kind: bytes
    value: Any
    followed: bool


class Op(NamedTuple):
    """An op that calls functions."""

    name: str
    type: str


class FunctionIndex:
    """The calls of one function, by position: the order in which they began.

    Attributes:
      name, label: the function's name, and with its file and line.
      place: where it is defined: module, qualname, file, line.
      numbers: the number of each call.
      begins, ends: the offsets of the records of its begin and of its end.
      kinds: the kind of its end, as a code.
      ops, threads: the op that called, and the thread.
      digests: the first eight bytes of the digest of its arguments, as a number.
      alone: whether it began after the end of the call of the same op before it.
      total, unrecorded: the number of calls that began, and that the file lacks; None if the recording has no end.
    """

    def __init__(self, about: Mapping[str, Any]) -> None:
        self.name: str = str(about["name"])
        self.label: str = str(about["label"])
        self.place: dict[str, Any] = {key: about[key] for key in ("module", "qualname", "file", "line")}
        self.numbers: array[int] = array("Q")
        self.begins: array[int] = array("Q")
        self.ends: array[int] = array("Q")
        self.digests: array[int] = array("Q")
        self.ops: array[int] = array("I")
        self.threads: array[int] = array("I")
        self.kinds: bytearray = bytearray()
        self.alone: bytearray = bytearray()
        self.total: int | None = None
        self.unrecorded = 0
        self._open: dict[int, int] = {}  # number -> position, of calls that have not ended
        self._in_flight: dict[int, int] = {}  # op -> such calls

    def __len__(self) -> int:
        return len(self.numbers)

    def begin(self, op: int, number: int, thread: int, digest: bytes, at: int) -> None:
        """Adds a call."""
        if number in self._open:
            raise ValueError(f"call {number} begins twice")
        position = self._open[number] = len(self.numbers)
        self.numbers.append(number)
        self.begins.append(at)
        self.ends.append(NO_END)
        self.digests.append(key_of(digest))
        self.ops.append(op)
        self.threads.append(thread)
        self.kinds.append(0)
        flying = self._in_flight.get(op, 0)
        self.alone.append(not flying)
        self._in_flight[op] = flying + 1
        assert position == len(self.numbers) - 1

    def end(self, number: int, kind: int, at: int) -> None:
        """Ends a call."""
        position = self._open.pop(number)
        self.ends[position], self.kinds[position] = at, kind
        self._in_flight[self.ops[position]] -= 1

    @property
    def unended(self) -> list[int]:
        """The numbers of the calls that did not end."""
        return sorted(self._open)

    def position(self, number: int) -> int | None:
        """The position of the call of a number; None if the recording lacks it."""
        if number < len(self.numbers) and self.numbers[number] == number:
            return number
        return next((i for i, each in enumerate(self.numbers) if each == number), None)

    def whole(self) -> Iterator[int]:
        """The numbers of the calls that have an end."""
        return (number for number, kind in zip(self.numbers, self.kinds, strict=True) if kind)


def key_of(digest: bytes) -> int:
    """The part of a digest that the index has."""
    return int.from_bytes(digest[:8], "little")


class RecordingFile:
    """The calls of a recording.

    Args:
      path: the file.
      partial: whether a recording that is damaged or has no end is read as far as it is whole.

    Attributes:
      path: the file.
      functions: the functions, in the order of their first calls.
      ops: the ops, by id.
      size: the bytes of the file.
      cut: the reason why a partial recording ends early; "" if it is whole.

    Raises:
      NotFoundError, FailedPreconditionError: if the file cannot be opened.
      DataLossError: if it is no recording, or is not whole and `partial` is False; it says which calls are whole.
    """

    def __init__(self, path: str, partial: bool = False) -> None:
        self.path = path
        try:
            self._log = LogReader(path)
            self.size: int = os.path.getsize(path)
        except OSError as error:
            raise opening.failed(path, error) from None
        self.functions: list[FunctionIndex] = []
        self.ops: list[Op] = []
        self.cut: str = ""
        try:
            self._read(partial)
        except BaseException:
            self._log.close()
            raise

    def _read(self, partial: bool) -> None:
        what, ended = f"The recording {self.path}", False
        with guarded(what, "its records"):
            for record in self._log.records():
                if not record.at:
                    self._check_header(record)
                elif ended:
                    raise ValueError("records follow its end")
                elif record.kind == b"E":
                    self._end(record)
                    ended = True
                elif record.kind != b"B":
                    self._add(record)
        damage = self._log.damage
        if damage is not None and not damage.at:
            raise damaged(what, "byte 0", f"{damage.reason}. Is it a recording of tf.debugging.record?")
        if damage is None and not ended:
            damage = Damage(self.size, "it has no end, as the program ended before the recording did")
        if damage is not None:
            self.cut = f"byte {damage.at:,} of {self.size:,}: {damage.reason}"
            if not partial:
                raise errors.DataLossError(
                    None, None, f"{what} is not whole ({self.cut}). {self._whole()}; read them with partial=True"
                )

    def _check_header(self, record: LogRecord) -> None:
        about = json.loads(record.body) if record.kind == b"H" else {}
        if about.get("format") != FORMAT:
            raise ValueError("it is not a recording of tf.debugging.record")
        if about["version"] != VERSION:
            raise ValueError(f"it has version {about['version']} of the format; this inlay reads version {VERSION}")

    def _add(self, record: LogRecord) -> None:
        """Takes a record into the index."""
        kind, body = record.kind, record.body
        if kind == b"C":
            function, op, number, thread, digest = CALL.unpack_from(body)
            if op >= len(self.ops):
                raise ValueError(f"there is no op {op}")
            self.functions[function].begin(op, number, thread, digest, record.at)
        elif kind in (b"R", b"X", b"D"):
            function, number, _ = END_OF_CALL.unpack_from(body)
            self.functions[function].end(number, kind[0], record.at)
        elif kind == b"F":
            self.functions.append(FunctionIndex(json.loads(body)))
        elif kind == b"O":
            about = json.loads(body)
            self.ops.append(Op(str(about["name"]), str(about["type"])))
        else:
            raise ValueError("a second header")

    def _end(self, record: LogRecord) -> None:
        for number, (total, unrecorded) in json.loads(record.body)["functions"].items():
            function = self.functions[int(number)]
            function.total, function.unrecorded = int(total), int(unrecorded)

    def _whole(self) -> str:
        """A sentence that says which calls are whole."""
        parts = [f"{_ranges(f.whole())} of {f.name}" for f in self.functions if any(f.kinds)]
        if not parts:
            return "No call is whole"
        text = f"Calls {', '.join(parts)} are whole"
        unended = [f"{number} of {f.name}" for f in self.functions for number in f.unended[:3]]
        return f"{text}, and the arguments of call {', '.join(unended)}" if unended else text

    # ---- values

    def arguments(self, function: FunctionIndex, position: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The positional and the keyword arguments of a call."""
        with self._guarded(function, position):
            body = self._log.body(function.begins[position], b"C")
            args, kwargs = self._value(body[CALL.size :])
            return args, kwargs

    def digest(self, function: FunctionIndex, position: int) -> bytes:
        """The digest of the arguments of a call."""
        with self._guarded(function, position):
            digest: bytes = CALL.unpack_from(self._log.body(function.begins[position], b"C"))[-1]
            return digest

    def outcome(self, function: FunctionIndex, position: int, classes: Mapping[str, type] | None = None) -> Outcome:
        """The end of a call; for `classes` see `decoding.decoded`."""
        kind = bytes(function.kinds[position : position + 1]).strip(b"\0")
        if kind in (b"", b"D"):
            return Outcome(kind, None, False)
        with self._guarded(function, position):
            body = self._log.body(function.ends[position], kind)
            flags = END_OF_CALL.unpack_from(body)[-1]
            return Outcome(kind, self._value(body[END_OF_CALL.size :], classes), bool(flags & Flag.FOLLOWED))

    def canonical_result(self, function: FunctionIndex, position: int) -> bytes:
        """The canonical bytes of the result of a call that returned."""
        with self._guarded(function, position):
            return value_of(self._log.body(function.ends[position], b"R")[END_OF_CALL.size :])[1]

    def bytes_of(self, function: FunctionIndex, position: int) -> int:
        """The bytes of the arguments and the outcome of a call, blobs included."""
        with self._guarded(function, position):
            total = 0
            for at, kind, head in (
                (function.begins[position], b"C", CALL.size),
                (function.ends[position], bytes([function.kinds[position]]), END_OF_CALL.size),
            ):
                if at != NO_END and kind != b"D":
                    places, data = value_of(self._log.body(at, kind)[head:])
                    total += len(data) + sum(self._log.length(place, b"B") for place in places)
            return total

    def _value(self, body: bytes, classes: Mapping[str, type] | None = None) -> Any:
        places, data = value_of(body)
        return decoded(data, _StoredBlobs(self._log, places), classes)

    def _guarded(self, function: FunctionIndex, position: int) -> Any:
        return guarded(f"The recording {self.path}", f"call {function.numbers[position]} of {function.name}")

    def close(self) -> None:
        """Closes the file."""
        self._log.close()


class _StoredBlobs:
    """The blobs of a value: `values.Blobs`.

    Args:
      log: the file.
      places: their offsets.
    """

    def __init__(self, log: LogReader, places: Sequence[int]) -> None:
        self._log, self._places = log, places

    def size(self, number: int) -> int:
        """The number of bytes of one."""
        return self._log.length(self._places[number], b"B")

    def fill(self, number: int, out: np.ndarray) -> None:
        """Writes one into an array."""
        self._log.fill(self._places[number], out)


def _ranges(numbers: Iterator[int]) -> str:
    """Numbers as text: `0..41, 43`."""
    ranges: list[list[int]] = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [str(a) if a == b else f"{a}..{b}" for a, b in ranges[:4]]
    return ", ".join(shown) + (", ..." if len(ranges) > 4 else "")
