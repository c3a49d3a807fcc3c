"""Record files, byte for byte, and the files below them."""

from __future__ import annotations

import contextlib
import gzip
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.files import opening
from inlay._src.base.files.blocks import Blocks
from inlay._src.base.files.lines import Lines
from inlay._src.base.files.opening import reading
from inlay._src.base.files.records import masked
from inlay._src.ops import serialized

RECORDS = [b"", b"abc", b"x" * 300]
# Written by TensorFlow 2.21: the three records above, up to the first bytes of the last one.
OF_TENSORFLOW = (
    "000000000000000029039807d8ea82a20300000000000000b099490e6162636e57f121"
    "2c01000000000000f2fe5b9d78787878787878787878787878"
)
COMPRESSED = {
    "GZIP": "1f8b080000000000000363658080579b58ec32527372f277cbcb4832430537ccf4e4abcc2f3df73b3a1f00db9c51db28000000",
    "ZLIB": "789c63658080579b58ec32527372f277cbcb4832430537ccf4e4abcc2f3df73b3a1f00a92a0a9a",
}
"""Written by TensorFlow 2.21: the records b"hello" and b"you"."""


def written(path: Path, records: list[Any], options: Any = None) -> Path:
    with tf.io.TFRecordWriter(path, options) as writer:
        for record in records:
            writer.write(record)
    return path


def crc32c(text: bytes) -> int:
    """The checksum by its definition: the polynomial 0x1EDC6F41, bits reversed."""
    crc = 0xFFFFFFFF
    for byte in text:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("text", [b"", b"123456789", bytes(range(256))])
def test_the_checksum_is_that_of_the_definition(text: bytes) -> None:
    crc = crc32c(text)
    assert masked(text) == ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) % 2**32


def test_what_is_written_is_the_format_byte_for_byte(tmp_path: Path) -> None:
    expected = b"".join(
        struct.pack("<Q", len(r))
        + struct.pack("<I", masked(struct.pack("<Q", len(r))))
        + r
        + struct.pack("<I", masked(r))
        for r in RECORDS
    )
    found = written(tmp_path / "a", RECORDS).read_bytes()
    assert found == expected
    assert found[:60].hex() == OF_TENSORFLOW


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_compressed_files_are_tensorflows_and_are_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "theirs"
    path.write_bytes(bytes.fromhex(COMPRESSED[kind]))
    assert list(tf.compat.v1.io.tf_record_iterator(path, kind)) == [b"hello", b"you"]
    number = {"ZLIB": 1, "GZIP": 2}[kind]
    for options in (kind, number, tf.io.TFRecordOptions(kind, compression_level=9, mem_level=1)):
        again = written(tmp_path / "ours", [b"hello", b"you"], options)
        assert list(tf.python_io.tf_record_iterator(str(again), tf.io.TFRecordOptions(options))) == [b"hello", b"you"]


def test_options_say_the_compression_and_refuse_others() -> None:
    text = tf.io.TFRecordOptions.get_compression_type_string
    kinds = tf.python_io.TFRecordCompressionType
    assert [text(o) for o in (None, "", kinds.NONE, kinds.ZLIB, "GZIP", tf.io.TFRecordOptions("GZIP"))] == [
        "", "", "", "ZLIB", "GZIP", "GZIP",
    ]  # fmt: skip
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ4"'):
        tf.io.TFRecordOptions("LZ4")
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ4"'):
        tf.io.TFRecordWriter("nowhere", "LZ4")


def test_a_writer_takes_bytes_until_it_is_closed(tmp_path: Path) -> None:
    writer = tf.io.TFRecordWriter(str(tmp_path / "a"))
    writer.write("ä")
    writer.write(bytearray(b"b"))
    writer.flush()
    assert list(tf.compat.v1.io.tf_record_iterator(tmp_path / "a")) == ["ä".encode(), b"b"]
    with pytest.raises(TypeError, match=r"a record is bytes, got EagerTensor\. Of a tensor write \.numpy\(\)"):
        writer.write(tf.constant(b"a"))
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"Writer is closed\."):
        writer.write(b"a")
    with pytest.raises(tf.errors.NotFoundError, match="no/such/folder; No such file or directory"):
        tf.io.TFRecordWriter(tmp_path / "no" / "such" / "folder")


