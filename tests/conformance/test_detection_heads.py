"""The heads of Faster R-CNN: four host functions with 2, 2, 4 and 6 outputs between layers that are trained."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay.compat.v1 as tf

HEIGHT, WIDTH, STRIDE, CLASSES, KEPT = 8, 10, 16, 3, 12
SCALES, RATIOS = (1, 2), (0.5, 1.0, 2.0)
COUNT = len(SCALES) * len(RATIOS)  # anchors at each place
INFO = np.float32([HEIGHT * STRIDE, WIDTH * STRIDE, 1])
TRUTH = np.float32([[10, 12, 40, 50, 1], [60, 20, 130, 90, 2], [33, 60, 60, 118, 1]])
DRAW = np.random.default_rng(7)
SCORES = DRAW.normal(size=(1, HEIGHT, WIDTH, 2 * COUNT)).astype(np.float32)
DELTAS = DRAW.normal(0, 0.2, (1, HEIGHT, WIDTH, 4 * COUNT)).astype(np.float32)
RATE = 0.1


# ---------------------------------------------------------------- the layers, in whole arrays


def generate_anchors(height: Any, width: Any, stride: Any, scales: Any, ratios: Any) -> tuple[Any, Any]:
    sizes = np.array([[stride * s / np.sqrt(r), stride * s * np.sqrt(r)] for r in ratios for s in scales])
    x, y = np.meshgrid(np.arange(width) * stride, np.arange(height) * stride)
    centers = np.stack([x, y], axis=-1).reshape(-1, 1, 2)
    boxes = np.concatenate([centers - sizes / 2, centers + sizes / 2], axis=2).reshape(-1, 4)
    return boxes.astype(np.float32), np.int32(len(boxes))


def overlaps(a: Any, b: Any) -> Any:
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    shared = np.prod(np.maximum(high - low, 0), axis=2)
    areas = [np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1) for boxes in (a, b)]
    return shared / (areas[0][:, None] + areas[1][None] - shared)


def encoded(boxes: Any, truth: Any) -> Any:
    size, wanted = boxes[:, 2:4] - boxes[:, :2], truth[:, 2:4] - truth[:, :2]
    shift = ((truth[:, :2] + truth[:, 2:4]) - (boxes[:, :2] + boxes[:, 2:4])) / 2 / size
    return np.concatenate([shift, np.log(wanted / size)], axis=1).astype(np.float32)


class Proposal:
    """The layer as a bound method, as programs have it; it remembers the mode that it was given."""

    def __init__(self) -> None:
        self.mode: Any = None

    def forward(self, scores: Any, deltas: Any, info: Any, mode: Any, stride: Any, anchors: Any) -> tuple[Any, Any]:
        self.mode = mode
        limit = {"TRAIN": KEPT, "TEST": 5}[mode.decode("utf-8")]
        size, deltas = anchors[:, 2:] - anchors[:, :2], deltas.reshape(-1, 4)
        centers = (anchors[:, :2] + anchors[:, 2:]) / 2 + deltas[:, :2] * size
        half = size * np.exp(np.clip(deltas[:, 2:], -2, 2)) / 2
        boxes = np.clip(np.concatenate([centers - half, centers + half], axis=1), 0, [info[1], info[0]] * 2)
        wide = np.where((boxes[:, 2:] - boxes[:, :2] >= stride).all(axis=1))[0]
        foreground = scores[..., COUNT:].reshape(-1)
        order = wide[np.argsort(-foreground[wide], kind="stable")][:limit]
        rois = np.concatenate([np.zeros((len(order), 1)), boxes[order]], axis=1)
        return rois.astype(np.float32), foreground[order].reshape(-1, 1)


def anchor_target(scores: Any, truth: Any, info: Any, stride: Any, anchors: Any) -> tuple[Any, Any, Any, Any]:
    assert scores.shape[1:3] == (int(info[0]) // stride, int(info[1]) // stride)
    table = overlaps(anchors, truth)
    best = table.max(axis=1)
    labels = np.full(len(anchors), -1, np.float32)
    labels[best < 0.3] = 0
    labels[table.argmax(axis=0)] = 1
    labels[best >= 0.5] = 1
    targets = encoded(anchors, truth[table.argmax(axis=1)])
    inside = np.repeat((labels == 1)[:, None], 4, axis=1).astype(np.float32)
    outside = np.repeat((labels >= 0)[:, None], 4, axis=1).astype(np.float32) / (labels >= 0).sum(dtype=np.float32)
    maps = (m.reshape(1, *scores.shape[1:3], -1) for m in (targets, inside, outside))
    return labels.reshape(1, *scores.shape[1:3], -1), *maps


def proposal_target(rois: Any, scores: Any, truth: Any, classes: Any) -> list[Any]:
    rois = np.concatenate([rois, np.concatenate([np.zeros((len(truth), 1)), truth[:, :4]], axis=1)]).astype(np.float32)
    scores = np.concatenate([scores, np.ones((len(truth), 1), np.float32)])
    table = overlaps(rois[:, 1:], truth)
    assigned = table.argmax(axis=1)
    labels = np.where(table.max(axis=1) >= 0.5, truth[assigned, 4], 0).astype(np.float32)
    deltas = encoded(rois[:, 1:], truth[assigned])
    ours = (np.arange(classes)[None] == labels[:, None]) & (labels[:, None] > 0)
    inside = np.repeat(ours, 4, axis=1).astype(np.float32)
    return [rois, scores, labels[:, None], np.tile(deltas, (1, classes)) * inside, inside, (inside > 0) * np.float32(1)]


# ---------------------------------------------------------------- the same targets, one box at a time


def overlap(a: Any, b: Any) -> float:
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0.0) * max(height, 0.0)
    return float(shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared))


def code(a: Any, b: Any) -> list[float]:
    w, h = a[2] - a[0], a[3] - a[1]
    return [
        ((b[0] + b[2]) / 2 - (a[0] + a[2]) / 2) / w,
        ((b[1] + b[3]) / 2 - (a[1] + a[3]) / 2) / h,
        np.log((b[2] - b[0]) / w),
        np.log((b[3] - b[1]) / h),
    ]


def expected_anchors() -> list[list[float]]:
    found = []
    for row in range(HEIGHT):
        for column in range(WIDTH):
            for ratio in RATIOS:
                for scale in SCALES:
                    w, h = STRIDE * scale / ratio**0.5, STRIDE * scale * ratio**0.5
                    x, y = column * STRIDE, row * STRIDE
                    found.append([x - w / 2, y - h / 2, x + w / 2, y + h / 2])
    return found


def expected_labels(anchors: Any) -> list[int]:
    table = [[overlap(a, b) for b in TRUTH] for a in anchors]
    nearest = {max(range(len(anchors)), key=lambda i, j=j: table[i][j]) for j in range(len(TRUTH))}
    return [1 if i in nearest or max(row) >= 0.5 else 0 if max(row) < 0.3 else -1 for i, row in enumerate(table)]


def expected_classes(rois: Any) -> Iterator[tuple[int, list[float]]]:
    """The class of each roi, 0 for the background, and the code of the box that it is to become."""
    for roi in rois:
        best = max(TRUTH, key=lambda b, roi=roi: overlap(roi[1:], b))
        yield (int(best[4]) if overlap(roi[1:], best) >= 0.5 else 0), code(roi[1:], best)


# ---------------------------------------------------------------- the graph


class Heads:
    """The layers and losses in the default graph."""

    def __init__(self, mode: str = "TRAIN") -> None:
        self.layer = Proposal()
        self.truth = tf.placeholder(tf.float32, [None, 5])
        self.info = tf.placeholder(tf.float32, [3])
        with tf.variable_scope("rpn"):
            # What a convolution would have given, and that only the proposals see.
            self.scores = tf.get_variable("scores", initializer=SCORES)
            self.deltas = tf.get_variable("deltas", initializer=DELTAS)
            self.shift = tf.get_variable("shift", initializer=np.float32(0.01))
        height, width = (tf.to_int32(tf.ceil(self.info[i] / np.float32(STRIDE))) for i in (0, 1))
        self.anchors, length = tf.py_func(
            generate_anchors,
            [height, width, STRIDE, np.array(SCALES), np.array(RATIOS)],
            [tf.float32, tf.int32],
            name="generate_anchors",
        )
        self.anchors.set_shape([None, 4])
        length.set_shape([])
        self.length = length
        self._propose(mode)
        self._targets()
        self._losses()

    def _propose(self, mode: str) -> None:
        prob = tf.nn.softmax(tf.reshape(self.scores, [1, HEIGHT, WIDTH, 2, COUNT]), axis=3)
        self.rois, self.roi_scores = tf.py_func(
            self.layer.forward,
            [tf.reshape(prob, tf.shape(self.scores)), self.deltas + self.shift, self.info, mode, STRIDE, self.anchors],
            [tf.float32, tf.float32],
            name="proposal",
        )
        self.rois.set_shape([None, 5])
        self.roi_scores.set_shape([None, 1])

    def _targets(self) -> None:
        labels, *self.anchor_targets = tf.py_func(
            anchor_target,
            [self.scores, self.truth, self.info, STRIDE, self.anchors],
            [tf.float32] * 4,
            name="anchor_target",
        )
        labels.set_shape([1, None, None, COUNT])
        for each in self.anchor_targets:
            each.set_shape([1, None, None, COUNT * 4])
        self.anchor_labels = tf.to_int32(labels, name="anchor_labels")
        self.all_rois, self.all_scores, labels, *self.roi_targets = tf.py_func(
            proposal_target,
            [self.rois, self.roi_scores, self.truth, CLASSES],
            [tf.float32] * 6,
            name="proposal_target",
        )
        self.all_rois.set_shape([None, 5])
        labels.set_shape([None, 1])
        for each in self.roi_targets:
            each.set_shape([None, CLASSES * 4])
        self.roi_labels = tf.to_int32(labels, name="roi_labels")

    def _losses(self) -> None:
        with tf.variable_scope("head"):
            zeros = tf.zeros_initializer()
            weights = tf.get_variable("weights", [5, 5 * CLASSES], initializer=zeros)
            biases = tf.get_variable("biases", [5 * CLASSES], initializer=zeros)
            seen = tf.stop_gradient(self.all_rois / 100.0)
            classes, boxes = tf.split(tf.nn.xw_plus_b(seen, weights, biases), [CLASSES, 4 * CLASSES], axis=1)
        pairs = tf.transpose(tf.reshape(self.scores, [-1, 2, COUNT]), [0, 2, 1])
        labels = tf.reshape(self.anchor_labels, [-1])
        counted = tf.where(tf.not_equal(labels, -1))
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits
        self.losses = [
            tf.reduce_mean(
                entropy(
                    logits=tf.reshape(tf.gather(tf.reshape(pairs, [-1, 2]), counted), [-1, 2]),
                    labels=tf.reshape(tf.gather(labels, counted), [-1]),
                )
            ),
            smooth_l1(self.deltas, *self.anchor_targets, sigma=3.0, dim=[1, 2, 3]),
            tf.reduce_mean(entropy(logits=classes, labels=tf.reshape(self.roi_labels, [-1]))),
            smooth_l1(boxes, *self.roi_targets, sigma=1.0, dim=[1]),
        ]
        self.loss = tf.add_n(self.losses)

    @property
    def feed(self) -> dict[Any, Any]:
        return {self.truth: TRUTH, self.info: INFO}


def smooth_l1(predicted: Any, targets: Any, inside: Any, outside: Any, sigma: float, dim: list[int]) -> Any:
    off = inside * (predicted - targets)
    size = tf.abs(off)
    near = tf.stop_gradient(tf.to_float(tf.less(size, 1.0 / sigma**2)))
    loss = tf.pow(off, 2) * (sigma**2 / 2.0) * near + (size - 0.5 / sigma**2) * (1.0 - near)
    return tf.reduce_mean(tf.reduce_sum(outside * loss, axis=dim))


@pytest.fixture
def heads() -> Iterator[tuple[Heads, Any]]:
    with tf.Graph().as_default(), tf.Session() as session:
        built = Heads()
        session.run(tf.global_variables_initializer())
        yield built, session


def test_anchors_come_from_a_function_of_their_own(heads: Any) -> None:
    net, session = heads
    anchors, length = session.run([net.anchors, net.length], net.feed)
    assert length == HEIGHT * WIDTH * COUNT == len(anchors)
    np.testing.assert_allclose(anchors, expected_anchors(), rtol=1e-6, atol=1e-4)


def test_proposals_are_the_best_boxes(heads: Any) -> None:
    net, session = heads
    rois, scores = session.run([net.rois, net.roi_scores], net.feed)
    assert net.rois.shape.as_list() == [None, 5]
    assert 0 < len(rois) <= KEPT and rois.shape[1] == 5 and scores.shape == (len(rois), 1)
    assert (rois[:, 0] == 0).all() and (rois[:, 1:] >= 0).all()
    assert (rois[:, [1, 3]] <= INFO[1]).all() and (rois[:, [2, 4]] <= INFO[0]).all()
    assert (np.diff(scores[:, 0]) <= 0).all()


@pytest.mark.parametrize(("mode", "most"), [("TRAIN", KEPT), ("TEST", 5)])
def test_the_mode_arrives_as_bytes(mode: str, most: int) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        net = Heads(mode)
        session.run(tf.global_variables_initializer())
        assert len(session.run(net.rois, net.feed)) == most
        assert net.layer.mode == mode.encode() and type(net.layer.mode) is bytes


def test_targets_of_anchors_are_those_of_a_loop(heads: Any) -> None:
    net, session = heads
    labels, (targets, inside, outside), anchors = session.run(
        [net.anchor_labels, net.anchor_targets, net.anchors], net.feed
    )
    expected = expected_labels(anchors)
    assert labels.dtype == np.int32 and labels.ravel().tolist() == expected
    assert set(expected) == {-1, 0, 1}
    counted = sum(label >= 0 for label in expected)
    for i, label in enumerate(expected):
        place = np.unravel_index(i, (1, HEIGHT, WIDTH, COUNT))
        row = [m.reshape(1, HEIGHT, WIDTH, COUNT, 4)[place] for m in (targets, inside, outside)]
        nearest = max(TRUTH, key=lambda b, i=i: overlap(anchors[i], b))
        if label == 1:
            np.testing.assert_allclose(row[0], code(anchors[i], nearest), rtol=1e-4, atol=1e-5)
        assert row[1].tolist() == [float(label == 1)] * 4
        np.testing.assert_allclose(row[2], [(label >= 0) / counted] * 4, rtol=1e-6)


def test_targets_of_proposals_are_those_of_a_loop(heads: Any) -> None:
    net, session = heads
    rois, labels, (targets, inside, outside) = session.run([net.all_rois, net.roi_labels, net.roi_targets], net.feed)
    assert rois.shape == (KEPT + len(TRUTH), 5) and labels.dtype == np.int32
    expected = list(expected_classes(rois))
    assert labels.ravel().tolist() == [label for label, _ in expected]
    assert {1, 2} <= set(labels.ravel().tolist())  # the true boxes are among the rois
    wanted = np.zeros((len(rois), CLASSES, 4))
    for row, (label, box) in enumerate(expected):
        if label:
            wanted[row, label] = box
    np.testing.assert_allclose(targets, wanted.reshape(len(rois), -1), rtol=1e-4, atol=1e-5)
    marked = np.repeat([[label == c and label > 0 for c in range(CLASSES)] for label, _ in expected], 4, axis=1)
    assert (inside == marked).all() and (outside == marked).all()


def test_gradients_reach_what_is_not_behind_the_functions_alone(heads: Any) -> None:
    net, _ = heads
    by_name = dict(zip(tf.trainable_variables(), tf.gradients(net.loss, tf.trainable_variables()), strict=True))
    assert {v.op.name: g is not None for v, g in by_name.items()} == {
        "rpn/scores": True,
        "rpn/deltas": True,
        "rpn/shift": False,
        "head/weights": True,
        "head/biases": True,
    }
    assert tf.gradients(net.rois, [net.scores, net.deltas]) == [None, None]


def test_a_momentum_step_trains_the_rest(heads: Any) -> None:
    net, session = heads
    variables = tf.trainable_variables()
    trained = [v for v in variables if v is not net.shift]
    step = tf.train.MomentumOptimizer(RATE, 0.9).minimize(net.loss)
    slopes = tf.gradients(net.loss, trained)
    session.run(tf.global_variables_initializer())
    before, first, losses = session.run([trained, slopes, net.losses], net.feed)
    assert losses[2] == pytest.approx(np.log(CLASSES), rel=1e-5)  # the head knows nothing yet
    session.run(step, net.feed)
    for was, slope, now in zip(before, first, session.run(trained), strict=True):
        np.testing.assert_allclose(now, was - RATE * slope, rtol=1e-5, atol=1e-6)
    for _ in range(10):
        session.run(step, net.feed)
    # The labels of the rois change with the proposals: what is compared are the losses of fixed targets.
    after = session.run(net.losses, net.feed)
    assert after[0] < losses[0] and after[1] < losses[1]
    assert session.run(net.shift) == np.float32(0.01)


def test_a_slip_in_one_layer_is_named() -> None:
    def slipped(*inputs: Any) -> Any:
        targets, *rest = anchor_target(*inputs)
        return targets, rest[0].astype(np.float64), *rest[1:]

    with tf.Graph().as_default(), tf.Session() as session:
        net = Heads()
        inputs = [net.scores, net.truth, net.info, STRIDE, net.anchors]
        outputs = tf.py_func(slipped, inputs, [tf.float32] * 4, name="anchors/target")
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(outputs, net.feed)
    said = str(caught.value)
    assert said.startswith(f"1-th value returned by {slipped.__qualname__} is double, but expects float\n")
    assert "called by op 'anchors/target' (PyFunc), defined at " in said
