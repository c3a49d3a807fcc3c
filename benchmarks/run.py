"""`make bench`: every row, inlay and its peers by turns in one run. `python -m benchmarks.run --help` has the options.

Each peer is a process of its own that lives for the whole run; one works while the others wait. A row goes round by
round: in every round each peer makes its calls once, in an order that turns about, so that a slow minute of the
machine falls on everyone. Ratios are taken within a round, and the table shows their median.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from benchmarks import environments, ledger
from benchmarks.peers import Gone, Team
from benchmarks.rows import NOT_BUILT, ROWS, Row


@dataclass(frozen=True)
class Effort:
    """How long a row is measured: rounds, seconds of calls in each, and the seconds it may take in all."""

    rounds: int
    least_rounds: int
    round_seconds: float
    row_seconds: float


FULL = Effort(rounds=25, least_rounds=5, round_seconds=0.05, row_seconds=60.0)
QUICK = Effort(rounds=5, least_rounds=2, round_seconds=0.02, row_seconds=10.0)


@dataclass
class Measured:
    """One row's samples, in seconds per call by peer; `control` is the control case in our process."""

    row: Row
    samples: dict[str, list[float]] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    control: list[float] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)


def _time(team: Team, name: str, case: str, calls: int) -> float | str:
    """Seconds for `calls` calls of a case, or why there are none."""
    process = team.process(name)
    if process is None:
        return team.absent.get(name, "unknown peer")
    try:
        reply = process.ask(case=case, calls=calls)
    except Gone as reason:
        team.drop(name)
        return str(reason)
    if "seconds" in reply:
        return float(reply["seconds"])
    return "has no such case" if "absent" in reply else f"failed: {reply['error'].strip().splitlines()[-1][:300]}"


def _calibrate(team: Team, name: str, row: Row, effort: Effort, measured: Measured) -> None:
    """Warms a case up and chooses its calls per round, or records why it is absent."""
    seconds = _time(team, name, row.case, 1)  # builds, traces, compiles: it says nothing of the calls that follow
    if isinstance(seconds, str):
        measured.absent[name] = seconds
        return
    measured.first[name] = seconds
    calls = 1
    while True:
        seconds = _time(team, name, row.case, calls)
        if isinstance(seconds, str):
            measured.absent[name] = seconds
            return
        if seconds >= effort.round_seconds / 2 or calls >= 1_000_000:
            break
        calls = min(calls * 10, max(calls + 1, int(calls * effort.round_seconds / max(seconds, 1e-9))))
    measured.calls[name] = calls
    measured.samples[name] = []


def measure(team: Team, row: Row, effort: Effort, wanted: Iterable[str]) -> Measured:
    """Measures one row."""
    measured = Measured(row)
    names = [name for name in row.entries if name in wanted]
    start = time.perf_counter()
    for name in names:
        _calibrate(team, name, row, effort, measured)
    taking_part = list(measured.samples)
    for number in range(effort.rounds):
        if number >= effort.least_rounds and time.perf_counter() - start > effort.row_seconds:
            break
        control = _time(team, row.subject, "control", 10)
        if not isinstance(control, str):
            measured.control.append(control / 10)
        turn = number % max(len(taking_part), 1)
        for name in taking_part[turn:] + taking_part[:turn]:
            seconds = _time(team, name, row.case, measured.calls[name])
            if isinstance(seconds, str):
                measured.absent[name] = seconds
                continue
            measured.samples[name].append(seconds / measured.calls[name])
    _finish(team, measured, names)
    return measured


def _finish(team: Team, measured: Measured, names: list[str]) -> None:
    """Notes which modules our process holds, and frees what the row kept."""
    for name in measured.absent:
        measured.samples.pop(name, None)
    for name in names:
        process = team.process(name) if name not in measured.absent else None
        if process is None:
            continue
        if name == measured.row.subject and measured.row.unloaded:
            measured.loaded = process.ask(modules=list(measured.row.unloaded))["loaded"]
        process.ask(release=measured.row.case)


