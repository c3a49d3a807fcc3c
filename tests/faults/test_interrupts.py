"""Ctrl-C at the places of `interrupts`: at some of each case, at all with `--exhaustive`."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.faults import interrupts

STEP, STEPS = 11, {"a future of processes": 13, "a wave of calls on processes that last": 151}
"""The distance of the places that are tried; a call that lasts takes seconds to end in a worker."""


def check(case: str, first: int, step: int) -> None:
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.interrupts", case, str(first), str(step)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), root])},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[-1]) > 0


@pytest.mark.parametrize("case", interrupts.CASES)
def test_an_interrupt_leaves_nobody_waiting(case: str) -> None:
    step = STEPS.get(case, STEP)
    check(case, 1 + zlib.crc32(case.encode()) % step, step)


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", interrupts.CASES)
def test_an_interrupt_at_any_place_leaves_nobody_waiting(case: str) -> None:
    check(case, 1, 1)
