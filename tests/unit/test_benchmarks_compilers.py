"""The benchmark of other compilers: every way gives the same, and ratios are those of costs above the bare program."""

from __future__ import annotations

import time
from typing import Any

import pytest

from benchmarks import compilers, tables

pytest.importorskip("jax")


@pytest.mark.parametrize("title", [title for title, ways in compilers.CASES.items() if ways is compilers.jax_ways])
def test_every_way_gives_the_same(title: str) -> None:
    ways = compilers.jax_ways(title)
    results = {name: float(run().sum()) for name, run in ways.items() if name != compilers.BARE}
    assert len(results) > 2 and len(set(results.values())) == 1


def test_ratios_are_of_the_costs_above_the_bare_program() -> None:
    def waiting(seconds: float) -> Any:
        return lambda: time.sleep(seconds)

    ways = {compilers.BARE: waiting(0.001), "jax.pure_callback": waiting(0.011), "inlay": waiting(0.003)}
    entry = compilers.measure("one call", ways, 3, 0.02)
    assert 2 < entry["ratios"]["inlay"]["median"] < 9 and list(entry["ratios"]) == ["inlay"]
    assert "goal 12" in compilers.line(entry)
    rows = tables.compilers_table({"one call": entry})
    assert len(rows) == 5 and rows[-1].endswith("| 12 |") and rows[2].endswith("|  |  |")


def test_without_a_callback_the_ratio_is_that_of_the_times() -> None:
    ways = {compilers.BARE: lambda: time.sleep(0.002), "inlay.torch.op": lambda: time.sleep(0.004)}
    assert 1.2 < compilers.measure("torch, one call", ways, 3, 0.02)["ratios"]["inlay.torch.op"]["median"] < 3
