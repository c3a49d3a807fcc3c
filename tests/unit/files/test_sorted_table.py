"""Sorted tables: any entries come back; files of an enemy end in an error, in bounded time and memory."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inlay._src.base.files import sorted_table
from inlay._src.base.files.records import masked
from inlay._src.base.files.sorted_table import entries, read_varint, table, varint

KEYS = st.binary(max_size=12) | st.text("ab/", max_size=12).map(lambda text: b"layer/" + text.encode())
ENTRIES = st.dictionaries(KEYS, st.binary(max_size=40), max_size=60).map(lambda d: sorted(d.items()))


@given(ENTRIES)
def test_entries_come_back(rows: list[tuple[bytes, bytes]]) -> None:
    assert list(entries(table(rows))) == rows


@given(ENTRIES, st.integers(1, 60))
def test_entries_of_several_blocks_come_back(rows: list[tuple[bytes, bytes]], size: int) -> None:
    before, sorted_table._BLOCK = sorted_table._BLOCK, size
    try:
        data = table(rows)
    finally:
        sorted_table._BLOCK = before
    assert list(entries(data)) == rows


@pytest.mark.parametrize("rows", [[(b"b", b""), (b"a", b"")], [(b"a", b""), (b"a", b"")]])
def test_keys_must_rise(rows: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(ValueError, match="the keys of a table rise"):
        table(rows)


@given(st.integers(0, 2**64 - 1))
def test_numbers_come_back(number: int) -> None:
    data = varint(number)
    assert read_varint(b"x" + data, 1) == (number, 1 + len(data))


def test_a_number_that_does_not_end_is_refused() -> None:
    with pytest.raises(ValueError, match="longer than 64 bits"):
        read_varint(b"\xff" * 11, 0)


ROWS = [(b"layer_%03d/kernel" % n, b"value %d" % n) for n in range(100)]


@pytest.mark.parametrize("data", [b"", b"x" * 47, b"x" * 100, table(ROWS)[:-1], table(ROWS)[1:]])
def test_what_is_no_table_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        list(entries(data))


def test_no_changed_byte_gives_other_entries() -> None:
    data, rand = table(ROWS), random.Random(3)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= rand.randrange(1, 256)
        try:
            assert list(entries(bytes(changed))) == ROWS
        except (ValueError, IndexError):
            continue


def with_block(contents: bytes, kind: int = 0) -> bytes:
    """A table whose only block has these contents."""
    block = contents + bytes([kind])
    block += masked(block).to_bytes(4, "little")
    index = sorted_table._TableBlock(1)
    index.add(b"z", varint(0) + varint(len(contents)))
    out = bytearray(block)
    places = sorted_table._appended(out, sorted_table._TableBlock(16)) + sorted_table._appended(out, index)
    return bytes(out) + places.ljust(40, b"\0") + sorted_table._MAGIC.to_bytes(8, "little")


def test_keys_that_grow_without_end_are_refused() -> None:
    """Each entry shares all of the key before it, which is long: a few bytes stand for a megabyte each."""
    long = varint(0) + varint(1 << 20) + varint(0) + b"a" * (1 << 20)
    more = b"".join([varint((1 << 20) + n) + varint(1) + varint(0) + b"b" for n in range(20_000)])
    data = with_block(long + more + (0).to_bytes(4, "little") + (1).to_bytes(4, "little"))
    with pytest.raises(ValueError, match="far more bytes than it has"):
        for _ in entries(data):
            pass


@pytest.mark.parametrize(
    "block",
    [
        varint(5) + varint(0) + varint(0),  # shares what is not there
        varint(0) + varint(99) + varint(0),  # longer than the block
        varint(0) + varint(1) + varint(1 << 40) + b"a",
    ],
)
def test_entries_that_do_not_fit_are_refused(block: bytes) -> None:
    data = with_block(block + (0).to_bytes(4, "little") + (1).to_bytes(4, "little"))
    with pytest.raises(ValueError, match="longer than its block"):
        list(entries(data))


def test_a_block_of_restarts_alone_is_refused() -> None:
    with pytest.raises(ValueError, match="more restarts than bytes"):
        list(entries(with_block((1 << 20).to_bytes(4, "little"))))


def compressed(data: bytes) -> bytes:
    """`data` as Snappy may write it: literals, and repetitions of one byte."""
    out, at = bytearray(varint(len(data))), 0
    while at < len(data):
        run = 1
        while at + run < len(data) and data[at + run] == data[at] and run < 64:
            run += 1
        out += bytes([0, data[at]])  # a literal of one byte
        if run > 1:
            out += bytes([(run - 2) << 2 | 2]) + (1).to_bytes(2, "little")  # a copy of what was just written
        at += run
    return bytes(out)


@given(ENTRIES.filter(bool))
def test_a_compressed_block_is_read(rows: list[tuple[bytes, bytes]]) -> None:
    block = sorted_table._TableBlock(16)
    for key, value in rows:
        block.add(key, value)
    contents = block.finished()[: -sorted_table._TRAILER]
    data = with_block(compressed(contents), 1)
    assert list(entries(data)) == rows


@pytest.mark.parametrize(
    "data, match",
    [
        (varint(4) + bytes([0, 65]), "fewer than they claim"),
        (varint(1) + bytes([4, 65, 66]), "more than they claim"),
        (varint(9) + bytes([0, 65, 2 | 3 << 2, 9, 0]), "refer to what is not there"),
        (varint(9) + bytes([63 << 2, 255, 255, 255, 0, 1]), "end too early"),
        (varint(1 << 40), "far more bytes than it has"),
    ],
)
def test_compressed_bytes_that_make_no_sense_are_refused(data: bytes, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        list(entries(with_block(data, 1)))


def test_an_unknown_compression_is_refused() -> None:
    with pytest.raises(ValueError, match="compressed in an unknown way, 7"):
        list(entries(with_block(b"\0\0\0\0", 7)))
