"""Metrics as programs have them: BLEU, ROUGE, areas and errors computed by host functions, averaged by `tf.metrics`."""

from __future__ import annotations

import collections
import functools
import math
from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows

_LABELS = np.array([[3, 5, 7, 9, 2, 1, 0, 0], [4, 4, 6, 8, 3, 2, 1, 0], [5, 6, 5, 6, 5, 1, 0, 0]])
_OUTPUTS = np.array([[3, 5, 7, 8, 2, 1, 0, 0], [4, 6, 8, 3, 3, 2, 1, 0], [6, 5, 6, 5, 6, 5, 1, 0]])
_TRUE = np.float32([0, 1, 1, 0, 1, 0, 1, 1])
_SCORES = np.float32([0.1, 0.8, 0.35, 0.4, 0.9, 0.2, 0.6, 0.55])


def _ngrams(segment: Any, max_order: int) -> collections.Counter[Any]:
    counts: collections.Counter[Any] = collections.Counter()
    for order in range(1, max_order + 1):
        for i in range(len(segment) - order + 1):
            counts[tuple(segment[i : i + order])] += 1
    return counts


def _compute_bleu(references: Any, translations: Any, max_order: int = 4, use_bp: bool = True) -> Any:
    reference_length = translation_length = 0
    matches, possible = [0] * max_order, [0] * max_order
    for reference, translation in zip(references, translations, strict=True):
        reference_length += len(reference)
        translation_length += len(translation)
        ref, out = (_ngrams(list(v), max_order) for v in (reference, translation))
        for ngram, count in (ref & out).items():
            matches[len(ngram) - 1] += count
        for ngram, count in out.items():
            possible[len(ngram) - 1] += count
    precisions, smooth = [0.0] * max_order, 1.0
    for i in range(max_order):
        if matches[i] > 0:
            precisions[i] = matches[i] / possible[i]
        elif possible[i] > 0:
            smooth *= 2
            precisions[i] = 1.0 / (smooth * possible[i])
    mean = math.exp(sum(math.log(p) for p in precisions if p) / max_order)
    ratio = translation_length / reference_length
    return np.float32(mean * (math.exp(1 - 1.0 / ratio) if use_bp and ratio < 1.0 else 1.0))


def _longest_common(a: Any, b: Any) -> int:
    table = np.zeros([len(a) + 1, len(b) + 1], int)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1, j + 1] = table[i, j] + 1 if x == y else max(table[i, j + 1], table[i + 1, j])
    return int(table[-1, -1])


def _rouge_l(outputs: Any, labels: Any) -> Any:
    scores = []
    for out, label in zip(outputs, labels, strict=True):
        common = _longest_common(out, label)
        precision, recall = common / len(out), common / len(label)
        beta = precision / (recall + 1e-12)
        denominator = recall + beta**2 * precision
        scores.append((1 + beta**2) * recall * precision / (denominator + 1e-12))
    return np.mean(scores, dtype=np.float32)


def _rouge_n(outputs: Any, labels: Any, n: int = 2) -> Any:
    scores = []
    for out, label in zip(outputs, labels, strict=True):
        a, b = ({tuple(v[i : i + n]) for i in range(len(v) - n + 1)} for v in (out, label))
        precision, recall = (len(a & b) / len(s) if s else 0.0 for s in (a, b))
        scores.append(2.0 * (precision * recall / (precision + recall + 1e-8)))
    return np.mean(scores, dtype=np.float32)


def _bleu_score(tf: Any, predictions: Any, labels: Any, **unused: Any) -> Any:
    outputs = tf.to_int32(tf.argmax(predictions, axis=-1))
    outputs, labels = tf.squeeze(outputs, axis=[-1, -2]), tf.squeeze(labels, axis=[-1, -2])
    return tf.py_func(_compute_bleu, (labels, outputs), tf.float32), tf.constant(1.0)


def _rouge_2(tf: Any, predictions: Any, labels: Any, **unused: Any) -> Any:
    outputs = tf.squeeze(tf.to_int32(tf.argmax(predictions, axis=-1)), axis=[-1, -2])
    return tf.py_func(_rouge_n, (outputs, tf.squeeze(labels, axis=[-1, -2])), tf.float32), tf.constant(1.0)


