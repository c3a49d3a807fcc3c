"""A model exported for serving and loaded again, without Keras and as a layer; and a `tf.train.Checkpoint` of one."""

import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

keras.utils.set_random_seed(31)
names = np.array(["red", "green", "blue"])
lookup = layers.StringLookup(vocabulary=names, output_mode="one_hot")
color = keras.Input((1,), dtype="string", name="color")
size = keras.Input((2,), name="size")
x = layers.Concatenate()([lookup(color), size])
x = layers.Dense(6, activation="relu")(x)
model = keras.Model({"color": color, "size": size}, layers.Dense(1, name="price")(x))
model.compile("sgd", "mse")

rng = np.random.default_rng(16)
data = {"color": rng.choice(names, (40, 1)), "size": np.float32(rng.uniform(size=(40, 2)))}
price = np.float32(data["size"].sum(1, keepdims=True) + (data["color"] == "red"))
dataset = tf.data.Dataset.from_tensor_slices((data, price)).batch(10)
print("losses", " ".join(f"{v:.4f}" for v in model.fit(dataset, epochs=3, verbose=0).history["loss"]))
some = {"color": tf.constant([["red"], ["violet"]]), "size": tf.constant([[0.5, 0.25], [1.0, 0.0]])}
expected = model(some).numpy()

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "served")
    model.export(path, verbose=False)
    served = tf.saved_model.load(path)
    print("endpoints", sorted(served.signatures))
    print("serve", np.allclose(served.serve(some).numpy(), expected, atol=1e-6))
    result = served.signatures["serving_default"](**some)
    print("signature", [value.shape.as_list() for value in result.values()])
    layer = layers.TFSMLayer(path, call_endpoint="serve")
    print("layer", np.allclose(layer(some).numpy(), expected, atol=1e-6))

    checkpoint = tf.train.Checkpoint(model=model, optimizer=model.optimizer)
    saved = checkpoint.save(os.path.join(folder, "state"))
    for variable in model.trainable_variables:
        variable.assign(tf.zeros_like(variable))
    print("zeros", float(np.abs(model(some)).max()))
    checkpoint.restore(saved).assert_existing_objects_matched()
    print("restored", np.allclose(model(some).numpy(), expected))
    whole = os.path.join(folder, "model.keras")
    model.save(whole)
    again = keras.models.load_model(whole)
    print("again", np.allclose(again(some).numpy(), expected, atol=1e-6))
