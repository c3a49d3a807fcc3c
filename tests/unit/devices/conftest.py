"""Tests here run with JAX's second CPU device as GPU; those of `tests/gpu` are the same on a real one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.devices.standing_in import Crossings, a_gpu_in_place, counted


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crossings]:
    """`/GPU:0` exists; what crosses is counted."""
    with a_gpu_in_place():
        yield counted(monkeypatch)
