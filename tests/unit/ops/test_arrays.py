"""Array ops: what they refuse, what they know of shapes, strings in arrays, the 1.x forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.backward import variable_value

X = np.arange(24.0).reshape(2, 3, 4)

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "split": (lambda: tf.split(X, 5, axis=1), "evenly divisible by 5 but is 3"),
    "split sizes": (lambda: tf.split(X, [1, 1], axis=1), "can't split axis of size 3 into pieces of size"),
    "split nothing": (lambda: tf.split(X, 0), "Value for attr 'num_split' of 0 must be at least minimum 1"),
    "gather": (lambda: tf.gather(X, [5]), r"5 is not in \[0, 2\)"),
    "gather negative": (lambda: tf.gather(X, [-1]), r"-1 is not in \[0, 2\)"),
    "gather_nd": (lambda: tf.gather_nd(X, [[1, 9]]), r"= \[1, 9\] does not index into param shape \[2,3,4\]"),
    "scatter_nd": (lambda: tf.scatter_nd([[9]], [1.0], [3]), r"\[9\] does not index"),
    "scatter_nd updates": (
        lambda: tf.scatter_nd([[1]], [1.0, 2.0], [3]),
        r"of indices.shape=.1,1.. must match dimensions .0,1. of updates",
    ),
    "pad": (lambda: tf.pad(X, [[1, 1]]), "must be the rank of inputs: got 1 for rank 3"),
    "pad negative": (lambda: tf.pad([1.0], [[-1, 1]]), "non-negative"),
    "pad reflected": (lambda: tf.pad([1.0, 2.0], [[2, 0]], "REFLECT"), "no greater than the dimension size minus 1"),
    "pad mode": (lambda: tf.pad([1.0], [[1, 1]], "WRAP"), "Received .mode. = WRAP"),
    "tile": (lambda: tf.tile(X, [1]), "length 3 but got length 1"),
    "linspace": (lambda: tf.linspace(0.0, 1.0, -1), "num >= 0"),
    "concat axis": (lambda: tf.concat([X, X], 7), "axis 7|range"),
    "concat nothing": (lambda: tf.concat([], 0), "at least one tensor"),
    "slice": (lambda: tf.slice(X, [0, 0, 3], [1, 1, 2]), r"size\[2\] in \[0, 1\], but got 2"),
    "broadcast_to": (lambda: tf.broadcast_to(X, [3]), "cannot be broadcast"),
    "roll": (lambda: tf.roll(X, [1, 2], [0]), "same size"),
    "unstack": (lambda: tf.unstack(X, axis=9), r"axis. = 9 not in range \[-3, 3\)"),
    "squeeze": (lambda: tf.squeeze(X, 0), "expected a dimension of 1, got 2"),
    "reverse twice": (lambda: tf.reverse(X, [0, 0]), "more than once"),
    "partition": (lambda: tf.dynamic_partition([1.0], [3], 2), r"3, which is not in \[0, 2\)"),
    "repeat": (lambda: tf.repeat([1, 2], [1, 2, 3]), "repeats has 3 entries for an axis of 2"),
    "sort": (lambda: tf.sort(X, direction="UP"), "ASCENDING' or 'DESCENDING"),
    "meshgrid": (lambda: tf.meshgrid([1], indexing="yx"), "'xy' or 'ij'"),
    "bitcast": (lambda: tf.bitcast(tf.constant([1, 2, 3], tf.uint8), tf.float32), "must end in 4"),
    "one_hot": (lambda: tf.one_hot([1], -1), "non-negative"),
    "boolean_mask": (lambda: tf.boolean_mask(X, [True, False, True]), "incompatible"),
    "index": (lambda: tf.constant(X)[7], "out of bounds"),
    "stack": (lambda: tf.stack([[1, 2], [1, 2], [1]]), r"values\[0\].shape = \[2\] != values\[2\].shape = \[1\]"),
    "stack axis": (lambda: tf.stack([[1], [2]], axis=5), r"`axis` = 5 not in range \[-2, 2\)"),
    "transpose": (lambda: tf.transpose(X, [0, 0, 1]), r"perm \[0, 0, 1\] is not a permutation of the 3 axes"),
    "expand_dims": (lambda: tf.expand_dims(X, 9), "Tried to expand dim index 9 for tensor with 3 dimensions"),
    "one_hot axis": (lambda: tf.one_hot([1], 3, axis=7), r"axis to be -1 or between \[0, 1\], but received: 7"),
    "depth": (lambda: tf.compat.v1.depth_to_space(X, 2), r"4 dimensions \[batch, .*\], got shape \[2, 3, 4\]"),
    "space": (lambda: tf.compat.v1.space_to_depth(X, 2), r"4 dimensions \[batch, .*\], got shape \[2, 3, 4\]"),
    "block size": (lambda: tf.compat.v1.depth_to_space(X[None], 0), "'block_size' of 0 must be at least minimum 2"),
    "conv": (lambda: tf.nn.conv2d(X, np.ones([1, 1, 4, 1]), 1, "SAME"), "rank 4 but is rank 3"),
    "conv filter": (lambda: tf.nn.conv2d(X[None], np.ones([4, 1]), 1, "SAME"), "filter must be rank 4 but is rank 2"),
    "pool": (lambda: tf.nn.max_pool2d(X, 2, 2, "SAME"), "rank 4 but is rank 3"),
    "labels": (
        lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1, 2], logits=[[1.0, 2.0]]),
        r"labels.shape=\(3,\) and logits.shape=\(1, 2\)",
    ),
    "in_top_k": (lambda: tf.math.in_top_k([0], [1.0, 2.0], 1), r"must be rank 2 but is rank 1, got shape \[2\]"),
    "solve": (lambda: tf.linalg.solve(np.eye(3), np.ones([2, 1])), r"\[3,3\] and \[2,1\]"),
    "segments": (lambda: tf.math.segment_sum([1.0, 2.0], [1, 0]), r"segment_ids\[1\] = 0 after 1"),
    "segments below": (lambda: tf.math.segment_sum([1.0], [-1]), r"segment_ids\[0\] = -1"),
    "box": (lambda: tf.image.pad_to_bounding_box(X, 0, -1, 8, 8), "offset_width must be >= 0"),
    "ensure_shape": (lambda: tf.ensure_shape(X, [2, None]), r"expected shape \[2,\?\]|equal rank"),
    "gather axis": (lambda: tf.gather(X, [0], axis=5), r"at least rank 6 but is rank 3: axis 5 must be in \[-3, 3\)"),
    "stitch": (lambda: tf.dynamic_stitch([[0]], [[1.0, 2.0]]), "must start with indices"),
    "permutation": (lambda: tf.compat.v1.invert_permutation([2, 0, 2]), r"\[2, 0, 2\] is not a permutation of 0..2"),
    "pool format": (lambda: tf.nn.max_pool(X, 2, 2, "SAME", "NHWC"), "'NWC' or 'NCW', got 'NHWC'"),
    "random_crop": (lambda: tf.compat.v1.random_crop(X, [2, 4, 1]), "size.* at most .*shape"),
    "stateless crop": (lambda: tf.image.stateless_random_crop(X, [2, 4, 1], [1, 2]), "size.* at most .*shape"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_and_said_why(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=message):
        call()


@pytest.mark.parametrize("name", REFUSED)
def test_graphs_refuse_it_too_when_built_or_run(name: str) -> None:
    call, message = REFUSED[name]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            session.run(call())


SHAPED: dict[str, tuple[Callable[[Any], Any], list[int | None]]] = {
    "split": (lambda x: tf.split(x, 2, axis=2)[0], [None, 3, 2]),
    "tile": (lambda x: tf.tile(x, [1, 2, 1]), [None, 6, 4]),
    "repeat": (lambda x: tf.repeat(x, [1, 0, 2], axis=1), [None, 3, 4]),
    "pad": (lambda x: tf.pad(x, [[0, 0], [1, 1], [0, 2]]), [None, 5, 6]),
    "slice": (lambda x: tf.slice(x, [0, 1, 0], [-1, 2, -1]), [None, 2, 4]),
    "gather": (lambda x: tf.gather(x, [[0, 1]], axis=1), [None, 1, 2, 4]),
    "one_hot": (lambda x: tf.one_hot(tf.cast(x, tf.int32), 5, axis=1), [None, 5, 3, 4]),
    "sort": (lambda x: tf.sort(x), [None, 3, 4]),
    "stack": (lambda x: tf.stack([x, x], axis=-1), [None, 3, 4, 2]),
    "reverse": (lambda x: x[:, ::-1, None, ..., -1], [None, 3, 1]),
    "broadcast": (lambda x: tf.broadcast_to(x, tf.stack([tf.shape(x)[0], 3, 4])), [None, 3, 4]),
}


@pytest.mark.parametrize("name", SHAPED)
def test_what_is_known_of_the_shape(name: str) -> None:
    make, shape = SHAPED[name]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.placeholder(tf.float64, [None, 3, 4])
        y = make(x)
        assert y.shape.as_list() == shape
        assert y.shape.is_compatible_with(session.run(y, {x: X}).shape)


def test_arrays_of_strings_are_arrays() -> None:
    s = tf.constant(["b", "a", "c"])
    assert tf.tile(s, [2]).numpy().tolist() == [b"b", b"a", b"c"] * 2
    assert tf.pad(s, [[1, 0]]).numpy().tolist() == [b"", b"b", b"a", b"c"]
    assert s[::-1].numpy().tolist() == [b"c", b"a", b"b"]
    assert tf.gather(s, 1).numpy() == b"a"
    assert tf.gather_nd(s, [1]).numpy() == b"a"
    assert tf.boolean_mask(s, [True, False, True]).numpy().tolist() == [b"b", b"c"]
    assert tf.unique(s).y.numpy().tolist() == [b"b", b"a", b"c"]
    assert tf.where([True, False, True], s, "x").numpy().tolist() == [b"b", b"x", b"c"]
    assert tf.dynamic_stitch([[1], [0]], [["x"], ["y"]]).numpy().tolist() == [b"y", b"x"]
    assert [t.numpy() for t in tf.split(s, 3)][1].tolist() == [b"a"]


def test_indices_of_every_kind_in_graphs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, i = tf.placeholder(tf.float64, [None] * 3), tf.placeholder(tf.int32, [])
        fetches = [x[i], x[..., i:], x[i, ::-1, tf.newaxis], x[tf.constant(-1)], x[x > 20.0]]
        got = session.run(fetches, {x: X, i: 1})
    want = [X[1], X[..., 1:], X[1, ::-1, None], X[-1], X[X > 20]]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


def test_strided_slice_reads_its_masks() -> None:
    got = tf.strided_slice(X, [0, 1, 0], [0, 2, 0], [1, 1, 2], begin_mask=1, end_mask=5, shrink_axis_mask=2)
    np.testing.assert_array_equal(got, X[:, 1, ::2])


def test_forms_of_1_x() -> None:
    v1 = tf.compat.v1
    rows = v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert rows.numpy().tolist() == [[1, 2], [7, 8]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"tf.where of 2.x broadcasts"):
        v1.where([[True], [False]], [[1, 2], [3, 4]], [[5, 6], [7, 8]])
    assert v1.expand_dims([1, 2], dim=0).shape == [1, 2]
    assert v1.to_float(3).dtype is tf.float32
    assert v1.lin_space(0.0, 1.0, 3).numpy().tolist() == [0.0, 0.5, 1.0]
    assert v1.reverse_v2([1, 2], [0]).numpy().tolist() == [2, 1]
    assert v1.concat(axis=1, values=[[[1]], [[2]]]).numpy().tolist() == [[1, 2]]


def test_a_partition_put_together_again_is_what_it_was_and_so_is_its_gradient() -> None:
    data = tf.constant(np.arange(12.0).reshape(6, 2))
    parts = tf.constant([2, 0, 1, 0, 2, 2])
    with tf.GradientTape() as tape:
        tape.watch(data)
        pieces = tf.dynamic_partition(data, parts, 3)
        places = tf.dynamic_partition(tf.range(6), parts, 3)
        whole = tf.dynamic_stitch(places, pieces)
        loss = tf.reduce_sum(whole * whole)
    np.testing.assert_array_equal(whole, data)
    np.testing.assert_array_equal(tape.gradient(loss, data), 2 * data.numpy())


def test_handles_of_variables_are_indexed_as_other_tensors() -> None:
    one, two = tf.Variable(1.0), tf.Variable(2.0)
    row = one.handle[tf.newaxis]
    assert row.shape == [1] and row.dtype is tf.resource
    assert tf.gather(row, tf.zeros([0], tf.int32)).shape == [0]
    both = tf.stack([one.handle, two.handle])
    for handle in (both[1], tf.gather(both, 1), tf.gather_nd(both, [1])):
        assert handle.shape == [] and variable_value(handle).numpy() == 2.0


@pytest.mark.parametrize("bound", [None, 1])
def test_an_axis_that_is_known_late_is_checked_where_it_is_used(bound: int | None) -> None:
    """The message named a transposition that the user had not written."""
    spec = [tf.TensorSpec(None if bound is None else [3], tf.float32), tf.TensorSpec(None, tf.int32)]
    take = tf.function(lambda x, axis: tf.gather(x, [2], axis=axis), input_signature=spec)
    halves = tf.function(lambda x, axis: tf.split(x, [1, 2], axis), input_signature=spec)
    joined = tf.function(lambda x, axis: tf.concat([x, x], axis), input_signature=spec)
    assert take([1.0, 2.0, 3.0], -1).numpy().tolist() == [3.0]
    assert [h.shape[0] for h in halves([1.0, 2.0, 3.0], [0])] == [1, 2]
    for f in (take, halves, joined):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"at least rank 2 but is rank 1: axis 1 is not in \[-1"
        ):
            f([1.0, 2.0, 3.0], 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis must have exactly one element"):
        halves([1.0, 2.0, 3.0], np.zeros(0, np.int32))


@pytest.mark.parametrize("function", [tf.linalg.qr, tf.linalg.svd, tf.linalg.inv])
@pytest.mark.parametrize("shape", [[], [2]])
def test_factorizations_say_what_rank_they_take(function: Any, shape: list[int]) -> None:
    with pytest.raises(ValueError, match=f"at least rank 2 but is rank {len(shape)}"):
        tf.function(function)(tf.ones(shape))


@pytest.mark.parametrize(
    ("shape", "mask", "axis"),
    [
        ((4,), [True, False, True, True], None),
        ((4, 3), [False] * 4, 0),
        ((2, 3, 4), [[True, False, True], [False, True, True]], 0),
        ((2, 3, 4), [True, False, True], 1),
        ((2, 3, 4), [[True, False, True, False]] * 3, 1),
        ((2, 3, 4), [False, True, True, True], -1),
        ((2, 0), [True, False], 0),
    ],
)
def test_masks_choose_the_same_at_once_and_in_graphs_with_their_gradients(
    shape: tuple[int, ...], mask: Any, axis: int | None
) -> None:
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) - 3

    def results(x: tf.Tensor) -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                chosen = tf.boolean_mask(x, mask, axis=axis)
                total = tf.reduce_sum(chosen**3)
            first = inner.gradient(total, x)
        return [chosen, first, outer.gradient(first, x)]

    at_once, traced = results(tf.constant(x)), tf.function(results)(tf.constant(x))
    chosen = np.zeros(shape, bool)
    at = axis or 0
    np.moveaxis(chosen, range(at % len(shape), at % len(shape) + np.ndim(mask)), range(np.ndim(mask)))[
        np.array(mask)
    ] = True
    for one, other, expected in zip(at_once, traced, [x[chosen], 3 * x**2 * chosen, 6 * x * chosen], strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(np.reshape(one, -1), np.reshape(expected, -1))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("place", [(-1, 0), (0, -1), (3, 0), (0, 4), (-(2**15), 0), (2**15 - 1, 0)])
def test_no_index_outside_is_read(dtype: Any, place: tuple[int, int]) -> None:
    x = tf.reshape(tf.range(12), [3, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = .* does not index into param shape"):
        tf.gather_nd(x, np.array([(1, 1), place], dtype))
    row = place[0] if not 0 <= place[0] < 3 else place[1]
    if not 0 <= row < 3:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = -?\d+ is not in \[0, 3\)"):
            tf.gather(x, np.array([1, row], dtype))


def test_a_slice_is_gathered_from_what_lies_in_any_order() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    turned = tf.transpose(tf.constant(x), [2, 0, 1])
    np.testing.assert_array_equal(tf.gather_nd(turned, [[3, 1], [0, 0]]), x.transpose(2, 0, 1)[[3, 0], [1, 0]])
    np.testing.assert_array_equal(tf.gather_nd(turned, [[3, 1, 2]]), [x[1, 2, 3]])
    np.testing.assert_array_equal(tf.gather_nd(tf.constant(x), [1]), x[1])
    assert tf.gather_nd(tf.constant(["a", "b"]), [1]).numpy() == b"b"


def test_one_hot_keeps_a_negative_zero() -> None:
    made = tf.one_hot([1], 2, 1.0, -0.0)
    np.testing.assert_array_equal(np.signbit(made), [[True, False]])
    assert tf.one_hot([1], 2, True, False).dtype is tf.bool and tf.one_hot([1, 5], 2, dtype=tf.int8).numpy().sum() == 1


@pytest.mark.parametrize(
    ("shape", "times"),
    [((3,), [4]), ((2, 3), [1, 2]), ((2, 3), [3, 2]), ((2, 1, 3), [2, 0, 1]), ((0, 2), [2, 2]), ((), [])],
)
def test_tiles_are_those_of_numpy(shape: tuple[int, ...], times: list[int]) -> None:
    x = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    np.testing.assert_array_equal(tf.tile(x, times), np.tile(x, times), strict=True)


def test_graphs_stack_a_list_alone_and_split_into_one_part_or_more() -> None:
    with tf.Graph().as_default():
        rows = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        for value in (rows, rows.read_value()):
            with pytest.raises(TypeError, match="Expected list for 'values' argument to 'pack' Op"):
                tf.stack(value, axis=1)
        with pytest.raises(ValueError, match="Attr 'num_split' of 'Split' Op passed -1 less than minimum 1"):
            tf.split(rows, -1)


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mask_without_a_true_leaves_nothing_of_a_tensor_without_elements(axis: int) -> None:
    known = [tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.bool)]
    masked = tf.function(lambda x, mask: tf.boolean_mask(x, mask, axis), input_signature=known)
    shape = [2, 0] if axis == 0 else [0, 2]
    assert masked(tf.zeros(shape), tf.constant([False, False])).shape == [0, 0]  # as TensorFlow 2.21 gives


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([1, 1, -2], "Size 2 must be non-negative, not -2"),
        ([-3, -1], "Size 0 must be non-negative, not -3"),
        ([-1, -1], "Only one input size may be -1, not both 0 and 1"),
    ],
)
def test_sizes_that_are_none_are_refused_by_their_place(sizes: list[int], words: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        tf.reshape(tf.ones([1, 2, 3]), sizes)
