"""`import inlay` against `import numpy`, in fresh processes by turns: `python -m benchmarks.import_time`.

Each round starts one process per statement, in an order that moves on by one. What Python itself needs to start is in
both figures, as it is for a user. The control case, Python alone, exposes a slow machine. A ledger line keeps the
medians and the quartiles; the exit status tells whether the median ratio meets the goal.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from importlib.metadata import version

from benchmarks import ledger

STATEMENTS = {"control": "pass", "numpy": "import numpy", "inlay": "import inlay"}
GOAL = 1.5


def seconds(statement: str) -> float:
    """Wall-clock time of a fresh interpreter that runs one statement, with bytecode caches as usual."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
    return time.perf_counter() - began


def measure(rounds: int) -> dict[str, list[float]]:
    """Seconds per statement and round; the first round, which fills the caches, is not kept."""
    names = list(STATEMENTS)
    samples: dict[str, list[float]] = {name: [] for name in names}
    for at in range(rounds + 1):
        for name in names[at % len(names) :] + names[: at % len(names)]:
            took = seconds(STATEMENTS[name])
            if at:
                samples[name].append(took)
    return samples


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--no-ledger", action="store_true")
    options = parser.parse_args()

    samples = measure(options.rounds)
    ratios = [ours / theirs for ours, theirs in zip(samples["inlay"], samples["numpy"], strict=True)]
    found = {name: ledger.spread(values) for name, values in samples.items()}
    ratio = ledger.spread(ratios)
    for name, figures in found.items():
        print(f"{STATEMENTS[name]:<14}{figures['median'] * 1e3:8.1f} ms")
    met = ratio["median"] <= GOAL
    print(
        f"ratio         {ratio['median']:8.2f}   ({ratio['q1']:.2f} to {ratio['q3']:.2f}); goal {GOAL}: "
        f"{'met' if met else 'missed'}"
    )
    if not options.no_ledger:
        entry = ledger.header("import") | {
            "versions": {name: version(name) for name in ("inlay", "numpy")},
            "seconds": found,
            "ratio": ratio,
            "goal": GOAL,
            "met": met,
        }
        ledger.append([entry])
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
