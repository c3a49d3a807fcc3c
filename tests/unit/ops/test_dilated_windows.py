"""`nn.pool`, against windows written out."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import inlay as tf

X = -np.arange(2 * 7 * 9 * 2, dtype=np.float32).reshape(2, 7, 9, 2) - 1


def pooled(x: np.ndarray, window: Any, kind: str, steps: Any, rates: Any) -> np.ndarray:
    """Without a margin."""
    sides = [(n - (w - 1) * r - 1) // s + 1 for n, w, s, r in zip(x.shape[1:], window, steps, rates, strict=False)]
    out = np.empty((x.shape[0], *sides, x.shape[-1]), x.dtype)
    for at in itertools.product(*map(range, sides)):
        places = [range(a * s, a * s + (w - 1) * r + 1, r) for a, s, w, r in zip(at, steps, window, rates, strict=True)]
        elements = x[np.ix_(range(x.shape[0]), *places, range(x.shape[-1]))]
        axes = tuple(range(1, x.ndim - 1))
        out[:, *at] = elements.max(axes) if kind == "MAX" else elements.mean(axes)
    return out


@pytest.mark.parametrize("kind", ["MAX", "AVG"])
@pytest.mark.parametrize(
    ("window", "steps", "rates"), [([2, 3], [1, 2], [1, 1]), ([2, 3], [1, 1], [2, 3]), ([3, 2], [1, 1], [1, 2])]
)
def test_windows_of_elements_that_lie_apart(kind: str, window: Any, steps: Any, rates: Any) -> None:
    want = pooled(X, window, kind, steps, rates)
    np.testing.assert_allclose(tf.nn.pool(X, window, kind, steps, dilations=rates), want)
    np.testing.assert_allclose(tf.compat.v1.nn.pool(X, window, kind, "VALID", rates, steps), want)
    for data, wanted in ((X[:, 0], pooled(X[:, 0], [2], kind, [1], [3])),):
        np.testing.assert_allclose(tf.nn.pool(data, [2], kind, dilations=[3]), wanted)
    if max(rates) > 1:
        first = tf.nn.pool(X.transpose(0, 3, 1, 2), window, kind, data_format="NCHW", dilations=rates)
        np.testing.assert_allclose(first, want.transpose(0, 3, 1, 2))


def test_a_margin_as_of_other_pooling() -> None:
    np.testing.assert_array_equal(
        tf.nn.pool(X, [2, 3], "AVG", [2, 2], "SAME"), tf.nn.avg_pool2d(X, [2, 3], [2, 2], "SAME")
    )


def test_its_gradient() -> None:
    theoretical, numerical = tf.test.compute_gradient(
        lambda x: tf.nn.pool(x, [2], "AVG", dilations=[2]), [X[:1, 0, :5]]
    )
    np.testing.assert_allclose(theoretical[0], numerical[0], atol=1e-3)


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.nn.pool(X, [2], "AVG")),
        (ValueError, lambda: tf.nn.pool(X, [2, 2], "SUM")),
        (ValueError, lambda: tf.nn.pool(X, [2, 2], "MAX", [0, 1])),
        (ValueError, lambda: tf.nn.pool(X, [2, 2], "MAX", [3, 1])),
        (ValueError, lambda: tf.nn.pool(X, [2, 2], "MAX", [2, 2], dilations=[2, 1])),
        (ValueError, lambda: tf.nn.pool(X, [2, 2], "MAX", padding="SAME", dilations=[2, 1])),
        (TypeError, lambda: tf.nn.pool(X, [2, 2], "MAX", 1)),
    ],
)
def test_it_is_refused(error: type[Exception], call: Any) -> None:
    """The classes are those of TensorFlow 2.21."""
    with pytest.raises(error):
        call()
