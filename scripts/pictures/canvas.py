"""SVG drawings that are readable on light and on dark pages: boxes, text, arrows and bars in named tones.

A drawing brings its own background, so it is also readable where the page is light and the reader prefers dark.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]
# Pieces of one line of text, each with its tone.
Spans = Sequence[tuple[str, str]]


class Tone(NamedTuple):
    """The colors of one tone, each for light and for dark.

    Attributes:
      strong: of lines, text and bars.
      soft: of the inside of boxes.
    """

    strong: tuple[str, str]
    soft: tuple[str, str]


TONES = {
    "ink": Tone(("#1f2328", "#e6edf3"), ("#ffffff", "#12171e")),
    "muted": Tone(("#59636e", "#9aa5b1"), ("#f3f5f7", "#1a2129")),
    "grid": Tone(("#dfe4e9", "#2a323c"), ("#f3f5f7", "#1a2129")),
    "blue": Tone(("#1b62a8", "#62adf2"), ("#e7f1fb", "#132639")),
    "orange": Tone(("#b3530f", "#f0984f"), ("#fff2e3", "#352312")),
    "green": Tone(("#1a7745", "#52c283"), ("#e6f6ec", "#122e1d")),
    "purple": Tone(("#6941b8", "#b795f7"), ("#f2ecfc", "#271f3d")),
    "red": Tone(("#b3263a", "#f5808b"), ("#fdecee", "#391a1f")),
}
_SANS = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif"
_MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
# Generous widths of a character, as parts of the font's size: each reader's fonts differ.
_SANS_WIDTH, _MONO_WIDTH = 0.58, 0.605
LIGHT, DARK = 0, 1


def _rules(theme: int) -> str:
    lines = []
    for name, tone in TONES.items():
        strong, soft = tone.strong[theme], tone.soft[theme]
        lines.append(
            f".box-{name}{{fill:{soft};stroke:{strong}}}.{name}{{fill:{strong}}}.line-{name}{{stroke:{strong}}}"
        )
    lines.append(f".paper{{fill:{TONES['ink'].soft[theme]};stroke:{TONES['grid'].strong[theme]}}}")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """A drawing to which shapes are added in the order of painting.

    Args:
      width: in pixels.
      height: in pixels.
      title: the name of the picture.
      description: a text for readers who do not see the picture.
    """

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height = width, height
        self._title, self._description = title, description
        self._parts: list[str] = []

    def box(
        self, x: float, y: float, width: float, height: float, tone: str = "muted", *, radius: float = 8,
        dashed: bool = False, border: float = 1.5,
    ) -> None:  # fmt: skip
        """A rectangle with a border and a soft inside."""
        self._parts.append(
            f'<rect class="box-{tone}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
            f'height="{_number(height)}" rx="{_number(radius)}" stroke-width="{_number(border)}"'
            f"{_dashes(dashed)}/>"
        )

    def bar(self, x: float, y: float, width: float, height: float, tone: str, *, radius: float = 2) -> None:
        """A solid rectangle."""
        self._parts.append(
            f'<rect class="{tone}" x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
            f'height="{_number(height)}" rx="{_number(radius)}"/>'
        )

    def dot(self, x: float, y: float, radius: float, tone: str, *, hollow: bool = False) -> None:
        """A disc, or a ring that is filled softly."""
        style = f'class="box-{tone}" stroke-width="2"' if hollow else f'class="{tone}"'
        self._parts.append(f'<circle {style} cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"/>')

    def text(
        self, x: float, y: float, text: str | Spans, *, size: float = 14, tone: str = "ink", anchor: Anchor = "start",
        bold: bool = False, mono: bool = False,
    ) -> None:  # fmt: skip
        """A line of text; `y` is that of its baseline."""
        attributes = f' text-anchor="{anchor}"' if anchor != "start" else ""
        attributes += ' font-weight="600"' if bold else ""
        attributes += ' class="mono ' if mono else ' class="'
        spans = (
            escape(text)
            if isinstance(text, str)
            else "".join(f'<tspan class="{of}">{escape(part)}</tspan>' for part, of in text)
        )
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}"{attributes}{tone}" '
            f'xml:space="preserve">{spans}</text>'
        )

    def paragraph(
        self, x: float, y: float, lines: Iterable[str | Spans], *, step: float = 19, size: float = 13,
        tone: str = "ink", anchor: Anchor = "start", mono: bool = False, bold: bool = False,
    ) -> None:  # fmt: skip
        """Lines of text below one another."""
        for number, line in enumerate(lines):
            self.text(x, y + number * step, line, size=size, tone=tone, anchor=anchor, mono=mono, bold=bold)

    def chip(self, x: float, y: float, text: str, tone: str, *, size: float = 12, mono: bool = False) -> float:
        """A label in a small rounded box; `x` is its left end, `y` its middle. Returns its width."""
        width = text_width(text, size, mono=mono) + 16
        self.box(x, y - size * 0.95, width, size * 1.9, tone, radius=size * 0.95, border=1.2)
        self.text(x + width / 2, y + size * 0.36, text, size=size, tone=tone, anchor="middle", mono=mono)
        return width

    def line(self, points: Sequence[Point], tone: str = "muted", *, width: float = 1.5, dashed: bool = False) -> None:
        """A line through points."""
        path = "M" + " L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._parts.append(
            f'<path class="line-{tone}" d="{path}" fill="none" stroke-width="{_number(width)}" '
            f'stroke-linejoin="round"{_dashes(dashed)}/>'
        )

    def arrow(self, points: Sequence[Point], tone: str = "muted", *, width: float = 2, dashed: bool = False) -> None:
        """A line through points with a head at its end."""
        (x0, y0), (x1, y1) = points[-2:]
        angle, head = math.atan2(y1 - y0, x1 - x0), 9.0
        back = (x1 - head * 0.8 * math.cos(angle), y1 - head * 0.8 * math.sin(angle))
        self.line([*points[:-1], back], tone, width=width, dashed=dashed)
        corners = [(x1 - head * math.cos(angle + side), y1 - head * math.sin(angle + side)) for side in (0.45, -0.45)]
        path = " L".join(f"{_number(x)} {_number(y)}" for x, y in ((x1, y1), *corners))
        self._parts.append(f'<path class="{tone}" d="M{path} z"/>')

    def svg(self, theme: int | None = None) -> str:
        """The file's text.

        Args:
          theme: `LIGHT` or `DARK` for one of them alone; None for the reader's preference.
        """
        rules = _rules(theme or LIGHT)
        if theme is None:
            rules += f"\n@media (prefers-color-scheme: dark){{\n{_rules(DARK)}\n}}"
        width, height = _number(self.width), _number(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-label={quoteattr(self._description)} font-family="{_SANS}">\n'
            f"<title>{escape(self._title)}</title>\n<style>\n.mono{{font-family:{_MONO}}}\n{rules}\n</style>\n"
            f'<rect class="paper" x="0.5" y="0.5" width="{_number(self.width - 1)}" '
            f'height="{_number(self.height - 1)}" rx="10"/>\n'
        )
        return head + "\n".join(self._parts) + "\n</svg>\n"


def text_width(text: str, size: float, *, mono: bool = False) -> float:
    """About how many pixels a line of text takes."""
    return len(text) * size * (_MONO_WIDTH if mono else _SANS_WIDTH)


def _dashes(dashed: bool) -> str:
    return ' stroke-dasharray="6 4"' if dashed else ""
