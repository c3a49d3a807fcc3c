"""What `stateful` means: merging, folding, pruning and order in graphs, and promises about shapes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.engine.plan.build import build
from inlay._src.engine.plan.rewrite import Passes
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable

CASTS = [tf.numpy_function, tf.compat.v1.py_func, tf.py_function]
APIS = pytest.mark.parametrize("api", CASTS, ids=["numpy_function", "py_func", "py_function"])


def stateful(api: Any, func: Any, inp: Any, yes: bool) -> Any:
    return api(func, inp, tf.float32, stateful=yes)


class Counter:
    """Counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *_: Any) -> Any:
        self.calls += 1
        return np.float32(self.calls)

    def method(self, *_: Any) -> Any:
        return self()


def runs(session: Any, fetches: Any, n: int = 1, feed: Any = None) -> list[Any]:
    return [session.run(fetches, feed) for _ in range(n)]


@APIS
@pytest.mark.parametrize("bound", [False, True])
def test_equal_stateless_calls_run_once_and_stateful_calls_twice(api: Any, bound: bool) -> None:
    for yes, expected in ((False, 1), (True, 2)):
        counter = Counter()
        func = counter.method if bound else counter
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            p = tf.compat.v1.placeholder(tf.float32)
            total = stateful(api, func, [p], yes) + stateful(api, counter.method if bound else func, [p], yes)
            session.run(total, {p: 1.0})
        assert counter.calls == expected


@APIS
@pytest.mark.parametrize("merge", [False, True])
def test_without_the_pass_equal_stateless_calls_run_twice(api: Any, merge: bool) -> None:
    counter = Counter()
    with tf.Graph().as_default() as graph:
        p = tf.compat.v1.placeholder(tf.float32)
        total = stateful(api, counter, [p], False) + stateful(api, counter, [p], False)
        plan = build(graph, [total], [p], Passes(merge=merge))
    cells: list[Any] = [None] * plan.slots
    cells[plan.feeds[0].slot] = np.float32(1)
    made = Executable(plan, graph)
    reference.execute(made.steps, made.calls, cells)
    assert counter.calls == (1 if merge else 2)
    assert dict(plan.passes).get("merge") == (1 if merge else None), "a plan lists the passes that ran"


@APIS
def test_calls_that_differ_are_not_merged(api: Any) -> None:
    counter, other = Counter(), Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p, q = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.float32)
        calls = [
            api(counter, [p], tf.float32, stateful=False),
            api(counter, [q], tf.float32, stateful=False),
            api(counter, [p, p], tf.float32, stateful=False),
            api(counter, [p], [tf.float32], stateful=False)[0],
            api(other, [p], tf.float32, stateful=False),
        ]
        session.run(calls, {p: 1.0, q: 1.0})
        session.run([*calls, api(counter, [q], tf.float32, stateful=False)], {p: 1.0, q: 1.0})
    assert (counter.calls, other.calls) == (8, 2)


@APIS
def test_equal_constants_make_equal_calls(api: Any) -> None:
    counter = Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        got = session.run([api(counter, [[1.0, 2.0]], tf.float32, stateful=False) for _ in range(3)])
    assert (counter.calls, [float(v) for v in got]) == (1, [1.0, 1.0, 1.0])


@APIS
def test_a_constant_stateless_call_runs_once_in_three_runs(api: Any) -> None:
    for yes, expected in ((False, [1.0, 1.0, 1.0]), (True, [1.0, 2.0, 3.0])):
        counter = Counter()
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            y = stateful(api, counter, [tf.constant(1.0) + 2.0], yes)
            assert [float(v) for v in runs(session, y, 3)] == expected
            assert float(session.run(y + 0.0)) == expected[-1] + (1.0 if yes else 0.0)


@APIS
def test_a_stateless_call_with_a_fed_input_runs_every_time(api: Any) -> None:
    counter = Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        y = api(counter, [p], tf.float32, stateful=False)
        assert [float(v) for v in runs(session, y, 3, {p: 1.0})] == [1.0, 2.0, 3.0]


@APIS
@pytest.mark.parametrize("yes", [True, False])
def test_an_unfetched_call_never_runs_unless_something_depends_on_it(api: Any, yes: bool) -> None:
    counter = Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        call = stateful(api, counter, [1.0], yes)
        one = tf.constant(1.0)
        with tf.control_dependencies([call]):
            after = one + 1.0
        before = one + 2.0
        session.run([one, before])
        assert counter.calls == 0
        assert session.run(after) == 2.0
        assert counter.calls == 1


def test_a_call_used_many_times_runs_once_per_run() -> None:
    counter = Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.py_function(counter, [], tf.float32)
        assert session.run([y, y, {"a": (y, y * 2.0)}, y + 1.0]) == [1.0, 1.0, {"a": (1.0, 2.0)}, 2.0]


