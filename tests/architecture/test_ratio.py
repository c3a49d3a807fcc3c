"""Tests keep up with the source: 0.7 lines of them for each of its. `python -m benchmarks.sizes` prints more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from benchmarks import sizes
from tests.architecture.sources import ROOT

LEAST = 0.7


def by_package(root: Path) -> list[tuple[str, int, int]]:
    """(package, its lines, lines of the tests that mirror it), the barest first."""
    source = sizes.lines(root, "src/inlay")
    tests: Counter[str] = Counter()
    for path, text in sizes.files(root, "tests/unit"):
        tests[path.parts[0] if len(path.parts) > 1 else sizes.ROOT_MODULES] += len(text.splitlines())
    del source[sizes.STUBS]
    return sorted(
        ((name, size, tests[name]) for name, size in source.items()), key=lambda row: (row[2] / max(row[1], 1), row[0])
    )


def test_there_are_enough_tests() -> None:
    source = sizes.total(sizes.lines(ROOT, sizes.SOURCE))
    tests = sizes.total(sizes.lines(ROOT, sizes.TESTS))
    rows = "\n".join(f"  {name:20}{size:7,}{mirror:7,}" for name, size, mirror in by_package(ROOT))
    assert tests >= LEAST * source, (
        f"{tests:,} lines of tests for {source:,} of source: {tests / source:.2f} instead of {LEAST}.\n"
        f"  package, its lines, lines of tests/unit that mirror it:\n{rows}"
    )


def test_the_measure_counts_what_mirrors_a_package(tmp_path: Path) -> None:
    for name, text in {
        "src/inlay/core/a.py": "1\n2\n",
        "src/inlay/b.py": "1\n",
        "src/inlay/b.pyi": "1\n2\n3\n",
        "tests/unit/core/test_a.py": "1\n2\n3\n",
        "tests/golden/test_c.py": "1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert by_package(tmp_path) == [("(its own modules)", 1, 0), ("core", 2, 3)]
    assert sizes.total(sizes.lines(tmp_path, "src/inlay")) == 3
