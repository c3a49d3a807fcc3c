"""A training loop written out: a tape, an optimizer, metrics, and a layer with a NumPy function and its gradient."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(19)


@tf.custom_gradient
def soft_clip(x):
    y = tf.numpy_function(lambda v: np.float32(v / np.sqrt(1 + v * v)), [x], tf.float32)
    y = tf.ensure_shape(y, x.shape)

    def grad(upstream):
        return upstream * (1 + x * x) ** -1.5

    return y, grad


class SoftClip(layers.Layer):
    def call(self, x):
        return soft_clip(x)


inputs = keras.Input((4,))
x = layers.Dense(8)(inputs)
x = SoftClip()(x)
outputs = layers.Dense(3)(x)
model = keras.Model(inputs, outputs)

optimizer = keras.optimizers.SGD(0.2, momentum=0.9, nesterov=True)
loss_fn = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
accuracy = keras.metrics.SparseCategoricalAccuracy()

rng = np.random.default_rng(10)
x_train = np.float32(rng.normal(size=(96, 4)))
y_train = np.int64(np.argmax(x_train[:, :3] ** 2, 1))
dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(24)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        logits = model(x, training=True)
        loss = loss_fn(y, logits)
    grads = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(grads, model.trainable_weights))
    accuracy.update_state(y, logits)
    return loss


for epoch in range(5):
    losses = [float(train_step(x, y)) for x, y in dataset]
    print(f"epoch {epoch}: loss {np.mean(losses):.5f} accuracy {float(accuracy.result()):.4f}")
    accuracy.reset_state()
print("steps", int(optimizer.iterations))
