"""Tables: in datasets on threads and processes, shared by threads, in functions that hosts call, while being filled."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops.hash_tables.table_state import TableSpec, TableState

v1 = tf.compat.v1


def _table() -> Any:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    return tf.lookup.StaticHashTable(init, -1)


def test_keys_that_are_vectors_have_one_value_each_in_graphs() -> None:
    with tf.Graph().as_default():
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, [0, 0], [0, -1])
        assert table.lookup(tf.constant([[1, 2], [3, 4], [5, 6]], tf.int64)).shape == [3]


def test_datasets_look_up_in_parallel() -> None:
    table = _table()
    words = tf.data.Dataset.from_tensor_slices(["a", "x", "b", "a"])
    found = words.map(lambda w: table.lookup(w) * 10, num_parallel_calls=2)
    assert [int(v) for v in found] == [10, -10, 20, 10]


def test_a_table_stays_in_its_process() -> None:
    table = _table()
    words = tf.data.Dataset.from_tensor_slices(["a"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="captures a TableState; it stays in this process"):
        list(words.map(lambda w: table.lookup(w), executor="processes"))


def test_a_host_function_looks_up() -> None:
    table = _table()
    found = tf.py_function(lambda w: table.lookup(w) + 1, [tf.constant(["a", "?"])], tf.int64)
    assert found.numpy().tolist() == [2, 0]


def test_a_table_that_changes_is_not_copied_into_another_process() -> None:
    state = TableState(TableSpec("MutableHashTable", tf.string, tf.int64), "t")
    with pytest.raises(TypeError, match="the table t can be changed"):
        pickle.dumps(state)
    static = TableState(TableSpec("HashTable", tf.string, tf.int64), "t")
    static.fill(np.array([b"a"], object), np.array([4]))
    again = pickle.loads(pickle.dumps(static))
    assert again.entries == {b"a": 4} and again.spec == static.spec


def test_threads_insert_at_once_and_lose_nothing() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def insert(start: int) -> None:
        for i in range(start, start + 50):
            table.insert(tf.constant([i], tf.int64), tf.constant([i * 2], tf.int64))
            assert int(table.lookup(tf.constant(i, tf.int64))) == i * 2

    threads = [threading.Thread(target=insert, args=(start,)) for start in (0, 50, 100, 150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert int(table.size()) == 200


def test_sessions_have_tables_of_their_own() -> None:
    with tf.Graph().as_default():
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.0)
        insert = table.insert(tf.constant(["k"]), tf.constant([2.5]))
        found = table.lookup(tf.constant(["k"]))
        with v1.Session() as one, v1.Session() as other:
            one.run(insert)
            assert one.run(found).tolist() == [2.5] and other.run(found).tolist() == [0.0]


def test_vectors_and_strings_as_values() -> None:
    words = tf.lookup.experimental.MutableHashTable(tf.int64, tf.string, ["", "none"])
    words.insert(tf.constant([1], tf.int64), tf.constant([["x", "y"]]))
    assert words.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [[b"x", b"y"], [b"", b"none"]]
    pairs = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=tf.constant([0, 0], tf.int64), deleted_key=tf.constant([-1, -1], tf.int64)
    )
    pairs.insert(tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([12, 34], tf.int64))
    assert pairs.lookup(tf.constant([[3, 4], [4, 3]], tf.int64)).numpy().tolist() == [34, -1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Using the deleted_key as a table key is not allowed"):
        pairs.lookup(tf.constant([[-1, -1]], tf.int64))


def test_a_dense_table_exports_all_its_places_and_grows() -> None:
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.string, "", 0, -1, initial_num_buckets=4)
    table.insert(tf.constant([11, 12, 13], tf.int64), ["a", "b", "c"])
    table.remove(tf.constant([12, 99], tf.int64))
    keys, values = table.export()
    assert sorted(keys.numpy()) == [-1, 0, 11, 13] and sorted(values.numpy()) == [b"", b"a", b"b", b"c"]
    table.insert(tf.constant([13, 14, 15, 16, 17], tf.int64), list("defgh"))
    assert (len(table.export()[0]), int(table.size())) == (16, 6)
    for buckets in (3, 2, 6):
        with pytest.raises(tf.errors.InvalidArgumentError, match="power of 2"):
            tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -1, initial_num_buckets=buckets)


def test_contrib_names(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("emerson\nlake\n")
    lookup = tf.contrib.lookup
    with tf.Graph().as_default(), v1.Session() as sess:
        ids = lookup.index_table_from_file(str(file), num_oov_buckets=1)
        words = lookup.index_to_string_table_from_file(str(file), default_value="?")
        tensor = lookup.index_table_from_tensor(["x", "y"], default_value=9)
        back = lookup.index_to_string_table_from_tensor(["x", "y"])
        table = lookup.HashTable(lookup.KeyValueTensorInitializer([1], [2]), 0)
        found = [
            ids.lookup(tf.constant(["lake", "king"])), words.lookup(tf.constant([0, 7], tf.int64)),
            tensor.lookup(tf.constant(["y", "z"])), back.lookup(tf.constant([0, 5], tf.int64)), table.lookup([1, 5]),
        ]  # fmt: skip
        sess.run(v1.tables_initializer())
        sess.run([ids.init, table.init])
        values = [v.tolist() for v in sess.run(found)]
    assert values == [[1, 2], [b"emerson", b"?"], [1, 9], [b"x", b"UNK"], [2, 0]]


def test_a_file_with_an_empty_line_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("emerson\n\nlake\n")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"empty line found at position 8\."):
        tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(str(file), tf.string, -2, tf.int64, -1), -1)


def test_graphs_with_tables_travel_as_messages() -> None:
    with tf.Graph().as_default() as graph:
        table = v1.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [5]), 0)
        changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int32, 1)
        found = table.lookup(tf.constant(["a", "b"])) + changing.lookup(tf.constant(["a", "c"]))
        names = table.initializer.name, changing.insert(tf.constant(["c"]), tf.constant([7])).name, found.name
    message = graph.as_graph_def()
    node = next(n for n in message.node if n.op == "HashTableV2")
    assert (node.attr["key_dtype"].type, node.attr["value_dtype"].type) == (7, 3)
    with tf.Graph().as_default() as other:
        tf.graph_util.import_graph_def(message, name="")
        with v1.Session() as sess:
            sess.run(names[:2])
            assert sess.run(other.get_tensor_by_name(names[2])).tolist() == [6, 7]


def test_changes_give_nothing_eagerly() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    assert table.insert(["a"], [1]) is None
    assert table.remove(tf.constant(["a"])) is None
    assert tf.raw_ops.NoOp() is None
