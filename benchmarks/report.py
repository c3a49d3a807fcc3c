"""Draws the plots and writes the tables of `benchmarks/README.md` from the ledger: `python -m benchmarks.report`.

Needs the `bench` extra (matplotlib). Everything between the markers of the page is rewritten; nothing else is.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from benchmarks import ledger
from benchmarks.drawing import PLOTS, plot_data_growth, plot_growth, plot_ratios, plot_work_growth
from benchmarks.environments import ROOT
from benchmarks.row_tables import absent, explained, forms_table, group_table, predecessor, table, versions
from benchmarks.rows import ALL_ROWS, FORM_ROWS, GROUPS, ROWS
from benchmarks.tables import (
    concurrency_table,
    data_growth_table,
    executors_table,
    gpu_table,
    growth_table,
    soak_table,
    work_growth_table,
)

HERE = ROOT / "benchmarks"
README, REASONS = HERE / "README.md", HERE / "reasons.toml"
WORK_PLOT = "\n![runs per second over elements, turns and ops](plots/work_growth.svg)"
DATA_PLOT = "\n![elements per second over the number of stages and the size of elements](plots/data_growth.svg)"


def latest(entries: Sequence[dict[str, Any]], key: str) -> dict[Any, dict[str, Any]]:
    """The newest entry for each value of `key`; a full measurement wins over a quick one."""
    found: dict[Any, dict[str, Any]] = {}
    for entry in entries:
        old = found.get(entry[key])
        if old is None or old.get("quick") or not entry.get("quick"):
            found[entry[key]] = entry
    return found


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


def gpu_part(entries: dict[str, dict[str, Any]]) -> list[str]:
    """The page's part about GPUs."""
    return _section(entries, gpu_table) if entries else ["No GPU was there: nothing is measured on one yet."]


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


def _section(entries: dict[Any, dict[str, Any]], show: Callable[[dict[Any, Any]], list[str]]) -> list[str]:
    if not entries:
        return ["Not measured yet."]
    return [*show(entries), "", source(list(entries.values()))]


def main() -> int:
    """Writes page and plots; says which rows lack a reason."""
    rows = latest(ledger.read("row"), "row")
    growth = latest(ledger.read("growth"), "ops")
    data = latest(ledger.read("data_growth"), "title")
    reasons = tomllib.loads(REASONS.read_text(encoding="utf-8"))
    work = latest(ledger.read("work_growth"), "title")
    grouped = {row.name for group in GROUPS.values() for row in group}
    shortcomings, lacking = explained(rows, reasons, [row for row in ALL_ROWS if row.name not in grouped])
    main_rows = {row.name: rows[row.name] for row in ROWS if row.name in rows}
    form_rows = {row.name: rows[row.name] for row in FORM_ROWS if row.name in rows}
    measured = list(main_rows.values())
    parts = {
        "rows": [*_section(main_rows, table), *([versions(measured)] if main_rows else []), *absent(main_rows)],
        "forms": [*_section(form_rows, forms_table), *absent(form_rows)],
        "before": predecessor(rows) or ["No row was compared with a predecessor."],
        "slower": shortcomings if rows else ["Not measured yet."],
        "growth": _section(growth, growth_table),
        "work_growth": [*_section(work, work_growth_table), *([WORK_PLOT] if work else [])],
        "data_growth": [*_section(data, data_growth_table), *([DATA_PLOT] if data else [])],
        "concurrency": _section(latest(ledger.read("concurrency"), "title"), concurrency_table),
        "executors": _section(latest(ledger.read("executors"), "title"), executors_table),
        "soak": _section(latest(ledger.read("soak"), "part"), soak_table),
        "gpu": gpu_part(latest(ledger.read("gpu"), "title")),
    }
    for name, group in GROUPS.items():
        found = {row.name: rows[row.name] for row in group if row.name in rows}
        missed, more = explained(found, reasons, group)
        parts[name] = [*_section(found, partial(group_table, group)), *(["", *missed] if found else [])]
        lacking += more
    README.write_text(filled(README.read_text(encoding="utf-8"), parts), encoding="utf-8")
    if rows:
        plot_ratios(rows)
    if growth:
        plot_growth(growth)
    if work:
        plot_work_growth(work)
    if data:
        plot_data_growth(data)
    print(f"wrote {README.relative_to(ROOT)} and {PLOTS.relative_to(ROOT)}/")
    if lacking:
        print(f"{REASONS.relative_to(ROOT)} lacks a reason for: {', '.join(lacking)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
