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
