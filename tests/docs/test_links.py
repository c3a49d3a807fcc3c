"""Every link between the pages of the repository leads to a file that is there, and to a heading of it."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "examples").glob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
_FENCED = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.M | re.S)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def prose(text: str) -> str:
    """A page without its code."""
    return re.sub(r"`[^`\n]*`", "``", _FENCED.sub("", text))


def links(text: str) -> list[str]:
    """Where the links and pictures of a page lead."""
    return [first or second for first, second in _LINK.findall(prose(text))]


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them: repeated ones are numbered."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+)$", _FENCED.sub("", text), re.M):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        base = name = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
        number = 0
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.add(name)
    return found


@functools.cache
def anchors_of(page: Path) -> set[str]:
    """The anchors of a page."""
    return anchors(page.read_text(encoding="utf-8"))


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    wrong = []
    for link in links(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):  # another site's
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            wrong.append(link)
        elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_what_is_looked_at(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# One `thing`, two\n\n## Again\n\n## Again\n\n[a](#one-thing-two) [b](#again-1) [c](page.md#again) "
        '![d](gone.svg) <img src="lost.png"> [e](#nowhere) [f](https://example.org/x) `[g](code.md)`\n'
        "```text\n[h](fenced.md)\n# no heading\n```\n"
    )
    assert broken(page) == ["gone.svg", "lost.png", "#nowhere"]
