"""Tables of keys and values: in sessions, eagerly, in functions, over datasets and files; what they refuse."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows


def _file(text: str) -> str:
    handle, path = tempfile.mkstemp(suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    return path


def _words(tf: Any) -> Any:
    return tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], tf.constant([10, 20, 30], tf.int64))


def a_static_table(tf: Any) -> Any:
    table = tf.lookup.StaticHashTable(_words(tf), -1)
    ragged = table.lookup(tf.ragged.constant([["a", "z"], ["c"]]))
    sparse = table.lookup(tf.sparse.from_dense([["a", ""], ["", "q"]]))
    keys, values = table.export()
    order = np.argsort(values.numpy())

    @tf.function
    def traced(words: Any) -> Any:
        found = table.lookup(words)
        return found, found.shape.rank, table.size()

    dataset = tf.data.Dataset.from_tensor_slices(["c", "a", "none"]).map(table.lookup)
    return [
        table[tf.constant([["b", "x"]])], ragged.to_list(), sparse.values, sparse.dense_shape, table.size(),
        keys.numpy()[order].tolist(), values.numpy()[order], traced(tf.constant(["c", "b"])),
        [int(v) for v in dataset], table.key_dtype.name, table.value_dtype.name, table.default_value, table.name,
        refused(lambda: table.lookup(tf.constant([1]))),
        refused(lambda: tf.lookup.StaticHashTable(_words(tf), [1, 2])),
        refused(lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), 0)),
        refused(lambda: tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1, 2]), 0)),
    ]  # fmt: skip


@rows("float32", "int32", "int64", "string")
def tables_of_other_types(tf: Any, kind: str) -> Any:
    dtype = tf.as_dtype(kind)
    values: Any = ["x", "y"] if kind == "string" else [1, 0]
    default: Any = "none" if kind == "string" else 1
    keys = tf.constant([5, -7], tf.int64 if kind == "int64" else tf.int32)
    init = tf.lookup.KeyValueTensorInitializer(keys, tf.cast(values, dtype) if kind != "string" else values)
    table = tf.lookup.StaticHashTable(init, tf.cast(default, dtype) if kind != "string" else default)
    return [table.lookup(tf.cast([[-7, 5, 3]], keys.dtype)), table.lookup(keys[0]), table.size()]


def tables_in_a_session(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        table = tf.lookup.StaticHashTable(_words(tf), -1)
        strings = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer([0, 1], ["zero", "one"], name="numbers"), "UNK", name="by_number"
        )
        words = tf.placeholder(tf.string, [None, 2])
        found, back = table.lookup(words), strings.lookup(tf.constant([[1, 5]]))
        initializers = [op.name for op in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)]
        every = tf.tables_initializer()
        with tf.Session() as sess:
            first = refused(lambda: sess.run(back))
            sess.run(every)
            sess.run(table.initializer)
            values = sess.run([found, back, table.size()], {words: [["a", "b"], ["c", "d"]]})
        with tf.Session() as sess:
            second = refused(lambda: sess.run(table.size()))
            sess.run(tf.initializers.tables_initializer())
            again = sess.run(found, {words: [["c", "?"]]})
        names = [table.name, strings.name, table.resource_handle.name, found.name, back.name, table.size().name]
        return [first, values, second, again, initializers, every.name, names, found.shape, back.dtype.name]


def tables_of_a_host_function(tf: Any) -> Any:
    with first_behaviour(tf) as tf, tf.Session() as sess:
        table = tf.lookup.StaticHashTable(_words(tf), 0)
        at = tf.placeholder_with_default([0, 1], [None])
        drawn = tf.py_func(lambda v: np.array([b"a", b"c", b"x"], object)[v], [at], tf.string)
        mean, update = tf.metrics.mean(table.lookup(drawn))
        sess.run([tf.tables_initializer(), tf.local_variables_initializer()])
        return [sess.run(update), sess.run(update), sess.run(mean)]


def tables_from_files(tf: Any) -> Any:
    path = _file("emerson\nlake\npalmer\n")
    columns = _file("1,uno\n2,due\n3,tre\n")
    index, make = tf.lookup.TextFileIndex, tf.lookup.TextFileInitializer
    try:
        ids = tf.lookup.StaticHashTable(make(path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER), -1)
        two = tf.lookup.StaticHashTable(make(path, tf.string, -2, tf.int64, -1, vocab_size=2, value_index_offset=5), -1)
        words = tf.lookup.StaticHashTable(make(columns, tf.int64, 0, tf.string, 1, delimiter=","), "none")
        other = tf.lookup.StaticHashTable(make(columns, tf.string, 1, tf.float32, 0, delimiter=","), 0.5)
        asked = tf.constant(["lake", "palmer", "tarkus"])
        short = [
            refused(lambda: tf.lookup.StaticHashTable(make(path, tf.string, -2, tf.int64, -1, vocab_size=9), -1)),
            refused(lambda: tf.lookup.StaticHashTable(make(path, tf.string, 0, tf.int64, 1), -1)),
            refused(lambda: tf.lookup.StaticHashTable(make(columns, tf.int64, 1, tf.string, 0, delimiter=","), "")),
            refused(lambda: tf.lookup.StaticHashTable(make(path + "x", tf.string, -2, tf.int64, -1), -1)),
            refused(lambda: make("", tf.string, -2, tf.int64, -1)),
            refused(lambda: make(path, tf.string, -1, tf.int64, -1)),
            refused(lambda: make(path, tf.string, -3, tf.int64, -1)),
            refused(lambda: make(path, tf.float32, -2, tf.int64, -1)),
            refused(lambda: make(path, tf.string, -2, tf.int64, -1, vocab_size=0)),
        ]
        return [
            ids.lookup(asked), two.lookup(asked), words.lookup(tf.constant([3, 9], tf.int64)), ids.size(), two.size(),
            other.lookup(tf.constant(["due", "?"])), short,
        ]  # fmt: skip
    finally:
        os.remove(path)
        os.remove(columns)


def a_table_from_a_file_in_a_session(tf: Any) -> Any:
    path = _file("emerson\nlake\npalmer\n")
    with first_behaviour(tf) as tf, tf.Session() as sess:
        table = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1), 3)
        dataset = tf.data.Dataset.from_tensor_slices(["lake", "king", "emerson"]).map(table.lookup).batch(3)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        sess.run([tf.tables_initializer(), iterator.initializer])
        kept = [len(tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)), len(tf.get_collection("table_initializer"))]
        found = [sess.run(element), sess.run(table.size()), kept, table.name]
    os.remove(path)
    return found


def vocabularies(tf: Any) -> Any:
    init = tf.lookup.KeyValueTensorInitializer(tf.constant([4, 5], tf.int64), tf.constant([0, 1], tf.int64))
    words = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64)), 5
    )
    numbers = tf.lookup.StaticVocabularyTable(init, 4, lookup_key_dtype=tf.int32)
    buckets = tf.lookup.StaticVocabularyTable(None, 7)
    return [
        words.lookup(tf.constant(["a", "q", "b", "xyz"])), words.size(), numbers.lookup(tf.constant([4, 9, 5, 11])),
        buckets.lookup(tf.constant(["a", "b"])), buckets.size(), words.key_dtype.name, numbers.key_dtype.name,
        words.lookup(tf.ragged.constant([["a"], ["q", "b"]])).to_list(), words.name, buckets.name,
        refused(lambda: tf.lookup.StaticVocabularyTable(init, 0)),
        refused(lambda: tf.lookup.StaticVocabularyTable(init, 1, lookup_key_dtype=tf.string)),
        refused(lambda: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], ["b"]), 1)),
        refused(lambda: words.lookup(tf.constant([1]))),
    ]  # fmt: skip


def _sorted(exported: Any, *unused: Any) -> Any:
    """Entries by key; TensorFlow's dense tables export their unused places too."""
    keys, values = (np.asarray(v) for v in exported)
    keys = keys.reshape(len(keys))
    order = [i for i in np.argsort(keys) if keys[i] not in unused]
    return [keys[order].tolist(), values.reshape(len(keys), -1)[order].tolist()]


