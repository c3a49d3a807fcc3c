"""Tables whose entries are the elements of a dataset."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

Dataset = tf.data.Dataset


def entries() -> Any:
    return Dataset.zip((Dataset.range(3), Dataset.range(3).map(lambda x: tf.strings.as_string(x * 2))))


@pytest.mark.parametrize("count", [3, 0])
def test_a_static_table_of_elements(count: int) -> None:
    initializer = tf.data.experimental.DatasetInitializer(entries().take(count))
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.int64, tf.string)
    table = tf.lookup.StaticHashTable(initializer, "none")
    assert table.lookup(tf.constant([2, 7], tf.int64)).numpy().tolist() == [b"4" if count else b"none", b"none"]
    assert table.size().numpy() == count


def test_a_table_of_a_graph_is_filled_by_its_initializer() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(entries()), "none")
        found = table.lookup(tf.constant([2, 7], tf.int64))
        session.run(tf.compat.v1.tables_initializer())
        assert session.run(found).tolist() == [b"4", b"none"]


def test_the_functions_of_the_dataset_run_as_often_as_there_are_elements() -> None:
    counter = tf.Variable(0)
    counted = Dataset.range(5).map(lambda _: counter.assign_add(1)).enumerate()
    table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(counted), -1)
    assert table.lookup(tf.constant([0, 4, 5], tf.int64)).numpy().tolist() == [1, 5, -1]
    assert counter.numpy() == 5


def test_indices_of_words_with_buckets() -> None:
    words = Dataset.from_tensor_slices(["a", "b", "c"])
    table = tf.data.experimental.index_table_from_dataset(words, num_oov_buckets=2, vocab_size=2)
    found = table.lookup(tf.constant(["b", "a", "c", "x"])).numpy().tolist()
    assert found[:2] == [1, 0] and set(found[2:]) <= {2, 3}
    with pytest.raises(tf.errors.FailedPreconditionError):
        tf.data.experimental.index_table_from_dataset(words, vocab_size=4)


def test_numbers_of_words_default_to_minus_one() -> None:
    table = tf.data.experimental.table_from_dataset(Dataset.zip((Dataset.from_tensors("a"), Dataset.from_tensors(7))))
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [7, -1]


def test_what_is_no_table_is_refused() -> None:
    make = tf.data.experimental.table_from_dataset
    with pytest.raises(ValueError, match="instead of two"):
        tf.data.experimental.DatasetInitializer(Dataset.range(2))
    with pytest.raises(ValueError, match="values of shape"):
        tf.data.experimental.DatasetInitializer(Dataset.zip((Dataset.range(2), Dataset.range(2).batch(1))))
    with pytest.raises(ValueError, match="`default_value` must be specified"):
        make(entries())
    with pytest.raises(ValueError, match="`num_oov_buckets`"):
        make(entries(), num_oov_buckets=-1, default_value="")
    with pytest.raises(ValueError, match="`vocab_size`"):
        make(entries(), vocab_size=0, default_value="")
    with pytest.raises(TypeError, match="`key_dtype`"):
        make(entries(), key_dtype=tf.float32, default_value="")
    twice = Dataset.from_tensor_slices(([1, 1], [2, 3]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
        tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(twice), 0)
