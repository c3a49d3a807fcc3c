"""`cond`, `case`, `switch_case`, `while_loop`, maps, folds and `TensorArray`, in graphs, functions and eagerly."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf


def eagerly(f: Callable[..., Any], *values: Any) -> Any:
    return tf.nest.map_structure(lambda t: t.numpy(), f(*map(tf.constant, values)))


def in_function(f: Callable[..., Any], *values: Any) -> Any:
    return eagerly(tf.function(f, autograph=False), *values)


def in_session(f: Callable[..., Any], *values: Any) -> Any:
    kinds = [tf.constant(v).dtype for v in values]
    with tf.Graph().as_default():
        inputs = [tf.compat.v1.placeholder(d, np.shape(v)) for d, v in zip(kinds, values, strict=True)]
        with tf.compat.v1.Session() as session:
            return session.run(f(*inputs), dict(zip(inputs, values, strict=True)))


MODES = [eagerly, in_function, in_session]
every_mode = pytest.mark.parametrize("mode", MODES)


@every_mode
def test_only_the_taken_branch_runs_and_once(mode: Callable[..., Any]) -> None:
    log: list[str] = []

    def branch(name: str, factor: float) -> Callable[[Any], Any]:
        def body(v: Any) -> Any:
            log.append(name)
            return v * np.float32(factor)

        return body

    def f(x: Any) -> Any:
        return tf.cond(
            x > 0.0,
            lambda: tf.numpy_function(branch("then", 2), [x], tf.float32),
            lambda: tf.numpy_function(branch("else", 3), [x], tf.float32),
        )

    assert (mode(f, 1.0), log) == (2.0, ["then"])
    log.clear()
    assert (mode(f, -1.0), log) == (-3.0, ["else"])


def test_branches_may_be_operations() -> None:
    log: list[int] = []
    with tf.Graph().as_default():
        flag = tf.compat.v1.placeholder(tf.bool, [])
        made = tf.cond(flag, lambda: tf.py_func(lambda: log.append(1), [], []), tf.no_op)
        with tf.control_dependencies([made]):
            after = tf.identity(tf.constant(5.0))
        with tf.compat.v1.Session() as session:
            assert [session.run(after, {flag: True}), list(log)] == [5.0, [1]]
            assert [session.run(after, {flag: False}), list(log)] == [5.0, [1]]
            assert session.run(made, {flag: True}).item() is True, (
                "the predicate stands for the operation, as in TensorFlow"
            )
    assert log == [1, 1]


@every_mode
def test_a_function_in_a_loop_runs_once_per_iteration(mode: Callable[..., Any]) -> None:
    log: list[int] = []

    def step(i: Any, total: Any) -> Any:
        log.append(int(i))
        return np.float32(total + i)

    def f(limit: Any) -> Any:
        def turn(i: Any, total: Any) -> Any:
            total = tf.numpy_function(step, [i, total], tf.float32)
            total.set_shape([])
            return i + 1, total

        return tf.while_loop(lambda i, _: i < limit, turn, (tf.constant(0), tf.constant(0.0)))[1]

    assert (mode(f, 4), log) == (6.0, [0, 1, 2, 3])


@every_mode
def test_switch_case_and_case(mode: Callable[..., Any]) -> None:
    def f(i: Any) -> Any:
        one = tf.switch_case(i, [lambda: tf.constant(10), lambda: tf.constant(20)], default=lambda: tf.constant(-1))
        two = tf.case(
            [(i < 0, lambda: tf.constant(1)), (i > 0, lambda: tf.constant(2))], default=lambda: tf.constant(3)
        )
        return [one, two]

    assert [list(map(int, mode(f, i))) for i in (-1, 0, 1, 2)] == [[-1, 1], [10, 3], [20, 2], [-1, 2]]


@pytest.mark.parametrize("mode", [in_function, in_session])
def test_case_without_a_match_says_so(mode: Callable[..., Any]) -> None:
    def f(i: Any) -> Any:
        return tf.case([(i < 0, lambda: tf.constant(1))])

    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the conditions evaluated as True in case"):
        mode(f, 1)


@every_mode
def test_structures_travel_through_loops(mode: Callable[..., Any]) -> None:
    def f(x: Any) -> Any:
        def turn(i: Any, state: Any) -> Any:
            return i + 1, {"a": state["a"] * 2.0, "b": (state["b"][0] + state["a"],)}

        return tf.while_loop(lambda i, _: i < 3, turn, (0, {"a": x, "b": (x,)}))[1]

    found = mode(f, 1.0)
    assert (found["a"], found["b"][0]) == (8.0, 8.0)


@every_mode
def test_maps_and_folds(mode: Callable[..., Any]) -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)

    def f(x: Any) -> Any:
        spec = tf.TensorSpec([2], tf.float32)
        double = lambda r: tf.numpy_function(lambda a: a * np.float32(2), [r], spec)  # noqa: E731
        return {
            "map": tf.map_fn(double, x),
            "vectorized": tf.vectorized_map(lambda r: tf.reduce_sum(r), x),
            "scan": tf.scan(lambda total, r: total + r, x),
            "back": tf.scan(lambda total, r: total + r, x, initializer=tf.zeros([2]), reverse=True),
            "foldl": tf.foldl(lambda total, r: total - r, x),
            "foldr": tf.foldr(lambda total, r: total - r, x),
        }

    found = mode(f, rows)
    np.testing.assert_array_equal(found["map"], rows * 2)
    np.testing.assert_array_equal(found["vectorized"], rows.sum(1))
    np.testing.assert_array_equal(found["scan"], rows.cumsum(0))
    np.testing.assert_array_equal(found["back"], rows[::-1].cumsum(0)[::-1])
    np.testing.assert_array_equal(found["foldl"], rows[0] - rows[1] - rows[2])
    np.testing.assert_array_equal(found["foldr"], rows[2] - rows[1] - rows[0])


@every_mode
def test_tensor_arrays_are_written_read_and_stacked(mode: Callable[..., Any]) -> None:
    def f(n: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])

        def turn(i: Any, array: Any) -> Any:
            return i + 1, array.write(i, tf.cast(i, tf.float32) * 2.0)

        _, array = tf.while_loop(lambda i, _: i < n, turn, (0, array))
        return [array.stack(), array.read(1), array.size(), array.gather([2, 0])]

    stacked, one, size, some = mode(f, 4)
    assert (stacked.tolist(), float(one), int(size), some.tolist()) == ([0.0, 2.0, 4.0, 6.0], 2.0, 4, [4.0, 0.0])


def test_gradients_flow_through_tensor_arrays() -> None:
    def f(x: Any) -> Any:
        array = tf.TensorArray(tf.float64, size=2, element_shape=[])
        array = array.write(0, x[0] * x[1]).write(1, x[1] ** 3.0)
        other = tf.TensorArray(tf.float64, size=0, dynamic_size=True).unstack(x)
        return tf.reduce_sum(array.stack() * array.stack()) + array.read(0) * other.read(1)

    theoretical, numerical = tf.test.compute_gradient(f, [np.array([1.5, -0.7])])
    np.testing.assert_allclose(theoretical[0], numerical[0], atol=1e-7)
    theoretical, numerical = tf.test.compute_gradient(tf.function(f), [np.array([1.5, -0.7])])
    np.testing.assert_allclose(theoretical[0], numerical[0], atol=1e-7)


def test_shapes_and_dtypes_must_hold_through_a_loop() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")

        def opaque(i: Any, y: Any) -> Any:
            return i + 1, tf.numpy_function(np.sin, [y], tf.float32)

        with pytest.raises(ValueError, match=r"'x:0' enters the loop with shape \(\), but has shape <unknown> after"):
            tf.while_loop(lambda i, y: i < 3, opaque, (tf.constant(0), x))
        with pytest.raises(
            TypeError,
            match="'x:0' enters the loop with dtype float32, but has dtype float64 after one iteration. Cast it",
        ):
            tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.cast(y, tf.float64)), (tf.constant(0), x))
        i, y = tf.while_loop(
            lambda i, y: i < 3, opaque, (tf.constant(0), x), shape_invariants=(tf.TensorShape([]), tf.TensorShape(None))
        )
        assert (i.shape.as_list(), y.shape.rank) == ([], None)


def test_branches_must_agree() -> None:
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.bool, [])
        with pytest.raises(TypeError, match="has dtype float32 in branch 'true' but int32 in branch 'false'"):
            tf.cond(p, lambda: tf.constant(1.0), lambda: tf.constant(1))
        with pytest.raises(TypeError, match="must return the same structure"):
            tf.cond(p, lambda: (tf.constant(1.0), tf.constant(1.0)), lambda: tf.constant(1.0))
        with pytest.raises(TypeError, match="'true_fn' must be callable"):
            tf.cond(p, 3, lambda: tf.constant(1.0))
        merged = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([2, 5]))
        assert merged.shape.as_list() == [2, None]


def test_maximum_iterations_bound_a_loop() -> None:
    def f(x: Any) -> Any:
        return tf.while_loop(lambda y: y < 100.0, lambda y: [y * 2.0], [x], maximum_iterations=3)[0]

    assert [float(mode(f, 1.0)) for mode in MODES] == [8.0, 8.0, 8.0]


class Maker:
    """A random program of nested branches, loops and maps, as inlay code and as plain Python."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.calls = 0

    def expression(self, depth: int) -> tuple[Callable[[Any], Any], Callable[[float], float]]:
        """(with tensors, with floats) of one random function of a scalar."""
        nested = [self.branch, self.loop, self.mapped, self.composed] if depth else []
        return self.choose.choice([self.op, self.host, *nested])(depth)  # type: ignore[no-any-return]

    def op(self, depth: int) -> Any:
        c = self.choose.choice([0.5, -1.0, 2.0])
        return lambda x: x * c + 1.0, lambda x: x * c + 1.0

    def host(self, depth: int) -> Any:
        factor = self.choose.choice([0.25, -0.5])

        def body(v: Any) -> Any:
            self.calls += 1
            return np.float64(v * factor + 1)

        return lambda x: tf.numpy_function(body, [x], tf.TensorSpec([], tf.float64)), lambda x: x * factor + 1

    def composed(self, depth: int) -> Any:
        (f, pf), (g, pg) = self.expression(depth - 1), self.expression(depth - 1)
        return lambda x: f(g(x)), lambda x: pf(pg(x))

    def branch(self, depth: int) -> Any:
        (f, pf), (g, pg) = self.expression(depth - 1), self.expression(depth - 1)
        limit = self.choose.choice([-1.0, 0.0, 1.5])
        return (
            lambda x: tf.cond(x > limit, lambda: f(x), lambda: g(x)),
            lambda x: pf(x) if x > limit else pg(x),
        )

    def loop(self, depth: int) -> Any:
        f, pf = self.expression(depth - 1)
        turns = self.choose.randint(0, 3)

        def plain(x: float) -> float:
            for _ in range(turns):
                x = pf(x) * 0.5
            return x

        def tensors(x: Any) -> Any:
            return tf.while_loop(lambda i, _: i < turns, lambda i, y: (i + 1, f(y) * 0.5), (tf.constant(0), x))[1]

        return tensors, plain

    def mapped(self, depth: int) -> Any:
        f, pf = self.expression(depth - 1)
        return (
            lambda x: tf.reduce_sum(tf.map_fn(f, tf.stack([x, x + 1.0]))),
            lambda x: pf(x) + pf(x + 1.0),
        )


