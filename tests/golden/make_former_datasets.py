"""Writes graphs with datasets whose nodes nothing makes any more, and the elements of these.

    python -m tests.golden.make_former_datasets

Run at commit 38e00997, the last whose `sample_from_datasets` and `rejection_resample` drew numbers of NumPy's. It is
run at another commit only to add a dataset whose nodes are about to change.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inlay as tf

FILE = Path(__file__).parent / "former_datasets.json"
Data = tf.data.Dataset


def sampled() -> Any:
    return Data.sample_from_datasets([Data.range(6), Data.range(10, 16)], [0.3, 0.7], seed=7)


def sampled_by_datasets() -> Any:
    weights = Data.range(40).map(lambda i: tf.stack([tf.cast(i % 3, tf.float32) + 1.0, 2.0]))
    return Data.sample_from_datasets([Data.range(6), Data.range(10, 16)], weights, seed=8)


def resampled() -> Any:
    classes, shift = [0.1, 0.2, 0.7], tf.constant(1, tf.int64)
    return Data.range(30).rejection_resample(lambda x: tf.cast((x + shift) % 3, tf.int32), classes, [0.3, 0.4, 0.3], 5)


def counted() -> Any:
    return Data.range(30).rejection_resample(lambda x: tf.cast(x % 3, tf.int32), [0.1, 0.2, 0.7], seed=5)


FORMER: dict[str, Callable[[], Any]] = {
    make.__name__: make for make in (sampled, sampled_by_datasets, resampled, counted)
}


def stored(make: Callable[[], Any]) -> dict[str, Any]:
    with tf.Graph().as_default() as graph:
        tensors = tf.nest.flatten(tf.compat.v1.data.make_one_shot_iterator(make()).get_next())
        message = graph.as_graph_def().SerializeToString()
    elements = [[int(part) for part in tf.nest.flatten(element)] for element in make().as_numpy_iterator()]
    return {"graph": base64.b64encode(message).decode(), "names": [t.name for t in tensors], "elements": elements}


if __name__ == "__main__":
    FILE.write_text(json.dumps({name: stored(make) for name, make in FORMER.items()}, indent=1) + "\n")
