"""Instructions of calls, beside another state of the library: `python -m benchmarks.instructions --before COMMIT`.

Valgrind counts them, so a figure is the same on a busy machine, and a change of a tenth of a percent shows. It is no
time: caches and the system's work are not in it. The rows are those whose paths a recorder, a registry or a check could
touch.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import ledger
from benchmarks.environments import ROOT, checkout

CALLS = 400

PROGRAM = """
import gc, os, subprocess, sys
import numpy as np
import inlay as tf

v1, array = tf.compat.v1, np.ones(8, np.float32)


def same(x):
    return x


def session(count):
    with tf.Graph().as_default():
        first = y = v1.placeholder(tf.float32, [8])
        for _ in range(count):
            y = tf.numpy_function(same, [y], tf.float32)
        run = v1.Session().run
    return lambda: run(y, {first: array})


def tape():
    with tf.GradientTape() as recorded:
        recorded.watch(x)
        y = x * x
    return recorded.gradient(y, x)


x = tf.constant(array)
numpy_function = tf.function(lambda x: tf.numpy_function(same, [x], tf.float32))
py_function = tf.function(lambda x: tf.py_function(same, [x], tf.float32))
kernels = tf.function(lambda x: tf.reduce_sum(tf.sin(x) * x + 1.0))
numbers = tf.data.Dataset.range(10**9)
mapped = iter(numbers.map(lambda v: v + 1))
batched = iter(numbers.map(lambda v: tf.numpy_function(same, [v], tf.int64)).batch(8))
ROWS = {
    "session_py_func": session(1),
    "session_chain_50": session(50),
    "function_numpy_function": lambda: numpy_function(x),
    "function_py_function": lambda: py_function(x),
    "function_kernels": lambda: kernels(x),
    "eager_numpy_function": lambda: tf.numpy_function(same, [x], tf.float32),
    "eager_py_function": lambda: tf.py_function(same, [x], tf.float32),
    "eager_add": lambda: tf.add(x, x),
    "eager_tape_multiply": tape,
    "data_map": lambda: next(mapped),
    "data_python_batch": lambda: next(batched),
}


def control(*arguments):
    subprocess.run(["callgrind_control", *arguments, str(os.getpid())], stdout=subprocess.DEVNULL, check=True)


for run in ROWS.values():
    for _ in range(300):
        run()
gc.collect()
gc.disable()
control("-i", "on")
for name, run in ROWS.items():
    for _ in range(20):
        run()
    control("-z")
    for _ in range(int(sys.argv[1])):
        run()
    control("-d", name)
os._exit(0)
"""


def counted(source: Path, calls: int = CALLS) -> dict[str, float]:
    """Row -> instructions of a call, of the library in a folder.

    Args:
      source: the folder `src`.
      calls: the number of calls of each row.
    """
    fixed = {"PYTHONHASHSEED": "0", "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out.%p", "--instr-atstart=no"]
        subprocess.run(
            [*command, sys.executable, "-c", PROGRAM, str(calls)],
            check=True, capture_output=True, timeout=1200, cwd=folder, env={**os.environ, **fixed},
        )  # fmt: skip
        texts = [path.read_text() for path in Path(folder).glob("out.*.*")]
    rows = {}
    for text in texts:
        row, total = re.search(r"Trigger: dump (\S+)", text), re.search(r"^summary: (\d+)", text, re.MULTILINE)
        if row is not None and total is not None:
            rows[row[1]] = int(total[1]) / calls
    return rows


def compared(now: dict[str, float], before: dict[str, float]) -> list[dict[str, Any]]:
    """The ledger entries of two states: instructions of a call, and their ratio."""
    return [
        {"row": row, "instructions": now[row], "before": before[row], "ratio": now[row] / before[row]}
        for row in sorted(now)
        if row in before
    ]


def line(entry: dict[str, Any]) -> str:
    """An entry as one line of text."""
    return "{row}: {instructions:,.0f} instructions, before {before:,.0f}, ratio {ratio:.4f}".format(**entry)


def mean(entries: list[dict[str, Any]]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(sum(math.log(entry["ratio"]) for entry in entries) / len(entries))


def main() -> int:
    """Counts, prints, appends to the ledger."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__.split("\n\n")[0])
    parser.add_argument("--before", metavar="COMMIT", required=True, help="the other state of the library")
    parser.add_argument("--no-ledger", action="store_true", help="print only")
    options = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("valgrind is not installed: apt install valgrind", file=sys.stderr)
        return 1
    entries = compared(counted(ROOT / "src"), counted(checkout(options.before) / "src"))
    for entry in entries:
        print(line(entry))
    print(f"geometric mean of the ratios: {mean(entries):.4f}")
    if not options.no_ledger:
        shared = {**ledger.header("instructions"), "against": options.before}
        ledger.append([{**shared, **entry} for entry in entries])
    return 0


if __name__ == "__main__":
    sys.exit(main())
