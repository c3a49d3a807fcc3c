"""Random order, and iterations that go on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf


def shuffled() -> Any:
    return tf.data.Dataset.range(6).shuffle(4, seed=10).repeat(4)


def sampled() -> Any:
    sources = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
    sample = tf.data.Dataset.sample_from_datasets(sources, seed=7, rerandomize_each_iteration=True)
    return sample.repeat(4)


@pytest.mark.parametrize("make", [shuffled, sampled])
@pytest.mark.parametrize("at", [0, 1, 6, 7, 13, 24])
def test_every_later_iteration_goes_on_too(make: Callable[[], Any], at: int) -> None:
    """The orders of the iterations that follow are those that would have followed, in another process as well."""
    wanted = list(make().as_numpy_iterator())
    assert wanted[:6] != wanted[6:12]
    one = make().as_numpy_iterator()
    assert list(itertools.islice(one, at)) == wanted[:at]
    other = make().as_numpy_iterator()
    other.restore(one.save())
    assert list(other) == wanted[at:]


def test_weights_of_zero_only_give_nothing() -> None:
    sources = [tf.data.Dataset.range(3).repeat()] * 2
    assert list(tf.data.Dataset.sample_from_datasets(sources, [0.0, 0.0])) == []


def test_a_seed_is_taken_away() -> None:
    tf.random.set_seed(1)
    tf.random.set_seed(None)
    assert tf.compat.v1.get_seed(None) == (None, None)
