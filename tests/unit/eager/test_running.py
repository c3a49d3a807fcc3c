"""Ops that run at once: results, errors of kernels, tapes, NumPy's own settings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context
from inlay._src.core.eager.running import run
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import EagerTensor


def test_one_output_is_a_tensor_and_several_are_a_list() -> None:
    state = context.current()
    assert isinstance(run(OPS["Sin"], (tf.constant(1.0),), {}, state), EagerTensor)
    made = run(OPS["Unpack"], (tf.constant([1.0, 2.0]),), {"num": 2, "axis": 0}, state)
    assert isinstance(made, list) and [t.numpy() for t in made] == [1, 2]


def test_a_static_value_is_given_to_the_kernel_as_it_is() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    for axis in (0, [0], np.array(0), tf.constant(0), tf.constant([0])):
        assert tf.reduce_sum(x, axis).numpy().tolist() == [4, 6]


def test_shapes_that_do_not_go_together_are_said_as_tensorflow_says_it() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\. \[3\]") as caught:
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
    assert isinstance(caught.value.__cause__, ValueError)
    assert "[Op:AddV2]" in str(caught.value) and "float32[2], float32[3]" in str(caught.value)


def test_the_error_of_a_kernel_names_the_op_and_its_inputs() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.reshape(tf.constant([1.0, 2.0, 3.0]), [2, 2])
    assert "Reshape" in str(caught.value) and "float32[3]" in str(caught.value)


def test_an_error_of_ours_passes_as_it_is() -> None:
    v = tf.Variable(1.0)
    v.handle._value.value = None
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized") as caught:
        v.read_value()
    assert caught.value.__cause__ is None


def test_kernels_are_silent_and_the_users_settings_stay() -> None:
    with np.errstate(all="raise"):
        assert np.isinf(tf.math.log(0.0).numpy()) and np.isnan((tf.constant(0.0) / tf.constant(0.0)).numpy())
        with pytest.raises(FloatingPointError):
            np.log(np.float32(0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf((tf.constant(3e38) * 10.0).numpy())


def test_settings_are_put_back_after_a_kernel_that_failed() -> None:
    with np.errstate(divide="raise"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.constant([1.0]) + tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
        with pytest.raises(FloatingPointError):
            np.float64(1) / np.float64(0)


def test_a_call_that_succeeded_is_answered_by_the_fast_path_from_then_on() -> None:
    op = OPS["Atan"]
    op.dispatch.results.pop(tf.float64, None)
    tf.atan(tf.constant(1.0, tf.float64))
    assert op.dispatch.results[tf.float64] is tf.float64


def test_tapes_record_what_runs() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(OPS["Square"], (x,), {}, context.current())
    assert tape.gradient(y, x).numpy() == 4.0


def test_a_list_input_is_recorded_one_by_one() -> None:
    x, y = tf.constant([1.0]), tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.reduce_sum(tf.concat([x, y, x], 0) ** 2)
    assert [g.numpy().tolist() for g in tape.gradient(z, [x, y])] == [[4], [4, 6]]


@pytest.mark.parametrize("bad", [object(), {1: 2}, lambda: None, {1, 2}])
def test_what_has_no_tensor_is_refused(bad: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        tf.add(bad, 1.0)
