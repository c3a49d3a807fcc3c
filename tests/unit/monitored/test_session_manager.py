"""Scaffolds, and sessions that are made ready."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
train = v1.train
Keys = tf.GraphKeys


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def test_a_scaffold_makes_what_is_missing(graph: Any) -> None:
    v1.get_variable("w", [], initializer=v1.zeros_initializer())
    scaffold = train.Scaffold()
    assert scaffold.init_op is None and scaffold.init_fn is None
    assert scaffold.finalize() is scaffold
    assert graph.finalized
    assert isinstance(scaffold.saver, train.Saver)
    assert scaffold.summary_op is None
    for key in (Keys.INIT_OP, Keys.READY_OP, Keys.READY_FOR_LOCAL_INIT_OP, Keys.LOCAL_INIT_OP, Keys.SAVERS):
        assert len(graph.get_collection(key)) == 1
    with v1.Session() as sess:
        assert sess.run(scaffold.ready_op).tolist() == [b"w"]
        sess.run(scaffold.init_op)
        assert sess.run(scaffold.ready_for_local_init_op).tolist() == []
    assert train.Scaffold().finalize().init_op is scaffold.init_op  # nothing is made twice


def test_a_scaffold_takes_what_it_is_given_or_copies_it() -> None:
    init, ready = tf.no_op(), tf.constant([b"x"])
    x = v1.placeholder(tf.float32)
    given = train.Scaffold(init_op=init, ready_op=ready, init_feed_dict={x: 1.0}, local_init_feed_dict={x: 2.0})
    copy = train.Scaffold(ready_op=tf.constant([]), copy_from_scaffold=given)
    assert copy.init_op is init and copy.ready_op is not ready
    assert (copy.init_feed_dict, copy.local_init_feed_dict) == ({x: 1.0}, {x: 2.0})
    with pytest.raises(TypeError, match="not a Scaffold instance"):
        train.Scaffold(copy_from_scaffold=1)
    for _ in range(2):
        tf.add_to_collection(Keys.INIT_OP, tf.no_op())
    with pytest.raises(RuntimeError, match='More than one item in the collection "init_op"'):
        train.Scaffold().finalize()


def test_a_function_initializes_with_its_scaffold() -> None:
    w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    x = v1.placeholder(tf.float32)
    assign = w.assign(x)
    called: list[Any] = []

    def init(scaffold: Any, session: Any) -> None:
        called.append(scaffold)
        session.run(assign, {x: 5.0})

    scaffold = train.Scaffold(init_fn=init)
    sess = train.ChiefSessionCreator(scaffold).create_session()
    with sess:
        assert sess.run(w) == 5.0
    assert called == [scaffold]


def test_what_is_fed_to_the_first_operations() -> None:
    x = v1.placeholder(tf.float32, [])
    w = v1.Variable(x, name="w")
    with train.ChiefSessionCreator(train.Scaffold(init_feed_dict={x: 3.0})).create_session() as sess:
        assert sess.run(w) == 3.0


def test_tables_and_local_variables_are_initialized() -> None:
    local = v1.Variable(2.0, collections=[Keys.LOCAL_VARIABLES])
    counted = v1.Variable(0, collections=[])
    tf.add_to_collection(Keys.TABLE_INITIALIZERS, counted.initializer)
    with train.ChiefSessionCreator().create_session() as sess:
        assert sess.run([local, counted]) == [2.0, 0]


def test_a_session_is_restored_from_the_last_checkpoint(tmp_path: Path) -> None:
    w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    saver = train.Saver()
    with v1.Session() as sess:
        for n in (1.0, 2.0):
            sess.run(w.assign(n))
            saver.save(sess, str(tmp_path / "m"), global_step=int(n))
    ready, init = v1.report_uninitialized_variables(), v1.global_variables_initializer()
    manager = train.SessionManager(ready_op=ready)
    with manager.prepare_session("", init, saver, str(tmp_path)) as sess:
        assert sess.run(w) == 2.0
    with manager.prepare_session("", init, saver, checkpoint_filename_with_path=str(tmp_path / "m-1")) as sess:
        assert sess.run(w) == 1.0
    sess, restored = manager.recover_session("", saver, str(tmp_path))
    with sess:
        assert restored and sess.run(w) == 2.0
    with manager.recover_session("", saver, str(tmp_path / "none"))[0] as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(w)
    with pytest.raises(ValueError, match="both checkpoint_dir and checkpoint_filename_with_path"):
        manager.prepare_session("", init, saver, str(tmp_path), str(tmp_path / "m-1"))


def test_a_checkpoint_is_waited_for(tmp_path: Path) -> None:
    w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
    init, saver = v1.global_variables_initializer(), train.Saver()
    manager = train.SessionManager(recovery_wait_secs=0.001)
    with manager.prepare_session("", init, saver, str(tmp_path), wait_for_checkpoint=True, max_wait_secs=0.02) as sess:
        assert sess.run(w) == 0.0


def test_sessions_that_cannot_be_made_ready() -> None:
    v1.get_variable("w", [], initializer=v1.zeros_initializer())
    ready = v1.report_uninitialized_variables()
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        train.SessionManager().prepare_session("")
    with pytest.raises(RuntimeError, match="did not make model ready.*Variables not initialized: w"):
        train.SessionManager(ready_op=ready).prepare_session("", init_op=tf.no_op())
    with pytest.raises(ValueError, match="must also pass a local_init_op"):
        train.SessionManager(ready_for_local_init_op=ready)


def test_a_session_that_somebody_else_makes_ready() -> None:
    looks: list[int] = []

    def missing() -> Any:
        looks.append(1)
        return np.array([b"w"] if len(looks) < 3 else [], object)

    ready = v1.py_func(missing, [], tf.string)
    manager = train.SessionManager(ready_op=ready, recovery_wait_secs=0.001)
    manager.wait_for_session("", max_wait_secs=30).close()
    assert len(looks) == 3
    looks.clear()
    with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 0 secs"):
        manager.wait_for_session("", max_wait_secs=0)
