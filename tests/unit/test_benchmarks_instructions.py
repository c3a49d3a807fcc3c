"""Counted instructions: two states are compared row by row, and a count is the same twice."""

from __future__ import annotations

import shutil

import pytest

from benchmarks import instructions
from benchmarks.environments import ROOT


def test_states_are_compared_row_by_row() -> None:
    entries = instructions.compared({"a": 200.0, "b": 50.0, "new": 1.0}, {"a": 100.0, "b": 100.0})
    assert [(entry["row"], entry["ratio"]) for entry in entries] == [("a", 2.0), ("b", 0.5)]
    assert instructions.mean(entries) == pytest.approx(1.0)
    assert instructions.line(entries[0]) == "a: 200 instructions, before 100, ratio 2.0000"


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_a_count_is_the_same_twice() -> None:
    first, second = (instructions.counted(ROOT / "src", 100) for _ in range(2))
    assert len(first) == 11
    assert first == pytest.approx(second, rel=0.005)
