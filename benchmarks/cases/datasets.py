"""Datasets around Python functions, as TensorFlow and inlay both run them; one call is one element unless said.

What is timed goes on where the last round stopped: starting workers and tracing are no part of it. With `tf` our own,
the bodies in pure Python run in two other processes, which TensorFlow has not: it gets as many threads.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.timing import Timed, loop

WORKERS = 2
PYTHON_BODIES, IMAGES = 1_000, 40
SLEEPING_CALLS, SLEEP_SECONDS = 64, 0.01
ASYNC_CALLS = 1_000
HEIGHT, WIDTH, SIZE = 480, 640, 224
LINES = [b"the quick brown fox jumps over the lazy dog %d times and then sleeps" % i for i in range(64)]
WORDS = {word: number for number, word in enumerate(sorted({w for line in LINES for w in line.split()}), 1)}


def unchanged(value: Any) -> Any:
    """The cheapest body: what is timed is the dataset."""
    return value


def python_body(value: Any) -> Any:
    """About 75 us of pure Python on the machine of the goals."""
    total = 0
    for i in range(1_100):
        total += i * i
    return value


def image_body(image: Any) -> Any:
    """480 x 640 x 3 bytes to 224 x 224 x 3 floats in [0, 1], between the nearest pixels."""
    y, x = np.linspace(0, HEIGHT - 1, SIZE), np.linspace(0, WIDTH - 1, SIZE)
    top, left = np.minimum(y.astype(int), HEIGHT - 2), np.minimum(x.astype(int), WIDTH - 2)
    down, right = (y - top)[:, None, None].astype(np.float32), (x - left)[None, :, None].astype(np.float32)
    pixels = image.astype(np.float32)
    upper = pixels[top][:, left] * (1 - right) + pixels[top][:, left + 1] * right
    lower = pixels[top + 1][:, left] * (1 - right) + pixels[top + 1][:, left + 1] * right
    return (upper * (1 - down) + lower * down) / np.float32(255)


def encode(line: Any) -> Any:
    """A line of text as the numbers of its words."""
    return np.array([WORDS.get(word, 0) for word in line.split()], np.int64)


def reading(dataset: Any, elements: int = 1) -> Timed:
    """Times a dataset without end.

    Args:
      dataset: the dataset.
      elements: how many make a call: many more than are made ahead, which between two rounds costs nothing.
    """
    iterator: Iterator[Any] = iter(dataset)

    def timed(calls: int) -> float:
        start = time.perf_counter()
        for _ in itertools.islice(iterator, calls * elements):
            pass
        return time.perf_counter() - start

    return timed


def called(tf: Any, body: Callable[..., Any], kind: Any) -> Callable[..., Any]:
    """A function of elements that calls a host function."""
    return lambda x: tf.numpy_function(body, [x], kind, stateful=False)


def elsewhere(tf: Any) -> dict[str, Any]:
    """What makes `map` leave the process, or work on as many elements at a time."""
    ours = {"executor": "processes"} if hasattr(tf, "Processes") else {}
    return {"num_parallel_calls": WORKERS, **ours}


def data_identity(tf: Any) -> Timed:
    return reading(tf.data.Dataset.range(1 << 60).map(called(tf, unchanged, tf.int64)))


def data_identity_bare(_: Any) -> Timed:
    """The body in a loop over numbers of NumPy's, which a dataset makes too."""
    return loop(lambda: unchanged(np.int64(3)))


def data_chain(tf: Any) -> Timed:
    dataset = tf.data.Dataset.range(1 << 60).map(lambda x: x * 3).map(lambda x: x + 1).map(lambda x: -x)
    return reading(dataset)


def data_chain_bare(_: Any) -> Timed:
    """The same in NumPy."""
    value, three, one = np.int64(3), np.int64(3), np.int64(1)
    return loop(lambda: -(value * three + one))


def data_batch(tf: Any) -> Timed:
    """Images of 28 x 28 bytes as rows, made floats in [0, 1] one by one, and stacked."""
    rows = np.random.default_rng(1).integers(0, 256, (10_000, 784), np.uint8)
    dataset = tf.data.Dataset.from_tensor_slices(rows).map(lambda row: tf.cast(row, tf.float32) / 255.0)
    return reading(dataset.batch(100).repeat())


def data_python_body(tf: Any) -> Timed:
    dataset = tf.data.Dataset.range(1 << 60).map(called(tf, python_body, tf.int64), **elsewhere(tf))
    return reading(dataset, PYTHON_BODIES)


def data_python_body_bare(_: Any) -> Timed:
    """The same body in a loop."""
    values = [np.int64(3)] * PYTHON_BODIES
    return loop(lambda: [python_body(value) for value in values])


