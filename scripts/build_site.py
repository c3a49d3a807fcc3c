"""Builds the site of the documents, build/site/html: `python -m scripts.build_site`, or `make site`.

The pages of docs/ are read on GitHub too, so they link to files outside of docs/, and their fences carry words for
`scripts/run_snippets.py`. A copy is made in build/site/docs, where those files are pages as well: documents of the
repository under `OUTSIDE`, notebooks with their outputs, any other linked file as a page of its source. Zensical builds
that copy in strict mode: a link or an anchor that leads nowhere stops it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scripts import notebooks

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "zensical.toml"
SITE = ROOT / "build" / "site"

OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "reporting.md",
    "benchmarks/README.md": "benchmarks/index.md",
    "benchmarks/results.md": "benchmarks/results.md",
    "examples/README.md": "examples/index.md",
}
"""Documents of the repository outside of docs/, and their addresses as pages."""

SOURCES = "source"
"""The folder of the pages that show a linked file, which is no document."""

LANGUAGES = {".py": "python", ".toml": "toml", ".json": "json", ".sh": "sh", ".yml": "yaml"}
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"
HOME = "---\nhide:\n  - navigation\n  - toc\n---\n\n"
WIDE = "---\nhide:\n  - toc\n---\n\n"
TABLES = ("docs/compatibility.md", "docs/datasets.md", "docs/deviations.md", "docs/reference/ops.md")
"""Pages of wide tables: they take the place of the table of contents."""

_FENCE = re.compile(r"^( *)(`{3,})([^\n]*)\n(.*?)^\1\2 *$", re.M | re.S)
_LINK = re.compile(r"(\]\(|(?:src|href)=\")([^()\s\"]+)([)\"])")
_SPAN = re.compile(r"`[^`\n]+`")
_OUTPUT = re.compile(r"^Output:$", re.M)


def address(path: str) -> str:
    """The page or file of the site that shows a file of the repository."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/").replace(".ipynb", ".md")
    if path in OUTSIDE:
        return OUTSIDE[path]
    if Path(path).suffix in (".svg", ".png", ".webp"):
        return path
    return f"{SOURCES}/{path}.md"


def relinked(text: str, path: str, linked: Callable[[str], None]) -> str:
    """The text of a document with its links as the site has them; `linked` is called with each file that it names."""
    here = os.path.dirname(address(path))

    def link(match: re.Match[str]) -> str:
        target, mark, anchor = match[2].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        file = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if not (ROOT / file).is_file():
            raise SystemExit(f"{path}: the link {match[2]} leads to no file")
        linked(file)
        return match[1] + os.path.relpath(address(file), here or ".") + mark + anchor + match[3]

    return outside_code(text, lambda prose: _LINK.sub(link, prose))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with its prose changed, and its fenced blocks as they are."""
    parts, end = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_outside_spans(text[end : fence.start()], change), fence[0]]
        end = fence.end()
    return "".join([*parts, _outside_spans(text[end:], change)])


def _outside_spans(prose: str, change: Callable[[str], str]) -> str:
    spans: list[str] = []

    def hide(match: re.Match[str]) -> str:
        spans.append(match[0])
        return f"\0{len(spans) - 1}\0"

    return re.sub(r"\0(\d+)\0", lambda match: spans[int(match[1])], change(_SPAN.sub(hide, prose)))


def staged(text: str, path: str, linked: Callable[[str], None]) -> str:
    """A document as the site's page: its links, plain fences, lists indented by four, and marked outputs."""
    text = _FENCE.sub(lambda fence: fence[0].replace(fence[3], fence[3].partition(" ")[0], 1), text)
    text = relinked(text, path, linked)
    text = outside_code(text, lambda prose: _OUTPUT.sub('<p class="output">Output</p>', prose))
    text = re.sub(r"^\|.*$", lambda row: _SPAN.sub(lambda span: span[0].replace(r"\|", "|"), row[0]), text, flags=re.M)
    return re.sub(r"^ {3}(?=\S| +\S)", "    ", text, flags=re.M) if path == "CONTRIBUTING.md" else text


def home(page: str) -> str:
    """The first page, with its first paragraph set large, and its tables of pages as cards."""
    page = re.sub(
        r"^(?!#|<|!)\S[^`]*?(?=\n`import )", lambda match: match[0] + "\n{ .lede }\n", page, count=1, flags=re.M
    )

    def cards(table: re.Match[str]) -> str:
        rows = [row.strip("| ").split(" | ") for row in table[1].splitlines()]
        listed = "\n".join(f"- **{link}**\n\n    {text[0].upper()}{text[1:]}\n" for link, text in rows)
        return f'<div class="grid cards" markdown>\n\n{listed}\n</div>\n'

    return HOME + re.sub(r"^\| page \|.*\n\|-.*\n((?:\|.*\n)+)", cards, page, flags=re.M)


