"""Docstrings as Markdown: paragraphs, fenced code, and a list for each section of arguments, results and errors."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

TITLES = {
    "Args": "Arguments",
    "Attributes": "Attributes",
    "Raises": "Raises",
    "Returns": "Returns",
    "Yields": "Yields",
}
_SECTION = re.compile(rf"^({'|'.join(TITLES)}):[ \t]*(.*)$")
_ENTRY = re.compile(r"^(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*):\s+(.*)$", re.S)
_FENCE = re.compile(r"^```\w*\n.*?^```$", re.M | re.S)


def escaped(text: str) -> str:
    """Text with what Markdown would read as markup marked as text; spans of code stay."""
    parts = re.split(r"(`[^`]+`)", text)
    parts[::2] = [re.sub(r"(?<![\w\\])[*_]|[*_](?!\w)", r"\\\g<0>", part).replace("<", "&lt;") for part in parts[::2]]
    return "".join(parts)


def markdown(doc: str) -> str:
    """A docstring, as `inspect.cleandoc` gives it, as Markdown; the pages do not run its examples, marked `py`."""
    fences: list[str] = []

    def keep(match: re.Match[str]) -> str:
        fences.append(match[0].replace("```python", "```py", 1))
        return f"\0{len(fences) - 1}"

    blocks = [_block(lines) for lines in _sections(_FENCE.sub(keep, doc))]
    return re.sub(r"\0(\d+)", lambda match: fences[int(match[1])], "\n\n".join(filter(None, blocks)))


def _sections(doc: str) -> list[list[str]]:
    """The lines before the first section, then those of each; a section ends before a line that is not indented."""
    parts: list[list[str]] = [[]]
    for line in doc.splitlines():
        if _SECTION.match(line):
            parts.append([line])
        elif line and not line.startswith(" ") and parts[-1] and _SECTION.match(parts[-1][0]):
            parts.append([line])
        else:
            parts[-1].append(line)
    return parts


def _block(lines: list[str]) -> str:
    section = _SECTION.match(lines[0]) if lines else None
    if section is None:
        return escaped("\n".join(lines).strip())
    title, body = TITLES[section[1]], [section[2], *lines[1:]]
    entries = _entries(body)
    if title in ("Returns", "Yields"):
        return f"**{title}** " + escaped(" ".join(" ".join(entry) for entry in entries))
    return f"**{title}**\n\n" + "\n".join(f"- {_entry(' '.join(entry))}" for entry in entries)


def _entries(body: list[str]) -> list[list[str]]:
    """The entries of a section: a line that is indented less than those after it begins one."""
    filled = [line for line in body if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in filled if line.startswith(" ")), default=0)
    entries: list[list[str]] = []
    for line in filled:
        if len(line) - len(line.lstrip()) <= least or not entries:
            entries.append([line.strip()])
        else:
            entries[-1].append(line.strip())
    return entries


def _entry(text: str) -> str:
    match = _ENTRY.match(text)
    if match is None:
        return escaped(text)
    return ", ".join(f"`{name}`" for name in match[1].split(", ")) + f": {escaped(match[2])}"


def own_doc(value: Any) -> str:
    """The docstring, not one inherited from a base class.

    Others may change what they wrote: of theirs it is the first paragraph, and of NumPy's scalar types the name.
    """
    if isinstance(value, type) and issubclass(value, np.generic):
        return f"NumPy's `{value.__name__}`."
    doc = vars(value).get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
    text = inspect.cleandoc(doc) if isinstance(doc, str) else ""
    return text if is_ours(value) else text.partition("\n\n")[0]


def is_ours(value: Any) -> bool:
    """Whether a class or a function is of this package."""
    return (getattr(value, "__module__", None) or "inlay").startswith("inlay")
