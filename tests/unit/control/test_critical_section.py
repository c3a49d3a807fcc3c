"""`CriticalSection`: executions do not overlap, in threads, sessions and functions."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def _count(v: Any) -> Any:
    value = v.read_value()
    with tf.control_dependencies([value]), tf.control_dependencies([v.assign_add(1.0)]):
        return tf.identity(value)


def test_executions_in_a_function_run_one_after_the_other() -> None:
    section, v = tf.CriticalSection(), tf.Variable(0.0)
    counted = tf.function(lambda: [section.execute(lambda: _count(v)) for _ in range(3)])
    assert sorted(float(t) for t in counted()) == [0.0, 1.0, 2.0]
    assert float(section.execute(lambda: _count(v))) == 3.0


def test_no_execution_overlaps_another_in_threads() -> None:
    section, inside = tf.CriticalSection(shared_name="threads"), []
    both, overlaps = threading.Barrier(4), []

    def body(x: Any) -> Any:
        inside.append(None)
        overlaps.append(len(inside) > 1)
        inside.pop()
        return x + 1.0

    execute = tf.function(lambda x: section.execute(lambda: tf.py_function(body, [x], tf.float32)))
    execute.get_concrete_function(tf.TensorSpec([]))

    def work() -> None:
        both.wait()
        for _ in range(50):
            execute(tf.constant(1.0))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlaps == [False] * 200


def test_a_lock_is_held_while_a_session_runs_the_function_and_given_back_after_an_error() -> None:
    with tf.Graph().as_default():
        section, x = v1.CriticalSection(name="mine"), v1.placeholder(tf.float32)
        assert section.name == "mine" and section in v1.get_collection("critical_sections")
        held: list[bool] = []

        def body(value: Any) -> Any:
            other = threading.Thread(target=lambda: held.append(not section._mutex.lock.acquire(blocking=False)))
            other.start()
            other.join()
            if value < 0:
                raise ValueError("negative")
            return value * 2

        doubled = section.execute(lambda: {"y": tf.py_function(body, [x], tf.float32)}, name="run")
        (execution,) = v1.get_collection("critical_section_executions")
        assert execution.op.name == "run" and execution.op.type == "MutexLockCall"
        with v1.Session() as session:
            assert session.run(doubled, {x: 3.0}) == {"y": 6.0}
            with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
                session.run(doubled, {x: -3.0})
        assert held == [True, True]
        assert section._mutex.lock.acquire(blocking=False)
        section._mutex.lock.release()


def test_a_gradient_passes_an_execution() -> None:
    section, x = tf.CriticalSection(), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.function(lambda: section.execute(lambda: x * x))()
    assert float(tape.gradient(y, x)) == 6.0


@pytest.mark.parametrize("way", [lambda f: f, lambda f: tf.function(f)])
def test_an_execution_within_an_execution_of_the_same_section_is_refused(way: Any) -> None:
    section, same = tf.CriticalSection(shared_name="one"), tf.CriticalSection(shared_name="one")
    with pytest.raises(ValueError, match="Attempting to lock a CriticalSection .* in which we are"):
        way(lambda: section.execute(lambda: same.execute(lambda: tf.constant(1.0))))()
    assert float(section.execute(lambda: tf.CriticalSection().execute(lambda: tf.constant(1.0)))) == 1.0


def test_two_sections_share_no_resource_unless_neither_asks_for_exclusive_access() -> None:
    with tf.Graph().as_default():
        one, two, v, w = v1.CriticalSection(), v1.CriticalSection(), tf.Variable(0.0), tf.Variable(0.0)
        one.execute(lambda: v + 1)
        one.execute(lambda: v - 1)
        for exclusive in (True, False):
            with pytest.raises(ValueError, match="requested exclusive resource access"):
                two.execute(lambda: v + 1, exclusive_resource_access=exclusive)
        one.execute(lambda: w + 1, exclusive_resource_access=False)
        two.execute(lambda: w + 1, exclusive_resource_access=False)
        with pytest.raises(ValueError, match="requested exclusive resource access"):
            two.execute(lambda: w + 1)


def test_a_definition_is_refused() -> None:
    with pytest.raises(ValueError, match="critical_section_def` is not supported"):
        tf.CriticalSection(critical_section_def=object())


def test_whether_control_flow_has_functions_is_only_noted() -> None:
    v1.disable_control_flow_v2()
    try:
        assert not v1.control_flow_v2_enabled()
    finally:
        v1.enable_control_flow_v2()
    assert v1.control_flow_v2_enabled()
