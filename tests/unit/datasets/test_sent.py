"""Functions of elements in other processes."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.sent import columns_of, rows

Dataset = tf.data.Dataset


@pytest.fixture(scope="module")
def pool() -> Iterator[Any]:
    made = tf.Processes(workers=2)
    yield made
    made.shutdown()


def called(function: Any, kind: Any = tf.int64, **how: Any) -> Any:
    return lambda x: tf.numpy_function(function, [x], kind, **how)


def test_the_whole_function_runs_in_other_processes(pool: Any) -> None:
    dataset = Dataset.range(40).map(lambda x: called(lambda v: np.int64(os.getpid()))(x + 1), executor=pool)
    found = {int(v) for v in dataset}
    assert os.getpid() not in found
    assert 1 <= len(found) <= 2


def test_values_of_every_kind_travel(pool: Any) -> None:
    words = np.array([b"", b"a", b"longer \0 text"], object)
    elements = (words, np.arange(6.0).reshape(3, 2), np.array([True, False, True]))
    dataset = Dataset.from_tensor_slices(elements).map(
        lambda w, x, b: {"w": w, "x": x * 2, "b": b, "n": 3}, executor=pool
    )
    expected = Dataset.from_tensor_slices(elements).map(lambda w, x, b: {"w": w, "x": x * 2, "b": b, "n": 3})
    for got, wanted in zip(dataset.as_numpy_iterator(), expected.as_numpy_iterator(), strict=True):
        assert got.keys() == wanted.keys()
        for key in got:
            np.testing.assert_array_equal(got[key], wanted[key])
            assert type(got[key]) is type(wanted[key])


def test_large_arrays_keep_their_values_while_the_pool_goes_on(pool: Any) -> None:
    dataset = Dataset.range(6).map(lambda x: tf.fill([200, 300], x), executor=pool)
    values = list(dataset.as_numpy_iterator())
    assert [value.shape for value in values] == [(200, 300)] * 6
    assert all((value == i).all() for i, value in enumerate(values))
    assert not any(value.flags.writeable for value in values)  # as in TensorFlow


def test_elements_of_different_shapes_travel(pool: Any) -> None:
    dataset = Dataset.range(300).map(lambda x: tf.range(x % 5), executor=pool)
    assert [len(v) for v in dataset] == [i % 5 for i in range(300)]


def test_captured_tensors_and_branches_travel(pool: Any) -> None:
    table = tf.constant([10, 20, 30], tf.int64)
    dataset = Dataset.range(3).map(lambda x: tf.cond(x > 1, lambda: -table[x], lambda: table[x]), executor=pool)
    assert [int(v) for v in dataset] == [10, 20, -30]


def test_exceptions_are_those_of_the_function(pool: Any) -> None:
    def fail(x: Any) -> Any:
        if x == 4:
            raise KeyError("no such word")
        return x

    iterator = iter(Dataset.range(7).map(called(fail), executor=pool))
    assert [int(next(iterator)) for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(KeyError, match="element 4 of ParallelMapDataset:1") as raised:
        next(iterator)
    assert isinstance(raised.value, tf.errors.OpError)
    assert [int(v) for v in iterator] == [5, 6]


def test_a_captured_variable_is_refused_by_name(pool: Any) -> None:
    weight = tf.Variable(2, dtype=tf.int64, name="weight")
    with pytest.raises(TypeError, match="cannot be sent to another process: it captures variable 'weight'"):
        Dataset.range(3).map(lambda x: x * weight, executor=pool)


def test_a_captured_lock_is_refused_by_name(pool: Any) -> None:
    lock = threading.Lock()

    def locked(x: Any) -> Any:
        with lock:
            return x

    with pytest.raises(TypeError, match=r"closure variable 'lock' of .*locked"):
        Dataset.range(3).map(called(locked), executor=pool)


def test_a_generator_that_keeps_its_state_is_refused(pool: Any) -> None:
    generator = tf.random.Generator.from_seed(1)
    with pytest.raises(TypeError, match="it captures a random Generator"):
        Dataset.range(3).map(lambda x: generator.uniform([]), executor=pool)


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_any_executor_of_the_standard_library_will_do(kind: str) -> None:
    made = ProcessPoolExecutor(1, get_context("spawn")) if kind == "processes" else ThreadPoolExecutor(2)
    with made as executor:
        dataset = Dataset.range(50).map(lambda x: x * 3, num_parallel_calls=2, executor=executor)
        assert [int(v) for v in dataset] == [3 * i for i in range(50)]


def test_a_pool_of_threads_that_is_used_within_itself_does_not_starve() -> None:
    with ThreadPoolExecutor(1) as executor:
        inner = Dataset.range(3).map(called(lambda x: x), executor=executor)
        dataset = Dataset.range(4).map(called(lambda x: x + sum(inner.as_numpy_iterator())), executor=executor)
        assert [int(v) for v in dataset] == [3, 4, 5, 6]


def test_sessions_and_datasets_run_within_sent_functions(pool: Any) -> None:
    def nested(x: Any) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            found = session.run(tf.constant(1, tf.int64) + 1)
        return x + found + np.int64(sum(1 for _ in Dataset.range(3).map(lambda v: v, num_parallel_calls=2).prefetch(1)))

    assert [int(v) for v in Dataset.range(6).map(called(nested), executor=pool)] == [5 + i for i in range(6)]


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: tf.random.uniform([2, 2], seed=3),
        lambda x: tf.random.normal([tf.cast(x, tf.int32) % 3 + 1], seed=4)[0],
        lambda x: tf.cond(x % 2 > 0, lambda: tf.random.uniform([], seed=5), lambda: tf.random.normal([], seed=6)),
    ],
)
def test_random_numbers_do_not_depend_on_who_draws_them(pool: Any, draw: Any) -> None:
    def drawn(**how: Any) -> list[Any]:
        return [v.tolist() for v in Dataset.range(60).map(draw, **how).as_numpy_iterator()]

    expected = drawn()
    assert drawn() == expected
    assert drawn(num_parallel_calls=4) == expected
    assert drawn(executor=pool) == expected
    assert drawn(executor="inline") == expected
    assert len(set(map(str, expected))) == 60


def test_columns_give_the_elements_again() -> None:
    elements = [[np.int64(i), np.full((2,), i, np.float32), b"x" * i, np.arange(i)] for i in range(4)]
    columns = columns_of(elements)
    assert isinstance(columns[0], np.ndarray)
    assert columns[1].shape == (4, 2)
    assert isinstance(columns[2], list)
    assert isinstance(columns[3], list)
    for got, wanted in zip(rows(columns, 4), elements, strict=True):
        assert type(got[0]) is np.int64
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(a, b)
    assert rows(columns_of([[], []]), 2) == [[], []]


def test_an_error_has_the_file_of_the_function_and_one_traceback(pool: Any) -> None:
    def refuse(x: Any) -> Any:
        raise ValueError("refused")  # the line

    with pytest.raises(ValueError, match="refused") as caught:
        list(Dataset.range(1).map(called(refuse), executor=pool))
    line = refuse.__code__.co_firstlineno + 1
    printed = "".join(traceback.format_exception(caught.value))
    assert f'File "{__file__}", line {line}, in refuse' in printed
    assert printed.count("in refuse") == 1
    assert "direct cause" not in printed
