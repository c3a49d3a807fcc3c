"""Elements of several datasets, and of frequent classes, drawn at random: TensorFlow 2.21's for the same seeds."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import pytest

import inlay as tf

Data = tf.data.Dataset


@pytest.fixture(autouse=True)
def no_global_seed() -> None:
    tf.random.set_seed(None)  # type: ignore[arg-type]  # another test's


WEIGHTS: dict[str, tuple[Any, list[int]]] = {
    "none": (lambda: None, [10, 0, 20, 1, 11, 12, 13, 21, 2, 22, 23, 24, 3, 4, 14, 5, 25, 15]),
    "list": (lambda: [0.1, 0.2, 0.7], [20, 10, 21, 11, 22, 23, 24, 25, 0, 12, 1, 13, 2, 14, 15, 3, 4, 5]),
    "dataset": (
        lambda: Data.from_tensors([0.5, 0.1, 0.4]).repeat(),
        [10, 0, 20, 1, 2, 21, 11, 22, 3, 23, 24, 25, 4, 5, 12, 13, 14, 15],
    ),
}


@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_draws_between_datasets_are_tensorflows(weights: str) -> None:
    make, elements = WEIGHTS[weights]
    sources = [Data.range(6), Data.range(10, 16), Data.range(20, 26)]
    assert list(Data.sample_from_datasets(sources, make(), seed=7).as_numpy_iterator()) == elements


RARE, MIXED = [0.9, 0.05, 0.05, 0.0, 0.0], [0.1, 0.2, 0.3, 0.3, 0.1]
BEGUN = [int(n) for n in "1 0 1 2 2 3 4 5 6 3 7 7 8 9 8 11 10 12 11 13 16 17 12 18 13 14 21 22 23 26 27 15".split()]
RESAMPLED: dict[str, tuple[list[float], list[float] | None, list[int]]] = {
    "uniform, one class": (RARE, [0.2] * 5, [0, 5, 10, 15, 20, 25]),
    "uniform, all classes": (MIXED, [0.2] * 5, [*BEGUN, 16, 28, 17, 18, 19, 20]),
    "counted, one class": (RARE, None, [0, 5, 10, 15, 20, 25]),
    "counted, all classes": (MIXED, None, BEGUN),
    "declared": (
        MIXED,
        [0.1, 0.1, 0.1, 0.1, 0.6],
        [1, 2, 3, 5, 7, 0, 8, 11, 12, 13, 16, 17, 1, 2, 18, 21, 3, 22, 23, 26, 27, 28, 4],
    ),
}


@pytest.mark.parametrize("case", RESAMPLED)
def test_resampled_elements_are_tensorflows(case: str) -> None:
    target, initial, elements = RESAMPLED[case]
    pairs = Data.range(30).rejection_resample(lambda x: tf.cast(x % 5, tf.int32), target, initial, seed=27)
    assert list(pairs.map(lambda kind, element: element).as_numpy_iterator()) == elements
    assert pairs.element_spec == (tf.TensorSpec((), tf.int32), tf.TensorSpec((), tf.int64))


Pair = namedtuple("Pair", "left right")


@pytest.mark.parametrize("make", [lambda x: (x,), lambda x: Pair(x, x), lambda x: {"x": x}, lambda x: (x, x)])
def test_resampled_elements_have_the_structure_of_the_source(make: Any) -> None:
    source = Data.range(20).map(make)
    pairs = source.rejection_resample(lambda *parts: tf.cast(tf.nest.flatten(parts)[0] % 2, tf.int32), [0.5, 0.5])
    assert pairs.element_spec == (tf.TensorSpec((), tf.int32), source.element_spec)
    assert len(list(pairs)) > 2
