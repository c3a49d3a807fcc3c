"""The benchmark of other compilers: every way gives the same, and ratios are those of costs above the bare program."""

from __future__ import annotations

import functools
import time
from typing import Any

import numpy as np
import pytest

from benchmarks import compilers, tables

pytest.importorskip("jax")


SMALL = [title for title, case in compilers.CASES.items() if case.ratio is compilers.above_bare and "1e" not in title]


@pytest.mark.parametrize("title", SMALL)
def test_every_way_gives_the_same(title: str) -> None:
    ways = compilers.CASES[title].ways()
    results = {name: np.asarray(run()).tolist() for name, run in ways.items() if name != compilers.BARE}
    first, *others = results.values()
    assert len(others) > 1 and all(other == first for other in others)


def test_plans_give_the_same_with_and_without_compilation() -> None:
    plain, compiled = (run().numpy() for run in compilers.plan_ways(1000).values())
    np.testing.assert_allclose(compiled, plain, rtol=1e-6)


def _waiting(**seconds: float) -> Any:
    return lambda: {name: functools.partial(time.sleep, s) for name, s in seconds.items()}


def test_ratios_are_of_the_costs_above_the_bare_program() -> None:
    ways = _waiting(**{compilers.BARE: 0.001, "jax.pure_callback": 0.011, "inlay": 0.003})
    entry = compilers.measure("one call", compilers.Case(ways, compilers.above_bare, "≥ 12"), 3, 0.02)
    assert 2 < entry["ratios"]["inlay"]["median"] < 9 and list(entry["ratios"]) == ["inlay"]
    assert "goal ≥ 12" in compilers.line(entry)
    rows = tables.compilers_table({"one call": entry})
    assert len(rows) == 5 and rows[-1].endswith("| ≥ 12 |") and rows[2].endswith("|  |  |")


def test_a_cost_below_a_tenth_of_the_bare_program_counts_as_a_tenth() -> None:
    assert compilers.above_bare(0.9, 1.0, 2.0) == compilers.above_bare(1.05, 1.0, 2.0) == pytest.approx(10.0)


def test_without_a_callback_the_ratio_is_that_of_the_times() -> None:
    ways = _waiting(**{compilers.BARE: 0.002, "ours": 0.004})
    for ratio, least, most in ((compilers.beside_bare, 1.2, 3), (compilers.times_faster, 1 / 3, 1 / 1.2)):
        entry = compilers.measure("torch, one call", compilers.Case(ways, ratio), 3, 0.02)
        assert least < entry["ratios"]["ours"]["median"] < most
