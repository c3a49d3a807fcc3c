"""Expressions that TensorFlow refuses: of which class, and in a graph when, while it is built or when it runs.

Names are those of `make_expressions.names`.
"""

from __future__ import annotations

from typing import Any

from tests.golden.make_expressions import names

EXPRESSIONS = """
tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 2]), tf.zeros([2, 1, 4]), [[1.0, 0.0]])
tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 1]), tf.zeros([1, 1, 4]), [[1.0, 0.0]])
tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 1, 4]), [[1.0, 0.0]])
tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 1, 3]), [[1.0, 0.0, 0.0]])
tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 3]), tf.zeros([2, 1, 4]), [1.0, 0.0, 0.0])
tf.image.extract_glimpse(IMAGE, [3], [[0.0, 0.0]])
tf.image.extract_glimpse(IMAGE[0], [3, 3], [[0.0, 0.0]])
tf.image.extract_glimpse(IMAGE, [3, 3], [[0.0, 0.0]] * 2)
tf.image.extract_glimpse(IMAGE, [3, 3], [[0.0]])
tf.image.extract_glimpse(IMAGE, [3, 3], [[0.0, 0.0]], noise="foo")
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([0, 0, 4]), [1, 2])
tf.image.stateless_sample_distorted_bounding_box([40, 50], tf.zeros([1, 1, 4]), [1, 2])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([1, 4]), [1, 2])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.fill([1, 1, 4], 1.5), [1, 2])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([1, 1, 4]), [1, 2], area_range=[0.5])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([1, 1, 4]), [1, 2], area_range=[0.5, 1.5])
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([1, 1, 4]), [1, 2], -1.0)
tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], tf.zeros([1, 1, 4]), [1, 2], max_attempts=0)
tf.nn.experimental.stateless_dropout(tf.ones([2, 3]), 1.5, [1, 2])
tf.nn.experimental.stateless_dropout(tf.ones([2, 3], tf.int32), 0.5, [1, 2])
tf.sparse.cross([LETTERS, tf.constant([["x"]])])
tf.sparse.cross(LETTERS)
tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([["x"]])])
tf.ragged.cross([tf.ragged.constant([[1.5]])])
tf.ragged.cross([tf.ragged.constant([[["x"]]])])
tf.ragged.cross_hashed([NARROW], num_buckets=-1)
tf.io.serialize_sparse(SQUARE)
tf.io.serialize_many_sparse(tf.SparseTensor([[0]], [1], [9]))
tf.io.serialize_many_sparse(tf.SparseTensor([[5, 0]], [1], [3, 9]))
tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(PLACED), tf.float32)
tf.io.deserialize_many_sparse([["a", "b"]], tf.float32)
tf.io.deserialize_many_sparse([["a", "b", "c"]], tf.float32)
tf.strings.ngrams(tf.constant("a"), 2)
tf.strings.ngrams(["a"], 0)
tf.strings.ngrams(["a"], 2, pad_values=5)
tf.strings.ngrams(["a"], 2, padding_width=1)
tf.strings.ngrams(["a"], 2, pad_values="a", padding_width=0)
tf.image.extract_patches(IMAGE, [1, 2, 2, 2], [1, 1, 1, 1], [1, 1, 1, 1], "SAME")
tf.image.extract_patches(IMAGE, [1, 2, 2, 1], [1, 0, 1, 1], [1, 1, 1, 1], "SAME")
tf.image.extract_patches(IMAGE, [1, 9, 9, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
tf.image.extract_patches(IMAGE, 2, [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
tf.image.extract_patches(IMAGE[0], [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID")
tf.image.extract_patches(IMAGE, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "same")
tf.image.non_max_suppression_with_scores(CORNERS, SCORES[0, :, 0], -1)
tf.image.non_max_suppression_with_scores(CORNERS, SCORES[0, :, 0], 3, 1.5)
tf.image.non_max_suppression_with_scores(CORNERS, SCORES[0, :, 0], 3, 0.5, 0.1, -1.0)
tf.image.non_max_suppression_with_scores(CORNERS, SCORES[0, :4, 0], 3)
tf.image.non_max_suppression_with_scores(CORNERS[:, :3], SCORES[0, :, 0], 3)
tf.image.non_max_suppression_overlaps(SQUARE[:2], [0.7, 0.8, 0.9], 3)
tf.image.combined_non_max_suppression(tf.reshape(CORNERS, [1, 6, 1, 4]), SCORES, -3, 4)
tf.image.combined_non_max_suppression(tf.reshape(CORNERS, [1, 6, 1, 4]), SCORES, 3, 0)
tf.image.combined_non_max_suppression(tf.reshape(CORNERS, [1, 3, 2, 4]), SCORES, 3, 4)
tf.random.stateless_gamma([2, 2], [1, 2], [0.5, 1.0, 3.0])
tf.random.experimental.index_shuffle([[1]], [1, 2], 9)
tf.random.experimental.index_shuffle(11, [1, 2], 9)
tf.random.experimental.index_shuffle(-1, [1, 2], 9)
tf.random.experimental.index_shuffle(1, [1, 2], -9)
tf.random.experimental.index_shuffle(1, [1, 2, 3], 9)
tf.random_index_shuffle([1, 2], [1, 2, 3], [9])
tf.random_index_shuffle([1], [[1, 2, 3], [4, 5, 6]], 9)
tf.nn.safe_embedding_lookup_sparse(None, tf.sparse.from_dense([[1]]))
tf.nn.safe_embedding_lookup_sparse([], tf.sparse.from_dense([[1]]))
tf.nn.safe_embedding_lookup_sparse([f32([[1]]), f64([[1]])], tf.ragged.constant([[1]]), tf.ragged.constant([[1.0]]))
tf.nn.embedding_lookup_sparse(SQUARE, tf.ragged.constant([[1]]), tf.sparse.from_dense([[1.0]]))
tf.nn.embedding_lookup_sparse(SQUARE, tf.sparse.from_dense([[1]]), tf.ragged.constant([[1.0]]))
tf.nn.embedding_lookup_sparse(SQUARE, tf.ragged.constant([[1]]), tf.ragged.constant([[1.0, 2.0]]))
tf.nn.embedding_lookup_sparse(i32([[1, 2]]), tf.ragged.constant([[0]]), None)
tf.ragged.stack([CUBE, CUBE[:1]], 1)
tf.ragged.stack([X], "a")
tf.stack([X, X], axis=[0])
tf.eye(2.5)
tf.eye("3")
tf.sparse.slice(tf.sparse.from_dense([[1, 2]]), [0, 0], [1.5, 2])
tf.strings.unicode_encode([[1]], [])
tf.linalg.lu_solve(SQUARE, i32([[0, 1, 2]]), SQUARE)
tf.broadcast_dynamic_shape(i32([1, 2]), i32([[1, 2]]))
tf.ragged.stack([X], 3)
tf.ragged.constant([[1]])[:, 0.5:1]
tf.ragged.constant([[1]])[:, ::"a"]
tf.ragged.constant([[1], [2]])[..., 0, 0, 0]
tf.ragged.constant([[1]]).merge_dims(1, 3)
tf.ragged.constant([[1]]).row_lengths(2)
tf.ragged.row_splits_to_segment_ids([0.0])
tf.ragged.row_splits_to_segment_ids(i64([]))
tf.image.resize(tf.RaggedTensor.from_tensor(CUBE), [2, 2])
tf.sparse.segment_sum(X, [0, 2], [0, 0])
tf.sparse.segment_sum(X, [0, 1], [1, 0])
tf.sparse.segment_sum(X, [0, 1], [0, 1], num_segments=1)
tf.sparse.segment_sum(X, 0, 0)
tf.sparse.segment_sum(X, [0], [0, 1])
tf.sparse.segment_sum(1.0, [0], [0])
tf.linalg.diag(0.0)
tf.linalg.diag([1.0, 2.0], num_rows=1)
tf.linalg.diag([1.0, 2.0], num_rows=3, num_cols=4)
tf.linalg.diag([[1.0, 2.0]], k=(0, 1))
tf.linalg.diag([1.0, 2.0], k=[0, 1, 2])
tf.linalg.diag_part(SQUARE, k=5)
tf.linalg.diag_part(SQUARE, k=(2, 1))
tf.linalg.set_diag(SQUARE, [1.0, 2.0])
tf.linalg.set_diag(SQUARE, [[1.0, 2.0, 3.0]])
tf.linalg.set_diag(SQUARE, [1.0], k=4)
tf.linalg.set_diag(1.0, [1.0])
tf.linalg.tensor_diag(1.0)
tf.linalg.tensor_diag_part([1.0, 2.0])
tf.linalg.tensor_diag_part([[1.0, 2.0]])
tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0], select="x")
tf.linalg.eigh_tridiagonal([1.0, 2.0, 3.0], [0.5, -1.0], select="i", select_range=(2, 1))
tf.roll(X, 1, [[0, 1]])
tf.roll(X, [1], [0, 1])
tf.roll(X, 1, -10)
tf.roll(1.0, 1, 0)
tf.stack([[1, 2], [3, 4]], axis=3)
tf.stack([[1, 2], [3, 4]], axis=-4)
tf.sequence_mask([1, 2], [3, 3])
tf.one_hot([1], 2, on_value=1, off_value=2.5)
tf.one_hot([1], 2, on_value=1.5, dtype=tf.int32)
tf.one_hot([1], 2, on_value=np.float64(1.0), off_value=np.float32(0.0))
v1.initializers.orthogonal(dtype=tf.string)
v1.initializers.identity(dtype=tf.int32)
v1.initializers.random_normal(dtype=tf.int32)
v1.initializers.truncated_normal(dtype=tf.string)
v1.initializers.uniform_unit_scaling(dtype=tf.int32)
v1.initializers.variance_scaling(dtype=tf.string)
tf.raw_ops.Add([1], [2])
tf.linalg.triangular_solve(np.ones((2, 3)), np.ones((2, 1)))
tf.linalg.triangular_solve(np.eye(2), np.ones(2))
tf.map_fn(lambda x: (x[0], x[1]), (np.arange(2), np.arange(2)), dtype=[tf.int64, tf.int64])
tf.nn.moments(np.ones((2, 2), np.float32), tf.constant([0]))
tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, tf.constant([[-1, -1]], tf.int64)).size()
tf.linalg.triangular_solve(np.ones(2), np.ones((2, 1)))
tf.linalg.solve(np.ones((2, 3)), np.ones((2, 1)))
tf.linalg.solve(np.eye(2), np.ones(2))
tf.linalg.solve(np.ones((1, 2, 2)), np.ones((5, 2, 2)))
tf.linalg.lstsq(np.ones((2, 2)), np.ones(2))
tf.dynamic_partition([[0], [1], [2]], [[0], [0]], 4)
tf.dynamic_stitch([[0, 1], [2]], [[1.0, 2.0, 3.0], [4.0]])
tf.linalg.cholesky_solve(np.eye(2), np.ones(2))
tf.linalg.banded_triangular_solve(np.ones((0, 2)), np.ones((2, 2)))
tf.linalg.tridiagonal_solve(tf.ones([2, 2]), tf.ones([2]))
tf.linalg.tridiagonal_solve(tf.ones([5, 3, 4]), tf.ones([3, 4]))
tf.linalg.tridiagonal_solve(tf.ones([3, 4]), tf.ones([5, 2, 4]))
tf.linalg.tridiagonal_solve((tf.ones([3]), tf.ones([4]), tf.ones([6])), tf.ones([4]), "sequence")
tf.switch_case(1, [lambda: tf.constant(1), lambda: tf.constant(2)])
tf.debugging.assert_shapes([(tf.ones([3, 2]), "NQ"), (tf.ones([2, 3]), "ND")])
tf.debugging.assert_shapes([(tf.ones([2]), 2)])
tf.debugging.assert_shapes([(tf.ones([1, 2]), "N*Q")])
tf.debugging.assert_shapes([(tf.constant(2), (2,)), (tf.ones([2]), ())])
tf.switch_case(tf.constant(1.0), [lambda: tf.constant(1), lambda: tf.constant(2)])
tf.switch_case(tf.constant(1), {0.0: lambda: tf.constant(1), 1: lambda: tf.constant(2)})
tf.switch_case(tf.constant(1), [(0, lambda: tf.constant(1)), (2, lambda: tf.constant(2))])
tf.switch_case(tf.constant(1), [])
v1.cond(tf.constant(True), lambda: 1, lambda: 2, fn1=lambda: 3)
v1.cond(tf.constant(True), lambda: 1, lambda: 2, fn2=lambda: 3)
tf.image.flip_left_right(np.ones((0, 2, 3)))
tf.image.rot90(np.ones((2, 0, 3)))
tf.image.crop_to_bounding_box(np.ones((2, 2, 0)), 0, 0, 1, 1)
tf.image.crop_to_bounding_box(np.ones((2, 2, 1)), 0, 0, 0, 1)
tf.image.pad_to_bounding_box(np.ones((2, 2, 1)), 0, -1, 4, 4)
tf.image.resize_with_crop_or_pad(np.ones((2, 2, 1)), 0, 1)
tf.image.central_crop(np.ones((2, 2, 1)), 1.5)
tf.image.adjust_contrast(np.ones((2, 2, 3)), [2.0])
tf.image.crop_and_resize(np.ones((2, 2, 2, 2)), np.ones((0, 4)), np.ones((0, 1)), [1, 1])
tf.image.crop_and_resize(np.ones((2, 1, 1, 1)), [[1.0e40, 0, 0, 0]], [1], [1, 1])
tf.nn.max_pool(tf.ones([3, 4]), 2, 2, "SAME")
tf.raw_ops.Add(x=[1])
tf.sparse.bincount([-1])
tf.sparse.bincount([1], axis=1)
tf.sparse.bincount([1.5])
tf.sparse.bincount([[[1]]], axis=-1)
tf.sparse.bincount([1], [1.0, 2.0])
tf.sparse.bincount([1], [1.0], binary_output=True)
tf.sparse.bincount(PLACED, [1.0, 2.0])
tf.sparse.bincount(NARROW, PLACED)
tf.math.bincount(NARROW, [1.0, 2.0, 3.0])
tf.divide([True], [True])
"""


def refused() -> list[str]:
    """The expressions, without headings."""
    return [line for line in EXPRESSIONS.splitlines() if line and not line.startswith("#")]


def outcomes(tf: Any, expression: str) -> dict[str, str]:
    """What is raised eagerly, and in a graph while it is built or when it runs; "nothing" where nothing is."""
    code = compile(expression, expression, "eval")
    return {"eager": eagerly(tf, code), "graph": in_graph(tf, code)}


def eagerly(tf: Any, code: Any) -> str:
    try:
        eval(code, names(tf))
    except Exception as error:
        return type(error).__name__
    return "nothing"


def in_graph(tf: Any, code: Any) -> str:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        try:
            value = eval(code, names(tf))
        except Exception as error:
            return f"{type(error).__name__} while building"
        try:
            session.run([t for t in tf.nest.flatten(value, expand_composites=True) if tf.is_tensor(t)])
        except Exception as error:
            return f"{type(error).__name__} when it runs"
    return "nothing"
