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
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from benchmarks import environments, ledger
from benchmarks.peers import Gone, Team
from benchmarks.rows import ALL_ROWS, Row


@dataclass(frozen=True)
class Effort:
    """How long a row is measured: rounds, seconds of calls in each, and the seconds it may take in all."""

    rounds: int
    least_rounds: int
    round_seconds: float
    row_seconds: float


FULL = Effort(rounds=25, least_rounds=5, round_seconds=0.05, row_seconds=60.0)
FORMS = Effort(rounds=9, least_rounds=3, round_seconds=0.02, row_seconds=10.0)
QUICK = Effort(rounds=5, least_rounds=2, round_seconds=0.02, row_seconds=10.0)
# A row is as fast as its predecessor from here on; the ratio is the predecessor's time over ours.
AS_FAST = 0.95
# A row that is not is measured again so many times: two processes of one program may differ by some percent too.
FRESH_PROCESSES = 2


@dataclass
class Measured:
    """One row's samples, in seconds per call.

    Attributes:
      row: which.
      samples: by peer.
      references: by case of ours that the row is compared with, from the same rounds.
      first: the first call by peer.
      calls: calls per round by peer.
      absent: why a peer did not take part.
      control: the control case in our process.
      loaded: modules that our process should not hold and does.
    """

    row: Row
    samples: dict[str, list[float]] = field(default_factory=dict)
    references: dict[str, list[float]] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    control: list[float] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def add(self, more: Measured) -> None:
        """Takes the samples of later rounds in; whoever took no part in them keeps what he has."""
        for mine, other in ((self.samples, more.samples), (self.references, more.references)):
            for name, samples in other.items():
                mine.setdefault(name, []).extend(samples)
        self.control += more.control
        self.absent.update(more.absent)


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


def _calibrate(team: Team, name: str, case: str, effort: Effort) -> tuple[float, int] | str:
    """Warms a case up: the seconds of its first call, and its calls per round; or why it is absent."""
    first = seconds = _time(team, name, case, 1)  # builds, traces, compiles: it says nothing of the calls that follow
    calls = 1
    while not isinstance(seconds, str):
        seconds = _time(team, name, case, calls)
        if isinstance(seconds, str):
            break
        if seconds >= effort.round_seconds / 2 or calls >= 1_000_000:
            return float(first), calls
        calls = min(calls * 10, max(calls + 1, int(calls * effort.round_seconds / max(seconds, 1e-9))))
    return seconds


def measure(team: Team, row: Row, effort: Effort, wanted: Collection[str]) -> Measured:
    """Measures one row.

    Args:
      team: the processes.
      row: which.
      effort: how long.
      wanted: the entries that may take part.
    """
    measured = Measured(row)
    start = time.perf_counter()
    names = [name for name in (*row.entries, row.before) if name in wanted]
    parts: list[tuple[str, str, int, list[float]]] = []
    for name in names:
        found = _calibrate(team, name, row.case, effort)
        if isinstance(found, str):
            measured.absent[name] = found
            continue
        measured.first[name], measured.calls[name] = found
        parts.append((name, row.case, found[1], measured.samples.setdefault(name, [])))
    for case in row.references:
        found = _calibrate(team, row.subject, case, effort)
        if not isinstance(found, str):
            parts.append((row.subject, case, found[1], measured.references.setdefault(case, [])))
    for number in range(effort.rounds):
        if number >= effort.least_rounds and time.perf_counter() - start > effort.row_seconds:
            break
        control = _time(team, row.subject, "control", 10)
        if not isinstance(control, str):
            measured.control.append(control / 10)
        turn = number % max(len(parts), 1)
        for name, case, calls, kept in parts[turn:] + parts[:turn]:
            seconds = _time(team, name, case, calls)
            if isinstance(seconds, str):
                measured.absent[name] = seconds
                continue
            kept.append(seconds / calls)
    _finish(team, measured, names)
    return measured


