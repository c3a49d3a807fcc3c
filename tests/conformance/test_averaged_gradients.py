"""An optimizer as programs over MPI have it: a `py_func` with one buffer averages its gradients over the workers."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay.compat.v1 as tf

WORKERS, STEPS, RATE = 2, 12, 0.1
DRAW = np.random.default_rng(2)
X = DRAW.normal(size=(WORKERS, 16, 4)).astype(np.float32)
Y = (X @ DRAW.normal(size=(4, 2)) + 0.5).astype(np.float32)
START = DRAW.normal(size=(4, 2)).astype(np.float32)


class Communicator:
    """What MPI's `Allreduce` does, between threads: everyone gives an array, everyone gets the sum."""

    def __init__(self) -> None:
        self._given = np.zeros((WORKERS, START.size + START.shape[1]), np.float32)
        self._meeting = threading.Barrier(WORKERS, timeout=30)

    def sum_over_workers(self, rank: int, given: Any, out: Any) -> None:
        self._given[rank] = given
        self._meeting.wait()
        np.sum(self._given, axis=0, out=out)
        self._meeting.wait()  # nobody gives again before everyone has read


class AveragingOptimizer(tf.train.GradientDescentOptimizer):  # type: ignore[misc]
    """Plain descent on the mean of all workers' gradients."""

    def __init__(self, communicator: Communicator, rank: int) -> None:
        super().__init__(RATE)
        self._communicator, self._rank = communicator, rank

    def compute_gradients(self, loss: Any, var_list: Any = None, **options: Any) -> Any:
        pairs = [(g, v) for g, v in super().compute_gradients(loss, var_list, **options) if g is not None]
        flat = tf.concat([tf.reshape(g, [-1]) for g, _ in pairs], axis=0)
        buffer = np.zeros(flat.shape, np.float32)

        def averaged(own: Any) -> Any:
            self._communicator.sum_over_workers(self._rank, own, buffer)
            np.divide(buffer, WORKERS, out=buffer)
            return buffer

        mean = tf.py_func(averaged, [flat], tf.float32, name="averaged")
        mean.set_shape(flat.shape)
        parts = tf.split(mean, [v.shape.num_elements() for _, v in pairs], axis=0)
        return [(tf.reshape(part, v.shape), v) for part, (_, v) in zip(parts, pairs, strict=True)]


def trained(communicator: Communicator, rank: int) -> tuple[list[Any], list[Any]]:
    """The weights after each step, and the averaged gradients that the steps returned."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 2])
        weights = tf.get_variable("weights", initializer=START)
        biases = tf.get_variable("biases", [2], initializer=tf.zeros_initializer())
        tf.get_variable("unused", [3])
        loss = tf.reduce_mean(tf.square(tf.matmul(x, weights) + biases - y))
        optimizer = AveragingOptimizer(communicator, rank)
        pairs = optimizer.compute_gradients(loss, tf.trainable_variables())
        assert [v for _, v in pairs] == [weights, biases]
        step = optimizer.apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        values, slopes = [], []
        for _ in range(STEPS):
            given, _ = session.run([[g for g, _ in pairs], step], {x: X[rank], y: Y[rank]})
            slopes.append(given)
            values.append(session.run([weights, biases]))
    return values, slopes


def expected() -> tuple[list[Any], list[Any]]:
    """The same in NumPy: one set of weights, moved by the mean of the workers' gradients."""
    weights, biases = START.astype(np.float64), np.zeros(2)
    values, slopes = [], []
    for _ in range(STEPS):
        off = [2 * (X[i] @ weights + biases - Y[i]) / Y[i].size for i in range(WORKERS)]
        slope = np.mean([X[i].T @ off[i] for i in range(WORKERS)], axis=0), np.mean(off, axis=0).sum(axis=0)
        weights, biases = weights - RATE * slope[0], biases - RATE * slope[1]
        values.append([weights, biases])
        slopes.append(slope)
    return values, slopes


@pytest.fixture(scope="module")
def runs() -> list[tuple[list[Any], list[Any]]]:
    communicator = Communicator()
    with ThreadPoolExecutor(WORKERS) as workers:
        return list(workers.map(lambda rank: trained(communicator, rank), range(WORKERS)))


def test_the_weights_of_every_worker_are_those_of_the_averaged_update(runs: Any) -> None:
    for values, _ in runs:
        for found, wanted in zip(values, expected()[0], strict=True):
            for f, w in zip(found, wanted, strict=True):
                np.testing.assert_allclose(f, w, rtol=1e-4, atol=1e-5)
    for one, other in zip(runs[0][0], runs[1][0], strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_gradients_that_a_step_returned_stay_when_the_buffer_is_written_again(runs: Any) -> None:
    for _, slopes in runs:
        for found, wanted in zip(slopes, expected()[1], strict=True):
            for f, w in zip(found, wanted, strict=True):
                np.testing.assert_allclose(f, w, rtol=1e-3, atol=1e-5)
