"""Ten thousand rows serialized, written, reread and parsed, as TensorFlow's tutorial does.

The file is compared with one that the format's definition gives.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

COUNT = 10_000
RANDOM = np.random.RandomState(5)
ROWS = (
    RANDOM.choice([False, True], COUNT),
    RANDOM.randint(-3, 5, COUNT),
    np.array([b"cat", b"dog\0", b"", b"\xff\xfe", b"goat"], object)[RANDOM.randint(0, 5, COUNT)],
    RANDOM.randn(COUNT),
)
FEATURES = {
    "flag": tf.io.FixedLenFeature([], tf.int64),
    "number": tf.io.FixedLenFeature([], tf.int64),
    "text": tf.io.FixedLenFeature([], tf.string),
    "measure": tf.io.FixedLenFeature([], tf.float32),
}


def message(flag: Any, number: Any, text: Any, measure: Any) -> bytes:
    text = text.numpy() if isinstance(text, type(tf.constant(0))) else text
    train = tf.train
    feature = {
        "flag": train.Feature(int64_list=train.Int64List(value=[int(flag)])),
        "number": train.Feature(int64_list=train.Int64List(value=[number])),
        "text": train.Feature(bytes_list=train.BytesList(value=[text])),
        "measure": train.Feature(float_list=train.FloatList(value=[measure])),
    }
    return train.Example(features=train.Features(feature=feature)).SerializeToString()  # type: ignore[no-any-return]


def crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = crc_table()


def masked(text: bytes) -> bytes:
    """A masked CRC-32C by its definition, byte by byte."""
    crc = 0xFFFFFFFF
    for byte in text:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17 & 0xFFFFFFFF) + 0xA282EAD8) % 2**32)


def by_definition(records: list[bytes]) -> bytes:
    heads = [struct.pack("<Q", len(record)) for record in records]
    return b"".join(head + masked(head) + record + masked(record) for head, record in zip(heads, records, strict=True))


def written_by_calls(path: str) -> None:
    """The decorated function, called eagerly with plain scalars; of the first rows, as each call is one."""
    serialize = tf.py_function(Tout=tf.string)(message)
    with tf.io.TFRecordWriter(path) as writer:
        for i, row in enumerate(zip(*(column.tolist() for column in ROWS), strict=True)):
            writer.write(serialize(*row).numpy() if i < 500 else message(*row))


def written_by_map(path: str) -> None:
    """A map with a tuple of inputs, and the shape put back."""

    def serialize(*row: Any) -> Any:
        return tf.reshape(tf.py_function(message, row, tf.string), ())

    rows = tf.data.Dataset.from_tensor_slices(ROWS)
    tf.data.experimental.TFRecordWriter(path).write(rows.map(serialize))


def written_by_generator(path: str) -> None:
    def generator() -> Iterator[bytes]:
        for row in tf.data.Dataset.from_tensor_slices(ROWS):
            yield message(*row)

    texts = tf.data.Dataset.from_generator(generator, output_types=tf.string, output_shapes=())
    tf.data.experimental.TFRecordWriter(path).write(texts)


@pytest.mark.parametrize("write", [written_by_calls, written_by_map, written_by_generator])
def test_rows_come_back_and_the_file_is_that_of_the_format(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "rows.tfrecord"
    write(str(path))
    records = list(tf.data.TFRecordDataset(str(path)).as_numpy_iterator())
    assert path.read_bytes() == by_definition(records)
    batches = tf.data.TFRecordDataset(str(path)).batch(1024).map(lambda texts: tf.io.parse_example(texts, FEATURES))
    columns = {key: np.concatenate([batch[key] for batch in batches.as_numpy_iterator()]) for key in FEATURES}
    for key, written in zip(FEATURES, ROWS, strict=True):
        np.testing.assert_array_equal(columns[key], written.astype(np.float32) if key == "measure" else written)
    one_by_one = tf.data.TFRecordDataset(str(path)).map(lambda text: tf.io.parse_single_example(text, FEATURES))
    assert one_by_one.element_spec["text"] == tf.TensorSpec([], tf.string)
    assert [row["text"] for row in one_by_one.take(300).as_numpy_iterator()] == ROWS[2][:300].tolist()


def test_a_flipped_byte_anywhere_is_reported_with_its_record(tmp_path: Path) -> None:
    path = tmp_path / "rows.tfrecord"
    records = [message(*row) for row in zip(*(column[:50].tolist() for column in ROWS), strict=True)]
    whole = by_definition(records)
    begins = np.cumsum([0, *(len(record) + 16 for record in records)])
    for at in RANDOM.randint(0, len(whole), 200):
        damaged = bytearray(whole)
        damaged[at] ^= int(RANDOM.randint(1, 256))
        path.write_bytes(damaged)
        record = int(np.searchsorted(begins, at, "right")) - 1
        within = at - begins[record]
        found = []
        with pytest.raises(
            tf.errors.DataLossError, match=f"corrupted record at {begins[record] + (0 if within < 12 else 12)}\\b"
        ):
            for text in tf.data.TFRecordDataset(str(path)):
                found.append(text.numpy())
        assert found == records[:record]
