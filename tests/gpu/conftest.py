"""Tests here need a GPU: they are those of `tests/unit/devices`, with the real one."""

from __future__ import annotations

import pytest

from tests.unit.devices.standing_in import Crossings, counted


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Crossings:
    """`/GPU:0` exists; what crosses is counted."""
    return counted(monkeypatch)
