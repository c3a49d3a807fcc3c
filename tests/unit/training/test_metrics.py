"""Names of streaming metrics, which checkpoints and `local_variables()` of 1.x programs see. Values: tests/recorded."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf
from inlay.compat import v1 as tf1


@pytest.mark.parametrize("kind", ["accuracy", "mean_absolute_error", "mean_squared_error", "root_mean_squared_error"])
def test_variables_and_results_are_called_after_the_metric(kind: str) -> None:
    with tf.Graph().as_default():
        labels, found = tf.constant([0.0, 1.0]), tf.constant([0.5, 1.0])
        made: list[Any] = [getattr(tf1.metrics, kind)(labels, found), getattr(tf1.metrics, kind)(labels, found)]
        names = [v.name for v in tf1.local_variables()]
    assert names == [f"{kind}{n}/{part}:0" for n in ("", "_1") for part in ("total", "count")]
    if kind != "root_mean_squared_error":
        assert [t.name for t in made[1]] == [f"{kind}_1/value:0", f"{kind}_1/update_op:0"]


def test_a_metric_is_refused_while_executing_eagerly() -> None:
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        tf1.metrics.accuracy(tf.constant([1]), tf.constant([1]))


def test_the_best_f1_score_is_that_of_tensorflows_counts_at_thresholds() -> None:
    batches = [
        ([1, 0, 1, 1, 0, 0], [0.9, 0.2, 0.65, 0.4, 0.35, 0.1], [1.0, 2.0, 1.0, 0.5, 1.0, 1.0]),
        ([0, 1, 1, 0, 1, 0], [0.3, 0.8, 0.55, 0.6, 0.7, 0.05], [1.0, 1.0, 2.0, 1.0, 1.0, 3.0]),
    ]
    with tf.Graph().as_default(), tf1.Session() as sess:
        inputs = [tf1.placeholder(tf.float32, [6]) for _ in range(3)]
        value, update = tf.contrib.metrics.f1_score(*inputs, num_thresholds=11)
        sess.run(tf1.local_variables_initializer())
        updates = [sess.run(update, dict(zip(inputs, batch, strict=True))) for batch in batches]
        assert updates == pytest.approx([0.8888888955116272, 0.8888888359069824], rel=1e-6)  # by TensorFlow 2.21
        assert sess.run(value) == updates[-1]
    assert value.op.name == "f1/value"
