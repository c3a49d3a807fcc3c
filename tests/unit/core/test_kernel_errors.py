"""Kernels that fail on inputs they are not made for: the op's own checks say what does not fit."""

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.opdef import OPS, explained


def _run(body, *arrays):
    """The body on arrays whose shapes are not known while its function is traced."""
    specs = [tf.TensorSpec(None, a.dtype) for a in arrays]
    return tf.function(body, input_signature=specs)(*arrays)


def test_a_rank_that_an_op_declares_is_named_at_run_time():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x must be rank 1 but is rank 2, got shape \[1, 4\]"):
        _run(tf.math.invert_permutation, np.array([[1, 2, 0, 3]]))


def test_an_axis_that_the_inference_refuses_is_named_at_run_time():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"in the range \[-3, 3\), but got -4") as raised:
        _run(lambda x: tf.concat([x, x], -4), np.ones([2, 2, 2]))
    assert type(raised.value.__cause__) is ValueError
    assert isinstance(raised.value.__cause__.__cause__, np.exceptions.AxisError)


def test_an_error_that_a_kernel_raises_itself_stays():
    error = ValueError("as it is")
    assert explained(OPS["ConcatV2"], error, [np.ones(2)], {"axis": 7}) is error


def test_an_error_that_no_check_explains_stays():
    error = KeyError("place")
    assert explained(OPS["Neg"], error, [np.ones(2)], {}) is error


def test_an_axis_out_of_bounds_is_a_check_of_numpys():
    error = np.exceptions.AxisError(4, 2)
    found = explained(OPS["Neg"], error, [np.ones(2)], {})
    assert type(found) is ValueError and found.__cause__ is error
    assert str(found) == "axis 4 is out of bounds for array of dimension 2"
