"""A network that somebody wrote in NumPy, with its backward pass by hand, as an op with a gradient.

    python examples/foreign_network.py [--out FOLDER]

It was trained outside, to tell two half moons apart, and its weights stay where they are. As an op it is attacked
through its gradient, which is given in two ways: `grad=`, and the registered name and override map of TensorFlow 1.
The exit status is 0 only if both agree with finite differences and the attack gets better with its size.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, status
from saving import arguments, save

import inlay as tf

DRAW = np.random.default_rng(0)


class Network:
    """Two layers in NumPy: the score of points for the upper moon."""

    def __init__(self) -> None:
        self.w, self.b = DRAW.normal(size=(2, 32)), DRAW.normal(size=32)
        self.v = np.zeros((32, 1))

    def forward(self, x: Any) -> Any:
        return (np.tanh(x @ self.w + self.b) @ self.v)[:, 0]

    def backward(self, x: Any, slope: Any) -> Any:
        """What reaches the points, of what reaches the scores."""
        hidden = np.tanh(x @ self.w + self.b)
        return ((slope[:, None] @ self.v.T) * (1 - hidden**2)) @ self.w.T

    def train(self, x: Any, upper: Any) -> None:
        for _ in range(500):
            hidden = np.tanh(x @ self.w + self.b)
            off = (1 / (1 + np.exp(-(hidden @ self.v)[:, 0])) - upper)[:, None] / len(x)
            before = (off @ self.v.T) * (1 - hidden**2)
            self.v -= 5 * hidden.T @ off
            self.w, self.b = self.w - 5 * x.T @ before, self.b - 5 * before.sum(0)


def moons(count: int) -> tuple[Any, Any]:
    """Points of two half moons, and 1 for those of the upper one."""
    upper = np.arange(count) % 2
    angle = DRAW.uniform(0, np.pi, count)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1) * np.where(upper, 1, -1)[:, None]
    return x + np.where(upper, 0, 1)[:, None] * [1, 0.4] + DRAW.normal(0, 0.12, x.shape), upper.astype(float)


def with_grad(network: Network, x: Any) -> Any:
    """The scores; `grad=` is told the inputs, the outputs and what reaches them."""

    def gradient(x: Any, scores: Any, slope: Any) -> Any:
        return tf.numpy_function(network.backward, [x, slope], tf.float64, output_shapes=[None, 2])

    return tf.numpy_function(network.forward, [x], tf.float64, output_shapes=[None], grad=gradient)


def with_override(network: Network, x: Any) -> Any:
    """The scores, as programs of TensorFlow 1 have them: a name registered for all graphs, and a map in this one."""

    @tf.RegisterGradient("MoonsGradient")
    def gradient(op: Any, slope: Any) -> Any:
        return tf.py_func(network.backward, [op.inputs[0], slope], tf.float64)

    with tf.get_default_graph().gradient_override_map({"PyFunc": "MoonsGradient"}):
        scores = tf.py_func(network.forward, [x], tf.float64)
    scores.set_shape([None])
    return scores


def wrongness(scores: Any, upper: Any) -> Any:
    return tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=upper, logits=scores))


def attacked(network: Network, x: Any, upper: Any, size: float) -> Any:
    """Each coordinate moved by `size`, to where the network is more wrong: Goodfellow and others, 2015."""
    points = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(points)
        loss = wrongness(with_grad(network, points), tf.constant(upper))
    return points + size * tf.sign(tape.gradient(loss, points))


def main() -> int:
    options = arguments(__doc__)
    network = Network()
    network.train(*moons(400))
    x, upper = moons(200)
    check("the network knows the moons", ((network.forward(x) > 0) == upper).mean() > 0.97)

    with tf.Graph().as_default(), tf.Session() as session:
        points, labels = tf.placeholder(tf.float64, [None, 2]), tf.placeholder(tf.float64, [None])
        ways = [wrongness(way(network, points), labels) for way in (with_grad, with_override)]
        new, old = session.run([tf.gradients(loss, points)[0] for loss in ways], {points: x, labels: upper})
    check("grad= and the override map give the same gradient", np.array_equal(new, old))
    measured = np.zeros_like(x)
    for i in range(2):
        step = np.eye(2)[i] * 1e-5
        loss = [np.logaddexp(0, (1 - 2 * upper) * network.forward(p)) for p in (x + step, x - step)]
        measured[:, i] = (loss[0] - loss[1]) / 2e-5
    check("and it is that of finite differences", np.allclose(new, measured, atol=1e-6))

    sizes = [0.0, 0.05, 0.1, 0.2, 0.3, 0.4]
    moved = [attacked(network, x, upper, size).numpy() for size in sizes]
    right = [float(((network.forward(m) > 0) == upper).mean()) for m in moved]
    for size, share in zip(sizes, right, strict=True):
        print(f"  moved by {size:.2f}: {share:.1%} are told right")
    check("the further the points are moved, the fewer", right == sorted(right, reverse=True) and right[-1] < 0.6)
    check("no coordinate is moved further", all(np.allclose(abs(m - x), s) for m, s in zip(moved, sizes, strict=True)))

    def draw(figure: Any) -> None:
        before, after, curve = figure.subplots(1, 3)
        for place, at in ((before, x), (after, moved[3])):
            place.scatter(*at.T, c=network.forward(at) > 0, s=8)
        curve.plot(sizes, right, "o-")
        curve.set(xlabel="moved by", ylabel="told right")

    save(options.out, "foreign_network", {"moved by": sizes, "told right": right}, draw)
    return status()


if __name__ == "__main__":
    sys.exit(main())
