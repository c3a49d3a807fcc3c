"""A small part of `make soak`: no wrong value, no hang, memory flat."""

from __future__ import annotations

import mmap
import subprocess
import sys
import tempfile

import numpy as np
import pytest

from benchmarks import soak, soak_datasets

SHARES = {"stress": 0.003}
"""Where a hundredth is more than it needs to be: tests/faults/test_liveness.py has such programs too."""


MOST_CAUSES = {"calls": 10}
"""Causes in a thousand calls that the suite bears with: rare ones are left, and the soak tells of each."""


@pytest.mark.slow
@pytest.mark.parametrize("part", soak.PARTS)
def test_a_hundredth_of_the_soak_or_less(part: str) -> None:
    share = SHARES.get(part, 0.01)
    entry = soak.run(part, scale=share)
    assert len(entry["faults"]) <= MOST_CAUSES.get(part, 0), entry["faults"]
    assert entry["done"] == entry["asked"] == int(soak.COUNTS[part] * share)


def test_the_soak_fits_in_90_minutes() -> None:
    assert sum(soak.SECONDS.values()) <= 90 * 60


def test_memory_of_several_processes_is_judged_together_and_told_apart() -> None:
    now = {"here": 10.0, "workers": 20.0}
    memory = soak.Memory(100, lambda: dict(now))
    for done, here, workers in [(10, 500.0, 0.0), (25, 30.0, 40.0), (50, 60.0, 30.0), (75, 20.0, 90.0)]:
        now.update(here=here, workers=workers)
        memory.look(done)
    assert memory.figures() == {
        "start_mb": 30.0,
        "warm_mb": 70.0,
        "grown_mb": 40.0,
        "grown": {"here": 30.0, "workers": 50.0},
    }
    judged = soak._judged("images", 10, [{"done": 10, "wrong": 0, **memory.figures()}], [], 1.0)
    assert judged["met"] is True and "at most +40.0 MB (here +30.0, workers +50.0)" in soak.line(judged)
    now.update(here=60.0, workers=61.0)
    memory.look(100)
    judged = soak._judged("images", 10, [{"done": 10, "wrong": 0, **memory.figures()}], [], 1.0)
    assert judged["faults"] == ["memory grew by 51.0 MB after warm-up"]


def test_what_is_resident_is_that_of_this_process_its_workers_and_what_they_share() -> None:
    held = np.ones(4_000_000)
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        before = soak_datasets.sizes()
        file.write(bytes(8_000_000))
        file.flush()
        with (
            mmap.mmap(file.fileno(), 8_000_000),
            subprocess.Popen([sys.executable, "-c", "held = bytes(range(256)) * 80_000; print(1, flush=True); input()"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other,
        ):  # fmt: skip
            assert other.stdin is not None and other.stdout is not None and other.stdout.readline()
            after = soak_datasets.sizes()
            other.stdin.close()
    assert before["here"] > held.nbytes / 1e6
    assert after["workers"] - before["workers"] > 20
    assert 8 <= after["shared"] - before["shared"] < 9


def test_a_wrong_element_is_counted() -> None:
    given = soak_datasets._watched(iter([0, 1, 7, 3]), lambda number: number, 4, 60.0)
    assert (given["done"], given["wrong"]) == (4, 1)
