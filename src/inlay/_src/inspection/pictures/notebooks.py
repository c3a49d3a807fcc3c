"""Pictures in notebooks: the static picture, its facts, and what needs room below folds. No script is in it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from inlay._src.core.pictured import DRAWINGS
from inlay._src.inspection.pictures.scene import Item, Picture
from inlay._src.inspection.pictures.svg import svg

_MOST_ROWS = 100
_SCROLLED = "max-height: 40em; overflow: auto; border: 1px solid rgba(128, 128, 128, 0.35); border-radius: 6px"


def html(picture: Picture) -> str:
    """A picture for the output of a notebook's cell."""
    facts = " · ".join(f"{escape(label)}: {escape(value)}" for label, value in picture.facts[:6])
    parts = [
        f"<div><strong>{escape(picture.title)}</strong> <small>{facts}</small></div>",
        f'<div style="{_SCROLLED}">{svg(picture)}</div>',
    ]
    hosts = [item for item in picture.items if item.kind == "host"]
    parts += [_host(item) for item in hosts[:_MOST_ROWS]]
    decided = [(item, *decision) for item in picture.items for decision in item.decisions]
    if decided:
        parts.append(_decisions(decided))
    return "\n".join(parts)


def _host(item: Item) -> str:
    source = f"<pre>{escape(item.source)}</pre>" if item.source else ""
    rows = _table((label, value) for label, value in item.facts)
    summary = escape(f"{item.op} called by {item.name}")
    return f"<details><summary>{summary}</summary>{source}{rows}</details>"


def _decisions(decided: list[tuple[Item, str, str]]) -> str:
    rows = "".join(
        f"<tr><td>{escape(item.name or item.label)}</td><td>{escape(decision)}</td>"
        f'<td style="text-align: left">{escape(reason)}</td></tr>'
        for item, decision, reason in decided[:_MOST_ROWS]
    )
    more = f"<p>and {len(decided) - _MOST_ROWS:,} more</p>" if len(decided) > _MOST_ROWS else ""
    return f"<details><summary>decisions of the plan ({len(decided):,})</summary><table>{rows}</table>{more}</details>"


def _table(rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f'<tr><td>{escape(label)}</td><td style="text-align: left">{escape(value)}</td></tr>' for label, value in rows
    )
    return f"<table>{cells}</table>"


DRAWINGS["html"] = html