def program(seed: int) -> tuple[Maker, Callable[[Any], Any], Callable[[float], float]]:
    maker = Maker(seed)
    return maker, *maker.expression(3)


@every_mode
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**9), x=st.sampled_from([-2.0, 0.3, 1.7]))
def test_random_nested_programs_agree_with_plain_python(mode: Callable[..., Any], seed: int, x: float) -> None:
    _, f, plain = program(seed)
    np.testing.assert_allclose(mode(f, np.float64(x)), plain(x), rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_random_nested_programs_call_their_functions_equally_often(seed: int) -> None:
    counts = []
    for mode in MODES:
        maker, f, _ = program(seed)
        mode(f, np.float64(0.3))
        counts.append(maker.calls)
    assert counts[0] == counts[1] == counts[2]


def test_control_flow_built_from_outside_its_graph_keeps_the_device() -> None:
    with tf.Graph().as_default() as graph:
        p = tf.compat.v1.placeholder(tf.bool, [])
        x = tf.compat.v1.placeholder(tf.float32, [])
    with tf.device("/device:CPU:0"):
        tf.cond(p, lambda: x, lambda: -x)
        tf.while_loop(lambda v: v < 3.0, lambda v: (v + 1.0,), [x])
        tf.function(lambda v: v + 1.0)(x)
        tf.numpy_function(lambda v: v, [x], tf.float32)
    made = {n.type: n.device for n in graph.nodes}
    kinds = ("StatelessIf", "StatelessWhile", "PartitionedCall", "PyFunc")
    assert [made[k] for k in kinds] == ["/device:CPU:0"] * len(kinds)


DECIDING: dict[str, tuple[Callable[[Any], Any], str]] = {
    "cond": (lambda x: tf.cond(x > 0.0, lambda: x, lambda: -x, name="choice"), "the predicate of cond"),
    "switch_case": (
        lambda x: tf.switch_case(tf.cast(x, tf.int32), [lambda: x, lambda: -x], name="choice"),
        "the branch index of switch_case",
    ),
    "while_loop": (
        lambda x: tf.while_loop(lambda v: v < 3.0, lambda v: (v + 1.0,), [x], name="choice")[0],
        "the condition of a loop",
    ),
}


@pytest.mark.parametrize("kind", DECIDING)
def test_what_decides_must_be_a_scalar_and_the_error_says_where(kind: str) -> None:
    build, what = DECIDING[kind]
    message = rf"^{what} must be a scalar, got shape \[2\]\n  op 'choice.*, defined at {__file__}"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        y = build(x)
        for fetched in (y, [y, tf.gradients(y, x)]):
            for _ in range(4):
                with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
                    session.run(fetched, {x: [1.0, 2.0]})
        assert caught.value.op is y.op
    spec = tf.TensorSpec(None, tf.float32)
    function = tf.function(build, input_signature=[spec])
    with pytest.raises(tf.errors.InvalidArgumentError, match=message), tf.GradientTape():
        function(tf.constant([1.0, 2.0]))


def test_rows_of_ragged_tensors_are_mapped_and_may_stay_ragged():
    rt = tf.ragged.constant([[[1], [2, 3]], [], [[4, 5, 6]]])
    assert tf.map_fn(lambda row: row, rt).to_list() == rt.to_list()
    spec = tf.RaggedTensorSpec([None], tf.int32)
    lengths = tf.function(
        lambda r: tf.map_fn(lambda row: tf.cast(row.row_lengths(), tf.int32), r, fn_output_signature=spec)
    )
    assert lengths(rt).to_list() == [[1, 2], [], [3]]
    dense = tf.map_fn(lambda n: (tf.range(n), n), tf.constant([2, 0, 1]), fn_output_signature=(spec, tf.int32))
    assert dense[0].to_list() == [[0, 1], [], [0]] and dense[1].numpy().tolist() == [2, 0, 1]


def test_mapped_rows_of_another_kind_than_declared_are_refused():
    rt = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(ValueError, match="returned a scalar where .* wants rows; give fn_output_signature"):
        tf.map_fn(tf.reduce_sum, rt)
    with pytest.raises(ValueError, match="fn_output_signature says RaggedTensorSpec"):
        tf.map_fn(lambda row: row, rt, fn_output_signature=tf.RaggedTensorSpec([None, None], tf.int32))


def test_a_node_that_runs_programs_without_effects_is_stateless() -> None:
    """As TensorFlow names them."""
    with tf.Graph().as_default() as graph:
        x, v = tf.compat.v1.placeholder(tf.float32, []), tf.Variable(0.0)
        for step in (lambda t: t + 1.0, lambda t: v.assign_add(t)):
            tf.cond(x > 0.0, lambda step=step: step(x), lambda: x)
            tf.switch_case(tf.cast(x, tf.int32), [lambda step=step: step(x), lambda: x])
            tf.while_loop(lambda t: t < 3.0, lambda t, step=step: (step(t),), [x])
    kinds = [n.type for n in graph.get_operations() if n.type.removeprefix("Stateless") in ("If", "Case", "While")]
    assert kinds == ["StatelessIf", "StatelessCase", "StatelessWhile", "If", "Case", "While"]
