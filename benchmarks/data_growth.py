"""What an element costs as datasets get deeper and elements larger, next to tf.data.

`python -m benchmarks.data_growth`. Both libraries run the same program by turns; a point is seconds per element. From
one point to the next the cost grows with an exponent: 1 is as fast as the number of stages or bytes. Nothing may grow
faster than that, unless a bare loop that does what has to be done at least does too (caches and page faults are the
machine's), or TensorFlow's in the same run.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from typing import Any

from benchmarks import ledger
from benchmarks.cases.datasets_growth import SERIES
from benchmarks.growth import PEERS
from benchmarks.peers import Gone, Team
from benchmarks.run import duration

SPREAD = 0.15
"""By how much an exponent may exceed that of the work: what is measured spreads."""


def measure(
    team: Team,
    title: str,
    points: tuple[int, ...],
    rounds: int,
    seconds: float,
    program: str = "data_growth",
    bare: str | None = None,
) -> dict[str, Any]:
    """One ledger entry: seconds per element by peer and point, and the exponents between points.

    Args:
      team: the processes.
      title: of the series.
      points: of the series.
      rounds: how often each peer measures each point.
      seconds: how long each time.
      program: the function in `FIGURES` that measures a point.
      bare: the one that measures what has to be done at least, if there is such a thing.
    """
    who = [("inlay", "inlay", program), ("tensorflow", "tensorflow", program)]
    who += [("bare loop", "inlay", bare)] if bare else []
    samples: dict[str, dict[int, list[float]]] = {name: {at: [] for at in points} for name, _, _ in who}
    absent: dict[str, str] = {}
    for turn in range(rounds):
        for at in points:
            for name, peer, figures in who[:: 1 if turn % 2 else -1]:
                found = _asked(team, peer, figures, {"series": title, "at": at, "seconds": seconds})
                if isinstance(found, str):
                    absent[name] = found
                else:
                    samples[name][at].append(found)
    complete = {name: by for name, by in samples.items() if all(by.values())}
    grown = {name: exponents(points, by) for name, by in complete.items()}
    return {
        "title": title,
        "points": list(points),
        "seconds": {name: [ledger.spread(by[at]) for at in points] for name, by in complete.items()},
        "exponents": grown,
        "absent": absent,
        "versions": team.versions(),
        "met": met(grown),
    }


def _asked(team: Team, peer: str, figures: str, arguments: dict[str, Any]) -> float | str:
    """Seconds per element, or why there are none."""
    process = team.process(peer)
    if process is None:
        return team.absent[peer]
    try:
        reply = process.ask(figures=figures, arguments=arguments)
    except Gone as reason:
        team.drop(peer)
        return str(reason)
    if "figures" in reply:
        return float(reply["figures"]["element"])
    return str(reply["error"]).strip().splitlines()[-1]


def exponents(points: tuple[int, ...], samples: dict[int, list[float]]) -> list[float]:
    """With which power of the work the cost grows from each point to the next, of the least seen at each.

    The least is what the program takes where the machine does nothing else.
    """
    least = [min(samples[at]) for at in points]
    return [math.log(least[k + 1] / least[k]) / math.log(points[k + 1] / points[k]) for k in range(len(points) - 1)]


def met(found: dict[str, list[float]]) -> bool | None:
    """Whether ours grows nowhere faster than the work, or than TensorFlow's; None if ours was not measured."""
    ours = found.get("inlay")
    if ours is None:
        return None
    theirs = found.get("tensorflow", [0.0] * len(ours))
    work = [power + SPREAD for power in found.get("bare loop", [1.0] * len(ours))]
    allowed = map(max, theirs, work, [1.0 + SPREAD] * len(ours))
    return all(mine <= most for mine, most in zip(ours, allowed, strict=True))


def line(entry: dict[str, Any]) -> str:
    """A series as text."""
    parts = []
    for name, seconds in entry["seconds"].items():
        costs = ", ".join(duration(s["median"]) for s in seconds)
        powers = ", ".join(f"{power:.2f}" for power in entry["exponents"][name])
        parts.append(f"\n    {name}: {costs} (exponents {powers})")
    parts += [f"\n    {name} ABSENT: {why}" for name, why in entry["absent"].items()]
    verdict = {True: "as the work", False: "FASTER THAN THE WORK", None: "not judged"}[entry["met"]]
    return f"{entry['title']}, {', '.join(f'{at:,}' for at in entry['points'])}: {verdict}{''.join(parts)}"


def run(
    kind: str,
    about: str,
    series: Mapping[str, Any],
    programs: tuple[str, str],
    efforts: tuple[tuple[int, float], tuple[int, float]],
    kept: tuple[str, ...] = (),
) -> int:
    """Reads the command line, measures, prints, appends to the ledger; the exit status.

    Args:
      kind: of the ledger's entries; the module's name.
      about: the module's docstring.
      series: by title; each has `points` and `bare`.
      programs: the functions in `FIGURES` that measure a point, and what has to be done at least.
      efforts: (rounds, seconds), with `--quick` and without.
      kept: what of a series goes into its entry.
    """
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{kind}", description=about.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", default="", help="series whose title contains this")
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    shared = {**ledger.header(kind), "quick": options.quick}
    rounds, seconds = efforts[0] if options.quick else efforts[1]
    well = True
    with Team(list(PEERS), not options.no_install) as team:
        for title, one in series.items():
            if options.only not in title:
                continue
            bare = programs[1] if one.bare else None
            entry = measure(team, title, one.points, rounds, seconds, programs[0], bare)
            print(line(entry), flush=True)
            well = well and entry["met"] is not False
            if not options.no_ledger:
                ledger.append([{**shared, **entry, **{name: getattr(one, name) for name in kept}}])
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(run("data_growth", __doc__, SERIES, ("data_growth", "bare_growth"), ((1, 0.2), (5, 0.4))))
