"""Instructions of the rows of the ledger beside another state: `python -m benchmarks.instructions --before COMMIT`.

Valgrind counts them, so a figure is the same on a busy machine, and a change of a tenth of a percent shows. It is no
time: caches and the system's work are not in it. One thread works on arrays. The cost of a row depends a little on the
layout of the heap, up to 4 % where a million objects are allocated. So a row beyond 1 % is counted again in several
processes, after more calls and with other hash seeds, and its figures are the medians.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import ledger
from benchmarks.cases import inlay_
from benchmarks.environments import ROOT, checkout
from benchmarks.rows import ALL_ROWS

WAITING = re.compile("sleeping|async|blocking|barrier|^import$")
"""Rows that wait for threads or for time, and the one that starts processes: their instructions say little."""
MOST_CALLS, SECONDS, WARM_SECONDS, PROCESS_CASES = 200, 2e-3, 0.05, 20
NOISE, MORE, SEEDS = 0.01, 5, range(1, 6)
"""The deviation from which a row is counted again, the factor of its calls then, and the hash seeds."""
FIXED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "INLAY_INTRA_OP_THREADS": "1",
}
LONG = 5e-3
"""The seconds of a call from which one call is counted."""
Case = tuple[str, int, int, int]
"""The name of a case, its calls before those that are counted, the calls of a block, and the number of blocks."""


def planned(names: Sequence[str]) -> list[Case]:
    """The plan of each case: the calls that warm it up, and those that are counted, fewer for a call that takes longer.

    Args:
      names: of cases.
    """
    module = inlay_.load()
    cases = []
    for name in names:
        timed = inlay_.CASES[name](module)
        timed(2)
        seconds = statistics.median(timed(1) for _ in range(5))
        calls = max(1, min(MOST_CALLS, int(SECONDS / seconds)))
        warm = max(calls, min(400, int(WARM_SECONDS / seconds)))
        cases.append((name, warm, calls, 1 if seconds > LONG else 2))
    return cases


def counted(source: Path, cases: Sequence[Case], seed: int = 0) -> dict[str, float]:
    """Case -> instructions of a call, of the library in a folder.

    Args:
      source: the folder `src`.
      cases: see `planned`.
      seed: of the hashes of strings.

    Raises:
      RuntimeError: a process failed.
    """
    variables = {**os.environ, **FIXED, "PYTHONHASHSEED": str(seed), "PYTHONPATH": f"{source}:{ROOT}"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--instr-atstart=no",
                   "--dump-before=getppid", sys.executable, "-m", "benchmarks.counted", json.dumps(cases)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=variables)
        if done.returncode:
            raise RuntimeError(f"{source}, {[case for case, *_ in cases]}:\n{done.stderr[-2000:]}")
        dumps = sorted(Path(folder).glob("out.*"), key=lambda path: int(path.suffix[1:]))
        totals = [_total(path) for path in dumps]
    figures, remaining = {}, iter(totals)
    for case, _, calls, blocks in cases:
        next(remaining)  # before the first block
        counts = [next(remaining) for _ in range(blocks)]
        figures[case] = (counts[-1] - (counts[0] if blocks > 1 else 0)) / calls
    return figures


def _total(path: Path) -> int:
    """The instructions of a dump.

    Raises:
      RuntimeError: valgrind has written none.
    """
    with path.open() as file:
        for line in file:
            if line.startswith(("summary:", "totals:")):
                return int(line.split()[1])
    raise RuntimeError(f"{path} has no line 'summary:' or 'totals:': is callgrind's format another one?")


def compared(now: dict[str, float], before: dict[str, float]) -> list[dict[str, Any]]:
    """The ledger entries of two states: instructions of a call, and their ratio."""
    return [
        {"row": row, "instructions": now[row], "before": before[row], "ratio": now[row] / before[row]} for row in now
    ]


def more(cases: Sequence[Case], entries: Sequence[dict[str, Any]]) -> list[Case]:
    """The cases beyond `NOISE`, with more calls."""
    beyond = {entry["row"] for entry in entries if abs(entry["ratio"] - 1) > NOISE}
    return [
        (case, warm + MORE * calls, min(MOST_CALLS, MORE * calls), blocks)
        for case, warm, calls, blocks in cases
        if case in beyond
    ]


def medians(counts: Sequence[dict[str, float]]) -> dict[str, float]:
    """Case -> the median of its counts."""
    return {case: statistics.median(count[case] for count in counts) for case in counts[0]}


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    return "{row}: {instructions:,.0f} instructions, before {before:,.0f}, ratio {ratio:.4f}".format(**entry)


def summary(entries: Sequence[dict[str, Any]]) -> str:
    """The geometric mean of the ratios, and how many rows are within some percent of the state before, or better."""
    mean = math.exp(sum(math.log(entry["ratio"]) for entry in entries) / len(entries))
    within = [f"{sum(e['ratio'] <= 1 + percent / 100 for e in entries)} within {percent} %" for percent in (1, 3, 5)]
    return f"{len(entries)} rows, geometric mean of the ratios {mean:.4f}; {', '.join(within)} or better"


def main() -> int:
    """Counts, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__.split("\n\n")[0])
    parser.add_argument("--before", metavar="COMMIT", required=True, help="the other state of the library")
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose name matches")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: apt install valgrind", file=sys.stderr)
        return 1
    rows = [row for row in ALL_ROWS if row.subject == "inlay" and re.search(options.only, row.name)]
    cases = planned([row.case for row in rows if not WAITING.search(row.name)])
    if not cases:
        print(f"no row that is counted matches {options.only!r}; the names are in benchmarks/rows.py", file=sys.stderr)
        return 1
    parts = [cases[i : i + PROCESS_CASES] for i in range(0, len(cases), PROCESS_CASES)]
    here, there = ROOT / "src", checkout(options.before) / "src"
    entries: list[dict[str, Any]] = []
    with ThreadPoolExecutor(2) as pool:

        def count(part: Sequence[Case], seeds: Sequence[int] = (0,)) -> list[dict[str, Any]]:
            counts = [[pool.submit(counted, source, part, seed) for source in (here, there)] for seed in seeds]
            now, before = (medians([count.result() for count in column]) for column in zip(*counts, strict=True))
            some = compared(now, before)
            print(*map(line, some), sep="\n", flush=True)
            return some

        for part in parts:
            entries += count(part)
        beyond = more(cases, entries)
        print(f"again: {len(beyond)}")
        again = {entry["row"]: entry for entry in (count(beyond, SEEDS) if beyond else ())}
    entries = [again.get(entry["row"], entry) for entry in entries]
    print(summary(entries))
    if not options.no_ledger:
        shared = {**ledger.header("instructions"), "against": options.before}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())
