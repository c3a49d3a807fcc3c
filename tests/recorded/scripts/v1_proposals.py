"""TensorFlow 1: the heads of a Faster R-CNN, whose anchors, proposals and targets are made by functions in Python."""

from __future__ import absolute_import, division, print_function

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

flags = tf.app.flags
flags.DEFINE_integer("steps", 6, "How many steps to train.")
flags.DEFINE_integer("stride", 16, "Pixels between two anchors.")
flags.DEFINE_float("rate", 0.05, "The learning rate.")
flags.DEFINE_string("mode", "TRAIN", "TRAIN keeps more proposals than TEST.")
FLAGS = flags.FLAGS

SIZES = (24.0, 48.0)


def generate_anchors(height, width, stride):
    """Boxes of each of the sizes around each place."""
    y, x = np.mgrid[:height, :width].reshape(2, -1) * int(stride)
    boxes = [np.stack([x - s / 2, y - s / 2, x + s / 2, y + s / 2], 1) for s in SIZES]
    found = np.stack(boxes, 1).reshape(-1, 4)
    return found.astype(np.float32), np.int32(len(found))


def overlaps(boxes, others):
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    shared = np.prod(np.maximum(high - low, 0), 2)
    sizes = [np.prod(b[:, 2:] - b[:, :2], 1) for b in (boxes, others)]
    return shared / (sizes[0][:, None] + sizes[1][None] - shared)


def encoded(boxes, targets):
    sizes, wanted = boxes[:, 2:] - boxes[:, :2], targets[:, 2:] - targets[:, :2]
    middles = (targets[:, :2] + targets[:, 2:] - boxes[:, :2] - boxes[:, 2:]) / 2
    return np.concatenate([middles / sizes, np.log(wanted / sizes)], 1).astype(np.float32)


def propose(scores, deltas, im_info, anchors, mode):
    """The boxes of the best scores, moved and clipped, without those that lie on better ones."""
    assert mode in (b"TRAIN", b"TEST"), mode
    sizes = anchors[:, 2:] - anchors[:, :2]
    deltas = deltas.reshape(-1, 4)
    middles = (anchors[:, :2] + anchors[:, 2:]) / 2 + deltas[:, :2] * sizes
    halves = np.exp(np.clip(deltas[:, 2:], -2, 2)) * sizes / 2
    boxes = np.concatenate([middles - halves, middles + halves], 1)
    boxes[:, 0::2] = np.clip(boxes[:, 0::2], 0, im_info[1] - 1)
    boxes[:, 1::2] = np.clip(boxes[:, 1::2], 0, im_info[0] - 1)
    scores = scores.reshape(-1)
    kept, order = [], np.argsort(-scores, kind="stable")
    while len(order) and len(kept) < (12 if mode == b"TRAIN" else 4):
        kept.append(order[0])
        order = order[1:][overlaps(boxes[order[:1]], boxes[order[1:]])[0] < 0.6]
    rois = np.concatenate([np.zeros((len(kept), 1)), boxes[kept]], 1)
    return rois.astype(np.float32), scores[kept].astype(np.float32)


def anchor_targets(anchors, gt_boxes):
    """For each anchor: whether it is on a box (1), on none (0), or neither (-1), and how it is to be moved."""
    shared = overlaps(anchors, gt_boxes[:, :4])
    best = shared.max(1)
    labels = np.full(len(anchors), -1, np.int32)
    labels[best < 0.3] = 0
    labels[best >= 0.45] = 1
    labels[shared.argmax(0)] = 1
    return labels, encoded(anchors, gt_boxes[shared.argmax(1), :4])


def proposal_targets(rois, gt_boxes):
    """The same for proposals, with the boxes themselves among them, and classes."""
    rois = np.concatenate([rois, np.pad(gt_boxes[:, :4], ((0, 0), (1, 0)))]).astype(np.float32)
    shared = overlaps(rois[:, 1:], gt_boxes[:, :4])
    classes = np.where(shared.max(1) >= 0.5, gt_boxes[shared.argmax(1), 4], 0).astype(np.int32)
    return rois, classes, encoded(rois[:, 1:], gt_boxes[shared.argmax(1), :4]), np.float32(classes > 0)


def smooth_l1(difference):
    size = tf.abs(difference)
    return tf.where(size < 1.0, 0.5 * tf.square(difference), size - 0.5)


