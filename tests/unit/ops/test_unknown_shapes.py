"""Ops of tensors whose rank, axis or sizes are known only when they run, and what is known of shapes all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

IMAGE = np.arange(24.0, dtype=np.float32).reshape(2, 4, 3)
BATCH = np.stack([IMAGE, IMAGE + 100])
GRAY = IMAGE[..., :1]
A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4) - 5

ANY_RANK: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    # FINDINGS A3
    "reshape": (lambda x: tf.reshape(x, [0, -1]), (np.zeros([0, 3, 4]),)),
    # FINDINGS D
    "gather": (lambda x: tf.gather(x, [1], axis=-1), (A,)),
    "tensordot of a number": (lambda x, y: tf.tensordot(x, y, 1), (A, B)),
    "tensordot of axes": (lambda x, y: tf.tensordot(x, y, [[-1, 0], [0, -1]]), (A, np.ones([3, 4, 2]))),
    "tensordot of a tensor": (lambda x, y, axes: tf.tensordot(x, y, axes), (A, B, np.array([[1], [0]], np.int32))),
    "strided_slice": (lambda x: tf.strided_slice(x, [0, 1], [2, 2]), (A,)),
    "flip": (tf.image.flip_left_right, (IMAGE,)),
    "flip of a batch": (tf.image.flip_up_down, (BATCH,)),
    "rot90": (tf.image.rot90, (BATCH,)),
    "rot90 of a tensor": (tf.image.rot90, (IMAGE, np.int32(3))),
    "transpose": (tf.image.transpose, (IMAGE,)),
    "rgb_to_grayscale": (tf.image.rgb_to_grayscale, (IMAGE,)),
    "grayscale_to_rgb": (tf.image.grayscale_to_rgb, (GRAY,)),
    "crop": (lambda x: tf.image.crop_to_bounding_box(x, 0, 1, 1, 2), (IMAGE,)),
    "pad": (lambda x: tf.image.pad_to_bounding_box(x, 1, 0, 4, 4), (IMAGE,)),
    "crop or pad": (lambda x: tf.image.resize_with_crop_or_pad(x, 3, 2), (IMAGE,)),
    "resize and pad": (lambda x: tf.image.resize_with_pad(x, 5, 4), (IMAGE,)),
    "diagonal": (tf.linalg.tensor_diag_part, (np.arange(36.0).reshape(2, 3, 2, 3),)),
    # FINDINGS F
    "norm": (lambda x: tf.norm(x, 2, axis=[-2, -1]), (A,)),
    "norm that keeps axes": (lambda x: tf.norm(x, np.inf, axis=[0, 1], keepdims=True), (A,)),
    "confusion matrix": (lambda x, y: tf.math.confusion_matrix(x, y, 3), (np.array([[2]]), np.array([1]))),
    "numbers of a count in a list": (lambda n: tf.linspace(1.0, 2.0, n), (np.array([3], np.int32),)),
    "sufficient statistics": (lambda x: tf.nn.sufficient_statistics(x, [-1])[1], (A,)),
    "stitch": (lambda i, d: tf.dynamic_stitch([i], [d]), (np.array([[1, 0]], np.int32), A[None])),
}


@pytest.mark.parametrize("name", ANY_RANK)
def test_ranks_may_be_unknown_while_the_graph_is_built(name: str) -> None:
    function, values = ANY_RANK[name]
    expected = function(*values)
    traced = tf.function(function, input_signature=[tf.TensorSpec(None, tf.constant(v).dtype) for v in values])
    np.testing.assert_allclose(traced(*map(tf.constant, values)), expected, rtol=1e-6)


OF_A_RANK: dict[str, tuple[Callable[..., Any], Any, Any]] = {
    "argmax": (lambda axis: tf.argmax(A, axis), np.int32(1), np.array([1], np.int32)),
    "cumsum": (lambda axis: tf.cumsum(A, axis), np.int32(1), np.array([1], np.int32)),
    "reverse": (lambda axes: tf.reverse(A, axes), np.array([1], np.int32), np.array([[1]], np.int32)),
    "transpose": (lambda axes: tf.transpose(A, axes), np.array([1, 0], np.int32), np.array([[1, 0]], np.int32)),
    "seed": (lambda seed: tf.random.stateless_uniform([2], seed), np.array([1, 2]), np.array([1, 2, 3])),
}


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", OF_A_RANK)
def test_a_rank_that_an_op_wants_is_checked_when_it_is_known_at_last(name: str, jit: bool) -> None:
    function, right, wrong = OF_A_RANK[name]
    signature = [tf.TensorSpec(None, tf.as_dtype(right.dtype))]
    traced = tf.function(function, input_signature=signature, jit_compile=jit)
    np.testing.assert_allclose(traced(tf.constant(right)), function(right))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be"):
        traced(tf.constant(wrong))


IMPOSSIBLE: dict[str, Callable[[], Any]] = {
    "a negative size": lambda: tf.random.stateless_normal([-2], [1, 2]),
    "a scalar for a shape": lambda: tf.random.stateless_normal(1, [1, 2]),
    "a matrix for a shape": lambda: tf.random.uniform([[1]]),
    "several files": lambda: tf.io.read_file(["a", "b"]),
    "several images": lambda: tf.io.decode_png(["a"]),
    "a vector of sound": lambda: tf.audio.encode_wav([1.0], 8000),
    "a negative number of columns": lambda: tf.eye(1, num_columns=-2),
    "a negative depth": lambda: tf.one_hot([1], -3),
    "a negative number of draws": lambda: tf.random.categorical([[1.0, 2.0]], -3),
    "more values than places": lambda: tf.sparse.reshape(tf.sparse.from_dense([[1, 2]]), [3]),
    "several default values": lambda: tf.sparse.fill_empty_rows(tf.sparse.from_dense([[1, 2]]), [7]),
    "sequences of other ranks": lambda: tf.edit_distance(tf.sparse.from_dense([1]), tf.sparse.from_dense([[1]])),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_shapes_that_cannot_be_are_refused_while_a_graph_is_built(name: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must|[Ii]nvalid|annot|different"):
        IMPOSSIBLE[name]()


def test_images_of_unknown_rank_are_turned_at_random_as_ranked_ones() -> None:
    def turned(image: Any) -> Any:
        return tf.image.stateless_random_flip_left_right(image, [1, 2])

    anything = tf.function(turned, input_signature=[tf.TensorSpec(None)])
    for image in (IMAGE, BATCH):
        np.testing.assert_array_equal(anything(image), turned(tf.constant(image)))


ALONG: dict[str, Callable[[Any, Any], Any]] = {
    "concat": lambda x, axis: tf.concat([x, 2 * x], axis),
    "split": lambda x, axis: tf.split(x, 3, axis)[1],
    "split into sizes": lambda x, axis: tf.split(x, [1, 2], axis)[1],
    "gather": lambda x, axis: tf.gather(x, [[1, 0], [1, 1]], axis=axis),
}


@pytest.mark.parametrize("axis", [1, -1])
@pytest.mark.parametrize("name", ALONG)
def test_an_axis_may_be_a_tensor(name: str, axis: int) -> None:
    """FINDINGS D: symbolic `axis` in concat, split, gather."""
    function, x = ALONG[name], tf.constant(A)
    with tf.GradientTape() as tape:
        tape.watch(x)
        expected = function(x, axis) ** 2

    @tf.function
    def traced(x: Any, axis: Any) -> Any:
        y = function(x, axis) ** 2
        return y, tf.gradients(y, x)[0]

    y, dx = traced(x, tf.constant(axis))
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(dx, tape.gradient(expected, x))


def static(function: Callable[..., Any], *specs: tf.TensorSpec) -> list[Any]:
    """The static shape of a function's result, or of each of its results."""
    made = tf.function(function).get_concrete_function(*specs).structured_outputs
    shapes = [t.shape for t in (made if isinstance(made, (list, tuple)) else [made])]
    return [None if s.rank is None else s.as_list() for s in shapes]


