"""Elements of several datasets, and of frequent classes, drawn at random: TensorFlow 2.21's for the same seeds."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1

Data = tf.data.Dataset


@pytest.fixture(autouse=True)
def no_global_seed() -> None:
    tf.random.set_seed(None)  # type: ignore[arg-type]  # another test's


WEIGHTS: dict[str, tuple[Any, list[int]]] = {
    "none": (lambda: None, [10, 0, 20, 1, 11, 12, 13, 21, 2, 22, 23, 24, 3, 4, 14, 5, 25, 15]),
    "list": (lambda: [0.1, 0.2, 0.7], [20, 10, 21, 11, 22, 23, 24, 25, 0, 12, 1, 13, 2, 14, 15, 3, 4, 5]),
    "dataset": (
        lambda: Data.from_tensors([0.5, 0.1, 0.4]).repeat(),
        [10, 0, 20, 1, 2, 21, 11, 22, 3, 23, 24, 25, 4, 5, 12, 13, 14, 15],
    ),
}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_draws_between_datasets_are_tensorflows(weights: str) -> None:
    make, elements = WEIGHTS[weights]
    sources = [Data.range(6), Data.range(10, 16), Data.range(20, 26)]
    assert list(Data.sample_from_datasets(sources, make(), seed=7).as_numpy_iterator()) == elements


MANY: dict[str, tuple[Any, int, str]] = {
    "none": (lambda: None, 493817, "011010000111011011011001"),
    "list": (lambda: [0.3, 0.7], 671721, "111111010111011011111011"),
    "dataset": (
        lambda: Data.range(2000).map(lambda i: tf.stack([tf.cast(i % 10 + 1, tf.float32), 5.0])),
        525627,
        "011011000111011011011001",
    ),
}


def many(weights: str) -> Any:
    make, *_ = MANY[weights]
    return Data.sample_from_datasets([Data.range(1000).map(lambda x, n=n: 0 * x + n) for n in (0, 1)], make(), seed=11)


@pytest.mark.parametrize("weights", MANY)
def test_many_draws_are_tensorflows(weights: str) -> None:
    _, total, last = MANY[weights]
    elements = [int(x) for x in many(weights).take(1400)]
    assert sum(i * element for i, element in enumerate(elements)) == total
    assert "".join(map(str, elements[-24:])) == last


@pytest.mark.parametrize("weights", MANY)
def test_draws_go_on_from_a_position_in_a_block(weights: str) -> None:
    elements = [int(x) for x in many(weights).take(900)]
    for at in (1, 15, 16, 17, 79, 81, 500, 851):
        iterator = many(weights).as_numpy_iterator()
        for _ in range(at):
            next(iterator)
        other = many(weights).as_numpy_iterator()
        other.restore(iterator.save())
        assert [int(next(other)) for _ in range(900 - at)] == elements[at:]


def test_weights_are_not_read_ahead_of_the_elements() -> None:
    read = []

    def weights(i: Any) -> Any:
        read.append(int(i))
        return np.float32([0.5, 0.5])

    counted = Data.range(50).map(lambda i: tf.ensure_shape(tf.py_function(weights, [i], tf.float32), [2]))
    iterator = iter(Data.sample_from_datasets([Data.range(90), Data.range(90)], counted, seed=3))
    for _ in range(5):
        next(iterator)
    assert read == [0, 1, 2, 3, 4]


def test_an_element_whose_weights_fail_has_its_draw() -> None:
    def weights(i: Any) -> Any:
        return tf.debugging.check_numerics([1.0, 2.0] / tf.cast(i - 2, tf.float32), "weights") * 0 + 0.5

    sources, elements = [Data.range(8), Data.range(10, 18)], []
    iterator = Data.sample_from_datasets(sources, Data.range(6).map(weights), seed=3).as_numpy_iterator()
    for _ in range(6):
        try:
            elements.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError:
            elements.append(-1)
    assert elements == [10, 11, -1, 0, 12, 13]


REFUSED: dict[str, tuple[Any, type[Exception]]] = {
    "integers": ([1, 2], TypeError),
    "a scalar": (0.5, ValueError),
    "a matrix": ([[0.5, 0.5]], ValueError),
    "two vectors": (([0.5, 0.5], [0.5, 0.5]), ValueError),
    "two scalars": ((0.5, 0.5), ValueError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_elements_that_are_no_weights_are_refused(case: str) -> None:
    weights, error = REFUSED[case]
    with pytest.raises(error):
        Data.sample_from_datasets([Data.range(3), Data.range(3)], Data.from_tensors(weights).repeat())


@pytest.mark.parametrize("weights", [0.5, []])
def test_weights_of_unknown_shape_are_refused_where_they_are_read(weights: Any) -> None:
    array = np.array(weights, np.float32)
    unknown = Data.range(4).map(lambda i: tf.numpy_function(lambda _: array, [i], tf.float32))
    iterator = iter(Data.sample_from_datasets([Data.range(3), Data.range(3)], unknown))
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError):
            next(iterator)


def test_a_graph_draws_by_tensorflows_ops() -> None:
    with tf.Graph().as_default() as graph:
        tf.compat.v1.data.make_one_shot_iterator(
            Data.sample_from_datasets([Data.range(3), Data.range(3)], [0.5, 0.5], seed=1)
        ).get_next()
        message = graph.as_graph_def()
    nodes = [*message.node, *(node for function in message.library.function for node in function.node_def)]
    assert {"RandomDataset", "StatelessMultinomial", "DirectedInterleaveDataset"} <= {node.op for node in nodes}


RARE, MIXED = [0.9, 0.05, 0.05, 0.0, 0.0], [0.1, 0.2, 0.3, 0.3, 0.1]
BEGUN = [int(n) for n in "1 0 1 2 2 3 4 5 6 3 7 7 8 9 8 11 10 12 11 13 16 17 12 18 13 14 21 22 23 26 27 15".split()]
RESAMPLED: dict[str, tuple[list[float], list[float] | None, list[int]]] = {
    "uniform, one class": (RARE, [0.2] * 5, [0, 5, 10, 15, 20, 25]),
    "uniform, all classes": (MIXED, [0.2] * 5, [*BEGUN, 16, 28, 17, 18, 19, 20]),
    "counted, one class": (RARE, None, [0, 5, 10, 15, 20, 25]),
    "counted, all classes": (MIXED, None, BEGUN),
    "declared": (
        MIXED,
        [0.1, 0.1, 0.1, 0.1, 0.6],
        [1, 2, 3, 5, 7, 0, 8, 11, 12, 13, 16, 17, 1, 2, 18, 21, 3, 22, 23, 26, 27, 28, 4],
    ),
}


@pytest.mark.parametrize("case", RESAMPLED)
def test_resampled_elements_are_tensorflows(case: str) -> None:
    target, initial, elements = RESAMPLED[case]
    pairs = Data.range(30).rejection_resample(lambda x: tf.cast(x % 5, tf.int32), target, initial, seed=27)
    assert list(pairs.map(lambda kind, element: element).as_numpy_iterator()) == elements
    assert pairs.element_spec == (tf.TensorSpec((), tf.int32), tf.TensorSpec((), tf.int64))


Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize("make", [lambda x: (x,), lambda x: Pair(x, x), lambda x: {"x": x}, lambda x: (x, x)])
def test_resampled_elements_have_the_structure_of_the_source(make: Any) -> None:
    source = Data.range(20).map(make)
    pairs = source.rejection_resample(lambda *parts: tf.cast(tf.nest.flatten(parts)[0] % 2, tf.int32), [0.5, 0.5])
    assert pairs.element_spec == (tf.TensorSpec((), tf.int32), source.element_spec)
    assert len(list(pairs)) > 2


def test_a_position_fits_the_dataset_that_is_read_from_a_graph(tmp_path: Path) -> None:
    parts = [tf.data.Dataset.range(100), tf.data.Dataset.range(100, 200)]
    path = str(tmp_path / "position")

    def numbers(session: Any, count: int) -> list[int]:
        return [int(session.run("next:0")) for _ in range(count)]

    with tf.Graph().as_default():
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.sample_from_datasets(parts, [0.3, 0.7], seed=1))
        tf.identity(iterator.get_next(), name="next")
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        v1.add_to_collection(v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        saver = v1.train.Saver(allow_empty=True)
        with v1.Session() as session:
            session.run(iterator.initializer)
            numbers(session, 10)
            saver.save(session, path)
            rest = numbers(session, 30)
    with tf.Graph().as_default():
        saver = v1.train.import_meta_graph(path + ".meta", clear_devices=False)
        with v1.Session() as session:
            session.run(iterator.initializer.name)
            saver.restore(session, path)
            assert numbers(session, 30) == rest


def test_a_choice_that_is_malformed_in_a_graph_is_refused() -> None:
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(3)] * 2, [0.3, 0.7], seed=1)
        v1.data.make_initializable_iterator(dataset)
        message = graph.as_graph_def()
    nodes = [n for n in message.node if b"composes" in n.attr["_dataset"].s]
    assert [n.op for n in nodes] == ["MapDataset"]
    text = nodes[0].attr["_dataset"].s
    for other in (b"InlayBatchDataset", b"nothing"):
        nodes[0].attr["_dataset"].s = text.replace(b"RandomChoice", other)
        with tf.Graph().as_default(), pytest.raises(ValueError, match="written as several"):
            tf.import_graph_def(message)
