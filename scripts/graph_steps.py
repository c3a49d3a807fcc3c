"""The kinds of steps of the functions that `compare_graphs` makes: elementwise, reductions, shapes, networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A kind of step.

    Attributes:
      takes: the kind of each argument: "f" float32, "m" a matrix of float32, "v" a vector of it, "i" an int32 vector,
        "b" bool, "s" a vector of strings.
      call: (library, *arguments) -> a tensor, or several.
    """

    takes: str
    call: Callable[..., Any]


def looped(tf: Any, x: Any) -> Any:
    return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a) + 0.5 * a), (tf.constant(0), x))[1]


def _scan(tf: Any, x: Any) -> Any:
    out = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    total = tf.zeros_like(x[0])
    for i in tf.range(tf.shape(x)[0]):
        total = total * 0.5 + x[i]
        out = out.write(i, total)
    return out.stack()


STEPS: Mapping[str, Step] = {
    # elementwise
    **{
        name: Step("f", lambda tf, x, name=name: getattr(tf, name)(x))
        for name in ("abs", "negative", "square", "exp", "tanh", "sigmoid", "sin", "cos", "sign", "round", "atan")
    },
    **{
        f"math.{name}": Step("f", lambda tf, x, name=name: getattr(tf.math, name)(x))
        for name in ("softplus", "softsign", "erf", "expm1", "floor", "ceil", "sinh", "asinh", "lgamma")
    },
    **{
        f"nn.{name}": Step("f", lambda tf, x, name=name: getattr(tf.nn, name)(x))
        for name in ("relu", "relu6", "elu", "selu", "leaky_relu", "softmax", "log_softmax", "gelu", "silu", "l2_loss")
    },
    "reciprocal": Step("f", lambda tf, x: tf.math.reciprocal(tf.abs(x) + 0.3)),
    "sqrt": Step("f", lambda tf, x: tf.sqrt(tf.abs(x) + 1.0)),
    "log": Step("f", lambda tf, x: tf.math.log(tf.abs(x) + 1.0)),
    "rsqrt": Step("f", lambda tf, x: tf.math.rsqrt(tf.abs(x) + 1.0)),
    "pow": Step("f", lambda tf, x: tf.pow(tf.abs(x) + 0.5, 1.7)),
    "log1p": Step("f", lambda tf, x: tf.math.log1p(tf.abs(x))),
    "clip": Step("f", lambda tf, x: tf.clip_by_value(x, -0.7, 0.9)),
    "identity": Step("f", lambda tf, x: tf.identity(x)),
    "stop_gradient": Step("f", lambda tf, x: tf.stop_gradient(x) + x),
    "add": Step("ff", lambda tf, x, y: x + tf.reduce_mean(y)),
    "add_row": Step("m", lambda tf, x: x + x[0]),
    "subtract": Step("f", lambda tf, x: x - 0.5 * x),
    "multiply": Step("f", lambda tf, x: x * tf.reverse(x, [0])),
    "divide": Step("f", lambda tf, x: x / (tf.square(x) + 1.0)),
    "maximum": Step("ff", lambda tf, x, y: tf.maximum(x, tf.reduce_mean(y))),
    "minimum": Step("ff", lambda tf, x, y: tf.minimum(x, tf.reduce_sum(y) * 0.1)),
    "atan2": Step("f", lambda tf, x: tf.atan2(x, x * x + 1.0)),
    "squared_difference": Step("f", lambda tf, x: tf.math.squared_difference(x, 0.3)),
    "floormod": Step("f", lambda tf, x: tf.math.floormod(x, 0.7)),
    "cast": Step("f", lambda tf, x: tf.cast(tf.cast(x * 10.0, tf.int32), tf.float32)),
    "double": Step("f", lambda tf, x: tf.cast(tf.cast(x, tf.float64) * 1.5, tf.float32)),
    "where": Step("f", lambda tf, x: tf.where(x > 0.1, x, x * 2.0)),
    "compare": Step("f", lambda tf, x: tf.cast(tf.logical_and(x > -0.5, x < 0.5), tf.float32)),
    # reductions
    "reduce_sum": Step("m", lambda tf, x: tf.reduce_sum(x, 0)),
    "reduce_mean": Step("m", lambda tf, x: tf.reduce_mean(x, axis=1, keepdims=True) + x),
    "reduce_max": Step("m", lambda tf, x: tf.reduce_max(x, 1)),
    "reduce_min": Step("f", lambda tf, x: x - tf.reduce_min(x)),
    "reduce_prod": Step("m", lambda tf, x: tf.reduce_prod(x, 1)),
    "logsumexp": Step("m", lambda tf, x: tf.reduce_logsumexp(x, 0)),
    "variance": Step("m", lambda tf, x: tf.math.reduce_variance(x, 1)),
    "norm": Step("m", lambda tf, x: tf.norm(x + 1.5, axis=1)),
    "moments": Step("m", lambda tf, x: tf.nn.moments(x, [0])[1]),
    "cumsum": Step("m", lambda tf, x: tf.cumsum(x, 1)),
    "cumprod": Step("m", lambda tf, x: tf.math.cumprod(x, 0, exclusive=True)),
    "argmax": Step("m", lambda tf, x: tf.cast(tf.argmax(x, 1), tf.float32)),
    "segment_sum": Step("m", lambda tf, x: tf.math.segment_sum(x, [0, 0, 1])),
    "unsorted_segment": Step("m", lambda tf, x: tf.math.unsorted_segment_sum(x, [1, 0, 1], 2)),
    "segment_mean": Step("m", lambda tf, x: tf.math.segment_mean(x, [0, 1, 1])),
    # shapes
    "transpose": Step("m", lambda tf, x: tf.transpose(x)),
    "reshape": Step("f", lambda tf, x: tf.reshape(x, [-1])),
    "expand": Step("m", lambda tf, x: tf.squeeze(tf.expand_dims(x, 1) * 2.0, 1)),
    "concat": Step("m", lambda tf, x: tf.concat([x, x * 2.0], 0)[:3]),
    "stack": Step("m", lambda tf, x: tf.stack([x, -x], 1)[:, 1]),
    "unstack": Step("m", lambda tf, x: tf.add_n(tf.unstack(x, axis=1))),
    "split": Step("m", lambda tf, x: tf.split(x, [1, 2], 0)[1]),
    "pad": Step("m", lambda tf, x: tf.pad(x, [[1, 0], [0, 2]])),
    "mirror_pad": Step("m", lambda tf, x: tf.pad(x, [[1, 1], [0, 1]], "REFLECT")),
    "tile": Step("m", lambda tf, x: tf.tile(x, [1, 2])),
    "slice": Step("m", lambda tf, x: x[1:, ::2]),
    "slice_negative": Step("m", lambda tf, x: x[::-1, -1:]),
    "new_axis": Step("m", lambda tf, x: x[:, tf.newaxis, 0]),
    "tf_slice": Step("m", lambda tf, x: tf.slice(x, [0, 1], [2, -1])),
    "reverse": Step("m", lambda tf, x: tf.reverse(x, [1])),
    "roll": Step("m", lambda tf, x: tf.roll(x, 1, 0)),
    "broadcast": Step("m", lambda tf, x: tf.reduce_mean(tf.broadcast_to(x, [2, *x.shape]), 0)),
    "repeat": Step("m", lambda tf, x: tf.repeat(x, 2, axis=0)),
    "gather": Step("m", lambda tf, x: tf.gather(x, [2, 0, 0])),
    "gather_columns": Step("m", lambda tf, x: tf.gather(x, [1, 0], axis=1)),
    "gather_nd": Step("m", lambda tf, x: tf.gather_nd(x, [[0, 1], [2, 0]])),
    "boolean_mask": Step("m", lambda tf, x: tf.boolean_mask(x, [True, False, True])),
    "scatter_nd": Step("m", lambda tf, x: tf.scatter_nd([[1], [0], [3]], x[:3], [4, x.shape[1]])),
    "scatter_update": Step("m", lambda tf, x: tf.tensor_scatter_nd_update(x, [[0]], x[1:2])),
    "scatter_add": Step("m", lambda tf, x: tf.tensor_scatter_nd_add(x, [[0], [0]], x[1:3])),
    "dynamic_stitch": Step("m", lambda tf, x: tf.dynamic_stitch([[0, 2], [1]], [x[:2], x[2:3]])),
    "dynamic_partition": Step("m", lambda tf, x: tf.dynamic_partition(x, [0, 1, 0], 2)[0]),
    "top_k": Step("m", lambda tf, x: tf.math.top_k(x, 2).values),
    "sort": Step("m", lambda tf, x: tf.sort(x, direction="DESCENDING")),
    "argsort": Step("m", lambda tf, x: tf.cast(tf.argsort(x), tf.float32)),
    "searchsorted": Step("m", lambda tf, x: tf.cast(tf.searchsorted(tf.sort(x), x), tf.float32)),
    "meshgrid": Step("m", lambda tf, x: tf.meshgrid(x[0], x[1])[1]),
    "shape": Step("m", lambda tf, x: x * tf.cast(tf.shape(x)[1], tf.float32)),
    "space": Step("m", lambda tf, x: tf.reshape(tf.nn.space_to_depth(tf.reshape(x[:2, :2], [1, 2, 2, 1]), 2), [2, 2])),
    "band_part": Step("m", lambda tf, x: tf.linalg.band_part(x, 0, 1)),
    "diag_part": Step("m", lambda tf, x: tf.linalg.diag_part(x)),
    "diag": Step("m", lambda tf, x: tf.linalg.diag(x[0])),
    "set_diag": Step("m", lambda tf, x: tf.linalg.set_diag(x[:2, :2], x[0, :2])),
    "eye": Step("m", lambda tf, x: x[:2, :2] + tf.eye(2)),
    "one_hot": Step("m", lambda tf, x: tf.one_hot(tf.argmax(x, 1), 5) * tf.reduce_mean(x)),
    "range": Step("m", lambda tf, x: x * tf.range(1.0, tf.cast(tf.shape(x)[1], tf.float32) + 0.5)),
    "linspace": Step("m", lambda tf, x: x * tf.linspace(0.5, 1.5, tf.shape(x)[1])),
    "unique": Step("m", lambda tf, x: tf.gather(x, tf.unique([1, 0, 1]).y)),
    "sequence_mask": Step("m", lambda tf, x: x * tf.cast(tf.sequence_mask([1, 2, 3], x.shape[1]), tf.float32)),
    # products, networks
    "matmul": Step("mm", lambda tf, x, y: tf.matmul(x, y, transpose_a=True)[:, :3] if x.shape[0] == y.shape[0] else x),
    "gram": Step("m", lambda tf, x: tf.matmul(x, x, transpose_b=True)),
    "einsum": Step("m", lambda tf, x: tf.einsum("ij,kj->ik", x, x)),
    "tensordot": Step("m", lambda tf, x: tf.tensordot(x, tf.transpose(x), 1)),
    "bias_add": Step("m", lambda tf, x: tf.nn.bias_add(x, x[0])),
    "batch_norm": Step("m", lambda tf, x: tf.nn.batch_normalization(x, x[0], x[1] * x[1], None, None, 0.1)),
    "l2_normalize": Step("m", lambda tf, x: tf.math.l2_normalize(x + 0.1, 1)),
    "cross_entropy": Step("m", lambda tf, x: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x * 0.5), x)),
    "sparse_entropy": Step("m", lambda tf, x: tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1, 0], x)),
    "sigmoid_entropy": Step("m", lambda tf, x: tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(x), x)),
    "embedding": Step("m", lambda tf, x: tf.nn.embedding_lookup(x, [[0, 2], [1, 1]])[:, 0]),
    "conv1d": Step("m", lambda tf, x: tf.nn.conv1d(x[tf.newaxis], tf.ones([2, x.shape[1], 2]) * 0.3, 1, "SAME")[0]),
    "conv2d": Step(
        "m",
        lambda tf, x: tf.nn.conv2d(x[tf.newaxis, :, :, tf.newaxis], tf.ones([2, 2, 1, 1]) * 0.4, 1, "SAME")[0, :, :, 0],
    ),
    "max_pool": Step("m", lambda tf, x: tf.nn.max_pool2d(x[tf.newaxis, :, :, tf.newaxis], 2, 1, "SAME")[0, :, :, 0]),
    "avg_pool": Step("m", lambda tf, x: tf.nn.avg_pool2d(x[tf.newaxis, :, :, tf.newaxis], 2, 1, "VALID")[0, :, :, 0]),
    "depthwise": Step(
        "m",
        lambda tf, x: tf.nn.depthwise_conv2d(
            x[tf.newaxis, :, :, tf.newaxis], tf.ones([2, 1, 1, 2]), [1, 1, 1, 1], "SAME"
        )[0, :, :, 1],
    ),
    "resize": Step("m", lambda tf, x: tf.image.resize(x[:, :, tf.newaxis], [4, 3])[:, :, 0]),
    "clip_by_norm": Step("m", lambda tf, x: tf.clip_by_norm(x, 0.8)),
    "inverse": Step("m", lambda tf, x: tf.linalg.inv(x[:2, :2] * 0.1 + tf.eye(2))),
    "cholesky": Step(
        "m", lambda tf, x: tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + 2.0 * tf.eye(x.shape[0]))
    ),
    "solve": Step("m", lambda tf, x: tf.linalg.solve(x[:2, :2] * 0.1 + tf.eye(2), x[:2])),
    "det": Step("m", lambda tf, x: x * tf.linalg.det(x[:2, :2])),
    # control flow
    "cond": Step("f", lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: tf.sin(x))),
    "switch_case": Step("f", lambda tf, x: tf.switch_case(tf.constant(1), [lambda: x, lambda: tf.exp(-x * x)])),
    "while": Step("f", looped),
    "scan": Step("m", _scan),
    "map_fn": Step("m", lambda tf, x: tf.map_fn(lambda row: row * tf.reduce_max(row), x)),
    "foldl": Step("m", lambda tf, x: tf.foldl(lambda a, row: a * 0.5 + row, x)),
    # others, which have no gradient
    "strings": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.join([s, "!"])), tf.float32)),
    "split_strings": Step("s", lambda tf, s: tf.cast(tf.strings.split(s).row_lengths(), tf.float32)),
    "regex": Step("s", lambda tf, s: tf.cast(tf.strings.regex_full_match(s, ".*b.*"), tf.float32)),
    "to_number": Step("s", lambda tf, s: tf.strings.to_number(tf.strings.as_string(tf.strings.length(s)))),
    "hash": Step("s", lambda tf, s: tf.cast(tf.strings.to_hash_bucket_fast(s, 7), tf.float32)),
    "integers": Step("i", lambda tf, i: tf.cast(tf.math.floordiv(i * 3, 2) + i % 4, tf.float32)),
    "bits": Step("i", lambda tf, i: tf.cast(tf.bitwise.bitwise_xor(i, 5), tf.float32)),
    "bincount": Step("i", lambda tf, i: tf.cast(tf.math.bincount(i, minlength=6, maxlength=6), tf.float32)),
    "ragged": Step("m", lambda tf, x: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(x, [1, 0, 2]), 1)),
    "sparse": Step("m", lambda tf, x: tf.sparse.to_dense(tf.sparse.from_dense(x))),
    "stateless": Step("m", lambda tf, x: x + tf.random.stateless_normal([3, 1], [1, 2])),
    "assert": Step("f", lambda tf, x: _asserted(tf, x)),
}


def _asserted(tf: Any, x: Any) -> Any:
    with tf.control_dependencies([tf.debugging.assert_all_finite(x, "finite") if False else tf.no_op()]):
        return tf.identity(x)
