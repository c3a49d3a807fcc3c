"""The error catalogue: the entries that messages refer to as `(inlay explain NAME)`, and that the command prints.

The entries are those of docs/errors.md, where each has a program that shows it.
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

FILE = "explained.md"
_LINK = re.compile(r"\[([^]]+)]\((docs/[^)#]+)[^)]*\)")
_CHECKOUT = Path(__file__).parents[4]
"""The folder of a checkout; of an installed package, a folder without pages."""


def entries() -> dict[str, str]:
    """The name of each entry -> its text, Markdown, in the order of the page."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("\n### ")[1:])
    return {name: _LINK.sub(_referred, body.partition("\n## ")[0].strip()) for name, _, body in parts}


def _referred(link: re.Match[str]) -> str:
    """A link to a page as words: with the file if it is at hand, for an installed package has no pages."""
    title, page = link.groups()
    file = _CHECKOUT / page
    return f'"{title}" ({file})' if file.exists() else f'"{title}" in the documentation'
