"""Datasets of files and of numbers without end: their elements, errors, and positions."""

from __future__ import annotations

import gzip
import pickle
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.node import Iteration

Dataset = tf.data.Dataset
PACKED = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    """Three files of lines."""
    for n in "012":
        (tmp_path / f"f{n}.txt").write_bytes(b"a%s\r\nb\n\nlast" % n.encode())
    return [str(tmp_path / f"f{n}.txt") for n in "012"]


@pytest.fixture
def records(tmp_path: Path) -> list[str]:
    """Three files of 3, 1 and 4 records."""
    for k, count in enumerate((3, 1, 4)):
        with tf.io.TFRecordWriter(tmp_path / f"r{k}") as writer:
            for i in range(count):
                writer.write(b"%d%d" % (k, i))
    return [str(tmp_path / f"r{k}") for k in range(3)]


def values(dataset: Any) -> list[Any]:
    return list(dataset.as_numpy_iterator())


def test_lines_of_one_file_and_of_several(texts: list[str]) -> None:
    one = [b"a0", b"b", b"", b"last"]
    assert values(tf.data.TextLineDataset(texts[0])) == one
    assert values(tf.data.TextLineDataset(tf.constant([[texts[0]]]))) == one
    assert values(tf.data.TextLineDataset(texts[:2])) == [*one, b"a1", b"b", b"", b"last"]
    named = Dataset.from_tensor_slices(texts).filter(lambda name: tf.strings.regex_full_match(name, ".*f1.txt"))
    assert values(tf.data.TextLineDataset(named)) == [b"a1", b"b", b"", b"last"]
    inner = Dataset.from_tensor_slices(texts).flat_map(lambda name: tf.data.TextLineDataset(name).skip(3))
    assert values(inner) == [b"last"] * 3


@pytest.mark.parametrize(
    ("together", "expected"),  # as TensorFlow 2.21 gives them
    [
        (None, "00 01 02 10 20 21 22 23"),
        (1, "00 01 02 10 20 21 22 23"),
        (2, "00 10 01 02 20 21 22 23"),
        (3, "00 10 20 01 21 02 22 23"),
        (5, "00 10 20 01 21 02 22 23"),
        (-1, "00 01 02 10 20 21 22 23"),
    ],
)
def test_files_are_read_in_turn(records: list[str], together: Any, expected: str) -> None:
    assert b" ".join(values(tf.data.TFRecordDataset(records, num_parallel_reads=together))).decode() == expected


@pytest.mark.parametrize("kind", PACKED)
def test_compressed_files(tmp_path: Path, kind: str) -> None:
    (tmp_path / "t").write_bytes(PACKED[kind](b"x\ny"))
    assert values(tf.data.TextLineDataset(str(tmp_path / "t"), kind)) == [b"x", b"y"]
    assert values(tf.data.TextLineDataset(str(tmp_path / "t"), tf.constant(kind), buffer_size=1)) == [b"x", b"y"]
    (tmp_path / "b").write_bytes(PACKED[kind](b"HHabcdefF"))
    blocks = tf.data.FixedLengthRecordDataset(str(tmp_path / "b"), 3, 2, 1, compression_type=kind)
    assert values(blocks) == [b"abc", b"def"]
    with tf.io.TFRecordWriter(tmp_path / "r", kind) as writer:
        writer.write(b"one\0")
    assert values(tf.data.TFRecordDataset(str(tmp_path / "r"), kind)) == [b"one\0"]


