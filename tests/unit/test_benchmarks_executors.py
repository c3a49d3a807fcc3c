"""The benchmark of executors measures what it says: every way runs every body, and gives its result."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from benchmarks import executors, tables
from benchmarks.cases import bodies


@pytest.fixture
def ways() -> Any:
    with ThreadPoolExecutor(2) as pool, ThreadPoolExecutor(2) as through:
        yield {"bare loop": executors.Bare(), "loky": pool, "numpy_function on threads": executors.Family(through)}


@pytest.mark.parametrize("body", bodies.BODIES)
def test_a_way_gives_what_the_body_gives(body: str, ways: Any) -> None:
    function, x = bodies.BODIES[body], bodies.INPUTS[body]
    expected = function(x)
    for way in ways.values():
        found = way.one(function, x) if isinstance(way, executors.Family) else way.submit(function, x).result()
        np.testing.assert_array_equal(found, expected)


def test_the_image_is_interpolated() -> None:
    picture = np.full((480, 640, 3), 255, np.uint8)
    assert bodies.image(picture).shape == (224, 224, 3)
    np.testing.assert_allclose(bodies.image(picture), 1, rtol=1e-6)
    slope = np.broadcast_to((np.arange(480) // 2).astype(np.uint8).reshape(-1, 1, 1), (480, 640, 3))
    assert (np.diff(bodies.image(slope)[:, 0, 0]) >= 0).all()


def test_many_calls_of_one_run_are_all_made() -> None:
    made = []

    def count(x: Any) -> Any:
        made.append(1)
        return x

    with ThreadPoolExecutor(4) as pool:
        executors.Family(pool).many(count, bodies.INPUTS["tiny"], 20)
    assert len(made) == 20


def test_an_entry_has_every_way_and_prints_and_reports(ways: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "MANY", dict.fromkeys(bodies.BODIES, 2))
    monkeypatch.setattr(executors, "ONE", dict.fromkeys(bodies.BODIES, 1))
    entry = executors.measure(ways, "tiny", 2)
    assert set(entry["one"]) == set(entry["many"]) == set(ways)
    assert entry["faster"]["bare loop"]["bare loop"]["median"] == 1
    assert any("numpy_function on threads" in line for line in executors.lines(entry))
    table = tables.executors_table({"tiny": entry})
    assert len(table) == 2 + len(ways)
