"""`map`: maps in a row as one plan, and functions of exact ops on whole batches.

Beside each stands an iteration in which every map runs by itself, because someone watches it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.data.iterating import OwnedIterator
from inlay._src.data.mapping import ChainCursor, MapCursor

Dataset = tf.data.Dataset


def one_by_one(dataset: Any) -> OwnedIterator:
    """An iteration in which nothing runs together: who watches it sees every stage by itself."""
    return OwnedIterator(dataset._node, dataset._options, watch=lambda node, cursor: cursor)


def told(elements: Any) -> list[Any]:
    """Elements as dtypes, shapes and bytes, and errors as texts."""
    found: list[Any] = []
    while True:
        try:
            element = next(elements)
        except StopIteration:
            return found
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
        else:
            parts = [np.asarray(part.numpy()) for part in tf.nest.flatten(element)]
            found.append([(p.dtype, np.shape(p), np.asarray(p).tolist()) for p in parts])


def host(function: Callable[..., Any], kind: Any = tf.int64, **how: Any) -> Callable[..., Any]:
    return lambda *x: tf.ensure_shape(tf.numpy_function(function, list(x), kind, **how), [])


def fails_at(*numbers: int) -> Callable[..., Any]:
    def body(value: Any) -> Any:
        if int(value) in numbers:
            raise ValueError(f"not {int(value)}")
        return value

    return host(body)


def counting() -> Callable[..., Any]:
    """A function with state: it says how often it was called."""
    calls = itertools.count()
    return host(lambda value: np.int64(value + 100 * next(calls)))


MATRIX = np.arange(24, dtype=np.uint8).reshape(8, 3)
CAPTURED = tf.constant(np.arange(3, dtype=np.uint8))
SLICES = Dataset.from_tensor_slices
CHAINS: dict[str, Callable[[], Any]] = {
    "pure": lambda: Dataset.range(9).map(lambda x: x + 1).map(lambda x: (x, x * 2)).map(lambda a, b: {"s": a - b}),
    "nothing done": lambda: Dataset.range(4).map(lambda x: x).map(lambda x: (x, x)).map(lambda a, b: (b, a, 7)),
    "host functions": lambda: Dataset.range(9).map(host(lambda v: v * 3)).map(lambda x: x + 1).map(host(lambda v: -v)),
    "constants and captures": lambda: (
        SLICES(MATRIX)
        .map(lambda x: x + tf.constant([1, 2, 3], tf.uint8))
        .map(lambda x: tf.numpy_function(lambda a, b: a + b, [x, tf.constant([5, 6, 7], tf.uint8)], tf.uint8))
    ),
    "strings": lambda: SLICES([b"a b", b"c"]).map(lambda x: tf.strings.split(x)).map(lambda x: tf.strings.upper(x)),
    "eager bodies": lambda: (
        Dataset.range(5)
        .map(lambda x: tf.py_function(lambda v: v * v, [x], tf.int64))
        .map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int64))
    ),
    "errors in every stage": lambda: Dataset.range(12).map(fails_at(2)).map(fails_at(3, 7)).map(fails_at(4, 8, 11)),
    "state": lambda: Dataset.range(5).map(fails_at(1)).map(counting()),
    "errors of ops": lambda: Dataset.range(4).map(lambda x: 12 // x).map(lambda x: tf.gather([1, 2, 3], x % 5)),
    "draws": lambda: (
        Dataset.range(8)
        .map(fails_at(3))
        .map(lambda x: (x, tf.random.uniform([2], seed=5)))
        .map(lambda x, u: u + tf.random.normal([], seed=6))
    ),
    "stateless draws": lambda: (
        Dataset.range(6).map(lambda x: (x, x)).map(lambda a, b: tf.random.stateless_uniform([3], tf.stack([a, b])))
    ),
    "branches": lambda: Dataset.range(6).map(lambda x: tf.cond(x > 2, lambda: x, lambda: -x)).map(lambda x: x * 2),
}


@pytest.mark.parametrize("case", CHAINS)
def test_maps_in_a_row_give_what_each_by_itself_gives(case: str) -> None:
    tf.random.set_seed(3)
    together = iter(CHAINS[case]())
    assert isinstance(together._cursor, ChainCursor)
    tf.random.set_seed(3)
    assert told(together) == told(one_by_one(CHAINS[case]()))


def test_an_error_names_its_stage_and_the_elements_that_reached_it() -> None:
    dataset = Dataset.range(5).map(fails_at(1)).map(fails_at(3))
    elements = iter(dataset)
    next(elements)
    with pytest.raises(ValueError, match=r"MapDataset:1 transformation with iterator: Iterator::Root::Map::Map: ") as e:
        next(elements)
    assert "element 1 of MapDataset:1" in str(e.value)
    next(elements)
    with pytest.raises(ValueError, match=r"MapDataset:2 transformation with iterator: Iterator::Root::Map: ") as e:
        next(elements)
    assert "element 2 of MapDataset:2" in str(e.value)
    assert int(next(elements)) == 4


@pytest.mark.parametrize("taken", [0, 1, 3, 6])
def test_a_position_is_the_same_either_way_and_goes_on_either_way(taken: int) -> None:
    def made() -> Any:
        tf.random.set_seed(1)
        return (
            Dataset.range(12).map(fails_at(2, 5)).map(lambda x: (x, tf.random.uniform([], seed=2))).map(lambda x, u: u)
        )

    forms = [iter(made()), one_by_one(made())]
    for elements in forms:
        for _ in range(taken):
            try:
                next(elements)
            except ValueError:
                pass
    position = forms[0]._position()
    assert position == forms[1]._position()
    others = [one_by_one(made()), iter(made())]
    for elements in others:
        elements._go_to(position)
    rests = [told(elements) for elements in (*forms, *others)]
    assert rests[0] and all(rest == rests[0] for rest in rests)


def test_each_function_is_called_once_for_each_element_in_order() -> None:
    seen: list[tuple[str, int]] = []

    def noting(name: str) -> Callable[..., Any]:
        return host(lambda value: seen.append((name, int(value))) or value)

    list(Dataset.range(3).map(noting("first")).map(noting("second")))
    assert seen == [(name, i) for i in range(3) for name in ("first", "second")]


def test_a_function_that_writes_into_its_argument_changes_nobody_elses() -> None:
    def emptied(array: Any) -> Any:
        before = array.copy()
        array[:] = 0
        return before

    dataset = (
        SLICES(MATRIX)
        .map(lambda x: (x, tf.numpy_function(emptied, [x], tf.uint8)))
        .map(lambda x, y: (x, y, tf.numpy_function(emptied, [y], tf.uint8), y))
    )
    for row, element in zip(MATRIX, dataset, strict=True):
        for part in element:
            np.testing.assert_array_equal(part, row)


def test_functions_that_may_wait_for_one_another_stay_apart() -> None:
    """Where a plan has two independent host functions, another thread may have to go on with it."""

    def two(x: Any) -> Any:
        return host(lambda v: v, stateful=False)(x), host(lambda v: v, stateful=False)(x)

    elements = iter(Dataset.range(3).map(lambda x: x + 1).map(two).map(lambda a, b: a + b))
    assert not isinstance(elements._cursor, ChainCursor)
    assert [int(x) for x in elements] == [2, 4, 6]


def test_stages_are_measured_one_by_one() -> None:
    stats = Dataset.range(6).map(lambda x: x + 1).map(lambda x: x * 2).stats()
    assert [int(x) for x in stats] == [2, 4, 6, 8, 10, 12]
    assert [(stage.name, stage.elements) for stage in stats.stages] == [("Map", 6), ("Map", 6), ("Range", 6)]


# ---------------------------------------------------------------- stacked

STACKED: dict[str, Callable[[], Any]] = {
    "numbers": lambda: Dataset.range(5, 50, 4).map(lambda x: x * 3 - 1),
    "small numbers": lambda: Dataset.range(3, -20, -2, output_type=tf.int32).map(
        lambda x: tf.cast(x, tf.float32) / 3.0
    ),
    "rows": lambda: SLICES(MATRIX).map(lambda x: (tf.cast(x, tf.float32) / 255.0 - 0.5) * [1.0, 2.0, 3.0]),
    "two maps": lambda: (
        SLICES((MATRIX, np.arange(8.0))).map(lambda x, y: (x > 3, -y)).map(lambda x, y: {"x": x, "y": y})
    ),
    "twice the same": lambda: SLICES(MATRIX).map(lambda x: (x, x, x + x)),
    "no element in it": lambda: SLICES(MATRIX).map(lambda x: (x, tf.constant([1.5, 2.5]), 3)),
    "bfloat16": lambda: SLICES(np.linspace(-9, 9, 11)).map(lambda x: tf.cast(x, tf.bfloat16) * tf.cast(x, tf.bfloat16)),
    "a captured tensor": lambda: SLICES(MATRIX).map(lambda x: x + CAPTURED),
    "a generator's": lambda: Dataset.from_generator(
        lambda: iter(range(11)), output_signature=tf.TensorSpec([], tf.int64)
    ).map(lambda x: x + 1),
    "take, skip and zip": lambda: (
        Dataset.zip((Dataset.range(20).skip(3), SLICES(MATRIX))).take(7).map(lambda i, row: (i + 1, row - 1))
    ),
    "turns": lambda: SLICES(MATRIX).map(lambda x: x + 1).repeat(3),
    "turns of nothing": lambda: Dataset.range(0).repeat().map(lambda x: x + 1),
    "behind a map of its own": lambda: Dataset.range(9).map(host(lambda v: v)).prefetch(1).map(lambda x: x * x),
}


@pytest.mark.parametrize("size", [1, 3, 4, 100])
@pytest.mark.parametrize("case", STACKED)
def test_a_batch_that_is_made_at_once_has_the_elements(case: str, size: int) -> None:
    dataset = STACKED[case]()
    assert iter(dataset)._cursor.stacks
    for drop in (False, True):
        batched = dataset.batch(size, drop_remainder=drop)
        assert told(iter(batched)) == told(one_by_one(batched))


def test_a_batch_in_numpy_is_read_only_and_a_copy_is_the_users_own() -> None:
    numbers = np.arange(12).reshape(6, 2)
    for batch in SLICES(numbers).map(lambda x: (x, x)).batch(3).as_numpy_iterator():
        for part in batch:
            with pytest.raises(ValueError, match="read-only"):
                part[:] = -1
            part.copy()[:] = -1
    np.testing.assert_array_equal([x.numpy() for x in SLICES(numbers)], np.arange(12).reshape(6, 2))


NOT_STACKED: dict[str, Callable[[], Any]] = {
    "an op that may fail": lambda: Dataset.range(5).map(lambda x: 8 // (x + 1)),
    "an op that is not exact": lambda: SLICES(np.linspace(0, 1, 5)).map(lambda x: tf.exp(x)),
    "a host function": lambda: Dataset.range(5).map(host(lambda v: v)),
    "an op that is not elementwise": lambda: SLICES(MATRIX).map(lambda x: tf.reduce_sum(x)),
    "axes that would be taken for others": lambda: Dataset.range(3).map(lambda x: x + [1, 2, 3]),
    "a wider constant": lambda: SLICES(MATRIX).map(lambda x: x + tf.ones([2, 3], tf.uint8)),
    "floats to integers": lambda: SLICES(np.linspace(-300, 300, 7)).map(lambda x: tf.cast(x, tf.uint8)),
    "draws": lambda: Dataset.range(5).map(lambda x: tf.random.stateless_uniform([2], (x, x))),
    "strings": lambda: SLICES([b"a", b"b"]).map(lambda x: x + b"!"),
    "a promise about shapes": lambda: Dataset.from_generator(
        lambda: iter([[1], [2]]), output_signature=tf.TensorSpec(None, tf.int64)
    ).map(lambda x: tf.ensure_shape(x, [1])),
    "large elements": lambda: SLICES(np.zeros((3, 2048))).map(lambda x: x + 1),
}


@pytest.mark.parametrize("case", NOT_STACKED)
def test_what_might_differ_is_run_for_each_element(case: str) -> None:
    dataset = NOT_STACKED[case]()
    cursor = iter(dataset)._cursor
    assert isinstance(cursor, MapCursor)
    assert not cursor.stacks
    assert told(iter(dataset.batch(2))) == told(one_by_one(dataset.batch(2)))


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_the_position_of_a_batch_is_the_same_either_way(taken: int) -> None:
    dataset = Dataset.range(11).map(lambda x: x + 1).map(lambda x: x * 2).batch(3)
    forms = [iter(dataset), one_by_one(dataset)]
    for elements in forms:
        for _ in range(taken):
            next(elements)
    position = forms[0]._position()
    assert position == forms[1]._position()
    resumed = iter(dataset)
    resumed._go_to(position)
    assert told(resumed) == told(forms[0])


def test_a_source_that_fails_within_a_batch_loses_the_same_elements() -> None:
    source = Dataset.range(8).map(fails_at(3)).filter(lambda x: x >= 0)
    made = source.map(lambda x: x * 2).map(lambda x: x + 1).batch(2)
    assert iter(source.map(lambda x: x * 2))._cursor.stacks
    forms = [iter(made), one_by_one(made)]
    first, second = (told(elements) for elements in forms)
    assert first == second
    assert sum(isinstance(x, str) for x in first) == 1
    assert forms[0]._position() == forms[1]._position()


def test_numbers_that_a_type_has_not_are_refused_where_they_stand() -> None:
    dataset = Dataset.range(126, 130, output_type=tf.int8)
    assert not iter(dataset)._cursor.stacks
    assert Dataset.range(-(2**63), 2**63 - 1, 2**62).batch(9).get_single_element().numpy().tolist() == [
        -(2**63), -(2**62), 0, 2**62,
    ]  # fmt: skip