def measure_surely(team: Team, row: Row, effort: Effort, wanted: Collection[str]) -> Measured:
    """Measures one row; while it looks slower than its predecessor, again in fresh processes of the two.

    Args:
      team: the processes.
      row: which.
      effort: how long.
      wanted: the entries that may take part.
    """
    measured = measure(team, row, effort, wanted)
    both = {row.subject, row.before}
    for _ in range(FRESH_PROCESSES):
        entry = judged(measured)
        if not entry["before"] or not beside_before(entry["ratios"][entry["before"]]):
            break
        for name in both:
            team.drop(name)
        measured.add(measure(team, row, effort, both))
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
        for case in (measured.row.case, *(measured.references if name == measured.row.subject else ())):
            process.ask(release=case)


def _bounds(measured: Measured) -> list[float] | None:
    """The most that our call may take beside the cases it is compared with, round by round."""
    bound = measured.row.bound
    if bound is None or not {bound.case, *bound.plus} <= set(measured.references):
        return None
    plus = [measured.references[case] for case in bound.plus]
    return [
        bound.factor * own + sum(added) for own, *added in zip(measured.references[bound.case], *plus, strict=False)
    ]


def _met(measured: Measured, ratios: dict[str, dict[str, float]], bounds: list[float] | None) -> bool | None:
    """Whether a row reaches its goals; None where it has none, or nothing to judge them by."""
    row, ours = measured.row, measured.samples.get(measured.row.subject)
    if row.subject in measured.absent:
        return False  # ours must run
    if not ours:
        return None
    checks: list[bool | None] = []
    if row.seconds is not None:
        checks.append(ledger.spread(ours)["median"] <= row.seconds)
    if row.ratio is not None:
        checks.append(ratios[row.against]["median"] >= row.ratio if row.against in ratios else None)
    if row.bound is not None:
        shares = [own / most for own, most in zip(ours, bounds, strict=False)] if bounds else None
        checks.append(ledger.spread(shares)["median"] <= 1 if shares else None)
    if row.unloaded:
        checks.append(not measured.loaded)
    return False if False in checks else None if None in checks or not checks else True


def judged(measured: Measured) -> dict[str, Any]:
    """The ledger's fields of a row: figures, ratios, and whether the goals are met (None: nothing to judge by)."""
    row = measured.row
    ours = measured.samples.get(row.subject)
    ratios = {}
    for name, samples in measured.samples.items():
        if ours and name != row.subject:
            ratios[name] = ledger.spread([theirs / own for theirs, own in zip(samples, ours, strict=False)])
    bounds = _bounds(measured)
    bare = measured.references.get(row.bare)
    return {
        "row": row.name,
        "title": row.title,
        "note": row.note,
        "subject": row.subject,
        "against": row.against,
        "before": row.before if row.before in ratios else None,
        "seconds": {name: ledger.spread(samples) for name, samples in measured.samples.items()},
        "first": measured.first,
        "calls": measured.calls,
        "ratios": ratios,
        "control": ledger.spread(measured.control) if measured.control else None,
        "goal": {
            "seconds": row.seconds,
            "ratio": row.ratio,
            "bound": row.bound.text if row.bound else None,
            "not_loaded": list(row.unloaded),
        },
        "bound": ledger.spread(bounds) if bounds else None,
        "bare": ledger.spread([loop / own for loop, own in zip(bare, ours, strict=False)]) if bare and ours else None,
        "loaded": measured.loaded,
        "met": _met(measured, ratios, bounds),
        "absent": measured.absent,
    }


def beside_before(ratio: dict[str, float]) -> str:
    """What a ratio of the predecessor's time over ours says: "slower", "in doubt" or nothing.

    Slower is what three rounds of four show; in doubt is what the spread may still explain.
    """
    if ratio["q3"] < AS_FAST:
        return "slower"
    return "in doubt" if ratio["median"] < AS_FAST else ""


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
    bare = entry.get("bare")
    parts += [f"a bare loop ({bare['median']:.3g}x, {bare['q1']:.3g}-{bare['q3']:.3g})"] if bare else []
    parts += [f"{name} {'' if why.startswith('failed') else 'ABSENT: '}{why}" for name, why in entry["absent"].items()]
    wanted = goals(entry, "<= ", ">= ")
    verdict = {True: ": met", False: ": MISSED", None: ": not judged" if wanted else ""}[entry["met"]]
    loaded = f"; loaded {entry['loaded']}" if entry["loaded"] else ""
    since = beside_before(entry["ratios"][entry["before"]]) if entry["before"] else ""
    return f"{entry['row']:30} {'; '.join(parts)} | goal {' and '.join(wanted) or 'none'}{verdict}{loaded}" + (
        f" | beside before: {since.upper()}" if since else ""
    )


