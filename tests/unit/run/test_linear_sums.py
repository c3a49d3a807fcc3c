"""Gradients of loops whose sums of linear functions are the functions of sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.engine.run.lowering import linear_sums as sums_module
from inlay._src.engine.run.lowering.linear_sums import LinearSums, RunningSum
from inlay._src.programs.control import loop_gradient

X = np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4)


@pytest.fixture
def taken_out(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The number of sums of each gradient that is written."""
    counts: list[int] = []
    init = LinearSums.__init__

    def counted(self: LinearSums, plan: Any, calls: Any, sums: Any) -> None:
        counts.append(len(sums))
        init(self, plan, calls, sums)

    monkeypatch.setattr(LinearSums, "__init__", counted)
    yield counts


def gradients(loop: Any, *inputs: Any, called: bool = False) -> list[np.ndarray]:
    """The gradients of the sum of a loop's result; by calls of the backward program if `called`."""

    @tf.function
    def slopes(*tensors: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            result = tf.reduce_sum(loop(*tensors) ** 2)
        return tape.gradient(result, tensors)

    with pytest.MonkeyPatch.context() as patch:
        if called:
            patch.setattr(loop_gradient, "reversed_turns", lambda *_: None)
        return [g.numpy() for g in slopes(*map(tf.constant, inputs))]


def biased(turns: int, dtype: Any = tf.float32) -> Any:
    def loop(x: Any, bias: Any) -> Any:
        body = lambda i, v: (i + 1, tf.tanh(tf.nn.bias_add(v, bias)))  # noqa: E731
        return tf.while_loop(lambda i, v: i < turns, body, [tf.constant(0), x])[1]

    return loop


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("turns", [0, 1, 2, 7])
def test_the_gradient_of_a_bias_is_that_of_the_backward_program(turns: int, dtype: Any, taken_out: list[int]) -> None:
    inputs = [X.astype(dtype), np.array([0.5, -0.5, 0.1, 2], dtype)]
    expected = gradients(biased(turns), *inputs, called=True)
    assert not taken_out
    for ours, theirs in zip(gradients(biased(turns), *inputs), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-6)
        assert ours.dtype == dtype
    assert taken_out == ([1] if turns else taken_out)


def test_inputs_whose_shapes_differ_from_iteration_to_iteration() -> None:
    def loop(x: Any, bias: Any) -> Any:
        def body(i: Any, v: Any, total: Any) -> Any:
            part = tf.nn.bias_add(v, bias)
            return i + 1, v[1:], total + tf.reduce_sum(tf.tanh(part))

        shapes = [tf.TensorShape([]), tf.TensorShape([None, 4]), tf.TensorShape([])]
        return tf.while_loop(lambda i, *_: i < 4, body, [tf.constant(0), x, tf.constant(0.0)], shapes)[2]

    inputs = [X, np.array([0.5, -0.5, 0.1, 2], np.float32)]
    for ours, theirs in zip(gradients(loop, *inputs), gradients(loop, *inputs, called=True), strict=True):
        np.testing.assert_allclose(ours, theirs, 1e-5, 1e-6)


def test_the_derivative_of_a_gradient_is_right() -> None:
    bias = np.array([0.5, -0.5, 0.1, 0.3])

    def slope(b: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(b)
            result = tf.reduce_sum(biased(3)(tf.constant(X.astype(np.float64)), b))
        return tape.gradient(result, b)

    step = 1e-6
    with tf.GradientTape() as tape:
        b = tf.constant(bias)
        tape.watch(b)
        first = tf.function(slope)(b)
    second = tape.jacobian(first, b).numpy()
    moved = [
        (slope(tf.constant(bias + d)) - slope(tf.constant(bias - d))).numpy() / (2 * step) for d in np.eye(4) * step
    ]
    np.testing.assert_allclose(second, np.array(moved).T, 1e-4, 1e-6)


class Counting(sums_module.StepCall):
    """A sum over rows that counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, *values: Any) -> Any:
        self.calls += 1
        return values[0].sum(0)


def running(call: Counting) -> RunningSum:
    begin = sums_module.BeginSum(None, call, [])  # type: ignore[arg-type]
    return begin(np.zeros(4, np.float32))


def test_the_function_is_applied_once_and_no_input_is_written_into() -> None:
    call = Counting()
    total = running(call)
    inputs = [X * k for k in range(1, 5)]
    before = [x.copy() for x in inputs]
    for x in inputs:
        total.add(x)
    np.testing.assert_allclose(total.total(), X.sum(0) * 10, 1e-5, 1e-6)
    assert call.calls == 1
    for x, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(x, copy)


def test_the_function_is_applied_to_each_large_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "summed_elements", X.size - 1)
    call = Counting()
    total = running(call)
    for _ in range(3):
        total.add(X)
    np.testing.assert_allclose(total.total(), X.sum(0) * 3, 1e-5, 1e-6)
    assert call.calls == 3
