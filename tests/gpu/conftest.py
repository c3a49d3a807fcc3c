"""Tests here need a GPU: they are those of `tests/unit/devices`, with the real one."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest

from tests.unit.devices.standing_in import Crossings, counted


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Crossings]:
    """`/GPU:0` exists; what crosses is counted. Products of matrices are those of float32, not TF32."""
    with jax.default_matmul_precision("highest"):
        yield counted(monkeypatch)
