"""A custom gradient: NumPy draws a disc with hard edges, and `grad=` has gradient descent move it onto a target.

python examples/renderer.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from drawing import blend, save_image
from saving import arguments

import inlay as tf

HEIGHT, WIDTH, STEPS = 148, 158, 120
SHOWN = (0, 6, 12, 18, 26, 120)
ROW, COLUMN = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)


def distance(disc: Any) -> Any:
    """How far each pixel lies outside of the disc's edge; negative inside."""
    row, column, radius = disc
    return np.hypot(ROW - row, COLUMN - column) - radius


def disc(place: Any) -> Any:
    """A picture of a disc, black and white. Its true derivative is zero almost everywhere."""

    def render(place: Any) -> Any:
        return np.float32(distance(place) < 0)

    def gradient(place: Any, picture: Any, d: Any) -> Any:
        """The derivative of a disc with soft edges in its place."""
        return tf.numpy_function(pull, [place, d], tf.float32, output_shapes=[3])

    def pull(place: Any, d: Any) -> Any:
        row, column, _ = place
        edge = d * np.exp(-np.abs(distance(place)) / 6)
        away = np.hypot(ROW - row, COLUMN - column) + 1e-6
        parts = (edge * (ROW - row) / away, edge * (COLUMN - column) / away, edge)
        return np.array([part.sum() for part in parts], np.float32)

    return tf.numpy_function(render, [place], tf.float32, output_shapes=[HEIGHT, WIDTH], grad=gradient)


def main() -> int:
    options = arguments(__doc__)
    goal = tf.constant([92.0, 104.0, 34.0])
    target, place = disc(goal), tf.Variable([58.0, 60.0, 26.0])
    optimizer, frames = tf.compat.v1.train.AdamOptimizer(1.5), []
    for step in range(STEPS + 1):
        with tf.GradientTape() as tape:
            picture = disc(place)
            loss = tf.reduce_mean(tf.square(picture - target))
        if step in SHOWN:
            frames.append(picture.numpy())
        optimizer.apply_gradients([(tape.gradient(loss, place), place)])
    print(f"  the disc is at {place.numpy().round(1)}, its target at {goal.numpy()}")
    check(f"the pictures differ in {float(loss):.1%} of the pixels", float(loss) < 0.01)
    shares = [np.pad(0.35 * target.numpy() + 0.65 * frame, 1, constant_values=1) for frame in frames]
    sheet = np.concatenate([np.concatenate(shares[i : i + 3], axis=1) for i in (0, 3)])
    save_image(options.out, "renderer", blend(sheet, "#0d2138", "#3f6f9f", "#f0984f", "#fff2e3"), 16)
    return status()


if __name__ == "__main__":
    sys.exit(main())
