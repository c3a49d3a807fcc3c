"""Accumulators of gradients. The figures are TensorFlow 2.21's."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import inlay as tf
from inlay._src.tf1.queues.accumulator_state import AccumulatorSpec, AccumulatorState

v1 = tf.compat.v1


def test_the_mean_or_the_sum_is_taken_once_and_the_step_goes_on():
    with tf.Graph().as_default(), v1.Session() as session:
        for reduction, wanted in (("MEAN", [2.0]), ("SUM", [6.0])):
            accumulator = v1.ConditionalAccumulator(tf.float32, shape=[1], reduction_type=reduction)
            applied = [accumulator.apply_grad((float(x),), local_step=x) for x in (1, 2, 3)]
            taken, count = accumulator.take_grad(3), accumulator.num_accumulated()
            for operation in applied:
                session.run(operation)
            assert session.run(count) == 3 and session.run(taken).tolist() == wanted and session.run(count) == 0
            session.run(accumulator.set_global_step(3))
            session.run(applied[:2])  # of steps that are past
            assert session.run(count) == 0
            with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
                session.run(accumulator.take_grad(-1))
        with pytest.raises(ValueError, match="reduction_type"):
            v1.ConditionalAccumulator(tf.float32, reduction_type="MAX")


def test_taking_waits_for_other_runs_and_ends_with_the_session():
    with tf.Graph().as_default():
        accumulator = v1.ConditionalAccumulator(tf.float32, shape=[1])
        applied, taken = accumulator.apply_grad((4.0,)), accumulator.take_grad(2)
        session = v1.Session()
        results: list[object] = []

        def take() -> None:
            try:
                results.append(session.run(taken).tolist())
            except tf.errors.CancelledError as error:
                results.append(type(error).__name__)

        for _ in range(2):
            thread = threading.Thread(target=take)
            thread.start()
            if not results:
                session.run(applied)
                session.run(applied)
                thread.join(30)
            else:
                session.close()
                thread.join(30)
        assert results == [[4.0], "CancelledError"]


def test_slices_have_the_mean_over_the_gradients_that_have_them():
    with tf.Graph().as_default(), v1.Session() as session:
        accumulator = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2])
        session.run(accumulator.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]]))
        slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0], tf.int64))
        session.run(accumulator.apply_indexed_slices_grad(slices))
        values, indices, shape = session.run(accumulator.take_indexed_slices_grad(2))
        assert (values.tolist(), indices.tolist(), shape.tolist()) == ([[1.0, 1.5], [3.0, 4.0]], [0, 2], [3, 2])
        for given, told in (
            (dict(grad_indices=[[0]], grad_values=[1.0]), "should be vector"),
            (dict(grad_indices=[0], grad_values=1.0), "0-dimensional"),
            (dict(grad_indices=[0, 1], grad_values=[[1.0, 1.0]]), "non-empty input values, got 1"),
            (dict(grad_indices=[3], grad_values=[[1.0, 1.0]]), "index is 3 exceeded 3"),
            (dict(grad_indices=[0], grad_values=np.ones([1, 3])), "values dim 1 to be 2, got 3"),
            (dict(grad_indices=[0], grad_values=[[1.0, 1.0]], grad_shape=[3]), "rank at least 2, got 1"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=told):
                session.run(accumulator.apply_grad(**given))


def test_an_accumulator_made_while_executing_eagerly_is_one_of_the_process():
    accumulator = v1.ConditionalAccumulator(tf.float64)
    accumulator.apply_grad([1.0, 2.0])
    accumulator.apply_grad([3.0, 4.0])
    assert int(accumulator.num_accumulated()) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
        accumulator.apply_grad([1.0])
    assert accumulator.take_grad(2).numpy().tolist() == [2.0, 3.0]


def test_slices_of_no_rows_keep_their_inner_shape():
    state = AccumulatorState(AccumulatorSpec(True, tf.float32, (None, 2), True), "a")
    state.apply_slices(0, np.zeros([0], np.int64), np.zeros([0, 2], np.float32), None)
    assert state.take(1).result(0)[1].shape == (0, 2)


def test_what_fails_while_it_is_taken_ends_its_own_future_and_leaves_the_sum(monkeypatch: pytest.MonkeyPatch):
    state = AccumulatorState(AccumulatorSpec(False, tf.float32, (), True), "a")
    waiting = state.take(1)
    with monkeypatch.context() as patch:
        patch.setattr(AccumulatorState, "_result", lambda self: (_ for _ in ()).throw(MemoryError("no room")))
        state.apply(0, np.float32(3))
    with pytest.raises(MemoryError, match="no room"):
        waiting.result(0)
    assert state.take(1).result(0) == 3


def test_ctrl_c_between_taking_and_telling_loses_no_gradient(monkeypatch: pytest.MonkeyPatch):
    state = AccumulatorState(AccumulatorSpec(False, tf.float32, (), True), "a")
    waiting, taken = state.take(1), AccumulatorState._taken

    def interrupted(self: AccumulatorState):
        found = taken(self)
        signal.raise_signal(signal.SIGINT)
        return found

    monkeypatch.setattr(AccumulatorState, "_taken", interrupted)
    with pytest.raises(KeyboardInterrupt):
        state.apply(0, np.float32(3))
    assert waiting.result(0) == 3
