"""The pictures of the short examples: images, and charts of lines and dots, drawn by Pillow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from checking import needs

with needs("inlay[data]"):
    from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 480, 300
BLUE, ORANGE, GREEN, GRAY, INK = "#1b62a8", "#d9661f", "#1a7745", "#9aa5b1", "#1f2328"


def save_image(out: Path, name: str, pixels: Any, colors: int = 96) -> None:
    """Saves an image as NAME.png with a palette, which keeps the file small.

    Args:
      out: the folder; it is created if it does not exist.
      name: the file's name without ending.
      pixels: an array of shape [height, width, 3], or an image of Pillow.
      colors: the size of the palette.
    """
    out.mkdir(parents=True, exist_ok=True)
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(np.uint8(pixels))
    palette = image.convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    palette.save(out / f"{name}.png", optimize=True)
    print(f"  drawn {out / name}.png")


def blend(share: Any, *stops: str) -> Any:
    """Colors between some stops.

    Args:
      share: an array of numbers between 0 and 1.
      stops: hexadecimal colors, the first for 0 and the last for 1.

    Returns:
      An array of the same shape with a further axis of size 3.
    """
    table = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in stops], float)
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(share, at, table[:, channel]) for channel in range(3)], axis=-1)


class Chart:
    """A chart of lines and dots.

    Args:
      title: the text above the chart.
      x: the range from left to right.
      y: the range from bottom to top.
      labels: the names of both axes.
    """

    SCALE = 3  # drawn larger and then reduced, which smooths the edges
    LEFT, RIGHT, TOP, BOTTOM = 46, 16, 36, 38

    def __init__(self, title: str, x: tuple[float, float], y: tuple[float, float], labels: tuple[str, str]) -> None:
        self.x, self.y = x, y
        self.image = Image.new("RGB", (WIDTH * self.SCALE, HEIGHT * self.SCALE), "white")
        self.draw = ImageDraw.Draw(self.image)
        self.text(self.LEFT, 10, title, INK, 15)
        for share in np.linspace(0, 1, 5):
            value_x, value_y = x[0] + share * (x[1] - x[0]), y[0] + share * (y[1] - y[0])
            at_x, at_y = self._at([value_x], [value_y])[0]
            top, bottom = self.TOP * self.SCALE, (HEIGHT - self.BOTTOM) * self.SCALE
            left, right = self.LEFT * self.SCALE, (WIDTH - self.RIGHT) * self.SCALE
            self.draw.line([(at_x, top), (at_x, bottom)], "#e4e8ec", self.SCALE)
            self.draw.line([(left, at_y), (right, at_y)], "#e4e8ec", self.SCALE)
            self.text(at_x / self.SCALE, HEIGHT - self.BOTTOM + 5, f"{value_x:g}", GRAY, 11, "ma")
            self.text(self.LEFT - 6, at_y / self.SCALE, f"{value_y:g}", GRAY, 11, "rm")
        self.text(WIDTH - self.RIGHT, HEIGHT - 15, labels[0], GRAY, 11, "ra")
        self.text(WIDTH - self.RIGHT, 14, labels[1], GRAY, 11, "ra")

    def _at(self, x: Any, y: Any) -> list[tuple[float, float]]:
        across = (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0])
        left, top = self.LEFT, self.TOP
        across = left + across * (WIDTH - left - self.RIGHT)
        down = top + (1 - up) * (HEIGHT - top - self.BOTTOM)
        return [(float(a) * self.SCALE, float(d) * self.SCALE) for a, d in zip(across, down, strict=True)]

    def text(self, x: float, y: float, text: str, color: str, size: int, anchor: str = "la") -> None:
        """Writes text at a place in pixels of the picture."""
        font = ImageFont.load_default(size * self.SCALE)
        self.draw.text((x * self.SCALE, y * self.SCALE), text, color, font, anchor)

    def line(self, x: Any, y: Any, color: str, width: float = 2) -> None:
        """Draws a line through points."""
        self.draw.line(self._at(x, y), color, round(width * self.SCALE), "curve")

    def dots(self, x: Any, y: Any, color: str, radius: float = 2.5) -> None:
        """Draws a dot at each point."""
        for across, down in self._at(x, y):
            r = radius * self.SCALE
            self.draw.ellipse((across - r, down - r, across + r, down + r), color)

    def legend(self, *entries: tuple[str, str]) -> None:
        """Writes names in their colors, below one another at the upper right."""
        for number, (text, color) in enumerate(entries):
            self.text(WIDTH - self.RIGHT - 8, self.TOP + 6 + 16 * number, text, color, 12, "ra")

    def save(self, out: Path, name: str) -> None:
        """Saves the chart as NAME.png."""
        save_image(out, name, self.image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS), 64)
