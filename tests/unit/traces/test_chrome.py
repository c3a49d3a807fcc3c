"""Spans in the Trace Event Format: what Perfetto's own reader does not tell."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import inlay as tf
from inlay._src.base.span_chunks import Activity, Span
from inlay._src.base.spans import this_process
from inlay._src.base.traces import chrome

THREAD = 7, "main"


def events(*spans: Span) -> list[dict[str, Any]]:
    return [event for event in json.loads(json.dumps(list(chrome.events(spans)))) if event["ph"] != "M"]


def test_times_are_exact_on_a_machine_that_has_run_for_years() -> None:
    origin = 10 * 365 * 86_400 * 10**9
    activity = Activity("run", "run")
    times = [(origin, origin + 1_234_567), (origin + 1, origin + 1_234_566), (origin + 333, origin + 1_000_003)]
    written = events(*(Span(activity, begin, end, this_process(), THREAD, {}) for begin, end in times))
    read = [(origin + round(1e3 * e["ts"]), round(1e3 * e["dur"])) for e in written]
    assert read == [(begin, end - begin) for begin, end in times]
    for event in written[1:]:  # they lie within the first, however the numbers are rounded
        assert event["ts"] + event["dur"] <= written[0]["dur"]


def test_numbers_of_calls_are_text_of_more_than_53_bits() -> None:
    flow = (4_194_304 << 32) + 1
    submit = Span(Activity("f", "submit"), 1, 2, this_process(), THREAD, {"flow": flow})
    accept = Span(Activity("f", "accept"), 3, 4, this_process(), THREAD, {"flow": flow})
    first, last = events(submit, accept)
    assert (first["bind_id"], first["flow_out"], last["bind_id"], last["flow_in"]) == (hex(flow), True, hex(flow), True)
    assert "flow_in" not in first and "flow_out" not in last


def test_processes_of_two_machines_with_one_number_have_two() -> None:
    here = this_process()
    there = here._replace(host="elsewhere", offset=5, error=1_500)
    spans = [Span(Activity("run", "run"), 1, 2, process, THREAD, {}) for process in (here, there)]
    names = {event["pid"]: event["args"]["name"] for event in chrome.events(spans) if event["name"] == "process_name"}
    assert names[here.pid] == f"main on {here.host}"
    assert sorted(names.values())[0] == "main on elsewhere, clock error at most 1.5 us"
    assert len(names) == 2


def test_an_empty_trace_is_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json.gz"
    tf.profiler.trace().save(path)
    trace = json.loads(gzip.decompress(path.read_bytes()))
    assert (trace["traceEvents"], trace["metadata"]["origin_ns"]) == ([], 0)