@pytest.mark.parametrize(
    ("flipped", "where"),
    [
        (3, r"corrupted record at 0 \(Is this even a TFRecord file\?\)"),
        (9, r"corrupted record at 0 "),
        (13, "corrupted record at 12: the 0 bytes of the record that begins at 0"),
        (18, "corrupted record at 16: its length"),
        (28, "corrupted record at 28: the 3 bytes of the record that begins at 16"),
        (33, "corrupted record at 28"),
        (40, "corrupted record at 35: its length"),
        (200, "corrupted record at 47: the 300 bytes of the record that begins at 35"),
    ],
)
def test_a_flipped_byte_is_reported_with_its_record(tmp_path: Path, flipped: int, where: str) -> None:
    path = written(tmp_path / "a", RECORDS)
    damaged = bytearray(path.read_bytes())
    damaged[flipped] ^= 0x10
    path.write_bytes(damaged)
    with pytest.raises(tf.errors.DataLossError, match=f"{where}.*File: .*a"):
        list(tf.compat.v1.io.tf_record_iterator(path))


def test_every_single_flipped_bit_of_a_file_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path / "a", [b"some bytes", b""])
    whole = path.read_bytes()
    for at in range(len(whole) * 8):
        damaged = bytearray(whole)
        damaged[at // 8] ^= 1 << at % 8
        path.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError):
            list(tf.compat.v1.io.tf_record_iterator(path))


@pytest.mark.parametrize("cut", [5, 12, 14, 20, 33, 34])
def test_a_file_that_was_cut_short_is_reported(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path / "a", RECORDS)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(
        tf.errors.DataLossError, match=f"truncated record at {0 if cut < 16 else 16}' failed with Read less"
    ):
        list(tf.compat.v1.io.tf_record_iterator(path))


@pytest.mark.parametrize("length", [2**64 - 1, 2**63, 2**40, 1 << 28])
def test_no_memory_is_taken_for_a_length_that_the_file_has_not(tmp_path: Path, length: int) -> None:
    head = struct.pack("<Q", length)
    path = tmp_path / "records"
    path.write_bytes(head + struct.pack("<I", masked(head)) + b"x" * 100)
    tracemalloc.start()
    try:
        with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
            list(tf.compat.v1.io.tf_record_iterator(str(path)))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40 << 20


def test_a_long_record_is_read_in_pieces(tmp_path: Path) -> None:
    record = bytes(range(256)) * (1 << 17)
    path = written(tmp_path / "records", [b"a", record, b"b"])
    assert list(tf.compat.v1.io.tf_record_iterator(str(path))) == [b"a", record, b"b"]


def test_the_iterator_closes_its_file_when_it_is_left(tmp_path: Path) -> None:
    found = tf.compat.v1.io.tf_record_iterator(written(tmp_path / "a", RECORDS))
    assert next(found) == b""
    found.close()  # an open file would be a ResourceWarning, which is an error here
    assert list(found) == []
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file"):
        list(tf.compat.v1.io.tf_record_iterator(tmp_path / "nowhere"))


# ---------------------------------------------------------------- compressed streams


@pytest.mark.parametrize(("kind", "compress"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress)])
def test_streams_one_behind_the_other_are_one(tmp_path: Path, kind: str, compress: Any) -> None:
    text = b"0123456789" * 300_000
    (tmp_path / "a").write_bytes(compress(text) + compress(b"end"))
    with reading(str(tmp_path / "a"), kind) as file:
        assert file.read() == text + b"end"


