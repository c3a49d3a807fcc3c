"""Sorted tables of bytes: the immutable table files of LevelDB, in which TensorFlow keeps the index of a checkpoint.

    blocks of entries | a block of metadata, empty | the index block: last key of a block -> its place | the footer

    block    entries | uint32 offset of each restart | uint32 number of restarts | type (1 byte) | masked CRC-32C
    entry    varint shared, varint unshared, varint length | unshared bytes of the key | the value
    footer   place of the metadata, place of the index, padded to 40 bytes | uint64 magic number
    place    varint offset, varint length without type and checksum

An entry shares the first bytes of its key with the key before it, except at a restart. Numbers begin with the low byte.
A block may be compressed by Snappy, as TensorFlow's releases before 1.2 wrote them.

Format: https://github.com/google/leveldb/blob/main/doc/table_format.md and
https://github.com/google/snappy/blob/main/format_description.txt
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from inlay._src.base.files.records import masked

_MAGIC = 0xDB4775248B80FB57
_FOOTER, _TRAILER = 48, 5
_WORD = struct.Struct("<I")
_PLAIN, _SNAPPY = 0, 1
_RESTART = 16
"""Entries between two restarts."""
_BLOCK = 1 << 18
"""Bytes of entries after which a block ends."""
_GROWTH, _SLACK = 64, 1 << 24
"""Keys and blocks may take so many times the bytes of the file, and `_SLACK` bytes: a few bytes can stand for many."""


def table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The file of a table.

    Args:
      entries: (key, value), by rising keys.

    Raises:
      ValueError: if the keys do not rise.
    """
    out, index, block = bytearray(), _TableBlock(1), _TableBlock(_RESTART)
    last: bytes | None = None
    for key, value in entries:
        if last is not None and key <= last:
            raise ValueError(f"the keys of a table rise, but {key!r} is behind {last!r}")
        if len(block.data) >= _BLOCK and last is not None:
            index.add(last, _appended(out, block))
            block = _TableBlock(_RESTART)
        block.add(key, value)
        last = key
    if last is not None:
        index.add(last, _appended(out, block))
    places = _appended(out, _TableBlock(_RESTART)) + _appended(out, index)
    return bytes(out) + places.ljust(_FOOTER - 8, b"\0") + _MAGIC.to_bytes(8, "little")


def entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(key, value) of a table, by rising keys.

    Args:
      data: the whole file, which anyone may have written.

    Raises:
      ValueError: if it is no table, is damaged, or stands for far more bytes than it has.
    """
    if len(data) < _FOOTER or int.from_bytes(data[-8:], "little") != _MAGIC:
        raise ValueError("it is no sorted table: the magic number is not there")
    footer = data[-_FOOTER:-8]
    _, at = _place(footer, 0)
    place, _ = _place(footer, at)
    room, last = _Room(_GROWTH * len(data) + _SLACK), None
    for _, handle in _block_entries(_contents(data, place, room), room):
        for key, value in _block_entries(_contents(data, _place(handle, 0)[0], room), room):
            if last is not None and key <= last:
                raise ValueError("its keys do not rise")
            yield key, value
            last = key


class _Room:
    """The bytes that may still be made of a file."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise ValueError("it stands for far more bytes than it has")


class _TableBlock:
    """A block while it is written.

    Args:
      restart: the number of entries between two restarts.
    """

    def __init__(self, restart: int) -> None:
        self.data = bytearray()
        self._restart, self._count, self._restarts, self._last = restart, 0, [0], b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count % self._restart:
            most = min(len(key), len(self._last))
            while shared < most and key[shared] == self._last[shared]:
                shared += 1
        elif self._count:
            self._restarts.append(len(self.data))
        self._count, self._last = self._count + 1, key
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value

    def finished(self) -> bytes:
        """Its bytes, with its trailer."""
        restarts = b"".join(map(_WORD.pack, (*self._restarts, len(self._restarts))))
        contents = bytes(self.data) + restarts + bytes([_PLAIN])
        return contents + _WORD.pack(masked(contents))


def _appended(out: bytearray, block: _TableBlock) -> bytes:
    """Writes a block; its place."""
    at, contents = len(out), block.finished()
    out += contents
    return varint(at) + varint(len(contents) - _TRAILER)


def varint(number: int) -> bytes:
    """A number that is not negative in groups of seven bits, the low ones first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """(the number that `varint` wrote at a place, the place behind it).

    Raises:
      ValueError: if it is longer than 64 bits.
      IndexError: if the data end within it.
    """
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is longer than 64 bits")


def _place(data: bytes, at: int) -> tuple[tuple[int, int], int]:
    offset, at = read_varint(data, at)
    length, at = read_varint(data, at)
    return (offset, length), at


def _contents(data: bytes, place: tuple[int, int], room: _Room) -> bytes:
    """The contents of the block at a place."""
    start, length = place
    end = start + length
    if end + _TRAILER > len(data) - _FOOTER:
        raise ValueError("a block lies outside of it")
    room.take(length)
    if _WORD.unpack_from(data, end + 1)[0] != masked(data[start : end + 1]):
        raise ValueError("the checksum of a block does not fit")
    kind = data[end]
    if kind == _SNAPPY:
        return _decompressed(data[start:end], room)
    if kind != _PLAIN:
        raise ValueError(f"a block is compressed in an unknown way, {kind}")
    return data[start:end]


def _block_entries(block: bytes, room: _Room) -> Iterator[tuple[bytes, bytes]]:
    """(key, value) of the entries of a block."""
    (restarts,) = _WORD.unpack_from(block, len(block) - 4)
    at, end, key = 0, len(block) - 4 - 4 * restarts, b""
    if end < 0:
        raise ValueError("a block has more restarts than bytes")
    while at < end:
        shared, at = read_varint(block, at)
        unshared, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or at + unshared + length > end:
            raise ValueError("an entry is longer than its block")
        room.take(shared + unshared + length)
        key = key[:shared] + block[at : at + unshared]
        at += unshared
        yield key, block[at : at + length]
        at += length


def _decompressed(data: bytes, room: _Room) -> bytes:
    """The bytes that Snappy compressed."""
    size, at = read_varint(data, 0)
    room.take(size)
    out = bytearray()
    while at < len(data):
        tag = data[at]
        at += 1
        kind, length = tag & 3, (tag >> 2) + 1
        if not kind:  # the bytes themselves
            if length > 60:
                extra = length - 60
                length, at = int.from_bytes(data[at : at + extra], "little") + 1, at + extra
            if at + length > len(data):
                raise ValueError("compressed bytes end too early")
            out += data[at : at + length]
            at += length
        else:  # bytes that were there before
            if kind == 1:
                length, offset, extra = (tag >> 2 & 7) + 4, (tag >> 5 << 8) | data[at], 1
            else:
                extra = 2 if kind == 2 else 4
                offset = int.from_bytes(data[at : at + extra], "little")
            at += extra
            if not 0 < offset <= len(out):
                raise ValueError("compressed bytes refer to what is not there")
            start = len(out) - offset
            piece = out[start : start + length]
            out += (piece * (length // offset + 1))[:length]  # bytes that are copied may be copied again
        if len(out) > size:
            raise ValueError("compressed bytes are more than they claim")
    if len(out) != size:
        raise ValueError("compressed bytes are fewer than they claim")
    return bytes(out)
