"""Training with `tf.keras`: a perceptron, one whose dataset calls Python, a recurrent network, one for images.

`tf` is TensorFlow or inlay. Data comes from NumPy. The initial weights and dropout come from Keras's seeds, whose
numbers both have. The seconds are those of the best epoch but the first, in which functions are traced.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

EPOCHS = 5


class Epochs(NamedTuple):
    """A training run.

    Attributes:
      losses: of each epoch.
      seconds: of the best epoch but the first.
    """

    losses: list[float]
    seconds: float


def _trained(tf: Any, model: Any, loss: Any, data: dict[str, Any]) -> Epochs:
    seconds: list[float] = []

    class Clock(tf.keras.callbacks.Callback):  # type: ignore[misc]
        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.began = time.perf_counter()

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            seconds.append(time.perf_counter() - self.began)

    model.compile("adam", loss)
    history = model.fit(**data, epochs=EPOCHS, shuffle=False, verbose=0, callbacks=[Clock()])
    return Epochs([float(value) for value in history.history["loss"]], min(seconds[1:]))


def _classes(tf: Any) -> Any:
    return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def perceptron(tf: Any, scale: float) -> Epochs:
    """784 inputs, 128 units, dropout, 10 classes; batches of 32 out of arrays."""
    keras, layers = tf.keras, tf.keras.layers
    keras.utils.set_random_seed(1)
    rand, count = np.random.default_rng(1), max(64, int(6016 * scale))
    x, y = rand.random((count, 784), np.float32), rand.integers(0, 10, count)
    hidden = [layers.Dense(128, activation="relu"), layers.Dropout(0.2)]
    model = keras.Sequential([keras.Input((784,)), *hidden, layers.Dense(10)])
    return _trained(tf, model, _classes(tf), {"x": x, "y": y, "batch_size": 32})


def perceptron_with_python(tf: Any, scale: float) -> Epochs:
    """64 inputs, 64 units, 10 classes; a NumPy function is called for each element of the dataset."""
    keras, layers = tf.keras, tf.keras.layers
    keras.utils.set_random_seed(1)
    rand, count = np.random.default_rng(1), max(64, int(6016 * scale))
    x, y = rand.random((count, 64), np.float32), rand.integers(0, 10, count)

    def doubled(row: Any, label: Any) -> Any:
        return tf.ensure_shape(tf.numpy_function(lambda v: v * np.float32(2), [row], tf.float32), [64]), label

    dataset = tf.data.Dataset.from_tensor_slices((x, y)).map(doubled).batch(32)
    model = keras.Sequential([keras.Input((64,)), layers.Dense(64, activation="relu"), layers.Dense(10)])
    return _trained(tf, model, _classes(tf), {"x": dataset})


def recurrent(tf: Any, scale: float) -> Epochs:
    """20 steps of 16 numbers, an LSTM of 32 units; batches of 32."""
    keras, layers = tf.keras, tf.keras.layers
    keras.utils.set_random_seed(1)
    rand, count = np.random.default_rng(1), max(64, int(1024 * scale))
    x, y = rand.random((count, 20, 16), np.float32), rand.random((count, 1), np.float32)
    model = keras.Sequential([keras.Input((20, 16)), layers.LSTM(32), layers.Dense(1)])
    return _trained(tf, model, "mse", {"x": x, "y": y, "batch_size": 32})


def convolutional(tf: Any, scale: float) -> Epochs:
    """Images of 28 x 28, two convolutions of 32 and 64 channels with pools, dropout; batches of 32."""
    keras, layers = tf.keras, tf.keras.layers
    keras.utils.set_random_seed(1)
    rand, count = np.random.default_rng(1), max(64, int(1024 * scale))
    x, y = rand.random((count, 28, 28, 1), np.float32), rand.integers(0, 10, count)
    convolutions = [
        layer
        for channels in (32, 64)
        for layer in (layers.Conv2D(channels, 3, activation="relu"), layers.MaxPooling2D())
    ]
    head = [layers.Flatten(), layers.Dropout(0.5), layers.Dense(10)]
    model = keras.Sequential([keras.Input((28, 28, 1)), *convolutions, *head])
    return _trained(tf, model, _classes(tf), {"x": x, "y": y, "batch_size": 32})
