"""Iterators of graphs in checkpoints of `train.Saver`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inlay as tf


def pipeline() -> tuple[Any, Any, Any]:
    dataset = tf.data.Dataset.range(10).shuffle(5, seed=3, reshuffle_each_iteration=False).prefetch(2)
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
    return iterator.initializer, iterator.get_next(), tf.compat.v1.train.Saver()


def test_an_iterator_goes_on_in_another_session(tmp_path: Path) -> None:
    path = str(tmp_path / "iterator")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        begin, element, saver = pipeline()
        session.run(begin)
        first = [int(session.run(element)) for _ in range(4)]
        saver.save(session, path)
        rest = [int(session.run(element)) for _ in range(6)]
        saver.restore(session, path)
        assert [int(session.run(element)) for _ in range(6)] == rest
    assert sorted(first + rest) == list(range(10))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        begin, element, saver = pipeline()
        session.run(begin)
        saver.restore(session, path)
        assert [int(session.run(element)) for _ in range(6)] == rest
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_an_iterator_that_was_not_begun_is_not_saved(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        _, _, saver = pipeline()
        with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
            saver.save(session, str(tmp_path / "iterator"))


def test_positions_that_hold_datasets_are_restored_into_a_graph_that_was_read(tmp_path: Path) -> None:
    path = str(tmp_path / "at")
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        inner = tf.data.Dataset.from_tensor_slices(list(range(8))).shuffle(8, seed=3)
        whole = tf.data.Dataset.from_tensors(inner).repeat(2).flat_map(lambda numbers: numbers)
        iterator = tf.compat.v1.data.make_initializable_iterator(whole)
        element = iterator.get_next()
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS, saveable)
        for part in (iterator.initializer, element):
            tf.compat.v1.add_to_collection("parts", part)
        sess.run(iterator.initializer)
        for _ in range(11):
            sess.run(element)
        tf.compat.v1.train.Saver(allow_empty=True).save(sess, path)
        rest = [int(sess.run(element)) for _ in range(5)]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        saver = tf.compat.v1.train.import_meta_graph(path + ".meta")
        begins, element = tf.compat.v1.get_collection("parts")
        sess.run(begins)
        saver.restore(sess, path)
        assert [int(sess.run(element)) for _ in range(5)] == rest
