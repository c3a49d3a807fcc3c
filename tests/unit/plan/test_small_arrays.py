"""Small arrays of known shapes whose memory takes the result of their last reader."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.small_arrays import SmallArrays, is_ufunc
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.whole import whole_plan


def plan_of(function: Any, shape: Any = (4, 4), count: int = 2) -> Plan:
    with tf.Graph().as_default() as graph:
        feeds = [tf.compat.v1.placeholder(tf.float32, shape) for _ in range(count)]
        return build(graph, function(*feeds), feeds)


def everything(plan: Plan) -> set[int]:
    return {o for step in plan.steps for o in step.outs} - set(plan.fetches)


def replaced(plan: Plan) -> list[bool]:
    arrays = SmallArrays(plan.steps)
    return [arrays.replaced(step, everything(plan), ()) is not None for step in plan.steps]


def test_the_last_reader_writes_into_an_array_of_its_shape_and_dtype() -> None:
    assert replaced(plan_of(lambda x, y: [tf.sin(x) * y])) == [False, True]
    assert replaced(plan_of(lambda x, y: [tf.sin(x) * tf.sin(x)])) == [False, True], "both factors are one array"
    assert replaced(plan_of(lambda x, y: [tf.sin(x) < y])) == [False, False], "a bool does not fit"
    assert replaced(plan_of(lambda x, y: [tf.reduce_max(tf.sin(x)) * y]))[-1] is False, "nor does a scalar"


def test_arrays_that_something_else_may_see_are_left_alone() -> None:
    plan = plan_of(lambda x, y: [tf.transpose(tf.sin(x)) + tf.sin(x)])
    assert not any(replaced(plan)), "the transposed array is a view"
    plan = plan_of(lambda x, y: [tf.sin(x), tf.sin(x) * y])
    assert not any(replaced(plan)), "it is fetched"
    plan = plan_of(lambda x, y: [x * y])
    assert not any(replaced(plan)), "the caller has the feeds"


def test_arrays_of_unknown_shape_and_large_ones_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not SmallArrays(plan_of(lambda x, y: [tf.sin(x) * y], [None, 4]).steps).small
    assert not any(replaced(plan_of(lambda x, y: [tf.sin(x) * y], [None, 4])))
    monkeypatch.setattr(TUNING, "in_place_elements", 8)
    assert not any(replaced(plan_of(lambda x, y: [tf.sin(x) * y])))


def test_an_array_with_several_readers_is_replaced_by_the_last_one() -> None:
    plan = plan_of(lambda x, y: [tf.cos(tf.sin(x)), tf.sin(x) - y, tf.sin(x) * y])
    assert replaced(plan) == [False, False, False, True]


def test_kernels_that_are_more_than_a_ufunc_are_none() -> None:
    steps: list[Step] = [*plan_of(lambda x, y: [tf.sin(x), tf.matmul(x, y), tf.reshape(x, [16])]).steps]
    assert [is_ufunc(step) for step in steps] == [True, False, False]


def _transposed(x: Any, y: Any) -> Any:
    return tf.linalg.matrix_transpose(x) if len(x.shape) > 1 else -x


def _product(x: Any, y: Any) -> Any:
    return tf.matmul(x, x) * 0.1 if len(x.shape) == 2 else x * x


def _split(x: Any, y: Any) -> Any:
    first, second = tf.split(x, 2, -1)
    return tf.concat([second * 2.0, first], -1)


SHAPES = ([4, 4], [4], [2, 4, 4])
OPERATIONS = (
    lambda x, y: tf.sin(x), lambda x, y: x + y, lambda x, y: x * 0.5 - y, lambda x, y: tf.sigmoid(x), _transposed,
    lambda x, y: tf.reshape(x, tf.shape(x)), _split, lambda x, y: tf.maximum(x, y), _product,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_a_plan_gives_the_results_of_the_reference_interpreter(seed: int) -> None:
    choose = random.Random(seed)
    with tf.Graph().as_default() as graph:
        feeds = [tf.compat.v1.placeholder(tf.float32, shape) for shape in SHAPES]
        tensors: list[Any] = list(feeds)
        for _ in range(choose.randint(3, 25)):
            x, y = choose.choice(tensors), choose.choice(tensors)
            tensors.append(choose.choice(OPERATIONS)(x, y if y.shape == x.shape else 0.25))
        plan = build(graph, choose.sample(tensors[3:], min(3, len(tensors) - 3)), feeds)
    executable = Executable(plan)
    values = [np.random.default_rng(seed).standard_normal(shape).astype(np.float32) for shape in SHAPES]

    def outcome(run: Any) -> list[np.ndarray]:
        cells = executable.template.copy()
        for feed, value in zip(plan.feeds, values, strict=True):
            cells[feed.slot] = value.copy()
        run(cells)
        return [cells[cell] for cell in plan.fetches]

    expected = outcome(lambda cells: reference.execute(executable.steps, executable.calls, cells))
    for ours, theirs in zip(outcome(whole_plan(plan, executable.calls).function), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
