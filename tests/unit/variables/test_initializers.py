"""Initializers: shapes, types, spread, seeds."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
SHAPE = [300, 200]
SPREAD = {
    "RandomNormal": 0.05,
    "TruncatedNormal": 0.05 * 0.8796,
    "RandomUniform": 0.1 / np.sqrt(12),
    "GlorotNormal": np.sqrt(2 / 500),
    "GlorotUniform": np.sqrt(2 / 500),
    "HeNormal": np.sqrt(2 / 300),
    "HeUniform": np.sqrt(2 / 300),
    "LecunNormal": np.sqrt(1 / 300),
    "LecunUniform": np.sqrt(1 / 300),
    "VarianceScaling": np.sqrt(1 / 300),
}


@pytest.mark.parametrize("name", SPREAD)
def test_random_ones_have_their_spread(name):
    got = getattr(tf.initializers, name)(seed=1)(SHAPE, dtype=tf.float64)
    assert got.dtype is tf.float64 and got.shape.as_list() == SHAPE
    assert abs(np.std(got) / SPREAD[name] - 1) < 0.02 and abs(np.mean(got)) < 3 * SPREAD[name] / 200


def test_the_defaults_of_the_first_generation_differ():
    assert abs(np.std(v1.random_normal_initializer(seed=1)(SHAPE)) - 1) < 0.02
    assert abs(np.std(v1.truncated_normal_initializer(seed=1)(SHAPE)) - 0.88) < 0.02
    uniform = v1.random_uniform_initializer(seed=1)(SHAPE).numpy()
    assert 0 <= uniform.min() < 0.01 and 0.99 < uniform.max() < 1


def test_uniform_integers():
    got = v1.random_uniform_initializer(2, 5, dtype=tf.int32)([1000])
    assert sorted(set(got.numpy().tolist())) == [2, 3, 4]


def test_constants():
    assert tf.zeros_initializer()([2], tf.int32).numpy().tolist() == [0, 0]
    assert tf.ones_initializer()([2], tf.bool).numpy().tolist() == [True, True]
    assert tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.constant_initializer(3)([2], dtype=tf.float32).numpy().tolist() == [3, 3]
    with pytest.raises(TypeError, match="Invalid type for initial value"):
        tf.constant_initializer(object())


def test_identity_and_orthogonal():
    np.testing.assert_array_equal(tf.initializers.Identity(2.0)([2, 3]), [[2, 0, 0], [0, 2, 0]])
    for shape in ([6, 4], [4, 6], [2, 3, 4]):
        q = tf.initializers.Orthogonal(gain=3.0)(shape).numpy().reshape(-1, shape[-1])
        product = q.T @ q if q.shape[0] >= q.shape[1] else q @ q.T
        np.testing.assert_allclose(product, 9 * np.eye(len(product)), atol=1e-4)
    with pytest.raises(ValueError, match="two-dimensional"):
        tf.initializers.Identity()([2])
    with pytest.raises(ValueError, match="at least two-dimensional"):
        tf.initializers.Orthogonal()([2])


@pytest.mark.parametrize("name", [*SPREAD, "Orthogonal"])
def test_seeds_repeat_in_every_session(name):
    with tf.Graph().as_default():
        v = tf.get_variable("v", [4, 4], initializer=getattr(tf.initializers, name)(seed=7))
        w = tf.get_variable("w", [4, 4], initializer=getattr(tf.initializers, name)(seed=8))
        got = []
        for _ in range(2):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                got.append(session.run([v, w]))
    np.testing.assert_array_equal(got[0][0], got[1][0])
    assert not np.array_equal(got[0][0], got[0][1])


def test_without_seeds_every_session_draws_anew():
    with tf.Graph().as_default():
        v = tf.get_variable("v", [4, 4])
        got = []
        for _ in range(2):
            with tf.Session() as session:
                session.run(v.initializer)
                got.append(session.run(v))
    assert not np.array_equal(*got)


def test_configurations_round_trip():
    for made in (
        tf.initializers.HeNormal(seed=3),
        tf.initializers.VarianceScaling(2.0, "fan_out", "uniform", 4),
        tf.initializers.Constant([1, 2]),
        v1.random_uniform_initializer(1.0, 2.0),
        tf.initializers.Orthogonal(2.0),
        tf.initializers.Zeros(),
    ):
        again = type(made).from_config(made.get_config())
        assert type(again) is type(made) and again.get_config() == made.get_config()


@pytest.mark.parametrize(
    "arguments, match", [((-1.0,), "positive"), ((1.0, "fan"), "mode"), ((1.0, "fan_in", "odd"), "distribution")]
)
def test_senseless_scaling_is_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        tf.initializers.VarianceScaling(*arguments)


def test_integers_are_not_random_normal():
    with pytest.raises(ValueError, match="floating"):
        tf.initializers.RandomNormal()([2], tf.int32)


def test_initializers_of_contrib_scale_by_inputs_and_outputs():
    layers = tf.contrib.layers
    uniform = layers.xavier_initializer(seed=1)([40, 50]).numpy()
    assert 0.95 < abs(uniform).max() / np.sqrt(3 / 45) < 1
    normal = layers.variance_scaling_initializer(seed=1)([200, 100]).numpy()
    assert 0.95 < normal.std() / (np.sqrt(1.3 * 2 / 200) * 0.87962566) < 1.05
    with pytest.raises(TypeError, match="FAN_IN"):
        layers.variance_scaling_initializer(mode="fan_in")
