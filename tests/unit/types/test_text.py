"""Texts of values."""

from __future__ import annotations

from inlay._src.base.types.text import counted


def test_one_thing_is_told_without_an_s() -> None:
    assert [counted(n, "trace") for n in (0, 1, 2)] == ["0 traces", "1 trace", "2 traces"]
