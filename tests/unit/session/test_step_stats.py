"""What runs report of their steps."""

from __future__ import annotations

import time
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1
TRACED = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)


def _steps(report: Any) -> dict[str, list[Any]]:
    return {d.device.rpartition("/")[2]: list(d.node_stats) for d in report.step_stats.dev_stats}


def test_a_traced_run_reports_its_steps_by_devices_in_the_order_in_which_they_began() -> None:
    def slow(value: Any) -> Any:
        time.sleep(0.002)
        return value

    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as session:
        x = v1.placeholder(tf.float32, [], name="x")
        with tf.device("/cpu:1"):
            doubled = tf.add(x, x, name="doubled")
        out = tf.numpy_function(slow, [doubled], tf.float32, name="slow")
        for _ in range(3):
            report = v1.RunMetadata()
            began = time.time_ns() // 1000
            assert session.run(out, {x: 2.0}, TRACED, report) == 4.0
            found = _steps(report)
            assert [s.node_name for s in found["device:CPU:1"]] == ["doubled"]
            (step,) = found["device:CPU:0"]
            assert step.node_name == "slow" and step.all_end_rel_micros >= 2000
            assert began <= found["device:CPU:1"][0].all_start_micros <= step.all_start_micros
        assert session.run(out, {x: 3.0}) == 6.0


def test_a_callable_with_options_reports_too_and_a_failing_run_reports_what_ran() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        checked = tf.debugging.check_numerics(tf.add(x, 1.0, name="more"), "not finite")
        run = session.make_callable(checked, [x], accept_options=True)
        report = v1.RunMetadata()
        assert run(1.0, options=TRACED, run_metadata=report) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
            run(float("nan"), options=TRACED, run_metadata=report)
        assert "more" in [s.node_name for s in _steps(report)["device:CPU:0"]]


def test_steps_that_wait_for_one_another_end_in_a_traced_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.FIFOQueue(1, [tf.float32], shapes=[[]])
        put, taken = queue.enqueue(tf.constant(1.0)), queue.dequeue()
        report = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, timeout_in_ms=20_000)
        assert session.run([taken, put], options=options, run_metadata=report)[0] == 1.0
        assert len(_steps(report)["device:CPU:0"]) == 2