def build(features, im_info, gt_boxes, mode):
    shape = tf.shape(features)
    kernel = tf.get_variable("rpn/kernel", [8, 10], initializer=tf.constant_initializer(np.linspace(-0.1, 0.1, 80)))
    rpn = tf.tensordot(features, kernel, [[3], [0]])
    scores, deltas = rpn[..., :2], rpn[..., 2:]

    anchors, count = tf.py_func(
        generate_anchors, [shape[1], shape[2], FLAGS.stride], [tf.float32, tf.int32], name="anchors"
    )
    anchors.set_shape([None, 4])
    rois, best = tf.py_func(
        propose, [tf.sigmoid(scores), deltas, im_info, anchors, mode], [tf.float32, tf.float32], name="proposal"
    )
    rois.set_shape([None, 5])
    labels, moves = tf.py_func(anchor_targets, [anchors, gt_boxes], [tf.int32, tf.float32], name="anchor_target")
    labels = tf.reshape(tf.to_int32(labels), [-1])
    moves.set_shape([None, 4])

    counted = tf.where(tf.not_equal(labels, -1))
    rpn_class = tf.reduce_mean(
        tf.nn.sigmoid_cross_entropy_with_logits(
            logits=tf.gather_nd(tf.reshape(scores, [-1]), counted), labels=tf.to_float(tf.gather_nd(labels, counted))
        )
    )
    on = tf.where(tf.equal(labels, 1))
    rpn_boxes = tf.reduce_mean(smooth_l1(tf.gather_nd(tf.reshape(deltas, [-1, 4]), on) - tf.gather_nd(moves, on)))

    rois, classes, targets, inside = tf.py_func(
        proposal_targets, [rois, gt_boxes], [tf.float32, tf.int32, tf.float32, tf.float32], name="proposal_target"
    )
    rois.set_shape([None, 5])
    classes.set_shape([None])
    targets.set_shape([None, 4])
    inside.set_shape([None])
    height, width = tf.to_float(shape[1] * FLAGS.stride), tf.to_float(shape[2] * FLAGS.stride)
    x1, y1, x2, y2 = [tf.slice(rois, [0, k], [-1, 1]) for k in range(1, 5)]
    places = tf.stop_gradient(tf.concat([y1 / height, x1 / width, y2 / height, x2 / width], 1))
    cropped = tf.image.crop_and_resize(features, places, tf.to_int32(rois[:, 0]), [2, 2])
    flat = tf.reshape(cropped, [-1, 32])
    with tf.variable_scope("head"):
        head = tf.get_variable("kernel", [32, 7], initializer=tf.constant_initializer(np.linspace(-0.05, 0.05, 224)))
        bias = tf.get_variable("bias", [7], initializer=tf.zeros_initializer())
    found = tf.matmul(flat, head) + bias
    head_class = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=found[:, :3], labels=classes))
    head_boxes = tf.reduce_sum(smooth_l1(found[:, 3:] - targets) * inside[:, None]) / tf.maximum(
        tf.reduce_sum(inside), 1.0
    )
    return [rpn_class, rpn_boxes, head_class, head_boxes], rois, best, count


def main(_):
    random = np.random.RandomState(5)
    drawn = random.uniform(0, 1, (1, 6, 8, 8)).astype(np.float32)
    boxes = np.array([[10, 12, 40, 44, 1], [60, 20, 110, 66, 2], [20, 50, 44, 76, 1]], np.float32)

    features = tf.placeholder(tf.float32, [1, None, None, 8], name="features")
    im_info = tf.placeholder(tf.float32, [3], name="im_info")
    gt_boxes = tf.placeholder(tf.float32, [None, 5], name="gt_boxes")
    losses, rois, best, count = build(features, im_info, gt_boxes, FLAGS.mode)
    total = tf.add_n(losses)
    optimizer = tf.train.MomentumOptimizer(FLAGS.rate, 0.9)
    gradients = optimizer.compute_gradients(total)
    train = optimizer.apply_gradients(gradients)
    print("gradients of", [v.op.name for g, v in gradients if g is not None])
    print("through the proposals:", tf.gradients(tf.reduce_sum(rois), features))

    feed = {features: drawn, im_info: [96.0, 128.0, 1.0], gt_boxes: boxes}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        anchors, kept, scores = sess.run([count, rois, best], feed)
        print("anchors:", anchors, "proposals:", kept.shape, "best score: %.5f" % scores[0])
        print("a proposal:", np.round(kept[1], 2).tolist())
        for step in range(FLAGS.steps):
            _, *values = sess.run([train, total, *losses], feed)
            print("step %d:" % step, " ".join("%.4f" % v for v in values))
        try:
            sess.run(total, {**feed, gt_boxes: boxes[:0]})
        except tf.errors.InvalidArgumentError as error:
            print("an image without boxes:", "zero-size array" in error.message)


if __name__ == "__main__":
    tf.app.run()
