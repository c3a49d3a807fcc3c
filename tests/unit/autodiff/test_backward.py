"""The backward pass: random programs differentiated by tape, session, function and differences; recordings."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.eager.tape import Recording, Tape
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO
from inlay._src.engine.autodiff.backward import backward, pull, pull_recorded, zeros_of

SHAPES: tuple[tuple[int, ...], ...] = ((), (3,), (2, 3), (2, 1))
STEPS: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x * y,
    lambda x, y: x - 0.5 * y,
    lambda x, y: x / (2.0 + y * y),
    lambda x, y: tf.sin(x) * tf.exp(-tf.square(y)),
    lambda x, y: tf.tanh(x),
    lambda x, y: tf.sqrt(1.0 + x * x),
    lambda x, y: tf.math.log(1.5 + x * x),
    lambda x, y: tf.math.sigmoid(y) * x,
    lambda x, y: tf.reduce_sum(x),
    lambda x, y: tf.reduce_mean(x * y),
    lambda x, y: tf.reshape(tf.transpose(tf.reshape(x, [1, -1])), [-1]),
    lambda x, y: tf.reduce_logsumexp(x),
    lambda x, y: tf.stack([x, x * 2.0])[1],
    lambda x, y: tf.where(tf.constant(True), x, x * 3.0),
    lambda x, y: tf.concat([tf.reshape(x, [-1]), tf.reshape(y, [-1])], 0)[:2],
    lambda x, y: tf.nn.softmax(tf.reshape(x, [1, -1])),
    lambda x, y: tf.py_function(lambda a, b: a * b + tf.sin(a), [x, y], tf.float64),
]


class Expression:
    """A random smooth function of some leaves; the same one for the same seed."""

    def __init__(self, seed: int) -> None:
        choose = random.Random(seed)
        self.values = [np.random.default_rng(seed).uniform(-1, 1, s) for s in SHAPES]
        count = choose.randint(1, 8)
        self.plan = [(choose.randrange(len(STEPS)), choose.random(), choose.random()) for _ in range(count)]

    def __call__(self, *leaves: Any) -> Any:
        made = list(leaves)
        for step, one, two in self.plan:
            x, y = made[int(one * len(made))], made[int(two * len(made))]
            try:
                np.broadcast_shapes(tuple(x.shape), tuple(y.shape))
            except (ValueError, TypeError):
                y = x
            made.append(STEPS[step](x, y))
            if made[-1].shape.rank is None:
                made[-1] = tf.ensure_shape(made[-1], np.broadcast_shapes(tuple(x.shape), tuple(y.shape)))
        return tf.add_n([tf.reduce_sum(m) for m in made[len(leaves) :]])

    def by_tape(self) -> list[np.ndarray]:
        leaves = [tf.constant(v) for v in self.values]
        with tf.GradientTape() as tape:
            tape.watch(leaves)
            y = self(*leaves)
        return [g.numpy() for g in tape.gradient(y, leaves, unconnected_gradients="zero")]

    def by_session(self) -> list[np.ndarray]:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            leaves = [tf.compat.v1.placeholder(tf.float64, v.shape) for v in self.values]
            grads = tf.gradients(self(*leaves), leaves, unconnected_gradients="zero")
            return list(session.run(grads, dict(zip(leaves, self.values, strict=True))))

    def by_function(self) -> list[np.ndarray]:
        @tf.function
        def slopes(*leaves: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(leaves)
                y = self(*leaves)
            return tape.gradient(y, leaves, unconnected_gradients="zero")

        return [g.numpy() for g in slopes(*map(tf.constant, self.values))]

    def by_differences(self) -> list[np.ndarray]:
        out = []
        for i, value in enumerate(self.values):
            grad = np.zeros_like(value)
            for place in np.ndindex(value.shape):
                ends = []
                for step in (1e-6, -1e-6):
                    moved = [v.copy() for v in self.values]
                    moved[i][place] += step
                    ends.append(float(self(*map(tf.constant, moved))))
                grad[place] = (ends[0] - ends[1]) / 2e-6
            out.append(grad)
        return out


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_tapes_graphs_functions_and_differences_agree(seed: int) -> None:
    expression = Expression(seed)
    walked = expression.by_tape()
    for other in (expression.by_session(), expression.by_function()):
        for one, two in zip(walked, other, strict=True):
            assert one.shape == two.shape and one.dtype == two.dtype
            np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-12)
    for one, two in zip(walked, expression.by_differences(), strict=True):
        np.testing.assert_allclose(one, two, rtol=2e-4, atol=2e-5)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_a_gradient_that_comes_back_is_bit_equal(seed: int) -> None:
    """First by accumulation, later by the compiled vector-Jacobian product."""
    expression = Expression(seed)
    first = expression.by_tape()
    for _ in range(TUNING.vjp_sightings + 1):
        assert all(np.array_equal(a, b) for a, b in zip(expression.by_tape(), first, strict=True))


def execution(body: Callable[..., Any], *inputs: Any) -> Recording:
    tape = Tape(inputs, trainable=True)
    with context.using(context.State(tapes=(tape,))):
        outputs = body(*inputs)
    return Recording("f", tape, inputs, tuple(outputs))


def test_a_source_is_found_connected_or_not_connected() -> None:
    x, unused, other = tf.constant(2.0), tf.constant(1.0), tf.constant(5.0)
    made = execution(lambda x, unused: [x * x, tf.stop_gradient(x)], x, unused)
    one = tf.constant(1.0)
    slope, of_unused, of_other = pull(made, [one, None], [x, unused, other])
    assert slope.numpy() == 4 and of_unused is None and of_other is None
    boundary = execution(lambda x: [tf.py_function(lambda a: tf.constant(3.0), [x], tf.float32)], x)
    assert pull(boundary, [one], [x]) == [IMPLICIT_ZERO]


def test_targets_given_twice_add_up_and_barriers_are_collected() -> None:
    x = tf.constant(3.0)
    tape = Tape([x])
    with context.using(context.State(tapes=(tape,))):
        y = x * x
        z = tf.numpy_function(lambda a: a, [y], tf.float32)
    one = tf.constant(1.0)
    assert backward(tape, [y, y], [one, one], [x])[0].numpy() == 12
    assert backward(tape, [y, y], [one, None], [x])[0].numpy() == 6
    barriers: list[Any] = []
    assert list(backward(tape, [z], [one], [x], barriers)) == [None]
    assert [b.type for b in barriers] == ["PyFunc"]


def test_the_pull_of_a_pull_is_recorded_to_any_order() -> None:
    x, seed = tf.constant(2.0), tf.constant(1.0)
    made = execution(lambda x: [x * x * x], x)
    for want in (12, 12, 6):
        (grad,), made = pull_recorded(made, [seed] + [None] * (len(made.outputs) - 1), [x], [x])
        assert grad.numpy() == want
        assert made.label.startswith("gradient of ") and made.outputs == (grad,) and made.inputs == (x, seed)
    (last,) = pull(made, [seed], [x])
    assert last is IMPLICIT_ZERO or last is None or last.numpy() == 0


def test_a_pull_is_recorded_by_outer_tapes_too() -> None:
    x, seed = tf.constant(2.0), tf.constant(1.0)
    made = execution(lambda x: [x * x * x], x)
    outer = Tape([seed])
    with context.using(context.State(tapes=(outer,))):
        (grad,), _ = pull_recorded(made, [seed], [x], [x])
    assert outer.follows([grad])
    assert backward(outer, [grad], [seed], [seed])[0].numpy() == 12


def test_zeros_are_shaped_like_values_and_variables() -> None:
    variable = tf.Variable([1.0, 2.0])
    for tensor in (tf.constant([3.0, 4.0]), variable.__inlay_gradient_source__()):
        zeros = zeros_of(tensor)
        assert zeros.dtype is tf.float32 and zeros.numpy().tolist() == [0, 0]
    with tf.Graph().as_default():
        assert zeros_of(tf.compat.v1.placeholder(tf.float64, [2])).dtype is tf.float64


@pytest.mark.parametrize("persistent", [False, True])
def test_nothing_asked_is_nothing_found(persistent: bool) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, []) == []


def test_a_gradient_behind_stop_gradient_is_not_called() -> None:
    called: list[str] = []

    @tf.custom_gradient
    def noted(x: Any) -> Any:
        def grad(dy: Any) -> Any:
            called.append("grad")
            return dy * 5.0

        return x * 1.0, grad

    x, z = tf.constant(2.0), tf.constant(3.0)
    for apply in (noted, tf.function(noted)):
        called.clear()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = apply(tf.stop_gradient(x)) * z
            both = apply(x) + y
        called.clear()  # of a function it is traced ahead
        assert tape.gradient(y, x) is None and float(tape.gradient(y, z)) == 2.0 and called == []
        assert float(tape.gradient(both, x)) == 5.0
        with pytest.raises(ValueError, match="No gradient passes through StopGradient"):
            tape.gradient(y, x, unconnected_gradients="error")
