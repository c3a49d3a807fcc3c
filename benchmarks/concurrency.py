"""One session run by 32 threads at once: throughput beside one thread's; every value checked, every call counted.

`python -m benchmarks.concurrency`. Goal: at least 0.6 times one thread's throughput, by the median of the rounds.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from benchmarks import environments, ledger
from benchmarks.peers import Team

PEERS = ("inlay", "tensorflow")
PLANS = {"1 py_func": 1, "4 independent py_funcs": 4}
THREADS, ROUNDS, GOAL = 32, 5, 0.6


def _runs_per_second(figures: dict[str, Any], wide: int) -> float:
    """Checks one measurement.

    Raises:
      AssertionError: a value was wrong, or a call was lost or made twice.
    """
    if figures["wrong"] or figures["calls"] != figures["runs"] * wide:
        raise AssertionError(f"{figures['runs']} runs of {wide} calls: {figures}")
    return float(figures["runs"]) / float(figures["seconds"])


def measure(
    team: Team, title: str, wide: int, rounds: int, seconds: float, names: tuple[str, ...] = PEERS
) -> dict[str, Any]:
    """One ledger entry: throughput with one thread and with many, and their ratio, by peer.

    Args:
      team: the processes.
      title: the entry's title.
      wide: how many independent py_funcs a run has.
      rounds: how often each peer measures.
      seconds: how long each time.
      names: the peers.
    """
    one: dict[str, list[float]] = {}
    many: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name in names:
            process = team.process(name)
            if process is None:
                continue
            for threads, kept in ((1, one), (THREADS, many)):
                arguments = {"threads": threads, "wide": wide, "seconds": seconds}
                reply = process.ask(figures="concurrency", arguments=arguments)
                if "error" in reply:
                    raise AssertionError(f"{name}, {threads} threads: {reply['error']}")
                kept.setdefault(name, []).append(_runs_per_second(reply["figures"], wide))
    before = {}
    if {"before", "inlay"} <= set(one):
        for key, kept in (("one", one), ("many", many)):
            rates = zip(kept["before"], kept["inlay"], strict=True)
            before[key] = ledger.spread([new / old for old, new in rates])
    ratios = {n: ledger.spread([m / o for m, o in zip(many[n], one[n], strict=True)]) for n in one}
    return {
        "title": title,
        "threads": THREADS,
        "one": {name: ledger.spread(samples) for name, samples in one.items()},
        "many": {name: ledger.spread(samples) for name, samples in many.items()},
        "ratios": ratios,
        "before": before,
        "goal": GOAL,
        "met": ratios["inlay"]["median"] >= GOAL,
        "absent": dict(team.absent),
        "versions": team.versions(),
    }


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    parts = [
        f"{name} {entry['one'][name]['median']:,.0f}/s alone, {entry['many'][name]['median']:,.0f}/s by "
        f"{entry['threads']} threads ({ratio['median']:.2f}x, {ratio['q1']:.2f}-{ratio['q3']:.2f})"
        for name, ratio in entry["ratios"].items()
    ]
    parts += [f"{key} {ratio['median']:.2f}x beside before" for key, ratio in entry.get("before", {}).items()]
    parts += [f"{name} ABSENT: {why}" for name, why in entry["absent"].items()]
    return f"{entry['title']}: {'; '.join(parts)} | goal >= {entry['goal']}x: {'met' if entry['met'] else 'MISSED'}"


def main() -> int:
    """Measures, prints, appends to the ledger; a wrong value or a lost call is an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.concurrency", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="short rounds")
    environments.add_before(parser)
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    shared = {**ledger.header("concurrency"), "quick": options.quick}
    names = (*PEERS, "before") if options.before else PEERS
    with Team(list(names), not options.no_install, environments.with_before(options.before)) as team:
        for title, wide in PLANS.items():
            entry = measure(team, title, wide, ROUNDS, 0.2 if options.quick else 1.0, names)
            print(line(entry), flush=True)
            if not options.no_ledger:
                ledger.append([{**shared, **entry}])
    return 0


if __name__ == "__main__":
    sys.exit(main())
