"""Short texts classified by what they say, with a `TextVectorization` layer in the model."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(5)
GOOD, BAD = ["great", "lovely", "fine", "superb"], ["awful", "poor", "dull", "bad"]
NEUTRAL = ["the", "film", "was", "rather", "plot", "actors"]
rng = np.random.default_rng(1)


def sentence(label):
    words = list(rng.choice(NEUTRAL, 4)) + list(rng.choice(GOOD if label else BAD, 2))
    rng.shuffle(words)
    return " ".join(words).capitalize() + "!"


labels = rng.integers(2, size=80)
texts = np.array([sentence(label) for label in labels])

vectorize = layers.TextVectorization(max_tokens=50, output_sequence_length=8)
vectorize.adapt(texts)
print("vocabulary", len(vectorize.get_vocabulary()), vectorize.get_vocabulary()[:2])

inputs = keras.Input((), dtype="string")
x = vectorize(inputs)
x = layers.Embedding(50, 8)(x)
x = layers.Dropout(0.2)(x)
x = layers.GlobalAveragePooling1D()(x)
outputs = layers.Dense(1, activation="sigmoid")(x)
model = keras.Model(inputs, outputs)
model.compile(loss="binary_crossentropy", optimizer=keras.optimizers.Adam(0.05), metrics=["accuracy"])
dataset = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(20)
for line in (f"loss {value:.5f}" for value in model.fit(dataset, epochs=5, verbose=0).history["loss"]):
    print(line)
predicted = model.predict(tf.constant(["The plot was superb, lovely", "Dull! dull and poor film"]), verbose=0)
print("good" if predicted[0, 0] > predicted[1, 0] else "bad", predicted.ravel().round(4).tolist())
