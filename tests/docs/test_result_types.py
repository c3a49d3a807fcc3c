"""Type checkers know the results of public functions, methods and properties."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scripts.result_types import Asked, asked, by_mypy, by_pyright, results, unknown

SHARE = 0.97
"""The least share of results that are known."""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("revealed", [by_pyright, by_mypy])
def test_results_are_known(revealed: Callable[[list[Asked]], dict[str, str]]) -> None:
    if revealed is by_pyright:
        pytest.importorskip("basedpyright", reason="of the dev extra: pyright, with node in the wheel")
    every = asked()
    missing = unknown(every, revealed(every))
    assert 1 - len(missing) / len(every) >= SHARE, "`python -m scripts.result_types --list`:\n" + "\n".join(missing)


@pytest.mark.parametrize(
    ("revealed", "expected"),
    [
        ("(x: Any) -> Tensor", ["Tensor"]),
        ("(f: (Any) -> int) -> ((Any) -> str)", ["(Any) -> str"]),
        ("def (f: def (*Any) -> Any) -> list[Any]", ["list[Any]"]),
        ("Overload[(x: int) -> Tensor, (x: Any, y: tuple[int, int]) -> Any]", ["Tensor", "Any"]),
        ("Overload(def (x: int) -> Tensor, def (x: Any) -> Any)", ["Tensor", "Any"]),
        ("Any", ["Any"]),
    ],
)
def test_results_are_read_from_what_a_checker_reveals(revealed: str, expected: list[str]) -> None:
    assert results(revealed) == expected


def test_a_function_is_unknown_if_no_overload_tells_its_result() -> None:
    every = [Asked(f"inlay.{name}") for name in ("known", "partly", "unknown", "unseen")]
    types = {
        "inlay.known": "() -> Tensor",
        "inlay.partly": "Overload[(x: int) -> Tensor, (x: Any) -> Any]",
        "inlay.unknown": "(x: Any) -> Any",
    }
    assert unknown(every, types) == ["inlay.unknown", "inlay.unseen"]
