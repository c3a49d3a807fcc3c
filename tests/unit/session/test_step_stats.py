"""What runs report of their steps."""

from __future__ import annotations

import time
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1
TRACED = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)


THERE_BEFORE = ("_Arg", "Const", "VarHandleOp", "FIFOQueueV2")
"""Ops of values that are there before the first step."""


def _steps(report: Any) -> dict[str, list[Any]]:
    """The steps of a report by the ends of their devices' names, without the values before the first one."""
    return {
        d.device.rpartition("/")[2]: [s for s in d.node_stats if _op(s) not in THERE_BEFORE]
        for d in report.step_stats.dev_stats
    }


def _op(step: Any) -> str:
    return step.timeline_label.partition(" = ")[2].partition("(")[0]  # type: ignore[no-any-return]


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


def test_a_step_that_reads_a_variable_runs_on_the_device_of_the_variable() -> None:
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as session:
        with tf.device("/cpu:1"):
            there = v1.get_variable("there", initializer=1.0, use_resource=True)
        with tf.device("/cpu:0"):
            total = tf.add(there, 1.0, name="total")
        session.run(there.initializer)
        report = v1.RunMetadata()
        assert session.run(total, None, TRACED, report) == 2.0
        found = {place: [step.node_name for step in steps] for place, steps in _steps(report).items()}
    assert found == {"device:CPU:0": ["total"], "device:CPU:1": ["total/ReadVariableOp"]}


def test_a_run_reports_the_nodes_that_it_needed() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(1.0, name="x")
        tf.square(x, name="unneeded")
        report = v1.RunMetadata()
        session.run(tf.negative(x, name="y"), None, v1.RunOptions(output_partition_graphs=True), report)
        (graph_def,) = report.partition_graphs
        assert [node.name for node in graph_def.node] == ["x", "y"]
        session.run("y:0", run_metadata=report)
        assert len(report.partition_graphs) == 0


def test_a_run_with_feeds_reports_the_nodes_of_the_fed_tensors_and_none_behind_them() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.square(tf.negative(x, name="behind"), name="y")
        report = v1.RunMetadata()
        options = v1.RunOptions(output_partition_graphs=True)
        assert session.run(y, {"behind:0": 3.0}, options, report) == 9.0
        assert [node.name for node in report.partition_graphs[0].node] == ["behind", "y"]


def test_every_nth_run_reports_the_costs_of_its_steps() -> None:
    config = v1.ConfigProto(graph_options=v1.GraphOptions(build_cost_model=2))
    with tf.Graph().as_default(), v1.Session(config=config) as session:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.square(x, name="y")
        costs = []
        for _ in range(4):
            report = v1.RunMetadata()
            session.run(y, {x: 1.0}, run_metadata=report)
            costs.append([node.name for node in report.cost_graph.node] if report.HasField("cost_graph") else None)
    assert costs == [None, ["y"], None, ["y"]]


def test_a_fetched_value_that_no_step_computes_is_reported() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        folded = tf.square(v1.placeholder_with_default(3.0, []), name="folded")
        report = v1.RunMetadata()
        assert session.run([folded, tf.constant(1.0, name="one")], None, TRACED, report) == [9.0, 1.0]
        (device,) = report.step_stats.dev_stats
        assert [(s.node_name, _op(s)) for s in device.node_stats] == [("folded", "Const"), ("one", "Const")]


@pytest.mark.parametrize("wrong", [3, {}, v1.ConfigProto()])
def test_a_run_refuses_options_and_reports_of_other_kinds(wrong: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        out = tf.constant(1.0)
        with pytest.raises(TypeError, match=r"options must be a tf\.compat\.v1\.RunOptions, got"):
            session.run(out, options=wrong)
        with pytest.raises(TypeError, match=r"run_metadata must be a tf\.compat\.v1\.RunMetadata, got"):
            session.run(out, run_metadata=wrong)
