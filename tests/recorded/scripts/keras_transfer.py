"""Weights of a trained model taken over through `.h5` files: a frozen base below a new head."""

import os
import tempfile

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(23)
rng = np.random.default_rng(12)
x = np.float32(rng.normal(size=(64, 6)))
y = np.float32(x[:, :1] * x[:, 1:2])


def base():
    return keras.Sequential(
        [
            keras.Input((6,)),
            layers.Dense(12, activation="relu", name="a"),
            layers.Dense(6, activation="tanh", name="b"),
        ],
        name="base",
    )


first = keras.Sequential([base(), layers.Dense(1, name="head")])
first.compile("adam", "mse")
print(
    "first",
    " ".join(f"{v:.4f}" for v in first.fit(x, y, epochs=3, batch_size=16, shuffle=False, verbose=0).history["loss"]),
)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "base.weights.h5")
    first.layers[0].save_weights(path)
    again = base()
    again.load_weights(path)
    whole = os.path.join(folder, "whole.h5")
    first.save(whole)
    loaded = keras.models.load_model(whole, compile=False)
    print("same", np.allclose(loaded.predict(x, verbose=0), first.predict(x, verbose=0), atol=1e-6))

again.trainable = False
second = keras.Sequential([again, layers.Dropout(0.1), layers.Dense(2, name="new_head")])
second.compile(keras.optimizers.Adam(0.02), "mae")
before = [w.copy() for w in again.get_weights()]
history = second.fit(x, np.concatenate([y, -y], 1), epochs=3, batch_size=16, shuffle=False, verbose=0)
print("second", " ".join(f"{v:.4f}" for v in history.history["loss"]))
print("frozen", all(np.array_equal(a, b) for a, b in zip(before, again.get_weights())))
print("trainable", len(second.trainable_weights), "of", len(second.weights))
