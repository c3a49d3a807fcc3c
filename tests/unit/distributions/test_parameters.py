"""Parameters and values that are refused: always by type, with `validate_args` by what they hold, eager and fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
ds = v1.distributions
REFUSED: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "scale of a normal": (lambda x: ds.Normal(0.0, x, True).mean(), -1.0, "Condition x > 0 did not hold"),
    "scale of a Laplace": (lambda x: ds.Laplace(0.0, x, True).mean(), 0.0, "Condition x > 0 did not hold"),
    "degrees of freedom": (lambda x: ds.StudentT(x, 0.0, 1.0, True).mode(), -1.0, "Condition x > 0 did not hold"),
    "rate": (lambda x: ds.Exponential(x, True).mean(), -1.0, "Condition x > 0 did not hold"),
    "concentration": (lambda x: ds.Gamma(x, 1.0, True).mean(), 0.0, "Condition x > 0 did not hold"),
    "beta": (lambda x: ds.Beta(x, 1.0, True).mean(), -2.0, "Concentration parameter must be positive"),
    "dirichlet": (lambda x: ds.Dirichlet([x, 1.0], True).mean(), -2.0, "Concentration parameter must be positive"),
    "polya": (lambda x: ds.DirichletMultinomial(1.0, [x, 1.0], True).mean(), -2.0, "must be positive"),
    "ends": (lambda x: ds.Uniform(x, 1.0, True).mean(), 2.0, "uniform not defined when low >= high"),
    "probability": (lambda x: ds.Bernoulli(probs=x, validate_args=True).mean(), 1.5, "components greater than 1"),
    "negative": (lambda x: ds.Bernoulli(probs=x, validate_args=True).mean(), -0.5, "Condition x >= 0"),
    "sum": (lambda x: ds.Categorical(probs=[x, 0.1], validate_args=True).mode(), 0.5, "probs does not sum to 1"),
    "total": (lambda x: ds.Multinomial(x, [0.1, 0.2], validate_args=True).mean(), 1.5, "fractional components"),
    "negative total": (
        lambda x: ds.Multinomial(x, [0.1, 0.2], validate_args=True).mean(),
        -1.0,
        "must be non-negative",
    ),
    "sample of a gamma": (lambda x: ds.Gamma(1.0, 1.0, True).log_prob(x), -1.0, "Condition x > 0"),
    "sample of a beta": (lambda x: ds.Beta(1.0, 1.0, True).log_prob(x), 1.5, "sample must be less than `1`"),
    "sample of a dirichlet": (lambda x: ds.Dirichlet([1.0, 1.0], True).prob([x, 0.3]), 0.3, "must sum to `1`"),
    "counts": (
        lambda x: ds.Multinomial(4.0, [0.1, 0.2], validate_args=True).prob([x, 1.0]),
        1.0,
        "counts must sum to `self.total_count`",
    ),
    "half a count": (lambda x: ds.DirichletMultinomial(2.0, [1.0, 2.0], True).prob([x, 1.5]), 0.5, "fractional"),
    "class": (
        lambda x: ds.Categorical([0.1, 0.2], validate_args=True).prob(x),
        0.5,
        "Elements must be int32-equivalent",
    ),
    "negative class": (lambda x: ds.Categorical([0.1, 0.2], validate_args=True).prob(x), -1.0, "non-negative"),
    "outcome": (lambda x: ds.Bernoulli(0.1, validate_args=True).prob(x), 2.0, "Elements must be bool-equivalent"),
    "mode of a gamma": (lambda x: ds.Gamma(x, 1.0, allow_nan_stats=False).mode(), 0.5, "mode not defined"),
    "mode of a beta": (lambda x: ds.Beta(x, 2.0, allow_nan_stats=False).mode(), 0.5, "concentration1 <= 1"),
    "mode of a dirichlet": (lambda x: ds.Dirichlet([x, 2.0], allow_nan_stats=False).mode(), 0.5, "Mode undefined"),
    "mean of a student": (lambda x: ds.StudentT(x, 0.0, 1.0, False, False).mean(), 0.5, "mean not defined"),
    "variance of a student": (lambda x: ds.StudentT(x, 0.0, 1.0, False, False).variance(), 0.5, "variance not defined"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_value_is_refused_eagerly_and_when_it_is_fed(case: str) -> None:
    use, value, says = REFUSED[case]
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        use(tf.constant(value))
    with tf.Graph().as_default(), v1.Session() as sess:
        x = v1.placeholder(tf.float32, [])
        result = use(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            sess.run(result, {x: value})


UNCHECKED: dict[str, tuple[Callable[[], Any], Any]] = {
    "negative scale": (lambda: ds.Normal(1.0, -1.0).mean(), 1.0),
    "negative rate": (lambda: ds.Exponential(-2.0).mean(), -0.5),
    "ends": (lambda: ds.Uniform(2.0, 1.0).range(), -1.0),
    "probability": (lambda: ds.Bernoulli(probs=1.5).mean(), 1.5),
    "sum": (lambda: ds.Categorical(probs=[0.5, 0.1]).prob(0), 5 / 6),
    "half a class": (lambda: ds.Categorical(probs=[0.5, 0.5]).prob(0.5), 0.5),
    "counts": (lambda: ds.Multinomial(2.0, probs=[0.5, 0.5]).prob([0.0, 1.0]), 1.0),
    "outside": (lambda: ds.Uniform(0.0, 1.0).prob(2.0), 0.0),
    "mode of a gamma": (lambda: ds.Gamma(0.5, 1.0).mode(), np.nan),
    "mode of a beta": (lambda: ds.Beta(0.5, 2.0).mode(), np.nan),
    "mode of a dirichlet": (lambda: ds.Dirichlet([0.5, 2.0]).mode(), [np.nan, np.nan]),
    "mean of a student": (lambda: ds.StudentT(0.5, 0.0, 1.0).mean(), np.nan),
    "variance of a student": (lambda: ds.StudentT([0.5, 1.5, 4.0], 0.0, 1.0).variance(), [np.nan, np.inf, 2.0]),
}


@pytest.mark.parametrize("case", UNCHECKED)
def test_nothing_is_checked_unless_it_is_asked_for(case: str) -> None:
    use, value = UNCHECKED[case]
    np.testing.assert_allclose(use(), value, rtol=1e-6)
    with tf.Graph().as_default(), v1.Session() as sess:
        np.testing.assert_allclose(sess.run(use()), value, rtol=1e-6)


TYPES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "two types": (lambda: ds.Normal(np.float64(0), np.float32(1)), ValueError, "does not match"),
    "integers": (lambda: ds.Gamma(1, 2), ValueError, "Expected floating point type"),
    "no probability": (lambda: ds.Bernoulli(), ValueError, "Must pass probs or logits, but not both"),
    "two forms": (
        lambda: ds.Categorical([1.0, 2.0], [0.5, 0.5]),
        ValueError,
        "Must pass probs or logits, but not both",
    ),
    "whole logits": (lambda: ds.Multinomial(1.0, [1, 2]), TypeError, "logits must having floating type"),
    "whole probs": (lambda: ds.Bernoulli(probs=1), TypeError, "probs must having floating type"),
    "bool class": (lambda: ds.Categorical([1.0, 2.0]).prob(tf.constant(True)), TypeError, "integer `dtype`"),
    "half floats": (lambda: ds.Normal(np.float16(0), np.float16(1)).cdf(0.5), TypeError, "is not handled"),
    "one class": (lambda: ds.Categorical([1.0], validate_args=True), ValueError, "at least 2 events"),
    "matrix": (lambda: ds.Normal(0.0, 1.0).sample([[1]]), ValueError, "neither scalar nor vector"),
    "no tensor": (
        lambda: ds.Distribution(tf.float32, ds.NOT_REPARAMETERIZED, False, True, graph_parents=[None]),
        ValueError,
        "Graph parent item 0 is not a Tensor",
    ),
}


@pytest.mark.parametrize("case", TYPES)
def test_what_cannot_be_a_distribution_is_refused_while_building(case: str) -> None:
    make, error, says = TYPES[case]
    for graph in (None, tf.Graph()):
        if graph is None:
            with pytest.raises(error, match=says):
                make()
        else:
            with graph.as_default(), pytest.raises(error, match=says):
                make()


@pytest.mark.parametrize("parameter", [{"logits": 1.0}, {"probs": 1.0}])
def test_a_scalar_has_no_classes(parameter: dict[str, float]) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rank"):
        ds.Categorical(**parameter)


def test_one_class_is_refused_when_it_is_fed() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        logits = v1.placeholder(tf.float32, None)
        mode = ds.Categorical(logits, validate_args=True).mode()
        assert sess.run(mode, {logits: [[1.0, 3.0]]}).tolist() == [1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least 2 events"):
            sess.run(mode, {logits: [[1.0]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least 1 dimension"):
            sess.run(mode, {logits: 1.0})


def test_fractions_are_no_outcomes_in_graphs_either() -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        log_prob = ds.Bernoulli(0.0, validate_args=True).log_prob(np.array([0.5, 1.0]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="bool-equivalent"):
            sess.run(log_prob)
