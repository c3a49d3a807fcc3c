"""The table of docs/execution.md, from the registry of lowerings."""

from __future__ import annotations

import importlib
from pathlib import Path

from inlay._src.engine.run.registry import GROUPS, LOWERINGS

for _name in ("engine.run.lowerings", "programs.control.repeating"):
    importlib.import_module(f"inlay._src.{_name}")  # they declare lowerings

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "execution.md"
MARK = "<!-- Below: written by scripts/update_generated.py from the registry of lowerings. Change that. -->\n"


def table() -> str:
    """Every lowering with its sentence, by group."""
    text = ""
    for group, question in GROUPS.items():
        text += f"\n## {question[0].upper()}{question[1:]}\n\n| lowering | how a step runs | results |\n|---|---|---|\n"
        for _, entry in sorted(LOWERINGS.items()):  # declared in the order of imports
            if entry.group == group:
                text += f"| {entry.name} | {entry.description} | {'equal' if entry.exact else 'equal to rounding'} |\n"
    return text


def pages() -> dict[Path, str]:
    """The page, whose text above the mark is written by hand."""
    return {PAGE: PAGE.read_text(encoding="utf-8").partition(MARK)[0] + MARK + table()}
