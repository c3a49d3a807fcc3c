"""A trace as a table: the cost of host functions, and the executors that would serve them better."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from inlay._src.base.export import export
from inlay._src.base.span_chunks import Span

_SHORT = 200e-6
"""Seconds of a call below which the way to another process costs more than the call."""
_LONG = 1e-3
"""Seconds of a call from which an executor can gain something."""
_WAITING = 0.3
"""The share of a call's time on the processor below which it waits rather than computes."""
_ROWS = 20
_HOST = ("host", "work")
_OTHERS = ("run", "stage", "step", "op", "build", "gradient")


@dataclass
class FunctionRow:
    """The figures of one host function.

    Attributes:
      name, function: its name, and its name with its definition.
      executor: the executor of its calls; "" in place.
      calls: the number of calls.
      own: seconds in its body, without the host functions that it calls.
      total: seconds in its body.
      wait: seconds between the submission of a call and its begin.
      cpu: seconds on the processor, of the calls of which it was measured, and `measured` their seconds.
      sent: bytes of arguments that were sent to another process.
      lost: calls whose worker ended within them.
    """

    name: str
    function: str
    executor: str = ""
    calls: int = 0
    own: float = 0.0
    total: float = 0.0
    wait: float = 0.0
    cpu: float = 0.0
    measured: float = 0.0
    sent: int = 0
    lost: int = 0

    @property
    def mean(self) -> float:
        """Seconds of a call."""
        return self.total / self.calls if self.calls else 0.0

    @property
    def advice(self) -> str:
        """The executor that would serve it better; "" if none would."""
        share = self.cpu / self.measured if self.measured else 1.0
        if self.executor.startswith(("Processes", "RayExecutor")):
            short = self.calls and self.mean < _SHORT
            return "in place: the way to a worker costs more than the call" if short else ""
        if self.mean < _LONG or self.calls < 2:
            return ""
        if share < _WAITING:
            return "" if self.executor else "tf.Threads(): it waits, and several calls can wait at once"
        if self.executor.startswith("Threads"):
            return "tf.Processes(), unless it releases the interpreter: it computes"
        return "" if self.executor else "tf.Processes(): it computes; tf.Threads() if it releases the interpreter"


@dataclass
class SpanRow:
    """The figures of runs, stages, steps or eager ops of one name.

    Attributes:
      name: the name.
      calls: the number of spans.
      own: seconds without the spans within.
      total: seconds.
    """

    name: str
    calls: int = 0
    own: float = 0.0
    total: float = 0.0


@export("profiler.Summary")
class Summary:
    """The table of a trace; `print` shows it.

    Args:
      spans: the spans, by their begin.
      dropped: the number of those that there was no room for.

    Attributes:
      functions: host functions by their own time: `FunctionRow`.
      runs, stages, steps, ops, builds, gradients: the others by theirs: `SpanRow`.
      seconds: from the first begin to the last end.
    """

    def __init__(self, spans: Sequence[Span], dropped: int = 0) -> None:
        self.dropped = dropped
        self.seconds: float = (max(s.end for s in spans) - spans[0].begin) / 1e9 if spans else 0.0
        own, around = _own_times(spans)
        submitted = {s.details["flow"]: s for s in spans if s.activity.category == "submit"}
        functions: dict[tuple[str, str], FunctionRow] = {}
        others: dict[str, dict[str, SpanRow]] = defaultdict(dict)
        for number, span in enumerate(spans):
            category = span.activity.category
            if category in ("host", "async", "work"):
                submit = submitted.get(span.details.get("flow"))
                outer = spans[around[number]] if number in around else span
                at = submit or submitted.get(outer.details.get("flow"))  # within work that was sent elsewhere
                executor = str(dict(at.activity.details).get("executor", "")) if at is not None else ""
                _add_call(functions, span, own[number] / 1e9, submit, executor)
            elif category in _OTHERS:
                name = dict(span.activity.details).get("op", "") if category == "step" else span.activity.name
                row = others[category].setdefault(name, SpanRow(name))
                row.calls += 1
                row.own += own[number] / 1e9
                row.total += (span.end - span.begin) / 1e9
        self.functions: list[FunctionRow] = sorted(functions.values(), key=lambda row: -row.own)
        rows = {category: sorted(others[category].values(), key=lambda row: -row.own) for category in _OTHERS}
        self.runs: list[SpanRow] = rows["run"]
        self.stages: list[SpanRow] = rows["stage"]
        self.steps: list[SpanRow] = rows["step"]
        self.ops: list[SpanRow] = rows["op"]
        self.builds: list[SpanRow] = rows["build"]
        self.gradients: list[SpanRow] = rows["gradient"]

    def __str__(self) -> str:
        lines = [f"{_time(self.seconds)} recorded" + (f", {self.dropped:,} spans dropped" if self.dropped else "")]
        if self.functions:
            titles = ["host function", "calls", "own", "mean", "wait", "sent", "executor"]
            lines += ["", *_table([titles, *(_cells(row) for row in self.functions[:_ROWS])])]
            advice = [f"{row.function}: {row.advice}" for row in self.functions[:_ROWS] if row.advice]
            lines += [f"  {line}" for line in advice]
            lines += [f"  {row.function}: {row.lost} lost with a worker" for row in self.functions if row.lost]
        named = {
            "run": self.runs, "dataset stage": self.stages, "step": self.steps, "eager op": self.ops,
            "built": self.builds, "gradient": self.gradients,
        }  # fmt: skip
        for title, rows in named.items():
            if rows:
                cells = [[r.name, f"{r.calls:,}", _time(r.own), _time(r.total)] for r in rows[:_ROWS]]
                lines += ["", *_table([[title, "calls", "own", "total"], *cells])]
        return "\n".join(lines)

    __repr__ = __str__


