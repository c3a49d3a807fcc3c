"""The heads of Faster R-CNN (Ren and others, 2015), trained on drawn rings and squares.

    python examples/detector.py [--steps 150] [--out FOLDER]

A network in the graph scores anchors and moves them; three functions in NumPy between its layers propose boxes and
say what the layers should have answered. No gradient passes through them, and the network on both sides is trained.
The exit status is 0 only if it finds most of the shapes in pictures that it has not seen.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from boxes import anchors, best, decode, encode, overlaps
from checking import check, status
from saving import arguments, save

import inlay.compat.v1 as tf

SIZE, STRIDE, SIZES, KINDS = 48, 4, (14, 22), ("nothing", "ring", "square")
ANCHORS = anchors(SIZE // STRIDE, STRIDE, SIZES)
DRAW = np.random.default_rng(0)


def picture() -> tuple[Any, Any]:
    """A grey picture with one to three shapes on it, and a row for each: its box and its kind."""
    image, rows = DRAW.normal(0, 0.1, (SIZE, SIZE)), np.zeros((0, 5), np.float32)
    y, x = np.mgrid[:SIZE, :SIZE] + 0.5
    for _ in range(DRAW.integers(1, 4)):
        half, kind = DRAW.uniform(6, 11), int(DRAW.integers(1, 3))
        left, top = DRAW.uniform(half, SIZE - half, 2)
        row = np.float32([[left - half, top - half, left + half, top + half, kind]])
        if not len(rows) or overlaps(row, rows).max() == 0:
            away = np.hypot(x - left, y - top) if kind == 1 else np.maximum(abs(x - left), abs(y - top))
            image, rows = image + (away < half) * ((kind == 2) | (away > half - 3)), np.concatenate([rows, row])
    return image[None, :, :, None].astype(np.float32), rows


# The three functions between the layers: arrays come in, arrays of a declared shape go out.
def propose(scores: Any, deltas: Any, count: int) -> Any:
    boxes = decode(ANCHORS, deltas, SIZE)
    wide = np.flatnonzero((boxes[:, 2:] - boxes[:, :2] > 4).all(axis=1))
    return boxes[wide[best(boxes[wide], scores[wide], count, 0.7)]]


def anchor_targets(truth: Any) -> tuple[Any, Any]:
    table = overlaps(ANCHORS, truth)
    labels = np.where(table.max(axis=1) < 0.3, 0, -1).astype(np.float32)  # -1: between the two, and not counted
    labels[table.max(axis=1) >= 0.5] = 1
    labels[table.argmax(axis=0)] = 1
    return labels, encode(ANCHORS, truth[table.argmax(axis=1)])


def proposal_targets(rois: Any, truth: Any) -> tuple[Any, Any, Any]:
    near = np.tile(truth[:, :4], (6, 1))  # boxes near the true ones too, or the head would see none at first
    near = near + DRAW.normal(0, 1.5, near.shape)
    rois = np.concatenate([rois, near]).astype(np.float32)
    table = overlaps(rois, truth)
    nearest = table.argmax(axis=1)
    kinds = np.where(table.max(axis=1) >= 0.5, truth[nearest, 4], 0).astype(np.int32)
    return rois, kinds, encode(rois, truth[nearest])


def layer(x: Any, name: str, size: int, width: int, stride: int = 1) -> Any:
    """A convolution with biases."""
    shape = [size, size, x.shape.as_list()[-1], width]
    kernel = tf.get_variable(name, shape, initializer=tf.glorot_uniform_initializer(seed=1))
    return tf.nn.conv2d(x, kernel, stride, "SAME") + tf.get_variable(f"{name}_bias", initializer=np.zeros(width, "f"))


def heads(features: Any, rois: Any) -> tuple[Any, Any]:
    """What is in each box, and how the box should be moved."""
    corners = tf.stop_gradient(tf.gather(rois, [1, 0, 3, 2], axis=1) / SIZE)
    crops = tf.image.crop_and_resize(features, corners, tf.zeros_like(rois[:, 0], tf.int32), [6, 6])
    hidden = tf.nn.leaky_relu(layer(tf.reshape(crops, [-1, 1, 1, 6 * 6 * 16]), "hidden", 1, 64))
    answer = layer(hidden, "answer", 1, len(KINDS) + 4)[:, 0, 0]
    return answer[:, : len(KINDS)], answer[:, len(KINDS) :]


def mean_where(values: Any, chosen: Any) -> Any:
    chosen = tf.cast(chosen, tf.float32)
    return tf.reduce_sum(values * chosen) / tf.maximum(tf.reduce_sum(chosen), 1.0)


def network(image: Any, truth: Any) -> tuple[Any, list[Any]]:
    """The loss, and what it finds: boxes, the odds of each kind, and how to move the boxes."""
    features = image
    for i, width in enumerate((8, 16)):
        features = tf.nn.leaky_relu(layer(features, f"down{i}", 3, width, 2))
    features = tf.nn.leaky_relu(layer(features, "wide", 3, 16))
    guess = tf.reshape(layer(features, "anchors", 1, len(SIZES) * 5), [-1, 5])
    scores, deltas = guess[:, 0], guess[:, 1:]
    box = [None, 4]
    rois = tf.numpy_function(propose, [scores, deltas], tf.float32, kwargs={"count": 16}, output_shapes=box)
    labels, moves = tf.numpy_function(anchor_targets, [truth], [tf.float32] * 2, output_shapes=[[len(ANCHORS)], box])
    seen, kinds, shifts = tf.numpy_function(
        proposal_targets, [rois, truth], [tf.float32, tf.int32, tf.float32], output_shapes=[box, [None], box]
    )
    with tf.variable_scope("heads"):
        logits, offsets = heads(features, seen)
    with tf.variable_scope("heads", reuse=True):
        found, corrections = heads(features, rois)
    objects = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.maximum(labels, 0.0), logits=scores)
    classes = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=kinds, logits=logits)
    losses = [
        mean_where(objects, labels >= 0.0),
        mean_where(tf.reduce_sum(tf.abs(deltas - moves), axis=1), labels > 0.0),
        tf.reduce_mean(classes),
        mean_where(tf.reduce_sum(tf.abs(offsets - shifts), axis=1), kinds > 0),
    ]
    return tf.add_n(losses), [rois, tf.nn.softmax(found), corrections]


def detected(rois: Any, odds: Any, corrections: Any) -> Any:
    """A row for each shape that was found: its box and its kind."""
    sure = np.flatnonzero(odds[:, 1:].max(axis=1) > 0.5)
    boxes, odds = decode(rois[sure], corrections[sure], SIZE), odds[sure, 1:]
    kept = best(boxes, odds.max(axis=1), 5, 0.3)
    return np.concatenate([boxes, odds.argmax(axis=1)[:, None] + 1], axis=1)[kept]


def main() -> int:
    options = arguments(__doc__, steps=150)
    with tf.Graph().as_default(), tf.Session() as session:
        image, truth = tf.placeholder(tf.float32, [1, SIZE, SIZE, 1]), tf.placeholder(tf.float32, [None, 5])
        loss, asked = network(image, truth)
        count = tf.train.get_or_create_global_step()
        rate = tf.train.cosine_decay(0.004, count, options.steps)
        step = tf.train.AdamOptimizer(rate).minimize(loss, count)
        session.run(tf.global_variables_initializer())
        losses = []
        for number in range(options.steps):
            shown, rows = picture()
            losses.append(session.run([loss, step], {image: shown, truth: rows})[0])
            if number % 50 == 49:
                print(f"  step {number + 1}: loss {np.mean(losses[-50:]):.3f}")
        tests = [picture() for _ in range(30)]
        found = [detected(*session.run(asked, {image: shown})) for shown, _ in tests]
    right = sum(
        bool(len(rows)) and bool(((overlaps(row[None], rows)[0] > 0.5) & (rows[:, 4] == row[4])).any())
        for rows, (_, truths) in zip(found, tests, strict=True)
        for row in truths
    )
    there, claimed = sum(len(rows) for _, rows in tests), sum(len(rows) for rows in found)
    check(f"{right} of {there} shapes are found, where they are and what they are", right > 0.7 * there)
    check(f"{claimed} are claimed", right > 0.7 * claimed)
    table = [(i, KINDS[int(row[4])], *row[:4].round(1)) for i, rows in enumerate(found) for row in rows]
    heading = ("picture", "kind", "left", "top", "right", "bottom")
    columns = {name: [row[i] for row in table] for i, name in enumerate(heading)}
    save(options.out, "detector", columns, lambda figure: draw(figure, tests, found))
    return status()


def draw(figure: Any, tests: list[Any], found: list[Any]) -> None:
    """Eight of the pictures, with the boxes that were found."""
    for place, (shown, _), rows in zip(figure.subplots(2, 4).flat, tests, found, strict=False):
        place.imshow(shown[0, :, :, 0], cmap="gray")
        place.axis("off")
        for left, top, right, bottom, kind in rows:
            place.plot([left, right, right, left, left], [top, top, bottom, bottom, top], ("", "c", "y")[int(kind)])


if __name__ == "__main__":
    sys.exit(main())
