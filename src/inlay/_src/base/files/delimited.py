"""Records of delimited text files (CSV), and their fields: a record ends where a line does, except within quotes."""

from __future__ import annotations

import re

from inlay._src.base import errors
from inlay._src.base.files.opening import BUFFER, Opened, reading
from inlay._src.base.files.stream import Stream, skip

_LINE_END = re.compile(rb"[\r\n]")


class DelimitedRecords(Stream):
    """The records of a delimited text file, one string for each, without the end of its last line.

    Lines end with a line feed, a carriage return, or both. A field that begins with a double quote goes on to the next
    single one; a record that breaks this rule ends with its line.

    Args:
      path: the file.
      compression, buffer, opened: as for `Stream`.
      header: whether the first record is left out.
      quotes: whether double quotes go around fields, which may then hold ends of lines.
      delimiter: the separator of the fields, one byte.

    Raises:
      InvalidArgumentError: if there is no header in the file.
    """

    __slots__ = ("_buffer", "_field_end", "_quotes", "_start", "_step", "_whole")

    def __init__(
        self,
        path: str,
        compression: str = "",
        buffer: int = BUFFER,
        header: bool = False,
        quotes: bool = True,
        delimiter: bytes = b",",
        opened: Opened = reading,
    ) -> None:
        super().__init__(path, compression, buffer, opened)
        self._quotes, self._step = quotes, buffer
        self._field_end = re.compile(b"[%s\r\n]" % re.escape(delimiter))
        self._buffer, self._start, self._whole = b"", 0, False  # read; the next record begins here; up to the end
        if header and next(self, None) is None:
            self.close()
            raise errors.InvalidArgumentError(None, None, f"Can't read header of file {path}")

    def __next__(self) -> bytes:
        while (ends := self._ends()) is None:
            rest = self._buffer[self._start :]
            more = self._file.read(max(self._step, len(rest)))  # a long record is looked at few times
            self._whole, self._buffer, self._start = not more, rest + more, 0
        start, (end, following) = self._start, ends
        if start == following:
            raise StopIteration
        self.at, self._start = self.at + following - start, following
        return self._buffer[start:end]

    def _ends(self) -> tuple[int, int] | None:
        """Where the next record ends, and where the one behind it begins; None if more has to be read."""
        text, at = self._buffer, self._start
        line = _LINE_END.search(text, at)
        if not self._quotes or text.find(b'"', at, len(text) if line is None else line.start()) < 0:
            return self._line(line)
        while True:
            if text[at : at + 1] == b'"':
                at = _behind_quote(text, at)
                if at < 0 or at == len(text):
                    return (len(text), len(text)) if self._whole else None
                if self._field_end.match(text, at) is None:
                    return self._line(_LINE_END.search(text, at))
            end = self._field_end.search(text, at)
            if end is None or end[0] in (b"\r", b"\n"):
                return self._line(end)
            at = end.end()

    def _line(self, end: re.Match[bytes] | None) -> tuple[int, int] | None:
        """The same for a record that ends with a line, from the first character of its end."""
        text = self._buffer
        if end is None:
            return (len(text), len(text)) if self._whole else None
        at = end.start()
        if end[0] == b"\r" and at + 1 == len(text) and not self._whole:  # a line feed may follow
            return None
        return at, at + 2 if text[at : at + 2] == b"\r\n" else at + 1

    def seek(self, at: int) -> None:
        """Goes on at a place that `at` was."""
        ahead = at - self.at - (len(self._buffer) - self._start)
        if ahead > 0:
            skip(self._file, ahead)
            self._buffer, self._start = b"", 0
        else:
            self._start = len(self._buffer) + ahead
        self.at = at


def _behind_quote(text: bytes, at: int) -> int:
    """Where a field ends whose quote is at a place; -1 if its last quote is not there."""
    at += 1
    while (quote := text.find(b'"', at)) >= 0:
        if text[quote + 1 : quote + 2] != b'"':
            return quote + 1
        at = quote + 2
    return -1


def fields_of(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of a record of `DelimitedRecords`.

    Raises:
      ValueError: if quotes are where they may not.
    """
    if not quotes or b'"' not in record:
        return record.split(delimiter)
    fields, at = [], 0
    while True:
        if record[at : at + 1] == b'"':
            end = _behind_quote(record, at)
            if end < 0:
                raise ValueError("Reached end of file without closing quoted field in record")
            if end != len(record) and record[end : end + 1] != delimiter:
                raise ValueError("Quote inside a string has to be escaped by another quote")
            fields.append(record[at + 1 : end - 1].replace(b'""', b'"'))
        else:
            end = record.find(delimiter, at)
            end = len(record) if end < 0 else end
            fields.append(record[at:end])
            if b'"' in fields[-1]:
                raise ValueError("Unquoted fields cannot have quotes inside")
        if end == len(record):
            return fields
        at = end + 1
