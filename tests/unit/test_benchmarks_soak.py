"""One hundredth of `make soak`: no wrong value, no hang, memory flat."""

from __future__ import annotations

import pytest

from benchmarks import soak


@pytest.mark.slow
@pytest.mark.parametrize("part", soak.PARTS)
def test_one_hundredth_of_the_soak(part: str) -> None:
    entry = soak.run(part, scale=0.01)
    assert not entry["faults"]
    assert entry["done"] == entry["asked"] == soak.COUNTS[part] // 100


def test_the_soak_fits_in_thirty_minutes() -> None:
    assert sum(soak.SECONDS.values()) <= 30 * 60
