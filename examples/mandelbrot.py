"""The Mandelbrot set: NumPy computes tiles inside a dataset, and two threads work on them at once.

python examples/mandelbrot.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from drawing import HEIGHT, WIDTH, blend, save_image
from saving import arguments

import inlay as tf

ROWS, LIMIT = 20, 200


def escape(c: Any) -> Any:
    """The smoothed number of iterations of z*z + c until |z| > 16; `LIMIT` inside the set."""
    z, count = np.zeros_like(c), np.full(c.shape, float(LIMIT))
    for step in range(LIMIT):
        z = np.where(count == LIMIT, z * z + c, z)
        size = abs(z)
        left = (size > 16) & (count == LIMIT)
        count[left] = step + 1 - np.log2(np.log(size[left]))
    return count


def main() -> int:
    options = arguments(__doc__)
    x, y = np.linspace(-2.35, 1.05, WIDTH), np.linspace(1.06, -1.06, HEIGHT)
    plane = tf.constant(x + 1j * y[:, None])
    tiles = tf.data.Dataset.from_tensor_slices(plane).batch(ROWS)
    counts = tiles.map(
        lambda c: tf.numpy_function(escape, [c], tf.float64, output_shapes=[None, WIDTH]), num_parallel_calls=2
    )
    image = np.concatenate(list(counts.as_numpy_iterator()))
    inside = np.mean(image == LIMIT) * np.ptp(x) * np.ptp(y)
    check(f"the set has an area of {inside:.2f}, known to be 1.51", abs(inside - 1.51) < 0.05)
    share = np.where(image == LIMIT, 0, (np.maximum(image, 0) / LIMIT) ** 0.35)
    colors = blend(share, "#071a33", "#174f86", "#4aa3df", "#fdf3d8", "#f0984f", "#8c2f0e")
    save_image(options.out, "mandelbrot", np.where((image == LIMIT)[..., None], [7, 12, 22], colors), 48)
    return status()


if __name__ == "__main__":
    sys.exit(main())
