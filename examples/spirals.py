"""A program of TensorFlow 1: a session trains two layers on batches that a Python function draws from two spirals.

python examples/spirals.py [--out FOLDER]
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from drawing import HEIGHT, WIDTH, blend, save_image
from saving import arguments

import inlay.compat.v1 as tf

STEPS, BATCH = 1500, 128
RANDOM = np.random.default_rng(0)


def batch() -> tuple[Any, Any]:
    """Points on two spirals, and the spiral of each."""
    label = RANDOM.integers(0, 2, BATCH)
    turn = RANDOM.uniform(0.6, 3.2 * np.pi, BATCH)
    angle = turn + label * np.pi
    points = np.stack([turn * np.cos(angle), turn * np.sin(angle)], 1) / 10 + RANDOM.normal(0, 0.015, (BATCH, 2))
    return points.astype(np.float32), label.astype(np.int32)


def layer(x: Any, name: str, size: int) -> Any:
    weights = tf.get_variable(f"{name}/weights", [x.shape[1], size])
    return tf.matmul(x, weights) + tf.get_variable(f"{name}/bias", [size], initializer=tf.zeros_initializer())


def logits(x: Any) -> Any:
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        waves = tf.concat([tf.sin(4 * layer(x, "first", 32)), x], 1)
        return layer(tf.nn.relu(layer(waves, "second", 32)), "third", 2)


def main() -> int:
    options = arguments(__doc__)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        points, labels = tf.numpy_function(batch, [], [tf.float32, tf.int32], output_shapes=[[BATCH, 2], [BATCH]])
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits(points))
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        plane = tf.placeholder(tf.float32, [None, 2])
        chance = tf.nn.softmax(logits(plane))[:, 1]
        sess.run(tf.global_variables_initializer())
        losses = [sess.run([train, loss])[1] for _ in range(STEPS)]
        x, y = np.meshgrid(np.linspace(-1.6, 1.6, WIDTH), np.linspace(1, -1, HEIGHT))
        field = sess.run(chance, {plane: np.stack([x.ravel(), y.ravel()], 1)}).reshape(HEIGHT, WIDTH)
        drawn = [batch() for _ in range(2)]
        tested = [np.mean((sess.run(chance, {plane: p}) > 0.5) == label) for p, label in drawn]
    check(f"the loss falls from {losses[0]:.2f} to {losses[-1]:.3f}", losses[-1] < 0.15)
    check(f"{np.mean(tested):.1%} of new points are on the right side", np.mean(tested) > 0.95)
    image = blend(field, "#1b62a8", "#d5e6f5", "#fdebd8", "#d9661f")
    for points, labels in drawn:
        for (px, py), label in zip(points, labels, strict=True):
            inside = np.hypot(x - px, y - py)
            image[inside < 0.026] = (255, 255, 255)
            image[inside < 0.018] = (12, 50, 92) if label == 0 else (140, 47, 14)
    save_image(options.out, "spirals", image, 64)
    return status()


if __name__ == "__main__":
    sys.exit(main())
