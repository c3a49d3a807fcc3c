"""Record files (TFRecord): strings of bytes one behind the other, each with its length and checksums.

    uint64 length | uint32 masked CRC-32C of the length | the bytes | uint32 masked CRC-32C of the bytes

All numbers begin with the low byte. The mask of a checksum `c` is `((c >> 15) | (c << 17)) + 0xa282ead8`, so that the
checksum of data that holds checksums is a good one too. Format: tensorflow.org, "TFRecord and tf.train.Example";
CRC-32C: RFC 3720, appendix B.4.
"""

from __future__ import annotations

import functools
import io
import struct
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.checksums import extend
from inlay._src.base.files.opening import BUFFER, WINDOWS, Opened, longest, path_of, reading, too_long, writing
from inlay._src.base.files.stream import Stream

_HEAD, _CHECK, _LENGTH = struct.Struct("<QI"), struct.Struct("<I"), struct.Struct("<Q")
_AT_ONCE = 1 << 24
"""Bytes of a record that are read in one piece."""


def mask(checksum: int) -> int:
    """A checksum as it is stored beside its data."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked(text: bytes) -> int:
    """The masked CRC-32C of bytes."""
    return mask(extend(0, text))


def framed(text: bytes) -> bytes:
    """A record as it is in a file."""
    length = _LENGTH.pack(len(text))
    return b"".join((length, _CHECK.pack(masked(length)), text, _CHECK.pack(masked(text))))


@functools.lru_cache(1024)
def _length(head: bytes) -> int | None:
    """The length of a record, from its first 12 bytes; None if it does not have its checksum."""
    length, check = _HEAD.unpack(head)
    return length if check == masked(head[:8]) else None


class Records(Stream):
    """The records of a file, one after the other; the arguments are those of `Stream`."""

    __slots__ = ("_compression",)

    def __init__(self, path: str, compression: str = "", buffer: int = BUFFER, opened: Opened = reading) -> None:
        self._compression = compression
        super().__init__(path, compression, buffer, opened)

    def __next__(self) -> bytes:
        """The next record.

        Raises:
          DataLossError: with the place in the file, if it is damaged or cut short.
        """
        head = self._file.read(12)
        if len(head) < 12:
            if head:
                raise self._truncated()
            raise StopIteration
        length = _length(head)
        if length is None:
            hint = " (Is this even a TFRecord file?)" if not self.at else ""
            raise self._lost(f"corrupted record at {self.at}{hint}: its length does not have its checksum")
        text = self._file.read(length) if length <= _AT_ONCE else self._long(length)
        tail = self._file.read(4)
        if len(tail) < 4:
            raise self._truncated()
        if _CHECK.unpack(tail)[0] != masked(text):
            raise self._lost(
                f"corrupted record at {self.at + 12}: the {length} bytes of the record that begins at {self.at} do "
                "not have their checksum"
            )
        self.at += length + 16
        return text

    def _long(self, length: int) -> bytes:
        """The bytes of a long record, in pieces: no memory is taken for what a length claims and the file lacks."""
        if length > longest(self.path, self._compression):
            raise too_long(self.path, length)
        whole = io.BytesIO()  # gives its bytes without a copy
        while length and (part := self._file.read(min(length, _AT_ONCE))):
            whole.write(part)
            length -= len(part)
        return whole.getvalue()

    def _truncated(self) -> errors.OpError:
        return self._lost(f"truncated record at {self.at}' failed with Read less bytes than requested")

    def _lost(self, message: str) -> errors.OpError:
        return errors.DataLossError(None, None, f"{message}. File: {self.path}")


@export("python_io.TFRecordCompressionType", "compat.v1.io.TFRecordCompressionType")
class TFRecordCompressionType:
    """The 1.x numbers of compressions."""

    NONE, ZLIB, GZIP = 0, 1, 2


_BY_NUMBER = {
    None: "",
    TFRecordCompressionType.NONE: "",
    TFRecordCompressionType.ZLIB: "ZLIB",
    TFRecordCompressionType.GZIP: "GZIP",
}


@export("io.TFRecordOptions", "python_io.TFRecordOptions")
class TFRecordOptions:
    """The compression of a record file.

    Args:
      compression_type: "GZIP", "ZLIB", or "" or None for none; a number of `TFRecordCompressionType`; other options.
      flush_mode, input_buffer_size, output_buffer_size: accepted.
      window_bits, compression_level, compression_method, mem_level, compression_strategy: as zlib has them.

    Raises:
      ValueError: for another compression.
    """

    compression_strategy: int | None
    mem_level: int | None
    compression_method: int | None
    compression_level: int | None
    output_buffer_size: int | None
    input_buffer_size: int | None
    window_bits: int | None
    flush_mode: int | None

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode, self.window_bits = flush_mode, window_bits
        self.input_buffer_size, self.output_buffer_size = input_buffer_size, output_buffer_size
        self.compression_level, self.compression_method = compression_level, compression_method
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The compression as text: "", "ZLIB" or "GZIP".

        Args:
          options: the values of `compression_type`.

        Raises:
          ValueError: for anything else.
        """
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        name = _BY_NUMBER.get(options, options)
        if name and name not in WINDOWS:
            raise ValueError(f'Not a valid compression_type: "{options}"')
        return name

    def _how(self) -> dict[str, int]:
        """The arguments of `zlib.compressobj`."""
        bits = self.window_bits
        if bits is not None and self.get_compression_type_string(self) == "GZIP":
            bits = bits % 16 + 16
        settings = {
            "level": self.compression_level,
            "method": self.compression_method,
            "wbits": bits,
            "memLevel": self.mem_level,
            "strategy": self.compression_strategy,
        }
        return {name: value for name, value in settings.items() if value is not None}


@export("io.TFRecordWriter", "python_io.TFRecordWriter")
class TFRecordWriter:
    """Writes a record file. Use it in a `with` statement, or `close` it.

    Args:
      path: the file; one that is there is replaced.
      options: `TFRecordOptions`, or what its `compression_type` may be.

    Raises:
      NotFoundError, FailedPreconditionError: if the file cannot be opened.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._file: Any = None
        compression = TFRecordOptions.get_compression_type_string(options)
        how = options._how() if isinstance(options, TFRecordOptions) else {}
        self._file = writing(path_of(path), compression, how)

    def write(self, record: Any) -> None:
        """Adds a record.

        Args:
          record: bytes; text is written as UTF-8.

        Raises:
          FailedPreconditionError: after `close`.
          TypeError: for anything else.
        """
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, (bytes, bytearray, memoryview)):
            raise TypeError(
                f"write(): a record is bytes, got {type(record).__name__}. Of a tensor write .numpy(), of a message "
                ".SerializeToString()"
            )
        self._open().write(framed(bytes(record)))

    def _open(self) -> Any:
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, "Writer is closed.")
        return self._file

    def flush(self) -> None:
        """Hands all that was written to the system.

        Raises:
          FailedPreconditionError: after `close`.
        """
        self._open().flush()

    def close(self) -> None:
        """Ends the file. May be called twice."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


@export("python_io.tf_record_iterator", "compat.v1.io.tf_record_iterator")
def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after the other.

    Args:
      path: the file.
      options: `TFRecordOptions`, or what its `compression_type` may be.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: for a record that is damaged, with its place in the file.
    """
    records = Records(path_of(path), TFRecordOptions.get_compression_type_string(options))
    return _all(records)


def _all(records: Records) -> Iterator[bytes]:
    try:
        yield from records
    finally:
        records.close()
