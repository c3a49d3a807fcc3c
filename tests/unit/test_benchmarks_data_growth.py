"""Growth of datasets: our side of every series runs, exponents are those of the work, and judged beside others."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace
from typing import Any

import pytest

import inlay
from benchmarks import data_growth, tables
from benchmarks.cases import datasets_growth

SERIES = datasets_growth.SERIES


@pytest.mark.parametrize("title", SERIES)
def test_our_side_of_a_series_runs(title: str) -> None:
    series = SERIES[title]
    at = series.points[1]
    assert datasets_growth.data_growth(inlay, title, at, 0.001)["element"] > 0
    if series.bare is not None:
        assert datasets_growth.bare_growth(inlay, title, at, 0.001)["element"] > 0


def test_elements_are_counted_and_few_of_them_are_enough() -> None:
    slow = (time.sleep(0.01) for _ in itertools.repeat(None))
    elements, seconds = datasets_growth._read(slow, 0.0)
    assert elements == datasets_growth.LEAST and seconds >= 0.01 * elements
    quick = iter(range(10**9))
    elements, seconds = datasets_growth._read(quick, 0.05)
    assert next(quick) == elements and 0.05 <= seconds < 30


def test_an_exponent_is_that_of_the_work() -> None:
    assert data_growth.exponents((1, 10, 100), {1: [2.0, 3.0], 10: [20.0, 90.0], 100: [2000.0]}) == pytest.approx(
        [1.0, 2.0]
    )


@pytest.mark.parametrize(
    "exponents, verdict",
    [
        ({"inlay": [0.2, 1.1]}, True),
        ({"inlay": [0.2, 1.3]}, False),
        ({"inlay": [0.2, 1.3], "tensorflow": [2.0, 1.0]}, False),
        ({"inlay": [0.2, 1.3], "tensorflow": [0.1, 1.4]}, True),
        ({"inlay": [0.2, 1.3], "bare loop": [0.1, 1.2]}, True),
        ({"inlay": [0.2, 1.4], "bare loop": [1.4, 1.2]}, False),
        ({"tensorflow": [2.0]}, None),
    ],
)
def test_nothing_grows_faster_than_the_work(exponents: dict[str, list[float]], verdict: bool | None) -> None:
    assert data_growth.met(exponents) is verdict


class FakeTeam:
    """Peers whose elements take as long as told, by peer and point."""

    absent = {"tensorflow": "not installed"}

    def __init__(self, power: float) -> None:
        self.power = power
        self.asked: list[str] = []

    def process(self, name: str) -> Any:
        if name in self.absent:
            return None

        def ask(figures: str, arguments: dict[str, Any]) -> dict[str, Any]:
            self.asked.append(figures)
            power = 1.0 if figures == "bare_growth" else self.power
            return {"figures": {"element": 1e-6 * arguments["at"] ** power}}

        return SimpleNamespace(ask=ask)

    def versions(self) -> dict[str, dict[str, str]]:
        return {}


@pytest.mark.parametrize("power, well", [(1.0, True), (1.5, False)])
def test_a_series_is_measured_judged_and_shown(power: float, well: bool) -> None:
    team: Any = FakeTeam(power)
    sizes = datasets_growth.SIZES
    entry = data_growth.measure(team, "elements through an op", sizes, 2, 0.1, bare="bare_growth")
    points = len(sizes)
    assert team.asked.count("data_growth") == team.asked.count("bare_growth") == 2 * points
    assert entry["met"] is well and entry["absent"] == {"tensorflow": "not installed"}
    assert entry["exponents"]["inlay"] == pytest.approx([power] * (points - 1))
    text = data_growth.line(entry)
    assert ("FASTER THAN THE WORK" in text) is not well and "tensorflow ABSENT: not installed" in text
    page = "\n".join(tables.data_growth_table({entry["title"]: entry}))
    assert "| elements through an op | 8 | 1 KB | 64 KB | 1 MB | 10 MB | 100 MB | exponents |" in page
    assert ("**Faster than the work.**" in page) is not well


def test_a_series_that_fails_is_absent_with_the_reason() -> None:
    team: Any = FakeTeam(1.0)
    team.process = lambda name: SimpleNamespace(ask=lambda **_: {"error": "Traceback\nMemoryError: no room"})
    entry = data_growth.measure(team, "maps", datasets_growth.STAGES, 1, 0.1)
    assert entry["absent"] == {"inlay": "MemoryError: no room", "tensorflow": "MemoryError: no room"}
    assert entry["met"] is None and entry["seconds"] == {}