def _rouge_longest(tf: Any, predictions: Any, labels: Any, **unused: Any) -> Any:
    outputs = tf.squeeze(tf.to_int32(tf.argmax(predictions, axis=-1)), axis=[-1, -2])
    return tf.py_func(_rouge_l, (outputs, tf.squeeze(labels, axis=[-1, -2])), tf.float32), tf.constant(1.0)


def _padded_accuracy(tf: Any, predictions: Any, labels: Any, weights_fn: Any) -> Any:
    with tf.variable_scope("padded_accuracy", values=[predictions, labels]):
        weights = weights_fn(labels)
        outputs = tf.to_int32(tf.argmax(predictions, axis=-1))
        return tf.to_float(tf.equal(outputs, tf.to_int32(labels))), weights


def _sequence_accuracy(tf: Any, predictions: Any, labels: Any, weights_fn: Any) -> Any:
    with tf.variable_scope("padded_sequence_accuracy", values=[predictions, labels]):
        weights = weights_fn(labels)
        wrong = tf.to_float(tf.not_equal(tf.to_int32(tf.argmax(predictions, axis=-1)), tf.to_int32(labels))) * weights
        axis = list(range(1, len(wrong.get_shape())))
        return 1.0 - tf.minimum(1.0, tf.reduce_sum(wrong, axis=axis)), tf.constant(1.0)


def _nonzero(tf: Any, labels: Any) -> Any:
    return tf.to_float(tf.not_equal(labels, 0))


def metrics_of_a_translation(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        logits = tf.placeholder(tf.float32, [None, None, 1, 1, 10])
        labels = tf.placeholder(tf.int32, [None, None, 1, 1])
        weights_fn = functools.partial(_nonzero, tf)
        functions = {
            "approx_bleu_score": _bleu_score, "rouge_2_fscore": _rouge_2, "rouge_L_fscore": _rouge_longest,
            "accuracy": _padded_accuracy, "accuracy_per_sequence": _sequence_accuracy,
        }  # fmt: skip
        eval_metrics = {}
        for name, function in sorted(functions.items()):
            with tf.name_scope(f"metrics_{name}"):
                scores, weights = function(tf, logits, labels, weights_fn=weights_fn)
                eval_metrics[f"metrics/{name}"] = tf.metrics.mean(scores, weights)
        updates = {k: update for k, (_, update) in eval_metrics.items()}
        values = {k: value for k, (value, _) in eval_metrics.items()}
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            seen = []
            for start, stop in ((0, 2), (2, 3), (0, 3)):
                feed = {
                    logits: np.eye(10, dtype=np.float32)[_OUTPUTS[start:stop]][:, :, None, None],
                    labels: _LABELS[start:stop, :, None, None],
                }
                seen.append([sess.run(updates, feed_dict=feed), sess.run(values)])
            sess.run(tf.local_variables_initializer())
            fresh = sess.run(values)
        names = sorted(v.name for v in tf.local_variables())
        return [seen, fresh, names, tf.global_variables(), _compute_bleu(_LABELS, _OUTPUTS)]


@rows("mean", "weighted", "collections", "broadcast", "scoped", "refused")
def the_streaming_mean(tf: Any, what: str) -> Any:
    with first_behaviour(tf) as tf, tf.Session() as sess:
        values = tf.placeholder(tf.float32, [None, 2])
        weights = tf.placeholder(tf.float32, None)
        if what == "refused":
            return refused(lambda: tf.metrics.mean(values, tf.ones([3, 2, 2])))
        arguments: dict[str, Any] = {}
        if what in ("weighted", "broadcast"):
            arguments["weights"] = weights if what == "weighted" else tf.constant([[1.0], [0.0]])
        if what == "collections":
            arguments.update(metrics_collections=["values"], updates_collections="updates", name="average")
        with tf.variable_scope("outer") if what == "scoped" else tf.name_scope("plain"):
            value, update = tf.metrics.mean(values, **arguments)
        sess.run(tf.local_variables_initializer())
        found = [sess.run(value)]
        for batch in ([[1, 2], [3, 5]], [[4, 4], [8, 2.5]]):
            found += [sess.run(update, {values: batch, weights: [[1.0, 0.5], [0.0, 2.0]]}), sess.run(value)]
        kept = [tf.get_collection("values") == [value], tf.get_collection("updates") == [update]]
        names = [v.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)]
        return [found, kept, names, value.name, update.name, value.shape, update.shape]


