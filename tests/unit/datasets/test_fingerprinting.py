"""Fingerprints of datasets: equal for what does the same, in every process."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

Dataset = tf.data.Dataset


def plus(number: int) -> Callable[[Any], Any]:
    return lambda x: x + number


CASES: dict[str, Callable[[int], Any]] = {
    "range": Dataset.range,
    "map": lambda n: Dataset.range(3).map(plus(n)),
    "flat_map": lambda n: Dataset.range(3).flat_map(lambda x: Dataset.range(x + n)),
    "branch": lambda n: Dataset.range(3).map(lambda x: tf.cond(x > n, lambda: x, lambda: x * 2)),
    "files": lambda n: tf.data.TFRecordDataset(["a", f"b{n}"]).repeat(2),
    "seed": lambda n: Dataset.range(9).shuffle(3, seed=n),
    "host function": lambda n: Dataset.range(3).map(lambda x: tf.py_function(plus(n), [x], tf.int64)),
    "generator": lambda n: Dataset.from_generator(lambda: iter([n]), tf.int32),
    "query": lambda n: tf.data.experimental.SqlDataset("sqlite", "file", f"SELECT {n}", (tf.int32,)),
    "windows": lambda n: Dataset.range(9).window(n).flat_map(lambda window: window.batch(2)),
    "several": lambda n: Dataset.zip((Dataset.range(n), Dataset.range(3).cache().prefetch(1))),
    "options": lambda n: Dataset.range(3).with_options(tf.data.Options() if n == 5 else in_any_order()),
}


def in_any_order() -> Any:
    options = tf.data.Options()
    options.deterministic = False
    return options


def fingerprints() -> list[int]:
    return [int(make(5).fingerprint().numpy()) for make in CASES.values()]


@pytest.mark.parametrize("case", CASES)
def test_equal_datasets_have_equal_fingerprints_and_others_have_others(case: str) -> None:
    tf.random.set_seed(1)
    first, again, other = (CASES[case](n).fingerprint() for n in (5, 5, 6))
    assert first.dtype == tf.uint64 and first.shape == ()
    assert first.numpy() == again.numpy() != other.numpy()


def test_fingerprints_are_the_same_in_another_process() -> None:
    code = (
        "import inlay as tf; tf.random.set_seed(1); from tests.unit.datasets import test_fingerprinting as t; "
        "print(*t.fingerprints())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    tf.random.set_seed(1)
    assert [int(n) for n in run.stdout.split()] == fingerprints()


def test_a_fingerprint_does_not_tell_equal_names_apart() -> None:
    """Names of a function are one object or several, as its code was compiled or read from a file of bytecode."""

    def named(name: str) -> Any:
        function = plus(1)
        function.__name__ = name
        return int(Dataset.range(3).map(lambda x: tf.py_function(function, [x], tf.int64)).fingerprint().numpy())

    name = plus(1).__code__.co_name
    another = "".join(list(name))
    assert another is not name and named(another) == named(name)


def test_names_and_places_of_functions_do_not_count() -> None:
    def named(element: Any) -> Any:
        return element + 1

    first = Dataset.range(3).map(lambda x: x + 1).fingerprint().numpy()
    assert first == Dataset.range(3).map(named).fingerprint().numpy()
    assert first != Dataset.range(3).map(lambda x: x - 1).fingerprint().numpy()


def test_the_same_in_graphs_and_functions() -> None:
    eager = Dataset.range(7).map(plus(1)).fingerprint().numpy()
    traced = tf.function(lambda n: Dataset.range(n).map(plus(1)).fingerprint())
    assert traced(tf.constant(7, tf.int64)).numpy() == eager
    with tf.Graph().as_default() as graph:
        asked = Dataset.range(7).map(plus(1)).fingerprint()
        read = tf.graph_util.import_graph_def(graph.as_graph_def(), return_elements=[asked.name], name="read")
        with tf.compat.v1.Session() as session:
            assert session.run([asked, *read]) == [eager, eager]


def test_variables_count_by_what_they_are() -> None:
    def of(variable: Any) -> np.uint64:
        return Dataset.range(3).map(lambda x: x + tf.cast(variable, tf.int64)).fingerprint().numpy()  # type: ignore[no-any-return]

    assert of(tf.Variable(1)) == of(tf.Variable(2)) != of(tf.Variable(1.0))


def test_what_cannot_be_written_is_refused() -> None:
    lock = threading.Lock()

    def locked(element: Any) -> Any:
        with lock:
            return element

    dataset = Dataset.range(3).map(lambda x: tf.py_function(locked, [x], tf.int64))
    with pytest.raises(tf.errors.UnimplementedError, match="lock"):
        dataset.fingerprint()


def test_the_stages_of_a_dataset_as_text() -> None:
    dataset = Dataset.zip((Dataset.range(3).map(plus(1)), Dataset.range(3)))
    lines = dataset.__debug_string__().splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        "<_ZipDataset", "--<_MapDataset", "----<_RangeDataset", "--<_RangeDataset"
    ]  # fmt: skip


def test_seeds_that_nobody_said_do_not_count() -> None:
    """As in TensorFlow."""
    tf.random.set_seed(None)  # type: ignore[arg-type]
    assert Dataset.range(3).shuffle(3).fingerprint() == Dataset.range(3).shuffle(3).fingerprint()
    assert Dataset.range(3).shuffle(3).fingerprint() != Dataset.range(3).shuffle(3, seed=1).fingerprint()
