"""The timeline of a report, with times that are given: expected events are those that TensorFlow 2.21 writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from inlay._src.programs.session.run_metadata import RunMetadata, StepStats
from inlay._src.programs.session.timeline import Timeline

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
Node = tuple[str, str, int, int, list[tuple[int, int]]]


def report(devices: dict[str, list[Node]]) -> Any:
    """A report of nodes (name, label, start, duration, [(slot, bytes)]) by devices."""
    stats = StepStats()
    for device, nodes in devices.items():
        dev = stats.dev_stats.add(device=device)
        for name, label, start, took, outputs in nodes:
            node = dev.node_stats.add(node_name=name, timeline_label=label, all_start_micros=start)
            node.all_end_rel_micros = took
            for slot, size in outputs:
                described = node.output.add(slot=slot).tensor_description
                described.dtype = 1
                described.allocation_description.requested_bytes = size
                described.allocation_description.allocator_name = "cpu"
    return stats


STEPS = report({
    CPU: [
        ("a", "a = Const()", 10, 5, [(0, 8)]),
        ("b", "b = Split(a, ^c)", 12, 6, [(0, 4), (1, 4)]),
        ("c", "c = Add(b:1, other, a)", 20, 9, [(0, 16)]),
        ("e", "e = Sub(c, b)", 40, 1, [(0, 2)]),
    ]
})  # fmt: skip


def events(stats: Any, phases: str, **options: Any) -> list[dict[str, Any]]:
    every = json.loads(Timeline(stats).generate_chrome_trace_format(**options))["traceEvents"]
    return [event for event in every if event["ph"] in phases]


def test_processes_are_the_allocators_and_two_for_each_device() -> None:
    names = [event["args"]["name"] for event in events(STEPS, "M")]
    assert names == ["Allocators", f"{CPU} Compute", f"{CPU} Tensors"]


def test_steps_have_their_inputs_and_those_that_overlap_other_rows() -> None:
    first, second, third, fourth = events(STEPS, "X")
    assert first == {
        "ph": "X", "cat": "Op", "name": "Const", "pid": 1, "tid": 0, "ts": 10, "dur": 5,
        "args": {"name": "a", "op": "Const"},
    }  # fmt: skip
    assert (second["tid"], second["args"]) == (1, {"name": "b", "op": "Split", "input0": "a", "input1": "^c"})
    assert (third["tid"], fourth["tid"]) == (0, 0)


def test_a_step_that_begins_as_another_ends_is_in_another_row() -> None:
    stats = report({CPU: [("a", "a = A()", 10, 5, []), ("b", "b = B()", 15, 5, []), ("c", "c = C()", 16, 5, [])]})
    assert [event["tid"] for event in events(stats, "X")] == [0, 1, 0]


def test_arrows_lead_from_the_end_of_a_step_to_the_beginning_of_one_in_another_row() -> None:
    arrows = [(e["ph"], e["name"], e["tid"], e["ts"], e["id"]) for e in events(STEPS, "st")]
    assert arrows == [
        ("s", "a", 0, 15, 0), ("t", "a", 1, 12, 0), ("s", "b:1", 1, 18, 1), ("t", "b:1", 0, 20, 1),
        ("s", "b", 1, 18, 2), ("t", "b", 0, 40, 2),
    ]  # fmt: skip
    assert events(STEPS, "st", show_dataflow=False) == []


def test_tensors_live_until_the_last_step_that_reads_them() -> None:
    assert events(STEPS, "NODC") == []
    lives = {e["name"]: e["ts"] for e in events(STEPS, "D", show_memory=True)}
    assert lives == {"a": 28, "b": 40, "b:1": 28, "c": 40, "e": 41}
    begins = {e["name"]: (e["ts"], e["pid"], e["id"]) for e in events(STEPS, "N", show_memory=True)}
    assert begins == {"a": (10, 2, 0), "b": (12, 2, 1), "b:1": (12, 2, 2), "c": (20, 2, 3), "e": (40, 2, 4)}
    described = events(STEPS, "O", show_memory=True)[0]["args"]["snapshot"]["tensor_description"]
    assert described.splitlines()[0] == "dtype: DT_FLOAT" and "  allocator_name: cpu" in described


def test_counters_show_the_bytes_of_an_allocator_and_the_analysis_their_maximum() -> None:
    held = [(e["ts"], e["args"]["cpu"]) for e in events(STEPS, "C", show_memory=True)]
    assert held == [
        (10, 8), (12, 12), (12, 16), (20, 32), (28, 24), (28, 20), (40, 4), (40, 0), (40, 2), (41, 0),
    ]  # fmt: skip
    analysis = Timeline(STEPS).analyze_step_stats()
    most = analysis.allocator_maximums["cpu"]
    assert (most.timestamp, most.num_bytes, most.tensors) == (20, 32, {"a", "b", "b:1", "c"})
    assert analysis.chrome_trace.format_to_string(pretty=False).startswith('{"traceEvents":[{"name":"process_name"')


def test_a_name_that_several_executions_have_means_the_latest_one_before() -> None:
    turn = lambda at: [("a", "a = A()", at, 2, [(0, 8)]), ("b", "b = B(a)", at + 1, 5, [])]  # noqa: E731
    stats = report({CPU: [*turn(10), *turn(30)]})
    assert [e["ts"] for e in events(stats, "st")] == [12, 11, 32, 31]
    assert [e["ts"] for e in events(stats, "D", show_memory=True)] == [15, 35]


def test_kernels_on_streams_count_for_their_steps_where_that_is_asked() -> None:
    stats = report({
        f"{GPU}/stream:all": [("c:Neg", "c:Neg", 14, 5, [])],
        CPU: [("c", "c = Neg(b)", 20, 4, []), ("d", "d = Neg(c)", 30, 4, [])],
    })  # fmt: skip
    times = {
        op_time: [(e["ts"], e["dur"]) for e in events(stats, "X", op_time=op_time)]
        for op_time in ("schedule", "gpu", "all")
    }
    assert times["schedule"] == times["all"] == [(14, 5), (20, 4), (30, 4)]
    assert times["gpu"] == [(14, 5), (14, 10), (30, 4)]
    assert stats.dev_stats[1].node_stats[0].all_start_micros == 20, "the report stays as it is"


def test_labels_that_are_no_calls_are_unknown_ops() -> None:
    stats = report({CPU: [("RecvTensor", "", 1, 1, []), ("x", "[CPU] MEMCPYDtoH x", 3, 1, [])]})
    assert [(e["name"], e["args"]["name"]) for e in events(stats, "X")] == [
        ("RecvTensor", "RecvTensor"), ("unknown", "x"),
    ]  # fmt: skip


def test_a_whole_report_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"step_stats must be a run_metadata\.step_stats"):
        Timeline(RunMetadata())
