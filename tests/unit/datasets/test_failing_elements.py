"""What an element that fails takes along, and what comes behind it: sequences as TensorFlow 2.21 gives them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

Dataset = tf.data.Dataset
X = "failed"
DROPPED = [[0, 1, 2], X, [6, 7, 8], [9]]
"""The batch of the element that failed is missing as a whole."""
BEHIND = [[0, 1, 2], X, [5, 6, 7], [8, 9]]
"""The next batch begins behind the element that failed."""


def failing(*wrong: int, **how: Any) -> Any:
    """0 to 9, of which some fail."""

    def check(x: Any) -> Any:
        if x in wrong:
            raise ValueError(f"{x} is wrong")
        return x

    return Dataset.range(10).map(lambda x: tf.numpy_function(check, [x], tf.int64), **how)


def shaped(dataset: Any) -> Any:
    return dataset.map(lambda x: tf.ensure_shape(x, []))


def unfused(dataset: Any) -> Any:
    options = tf.data.Options()
    options.experimental_optimization.map_and_batch_fusion = False
    return dataset.with_options(options)


def unoptimized(dataset: Any) -> Any:
    options = tf.data.Options()
    options.experimental_optimization.apply_default_optimizations = False
    return dataset.with_options(options)


def seen(dataset: Any) -> list[Any]:
    """The elements, X where one failed."""
    iterator, found = iter(dataset), list[Any]()
    while True:
        try:
            found.append(next(iterator).numpy().tolist())
        except StopIteration:
            return found
        except tf.errors.InvalidArgumentError:
            found.append(X)


@pytest.mark.parametrize(
    "dataset, expected",
    [
        (lambda: failing(4).batch(3), DROPPED),
        (lambda: failing(4, num_parallel_calls=2).batch(3), DROPPED),
        (lambda: shaped(failing(4)).batch(3), DROPPED),
        (lambda: shaped(failing(4).prefetch(1)).batch(3), DROPPED),
        (lambda: shaped(failing(4)).ragged_batch(3), DROPPED),
        (lambda: failing(3, 4).batch(3), DROPPED),
        (lambda: failing(4).batch(3).prefetch(2), DROPPED),
        (lambda: failing(0, 1, 2).batch(3), [X, [3, 4, 5], [6, 7, 8], [9]]),
        (lambda: failing(2, 5).batch(3), [X, X, [6, 7, 8], [9]]),
        (lambda: failing(8).batch(3), [[0, 1, 2], [3, 4, 5], X, [9]]),
        (lambda: failing(8).batch(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5], X]),
        (lambda: failing(9).batch(3), [[0, 1, 2], [3, 4, 5], [6, 7, 8], X]),
        (lambda: failing(4).batch(3).ignore_errors(), [[0, 1, 2], [6, 7, 8], [9]]),
        (lambda: shaped(failing(4)).batch(2).rebatch(3), [[0, 1, 2], X, [6, 7, 8], [9]]),
        (lambda: unfused(failing(4).batch(3)), BEHIND),
        (lambda: unoptimized(failing(4).batch(3)), BEHIND),
        (lambda: failing(1, 4).batch(3, num_parallel_calls=2), [X, X, [5, 6, 7], [8, 9]]),
        (lambda: failing(4).take(10).batch(3), BEHIND),
        (lambda: failing(4).cache().batch(3), BEHIND),
        (lambda: failing(4).prefetch(1).batch(3), BEHIND),
        (lambda: shaped(failing(4)).prefetch(1).ragged_batch(3), BEHIND),
        (lambda: shaped(failing(4)).padded_batch(3), BEHIND),
        (lambda: failing(4, 5).prefetch(1).batch(3), [[0, 1, 2], X, X, [6, 7, 8], [9]]),
    ],
)
def test_a_batch_fails_as_a_whole_directly_behind_a_map(dataset: Callable[[], Any], expected: list[Any]) -> None:
    assert seen(dataset()) == expected


@pytest.mark.parametrize(
    "dataset, expected",
    [
        (lambda: failing(4).window(3), DROPPED),
        (lambda: failing(4).window(3, shift=1), [[0, 1, 2], [1, 2, 3], X, X, X, [5, 6, 7], [6, 7, 8], [7, 8, 9], [8, 9],
                                                 [9]]),
        (lambda: failing(9).window(3, drop_remainder=True), [[0, 1, 2], [3, 4, 5], [6, 7, 8]]),
        (lambda: failing(3).window(2, shift=4), [[0, 1], [4, 5], [8, 9]]),
        (lambda: failing(1).window(2, shift=4, stride=2), [[0, 2], [4, 6], [8]]),
    ],
)  # fmt: skip
def test_an_element_that_fails_keeps_its_place_in_windows(dataset: Callable[[], Any], expected: list[Any]) -> None:
    assert seen(dataset().flat_map(lambda w: w.batch(3))) == expected


def test_what_is_zipped_stays_together_behind_an_element_that_fails() -> None:
    numbers = Dataset.range(100, 110)
    pairs = Dataset.zip(failing(1), numbers, failing(3)).map(lambda a, b, c: tf.stack([a, b, c]))
    assert seen(pairs) == [[i, 100 + i, i] if i not in (1, 3) else X for i in range(10)]
    assert seen(Dataset.zip(failing(1, 2).take(4), Dataset.range(1)).map(lambda a, b: a)) == [0, X]
    assert seen(Dataset.zip(Dataset.range(1), failing(1)).map(lambda a, b: a)) == [0]


def test_the_first_failure_of_a_batch_is_told_at_once() -> None:
    asked: list[int] = []

    def check(x: Any) -> Any:
        asked.append(int(x))
        if x in (1, 2):
            raise ValueError(f"{x} is wrong")
        return x

    iterator = iter(Dataset.range(6).map(lambda x: tf.numpy_function(check, [x], tf.int64)).batch(3))
    with pytest.raises(ValueError, match="1 is wrong"):
        next(iterator)
    assert asked == [0, 1]
    np.testing.assert_array_equal(next(iterator).numpy(), [3, 4, 5])
    assert asked == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "dataset",
    [
        lambda: failing(1).batch(3),
        lambda: Dataset.zip(failing(1).skip(1), Dataset.range(3)),
        lambda: failing(1).window(3),
    ],
)
def test_what_was_raised_is_not_kept(dataset: Callable[[], Any]) -> None:
    gc.disable()
    try:
        iterator = iter(dataset())
        try:
            next(iterator)
        except tf.errors.InvalidArgumentError as error:
            told = weakref.ref(error)
        assert told() is None
    finally:
        gc.enable()


def test_a_position_behind_a_failure_has_the_rest_of_its_batch() -> None:
    one, other = (failing(1).batch(3).as_numpy_iterator() for _ in range(2))
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(one)
    other.restore(one.save())
    assert [x.tolist() for x in other] == [x.tolist() for x in one] == [[3, 4, 5], [6, 7, 8], [9]]


def test_a_position_within_a_window_that_fails_is_refused() -> None:
    iterator = failing(1).window(3, shift=1).flat_map(lambda w: w.batch(3)).as_numpy_iterator()
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(iterator)
    with pytest.raises(tf.errors.UnimplementedError, match="of a window cannot be saved .*could not be read"):
        iterator.save()