def data_python_maps(tf: Any) -> Timed:
    """The body twice, in two maps in a row."""
    body, how = called(tf, python_body, tf.int64), elsewhere(tf)
    dataset = tf.data.Dataset.range(1 << 60).map(body, **how).map(body, **how)
    return reading(dataset, PYTHON_BODIES)


def data_python_maps_bare(_: Any) -> Timed:
    """The same in a loop."""
    values = [np.int64(3)] * PYTHON_BODIES
    return loop(lambda: [python_body(python_body(value)) for value in values])


def data_image_body(tf: Any) -> Timed:
    image = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    dataset = tf.data.Dataset.from_tensors(image).repeat()
    return reading(dataset.map(called(tf, image_body, tf.float32), **elsewhere(tf)), IMAGES)


def data_image_body_bare(_: Any) -> Timed:
    """The same body in a loop."""
    image = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    return loop(lambda: [image_body(image) for _ in range(IMAGES)])


def data_text_encode(tf: Any) -> Timed:
    dataset = tf.data.Dataset.from_tensor_slices(LINES).repeat()
    return reading(dataset.map(called(tf, encode, tf.int64)))


def data_text_encode_bare(_: Any) -> Timed:
    """The same body in a loop."""
    lines = itertools.cycle(LINES)
    return loop(lambda: encode(next(lines)))


def data_records(tf: Any) -> Timed:
    """A TFRecord file read, its checksums tested, its examples parsed."""
    path, parts = records(tf)
    dataset = tf.data.TFRecordDataset(path).repeat()
    return reading(dataset.map(lambda record: tf.io.parse_single_example(record, parts)))


def data_records_batched(tf: Any) -> Timed:
    """The same, 100 examples parsed together; a batch is a call."""
    path, parts = records(tf)
    dataset = tf.data.TFRecordDataset(path).repeat().batch(100)
    return reading(dataset.map(lambda batch: tf.io.parse_example(batch, parts)))


def records(tf: Any) -> tuple[str, dict[str, Any]]:
    """A TFRecord file of 1,000 examples, and what they have."""
    path = os.path.join(tempfile.mkdtemp(), "examples.tfrecord")
    train = tf.train
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(1_000):
            features = {
                "number": train.Feature(int64_list=train.Int64List(value=[i])),
                "weights": train.Feature(float_list=train.FloatList(value=[0.5 * i] * 8)),
                "text": train.Feature(bytes_list=train.BytesList(value=[LINES[i % len(LINES)]])),
            }
            writer.write(train.Example(features=train.Features(feature=features)).SerializeToString())
    parts = {
        "number": tf.io.FixedLenFeature([], tf.int64),
        "weights": tf.io.FixedLenFeature([8], tf.float32),
        "text": tf.io.FixedLenFeature([], tf.string),
    }
    return path, parts


def data_sleeping_calls(tf: Any) -> Timed:
    """64 calls that sleep, all at a time; one call is a whole iteration."""

    def sleep(value: Any) -> Any:
        time.sleep(SLEEP_SECONDS)
        return value

    dataset = tf.data.Dataset.range(SLEEPING_CALLS).map(called(tf, sleep, tf.int64), num_parallel_calls=SLEEPING_CALLS)
    return loop(lambda: sum(1 for _ in dataset))


def data_async_calls(tf: Any) -> Timed:
    """1,000 calls of an `async def` that sleeps, all at a time; one call is a whole iteration."""

    async def sleep(value: Any) -> Any:
        await asyncio.sleep(SLEEP_SECONDS)
        return value

    dataset = tf.data.Dataset.range(ASYNC_CALLS).map(called(tf, sleep, tf.int64), num_parallel_calls=ASYNC_CALLS)
    return loop(lambda: sum(1 for _ in dataset))


def data_async_bare(_: Any) -> Timed:
    """The same coroutines under `asyncio.gather`."""

    async def sleep(value: Any) -> Any:
        await asyncio.sleep(SLEEP_SECONDS)
        return value

    async def every() -> list[Any]:
        return await asyncio.gather(*(sleep(i) for i in range(ASYNC_CALLS)))

    return loop(lambda: asyncio.run(every()))


CASES = {
    builder.__name__: builder
    for builder in (
        data_identity,
        data_identity_bare,
        data_chain,
        data_chain_bare,
        data_batch,
        data_python_body,
        data_python_body_bare,
        data_python_maps,
        data_python_maps_bare,
        data_image_body,
        data_image_body_bare,
        data_text_encode,
        data_text_encode_bare,
        data_records,
        data_records_batched,
        data_sleeping_calls,
        data_async_calls,
        data_async_bare,
    )
}
