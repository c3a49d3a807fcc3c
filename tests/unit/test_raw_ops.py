"""Raw ops are the ops of messages, called: see tests/golden/expressions/raw.py for their values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def test_a_raw_op_is_differentiated_and_named() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Mul(x=x, y=x)
    assert tape.gradient(y, x).numpy().tolist() == [2, 4]
    with tf.Graph().as_default():
        y = tf.raw_ops.Mul(x=tf.compat.v1.placeholder(tf.float32), y=2.0, name="doubled")
        assert (y.op.name, y.op.type) == ("doubled", "Mul")


def test_outputs_have_the_names_of_their_declaration() -> None:
    unique = tf.raw_ops.Unique(x=[3, 3, 4])
    assert type(unique).__name__ == "Unique" and unique._fields == ("y", "idx")


def test_names_are_those_of_ops_that_are_read() -> None:
    names = dir(tf.raw_ops)
    assert {"Add", "MatMul", "Unique"} <= set(names) and "Nope" not in names
    assert not any(name for name in names if not callable(getattr(tf.raw_ops, name)))
    with pytest.raises(AttributeError, match="no op of that name is known"):
        tf.raw_ops.Nope  # noqa: B018


def test_an_op_may_have_a_name_that_its_module_imports() -> None:
    x = tf.constant([[True, False], [False, False]])
    assert tf.raw_ops.Any(input=x, axis=1).numpy().tolist() == [True, False]  # as in TensorFlow 2.21
    assert tf.raw_ops.Any is tf.raw_ops.Any


def test_functions_of_a_library_are_refused_in_words() -> None:
    with pytest.raises(ValueError, match="raw ops take no functions"):
        tf.raw_ops.PartitionedCall(args=[1.0], Tout=[tf.float32], f="absent")


def test_the_gradient_of_a_mirrored_margin_refuses_paddings_whose_sum_overflows() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit axis 0"):  # it filled the memory
        tf.raw_ops.MirrorPadGrad(input=[1], paddings=[[0x77F00000, 0x0A000000]], mode="REFLECT")


def test_a_handle_has_a_state_of_its_own() -> None:
    handle = tf.raw_ops.VarHandleOp(shape=[2], dtype=tf.float32)
    text = '<ResourceHandle(name="", device="/job:localhost/replica:0/task:0/device:CPU:0", container="localhost", '
    assert f"{handle}".startswith(text) and str(handle).startswith(f"tf.Tensor({text}")
    assert repr(handle).startswith(f"<tf.Tensor: shape=(), dtype=resource, value={text}")
    assert not bool(tf.raw_ops.VarIsInitializedOp(resource=handle))
    tf.raw_ops.AssignVariableOp(resource=handle, value=tf.constant([1.0, 2.0]))
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32).numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.raw_ops.SparseFillEmptyRowsGrad(reverse_index_map=[2, 1], grad_values=[[0, 1], [2, 3]]),
        lambda: tf.raw_ops.MatMul(a=[[1.0]], b=[1.0]),
        lambda: tf.raw_ops.Concat(concat_dim=5, values=[[1], [2]]),
    ],
)
def test_inputs_that_do_not_fit_are_refused_as_tensorflow_refuses_them(call: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        call()


@pytest.mark.parametrize(("name", "first"), [("Max", 3.0), ("Min", 1.0), ("Prod", 3.0), ("Sum", 4.0)])
def test_segments_of_a_number_are_reduced(name: str, first: float) -> None:
    reduced = getattr(tf.raw_ops, f"Segment{name}V2")(data=[1.0, 3.0, 5.0], segment_ids=[0, 0, 2], num_segments=3)
    want = getattr(tf.raw_ops, f"UnsortedSegment{name}")(data=[1.0, 3.0, 5.0], segment_ids=[0, 0, 2], num_segments=3)
    assert reduced.numpy()[0] == first
    assert reduced.numpy().tolist() == want.numpy().tolist()


@pytest.mark.parametrize("name", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
def test_a_batch_is_normalized_by_its_own_statistics_while_training(name: str) -> None:
    x = tf.reshape(tf.range(12.0), [1, 2, 3, 2]) ** 2
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = getattr(tf.raw_ops, name)(
            x=x, scale=[1.0, 2.0], offset=[0.0, 1.0], mean=[], variance=[], epsilon=0.01, is_training=True
        )
        loss = tf.reduce_sum(outputs[0] ** 3)
    # Recorded from TensorFlow 2.21.
    np.testing.assert_allclose(outputs[0][0, 1, 2], [1.7798183, 4.476758], rtol=1e-5)
    np.testing.assert_allclose(outputs[1], [36.666668, 47.666668], rtol=1e-5)
    np.testing.assert_allclose(outputs[2], [1519.4667, 2135.4666], rtol=1e-5)
    np.testing.assert_allclose(outputs[4], [1266.2222, 1779.5553], rtol=1e-5)
    np.testing.assert_allclose(tf.reduce_sum(tf.abs(tape.gradient(loss, x))), 2.929009, rtol=1e-3)


def test_moving_moments_are_an_average_of_those_so_far_and_those_of_the_batch() -> None:
    x = tf.reshape(tf.range(12.0), [1, 2, 3, 2])
    _, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
        x=x, scale=[1.0, 2.0], offset=[0.0, 1.0], mean=[1.0, 2.0], variance=[3.0, 4.0], exponential_avg_factor=0.25
    )
    np.testing.assert_allclose(mean, [2.0, 3.0])  # recorded from TensorFlow 2.21
    np.testing.assert_allclose(variance, [5.75, 6.5])
