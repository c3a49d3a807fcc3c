"""Datasets of the rows of queries."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import inlay as tf


@pytest.fixture
def database(tmp_path: Path) -> str:
    path = tmp_path / "people #1?.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (name TEXT, age INTEGER, size REAL)")
        rows = [("Ann", 61, 1.5), (None, None, None), ("Zoë", -300, -1.25)]
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    return str(path)


def people(database: str, query: str, types: Any) -> Any:
    return tf.data.experimental.SqlDataset("sqlite", database, query, types)


def test_rows_in_the_types_asked_for(database: str) -> None:
    dataset = people(database, "SELECT name, age, size FROM people", (tf.string, tf.int32, tf.float64))
    assert list(dataset.as_numpy_iterator()) == [(b"Ann", 61, 1.5), (b"", 0, 0.0), ("Zoë".encode(), -300, -1.25)]
    other = people(database, "SELECT age, age, name, size FROM people", (tf.bool, tf.int8, tf.int64, tf.string))
    assert list(other.take(1).as_numpy_iterator()) == [(True, 61, 0, b"1.5")]


def test_the_position_of_a_query(database: str) -> None:
    dataset = people(database, "SELECT age FROM people ORDER BY age DESC", (tf.int64,))
    one, other = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
    assert next(one) == (61,)
    other.restore(one.save())
    assert list(other) == list(one)


def test_the_database_is_free_at_the_end(database: str) -> None:
    iterator = iter(people(database, "SELECT age FROM people", (tf.int64,)))
    assert len(list(iterator)) == 3
    with closing(sqlite3.connect(database, timeout=0)) as connection, connection:
        connection.execute("DROP TABLE people")
    assert next(iterator, None) is None


def test_the_database_is_free_once_a_restored_iterator_is_gone(database: str, tmp_path: Path) -> None:
    def read(restored: str | None) -> str:
        iterator = iter(people(database, "SELECT age FROM people", (tf.int64,)))
        checkpoint = tf.train.Checkpoint(iterator=iterator)
        checkpoint.restore(restored)
        next(iterator)
        return checkpoint.save(str(tmp_path / "position"))

    gc.disable()  # an iterator in a reference cycle would hold the lock until the collector comes
    try:
        read(read(None))
    finally:
        gc.enable()
    with closing(sqlite3.connect(database, timeout=0)) as connection, connection:
        connection.execute("DROP TABLE people")


def test_a_locked_database_is_unavailable(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **kwargs: connect(*args, **{**kwargs, "timeout": 0}))
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with pytest.raises(tf.errors.UnavailableError, match="database is locked"):
            list(people(database, "SELECT age FROM people", (tf.int64,)))


def test_what_cannot_be_asked_is_refused(database: str, tmp_path: Path) -> None:
    with pytest.raises(tf.errors.UnknownError, match="no such column: nobody"):
        list(people(database, "SELECT nobody FROM people", (tf.string,)))
    with pytest.raises(tf.errors.UnknownError, match="syntax error"):
        list(people(database, "SELEKT name FROM people", (tf.string,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="one statement at a time"):
        list(people(database, "SELECT 1; SELECT 2", (tf.int64,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"number of columns in query \(2\)"):
        list(people(database, "SELECT name, age FROM people", (tf.string,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="unable to open database"):
        list(people(str(tmp_path / "none.db"), "SELECT 1", (tf.int64,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="readonly"):
        list(people(database, "DELETE FROM people", (tf.int64,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="mysql, is not supported"):
        list(tf.data.experimental.SqlDataset("mysql", database, "SELECT 1", (tf.int64,)))
    with pytest.raises(TypeError, match="no dtype complex64"):
        people(database, "SELECT name FROM people", (tf.complex64,))
