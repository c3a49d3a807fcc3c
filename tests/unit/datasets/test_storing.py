"""Datasets saved into a folder, loaded from there, and snapshots."""

from __future__ import annotations

import collections
import contextlib
import json
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.files.records import framed
from inlay._src.data.element import Element
from inlay._src.data.stored_format import NAME, packed, spec_from_json, spec_to_json, unpacked

Point = collections.namedtuple("Point", ["x", "y"])


def numbers(dataset: Any) -> list[int]:
    return [int(x) for x in dataset]


def records_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("run-*/*.shard/*.snapshot"))


def snapshots_in(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob(f"*/{NAME}")]


def nested() -> Any:
    def element(x: Any) -> Any:
        return {
            "number": tf.cast(x, tf.float16),
            "pair": (tf.strings.as_string(x), Point(tf.ragged.range(tf.stack([x % 3, 2])), tf.fill([x], x > 2))),
            "sparse": tf.sparse.from_dense(tf.reshape(tf.range(x % 3), [1, -1])),
            "nothing": None,
        }

    return tf.data.Dataset.range(7).map(element)


@pytest.mark.parametrize("compression", [None, "NONE", "GZIP"])
def test_what_is_loaded_is_what_was_saved(tmp_path: Path, compression: str | None) -> None:
    nested().save(str(tmp_path / "kept"), compression=compression)
    loaded = tf.data.Dataset.load(str(tmp_path / "kept"))
    wanted, found = list(nested().as_numpy_iterator()), list(loaded.as_numpy_iterator())
    assert repr(found) == repr(wanted).replace("test_storing.", "")
    assert type(found[0]["pair"][1]).__name__ == "Point"
    assert len(loaded) == 7
    assert tf.data.Dataset.load(str(tmp_path / "kept"), nested().element_spec).element_spec == nested().element_spec


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((0, 3), np.int16), np.float64(2.5), np.bool_(True), np.array([[b"a", b""], [b"bc\0", b"\0"]], object),
        np.array(b"", object), np.array([1.5, -2], tf.bfloat16.as_numpy_dtype), np.complex64(1 + 2j),
        np.zeros((0,), object),
    ],
)  # fmt: skip
def test_a_value_comes_back_from_its_record(value: Any) -> None:
    spec = tf.TensorSpec(None, tf.string if value.dtype == object else tf.as_dtype(value.dtype))
    (found,) = unpacked(packed([value]), Element(spec).leaves)
    assert found.dtype == value.dtype
    assert found.shape == value.shape
    assert found.tolist() == value.tolist()


def test_specs_come_back_from_json() -> None:
    spec = {
        "a": (tf.TensorSpec([None, 2], tf.string, "name"), tf.TensorSpec(None, tf.bfloat16)),
        3: Point(tf.RaggedTensorSpec([None, None], tf.int8, 1, tf.int32), tf.SparseTensorSpec([4], tf.bool)),
    }
    found = spec_from_json(spec_to_json(spec))
    assert repr(found) == repr(spec)


def test_shards_are_those_of_the_function(tmp_path: Path) -> None:
    tf.data.Dataset.range(10).save(str(tmp_path), shard_func=lambda x: x // 4)
    assert [path.parts[-2:] for path in records_of(tmp_path)] == [
        (f"0000000{i}.shard", "00000000.snapshot") for i in range(3)
    ]
    assert numbers(tf.data.Dataset.load(str(tmp_path))) == [0, 4, 8, 1, 5, 9, 2, 6, 3, 7]

    def one_after_the_other(shards: Any) -> Any:
        return shards.flat_map(lambda shard: shard)

    loaded = tf.data.Dataset.load(str(tmp_path), reader_func=one_after_the_other)
    assert numbers(loaded) == list(range(10))


def test_functions_that_give_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"`shard_func` must return `tf.int64` scalar"):
        tf.data.Dataset.range(10).save(str(tmp_path), shard_func=lambda x: tf.cast(x, tf.float32))
    tf.data.Dataset.range(10).save(str(tmp_path))
    with pytest.raises(TypeError, match="`reader_func` must return a `Dataset`"):
        tf.data.Dataset.load(str(tmp_path), reader_func=lambda shards: 1)


