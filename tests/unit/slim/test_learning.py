from __future__ import annotations

import numpy as np
import pytest

import inlay.compat.v1 as tf

slim = tf.contrib.slim


def test_a_train_op_runs_updates_before_the_loss_and_changes_gradients_as_told():
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = (tf.get_variable(name, initializer=tf.constant([3.0, 4.0])) for name in "vw")
        seen = tf.get_variable("seen", initializer=0.0, trainable=False)
        tf.add_to_collection("update_ops", tf.assign_add(seen, 1.0).op)
        loss = tf.reduce_sum(v * v) + tf.reduce_sum(w)
        made = slim.learning.create_train_op(
            loss, tf.train.GradientDescentOptimizer(1.0), clip_gradient_norm=1.0, gradient_multipliers={"w": 0.5}
        )
        session.run(tf.global_variables_initializer())
        assert session.run(made) == 32.0
        np.testing.assert_allclose(session.run(v), [3 - 0.6, 4 - 0.8], rtol=1e-6)  # its gradient was cut to length 1
        np.testing.assert_allclose(session.run(w), [2.5, 3.5], rtol=1e-6)
        assert session.run([seen, tf.train.get_global_step()]) == [1.0, 1]
        assert tf.get_collection("train_op")[-1] is made


def test_a_loss_that_is_no_number_is_an_error():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=0.0)
        made = slim.learning.create_train_op(tf.log(v), tf.train.GradientDescentOptimizer(1.0))
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
            session.run(made)


@pytest.mark.parametrize(("pairs", "factors", "match"), [((), {"v": 1.0}, "list"), ([], {}, "empty"), ([], 3, "dict")])
def test_senseless_multipliers_are_refused(pairs, factors, match):
    with pytest.raises(ValueError, match=match):
        slim.learning.multiply_gradients(pairs, factors)
