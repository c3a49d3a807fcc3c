"""Numbers rounded to those that few bits can hold: what holds of every range, and in every way of calling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inlay as tf

q = tf.quantization
NUMBERS = np.linspace(-4, 4, 65, dtype=np.float32)
ENDS = st.floats(0, 3, width=32)


@given(low=ENDS, high=ENDS, bits=st.integers(2, 8), narrow=st.booleans())
@settings(max_examples=30, deadline=None)
def test_steps_are_few_rise_and_hold_zero(low: float, high: float, bits: int, narrow: bool) -> None:
    rounded = q.fake_quant_with_min_max_vars(NUMBERS, -low, high, bits, narrow).numpy()
    assert len(np.unique(rounded)) <= 2**bits - narrow
    assert (np.diff(rounded) >= 0).all() and np.isfinite(rounded).all()
    assert rounded[len(NUMBERS) // 2] == 0


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
def test_ranges_of_the_input_keep_its_greatest_number(axis: Any, dtype: Any) -> None:
    values = tf.constant([[1.0, -2.0, 0.5], [0.25, 3.0, -0.5]], dtype)
    ends = tf.zeros([] if axis is None else [values.shape[axis]], dtype)
    rounded = q.quantize_and_dequantize_v2(values, ends, ends, num_bits=8, axis=axis)
    assert rounded.dtype is dtype and rounded.shape == values.shape
    np.testing.assert_allclose(rounded, values, atol=3 / 127)


@pytest.mark.parametrize("compiled", [None, True])
def test_a_function_and_a_session_round_as_eager_code(compiled: Any) -> None:
    def rounded(x: Any) -> Any:
        return q.fake_quant_with_min_max_args(x, -1.0, 1.0) + q.quantize_and_dequantize_v2(x, 0.0, 0.0, num_bits=5)

    want = rounded(tf.constant(NUMBERS)).numpy()
    np.testing.assert_allclose(tf.function(rounded, jit_compile=compiled)(tf.constant(NUMBERS)), want, atol=1e-6)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [65], name="x")
        y = rounded(x)
        assert y.shape == [65]
        assert session.run(y, {x: NUMBERS}).tolist() == want.tolist()
        saved = graph.as_graph_def()
    assert {"FakeQuantWithMinMaxArgs", "QuantizeAndDequantizeV4"} <= {node.op for node in saved.node}
    with tf.Graph().as_default() as again, tf.compat.v1.Session() as session:
        tf.import_graph_def(saved, name="")
        fetched = session.run(again.get_tensor_by_name(y.name), {"x:0": NUMBERS})
        assert fetched.tolist() == want.tolist()


def test_a_range_is_trained_with_the_numbers_that_it_rounds() -> None:
    low, high = tf.Variable([-1.0, -1.0]), tf.Variable([1.0, 1.0])
    x = tf.constant([[-2.0, 0.5], [3.0, 0.25]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        rounded = q.fake_quant_with_min_max_vars_per_channel(x, low, high)
        loss = tf.reduce_sum(rounded * [[1.0, 2.0], [3.0, 4.0]])
    dx, dlow, dhigh = tape.gradient(loss, [x, low, high])
    assert dx.numpy().tolist() == [[0.0, 2.0], [0.0, 4.0]]
    assert dlow.numpy().tolist() == [1.0, 0.0] and dhigh.numpy().tolist() == [3.0, 0.0]


def test_ends_have_the_size_of_the_last_axis() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="last axis"):
        q.fake_quant_with_min_max_vars_per_channel(tf.zeros([2, 3]), [0.0], [1.0])
