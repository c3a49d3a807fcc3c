"""The composed functions of tf.math, tf.linalg and tf.nn against NumPy and by hand; 1.x names and signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

X = np.array([[1.0, -2.0, 3.0], [4.0, 0.5, -6.0]])


def close(tensor: Any, want: Any) -> None:
    np.testing.assert_allclose(np.asarray(tensor), want, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: tf.reduce_logsumexp(X, 1), np.log(np.exp(X).sum(1))),
        (lambda: tf.reduce_logsumexp([1000.0, 1000.0]), 1000 + np.log(2)),
        (lambda: tf.reduce_logsumexp([-np.inf, -np.inf]), -np.inf),
        (lambda: tf.math.reduce_variance(X, 0), X.var(0)),
        (lambda: tf.math.reduce_std(X, 1, keepdims=True), X.std(1, keepdims=True)),
        (lambda: tf.math.reduce_variance(X + 2j * X), (X + 2j * X).var()),
        (lambda: tf.math.reduce_euclidean_norm(X, 0), np.sqrt((X**2).sum(0))),
        (lambda: tf.count_nonzero([[0, 1], [2, 0]], axis=1, keep_dims=True), [[1], [1]]),
        (lambda: tf.math.cumulative_logsumexp(X, axis=1), np.log(np.cumsum(np.exp(X), 1))),
        (lambda: tf.cumsum([1, 2, 3], exclusive=True), [0, 1, 3]),
        (lambda: tf.cumprod([1, 2, 3], reverse=True), [6, 6, 3]),
        (lambda: tf.math.polyval([1.0, 2.0, 3.0], 2.0), 11),
        (lambda: tf.clip_by_value([-1.0, 0.5, 9.0], 0.0, 1.0), [0, 0.5, 1]),
        (lambda: tf.round([0.5, 1.5, 2.5, -1.5]), [0, 2, 2, -2]),
        (lambda: tf.math.angle([-1.0, 1.0]), [np.pi, 0]),
        (lambda: tf.truncatediv([-7, 7], [2, -2]), [-3, -3]),
        (lambda: tf.truncatemod([-7, 7], [2, -2]), [-1, 1]),
        (lambda: tf.div([-7, 7], [2, 2]), [-4, 3]),
        (lambda: tf.saturate_cast([-5.0, 300.0], tf.uint8), [0, 255]),
        (lambda: tf.saturate_cast([3e10, -3e10], tf.int32), [2**31 - 128, -(2**31)]),
        (lambda: tf.saturate_cast(np.float16([np.inf, -np.inf, 1.5]), tf.uint32), [65504, 0, 1]),
        (lambda: tf.saturate_cast(np.float16([np.inf, -np.inf]), tf.int64), [65504, -65504]),
        (lambda: tf.saturate_cast(tf.constant([3e38, -1.0], tf.bfloat16), tf.uint64), [2**64 - 2**56, 0]),
        (lambda: tf.cast(tf.saturate_cast(np.uint64([2**63]), tf.bfloat16), tf.float32), [2.0**63]),
        (lambda: tf.image.convert_image_dtype([2.0, -2.0], tf.int32, saturate=True), [2**31 - 128, -(2**31)]),
        (lambda: tf.image.convert_image_dtype([2.0, -2.0], tf.uint16, saturate=True), [2**16 - 1, 0]),
        (lambda: tf.math.erfcinv([0.3]), [0.7328690779592167]),
        (lambda: tf.math.bessel_i1([0.5, -2.0]), [0.25789431, -1.59063685]),
        (lambda: tf.norm(X), np.linalg.norm(X)),
        (lambda: tf.norm(X, 1, axis=0), np.abs(X).sum(0)),
        (lambda: tf.norm(X, np.inf, axis=1), np.abs(X).max(1)),
        (lambda: tf.norm(X, 3, axis=1), (np.abs(X) ** 3).sum(1) ** (1 / 3)),
        (lambda: tf.norm(X, 1, axis=[0, 1]), np.linalg.norm(X, 1)),
        (lambda: tf.norm(X, 2, axis=[0, 1], keepdims=True), [[np.linalg.norm(X, 2)]]),
        (lambda: tf.einsum("...ij,jk->...ik", np.ones((2, 2, 3)), X.T), np.ones((2, 2, 3)) @ X.T),
        (lambda: tf.tensordot(X, X, [[0, 1], [0, 1]]), (X * X).sum()),
        (lambda: tf.tensordot(X, X.T, 1), X @ X.T),
        (lambda: tf.eye(2, 3, batch_shape=[2]), np.stack([np.eye(2, 3)] * 2)),
        (lambda: tf.linalg.diag([[1.0, 2.0], [3.0, 4.0]], k=-1), [np.diag([1.0, 2], -1), np.diag([3.0, 4], -1)]),
        (lambda: tf.linalg.tensor_diag_part(tf.linalg.tensor_diag(X)), X),
        (lambda: tf.linalg.band_part(np.ones((3, 3)), 1, 0), np.tril(np.ones((3, 3))) - np.eye(3, k=-2)),
        (lambda: tf.linalg.lstsq(X.T, np.ones((3, 1))), np.linalg.lstsq(X.T, np.ones((3, 1)), rcond=None)[0]),
        (lambda: tf.linalg.logdet(X @ X.T), np.log(np.linalg.det(X @ X.T))),
        (lambda: tf.linalg.cross([1.0, 0, 0], [0.0, 1, 0]), [0, 0, 1]),
        (lambda: tf.linalg.matvec(X, [1.0, 2.0, 3.0]), X @ [1, 2, 3]),
        (lambda: tf.linalg.l2_normalize([3.0, 4.0]), [0.6, 0.8]),
    ],
)
def test_value(got: Any, want: Any) -> None:
    close(got(), want)


def test_diagonal_bands_are_packed_as_documented() -> None:
    # Superdiagonals are padded on the left and subdiagonals on the right: "RIGHT_LEFT".
    matrix = np.arange(1.0, 13.0).reshape(3, 4)
    band = tf.linalg.diag_part(matrix, k=(-1, 2), padding_value=9.0)
    close(band, [[9, 3, 8], [2, 7, 12], [1, 6, 11], [5, 10, 9]])
    close(tf.linalg.set_diag(np.zeros((3, 4)), band, k=(-1, 2)), np.triu(np.tril(matrix, 2), -1))


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [1, 2])
def test_convolution_is_the_sum_over_the_window(padding: str, stride: int) -> None:
    random = np.random.default_rng(0)
    image, kernel = random.normal(size=(2, 5, 6, 3)), random.normal(size=(3, 2, 3, 4))
    rows, columns = (-(-n // stride) if padding == "SAME" else (n - k) // stride + 1 for n, k in ((5, 3), (6, 2)))
    total = [max((out - 1) * stride + k - n, 0) for out, k, n in ((rows, 3, 5), (columns, 2, 6))]
    padded = np.pad(image, [(0, 0), *((t // 2, t - t // 2) for t in total), (0, 0)])
    want = np.zeros((2, rows, columns, 4))
    for i in range(rows):
        for j in range(columns):
            window = padded[:, i * stride : i * stride + 3, j * stride : j * stride + 2]
            want[:, i, j] = np.einsum("nhwc,hwco->no", window, kernel)
    close(tf.nn.conv2d(image, kernel, stride, padding), want)
    turned = tf.nn.conv2d(np.moveaxis(image, 3, 1), kernel, [1, 1, stride, stride], padding, data_format="NCHW")
    close(turned, np.moveaxis(want, 3, 1))


def test_groups_and_depthwise_filters_see_their_own_channels() -> None:
    image, kernel = np.random.default_rng(1).normal(size=(1, 4, 4, 4)), np.ones((1, 1, 2, 2))
    close(tf.nn.conv2d(image, kernel, 1, "SAME")[..., 0], image[..., :2].sum(-1))
    close(tf.nn.conv2d(image, kernel, 1, "SAME")[..., 1], image[..., 2:].sum(-1))
    each = tf.nn.depthwise_conv2d(image, np.full((1, 1, 4, 1), 2.0), [1, 1, 1, 1], "SAME")
    close(each, 2 * image)


def test_transposed_convolution_and_sequences() -> None:
    ones = np.ones((1, 2, 2, 1))
    close(tf.nn.conv2d_transpose(ones, np.ones((2, 2, 1, 1)), [1, 4, 4, 1], 2), np.ones((1, 4, 4, 1)))
    close(tf.nn.conv1d([[[1.0], [2.0], [3.0]]], [[[1.0]], [[1.0]]], 1, "VALID"), [[[3], [5]]])


def test_pooling_leaves_the_padding_out() -> None:
    image = -np.arange(1.0, 10.0).reshape(1, 3, 3, 1)
    close(tf.nn.max_pool2d(image, 2, 2, "SAME")[0, :, :, 0], [[-1, -3], [-7, -9]])
    close(tf.nn.avg_pool2d(image, 2, 2, "SAME")[0, :, :, 0], [[-3, -4.5], [-7.5, -9]])


def test_cross_entropies_agree_with_their_definitions() -> None:
    logits, labels = np.array([[1.0, 2.0, -1.0], [0.3, 0.0, 5.0]]), np.array([[0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])
    logp = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    close(tf.nn.softmax_cross_entropy_with_logits(labels, logits), -(labels * logp).sum(1))
    close(tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], logits), [-logp[0, 1], -logp[1, 2]])
    p = 1 / (1 + np.exp(-logits))
    close(tf.nn.sigmoid_cross_entropy_with_logits(labels, logits), -labels * np.log(p) - (1 - labels) * np.log(1 - p))
    weighted = -labels * np.log(p) * 3 - (1 - labels) * np.log(1 - p)
    close(tf.nn.weighted_cross_entropy_with_logits(labels, logits, 3.0), weighted)
    assert np.isfinite(tf.nn.sigmoid_cross_entropy_with_logits([1.0], [-1e4])).all()


def test_a_label_out_of_range_is_named() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"label value of 3 .* range of \[0, 3\)"):
        tf.nn.sparse_softmax_cross_entropy_with_logits([3], [[1.0, 2.0, 3.0]])


def test_top_k_prefers_the_first_of_equals() -> None:
    found = tf.nn.top_k([[1, 3, 3, 2]], k=3)
    assert found.values.numpy().tolist() == [[3, 3, 2]] and found.indices.numpy().tolist() == [[1, 2, 3]]
    assert tf.nn.in_top_k([1, 0], [[0.1, 0.9, 0.5], [0.1, 0.9, 0.5]], 1).numpy().tolist() == [True, False]


def test_rows_dealt_among_shards_are_found_again() -> None:
    table = np.arange(10.0).reshape(5, 2)
    dealt, blocks = [table[::2], table[1::2]], [table[:3], table[3:]]
    ids = [[4, 1], [0, 3]]
    close(tf.compat.v1.nn.embedding_lookup(dealt, ids), table[ids])
    close(tf.nn.embedding_lookup(blocks, ids), table[ids])
    close(tf.nn.embedding_lookup(table, [4], max_norm=1.0), table[[4]] / np.linalg.norm(table[4]))


def test_moments_and_normalization() -> None:
    mean, variance = tf.nn.moments(X, [0])
    close(mean, X.mean(0))
    close(variance, X.var(0))
    close(tf.nn.batch_normalization(X, mean, variance, 1.0, 2.0, 0.0), 2 * (X - X.mean(0)) / X.std(0) + 1)


def test_dropout_keeps_the_mean_and_refuses_a_rate_of_one() -> None:
    kept = tf.nn.dropout(np.ones(4000), 0.25, seed=3).numpy()
    assert len(np.unique(kept)) == 2 and kept.max() == pytest.approx(1 / 0.75) and abs(kept.mean() - 1) < 0.05
    with pytest.raises(ValueError, match="rate must be"):
        tf.nn.dropout([1.0], 1.0)


def test_clipping_by_norms() -> None:
    close(tf.clip_by_norm([3.0, 4.0], 1.0), [0.6, 0.8])
    clipped, norm = tf.clip_by_global_norm([[3.0], None, [4.0]], 1.0)
    close(norm, 5)
    assert clipped[1] is None
    close(clipped[2], [0.8])


def test_counting() -> None:
    assert tf.bincount([1, 1, 3], minlength=6).numpy().tolist() == [0, 2, 0, 1, 0, 0]
    assert tf.bincount([1, 1, 3], weights=[1.0, 0.5, 2.0], maxlength=2).numpy().tolist() == [0, 1.5]
    assert tf.confusion_matrix([1, 0, 1], [1, 1, 1]).numpy().tolist() == [[0, 1], [0, 2]]


def test_the_1x_names_take_the_1x_arguments() -> None:
    v1 = tf.compat.v1
    assert v1.argmax([[1, 9], [8, 2]], 1, name="where").numpy().tolist() == [1, 0]
    assert tf.argmax([[1, 9], [8, 2]], dimension=0).numpy().tolist() == [1, 0]
    assert tf.arg_max([1, 9], 0).numpy() == 1
    close(tf.reduce_sum(X, reduction_indices=[1], keep_dims=True), X.sum(1, keepdims=True))
    close(v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]), [np.log(2)])
    close(v1.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]), [np.log(2)])
    with pytest.raises(ValueError, match="Both labels and logits"):
        v1.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]])
    assert v1.nn.in_top_k([[0.1, 0.9]], [1], 1).numpy().tolist() == [True]
    close(
        v1.nn.conv2d(np.ones((1, 1, 1, 1)), filter=np.ones((1, 1, 1, 1)), strides=[1, 1, 1, 1], padding="SAME"),
        [[[[1]]]],
    )
    with pytest.raises(ValueError, match="Exactly one"):
        v1.nn.dropout([1.0])


def test_labels_receive_gradients_in_2x_only() -> None:
    labels, logits = tf.constant([[0.5, 0.5]]), tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([labels, logits])
        new = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        old = tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    assert tape.gradient(new, labels) is not None
    assert tape.gradient(old, labels) is None


def test_mistakes_say_what_was_got() -> None:
    with pytest.raises(ValueError, match="'axis' and 'reduction_indices'"):
        tf.reduce_sum(X, 0, reduction_indices=1)
    with pytest.raises(ValueError, match="at least one tensor"):
        tf.add_n([])
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.inv([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be square"):
        tf.linalg.det([[1.0, 1.0]])
    with pytest.raises(ValueError, match="Got 1 inputs for equation"):
        tf.einsum("i,i->i", [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="but no ellipsis"):
        tf.einsum("...i->i", X)
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit: shapes"):
        tf.linalg.banded_triangular_solve([[1.0, 1.0]], [[1.0]])
    with pytest.raises(TypeError, match="must have the same dtype"):
        tf.divide(tf.constant(X), tf.constant(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="segment ids are not increasing"):
        tf.math.segment_sum([1.0, 2.0], [1, 0])
    with pytest.raises(TypeError, match="Invalid keyword"):
        tf.einsum("i->i", [1.0], wrong=1)


def test_tensors_of_shapes_that_do_not_fit_are_not_equal() -> None:
    """As in TensorFlow 2.21; `tf.equal` refuses them."""
    x, y = tf.constant([1, 2]), tf.constant([1, 2, 3])

    @tf.function
    def compared(a: Any, b: Any) -> Any:
        return a == b, a != b

    for equal, other in (
        (x == y, x != y),
        compared(x, y),
        (x == [], x != []),
        (tf.Variable(x) == y, x != tf.Variable(y)),
    ):
        assert (equal.dtype, equal.shape.rank, bool(equal), bool(other)) == (tf.bool, 0, False, True)
    assert (x == [[1], [2]]).numpy().tolist() == [[True, False], [False, True]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.equal(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor but is a int64"):
        bool(x == tf.constant([1, 2, 3], tf.int64))


def test_a_zero_divides_nothing_without_complaint() -> None:
    for divided in (tf.math.floordiv, tf.math.floormod, tf.truncatediv):
        assert divided(tf.zeros([0, 2], tf.int32), [[0, 1]]).shape == (0, 2)


def test_booleans_are_counted() -> None:
    assert tf.math.bincount([True, False, True]).numpy().tolist() == [1, 2]


OUT_OF_RANGE: dict[str, tuple[Callable[[Any], Any], list[int]]] = {
    "softmax": (tf.nn.softmax, []),
    "log_softmax": (lambda x: tf.nn.log_softmax(x, 2), [3, 4]),
    "sort": (lambda x: tf.sort(x, 1), [3]),
    "argsort": (lambda x: tf.argsort(x, 5), [2, 3]),
    "reverse": (lambda x: tf.reverse(x, [-2]), [2]),
    "roll": (lambda x: tf.roll(x, 1, 0), []),
    "top_k": (lambda x: tf.math.top_k(x, 5), [2, 3]),
    "unique": (lambda x: tf.unique(x).y, [2, 3]),
    "unique_with_counts": (lambda x: tf.unique_with_counts(x).y, []),
    "segment_sum": (lambda x: tf.math.segment_sum(x, [0]), []),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_axes_that_a_shape_lacks_are_found_while_the_graph_is_built(name: str) -> None:
    f, shape = OUT_OF_RANGE[name]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="node"):
        f(tf.compat.v1.placeholder(tf.float32, shape))
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.zeros(shape))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        y = f(x)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: np.zeros(shape)})


def test_a_size_that_dropout_is_not_given_is_that_of_its_input():
    dropped = tf.nn.dropout(tf.ones([50, 3]), 0.5, noise_shape=[None, 1], seed=3).numpy()
    assert set(dropped.sum(axis=1)) == {0.0, 6.0}
    with tf.Graph().as_default():
        shape = tf.compat.v1.placeholder(tf.int32)
        assert tf.nn.dropout(tf.ones([4, 3]), 0.5, noise_shape=shape).shape == [4, 3]


@pytest.mark.parametrize("first", [False, True])
def test_a_transposed_convolution_takes_the_sizes_of_its_sides(first: bool) -> None:
    """The numbers are TensorFlow's, for channels last."""
    images, filters = np.float32([[[[0, 1]]]]), np.arange(8, dtype=np.float32).reshape(2, 2, 1, 2)
    layout = {"data_format": "NCHW"} if first else {}
    images = images.transpose(0, 3, 1, 2) if first else images

    def transposed(images: Any) -> Any:
        return tf.nn.conv2d_transpose(images, filters, [2, 2], 1, "VALID", **layout)

    made = transposed(images)
    assert made.shape == ([1, 1, 2, 2] if first else [1, 2, 2, 1])
    assert made.numpy().ravel().tolist() == [1, 3, 5, 7]
    assert tf.function(transposed).get_concrete_function(tf.TensorSpec(images.shape)).output_shapes == made.shape
