"""Dot charts of measured times on a logarithmic axis: the median as a dot, the quartiles as a line."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scripts.pictures.canvas import Canvas

Spread = Mapping[str, float]
TONES = {
    "inlay": "blue",
    "tensorflow": "orange",
    "jax": "purple",
    "torch": "red",
    "pytensor": "green",
    "dask": "muted",
}
NAMES = {
    "tensorflow": "TensorFlow",
    "jax": "JAX",
    "torch": "PyTorch",
    "pytensor": "PyTensor",
    "dask": "Dask",
}
ROW = 27.0


def seconds(value: float) -> str:
    """A time with three figures and its unit."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}" if value * factor < 1000 else f"{value * factor:,.0f} {unit}"
    return f"{value * 1e9:.2g} ns"


def megabytes(value: float) -> str:
    """A size in MB."""
    return f"{value:,.0f} MB" if value >= 100 else f"{value:.3g} MB"


def ratio(value: float) -> str:
    """A ratio with two figures, or all before the point."""
    return f"{value:,.0f}×" if value >= 10 else f"{value:.2g}×"


@dataclass
class Panel:
    """Rows that share an axis.

    Attributes:
      title: what is measured.
      low: the beginning of the axis, a power of ten.
      high: its end.
      label: how a value is written, on the axis and beside a row.
      rows: of each its label, the spread by the name of who was measured, and the texts of the columns on the right.
      columns: the headings of the columns.
    """

    title: str
    low: float
    high: float
    columns: tuple[str, ...]
    label: Callable[[float], str] = seconds
    rows: list[tuple[str, Mapping[str, Spread], tuple[str, ...]]] = field(default_factory=list)

    @property
    def height(self) -> float:
        """In pixels, axis and title included."""
        return 64 + ROW * len(self.rows)


def draw_panel(
    canvas: Canvas, panel: Panel, y: float, *, left: float = 252, right: float = 180, tones: Mapping[str, str] = TONES
) -> float:
    """Draws a panel from `y` downwards over the canvas's width. Returns where it ends."""
    begin, end = left, canvas.width - right
    low, decades = math.log10(panel.low), math.log10(panel.high / panel.low)

    def place(value: float) -> float:
        return begin + (end - begin) * min(1.0, max(0.0, (math.log10(value) - low) / decades))

    canvas.text(24, y + 16, panel.title, size=14, bold=True)
    width = (right - 24) / len(panel.columns)
    edges = [canvas.width - 24 - width * (len(panel.columns) - 1 - number) for number in range(len(panel.columns))]
    for edge, heading in zip(edges, panel.columns, strict=True):
        canvas.text(edge, y + 16, heading, size=12, tone="muted", anchor="end")
    top, bottom = y + 28, y + 28 + ROW * len(panel.rows)
    for power in range(round(low), round(low + decades) + 1):
        x = place(10.0**power)
        canvas.line([(x, top), (x, bottom)], "grid", width=1)
        canvas.text(x, bottom + 16, panel.label(10.0**power), size=11, tone="muted", anchor="middle")
    for number, (label, spreads, texts) in enumerate(panel.rows):
        middle = top + ROW * (number + 0.5)
        canvas.text(begin - 14, middle + 4, label, size=12.5, anchor="end")
        medians = [place(spread["median"]) for spread in spreads.values()]
        canvas.line([(min(medians), middle), (max(medians), middle)], "grid", width=2)
        for name, spread in reversed(spreads.items()):  # ours last, on top
            tone = tones[name]
            canvas.line([(place(spread["q1"]), middle), (place(spread["q3"]), middle)], tone, width=3)
            canvas.dot(place(spread["median"]), middle, 5.5, tone)
        for column, (edge, text) in enumerate(zip(edges, texts, strict=True)):
            canvas.text(edge, middle + 4, text, size=12.5, anchor="end", bold=column == len(texts) - 1)
    return bottom + 36


def draw_legend(canvas: Canvas, y: float, names: Iterable[str], *, x: float = 24) -> None:
    """Draws the legend: a dot of its tone and the name of each library, from left to right."""
    for name in names:
        text = NAMES.get(name, name)
        canvas.dot(x + 6, y - 4, 5.5, TONES[name])
        canvas.text(x + 18, y, text, size=12.5)
        x += 18 + 8.2 * len(text) + 22


def source(entries: Sequence[Mapping[str, Any]]) -> str:
    """When and where some ledger entries were measured."""
    days = sorted({datetime.date.fromisoformat(entry["run"][:10]) for entry in entries})
    first, last, machine = days[0], days[-1], entries[-1]["machine"]
    when = f"{last.day} {last:%B %Y}"
    if first != last:
        begin = f"{first.day}" if (first.year, first.month) == (last.year, last.month) else f"{first.day} {first:%B %Y}"
        when = f"{begin} {'and' if len(days) == 2 else 'to'} {when}"
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['ram_gb']:.0f} GB"
    return f"{when}; {where}, Python {entries[-1]['python']}"
