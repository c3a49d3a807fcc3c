"""A program that writes event files, for TensorFlow and for inlay alike: `program.write(tf, tf.compat.v1, folder)`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

FOLDERS = ("graph", "session_writer", "eager", "function")


def write(tf: Any, tf1: Any, folder: str) -> None:
    """Writes one event file into each of `FOLDERS` below a folder."""
    graph(tf, tf1, os.path.join(folder, "graph"))
    session_writer(tf, tf1, os.path.join(folder, "session_writer"))
    eager(tf, tf1, os.path.join(folder, "eager"))
    function(tf, tf1, os.path.join(folder, "function"))


def graph(tf: Any, tf1: Any, folder: str) -> None:
    """1.x: summary ops, merged, and a FileWriter."""
    drawn = np.random.RandomState(7).normal(size=(2, 200)).astype(np.float32)
    drawn[0, :3] = 0.0, 1e-13, 1e21
    with tf1.Graph().as_default() as graph, tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [None], name="x")
        with tf1.name_scope("net"):
            tf1.summary.scalar("loss", tf.reduce_sum(x))
            tf1.summary.scalar("loss", tf.reduce_max(x))
            tf1.summary.scalar("not a name!", tf.cast(x[0], tf.float64), family="some family")
            tf1.summary.histogram("values", x)
            tf1.summary.histogram("counts", tf.cast(x[3:9] * 10, tf.int32))
        tf1.summary.histogram("nothing", x[:0])
        shown = tf.reshape(x[3:51], [4, 2, 2, 3])
        tf1.summary.image("signed", shown)
        tf1.summary.image("positive", tf.abs(shown), max_outputs=1, family="images")
        tf1.summary.image("bytes", tf.cast(tf.abs(shown) * 60, tf.uint8))
        tf1.summary.image("bad", tf.concat([shown[:1] / 0.0, shown[:1]], 1))
        drawing = tf1.py_func(lambda v: np.full([1, 2, 3, 1], 100, np.uint8), [x], tf.uint8)
        tf1.summary.image("drawn", drawing)
        tf1.summary.audio("flat", tf.reshape(x[3:], [1, -1]), 8000.0)
        tf1.summary.audio("stereo", tf.reshape(x[3:53] / 9, [1, -1, 2]), tf.constant(16000.0), max_outputs=1)
        tf1.summary.text("words", tf.constant([["a", "b"], ["c", "d"]]))
        tf1.summary.tensor_summary("tensor", tf.cast(x[:4], tf.int64), "some *words*", display_name="the tensor")
        merged = tf1.summary.merge_all()
        writer = tf1.summary.FileWriter(folder, graph)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.START), 0)
        for step, values in enumerate(drawn):
            writer.add_summary(session.run(merged, {x: values}), step)
        by_hand = tf1.Summary(value=[tf1.Summary.Value(tag="by hand", simple_value=2.5)])
        writer.add_summary(by_hand, np.int64(2))
        writer.add_run_metadata(tf1.RunMetadata(), "step2", 2)
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.CHECKPOINT, checkpoint_path="model-2"), 2)
        writer.close()


def session_writer(tf: Any, tf1: Any, folder: str) -> None:
    """The writer of 2.x in a graph of 1.x."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        step = tf1.placeholder(tf.int64, [])
        writer = tf.summary.create_file_writer(folder)
        with writer.as_default(step=step), tf.name_scope("net"), tf.summary.record_if(tf.equal(step % 2, 0)):
            recorded = tf.summary.scalar("step", tf.cast(step, tf.float32) * 2)
        flush, close = writer.flush(), writer.close()
        session.run(writer.init())
        for k in range(4):
            session.run(recorded, {step: k})
        session.run(flush)
        session.run(close)


def record(tf: Any, x: Any) -> None:
    """One summary of each kind."""
    with tf.name_scope("net"):
        tf.summary.scalar("loss", tf.reduce_sum(x), description="the *loss*")
        tf.summary.histogram("values", x)
        tf.summary.histogram("four", tf.cast(x * 10, tf.int32), buckets=4)
    tf.summary.histogram("one value", x * 0)
    tf.summary.histogram("nothing", x[:0])
    tf.summary.image("image", tf.reshape(x[:48], [4, 2, 2, 3]), max_outputs=2)
    tf.summary.audio("audio", tf.reshape(x[:40], [2, 10, 2]), 8000)
    tf.summary.text("text", tf.constant(["a", "b"]))
    with tf.summary.experimental.summary_scope("own kind!", "own") as (tag, _):
        tf.summary.write(tag, lambda: x[:3] * 2)


def eager(tf: Any, tf1: Any, folder: str) -> None:
    """2.x while executing eagerly."""
    drawn = np.random.RandomState(8).normal(size=(2, 60)).astype(np.float32)
    writer = tf.summary.create_file_writer(folder)
    for step, values in enumerate(drawn):
        with writer.as_default(step=step):
            record(tf, tf.constant(values))
    with writer.as_default(step=7):
        tf1.summary.scalar("of 1.x", 3.0)
        message = tf1.Summary(value=[tf1.Summary.Value(tag="raw", simple_value=1.0)])
        tf.summary.experimental.write_raw_pb(message.SerializeToString())
    writer.close()


def function(tf: Any, tf1: Any, folder: str) -> None:
    """2.x in a traced function, every second step."""
    drawn = np.random.RandomState(9).normal(size=(3, 60)).astype(np.float32)
    writer = tf.summary.create_file_writer(folder)
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x: Any) -> Any:
        record(tf, x)
        return tf.reduce_sum(x)

    with writer.as_default(step=step), tf.summary.record_if(lambda: tf.equal(step % 2, 0)):
        for values in drawn:
            train(tf.constant(values))
            step.assign_add(1)
    writer.close()
