"""`Supervisor` of 1.x: its sessions, its threads, what it writes and what it refuses."""

from __future__ import annotations

import glob
import os
import tempfile
from typing import Any

from tests.golden.make_programs import refused, rows


def _events(tf: Any, folder: str) -> list[Any]:
    """What the events of a folder are, in order, without those of threads: checkpoints and rates."""
    kinds = []
    for path in sorted(glob.glob(os.path.join(folder, "events*"))):
        for event in tf.compat.v1.train.summary_iterator(path):
            kind = event.WhichOneof("what")
            if kind == "session_log":
                kinds.append((kind, event.session_log.status, event.step) if event.session_log.status != 3 else None)
            elif kind == "summary":
                values = [(v.tag, v.simple_value) for v in event.summary.value if not v.tag.endswith("/sec")]
                kinds.append((kind, values) if values else None)
            else:
                kinds.append((kind,))
    return [kind for kind in kinds if kind is not None]


def managed(tf: Any) -> Any:
    """A session that is prepared, runs, saves, and is restored by the next supervisor of the folder."""
    v1, seen = tf.compat.v1, []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            with tf.Graph().as_default():
                step = v1.train.get_or_create_global_step()
                v1.summary.scalar("twice", step * 2)
                summaries, more = v1.summary.merge_all(), step.assign_add(5)
                supervisor = v1.train.Supervisor(logdir=folder, summary_op=None, global_step=None, save_model_secs=0)
                with supervisor.managed_session("") as session:
                    seen.append(int(session.run(step)))
                    session.run(more)
                    supervisor.summary_computed(session, session.run(summaries), global_step=7)
                    supervisor.saver.save(session, supervisor.save_path, global_step=8)
                seen += [supervisor.should_stop(), os.path.basename(supervisor.save_path)]
                seen.append(refused(lambda: tf.constant(1)))
        return [*seen, sorted({str(e) for e in _events(tf, folder) if e[0] != "file_version"})]


@rows("OutOfRangeError", "RuntimeError")
def ended(tf: Any, kind: str) -> Any:
    """An exception in the block: the end of the input is none."""
    error = tf.errors.OutOfRangeError(None, None, "end") if kind == "OutOfRangeError" else RuntimeError("wrong")

    def run() -> Any:
        with supervisor.managed_session(""):
            raise error
        return "ended"

    with tf.Graph().as_default():
        supervisor = tf.compat.v1.train.Supervisor(logdir="")
        return [refused(run), supervisor.should_stop()]


def prepared(tf: Any) -> Any:
    """Variables from a fed operation, from a function, and from nothing; and what is refused."""
    train, seen = tf.compat.v1.train, []
    with tf.Graph().as_default():
        given = tf.compat.v1.placeholder(tf.float32, [2])
        v = tf.compat.v1.get_variable("v", initializer=given, validate_shape=False)
        supervisor = train.Supervisor(init_op=v.initializer, init_feed_dict={given: [1.0, 2.0]})
        session = supervisor.prepare_or_wait_for_session()
        seen += [session.run(v), refused(lambda: supervisor.summary_computed(session, b""))]
        seen.append([supervisor.save_path, supervisor.summary_writer, supervisor.is_chief, supervisor.save_model_secs])
        supervisor.stop()
        session.close()
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=3.0)
        supervisor = train.Supervisor(init_op=None, init_fn=lambda session: session.run(v.initializer))
        session = supervisor.prepare_or_wait_for_session()
        seen += [float(session.run(v)), supervisor.should_stop()]
        supervisor.stop()
        session.close()
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=3.0)
        tf.compat.v1.disable_resource_variables()
        tf.compat.v1.get_variable("w", initializer=3.0)
        seen.append(refused(lambda: train.Supervisor(is_chief=False)))
        tf.compat.v1.enable_resource_variables()
        supervisor = train.Supervisor(init_op=None)
        seen.append(refused(supervisor.prepare_or_wait_for_session))
    with tf.Graph().as_default():
        supervisor = train.Supervisor(is_chief=False)
        session = supervisor.prepare_or_wait_for_session()
        seen.append(refused(lambda: supervisor.start_standard_services(session)))
        session.close()
    return [*seen, refused(lambda: train.Supervisor())]


def loops(tf: Any) -> Any:
    """A training loop that goes on after an abort and ends when it is asked to."""
    calls = []

    def step(session: Any, word: str, more: int = 0) -> None:
        calls.append(f"{word}{more}")
        if len(calls) == 2:
            raise tf.errors.AbortedError(None, None, "again")
        if len(calls) == 4:
            supervisor.request_stop()

    with tf.Graph().as_default():
        supervisor = tf.compat.v1.train.Supervisor(logdir="")
        tf.compat.v1.train.basic_train_loop(supervisor, step, args=("a",), kwargs={"more": 1})
    return calls
