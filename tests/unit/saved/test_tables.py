"""Tables in saved models: with a copy of their file, or with their entries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


class Numbers(tf.Module):
    """A table that a function uses."""

    def __init__(self, table: Any) -> None:
        super().__init__()
        self.table = table

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def numbers(self, words: Any) -> Any:
        return self.table.lookup(words)


def _asked(loaded: Any) -> list[int]:
    return loaded.numbers(tf.constant(["lake", "tarkus"])).numpy().tolist()  # type: ignore[no-any-return]


def test_a_table_of_a_file_goes_along_with_a_copy_of_it(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("emerson\nlake\n")
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(str(file), tf.string, -2, tf.int64, -1), -1)
    tf.saved_model.save(Numbers(table), tmp_path / "model")
    file.unlink()
    os.rename(tmp_path / "model", tmp_path / "moved")
    loaded = tf.saved_model.load(tmp_path / "moved")
    assert _asked(loaded) == [1, -1]
    assert int(loaded.table.size()) == 2
    assert [p.read_text() for p in (tmp_path / "moved" / "assets").rglob("words.txt")] == ["emerson\nlake\n"]
    tf.saved_model.save(loaded, tmp_path / "again")
    assert _asked(tf.saved_model.load(tmp_path / "again")) == [1, -1]


def test_a_table_of_tensors_goes_along_with_its_entries(tmp_path: Path) -> None:
    init = tf.lookup.KeyValueTensorInitializer(["lake"], tf.constant([7], tf.int64))
    tf.saved_model.save(Numbers(tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["emerson", "lake"], tf.constant([0, 1], tf.int64)), 1
    )), tmp_path / "vocabulary")  # fmt: skip
    tf.saved_model.save(Numbers(tf.lookup.StaticHashTable(init, -1)), tmp_path / "model")
    assert _asked(tf.saved_model.load(tmp_path / "model")) == [7, -1]
    assert _asked(tf.saved_model.load(tmp_path / "vocabulary")) == [1, 2]


@pytest.mark.parametrize("kind", ["mutable", "dense"])
def test_a_table_that_changes_is_saved_as_it_is(tmp_path: Path, kind: str) -> None:
    tables = tf.lookup.experimental
    if kind == "dense":
        table = tables.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="-")
    else:
        table = tables.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["lake"]), tf.constant([5], tf.int64))
    tf.saved_model.save(Numbers(table), tmp_path / "model")
    table.insert(tf.constant(["lake"]), tf.constant([6], tf.int64))
    loaded = tf.saved_model.load(tmp_path / "model")
    assert _asked(loaded) == [5, -1]
    if kind == "dense":
        with pytest.raises(tf.errors.InvalidArgumentError, match="Using the empty_key as a table key"):
            loaded.numbers(tf.constant([""]))


@pytest.mark.parametrize("kind", ["mutable", "dense"])
def test_a_changeable_table_of_a_graph_is_saved_as_the_default_session_has_it(tmp_path: Path, kind: str) -> None:
    tables = tf.lookup.experimental
    with tf.Graph().as_default():
        if kind == "dense":
            table = tables.DenseHashTable(tf.string, tf.int64, -1, empty_key="", deleted_key="-")
        else:
            table = tables.MutableHashTable(tf.string, tf.int64, -1)
        insert = table.insert(tf.constant(["lake"]), tf.constant([5], tf.int64))
        with pytest.raises(ValueError, match="No default session"):
            tf.saved_model.save(Numbers(table), tmp_path / "model")
        with v1.Session() as sess:
            sess.run(insert)
            tf.saved_model.save(Numbers(table), tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    assert _asked(loaded) == [5, -1]
    with tf.Graph().as_default(), v1.Session() as sess:
        numbers = tf.saved_model.load(tmp_path / "model").numbers(tf.constant(["lake", "sea"]))
        sess.run(v1.tables_initializer())
        assert sess.run(numbers).tolist() == [5, -1]


def test_a_table_of_a_graph_that_is_filled_from_a_file_goes_along_with_a_copy_of_it(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("lake\nsea\n", encoding="utf-8")
    with tf.Graph().as_default(), v1.Session():
        lines = tf.lookup.TextFileIndex
        initializer = tf.lookup.TextFileInitializer(
            str(words), tf.string, lines.WHOLE_LINE, tf.int64, lines.LINE_NUMBER
        )
        tf.saved_model.save(Numbers(tf.lookup.StaticHashTable(initializer, -1)), tmp_path / "model")
    words.unlink()
    assert [file.name for file in (tmp_path / "model" / "assets").rglob("*.txt")] == ["words.txt"]
    assert _asked(tf.saved_model.load(tmp_path / "model")) == [0, -1]


def test_the_table_of_a_graph_is_saved_with_its_session_alone(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        table = v1.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
        words = v1.placeholder(tf.string, [None], "words")
        with v1.Session() as sess:
            outputs = {"n": table.lookup(words)}
            v1.saved_model.simple_save(sess, str(tmp_path / "graph"), {"w": words}, outputs, v1.tables_initializer())
    serve = tf.saved_model.load(tmp_path / "graph").signatures["serving_default"]
    assert serve(w=tf.constant(["a", "b"]))["n"].numpy().tolist() == [1, 0]
    model = tf.Module()
    model.table = table
    with pytest.raises(tf.errors.InaccessibleTensorError, match="table is the table hash_table of a graph"):
        tf.saved_model.save(model, tmp_path / "model")
