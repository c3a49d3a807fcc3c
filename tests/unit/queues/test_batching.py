"""Batches gathered by queues."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.unit.queues.test_producers import all_of, graph  # noqa: F401 - the fixture is used by all

v1 = tf.compat.v1


def numbers(count: int, epochs: int = 1) -> Any:
    return v1.train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()


def test_batches_in_order_and_what_is_left_at_the_end() -> None:
    n = numbers(5)
    whole = v1.train.batch([n, n * 2], 2)
    assert [t.shape.as_list() for t in whole] == [[2], [2]]
    assert [t.name for t in whole] == ["batch:0", "batch:1"]
    assert [[p.tolist() for p in b] for b in all_of(whole)] == [[[0, 1], [0, 2]], [[2, 3], [4, 6]]]


def test_a_smaller_batch_at_the_end() -> None:
    batch = v1.train.batch([numbers(5)], 2, allow_smaller_final_batch=True)
    assert batch.shape.as_list() == [None]
    assert [b.tolist() for b in all_of(batch)] == [[0, 1], [2, 3], [4]]


def test_a_dictionary_stays_one() -> None:
    n = numbers(4)
    assert [{k: v.tolist() for k, v in b.items()} for b in all_of(v1.train.batch({"b": n, "a": -n}, 4))] == [
        {"b": [0, 1, 2, 3], "a": [0, -1, -2, -3]}
    ]
    assert list(v1.train.batch({"only": n}, 4)) == ["only"]


def test_several_elements_at_once() -> None:
    n = numbers(3)
    batch = v1.train.batch([tf.stack([n, n + 10])], 3, enqueue_many=True)
    assert [b.tolist() for b in all_of(batch)] == [[0, 10, 1], [11, 2, 12]]


def test_sizes_that_vary_are_filled_up() -> None:
    n = numbers(4)
    row = v1.py_func(lambda k: np.arange(k), [n], tf.int64)
    row.set_shape([None])
    batch = v1.train.batch([row], 2, dynamic_pad=True)
    assert [b.tolist() for b in all_of(batch)] == [[[0], [0]], [[0, 1, 0], [0, 1, 2]]]
    with pytest.raises(ValueError, match="fully defined"):
        v1.train.batch([row], 2)
    unknown = v1.py_func(lambda k: k, [n], tf.int32)
    with pytest.raises(ValueError, match="Cannot infer Tensor's rank"):
        v1.train.batch([unknown], 2)
    v1.train.batch([unknown], 2, shapes=[[]])


def test_some_elements_are_left_out() -> None:
    n = numbers(6)
    batch = v1.train.maybe_batch([n], n % 2 < 1, 3)
    assert [b.tolist() for b in all_of(batch)] == [[0, 2, 4]]


def test_some_elements_of_many_are_left_out() -> None:
    n = numbers(2)
    rows = tf.stack([n, n + 10, n + 20])
    batch = v1.train.maybe_batch([rows], [True, False, True], 2, enqueue_many=True)
    assert [b.tolist() for b in all_of(batch)] == [[0, 20], [1, 21]]


@pytest.mark.parametrize(
    ("keep", "many", "said"),
    [
        (lambda: [True, False], False, "cannot be a vector"),
        (lambda: [[True]], True, "must be 0 or 1 dimensions"),
        (lambda: v1.placeholder(tf.bool), False, "dimensions must be known"),
    ],
)
def test_what_is_kept_must_be_said_plainly(keep: Any, many: bool, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        v1.train.maybe_batch([[1, 2]], keep(), 2, enqueue_many=many)


def test_a_random_order_over_a_python_function() -> None:
    called: list[int] = []

    def reads(k: np.int32) -> Any:
        called.append(int(k))
        return np.full((2,), k, np.float32), f"row {k}".encode()

    row, text = v1.py_func(reads, [numbers(40)], [tf.float32, tf.string])
    row.set_shape([2])
    text.set_shape([])
    rows, texts = v1.train.shuffle_batch([row, text], 8, capacity=32, min_after_dequeue=16, num_threads=3, seed=4)
    found = all_of([rows, texts])
    order = [int(v) for batch, _ in found for v in batch[:, 0]]
    assert sorted(order) == sorted(called) == list(range(40))
    assert order != list(range(40))
    assert all(text == f"row {int(v[0])}".encode() for b, words in found for v, text in zip(b, words, strict=True))


def test_several_sources() -> None:
    one, two = numbers(8), numbers(8) + 100
    batch = v1.train.batch_join([[one], [two]], 4)
    assert sorted(int(n) for b in all_of(batch) for n in b) == [*range(8), *range(100, 108)]


def test_several_sources_in_a_random_order() -> None:
    one, two = numbers(8), numbers(8) + 100
    batch = v1.train.shuffle_batch_join([{"n": one}, {"n": two}], 4, 16, 4, allow_smaller_final_batch=True)
    assert sorted(int(n) for b in all_of(batch) for n in b["n"]) == [*range(8), *range(100, 108)]


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: v1.train.batch([], 2), ValueError, "at least one tensor"),
        (lambda: v1.train.batch_join([], 2), ValueError, "at least one set of tensors"),
        (lambda: v1.train.batch_join([{"a": 1}, {"b": 1}], 2), ValueError, "must have the same keys"),
        (lambda: v1.train.batch_join([[1], [1.0]], 2), TypeError, "types to be consistent: int32 vs. float32"),
        (lambda: v1.train.batch_join([[[1]], [[1, 2]]], 2), ValueError, "must be equal"),
        (lambda: v1.train.shuffle_batch([1], 2, 4, 4), ValueError, "capacity 4 must be bigger than"),
        (
            lambda: v1.train.batch_join([[tf.sparse.from_dense([1])], [[1]]], 2),
            ValueError,
            "Inconsistent SparseTensors",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said):
        make()


def sparse(n: Any) -> Any:
    """A sparse vector of length n + 1 with n at its end."""
    n = tf.cast(n, tf.int64)
    return tf.SparseTensor(tf.reshape(n, [1, 1]), tf.reshape(n, [1]), tf.reshape(n + 1, [1]))


@pytest.mark.parametrize("random", [False, True])
def test_sparse_elements_are_sparse_batches(random: bool) -> None:
    n = numbers(4)
    element = {"s": sparse(n), "d": n}
    batch = v1.train.shuffle_batch(element, 2, 8, 2) if random else v1.train.batch(element, 2)
    assert isinstance(batch["s"], tf.SparseTensor) and batch["s"].shape.as_list() == [None, None]
    for found in all_of(batch):
        rows = found["d"].tolist()
        assert found["s"].indices.tolist() == [[0, rows[0]], [1, rows[1]]]
        assert found["s"].values.tolist() == rows
        assert found["s"].dense_shape.tolist() == [2, max(rows) + 1]


def test_rows_of_a_sparse_tensor_are_elements() -> None:
    n = numbers(2)
    rows = tf.SparseTensor([[0, 1], [2, 0], [2, 1]], tf.cast(tf.stack([n, n, n]), tf.float32), [3, 2])
    batch = v1.train.maybe_batch([rows], [True, False, True], 4, enqueue_many=True)
    (found,) = all_of(batch)
    assert found.indices.tolist() == [[0, 1], [1, 0], [1, 1], [2, 1], [3, 0], [3, 1]]
    assert found.values.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.dense_shape.tolist() == [4, 2]


def test_sparse_tensors_whose_rank_is_not_known() -> None:
    known = sparse(numbers(2))
    shape = v1.placeholder_with_default(known.dense_shape, None)
    indices = v1.placeholder_with_default(known.indices, None)
    batch = v1.train.batch([tf.SparseTensor(indices, known.values, shape)], 2)
    assert batch.shape.rank is None
    (found,) = all_of(batch)
    assert (found.indices.tolist(), found.dense_shape.tolist()) == ([[0, 0], [1, 1]], [2, 2])
