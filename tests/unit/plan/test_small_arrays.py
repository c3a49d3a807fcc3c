"""Memory that small arrays of known shapes hand to the results of later steps."""

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
    return [arrays.replaced(step, everything(plan)) is not None for step in plan.steps]


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


def test_a_free_array_goes_to_the_next_result_of_its_form_once() -> None:
    plan = plan_of(lambda x, y: [tf.sin(x) + tf.sin(y), x * y, x - y])
    arrays, private = SmallArrays(plan.steps), everything(plan)
    total = next(step for step in plan.steps if step.op == "AddV2")
    first, second = total.ins
    assert arrays.add_freed([first, -7], private) == [-7], "what is not known is emptied"
    product, difference = (next(step for step in plan.steps if step.op == op) for op in ("Mul", "Sub"))
    assert arrays.taken(product) == first
    assert arrays.taken(difference) is None
    assert arrays.add_freed([second], private) == [] and arrays.take_all() == [second]
    assert arrays.taken(difference) is None


def test_few_free_arrays_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "free_arrays", 1)
    plan = plan_of(lambda x, y: [tf.sin(x) + tf.sin(y)])
    arrays, private = SmallArrays(plan.steps), everything(plan)
    first, second = plan.steps[-1].ins
    assert arrays.add_freed([first], private) == []
    assert arrays.add_freed([second], private) == [first], "the oldest is emptied"


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
        made: list[Any] = list(feeds)
        for _ in range(choose.randint(3, 25)):
            x, y = choose.choice(made), choose.choice(made)
            made.append(choose.choice(OPERATIONS)(x, y if y.shape == x.shape else 0.25))
        plan = build(graph, choose.sample(made[3:], min(3, len(made) - 3)), feeds)
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
