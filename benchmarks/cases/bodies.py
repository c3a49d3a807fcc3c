"""Bodies for executors: functions of one array that any pool can import."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Any

import numpy as np

TURNS = 1500  # of the loop below: about 75 us on the machine that the goals were set on
SIDE = 224


def tiny(x: Any) -> Any:
    """Returns its argument."""
    return x


def pure_python(x: Any) -> Any:
    """Counts in Python, about 75 us; keeps the interpreter."""
    total = 0
    for i in range(TURNS):
        total += i & 3
    return x + x.dtype.type(total & 1)


def image(x: Any) -> Any:
    """A 480x640x3 uint8 image as 224x224x3 float32 between 0 and 1, by bilinear interpolation."""
    rows, columns = (np.linspace(0, n - 1, SIDE, dtype=np.float32) for n in x.shape[:2])
    top, left = rows.astype(np.intp), columns.astype(np.intp)
    down, right = np.minimum(top + 1, x.shape[0] - 1), np.minimum(left + 1, x.shape[1] - 1)
    dy = (rows - top).astype(np.float32)[:, None, None]
    dx = (columns - left).astype(np.float32)[None, :, None]
    upper, lower = x[top].astype(np.float32), x[down].astype(np.float32)
    mixed = upper * (1 - dy) + lower * dy
    return (mixed[:, left] * (1 - dx) + mixed[:, right] * dx) * np.float32(1 / 255)


def _input(name: str) -> Any:
    if name == "image":
        return np.random.default_rng(0).integers(0, 256, (480, 640, 3), np.uint8)
    return np.ones(4, np.float32)


BODIES = {"tiny": tiny, "pure Python": pure_python, "image": image}
INPUTS = {name: _input(name) for name in BODIES}


# ---------------------------------------------------------------- faults


def killed(x: Any) -> Any:
    """Its process is killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return x


def left(x: Any) -> Any:
    """Leaves the process."""
    os._exit(3)


def crashed(x: Any) -> Any:
    """Reads at address 0."""
    return ctypes.string_at(0)


def never(x: Any) -> Any:
    """Does not return for an hour."""
    time.sleep(3600)
    return x


def greedy(x: Any) -> Any:
    """Takes a GB and keeps it."""
    taken = np.ones(1 << 27, np.float64)
    time.sleep(3600)
    return taken
