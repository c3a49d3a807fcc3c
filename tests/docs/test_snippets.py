"""Every block of code in README.md and docs/ runs, each page in a Python process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.run_snippets import blocks, run_page

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "scripts" / "run_snippets.py"
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists()]
WITH_CODE = [page for page in PAGES if any(blocks(page.read_text(encoding="utf-8")))]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    command = [sys.executable, "-W", "error", str(RUNNER), str(page)]
    given = dict(os.environ)
    if 'executor="ray"' in "".join(block.code for block in blocks(page.read_text(encoding="utf-8"))):
        given["RAY_ADDRESS"] = request.getfixturevalue("ray_cluster").address
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=55, stdin=subprocess.DEVNULL, env=given
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_there_are_pages_to_look_at() -> None:
    assert PAGES


# The runner itself.


def write(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text)
    return page


def test_blocks_share_a_namespace_in_order(tmp_path: Path) -> None:
    page = write(
        tmp_path, "```python\nx = 1\n```\n\n```pycon\n>>> y = x + 1\n>>> y\n2\n```\n\n```python\nassert y == 2\n```\n"
    )
    assert run_page(page) == 3


def test_stated_output_is_checked(tmp_path: Path) -> None:
    text = "```python\nprint(6 * 7)\n```\n\nOutput:\n\n```text\n{}\n```\n"
    assert run_page(write(tmp_path, text.format("42"))) == 1
    with pytest.raises(SystemExit, match="page.md:2: the page says it prints\n43"):
        run_page(write(tmp_path, text.format("43")))


def test_a_wrong_doctest_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="page.md:2: the block prints something else"):
        run_page(write(tmp_path, "```pycon\n>>> 1 + 1\n3\n```\n"))
    assert "Expected:\n    3\nGot:\n    2" in capsys.readouterr().out


def test_a_failing_block_names_the_line_of_the_page(tmp_path: Path) -> None:
    page = write(tmp_path, "# Title\n\n```python\nx = 1\nx / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(page)
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == (str(page), 5)


def test_other_languages_and_indented_fences_are_told_apart(tmp_path: Path) -> None:
    text = "```text\nnot code\n```\n\n- item\n\n  ```python\n  z = [\n      1,\n  ]\n  ```\n"
    assert [(b.lang, b.code, b.line) for b in blocks(text)] == [("python", "z = [\n    1,\n]\n", 7)]
