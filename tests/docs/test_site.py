"""The site of the documents: its navigation holds every page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.docs.test_links import links

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
GROUPS = ["Start", "Use", "Scale", "Migrate", "Reference", "Inside"]


def named(nav: list[Any]) -> Iterator[str]:
    """The pages of a navigation, in order."""
    for entry in nav:
        for value in entry.values():
            yield from named(value) if isinstance(value, list) else [value]


def by_hand() -> set[str]:
    """The pages that somebody wrote, decisions apart: their list is a page."""
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    return {page for page in pages if not re.match(r"adr/\d|reference/tf", page)}


def test_the_navigation_has_the_groups_in_order() -> None:
    assert [title for entry in PROJECT["nav"] for title in entry] == ["Home", *GROUPS]


def test_every_page_stands_once_in_the_navigation() -> None:
    assert sorted(named(PROJECT["nav"])) == sorted(by_hand())


def test_the_home_page_leads_to_every_page_of_the_navigation() -> None:
    linked = {link.partition("#")[0] for link in links((DOCS / "index.md").read_text(encoding="utf-8"))}
    assert {*named(PROJECT["nav"])} - linked == {"index.md"}


def test_pages_of_a_group_of_guides_stand_in_its_folder() -> None:
    for entry in PROJECT["nav"]:
        for title, pages in entry.items():
            folder = DOCS / title.lower()
            held = {str(page.relative_to(DOCS)) for page in folder.glob("*.md")} & by_hand()
            assert held <= set(pages if isinstance(pages, str) else named(pages)), title
