"""Write tests/recorded/results/: what TensorFlow gives for random calls of every function in tests/recorded/calls.

pip install tensorflow-cpu==2.21.0
PYTHONPATH=. python tests/recorded/make_results.py [--only REGEX] [--first 0] [--calls 60] [--seed 1] [--to FOLDER]

Calls are made in processes of their own, because some end TensorFlow's. A call that TensorFlow refuses for want of a
kernel is not recorded. Recording again replaces the calls of the names that `--only` selects, from `--first` on.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.recorded.draws import TABLE, fingerprint
from tests.recorded.outcomes import case_of, outcome
from tests.recorded.results import FOLDER, Rows, read, write

NO_KERNEL = re.compile(
    r"No OpKernel was registered|Could not find device|No registered|not supported|not implemented|Unsupported|"
    r"unsupported|Could not find valid device|no kernel",
)
MISSING = ("NotFoundError", "UnimplementedError")
SECONDS = 60
"""How long a call may take; the signal ends its process."""


def has_no_kernel(found: Any) -> bool:
    """Whether TensorFlow refuses for want of a kernel."""
    if not isinstance(found, dict) or "e" not in found:
        return False
    return found["e"] in MISSING or (found["e"] != "TypeError" and bool(NO_KERNEL.search(found["text"])))


def telling(text: str) -> str:
    """The line of a message that says what happened: a graph's begins with where."""
    lines = [line.strip() for line in text.splitlines()]
    said = [
        x for x in lines if x and not x.startswith(("[[", "Original stack", "Graph execution", "Detected at", "File "))
    ]
    return ((said[-1] if lines[0].startswith("Graph execution") else said[0]) if said else "")[:200]


def recorded(tf: Any, name: str, index: int, seed: str) -> dict[str, Any] | None:
    """A row: a case and its outcome. None if it is not recorded."""
    case = case_of(name, index, seed)
    found = outcome(tf, case)
    if has_no_kernel(found):
        return None
    if "e" in found:
        found["text"] = telling(found["text"])
    for key in "gh":
        if isinstance(found.get(key), dict):
            del found[key]  # what cannot be derived there
    return {"i": index, "way": case.way, "print": fingerprint(name, case.call), **found}


def in_a_process(tf: Any, wanted: list[tuple[str, int]], seed: str) -> Rows:
    """The rows of some calls. A call that ends the process is left out, and another process goes on after it."""
    rows: Rows = {name: [] for name, _ in wanted}
    while wanted:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            with os.fdopen(writing, "w") as out:
                for name, index in wanted:
                    signal.alarm(SECONDS)  # some do not come to an end there: `adjust_hue` by 1e30
                    print(json.dumps(recorded(tf, name, index, seed)), file=out, flush=True)
            os._exit(0)
        os.close(writing)
        done = 0
        with os.fdopen(reading) as lines:
            for line in lines:
                if not line.endswith("\n"):
                    break
                row = json.loads(line)
                if row is not None:
                    rows[wanted[done][0]].append(row)
                done += 1
        os.waitpid(child, 0)
        if done < len(wanted):
            print("ends the process:", *wanted[done], file=sys.stderr)
        wanted = wanted[done + 1 :]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--first", type=int, default=0, help="the first call's number; those before it stay")
    parser.add_argument("--calls", type=int, default=60, help="the last call's number, plus one")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--to", type=Path, default=FOLDER)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    import tensorflow as tf  # type: ignore[import-not-found]

    tf.get_logger().setLevel("ERROR")
    rows = {name: found for name, found in read(asked.to).items() if name in TABLE}
    names = [name for name in TABLE if re.search(asked.only, name)]
    for start in range(0, len(names), 8):
        several = names[start : start + 8]
        made = in_a_process(tf, [(n, i) for n in several for i in range(asked.first, asked.calls)], asked.seed)
        for name in several:
            rows[name] = sorted(
                (*(r for r in rows.get(name, []) if not asked.first <= r["i"] < asked.calls), *made[name]),
                key=lambda row: row["i"],
            )
        print(f"{start + len(several)} of {len(names)}: {', '.join(several)}", file=sys.stderr)
        write(asked.to, f"TensorFlow {tf.__version__}", asked.seed, rows)


if __name__ == "__main__":
    main()
