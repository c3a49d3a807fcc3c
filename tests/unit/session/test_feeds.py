"""Feeds: what values become, type by type, and what is said of those that do not fit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf

v1 = tf.compat.v1


def fed(dtype: Any, value: Any, shape: Any = None) -> Any:
    """What a fed value is inside the run."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(dtype, shape, name="x")
        return session.run(tf.identity(x), {x: value})


@given(
    hnp.arrays(
        st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_, np.complex64]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    ),
    st.sampled_from(["as it is", "fortran", "list", "strided", "big endian"]),
)
def test_an_array_arrives_with_its_values_however_it_lies_in_memory(array: Any, how: str) -> None:
    given_value: Any = {
        "as it is": lambda: array,
        "fortran": lambda: np.array(array, order="F"),
        "list": lambda: array.tolist(),
        "strided": lambda: np.repeat(array[None], 2, 0)[::2][0],
        "big endian": lambda: array.astype(array.dtype.newbyteorder(">")),
    }[how]()
    if how == "list" and array.size == 0:
        given_value = array
    got = fed(tf.as_dtype(array.dtype), given_value)
    assert got.dtype == array.dtype and got.shape == array.shape
    np.testing.assert_array_equal(got, array)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (tf.float32, 1, 1.0),
        (tf.float32, True, 1.0),
        (tf.float64, np.float32(0.1), float(np.float32(0.1))),
        (tf.float16, 0.1, float(np.float16(0.1))),
        (tf.bfloat16, 3.0, 3.0),
        (tf.int8, 127, 127),
        (tf.uint8, 255, 255),
        (tf.int64, 2**62, 2**62),
        (tf.complex64, 2, 2 + 0j),
        (tf.complex128, 1.5j, 1.5j),
        (tf.bool, False, False),
    ],
)
def test_python_numbers_become_the_placeholders_type(dtype: Any, value: Any, expected: Any) -> None:
    got = fed(dtype, value)
    assert got == expected and np.asarray(got).dtype == dtype.as_numpy_dtype


@pytest.mark.parametrize("value", ["text", b"text", np.str_("text"), np.bytes_(b"text")])
def test_text_is_bytes(value: Any) -> None:
    assert fed(tf.string, value) == b"text"


@pytest.mark.parametrize(
    "value", [["a", b"b"], np.array(["a", "b"]), np.array([b"a", b"b"]), np.array(["a", b"b"], object), ("a", "b")]
)
def test_arrays_of_text_are_arrays_of_bytes(value: Any) -> None:
    assert fed(tf.string, value).tolist() == [b"a", b"b"]