def test_a_save_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    tf.data.Dataset.range(3).save(str(tmp_path))
    before = records_of(tmp_path)
    failing = tf.data.Dataset.range(9).map(lambda x: tf.debugging.check_numerics(1 / tf.cast(5 - x, tf.float32), "bad"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
        failing.save(str(tmp_path))
    assert numbers(tf.data.Dataset.load(str(tmp_path))) == [0, 1, 2]
    assert records_of(tmp_path) == before


def test_a_new_save_replaces_the_old_one(tmp_path: Path) -> None:
    tf.data.Dataset.range(3).save(str(tmp_path))
    tf.data.Dataset.range(5).batch(2).save(str(tmp_path))
    assert [x.tolist() for x in tf.data.Dataset.load(str(tmp_path)).as_numpy_iterator()] == [[0, 1], [2, 3], [4]]
    assert len({path.parents[1] for path in records_of(tmp_path)}) == 1


def test_what_is_not_there_or_half_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match="no saved dataset"):
        tf.data.Dataset.load(str(tmp_path / "nowhere"))
    tf.data.Dataset.range(3).save(str(tmp_path))
    (tmp_path / NAME).unlink()
    with pytest.raises(tf.errors.NotFoundError, match="did not finish"):
        tf.data.Dataset.load(str(tmp_path))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:24])  # one record of an int64 scalar: 12 + 9 + 4 bytes, less one


def shorten(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:25])


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[14] ^= 1
    file.write_bytes(bytes(data))


def exchange(file: Path) -> None:
    other = min(path for path in file.parents[1].glob("*/*") if path != file)
    file.write_bytes(other.read_bytes())


@pytest.mark.parametrize("change", [cut, shorten, flip, exchange])
def test_a_file_that_was_changed_is_named(tmp_path: Path, change: Any) -> None:
    tf.data.Dataset.range(6).save(str(tmp_path), shard_func=lambda x: x % 2)
    file = records_of(tmp_path)[1]
    change(file)
    with pytest.raises(tf.errors.DataLossError, match=file.name):
        numbers(tf.data.Dataset.load(str(tmp_path)))


def test_a_manifest_that_was_changed_is_refused(tmp_path: Path) -> None:
    tf.data.Dataset.range(6).save(str(tmp_path))
    manifest = tmp_path / NAME
    manifest.write_bytes(manifest.read_bytes().replace(b'"int64"', b'"int32"'))
    with pytest.raises(tf.errors.DataLossError, match=NAME):
        tf.data.Dataset.load(str(tmp_path))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spec", 3),
        ("spec", [[[None]]]),
        ("spec", {"tensor": [[], "no such"]}),
        ("spec", {"dict": [["a", []], [1, []]]}),
        ("run", "../elsewhere"),
        ("run", "/elsewhere"),
        ("run", 7),
        ("compression", "ZLIB"),
        ("shards", [[0, [["x", 1]]]]),
        ("shards", [[0, [["x", "1", 1]]]]),
        ("shards", [[0, [["../x", 1, 1]]]]),
    ],
)
def test_a_manifest_that_makes_no_sense_is_refused(tmp_path: Path, field: str, value: Any) -> None:
    tf.data.Dataset.range(2).save(str(tmp_path / "d"))
    path = tmp_path / "d" / NAME
    said = json.loads(path.read_bytes()[12:-4])
    path.write_bytes(framed(json.dumps({**said, field: value}).encode()))
    with pytest.raises(tf.errors.DataLossError, match=f"{NAME} is damaged"):
        tf.data.Dataset.load(str(tmp_path / "d"))


def test_a_record_that_claims_long_texts_is_refused() -> None:
    record = struct.pack("<BQ2Q", 1, 2, 2**63, 2**63 + 1) + b"xyz"
    with pytest.raises(ValueError, match="its components take"):
        unpacked(record, [tf.TensorSpec([None], tf.string)])


