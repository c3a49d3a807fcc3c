"""Record and replay of functions that executors run, on the caller's side; and gradients while replaying."""

from __future__ import annotations

import os
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

f32, f64 = tf.float32, tf.float64


def cube(x: Any) -> Any:
    return x**3


def where(x: Any) -> Any:
    return np.int64(os.getpid())


def refuse(x: Any) -> Any:
    raise ValueError(f"no {float(x)}")


async def later(x: Any) -> Any:
    return x + 1


class NoThreads(tf.Threads):
    """An executor that must not be asked."""

    def start(self, call: Any) -> Future[Any]:
        raise AssertionError("an executor was asked")


class NoProcesses(tf.Processes):
    """An executor that must not be asked."""

    def start(self, call: Any) -> Future[Any]:
        raise AssertionError("an executor was asked")

    start_many = run = start  # type: ignore[assignment]


@pytest.fixture(scope="module")
def processes() -> Any:
    with tf.Processes(workers=2) as pool:
        yield pool


def calls(executor: Any) -> list[Any]:
    """Calls in every form that an executor takes: alone, in batches, with gradients, failing."""
    results: list[Any] = [tf.numpy_function(where, [1.0], tf.int64, executor=executor).numpy()]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(f32)
        batch = [tf.numpy_function(where, [x + float(i)], tf.int64, executor=executor) for i in range(5)]
        y = tf.py_function(cube, [x], f32, executor=executor)
        for i in range(3):
            results += session.run([*batch, y], {x: float(i)})
    with pytest.raises(ValueError, match=r"no 2\.0"):
        tf.numpy_function(refuse, [2.0], f32, executor=executor)
    mapped = tf.data.Dataset.range(6).map(lambda v: tf.numpy_function(where, [v], tf.int64), 2, executor=executor)
    return [*results, *mapped.as_numpy_iterator()]


def test_calls_of_worker_processes_are_recorded_here_and_replayed_without_them(tmp_path: Path, processes: Any) -> None:
    with tf.debugging.record(tmp_path / "run") as recording:
        before = calls(processes)
    assert recording.calls == 1 + 3 * 6 + 1 + 6
    assert os.getpid() not in before[:-6]  # they did run in the workers
    names = {function.name: len(function) for function in tf.debugging.replay(tmp_path / "run").functions}
    assert names == {"where": 22, "cube": 3, "refuse": 1}
    with tf.debugging.replay(tmp_path / "run") as replaying:
        after = calls(NoProcesses(workers=2))
    assert [np.asarray(v).tobytes() for v in after] == [np.asarray(v).tobytes() for v in before]
    assert replaying.left == {}


def test_calls_of_threads_and_event_loops_too(tmp_path: Path) -> None:
    def program(executor: Any) -> list[Any]:
        results = [tf.numpy_function(later, [np.float64(i)], f64).numpy() for i in range(3)]
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(f64)
            ys = [tf.py_function(cube, [x * float(i)], f64, executor=executor) for i in range(4)]
            return [*results, *session.run([*ys, tf.numpy_function(later, [x], f64)], {x: 3.0})]

    with tf.Threads(workers=2) as pool, tf.debugging.record(tmp_path / "run"):
        before = program(pool)
    with tf.debugging.replay(tmp_path / "run") as replaying:
        assert program(NoThreads(workers=2)) == before
    assert replaying.left == {}


def test_a_recording_of_processes_is_replayed_in_place_and_the_other_way_round(tmp_path: Path, processes: Any) -> None:
    def program(executor: Any) -> Any:
        return tf.numpy_function(where, [np.arange(4.0)], tf.int64, executor=executor).numpy()

    for one, other in ((processes, "inline"), ("inline", NoProcesses(workers=1))):
        with tf.debugging.record(tmp_path / "run"):
            before = program(one)
        with tf.debugging.replay(tmp_path / "run"):
            assert program(other) == before


def test_arguments_of_remote_calls_are_compared(tmp_path: Path, processes: Any) -> None:
    with tf.debugging.record(tmp_path / "run"):
        tf.numpy_function(where, [np.arange(4.0)], tf.int64, executor=processes)
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.debugging.ReplayDifference, match=r"argument 0\[3\] differs.*\n.*3\.0\)\n.*9\.0\)"),
    ):
        tf.numpy_function(where, [np.array([0.0, 1, 2, 9])], tf.int64, executor=NoProcesses(workers=1))


