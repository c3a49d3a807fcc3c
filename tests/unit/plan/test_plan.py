"""Plans are data: how they print, that they are well formed, and that every pass and runner keeps their meaning."""

from __future__ import annotations

import gc
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan import plan as plans
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.whole import whole_plan
from inlay._src.engine.run.registry import Lowered
from inlay._src.engine.run.scheduling import work_stealing

KERNELS = {
    "add": (tf.add, np.add),
    "sub": (tf.subtract, np.subtract),
    "mul": (tf.multiply, np.multiply),
    "max": (tf.maximum, np.maximum),
}


def random_graph(seed: int) -> tuple[Any, list[Any], list[Any]]:
    """A graph of numbers, its tensors, and per tensor how NumPy makes it from the values so far."""
    rand = random.Random(seed)
    with tf.Graph().as_default() as graph:
        tensors: list[Any] = [tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])]
        makers: list[Any] = [None, None]
        for _ in range(rand.randrange(1, 25)):
            i, j = rand.randrange(len(tensors)), rand.randrange(len(tensors))
            kind = rand.choice([*KERNELS, "const", "identity", "host", "pure", "pair"])
            x, y = tensors[i], tensors[j]
            if kind in KERNELS:
                op, as_numpy = KERNELS[kind]
                tensors.append(op(x, y))
                makers.append(lambda v, i=i, j=j, f=as_numpy: f(v[i], v[j]))
            elif kind == "const":
                value = np.float32(rand.randrange(3))
                tensors.append(tf.constant(value))
                makers.append(lambda v, value=value: value)
            elif kind == "identity":
                tensors.append(tf.identity(x))
                makers.append(lambda v, i=i: v[i])
            elif kind == "pair":
                tensors.extend(tf.numpy_function(_both, [x, y], [tf.float32] * 2))
                makers.append(lambda v, i=i, j=j: v[i] + v[j])
                makers.append(lambda v, i=i, j=j: v[i] - v[j])
            else:
                with tf.control_dependencies([y] if rand.random() < 0.3 else []):
                    tensors.append(tf.numpy_function(_half, [x], tf.float32, stateful=kind == "host"))
                makers.append(lambda v, i=i: _half(v[i]))
    return graph, tensors, makers


def _half(x: Any) -> Any:
    return np.float32(x / np.float32(2))


def _both(x: Any, y: Any) -> Any:
    return np.float32(x + y), np.float32(x - y)


def naive(makers: list[Any], fed: dict[int, Any]) -> list[Any]:
    values: list[Any] = []
    for i, make in enumerate(makers):
        values.append(fed[i] if i in fed else make(values))
    return values


def hot(made: Executable) -> Lowered:
    return whole_plan(made.plan, made.calls)


RUNNERS = {
    "serial": lambda made, cells: reference.execute(made.steps, made.calls, cells),
    "takeover": lambda made, cells: work_stealing.execute(made.steps, made.calls, cells),
    "generated": lambda made, cells: hot(made).function(cells, work_stealing.Armed(made.steps, made.calls, cells)),
}


@given(seed=st.integers(0, 2**32 - 1))
def test_passes_and_runners_agree_with_a_naive_interpreter(seed: int) -> None:
    graph, tensors, makers = random_graph(seed)
    rand = random.Random(seed + 1)
    fed = {0: np.float32(3), 1: np.float32(-2)}
    for _ in range(rand.randrange(3)):
        fed[rand.randrange(len(tensors))] = np.float32(rand.randrange(9))
    expected = naive(makers, fed)
    wanted = [rand.randrange(len(tensors)) for _ in range(rand.randrange(1, 5))]
    for passes in (Passes(False, False), Passes(True, False), Passes(False, True), Passes(True, True)):
        plan = build(graph, [tensors[i] for i in wanted], [tensors[i] for i in fed], passes)
        plans.verify(plan)
        for name, execute in RUNNERS.items():
            cells: list[Any] = [None] * plan.slots
            for slot, value in plan.consts:
                cells[slot] = value
            for feed, value in zip(plan.feeds, fed.values(), strict=True):
                cells[feed.slot] = value
            execute(Executable(plan, graph), cells)
            got = [cells[slot] for slot in plan.fetches]
            assert [float(v) for v in got] == [float(expected[i]) for i in wanted], (name, str(plan))
            unfetched = set(range(plan.slots)) - set(plan.fetches) - {s for s, _ in plan.consts}
            used = {i for s in plan.steps for i in (*s.ins, *s.outs)}
            if not plan.concurrent and name != "takeover":  # a run that is shared frees at its end
                assert all(cells[i] is None for i in unfetched & used), (name, str(plan))


