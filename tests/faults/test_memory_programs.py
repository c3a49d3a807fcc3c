"""Random programs that write into memory: that they find nothing, and that they would."""

from __future__ import annotations

from typing import Any

import pytest

from inlay._src.core.tensor import EagerTensor
from tests.faults import memory_programs


def _faults(count: int, seed: int, libraries: tuple[str, ...] | None = None) -> list[tuple[int, str]]:
    report = memory_programs.Report()
    for number in range(count):
        memory_programs.run(seed + number, report, libraries)
    assert report.programs == count and report.writes > count
    return report.wrong


def test_a_program_that_lends_memory_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lent(self: EagerTensor, dtype: Any = None, copy: bool | None = None) -> Any:
        view = self._view()
        return view if dtype is None else view.astype(dtype)

    monkeypatch.setattr(EagerTensor, "__array__", lent)
    # A write that NumPy refuses ends the program; those that ignore the flag are seen.
    wrong: list[Any] = []
    for seed in range(60):
        try:
            wrong += _faults(1, seed, ())
        except Exception:
            continue
    assert wrong


def test_no_value_changes_that_is_not_the_functions_own() -> None:
    assert _faults(100, 10_000) == []
