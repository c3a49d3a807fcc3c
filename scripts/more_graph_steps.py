"""Further kinds of steps of `compare_graphs`: other types, signals, images, calls, ragged and sparse tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scripts.graph_steps import Step, looped


def _ragged(tf: Any, x: Any) -> Any:
    return tf.RaggedTensor.from_row_lengths(x, [1, 0, 2])


def _nested_loop(tf: Any, x: Any) -> Any:
    """A loop in a branch of a loop."""

    def inner(a: Any) -> Any:
        return tf.while_loop(lambda i, b: i < 2, lambda i, b: (i + 1, tf.sin(b) + a), (tf.constant(0), a))[1]

    def turn(i: Any, a: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: inner(a), lambda: a * 0.7)

    return tf.while_loop(lambda i, a: i < 10, turn, (tf.constant(0), x), maximum_iterations=3)[1]


def _custom(tf: Any, x: Any) -> Any:
    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def doubled(a: Any) -> Any:
        return a * 2.0, lambda dy: dy * tf.cos(a)

    return doubled(x)


def _called(tf: Any, x: Any) -> Any:
    @tf.function(autograph=False)  # type: ignore[untyped-decorator]
    def inner(a: Any, b: Any) -> Any:
        return tf.tanh(a) * b, a + b

    one, other = inner(x, x * 0.5)
    return one - other * inner(x, x)[1]


def _called_open(tf: Any, x: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)], autograph=False)  # type: ignore[untyped-decorator]
    def inner(a: Any) -> Any:
        rows = tf.reshape(tf.transpose(a), [-1])
        return a * tf.cast(tf.shape(a)[1], tf.float32) + tf.reduce_mean(rows[1:])

    return inner(x)


def _open(tf: Any, x: Any, step: Any) -> Any:
    """A step whose input has no known size."""

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)], autograph=False)  # type: ignore[untyped-decorator]
    def inner(a: Any) -> Any:
        return step(a)

    return inner(x)


def _sparse(tf: Any, x: Any) -> Any:
    """A sparse tensor that no gradient goes through: TensorFlow has none for some ops."""
    return tf.sparse.from_dense(tf.stop_gradient(x))


def _image(tf: Any, x: Any, change: Any) -> Any:
    return change(tf.tile(x[:, :, tf.newaxis], [1, 1, 3]))[:, :, 1]


def _spectrum(tf: Any, x: Any) -> Any:
    wave = tf.signal.fft(tf.complex(x, x * 0.5))
    return tf.abs(wave) + tf.math.real(tf.signal.ifft(wave * tf.math.conj(wave)))


MORE_STEPS: Mapping[str, Step] = {
    # other types
    "int64": Step("i", lambda tf, i: tf.cast(tf.cumsum(tf.cast(i, tf.int64) * 3), tf.float32)),
    "int64_gather": Step("m", lambda tf, x: tf.gather(x, tf.constant([2, 0, 2], tf.int64), axis=0)),
    "gather_batch": Step("m", lambda tf, x: tf.gather(x, [[0, 1], [1, 1], [0, 0]], axis=1, batch_dims=1)),
    "gather_last": Step("m", lambda tf, x: tf.gather(x, [[1, 0], [1, 1]], axis=-1)[:, 0]),
    "gather_nd_batch": Step("m", lambda tf, x: tf.gather_nd(x, [[[0], [1]], [[1], [1]], [[0], [0]]], batch_dims=1)),
    "unsigned": Step("i", lambda tf, i: tf.cast(tf.bitwise.left_shift(tf.cast(i, tf.uint8), 2), tf.float32)),
    "logical": Step("f", lambda tf, x: tf.cast(tf.math.logical_xor(x > 0.0, tf.logical_not(x < 0.4)), tf.float32)),
    "reduce_any": Step("m", lambda tf, x: tf.cast(tf.reduce_any(x > 0.3, 1), tf.float32)),
    "reduce_all": Step("m", lambda tf, x: tf.cast(tf.reduce_all(x > -2.0, 0), tf.float32)),
    "double_product": Step("m", lambda tf, x: tf.cast(tf.reduce_prod(tf.cast(x, tf.float64), [0]), tf.float32)),
    "half": Step("f", lambda tf, x: tf.cast(tf.round(tf.cast(x, tf.float16)), tf.float32)),
    "complex": Step("f", lambda tf, x: tf.math.real(tf.complex(x, 1.0 - x) * tf.complex(0.5 * x, x))),
    "complex_abs": Step("f", lambda tf, x: tf.abs(tf.complex(x + 2.0, x))),
    "angle": Step("f", lambda tf, x: tf.math.angle(tf.complex(x + 2.0, x))),
    "spectrum": Step("m", _spectrum),
    "rfft": Step("m", lambda tf, x: tf.signal.irfft(tf.signal.rfft(x, [4]), [4])),
    "dct": Step("m", lambda tf, x: tf.signal.dct(x, type=2)),
    "frame": Step("m", lambda tf, x: tf.signal.frame(x, 2, 1, pad_end=True)[:, 0]),
    "window": Step("m", lambda tf, x: x * tf.signal.hann_window(tf.shape(x)[1])),
    # math
    "cumprod_reverse": Step("m", lambda tf, x: tf.math.cumprod(x, 1, reverse=True)),
    "cumulative_logsumexp": Step("m", lambda tf, x: tf.math.cumulative_logsumexp(x, 1)),
    "prod_all": Step("m", lambda tf, x: x * tf.tanh(tf.reduce_prod(x))),
    "divide_no_nan": Step("f", lambda tf, x: tf.math.divide_no_nan(x, tf.round(x))),
    "multiply_no_nan": Step("f", lambda tf, x: tf.math.multiply_no_nan(x, tf.round(x))),
    "xlogy": Step("f", lambda tf, x: tf.math.xlogy(tf.abs(x), tf.abs(x) + 0.2)),
    "digamma": Step("f", lambda tf, x: tf.math.digamma(tf.abs(x) + 1.0)),
    "betainc": Step("f", lambda tf, x: tf.math.betainc(1.5, 2.0, tf.sigmoid(x))),
    "igamma": Step("f", lambda tf, x: tf.math.igamma(1.5, tf.abs(x) + 0.1)),
    "erfinv": Step("f", lambda tf, x: tf.math.erfinv(tf.tanh(x) * 0.9)),
    "top_k_indices": Step("m", lambda tf, x: tf.cast(tf.math.top_k(x, 2).indices, tf.float32)),
    "in_top_k": Step("m", lambda tf, x: tf.cast(tf.math.in_top_k([0, 1, 0], x, 1), tf.float32)),
    "confusion": Step("i", lambda tf, i: tf.cast(tf.math.confusion_matrix(i, i, 5), tf.float32)),
    "segment_max": Step("m", lambda tf, x: tf.math.unsorted_segment_max(x, [1, 0, 1], 2)),
    "segment_prod": Step("m", lambda tf, x: tf.math.segment_prod(x, [0, 0, 1])),
    "clip_global": Step("m", lambda tf, x: tf.clip_by_global_norm([x, x[0]], 1.0)[0][0]),
    "zero_fraction": Step("f", lambda tf, x: x * tf.math.zero_fraction(tf.nn.relu(x))),
    # shapes
    "symmetric_pad": Step("m", lambda tf, x: tf.pad(x, [[1, 2], [1, 0]], "SYMMETRIC")),
    "strided_update": Step("m", lambda tf, x: tf.tensor_scatter_nd_max(x, [[0, 1], [2, 0]], x[0, :2])),
    "reverse_sequence": Step("m", lambda tf, x: tf.reverse_sequence(x, [1, 2, 2], seq_axis=1)),
    "batch_space": Step("m", lambda tf, x: tf.space_to_batch(x[:2, :2], [2], [[0, 0]])[:, 0]),
    "unique_counts": Step("i", lambda tf, i: tf.cast(tf.unique_with_counts(i).count, tf.float32)),
    "setdiff": Step("i", lambda tf, i: tf.cast(tf.reduce_sum(tf.raw_ops.ListDiff(x=i, y=[1, 2]).out), tf.float32)),
    "where_places": Step("m", lambda tf, x: tf.gather_nd(x, tf.where(x > -10.0))),
    "ensure_shape": Step("m", lambda tf, x: tf.ensure_shape(x, [3, None])),
    "parallel_stack": Step("m", lambda tf, x: tf.stack(tf.unstack(x, axis=0)[::-1])),
    "sort_rows": Step("m", lambda tf, x: tf.sort(x, axis=0)),
    "argsort_rows": Step("m", lambda tf, x: tf.cast(tf.argsort(x, axis=0, direction="DESCENDING"), tf.float32)),
    "upper_bound": Step("m", lambda tf, x: tf.cast(tf.searchsorted(tf.sort(x), x, side="right"), tf.float32)),
    "matrix_band": Step("m", lambda tf, x: tf.linalg.diag(x[0], k=1)),
    # networks
    "dropout": Step("f", lambda tf, x: tf.nn.experimental.stateless_dropout(x, 0.4, [1, 2])),
    "layer_norm": Step(
        "m", lambda tf, x: (x - tf.reduce_mean(x, 1, True)) * tf.math.rsqrt(tf.math.reduce_std(x) + 1.0)
    ),
    "fused_norm": Step(
        "m",
        lambda tf, x: tf.compat.v1.nn.fused_batch_norm(
            x[tf.newaxis, :, :, tf.newaxis], tf.ones([1]), tf.zeros([1]), epsilon=0.1
        )[0][0, :, :, 0],
    ),
    "lrn": Step("m", lambda tf, x: tf.nn.local_response_normalization(x[tf.newaxis, :, :, tf.newaxis])[0, :, :, 0]),
    "conv_transpose": Step(
        "m",
        lambda tf, x: tf.nn.conv2d_transpose(
            x[tf.newaxis, :, :, tf.newaxis], tf.ones([2, 2, 1, 1]) * 0.3, [1, 6, 2 * x.shape[1], 1], 2
        )[0, :3, :, 0],
    ),
    "dilated": Step(  # TensorFlow has no gradient for it on a CPU
        "m",
        lambda tf, x: tf.nn.conv2d(
            tf.stop_gradient(x)[tf.newaxis, :, :, tf.newaxis], tf.ones([2, 1, 1, 1]), 1, "SAME", dilations=2
        )[0, :, :, 0],
    ),
    "pool_argmax": Step(
        "m",
        lambda tf, x: tf.nn.max_pool_with_argmax(x[tf.newaxis, :, :, tf.newaxis], 2, 1, "SAME")[0][0, :, :, 0],
    ),
    "log_poisson": Step("f", lambda tf, x: tf.nn.log_poisson_loss(tf.abs(x), x)),
    "weighted_entropy": Step("m", lambda tf, x: tf.nn.weighted_cross_entropy_with_logits(tf.sigmoid(x), x, 0.5)),
    "crelu": Step("m", lambda tf, x: tf.nn.crelu(x)),
    "cosine": Step("m", lambda tf, x: tf.reduce_sum(tf.nn.l2_normalize(x + 3.0, 0) * x, 1)),
    # images
    "flip": Step("m", lambda tf, x: _image(tf, x, tf.image.flip_left_right)),
    "rotate": Step("m", lambda tf, x: _image(tf, x[:, :3], tf.image.rot90)),
    "brightness": Step("m", lambda tf, x: _image(tf, x, lambda v: tf.image.adjust_brightness(v, 0.2))),
    "contrast": Step("m", lambda tf, x: _image(tf, x, lambda v: tf.image.adjust_contrast(v, 1.4))),
    "gray": Step("m", lambda tf, x: tf.image.rgb_to_grayscale(tf.tile(x[:, :, tf.newaxis], [1, 1, 3]))[:, :, 0]),
    "nearest": Step("m", lambda tf, x: tf.image.resize(x[:, :, tf.newaxis], [4, 5], "nearest")[:, :, 0]),
    "bicubic": Step("m", lambda tf, x: tf.image.resize(x[:, :, tf.newaxis], [4, 5], "bicubic")[:, :, 0]),
    "crop": Step("m", lambda tf, x: tf.image.central_crop(x[:, :, tf.newaxis], 0.9)[:, :, 0]),
    "crop_resize": Step(
        "m",
        lambda tf, x: tf.image.crop_and_resize(x[tf.newaxis, :, :, tf.newaxis], [[0.1, 0.2, 0.8, 0.9]], [0], [3, 3])[
            0, :, :, 0
        ],
    ),
    "total_variation": Step("m", lambda tf, x: x * tf.image.total_variation(x[:, :, tf.newaxis])),
    "sobel": Step("m", lambda tf, x: tf.image.sobel_edges(x[tf.newaxis, :, :, tf.newaxis])[0, :, :, 0, 1]),
    # matrices
    "qr": Step("m", lambda tf, x: tf.linalg.qr(x[:2, :2] * 0.2 + tf.eye(2))[1]),
    "svd": Step("m", lambda tf, x: tf.linalg.svd(x[:2, :2] + tf.constant([[3.0, 0.0], [0.0, 1.0]]), compute_uv=False)),
    "eigh": Step(
        "m", lambda tf, x: tf.linalg.eigvalsh(tf.matmul(x, x, transpose_b=True) + tf.linalg.diag([1.0, 2, 4]))
    ),
    "triangular": Step("m", lambda tf, x: tf.linalg.triangular_solve(tf.eye(2) + 0.1 * x[:2, :2], x[:2])),
    "logdet": Step("m", lambda tf, x: x * tf.linalg.logdet(tf.matmul(x, x, transpose_b=True) + 2.0 * tf.eye(3))),
    "trace": Step("m", lambda tf, x: x * tf.linalg.trace(x)),
    "pinv": Step("m", lambda tf, x: tf.linalg.pinv(x[:2, :2] * 0.2 + tf.constant([[2.0, 0.0], [0.0, 1.0]]))),
    "expm": Step("m", lambda tf, x: tf.linalg.expm(x[:2, :2] * 0.2)),
    "matvec": Step("m", lambda tf, x: tf.linalg.matvec(x, x[0])),
    "tridiagonal": Step(
        "m",
        lambda tf, x: tf.linalg.tridiagonal_solve(
            tf.eye(2) * 2.0 + x[:2, :2] * 0.1, x[:2, 0], diagonals_format="matrix"
        ),
    ),
    # control flow
    "nested_loop": Step("f", _nested_loop),
    "custom_gradient": Step("f", _custom),
    "called": Step("f", _called),
    "called_open": Step("m", _called_open),
    "open_slice": Step("m", lambda tf, x: _open(tf, x, lambda a: a[1:, ::-1] * a[:1])),
    "open_prod": Step("m", lambda tf, x: _open(tf, x, lambda a: tf.reduce_prod(a, 0) + tf.reduce_max(a))),
    "open_concat": Step("m", lambda tf, x: _open(tf, x, lambda a: tf.concat([a, a[:, :1]], 1))),
    "open_loop": Step("m", lambda tf, x: _open(tf, x, lambda a: looped(tf, a))),
    "open_norm": Step("m", lambda tf, x: _open(tf, x, lambda a: tf.linalg.norm(a + 2.0, axis=0))),
    "cond_none": Step("f", lambda tf, x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.zeros_like(x), lambda: x)),
    "case": Step(
        "f",
        lambda tf, x: tf.case(
            [(tf.reduce_sum(x) > 100.0, lambda: x), (tf.reduce_sum(x) > -100.0, lambda: tf.exp(-tf.square(x)))],
            default=lambda: x * 3.0,
        ),
    ),
    "vectorized": Step("m", lambda tf, x: tf.vectorized_map(lambda row: row * tf.reduce_sum(row), x)),
    "foldr": Step("m", lambda tf, x: tf.foldr(lambda a, row: tf.tanh(a) + row, x)),
    "scan_function": Step("m", lambda tf, x: tf.scan(lambda a, row: a * 0.3 + row, x)),
    "array_concat": Step(
        "m", lambda tf, x: tf.TensorArray(tf.float32, 3, element_shape=[x.shape[1]]).unstack(x).stack()
    ),
    # ragged, sparse
    "ragged_mean": Step("m", lambda tf, x: tf.reduce_mean(_ragged(tf, x[:, 0]) + 1.0)[tf.newaxis]),
    "ragged_dense": Step("m", lambda tf, x: _ragged(tf, x[:, 0]).to_tensor(0.5)),
    "ragged_shape": Step("m", lambda tf, x: _ragged(tf, x).to_tensor(shape=[None, 3, None])[:, :, 0]),
    "ragged_slice": Step("m", lambda tf, x: _ragged(tf, x)[:, :1].values),
    "ragged_gather": Step("m", lambda tf, x: tf.gather(_ragged(tf, x), [2, 0]).values),
    "ragged_concat": Step("m", lambda tf, x: tf.concat([_ragged(tf, x), _ragged(tf, x * 2.0)], 1).values),
    "ragged_from_dense": Step("m", lambda tf, x: tf.RaggedTensor.from_tensor(x, [1, 2, 0]).values),
    "ragged_map": Step("m", lambda tf, x: tf.ragged.map_flat_values(tf.sin, _ragged(tf, x)).values),
    "ragged_mask": Step(
        "m",
        lambda tf, x: (
            tf.ragged.boolean_mask(x, tf.constant([[True, False], [True, True], [False, False]])).values
            if x.shape[1] == 2
            else x
        ),
    ),
    "ragged_range": Step("i", lambda tf, i: tf.cast(tf.ragged.range(i).values, tf.float32)),
    "sparse_product": Step("m", lambda tf, x: tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(x), tf.transpose(x))),
    "sparse_sum": Step("m", lambda tf, x: tf.sparse.reduce_sum(tf.sparse.from_dense(x), 1)),
    "sparse_add": Step(
        "m", lambda tf, x: tf.sparse.to_dense(tf.sparse.add(tf.sparse.from_dense(x), tf.sparse.from_dense(x)))
    ),
    "sparse_slice": Step(
        "m", lambda tf, x: tf.sparse.to_dense(tf.sparse.slice(tf.sparse.from_dense(x), [0, 0], [2, 2]))
    ),
    "sparse_reorder": Step("m", lambda tf, x: tf.sparse.reorder(tf.sparse.from_dense(x)).values),
    "sparse_transpose": Step("m", lambda tf, x: tf.sparse.to_dense(tf.sparse.transpose(tf.sparse.from_dense(x)))),
    "sparse_concat": Step("m", lambda tf, x: tf.sparse.to_dense(tf.sparse.concat(0, [_sparse(tf, x)] * 2))),
    "sparse_softmax": Step("m", lambda tf, x: tf.sparse.softmax(tf.sparse.from_dense(x)).values),
    "embedding_sparse": Step(
        "m",
        lambda tf, x: tf.nn.safe_embedding_lookup_sparse(
            x, tf.sparse.from_dense(tf.constant([[1, 2], [0, 1]], tf.int64)), combiner="sum"
        ),
    ),
    # text
    "bytes": Step("s", lambda tf, s: tf.cast(tf.strings.bytes_split(s).row_lengths(), tf.float32)),
    "join": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.reduce_join(s, separator="-")), tf.float32)),
    "substr": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.substr(s, 0, 2)), tf.float32)),
    "replace": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.regex_replace(s, "b", "xyz")), tf.float32)),
    "upper": Step("s", lambda tf, s: tf.cast(tf.equal(tf.strings.upper(s), "BCD"), tf.float32)),
    "strip": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.strip(s)), tf.float32)),
    "hash_strong": Step("s", lambda tf, s: tf.cast(tf.strings.to_hash_bucket_strong(s, 7, [1, 2]), tf.float32)),
    "unicode": Step("s", lambda tf, s: tf.cast(tf.strings.unicode_decode(s, "UTF-8").values, tf.float32)),
    "ngrams": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.strings.ngrams(s, 2)), tf.float32)),
    "base64": Step("s", lambda tf, s: tf.cast(tf.strings.length(tf.io.encode_base64(s)), tf.float32)),
    "decode_raw": Step(
        "s", lambda tf, s: tf.cast(tf.io.decode_raw(tf.strings.join([s, "abcd"]), tf.uint8, fixed_length=4), tf.float32)
    ),
    "format": Step("f", lambda tf, x: tf.cast(tf.strings.length([tf.strings.format("{}", tf.shape(x))]), tf.float32)),
    # random numbers
    "stateless_uniform": Step("f", lambda tf, x: x * tf.random.stateless_uniform([1], [3, 4])),
    "stateless_integers": Step(
        "i", lambda tf, i: tf.cast(i + tf.random.stateless_uniform([4], [3, 4], 0, 9, tf.int32), tf.float32)
    ),
    "shuffle": Step("m", lambda tf, x: tf.stop_gradient(tf.random.experimental.stateless_shuffle(x, [5, 6]))),
}
