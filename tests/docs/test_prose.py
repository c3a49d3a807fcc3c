"""The rules of docs/style.md: their examples, and the pages, docstrings and messages that keep them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import prose

EXAMPLES = re.findall(
    r"^\| ([a-z-]+) \| `([^`]+)` \| `([^`]+)` \|$", (prose.ROOT / "docs" / "style.md").read_text(encoding="utf-8"), re.M
)


def rules(tmp_path: Path, text: str) -> set[str]:
    page = tmp_path / "page.md"
    page.write_text(text)
    return {finding.rule for finding in prose.check(page)}


@pytest.mark.parametrize(("rule", "bad", "good"), EXAMPLES, ids=[f"{rule}-{bad[:24]}" for rule, bad, _ in EXAMPLES])
def test_the_examples_of_the_style_page(rule: str, bad: str, good: str, tmp_path: Path) -> None:
    assert rule in rules(tmp_path, bad)
    assert rules(tmp_path, good) == set()


def test_the_style_page_has_an_example_of_every_rule() -> None:
    assert {rule for rule, _, _ in EXAMPLES} == {*prose.SENTENCES, "private-word", "fragment"}


def test_a_sentence_has_a_limit(tmp_path: Path) -> None:
    assert rules(tmp_path, "It runs " + "and runs " * 18 + "again now.") == set()
    assert rules(tmp_path, "It runs " + "and runs " * 19 + "again.") == {"long-sentence"}


def test_code_tables_and_headings_are_no_sentences(tmp_path: Path) -> None:
    page = "# What is traced\n\n```text\nIt says so.\n```\n\n| What runs | `says so` |\n|---|---|\n\n- Runs.\n"
    assert rules(tmp_path, page) == set()
    assert rules(tmp_path, "| a | a warning says so |\n") == {"private-word"}
    assert rules(tmp_path, "## Nothing of ours\n") == {"private-word"}


def test_a_finding_names_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nx = 1\n```\n\nIt runs. A warning\nsays so.\n")
    assert [(finding.line, finding.text) for finding in prose.check(page)] == [(7, "says so")]


def test_strings_of_modules_are_checked(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('def f(x):\n    """It is to be a bool."""\n    raise TypeError(f"{x} is to be a bool")\n')
    assert [finding.line for finding in prose.check(module)] == [2, 3]


def test_pages_docstrings_and_messages_keep_the_style() -> None:
    findings = [finding for path in prose.paths() for finding in prose.check(path)]
    assert not findings, "`python -m scripts.prose`:\n" + "\n".join(map(str, findings))


def test_the_spelling_is_american_and_right() -> None:
    program = Path(sys.executable).with_name("typos")
    checked = subprocess.run([program, "--format", "brief"], cwd=prose.ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