def goals(entry: dict[str, Any], most: str, least: str) -> list[str]:
    """A row's goals in words, each after the given sign."""
    goal, bound = entry["goal"], entry.get("bound")
    parts = [f"{most}{duration(goal['seconds'])}"] if goal["seconds"] is not None else []
    parts += [f"{least}{goal['ratio']:g}x"] if goal["ratio"] is not None else []
    if goal.get("bound") is not None:
        parts.append(f"{most}{goal['bound']}" + (f" = {duration(bound['median'])}" if bound else ""))
    return parts


def _options(only: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rounds; for a look, not for the ledger's readers")
    parser.add_argument("--only", metavar="REGEX", default=only, help="rows whose name matches")
    parser.add_argument("--peers", metavar="NAMES", default="", help="comma-separated; tf is tensorflow; default all")
    environments.add_before(parser)
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    return parser.parse_args()


def _peer_names(chosen: str, peers: Collection[str] = environments.PEERS) -> list[str]:
    """Entries that take part: ours and our predecessor always; a peer's variants come with it."""
    names = [environments.SHORT.get(n.strip(), n.strip()) for n in chosen.split(",") if n.strip()]
    unknown = set(names) - set(peers)
    if unknown:
        raise SystemExit(f"unknown peers {sorted(unknown)}; known: {', '.join(peers)}")
    names = names or list(peers)
    return [name for name in peers if name.partition("+")[0] in {*names, "inlay", "before"}]


def _since(entries: list[dict[str, Any]], commit: str) -> list[str]:
    """What the run says of the predecessor, as lines of text."""
    found: dict[str, list[str]] = {"slower": [], "in doubt": [], "": []}
    for entry in entries:
        if entry["before"]:
            found[beside_before(entry["ratios"][entry["before"]])].append(entry["row"])
    lines = [f"beside {commit}: {len(found[''])} of {sum(map(len, found.values()))} rows within 5% or better"]
    return lines + [f"  {word}: {', '.join(found[word])}" for word in ("slower", "in doubt") if found[word]]


def main(only: str = "") -> int:
    """Measures, prints, appends to the ledger. 1 if a case of ours failed to run; a missed goal is not a failure.

    Args:
      only: which rows, as a regular expression, unless the command line says.
    """
    options = _options(only)
    rows = [row for row in ALL_ROWS if re.search(options.only, row.name)]
    if not rows:
        raise SystemExit(f"no row matches {options.only!r}; rows: {', '.join(row.name for row in ALL_ROWS)}")
    try:
        peers = environments.with_before(options.before)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    names = _peer_names(options.peers, peers)
    needed = [name for name in names if any(name in (*row.entries, row.before) for row in rows)]
    shared = {**ledger.header("row"), "quick": options.quick}
    entries = []
    with Team(needed, install=not options.no_install, peers=peers) as team:
        for name, why in team.absent.items():
            print(f"{name} is ABSENT: {why}", flush=True)
        for row in rows:
            effort = QUICK if options.quick else FORMS if row.group else FULL
            entries.append({**shared, **judged(measure_surely(team, row, effort, names)), "versions": team.versions()})
            print(line(entries[-1]), flush=True)
            if not options.no_ledger:
                ledger.append(entries[-1:])
    if options.before:
        print("\n".join(_since(entries, options.before)))
    failed = [entry["row"] for entry in entries if entry["subject"] in entry["absent"]]
    if failed:
        print(f"our side failed in: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
