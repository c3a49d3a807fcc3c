"""The site of the documents: it builds without a warning, its navigation holds every page, and no link is broken."""

from __future__ import annotations

import html
import importlib.util
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from scripts import build_site, site_pictures
from tests.docs.test_links import links

DOCS = build_site.ROOT / "docs"
PROJECT = tomllib.loads(build_site.CONFIG.read_text(encoding="utf-8"))["project"]
GROUPS = ["Start", "Use", "Scale", "Migrate", "Reference", "Inside"]


def named(nav: list[Any]) -> Iterator[str]:
    """The pages of a navigation, in order."""
    for entry in nav:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values():
                yield from named(value) if isinstance(value, list) else [value]


def by_hand() -> set[str]:
    """The pages that somebody wrote, decisions apart: their list is a page."""
    pages = {build_site.address(path) for path in build_site.documents()}
    return {page for page in pages if not re.match(r"adr/\d|reference/tf", page)}


def test_the_navigation_has_the_groups_in_order() -> None:
    assert [title for entry in PROJECT["nav"] for title in entry] == ["Home", *GROUPS]


def test_every_page_stands_once_in_the_navigation() -> None:
    assert sorted(named(PROJECT["nav"])) == sorted(by_hand())


def test_the_home_page_leads_to_every_page_of_the_navigation() -> None:
    home = build_site.relinked((DOCS / "index.md").read_text(encoding="utf-8"), "docs/index.md", lambda file: None)
    assert {*named(PROJECT["nav"])} - {link.partition("#")[0] for link in links(home)} == {"index.md"}


def test_pages_of_a_group_of_guides_stand_in_its_folder() -> None:
    for entry in PROJECT["nav"]:
        for title, pages in entry.items():
            folder = DOCS / title.lower()
            held = {str(page.relative_to(DOCS)) for page in folder.glob("*.md")} & by_hand()
            assert held <= set(pages if isinstance(pages, str) else named(pages)), title


# The copy that is built.


def test_links_out_of_docs_lead_to_pages_of_the_site() -> None:
    files: list[str] = []
    text = "[a](../../CONTRIBUTING.md#x) [b](../../Makefile) `[c](../../d.md)`\n```md\n[e](f.md)\n```\n"
    page = build_site.relinked(text, "docs/use/wrap.md", files.append)
    assert page == ("[a](../contributing.md#x) [b](../source/Makefile.md) `[c](../../d.md)`\n```md\n[e](f.md)\n```\n")
    assert files == ["CONTRIBUTING.md", "Makefile"]
    with pytest.raises(SystemExit, match="docs/index.md: the link gone.md leads to no file"):
        build_site.relinked("[a](gone.md)", "docs/index.md", files.append)


def test_a_bar_in_code_is_escaped_in_a_table_for_github_alone() -> None:
    page = build_site.staged("| `a \\| b` | c \\| d |\n\n`a \\| b`\n", "docs/index.md", lambda file: None)
    assert page == "| `a | b` | c \\| d |\n\n`a \\| b`\n"


def test_a_page_of_source_shows_any_file() -> None:
    assert build_site.source_page("Makefile").startswith(
        "---\nsearch:\n  exclude: true\n---\n\n# `Makefile`\n\n```text\n"
    )


def test_the_first_page_shows_its_tables_as_cards() -> None:
    table = "| page | read it to |\n|---|---|\n| [First](a.md) | begin |\n| [Next](b.md) | go on |\n"
    page = build_site.home(f"# inlay\n\nCall it.\n`import inlay`\n\n{table}\nEnd.\n")
    assert "Call it.\n{ .lede }\n" in page
    cards = "- **[First](a.md)**\n\n    Begin\n\n- **[Next](b.md)**\n\n    Go on\n"
    assert f'<div class="grid cards" markdown>\n\n{cards}\n</div>\n\nEnd.\n' in page


def test_there_is_a_small_picture_of_each_page_that_is_shown() -> None:
    pages = {re.sub(r"(index)?\.md$", "/", build_site.address(path)).lstrip("/") for path in build_site.documents()}
    pages |= {f"notebooks/{notebook.stem}/" for notebook in (DOCS / "notebooks").glob("*.ipynb")} | {""}
    assert {shot.page for shot in site_pictures.SHOTS.values()} <= pages
    files = {file.stem: file.stat().st_size for file in site_pictures.FOLDER.iterdir()}
    assert files.keys() == site_pictures.SHOTS.keys()
    assert max(files.values()) < 150_000


# The site.


@dataclass(frozen=True)
class Page:
    """A page of the site: what it links to, what it loads, its anchors, and its paragraphs without their code."""

    links: set[str]
    loaded: set[str]
    anchors: set[str]
    paragraphs: list[str]


def read(page: Path) -> Page:
    """A page of the site."""
    text = page.read_text(encoding="utf-8")
    tags = re.findall(r"<(a|link|script|img|source)\s([^>]*)>", text)
    named = [(tag, html.unescape(a or b)) for tag, rest in tags for a, b in re.findall(_TARGET, rest)]
    prose = re.sub(r"<code.*?</code>", "", text, flags=re.S)
    return Page(
        {target for tag, target in named if tag == "a"},
        {target for tag, target in named if tag != "a"},
        {html.unescape(a or b) for a, b in re.findall(r"""\s(?:id|name)=(?:"([^"]*)"|([^\s>"]+))""", text)},
        re.findall(r"<p>(.*?)</p>", prose, re.S),
    )


_TARGET = r"""(?:href|src)=(?:"([^"]*)"|([^\s>"]+))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("Zensical is not installed; `make setup` installs it")
    return build_site.build(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {page: read(page) for page in sorted(site.rglob("*.html"))}


def target(page: Path, link: str, site: Path) -> Path:
    """The file that a link of a page leads to."""
    path = unquote(link.partition("#")[0].partition("?")[0])
    whole = site / path.lstrip("/") if path.startswith("/") else page.parent / path
    whole = whole.resolve() if path else page
    return whole / "index.html" if whole.is_dir() else whole


@pytest.mark.timeout(300)  # the first to ask for the site builds it
def test_the_site_builds_without_a_warning_and_holds_every_page(pages: dict[Path, Page], site: Path) -> None:
    built = {str(page.relative_to(site)) for page in pages}
    written = {re.sub(r"README\.md$", "index.md", build_site.address(path)) for path in build_site.documents()}
    assert {re.sub(r"(^|/)index/index", r"\1index", f"{page[:-3]}/index.html") for page in written} <= built


def test_every_link_and_anchor_of_the_site_leads_somewhere(pages: dict[Path, Page], site: Path) -> None:
    wrong = []
    for page, content in pages.items():
        for link in content.links | content.loaded:
            if re.match(r"[a-z]+:", link) or page.name == "404.html":
                continue
            file, anchor = target(page, link, site), unquote(link.partition("#")[2])
            if not file.is_file() or (anchor and file in pages and anchor not in pages[file].anchors):
                wrong.append((str(page.relative_to(site)), link))
    assert wrong == []


def test_a_page_loads_nothing_from_another_server(pages: dict[Path, Page]) -> None:
    loaded = {what for page in pages.values() for what in page.loaded}
    assert {what for what in loaded if re.match(r"(https?:)?//", what)} == set()


def test_no_list_table_or_fence_is_left_as_text(pages: dict[Path, Page], site: Path) -> None:
    left = [
        (str(page.relative_to(site)), line)
        for page, content in pages.items()
        for paragraph in content.paragraphs
        for line in paragraph.splitlines()
        if re.match(r"\s*([-*] |\d+\. |```|\|.*\|$)", line)
    ]
    assert left == []
