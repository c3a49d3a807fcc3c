"""Functions of datasets: the random numbers that they draw from epoch to epoch, and what becomes of their failures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden.make_programs import rows, session

_DRAWING: dict[str, Callable[[Any, Any], Any]] = {
    "map": lambda tf, draw: tf.data.Dataset.range(3).map(draw).repeat(3),
    "maps in a row": lambda tf, draw: tf.data.Dataset.range(3).map(lambda x: x + 1).map(draw).map(abs).repeat(3),
    "filter": lambda tf, draw: tf.data.Dataset.range(9).filter(lambda x: draw(x) < 0.5).repeat(3),
    "scan": lambda tf, draw: tf.data.Dataset.range(3).scan(0.0, lambda s, x: (s + draw(x), s)).repeat(2),
    "flat_map": lambda tf, draw: tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x).map(draw)),
    "function of flat_map": lambda tf, draw: (
        tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.from_tensors(draw(x))).repeat(2)
    ),
}


@rows(*_DRAWING)
def draws_of_epochs(tf: Any, form: str) -> Any:
    def drawn(first: int | None, second: int | None) -> Any:
        tf.random.set_seed(first)
        dataset = _DRAWING[form](tf, lambda x: tf.random.uniform([], seed=second))
        return [[np.float32(value) for value in dataset.as_numpy_iterator()] for _ in range(2)]

    return [drawn(5, None), drawn(5, 11)]


def draws_of_epochs_in_graphs(tf: Any) -> Any:
    tf.random.set_seed(5)
    with session(tf) as sess:
        iterator = tf.compat.v1.data.make_initializable_iterator(
            tf.data.Dataset.range(2).map(lambda x: tf.random.uniform([], seed=11)).repeat(2)
        )
        element, traced = iterator.get_next(), tf.function(lambda: tf.random.uniform([], seed=11))()
        epochs = []
        for _ in range(2):
            sess.run(iterator.initializer)
            epochs.append([sess.run(element) for _ in range(4)])
        return [epochs, sess.run(traced)]


def _stop(x: Any) -> Any:
    raise StopIteration


def _divide(x: Any) -> Any:
    return 1 // 0


def _fail(x: Any) -> Any:
    raise ValueError(x)


def _sums(tf: Any, check: Any) -> Any:
    return tf.data.experimental.Reducer(lambda key: np.int64(0), lambda s, x: s + check(x), lambda s: s)


_FAILING: dict[str, Callable[[Any, Any, Any], Any]] = {
    "map": lambda tf, numbers, check: numbers.map(check),
    "parallel map": lambda tf, numbers, check: numbers.map(check, num_parallel_calls=2),
    "filter": lambda tf, numbers, check: numbers.filter(lambda x: check(x) >= 0),
    "take_while": lambda tf, numbers, check: numbers.take_while(lambda x: check(x) >= 0),
    "scan": lambda tf, numbers, check: numbers.scan(np.int64(0), lambda s, x: (s + 1, check(x))),
    "flat_map": lambda tf, numbers, check: numbers.flat_map(lambda x: tf.data.Dataset.from_tensors(check(x))),
    "interleave": lambda tf, numbers, check: numbers.interleave(lambda x: tf.data.Dataset.range(check(x)), 2),
    "parallel interleave": lambda tf, numbers, check: numbers.interleave(
        lambda x: tf.data.Dataset.range(check(x)), 2, num_parallel_calls=2
    ),
    "source of interleave": lambda tf, numbers, check: numbers.map(check).interleave(tf.data.Dataset.range, 2),
    "source of parallel interleave": lambda tf, numbers, check: numbers.map(check).interleave(
        tf.data.Dataset.range, 2, num_parallel_calls=2
    ),
    "datasets of interleave": lambda tf, numbers, check: numbers.interleave(
        lambda x: tf.data.Dataset.range(x).map(check), 2
    ),
    "datasets of parallel interleave": lambda tf, numbers, check: numbers.interleave(
        lambda x: tf.data.Dataset.range(x).map(check), 2, num_parallel_calls=2
    ),
    "key of windows": lambda tf, numbers, check: numbers.group_by_window(
        lambda x: 0 * check(x), lambda key, w: w, window_size=2
    ),
    "size of windows": lambda tf, numbers, check: numbers.group_by_window(
        lambda x: x, lambda key, w: w, window_size_func=lambda key: 0 * check(key) + 1
    ),
    "reducer": lambda tf, numbers, check: numbers.apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 2, _sums(tf, check))
    ),
}


@rows(*_FAILING)
def failures_of_functions(tf: Any, form: str) -> Any:
    def outcome(fail: Callable[[Any], Any]) -> Any:
        def checked(x: Any) -> Any:
            return fail(x) if x == 2 else x

        dataset = _FAILING[form](tf, tf.data.Dataset.range(6), lambda x: tf.numpy_function(checked, [x], tf.int64))
        iterator, found = iter(dataset), []
        while True:
            try:
                found.append(int(next(iterator)))
            except StopIteration:
                return found
            except tf.errors.OpError as error:
                found.append(next(c.__name__ for c in type(error).__mro__ if hasattr(tf.errors, c.__name__)))

    return [outcome(fail) for fail in (_stop, _fail, _divide)]


def sizes_of_windows(tf: Any) -> Any:
    """The function of sizes is called once for each key."""
    calls: list[int] = []

    def size(key: Any) -> Any:
        calls.append(int(key))
        return np.int64(len(calls))

    windows = tf.data.Dataset.range(12).group_by_window(
        lambda x: x % 2,
        lambda key, w: w.batch(9),
        window_size_func=lambda key: tf.numpy_function(size, [key], tf.int64),
    )
    return [[window.tolist() for window in windows.as_numpy_iterator()], calls]
