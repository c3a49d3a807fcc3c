"""The hooks: when they act, and what they do."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.tf1.monitored import step_hooks, timer

v1 = tf.compat.v1
train = v1.train


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made
    v1.summary.FileWriterCache.clear()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is: change the one entry."""
    now = [timer.time.time()]
    monkeypatch.setattr(timer.time, "time", lambda: now[0])
    return now


def looped(hooks: list[Any], runs: int = 10, fetches: Callable[[], Any] | None = None, **kwargs: Any) -> list[int]:
    """The global step after each run of a loop that adds one to it."""
    step = train.get_or_create_global_step()
    add = step.assign_add(1)
    with train.SingularMonitoredSession(hooks=hooks, **kwargs) as sess:
        found = []
        while len(found) < runs and not sess.should_stop():
            found.append(int(sess.run(add)))
    return found


# ---------------------------------------------------------------- when


def test_a_timer_of_steps() -> None:
    every = train.SecondOrStepTimer(every_steps=3)
    assert every.last_triggered_step() is None
    assert every.should_trigger_for_step(1)
    assert every.update_last_triggered_step(1) == (None, None)
    assert [n for n in range(1, 9) if every.should_trigger_for_step(n)] == [4, 5, 6, 7, 8]
    assert every.update_last_triggered_step(5)[1] == 4
    assert every.last_triggered_step() == 5
    every.reset()
    assert every.should_trigger_for_step(5)


def test_a_timer_of_seconds(clock: list[float]) -> None:
    every = train.SecondOrStepTimer(every_secs=2.0)
    every.update_last_triggered_step(1)
    assert not every.should_trigger_for_step(2)
    clock[0] += 2.5
    assert every.should_trigger_for_step(2) and not every.should_trigger_for_step(1)
    assert every.update_last_triggered_step(2) == (2.5, 1)


@pytest.mark.parametrize("given", [{}, {"every_secs": 1.0, "every_steps": 1}])
def test_a_timer_is_of_one_kind(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="every_secs and every_steps|every_secs or every_steps"):
        train.SecondOrStepTimer(**given)


# ---------------------------------------------------------------- steps


def test_a_loop_ends_at_a_step_or_after_so_many() -> None:
    assert looped([train.StopAtStepHook(last_step=3)]) == [1, 2, 3]
    with tf.Graph().as_default():
        assert looped([train.StopAtStepHook(num_steps=2)]) == [1, 2]
    for given in ({}, {"num_steps": 1, "last_step": 1}):
        with pytest.raises(ValueError, match="num_steps or last_step"):
            train.StopAtStepHook(**given)


def test_a_loss_that_is_no_number(caplog: pytest.LogCaptureFixture) -> None:
    loss = v1.placeholder_with_default(np.float32("nan"), [])
    with train.SingularMonitoredSession(hooks=[train.NanTensorHook(loss)]) as sess:
        sess.run(loss, {loss: 1.0})
        with pytest.raises(train.NanLossDuringTrainingError, match="NaN loss during training."):
            sess.run(loss)
    with train.SingularMonitoredSession(hooks=[train.NanTensorHook(loss, fail_on_nan_loss=False)]) as sess:
        sess.run(loss)
        assert sess.should_stop()
    assert "Model diverged with loss = NaN." in caplog.text


def test_waiting_for_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    step = train.get_or_create_global_step()
    add = step.assign_add(1)
    sessions: list[Any] = []
    monkeypatch.setattr(step_hooks.time, "sleep", lambda _: sessions[0].raw_session().run(add))
    with train.SingularMonitoredSession(hooks=[train.GlobalStepWaiterHook(3)]) as sess:
        sessions.append(sess)
        assert sess.run(step) == 3
        assert sess.run(step) == 3
    with train.SingularMonitoredSession(hooks=[train.GlobalStepWaiterHook(0)]) as sess:
        assert sess.run(step) == 0


def test_something_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    x = v1.placeholder(tf.float32)
    hook = train.FinalOpsHook({"double": 2.0 * x}, {x: 4.0})
    assert hook.final_ops_values is None
    looped([hook, train.FinalOpsHook(None)], runs=1)
    assert hook.final_ops_values == {"double": 8.0}
    with tf.Graph().as_default():
        empty = v1.FIFOQueue(1, tf.int32)
        closed, taken = empty.close(), empty.dequeue()
        sess = train.SingularMonitoredSession(hooks=[train.FinalOpsHook(taken)])
        sess.run(closed)
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.close()
    assert "another element of an input that is at its end" in caplog.text


