"""The table of costs in docs/scale/performance.md, from `benchmarks/ledger.jsonl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.pictures.benchmark_charts import newest
from scripts.pictures.charts import seconds, source

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "scale" / "performance.md"
MARK = "<!-- Below: written by scripts/update_generated.py from the ledger of the benchmarks. -->\n"

# The row of the ledger, its words, and the number of calls that share its time.
CALLS = (
    ("eager_numpy_function", "a `numpy_function` in eager code", 1),
    ("eager_py_function", "a `py_function` in eager code", 1),
    ("eager_py_function_gradient", "the same under a tape, and its gradient", 1),
    ("function_numpy_function", "a `tf.function` that calls one `numpy_function`", 1),
    ("function_py_function", "a `tf.function` that calls one `py_function`", 1),
    ("session_py_func", "a `Session.run` with one `py_func`", 1),
    ("session_py_func_chain", "each further `py_func` of a run", 50),
    ("data_identity", "an element of a dataset that one `numpy_function` maps", 1),
)
EXECUTORS = (
    ("numpy_function on threads", 'a `numpy_function` with `executor="threads"`'),
    ("numpy_function on processes", 'a `numpy_function` with `executor="processes"`'),
)


def table() -> str:
    """The cost of a call in each place."""
    rows: list[tuple[str, float, Mapping[str, Any]]] = []
    for name, words, calls in CALLS:
        entry = newest("row", "row", name)
        rows.append((words, entry["seconds"]["inlay"]["median"] / calls, entry))
    entry = newest("executors", "title", "tiny")
    rows += [(words, entry["one"][name]["median"], entry) for name, words in EXECUTORS]
    lines = [f"| {words} | {seconds(cost)} |" for words, cost, _ in rows]
    where = source([entry for _, _, entry in rows])
    return "\n".join(["\n| call | time |\n|---|---|", *lines, "", f"Medians, measured {where}.", ""])


def pages() -> dict[Path, str]:
    """The page, whose text above the mark is written by hand."""
    return {PAGE: PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK + table()}
