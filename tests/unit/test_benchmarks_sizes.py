"""The size meter counts what is there, by package, and what has gone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import environments, sizes


def written(root: Path, files: dict[str, int]) -> Path:
    """A checkout whose files have so many lines."""
    for name, count in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x = 1\n" * count)
    return root


@pytest.fixture
def now(tmp_path: Path) -> Path:
    return written(
        tmp_path / "now",
        {"src/inlay/__init__.py": 2, "src/inlay/__init__.pyi": 9, "src/inlay/core/a.py": 10, "src/inlay/core/b/c.py": 5,
         "src/inlay/host/d.py": 3, "tests/unit/test_a.py": 10},
    )  # fmt: skip


def test_a_line_per_package_and_a_sum(now: Path) -> None:
    assert sizes.table(now, None) == [
        "|  | lines |",
        "|---|---|",
        "| `src/inlay/(its own modules)` | 2 |",
        "| `src/inlay/core` | 15 |",
        "| `src/inlay/host` | 3 |",
        "| **src/inlay** | 20 |",
        "| `src/inlay`, stubs | 9 |",
        "| `tests/unit` | 10 |",
        "| **tests** | 10 |",
        "| tests per line of source | 0.50 |",
    ]


def test_what_went_and_what_came(now: Path, tmp_path: Path) -> None:
    before = written(
        tmp_path / "before",
        {"src/inlay/__init__.py": 2, "src/inlay/core/a.py": 1000, "src/inlay/old/d.py": 38, "tests/test_a.py": 104},
    )
    table = sizes.table(now, before)
    assert table[0] == "|  | before | now | change |"
    for line in (
        "| `src/inlay/core` | 1,000 | 15 | -985 |",
        "| `src/inlay/host` |  | 3 | +3 |",
        "| `src/inlay/old` | 38 |  | -38 |",
        "| **src/inlay** | 1,040 | 20 | -1,020 |",
        "| `src/inlay`, stubs |  | 9 | +9 |",
        "| `tests/(its own modules)` | 104 |  | -104 |",
        "| tests per line of source | 0.10 | 0.50 | |",
    ):
        assert line in table


def test_the_longest_come_first(now: Path) -> None:
    (now / "src/inlay/core/a.py").write_text('def f():\n    """One.\n    """\n    return 1\n\n\ndef g(): ...\n')
    assert sizes.longest_modules(now)[:2] == [("core/a.py", 7), ("core/b/c.py", 5)]
    assert sizes.longest_functions(now) == [("core/a.py: f", 2), ("core/a.py: g", 1)]


def test_it_prints_markdown_of_this_checkout(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "argv", ["sizes"])
    assert sizes.main() == 0
    text = capsys.readouterr().out
    assert "| **src/inlay** |" in text and "\nLongest modules: `" in text and "\nLongest functions: `" in text


def test_an_unknown_commit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sizes", "--before", "nonsense"])
    with pytest.raises(SystemExit, match="git knows no commit 'nonsense' here"):
        sizes.main()
    assert environments.ROOT.is_dir()
