from __future__ import annotations

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
layers = v1.layers


def test_layers_work_eagerly_and_keep_their_weights():
    layer = layers.Dense(2, activation="relu", kernel_initializer="ones")
    x = np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(layer(x).numpy(), np.full((3, 2), 4.0))
    layer.kernel.assign(layer.kernel * 2)
    np.testing.assert_array_equal(layer(x).numpy(), np.full((3, 2), 8.0))
    assert layer.count_params() == 10
    assert [w.shape for w in layer.get_weights()] == [(4, 2), (2,)]


def test_tapes_reach_the_weights_of_layers():
    layer = layers.Dense(1, kernel_initializer="ones")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant([[2.0, 3.0]])))
    np.testing.assert_array_equal(tape.gradient(loss, layer.kernel).numpy(), [[2.0], [3.0]])


def test_dropout_drops_about_as_much_as_it_is_told():
    with tf.Graph().as_default(), v1.Session() as session:
        dropped = session.run(layers.dropout(tf.ones([1000]), 0.3, seed=3, training=True))
    assert set(np.unique(dropped)) == {0.0, np.float32(1 / 0.7)}
    assert 0.2 < np.mean(dropped == 0) < 0.4


@pytest.mark.parametrize("given", [{"renorm": True}, {"virtual_batch_size": 2}, {"adjustment": len}])
def test_what_batch_normalization_cannot_do_is_refused_by_name(given):
    with pytest.raises(NotImplementedError, match=next(iter(given))):
        layers.BatchNormalization(**given)


def test_names_stand_for_functions_and_others_are_refused():
    with pytest.raises(ValueError, match="known are"):
        layers.Dense(2, activation="rleu")
    with pytest.raises(ValueError, match="known are"):
        layers.Dense(2, kernel_initializer="glorot")
    with pytest.raises(TypeError, match="function of the variable"):
        layers.Dense(2, kernel_regularizer="l2")
    with pytest.raises(TypeError, match="groups"):
        layers.Conv2D(2, 2, groups=2)


def test_a_default_that_may_be_fed_is_no_known_condition():
    with tf.Graph().as_default(), v1.Session() as session:
        training = v1.placeholder_with_default(False, [])
        assert tf.get_static_value(training) is None
        made = tf.contrib.framework.smart_cond(training, lambda: tf.constant(1), lambda: tf.constant(2))
        assert [session.run(made), session.run(made, {training: True})] == [2, 1]


def test_variables_of_models_are_restored_where_checkpoints_have_them(tmp_path):
    framework = tf.contrib.framework
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = framework.model_variable("a", [2]), framework.model_variable("b", [2])
        framework.assign_from_values_fn({"a": np.array([1.0, 2.0])})(session)
        path = v1.train.Saver([a]).save(session, str(tmp_path / "model"))
        session.run(tf.compat.v1.assign(a, [0.0, 0.0]))
        framework.assign_from_checkpoint_fn(path, [a, b], ignore_missing_vars=True)(session)
        np.testing.assert_array_equal(session.run(a), [1.0, 2.0])
        with pytest.raises(ValueError, match=r"missing variable \[b\]"):
            framework.assign_from_checkpoint(path, [a, b])
        assign, feeds = framework.assign_from_checkpoint(path, {"a": b})
        session.run(assign, feeds)
        np.testing.assert_array_equal(session.run(b), [1.0, 2.0])
