"""The registry of divergences: the closest pair of base classes, refusals, and NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
ds = v1.distributions


def test_the_closest_pair_of_classes_is_taken() -> None:
    class One(ds.Normal):
        pass

    class Two(One):
        pass

    class Other(ds.Normal):
        pass

    @ds.RegisterKL(One, One)
    def one_one(a: Any, b: Any, name: str | None = None) -> str:
        return f"one-one {name}"

    @ds.RegisterKL(One, ds.Normal)
    def one_normal(a: Any, b: Any, name: str | None = None) -> str:
        return "one-normal"

    one, two, other, normal = One(0.0, 1.0), Two(0.0, 1.0), Other(0.0, 1.0), ds.Normal(1.0, 1.0)
    assert ds.kl_divergence(two, one, name="it") == ds.kl_divergence(two, two, name="it") == "one-one it"
    assert ds.kl_divergence(one, other) == ds.kl_divergence(two, normal) == "one-normal"
    np.testing.assert_allclose(ds.kl_divergence(other, two), 0.0)
    np.testing.assert_allclose(normal.kl_divergence(other), 0.5)
    assert one_one(None, None) == "one-one None"


def test_what_is_registered_is_a_function_once() -> None:
    class Mine(ds.Normal):
        pass

    with pytest.raises(TypeError, match="kl_fn must be callable, received: 3"):
        ds.RegisterKL(Mine, Mine)(3)
    ds.RegisterKL(Mine, Mine)(lambda a, b, name=None: 0)
    with pytest.raises(ValueError, match=r"KL\(Mine \|\| Mine\) has already been registered to: <function"):
        ds.RegisterKL(Mine, Mine)(lambda a, b, name=None: 1)


def test_an_unknown_pair_is_refused_by_its_classes() -> None:
    says = "No KL.* registered for distribution_a type Normal and distribution_b type Gamma"
    with pytest.raises(NotImplementedError, match=says):
        ds.kl_divergence(ds.Normal(0.0, 1.0), ds.Gamma(1.0, 1.0))


def test_nan_is_refused_where_statistics_may_not_be_nan() -> None:
    class Undefined(ds.Normal):
        pass

    @ds.RegisterKL(Undefined, Undefined)
    def undefined(a: Any, b: Any, name: str | None = None) -> Any:
        return tf.constant([1.0, float("nan")]) * a.loc

    free, strict = Undefined(1.0, 1.0), Undefined(1.0, 1.0, allow_nan_stats=False)
    assert np.isnan(free.kl_divergence(free)).tolist() == [False, True]
    assert np.isnan(free.cross_entropy(free)).tolist() == [False, True]
    for compute in (lambda: strict.kl_divergence(free), lambda: strict.cross_entropy(free)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="KL calculation between .* and .* returned NaN"):
            compute()
    with tf.Graph().as_default(), v1.Session() as sess:
        strict = Undefined(v1.placeholder_with_default(1.0, []), 1.0, allow_nan_stats=False)
        divergence = strict.kl_divergence(strict)
        assert divergence.name == "Normal/kl_divergence/KullbackLeibler/checked_kl:0"
        with pytest.raises(tf.errors.InvalidArgumentError, match="returned NaN values"):
            sess.run(divergence)
