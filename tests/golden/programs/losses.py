"""Losses of 1.x with weights and reductions, moving averages, cross entropies."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_LOSSES = (
    "absolute_difference", "mean_squared_error", "huber_loss", "hinge_loss", "log_loss", "sigmoid_cross_entropy",
)  # fmt: skip


def _both(tf: Any) -> Any:
    return tf.constant([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]), tf.constant([[0.2, 0.9, 0.4], [0.7, 0.1, 0.6]])


@rows(*_LOSSES)
def weighted_losses(tf: Any, name: str) -> Any:
    loss, (labels, predictions) = getattr(tf.compat.v1.losses, name), _both(tf)
    weights = [1.0, 2.5, [[2.0], [0.0]], [[1.0, 0.0, 3.0]], [[1.0, 0.0, 3.0], [0.0, 0.0, 2.0]], [[0.0]]]
    return [loss(labels, predictions, w) for w in weights]


@rows("none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights")
def reductions(tf: Any, how: str) -> Any:
    labels, predictions = _both(tf)
    losses = tf.compat.v1.losses
    return [
        losses.mean_squared_error(labels, predictions, [[2.0], [0.0]], reduction=how),
        losses.softmax_cross_entropy(labels, predictions, [3.0, 1.0], reduction=how),
        losses.compute_weighted_loss(tf.constant([3, 4, 6], tf.int32), 0.5, reduction=how),
    ]


def losses_of_classes(tf: Any) -> Any:
    labels, logits = _both(tf)
    losses = tf.compat.v1.losses
    return [
        losses.softmax_cross_entropy(labels, logits, label_smoothing=0.2),
        losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.2),
        losses.sparse_softmax_cross_entropy([2, 0], logits), losses.sparse_softmax_cross_entropy([[2], [0]], logits),
        losses.sparse_softmax_cross_entropy([[2], [0]], logits, [[1.0], [3.0]]),
        losses.cosine_distance(labels, logits, axis=1), losses.cosine_distance(labels, logits, dim=0, weights=2.0),
        losses.mean_pairwise_squared_error(labels, logits, [[1.0], [1.0]]),
        losses.mean_pairwise_squared_error(labels, logits, [[0.5], [0.0]]),
    ]  # fmt: skip


def what_the_graph_keeps(tf: Any) -> Any:
    losses = tf.compat.v1.losses
    with session(tf) as s:
        labels, predictions = _both(tf)
        one = losses.absolute_difference(labels, predictions, scope="here")
        two = losses.log_loss(labels, predictions)
        losses.hinge_loss(labels, predictions, loss_collection=None)
        tf.compat.v1.add_to_collection("regularization_losses", tf.constant(10.0))
        kept = [t.name for t in losses.get_losses()], [t.name for t in losses.get_losses("here")]
        total, plain = losses.get_total_loss(), losses.get_total_loss(False, name="plain")
        costs = losses.get_regularization_loss()
        return [kept, one.name, two.op.name, s.run([total, plain, costs]), total.name, plain.name]


@rows([[1.0, 2.0]], [1.0, 2.0, 3.0], None)
def weights_that_do_not_fit(tf: Any, weights: Any) -> Any:
    labels, predictions = _both(tf)
    return refused(lambda: tf.compat.v1.losses.mean_squared_error(labels, predictions, weights))


@rows(2.0, [[1.0], [0.0]], [[1.0, 2.0, 0.0]], [1.0, 2.0])
def weights_whose_shape_is_not_known(tf: Any, fed: Any) -> Any:
    with session(tf) as s:
        labels, predictions = _both(tf)
        weights = tf.compat.v1.placeholder(tf.float32)
        loss = tf.compat.v1.losses.mean_squared_error(labels, predictions, weights)
        try:
            return s.run(loss, {weights: fed})
        except tf.errors.InvalidArgumentError:
            return "does not fit"


@rows(-1, 0, 1)
def cross_entropy_of_labels_of_any_sum(tf: Any, axis: int) -> Any:
    labels = tf.constant(np.arange(24.0).reshape(2, 3, 4) / 10, tf.float32)
    logits = tf.constant(np.cos(np.arange(24.0)).reshape(2, 3, 4), tf.float32)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([labels, logits])
        with tf.GradientTape() as tape:
            tape.watch([labels, logits])
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits, axis)
            total = tf.reduce_sum(loss * loss)
        firsts = tape.gradient(total, [labels, logits])
    return [loss, *firsts, outer.gradient(firsts[1], logits)]


@rows((0.25, None, False), (0.9, 1, False), (0.25, None, True))
def moving_averages(tf: Any, how: Any) -> Any:
    decay, updates, debias = how
    with session(tf) as s:
        v = tf.Variable([1.0, 2.0], name="v")
        t = v * 3.0
        average = tf.train.ExponentialMovingAverage(decay, updates, debias, name="avg")
        before = average.average_name(v), average.average_name(t)
        update = average.apply([v, t])
        s.run(tf.compat.v1.global_variables_initializer())
        found = [s.run([average.average(v), average.average(t)])]
        for value in ([5.0, 6.0], [-1.0, 0.0]):
            s.run(v.assign(value))
            s.run(update)
            found.append(s.run([average.average(v), average.average(t)]))
        return [before, found, sorted(average.variables_to_restore()), average.average(v).name, average.name]


def moving_averages_while_executing_eagerly(tf: Any) -> Any:
    v = tf.Variable(1.0, name="v")
    average = tf.train.ExponentialMovingAverage(0.5)
    average.apply([v])
    v.assign(3.0)
    average.apply([v])
    return [average.average(v).numpy(), average.average_name(v), average.average(tf.Variable(0.0)) is None]


def losses_of_counts(tf: Any) -> Any:
    counts, logs = tf.constant([0.0, 1.0, 3.0, 8.5]), tf.constant([-1.0, 0.3, 1.2, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([counts, logs])
        full = tf.nn.log_poisson_loss(counts, logs, compute_full_loss=True)
        total = tf.reduce_sum(full[1:])
    return [
        tf.nn.log_poisson_loss(counts, logs), full, tape.gradient(total, [counts, logs]),
        refused(lambda: tf.nn.log_poisson_loss(counts, logs[:2])), tf.guarantee_const(logs),
    ]  # fmt: skip


def moments_from_sums(tf: Any) -> Any:
    x = tf.reshape(tf.range(24.0), [2, 3, 4]) ** 1.5
    found = []
    for shift in (None, 10.0):
        sums = tf.nn.sufficient_statistics(x, [0, -1], shift)
        found += [sums[:3], tf.nn.normalize_moments(*sums)]
    traced = tf.function(lambda v: tf.nn.sufficient_statistics(v, [1], keepdims=True)[:3])
    spec = tf.TensorSpec([None, None, 4])
    return [found, traced(x), [o.shape for o in traced.get_concrete_function(spec).outputs],
            tf.compat.v1.nn.sufficient_statistics(x, [0], keep_dims=True)[1].shape]  # fmt: skip


def places_by_axes(tf: Any) -> Any:
    traced = tf.function(lambda v: tf.unravel_index(v, [3, 4])).get_concrete_function(tf.TensorSpec([None], tf.int32))
    return [
        tf.unravel_index([2, 5, 7], [3, 3]), tf.unravel_index(4, [3, 3]),
        tf.unravel_index(tf.constant([22], tf.int64), tf.constant([2, 3, 4], tf.int64)), traced.outputs[0].shape,
        refused(lambda: tf.unravel_index([9], [3, 3])), refused(lambda: tf.unravel_index([[1]], [3, 3])),
        tf.compat.v1.div_no_nan([1.0, 2.0], [0.0, 4.0]),
    ]  # fmt: skip
