"""The whole programs of the benchmarks train, and their losses are compared."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import inlay
from benchmarks import programs
from benchmarks.cases.programs import PROGRAMS, program
from benchmarks.tables import programs_table


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_trains(name: str) -> None:
    figures = program(inlay, name, 0.01)
    assert np.isfinite(figures["losses"]).all()
    assert min(figures["seconds"], figures["processor"], figures["peak_mb"]) > 0


def test_losses_repeat() -> None:
    first, second = (program(inlay, "actor_critic", 0.01)["losses"] for _ in range(2))
    assert first == second


@pytest.mark.parametrize("other", [[1.0, 2.1], [1.0], [1.0, float("nan")]])
def test_other_losses_are_an_error(other: list[float]) -> None:
    programs.check("actor_critic", {"inlay": [1.0, 2.0], "tensorflow": [1.0, 2.0001]})
    with pytest.raises(AssertionError, match="losses of tensorflow"):
        programs.check("actor_critic", {"inlay": [1.0, 2.0], "tensorflow": other})


@pytest.mark.parametrize(("theirs", "verdict"), [(20.0, "met"), (0.5, "**missed**")])
def test_each_round_has_fresh_processes(theirs: float, verdict: str) -> None:
    dropped: list[str] = []

    def process(name: str) -> Any:
        seconds = 1.0 if name == "inlay" else theirs
        figures = {"seconds": seconds, "processor": seconds, "peak_mb": 80.0, "losses": [1.0]}
        return SimpleNamespace(ask=lambda figures_=figures, **_: {"figures": dict(figures_)})

    team: Any = SimpleNamespace(process=process, drop=dropped.append, absent={}, versions=dict)
    entry = programs.measure(team, "actor_critic", 1.0, 2)
    assert dropped == ["inlay", "tensorflow", "tensorflow", "inlay"]
    assert entry["ratios"]["tensorflow"]["seconds"]["median"] == theirs
    assert f"{theirs:.2f}x" in programs.line(entry)
    assert verdict in programs_table({"actor_critic": entry})[2]