def test_a_plan_prints_as_a_table() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        c = tf.constant([1.0, 2.0], name="c")
        y = tf.numpy_function(np.sin, [x + c], tf.float32, name="sine")
        y.set_shape([2])
        z = tf.multiply(y, c, name="z")
        z.set_shape([2])
        text = str(session.plan([z, y], [x]))
    assert text == (
        "plan: 5 slots, 3 steps, passes: merge -0, fold -0\n"
        "  [0] = feed x:0\n"
        "  [1] = const [2]\n"
        "  0: [2] = AddV2[0, 1] free [0]  # add\n"
        "  1: [3] = PyFunc[2] host stateful free [2]  # sine\n"
        "  2: [4] = Mul[3, 1]  # z\n"
        "  return [4, 3]"
    )


def test_what_reads_a_known_shape_alone_is_folded_and_a_product_with_ones_is_its_other_factor() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2, 3])
        slope = tf.gradients(tf.reduce_sum(tf.square(x)), x)[0]
        plan = build(graph, [slope], [x])
        assert [step.op for step in plan.steps] == ["Mul"]
        assert session.run(slope, {x: np.ones((2, 3))}).tolist() == [[2.0] * 3] * 2
        assert session.run([tf.shape(x + 1.0), tf.size(x)], {x: np.ones((2, 3))})[1] == 6


def test_what_makes_sure_of_a_shape_runs_though_only_the_shape_is_asked_for() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        free = tf.compat.v1.placeholder(tf.float32, [None])
        said = tf.compat.v1.py_func(lambda v: v, [free], tf.float32)
        said.set_shape([2])
        ensured, reshaped = tf.ensure_shape(free, [2]), tf.reshape(free, [2])
        for checked in (said, said + 1.0, ensured, tf.square(ensured), reshaped):
            size = tf.size(checked)
            assert session.run(size, {free: [1.0, 2.0]}) == 2
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(size, {free: [1.0, 2.0, 3.0]})
        w = tf.compat.v1.get_variable("w", [2])
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(tf.size(w * 2.0))


def test_equal_products_with_ones_are_all_their_other_factor() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [3])
        one, other = (tf.sin(x) * tf.ones([3]) * tf.ones([3]) for _ in range(2))
        plan = build(graph, [one + 1.0, other, tf.exp(other)], [x])
    assert [step.op for step in plan.steps] == ["Sin", "AddV2", "Exp"]


def test_a_product_with_ones_stays_where_it_is_more_than_its_other_factor() -> None:
    ones = np.ones((2, 3), np.float32)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        row, free = tf.compat.v1.placeholder(tf.float32, [3]), tf.compat.v1.placeholder(tf.float32)
        spread, unknown, scaled = row * ones, free * ones, free * 1.0
        assert session.run(spread, {row: [1, 2, 3]}).shape == (2, 3)
        assert session.run(unknown, {free: [1, 2, 3]}).shape == (2, 3)
        assert session.run(scaled, {free: [1, 2, 3]}).shape == (3,)
        assert session.run(spread, {spread: ones * 7}).tolist() == [[7.0] * 3] * 2  # a fed product is what was fed
        one = tf.constant(1 + 0j, tf.complex64) * tf.compat.v1.placeholder_with_default(np.complex64(np.inf), [])
        assert np.isnan(session.run(one).imag)  # not so of complex numbers


def test_folding_is_as_silent_as_running() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        quotient = tf.constant([1.0, 0.0]) / tf.constant(0.0)
        np.testing.assert_array_equal(sess.run(quotient + 1.0), [np.inf, np.nan])


def test_a_plan_says_what_its_passes_removed() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        a, b = tf.sin(p), tf.sin(p)
        folded = tf.constant(1.0) + 2.0
        plan = session.plan(a + b + folded, [p])
    assert plan.passes == (("merge", 1), ("fold", 1))
    assert [s.op for s in plan.steps] == ["Sin", "AddV2", "AddV2"]


def test_a_function_folded_into_a_large_plan_runs_with_the_garbage_collector_on() -> None:
    seen: list[bool] = []

    def folded() -> Any:
        seen.append(gc.isenabled())
        return np.float32(1)

    with tf.Graph().as_default() as graph:
        p = y = tf.compat.v1.placeholder(tf.float32, [])
        for _ in range(TUNING.collection_pause_nodes):
            y = tf.negative(y)
        total = y + tf.numpy_function(folded, [], tf.float32, stateful=False)
        plan = build(graph, [total], [p])
    assert len(plan.steps) > TUNING.collection_pause_nodes
    assert seen == [True]
    assert gc.isenabled()


def _scaled(x: Any, **named: Any) -> Any:
    return np.float32(x)


