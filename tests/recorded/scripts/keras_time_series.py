"""A forecast of a noisy wave by an LSTM, with windows made by Keras."""

import numpy as np
from tensorflow import keras

keras.utils.set_random_seed(17)
steps = np.arange(240)
series = np.float32(np.sin(steps / 7) + 0.1 * np.random.default_rng(8).normal(size=240))
WINDOW = 12


def windows(data):
    return keras.utils.timeseries_dataset_from_array(
        data[:-WINDOW, None], data[WINDOW:], sequence_length=WINDOW, batch_size=32, shuffle=False
    )


train, valid = windows(series[:180]), windows(series[180:])
for x, y in train.take(1):
    print("batch", x.shape, y.shape)

model = keras.Sequential(
    [
        keras.Input((WINDOW, 1)),
        keras.layers.LSTM(12, return_sequences=True),
        keras.layers.GRU(8),
        keras.layers.Dense(1),
    ]
)
model.compile(loss=keras.losses.Huber(), optimizer=keras.optimizers.RMSprop(0.01), metrics=["mae"])
history = model.fit(
    train,
    validation_data=valid,
    epochs=5,
    verbose=0,
    callbacks=[keras.callbacks.EarlyStopping(patience=3, restore_best_weights=True)],
)
for name in ("loss", "val_loss", "mae"):
    print(name, " ".join(f"{value:.4f}" for value in history.history[name]))
forecast = model.predict(series[-WINDOW:].reshape(1, WINDOW, 1), verbose=0)
print("forecast", forecast.shape, f"{forecast[0, 0]:.3f}")
