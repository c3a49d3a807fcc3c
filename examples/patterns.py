"""Patterns of two substances that react and spread: a loop of a graph calls SciPy's Laplacian thousands of times.

python examples/patterns.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from drawing import blend, save_image
from saving import arguments

import inlay as tf

with needs("inlay[scipy]"):
    from scipy import ndimage

ROWS, COLUMNS, STEPS = 120, 192, 4000
FEED, KILL = 0.037, 0.06


def laplacian(field: Any) -> Any:
    """Of each cell the difference to its neighbors, on a plane without edges."""
    return ndimage.laplace(field, mode="wrap")


@tf.function
def simulate(u: Any, v: Any) -> tuple[Any, Any]:
    for _ in tf.range(STEPS):
        spread_u = tf.numpy_function(laplacian, [u], tf.float32, output_shapes=[ROWS, COLUMNS])
        spread_v = tf.numpy_function(laplacian, [v], tf.float32, output_shapes=[ROWS, COLUMNS])
        reaction = u * v * v
        u += 0.16 * spread_u - reaction + FEED * (1 - u)
        v += 0.08 * spread_v + reaction - (FEED + KILL) * v
    return u, v


def main() -> int:
    options = arguments(__doc__)
    u, v = np.ones((ROWS, COLUMNS), np.float32), np.zeros((ROWS, COLUMNS), np.float32)
    for row, column in np.random.default_rng(5).integers([8, 8], [ROWS - 8, COLUMNS - 8], (14, 2)):
        u[row - 4 : row + 4, column - 4 : column + 4] = 0.5
        v[row - 4 : row + 4, column - 4 : column + 4] = 0.25
    u, v = (value.numpy() for value in simulate(tf.constant(u), tf.constant(v)))
    covered = np.mean(v > 0.15)
    check(f"the pattern covers {covered:.0%} of the plane", 0.25 < covered < 0.75)
    check("nothing is negative or infinite", np.isfinite(u).all() and v.min() >= 0)
    smooth = ndimage.zoom(v, 2.5, order=1, mode="grid-wrap")
    share = np.clip(smooth / 0.36, 0, 1)
    save_image(options.out, "patterns", blend(share, "#fff6e9", "#f3b575", "#b3530f", "#4b1f3f", "#160d26"), 32)
    return status()


if __name__ == "__main__":
    sys.exit(main())