def counted_metrics(tf: Any) -> Any:
    with first_behaviour(tf) as tf, tf.Session() as sess:
        labels, predictions = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
        found = {
            "accuracy": tf.metrics.accuracy(labels, predictions),
            "weighted": tf.metrics.accuracy(labels, predictions, weights=tf.to_float(labels)),
            "precision": tf.metrics.precision(labels, predictions),
            "recall": tf.metrics.recall(labels, predictions),
            "tp": tf.metrics.true_positives(labels, predictions),
            "fp": tf.metrics.false_positives(labels, predictions),
            "tn": tf.metrics.true_negatives(labels, predictions, weights=2.0),
            "fn": tf.metrics.false_negatives(labels, predictions),
            "below": tf.metrics.percentage_below(predictions, 1),
            "relative": tf.metrics.mean_relative_error(
                tf.to_float(labels), tf.to_float(predictions), normalizer=tf.to_float(labels) * 2.0
            ),
            "classes": tf.metrics.mean_per_class_accuracy(labels, predictions, num_classes=3),
            "each": tf.metrics.mean_tensor(tf.stack([tf.reduce_sum(labels), tf.reduce_max(predictions)]), [1.0, 0.5]),
            "cosine": tf.metrics.mean_cosine_distance(
                tf.nn.l2_normalize(tf.to_float([labels]), 1), tf.nn.l2_normalize(tf.to_float([predictions]), 1), dim=1
            ),
            "mse": tf.metrics.mean_squared_error(tf.to_float(labels), tf.to_float(predictions) * 0.5),
            "mae": tf.metrics.mean_absolute_error(tf.to_float(labels), tf.to_float(predictions) * 0.5),
            "rmse": tf.metrics.root_mean_squared_error(tf.to_float(labels), tf.to_float(predictions) * 0.5),
        }
        refusals = [
            refused(lambda: tf.metrics.accuracy(tf.zeros([2]), tf.zeros([3]))),
            refused(lambda: tf.metrics.mean_squared_error(tf.zeros([2]), tf.zeros([2]), weights=tf.zeros([3]))),
        ]
        sess.run(tf.local_variables_initializer())
        seen = []
        for a, b in (([1, 0, 1, 1], [1, 1, 0, 1]), ([0, 0, 1], [0, 1, 1])):
            seen.append(sess.run({k: u for k, (_, u) in found.items()}, {labels: a, predictions: b}))
        return [seen, sess.run({k: v for k, (v, _) in found.items()}), refusals]


def metrics_are_for_graphs(tf: Any) -> Any:
    return [refused(lambda: tf.compat.v1.metrics.mean([1.0])), refused(lambda: tf.compat.v1.metrics.recall([1], [1]))]


def _roc_auc(y_true: Any, y_score: Any) -> float:
    """What scikit-learn's function gives: a Python float, from arrays or from what turns into arrays."""
    y_true, y_score = np.asarray(y_true), np.asarray(y_score)
    positive, negative = y_score[y_true == 1], y_score[y_true == 0]
    wins = (positive[:, None] > negative).sum() + 0.5 * (positive[:, None] == negative).sum()
    return float(wins / (len(positive) * len(negative)))


@rows("py_func", "py_function", "numpy_function")
def an_area_under_a_curve(tf: Any, kind: str) -> Any:
    def auroc(y_true: Any, y_pred: Any) -> Any:
        if kind == "py_func":
            return tf.compat.v1.py_func(_roc_auc, (y_true, y_pred), tf.double)
        return getattr(tf, kind)(_roc_auc, (y_true, y_pred), tf.double)

    @tf.function
    def evaluate(y_true: Any, logits: Any) -> Any:
        area = auroc(y_true, tf.sigmoid(logits))
        area.set_shape([])
        return area, tf.cast(area, tf.float32) * 2.0

    with first_behaviour(tf) as v1, v1.Session() as sess:
        t, p = v1.placeholder(v1.float32, [None]), v1.placeholder(v1.float32, [None])
        area = auroc(t, p)
        mean, update = v1.metrics.mean(area)
        sess.run(v1.local_variables_initializer())
        in_graph = [sess.run([area, update], {t: _TRUE[:k], p: _SCORES[:k]}) for k in (8, 5)] + [sess.run(mean)]
    eager = tf.cast(auroc(tf.constant(_TRUE), tf.constant(_SCORES)), tf.float32)  # eager numpy_function: see deviations
    traced = evaluate(tf.constant(_TRUE), tf.constant(_SCORES) * 4 - 2)
    return [eager, traced, in_graph, area.dtype.name]


