"""A variational autoencoder with a `train_step` of its own, on noisy rings."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(11)


class Sampling(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.seeds = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        mean, log_var = inputs
        noise = keras.random.normal(tf.shape(mean), seed=self.seeds)
        return mean + tf.exp(0.5 * log_var) * noise


class VAE(keras.Model):
    def __init__(self, encoder, decoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder, self.decoder = encoder, decoder
        self.total = keras.metrics.Mean(name="total_loss")
        self.reconstruction = keras.metrics.Mean(name="reconstruction_loss")
        self.kl = keras.metrics.Mean(name="kl_loss")

    @property
    def metrics(self):
        return [self.total, self.reconstruction, self.kl]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var, z = self.encoder(data)
            rebuilt = self.decoder(z)
            reconstruction = tf.reduce_mean(tf.reduce_sum(keras.losses.binary_crossentropy(data, rebuilt), axis=(1, 2)))
            kl = -0.5 * (1 + log_var - tf.square(mean) - tf.exp(log_var))
            kl = tf.reduce_mean(tf.reduce_sum(kl, axis=1))
            total = reconstruction + kl
        gradients = tape.gradient(total, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights))
        self.total.update_state(total)
        self.reconstruction.update_state(reconstruction)
        self.kl.update_state(kl)
        return {m.name: m.result() for m in self.metrics}


inputs = keras.Input((8, 8, 1))
x = layers.Conv2D(8, 3, activation="relu", strides=2, padding="same")(inputs)
x = layers.Flatten()(x)
x = layers.Dense(16, activation="relu")(x)
mean, log_var = layers.Dense(2, name="mean")(x), layers.Dense(2, name="log_var")(x)
encoder = keras.Model(inputs, [mean, log_var, Sampling()([mean, log_var])], name="encoder")

latent = keras.Input((2,))
x = layers.Dense(4 * 4 * 8, activation="relu")(latent)
x = layers.Reshape((4, 4, 8))(x)
x = layers.Conv2DTranspose(8, 3, activation="relu", strides=2, padding="same")(x)
decoder = keras.Model(latent, layers.Conv2DTranspose(1, 3, activation="sigmoid", padding="same")(x), name="decoder")

rng = np.random.default_rng(4)
grid = np.hypot(*np.meshgrid(np.arange(8) - 3.5, np.arange(8) - 3.5))
images = np.float32([np.exp(-((grid - r) ** 2)) for r in rng.uniform(0.5, 4, 64)])[..., None]

vae = VAE(encoder, decoder)
vae.compile(optimizer=keras.optimizers.Adam(0.01))
history = vae.fit(images, epochs=5, batch_size=16, shuffle=False, verbose=0).history
for name in ("total_loss", "reconstruction_loss", "kl_loss"):
    print(name, " ".join(f"{value:.4f}" for value in history[name]))
print("decoded", decoder(np.zeros((1, 2), "float32")).shape)
