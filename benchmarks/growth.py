"""The same program at 1, 10, 100, 1,000 and 10,000 ops: build, first run, steady run, memory; next to TensorFlow.

`python -m benchmarks.growth`. Every measurement is a fresh process, so that memory is the graph's and nobody else's.
"""

from __future__ import annotations

import argparse
from typing import Any

from benchmarks import environments, ledger
from benchmarks.peers import Gone, Team
from benchmarks.run import duration

SIZES = (1, 10, 100, 1_000, 10_000)
PEERS = ("inlay", "tensorflow")
FIGURES = ("build", "first", "steady", "mb")


def measure(
    team: Team, sizes: tuple[int, ...], rounds: int, steady_seconds: float, names: tuple[str, ...] = PEERS
) -> list[dict[str, Any]]:
    """One ledger entry per size: the spread of each figure, by peer.

    Args:
      team: the processes.
      sizes: how many ops.
      rounds: how often each peer measures each size.
      steady_seconds: how long the steady runs of a measurement take together.
      names: the peers.
    """
    entries = []
    for size in sizes:
        samples: dict[str, list[dict[str, float]]] = {}
        absent: dict[str, str] = dict(team.absent)
        for _ in range(rounds):
            for name in names:
                process = team.process(name)
                if process is None:
                    absent[name] = team.absent[name]
                    continue
                try:
                    reply = process.ask(figures="growth", arguments={"size": size, "steady_seconds": steady_seconds})
                except Gone as reason:
                    reply = {"error": str(reason)}
                if "figures" in reply:
                    samples.setdefault(name, []).append(reply["figures"])
                else:
                    absent[name] = reply["error"].strip().splitlines()[-1]
                versions = team.versions()
                team.drop(name)
        figures = {
            name: {key: ledger.spread([sample[key] for sample in found]) for key in FIGURES}
            for name, found in samples.items()
        }
        entries.append({"ops": size, "figures": figures, "absent": absent, "versions": versions, **_before(samples)})
        print(line(entries[-1]), flush=True)
    return entries


def _before(samples: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The predecessor's seconds over ours, taken within each round, by figure."""
    if not {"before", "inlay"} <= set(samples):
        return {}
    rounds = list(zip(samples["before"], samples["inlay"], strict=False))
    return {"before": {key: ledger.spread([old[key] / new[key] for old, new in rounds]) for key in FIGURES[:-1]}}


def line(entry: dict[str, Any]) -> str:
    """A size as one line of text."""
    parts = []
    for name, figures in entry["figures"].items():
        times = ", ".join(f"{key} {duration(figures[key]['median'])}" for key in FIGURES[:-1])
        parts.append(f"{name}: {times}, {figures['mb']['median']:.1f} MB")
    if since := entry.get("before"):
        parts.append("beside before " + ", ".join(f"{key} {ratio['median']:.2f}x" for key, ratio in since.items()))
    parts += [f"{name} ABSENT: {why}" for name, why in entry["absent"].items()]
    return f"{entry['ops']:6} ops  {'; '.join(parts)}"


def main() -> None:
    """Measures, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round")
    environments.add_before(parser)
    parser.add_argument("--no-install", action="store_true", help="a peer that is not installed is reported absent")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    shared = {**ledger.header("growth"), "quick": options.quick}
    names = (*PEERS, "before") if options.before else PEERS
    with Team(list(names), not options.no_install, environments.with_before(options.before)) as team:
        entries = measure(team, SIZES, 1 if options.quick else 5, 0.2 if options.quick else 1.0, names)
    if not options.no_ledger:
        ledger.append({**shared, **entry} for entry in entries)


if __name__ == "__main__":
    main()
