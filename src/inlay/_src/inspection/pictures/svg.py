"""Pictures as SVG, laid out here: for notebooks, documents and files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from inlay._src.base.export import data_file
from inlay._src.core.pictured import DRAWINGS
from inlay._src.inspection.pictures.arranging import (
    HEADER,
    Arrangement,
    Point,
    Rectangle,
    arranged,
    second_line,
    shortened,
)
from inlay._src.inspection.pictures.scene import Item, Picture, total_times
from inlay._src.inspection.pictures.times import in_words, times_of

_BORDER = 20.0


def svg(picture: Picture, times: Any = None) -> str:
    """A picture as an SVG document that needs nothing else.

    Args:
      picture: the picture.
      times: colors boxes by their time: see `times_of`.
    """
    arrangement = arranged(picture)
    sums = total_times(picture, times_of(times))
    most = max((sums[box] for box in arrangement.boxes if not arrangement.boxes[box].open), default=0.0)
    width, height = arrangement.width + 2 * _BORDER, arrangement.height + 2 * _BORDER
    title = escape(picture.title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="inlay-picture" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="{-_BORDER:g} {-_BORDER:g} {width:.0f} {height:.0f}" role="img" aria-label="{title}">',
        f"<title>{title}</title>",
        f"<style>{data_file(__package__, 'picture.css')}</style>",
        f'<rect class="paper" x="{-_BORDER:g}" y="{-_BORDER:g}" width="{width:.0f}" height="{height:.0f}"/>',
    ]
    boxes = list(arrangement.boxes.values())
    parts += [_container(picture.items[box.item], box) for box in boxes if box.open]
    parts += _wires(arrangement)
    parts += [_leaf(picture.items[b.item], b, sums[b.item], most) for b in boxes if not b.open]
    parts.append("</svg>")
    return "\n".join(parts)


def _container(item: Item, box: Rectangle) -> str:
    label = escape(shortened(item.label, 48))
    return (
        f'<g class="container {item.kind}"><title>{_tip(item)}</title>'
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="8"/>'
        f'<text class="label" x="{box.x + 12:.1f}" y="{box.y + HEADER * 0.62:.1f}">{label}</text></g>'
    )


def _tip(item: Item) -> str:
    """The text that is shown over a box."""
    lines = [f"{label}: {value}" for label, value in item.facts]
    lines += [f"{decision}: {reason}" for decision, reason in item.decisions]
    return escape("\n".join([item.name or item.label, *lines]))


def _leaf(item: Item, box: Rectangle, time: float, most: float) -> str:
    below = second_line(item, box.hidden)
    folded = " folded" if box.hidden else ""
    idle = " idle" if item.idle else ""
    middle = box.x + box.width / 2 + 3
    rows = [f'<g class="box {item.kind}{folded}{idle}"><title>{_tip(item)}</title>']
    corner = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6"'
    if box.hidden:
        rows.append(
            f'<rect class="behind" x="{box.x + 4:.1f}" y="{box.y + 4:.1f}" width="{box.width:.1f}" '
            f'height="{box.height:.1f}" rx="6"/>'
        )
    rows.append(f'<rect class="face" {corner}/>')
    if most and time:
        rows.append(f'<rect class="heat" {corner} fill-opacity="{0.08 + 0.72 * time / most:.2f}"/>')
        below = f"{below} · {in_words(time)}" if below and len(below) < 14 else in_words(time)
    rows.append(f'<path class="mark" d="M {box.x + 3:.1f} {box.y + 7:.1f} v {box.height - 14:.1f}"/>')
    baseline = box.y + (17 if below else box.height / 2 + 4)
    rows.append(f'<text class="label" x="{middle:.1f}" y="{baseline:.1f}">{escape(shortened(item.label))}</text>')
    if below:
        rows.append(f'<text class="detail" x="{middle:.1f}" y="{box.y + 32:.1f}">{escape(below)}</text>')
    rows.append("</g>")
    return "".join(rows)


def _wires(arrangement: Arrangement) -> list[str]:
    parts = []
    for (_, _, control), points in arrangement.routes.items():
        x, y = points[-1]
        style = "wire control" if control else "wire"
        parts.append(f'<path class="{style}" d="{curve(points)}"/>')
        tip = f"M {x - 3.5:.1f} {y - 7:.1f} L {x:.1f} {y:.1f} L {x + 3.5:.1f} {y - 7:.1f} z"
        parts.append(f'<path class="arrow" d="{tip}"/>')
    return parts


def curve(points: Sequence[Point]) -> str:
    """A smooth path through points, vertical at each of them."""
    x, y = points[0]
    parts = [f"M {x:.1f} {y:.1f}"]
    for x2, y2 in points[1:]:
        if abs(x2 - x) + abs(y2 - y) < 1:
            continue
        reach = abs(y2 - y) / 2 if y2 > y else 30.0
        parts.append(f"C {x:.1f} {y + reach:.1f} {x2:.1f} {y2 - reach:.1f} {x2:.1f} {y2:.1f}")
        x, y = x2, y2
    return " ".join(parts)


DRAWINGS["svg"] = svg
