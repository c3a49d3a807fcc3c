"""Trains a small network with JAX and optax on a dataset whose Python functions run in other processes.

    pip install 'inlay[examples]'
    python examples/optax_training.py [--out FOLDER]

The points of two spirals are made by a pure Python function, in worker processes, while the last batch is trained on;
`as_jax_iterator` has the next batch on its way to the device meanwhile. The exit status is 0 only if the network tells
the spirals apart.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

with needs("inlay[examples]"):
    import jax
    import jax.numpy as jnp
    import optax

EPOCHS, BATCH, COUNT = 5, 64, 1_600


def spiral(number: Any) -> tuple[Any, Any]:
    """A point of one of two spirals, and which: pure Python, as the data of many projects is made."""
    arm = int(number) % 2
    turn = 0.5 + 2.5 * (int(number) // 2) / (COUNT / 2)
    angle = turn * 2.0 + arm * np.pi
    return np.array([turn * np.cos(angle), turn * np.sin(angle)], np.float32), np.int64(arm)


def points() -> Any:
    """The dataset: in random order, with noise, in batches."""

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
    logits = x @ weights[-1][0] + weights[-1][1]
    return optax.softmax_cross_entropy_with_integer_labels(logits, arm).mean(), (logits.argmax(1) == arm).mean()


def main() -> int:
    """Trains, and prints every epoch."""
    options = arguments(__doc__)
    weights, dataset, optimizer = start([2, 64, 64, 2]), points(), optax.adam(0.01)
    state = optimizer.init(weights)

    @jax.jit
    def step(weights: Any, state: Any, x: Any, arm: Any) -> Any:
        (value, right), slopes = jax.value_and_grad(loss, has_aux=True)(weights, x, arm)
        updates, state = optimizer.update(slopes, state, weights)
        return optax.apply_updates(weights, updates), state, value, right

    losses, shares = [], []
    for epoch in range(EPOCHS):
        seen = []
        for x, arm in dataset.as_jax_iterator():
            weights, state, value, right = step(weights, state, x, arm)
            seen.append((float(value), float(right)))
        for values, value in zip((losses, shares), np.mean(seen, axis=0), strict=True):
            values.append(float(value))
        print(f"  epoch {epoch}: loss {losses[-1]:.3f}, right {shares[-1]:.1%}")
    check("every epoch has every batch, on the device", len(seen) == COUNT // BATCH and isinstance(x, jax.Array))
    check("the loss fell", losses[-1] < losses[0] / 2)
    check("the network tells the spirals apart", shares[-1] > 0.9)
    columns = {"epoch": range(EPOCHS), "loss": losses, "right": shares}
    save(options.out, "optax_training", columns, lambda figure: figure.subplots().plot(shares))
    return status()


if __name__ == "__main__":
    sys.exit(main())
