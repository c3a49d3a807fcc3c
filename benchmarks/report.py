"""Writes `results.md`, the summary of README.md and the charts of the documents from the ledger.

    python -m benchmarks.report

`scripts/update_generated.py` writes the same, and a test compares the files with what it would write.
"""

from __future__ import annotations

import re
import statistics
import sys
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import ledger
from benchmarks.environments import ROOT
from benchmarks.row_tables import absent, explained, forms_table, group_table, predecessor, table, times, versions
from benchmarks.rows import ALL_ROWS, FORM_ROWS, GROUPS, ROWS, Row
from benchmarks.tables import (
    compilers_table,
    concurrency_table,
    data_growth_table,
    executors_table,
    gpu_table,
    growth_table,
    programs_table,
    soak_table,
    tracing_table,
    work_growth_table,
)

HERE = ROOT / "benchmarks"
README, RESULTS, REASONS = HERE / "README.md", HERE / "results.md", HERE / "reasons.toml"
Entries = dict[Any, dict[str, Any]]

HEAD = """# Benchmark tables

<!-- Written by scripts/update_generated.py from benchmarks/ledger.jsonl and reasons.toml. Change those. -->

[Benchmarks](../docs/start/benchmarks.md) shows the main figures as charts and describes the method.
[Running the benchmarks](README.md) lists the commands. A bold figure misses its goal. The column "before" has the time
of an older commit divided by the time of the measured one.
"""
TITLES = {
    "ops": ("Everyday ops", "Eager ops on 64 elements."),
    "loops": ("Loops", "100 iterations, unless the row names another number."),
    "training": ("Steps of training", "One step."),
    "arrays": (
        "Large arrays",
        "A run of a session that is fed and fetched one million float32. The bare loop is a copy that moves as many "
        "bytes; for products and convolutions BLAS with as many multiplications.",
    ),
}


def latest(entries: Sequence[dict[str, Any]], key: str) -> Entries:
    """The newest entry for each value of `key`; a full measurement wins over a quick one."""
    newest: Entries = {}
    for entry in entries:
        old = newest.get(entry[key])
        if old is None or old.get("quick") or not entry.get("quick"):
            newest[entry[key]] = entry
    return newest


def source(entries: Sequence[dict[str, Any]]) -> str:
    """When, where and on what some entries were measured."""
    lines = []
    for run in sorted({entry["run"] for entry in entries}):
        entry = next(e for e in entries if e["run"] == run)
        machine = entry["machine"]
        state = " with changes" if entry["dirty"] else ""
        quick = ", quick" if entry.get("quick") else ""
        gpu = f", {machine['gpu']}" if machine.get("gpu") else ""
        lines.append(
            f"{run[:16].replace('T', ' ')} UTC{quick}: commit `{entry['commit'][:10]}`{state}, {machine['cpu']}, "
            f"{machine['cores']} cores, {machine['ram_gb']:.0f} GB{gpu}, Python {entry['python']}"
        )
    return "Measured " + "; ".join(lines) + "."


def _section(entries: Entries, show: Callable[[Entries], list[str]]) -> list[str]:
    return [*show(entries), "", source(list(entries.values()))] if entries else ["Not measured yet."]


def _of(rows: Entries, group: Sequence[Row]) -> Entries:
    return {row.name: rows[row.name] for row in group if row.name in rows}


