"""Ragged and sparse tensors."""

EXPRESSIONS = """
# making rows
tf.ragged.constant([[1, 2], [], [3]])
tf.ragged.constant([[[1], []], []])
tf.ragged.constant([], ragged_rank=1)
tf.ragged.constant([["a"], ["b", "c"]])
tf.ragged.constant([[1.0], [2.0, 3.0]], dtype=tf.float64)
tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 0, 2])
tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5)
tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1, 1])
tf.RaggedTensor.from_row_limits([1, 2, 3], [1, 1, 3])
tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[2, 0], [1, 2]])
tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 2, 2], [0, 1, 3]])
tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
tf.RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=[1, 2])
tf.RaggedTensor.from_tensor([[[1], [2]], [[3], [4]]], ragged_rank=2)
tf.ragged.range([2, 0, 3])
tf.ragged.range([1, 5], [4, 8], 2)
tf.ragged.stack([[1, 2], [3]])
tf.ragged.stack([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5]])])
tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
tf.ragged.boolean_mask(tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[False, True], [False]]))
# parts
tf.ragged.constant([[1, 2], [], [3]]).row_splits
tf.ragged.constant([[1, 2], [], [3]]).row_lengths()
tf.ragged.constant([[1, 2], [], [3]]).row_starts()
tf.ragged.constant([[1, 2], [], [3]]).row_limits()
tf.ragged.constant([[1, 2], [], [3]]).value_rowids()
tf.ragged.constant([[1, 2], [], [3]]).nrows()
tf.ragged.constant([[1, 2], [], [3]]).values
tf.ragged.constant([[[1], [2, 3]], []]).flat_values
tf.ragged.constant([[[1], [2, 3]], []]).nested_row_lengths()
tf.ragged.constant([[[1], [2, 3]], []]).row_lengths(axis=2)
tf.ragged.constant([[[1], [2, 3]], []]).bounding_shape()
tf.ragged.constant([[1, 2], [], [3]]).bounding_shape(axis=1)
tf.ragged.constant([[1, 2], [3]]).with_values(["a", "b", "c"])
tf.ragged.constant([[[1], [2, 3]], []]).with_flat_values([7, 8, 9])
tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(0, 1)
tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3])
tf.ragged.segment_ids_to_row_splits([0, 0, 2])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5)
# dense and back
tf.ragged.constant([[1, 2], [], [3]]).to_tensor()
tf.ragged.constant([[1, 2], [], [3]]).to_tensor(default_value=-1)
tf.ragged.constant([[1, 2], [], [3]]).to_tensor(shape=[None, 3])
tf.ragged.constant([[1, 2], [], [3]]).to_tensor(shape=[2, 1])
tf.ragged.constant([["a"], []]).to_tensor(default_value="-")
tf.ragged.constant([[1, 2], [], [3]]).to_sparse()
tf.RaggedTensor.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [3, 2]))
# indexing
tf.ragged.constant([[1, 2], [], [3]])[0]
tf.ragged.constant([[1, 2], [], [3]])[-1]
tf.ragged.constant([[1, 2], [], [3]])[1:]
tf.ragged.constant([[1, 2], [], [3]])[:, :1]
tf.ragged.constant([[1, 2], [], [3]])[:, -1:]
tf.ragged.constant([[1, 2], [], [3]])[::2]
tf.ragged.constant([[1, 2], [], [3]])[2, 0]
tf.ragged.constant([[[1, 2], [3]], [[4]]])[0, 1]
tf.ragged.constant([[1, 2], [3]])[:, tf.newaxis]
tf.ragged.constant([[1, 2, 3], [4]])[:, ::2]
# ops
tf.ragged.constant([[1, 2], [3]]) + 1
tf.ragged.constant([[1, 2], [3]]) * tf.ragged.constant([[10, 20], [30]])
-tf.ragged.constant([[1.0], [2.0, -3.0]])
tf.ragged.constant([[1, 2], [3]]) > 1
tf.ragged.constant([[7, 8], [9]]) // 2
tf.abs(tf.ragged.constant([[-1], [2]]))
tf.cast(tf.ragged.constant([[1], [2]]), tf.float32)
tf.ragged.map_flat_values(lambda v: v * v, tf.ragged.constant([[1, 2], [3]]))
tf.strings.upper(tf.ragged.constant([["a"], ["b", "c"]]))
tf.reduce_sum(tf.ragged.constant([[1, 2], [], [3]]), axis=1)
tf.reduce_sum(tf.ragged.constant([[1, 2], [], [3]]), axis=0)
tf.reduce_sum(tf.ragged.constant([[1, 2], [], [3]]))
tf.reduce_mean(tf.ragged.constant([[1.0, 2.0], [3.0]]), axis=1)
tf.reduce_max(tf.ragged.constant([[1, 2], [3]]), axis=1)
tf.reduce_min(tf.ragged.constant([[[4, 2], [3]], [[1]]]), axis=2)
tf.reduce_prod(tf.ragged.constant([[2, 3], []]), axis=1)
tf.reduce_any(tf.ragged.constant([[True, False], [False]]), axis=1)
tf.reduce_all(tf.ragged.constant([[True, False], []]), axis=1)
tf.concat([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5], []])], axis=1)
tf.concat([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4, 5]])], axis=0)
tf.stack([tf.ragged.constant([[1]]), tf.ragged.constant([[2, 3]])], axis=0)
tf.gather(tf.ragged.constant([[1], [2, 3], []]), [2, 1, 1])
tf.gather([10, 20, 30], tf.ragged.constant([[0], [2, 1]]))
tf.expand_dims(tf.ragged.constant([[1, 2], [3]]), 1)
tf.size(tf.ragged.constant([[1, 2], [3]]))
tf.rank(tf.ragged.constant([[1, 2], [3]]))
tf.ones_like(tf.ragged.constant([[5, 6], [7]]))
tf.zeros_like(tf.ragged.constant([[5.0], []]))
tf.boolean_mask([[1, 2], [3, 4]], [[True, False], [False, True]])
tf.where(tf.ragged.constant([[True], []]), tf.ragged.constant([[1], []]), tf.ragged.constant([[4], []]))
tf.strings.split(["a b", "c", ""])
tf.strings.split(["a,b", "c"], ",").to_tensor()
# sparse
tf.SparseTensor([[0, 1], [2, 0]], [5.0, 6.0], [3, 2])
tf.sparse.to_dense(tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2]))
tf.sparse.to_dense(tf.SparseTensor([[1]], ["x"], [3]), default_value="-")
tf.sparse.from_dense([[0, 1], [2, 0]])
tf.sparse.from_dense(["", "a"])
tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2]))
tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2]), [[1.0, 2.0], [3.0, 4.0]])
tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1]], [2.0], [2, 3]), X, adjoint_a=True, adjoint_b=False)
tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1]], [2.0], [2, 3]), X, adjoint_b=True)
tf.sparse.sparse_dense_matmul(X, tf.SparseTensor([[0, 1], [2, 0]], [2.0, 3.0], [3, 2]))
tf.sparse.sparse_dense_matmul(X, tf.SparseTensor([[0, 1], [1, 0]], [2.0, 3.0], [2, 2]), adjoint_a=True, adjoint_b=True)
tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 0], [2, 3], [2, 1], [0, 2]], [1, 2, 3, 4], [4, 5]), -1)
tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 2]], ["a"], [3, 5]), "")
tf.sparse.fill_empty_rows(tf.SparseTensor(np.zeros([0, 2]), tf.zeros([0]), [2, 5]), 1.5)
tf.sparse.reset_shape(tf.SparseTensor([[0, 3], [1, 1]], [1, 2], [4, 5]))
tf.sparse.reset_shape(tf.SparseTensor([[0, 3], [1, 1]], [1, 2], [4, 5]), [4, 9])
tf.sparse.reset_shape(tf.SparseTensor(np.zeros([0, 2]), tf.zeros([0]), [4, 5]))
tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1.0, 2.0, 5.0], [2, 3]))
tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [2, 1], [2, 3]], [1, 3, 3], [3, 5]), 4)
tf.sparse.mask(tf.IndexedSlices(f32([[1, 2], [3, 4], [5, 6]]), i32([4, 1, 7])), i32([1])).values
tf.sparse.map_values(tf.add, tf.SparseTensor([[1]], [2.0], [3]), 1.0)
v1.sparse_merge(*(tf.SparseTensor([[0, 0], [1, 0], [1, 1]], v, [2, 2]) for v in ([3, 2, 0], [1.0, 2.0, 3.0])), 5)
v1.sparse_add(tf.SparseTensor([[0], [2]], [1.0, 2.0], [3]), tf.SparseTensor([[1], [2]], [0.1, -2.0], [3]), thresh=0.2)
v1.sparse_concat(1, [tf.SparseTensor([[1, 0]], [i], [2, 1 + i]) for i in range(3)])
v1.sparse.concat(0, [tf.SparseTensor([[1, 0]], [i], [2, 1 + i]) for i in range(3)], expand_nonconcat_dim=True)
v1.sparse.split(sp_input=tf.SparseTensor([[0, 0], [1, 4]], [1, 2], [2, 5]), num_split=2, axis=1)
v1.sparse_reduce_sum(tf.SparseTensor([[0, 0], [1, 4]], [1, 2], [2, 5]), reduction_axes=1, keep_dims=True)
v1.sparse_reduce_max_sparse(tf.SparseTensor([[0, 0], [1, 4]], [1, 2], [2, 5]), 0)
grad(lambda v, d: tf.sparse.fill_empty_rows(tf.SparseTensor([[2], [0]], v, [4]), d)[0].values ** 2, [1.0, 2.0], 5.0)
grad(lambda v: tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2]], v, [2, 3])).values * [1.0, 2.0], [1.0, 2.0])
tf.convert_to_tensor(tf.IndexedSlices(f32([[1.0], [2.0]]), i32([1, 1]), i32([3, 1])))
# gradients
grad(lambda v: tf.reduce_sum(tf.RaggedTensor.from_row_splits(v, [0, 2, 3]), axis=1) * [1.0, 2.0], [1.0, 2.0, 3.0])
tf.convert_to_tensor(grad(lambda v: tf.RaggedTensor.from_row_splits(v, [0, 2, 3]).to_tensor()[0], f32([1, 2, 3]))[0])
grad(lambda v: tf.reduce_max(tf.RaggedTensor.from_row_splits(v, [0, 2, 3]), axis=1), [1.0, 2.0, 3.0])
grad(lambda v: tf.sparse.to_dense(tf.SparseTensor([[0], [2]], v, [3])) * [1.0, 2.0, 3.0], [5.0, 6.0])
grad(lambda v, d: tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1]], v, [2, 3]), d), [2.0], tf.ones([3, 2]))
"""
