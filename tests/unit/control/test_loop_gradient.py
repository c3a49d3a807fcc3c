"""Gradients of loops without records, held against those of records."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.control import loop_gradient, repeating
from inlay._src.programs.control.loop_gradient import LoopGradient, LoopPullback

v1 = tf.compat.v1
X, Y = np.array([0.5, -1.0, 2.0], np.float32), np.array([1.0, 0.2, -0.7], np.float32)


class Loops:
    """Random loops in a graph: one is differentiated."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x, self.y = (v1.placeholder(tf.float32, [3]) for _ in range(2))
            self.w = v1.get_variable("w", [3], initializer=v1.constant_initializer(1.1))
            self.init = v1.global_variables_initializer()
            target = self._repeated() if self.choose.random() < 0.6 else self._over_rows()
            found = v1.gradients(target, [self.x, self.y, self.w])
            self.slopes = [tf.convert_to_tensor(g) for g in found if g is not None]

    def _op(self, pool: Sequence[Any], i: Any, depth: int = 0) -> Any:
        a, b = self.choose.choice(pool), self.choose.choice(pool)
        plain: list[Callable[[], Any]] = [
            lambda: a + b, lambda: a * b * 0.5, lambda: tf.sin(a), lambda: a * self.w, lambda: tf.maximum(a, b),
            lambda: a * tf.cast(i + 1, tf.float32), lambda: tf.stop_gradient(a) + b, lambda: a / (1.0 + b * b),
        ]  # fmt: skip
        nested: list[Callable[[], Any]] = [
            lambda: tf.cond(tf.reduce_sum(a) > 0.5, lambda: self._op([a, b], i, 1), lambda: b * 2.0),
            lambda: tf.py_function(lambda u: tf.sin(u) * u, [a], tf.float32),
            lambda: v1.while_loop(
                lambda j, _: j < 2, lambda j, v: (j + 1, self._op([v, a, b], i, 1)), [tf.constant(0), a]
            )[1],
            lambda: v1.py_func(lambda u: u * 2, [a], tf.float32) + b,
            lambda: tf.gather(tf.stack([a, b]), tf.cast(i, tf.int32) % 2),
        ]
        made = self.choose.choice(plain if depth else plain + nested)()
        made.set_shape([3])
        return made

    def _ops(self, pool: Sequence[Any], i: Any) -> list[Any]:
        found = list(pool)
        for _ in range(self.choose.randint(1, 4)):
            found.append(self._op(found, i))
        return found

    def _repeated(self) -> Any:
        count, limit = self.choose.randint(0, 5), self.choose.choice([None, 3])

        def turn(i: Any, a: Any, b: Any, rows: Any) -> Any:
            pool = self._ops([a, b, self.x], i)
            return i + 1, pool[-1], self.choose.choice(pool), rows.write(i, self.choose.choice(pool))

        rows = tf.TensorArray(tf.float32, count, element_shape=[3])
        first = [tf.constant(0), self.x, self.y, rows]
        _, a, b, rows = v1.while_loop(lambda i, *_: i < count, turn, first, maximum_iterations=limit)
        return self.choose.choice([a, b, a + b, a + tf.reduce_sum(rows.stack())])

    def _over_rows(self) -> Any:
        rows, one = tf.stack([self.x, self.y, self.x * self.y]), tf.constant(1)
        over: list[Callable[[], Any]] = [
            lambda: tf.scan(lambda a, row: self._ops([a, row, self.y], one)[-1], rows, initializer=self.x),
            lambda: tf.map_fn(lambda row: self._ops([row, self.y], one)[-1], rows),
            lambda: tf.foldl(lambda a, row: self._ops([a, row, self.x], one)[-1], rows),
        ]
        return self.choose.choice(over)()

    def run(self) -> list[list[np.ndarray]]:
        """The slopes in each of some runs."""
        with v1.Session(graph=self.graph) as sess:
            sess.run(self.init)
            return [sess.run(self.slopes, {self.x: X, self.y: Y}) for _ in range(4)]


@pytest.mark.parametrize("seed", range(24))
def test_slopes_are_those_of_records(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Loops(seed).run()
    monkeypatch.setattr(repeating, "gradient_of", lambda *_: None)
    expected = Loops(seed).run()
    for one, two in zip(found, expected, strict=True):
        for a, b in zip(one, two, strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


def cubes(x: Any) -> Any:
    return v1.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * x), [tf.constant(0), tf.ones_like(x)])[1]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[LoopPullback]:
    """The pullbacks that are made without records."""
    found: list[LoopPullback] = []

    class Noted(LoopPullback):
        __slots__ = ()

        def __init__(self, *parts: Any) -> None:
            super().__init__(*parts)
            found.append(self)

    monkeypatch.setattr(repeating, "LoopPullback", Noted)
    return found


def test_first_derivatives_need_no_records_and_second_ones_have_them(made: list[LoopPullback]) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3])
        (slope,) = v1.gradients(cubes(x), [x])
        (second,) = v1.gradients(slope, [x])
        (third,) = v1.gradients(second, [x])
    with v1.Session(graph=graph) as sess:
        for _ in range(4):
            np.testing.assert_allclose(sess.run(slope, {x: X}), 3 * X**2, rtol=1e-6)
        assert len(made) == 4
        for _ in range(4):
            np.testing.assert_allclose(sess.run([slope, second, third], {x: X})[1:], [6 * X, [6.0] * 3], rtol=1e-6)
        assert len(made) == 4