def test_other_elements_and_compressions_are_refused(tmp_path: Path) -> None:
    tf.data.Dataset.range(6).save(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected those of"):
        tf.data.Dataset.load(str(tmp_path), tf.TensorSpec([], tf.string))
    with pytest.raises(tf.errors.InvalidArgumentError, match="saved with compression 'NONE', not with 'GZIP'"):
        tf.data.Dataset.load(str(tmp_path), compression="GZIP")
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression 'LZ4'"):
        tf.data.Dataset.range(6).save(str(tmp_path), compression="LZ4")
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be kept in a file"):
        tf.data.Dataset.range(6).window(2).save(str(tmp_path))


def test_the_position_of_a_loaded_dataset(tmp_path: Path) -> None:
    tf.data.Dataset.range(9).save(str(tmp_path), compression="GZIP")
    one, other = (tf.data.Dataset.load(str(tmp_path)).as_numpy_iterator() for _ in range(2))
    assert [next(one) for _ in range(4)] == [0, 1, 2, 3]
    other.restore(one.save())
    assert list(other) == list(one) == [4, 5, 6, 7, 8]


def test_a_save_is_gone_on_with_from_its_checkpoint(tmp_path: Path) -> None:
    broken, made = [True], []

    def once_broken(x: int) -> int:
        if broken[0] and x == 7:
            raise RuntimeError("the machine went away")
        made.append(x)
        return x

    def save() -> None:
        dataset = tf.data.Dataset.range(12).map(lambda x: tf.numpy_function(once_broken, [x], tf.int64))
        arguments = {
            "directory": str(tmp_path / "checkpoints"), "max_to_keep": 2,
            "checkpoint_interval": 3, "step_counter": tf.Variable(0, trainable=False),
        }  # fmt: skip
        dataset.save(str(tmp_path / "kept"), checkpoint_args=arguments)

    with pytest.raises(RuntimeError, match="went away"):
        save()
    with pytest.raises(tf.errors.NotFoundError, match="did not finish"):
        tf.data.Dataset.load(str(tmp_path / "kept"))
    broken[0] = False
    before = len(made)
    save()
    assert numbers(tf.data.Dataset.load(str(tmp_path / "kept"))) == list(range(12))
    assert len(made) - before < 12
    with pytest.raises(ValueError, match="not allowed to include 'checkpoint'"):
        tf.data.Dataset.range(2).save(str(tmp_path / "other"), checkpoint_args={"checkpoint": None})


def test_saving_in_a_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        stop = tf.compat.v1.placeholder(tf.int64)
        saves = tf.data.Dataset.range(stop).save(str(tmp_path))
        session.run(saves, {stop: 4})
    assert numbers(tf.data.Dataset.load(str(tmp_path))) == [0, 1, 2, 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        element = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.load(str(tmp_path)).batch(4)).get_next()
        assert session.run(element).tolist() == [0, 1, 2, 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        path = tf.compat.v1.placeholder(tf.string, [])
        loaded = tf.data.Dataset.load(path, tf.TensorSpec([], tf.int64))
        iterator = tf.compat.v1.data.make_initializable_iterator(loaded.batch(4))
        session.run(iterator.initializer, {path: str(tmp_path)})
        assert session.run(iterator.get_next()).tolist() == [0, 1, 2, 3]
        with pytest.raises(ValueError, match="`element_spec` must be given"):
            tf.data.Dataset.load(path)


# ---- snapshots


def counting(folder: Path, made: list[int], **given: Any) -> Any:
    def count(x: int) -> int:
        made.append(x)
        return x

    dataset = tf.data.Dataset.range(6).map(lambda x: tf.numpy_function(count, [x], tf.int64))
    return dataset.snapshot(str(folder), **given)


@pytest.mark.parametrize("compression", ["AUTO", "GZIP"])
def test_a_snapshot_is_written_once(tmp_path: Path, compression: str) -> None:
    made: list[int] = []
    dataset = counting(tmp_path, made, compression=compression)
    assert numbers(dataset) == numbers(dataset) == list(range(6))  # though `made`, which the function captures, changed
    assert made == list(range(6))
    assert len(dataset) == 6


@pytest.mark.parametrize("mode", ["eager", "graph"])
def test_a_dataset_that_was_changed_is_written_anew(tmp_path: Path, mode: str) -> None:
    """As in TensorFlow, whose folders are named by fingerprints too."""

    def elements(size: int) -> list[int]:
        dataset = tf.data.Dataset.range(size).shuffle(9).map(lambda x: x + 1).snapshot(str(tmp_path))
        if mode == "eager":
            return sorted(numbers(dataset))
        following = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
        with tf.compat.v1.Session() as session:
            return sorted([int(session.run(following)) for _ in range(size)])

    with tf.Graph().as_default() if mode == "graph" else contextlib.nullcontext():
        assert elements(3) == elements(3) == [1, 2, 3]
        assert elements(4) == [1, 2, 3, 4]
        if mode == "eager":
            assert len(snapshots_in(tmp_path)) == 2
            shards = [path.name for path in sorted(snapshots_in(tmp_path)[0].glob("run-*/*"))]
            assert shards == [f"{i:08d}.shard" for i in range(len(shards))]


def test_datasets_without_a_fingerprint_share_a_folder(tmp_path: Path) -> None:
    lock = threading.Lock()  # which cannot be pickled

    def under_lock(x: int) -> int:
        with lock:
            return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(under_lock, [x], tf.int64))
    with pytest.raises(tf.errors.UnimplementedError):
        dataset.fingerprint()
    assert numbers(dataset.snapshot(str(tmp_path))) == numbers(dataset.snapshot(str(tmp_path))) == [0, 1, 2]
    assert [path.name for path in snapshots_in(tmp_path)] == ["unidentified"]


def test_an_iteration_that_ends_early_leaves_no_snapshot(tmp_path: Path) -> None:
    made: list[int] = []
    assert numbers(counting(tmp_path, made).take(2)) == [0, 1]
    assert list(tmp_path.glob("*/*")) == []
    assert numbers(counting(tmp_path, made)) == list(range(6))
    assert made == [0, 1, *range(6)]


def test_an_iteration_in_which_an_element_failed_leaves_no_snapshot(tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(4).map(lambda x: tf.debugging.check_numerics(1 / tf.cast(1 - x, tf.float32), "bad"))
    kept = dataset.snapshot(str(tmp_path)).ignore_errors()
    assert len(list(kept)) == 3
    assert list(tmp_path.glob("*/*")) == []


def test_the_shards_of_a_snapshot(tmp_path: Path) -> None:
    made: list[int] = []
    given: dict[str, Any] = {"shard_func": lambda x: x // 3, "reader_func": lambda shards: shards.flat_map(lambda s: s)}
    dataset = counting(tmp_path, made, **given)
    assert numbers(dataset) == numbers(dataset) == list(range(6))
    assert len(records_of(snapshots_in(tmp_path)[0])) == 2


@pytest.mark.parametrize("written", [False, True])
def test_the_position_of_a_snapshot(tmp_path: Path, written: bool) -> None:
    dataset = tf.data.Dataset.range(6).snapshot(str(tmp_path))
    if written:
        assert numbers(dataset) == list(range(6))
    one = dataset.as_numpy_iterator()
    assert [next(one) for _ in range(3)] == [0, 1, 2]
    position = one.save()
    other = dataset.as_numpy_iterator()
    other.restore(position)
    assert list(other) == [3, 4, 5]
    assert numbers(tf.data.Dataset.load(str(snapshots_in(tmp_path)[0]))) == list(range(6))
    assert list(one) == [3, 4, 5]
    again = dataset.as_numpy_iterator()
    again.restore(position)
    assert list(again) == [3, 4, 5]


def test_the_names_in_experimental(tmp_path: Path) -> None:
    tf.data.experimental.save(tf.data.Dataset.range(3), str(tmp_path / "a"))
    assert numbers(tf.data.experimental.load(str(tmp_path / "a"))) == [0, 1, 2]
    assert numbers(tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(str(tmp_path / "b")))) == [0, 1, 2]
    assert numbers(tf.data.Dataset.load(str(snapshots_in(tmp_path / "b")[0]))) == [0, 1, 2]
