"""`import inlay` against `import numpy`, in fresh processes by turns: `python -m benchmarks.import_time`.

Each round starts one process per statement, in an order that moves on by one. What Python itself needs to start is in
both figures, as it is for a user. There is a goal for the import, and one for the import with the first name, which
loads what tensors need. The control case, Python alone, exposes a slow machine. A ledger line keeps the
medians and the quartiles; the exit status tells whether the median ratios meet the goals.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from importlib.metadata import version

from benchmarks import ledger

STATEMENTS = {
    "control": "pass",
    "numpy": "import numpy",
    "inlay": "import inlay",
    "first use": "import inlay; inlay.constant",
}
GOALS = {"inlay": 1.5, "first use": 1.6}


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


def _ratio(samples: dict[str, list[float]], name: str) -> dict[str, float]:
    """A statement's time over NumPy's, taken within each round."""
    return ledger.spread([ours / theirs for ours, theirs in zip(samples[name], samples["numpy"], strict=True)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--no-ledger", action="store_true")
    options = parser.parse_args()

    samples = measure(options.rounds)
    found = {name: ledger.spread(values) for name, values in samples.items()}
    ratios = {name: _ratio(samples, name) for name in GOALS}
    for name, figures in found.items():
        print(f"{STATEMENTS[name]:<30}{figures['median'] * 1e3:8.1f} ms")
    for name, goal in GOALS.items():
        ratio = ratios[name]
        verdict = f"goal {goal}: {'met' if ratio['median'] <= goal else 'missed'}"
        label = f"ratio to numpy, {name}"
        print(f"{label:<30}{ratio['median']:8.2f}   ({ratio['q1']:.2f} to {ratio['q3']:.2f}); {verdict}")
    met = all(ratios[name]["median"] <= goal for name, goal in GOALS.items())
    if not options.no_ledger:
        entry = ledger.header("import") | {
            "versions": {name: version(name) for name in ("inlay", "numpy")},
            "seconds": found,
            "ratio": ratios["inlay"],
            "ratio_first_use": ratios["first use"],
            "goals": GOALS,
            "met": met,
        }
        ledger.append([entry])
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