@pytest.mark.parametrize("persistent", [False, True])
def test_a_tape_that_is_alone_hears_a_loop_as_one_op(persistent: bool) -> None:
    @tf.function
    def power(x: Any, y: Any, k: Any) -> Any:
        unused = y
        for _ in tf.range(k):
            x, unused = x * x * y, unused * 2.0
        return x, unused

    x, y = tf.constant(X), tf.constant(Y)
    for _ in range(5):
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch([x, y])
            out, unused = power(x, y, 2)  # x^4 y^3
        slopes = tape.gradient(out, [x, y])
        np.testing.assert_allclose(slopes[0], 4 * X**3 * Y**3, rtol=1e-5)
        np.testing.assert_allclose(slopes[1], 3 * X**4 * Y**2, rtol=1e-5)
        if persistent:
            np.testing.assert_array_equal(tape.gradient(unused, x), [0.0] * 3)
            np.testing.assert_array_equal(tape.gradient(unused, y), [4.0] * 3)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            out, _ = power(x, y, 0)
        np.testing.assert_array_equal(tape.gradient(out, y), [0.0] * 3)


def test_derivatives_of_what_a_tape_gave(made: list[LoopPullback]) -> None:
    @tf.function
    def cube(x: Any) -> Any:
        v = tf.ones_like(x)
        for _ in tf.range(3):
            v = v * x
        return v

    x = tf.constant(X)
    for _ in range(4):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            slope = tape.gradient(cube(x), x)  # under the tape itself
        np.testing.assert_allclose(tape.gradient(slope, x), 6 * X, rtol=1e-6)
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            outer.watch(x)
            inner.watch(x)
            y = cube(x)
            slope = inner.gradient(y, x)
        np.testing.assert_allclose(outer.gradient(slope, x), 6 * X, rtol=1e-6)
    assert made


def test_one_pullback_serves_several_steps(made: list[LoopPullback]) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3])
        y = cubes(x)
        slopes = [v1.gradients(y, [x], tf.constant(seed, tf.float32))[0] for seed in ([1, 0, 0], [0, 2, 0])]
    with v1.Session(graph=graph) as sess:
        for _ in range(4):
            one, two = sess.run(slopes, {x: X})
            np.testing.assert_allclose(one, [3 * X[0] ** 2, 0, 0], rtol=1e-6)
            np.testing.assert_allclose(two, [0, 6 * X[1] ** 2, 0], rtol=1e-6)
    assert len(made) == 4


def test_a_row_is_added_where_it_was_read(made: list[LoopPullback]) -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 3])
        y = v1.while_loop(
            lambda i, _: i < 6, lambda i, v: (i + 1, v + x[i % 2] * tf.cast(i, tf.float32)), [tf.constant(0), x[0]]
        )[1]
        (slope,) = v1.gradients(y, [x])
    with v1.Session(graph=graph) as sess:
        for _ in range(4):
            found = sess.run(slope, {x: np.ones((3, 3), np.float32)})
            np.testing.assert_array_equal(found, [[7.0] * 3, [9.0] * 3, [0.0] * 3])
    assert len(made) == 4


def test_an_error_on_the_way_back_names_the_op() -> None:
    messages = []
    for runs in (1, 5):
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [3])

            @tf.custom_gradient
            def odd(v: Any) -> Any:
                return v * 1.0, lambda dy: tf.reshape(dy, [tf.size(dy) + 1], name="wrong")

            y = v1.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, odd(v)), [tf.constant(0), x])[1]
            (slope,) = v1.gradients(y, [x])
        with v1.Session(graph=graph) as sess:
            for _ in range(runs):
                with pytest.raises(tf.errors.InvalidArgumentError, match="wrong") as raised:
                    sess.run(slope, {x: X})
        messages.append(raised.value.message.splitlines()[0])
    assert messages[0] == messages[1]


def test_what_a_function_closes_over_is_found_by_records() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        y = v1.while_loop(
            lambda i, _: i < 2,
            lambda i, v: (i + 1, tf.ensure_shape(tf.py_function(lambda u: u * u, [v], tf.float32), [3])),
            [tf.constant(0), x],
        )[1]
        graph = x.graph
        body = graph.functions[y.op.attrs["body"].key]
    assert loop_gradient.gradient_of(body, frozenset({1}), frozenset({1}), ()) is None
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [3])
        node = cubes(x).op
        body = x.graph.functions[node.attrs["body"].key]
    found = loop_gradient.gradient_of(body, frozenset({1}), frozenset({1}), (2,))
    assert isinstance(found, LoopGradient)
    assert (found.carried, found.gathered) == ((1,), ())


def test_slices_that_a_loop_variable_is_gathered_from_become_its_cotangent():
    @tf.function
    def function():
        x = tf.ones([5])
        y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, tf.gather(v, [0])), [0, x[:1]])[1]
        return tf.gradients(y * 3.0, x)[0]

    assert function().numpy().tolist() == [3.0, 0.0, 0.0, 0.0, 0.0]


def _squared(v, factor, extra):
    @tf.custom_gradient
    def inner(v):
        return v * v * factor, lambda dy: dy * 2 * v * extra * factor

    return inner(v)


def test_a_users_gradient_in_a_loop_reads_what_the_body_reads_outside():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, n, m = tf.constant(2.0), tf.constant(1.0), tf.constant(1.0)
        y = tf.while_loop(lambda v: v < 8.0, lambda v: (_squared(v, m + 0.0 * n, n),), [x])
        assert session.run(tf.gradients(y, x)) == [32.0]


def test_a_users_gradient_in_a_loop_reads_what_its_function_does_not():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, n = tf.constant(2.0), tf.constant(1.0) + 0.0
        y = tf.while_loop(lambda v: v < 8.0, lambda v: (_squared(v, tf.constant(1.0), n),), [x])
        assert session.run(tf.gradients(y, x)) == [32.0]
