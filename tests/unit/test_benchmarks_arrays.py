"""The programs over large arrays: their results do not depend on the number of threads."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf
from benchmarks.cases import arrays, convolutions
from benchmarks.cases.arrays import Program, case_name
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.tuning import TUNING


def result(program: Program, gradient: bool, threads: int, monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """What a program makes, on so many threads wherever it could use them."""
    arrays = program.inputs(np.random.default_rng(7))
    with tf.Graph().as_default() as graph:
        tf.compat.v1.set_random_seed(5)
        places = [tf.compat.v1.placeholder("string" if a.dtype == object else a.dtype, a.shape) for a in arrays]
        fetched = program.body(tf, *places)
        if gradient:
            fetched = tf.convert_to_tensor(tf.gradients(fetched, places[:1], [tf.ones_like(fetched)])[0])
    monkeypatch.setattr(parked, "_asked", threads)
    with tf.compat.v1.Session(graph=graph) as sess:
        return tf.nest.flatten(sess.run(fetched, dict(zip(places, arrays, strict=True))))


COMBINATIONS = (*arrays.COMBINATIONS, *convolutions.COMBINATIONS)


@pytest.mark.parametrize("program, gradient", COMBINATIONS, ids=[case_name(*c) for c in COMBINATIONS])
def test_threads_change_no_bit(program: Program, gradient: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e12)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    one, two = (result(program, gradient, threads, monkeypatch) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert a.tolist() == b.tolist() if a.dtype == object else a.tobytes() == b.tobytes()
