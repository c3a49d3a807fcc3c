"""A generative adversarial network with a `train_step` of its own: numbers near a line."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(13)

discriminator = keras.Sequential(
    [keras.Input((2,)), layers.Dense(16), layers.LeakyReLU(negative_slope=0.2), layers.Dense(1)], name="discriminator"
)
generator = keras.Sequential(
    [keras.Input((4,)), layers.Dense(16), layers.LeakyReLU(negative_slope=0.2), layers.Dense(2)], name="generator"
)


class GAN(keras.Model):
    def __init__(self, discriminator, generator, latent_dim):
        super().__init__()
        self.discriminator, self.generator, self.latent_dim = discriminator, generator, latent_dim
        self.seed_generator = keras.random.SeedGenerator(42)
        self.d_loss_metric = keras.metrics.Mean(name="d_loss")
        self.g_loss_metric = keras.metrics.Mean(name="g_loss")

    def compile(self, d_optimizer, g_optimizer, loss_fn):
        super().compile()
        self.d_optimizer, self.g_optimizer, self.loss_fn = d_optimizer, g_optimizer, loss_fn

    @property
    def metrics(self):
        return [self.d_loss_metric, self.g_loss_metric]

    def train_step(self, real):
        batch_size = tf.shape(real)[0]
        noise = keras.random.normal((batch_size, self.latent_dim), seed=self.seed_generator)
        combined = tf.concat([self.generator(noise), real], axis=0)
        labels = tf.concat([tf.ones((batch_size, 1)), tf.zeros((batch_size, 1))], axis=0)
        labels += 0.05 * keras.random.uniform(tf.shape(labels), seed=self.seed_generator)
        with tf.GradientTape() as tape:
            d_loss = self.loss_fn(labels, self.discriminator(combined))
        grads = tape.gradient(d_loss, self.discriminator.trainable_weights)
        self.d_optimizer.apply_gradients(zip(grads, self.discriminator.trainable_weights))

        noise = keras.random.normal((batch_size, self.latent_dim), seed=self.seed_generator)
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(tf.zeros((batch_size, 1)), self.discriminator(self.generator(noise)))
        grads = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(grads, self.generator.trainable_weights))
        self.d_loss_metric.update_state(d_loss)
        self.g_loss_metric.update_state(g_loss)
        return {"d_loss": self.d_loss_metric.result(), "g_loss": self.g_loss_metric.result()}


rng = np.random.default_rng(6)
line = rng.uniform(-1, 1, (128, 1))
real = np.float32(np.concatenate([line, 2 * line + 0.5], 1) + rng.normal(0, 0.05, (128, 2)))
dataset = tf.data.Dataset.from_tensor_slices(real).batch(32)

gan = GAN(discriminator, generator, latent_dim=4)
gan.compile(
    d_optimizer=keras.optimizers.Adam(learning_rate=0.003),
    g_optimizer=keras.optimizers.Adam(learning_rate=0.003),
    loss_fn=keras.losses.BinaryCrossentropy(from_logits=True),
)
history = gan.fit(dataset, epochs=4, verbose=0).history
print("d_loss", " ".join(f"{value:.4f}" for value in history["d_loss"]))
print("g_loss", " ".join(f"{value:.4f}" for value in history["g_loss"]))
print("made", generator(tf.zeros((3, 4))).shape.as_list())