FULL = [tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_prod, tf.reduce_logsumexp, tf.norm, tf.nn.l2_loss] + [
    tf.math.reduce_std, tf.math.reduce_variance, tf.math.reduce_euclidean_norm, tf.math.count_nonzero,
    tf.math.zero_fraction, lambda x: tf.linalg.global_norm([x]), lambda x: tf.reduce_any(x > 0),
]  # fmt: skip


@pytest.mark.parametrize("reduction", FULL, ids=lambda f: f.__name__)
def test_a_reduction_over_everything_is_a_scalar_whatever_comes_in(reduction: Callable[..., Any]) -> None:
    """FINDINGS A2."""
    assert static(reduction, tf.TensorSpec(None)) == [[]]
    assert static(lambda x: reduction(tf.reduce_sum(x, 0)), tf.TensorSpec(None)) == [[]]


X = tf.TensorSpec([None, 5, None, 3])
SIZES: dict[str, tuple[Callable[[Any], Any], list[int | None]]] = {
    "formula": (lambda x: tf.reshape(x, [tf.shape(x)[0], 15 * tf.shape(x)[2]]), [None, None]),
    "sum": (lambda x: tf.zeros([tf.shape(x)[0], tf.shape(x)[1] + 2, tf.shape(x)[3] // 2]), [None, 7, 1]),
    "joined": (lambda x: tf.reshape(x, tf.concat([tf.shape(x)[:2], [-1]], 0)), [None, 5, None]),
    "stacked": (lambda x: tf.ones(tf.stack([tf.shape(x)[3], 4])), [3, 4]),
    "taken apart": (lambda x: tf.fill(tf.unstack(tf.shape(x)), 1.0), [None, 5, None, 3]),
    "product": (lambda x: tf.reshape(x, [-1, tf.reduce_prod(tf.shape(x)[3:])]), [None, 3]),
    "greater": (lambda x: tf.zeros([tf.maximum(tf.shape(x)[1], 7)]), [7]),
    "gathered": (lambda x: tf.zeros(tf.shape(x)[1:]), [5, None, 3]),
    "margins": (lambda x: tf.pad(x, [[0, 0], [1, 1], [0, tf.shape(x)[1]], [0, 0]]), [None, 7, None, 3]),
    "range": (lambda x: tf.range(tf.shape(x)[1]), [5]),
    "identity matrix": (lambda x: tf.eye(tf.shape(x)[1]), [5, 5]),
    "bounds": (lambda x: x[:, : tf.shape(x)[1] - 1], [None, 4, None, 3]),
    "halves": (lambda x: tf.zeros([tf.cast(tf.cast(tf.shape(x)[1], tf.float32) * 0.5, tf.int32)]), [2]),
    "powers": (lambda x: tf.zeros([_squared(tf.shape(x)[3], 40) * 0 + 2]), [2]),
    "crop": (lambda x: tf.image.crop_to_bounding_box(x, 0, 0, 2, 2), [None, 2, 2, 3]),
    "padded": (lambda x: tf.image.pad_to_bounding_box(x, 0, 0, 8, 8), [None, 8, 8, 3]),
    "boxes": (lambda x: tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 3]), [1, 2, 3, 3]),
}


def _squared(size: Any, times: int) -> Any:
    for _ in range(times):
        size = size * size  # each uses the one before twice
    return size


@pytest.mark.parametrize("name", SIZES)
def test_arithmetic_on_shapes_leaves_sizes_known(name: str) -> None:
    """FINDINGS D: reshape, zeros, pad from arithmetic on shapes."""
    function, expected = SIZES[name]
    assert static(function, X) == [expected]


def test_shapes_that_follow_from_constants() -> None:
    """FINDINGS D: meshgrid, sequence_mask of constants; conv2d and einsum of unknown rank."""
    anything, filters = tf.TensorSpec(None), tf.TensorSpec([3, 3, 2, 4])
    assert static(lambda: tf.meshgrid([1, 2, 3], [4, 5])) == [[2, 3], [2, 3]]
    assert static(lambda x, y: tf.meshgrid(x, y), tf.TensorSpec([None]), tf.TensorSpec([4])) == [[4, None]] * 2
    assert static(lambda: tf.sequence_mask([1, 3, 2])) == [[3, 3]]
    assert static(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), anything, filters) == [[None, None, None, 4]]
    assert static(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), tf.TensorSpec([None, 5, None, 2]), anything) == [
        [None, 5, None, None]
    ]
    assert static(lambda x, w: tf.einsum("ij,jk->ik", x, w), anything, tf.TensorSpec([3, 4])) == [[None, 4]]
    assert static(lambda d: tf.dynamic_stitch([[0, 2], [1]], [[[1.0], [2.0]], d]), tf.TensorSpec([1, 1])) == [[3, 1]]
    assert static(tf.math.invert_permutation, tf.TensorSpec(None, tf.int32)) == [[None]]