def test_what_went_wrong_with_a_file_is_said_and_the_next_one_is_read(texts: list[str], records: list[str]) -> None:
    iterator = iter(tf.data.TextLineDataset(["nowhere", texts[0]]))
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        next(iterator)
    assert next(iterator).numpy() == b"a0"
    damaged = bytearray(Path(records[0]).read_bytes())
    damaged[30] ^= 1
    Path(records[0]).write_bytes(damaged)
    iterator = iter(tf.data.TFRecordDataset(records[:2]))
    assert next(iterator).numpy() == b"00"
    with pytest.raises(tf.errors.DataLossError, match=f"corrupted record at 30: .*begins at 18.*{records[0]}"):
        next(iterator)
    assert [x.numpy() for x in iterator] == [b"10"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported compression_type"):
        values(tf.data.TextLineDataset(texts, "LZ4"))
    with pytest.raises(tf.errors.DataLossError, match="incorrect header check.*was read as GZIP"):
        values(tf.data.TextLineDataset(texts, "GZIP"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not an exact multiple of the record length"):
        values(tf.data.FixedLengthRecordDataset(texts, 7))


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([1, 2], "must contain `tf.string` elements. Got `tf.int32` elements"),
        (Dataset.range(3), "must contain `tf.string` elements. Got a dataset of `tf.int64` elements"),
        (Dataset.from_tensors(["a"]), "of shape .. .i.e. scalars.. Got a dataset of element shape TensorShape..1.."),
    ],
)
def test_names_must_be_strings(names: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        tf.data.TextLineDataset(names)


def test_they_are_datasets_and_print_as_tensorflows_do(texts: list[str]) -> None:
    dataset = tf.data.TextLineDataset(texts)
    assert isinstance(dataset, Dataset) and dataset.cardinality() == tf.data.UNKNOWN_CARDINALITY
    assert repr(dataset) == "<TextLineDatasetV2 element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
    assert repr(tf.data.TFRecordDataset("a")).startswith("<TFRecordDatasetV2 ")
    assert values(dataset.map(tf.strings.length).batch(4).take(1))[0].tolist() == [2, 1, 0, 4]


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("together", [None, 2])
@pytest.mark.parametrize("after", [0, 1, 3, 4, 5, 11, 12])
def test_a_position_is_resumed(tmp_path: Path, kind: str, together: int | None, after: int) -> None:
    for k in range(3):
        (tmp_path / f"{k}").write_bytes(PACKED[kind](b"\n".join(b"%d%d" % (k, i) for i in range(4))))
    lines = tf.data.TextLineDataset([str(tmp_path / f"{k}") for k in range(3)], kind, num_parallel_reads=together)
    assert resumed(lines, after) == values(lines)


def resumed(dataset: Any, after: int, count: int | None = None) -> list[Any]:
    """The elements of an iteration that is left after some, and of a second one that goes on where it stood."""
    first, second = (Iteration(dataset.options()).opened(dataset._node) for _ in range(2))
    before = [next(first) for _ in range(after)]
    second.restore(pickle.loads(pickle.dumps(first.state())))
    first.close()
    rest = list(second) if count is None else [next(second) for _ in range(count - after)]
    second.close()
    return [v[0].item() for v in [*before, *rest]]


def test_positions_in_records_and_blocks(records: list[str], tmp_path: Path) -> None:
    dataset = tf.data.TFRecordDataset(records, num_parallel_reads=2)
    assert [resumed(dataset, n) for n in range(9)] == [values(dataset)] * 9
    (tmp_path / "b").write_bytes(b"HabcdefghiFF")
    blocks = tf.data.FixedLengthRecordDataset(str(tmp_path / "b"), 3, 1, 2)
    assert [resumed(blocks, n) for n in range(4)] == [[b"abc", b"def", b"ghi"]] * 4


def test_early_exit_closes_the_files(texts: list[str]) -> None:
    iterator = iter(tf.data.TextLineDataset(texts, num_parallel_reads=3))
    next(iterator)
    next(iterator)
    iterator.close()  # a file left open would be a ResourceWarning, which is an error here


# ---------------------------------------------------------------- names of files


def test_names_of_files_come_in_order_or_shuffled(texts: list[str], tmp_path: Path) -> None:
    names = [name.encode() for name in texts]
    assert values(Dataset.list_files(str(tmp_path / "f*.txt"), shuffle=False)) == names
    assert values(Dataset.list_files([texts[1], str(tmp_path / "f[02].txt")], shuffle=False)) == names
    shuffled = Dataset.list_files(str(tmp_path / "*"), seed=1)
    orders = {tuple(values(shuffled)) for _ in range(30)}
    assert len(orders) > 1 and {tuple(sorted(o)) for o in orders} == {tuple(names)}
    assert shuffled.cardinality() == 3


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern: .*/no.*, /nor/this"):
        Dataset.list_files([str(tmp_path / "no*"), "/nor/this"])


# ---------------------------------------------------------------- numbers without end


def test_random_numbers_are_tensorflows() -> None:
    tf.random.set_seed(7)
    assert values(Dataset.random(seed=3).take(3)) == [2545112793, 531643458, 698849000]
    again = Dataset.random(seed=4, rerandomize_each_iteration=True).take(3)
    assert [values(again), values(again)] == [[1522362835, 723421984, 2343844676], [421822199, 3471736299, 839678275]]


def test_random_numbers_without_a_seed_are_the_same_in_every_iteration_only() -> None:
    one, two = Dataset.random().take(4), Dataset.random().take(4)
    assert values(one) == values(one) != values(two)
    assert one.element_spec == tf.TensorSpec((), tf.int64)


@pytest.mark.parametrize("after", [0, 3, 255, 256, 300])
def test_the_position_among_random_numbers(after: int) -> None:
    dataset = Dataset.random(seed=5)
    assert resumed(dataset, after, 600) == values(dataset.take(600))


def test_counting_has_no_end() -> None:
    assert values(Dataset.counter(2, 3, tf.int32).take(3)) == [2, 5, 8]
    assert values(tf.data.experimental.Counter(step=-1).take(3)) == [0, -1, -2]
    assert values(Dataset.counter(0.5, 0.25, tf.float32).take(2)) == [0.5, 0.75]
    assert Dataset.counter().cardinality() == tf.data.INFINITE_CARDINALITY
    assert Dataset.counter().element_spec == tf.TensorSpec((), tf.int64)
    assert resumed(Dataset.counter(), 3, 5) == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------- strings as elements


def test_strings_keep_their_last_zeros_and_meet_every_op() -> None:
    dataset = Dataset.from_tensor_slices([b"a\0", b"b"])
    assert values(dataset) == [b"a\0", b"b"]
    assert values(dataset.map(tf.strings.length)) == [2, 1]
    assert values(dataset.map(lambda s: tf.equal(s, b"a\0"))) == [True, False]
    assert values(dataset.map(lambda s: s + b"c")) == [b"a\0c", b"bc"]
    assert values(dataset.batch(2).unbatch()) == [b"a\0", b"b"]


# ---------------------------------------------------------------- writing a dataset


def test_a_dataset_is_written_as_records(tmp_path: Path) -> None:
    path = str(tmp_path / "w")
    tf.data.experimental.TFRecordWriter(path, "GZIP").write(Dataset.from_tensor_slices([b"a", b"b\0"]))
    assert values(tf.data.TFRecordDataset(path, "GZIP")) == [b"a", b"b\0"]
    writer = tf.data.experimental.TFRecordWriter(path)
    with pytest.raises(TypeError, match=r"Expected a`dataset` that produces scalar `tf.string` elements, but got"):
        writer.write(Dataset.range(2))
    with pytest.raises(TypeError, match="Expected a `tf.data.Dataset` object but got <class 'list'>"):
        writer.write([b"a"])
    assert np.frombuffer(Path(path).read_bytes()[:2], np.uint8).tolist() == [31, 139]  # untouched: still the GZIP file


def test_a_dataset_is_written_as_records_when_the_graph_runs(tmp_path: Path) -> None:
    path = str(tmp_path / "graph")
    with tf.Graph().as_default() as graph:
        name = tf.compat.v1.placeholder(tf.string, ())
        write = tf.data.experimental.TFRecordWriter(name).write(Dataset.from_tensor_slices(["a", "b"]))
        assert isinstance(write, tf.Operation) and not Path(path).exists()
        read = tf.graph_util.import_graph_def(graph.as_graph_def(), {name.name: path}, [write.name], name="read")
        with tf.compat.v1.Session() as session:
            assert session.run(write, {name: f"{path}1"}) is None
            session.run(read)
    assert values(tf.data.TFRecordDataset([f"{path}1", path])) == [b"a", b"b", b"a", b"b"]


def test_a_function_writes_records_for_the_effect_alone(tmp_path: Path) -> None:
    @tf.function
    def write(count: Any) -> Any:
        names = Dataset.range(count).map(tf.strings.as_string)
        tf.data.experimental.TFRecordWriter(str(tmp_path / "function")).write(names)
        return "written"

    assert write(tf.constant(2, tf.int64)).numpy() == b"written"
    assert values(tf.data.TFRecordDataset(str(tmp_path / "function"))) == [b"0", b"1"]


def test_each_window_is_written_into_a_file_of_its_own(tmp_path: Path) -> None:
    def write(key: Any, window: Any) -> Any:
        name = tf.strings.join([str(tmp_path), "/", tf.strings.as_string(key)])
        tf.data.experimental.TFRecordWriter(name).write(window.map(tf.strings.as_string))
        return Dataset.from_tensors(name)

    files = values(Dataset.range(5).group_by_window(lambda x: x % 2, write, window_size=9))
    assert [values(tf.data.TFRecordDataset(file)) for file in files] == [[b"0", b"2", b"4"], [b"1", b"3"]]


@pytest.mark.parametrize("together", [None, 2])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_batches_of_strings_are_those_of_single_ones(records: list[str], together: int | None, size: int) -> None:
    """Read together, unless someone watches: the same batches, failures and positions."""
    damaged = bytearray(Path(records[2]).read_bytes())
    damaged[20] ^= 1
    Path(records[2]).write_bytes(damaged)
    names = [*records, records[0] + "-missing", records[0]]
    dataset = tf.data.TFRecordDataset(names, num_parallel_reads=together).repeat(2).batch(size)
    forms = [
        Iteration(dataset._options, None, watch).opened(dataset._node) for watch in (None, lambda _, cursor: cursor)
    ]
    assert forms[0].sources[0].stacks
    while True:
        found = []
        for cursor in forms:
            try:
                found.append([value.tolist() for value in next(cursor)])
            except StopIteration:
                found.append(None)
            except tf.errors.OpError as error:
                found.append(f"{type(error).__name__}: {error}")
        assert found[0] == found[1]
        if found[0] is None:
            break
        assert forms[0].state() == forms[1].state()
    for cursor in forms:
        cursor.close()


def test_no_files_have_no_lines() -> None:
    assert list(tf.data.TextLineDataset([])) == list(tf.data.TFRecordDataset([])) == []
