"""SparseTensor and IndexedSlices."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf

DENSE = [[0.0, 1.0], [0.0, 0.0], [2.0, 0.0]]


def sparse() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])


def test_dense_there_and_back() -> None:
    assert tf.sparse.to_dense(sparse()).numpy().tolist() == DENSE
    assert tf.sparse.to_dense(sparse(), -1.0).numpy().tolist() == [[-1, 1], [-1, -1], [2, -1]]
    back = tf.sparse.from_dense(DENSE)
    assert back.indices.numpy().tolist() == [[0, 1], [2, 0]] and back.values.numpy().tolist() == [1, 2]
    assert back.shape.as_list() == [3, 2] and back.dtype is tf.float32
    words = tf.sparse.from_dense([["", "a"]])
    assert words.values.numpy().tolist() == [b"a"]
    assert tf.sparse.to_dense(words).numpy().tolist() == [[b"", b"a"]]


def test_coordinates_out_of_order_are_refused_and_can_be_ordered() -> None:
    mixed = tf.SparseTensor([[2, 0], [0, 1]], [2.0, 1.0], [3, 2])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[0, 1\] is out of order.*tf.sparse.reorder"
    ):
        tf.sparse.to_dense(mixed)
    assert tf.sparse.to_dense(tf.sparse.reorder(mixed)).numpy().tolist() == DENSE
    assert tf.sparse.to_dense(mixed, validate_indices=False).numpy().tolist() == DENSE
    with pytest.raises(tf.errors.InvalidArgumentError, match="is repeated"):
        tf.sparse.to_dense(tf.SparseTensor([[0, 1], [0, 1]], [2.0, 1.0], [3, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.sparse.to_dense(tf.SparseTensor([[0, 2]], [2.0], [3, 2]))


def test_parts_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(ValueError, match="indices of shape"):
        tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 2])
    with pytest.raises(ValueError, match="indices of shape"):
        tf.SparseTensor([[0, 1]], [1.0], [3])
    with pytest.raises(ValueError, match="values of a SparseTensor must have rank 1"):
        tf.SparseTensor([[0, 1]], [[1.0]], [3, 2])


def test_products() -> None:
    b = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    np.testing.assert_allclose(tf.sparse.sparse_dense_matmul(sparse(), b), np.array(DENSE) @ b)
    tall = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    np.testing.assert_allclose(tf.sparse.sparse_dense_matmul(sparse(), tall, adjoint_a=True), np.array(DENSE).T @ tall)
    np.testing.assert_allclose(tf.sparse.sparse_dense_matmul(sparse(), b, adjoint_b=True), np.array(DENSE) @ b.T)
    with pytest.raises(tf.errors.InvalidArgumentError, match="inner dimension does not match"):
        tf.sparse.sparse_dense_matmul(sparse(), tall)


def test_ops_that_keep_zeros_work_on_values_and_others_refuse() -> None:
    assert (tf.square(sparse()) * 2).values.numpy().tolist() == [2, 8]
    assert (3.0 * sparse()).values.numpy().tolist() == [3, 6]
    assert tf.cast(sparse(), tf.int32).dtype is tf.int32
    with pytest.raises(TypeError, match="does not take a SparseTensor here"):
        tf.exp(sparse())


def test_gradients_reach_the_values() -> None:
    values, b = tf.constant([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([values, b])
        st = tf.SparseTensor([[0, 1], [2, 0]], values, [3, 2])
        y = tf.reduce_sum(tf.sparse.to_dense(st) ** 2)
        z = tf.reduce_sum(tf.sparse.sparse_dense_matmul(st, b))
    assert tape.gradient(y, values).numpy().tolist() == [2, 4]
    assert tape.gradient(z, values).numpy().tolist() == [7, 3]
    assert tape.gradient(z, b).numpy().tolist() == [[2, 2], [1, 1]]


def test_sessions_take_and_return_sparse_values() -> None:
    eager = sparse()
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.sparse.placeholder(tf.float32)
        y = tf.sparse.to_dense(x)
        value = tf.SparseTensorValue(np.array([[0, 1]]), np.array([5.0], np.float32), np.array([1, 2]))
        got, dense = session.run([x, y], {x: value})
        assert isinstance(got, tf.SparseTensorValue) and got.values.tolist() == [5.0]
        assert dense.tolist() == [[0.0, 5.0]]
        assert session.run(y, {x: eager}).tolist() == DENSE
        assert session.run(y, {x: ([[0, 0]], [1.0], [1, 1])}).tolist() == [[1.0]]
        with pytest.raises(TypeError, match="needs \\(indices, values, dense_shape\\)"):
            session.run(y, {x: [1.0]})


def test_ragged_and_sparse() -> None:
    rows = [[1.0, 2.0], [], [3.0, 4.0, 5.0]]
    st = tf.ragged.constant(rows).to_sparse()
    assert st.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0], [2, 1], [2, 2]]
    assert st.dense_shape.numpy().tolist() == [3, 3]
    assert tf.RaggedTensor.from_sparse(st).to_list() == rows
    with pytest.raises(tf.errors.InvalidArgumentError, match="not right-ragged"):
        tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 1]], [1.0], [1, 2]))


def test_indexed_slices_become_a_tensor_when_one_is_needed() -> None:
    slices = tf.IndexedSlices([[1.0, 2.0], [3.0, 4.0]], [1, 1], [3, 2])
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[0, 0], [4, 6], [0, 0]]
    assert (-slices).values.numpy().tolist() == [[-1, -2], [-3, -4]]
    with pytest.raises(ValueError, match="without a dense_shape"):
        tf.convert_to_tensor(tf.IndexedSlices([[1.0]], [0]))
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0])))
    assert type(got).__name__ == "IndexedSlicesValue" and got.indices.tolist() == [0] and got.dense_shape is None


@pytest.mark.parametrize("size", [[3, 4, 1], [2, 1, 1, 4, 2], [2], [1, 2, 4, 1]])
def test_a_dense_factor_that_does_not_stretch_is_refused_when_it_runs(size: list[int]) -> None:
    """Also where no shape is known before: then another element was taken without a word."""
    fits = r"broadcasts dense to sparse only; got incompatible shapes: \[1, 1, 4, 1\] vs. \["
    places, shape = [[0, 0, 1, 0], [0, 0, 3, 0]], [1, 1, 4, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match=fits):
        _ = tf.ones(size) * tf.SparseTensor(places, [10.0, 20.0], shape)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dense, rank = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.int64)
        known = tf.ones(size) * tf.SparseTensor(places, [10.0, 20.0], shape)
        later = dense * tf.SparseTensor(places, [10.0, 20.0], rank)
        with pytest.raises(tf.errors.InvalidArgumentError, match=fits):
            session.run(known)
        with pytest.raises(tf.errors.InvalidArgumentError, match=fits):
            session.run(later, {dense: np.ones(size), rank: shape})
        found = session.run(later, {dense: [[[2.0], [3.0], [4.0], [5.0]]], rank: shape})
    assert found.values.tolist() == [30, 100]


def test_a_sparse_tensor_is_added_to_a_dense_one_of_its_shape_alone() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="no broadcasting is supported"):
        tf.sparse.add(tf.sparse.from_dense([[1, 2]]), tf.zeros([2, 2], tf.int32))


def test_sparse_tensors_are_equal_only_to_themselves() -> None:
    one, other = tf.sparse.from_dense([[1, 0]]), tf.sparse.from_dense([[1, 0]])
    assert one == one and one != other and one in [other, one] and hash(one) == hash(one)
