"""A replay takes the memory of one call, not of the recording: the suite's version of `benchmarks.replays`."""

from __future__ import annotations

import sys

import pytest

from benchmarks import replays


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of the resident memory from /proc")
def test_a_replay_grows_by_less_than_its_recording() -> None:
    figures = replays.measure(megabytes=40, kilobytes=64)
    assert figures["mb"] > 40
    assert figures["calls"] == 320
    assert figures["grown_mb"] < 20  # 5 MB when it was written
