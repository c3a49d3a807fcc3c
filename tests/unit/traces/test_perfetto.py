"""Perfetto's trace processor reads the trace of a program of every part, and is asked about it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from tests.unit.traces import perfetto
from tests.unit.traces.perfetto import Row, query
from tests.unit.traces.traced_program import ELEMENTS, MACHINE, SHIFT, Traced

pytestmark = [
    pytest.mark.skipif(bool(perfetto.missing()), reason=perfetto.missing()),
    pytest.mark.timeout(300),  # the first of these tests waits for the program
]

# Each slice with its place, and its own facts.
SLICES = """
create perfetto table placed as
select s.id, s.name, s.category, s.ts, s.dur, s.parent_id, s.depth, t.tid,
       coalesce(p.pid, q.pid) as pid, coalesce(p.name, q.name) as process,
       extract_arg(s.arg_set_id, 'args.flow') as flow, extract_arg(s.arg_set_id, 'args.lost') as lost,
       extract_arg(s.arg_set_id, 'args.function') as function
from slice s
left join thread_track tt on s.track_id = tt.id left join thread t using (utid) left join process p using (upid)
left join track k on s.track_id = k.id  -- of a coroutine: it is of the process
left join process q on extract_arg(k.dimension_arg_set_id, 'upid') = q.upid
"""
PROBLEMS = "select name, idx, value from stats where severity in ('error', 'data_loss') and value > 0"
HOST = "select * from placed where category in ('host', 'async') order by ts"
OVERLAPS = """
select s.id, s.name, parent.name as around from placed s join placed parent on s.parent_id = parent.id
where s.ts < parent.ts or s.ts + s.dur > parent.ts + parent.dur or s.pid != parent.pid or s.tid != parent.tid
union all
select a.id, a.name, b.name from placed a join placed b using (pid, tid, depth)
where a.id != b.id and a.ts <= b.ts and a.ts + a.dur > b.ts
"""
OPEN = "select id, name from slice where dur < 0"
# What is around each host call, from the inside outwards.
AROUND = """
select s.function, s.flow is not null as is_sent,
       (select group_concat(a.category || ' ' || a.name, ' < ')
        from (select * from ancestor_slice(s.id) order by depth desc) a) as path
from placed s where s.category = 'host'
"""
ARROWS = """
select a.category as source, b.category as target, a.flow = b.flow as is_same, count() as count,
       sum(b.ts < a.ts) as late
from flow f join placed a on f.slice_out = a.id join placed b on f.slice_in = b.id group by 1, 2, 3
"""
FLOWS = """
select s.flow, s.name, count(distinct r.id) as runs, count(distinct e.id) as accepts, max(r.lost) as lost_run,
       max(e.lost) as lost, min(r.ts) - s.ts as there, max(e.ts + e.dur) - max(r.ts + r.dur) as back,
       max(r.process) as process
from placed s
left join flow f on f.slice_out = s.id
left join placed r on f.slice_in = r.id and r.category != 'accept'
left join flow g on g.slice_out = coalesce(r.id, s.id)
left join placed e on g.slice_in = e.id and e.category = 'accept'
where s.category = 'submit' group by s.id
"""
LOST = "select name, category, process, lost, dur from placed where lost is not null order by category, name"
ALL = "select name, ts, dur, pid from placed"
PROCESSES = "select pid, name from process where pid != 0"
THREADS = "select t.name, count() as count from thread t join thread_track tt using (utid) group by 1"
COUNTERS = """
select t.name, count() as count, min(value) as least, max(value) as most
from counter c join counter_track t on c.track_id = t.id group by 1
"""
QUERIES = {
    "problems": PROBLEMS, "host": HOST, "overlaps": OVERLAPS, "open": OPEN, "around": AROUND, "arrows": ARROWS,
    "flows": FLOWS, "lost": LOST, "slices": ALL, "processes": PROCESSES, "threads": THREADS, "counters": COUNTERS,
}  # fmt: skip


@pytest.fixture(scope="module")
def tables(traced: Traced) -> dict[str, list[Row]]:
    """The answers to all queries: the engine takes seconds to load."""
    return dict(zip(QUERIES, query(traced.path, SLICES, *QUERIES.values())[1:], strict=True))


def function_of(row: Row) -> str:
    return str(row["name"]).rpartition(".")[2]


def error_of(process: str) -> float:
    """The stated bound of the error of a process's clock, in nanoseconds."""
    stated = re.search(r"clock error at most ([\d.]+) us", process)
    return float(stated[1]) * 1e3 if stated else 0.0


def test_perfetto_reads_every_event(tables: dict[str, list[Row]], traced: Traced) -> None:
    assert tables["problems"] == []
    slices = [(row["name"], row["ts"] + traced.spans[0].begin, row["dur"], row["pid"]) for row in tables["slices"]]
    spans = [
        (s.activity.name, s.begin, s.end - s.begin, s.process.pid)
        for s in traced.spans
        if s.activity.category != "counter"
    ]
    assert len(spans) > 500
    assert Counter(slices) == Counter(spans)  # to the nanosecond


