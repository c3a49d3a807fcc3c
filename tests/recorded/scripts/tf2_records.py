"""TensorFlow 2: rows written as TFRecord by a function in Python, read back, parsed, and counted."""

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf

NAMES = np.array([b"cat", b"dog", b"chicken", b"horse", b"goat"])


def bytes_feature(value):
    if isinstance(value, type(tf.constant(0))):
        value = value.numpy()  # a BytesList takes no tensor
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def float_feature(value):
    return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))


def int64_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value]))


@tf.py_function(Tout=tf.string)
def serialize(flag, number, name, value):
    """One row as the bytes of an Example."""
    feature = {
        "flag": int64_feature(int(flag)),
        "number": int64_feature(int(number)),
        "name": bytes_feature(name),
        "value": float_feature(value),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=400)
    args = parser.parse_args()
    random = np.random.RandomState(4)
    flags = random.choice([False, True], args.rows)
    numbers = random.randint(0, 5, args.rows)
    values = random.randn(args.rows)

    one = serialize(False, 4, b"goat", 0.9876)
    print(tf.train.Example.FromString(one.numpy()).features.feature["name"].bytes_list.value)

    rows = tf.data.Dataset.from_tensor_slices((flags, numbers, NAMES[numbers], values))
    serialized = rows.map(lambda *row: tf.reshape(serialize(*row), ()))
    print(serialized)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.tfrecord")
        with tf.io.TFRecordWriter(path) as writer:
            for record in serialized:
                writer.write(record.numpy())
        print("bytes:", os.path.getsize(path))
        read(path, args.rows)
        damaged = bytearray(open(path, "rb").read())
        damaged[len(damaged) // 2] ^= 1
        with open(path, "wb") as file:
            file.write(damaged)
        try:
            print(sum(1 for _ in tf.data.TFRecordDataset(path)))
        except tf.errors.DataLossError as error:
            print("damaged:", "corrupted record" in error.message)


def read(path, rows):
    description = {
        "flag": tf.io.FixedLenFeature([], tf.int64, default_value=0),
        "number": tf.io.FixedLenFeature([], tf.int64, default_value=0),
        "name": tf.io.FixedLenFeature([], tf.string, default_value=""),
        "value": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
    }
    parsed = tf.data.TFRecordDataset([path]).map(lambda record: tf.io.parse_single_example(record, description))
    for row in parsed.take(2):
        print({key: row[key].numpy() for key in sorted(row)})
    total = parsed.reduce((0, 0.0), lambda state, row: (state[0] + 1, state[1] + row["value"]))
    print(f"{int(total[0])} rows of {rows}, {float(total[1]):.3f}")
    for batch in parsed.filter(lambda row: row["flag"] == 1).batch(64).take(1):
        print(batch["value"].shape, f"{batch['value'].numpy().mean():.4f}", batch["name"][:3].numpy().tolist())


if __name__ == "__main__":
    main()