def judged(measured: Measured) -> dict[str, Any]:
    """The ledger's fields of a row: figures, ratios, and whether the goals are met (None: nothing to judge by)."""
    row = measured.row
    ours = measured.samples.get(row.subject)
    ratios = {}
    for name, samples in measured.samples.items():
        if ours and name != row.subject:
            ratios[name] = ledger.spread([theirs / own for theirs, own in zip(samples, ours, strict=False)])
    met: bool | None = None
    if row.subject in measured.absent:
        met = False  # ours must run
    if ours:
        checks = [] if row.seconds is None else [ledger.spread(ours)["median"] <= row.seconds]
        if row.ratio is not None:
            checks.append(ratios[row.against]["median"] >= row.ratio if row.against in ratios else None)  # type: ignore[arg-type]
        if row.unloaded:
            checks.append(not measured.loaded)
        met = False if False in checks else None if None in checks or not checks else True
    return {
        "row": row.name,
        "title": row.title,
        "note": row.note,
        "subject": row.subject,
        "against": row.against,
        "seconds": {name: ledger.spread(samples) for name, samples in measured.samples.items()},
        "first": measured.first,
        "calls": measured.calls,
        "ratios": ratios,
        "control": ledger.spread(measured.control) if measured.control else None,
        "goal": {"seconds": row.seconds, "ratio": row.ratio, "not_loaded": list(row.unloaded)},
        "loaded": measured.loaded,
        "met": met,
        "absent": measured.absent,
    }


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def line(entry: dict[str, Any]) -> str:
    """A row as one line of text: ours, then each peer with its ratio, then the verdict."""
    seconds = entry["seconds"]
    parts = []
    for name, figures in seconds.items():
        ratio = entry["ratios"].get(name)
        times = f" ({ratio['median']:.3g}x, {ratio['q1']:.3g}-{ratio['q3']:.3g})" if ratio else ""
        parts.append(f"{name} {duration(figures['median'])} [min {duration(figures['min'])}]{times}")
    parts += [f"{name} {'' if why.startswith('failed') else 'ABSENT: '}{why}" for name, why in entry["absent"].items()]
    goal = entry["goal"]
    wanted = [f"<= {duration(goal['seconds'])}"] if goal["seconds"] is not None else []
    wanted += [f">= {goal['ratio']:g}x"] if goal["ratio"] is not None else []
    verdict = {True: ": met", False: ": MISSED", None: ": not judged" if wanted else ""}[entry["met"]]
    loaded = f"; loaded {entry['loaded']}" if entry["loaded"] else ""
    return f"{entry['row']:30} {'; '.join(parts)} | goal {' and '.join(wanted) or 'none'}{verdict}{loaded}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rounds; for a look, not for the ledger's readers")
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--peers", metavar="NAMES", default="", help="comma-separated; tf is tensorflow; default all")
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    return parser.parse_args()


def _peer_names(chosen: str) -> list[str]:
    """Entries that take part: ours always; a peer's variants come with it."""
    names = [environments.SHORT.get(n.strip(), n.strip()) for n in chosen.split(",") if n.strip()]
    unknown = set(names) - set(environments.PEERS)
    if unknown:
        raise SystemExit(f"unknown peers {sorted(unknown)}; known: {', '.join(environments.PEERS)}")
    names = names or list(environments.PEERS)
    return [name for name in environments.PEERS if name.partition("+")[0] in {*names, "inlay"}]


def main() -> int:
    """Measures, prints, appends to the ledger. 1 if a case of ours failed to run; a missed goal is not a failure."""
    options = _options()
    rows = [row for row in ROWS if re.search(options.only, row.name)]
    if not rows:
        raise SystemExit(f"no row matches {options.only!r}; rows: {', '.join(row.name for row in ROWS)}")
    names = _peer_names(options.peers)
    needed = [name for name in names if any(name in row.entries for row in rows)]
    effort = QUICK if options.quick else FULL
    shared = {**ledger.header("row"), "quick": options.quick}
    failed = []
    with Team(needed, install=not options.no_install) as team:
        for name, why in team.absent.items():
            print(f"{name} is ABSENT: {why}", flush=True)
        for row in rows:
            entry = judged(measure(team, row, effort, names))
            entry = {**shared, **entry, "versions": team.versions()}
            print(line(entry), flush=True)
            if row.subject in entry["absent"]:
                failed.append(row.name)
            if not options.no_ledger:
                ledger.append([entry])
    for title in NOT_BUILT:
        print(f"{title}: not built yet")
    if failed:
        print(f"our side failed in: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