def test_a_function_feeds_each_run() -> None:
    x = v1.placeholder(tf.float32)
    values = iter([1.0, 2.0])
    with train.SingularMonitoredSession(hooks=[train.FeedFnHook(lambda: {x: next(values)})]) as sess:
        assert [sess.run(x), sess.run(x)] == [1.0, 2.0]


def test_the_number_of_steps_a_run_takes() -> None:
    variable = step_hooks.get_or_create_steps_per_run_variable()
    assert step_hooks.get_or_create_steps_per_run_variable() is variable
    assert variable.name == "hooks/steps_per_run:0"
    assert v1.local_variables() == [variable]


# ---------------------------------------------------------------- the log


def told(hook: Any, runs: int, caplog: pytest.LogCaptureFixture) -> list[str]:
    with caplog.at_level(logging.INFO, logger="inlay"):
        looped([hook], runs)
    return [r.getMessage() for r in caplog.records if r.getMessage().startswith("<")]


def test_tensors_are_told_every_so_many_runs(caplog: pytest.LogCaptureFixture) -> None:
    step = train.get_or_create_global_step()
    names = {"<step": step.name, "b": tf.constant(1.5, name="c")}
    found = told(train.LoggingTensorHook(names, every_n_iter=2), 5, caplog)
    assert [text.split(" (")[0] for text in found] == [f"<step = {n}, b = 1.5" for n in (0, 2, 4)]
    assert " sec)" in found[1]


def test_tensors_are_told_every_so_many_seconds_and_at_the_end(
    caplog: pytest.LogCaptureFixture, clock: list[float]
) -> None:
    c = tf.constant(2.0, name="c")
    hook = train.LoggingTensorHook(["c", c], every_n_secs=1.0, at_end=True, formatter=lambda v: f"<{v['c']} {v[c]}>")
    assert told(hook, 3, caplog) == ["<2.0 2.0>"] * 2
    with tf.Graph().as_default():
        tf.constant(3.0, name="c")
        caplog.clear()
        assert told(train.LoggingTensorHook(["c"], at_end=True, formatter=lambda v: f"<{v}>"), 3, caplog) == [
            f"<{ ({'c': np.float32(3.0)}) }>"
        ]


def test_what_cannot_be_told_is_refused() -> None:
    for given in ({}, {"every_n_iter": 1, "every_n_secs": 1.0}):
        with pytest.raises(ValueError, match="exactly one of every_n_iter and every_n_secs"):
            train.LoggingTensorHook(["c"], **given)
    with pytest.raises(ValueError, match="invalid every_n_iter=0"):
        train.LoggingTensorHook(["c"], every_n_iter=0)
    split = tf.split([1, 2], 2, name="two")
    with pytest.raises(ValueError, match="ambiguous, as this `Operation` has multiple outputs"):
        train.LoggingTensorHook([split[0].op.name], every_n_iter=1).begin()
    with tf.Graph().as_default(), pytest.raises(ValueError, match="equal to current graph"):
        train.LoggingTensorHook([split[0]], every_n_iter=1).begin()


# ---------------------------------------------------------------- checkpoints


class Listens(train.CheckpointSaverListener):  # type: ignore[misc]
    def __init__(self, stops_at: int = -1) -> None:
        self.calls: list[Any] = []
        self.stops_at = stops_at

    def begin(self) -> None:
        self.calls.append("begin")

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("before", global_step_value))

    def after_save(self, session: Any, global_step_value: int) -> bool:
        self.calls.append(("after", global_step_value))
        return global_step_value == self.stops_at

    def end(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("end", global_step_value))


def test_checkpoints_and_those_who_listen(tmp_path: Path) -> None:
    listener = Listens()
    scaffold = train.Scaffold()
    hook = train.CheckpointSaverHook(str(tmp_path), save_steps=2, scaffold=scaffold, listeners=[listener])
    looped([hook], runs=5, scaffold=scaffold)
    saved = [0, 2, 4, 5]
    assert listener.calls == ["begin", *((what, n) for n in saved for what in ("before", "after")), ("end", 5)]
    assert train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-5")
    assert train.load_variable(str(tmp_path / "model.ckpt-4"), "global_step") == 4
    assert (tmp_path / "graph.pbtxt").exists()