@pytest.mark.parametrize("kind", ["GZIP", "ZLIB"])
def test_a_stream_that_is_none_or_ends_early_is_data_loss(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a").write_bytes(b"plain text")
    with (
        reading(str(tmp_path / "a"), kind) as file,
        pytest.raises(tf.errors.DataLossError, match=f"was read as {kind}"),
    ):
        file.read()
    whole = (gzip.compress if kind == "GZIP" else zlib.compress)(bytes(range(256)) * 100)
    (tmp_path / "a").write_bytes(whole[:-3])
    with reading(str(tmp_path / "a"), kind) as file, pytest.raises(tf.errors.DataLossError, match="cut short"):
        file.read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type. Got 'LZ4'"):
        reading(str(tmp_path / "a"), "LZ4")


# ---------------------------------------------------------------- lines and blocks


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_lines_are_without_their_ends(tmp_path: Path, kind: str) -> None:
    text = b"a\r\nb\rc\n\nlast"
    (tmp_path / "a").write_bytes(gzip.compress(text) if kind else text)
    lines = Lines(str(tmp_path / "a"), kind)
    assert [next(lines), lines.at, next(lines)] == [b"a", 3, b"bc"]
    again = Lines(str(tmp_path / "a"), kind)
    again.seek(lines.at)
    assert list(again) == list(lines) == [b"", b"last"]
    for file in (lines, again):
        file.close()


@pytest.mark.parametrize("kind", ["", "ZLIB"])
def test_blocks_leave_out_header_and_footer(tmp_path: Path, kind: str) -> None:
    text = b"HHabcdefghiF"
    (tmp_path / "a").write_bytes(zlib.compress(text) if kind else text)
    blocks = Blocks(str(tmp_path / "a"), 3, 2, 1, kind)
    assert list(blocks) == [b"abc", b"def", b"ghi"]
    again = Blocks(str(tmp_path / "a"), 3, 2, 1, kind)
    again.seek(5)
    assert list(again) == [b"def", b"ghi"]
    for file in (blocks, again):
        file.close()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"body length 9 bytes, which is not an exact multiple of"):
        _read(tmp_path / "a", kind)


def _read(path: Path, kind: str) -> None:
    blocks = Blocks(str(path), 4, 2, 1, kind)
    with contextlib.closing(blocks):
        list(blocks)


def bomb(path: Path, size: int) -> Path:
    """A compressed record file with one record of so many zeros."""
    record = struct.pack("<Q", size)
    stream = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS + 16)
    with open(path, "wb") as file:
        file.write(stream.compress(record + struct.pack("<I", masked(record))))
        for _ in range(size >> 20):
            file.write(stream.compress(bytes(1 << 20)))
        file.write(stream.flush())
    return path


def test_a_compressed_record_of_many_times_the_file_is_refused(tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb", 200 << 20)
    tracemalloc.start()
    with pytest.raises(tf.errors.ResourceExhaustedError, match="over 100 times those of the file"):
        next(tf.compat.v1.io.tf_record_iterator(str(path), "GZIP"))
    assert tracemalloc.get_traced_memory()[1] < 4 * path.stat().st_size + (64 << 20)
    tracemalloc.stop()


def test_a_line_of_many_times_the_compressed_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ALWAYS", 1 << 20)
    path = bomb(tmp_path / "bomb", 8 << 20)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="an element of the compressed file"):
        next(Lines(str(path), "GZIP"))
    with pytest.raises(tf.errors.ResourceExhaustedError, match="a string of"):
        monkeypatch.setattr(serialized, "ALWAYS", 1 << 20)
        tf.io.decode_compressed(path.read_bytes(), "GZIP")


def test_a_long_record_is_in_memory_once(tmp_path: Path) -> None:
    size = 40 << 20
    path = written(tmp_path / "long", [bytes(size)])
    tracemalloc.start()
    assert len(next(tf.compat.v1.io.tf_record_iterator(str(path)))) == size
    assert tracemalloc.get_traced_memory()[1] < 1.6 * size
    tracemalloc.stop()


def test_many_small_compressed_streams_are_copied_once(tmp_path: Path) -> None:
    streams = [gzip.compress(bytes([i % 256]) * (i % 20), mtime=0) for i in range(3000)]
    path = tmp_path / "streams"
    path.write_bytes(b"".join(streams))
    with reading(str(path), "GZIP") as file:
        assert file.read() == b"".join(bytes([i % 256]) * (i % 20) for i in range(3000))
