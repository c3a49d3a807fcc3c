"""The table of residuals: bounds, order of dropping, schedules of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inlay._src.base.tuning import TUNING
from inlay._src.compilers.residuals import ResidualTable


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(TUNING, "residual_entries", 4)
    monkeypatch.setattr(TUNING, "residual_bytes", 100)
    yield


def test_a_residual_stays_after_it_is_taken() -> None:
    table = ResidualTable()
    token = table.put("a", 8)
    assert table.take(token) == table.take(token) == "a"
    assert table.take(token + 1) is None


@pytest.mark.usefixtures("bounds")
def test_used_residuals_are_dropped_before_fresh_ones() -> None:
    table = ResidualTable()
    tokens = [table.put(name, 1) for name in "abcd"]
    table.take(tokens[3])
    table.put("e", 1)
    assert [table.take(t) for t in tokens] == ["a", "b", "c", None]


@pytest.mark.usefixtures("bounds")
def test_bytes_are_bounded_but_for_one_residual() -> None:
    table = ResidualTable()
    first, large = table.put("a", 60), table.put("b", 60)
    assert table.take(first) is None and table.take(large) == "b" and table.nbytes == 60
    assert table.take(table.put("larger than the bound", 1000)) is not None


def test_used_residuals_have_a_bound_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "used_residual_bytes", 20)
    table = ResidualTable()
    tokens = [table.put(name, 10) for name in "abcd"]
    assert [table.take(t) for t in tokens] == ["a", "b", "c", "d"]
    assert [table.take(t) for t in tokens] == [None, None, "c", "d"] and table.nbytes == 20


@pytest.mark.usefixtures("bounds")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=60))
def test_every_schedule_keeps_the_bounds_and_gives_a_token_its_own_residual(moves: list[tuple[bool, int]]) -> None:
    table, tokens = ResidualTable(), [0]
    for is_put, number in moves:
        if is_put:
            tokens.append(table.put(len(tokens), number))
        else:
            at = number % len(tokens)
            assert table.take(tokens[at]) in (None, at)
        assert len(table) <= 4 and (table.nbytes <= 100 or len(table) == 1)


def test_threads_get_their_own_residuals() -> None:
    table, wrong = ResidualTable(), []

    def work(name: int) -> None:
        for i in range(300):
            token = table.put((name, i), 1)
            if table.take(token) != (name, i):
                wrong.append((name, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(table) == min(2400, TUNING.residual_entries)
