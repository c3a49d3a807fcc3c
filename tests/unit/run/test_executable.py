"""An executable: what it binds, when it writes its plan as a function, and what it knows of its results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.step_call import KernelCall, StepCall
from inlay._src.engine.run.executable import Executable


def made_of(function: Any) -> Executable:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        return Executable(build(graph, [function(x)], [x]), graph)


def run(made: Executable, value: Any) -> Any:
    cells = made.template.copy()
    cells[made.feeds[0]] = np.asarray(value, np.float32)
    made.execute(cells)
    return cells[made.fetches[0]]


def test_every_step_has_a_call() -> None:
    made = made_of(lambda x: tf.numpy_function(np.sin, [x + 1.0], tf.float32))
    assert [s.op for s in made.steps] == ["AddV2", "PyFunc"]
    assert all(isinstance(c, StepCall) for c in made.calls)
    assert isinstance(made.calls[0], KernelCall) and made.calls[0].plain(1.0, 2.0) == 3.0


def test_runs_over_large_arrays_count_as_several() -> None:
    def steps(x: Any) -> Any:
        for _ in range(150):
            x = tf.abs(x) + 1.0
        return x

    made = made_of(steps)
    run(made, np.zeros(1000))
    assert made.body is None
    np.testing.assert_array_equal(run(made, np.zeros(1 << 20)), np.full(1 << 20, 150.0, np.float32))
    assert made.body is not None


def test_a_small_plan_is_written_after_two_runs() -> None:
    made = made_of(lambda x: tf.sin(x) + 1.0)
    for n in range(4):
        np.testing.assert_allclose(run(made, [0.0]), [1.0])
        assert (made.body is not None) == (n >= TUNING.interpreted_runs)
    assert made.alone is made.body


def sines(count: int) -> Callable[[Any], Any]:
    def chain(x: Any) -> Any:
        for _ in range(count):
            x = tf.sin(x)
        return x

    return chain


def test_a_large_plan_is_written_while_it_runs() -> None:
    made = made_of(sines(TUNING.written_steps + 1))
    expected, runs = run(made, [1.0]), 1
    while made.body is None:
        np.testing.assert_array_equal(run(made, [1.0]), expected)
        runs += 1
    assert TUNING.interpreted_runs < runs < 100
    np.testing.assert_array_equal(run(made, [1.0]), expected)


def test_a_run_leaves_the_template_as_it_was() -> None:
    made = made_of(lambda x: x + tf.constant([1.0, 2.0]))
    before = list(made.template)
    np.testing.assert_array_equal(run(made, [0.0, 0.0]), [1.0, 2.0])
    assert all(a is b for a, b in zip(made.template, before, strict=True))


def test_a_fetched_result_of_a_function_is_the_runs_own_once_it_is_written() -> None:
    made = made_of(lambda x: tf.numpy_function(np.sin, [x], tf.float32))
    assert made.private == frozenset()
    for _ in range(4):
        run(made, [0.0])
    assert made.private == set(made.fetches)


def test_constants_of_a_recorded_run_are_tensors_of_their_dtype() -> None:
    made = made_of(lambda x: x * tf.constant([2.0, 3.0]))
    (constant,) = (t for t in made.tensors if t is not None)
    assert constant.dtype is tf.float32 and constant.numpy().tolist() == [2.0, 3.0]
