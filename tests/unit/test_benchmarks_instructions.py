"""`benchmarks.instructions`: its plan of calls, how it reads the counts, and its summary."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from benchmarks import instructions
from benchmarks.environments import ROOT


def test_a_long_call_is_counted_less_often() -> None:
    short, long = instructions.planned(["op_cast", "run_10000"])
    assert short[2] > long[2] >= 1
    assert short[1] >= short[2]
    assert long[1] >= long[2]
    assert short[3] == 2


def test_a_dump_says_its_total(tmp_path: Path) -> None:
    dump = tmp_path / "out.1"
    dump.write_text("version: 1\nevents: Ir\nsummary: 1234\n\nfn=(1)\n1 1234\n")
    assert instructions._total(dump) == 1234


def test_the_summary_counts_rows_that_are_no_slower() -> None:
    entries = instructions.compared({"a": 100.0, "b": 102.0, "c": 90.0}, {"a": 100.0, "b": 100.0, "c": 100.0})
    assert [entry["ratio"] for entry in entries] == [1.0, 1.02, 0.9]
    assert "2 within 1 %, 3 within 3 %" in instructions.summary(entries)


def test_rows_beyond_the_noise_are_counted_again_with_more_calls() -> None:
    entries = instructions.compared({"a": 100.0, "b": 102.0, "c": 90.0}, {"a": 100.0, "b": 100.0, "c": 100.0})
    cases = [("a", 10, 2, 2), ("b", 10, 2, 2), ("c", 10, 150, 1)]
    assert instructions.more(cases, entries) == [("b", 20, 10, 2), ("c", 760, 200, 1)]


def test_the_figures_of_several_counts_are_medians() -> None:
    counts = [{"a": 1.0, "b": 9.0}, {"a": 3.0, "b": 8.0}, {"a": 2.0, "b": 7.0}]
    assert instructions.medians(counts) == {"a": 2.0, "b": 8.0}


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("valgrind") is None or sys.platform != "linux", reason="valgrind is not installed")
def test_equal_states_have_equal_counts() -> None:
    cases = instructions.planned(["op_cast", "op_reshape"])
    first, second = (instructions.counted(ROOT / "src", cases) for _ in range(2))
    assert first == pytest.approx(second, rel=0.005)