@rows("scalars", "vectors", "dense", "dense vectors")
def tables_that_change(tf: Any, what: str) -> Any:
    default: Any = tf.constant([-1.0, -2.0]) if "vectors" in what else tf.constant(-1.0)
    wide = (lambda v: tf.stack([v, v * 2.0], -1)) if "vectors" in what else (lambda v: v)
    if what.startswith("dense"):
        table = tf.lookup.experimental.DenseHashTable(
            tf.int64, tf.float32, default, empty_key=0, deleted_key=-1, initial_num_buckets=4
        )
    else:
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, default)
    start = [table.size(), table.lookup(tf.constant([1], tf.int64))]
    table.insert(tf.constant([1, 2, 3, 2], tf.int64), wide(tf.constant([1.0, 2.0, 3.0, 4.0])))
    table.remove(tf.constant([3, 8], tf.int64))
    some = [table.lookup(tf.constant([1, 2, 3, 4], tf.int64)), table[tf.constant([2], tf.int64)]]
    if not what.startswith("dense"):  # TensorFlow's takes vectors of keys only
        some += [table.lookup(tf.constant([[1, 2], [3, 4]], tf.int64)), table[tf.constant(2, tf.int64)]]
    found = [table.size(), *some]

    @tf.function
    def traced(key: Any) -> Any:
        before = table.lookup(key)
        table.insert(key, wide(tf.cast(key, tf.float32) * 10.0))
        return before, table.lookup(key), table.size()

    found += [
        traced(tf.constant([2, 7], tf.int64)),
        traced(tf.constant([2, 7], tf.int64)),
        _sorted(table.export(), 0, -1),
    ]
    refusals = [
        refused(lambda: table.insert(tf.constant([1], tf.int64), wide(tf.constant([1.0, 2.0])))),
        refused(lambda: table.remove(tf.constant([1]))),
        refused(lambda: table.lookup(tf.constant(["x"]))),
    ]
    if what.startswith("dense"):
        refusals += [refused(lambda: table.lookup(tf.constant([0], tf.int64)))]
        refusals += [refused(lambda: table.insert(tf.constant([-1], tf.int64), wide(tf.constant([1.0]))))]
    else:
        own = wide(tf.constant([5.0, 6.0]))
        found += [table.lookup(tf.constant([1, 100], tf.int64), dynamic_default_values=own)]
    return [start, found, refusals, table.name]