def results(rows: Entries, reasons: dict[str, str]) -> str:
    """All tables of the ledger."""
    calls, forms = _of(rows, ROWS), _of(rows, FORM_ROWS)
    parts = [
        ("Rows", "Calls, datasets and start-up.", [*_section(calls, table), *absent(calls)]),
        ("Forms of a call", "Each way to write a call; behind a time stands its bound.", _section(forms, forms_table)),
    ]
    for name, group in GROUPS.items():
        parts.append((*TITLES[name], _section(_of(rows, group), partial(group_table, group))))
    kinds: tuple[tuple[str, str, str, str, Callable[[Entries], list[str]]], ...] = (
        ("program", "program", "Programs", "Whole programs, each in a process of its own.", programs_table),
        ("growth", "ops", "Growth with the graph", "A chain of py_funcs and additions.", growth_table),
        ("work_growth", "title", "Growth with the work", "A run by elements, iterations and ops.", work_growth_table),
        ("data_growth", "title", "Growth of datasets", "An element by stages and bytes.", data_growth_table),
        ("concurrency", "title", "Concurrency", "A session that 32 threads run at once.", concurrency_table),
        ("executors", "title", "Executors", "A call with two workers, beside other pools.", executors_table),
        ("compilers", "title", "Compilers", "A Python function in programs of JAX and PyTorch.", compilers_table),
        ("tracing", "title", "Tracing", "The price of a recording of spans.", tracing_table),
        ("soak", "part", "Soak", "Long runs that look for leaks and hangs.", soak_table),
        ("gpu", "title", "GPU", "A Python function between compiled ops.", gpu_table),
    )
    for kind, key, title, intro, show in kinds:
        parts.append((title, intro, _section(latest(ledger.read(kind), key), show)))
    lines, _ = explained(rows, reasons, ALL_ROWS)
    parts.append(("Missed goals", "Each row that misses its goal or is slower than a peer.", lines))
    parts.append(("Predecessor", "Rows beside an older commit.", predecessor(rows) or ["No row was compared."]))
    measured = [versions(list(calls.values()))] if calls else []
    text = "".join(f"\n## {title}\n\n{intro}\n\n" + "\n".join(lines) + "\n" for title, intro, lines in parts)
    return HEAD + text + "".join(f"\n{line}\n" for line in measured)


def summary(rows: Entries) -> list[str]:
    """A line for each group of rows: how many there are, how many meet their goal, and the median ratio."""
    out = [
        "| group | rows | goals met | TensorFlow's time / inlay's, median | inlay's time / the bare loop's, median |",
        "|---|---|---|---|---|",
    ]
    groups = {"Calls, datasets, start-up": ROWS, "Forms of a call": FORM_ROWS}
    groups |= {TITLES[name][0]: group for name, group in GROUPS.items()}
    for title, group in groups.items():
        entries = list(_of(rows, group).values())
        judged = [entry["met"] for entry in entries if entry["met"] is not None]
        ratios = [entry["ratios"]["tensorflow"]["median"] for entry in entries if "tensorflow" in entry["ratios"]]
        middle = times(statistics.median(ratios)) if ratios else ""
        loops = [1 / entry["bare"]["median"] for entry in entries if entry.get("bare")]
        bare = times(statistics.median(loops)) if loops else ""
        out.append(f"| {title} | {len(entries)} | {judged.count(True)} of {len(judged)} | {middle} | {bare} |")
    return out


def filled(page: str, parts: dict[str, list[str]]) -> str:
    """The page with the text between each `<!-- name -->` and `<!-- /name -->` replaced.

    Raises:
      ValueError: the page has no such pair of markers.
    """
    for name, lines in parts.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"{README.name} has no <!-- {name} --> ... <!-- /{name} -->")
        text = "\n".join(["", *lines, "\n"])
        page = pattern.sub(lambda m, text=text: m[1] + text + m[2], page)
    return page


def _read() -> tuple[Entries, dict[str, str]]:
    return latest(ledger.read("row"), "row"), tomllib.loads(REASONS.read_text(encoding="utf-8"))


def pages() -> dict[Path, str]:
    """The tables, and the page of commands with its summary."""
    rows, reasons = _read()
    page = filled(README.read_text(encoding="utf-8"), {"summary": summary(rows)})
    return {RESULTS: results(rows, reasons), README: page}


def main() -> int:
    """Writes the pages and the charts; names the rows that lack a reason."""
    from scripts import namespaces, pictures  # they import the library, which the peers' environments lack

    for path in namespaces.write({**pages(), **pictures.pages()}):
        print(f"wrote {path.relative_to(ROOT)}")
    _, lacking = explained(*_read(), ALL_ROWS)
    if lacking:
        print(f"{REASONS.relative_to(ROOT)} lacks a reason for: {', '.join(lacking)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
