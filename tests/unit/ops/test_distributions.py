"""Random numbers have the distributions they promise: compared with SciPy's by Kolmogorov's and Pearson's tests.

Seeds are fixed, so the tests always see the same numbers; the bounds leave one chance in a thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import inlay as tf

SIZE = 4000
LEAST = 1e-3
KINDS = ["float32", "float64"]


def fits(values: Any, distribution: Any) -> None:
    """The values could well be drawn from a continuous distribution."""
    flat = np.asarray(values, np.float64).ravel()
    assert stats.kstest(flat, distribution.cdf).pvalue > LEAST
    assert np.unique(flat).size > 0.99 * flat.size


def counts_fit(values: Any, chances: Any) -> None:
    """The values could well be drawn with these chances."""
    chances = np.asarray(chances, np.float64)
    found = np.bincount(np.asarray(values).ravel(), minlength=len(chances))
    assert len(found) == len(chances)
    assert stats.chisquare(found, chances / chances.sum() * found.sum()).pvalue > LEAST


Draw = Callable[..., Any]
SOURCES: dict[str, tuple[Draw, Draw, Draw]] = {
    "stateful": (
        lambda **k: tf.random.uniform([SIZE], seed=3, **k),
        lambda **k: tf.random.normal([SIZE], seed=4, **k),
        lambda **k: tf.random.truncated_normal([SIZE], seed=5, **k),
    ),
    "stateless": (
        lambda **k: tf.random.stateless_uniform([SIZE], [1, 2], **k),
        lambda **k: tf.random.stateless_normal([SIZE], [3, 4], **k),
        lambda **k: tf.random.stateless_truncated_normal([SIZE], [5, 6], **k),
    ),
    "generator": (
        lambda **k: tf.random.Generator.from_seed(7).uniform([SIZE], **k),
        lambda **k: tf.random.Generator.from_seed(8).normal([SIZE], **k),
        lambda **k: tf.random.Generator.from_seed(9).truncated_normal([SIZE], **k),
    ),
}


@pytest.fixture(autouse=True)
def _seeded() -> None:
    tf.random.set_seed(2024)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("source", SOURCES)
def test_uniform_normal_and_truncated_numbers(source: str, kind: str) -> None:
    uniform, normal, truncated = SOURCES[source]
    dtype = getattr(tf, kind)
    drawn = uniform(minval=-2.0, maxval=6.0, dtype=dtype).numpy()
    fits(drawn, stats.uniform(-2, 8))
    assert drawn.min() >= -2 and drawn.max() < 6
    fits(normal(mean=1.5, stddev=0.5, dtype=dtype), stats.norm(1.5, 0.5))
    cut = truncated(mean=-1.0, stddev=2.0, dtype=dtype).numpy()
    fits(cut, stats.truncnorm(-2, 2, -1, 2))
    assert cut.min() >= -5 and cut.max() <= 3


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
@pytest.mark.parametrize("source", SOURCES)
def test_narrow_types_keep_within_their_bounds(source: str, kind: str) -> None:
    uniform, normal, truncated = SOURCES[source]
    dtype = getattr(tf, kind)
    for drawn, mean, deviation in (
        (uniform(dtype=dtype), 0.5, 12**-0.5),
        (normal(dtype=dtype), 0.0, 1.0),
        (truncated(dtype=dtype), 0.0, 0.8796),
    ):
        values = drawn.numpy().astype(np.float64)
        assert drawn.dtype is dtype
        assert abs(values.mean() - mean) < 0.08 and abs(values.std() - deviation) < 0.08
    whole = uniform(dtype=dtype).numpy().astype(np.float64)
    assert whole.min() >= 0 and whole.max() < 1


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("source", SOURCES)
def test_whole_numbers_are_equally_likely(source: str, kind: str) -> None:
    drawn = SOURCES[source][0](minval=-3, maxval=7, dtype=getattr(tf, kind)).numpy()
    counts_fit(drawn + 3, np.ones(10))


def test_categories_have_the_chances_of_their_logits() -> None:
    chances = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 1e-9]])
    for drawn in (
        tf.random.categorical(np.log(chances), SIZE, seed=1),
        tf.random.stateless_categorical(np.log(chances), SIZE, [1, 2]),
        tf.random.categorical(np.log(chances) + 100.0, SIZE, seed=2),
    ):
        counts_fit(drawn[0], chances[0])
        counts_fit(drawn[1], chances[1][:2])


def test_every_order_of_a_shuffle_is_equally_likely() -> None:
    orders = {order: k for k, order in enumerate([(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])}
    found = [orders[tuple(tf.random.shuffle([0, 1, 2]).numpy().tolist())] for _ in range(1200)]
    counts_fit(found, np.ones(6))


@pytest.mark.parametrize("draw", [tf.random.uniform, tf.random.normal], ids=["uniform", "normal"])
def test_neighbors_and_successive_draws_are_not_correlated(draw: Any) -> None:
    drawn = [draw([SIZE]).numpy() for _ in range(3)]
    rows = [*drawn, drawn[0][::-1], np.roll(drawn[0], 1)]
    correlation = np.corrcoef(rows) - np.eye(len(rows))
    assert np.abs(correlation).max() < 4 / np.sqrt(SIZE)


def test_neighboring_seeds_give_unrelated_numbers() -> None:
    rows = [tf.random.stateless_normal([SIZE], [a, b]).numpy() for a in range(3) for b in range(3)]
    assert np.abs(np.corrcoef(rows) - np.eye(9)).max() < 4.5 / np.sqrt(SIZE)


def test_parameters_may_differ_from_element_to_element() -> None:
    means, deviations = tf.constant([[0.0], [10.0]]), tf.constant([[1.0], [3.0]])
    drawn = tf.random.stateless_normal([2, SIZE], [1, 2], means, deviations)
    fits(drawn[0], stats.norm(0, 1))
    fits(drawn[1], stats.norm(10, 3))
    bounds = tf.random.stateless_uniform([SIZE, 2], [1, 2], [0.0, 5.0], [1.0, 9.0])
    fits(bounds[:, 0], stats.uniform(0, 1))
    fits(bounds[:, 1], stats.uniform(5, 4))


@pytest.mark.parametrize(
    ("make", "distribution"),
    [
        (lambda i: i.RandomUniform(-0.5, 0.5, seed=1), stats.uniform(-0.5, 1)),
        (lambda i: i.RandomNormal(1.0, 2.0, seed=2), stats.norm(1, 2)),
        (lambda i: i.TruncatedNormal(0.0, 0.5, seed=3), stats.truncnorm(-2, 2, 0, 0.5)),
        (lambda i: i.GlorotUniform(seed=4), stats.uniform(-np.sqrt(6 / 180), 2 * np.sqrt(6 / 180))),
        (lambda i: i.HeUniform(seed=5), stats.uniform(-np.sqrt(6 / 80), 2 * np.sqrt(6 / 80))),
        (lambda i: i.LecunUniform(seed=6), stats.uniform(-np.sqrt(3 / 80), 2 * np.sqrt(3 / 80))),
    ],
    ids=["uniform", "normal", "truncated", "glorot", "he", "lecun"],
)
def test_first_values_have_the_spread_of_their_rule(make: Any, distribution: Any) -> None:
    fits(make(tf.initializers)([80, 100]), distribution)


def test_orthogonal_first_values_are_orthogonal_and_turn_any_way() -> None:
    made = np.stack([tf.initializers.Orthogonal(seed=k)([2, 2]).numpy() for k in range(300)])
    np.testing.assert_allclose(made @ made.transpose(0, 2, 1), np.tile(np.eye(2), (300, 1, 1)), atol=1e-5)
    angles = np.arctan2(made[:, 1, 0], made[:, 0, 0])
    assert stats.kstest(angles, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > LEAST
    assert 0.3 < np.mean(np.linalg.det(made) > 0) < 0.7, "turns and reflections"
