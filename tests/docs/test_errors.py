"""docs/errors.md explains what messages refer to, and each entry shows its own message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inlay._src.tools import explained
from scripts import error_catalogue
from scripts.run_snippets import blocks, run_page

PAGE = error_catalogue.PAGE.read_text(encoding="utf-8")
ENTRIES = re.findall(r"^### (.+)$", PAGE, re.M)


def referred_to() -> set[str]:
    """The entries that the messages in the sources refer to."""
    package = error_catalogue.ROOT / "src" / "inlay"
    texts = (file.read_text(encoding="utf-8") for file in package.rglob("*.py"))
    return {name for text in texts for name in error_catalogue.REFERENCE.findall(text)} - {"NAME"}


def test_every_message_refers_to_an_entry_and_every_entry_is_referred_to() -> None:
    assert sorted(referred_to()) == sorted(ENTRIES)


def test_every_entry_shows_its_own_message() -> None:
    shown = {name: [b.shows for b in blocks(text) if b.shows] for name, text in entries_of_the_page().items()}
    assert shown == {name: [name] for name in ENTRIES}


def entries_of_the_page() -> dict[str, str]:
    parts = PAGE.split("\n### ")[1:]
    return {part.partition("\n")[0]: part for part in parts}


def test_what_is_printed_are_the_entries_of_the_page() -> None:
    found = explained.entries()
    assert list(found) == ENTRIES
    assert all(text and "\n## " not in text and "python shows" not in text for text in found.values())
    assert not [name for name, text in found.items() if "](docs/" in text]  # an installed package has no pages


# ---------------------------------------------------------------- blocks that fail


def write(tmp_path: Path, code: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(f"```python shows some-error\n{code}\n```\n")
    return page


@pytest.mark.parametrize(
    "code",
    [
        'raise ValueError("no (inlay explain some-error)")',
        'import logging\nlogging.getLogger("inlay").warning("no (inlay explain some-error)")',
    ],
)
def test_a_block_shows_an_error_or_a_warning(tmp_path: Path, code: str) -> None:
    assert run_page(write(tmp_path, code)) == 1


@pytest.mark.parametrize("code", ["pass", 'raise ValueError("no (inlay explain some-errors)")'])
def test_a_block_that_shows_something_else_fails(tmp_path: Path, code: str) -> None:
    with pytest.raises(SystemExit, match="page.md:2: the block does not show some-error"):
        run_page(write(tmp_path, code))