_METHODS = ("trapezoidal", "careful_interpolation", "minoring", "majoring")


@rows(*[(curve, method) for curve in ("ROC", "PR") for method in _METHODS])
def streaming_areas(tf: Any, row: Any) -> Any:
    curve, method = row
    with first_behaviour(tf) as tf, tf.Session() as sess:
        t, p = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        found = [
            tf.metrics.auc(t, p, curve=curve, summation_method=method),
            tf.metrics.auc(t, p, weights=t + 0.5, num_thresholds=5, curve=curve, summation_method=method, name="w"),
            tf.metrics.auc(
                t, p, curve=curve, summation_method=method, thresholds=[0.7, 0.3], metrics_collections=["a"]
            ),
        ]
        sess.run(tf.local_variables_initializer())
        seen = [sess.run([u for _, u in found], {t: _TRUE[:k], p: _SCORES[:k]}) for k in (8, 5, 1)]
        names = [v.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)]
        return [seen, sess.run([v for v, _ in found]), names, len(tf.get_collection("a")), [v.name for v, _ in found]]


def metrics_at_thresholds(tf: Any) -> Any:
    with first_behaviour(tf) as tf, tf.Session() as sess:
        t, p = tf.placeholder(tf.bool, [None, 1]), tf.placeholder(tf.float32, [None])
        at = [0.2, 0.5, 0.9]
        found = {
            name: getattr(tf.metrics, f"{name}_at_thresholds")(t, p, at, weights=tf.constant(2.0))
            for name in (
                "true_positives",
                "true_negatives",
                "false_positives",
                "false_negatives",
                "precision",
                "recall",
            )
        }
        found["sensitivity"] = tf.metrics.sensitivity_at_specificity(t, p, 0.7)
        found["specificity"] = tf.metrics.specificity_at_sensitivity(t, p, 0.7, num_thresholds=20, weights=p)
        sess.run(tf.local_variables_initializer())
        updates, values = {k: u for k, (_, u) in found.items()}, {k: v for k, (v, _) in found.items()}
        seen = [sess.run(updates, {t: _TRUE[:k, None] > 0, p: _SCORES[:k]}) for k in (8, 3)]
        names = sorted(v.name for v in tf.local_variables())
        wrong = refused(lambda: sess.run(updates["recall"], {t: [[True]], p: [1.5]}))
        refusals = [
            wrong,
            refused(lambda: tf.metrics.auc(t, p, curve="other")),
            refused(lambda: tf.metrics.auc(t, p, summation_method="other")),
            refused(lambda: tf.metrics.sensitivity_at_specificity(t, p, 1.5)),
            refused(lambda: tf.metrics.recall_at_thresholds(tf.zeros([3]), tf.zeros([2]), at)),
        ]
        return [seen, sess.run(values), names, refusals]


_RANKED = np.float32([[0.1, 0.4, 0.3, 0.2], [0.5, 0.1, 0.3, 0.1], [0.2, 0.2, 0.1, 0.5]])


@rows("dense", "single", "sparse", "weighted", "class", "named")
def metrics_of_rankings(tf: Any, what: str) -> Any:
    with first_behaviour(tf) as tf, tf.Session() as sess:
        scores = tf.placeholder(tf.float32, [None, 4])
        labels: Any = tf.constant([[1, 3], [2, 7], [0, 0]], tf.int64)
        if what == "single":
            labels = tf.constant([1, 2, 0], tf.int64)
        elif what == "sparse":
            labels = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 0], tf.int64), [3, 2])
        options: dict[str, Any] = {"weights": tf.constant([1.0, 0.5, 0.0])} if what == "weighted" else {}
        if what == "named":
            options = {"name": "mine", "updates_collections": ["updates"]}
        found = {
            "average": tf.metrics.average_precision_at_k(labels, scores, 3, **options),
            "older": tf.metrics.sparse_average_precision_at_k(labels, scores, 2, **options),
        }
        if what == "class":
            options = {"class_id": 1}
        found["precision"] = tf.metrics.precision_at_k(labels, scores, 2, **options)
        found["recall"] = tf.metrics.recall_at_k(labels, scores, 2, **options)
        best = tf.nn.top_k(scores, 1)[1]
        found["best precision"] = tf.metrics.precision_at_top_k(labels, best, **options)
        found["best recall"] = tf.metrics.recall_at_top_k(labels, best, 1, **options)
        sess.run(tf.local_variables_initializer())
        updates, values = {k: u for k, (_, u) in found.items()}, {k: v for k, (v, _) in found.items()}
        seen = [sess.run(updates, {scores: s}) for s in (_RANKED, _RANKED[::-1])]
        return [seen, sess.run(values), [v.name for v in tf.local_variables()], len(tf.get_collection("updates"))]


