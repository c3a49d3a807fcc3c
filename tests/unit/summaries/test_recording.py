"""Summaries of 2.x: when they are recorded, at which step, under which tag. Their values: tests/recorded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.tf1.summaries.state import STATE
from inlay.compat import v1 as tf1


@pytest.fixture(autouse=True)
def nothing_is_left_in_force() -> Iterator[None]:
    yield
    assert (STATE.writer, STATE.step, STATE.recording) == (None, None, None)


def recorded(folder: Path) -> list[tuple[str, int]]:
    """(tag, step) of each value."""
    found = [e for path in sorted(folder.iterdir()) for e in tf1.train.summary_iterator(str(path))]
    return [(v.tag, e.step) for e in found for v in e.summary.value]


def test_without_a_writer_nothing_is_recorded() -> None:
    assert not tf.summary.should_record_summaries()
    assert not tf.summary.scalar("a", 1.0)
    assert not tf.summary.write("a", lambda: pytest.fail("called"), step=1)
    with tf.summary.create_noop_writer().as_default():
        assert not tf.summary.scalar("a", 1.0, step=1)
    assert tf.summary.flush() is None


def test_the_step_is_that_of_the_call_of_the_writer_or_of_the_thread(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.scalar("none", 1.0)
    tf.summary.experimental.set_step(1)
    with writer.as_default():
        assert tf.summary.scalar("thread", 1.0)
        with writer.as_default(step=tf.Variable(2, dtype=tf.int64)):
            tf.summary.scalar("writer", 1.0)
            tf.summary.scalar("call", 1.0, step=3)
        tf.summary.scalar("thread", 1.0)
        with pytest.raises(ValueError, match="must be a scalar"):
            tf.summary.scalar("a", 1.0, step=[1, 2])
    assert tf.summary.experimental.get_step() == 1
    tf.summary.experimental.set_step(None)
    writer.close()
    assert recorded(tmp_path) == [("thread", 1), ("writer", 2), ("call", 3), ("thread", 1)]


def test_the_tag_is_the_name_behind_the_scopes_as_it_is(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def traced() -> None:
        with tf.name_scope("b"):
            tf.summary.scalar("loss!", 1.0)
            tf.summary.scalar("loss!", 2.0)

    with writer.as_default(step=0), tf.name_scope("a"):
        tf.summary.scalar("a loss", 1.0)
        tf.summary.scalar("a loss", 2.0)
        traced()
    writer.close()
    assert [tag for tag, _ in recorded(tmp_path)] == ["a/a loss", "a/a loss", "b/loss!", "b/loss!"]


def test_a_condition_is_asked_for_each_summary(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    asked: list[int] = []

    def even() -> Any:
        asked.append(1)
        return tf.equal(tf.summary.experimental.get_step() % 2, 0)

    with tf.summary.record_if(even):
        for k in range(4):
            with writer.as_default(step=tf.constant(k, tf.int64)):
                assert bool(tf.summary.scalar("x", 1.0)) == (k % 2 == 0)
    with writer.as_default(step=9), tf.summary.record_if(False):
        assert not tf.summary.should_record_summaries()
        tf.summary.write("x", lambda: pytest.fail("called"))
        with tf.summary.record_if(True):
            assert tf.summary.scalar("y", 1.0)
    writer.close()
    assert (recorded(tmp_path), len(asked)) == ([("x", 0), ("x", 2), ("y", 9)], 4)


def test_each_thread_has_a_writer_of_its_own(tmp_path: Path) -> None:
    writers = [tf.summary.create_file_writer(str(tmp_path / str(k))) for k in range(3)]
    ready = threading.Barrier(3)

    def work(k: int) -> None:
        with writers[k].as_default(step=k):
            ready.wait(30)
            tf.summary.scalar(f"of {k}", k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for writer in writers:
        writer.close()
    assert [recorded(tmp_path / str(k)) for k in range(3)] == [[(f"of {k}", k)] for k in range(3)]


def test_a_traced_function_records_what_a_python_function_gives(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def traced(x: Any) -> Any:
        loss = tf.numpy_function(lambda v: v.sum(), [x], tf.float32)
        loss.set_shape([])
        tf.summary.scalar("loss", loss)
        return loss

    step = tf.Variable(0, dtype=tf.int64)
    with writer.as_default(step=step):
        for k in range(3):
            step.assign(k)
            traced(tf.ones([k]))
    writer.close()
    assert recorded(tmp_path) == [("loss", k) for k in range(3)]


def test_a_summary_of_1x_goes_to_the_writer_in_force(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=3):
        for made in (
            tf1.summary.scalar("a", 1.0, family="f"),
            tf1.summary.histogram("b", [1.0]),
            tf1.summary.image("c", tf.zeros([1, 2, 2, 1])),
            tf1.summary.audio("d", tf.zeros([1, 4]), 8000),
            tf1.summary.text("e", tf.constant("x")),
        ):
            assert made.numpy() == b""
    writer.close()
    assert recorded(tmp_path) == [("f/f/a", 3), ("b", 3), ("c", 3), ("d", 3), ("e", 3)]


def test_the_graph_of_a_function_is_recorded(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    traced = tf.function(lambda x: tf.square(x, name="squared")).get_concrete_function(tf.TensorSpec([]))
    with writer.as_default():
        assert tf.summary.graph(traced.graph)
        with pytest.raises(ValueError, match="not tf.Graph"):
            tf.summary.graph("graph")
        with tf.Graph().as_default(), pytest.raises(ValueError, match="inside a graph"):
            tf.summary.graph(traced.graph)
    writer.close()
    assert not tf.summary.graph(traced.graph)
    (path,) = tmp_path.iterdir()
    message = tf1.GraphDef.FromString(list(tf1.train.summary_iterator(str(path)))[1].graph_def)
    assert "squared" in [node.name for node in message.node]


def test_in_a_graph_the_files_are_made_by_a_run(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph, tf1.Session() as session:
        with pytest.raises(RuntimeError, match="SummaryWriter"):
            tf1.summary.initialize(session=session)
        writer = tf.summary.create_file_writer(str(tmp_path / "logs"))
        with writer.as_default(step=1):
            made = tf.summary.scalar("a", 1.0)
            assert tf1.summary.all_v2_summary_ops() == [made]
            with pytest.raises(tf.errors.FailedPreconditionError, match="has no file yet: run its init"):
                session.run(made)
            tf1.summary.initialize(graph, session)
        assert session.run(made)
        session.run(writer.close())
        with pytest.raises(tf.errors.FailedPreconditionError, match="was closed"):
            session.run(made)
    assert tf1.summary.all_v2_summary_ops() is None
    assert recorded(tmp_path / "logs") == [("a", 1)]


def test_two_sessions_have_two_files(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default(step=1):
            made = tf.summary.scalar("a", 1.0)
        for _ in range(2):
            with tf1.Session(graph=graph) as session:
                session.run(writer.init())
                session.run(writer.init())
                session.run(made)
                session.run(writer.flush())
    assert len(list(tmp_path.iterdir())) == 2
    assert recorded(tmp_path) == [("a", 1)] * 2


def test_a_function_asks_whether_summaries_are_recorded(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool)])
    def asked(condition: Any) -> Any:
        answers = [tf.summary.should_record_summaries()]
        with writer.as_default():
            answers.append(tf.summary.should_record_summaries())
            for each in (False, condition):
                with tf.summary.record_if(each):
                    answers.append(tf.summary.should_record_summaries())
        return answers

    assert [bool(a) for a in asked(True)] == [False, True, False, True]
    assert [bool(a) for a in asked(False)] == [False, True, False, False]


def test_bytes_that_are_no_summary_are_refused(tmp_path: Path) -> None:
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(tf.errors.DataLossError, match="Bad tf.compat.v1.Summary"):
            tf.summary.experimental.write_raw_pb("notaproto", step=1)
