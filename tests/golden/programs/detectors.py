"""A two-stage detector, trained as its authors do under 1.x: host functions between its layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour

_STRIDE, _SCALES, _RATIOS = 4, (1, 2), (0.5, 1.0, 2.0)
_ANCHORS, _CLASSES, _POOL = len(_SCALES) * len(_RATIOS), 3, 3
_IMAGE = np.random.RandomState(0).uniform(-1, 1, [1, 32, 40, 3]).astype(np.float32)
_INFO = np.float32([32, 40, 1])
_BOXES = np.float32([[2, 3, 14, 15, 1], [18, 5, 36, 25, 2], [9, 15, 17, 29, 1]])


def _anchors(height: Any, width: Any, stride: Any, scales: Any, ratios: Any) -> tuple[Any, Any]:
    base = []
    for ratio in ratios:
        for scale in scales:
            w, h = 8 * scale / np.sqrt(ratio), 8 * scale * np.sqrt(ratio)
            base.append([-w / 2, -h / 2, w / 2, h / 2])
    x, y = np.meshgrid(np.arange(width) * stride, np.arange(height) * stride)
    shifts = np.stack([x.ravel(), y.ravel(), x.ravel(), y.ravel()], axis=1)
    everywhere = (np.array(base)[None] + shifts[:, None]).reshape(-1, 4)
    return everywhere.astype(np.float32), np.int32(len(everywhere))


def _encode(boxes: Any, targets: Any) -> Any:
    w, h = boxes[:, 2] - boxes[:, 0] + 1, boxes[:, 3] - boxes[:, 1] + 1
    tw, th = targets[:, 2] - targets[:, 0] + 1, targets[:, 3] - targets[:, 1] + 1
    dx = (targets[:, 0] + tw / 2 - boxes[:, 0] - w / 2) / w
    dy = (targets[:, 1] + th / 2 - boxes[:, 1] - h / 2) / h
    return np.stack([dx, dy, np.log(tw / w), np.log(th / h)], axis=1).astype(np.float32)


def _decode(boxes: Any, deltas: Any, info: Any) -> Any:
    w, h = boxes[:, 2] - boxes[:, 0] + 1, boxes[:, 3] - boxes[:, 1] + 1
    x, y = boxes[:, 0] + w / 2 + deltas[:, 0] * w, boxes[:, 1] + h / 2 + deltas[:, 1] * h
    w, h = w * np.exp(np.clip(deltas[:, 2], -2, 2)) / 2, h * np.exp(np.clip(deltas[:, 3], -2, 2)) / 2
    corners = np.stack([x - w, y - h, x + w, y + h], axis=1)
    return np.clip(corners, 0, [info[1] - 1, info[0] - 1] * 2).astype(np.float32)


def _overlaps(a: Any, b: Any) -> Any:
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    shared = np.prod(np.maximum(high - low + 1, 0), axis=2)
    area = [np.prod(v[:, 2:4] - v[:, :2] + 1, axis=1) for v in (a, b)]
    return shared / (area[0][:, None] + area[1][None] - shared)


def _propose(scores: Any, deltas: Any, info: Any, mode: Any, stride: Any, anchors: Any, count: Any) -> tuple[Any, Any]:
    kept = {"TRAIN": 12, "TEST": 5}[mode.decode("utf-8")]
    foreground = scores[:, :, :, count:].reshape(-1)
    boxes = _decode(anchors, deltas.reshape(-1, 4), info)
    wide = np.where((boxes[:, 2:] - boxes[:, :2] >= stride).all(axis=1))[0]
    order = wide[np.argsort(-foreground[wide], kind="stable")][:kept]
    rois = np.hstack([np.zeros((len(order), 1), np.float32), boxes[order]])
    return rois.astype(np.float32), foreground[order].reshape(-1, 1)


class _AnchorTargets:
    """Bound methods are what many of these programs give to py_func."""

    def __init__(self, positive: float, negative: float) -> None:
        self.positive, self.negative = positive, negative

    def __call__(self, scores: Any, truth: Any, info: Any, stride: Any, anchors: Any, count: Any) -> tuple[Any, ...]:
        assert info.shape == (3,) and stride == _STRIDE
        height, width = scores.shape[1:3]
        overlaps = _overlaps(anchors, truth)
        best = overlaps.max(axis=1)
        labels = np.full(len(anchors), -1, np.float32)
        labels[best < self.negative] = 0
        labels[overlaps.argmax(axis=0)] = 1
        labels[best >= self.positive] = 1
        labels[np.where(labels == 0)[0][::3]] = -1
        targets = _encode(anchors, truth[overlaps.argmax(axis=1)])
        inside = np.zeros_like(targets)
        inside[labels == 1] = 1
        outside = np.where(labels[:, None] >= 0, np.float32(1) / max(1, np.sum(labels >= 0)), np.float32(0))
        maps = (targets, inside, np.tile(outside, (1, 4)).astype(np.float32))
        label = labels.reshape(1, height, width, count).transpose(0, 3, 1, 2).reshape(1, 1, count * height, width)
        return label, *(m.reshape(1, height, width, count * 4) for m in maps)


def _proposal_targets(rois: Any, scores: Any, truth: Any, classes: Any) -> list[Any]:
    everything = np.vstack([rois, np.hstack([np.zeros((len(truth), 1), np.float32), truth[:, :4]])])
    scores = np.vstack([scores, np.ones((len(truth), 1), np.float32)])
    overlaps = _overlaps(everything[:, 1:], truth)
    assigned = overlaps.argmax(axis=1)
    labels = np.where(overlaps.max(axis=1) >= 0.5, truth[assigned, 4], np.float32(0))
    deltas = _encode(everything[:, 1:], truth[assigned])
    targets = np.zeros((len(everything), 4 * classes), np.float32)
    for row in np.where(labels > 0)[0]:
        targets[row, 4 * int(labels[row]) : 4 * int(labels[row]) + 4] = deltas[row]
    inside = (targets != 0).astype(np.float32)
    return [everything, scores, labels.reshape(-1, 1).astype(np.float32), targets, inside, inside.copy()]


class _Network:
    def __init__(self, tf: Any, mode: str) -> None:
        self.tf, self.mode, self._weights = tf, mode, np.random.RandomState(1)
        self._predictions: dict[str, Any] = {}
        self._anchor_targets: dict[str, Any] = {}
        self._proposal_targets: dict[str, Any] = {}
        self._losses: dict[str, Any] = {}

    def build(self) -> None:
        tf = self.tf
        self._image = tf.placeholder(tf.float32, shape=[1, None, None, 3])
        self._im_info = tf.placeholder(tf.float32, shape=[3])
        self._gt_boxes = tf.placeholder(tf.float32, shape=[None, 5])
        with tf.variable_scope("head"):
            net = tf.nn.relu(self._conv(self._image, 8, 3, "conv1", stride=2))
            net = tf.nn.relu(self._conv(net, 8, 3, "conv2", stride=2))
        with tf.variable_scope("ANCHOR_" + self.mode):
            height = tf.to_int32(tf.ceil(self._im_info[0] / np.float32(_STRIDE)))
            width = tf.to_int32(tf.ceil(self._im_info[1] / np.float32(_STRIDE)))
            anchors, length = tf.py_func(
                _anchors, [height, width, _STRIDE, np.array(_SCALES), np.array(_RATIOS)], [tf.float32, tf.int32],
                name="generate_anchors",
            )  # fmt: skip
            anchors.set_shape([None, 4])
            length.set_shape([])
            self._anchors, self._anchor_length = anchors, length
        with tf.variable_scope("rpn"):
            rois = self._region_proposal(net)
        with tf.variable_scope("pool5"):
            pooled = self._crop(net, rois)
        with tf.variable_scope("fc"):
            flat = tf.reshape(pooled, [-1, _POOL * _POOL * 8])
            hidden = tf.nn.relu(self._dense(flat, 16, "fc6"))
            scores, boxes = self._dense(hidden, _CLASSES, "score"), self._dense(hidden, 4 * _CLASSES, "boxes")
        self._predictions.update(
            cls_score=scores, bbox_pred=boxes, rois=rois,
            cls_prob=tf.nn.softmax(scores, name="prob"), cls_pred=tf.argmax(scores, axis=1, name="cls_pred"),
        )  # fmt: skip
        if self.mode == "TEST":
            means = np.tile(np.array((0.0, 0.0, 0.0, 0.0)), _CLASSES)
            stds = np.tile(np.array((0.1, 0.1, 0.2, 0.2)), _CLASSES)
            self._predictions["bbox_pred"] = boxes * stds + means

    def _variable(self, name: str, shape: list[int]) -> Any:
        tf = self.tf
        init = tf.constant_initializer(self._weights.normal(0, 0.15, shape), dtype=tf.float32)
        decay = lambda w: tf.multiply(0.0005, tf.nn.l2_loss(w), name="decay")  # noqa: E731
        return tf.get_variable(name, shape, initializer=init, regularizer=None if name == "biases" else decay)

    def _conv(self, x: Any, filters: int, size: int, name: str, stride: int = 1) -> Any:
        tf = self.tf
        with tf.variable_scope(name):
            kernel = self._variable("weights", [size, size, x.get_shape()[-1].value, filters])
            return tf.nn.bias_add(
                tf.nn.conv2d(x, kernel, [1, stride, stride, 1], "SAME"), self._variable("biases", [filters])
            )

    def _dense(self, x: Any, units: int, name: str) -> Any:
        tf = self.tf
        with tf.variable_scope(name):
            return tf.nn.xw_plus_b(
                x, self._variable("weights", [int(x.shape[1]), units]), self._variable("biases", [units])
            )

    def _reshape_layer(self, bottom: Any, channels: int, name: str) -> Any:
        tf = self.tf
        size = tf.shape(bottom)
        with tf.variable_scope(name):
            first = tf.transpose(bottom, [0, 3, 1, 2])
            shaped = tf.reshape(first, tf.concat(axis=0, values=[[1, channels, -1], [size[2]]]))
            return tf.transpose(shaped, [0, 2, 3, 1])

    def _softmax_layer(self, bottom: Any, name: str) -> Any:
        tf = self.tf
        size = tf.shape(bottom)
        flat = tf.reshape(bottom, [-1, size[-1]])
        return tf.reshape(tf.nn.softmax(flat, name=name), size)

    def _region_proposal(self, net: Any) -> Any:
        tf = self.tf
        rpn = tf.nn.relu(self._conv(net, 12, 3, "conv"))
        score = self._conv(rpn, _ANCHORS * 2, 1, "cls_score")
        deltas = self._conv(rpn, _ANCHORS * 4, 1, "bbox_pred")
        reshaped = self._reshape_layer(score, 2, "cls_score_reshape")
        prob = self._reshape_layer(self._softmax_layer(reshaped, "prob"), _ANCHORS * 2, "cls_prob")
        rois, scores = tf.py_func(
            _propose, [prob, deltas, self._im_info, self.mode, _STRIDE, self._anchors, _ANCHORS],
            [tf.float32, tf.float32], name="proposal",
        )  # fmt: skip
        rois.set_shape([None, 5])
        scores.set_shape([None, 1])
        self._predictions.update(rpn_cls_score_reshape=reshaped, rpn_bbox_pred=deltas, rpn_cls_score=score)
        if self.mode != "TRAIN":
            return rois
        labels = self._anchor_target_layer(score)
        with tf.control_dependencies([labels]):
            return self._proposal_target_layer(rois, scores)

    def _anchor_target_layer(self, score: Any) -> Any:
        tf = self.tf
        with tf.variable_scope("anchor"):
            labels, targets, inside, outside = tf.py_func(
                _AnchorTargets(0.6, 0.3), [score, self._gt_boxes, self._im_info, _STRIDE, self._anchors, _ANCHORS],
                [tf.float32, tf.float32, tf.float32, tf.float32], name="anchor_target",
            )  # fmt: skip
        labels.set_shape([1, 1, None, None])
        for each in (targets, inside, outside):
            each.set_shape([1, None, None, _ANCHORS * 4])
        labels = tf.to_int32(labels, name="to_int32")
        self._anchor_targets.update(labels=labels, targets=targets, inside=inside, outside=outside)
        return labels

    def _proposal_target_layer(self, rois: Any, scores: Any) -> Any:
        tf = self.tf
        rois, scores, labels, targets, inside, outside = tf.py_func(
            _proposal_targets, [rois, scores, self._gt_boxes, _CLASSES], [tf.float32] * 6, name="proposal_target"
        )
        rois.set_shape([None, 5])
        labels.set_shape([None, 1])
        for each in (targets, inside, outside):
            each.set_shape([None, _CLASSES * 4])
        labels = tf.to_int32(labels, name="to_int32")
        self._proposal_targets.update(labels=labels, targets=targets, inside=inside, outside=outside)
        return rois

    def _crop(self, bottom: Any, rois: Any) -> Any:
        tf = self.tf
        batch_ids = tf.squeeze(tf.slice(rois, [0, 0], [-1, 1], name="batch_id"), [1])
        size = tf.shape(bottom)
        height = (tf.to_float(size[1]) - 1.0) * np.float32(_STRIDE)
        width = (tf.to_float(size[2]) - 1.0) * np.float32(_STRIDE)
        x1 = tf.slice(rois, [0, 1], [-1, 1], name="x1") / width
        y1 = tf.slice(rois, [0, 2], [-1, 1], name="y1") / height
        x2 = tf.slice(rois, [0, 3], [-1, 1], name="x2") / width
        y2 = tf.slice(rois, [0, 4], [-1, 1], name="y2") / height
        boxes = tf.stop_gradient(tf.concat([y1, x1, y2, x2], axis=1))
        crops = tf.image.crop_and_resize(bottom, boxes, tf.to_int32(batch_ids), [_POOL * 2, _POOL * 2], name="crops")
        return tf.nn.max_pool(crops, [1, 2, 2, 1], [1, 2, 2, 1], padding="SAME")

    def _smooth_l1(self, pred: Any, to: dict[str, Any], sigma: float = 1.0, dim: Any = (1,)) -> Any:
        tf = self.tf
        sigma2 = sigma**2
        inside = to["inside"] * (pred - to["targets"])
        size = tf.abs(inside)
        near = tf.stop_gradient(tf.to_float(tf.less(size, 1.0 / sigma2)))
        loss = tf.pow(inside, 2) * (sigma2 / 2.0) * near + (size - (0.5 / sigma2)) * (1.0 - near)
        return tf.reduce_mean(tf.reduce_sum(to["outside"] * loss, axis=dim))

    def add_losses(self) -> Any:
        tf, seen = self.tf, self._predictions
        with tf.variable_scope("LOSS_" + self.mode):
            score = tf.reshape(seen["rpn_cls_score_reshape"], [-1, 2])
            label = tf.reshape(self._anchor_targets["labels"], [-1])
            select = tf.where(tf.not_equal(label, -1))
            score = tf.reshape(tf.gather(score, select), [-1, 2])
            label = tf.reshape(tf.gather(label, select), [-1])
            entropy = tf.nn.sparse_softmax_cross_entropy_with_logits
            self._losses["rpn_cross_entropy"] = tf.reduce_mean(entropy(logits=score, labels=label))
            self._losses["rpn_loss_box"] = self._smooth_l1(seen["rpn_bbox_pred"], self._anchor_targets, 3.0, [1, 2, 3])
            label = tf.reshape(self._proposal_targets["labels"], [-1])
            self._losses["cross_entropy"] = tf.reduce_mean(entropy(logits=seen["cls_score"], labels=label))
            self._losses["loss_box"] = self._smooth_l1(seen["bbox_pred"], self._proposal_targets)
            loss = tf.add_n([v for _, v in sorted(self._losses.items())])
            regularization = tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), "regu")
            self._losses["total_loss"] = loss + regularization
        return self._losses["total_loss"]


def a_two_stage_detector_is_trained(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        net = _Network(tf, "TRAIN")
        net.build()
        loss = net.add_losses()
        lr = tf.Variable(0.01, trainable=False)
        optimizer = tf.train.MomentumOptimizer(lr, 0.9)
        with tf.variable_scope("Gradient_Mult"):
            doubled = [
                (tf.multiply(g, 2.0) if "/biases:" in v.name else g, v) for g, v in optimizer.compute_gradients(loss)
            ]
        train_op = optimizer.apply_gradients(doubled)
        names = [v.name for v in tf.trainable_variables()]
        slots = sorted(v.name for v in tf.global_variables() if "Momentum" in v.name)
        behind = tf.gradients(net._predictions["rois"], net._image)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            feed = {net._image: _IMAGE, net._im_info: _INFO, net._gt_boxes: _BOXES}
            steps = []
            for step in range(4):
                if step == 2:
                    sess.run(tf.assign(lr, lr.eval(sess) * 0.1))
                *parts, _ = sess.run(
                    [net._losses[k] for k in ("rpn_cross_entropy", "rpn_loss_box", "cross_entropy", "loss_box")]
                    + [loss, train_op],
                    feed_dict=feed,
                )
                steps.append(parts)
            weights = [float(np.abs(w).sum()) for w in sess.run(tf.trainable_variables())]
        return [names, slots, behind, steps, weights]


def targets_and_shapes_of_a_detector(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        net = _Network(tf, "TRAIN")
        net.build()
        targets = [net._anchor_targets[k] for k in ("labels", "inside")] + [
            net._proposal_targets[k] for k in ("labels", "targets")
        ]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            values = sess.run(targets, {net._image: _IMAGE, net._im_info: _INFO, net._gt_boxes: _BOXES})
        shown = [net._predictions[k] for k in ("rois", "cls_score", "rpn_cls_score", "rpn_cls_score_reshape")]
        return [
            [t.shape.as_list() for t in targets], [t.get_shape().as_list() for t in shown],
            [t.name for t in shown], [t.op.type for t in (net._anchors, shown[0], shown[1], shown[3])],
            [v.shape for v in values], [float(v.sum()) for v in values], values[2],
        ]  # fmt: skip


def a_detector_is_tested(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        net = _Network(tf, "TEST")
        net.build()
        asked = [net._predictions[k] for k in ("cls_prob", "cls_pred", "bbox_pred", "rois")]
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            sess.run(tf.global_variables_initializer())
            prob, pred, boxes, rois = sess.run(asked, feed_dict={net._image: _IMAGE, net._im_info: _INFO})
            kept = tf.image.non_max_suppression(
                tf.constant(rois[:, 1:]), tf.constant(prob[:, 1]), max_output_size=3, iou_threshold=0.4
            )
            return [prob, pred, boxes, rois, sess.run(kept), asked[2].dtype.name]


def a_slip_in_a_layer_is_named(tf: Any) -> Any:
    with first_behaviour(tf) as tf:
        first, second = tf.py_func(lambda n: (np.ones(n, np.float32), np.ones(n)), [3], [tf.float32, tf.float32])
        with tf.Session() as sess:
            try:
                sess.run([first, second])
            except tf.errors.InvalidArgumentError as error:
                return ["1-th value returned by" in error.message, "is double, but expects float" in error.message]
        return None
