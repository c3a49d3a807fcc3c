"""Input pipelines, as TensorFlow's guide "tf.data: Build TensorFlow input pipelines" goes through them.

    python examples/data_guide.py

Arrays, generators, records, text, CSV, batches, epochs, shuffling, windows of a series, rare classes, and the position
of an iteration in a checkpoint. The section with image files and SciPy is rotated_images.py. All data is made here
and written into a temporary folder; the exit status is 0 only if all is right.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from checking import check, status

import inlay as tf

RANDOM = np.random.RandomState(6)


def numbers(dataset: Any) -> list[Any]:
    """The elements as Python has them."""
    return [element.tolist() for element in dataset.as_numpy_iterator()]


def show_basics() -> None:
    print("basic mechanics")
    dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
    check("a loop gives the elements", [elem.numpy() for elem in dataset] == [8, 3, 0, 8, 2, 1])
    check("and so does an iterator", next(iter(dataset)).numpy() == 8)
    check("reduce adds them up", dataset.reduce(0, lambda state, value: state + value).numpy() == 22)

    dataset1 = tf.data.Dataset.from_tensor_slices(tf.random.uniform([4, 10]))
    check("a row per element", dataset1.element_spec == tf.TensorSpec([10], tf.float32))
    dataset2 = tf.data.Dataset.from_tensor_slices(
        (tf.random.uniform([4]), tf.random.uniform([4, 100], maxval=100, dtype=tf.int32))
    )
    pair = (tf.TensorSpec([], tf.float32), tf.TensorSpec([100], tf.int32))
    check("a tuple of arrays gives tuples", dataset2.element_spec == pair)
    dataset3 = tf.data.Dataset.zip((dataset1, dataset2))
    check("zip nests them", dataset3.element_spec == (dataset1.element_spec, pair))
    check(
        "and its elements come apart again",
        [(a.shape, b.shape, c.shape) for a, (b, c) in dataset3] == [((10,), (), (100,))] * 4,
    )
    sparse = tf.SparseTensor(indices=[[0, 0], [1, 2]], values=[1, 2], dense_shape=[3, 4])
    dataset4 = tf.data.Dataset.from_tensors(sparse)
    check("a sparse tensor is an element", dataset4.element_spec.value_type is tf.SparseTensor)


def count(stop: int) -> Iterator[int]:
    i = 0
    while i < stop:
        yield i
        i += 1


def gen_series() -> Iterator[tuple[int, Any]]:
    i = 0
    while True:
        size = RANDOM.randint(0, 10)
        yield i, RANDOM.normal(size=(size,))
        i += 1


class AugmentedImages:
    """What Keras' ImageDataGenerator is in the guide: batches of images and classes, without end."""

    def flow(self, images: Any, labels: Any) -> Iterator[tuple[Any, Any]]:
        while True:
            mirrored = images[:, :, ::-1] if RANDOM.rand() < 0.5 else images
            yield mirrored.astype(np.float32) / 255, np.eye(5, dtype=np.float32)[labels]


def show_sources_in_memory() -> None:
    print("arrays and generators")
    images, labels = RANDOM.randint(0, 256, (60, 28, 28), np.uint8), RANDOM.randint(0, 10, 60)
    dataset = tf.data.Dataset.from_tensor_slices((images / 255, labels))
    check("an array is cut into slices", dataset.element_spec[0] == tf.TensorSpec([28, 28], tf.float64))

    ds_counter = tf.data.Dataset.from_generator(count, args=[25], output_types=tf.int32, output_shapes=())
    found = numbers(ds_counter.repeat().batch(10).take(10))
    check("a generator with an argument, repeated", np.array_equal(np.ravel(found), np.arange(100) % 25))

    ds_series = tf.data.Dataset.from_generator(
        gen_series, output_types=(tf.int32, tf.float32), output_shapes=((), (None,))
    )
    ids, sequences = next(iter(ds_series.shuffle(20).padded_batch(10)))
    check("series of several lengths are padded", ids.shape == [10] and sequences.shape[0] == 10)
    check("from among the first thirty", set(ids.numpy()) <= set(range(30)) and len(set(ids.numpy())) == 10)

    pictures, classes = RANDOM.randint(0, 256, (32, 16, 16, 3), np.uint8), RANDOM.randint(0, 5, 32)
    ds = tf.data.Dataset.from_generator(
        lambda: AugmentedImages().flow(pictures, classes),
        output_types=(tf.float32, tf.float32),
        output_shapes=([32, 16, 16, 3], [32, 5]),
    )
    for batch, one_hot in ds.take(1):
        check(
            "a generator of batches has the shapes declared", (batch.shape, one_hot.shape) == ((32, 16, 16, 3), (32, 5))
        )
    signed = tf.data.Dataset.from_generator(gen_series, output_signature=(tf.TensorSpec([]), tf.TensorSpec([None])))
    check("a signature says the same as types and shapes", signed.element_spec[1] == tf.TensorSpec([None], tf.float32))


