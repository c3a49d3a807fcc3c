"""The thresholds of sampling and of datasets: one changes time and memory, never a value."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING

Dataset = tf.data.Dataset


def shuffled() -> Any:
    return [int(x) for x in Dataset.range(200).shuffle(20, seed=3)]


def mapped() -> Any:
    dataset = Dataset.range(60).map(lambda x: tf.cast(x, tf.float32) * 0.1 + 3.0).batch(7)
    return [x.tolist() for x in dataset.as_numpy_iterator()]


def mapped_in_parallel() -> Any:
    return [int(x) for x in Dataset.range(100).map(lambda x: x * x, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)]


def candidates() -> Any:
    tf.random.set_seed(5)
    sampled, _, expected = tf.random.uniform_candidate_sampler([[0]], 1, 80, True, 100, seed=3)
    return sampled.numpy().tolist(), expected.numpy().tolist()


def queue() -> Any:
    with tf.Graph().as_default():
        numbers = tf.compat.v1.RandomShuffleQueue(200, 0, tf.int32, [[]], seed=3)
        put, take = numbers.enqueue_many([np.arange(150)]), numbers.dequeue_many(150)
        with tf.compat.v1.Session() as session:
            session.run(put)
            return session.run(take).tolist()


@pytest.mark.parametrize(
    ("values", "fields"),
    [
        (shuffled, {"word_least_blocks": 1, "word_blocks": 1}),
        (mapped, {"stacked_numbers": 0}),
        (mapped_in_parallel, {"thread_element_seconds": 0.0, "trial_elements": 1, "trial_warm_elements": 0}),
        (mapped_in_parallel, {"gathering_seconds": 0.0, "producer_linger_seconds": 0.0, "waiting_share": 1.0}),
        (candidates, {"candidate_draws": 1}),
        (queue, {"queue_word_blocks": 1}),
    ],
    ids=lambda part: part.__name__ if callable(part) else "-".join(part),
)
def test_a_threshold_changes_no_value(values: Any, fields: dict[str, Any], monkeypatch: Any) -> None:
    before = values()
    for name, value in fields.items():
        monkeypatch.setattr(TUNING, name, value)
    assert values() == before


def test_every_threshold_is_described() -> None:
    described = inspect.getdoc(TUNING) or ""
    assert [name for name in type(TUNING).__annotations__ if f"\n  {name}: " not in described] == []
