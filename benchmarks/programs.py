"""Whole programs with Python in them, beside TensorFlow: seconds and memory of each, in a process of its own.

`python -m benchmarks.programs`. Both run the same source (`cases/programs.py`) and must have the same losses.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

import numpy as np

from benchmarks import environments, ledger
from benchmarks.cases.programs import PROGRAMS
from benchmarks.peers import Team

PEERS = ("inlay", "tensorflow")
ROUNDS, TOLERANCE = 3, 1e-3
FIGURES = ("seconds", "processor", "peak_mb")


def check(name: str, losses: dict[str, list[float]]) -> None:
    """Compares the first losses of the peers with ours.

    Raises:
      AssertionError: a peer has others.
    """
    compared = PROGRAMS[name].compared
    for peer, values in losses.items():
        ours = losses["inlay"]
        if len(values) != len(ours) or not np.allclose(values[:compared], ours[:compared], TOLERANCE, TOLERANCE):
            raise AssertionError(f"{name}: the losses of {peer} are {values[:6]}..., ours {ours[:6]}...")


def measure(team: Team, name: str, scale: float, rounds: int, names: tuple[str, ...] = PEERS) -> dict[str, Any]:
    """One ledger entry: each peer's figures, and theirs over ours round by round.

    Args:
      team: the processes; each measurement starts a fresh one.
      name: of the program.
      scale: the factor of its work.
      rounds: how often each peer runs it.
      names: the peers.
    """
    program = PROGRAMS[name]
    samples: dict[str, dict[str, list[float]]] = {}
    versions: dict[str, dict[str, str]] = {}
    for number in range(rounds):
        losses: dict[str, list[float]] = {}
        for peer in names if number % 2 == 0 else names[::-1]:
            process = team.process(peer)
            if process is None:
                continue
            reply = process.ask(figures="program", arguments={"name": name, "scale": scale})
            versions |= team.versions()
            team.drop(peer)
            if "error" in reply:
                raise AssertionError(f"{name}, {peer}: {reply['error']}")
            figures = reply["figures"]
            losses[peer] = figures["losses"]
            for key in FIGURES:
                samples.setdefault(peer, {}).setdefault(key, []).append(figures[key])
        check(name, losses)
    ours = samples["inlay"]
    ratios = {
        peer: {key: ledger.spread([t / o for t, o in zip(theirs[key], ours[key], strict=True)]) for key in FIGURES}
        for peer, theirs in samples.items()
        if peer != "inlay"
    }
    beside = ratios.get("tensorflow")
    met = beside and beside["seconds"]["median"] >= program.ratio and beside["peak_mb"]["median"] >= program.memory
    return {
        "program": name,
        "title": program.title,
        "scale": scale,
        "figures": {peer: {key: ledger.spread(v) for key, v in kept.items()} for peer, kept in samples.items()},
        "ratios": ratios,
        "goal": {"ratio": program.ratio, "memory": program.memory},
        "met": met,
        "absent": dict(team.absent),
        "versions": versions,
    }


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    parts = []
    for peer, figures in entry["figures"].items():
        seconds, processor, memory = (figures[key]["median"] for key in FIGURES)
        ratio = entry["ratios"].get(peer)
        beside = ", ".join(f"{ratio[key]['median']:.2f}x" for key in FIGURES) if ratio else "ours"
        parts.append(f"{peer} {seconds:.2f} s, processor {processor:.2f} s, {memory:.0f} MB ({beside})")
    parts += [f"{name} ABSENT: {why}" for name, why in entry["absent"].items()]
    verdict = {True: "met", False: "MISSED", None: "not judged"}[entry["met"]]
    return f"{entry['title']}: {'; '.join(parts)} | goal >= {entry['goal']['ratio']:g}x: {verdict}"


def main() -> int:
    """Measures, prints, appends to the ledger; losses that differ are an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.programs", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, one round")
    parser.add_argument("--only", metavar="REGEX", default="", help="programs whose name matches")
    environments.add_before(parser)
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    shared = {**ledger.header("program"), "quick": options.quick}
    names = (*PEERS, "before") if options.before else PEERS
    with Team(list(names), not options.no_install, environments.with_before(options.before)) as team:
        for name in PROGRAMS:
            if re.search(options.only, name):
                scale, rounds = (0.1, 1) if options.quick else (1.0, ROUNDS)
                entry = measure(team, name, scale, rounds, names)
                print(line(entry), flush=True)
                if not options.no_ledger:
                    ledger.append([{**shared, **entry}])
    return 0


if __name__ == "__main__":
    sys.exit(main())