def test_every_host_call_is_a_slice(tables: dict[str, list[Row]], traced: Traced) -> None:
    entries = [entry for entry in traced.journal if entry.name != "killed_on_server"]  # all spans of that are lost
    assert Counter((function_of(row), row["pid"]) for row in tables["host"]) == Counter(
        (e.name, e.pid) for e in entries
    )
    origin = json.loads(traced.path.read_text())["metadata"]["origin_ns"]
    slices = sorted(tables["host"], key=lambda row: (function_of(row), row["pid"], row["tid"] or 0, row["ts"]))
    entries.sort(key=lambda e: (e.name, e.pid, 0 if e.name == "awaited" else e.thread, e.moment))
    for row, entry in zip(slices, entries, strict=True):  # a coroutine is on no thread
        error = error_of(row["process"])
        assert (function_of(row), row["tid"] or entry.thread) == (entry.name, entry.thread)
        assert row["ts"] - error <= entry.moment - origin <= row["ts"] + row["dur"] + error


def test_slices_nest(tables: dict[str, list[Row]]) -> None:
    assert tables["overlaps"] == []
    assert tables["open"] == []


@pytest.mark.parametrize(
    ("function", "path", "count"),
    [
        ("in_session", r"step PyFunc < run Session\.run", 6),
        ("in_function", r"step EagerPyFunc\S* < run cond_true.* < run \S*body", 15),
        ("fails", r"run \S*lambda\S*", 3),
        ("in_dataset", r"(step PyFunc < run \S+ < )?work .*<lambda>", ELEMENTS),
        ("on_server", r"step PyFunc\S* < run plan < run part on /job:\w+/task:\d", 27),
    ],
)
def test_parents_are_around_host_calls(tables: dict[str, list[Row]], function: str, path: str, count: int) -> None:
    rows = [row["path"] for row in tables["around"] if f".{function} (" in row["function"]]
    assert len(rows) == count
    assert [row for row in rows if not re.fullmatch(path, row or "")] == []


def test_arrows_lead_from_submission_to_run_to_acceptance(tables: dict[str, list[Row]]) -> None:
    arrows = {(row["source"], row["target"]): row["count"] for row in tables["arrows"]}
    assert all(row["is_same"] for row in tables["arrows"])
    for run in ("async", "host", "work", "run"):
        lost = 1 if run == "host" else 0  # with its worker
        assert arrows.pop(("submit", run)) == arrows.pop((run, "accept")) + lost
    assert arrows == {("submit", "accept"): 1, ("host", "host"): 1}  # a server was killed, and a call run again
    broken = [row for row in tables["flows"] if (row["runs"], row["accepts"]) != (1, 1)]
    assert {(function_of(row), row["runs"], row["accepts"]) for row in broken} == {
        ("killed", 1, 0), ("killed_once", 1, 0), ("part for /job:worker/task:1", 0, 1)
    }  # fmt: skip
    for row in tables["flows"]:
        if row["runs"] and row["accepts"]:
            error = error_of(row["process"])
            assert row["there"] >= -error and row["back"] >= -error, row


def test_the_span_of_a_killed_worker_is_closed_and_marked(tables: dict[str, list[Row]]) -> None:
    part, *calls = tables["lost"]
    assert (part["name"], part["lost"]) == ("part of /job:worker/task:1", "its server is gone")
    assert [function_of(call) for call in calls] == ["killed", "killed_once"]
    for call in calls:
        assert (call["category"], call["lost"]) == ("host", "the worker died")
        assert call["dur"] > 0 and call["process"].startswith("worker on ")


def test_the_error_of_each_clock_is_stated(tables: dict[str, list[Row]], traced: Traced) -> None:
    names = {row["pid"]: row["name"] for row in tables["processes"]}
    assert {name.split(" on ")[0] for name in names.values()} == {
        "main", "worker", "Ray worker", "/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0"
    }  # fmt: skip
    stated = {pid: error_of(name) for pid, name in names.items()}
    assert {pid for pid, error in stated.items() if error} == {
        pid for pid, name in names.items() if f" on {MACHINE}" in name
    }
    clocks = {clock["pid"]: clock for clock in json.loads(traced.path.read_text())["metadata"]["clocks"]}
    assert clocks.keys() == names.keys()
    for pid, clock in clocks.items():
        assert clock["error_ns"] == pytest.approx(stated[pid], abs=100)
        assert abs(clock["offset_ns"] + (SHIFT if stated[pid] else 0)) <= clock["error_ns"]


def test_threads_and_counters_have_names(tables: dict[str, list[Row]]) -> None:
    names = {row["name"] for row in tables["threads"]}
    assert "MainThread" in names
    assert any(name.startswith("ThreadPoolExecutor-") for name in names)
    counters = {row["name"].removesuffix(" value"): row for row in tables["counters"]}
    assert counters.keys() == {"memory", "bytes sent", "calls that wait for a worker", "elements made ahead"}
    assert counters["memory"]["least"] > 1 << 20
    assert counters["bytes sent"]["most"] == counters["bytes sent"]["count"] * 4  # float32 scalars


def test_a_mistake_of_a_query_is_an_error(tmp_path: Path) -> None:
    with tf.profiler.trace(tmp_path / "run.json"):
        tf.add(1, 2)
    with pytest.raises(ValueError, match="no such table: nowhere"):
        query(tmp_path / "run.json", "select 1 from nowhere")


def test_perfetto_sees_slices_that_do_not_nest(tmp_path: Path) -> None:
    """What the tests above rely on."""
    place: dict[str, Any] = {"ph": "X", "pid": 1, "tid": 1, "cat": "test"}
    events = [{**place, "name": "a", "ts": 1.0, "dur": 5.0}, {**place, "name": "b", "ts": 2.0, "dur": 9.0}]
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"traceEvents": events}))
    (problems,) = query(path, PROBLEMS)
    assert [row["value"] for row in problems] == [1]