def source_page(path: str) -> str:
    """A page that shows a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"{HIDDEN}# `{path}`\n\n{ticks}{language}\n{text.rstrip()}\n{ticks}\n"


def documents() -> Iterator[str]:
    """The documents of the repository that are pages of the site."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        yield str(page.relative_to(ROOT))
    yield from OUTSIDE


def files() -> dict[str, str | Path]:
    """The address of each file of the copy -> its text, or the file that it is a copy of."""
    pages: dict[str, str | Path] = {}
    named: set[str] = set()
    for path in documents():
        page = staged((ROOT / path).read_text(encoding="utf-8"), path, named.add)
        pages[address(path)] = home(page) if path == "docs/index.md" else WIDE + page if path in TABLES else page
    for file in (ROOT / "docs").rglob("*"):
        if file.suffix in (".css", ".js", ".svg", ".png", ".webp"):
            named.add(str(file.relative_to(ROOT)))
    for path in sorted(named):
        if path.endswith(".ipynb"):
            pages[address(path)] = staged(notebooks.page(ROOT / path), path, named.add)
        elif address(path) not in pages:
            pages[address(path)] = source_page(path) if address(path).startswith(f"{SOURCES}/") else ROOT / path
    return pages


def navigation(project: dict[str, Any]) -> list[Any]:
    """The navigation of the configuration, with the generated pages of the reference below it, and the pages that are
    listed on one: notebooks and decisions."""
    below = {
        "start/notebooks.md": re.findall(r"\]\(\.\./(notebooks/\w+)\.ipynb\)", _text("start/notebooks.md")),
        "adr/README.md": [page.removesuffix(".md") for page in _listed("adr", "[0-9]*.md")],
    }
    nav = project["nav"]
    for entry in nav:
        for title, pages in entry.items():
            if title == "Reference":
                pages += [{name: _titled(_namespaces(name))} for name in ("tf", "tf.compat.v1", "tf.contrib")]
            elif isinstance(pages, list):
                entry[title] = [
                    {name: [page, *_titled([f"{under}.md" for under in below[page]])] if page in below else page}
                    for section in pages
                    for name, page in section.items()
                ]
    return nav


def _namespaces(name: str) -> list[str]:
    """The pages of a namespace and of those below it; `tf` has those that are of no other part."""
    pages = [page for page in _listed("reference", "tf*.md") if f"{page[:-3]}.".startswith(f"reference/{name}.")]
    if name == "tf":
        pages = [page for page in pages if not re.match(r"reference/tf\.(compat\.v1|contrib)\.", page)]
    return sorted(pages, key=_title)


def _listed(folder: str, pattern: str) -> list[str]:
    return [f"{folder}/{page.name}" for page in sorted((ROOT / "docs" / folder).glob(pattern))]


def _titled(pages: list[str]) -> list[dict[str, str]]:
    return [{_title(page): page} for page in pages]


def _title(page: str) -> str:
    return _text(page).partition("\n")[0].removeprefix("# ").replace("`", "")


def _text(page: str) -> str:
    file = ROOT / "docs" / page
    return file.read_text(encoding="utf-8") if file.exists() else notebooks.page(file.with_suffix(".ipynb"))


def configuration() -> str:
    """The configuration of the copy: that of the repository, with the whole navigation."""
    text = CONFIG.read_text(encoding="utf-8")
    nav = _toml(navigation(tomllib.loads(text)["project"]))
    return re.sub(r"^nav = \[\n.*?^\]$", lambda _: f"nav = {nav}", text, flags=re.M | re.S)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return "{ " + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + " }"


def build(site: Path = SITE) -> Path:
    """Build the site below a folder; returns the folder of its HTML. Raises SystemExit with what the builder says."""
    shutil.rmtree(site, ignore_errors=True)
    for where, content in files().items():
        target = site / "docs" / where
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            target.write_text(content, encoding="utf-8")
        else:
            shutil.copy(content, target)
    (site / CONFIG.name).write_text(configuration(), encoding="utf-8")
    builder = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(builder, cwd=site, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr))
    return site / "html"


if __name__ == "__main__":
    print(f"built {build().relative_to(ROOT)}; `make site SERVE=8000` serves it")