def a_changing_table_in_a_session(tf: Any) -> Any:
    with first_behaviour(tf) as tf, tempfile.TemporaryDirectory() as folder:
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, name="t1")
        key, value = tf.placeholder(tf.string, [None]), tf.placeholder(tf.int64, [None])
        insert, found, size = table.insert(key, value), table.lookup(key), table.size()
        v = tf.Variable(3.0, name="v")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(insert, {key: ["a", "b"], value: [1, 2]})
            path = saver.save(sess, os.path.join(folder, "model"))
            sess.run(insert, {key: ["a", "c"], value: [7, 8]})
            seen = [sess.run([found, size], {key: ["a", "b", "c"]})]
            saver.restore(sess, path)
            seen.append(sess.run([found, size], {key: ["a", "b", "c"]}))
        with tf.Session() as sess:
            seen.append(sess.run([found, size], {key: ["a"]}))
            saver.restore(sess, path)
            seen.append(sess.run([found, size, v], {key: ["a", "b", "c"]}))
        keys = sorted(name for name, _ in tf.train.list_variables(path))
        return [seen, keys, table.name, found.name, insert.name, found.shape]


@rows("mutable", "dense")
def tables_in_checkpoints(tf: Any, what: str) -> Any:
    def made() -> Any:
        if what == "dense":
            return tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="-")
        return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    with tempfile.TemporaryDirectory() as folder:
        table, other = made(), made()
        table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
        path = tf.train.Checkpoint(table=table).save(os.path.join(folder, "ckpt"))
        other.insert(tf.constant(["c"]), tf.constant([9], tf.int64))
        tf.train.Checkpoint(table=other).restore(path).assert_consumed()
        keys = [n for n, _ in tf.train.list_variables(path) if "table" in n]
        return [_sorted(other.export(), b"", b"-"), keys]


def refused_tables(tf: Any) -> Any:
    dense = tf.lookup.experimental.DenseHashTable
    return [
        refused(lambda: dense(tf.int64, tf.int64, -1, empty_key=0, deleted_key=0)),
        refused(lambda: tf.lookup.KeyValueTensorInitializer(["a"], [1], key_dtype=tf.int64)),
        refused(lambda: tf.lookup.StaticHashTable(_words(tf), "text")),
    ]