@rows("intersection", "union", "difference", "b without a", "size")
def sets_of_tensors(tf: Any, what: str) -> Any:
    a, b = tf.constant([[1, 2, 2], [3, 4, 9]]), tf.constant([[2, 5], [4, 3]])
    words = tf.constant([["x", "y"], ["z", "x"]])
    sa = tf.sparse.from_dense([[1, 2, 3], [0, 4, 9]])
    sb = tf.sparse.from_dense([[2, 0, 7], [0, 4, 0]])
    if what == "size":
        return [tf.sets.size(sa), tf.sets.size(tf.sets.union(a, b)), refused(lambda: tf.sets.size(a))]
    options = {"aminusb": False} if what == "b without a" else {}
    call = getattr(tf.sets, "difference" if what == "b without a" else what)
    found = []
    for one, other in ((a, b), (a, sb), (sa, b), (sa, sb), (words, tf.constant([["y", "q"], ["x", "x"]]))):
        result = call(one, other, **options)
        found.append([result.indices, result.values, result.dense_shape])
    refusals = [
        refused(lambda: call(a, tf.constant([1.0]))),
        refused(lambda: call(tf.constant([[1.0]]), tf.constant([[1.0]]))),
        refused(lambda: call(a, tf.constant([[1]]))),
        refused(lambda: call(sa, tf.SparseTensor([[1, 0], [0, 0]], tf.constant([1, 2]), [2, 3]))),
    ]

    @tf.function
    def traced(x: Any, y: Any) -> Any:
        result = call(x, y, **options)
        return result.indices, result.values, result.dense_shape

    inside = traced.get_concrete_function(a, b)
    return [found, refusals, traced(a, b), [o.shape for o in inside.outputs]]


def segmentation_scores_of_a_confusion_matrix(tf: Any) -> Any:
    """Pixels that are ignored are gathered away before the host function sees them."""
    truth, seen = np.random.RandomState(2).randint(0, 4, [2, 2, 5, 5, 1])

    def confusion(a: Any, b: Any, classes: Any) -> Any:
        return np.bincount(a * classes + b, minlength=classes**2).reshape(classes, classes)

    with first_behaviour(tf) as tf, tf.Session() as sess:
        raw_gt, raw_pred = tf.constant(truth, tf.uint8), tf.constant(seen)
        gt, pred = tf.reshape(raw_gt, [-1]), tf.reshape(raw_pred, [-1])
        indices = tf.squeeze(tf.where(tf.less_equal(gt, 3 - 1)), 1)
        gt = tf.cast(tf.gather(gt, indices), tf.int32)
        pred = tf.minimum(tf.cast(tf.gather(pred, indices), tf.int32), 2)
        matrix = tf.py_func(confusion, [gt, pred, 3], tf.int64)
        matrix.set_shape([3, 3])
        m = tf.to_float(matrix)
        diagonal = tf.diag_part(m)
        union = tf.reduce_sum(m, 0) + tf.reduce_sum(m, 1) - diagonal
        iou = tf.div(diagonal, tf.where(tf.greater(union, 0), union, tf.ones_like(union)))
        same = tf.reduce_all(tf.equal(matrix, tf.confusion_matrix(gt, pred, 3, dtype=tf.int64)))
        mean_iou, update = tf.metrics.mean_iou(gt, pred, num_classes=3)
        sess.run(tf.local_variables_initializer())
        twice = [sess.run(update), sess.run(update)]
        return [*sess.run([matrix, iou, tf.reduce_mean(iou), same, mean_iou]), twice, indices.shape, iou.shape]
