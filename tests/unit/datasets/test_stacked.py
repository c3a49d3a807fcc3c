"""`map(function, batch=)`: functions that take stacked elements."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.data.element import Element
from inlay._src.data.node import Cursor
from inlay._src.data.stacking import Stack

Dataset = tf.data.Dataset


@pytest.mark.parametrize("how", [{}, {"num_parallel_calls": 2}, {"executor": "processes"}])
def test_the_function_takes_stacked_elements_and_gives_rows(how: dict[str, Any]) -> None:
    def doubled(v: Any) -> Any:
        assert v.shape in ((4,), (2,))
        return v * 2

    dataset = Dataset.range(10).map(
        lambda x: {"x": x, "twice": tf.ensure_shape(tf.numpy_function(doubled, [x], tf.int64), [None])}, batch=4, **how
    )
    assert dataset.element_spec["twice"] == tf.TensorSpec([], tf.int64)
    assert len(dataset) == 10
    found = list(dataset.as_numpy_iterator())
    assert [(int(v["x"]), int(v["twice"])) for v in found] == [(i, 2 * i) for i in range(10)]


def test_another_number_of_rows_is_refused() -> None:
    dataset = Dataset.range(6).map(lambda x: x[1:], batch=3)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"was given 3 elements stacked, and returned shapes \[2\]"
    ):
        list(dataset)


def test_a_result_without_rows_is_refused() -> None:
    with pytest.raises(ValueError, match="a scalar has no rows"):
        Dataset.range(6).map(lambda x: tf.reduce_sum(x), batch=3)


def test_components_of_elements_are_stacked_each() -> None:
    rows = np.arange(12.0).reshape(6, 2)
    dataset = Dataset.from_tensor_slices((rows, np.arange(6))).map(lambda x, y: (tf.reduce_sum(x, 1), y), batch=4)
    assert [(float(x), int(y)) for x, y in dataset] == [(float(r.sum()), i) for i, r in enumerate(rows)]


@pytest.mark.parametrize("eager", [True, False])
def test_map_fn_takes_stacked_rows(eager: bool) -> None:
    taken: list[int] = []

    def doubled(v: Any) -> Any:
        taken.append(len(v))
        return v * 2

    def whole(x: Any) -> Any:
        called = lambda v: tf.numpy_function(doubled, [v], tf.float32)  # noqa: E731
        return tf.map_fn(called, x, fn_output_signature=tf.float32, batch=4)

    x = np.arange(20, dtype=np.float32).reshape(10, 2)
    found = whole(x) if eager else tf.function(whole)(tf.constant(x))
    np.testing.assert_array_equal(found, x * 2)
    assert taken == [4, 4, 2]


def test_map_fn_refuses_another_number_of_rows() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must return a row for each"):
        tf.map_fn(lambda v: v[:1], tf.range(10), batch=4)
    with pytest.raises(ValueError, match="batch must be at least 1"):
        tf.map_fn(lambda v: v, tf.range(10), batch=0)
    with pytest.raises(TypeError, match="ragged and sparse rows have no common shape"):
        tf.map_fn(lambda v: v, tf.ragged.constant([[1], [2, 3]]), batch=2)


def test_gradients_reach_through_stacked_rows() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.map_fn(lambda v: v * v, x, batch=2))
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 4.0, 6.0])


class Fresh(Cursor):
    """Gives arrays that nothing else holds, and looks how many of them are still there."""

    __slots__ = ("_given", "kept")

    def __init__(self) -> None:
        super().__init__()
        self._given: list[Any] = []
        self.kept = 0

    def __next__(self) -> list[Any]:
        self.kept = max(self.kept, sum(ref() is not None for ref in self._given))
        value = np.ones((50, 50))
        self._given.append(weakref.ref(value))
        return [value]


def test_elements_are_written_into_the_batch_when_they_are_read() -> None:
    source = Fresh()
    (batch,), count = Stack(Element(tf.TensorSpec([50, 50], tf.float64))).read(source, 6)
    assert count == 6
    np.testing.assert_array_equal(batch, np.ones((6, 50, 50)))
    assert source.kept <= 1, "elements of a batch are kept until it is whole"


def test_a_batch_that_is_larger_than_memory_holds_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "batch_reserved_bytes", 64)
    (whole,) = Dataset.range(100).batch(1 << 50)
    assert whole.numpy().tolist() == list(range(100))
