"""Scores in plain Python, as metrics: an area under a curve of each batch, and BLEU averaged by `metrics.mean`."""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import inlay as tf

DRAW = np.random.default_rng(1)
TRUE = DRAW.integers(0, 2, 64).astype(np.float32)
SCORES = (0.3 * TRUE + DRAW.uniform(size=64)).astype(np.float32)
BATCHES = [slice(0, 24), slice(24, 48), slice(48, 64)]
LABELS = DRAW.integers(1, 9, (6, 12))
OUTPUTS = np.where(DRAW.uniform(size=LABELS.shape) < 0.75, LABELS, 9)


def roc_auc(y_true: Any, y_score: Any) -> float:
    """How many pairs of a positive and a negative are in order: what scikit-learn's `roc_auc_score` gives."""
    truth, score = np.asarray(y_true), np.asarray(y_score)
    pairs = score[truth == 1][:, None] - score[truth == 0]
    return float((pairs > 0).mean() + 0.5 * (pairs == 0).mean())


def ngrams(words: Sequence[int], most: int) -> collections.Counter[tuple[int, ...]]:
    return collections.Counter(
        tuple(words[i : i + size]) for size in range(1, most + 1) for i in range(len(words) - size + 1)
    )


def compute_bleu(references: Any, translations: Any, most: int = 4) -> np.float32:
    """BLEU of a corpus (Papineni and others, 2002): the geometric mean of precisions of n-grams, less for brevity."""
    matches, possible = [0] * most, [0] * most
    for reference, translation in zip(references.tolist(), translations.tolist(), strict=True):
        found = ngrams(translation, most)
        for gram, count in (ngrams(reference, most) & found).items():
            matches[len(gram) - 1] += count
        for gram, count in found.items():
            possible[len(gram) - 1] += count
    mean = math.exp(sum(math.log(m / p) for m, p in zip(matches, possible, strict=True)) / most)
    ratio = translations.size / references.size
    return np.float32(mean * min(1.0, math.exp(1 - 1 / ratio)))


def auroc(y_true: Any, y_pred: Any) -> Any:
    """The metric as programs give it to Keras."""
    return tf.py_function(roc_auc, (y_true, y_pred), tf.double)


def evaluated_eagerly(y_true: Any, y_pred: Any) -> Any:
    return auroc(tf.constant(y_true), tf.constant(y_pred))


@tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
def evaluated_in_a_function(y_true: Any, y_pred: Any) -> Any:
    return auroc(y_true, y_pred)


def evaluated_in_a_session(y_true: Any, y_pred: Any) -> Any:
    with tf.Graph().as_default(), tf.Session() as session:
        truth, score = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        return session.run(auroc(truth, score), {truth: y_true, score: y_pred})


@pytest.mark.parametrize("evaluate", [evaluated_eagerly, evaluated_in_a_function, evaluated_in_a_session])
def test_an_area_under_a_curve_is_that_of_plain_python(evaluate: Any) -> None:
    for part in BATCHES:
        found = np.asarray(evaluate(TRUE[part], SCORES[part]))
        assert found.dtype == np.float64 and 0.5 < found < 1
        assert found == roc_auc(TRUE[part], SCORES[part])


def test_a_metric_is_averaged_over_the_batches_of_a_dataset() -> None:
    data = tf.data.Dataset.from_tensor_slices((TRUE, SCORES)).batch(24)
    found = [float(evaluated_in_a_function(truth, score)) for truth, score in data]
    assert found == [roc_auc(TRUE[part], SCORES[part]) for part in BATCHES]


@pytest.mark.parametrize("stateful", [True, False])
def test_the_streaming_mean_of_a_score_is_that_of_plain_python(stateful: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        labels, outputs = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
        bleu = tf.py_func(compute_bleu, (labels, outputs), tf.float32, stateful=stateful)
        mean, update = tf.compat.v1.metrics.mean(bleu, tf.constant(1.0))
        session.run(tf.compat.v1.local_variables_initializer())
        parts = [slice(0, 2), slice(2, 5), slice(5, 6)]
        seen = [session.run([bleu, update], {labels: LABELS[p], outputs: OUTPUTS[p]}) for p in parts]
        whole = session.run(mean)
    plain = [compute_bleu(LABELS[p], OUTPUTS[p]) for p in parts]
    assert [score for score, _ in seen] == plain and all(0 < score < 1 for score in plain)
    running = np.cumsum(plain) / [1, 2, 3]
    np.testing.assert_allclose([value for _, value in seen], running, rtol=1e-6)
    assert whole == pytest.approx(running[-1], rel=1e-6)
