"""The error catalogue: the entries that messages refer to as `(inlay explain NAME)`, and that the command prints.

The entries are those of docs/errors.md, where each has a program that shows it.
"""

from __future__ import annotations

from importlib.resources import files

FILE = "explained.md"


def entries() -> dict[str, str]:
    """The name of each entry -> its text, Markdown, in the order of the page."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("\n### ")[1:])
    return {name: body.partition("\n## ")[0].strip() for name, _, body in parts}