# ---------------------------------------------------------------- gradients


def test_gradients_of_a_worker_are_recorded_through_and_refused_while_replaying(tmp_path: Path, processes: Any) -> None:
    def program(executor: Any) -> tuple[Any, Any]:
        x = tf.constant([2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(cube, [x], f32, executor=executor)
        return y, lambda: tape.gradient(y, x)

    with tf.debugging.record(tmp_path / "run"):
        y, gradient = program(processes)
        assert gradient().numpy().tolist() == [12.0, 27.0]
    with tf.debugging.replay(tmp_path / "run"):
        again, gradient = program(NoProcesses(workers=1))
        assert again.numpy().tolist() == y.numpy().tolist() == [8.0, 27.0]
        with pytest.raises(tf.errors.UnimplementedError, match=r"the gradient of cube .* gradients='run'"):
            gradient()
    with tf.debugging.replay(tmp_path / "run", gradients="run"):
        _, gradient = program(processes)
        assert gradient().numpy().tolist() == [12.0, 27.0]


@pytest.mark.parametrize("executor", ["inline", "threads"])
def test_a_gradient_in_a_session_is_refused_unless_the_body_runs(tmp_path: Path, executor: str) -> None:
    def program() -> tuple[Any, Any]:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            x = tf.compat.v1.placeholder(f32)
            y = tf.py_function(cube, [x], f32, executor=executor)
            dy_dx = tf.gradients(y, x)[0]
            return session.run(y, {x: 2.0}), session.run([y, dy_dx], {x: 3.0})

    with tf.debugging.record(tmp_path / "run"):
        before = program()
    assert before == (8.0, [27.0, 27.0])
    with (
        tf.debugging.replay(tmp_path / "run"),
        pytest.raises(tf.errors.UnimplementedError, match="gradient of cube"),
    ):
        program()
    with tf.debugging.replay(tmp_path / "run", gradients="run"):
        assert program() == before


def test_a_declared_gradient_works_while_replaying(tmp_path: Path) -> None:
    ran: list[int] = []

    def body(x: Any) -> Any:
        ran.append(1)
        return x**3

    def program() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(body, [x], f32, grad=lambda x, y, dy: dy * 3.0 * x**2)
        gradient: Any = tape.gradient(y, x)
        return y.numpy(), gradient.numpy()

    with tf.debugging.record(tmp_path / "run"):
        before = program()
    with tf.debugging.replay(tmp_path / "run"):
        assert program() == before == (8.0, 12.0)
    assert len(ran) == 1


def test_a_gradient_by_a_captured_variable_is_refused_at_the_call(tmp_path: Path) -> None:
    weight = tf.Variable(3.0)

    def program() -> Any:
        with tf.GradientTape() as tape:
            y = tf.py_function(lambda x: x * weight, [2.0], f32)
        return tape.gradient(y, weight)

    with tf.debugging.record(tmp_path / "run"):
        assert program().numpy() == 2.0
    with tf.debugging.replay(tmp_path / "run"), pytest.raises(tf.errors.UnimplementedError, match="does not run"):
        program()
    with tf.debugging.replay(tmp_path / "run", gradients="run"):
        assert program().numpy() == 2.0


def test_a_body_that_runs_for_its_gradient_must_give_the_recorded_result(tmp_path: Path) -> None:
    power = 3

    def body(x: Any) -> Any:
        return x**power

    def program() -> Any:
        x = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(body, [x], f32)
        return tape.gradient(y, x)

    with tf.debugging.record(tmp_path / "run"):
        program()
    power = 2
    with (
        tf.debugging.replay(tmp_path / "run", gradients="run"),
        pytest.raises(tf.debugging.ReplayDifference, match="call 0 of .*result differs\n.*8.0.*\n.*4.0"),
    ):
        program()
    with pytest.raises(ValueError, match="gradients: expected 'refuse' or 'run', got 'zero'"):
        tf.debugging.replay(tmp_path / "run", gradients="zero")