def test_a_listener_may_end_the_loop(tmp_path: Path) -> None:
    scaffold = train.Scaffold()
    hook = train.CheckpointSaverHook(str(tmp_path), save_steps=1, scaffold=scaffold, listeners=[Listens(stops_at=2)])
    assert looped([hook], scaffold=scaffold) == [1, 2]


def test_checkpoints_every_so_many_seconds(tmp_path: Path, clock: list[float]) -> None:
    listener = Listens()
    train.get_or_create_global_step()
    saver = train.Saver()
    hook = train.CheckpointSaverHook(
        str(tmp_path), save_secs=10, saver=saver, listeners=[listener], checkpoint_basename="m", save_graph_def=False
    )
    add = train.get_or_create_global_step().assign_add(1)
    with train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(4):
            clock[0] += 6.0
            sess.run(add)
    assert [n for what, n in listener.calls[1:] if what == "before"] == [0, 2, 4]
    assert not (tmp_path / "graph.pbtxt").exists()


def test_which_saver_saves(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot provide both saver and scaffold"):
        train.CheckpointSaverHook(str(tmp_path), 1, saver=object(), scaffold=train.Scaffold())
    hook = train.CheckpointSaverHook(str(tmp_path), 1)
    with pytest.raises(RuntimeError, match="No items in collection savers"):
        hook._chosen_saver()


# ---------------------------------------------------------------- summaries


class Written:
    """Stands for a writer."""

    def __init__(self) -> None:
        self.summaries: list[tuple[int, Any]] = []
        self.logs: list[int] = []
        self.flushed = 0

    def add_summary(self, summary: Any, step: int) -> None:
        self.summaries.append((step, summary))

    def add_session_log(self, log: Any, step: int) -> None:
        self.logs.append(step)

    def flush(self) -> None:
        self.flushed += 1


def test_summaries_every_so_many_steps() -> None:
    writer = Written()
    summary = v1.summary.scalar("s", train.get_or_create_global_step())
    looped([train.SummarySaverHook(save_steps=3, summary_writer=writer, summary_op=summary)], runs=8)
    assert [step for step, _ in writer.summaries] == [1, 4, 7]
    assert (writer.logs, writer.flushed) == ([1], 1)


def test_several_summaries_every_so_many_seconds(clock: list[float]) -> None:
    writer = Written()
    step = train.get_or_create_global_step()
    several = [v1.summary.scalar(name, step) for name in "ab"]
    add = step.assign_add(1)
    hook = train.SummarySaverHook(save_secs=10, summary_writer=writer, summary_op=several)
    with train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(5):
            sess.run(add)
            clock[0] += 6.0
    assert [at for at, _ in writer.summaries] == [1, 1, 3, 3, 5, 5]


def test_a_scaffold_without_summaries_writes_none() -> None:
    writer, scaffold = Written(), train.Scaffold()
    hook = train.SummarySaverHook(save_steps=1, summary_writer=writer, scaffold=scaffold)
    looped([hook], runs=2, scaffold=scaffold)
    assert writer.summaries == []
    with pytest.raises(ValueError, match="Exactly one of scaffold or summary_op"):
        train.SummarySaverHook(save_steps=1)


def test_the_speed_of_a_loop(clock: list[float], caplog: pytest.LogCaptureFixture) -> None:
    writer = Written()
    step = train.get_or_create_global_step()
    add = step.assign_add(1)
    hook = train.StepCounterHook(every_n_steps=4, summary_writer=writer)
    with caplog.at_level(logging.INFO, logger="inlay"), train.SingularMonitoredSession(hooks=[hook]) as sess:
        for _ in range(9):
            clock[0] += 0.5
            sess.run(add)
    assert [(at, s.value[0].tag, s.value[0].simple_value) for at, s in writer.summaries] == [
        (5, "global_step/sec", 2.0),
        (9, "global_step/sec", 2.0),
    ]
    assert "global_step/sec: 2" in caplog.text
    with pytest.raises(ValueError, match="exactly one of every_n_steps and every_n_secs"):
        train.StepCounterHook(every_n_steps=1, every_n_secs=1.0)


def test_a_step_that_stands_still_is_told(caplog: pytest.LogCaptureFixture) -> None:
    value = train.get_or_create_global_step()
    with train.SingularMonitoredSession(hooks=[train.StepCounterHook()]) as sess:
        for _ in range(8):
            sess.run(value)
    assert caplog.text.count("the global step is still 0") == 5
