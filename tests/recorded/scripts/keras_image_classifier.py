"""An image classifier whose augmentation is NumPy in a `tf.py_function`, on striped images of two directions."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(3)
rng = np.random.default_rng(0)


def striped(count):
    images, labels = [], []
    for _ in range(count):
        label = rng.integers(2)
        wave = np.sin(np.arange(12) * rng.uniform(1.0, 2.0) + rng.uniform(0, 3))
        image = np.tile(wave, (12, 1)) if label else np.tile(wave[:, None], (1, 12))
        images.append(image + rng.normal(0, 0.1, (12, 12)))
        labels.append(label)
    return np.float32(images)[..., None], np.int64(labels)


def flip(image):
    return np.flip(image.numpy(), (0, 1)) * np.float32(0.9)


def augment(image, label):
    flipped = tf.py_function(flip, [image], tf.float32)
    flipped.set_shape([12, 12, 1])
    return flipped, label


(x_train, y_train), (x_test, y_test) = striped(96), striped(32)
train = tf.data.Dataset.from_tensor_slices((x_train, y_train)).map(augment).batch(16).prefetch(tf.data.AUTOTUNE)
test = tf.data.Dataset.from_tensor_slices((x_test, y_test)).batch(16)

model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        layers.Conv2D(8, 3, activation="relu"),
        layers.MaxPooling2D(),
        layers.BatchNormalization(),
        layers.Conv2D(8, 3, activation="relu", padding="same"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(2, activation="softmax"),
    ]
)
model.compile(optimizer=keras.optimizers.Adam(0.01), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(train, validation_data=test, epochs=4, verbose=0)
for epoch, (loss, val) in enumerate(zip(history.history["loss"], history.history["val_loss"])):
    print(f"epoch {epoch}: loss {loss:.5f} val_loss {val:.5f}")
loss, accuracy = model.evaluate(test, verbose=0)
print(f"test loss {loss:.5f} accuracy {accuracy:.3f}")
print("parameters", model.count_params())
