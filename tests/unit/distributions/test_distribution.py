"""What all distributions share: shapes of samples, what follows from what, scopes, and every way to run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
ds = v1.distributions
EVERY: dict[str, Any] = {
    "bernoulli": lambda: ds.Bernoulli([0.5, 1.0]),
    "beta": lambda: ds.Beta([0.5, 1.0], 2.0),
    "categorical": lambda: ds.Categorical([[0.5, 1.0, 2.0], [1.0, 1.0, 1.0]]),
    "dirichlet": lambda: ds.Dirichlet([[0.5, 1.0, 2.0], [1.0, 1.0, 1.0]]),
    "dirichlet multinomial": lambda: ds.DirichletMultinomial(3.0, [[0.5, 1.0, 2.0], [1.0, 1.0, 1.0]]),
    "exponential": lambda: ds.Exponential([0.5, 1.0]),
    "gamma": lambda: ds.Gamma([0.5, 1.0], 1.0),
    "laplace": lambda: ds.Laplace([0.5, 1.0], 1.0),
    "multinomial": lambda: ds.Multinomial([3.0, 3.0], probs=[[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]),
    "normal": lambda: ds.Normal([0.5, 1.0], 1.0),
    "student": lambda: ds.StudentT([0.5, 1.0], 0.0, 1.0),
    "uniform": lambda: ds.Uniform([0.5, 1.0], 3.0),
}
VECTORS = {"dirichlet", "dirichlet multinomial", "multinomial"}


@pytest.mark.parametrize("name", EVERY)
def test_samples_have_the_shape_of_the_draws_the_batch_and_the_event(name: str) -> None:
    event = [3] if name in VECTORS else []
    d = EVERY[name]()
    assert d.batch_shape == [2] and d.event_shape == event
    for shape, sizes in (((), []), (4, [4]), ([2, 3], [2, 3]), (tf.TensorShape([5]), [5]), (tf.constant(2), [2])):
        drawn = d.sample(shape)
        assert drawn.shape == [*sizes, 2, *event] and drawn.dtype is d.dtype
        assert d.log_prob(drawn).shape == [*sizes, 2]
    assert d.sample(0).shape == [0, 2, *event]


@pytest.mark.parametrize("name", EVERY)
def test_functions_sessions_and_eager_code_agree(name: str) -> None:
    value = np.asarray(EVERY[name]().sample(3, seed=1))
    eager = EVERY[name]().log_prob(value)
    np.testing.assert_array_equal(tf.function(lambda x: EVERY[name]().log_prob(x))(value), eager)
    with tf.Graph().as_default(), v1.Session() as sess:
        d = EVERY[name]()
        x = v1.placeholder(d.dtype, value.shape)
        np.testing.assert_allclose(sess.run(d.log_prob(x), {x: value}), eager, rtol=1e-6)
        v1.set_random_seed(3)
        drawn = d.sample(3, seed=1)
        first, second = sess.run(drawn), sess.run(drawn)
        assert first.shape == value.shape and (first.size == 0 or second.shape == first.shape)
    with tf.Graph().as_default(), v1.Session() as sess:
        v1.set_random_seed(3)
        np.testing.assert_array_equal(sess.run(EVERY[name]().sample(3, seed=1)), first)


@pytest.mark.parametrize("name", EVERY)
def test_a_copy_has_the_arguments_but_those_that_are_given(name: str) -> None:
    d = EVERY[name]()
    other = d.copy(validate_args=True, name="other")
    assert type(other) is type(d) and other.validate_args and not d.validate_args
    assert other.name == "other/" and other.batch_shape == d.batch_shape
    assert set(d.parameters) == set(other.parameters) and "self" not in d.parameters


def test_a_name_is_a_scope_that_is_entered_again() -> None:
    with tf.Graph().as_default():
        with tf.name_scope("agent"):
            one, two = ds.Normal(0.0, 1.0), ds.Normal(0.0, 1.0)
        assert (one.name, two.name) == ("agent/Normal/", "agent/Normal_1/")
        assert one.mean().name.startswith("agent/Normal/mean/")
        assert one.mean(name="center").name.startswith("agent/Normal/center/")
        assert two.kl_divergence(one).name.startswith("agent/Normal_1/kl_divergence/KullbackLeibler/kl_normal_normal/")


def test_densities_follow_from_one_another() -> None:
    class ByLogarithm(ds.Distribution):
        def __init__(self) -> None:
            super().__init__(tf.float32, ds.NOT_REPARAMETERIZED, False, True)

        def _log_prob(self, x: Any) -> Any:
            return -x

        def _log_cdf(self, x: Any) -> Any:
            return -2.0 * x

        def _stddev(self) -> Any:
            return tf.constant(3.0)

    d = ByLogarithm()
    np.testing.assert_allclose(d.prob(1.0), np.exp(-1), rtol=1e-6)
    np.testing.assert_allclose(d.cdf(1.0), np.exp(-2), rtol=1e-6)
    np.testing.assert_allclose(d.survival_function(1.0), 1 - np.exp(-2), rtol=1e-6)
    np.testing.assert_allclose(d.log_survival_function(1.0), np.log1p(-np.exp(-2)), rtol=1e-6)
    assert float(d.variance()) == 9.0
    for method in ("mean", "mode", "entropy", "covariance", "sample", "batch_shape_tensor", "event_shape_tensor"):
        with pytest.raises(NotImplementedError, match="is not implemented: ByLogarithm"):
            getattr(d, method)()
    assert d.batch_shape.rank is None and d.event_shape.rank is None
    assert str(d) == 'tfp.distributions.ByLogarithm("ByLogarithm/", dtype=float32)'


def test_an_error_within_a_density_is_no_missing_density() -> None:
    class Broken(ds.Normal):
        def _log_prob(self, x: Any) -> Any:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Broken(0.0, 1.0).prob(0.0)


def test_samples_in_loops_differ_and_train() -> None:
    variable = tf.Variable(4.0)
    drawn: list[float] = []

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            x = ds.Normal(variable, 0.1).sample(8)
            loss = tf.reduce_mean(x * x)
        variable.assign_sub(0.2 * tape.gradient(loss, variable))
        return x[0]

    for _ in range(20):
        drawn.append(float(step()))
    assert len(set(drawn)) == 20 and abs(float(variable)) < 0.3


def test_a_distribution_in_a_dataset_draws_anew_for_each_element() -> None:
    elements = tf.data.Dataset.range(6).map(lambda i: ds.Normal(tf.cast(i, tf.float32) * 100, 1.0).sample())
    drawn = np.array([float(x) for x in elements])
    np.testing.assert_allclose(drawn, np.arange(6) * 100, atol=6)
    assert np.unique(drawn - np.arange(6) * 100).size == 6


def test_a_saved_function_draws_and_differentiates(tmp_path: Path) -> None:
    class Policy(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None], tf.int32)])
        def log_prob(self, logits: Any, actions: Any) -> Any:
            return ds.Categorical(logits).log_prob(actions) + ds.Normal(logits[:, 0], 1.0).log_cdf(0.5)

    policy = Policy()
    logits, actions = np.array([[0.5, 1.0, 2.0], [3.0, 0.0, 1.0]], np.float32), np.array([0, 2], np.int32)
    expected = policy.log_prob(logits, actions)
    tf.saved_model.save(policy, str(tmp_path / "policy"))
    loaded = tf.saved_model.load(str(tmp_path / "policy"))
    np.testing.assert_allclose(loaded.log_prob(tf.constant(logits), tf.constant(actions)), expected, rtol=1e-6)


def test_graphs_of_distributions_are_read_again() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2, 3], name="x")
        tf.identity(ds.Dirichlet(tf.exp(x)).entropy() + ds.StudentT(2.0, x[:, 0], 1.0).log_prob(1.0), name="y")
        message = graph.as_graph_def()
        with v1.Session() as sess:
            first = sess.run("y:0", {"x:0": np.ones([2, 3])})
    with tf.Graph().as_default(), v1.Session() as sess:
        tf.import_graph_def(message, name="")
        np.testing.assert_allclose(sess.run("y:0", {"x:0": np.ones([2, 3])}), first, rtol=1e-6)
