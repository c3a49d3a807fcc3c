"""Keras 3 on JAX reads datasets: what it trains on one is what it trains on the same arrays. `test_keras` runs it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import inlay as tf

keras = pytest.importorskip("keras")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # theirs

X = (np.arange(92, dtype=np.float32).reshape(23, 4) % 7) / 7
Y = (X.sum(1, keepdims=True) > 1.5).astype(np.float32)
WEIGHTS = np.linspace(0.5, 2.0, 23).astype(np.float32)
Dataset = tf.data.Dataset


def model() -> Any:
    keras.utils.set_random_seed(1)
    net = keras.Sequential([keras.Input([4]), keras.layers.Dense(3, "relu"), keras.layers.Dense(1, "sigmoid")])
    net.compile(keras.optimizers.SGD(0.5), "binary_crossentropy", weighted_metrics=["accuracy"])
    return net


def fit(data: Any, **how: Any) -> dict[str, list[float]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an epoch that ends before its number of steps is known
        return model().fit(data, verbose=0, **{"epochs": 3, **how}).history  # type: ignore[no-any-return]


def on_arrays(*more: Any, **how: Any) -> dict[str, list[float]]:
    return fit(X, y=Y, batch_size=5, shuffle=False, **how)


def close(actual: dict[str, list[float]], expected: dict[str, list[float]]) -> bool:
    return actual.keys() == expected.keys() and all(np.allclose(actual[k], expected[k], rtol=1e-5) for k in actual)


def batches(*parts: Any) -> Any:
    return Dataset.from_tensor_slices(parts).batch(5)


@pytest.mark.parametrize(
    "data",
    [
        lambda: batches(X, Y),
        lambda: batches(X, Y).filter(lambda *_: True),
        lambda: Dataset.from_generator(lambda: iter(batches(X, Y)), (tf.float32, tf.float32), ([None, 4], [None, 1])),
        lambda: batches(X, Y).map(lambda x, y: (x, y), num_parallel_calls=2).prefetch(2),
    ],
    ids=["known length", "unknown length", "generator", "parallel"],
)
def test_every_epoch_reads_the_dataset(data: Any) -> None:
    assert close(fit(data().as_keras_adapter()), on_arrays())


def test_an_endless_dataset_gives_the_steps_that_are_asked_for() -> None:
    actual = fit(batches(X, Y).repeat().as_keras_adapter(), steps_per_epoch=5)
    assert close(actual, on_arrays())


def test_weights_of_rows_and_of_classes_count() -> None:
    weighted = fit(batches(X, Y, WEIGHTS).as_keras_adapter())
    assert close(weighted, on_arrays(sample_weight=WEIGHTS)) and not close(weighted, on_arrays())
    classes = {0: 0.25, 1: 3.0}
    assert close(fit(batches(X, Y).as_keras_adapter(class_weight=classes)), on_arrays(class_weight=classes))
    with pytest.raises(ValueError, match=r"elements \(x, y\)"):
        fit(batches(X, Y, WEIGHTS).as_keras_adapter(class_weight=classes))


def test_validation_evaluation_and_prediction() -> None:
    data = batches(X, Y).as_keras_adapter()
    assert close(fit(data, validation_data=data), on_arrays(validation_data=(X, Y), validation_batch_size=5))
    net = model()
    np.testing.assert_allclose(net.predict(Dataset.from_tensor_slices(X).batch(4).as_keras_adapter(), verbose=0),
                               net.predict(X, verbose=0), rtol=1e-5)  # fmt: skip
    np.testing.assert_allclose(net.evaluate(data, verbose=0), net.evaluate(X, Y, batch_size=5, verbose=0), rtol=1e-5)


def test_named_inputs() -> None:
    def two() -> Any:
        keras.utils.set_random_seed(1)
        ins = {"a": keras.Input([4], name="a"), "b": keras.Input([1], name="b")}
        net = keras.Model(ins, keras.layers.Dense(1)(keras.layers.Concatenate()([ins["a"], ins["b"]])))
        net.compile("sgd", "mse")
        return net

    data = Dataset.from_tensor_slices(({"a": X, "b": Y}, Y)).batch(5).as_keras_adapter()
    expected = two().fit({"a": X, "b": Y}, Y, batch_size=5, shuffle=False, verbose=0).history
    assert close(two().fit(data, verbose=0).history, expected)


def test_a_host_function_feeds_a_model() -> None:
    def halves(x: Any, y: Any) -> Any:
        return tf.ensure_shape(tf.numpy_function(lambda v: v / 2, [x], tf.float32, stateful=False), [None, 4]), y

    doubled = batches(2 * X, Y).map(halves)
    assert close(fit(doubled.as_keras_adapter()), on_arrays())
