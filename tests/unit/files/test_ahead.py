"""Files that a thread reads ahead."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

import inlay as tf
from inlay._src.base.files.ahead import reading_ahead
from inlay._src.base.files.blocks import Blocks
from inlay._src.base.files.records import Records

BOUND = 30.0


@pytest.mark.parametrize("buffer", [16, 100, 1 << 18])
def test_what_is_read_is_what_is_there(tmp_path: Path, buffer: int) -> None:
    data = os.urandom(1000)
    (tmp_path / "plain").write_bytes(data)
    (tmp_path / "packed").write_bytes(gzip.compress(data))
    for name, compression in (("plain", ""), ("packed", "GZIP")):
        with reading_ahead(str(tmp_path / name), compression, buffer) as file:
            assert file.read(10) + file.read() == data
            assert file.read() == b""


def test_errors_come_where_they_are_read(tmp_path: Path) -> None:
    missing = reading_ahead(str(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        missing.read()
    missing.close()
    path = tmp_path / "cut"
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for _ in range(3):
            writer.write(os.urandom(100_000))
    path.write_bytes(path.read_bytes()[:-1000])
    records = Records(str(path), "GZIP", 1000, reading_ahead)
    assert len(next(records)) == len(next(records)) == 100_000
    with pytest.raises(tf.errors.DataLossError):
        next(records)
    records.close()


def test_blocks_between_header_and_footer(tmp_path: Path) -> None:
    path = tmp_path / "blocks"
    path.write_bytes(b"HH" + b"aabbcc" + b"F")
    blocks = Blocks(str(path), 2, 2, 1, "", 16, reading_ahead)
    assert list(blocks) == [b"aa", b"bb", b"cc"]
    blocks.close()
    other = Blocks(str(path), 4, 2, 1, "", 16, reading_ahead)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple"):
        next(other)
    other.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_files_are_read_at_once(tmp_path: Path) -> None:
    """The first pipe is written only when somebody has opened the second for reading."""
    first, second = tmp_path / "first", tmp_path / "second"
    os.mkfifo(first)
    os.mkfifo(second)

    def write() -> None:
        second.write_text("b\n")  # opening waits for a reader
        first.write_text("a\n")

    writer = threading.Thread(target=write)
    writer.start()
    found: list[bytes] = []
    lines = tf.data.TextLineDataset([str(first), str(second)], num_parallel_reads=2)
    reader = threading.Thread(target=lambda: found.extend(lines.as_numpy_iterator()), daemon=True)
    reader.start()
    reader.join(BOUND)
    assert found == [b"a", b"b"]
    writer.join(BOUND)


def test_a_file_that_is_left_is_closed(tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("line\n" * 100_000)
    iterator = iter(tf.data.TextLineDataset(str(tmp_path / "lines"), buffer_size=16, num_parallel_reads=3))
    assert next(iterator).numpy() == b"line"
    iterator.close()
    open_files = Path("/proc/self/fd")
    if open_files.is_dir():
        waiting = threading.Event()
        for _ in range(300):
            names = [os.readlink(path) for path in open_files.iterdir() if path.exists()]
            if str(tmp_path / "lines") not in names:
                break
            waiting.wait(0.1)
        assert str(tmp_path / "lines") not in names
