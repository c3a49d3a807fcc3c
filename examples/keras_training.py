"""Trains a Keras 3 model, on JAX, with images that a Python function draws.

    pip install 'inlay[examples]'
    python examples/keras_training.py [--out FOLDER]

Keras reads datasets by `as_keras_adapter`, in every epoch from the beginning. The exit status is 0 only if the model
recognizes the shapes.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
from checking import check, needs, status
from saving import arguments, save

import inlay as tf

os.environ.setdefault("KERAS_BACKEND", "jax")
with needs("inlay[examples]"):
    import keras

SIZE, BATCH, TRAIN, TEST, EPOCHS = 16, 32, 640, 160, 5
SHAPES = ("disc", "square", "cross")


def draw(kind: Any, x: Any, y: Any, noise: Any) -> Any:
    """A shape at a place, on a noisy ground."""
    rows, columns = np.mgrid[0:SIZE, 0:SIZE]
    across, down = np.abs(columns - x), np.abs(rows - y)
    inside = {
        0: across**2 + down**2 <= 16,
        1: np.maximum(across, down) <= 3,
        2: np.minimum(across, down) <= 1,
    }[int(kind)] & (np.maximum(across, down) <= 4)
    return (inside + noise).astype(np.float32)[..., None]


def pictures(count: int, seed: int) -> Any:
    """Batches of pictures and the number of the shape that is on each."""

    def element(number: Any) -> Any:
        kind = number % len(SHAPES)
        place = tf.random.uniform([2], 4, SIZE - 4, tf.int32, seed=seed)
        noise = 0.25 * tf.random.normal([SIZE, SIZE], seed=seed + 1)
        image = tf.numpy_function(draw, [kind, place[0], place[1], noise], tf.float32, stateful=False)
        image.set_shape([SIZE, SIZE, 1])
        return image, tf.cast(kind, tf.int32)

    numbers = tf.data.Dataset.range(count).shuffle(count, seed=seed)
    return numbers.map(element, num_parallel_calls=tf.data.AUTOTUNE).batch(BATCH).prefetch(tf.data.AUTOTUNE)


def main() -> int:
    options = arguments(__doc__)
    keras.utils.set_random_seed(5)
    train, test = pictures(TRAIN, 1), pictures(TEST, 100)
    image, label = train.element_spec
    check(f"batches of {image.shape}", image.shape[1:] == [SIZE, SIZE, 1] and label.dtype == tf.int32)
    model = keras.Sequential(
        [
            keras.layers.Input([SIZE, SIZE, 1]),
            keras.layers.Conv2D(16, 5, activation="relu"),
            keras.layers.GlobalMaxPooling2D(),
            keras.layers.Dense(len(SHAPES)),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(0.02),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(train.as_keras_adapter(), epochs=EPOCHS, verbose=0).history
    for epoch, (loss, share) in enumerate(zip(history["loss"], history["accuracy"], strict=True)):
        print(f"  epoch {epoch}: loss {loss:.3f}, right {share:.1%}")
    check("the loss fell", history["loss"][-1] < history["loss"][0] / 2)
    loss, share = model.evaluate(test.as_keras_adapter(), verbose=0)
    check(f"of pictures it has not seen it recognizes {share:.1%}", share > 0.85)
    images, labels = next(test.as_numpy_iterator())
    guessed = model.predict(images, verbose=0).argmax(-1)
    check(f"the first is a {SHAPES[guessed[0]]}", (guessed == labels).mean() > 0.8)
    columns = {"epoch": range(EPOCHS), "loss": history["loss"], "right": history["accuracy"]}
    save(options.out, "keras_training", columns)
    return status()


if __name__ == "__main__":
    sys.exit(main())