def _add_call(
    functions: dict[tuple[str, str], FunctionRow], span: Span, own: float, submit: Span | None, executor: str
) -> None:
    """Adds a call to the row of its function and executor."""
    label = dict(span.activity.details).get("function", span.activity.name)
    row = functions.setdefault((label, executor), FunctionRow(span.activity.name, label, executor))
    seconds = (span.end - span.begin) / 1e9
    row.calls += 1
    row.own += own
    row.total += seconds
    if "cpu" in span.details:
        row.cpu += span.details["cpu"] / 1e9
        row.measured += seconds
    if submit is not None:
        row.wait += max(span.begin - submit.end, 0) / 1e9
        row.sent += submit.details.get("bytes", 0)
    row.lost += "lost" in span.details


def _own_times(spans: Sequence[Span]) -> tuple[dict[int, int], dict[int, int]]:
    """Number of each span -> its own nanoseconds; number of a host function -> that of the one around it, if any.

    Own are those without the spans of its thread within; of a host function, without host functions within: ops that it
    runs are its own.
    """
    own: dict[int, int] = {}
    surrounding: dict[int, int] = {}
    stacks: dict[tuple[str, int, int], list[_OpenSpan]] = defaultdict(list)
    for number, span in enumerate(spans):
        category = span.activity.category
        length = span.end - span.begin
        if category in ("counter", "async"):
            own[number] = length
            continue
        stack = stacks[span.process.host, span.process.pid, span.thread[0]]
        while stack and stack[-1].end <= span.begin:
            done = stack.pop()
            own[done.number] = done.own
        is_host = category in _HOST
        if stack and not stack[-1].is_host:
            stack[-1].own -= length
        if is_host:
            around = next((outer for outer in reversed(stack) if outer.is_host), None)
            if around is not None:
                around.own -= length
                surrounding[number] = around.number
        stack.append(_OpenSpan(span.end, number, length, is_host))
    for stack in stacks.values():
        own.update((done.number, done.own) for done in stack)
    return own, surrounding


@dataclass
class _OpenSpan:
    """A span whose end was not reached.

    Attributes:
      end: its end.
      number: its number.
      own: its own nanoseconds so far.
      is_host: whether it is the body of a host function.
    """

    end: int
    number: int
    own: int
    is_host: bool


def _cells(row: FunctionRow) -> list[str]:
    sent = f"{row.sent / 1e6:,.1f} MB" if row.sent else "-"
    wait = _time(row.wait) if row.executor else "-"
    return [row.function, f"{row.calls:,}", _time(row.own), _time(row.mean), wait, sent, row.executor or "in place"]


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.1f} us"


def _table(lines: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells as aligned text, numbers to the right."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    last = len(widths) - 1
    return [
        "  ".join(
            cell.ljust(w) if i in (0, last) and len(widths) > 4 or i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