def show_records(folder: Path) -> None:
    print("records")
    path, texts = str(folder / "signs.tfrec"), [f"Rue {n}" for n in range(20)]
    with tf.io.TFRecordWriter(path) as writer:
        for text in texts:
            feature = {
                "image/text": tf.train.Feature(bytes_list=tf.train.BytesList(value=[text.encode()])),
                "image/encoded": tf.train.Feature(
                    bytes_list=tf.train.BytesList(value=[tf.io.encode_jpeg(np.full((8, 12, 3), 90, np.uint8)).numpy()])
                ),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    dataset = tf.data.TFRecordDataset(filenames=[path])
    raw_example = next(iter(dataset))
    parsed = tf.train.Example.FromString(raw_example.numpy())
    check("a record is a message", parsed.features.feature["image/text"].bytes_list.value == [b"Rue 0"])

    def tf_parse(eg: Any) -> Any:
        example = tf.io.parse_example(
            eg[tf.newaxis],
            {
                "image/encoded": tf.io.FixedLenFeature(shape=(), dtype=tf.string),
                "image/text": tf.io.FixedLenFeature(shape=(), dtype=tf.string),
            },
        )
        return example["image/encoded"][0], example["image/text"][0]

    img, txt = tf_parse(raw_example)
    check("parsed eagerly", txt.numpy() == b"Rue 0" and tf.io.decode_jpeg(img).shape == [8, 12, 3])
    decoded = dataset.map(tf_parse)
    image_batch, text_batch = next(iter(decoded.batch(10)))
    check(
        "parsed in a map",
        image_batch.shape == [10] and text_batch.numpy().tolist() == [b"Rue %d" % n for n in range(10)],
    )


def show_text(folder: Path) -> None:
    print("text")
    paths = []
    for translator in ("cowper", "derby", "butler"):
        path = folder / f"{translator}.txt"
        path.write_text("".join(f"{translator} {i}\n" for i in range(5)))
        paths.append(str(path))
    lines = [line.numpy() for line in tf.data.TextLineDataset(paths)]
    check("file after file", lines[4:6] == [b"cowper 4", b"derby 0"] and len(lines) == 15)
    files_ds = tf.data.Dataset.from_tensor_slices(paths)
    lines_ds = files_ds.interleave(tf.data.TextLineDataset, cycle_length=3)
    found = [line.numpy() for line in lines_ds.take(4)]
    check("line by line of each", found == [b"cowper 0", b"derby 0", b"butler 0", b"cowper 1"])


def show_csv(folder: Path) -> None:
    print("CSV")
    rows = [
        (int(RANDOM.rand() < 0.4), ("male", "female")[i % 2], 20.5 + i, "Third" if i % 3 else "First")
        for i in range(40)
    ]
    path = str(folder / "titanic.csv")
    Path(path).write_text(
        "survived,sex,age,class\n" + "".join(f"{s},{x},{a},{c}\n" for s, x, a, c in rows), encoding="utf-8"
    )

    def survived(line: Any) -> Any:
        return tf.not_equal(tf.strings.substr(line, 0, 1), "0")

    survivors = tf.data.TextLineDataset(path).skip(1).filter(survived)
    check("lines of survivors", [row[0] for row in rows].count(1) == len(list(survivors)))

    columns = dict(
        zip(("survived", "sex", "age", "class"), (np.array(column) for column in zip(*rows, strict=True)), strict=True)
    )
    slices = tf.data.Dataset.from_tensor_slices(columns)
    check("columns as a dict", next(iter(slices))["class"].numpy() == b"First" and len(slices) == 40)

    titanic_batches = tf.data.experimental.make_csv_dataset(
        path, batch_size=4, label_name="survived", select_columns=["class", "age", "survived"]
    )
    known = {(label, age): kind.encode() for label, _, age, kind in rows}
    for feature_batch, label_batch in titanic_batches.take(1):
        check("some columns only", sorted(feature_batch) == ["age", "class"])
        batch = zip(label_batch.numpy(), feature_batch["age"].numpy(), feature_batch["class"].numpy(), strict=True)
        check("types are guessed, rows stay rows", all(known[int(s), float(a)] == c for s, a, c in batch))

    dataset = tf.data.experimental.CsvDataset(path, [tf.int32, tf.string, tf.float32, tf.string], header=True)
    found = [tuple(v.numpy() for v in row) for row in dataset]
    check("every row, with types that are said", found == [(s, x.encode(), a, c.encode()) for s, x, a, c in rows])
    dataset = tf.data.experimental.CsvDataset(path, [999, 999.0], header=True, select_cols=[0, 2])
    check(
        "two columns, with values for what is missing",
        [(s, a) for s, _, a, _ in rows] == [(int(s), float(a)) for s, a in dataset],
    )


def show_batches() -> None:
    print("batches")
    inc_dataset = tf.data.Dataset.range(100)
    dec_dataset = tf.data.Dataset.range(0, -100, -1)
    dataset = tf.data.Dataset.zip((inc_dataset, dec_dataset))
    batched_dataset = dataset.batch(4)
    first, second = next(iter(batched_dataset))
    check("the elements of a batch are stacked", (first + second).numpy().tolist() == [0, 0, 0, 0])
    check("the last batch may be smaller", dataset.batch(7).element_spec[0].shape.as_list() == [None])
    check("unless it is dropped", dataset.batch(7, drop_remainder=True).element_spec[0].shape == [7])

    dataset = tf.data.Dataset.range(100)
    dataset = dataset.map(lambda x: tf.fill([tf.cast(x, tf.int32)], x))
    dataset = dataset.padded_batch(4, padded_shapes=(None,))
    found = numbers(dataset.take(2))
    check("padded to the longest", found == [
        [[0, 0, 0], [1, 0, 0], [2, 2, 0], [3, 3, 3]],
        [[n] * n + [0] * (7 - n) for n in (4, 5, 6, 7)],
    ])  # fmt: skip


def show_epochs() -> None:
    print("epochs and shuffling")
    lines = tf.data.Dataset.range(628)
    check("repeat, then batch: no seams", [len(b) for b in lines.repeat(3).batch(128)] == [128] * 14 + [92])
    check(
        "batch, then repeat: an end for each epoch",
        [len(b) for b in lines.batch(128).repeat(3)] == [128, 128, 128, 128, 116] * 3,
    )

    counter = tf.data.experimental.Counter()
    dataset = tf.data.Dataset.zip((counter, lines)).shuffle(buffer_size=100).batch(20)
    n, line_batch = next(iter(dataset))
    check("the first batch knows the buffer only", max(n.numpy()) < 120 and np.array_equal(n, line_batch))
    shuffled = tf.data.Dataset.zip((counter, lines)).shuffle(buffer_size=100)
    epochs = [int(index) for index, _ in shuffled.repeat(2)]
    check("shuffle, then repeat: each epoch is whole", sorted(epochs[:628]) == sorted(epochs[628:]) == list(range(628)))
    mixed = [int(index) for index in lines.repeat(2).shuffle(100)]
    check(
        "repeat, then shuffle: epochs mix",
        sorted(mixed) == sorted([*range(628), *range(628)]) and len(set(mixed[:628])) < 628,
    )


def make_window_dataset(ds: Any, window_size: int = 5, shift: int = 1, stride: int = 1) -> Any:
    windows = ds.window(window_size, shift=shift, stride=stride)

    def sub_to_batch(sub: Any) -> Any:
        return sub.batch(window_size, drop_remainder=True)

    return windows.flat_map(sub_to_batch)


def show_windows() -> None:
    print("windows of a series")
    range_ds = tf.data.Dataset.range(100_000)
    batches = range_ds.batch(10, drop_remainder=True)

    def dense_1_step(batch: Any) -> Any:
        return batch[:-1], batch[1:]

    features, label = next(iter(batches.map(dense_1_step)))
    check("one step ahead", label.numpy().tolist() == list(range(1, 10)) and len(features) == 9)

    def label_next_5_steps(batch: Any) -> Any:
        return batch[:-5], batch[-5:]

    features, label = next(iter(range_ds.batch(15, drop_remainder=True).map(label_next_5_steps)))
    check("five steps ahead", (features.numpy().tolist(), label.numpy().tolist()) == ([*range(10)], [*range(10, 15)]))

    feature_length, label_length = 10, 3
    features_ds = range_ds.batch(feature_length, drop_remainder=True)
    labels_ds = range_ds.batch(feature_length, drop_remainder=True).skip(1).map(lambda labels: labels[:label_length])
    pairs = [(f.numpy().tolist(), n.numpy().tolist()) for f, n in tf.data.Dataset.zip((features_ds, labels_ds)).take(5)]
    check("overlapping batches, by zip", pairs[4] == ([*range(40, 50)], [50, 51, 52]))

    nested = range_ds.window(5, shift=1)
    check("a window is a dataset", all(isinstance(sub_ds, tf.data.Dataset) for sub_ds in nested.take(3)))
    check(
        "a window is a batch with flat_map",
        numbers(nested.flat_map(lambda sub_ds: sub_ds.batch(5)).take(2)) == [[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]],
    )
    ds = make_window_dataset(range_ds, window_size=10, shift=5, stride=3)
    check("with shift and stride", numbers(ds.take(2)) == [[*range(0, 30, 3)], [*range(5, 35, 3)]])
    dense_labels_ds = ds.map(dense_1_step)
    inputs, labels = next(iter(dense_labels_ds))
    check("labels of a window", np.array_equal(labels, inputs + 3))


def show_resampling(folder: Path) -> None:
    print("a rare class")
    path = str(folder / "creditcard.csv")
    rare = RANDOM.rand(3000) < 0.05
    rows = "".join(f"{i},{RANDOM.randn():.4f},{int(r)}\n" for i, r in enumerate(rare))
    Path(path).write_text("Time,Amount,Class\n" + rows)
    creditcard_ds = tf.data.experimental.make_csv_dataset(
        path, batch_size=1024, label_name="Class", column_defaults=[0.0, 0.0, 0], shuffle_seed=2
    )

    def count(counts: Any, batch: Any) -> Any:
        _, labels = batch
        class_1 = tf.cast(labels == 1, tf.int32)
        class_0 = tf.cast(labels == 0, tf.int32)
        counts["class_0"] += tf.reduce_sum(class_0)
        counts["class_1"] += tf.reduce_sum(class_1)
        return counts

    counts = creditcard_ds.take(10).reduce(initial_state={"class_0": 0, "class_1": 0}, reduce_func=count)
    found = np.array([counts["class_0"].numpy(), counts["class_1"].numpy()]).astype(np.float32)
    fractions = found / found.sum()
    check(
        f"of ten batches {fractions[1]:.1%} are of class 1",
        found.sum() == 10240 and abs(fractions[1] - rare.mean()) < 0.01,
    )

    unbatched = creditcard_ds.unbatch()
    negative_ds = unbatched.filter(lambda features, label: label == 0).repeat()
    positive_ds = unbatched.filter(lambda features, label: label == 1).repeat()
    sampled_ds = tf.data.Dataset.sample_from_datasets([negative_ds, positive_ds], [0.5, 0.5], seed=3).batch(10)
    share = np.mean([labels.numpy() for _, labels in sampled_ds.take(40)])
    check(f"sampled from two datasets: {share:.0%}", 0.4 < share < 0.6)

    def class_func(features: Any, label: Any) -> Any:
        return label

    resample_ds = unbatched.rejection_resample(
        class_func, target_dist=[0.5, 0.5], initial_dist=fractions, seed=4
    ).batch(10)
    balanced_ds = resample_ds.map(lambda extra_label, features_and_label: features_and_label)
    share = np.mean([labels.numpy() for _, labels in balanced_ds.take(40)])
    check(f"some of the many rejected: {share:.0%}", 0.4 < share < 0.6)


def show_checkpoint(folder: Path) -> None:
    print("the position of an iteration")
    range_ds = tf.data.Dataset.range(20)
    iterator = iter(range_ds)
    ckpt = tf.train.Checkpoint(step=tf.Variable(0), iterator=iterator)
    manager = tf.train.CheckpointManager(ckpt, str(folder / "my_ckpt"), max_to_keep=3)
    check("five elements", [next(iterator).numpy() for _ in range(5)] == [0, 1, 2, 3, 4])
    manager.save()
    check("five more", [next(iterator).numpy() for _ in range(5)] == [5, 6, 7, 8, 9])
    ckpt.restore(manager.latest_checkpoint)
    check("and after a restore the same again", [next(iterator).numpy() for _ in range(5)] == [5, 6, 7, 8, 9])

    # With a Python function in the pipeline TensorFlow raises: "EagerPyFunc is stateful".
    def halve(x: Any) -> Any:
        return tf.py_function(lambda v: v / 2, [x], tf.float64)

    iterator = iter(range_ds.shuffle(20, seed=5).map(halve, num_parallel_calls=2).batch(3).repeat(2).prefetch(1))
    ckpt = tf.train.Checkpoint(iterator=iterator)
    first = [next(iterator).numpy().tolist() for _ in range(2)]
    path = ckpt.save(str(folder / "python"))
    rest = [v.numpy().tolist() for v in iterator]
    halves = sorted(sum(first + rest, []))
    check("two shuffled epochs around a Python function", halves == sorted(2 * [i / 2 for i in range(20)]))
    ckpt.restore(path)
    check("are resumed in the middle of the first", [v.numpy().tolist() for v in iterator] == rest)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        show_basics()
        show_sources_in_memory()
        show_records(folder)
        show_text(folder)
        show_csv(folder)
        show_batches()
        show_epochs()
        show_windows()
        show_resampling(folder)
        show_checkpoint(folder)
    return status()


if __name__ == "__main__":
    sys.exit(main())
