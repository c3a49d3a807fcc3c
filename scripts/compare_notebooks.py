"""Run notebooks written for TensorFlow on inlay and on TensorFlow, and compare the cells.

    python scripts/compare_notebooks.py FOLDER --tensorflow PYTHON [--only REGEX] [--out FOLDER] [--seconds 60]

FOLDER has `*.ipynb` files at any depth, for example TensorFlow's documentation; they stay outside of this repository.
PYTHON is an interpreter with TensorFlow 2.21; both sides want pandas and matplotlib. Every notebook runs in a process
of its own in an empty folder, on TensorFlow twice: a cell counts if it runs there twice without the network, and its
text counts if TensorFlow prints the same both times (words equal, numbers to 1e-3). `OUT/SIDE/` keeps the outcomes and
is taken up again.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from scripts.notebooks import code_cells, interrupt, run_cell, same_text

SIDES = ("tensorflow", "tensorflow-again", "inlay")


@dataclass(frozen=True)
class Cell:
    """The outcome of one cell.

    Attributes:
      source: its text without magics.
      error: the last line of its traceback; None if it ran.
      text: standard output and the value of its last expression.
    """

    source: str
    error: str | None
    text: str


def child(side: str, notebook: Path, to: Path, seconds: int) -> None:
    """Runs a notebook in this process; a line of JSON per cell, written as it ends."""
    signal.signal(signal.SIGALRM, interrupt)
    cells = code_cells(notebook)
    with contextlib.ExitStack() as stack:
        if side == "inlay":
            from inlay._src.tools.unmodified.imports import as_tensorflow

            stack.enter_context(as_tensorflow(False))
        importlib.import_module("tensorflow")  # takes longer than a cell may where the machine is busy
        scope: dict[str, Any] = {"__name__": "__main__", "get_ipython": lambda: None, "display": print}
        lines = stack.enter_context(to.open("w"))
        for i, source in enumerate(cells):
            outcome = run_cell(source, f"<cell {i} of {notebook.stem}>", scope, seconds)
            text = outcome.printed + outcome.value
            lines.write(json.dumps([source, outcome.error, text[:100_000]]) + "\n")
            lines.flush()


def outcomes(path: Path) -> list[Cell]:
    return [Cell(*json.loads(line)) for line in path.read_text().splitlines()] if path.exists() else []


def run(side: str, python: str, notebook: Path, to: Path, seconds: int) -> None:
    """Runs a notebook in a new process of one side, unless its outcomes are there."""
    if to.exists():
        return
    to.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "MPLBACKEND": "Agg", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    part = to.with_suffix(".part")
    with tempfile.TemporaryDirectory() as here, contextlib.suppress(subprocess.TimeoutExpired):
        command = [python, __file__, str(notebook), "--child", side, "--out", str(part), "--seconds", str(seconds)]
        subprocess.run(command, cwd=here, env=environment, timeout=20 * seconds, capture_output=True)
    part.touch()
    part.rename(to)


@dataclass(frozen=True)
class Tally:
    """Counts over cells that TensorFlow runs.

    Attributes:
      cells: how many there are.
      run: how many run here.
      texts: how many of those print the same on TensorFlow twice.
      same: how many of these print the same here.
    """

    cells: int = 0
    run: int = 0
    texts: int = 0
    same: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))


def compare(there: list[Cell], again: list[Cell], here: list[Cell]) -> tuple[Tally, list[str]]:
    """Compares the cells of a notebook.

    Args:
      there, again: on TensorFlow, twice.
      here: on inlay; cells at the end are absent if the process ended.

    Returns:
      The counts, and a line for every cell that fails or prints something else.
    """
    total, lines = Tally(), []
    for i, (cell, second) in enumerate(zip(there, again, strict=False)):
        if cell.error or second.error or not cell.source.strip():
            continue
        ours = here[i] if i < len(here) else Cell(cell.source, "the process ended", "")
        stable = ours.error is None and same_text(second.text, cell.text)
        alike = stable and same_text(ours.text, cell.text)
        total += Tally(1, ours.error is None, stable, alike)
        if ours.error is not None:
            lines.append(f"  cell {i} fails: {ours.error[:300]}")
        elif stable and not alike:
            lines.append(f"  cell {i} prints something else")
    return total, lines


def main() -> None:
    """Prints a line a notebook and the sum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tensorflow")
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=60, help="limit of a cell")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child, options.folder, options.out, options.seconds)
    folder, out = options.folder.resolve(), options.out.resolve()
    sum_of_all = Tally()
    for notebook in sorted(folder.rglob("*.ipynb")):
        name = str(notebook.relative_to(folder).with_suffix("")).replace("/", "+")
        if not re.search(options.only, name):
            continue
        results = {}
        for side in SIDES:
            python = sys.executable if side == "inlay" else options.tensorflow
            run(side, python, notebook, out / side / f"{name}.jsonl", options.seconds)
            results[side] = outcomes(out / side / f"{name}.jsonl")
        tally, lines = compare(*results.values())
        sum_of_all += tally
        print(f"{name}: {tally}", *lines, sep="\n", flush=True)
    print(
        f"{sum_of_all.cells} cells run there: {sum_of_all.run / max(1, sum_of_all.cells):.2%} run here; "
        f"{sum_of_all.texts} of those print the same twice there, "
        f"{sum_of_all.same / max(1, sum_of_all.texts):.2%} of them here"
    )


if __name__ == "__main__":
    main()