def test_begins_of_unknown_length_count_for_the_first_axes() -> None:
    x = tf.constant(A)
    cut = tf.function(
        lambda b: tf.strided_slice(x, b, b + 1, tf.ones_like(b)), input_signature=[tf.TensorSpec([None], tf.int32)]
    )
    assert cut(tf.constant([1])).numpy().tolist() == [[3.0, 4.0, 5.0]]
    assert cut(tf.constant([1, 2])).numpy().tolist() == [[5.0]]
    some = tf.function(lambda b: tf.strided_slice(x, b, [2, 2]), input_signature=[tf.TensorSpec(None, tf.int32)])
    assert some(tf.constant([0, 1])).numpy().tolist() == [[1.0], [4.0]]


def test_a_constant_of_1x_graphs_is_continued_with_its_last_number() -> None:
    """FINDINGS F."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(tf.compat.v1.constant([1, 2, 3], shape=[5])).tolist() == [1, 2, 3, 3, 3]
        with pytest.raises(ValueError, match="Too many elements provided. Needed at most 2"):
            tf.compat.v1.constant([1, 2, 3], shape=[2])
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(5,\)"):
        tf.compat.v1.constant([1, 2, 3], shape=[5])


def test_infinite_parts_of_compiled_complex_numbers() -> None:
    """FINDINGS B."""
    made = tf.function(tf.complex, jit_compile=True)(tf.constant(2.0), tf.constant(np.inf))
    assert made.numpy() == complex(2, np.inf)


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "reshape": (lambda: tf.reshape([1, 2, 3], [-3]), tf.errors.InvalidArgumentError, "shape"),
    "range of a fraction": (lambda: tf.range(2.5, dtype=tf.int8), TypeError, "2.5"),
    "range down": (lambda: tf.range(5, 0), tf.errors.InvalidArgumentError, "Requires start <= limit.*5/0"),
    "range up": (lambda: tf.range(0, 5, -1), tf.errors.InvalidArgumentError, "Requires start >= limit"),
    "cast": (lambda: tf.cast([1.0], tf.string), tf.errors.UnimplementedError, "Cast float32 to string"),
    "cast of text": (lambda: tf.cast(["1"], tf.float32), tf.errors.UnimplementedError, "Cast string to float32"),
    "stride": (
        lambda: tf.strided_slice([1, 2], [0], [1], [-1], shrink_axis_mask=1),
        ValueError,
        "only stride 1 allowed on non-range indexing",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_is_refused(name: str) -> None:
    """FINDINGS B, D."""
    call, kind, message = REFUSED[name]
    with pytest.raises(kind, match=message):
        call()


def test_transposed_convolutions_refuse_another_number_of_sizes() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        sizes = tf.compat.v1.placeholder(tf.int32, [None])
        images = tf.nn.conv3d_transpose(tf.ones([1] * 5), tf.ones([1] * 5), sizes, 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must contain 5 values or 3 values, but got: 0"):
            session.run(images, {sizes: []})
