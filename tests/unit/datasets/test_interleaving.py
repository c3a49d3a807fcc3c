"""`interleave`: elements of several datasets in turn."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import inlay as tf
from inlay._src.data.node import Iteration

Dataset = tf.data.Dataset
PATIENCE = 30.0


def repeated(times: int) -> Any:
    return lambda x: Dataset.from_tensors(x).repeat(times)


@pytest.mark.parametrize(("cycle", "block"), [(1, 1), (2, 1), (2, 3), (3, 2), (7, 4)])
@pytest.mark.parametrize("calls", [None, 2, tf.data.AUTOTUNE])
def test_datasets_take_turns(cycle: int, block: int, calls: int | None) -> None:
    dataset = Dataset.range(4).interleave(repeated(5), cycle, block, num_parallel_calls=calls)
    expected = {
        (1, 1): [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5,
        (2, 1): [0, 1] * 5 + [2, 3] * 5,
        (2, 3): [0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 2, 2, 3, 3],  # as TensorFlow 2.21 has it
        (3, 2): [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2, 0, 1, 2, 3, 3, 3, 3, 3],
        (7, 4): [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4 + [0, 1, 2, 3],
    }[cycle, block]
    assert [int(v) for v in dataset] == expected


def test_without_order_all_elements_come() -> None:
    dataset = Dataset.range(6).interleave(repeated(7), 3, 2, num_parallel_calls=3, deterministic=False)
    assert sorted(int(v) for v in dataset) == [i for i in range(6) for _ in range(7)]


def test_datasets_are_read_at_once() -> None:
    together = threading.Barrier(3)

    def meet(x: Any) -> Any:
        together.wait(PATIENCE)
        return x

    def made(x: Any) -> Any:
        return Dataset.from_tensors(x).map(lambda v: tf.numpy_function(meet, [v], tf.int64))

    dataset = Dataset.range(3).interleave(made, cycle_length=3, num_parallel_calls=3)
    assert [int(v) for v in dataset] == [0, 1, 2]


@pytest.mark.parametrize("wrong", ["cycle_length", "block_length"])
def test_lengths_must_be_positive(wrong: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{wrong} must be greater than zero"):
        list(Dataset.range(2).interleave(repeated(1), **{"cycle_length": 2, "block_length": 1, wrong: 0}))


def test_the_function_must_make_a_dataset() -> None:
    with pytest.raises(TypeError, match="must return a `Dataset` object"):
        Dataset.range(2).interleave(lambda x: x)


@pytest.mark.parametrize("calls", [None, 2])
def test_a_position_has_the_datasets_of_the_cycle(calls: int | None) -> None:
    dataset = Dataset.range(5).interleave(repeated(4), 2, 3, num_parallel_calls=calls)
    cursor = Iteration(dataset.options()).opened(dataset._node)
    for _ in range(5):
        next(cursor)
    again = Iteration(dataset.options()).opened(dataset._node)
    again.restore(cursor.state())
    assert [int(v[0]) for v in again] == [int(v[0]) for v in cursor]


def test_a_function_that_fails_is_named_and_iteration_goes_on() -> None:
    def size(x: Any) -> Any:
        if x == 1:
            raise ValueError("boo")
        return x + 1

    dataset = Dataset.range(3).interleave(lambda x: Dataset.range(tf.numpy_function(size, [x], tf.int64)), 1)
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    with pytest.raises(ValueError, match=r"InterleaveDataset:1 .*Iterator::Root::Interleave: ValueError: boo"):
        next(iterator)
    assert [int(v) for v in iterator] == [0, 1, 2]
