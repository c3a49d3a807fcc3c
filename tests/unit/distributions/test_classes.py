"""Outcomes that broadcast with logits, types of samples, distribution functions, and draws of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

import inlay as tf

v1 = tf.compat.v1
ds = v1.distributions
LOGITS = np.log(np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]]))


def test_class_numbers_broadcast_with_the_batch() -> None:
    exact = special.log_softmax(LOGITS, -1)
    d = ds.Categorical(LOGITS)
    np.testing.assert_allclose(d.log_prob(1), exact[:, 1])
    np.testing.assert_allclose(d.log_prob([0, 2]), exact[[0, 1], [0, 2]])
    np.testing.assert_allclose(d.log_prob([[0], [2]]), exact[:, [0, 2]].T)
    np.testing.assert_allclose(d.log_prob(np.array([2.0, 1.0])), exact[[0, 1], [2, 1]])
    np.testing.assert_allclose(ds.Categorical(LOGITS[0]).prob([[0, 1], [2, 2]]), [[0.2, 0.3], [0.5, 0.5]])


def test_outcomes_broadcast_with_the_batch() -> None:
    probs = np.array([[0.2], [0.7]])
    d = ds.Bernoulli(probs=probs)
    np.testing.assert_allclose(d.prob([1, 0, 1]), np.hstack([probs, 1 - probs, probs]))
    assert d.prob(1).shape == [2, 1] and d.prob([[[1]], [[0]]]).shape == [2, 2, 1]
    assert ds.Bernoulli(0.0).log_prob(np.ones([0, 3])).shape == [0, 3]


@pytest.mark.parametrize("shape", [None, [None, 3], [2, None], [None, None]])
def test_fed_logits_give_what_known_ones_give(shape: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        logits = v1.placeholder(tf.float64, shape)
        d = ds.Categorical(logits)
        results = [d.log_prob([0, 2]), d.mode(), d.entropy(), d.event_size, d.batch_shape_tensor(), d.cdf([1, 2])]
        known = ds.Categorical(LOGITS)
        exact = [known.log_prob([0, 2]), known.mode(), known.entropy(), known.event_size]
        exact += [known.batch_shape_tensor(), known.cdf([1, 2])]
        for got, want in zip(sess.run(results, {logits: LOGITS}), sess.run(exact), strict=True):
            np.testing.assert_allclose(got, want)


def test_samples_have_the_type_that_was_asked_for() -> None:
    for dtype in (tf.int32, tf.int64, tf.float32, tf.float64, tf.uint8):
        assert ds.Categorical([0.0, 1.0], dtype=dtype).sample(3).dtype is dtype
        assert ds.Bernoulli(0.5, dtype=dtype).sample(3).dtype is dtype
        assert ds.Bernoulli(0.5, dtype=dtype).mode().dtype is dtype
    assert ds.Bernoulli(0.5, dtype=tf.bool).sample().dtype is tf.bool
    assert ds.Categorical(np.array([0.0, 1.0], np.float16)).log_prob(1).dtype is tf.float16


def test_the_distribution_function_of_classes_leaves_the_class_out() -> None:
    d = ds.Categorical(LOGITS)
    np.testing.assert_allclose(d.cdf([[0, 0], [1, 1], [2, 2], [3, 3]]).numpy()[:, 0], [0.0, 0.2, 0.5, 1.0], atol=1e-12)
    np.testing.assert_allclose(d.survival_function(2), [0.5, 0.1])


def test_shares_of_draws_are_the_probabilities() -> None:
    drawn = ds.Categorical(LOGITS).sample(8000, seed=2).numpy()
    shares = np.stack([np.bincount(column, minlength=3) for column in drawn.T]) / 8000
    np.testing.assert_allclose(shares, np.exp(LOGITS), atol=0.025)
    heads = ds.Bernoulli(probs=[0.0, 0.25, 1.0]).sample(8000, seed=2).numpy().mean(0)
    np.testing.assert_allclose(heads, [0.0, 0.25, 1.0], atol=0.025)


def test_numbers_of_draws_may_differ_in_a_batch() -> None:
    d = ds.Multinomial(np.array([1.0, 5.0]), LOGITS[0])
    drawn = d.sample([3, 2])
    assert drawn.shape == [3, 2, 2, 3]
    np.testing.assert_array_equal(tf.reduce_sum(drawn, -1), np.broadcast_to([1.0, 5.0], [3, 2, 2]))


def test_the_score_of_a_policy_is_the_difference_from_its_probabilities() -> None:
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        score = ds.Categorical(logits).log_prob([0, 2])
    exact = np.eye(3)[[0, 2]] - np.exp(LOGITS)
    np.testing.assert_allclose(tape.gradient(score, logits), exact, atol=1e-12)


def test_parameters_tell_their_shapes_for_a_sample() -> None:
    for family, names in (
        (ds.Normal, {"loc", "scale"}),
        (ds.StudentT, {"df", "loc", "scale"}),
        (ds.Exponential, {"rate"}),
    ):
        shapes = family.param_static_shapes(tf.TensorShape([4, 2]))
        assert set(shapes) == names and all(shape == [4, 2] for shape in shapes.values())
        assert {name: sizes.numpy().tolist() for name, sizes in family.param_shapes([3]).items()} == dict.fromkeys(
            names, [3]
        )
    with pytest.raises(ValueError, match="must be fully defined"):
        ds.Normal.param_static_shapes(tf.TensorShape([None]))
    with tf.Graph().as_default(), pytest.raises(ValueError, match="fully-defined"):
        ds.Normal.param_static_shapes(v1.placeholder(tf.int32, [1]))


def test_batches_and_events_without_axes_are_told() -> None:
    assert bool(ds.Normal(0.0, 1.0).is_scalar_batch()) and bool(ds.Normal(0.0, 1.0).is_scalar_event())
    assert not bool(ds.Normal([0.0], 1.0).is_scalar_batch()) and not bool(ds.Dirichlet([1.0, 1.0]).is_scalar_event())
    with tf.Graph().as_default(), v1.Session() as sess:
        loc = v1.placeholder(tf.float32, None)
        told = ds.Normal(loc, 1.0).is_scalar_batch()
        assert sess.run(told, {loc: 1.0}) and not sess.run(told, {loc: [1.0]})
