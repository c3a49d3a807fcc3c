"""Datasets whose elements are datasets: specs of arrays of them, what takes the arrays apart, and what refuses them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused


def _pair(tf: Any) -> Any:
    return [tf.data.Dataset.range(3), tf.data.Dataset.range(5, 7)]


def _flat(dataset: Any) -> Any:
    return [int(element) for element in dataset.flat_map(lambda numbers: numbers)]


def lists_of_datasets(tf: Any) -> Any:
    make = tf.data.Dataset
    named = make.from_tensor_slices({"a": _pair(tf), "b": [1, 2]})
    return [
        repr(make.from_tensors(_pair(tf)).element_spec),
        repr(make.from_tensors({"a": (_pair(tf), 1)}).element_spec),
        repr(make.from_tensors([d.batch(n) for n, d in enumerate(_pair(tf), 2)]).element_spec),
        repr(make.from_tensors(_pair(tf)).concatenate(make.from_tensors(_pair(tf)[:1])).element_spec),
        repr(named.element_spec),
        [([int(x) for x in element["a"]], element["b"]) for element in named],
        _flat(make.from_tensors(_pair(tf)).flat_map(make.from_tensor_slices)),
        _flat(make.from_tensors(_pair(tf)).unbatch()),
    ]


def batches_of_datasets(tf: Any) -> Any:
    windows = tf.data.Dataset.range(7).window(3)
    twice = windows.batch(2).batch(1, drop_remainder=True)
    made = tf.data.Dataset.range(5).map(lambda x: {"a": [tf.data.Dataset.range(x), tf.data.Dataset.range(2)], "b": x})
    return [
        repr(windows.batch(2).element_spec),
        repr(windows.ragged_batch(2).element_spec),
        repr(windows.batch(2).rebatch(3).element_spec),
        repr(twice.element_spec),
        repr(twice.unbatch().element_spec),
        int(windows.batch(2).cardinality()),
        _flat(windows.batch(2).rebatch(3).unbatch()),
        _flat(twice.unbatch().cache().repeat(2).unbatch()),
        repr(made.batch(2).element_spec),
        _flat(made.batch(2).unbatch().flat_map(lambda d: tf.data.Dataset.from_tensor_slices(d["a"]))),
    ]


def arrays_of_datasets_in_functions(tf: Any) -> Any:
    @tf.function
    def total(datasets: Any) -> Any:
        return tf.data.Dataset.from_tensor_slices(datasets).reduce(
            np.int64(0), lambda before, numbers: before + numbers.reduce(np.int64(0), lambda a, b: a + b)
        )

    return total(next(iter(tf.data.Dataset.from_tensors(_pair(tf)))))


def datasets_without_rows(tf: Any) -> Any:
    make = tf.data.Dataset
    calls = (
        lambda: make.from_tensor_slices(tuple(_pair(tf))),
        lambda: make.from_tensor_slices(make.range(3)),
        lambda: make.range(4).window(2).unbatch(),
        lambda: make.range(4).window(2).batch(2).unbatch().unbatch(),
        lambda: make.from_tensors([make.range(3), make.range(3).batch(2)]),
        lambda: make.from_tensors(_pair(tf)).as_numpy_iterator(),
    )
    return [refused(lambda call=call: repr(call())) for call in calls]