@pytest.mark.parametrize(
    ("dtype", "value", "error", "says"),
    [
        (tf.int8, 128, TypeError, "128 .*not compatible with Tensor type"),
        (tf.uint8, -1, TypeError, "-1 .*not compatible with Tensor type"),
        (tf.float32, "a", ValueError, "could not convert string to float: 'a' \\(fed to x:0\\)"),
        (tf.int32, ["a"], ValueError, "could not convert string"),
        (tf.float32, [None], TypeError, "Cannot feed .*None.* to x:0"),
        (tf.float32, object(), TypeError, "Cannot feed"),
        (tf.float32, [[1], [1, 2]], ValueError, "not rectangular"),
        (tf.float32, {"a": 1}, TypeError, "Cannot feed"),
    ],
)
def test_what_is_no_value_is_refused_and_the_tensor_is_named(dtype: Any, value: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        fed(dtype, value)


@pytest.mark.parametrize(
    ("shape", "fine", "wrong"),
    [
        ([], 1.0, [1.0]),
        ([2], [1.0, 2.0], [1.0]),
        ([None], [], 1.0),
        ([None, 2], np.zeros((0, 2)), np.zeros((2, 1))),
        ([2, None], np.zeros((2, 5)), np.zeros((1, 5))),
    ],
)
def test_shapes_are_checked_as_far_as_they_are_known(shape: Any, fine: Any, wrong: Any) -> None:
    assert np.shape(fed(tf.float32, fine, shape)) == np.shape(fine)
    with pytest.raises(ValueError, match="Cannot feed value of shape .* for Tensor x:0, which has shape"):
        fed(tf.float32, wrong, shape)


def test_bfloat16_arrays_keep_their_bits() -> None:
    array = np.array([1.5, -2.25, np.inf], ml_dtypes.bfloat16)
    assert fed(tf.bfloat16, array).tobytes() == array.tobytes()


@pytest.mark.parametrize("times", [1, 2, 4])
def test_the_callers_array_stays_the_callers(times: int) -> None:
    array = np.zeros(4, np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [4])
        y = tf.identity(x)
        for i in range(times):
            array[:] = i
            got = session.run(y, {x: array})
            array[:] = 99
            assert got.tolist() == [i] * 4


def test_a_sparse_placeholder_takes_a_value_a_tuple_and_a_tensor() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.sparse_placeholder(tf.float32, [2, 2])
        dense = tf.sparse.to_dense(x)
        parts = np.int64([[1, 0]]), np.float32([7]), np.int64([2, 2])
        for value in (parts, v1.SparseTensorValue(*parts)):
            assert session.run(dense, {x: value}).tolist() == [[0, 0], [7, 0]]


def test_unhashable_and_odd_feed_dictionaries_are_refused() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(1.0)
        for feed in ([(x, 1.0)], 3, "x:0"):
            with pytest.raises(TypeError, match="must be a dictionary"):
                session.run(x, feed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="Key had 2 elements, but value had 1"):
            session.run(x, {(x, x): [1.0]})


@pytest.mark.parametrize("dtype, values", [(tf.float32, [1.0, 2.0, 3.0]), (tf.string, [b"a", b"b", b"c"])])
def test_nothing_keeps_a_fed_array_that_its_owner_may_change(dtype: tf.DType, values: list[object]) -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(dtype, [3])
        variable = tf.Variable(values, dtype=dtype, shape=[3])
        queue = tf.queue.FIFOQueue(1, [dtype])
        keep = [variable.assign(x[:]).op, queue.enqueue([tf.reshape(x, [3])])]
        made = [tf.identity(x), x[1:], tf.reshape(x, [3, 1]), tf.numpy_function(lambda a: a, [x], dtype)]
        with tf.compat.v1.Session() as sess:
            sess.run(tf.compat.v1.global_variables_initializer())
            fed = np.array(values, dtype.as_numpy_dtype)
            sess.run(keep, {x: fed})
            results = sess.run(made, {x: fed})
            fed[:] = values[0]
            assert sess.run(variable).tolist() == sess.run(queue.dequeue()).tolist() == values
            assert [r.reshape(-1).tolist() for r in results] == [values, values[1:], values, values]


def test_numbers_longer_than_any_tensor_are_fed_as_the_placeholder_holds_them():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        assert session.run(x + 1.0, {x: np.array([1.0, 2.5], np.longdouble)}).tolist() == [2.0, 3.5]


def test_a_sparse_placeholder_of_known_shape_takes_indices_and_values() -> None:
    pair = [[0, 1]], [5.0]
    with tf.Graph().as_default(), v1.Session() as session:
        known, unknown = v1.sparse_placeholder(tf.float32, [2, 2]), v1.sparse_placeholder(tf.float32, [None, 2])
        assert session.run(tf.sparse.to_dense(known), {known: pair}).tolist() == [[0, 5], [0, 0]]
        with pytest.raises(TypeError, match="where the dense shape is known"):
            session.run(unknown, {unknown: pair})


def test_indexed_slices_are_fed_as_a_tuple_of_their_parts() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        parts = [tf.compat.v1.placeholder(dtype) for dtype in (tf.float32, tf.int64)]
        slices = tf.IndexedSlices(*parts)
        values, indices = session.run(parts, {slices: ([1.0, 2.0], [3, 4])})
        assert (values.tolist(), indices.tolist()) == ([1.0, 2.0], [3, 4])
        with pytest.raises(TypeError, match="a tuple of its 2 parts"):
            session.run(parts, {slices: ([1.0],)})


def test_a_number_is_no_text() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        text = tf.compat.v1.placeholder(tf.string, [])
        with pytest.raises(TypeError, match="Type of feed value 1 with type <class 'int'> is not compatible"):
            session.run(text, {text: 1})
