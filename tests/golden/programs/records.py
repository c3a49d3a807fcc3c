"""Record files, text files, generators, and what examples are parsed into."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _feature(tf: Any, values: Any) -> Any:
    kinds = tf.train
    if isinstance(values[0], bytes):
        return kinds.Feature(bytes_list=kinds.BytesList(value=values))
    if isinstance(values[0], float):
        return kinds.Feature(float_list=kinds.FloatList(value=values))
    return kinds.Feature(int64_list=kinds.Int64List(value=values))


def _example(tf: Any, **features: Any) -> bytes:
    made = tf.train.Features(feature={name: _feature(tf, values) for name, values in features.items()})
    return tf.train.Example(features=made).SerializeToString()  # type: ignore[no-any-return]


def _written(tf: Any, path: Path, records: list[bytes], options: Any = None) -> str:
    with tf.io.TFRecordWriter(str(path), options) as writer:
        for record in records:
            writer.write(record)
    return str(path)


def _elements(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


@rows("", "GZIP", "ZLIB")
def record_bytes(tf: Any, options: str) -> Any:
    with _folder() as folder:
        path = _written(tf, folder / "a", [b"", b"abc", b"x" * 300, b"\0\0"], options)
        return Path(path).read_bytes(), _elements(tf.data.TFRecordDataset(path, options))


@rows(3, 9, 13, 18, 28, 33, 40, 60)
def flipped(tf: Any, at: int) -> Any:
    with _folder() as folder:
        path = _written(tf, folder / "a", [b"", b"abc", b"x" * 300])
        damaged = bytearray(Path(path).read_bytes())
        damaged[at] ^= 1
        Path(path).write_bytes(damaged)
        found = []
        iterator = iter(tf.data.TFRecordDataset(path))
        try:
            for record in iterator:
                found.append(record.numpy())
        except tf.errors.DataLossError as error:
            text = str(error)
            place = text[text.index("corrupted record at") :].split()[3]
            return found, int(place.rstrip(":;,"))
        return found


@rows(None, 1, 2, 3, 5)
def in_turn(tf: Any, together: int | None) -> Any:
    with _folder() as folder:
        names = [
            _written(tf, folder / f"{k}", [b"%d%d" % (k, i) for i in range(n)]) for k, n in enumerate((3, 1, 4, 0, 2))
        ]
        return _elements(tf.data.TFRecordDataset(names, num_parallel_reads=together))


def lines_and_blocks(tf: Any) -> Any:
    with _folder() as folder:
        (folder / "a").write_bytes(b"one\r\ntwo\rthree\n\n last")
        (folder / "b").write_bytes(b"HHabcdefghiF")
        lines = tf.data.TextLineDataset([str(folder / "a")] * 2)
        blocks = tf.data.FixedLengthRecordDataset(str(folder / "b"), 3, 2, 1)
        names = tf.data.Dataset.list_files(str(folder / "*"), shuffle=False)
        wrong = tf.data.FixedLengthRecordDataset(str(folder / "b"), 4, 2, 1)
        return (
            _elements(lines),
            _elements(blocks),
            [Path(name.decode()).name for name in _elements(names)],
            refused(lambda: _elements(wrong)),
            refused(lambda: tf.data.Dataset.list_files(str(folder / "no*"))),
            refused(lambda: _elements(tf.data.TextLineDataset(str(folder / "no")))),
        )


_YIELDED = {
    "numbers": (3, "int64", ()),
    "as floats": (3, "float32", ()),
    "rounded": (np.float64(0.1), "float32", ()),
    "text": ("ä", "string", ()),
    "a vector": ([1, 2], "int32", (None,)),
    "a narrower array": (np.int32([1, 2]), "int64", (2,)),
    "of another type": ("a", "int64", ()),
    "of another shape": ([1, 2], "int64", (3,)),
    "too many": ((1, 2), "int64", ()),
    "nothing": (None, "int64", ()),
}


@rows(*_YIELDED)
def generated(tf: Any, what: str) -> Any:
    item, kind, shape = _YIELDED[what]
    dataset = tf.data.Dataset.from_generator(lambda: iter([item, item]), output_types=kind, output_shapes=shape)
    return refused(lambda: _elements(dataset))


def generated_again_for_every_repetition(tf: Any) -> Any:
    def count(start: Any, stop: Any) -> Iterator[Any]:
        yield from range(start, stop)

    dataset = tf.data.Dataset.from_generator(count, output_types=tf.int64, args=(2, 5))
    nested = tf.data.Dataset.range(3).flat_map(
        lambda n: tf.data.Dataset.from_generator(count, output_types=tf.int64, args=(0, n))
    )
    return _elements(dataset.repeat(2)), _elements(nested), int(dataset.cardinality()), dataset.element_spec


@rows((1, None), (7, 8))  # without a seed of the whole program they depend on what ran before
def random_numbers(tf: Any, seeds: Any) -> Any:
    whole, own = seeds
    tf.random.set_seed(whole)
    dataset = tf.data.Dataset.random(seed=own)
    again = tf.data.Dataset.random(seed=5, rerandomize_each_iteration=True)
    return (
        _elements(dataset.take(9)) if own is not None else 0,
        [_elements(again.take(3)) for _ in range(3)],
    )


def _features(tf: Any) -> dict[str, Any]:
    io = tf.io
    return {
        "dense": {"a": io.FixedLenFeature([2], tf.float32), "b": io.FixedLenFeature([], tf.int64)},
        "default": {"c": io.FixedLenFeature([], tf.string, "none"), "d": io.FixedLenFeature([3], tf.int64, [1, 2, 3])},
        "sparse": {
            "a": io.VarLenFeature(tf.float32), "d": io.VarLenFeature(tf.int64), "z": io.VarLenFeature(tf.string),
        },
        "padded": {
            "d": io.FixedLenSequenceFeature([], tf.int64, True), "a": io.FixedLenSequenceFeature([2], tf.float32, True),
        },
        "padded with": {"d": io.FixedLenSequenceFeature([], tf.int64, True, -1)},
        "ragged": {"d": io.RaggedFeature(tf.int64)},
        "lengths": {"r": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.RowLengths("l")])},
        "rows of two": {"r": io.RaggedFeature(tf.int64, "v", [io.RaggedFeature.UniformRowLength(2)])},
        "coordinates": {"s": io.SparseFeature("v", "w", tf.float32, 9)},
        "missing": {"z": io.FixedLenFeature([], tf.int64)},
        "another type": {"a": io.FixedLenFeature([2], tf.int64)},
        "another size": {"a": io.FixedLenFeature([3], tf.float32)},
        "no multiple": {"d": io.FixedLenSequenceFeature([2], tf.int64, True)},
        "a sparse of another type": {"a": io.VarLenFeature(tf.string)},
    }  # fmt: skip


def _plain(value: Any) -> Any:
    if hasattr(value, "dense_shape"):
        return value.indices, value.values, value.dense_shape
    return value.to_list() if hasattr(value, "to_list") else value


_WANTED = (
    "dense", "default", "sparse", "padded", "padded with", "ragged", "lengths", "rows of two", "coordinates", "missing",
    "another type", "another size", "no multiple", "a sparse of another type",
)  # fmt: skip


@rows(*_WANTED)
def parsed(tf: Any, what: str) -> Any:
    texts = [
        _example(tf, a=[1.0, 2.0], b=[3], c=[b"x\0"], v=[1, 2, 3, 4], l=[1, 3], w=[0.5, 1.0, 1.5, 2.0]),
        _example(tf, a=[4.0, 5.0], b=[6], d=[7, 8, 9], v=[5, 6], l=[2], w=[2.5, 3.0]),
    ]
    features = _features(tf)[what]
    batch = refused(lambda: {k: _plain(v) for k, v in sorted(tf.io.parse_example(texts, features).items())})
    single = refused(lambda: {k: _plain(v) for k, v in sorted(tf.io.parse_single_example(texts[1], features).items())})
    return batch, single


def sequences(tf: Any) -> Any:
    train = tf.train

    def sequence(length: int, **lists: Any) -> bytes:
        listed = {
            name: train.FeatureList(feature=[_feature(tf, step) for step in steps]) for name, steps in lists.items()
        }
        made = train.SequenceExample(
            context=train.Features(feature={"n": _feature(tf, [length])}),
            feature_lists=train.FeatureLists(feature_list=listed),
        )
        return made.SerializeToString()  # type: ignore[no-any-return]

    texts = [sequence(2, f=[[1.0, 2.0], [3.0, 4.0]], v=[[1], [2, 3]]), sequence(3, f=[[5.0, 6.0]], v=[[4]])]
    context = {"n": tf.io.FixedLenFeature([], tf.int64)}
    lists = {"f": tf.io.FixedLenSequenceFeature([2], tf.float32), "v": tf.io.VarLenFeature(tf.int64)}
    one = tf.io.parse_single_sequence_example(texts[0], context, lists)
    many = tf.io.parse_sequence_example(texts, context, lists)
    ragged = tf.io.parse_sequence_example(texts, None, {"v": tf.io.RaggedFeature(tf.int64)})
    missing = {"z": tf.io.FixedLenSequenceFeature([2], tf.float32)}
    return (
        [{k: _plain(v) for k, v in sorted(part.items())} for part in (*one, *many, *ragged)],
        refused(lambda: tf.io.parse_single_sequence_example(texts[0], None, missing)),
        refused(lambda: tf.io.parse_single_sequence_example(texts[0], None, {"v": lists["f"]})),
    )


def tensors_as_strings(tf: Any) -> Any:
    values = [
        np.float32([1.5, 2]),
        np.int8([[1], [-2]]),
        np.array([b"a", b"b\0"], object),
        np.zeros([0, 3]),
        np.bool_(True),
    ]
    return [tf.io.serialize_tensor(value) for value in values]


_CSV = 'x,y,z,w\n1,2.5,"he said ""hi"", ok",\n2,,"two\nlines",7\n3,4.5,c,8\n', "x,y,z,w\n4,1e40,d,9000000000\n"


@rows("all", "chosen", "left out", "missing", "too few", "another type", "guessed", "labelled", "by name", "both files")
def tables(tf: Any, what: str) -> Any:
    experimental = tf.data.experimental
    with _folder() as folder:
        names = [str(folder / f"{i}.csv") for i in range(2)]
        for name, text in zip(names, _CSV, strict=True):
            Path(name).write_text(text, encoding="utf-8")

        def read(*defaults: Any, **how: Any) -> Any:
            return refused(lambda: _elements(experimental.CsvDataset(names[0], list(defaults), header=True, **how)))

        def made(pattern: str, size: int, **how: Any) -> Any:
            dataset = experimental.make_csv_dataset(pattern, size, shuffle=False, num_epochs=1, **how)
            return _elements(dataset)

        calls = {
            "all": lambda: read(tf.int32, [0.5], tf.string, [-1]),
            "chosen": lambda: read(tf.int32, tf.string, select_cols=[0, 2]),
            "left out": lambda: read(tf.int32, tf.string, exclude_cols=[1, 3]),
            "missing": lambda: read(tf.int32, tf.float32, tf.string, [-1]),
            "too few": lambda: read(tf.int32, [0.5]),
            "another type": lambda: read(tf.int32, [0.5], tf.int32, [1]),
            "guessed": lambda: made(names[0], 2),
            "labelled": lambda: made(names[0], 2, label_name="w"),
            "by name": lambda: made(names[0], 3, select_columns=["z", "x"]),
            "both files": lambda: made(str(folder / "*.csv"), 3),
        }
        return calls[what]()


def features_come_in_the_order_of_their_kinds_and_names(tf: Any) -> Any:
    """Sparse ones first, then dense ones, then ragged ones; each sorted."""
    io = tf.io
    dense, sparse = io.FixedLenFeature([], tf.int64, 0), io.VarLenFeature(tf.int64)
    kinds = {"b": dense, "a": sparse, "c": io.RaggedFeature(tf.int64), "B": io.RaggedFeature(tf.int64, "q")}
    kinds |= {"Z": dense, "A": sparse}
    lists = {"y": io.FixedLenSequenceFeature([], tf.int64, True), "x": sparse}
    lists["e"] = io.FixedLenSequenceFeature([], tf.int64, True)
    every = {**kinds, "s": io.SparseFeature("i", "v", tf.int64, 3)}
    return [
        "".join(io.parse_single_example(b"", every)),
        "".join(io.parse_example([b""], every)),
        ["".join(found) for found in io.parse_single_sequence_example(b"", kinds, lists)],
        ["".join(found) for found in io.parse_sequence_example([b""], kinds, lists)],
        repr(tf.data.Dataset.from_tensors(b"").map(lambda text: io.parse_single_example(text, kinds))),
    ]


def datasets_say_what_made_them(tf: Any) -> Any:
    """As what a dataset is printed."""
    numbers = tf.data.Dataset.range(3)
    made = [
        tf.data.Dataset.from_generator(lambda: [1], tf.int32),
        tf.data.Dataset.random(1),
        numbers.cache(),
        numbers.flat_map(lambda _: numbers),
        numbers.interleave(lambda _: numbers),
        numbers.map(lambda x: x, 2),
    ]
    return [repr(dataset).partition(" ")[0] for dataset in made]
