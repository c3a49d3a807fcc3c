"""Callbacks: TensorBoard, checkpoints, a schedule, logs in a CSV file, and one of its own."""

import csv
import os
import tempfile

import numpy as np
from tensorflow import keras

keras.utils.set_random_seed(29)
rng = np.random.default_rng(14)
x = np.float32(rng.normal(size=(80, 5)))
y = np.float32(x @ np.arange(1, 6, dtype="float32")[:, None] + 0.1 * rng.normal(size=(80, 1)))


class Report(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.batches = 0

    def on_train_batch_end(self, batch, logs=None):
        self.batches += 1

    def on_epoch_end(self, epoch, logs=None):
        print(f"epoch {epoch}: {self.batches} batches, loss {logs['loss']:.4f}, val_loss {logs['val_loss']:.4f}")


model = keras.Sequential([keras.Input((5,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(0.05), loss="mse")
with tempfile.TemporaryDirectory() as folder:
    report = Report()
    history = model.fit(
        x,
        y,
        epochs=4,
        batch_size=20,
        shuffle=False,
        validation_split=0.25,
        verbose=0,
        callbacks=[
            report,
            keras.callbacks.TensorBoard(os.path.join(folder, "logs"), histogram_freq=1),
            keras.callbacks.ModelCheckpoint(
                os.path.join(folder, "best.keras"), monitor="val_loss", save_best_only=True
            ),
            keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
            keras.callbacks.ReduceLROnPlateau(patience=1),
            keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
            keras.callbacks.TerminateOnNaN(),
        ],
    )
    with open(os.path.join(folder, "log.csv")) as file:
        rows = list(csv.DictReader(file))
    print("csv", len(rows), sorted(rows[0]))
    for part in ("train", "validation"):
        files = os.listdir(os.path.join(folder, "logs", part))
        print(part, sum(name.startswith("events.out.tfevents") for name in files) > 0)
    best = keras.models.load_model(os.path.join(folder, "best.keras"))
    print("best", f"{best.evaluate(x[60:], y[60:], verbose=0):.4f}", f"{min(history.history['val_loss']):.4f}")
print("rate", f"{float(model.optimizer.learning_rate):.5f}")
