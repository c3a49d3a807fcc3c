"""What the guides on modules, training loops, records and saving do, in small."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


def _dense(tf: Any) -> Any:
    """A layer that makes its weights when it is first called, and a model of two."""

    class Dense(tf.Module):  # type: ignore[misc]
        def __init__(self, out_features: int, name: Any = None) -> None:
            super().__init__(name=name)
            self.is_built = False
            self.out_features = out_features

        def __call__(self, x: Any) -> Any:
            if not self.is_built:
                shape = [x.shape[-1], self.out_features]
                self.w = tf.Variable(tf.reshape(tf.range(float(np.prod(shape))), shape) / 10.0, name="w")
                self.b = tf.Variable(tf.zeros([self.out_features]), name="b")
                self.is_built = True
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    class Sequential(tf.Module):  # type: ignore[misc]
        def __init__(self, name: Any = None) -> None:
            super().__init__(name=name)
            self.dense_1 = Dense(3)
            self.dense_2 = Dense(2)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return self.dense_2(self.dense_1(x))

    return Sequential(name="the_model")


def modules_find_their_variables(tf: Any) -> Any:
    """Names, shapes and scopes of what a module has."""
    model = _dense(tf)
    before = len(model.variables)
    result = model(tf.constant([[2.0, 1.0, 2.0]]))
    return [
        before,
        result,
        [(v.name, v.shape.as_list()) for v in model.variables],
        [m.name for m in model.submodules],
        [model.name, model.dense_1.name_scope.name],
        len(model.trainable_variables),
    ]


def modules_come_back_from_checkpoints(tf: Any) -> Any:
    """Values, and what of a checkpoint is not there."""
    inputs = tf.constant([[2.0, 1.0, 2.0]])
    model, fresh = _dense(tf), _dense(tf)
    model(inputs)
    fresh(inputs)
    for v in model.variables:
        v.assign(v * 2.0 + 1.0)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(model=model).write(str(Path(folder) / "c"))
        status = tf.train.Checkpoint(model=fresh).read(path)
        status.assert_consumed()
        status.assert_existing_objects_matched()
        found = dict(tf.train.list_variables(path))
        missing = tf.train.Checkpoint(model=fresh, step=tf.Variable(1)).read(path)
        return [
            fresh(inputs) - model(inputs),
            sorted(name for name in found if not name.startswith("_")),
            refused(missing.assert_existing_objects_matched),
            refused(lambda: tf.train.load_checkpoint(str(Path(folder) / "other"))),
        ]


def managers_keep_the_newest(tf: Any) -> Any:
    """Numbers of checkpoints, and the value after restoring the latest."""
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    with tempfile.TemporaryDirectory() as folder:
        manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
        first = manager.latest_checkpoint
        for _ in range(4):
            step.assign_add(10)
            manager.save()
        names = [Path(p).name for p in manager.checkpoints]
        latest = Path(tf.train.latest_checkpoint(folder)).name
        step.assign(-1)
        checkpoint.restore(manager.latest_checkpoint)
        return [first, names, latest, step.numpy(), checkpoint.save_counter.numpy()]


def lists_and_mappings_are_restored_when_they_are_made(tf: Any) -> Any:
    """A variable that is appended after restoring gets its value."""
    save, restore = tf.train.Checkpoint(), tf.train.Checkpoint()
    save.listed = [tf.Variable(1.0)]
    save.listed.append(tf.Variable(2.0))
    save.mapped = {"one": save.listed[0]}
    save.mapped["two"] = save.listed[1]
    with tempfile.TemporaryDirectory() as folder:
        path = save.save(str(Path(folder) / "lists"))
        two, one = tf.Variable(0.0), tf.Variable(0.0)
        restore.mapped = {"two": two}
        restore.restore(path)
        restored = two.numpy()
        restore.listed = []
        restore.listed.append(one)
        return [restored, one.numpy()]


def a_line_is_fitted(tf: Any) -> Any:
    """Losses of a loop with a tape."""
    x = tf.linspace(-2.0, 2.0, 21)
    y = 3.0 * x + 2.0
    w, b = tf.Variable(5.0), tf.Variable(0.0)
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(y - (w * x + b)))
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        losses.append(loss)
    return [losses, w.numpy(), b.numpy()]


@rows(True, False)
def records_are_written_and_parsed(tf: Any, batched: bool) -> Any:
    """Examples through a file, one by one or in batches."""
    kinds = tf.train
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "records")
        with tf.io.TFRecordWriter(path) as writer:
            for i in range(4):
                feature = {
                    "number": kinds.Feature(int64_list=kinds.Int64List(value=[i])),
                    "word": kinds.Feature(bytes_list=kinds.BytesList(value=[b"word %d" % i])),
                    "share": kinds.Feature(float_list=kinds.FloatList(value=[i / 4.0])),
                }
                writer.write(kinds.Example(features=kinds.Features(feature=feature)).SerializeToString())
        described = {
            "number": tf.io.FixedLenFeature([], tf.int64, default_value=0),
            "word": tf.io.FixedLenFeature([], tf.string, default_value=""),
            "share": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
            "absent": tf.io.FixedLenFeature([2], tf.float32, default_value=[1.0, 2.0]),
        }
        dataset = tf.data.TFRecordDataset([path])
        if batched:
            parsed = dataset.batch(3).map(lambda text: tf.io.parse_example(text, described))
        else:
            parsed = dataset.map(lambda text: tf.io.parse_single_example(text, described))
        return [repr(parsed.element_spec), [[*found.items()] for found in parsed]]


def functions_are_saved_with_their_signature(tf: Any) -> Any:
    """Names of inputs and outputs, and what a loaded model gives."""

    class Scale(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
        def scaled(self, x: Any) -> Any:
            return {"scaled": x * self.v}

    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(Scale(), folder)
        loaded = tf.saved_model.load(folder)
        serve = loaded.signatures["serving_default"]
        loaded.v.assign(5.0)
        return [
            sorted(loaded.signatures),
            serve(x=tf.constant([1.0, 2.0])),
            loaded.scaled(tf.constant([4.0])),
            sorted(serve.structured_outputs),
            tf.saved_model.contains_saved_model(folder),
            refused(lambda: loaded.scaled(tf.constant(1))),
        ]


def tables_of_text_become_features(tf: Any) -> Any:
    """Lines of a CSV file as columns, by functions and by the dataset of such files."""
    lines = "survived,sex,age,fare\n0,male,22.0,7.25\n1,female,38.0,71.28\n1,female,,8.05\n0,male,35.0,53.1\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "titanic.csv"
        path.write_text(lines)
        plain = tf.data.TextLineDataset(str(path)).skip(1).filter(lambda line: tf.strings.substr(line, 0, 1) != "0")
        typed = tf.data.experimental.CsvDataset(
            str(path), [tf.int32, tf.string, tf.constant([-1.0]), tf.constant([0.0])], header=True
        )
        chosen = tf.data.experimental.CsvDataset(str(path), [tf.string, tf.float32], header=True, select_cols=[1, 3])
        batches = tf.data.experimental.make_csv_dataset(
            str(path), batch_size=2, label_name="survived", num_epochs=1, shuffle=False, select_columns=None
        )
        features, labels = next(iter(batches))
        return [
            list(plain),
            tf.io.decode_csv(lines.splitlines()[1:], [[0], [""], [9.0], [0.0]]),
            [[*row] for row in typed],
            [[*row] for row in chosen],
            [*features],
            [features["sex"], features["age"], labels],
            refused(lambda: list(tf.data.experimental.CsvDataset(str(path), [tf.int32] * 4))),
        ]


def parts_of_a_dataset_are_put_together(tf: Any) -> Any:
    """Windows, batches of unequal rows, and rows drawn by weights."""
    numbers = tf.data.Dataset.range(10)
    windows = numbers.window(4, shift=3, drop_remainder=True).flat_map(lambda part: part.batch(4))
    padded = numbers.map(lambda x: tf.fill([tf.cast(x % 4, tf.int32)], x)).padded_batch(3, padded_shapes=(None,))
    pairs = tf.data.Dataset.zip((numbers, numbers.skip(1))).take(3)
    chosen = tf.data.Dataset.choose_from_datasets(
        [numbers.take(3), numbers.skip(5)], tf.data.Dataset.range(2).repeat(3), stop_on_empty_dataset=True
    )
    return [
        list(windows),
        list(padded),
        [[*pair] for pair in pairs],
        list(chosen),
        list(numbers.batch(4).map(lambda row: (row[:-1], row[1:])).unbatch().take(2)),
        [int(numbers.cardinality()), int(windows.cardinality()), int(padded.cardinality())],
    ]
