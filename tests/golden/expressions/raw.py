"""Raw ops: TensorFlow's ops by the names and arguments of their declarations."""

EXPRESSIONS = """
tf.raw_ops.Add(x=[1., 2.], y=3.)
tf.raw_ops.Concat(concat_dim=0, values=[[1], [2]])
tf.raw_ops.ConcatV2(values=[[1], [2]], axis=0)
tf.raw_ops.Cast(x=[1.5], DstT=tf.int32)
tf.raw_ops.Unique(x=[1, 1, 2]).idx
tf.raw_ops.Split(axis=0, value=[1, 2, 3, 4], num_split=2)
tf.raw_ops.MatMul(a=[[1., 2.]], b=[[1.], [2.]], transpose_a=False)
tf.raw_ops.TopKV2(input=[1., 3., 2.], k=2).values
tf.raw_ops.Sum(input=[[1, 2], [3, 4]], axis=0, keep_dims=True)
tf.raw_ops.Reshape(tensor=[1, 2], shape=[2, 1])
tf.raw_ops.Pack(values=[1, 2], axis=0)
tf.raw_ops.StridedSlice(input=[1, 2, 3], begin=[0], end=[2], strides=[1])
tf.raw_ops.Conv2D(input=np.ones([1, 3, 3, 1], 'f'), filter=np.ones([2, 2, 1, 1], 'f'), strides=[1] * 4, padding='SAME')
tf.raw_ops.StringJoin(inputs=["a", "b"])
tf.raw_ops.Squeeze(input=[[1]], axis=[0])
tf.raw_ops.Select(condition=[True, False], x=[1, 2], y=[3, 4])
tf.raw_ops.RaggedCountSparseOutput(splits=[0, 2, 3], values=[1, 1, 5], weights=[1, 2, 3], binary_output=False)
tf.raw_ops.SparseCountSparseOutput(indices=[[0, 0]], values=[3], dense_shape=[2, 3], weights=[4], binary_output=False)
tf.raw_ops.SparseFillEmptyRowsGrad(reverse_index_map=[2, 1], grad_values=[0.5, 1.0, 2.0, 3.0])
"""
