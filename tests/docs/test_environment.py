"""The page of environment variables names each one that the sources read, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "environment.md").read_text(encoding="utf-8")
_OWN = re.compile(r"INLAY_[A-Z][A-Z_]*[A-Z]")
_READ = re.compile(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"")


def variables(pattern: re.Pattern[str], *files: Path) -> set[str]:
    return {name for file in files for name in pattern.findall(file.read_text(encoding="utf-8"))}


def test_every_variable_of_ours_stands_on_the_page_and_no_other() -> None:
    sources = [*(ROOT / "src").rglob("*.py"), ROOT / "tests" / "conftest.py"]
    assert set(_OWN.findall(PAGE)) == variables(_OWN, *sources)


def test_every_variable_of_ours_has_a_row() -> None:
    rows = set(re.findall(r"^\| `(INLAY_\w+)` \|", PAGE, re.M))
    assert rows == variables(_OWN, *(ROOT / "src").rglob("*.py"))


def test_variables_of_other_programs_that_are_read_stand_on_the_page() -> None:
    changed = {"PYTHONPATH"}  # `inlay run` adds a folder for children of the program
    read = variables(_READ, *(ROOT / "src" / "inlay").rglob("*.py")) - changed
    assert {name for name in read if f"`{name}`" not in PAGE} == set()
    assert {"TF_CONFIG", "RAY_ADDRESS", "CUDA_VISIBLE_DEVICES"} <= read


@pytest.mark.parametrize("text", ['os.environ.get("A_B", "")', 'os.environ["A_B"] = "1"'])
def test_how_a_read_is_recognized(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(text)
    assert variables(_READ, file) == {"A_B"}