@given(seed=st.integers(0, 2**32 - 1))
def test_stateful_calls_start_in_creation_order(seed: int) -> None:
    rand = random.Random(seed)
    order: list[int] = []

    def numbered(i: int) -> Any:
        def f(*_: Any) -> Any:
            order.append(i)
            return np.float32(i)

        return f

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        nodes: list[Any] = [tf.compat.v1.placeholder(tf.float32)]
        calls: dict[int, Any] = {}
        for i in range(rand.randrange(2, 12)):
            inputs = rand.sample(nodes, rand.randrange(0, min(3, len(nodes)) + 1))
            if rand.random() < 0.3:
                nodes.append(nodes[-1] + 1.0)
            with tf.control_dependencies(rand.sample(list(calls.values()), min(len(calls), rand.randrange(2)))):
                calls[i] = rand.choice(CASTS)(numbered(i), inputs, tf.float32)
            nodes.append(calls[i])
        wanted = rand.sample(list(calls), rand.randrange(1, len(calls) + 1))
        session.run([calls[i] for i in wanted], {nodes[0]: 0.0})
    assert order == sorted(order)
    assert len(set(order)) == len(order)
    assert set(wanted) <= set(order)


@APIS
def test_feeding_intermediates_replaces_what_made_them(api: Any) -> None:
    counter = Counter()

    def two(*_: Any) -> Any:
        counter()
        return np.float32(1), np.float32(2)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        c = tf.constant(3.0)
        a, b = api(two, [c], [tf.float32] * 2)
        s = a + b
        assert session.run([s, a], {a: 10.0, b: 20.0}) == [30.0, 10.0] and counter.calls == 0
        assert session.run(s, {a: 10.0}) == 12.0 and counter.calls == 1
        assert session.run([c * 2.0, s], {c: 5.0}) == [10.0, 3.0] and counter.calls == 2
        assert session.run(s, {s: 7.0}) == 7.0 and counter.calls == 2


def test_feeding_the_input_of_a_folded_call_runs_it() -> None:
    counter = Counter()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        c = tf.constant(1.0)
        y = tf.numpy_function(counter, [c], tf.float32, stateful=False)
        assert [session.run(y), session.run(y, {c: 2.0}), session.run(y)] == [1.0, 2.0, 1.0]


def test_a_stateless_body_that_is_folded_runs_eagerly_even_in_a_graph_scope() -> None:
    eager: list[bool] = []

    def f(x: Any) -> Any:
        eager.append(tf.executing_eagerly())
        return x * 2.0

    with tf.Graph().as_default() as g, tf.compat.v1.Session() as session:
        y = tf.py_function(f, [3.0], tf.float32, stateful=False)
        nodes = len(g.get_operations())
        assert session.run(y) == 6.0
        assert (eager, len(g.get_operations())) == ([True], nodes)


# ---------------------------------------------------------------- set_shape


@APIS
@pytest.mark.parametrize("yes", [True, False])
def test_a_lie_about_a_host_output_is_caught(api: Any, yes: bool) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = stateful(api, lambda: np.float32([1, 2, 3]), [], yes)
        assert session.run(y).tolist() == [1.0, 2.0, 3.0]
        y.set_shape([2])
        for fetch in (y, y + 1.0, tf.size(y)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[3\]; declared is \[2\]"):
                session.run(fetch)


def test_a_lie_about_a_kernel_output_is_caught() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.add(p, p, name="twice")
        y.set_shape([2])
        assert session.run(y, {p: [1.0, 2.0]}).tolist() == [2.0, 4.0]
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y * 2.0, {p: [1.0, 2.0, 3.0]})
    assert str(caught.value).startswith(
        f"output 0 of 'twice' (AddV2) has shape [3], but set_shape promised [2]\n  defined at {__file__}:"
    )
    assert caught.value.op is y.op


def test_a_lie_about_a_placeholder_or_a_fed_intermediate_is_caught() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, name="p")
        p.set_shape([2])
        with pytest.raises(
            ValueError, match=r"Cannot feed value of shape \(3,\) for Tensor p:0, which has shape \(2,\)"
        ):
            session.run(p * 1.0, {p: [1.0, 2.0, 3.0]})
        y = tf.py_function(lambda: 1.0, [], tf.float32, name="y")
        y.set_shape([])
        with pytest.raises(ValueError, match=r"Cannot feed value of shape \(1,\) for Tensor y:0, which has shape \(\)"):
            session.run(y, {y: [1.0]})


def test_two_equal_calls_with_different_promises_are_checked_each() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        one, two = (tf.numpy_function(np.sin, [p], tf.float32, stateful=False) for _ in range(2))
        a, b = p + 1.0, p + 1.0
        two.set_shape([5])
        b.set_shape([5])
        session.run([one, a], {p: [1.0, 2.0]})
        for lie in (two, b):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[5\]"):
                session.run([one, a, lie], {p: [1.0, 2.0]})


def test_set_shape_merges_and_contradictions_are_refused_at_once() -> None:
    with tf.Graph().as_default():
        y = tf.py_function(lambda: 1.0, [], tf.float32)
        y.set_shape([None, 3])
        y.set_shape([2, None])
        assert y.shape.as_list() == [2, 3]
        with pytest.raises(
            ValueError,
            match=r"Dimension 0 in both shapes must be equal, but are 2 and 4. Shapes are \[2,3\] and \[4,3\].",
        ):
            y.set_shape([4, 3])
        with pytest.raises(ValueError, match="Shapes must be equal rank, but are 2 and 1"):
            y.set_shape([2])
