"""Growth with the work: our side of every program runs, calls are counted, and the page shows each unit by itself."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace
from typing import Any

import pytest

import inlay
from benchmarks import data_growth, tables
from benchmarks.cases import growing

PROGRAMS = growing.PROGRAMS


@pytest.mark.parametrize("title", PROGRAMS)
def test_our_side_of_a_program_runs(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROGRAMS, title, PROGRAMS[title]._replace(warm=1))
    at = PROGRAMS[title].points[1]
    assert growing.work_growth(inlay, title, at, 0.001)["element"] > 0
    if PROGRAMS[title].bare is not None:
        assert growing.bare_work(inlay, title, at, 0.001)["element"] > 0


def test_a_call_is_made_once_however_long_it_takes() -> None:
    calls = itertools.count()

    def slow() -> None:
        next(calls)
        time.sleep(0.01)

    assert growing._run(slow, 0.0) >= 0.01 and next(calls) == 1
    assert growing._run(slow, 0.05) >= 0.01 and next(calls) > 1


def team_of(power: float) -> Any:
    """Peers whose runs take as long as told; TensorFlow is not there."""

    def ask(figures: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return {"figures": {"element": 1e-6 * arguments["at"] ** (1.0 if figures == "bare_work" else power)}}

    return SimpleNamespace(
        absent={"tensorflow": "not installed"},
        process=lambda name: None if name == "tensorflow" else SimpleNamespace(ask=ask),
        versions=dict,
    )


@pytest.mark.parametrize("power, verdict", [(1.0, "Nowhere faster"), (1.5, "Faster than the work: a sum, a loop.")])
def test_each_unit_has_a_table(power: float, verdict: str) -> None:
    entries = {}
    for title, unit, points in (("a sum", "elements", (1, 1000)), ("a loop", "turns", (1, 10))):
        bare = "bare_work" if unit == "elements" else None
        entry = data_growth.measure(team_of(power), title, points, 2, 0.1, "work_growth", bare)
        assert entry["met"] is (power == 1.0) and ("bare loop" in entry["seconds"]) is (bare is not None)
        entries[title] = {**entry, "unit": unit}
    page = "\n".join(tables.work_growth_table(entries))
    assert "| elements | | 1 | 1,000 |" in page and "| turns | | 1 | 10 |" in page
    assert "| a sum | inlay | 1 us |" in page and verdict in page
