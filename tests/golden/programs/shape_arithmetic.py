"""Static shapes that follow from arithmetic on other shapes: what is constant in them is folded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.golden.make_programs import refused, rows

_SPECS = ([None, 3, 4], [2, 3, None], [None, None, None], [2, 3, 4])

_MADE: dict[str, Callable[[Any, Any], Any]] = {
    "reshape to stacked sizes": lambda tf, x: tf.reshape(x, [tf.shape(x)[0], -1]),
    "reshape to the rest": lambda tf, x: tf.reshape(x, [-1, tf.shape(x)[2]]),
    "reshape to sizes split": lambda tf, x: tf.reshape(x, tf.concat([tf.shape(x)[:-1], [2, tf.shape(x)[2] // 2]], 0)),
    "reshape to a product": lambda tf, x: tf.reshape(x, [tf.shape(x)[0], tf.shape(x)[1] * tf.shape(x)[2]]),
    "reshape to its own shape": lambda tf, x: tf.reshape(x, tf.shape(x)),
    "reshape to another's shape": lambda tf, x: tf.reshape(x, tf.shape(tf.zeros([6, 4]))),
    "reshape behind -1": lambda tf, x: tf.reshape(x, tf.concat([[-1], tf.shape(x)[2:]], 0)),
    "flat": lambda tf, x: tf.reshape(x, [-1]),
    "zeros of a slice": lambda tf, x: tf.zeros(tf.shape(x)[:2]),
    "zeros of a list": lambda tf, x: tf.zeros([tf.shape(x)[0], 5, tf.shape(x)[2]]),
    "ones of joined sizes": lambda tf, x: tf.ones(tf.concat([tf.shape(x)[:1], [7], tf.shape(x)[2:]], 0)),
    "zeros of twice": lambda tf, x: tf.zeros(tf.shape(x) * 2),
    "zeros of a half": lambda tf, x: tf.zeros([tf.shape(x)[1] // 2, tf.shape(x)[2] - 1]),
    "fill of gathered sizes": lambda tf, x: tf.fill(tf.gather(tf.shape(x), [2, 0]), 1.0),
    "fill of unstacked sizes": lambda tf, x: tf.fill(tf.unstack(tf.shape(x)), 1.0),
    "zeros of a size": lambda tf, x: tf.zeros([tf.size(x), 2]),
    "zeros of a rank": lambda tf, x: tf.zeros([tf.rank(x), 2]),
    "zeros of 64 bits": lambda tf, x: tf.zeros(tf.cast(tf.shape(x), tf.int64)),
    "ones of long sizes": lambda tf, x: tf.ones(tf.shape(x, out_type=tf.int64)),
    "zeros of an identity": lambda tf, x: tf.zeros(tf.identity(tf.shape(x))),
    "pad by sizes": lambda tf, x: tf.pad(x, [[0, tf.shape(x)[1]], [1, 1], [0, 2]]),
    "pad up to a size": lambda tf, x: tf.pad(x, [[0, 0], [0, 5 - tf.shape(x)[1]], [0, 2]]),
    "tile by a size": lambda tf, x: tf.tile(x, [1, 2, tf.shape(x)[1]]),
    "broadcast to joined sizes": lambda tf, x: tf.broadcast_to(x, tf.concat([[2], tf.shape(x)], 0)),
    "a box of sizes": lambda tf, x: tf.slice(x, [0, 1, 0], [tf.shape(x)[0], 2, -1]),
    "up to a size less one": lambda tf, x: x[:, : tf.shape(x)[1] - 1],
    "all sorts of keys": lambda tf, x: x[:, 1:, tf.newaxis, ..., -1],
    "range of a size": lambda tf, x: tf.range(0, tf.shape(x)[1], 2),
    "eye in batches": lambda tf, x: tf.eye(tf.shape(x)[1], batch_shape=[tf.shape(x)[0]]),
    "one hot": lambda tf, x: tf.one_hot(tf.zeros(tf.shape(x)[:1], tf.int32), tf.shape(x)[1]),
    "drawn": lambda tf, x: tf.random.normal([tf.shape(x)[0], 8]),
    "drawn without state": lambda tf, x: tf.random.stateless_uniform(tf.shape(x)[1:], [1, 2]),
    "scattered": lambda tf, x: tf.scatter_nd([[0]], [[1.0, 2.0]], [tf.shape(x)[1], 2]),
    "segments": lambda tf, x: tf.math.unsorted_segment_sum(x, tf.zeros([tf.shape(x)[0]], tf.int32), tf.shape(x)[1]),
    "axes turned": lambda tf, x: tf.transpose(x, tf.concat([[0], tf.range(tf.rank(x) - 1, 0, -1)], 0)),
    "sum over a range": lambda tf, x: tf.reduce_sum(x, tf.range(1, tf.rank(x))),
    "expanded at its rank": lambda tf, x: tf.expand_dims(x, tf.rank(x)),
    "joined at its last axis": lambda tf, x: tf.concat([x, x], tf.rank(x) - 1),
    "split by sizes": lambda tf, x: tf.split(x, [1, tf.shape(x)[1] - 1], 1)[1],
    "a dynamic shape": lambda tf, x: tf.zeros(tf.broadcast_dynamic_shape(tf.shape(x), [3, 1])),
    "greatest": lambda tf, x: tf.zeros(tf.maximum(tf.shape(x), 3)),
    "chosen": lambda tf, x: tf.zeros(tf.where(tf.shape(x) > 3, tf.shape(x), 1)),
    "stack of a written array": lambda tf, x: tf.TensorArray(tf.float32, 4).write(0, x).stack(),
    "map": lambda tf, x: tf.map_fn(lambda v: tf.zeros([tf.shape(x)[1], 2]), x),
    "scan": lambda tf, x: tf.scan(lambda a, v: a + v, x),
    "loop": lambda tf, x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.zeros(tf.shape(x))), (0, x))[1],
    "branches of one shape": lambda tf, x: tf.cond(
        tf.reduce_sum(x) > 0, lambda: tf.zeros([tf.shape(x)[1], 2]), lambda: tf.zeros([3, 2])
    ),
    "branches of two shapes": lambda tf, x: tf.cond(
        tf.reduce_sum(x) > 0, lambda: tf.zeros([2, 2]), lambda: tf.zeros([3, 2])
    ),
    "constant captured by a loop": lambda tf, x: _captured_by_a_loop(tf, tf.constant([2, 3])),
    "constant captured by a map": lambda tf, x: (lambda s: tf.map_fn(lambda v: tf.ones(s), x))(tf.constant([2, 3])),
    "constant captured by a function": lambda tf, x: _captured_by_a_function(tf, tf.constant([2, 3])),
    "sizes captured by a function": lambda tf, x: _captured_by_a_function(tf, tf.shape(x)[1:]),
    "repeated": lambda tf, x: tf.repeat(x, [1, 2, 3], axis=1),
    "masked": lambda tf, x: tf.boolean_mask(x, tf.ones([3], tf.bool), axis=1),
    "grid": lambda tf, x: tf.meshgrid(tf.range(tf.shape(x)[1]), tf.range(tf.shape(x)[0]))[0],
    "greatest few": lambda tf, x: tf.nn.top_k(x, tf.shape(x)[2] - 1)[0],
    "resized": lambda tf, x: tf.image.resize(x[..., tf.newaxis], [tf.shape(x)[1] * 2, 8]),
    "cropped": lambda tf, x: tf.image.crop_to_bounding_box(x[..., tf.newaxis], 0, 0, tf.shape(x)[1] - 1, 2),
    "where": lambda tf, x: tf.where(x > 0),
    "sum of unknown rank": lambda tf, x: tf.reduce_sum(tf.reshape(x, tf.cast(x[0, 0], tf.int32))),
}


def _captured_by_a_loop(tf: Any, sizes: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tf.ones(sizes)), (0, tf.zeros([2, 3])))[1]


def _captured_by_a_function(tf: Any, sizes: Any) -> Any:
    return tf.function(lambda: tf.ones(sizes))()


def _static(made: Any) -> Any:
    return None if made.shape.rank is None else made.shape.as_list()


@rows(*_MADE)
def in_functions(tf: Any, name: str) -> Any:
    def shape(spec: Any) -> Any:
        found = []

        @tf.function(input_signature=[tf.TensorSpec(spec, tf.float32)], autograph=False)
        def traced(x: Any) -> Any:
            found.append(_static(_MADE[name](tf, x)))
            return x

        traced.get_concrete_function()
        return found[0]

    return [refused(lambda spec=spec: shape(spec)) for spec in _SPECS]


@rows(*_MADE)
def in_graphs(tf: Any, name: str) -> Any:
    def shape(spec: Any) -> Any:
        with tf.Graph().as_default():
            return _static(_MADE[name](tf, tf.compat.v1.placeholder(tf.float32, spec)))

    return [refused(lambda spec=spec: shape(spec)) for spec in _SPECS]
