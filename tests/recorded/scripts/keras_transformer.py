"""A small transformer that reverses sequences of digits, with layers of its own and a mask."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(7)
LENGTH, VOCABULARY, WIDTH = 6, 11, 16


@keras.utils.register_keras_serializable("example")
class Positions(layers.Layer):
    def __init__(self, length, vocabulary, width, **kwargs):
        super().__init__(**kwargs)
        self.tokens = layers.Embedding(vocabulary, width, mask_zero=True)
        self.places = layers.Embedding(length, width)
        self.length = length

    def call(self, x):
        return self.tokens(x) + self.places(tf.range(self.length))

    def compute_mask(self, inputs, mask=None):
        return self.tokens.compute_mask(inputs)


@keras.utils.register_keras_serializable("example")
class Block(layers.Layer):
    def __init__(self, width, heads, **kwargs):
        super().__init__(**kwargs)
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.dense = keras.Sequential([layers.Dense(2 * width, activation="gelu"), layers.Dense(width)])
        self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
        self.drop = layers.Dropout(0.1)
        self.supports_masking = True

    def call(self, x, training=False):
        x = self.norm1(x + self.drop(self.attention(x, x), training=training))
        return self.norm2(x + self.dense(x))


inputs = keras.Input((LENGTH,), dtype="int32")
x = Positions(LENGTH, VOCABULARY, WIDTH)(inputs)
for _ in range(2):
    x = Block(WIDTH, 4)(x)
outputs = layers.Dense(VOCABULARY)(x)
model = keras.Model(inputs, outputs)
model.compile(
    keras.optimizers.AdamW(keras.optimizers.schedules.CosineDecay(0.01, 60)),
    keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=[keras.metrics.SparseCategoricalAccuracy(name="accuracy")],
)
rng = np.random.default_rng(2)
data = rng.integers(1, VOCABULARY, (256, LENGTH)).astype("int32")
history = model.fit(data, data[:, ::-1], batch_size=32, epochs=6, shuffle=False, verbose=0)
print(" ".join(f"{loss:.4f}" for loss in history.history["loss"]))
print("better" if history.history["loss"][-1] < history.history["loss"][0] / 2 else "worse")
print("weights", len(model.trainable_weights), model.count_params())