KEYWORDS: list[tuple[Any, Any, bool]] = [
    ({"scale": 2.0}, {"scale": 2.0}, True),
    ({"scale": 2.0, "mode": "a"}, {"scale": 2.0, "mode": "a"}, True),
    ({"pads": ((1, 2), "same", None)}, {"pads": ((1, 2), "same", None)}, True),
    ({"kinds": frozenset({1, 2})}, {"kinds": frozenset({2, 1})}, True),
    ({"rule": np.sin}, {"rule": np.sin}, True),
    ({"scale": np.float32(2)}, {"scale": np.float32(2)}, True),  # an input: equal constants are one
    ({"parts": [np.float32(2), "a"]}, {"parts": [np.float32(2), "a"]}, True),
    ({"scale": 2.0}, {"scale": 3.0}, False),
    ({"scale": 2.0}, {"scale": 2}, False),
    ({"scale": 1}, {"scale": True}, False),
    ({"scale": 0.0}, {"scale": -0.0}, False),
    ({"pads": (1, 2)}, {"pads": (1.0, 2)}, False),
    ({"kinds": frozenset({1})}, {"kinds": frozenset({True})}, False),
    ({"scale": 2.0}, {"other": 2.0}, False),
    ({"scale": np.float32(2)}, {"scale": np.float32(3)}, False),
    ({"parts": [np.float32(2), "a"]}, {"parts": [np.float32(2), "b"]}, False),
    ({"parts": [np.float32(2), "a"]}, {"parts": (np.float32(2), "a")}, False),
    ({"parts": ["a"]}, {"parts": ["a"]}, False),  # a list may change, so it says nothing
]


@pytest.mark.parametrize(("one", "two", "merged"), KEYWORDS, ids=range(len(KEYWORDS)))
@pytest.mark.parametrize("api", [tf.py_function, tf.numpy_function], ids=["py_function", "numpy_function"])
def test_calls_with_equal_keyword_arguments_are_merged(api: Any, one: Any, two: Any, merged: bool) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        calls = [api(_scaled, [p], tf.float32, kwargs=k, stateful=False) for k in (one, two)]
        plan = session.plan(calls, [p])
        assert sum(s.host for s in plan.steps) == (1 if merged else 2)
        assert session.run(calls, {p: 5.0}) == [5.0, 5.0]


def test_calls_on_equal_composites_are_merged() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [3])
        splits = tf.constant([0, 1, 3], tf.int64)
        ragged = [tf.RaggedTensor.from_row_splits(p, splits, validate=False) for _ in range(2)]
        calls = [
            tf.py_function(lambda r, rest=0: r.flat_values, [r], tf.float32, kwargs={"rest": 0}, stateful=False)
            for r in ragged
        ]
        same = [tf.py_function(_total, [r], tf.float32, stateful=False) for r in ragged]
        assert sum(s.host for s in session.plan(calls, [p]).steps) == 2  # two functions
        assert sum(s.host for s in session.plan(same, [p]).steps) == 1
        assert session.run(same, {p: [1, 2, 3]}) == [6.0, 6.0]


def _total(ragged: Any) -> Any:
    return tf.reduce_sum(ragged.flat_values)


def test_only_host_calls_that_may_wait_for_one_another_make_a_plan_concurrent() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        first = tf.numpy_function(_half, [p], tf.float32)
        chain = tf.numpy_function(_half, [first + 1.0], tf.float32)
        beside = tf.numpy_function(_half, [p + 1.0], tf.float32)
        with tf.control_dependencies([chain]):
            after = tf.numpy_function(_half, [p], tf.float32)
        found = [session.plan(f, [p]).concurrent for f in (p + 1.0, first, chain, [first, beside], after)]
    assert found == [False, False, False, True, False]


def test_verify_finds_what_is_wrong() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        plan = session.plan(tf.sin(p) * 2.0, [p])
    plans.verify(plan)
    first, second = plan.steps
    broken = {
        "before it is written": replace(plan, steps=(second, first)),
        "a second time": replace(plan, steps=(first, replace(second, outs=first.outs))),
        "after it was freed": replace(plan, steps=(replace(first, frees=first.outs), second)),
        "waits for a later step": replace(plan, steps=(replace(first, waits=(1,)), second)),
        "is not there at the end": replace(plan, fetches=(plan.slots,)),
        "is written twice": replace(plan, feeds=plan.feeds * 2),
    }
    for says, bad in broken.items():
        with pytest.raises(AssertionError, match=says):
            plans.verify(bad)


def test_plans_are_kept_per_fetches_feeds_and_version() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.sin(p)
        one = session.plan(y, [p])
        assert session.plan(y, [p]) is one
        assert session.plan([y], [p]) is not one
        assert session.plan(y, [y]) is not one
        y + 1.0  # growing changes nothing that is there
        assert session.plan(y, [p]) is one
        y.set_shape([3])
        again = session.plan(y, [p])
        assert again is not one and again.steps[0].checks == ((0, (3,)),)
