"""The steps of loops, branches and functions in reports, and the values that steps leave."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
TRACED = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)


def reported(fetches: Any, feeds: Any = None) -> tuple[Any, list[Any]]:
    """The results of a traced run in a new session, and its steps."""
    report = v1.RunMetadata()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        results = session.run(fetches, feeds, TRACED, report)
    return results, [step for dev in report.step_stats.dev_stats for step in dev.node_stats]


def labels(steps: list[Any]) -> list[str]:
    return [step.timeline_label for step in steps]


@pytest.fixture(autouse=True)
def _graph() -> Any:
    with tf.Graph().as_default():
        yield


def test_the_steps_of_a_loop_are_reported_once_per_iteration_under_its_name() -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    body = lambda i, v: (i + 1, tf.multiply(v, 2.0, name="twice"))  # noqa: E731
    out = tf.while_loop(lambda i, v: tf.less(i, 3, name="goes_on"), body, [0, x], name="loop")[1]
    result, steps = reported(out, {x: 1.0})
    counts = Counter(step.node_name for step in steps)
    assert result == 8.0
    assert (counts["loop"], counts["loop/goes_on"], counts["loop/twice"]) == (1, 4, 3)
    assert "loop/twice = Mul(loop/loop_var_1, loop/twice/y)" in labels(steps)
    whole = next(step for step in steps if step.node_name == "loop")
    inner = [step for step in steps if step.node_name == "loop/twice"]
    ends = [step.all_start_nanos + step.all_end_rel_nanos for step in inner]
    assert whole.all_start_nanos <= inner[0].all_start_nanos
    assert ends[-1] <= whole.all_start_nanos + whole.all_end_rel_nanos


def test_only_the_branch_that_ran_is_reported() -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    out = tf.cond(x > 0, lambda: tf.sin(x, name="up"), lambda: tf.cos(x, name="down"), name="choice")
    names = {step.node_name for step in reported(out, {x: 1.0})[1]}
    assert "choice/up" in names and "choice/down" not in names


def test_the_steps_of_a_function_have_their_own_names_also_in_a_loop_of_it() -> None:
    @tf.function
    def shifted(v: Any) -> Any:
        moved = tf.numpy_function(lambda a: a + np.float32(1), [v], tf.float32, name="host")
        return tf.while_loop(lambda w: w < 10.0, lambda w: tf.multiply(w, 2.0, name="grown"), [moved], name="grow")[0]

    x = v1.placeholder(tf.float32, [], name="x")
    result, steps = reported(shifted(x), {x: 1.0})
    counts = Counter(step.node_name for step in steps)
    assert result == 16.0 and counts["host"] == 1 and counts["grow/grown"] == 3


@pytest.mark.parametrize("turns", [2, 200])
def test_the_gradient_of_a_loop_is_the_same_in_a_traced_run_and_reports_its_steps(turns: int) -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    out = tf.while_loop(lambda i, v: i < turns, lambda i, v: (i + 1, tf.tanh(v, name="bounded")), [0, x], name="loop")
    gradient: Any = tf.gradients(out[1], x)[0]
    with v1.Session() as session:
        plain = session.run(gradient, {x: 0.5})
    result, steps = reported(gradient, {x: 0.5})
    np.testing.assert_allclose(result, plain, rtol=1e-6)
    counts = Counter(step.node_name for step in steps)
    assert counts["loop/bounded"] == turns
    assert [n for name, n in counts.items() if name.startswith("loop/gradients/bounded_grad/") and n >= turns]


def test_a_run_after_a_traced_one_has_the_calls_of_before_and_reports_nothing() -> None:
    x = v1.placeholder(tf.float32, [], name="x")
    out = tf.while_loop(lambda v: v < 100.0, lambda v: v * 2.0, [x])[0]
    with v1.Session() as session:
        session.run(out, {x: 1.0})
        (executable,) = [prepared.executable for prepared in session._plans.values()]
        calls, report = executable.calls, v1.RunMetadata()
        session.run(out, {x: 1.0}, TRACED, report)
        count = len(report.step_stats.dev_stats[0].node_stats)
        assert session.run(out, {x: 1.0}) == 128.0
        assert executable.calls is calls and len(report.step_stats.dev_stats[0].node_stats) == count


def test_results_have_their_dtypes_shapes_and_bytes_and_freed_ones_their_end() -> None:
    x = v1.placeholder(tf.float32, [4, 2], name="x")
    halves = tf.split(tf.add(x, x, name="sum"), 2, name="halves")
    out = tf.cast(tf.subtract(halves[0], halves[1], name="rest"), tf.float64, name="wide")
    steps = {step.node_name: step for step in reported(out, {x: np.ones([4, 2], np.float32)})[1]}
    (total,) = steps["sum"].output
    described = total.tensor_description
    assert (described.dtype, [d.size for d in described.shape.dim]) == (tf.float32.as_datatype_enum, [4, 2])
    assert described.allocation_description.requested_bytes == 32
    assert [o.slot for o in steps["halves"].output] == [0, 1]
    assert "rest = Sub(halves, halves:1)" in labels(list(steps.values()))
    (memory,) = steps["sum"].memory
    assert (memory.allocator_name, memory.total_bytes) == ("cpu", 32)
    began, ended = memory.allocation_records
    assert (began.alloc_bytes, ended.alloc_bytes) == (32, -32) and began.alloc_micros <= ended.alloc_micros
    (kept,) = steps["wide"].memory
    assert [record.alloc_bytes for record in kept.allocation_records] == [32], "a fetched value is not freed"


def test_a_step_that_passes_its_input_on_allocates_nothing() -> None:
    x = v1.placeholder(tf.float32, [3], name="x")
    out = tf.negative(tf.identity(tf.add(x, 1.0, name="sum"), name="same"), name="out")
    steps = {step.node_name: step for step in reported(out, {x: [1.0, 2.0, 3.0]})[1]}
    assert len(steps["sum"].memory) == 1 and len(steps["same"].memory) == 0


def test_control_inputs_are_inputs_with_a_caret() -> None:
    counted = v1.get_variable("counted", initializer=0.0, use_resource=True)
    with tf.control_dependencies([v1.assign_add(counted, 1.0, name="count")]):
        out = tf.add(1.0, counted.read_value(), name="out")
    assert any("^count" in label for label in labels(reported(out)[1]))


def test_the_times_of_serial_steps_add_up_to_the_time_of_the_run() -> None:
    def slow(value: Any) -> Any:
        time.sleep(0.004)
        return value

    x = v1.placeholder(tf.float32, [], name="x")
    out: Any = x
    for k in range(5):
        out = tf.numpy_function(slow, [out], tf.float32, name=f"step{k}")
    shares = []
    with v1.Session() as session:
        session.run(out, {x: 1.0})
        for _ in range(5):
            report, began = v1.RunMetadata(), time.perf_counter_ns()
            session.run(out, {x: 1.0}, TRACED, report)
            wall = time.perf_counter_ns() - began
            took = sum(step.all_end_rel_nanos for dev in report.step_stats.dev_stats for step in dev.node_stats)
            assert took <= wall, "steps one after the other take no longer than their run"
            shares.append(took / wall)
    assert max(shares) > 0.5, "nearly all of a run is in its steps; 0.93 and above were measured on an idle machine"


def test_a_step_that_an_executor_runs_is_reported_with_its_results() -> None:
    x = v1.placeholder(tf.float32, [2], name="x")
    with tf.executor("threads"):
        out = tf.numpy_function(lambda v: v * np.float32(2), [x], tf.float32, name="away")
    result, steps = reported(out, {x: [1.0, 2.0]})
    (away,) = [step for step in steps if step.node_name == "away"]
    assert result.tolist() == [2.0, 4.0] and away.all_end_rel_nanos > 0
    assert away.output[0].tensor_description.allocation_description.requested_bytes == 8


def test_a_failing_step_is_reported_without_results() -> None:
    def fail(value: Any) -> Any:
        raise KeyError("no")

    x = v1.placeholder(tf.float32, [], name="x")
    out = tf.numpy_function(fail, [tf.add(x, 1.0, name="sum")], tf.float32, name="fails")
    report = v1.RunMetadata()
    with v1.Session() as session, pytest.raises(KeyError):
        session.run(out, {x: 1.0}, TRACED, report)
    steps = {step.node_name: step for dev in report.step_stats.dev_stats for step in dev.node_stats}
    assert len(steps["fails"].output) == 0 and len(steps["sum"].output) == 1
