"""Monitored sessions: how they begin, run with hooks, recover, and end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
train = v1.train


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made
    v1.summary.FileWriterCache.clear()
    assert not [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]


class Told(train.SessionRunHook):  # type: ignore[misc]
    """Keeps what it is called with."""

    def __init__(self, args: Any = None, fails_at: str = "") -> None:
        self.calls: list[str] = []
        self.args, self.fails_at, self.values, self.context = args, fails_at, None, None

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if name == self.fails_at:
            raise ValueError(f"hook failed at {name}")

    def begin(self) -> None:
        self._call("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        assert isinstance(coord, train.Coordinator)
        self._call("created")

    def before_run(self, run_context: Any) -> Any:
        self.context = run_context
        self._call("before")
        return self.args

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.values = run_values
        self._call("after")

    def end(self, session: Any) -> None:
        self._call("end")


def step() -> Any:
    """Adds one to the global step."""
    return train.get_or_create_global_step().assign_add(1)


def test_it_initializes_runs_and_closes(graph: Any) -> None:
    w = v1.get_variable("w", [], initializer=tf.constant_initializer(3.0))
    local = v1.get_local_variable("l", [], initializer=tf.constant_initializer(4.0))
    hook = Told()
    with train.MonitoredSession(hooks=[hook]) as sess:
        assert sess.graph is graph and graph.finalized
        assert sess.run([w, local]) == [3.0, 4.0]
        assert not sess.should_stop()
    assert sess.should_stop() and sess.graph is None
    assert not graph.finalized
    assert hook.calls == ["begin", "created", "before", "after", "end"]
    with pytest.raises(RuntimeError, match="already closed"):
        sess.run(w)
    with pytest.raises(RuntimeError, match="already closed"):
        sess.close()


def test_hooks_fetch_and_feed() -> None:
    x, y = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
    one = Told(train.SessionRunArgs({"x": x}, {x: 2.0}))
    two = Told(train.SessionRunArgs([x, y]))
    total = x + y
    with train.MonitoredSession(hooks=[one, two]) as sess:
        assert sess.run(total, {y: 3.0}) == 5.0
    assert one.values.results == {"x": 2.0}
    assert two.values.results == [2.0, 3.0]
    assert isinstance(one.values.options, v1.RunOptions)
    assert one.context.original_args.feed_dict == {y: 3.0}
    assert (one.context.stop_requested, type(one.context.session)) == (False, v1.Session)


def test_hooks_and_callers_feed_different_tensors() -> None:
    x = v1.placeholder(tf.float32)
    hook = Told(train.SessionRunArgs(None, {x: 1.0}))
    with train.MonitoredSession(hooks=[hook]) as sess:
        with pytest.raises(RuntimeError, match="Same tensor is fed by a SessionRunHook and user"):
            sess.run(x, {x: 2.0})
        assert sess.run(x) == 1.0
    with train.MonitoredSession(hooks=[hook, Told(hook.args)]) as sess:
        with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks"):
            sess.run(x)


def test_a_hook_may_set_a_deadline() -> None:
    waiting = v1.FIFOQueue(1, tf.int32).dequeue()
    hook = Told(train.SessionRunArgs(None, options=v1.RunOptions(timeout_in_ms=20)))
    with pytest.raises(tf.errors.DeadlineExceededError), train.MonitoredSession(hooks=[hook]) as sess:
        sess.run(waiting)


@pytest.mark.parametrize("error", [tf.errors.OutOfRangeError, StopIteration])
def test_the_end_of_the_input_ends_the_block(error: Any) -> None:
    hook = Told()
    with train.MonitoredSession(hooks=[hook]):
        raise error(None, None, "end") if error is not StopIteration else error()
    assert hook.calls == ["begin", "created", "end"]


def test_other_errors_leave_the_block_without_the_end_of_hooks() -> None:
    hook = Told()
    with pytest.raises(KeyError), train.MonitoredSession(hooks=[hook]):
        raise KeyError("user")
    assert hook.calls == ["begin", "created"]


@pytest.mark.parametrize("where", ["created", "before", "after", "end"])
def test_a_hook_that_fails_leaves_no_thread(where: str, graph: Any) -> None:
    q = train.range_input_producer(100, shuffle=False)
    number = q.dequeue()
    with pytest.raises(ValueError, match=f"hook failed at {where}"):
        with train.MonitoredSession(hooks=[Told(fails_at=where)]) as sess:
            sess.run(number)


def test_queues_are_filled_and_emptied_to_the_end() -> None:
    number = train.range_input_producer(5, num_epochs=2, shuffle=False).dequeue()
    doubled = v1.py_func(lambda n: np.int64(2 * n), [number], tf.int64)
    batch = train.batch([doubled], 4, shapes=[[]], allow_smaller_final_batch=True)
    found: list[int] = []
    with train.MonitoredSession() as sess:
        while not sess.should_stop():
            found += sess.run(batch).tolist()
    assert found == [0, 2, 4, 6, 8] * 2


def test_an_error_in_a_runner_reaches_the_block() -> None:
    def fails() -> np.float32:
        raise ValueError("broken source")

    batch = train.batch([v1.py_func(fails, [], tf.float32)], 2, shapes=[[]])
    with pytest.raises(ValueError, match="broken source"):
        with train.MonitoredSession() as sess:
            while not sess.should_stop():
                try:
                    sess.run(batch)
                except tf.errors.OutOfRangeError:
                    break


@pytest.mark.parametrize("lost", [tf.errors.AbortedError, tf.errors.UnavailableError])
def test_a_lost_session_is_made_again(lost: Any, tmp_path: Path) -> None:
    runs: list[int] = []

    def unreliable() -> np.int64:
        runs.append(1)
        if len(runs) == 3:
            raise lost(None, None, "worker gone")
        return np.int64(len(runs))

    counted = step()
    with tf.control_dependencies([counted]):
        value = v1.py_func(unreliable, [], tf.int64)
    hook = Told()
    with train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_steps=1, hooks=[hook]) as sess:
        assert [int(sess.run(value)) for _ in range(3)] == [1, 2, 4]
        assert int(sess.run(train.get_global_step())) >= 3  # it went on from the last checkpoint
    assert hook.calls.count("created") == 2


def test_the_singular_one_is_not_made_again() -> None:
    def lost() -> np.int64:
        raise tf.errors.AbortedError(None, None, "gone")

    value = v1.py_func(lost, [], tf.int64)
    with pytest.raises(tf.errors.AbortedError), train.SingularMonitoredSession() as sess:
        assert isinstance(sess.raw_session(), v1.Session)
        sess.run(value)


def test_a_session_that_cannot_be_made_at_first() -> None:
    class Creator(train.ChiefSessionCreator):  # type: ignore[misc]
        left = 2

        def create_session(self) -> Any:
            if Creator.left:
                Creator.left -= 1
                raise tf.errors.UnavailableError(None, None, "not yet")
            return super().create_session()

    value = tf.constant(1.0) + 1.0
    with train.MonitoredSession(Creator()) as sess:
        assert sess.run(value) == 2.0


def test_a_function_of_a_step() -> None:
    value = tf.constant(1.0)
    hook = Told()
    with train.MonitoredSession(hooks=[hook]) as sess:

        def both(step_context: Any) -> Any:
            return step_context.session.run(value), step_context.run_with_hooks(value)

        assert sess.run_step_fn(both) == (1.0, 1.0)
        assert hook.calls.count("before") == 1
        with pytest.raises(ValueError, match="may either have one `step_context` argument"):
            sess.run_step_fn(lambda x: x)
        sess.run_step_fn(lambda step_context: step_context.request_stop())


def test_no_run_after_a_hook_asked_for_the_end() -> None:
    class Stops(train.SessionRunHook):  # type: ignore[misc]
        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.request_stop()

    value = tf.constant(1.0)
    with train.MonitoredSession(hooks=[Stops()]) as sess:
        sess.run(value)
        assert sess.should_stop()
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
            sess.run(value)


def test_training_saves_restores_and_writes(tmp_path: Path) -> None:
    for expected in (4, 6):
        with tf.Graph().as_default():
            w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
            v1.summary.scalar("value", w)
            train_op = train.GradientDescentOptimizer(0.1).minimize((w - 1.0) ** 2, train.get_or_create_global_step())
            with train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path),
                hooks=[train.StopAtStepHook(last_step=expected)],
                save_summaries_steps=1,
                log_step_count_steps=1,
            ) as sess:
                while not sess.should_stop():
                    sess.run(train_op)
        assert train.latest_checkpoint(str(tmp_path)).endswith(f"model.ckpt-{expected}")
    (events,) = sorted(tmp_path.glob("events*"))
    found = [(value.tag, event.step) for event in train.summary_iterator(str(events)) for value in event.summary.value]
    assert [at for tag, at in found if tag == "value"] == [1, 2, 3, 4, 5, 6]
    assert "global_step/sec" in {tag for tag, _ in found}
    assert (tmp_path / "graph.pbtxt").exists()


def test_a_worker_waits_for_its_chief() -> None:
    v1.get_variable("w", [], initializer=v1.zeros_initializer())
    with pytest.raises(tf.errors.DeadlineExceededError, match="not ready after waiting 0 secs. Variables not initiali"):
        train.MonitoredTrainingSession(is_chief=False, max_wait_secs=0)


def test_a_session_that_cannot_be_made_ready_is_told(graph: Any) -> None:
    v1.get_variable("w", [], initializer=v1.zeros_initializer())
    nothing = train.Scaffold(init_op=tf.no_op())
    with pytest.raises(RuntimeError, match="did not make model ready for local_init.*error: Variables not init.*: w"):
        train.MonitoredSession(train.ChiefSessionCreator(nothing))
