"""Arrays worked on block by block."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import blocks
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.tuning import TUNING

SIZE = TUNING.blocked_elements + 12345  # no multiple of a block


@pytest.fixture(params=[1, 2, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    tf.config.threading.set_intra_op_parallelism_threads(request.param)
    yield request.param
    tf.config.threading.set_intra_op_parallelism_threads(0)


def square(x: Any) -> list[Any]:
    return [x * x]


def test_every_turn_is_taken_once(threads: int) -> None:
    taken: list[int] = []
    parked.spread(taken.append, 100)
    assert sorted(taken) == list(range(100))


def test_what_a_turn_raises_is_raised_and_ends_the_rest(threads: int) -> None:
    taken: list[int] = []

    def work(turn: int) -> None:
        taken.append(turn)
        raise ZeroDivisionError(turn)

    with pytest.raises(ZeroDivisionError):
        parked.spread(work, 10_000)
    assert len(taken) <= 2 * threads
    parked.spread(taken.append, 3)  # and nothing is left behind


def test_several_threads_take_part() -> None:
    tf.config.threading.set_intra_op_parallelism_threads(2)
    try:
        barrier = threading.Barrier(2)
        parked.spread(lambda _: (barrier.wait(30), None)[1], 2)  # would not return on one thread
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(0)


def test_results_are_those_of_the_whole(threads: int) -> None:
    rand = np.random.default_rng(1)
    x = rand.standard_normal(SIZE, np.float32)
    made = blocks.elementwise(lambda a, b: [np.sin(a) + b, a > b], [x, np.float32(0.5)])
    assert made is not None
    np.testing.assert_array_equal(made[0], np.sin(x) + np.float32(0.5))
    np.testing.assert_array_equal(made[1], x > np.float32(0.5))
    assert all(m.base is None and m.flags.writeable for m in made)


@pytest.mark.parametrize(
    "shapes",
    [[(SIZE, 3), (3,)], [(SIZE, 3), (1, 3)], [(SIZE, 3), (SIZE, 1)], [(3,), (SIZE, 3)], [(SIZE, 2, 2), (2, 1)]],
)
def test_what_broadcasts_is_divided_along_the_first_axis(shapes: list[tuple[int, ...]]) -> None:
    rand = np.random.default_rng(2)
    x, y = (rand.standard_normal(shape, np.float32) for shape in shapes)
    made = blocks.elementwise(lambda a, b: [a - b], [x, y])
    assert made is not None
    np.testing.assert_array_equal(made[0], x - y)


def test_rows_of_an_array_that_is_not_contiguous_are_divided() -> None:
    x = np.arange(2 * SIZE, dtype=np.float64).reshape(SIZE, 2)[:, ::-1]
    made = blocks.elementwise(square, [x])
    assert made is not None
    np.testing.assert_array_equal(made[0], x * x)


@pytest.mark.parametrize(
    "values",
    [
        [np.float32(2)],
        [np.ones(10)],
        [np.ones((2, SIZE))[:, ::-1]],  # two rows, each longer than a block
        [np.array([b"x"] * SIZE, object)],
        [np.ones((1, 3)), np.ones((SIZE, 3)).T.copy().T[:2]],
    ],
)
def test_what_is_small_or_cannot_be_divided_is_left_alone(values: list[Any]) -> None:
    assert blocks.elementwise(square, values) is None


def test_results_of_another_shape_are_not_put_together() -> None:
    x = np.ones(SIZE)
    assert blocks.elementwise(lambda a: [a.sum()], [x]) is None
    assert blocks.elementwise(lambda a: [a, np.float64(1)], [x]) is None


def test_shapes_that_do_not_fit_are_told_by_the_kernel() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"Incompatible shapes: \[{SIZE}\] vs. \[3\]"):
        tf.math.squared_difference(tf.zeros([SIZE]), tf.zeros([3]))


def test_an_error_of_a_block_is_raised() -> None:
    def late(x: Any) -> list[Any]:
        if x[0] > 0:
            raise ValueError("later block")
        return [x]

    with pytest.raises(ValueError, match="later block"):
        blocks.elementwise(late, [np.arange(SIZE)])


def test_kernels_report_no_floating_point_errors_on_any_thread(threads: int) -> None:
    with np.errstate(all="raise"):
        y = tf.sigmoid(tf.constant(np.full(SIZE, -1e30, np.float32)))
    assert not y.numpy().any()


@pytest.mark.parametrize("number", [-1, 1.5, True, "2"])
def test_a_number_of_threads_that_is_none(number: Any) -> None:
    with pytest.raises(ValueError, match="a number of threads"):
        tf.config.threading.set_intra_op_parallelism_threads(number)


def test_what_was_asked_for_is_told() -> None:
    assert tf.config.threading.get_intra_op_parallelism_threads() == 0
    tf.compat.v1.Session(config=tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)).close()
    try:
        assert tf.config.threading.get_intra_op_parallelism_threads() == 1
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(0)


def test_worker_processes_use_one_thread() -> None:
    with tf.Processes(1) as pool:
        assert pool.submit(_told).result(30) == "1"


def _told() -> str:
    import os

    return os.environ[parked.THREADS]
