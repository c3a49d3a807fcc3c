"""Trains a small network with JAX on a dataset whose Python functions run in other processes.

Run it with `python examples/jax_training.py`; it needs the extra `inlay[jax]`. The loop is the one that optax's users
write, with plain gradient descent in the place of an optimizer.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import inlay as tf

EPOCHS, BATCH, COUNT = 6, 64, 2_000


def spiral(number: Any) -> tuple[Any, Any]:
    """A point of one of two spirals, and which: pure Python, as the data of many projects is made."""
    arm = int(number) % 2
    turn = 0.5 + 2.5 * (int(number) // 2) / (COUNT / 2)
    angle = turn * 2.0 + arm * np.pi
    return np.array([turn * np.cos(angle), turn * np.sin(angle)], np.float32), np.int64(arm)


def points() -> Any:
    """The dataset: in random order, with noise, in batches, made while the last batch is trained on."""

    def element(number: Any) -> Any:
        point, arm = tf.numpy_function(spiral, [number], [tf.float32, tf.int64], stateful=False)
        noisy = tf.ensure_shape(point, [2]) + 0.05 * tf.random.normal([2], seed=3)
        return noisy, tf.cast(tf.ensure_shape(arm, []), tf.int32)

    numbers = tf.data.Dataset.range(COUNT).shuffle(COUNT, seed=1)
    made = numbers.map(element, num_parallel_calls=2, executor="processes")
    return made.batch(BATCH, drop_remainder=True).prefetch(2)


def start(sizes: list[int]) -> Any:
    """Weights and biases."""
    random = np.random.default_rng(0)
    return [
        (jnp.asarray(random.normal(0, (2 / n) ** 0.5, (n, m)), jnp.float32), jnp.zeros(m))
        for n, m in zip(sizes, sizes[1:], strict=False)
    ]


def loss(weights: Any, x: Any, arm: Any) -> Any:
    """The cross entropy, and how many are right."""
    for w, b in weights[:-1]:
        x = jax.nn.relu(x @ w + b)
    logits = jax.nn.log_softmax(x @ weights[-1][0] + weights[-1][1])
    return -jnp.take_along_axis(logits, arm[:, None], 1).mean(), (logits.argmax(1) == arm).mean()


@jax.jit
def step(weights: Any, x: Any, arm: Any) -> Any:
    """One step down."""
    (value, right), slopes = jax.value_and_grad(loss, has_aux=True)(weights, x, arm)
    return jax.tree.map(lambda w, g: w - 0.2 * g, weights, slopes), value, right


def main() -> float:
    """Trains, prints every epoch, and returns the share of points that the last one got right."""
    weights, dataset, share = start([2, 64, 64, 2]), points(), 0.0
    for epoch in range(EPOCHS):
        seen = []
        for x, arm in dataset.as_jax_iterator():
            weights, value, right = step(weights, x, arm)
            seen.append((float(value), float(right)))
        mean, share = np.mean(seen, axis=0)
        print(f"epoch {epoch}: loss {mean:.3f}, right {share:.1%}")
    return share


if __name__ == "__main__":
    main()
