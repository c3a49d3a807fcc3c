"""The trace of a program of every part, as spans: compared with what the program's host functions saw themselves."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from inlay._src.base.span_chunks import Process, Span
from tests.unit.traces.traced_program import MACHINE, SHIFT, Entry, Traced

UNSEEN = "killed_on_server"
"""The host function that ends a whole server, with all spans that this has."""
FLOWING = ("submit", "host", "work", "async", "run", "accept")
pytestmark = pytest.mark.timeout(300)  # the first of these tests waits for the program


def host_spans(traced: Traced) -> list[Span]:
    return [span for span in traced.spans if span.activity.category in ("host", "async")]


def function_of(span: Span) -> str:
    """The function's own name, without the functions around its definition."""
    return span.activity.name.rpartition(".")[2]


def pairs(traced: Traced) -> Iterator[tuple[Span, Entry]]:
    """Spans of host functions with the calls that these noted, each in the order of its thread."""
    spans, calls = defaultdict(list), defaultdict(list)
    for span in host_spans(traced):
        spans[function_of(span), span.process.pid, span.thread[0]].append(span)
    for entry in traced.journal:
        if entry.name != UNSEEN:
            calls[entry.name, entry.pid, entry.thread].append(entry)
    assert {key: len(of) for key, of in spans.items()} == {key: len(of) for key, of in calls.items()}
    for key, of in calls.items():
        yield from zip(spans[key], sorted(of, key=lambda entry: entry.moment), strict=True)


def outside(inner: Span, outer: Span) -> int:
    """Nanoseconds of a span that are outside of another, beyond the errors of their clocks."""
    slack = inner.process.error + outer.process.error
    return max(outer.begin - inner.begin - slack, inner.end - outer.end - slack, 0)


def test_every_host_call_is_there_once(traced: Traced) -> None:
    calls = Counter(entry.name for entry in traced.journal)
    assert calls == {
        "in_session": 6, "in_function": 15, "fails": 3, "in_dataset": 40, "in_worker": 10, "in_thread": 6,
        "in_task": 4, "awaited": 4, "killed": 1, "killed_once": 2, "on_server": 27, "in_worker_of_server": 3,
        "fails_on_server": 1, UNSEEN: 1,
    }  # fmt: skip
    assert Counter(map(function_of, host_spans(traced))) == calls - Counter([UNSEEN])
    assert sum(1 for _ in pairs(traced)) == calls.total() - 1


def test_calls_have_the_time_of_the_machine_within_the_stated_error(traced: Traced) -> None:
    for span, entry in pairs(traced):
        assert span.begin - span.process.error <= entry.moment <= span.end + span.process.error, (span, entry)


def test_the_clock_of_another_machine_is_aligned_within_its_stated_error(traced: Traced) -> None:
    processes = {span.process for span in traced.spans}
    there = {process for process in processes if process.host == MACHINE}
    assert {process.name for process in there} == {"/job:ps/task:0", "Ray worker", "worker"}
    for process in there:
        assert abs(process.offset + SHIFT) <= process.error, process
        assert 0 < process.error < 1_000_000_000
    assert all((process.offset, process.error) == (0, 0) for process in processes - there)


def test_one_process_has_one_clock(traced: Traced) -> None:
    clocks: dict[tuple[str, int], set[Process]] = defaultdict(set)
    for span in traced.spans:
        clocks[span.process.host, span.process.pid].add(span.process)
    assert {key: len(of) for key, of in clocks.items()} == dict.fromkeys(clocks, 1)


def test_spans_of_a_thread_nest(traced: Traced) -> None:
    stacks: dict[tuple[int, int], list[Span]] = defaultdict(list)
    for span in traced.spans:
        if span.activity.category in ("async", "counter"):
            continue
        stack = stacks[span.process.pid, span.thread[0]]
        while stack and stack[-1].end <= span.begin:
            stack.pop()
        assert not stack or span.end <= stack[-1].end, (stack[-1], span)
        stack.append(span)


