"""Objects with a picture, for notebooks and files.

    Graph, Plan, Dataset, ConcreteFunction ... ── PICTURES[kind] ──▶ Picture ── DRAWINGS["svg", "html", "page"] ──▶ text
    Tensor, Variable, RaggedTensor ... ────────────────────────────────────── DRAWINGS["value"] ───────────────▶ text

The modules that draw are loaded when a picture is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, ClassVar

from inlay._src.base.export import Declared

PICTURES: dict[str, Callable[[Any], Any]] = Declared("pictures")
"""Kind of object -> the function that makes the picture of one, as data."""
DRAWINGS: dict[str, Callable[..., str]] = Declared("drawings")
"""Form -> the function that writes it: "svg", "html" and "page" of a picture and times, "value" of a tensor."""


def picture_of(item: Pictured) -> Any:
    """The picture of an object, as data: an `inspection.pictures.scene.Picture`."""
    return PICTURES[item._picture_kind](item)


class Pictured:
    """A program, or a part of one, that has a picture. Making one runs no function of the user's."""

    __slots__ = ()
    _picture_kind: ClassVar[str]

    def to_svg(self, path: str | os.PathLike[str], times: Any = None) -> None:
        """Writes a picture that needs no program: scopes are folded until it is small enough to be read.

        Args:
          path: the file, which is replaced.
          times: colors steps by their time: the `step_stats` of a `RunMetadata`, or step name -> microseconds.
        """
        _write(path, DRAWINGS["svg"](picture_of(self), times))

    def to_html(self, path: str | os.PathLike[str], times: Any = None) -> None:
        """Writes a page for a browser: its scopes fold, it searches, and it shows the way of a tensor.

        The page has everything in itself and asks no server for anything.

        Args:
          path: the file, which is replaced.
          times: colors steps by their time: the `step_stats` of a `RunMetadata`, or step name -> microseconds.
        """
        _write(path, DRAWINGS["page"](picture_of(self), times))

    def _repr_svg_(self) -> str:
        return DRAWINGS["svg"](picture_of(self))

    def _repr_html_(self) -> str:
        return DRAWINGS["html"](picture_of(self))


class RichValue:
    """A value whose dtype, shape and summary notebooks show as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return DRAWINGS["value"](self)


def _write(path: str | os.PathLike[str], text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