def test_times_are_within_the_run(traced: Traced) -> None:
    for span in traced.spans:
        assert traced.begin - span.process.error <= span.begin <= span.end <= traced.end + span.process.error, span


def test_each_call_goes_from_its_submission_to_its_run_to_its_acceptance(traced: Traced) -> None:
    flows: dict[int, dict[str, list[Span]]] = defaultdict(lambda: defaultdict(list))
    for span in traced.spans:
        if "flow" in span.details:
            category = span.activity.category
            assert category in FLOWING
            flows[span.details["flow"]][category if category in ("submit", "accept") else "run"].append(span)
    kinds = Counter(tuple(sorted((name, len(of)) for name, of in flow.items())) for flow in flows.values())
    whole, again = (("accept", 1), ("run", 1), ("submit", 1)), (("accept", 1), ("run", 2), ("submit", 1))
    lost, unseen = (("run", 1), ("submit", 1)), (("accept", 1), ("submit", 1))
    assert kinds.pop(whole) > 60
    assert kinds == {again: 1, lost: 1, unseen: 1}
    for flow in flows.values():
        if len(flow) == 3:
            (submit,), runs, (accept,) = flow["submit"], flow["run"], flow["accept"]
            slack = runs[0].process.error
            assert submit.begin - slack <= runs[0].begin
            assert all(run.end <= following.begin for run, following in itertools.pairwise(runs))
            assert runs[-1].end <= accept.end + slack


@pytest.mark.parametrize("name", ["killed", "killed_once"])
def test_the_open_span_of_a_killed_worker_is_closed_and_marked(traced: Traced, name: str) -> None:
    span, *others = [span for span in host_spans(traced) if function_of(span) == name]
    entry = next(entry for entry in traced.journal if entry.name == name)
    assert span.details["lost"] == "the worker died"
    assert span.begin <= entry.moment <= span.end
    assert (span.process.pid, span.process.name) == (entry.pid, "worker")
    assert [(other.process.pid != entry.pid, "lost" in other.details) for other in others] == [(True, False)] * len(
        others
    )


def test_what_a_killed_server_did_not_send_is_marked(traced: Traced) -> None:
    (part,) = [span for span in traced.spans if span.activity.category == "accept" and "lost" in span.details]
    assert (part.activity.name, part.details["lost"]) == ("part of /job:worker/task:1", "its server is gone")
    assert sum("lost" in span.details for span in traced.spans) == 3


@pytest.mark.parametrize(
    ("function", "around", "count"),
    [
        ("in_session", ("run", "Session.run"), 6),
        ("in_function", ("run", "body"), 15),
        ("fails", ("run", "lambda"), 3),
        ("in_dataset", ("work", "lambda"), 40),
        ("on_server", ("run", "part on /job:worker/task:0"), 9),
        ("on_server", ("run", "part on /job:worker/task:1"), 9),
        ("on_server", ("run", "part on /job:ps/task:0"), 9),
        ("fails_on_server", ("run", "part on /job:worker/task:1"), 1),
    ],
)
def test_host_calls_lie_within_what_calls_them(
    traced: Traced, function: str, around: tuple[str, str], count: int
) -> None:
    category, name = around
    outer = [s for s in traced.spans if s.activity.category == category and name in s.activity.name]
    inner = [span for span in host_spans(traced) if function_of(span) == function]
    within = [
        span
        for span in inner
        if any((o.process.pid, o.thread) == (span.process.pid, span.thread) and not outside(span, o) for o in outer)
    ]
    assert len(within) == count


def test_parts_of_a_run_on_servers_lie_within_it(traced: Traced) -> None:
    runs = [s for s in traced.spans if s.activity.name == "Session.run"]
    parts = [s for s in traced.spans if s.activity.name.startswith("part on ")]
    assert len(parts) == 31
    assert all(any(not outside(part, run) for run in runs) for part in parts)
