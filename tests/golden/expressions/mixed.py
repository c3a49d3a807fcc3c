"""Operands of several dtypes: numbers of Python, NumPy's, tensors."""

EXPRESSIONS = """
tf.divide(1.5, np.float64(1.5))
tf.divide(1.5, np.int64(2))
tf.divide(np.float64(1.5), f32([2]))
tf.divide(np.float32(1.5), f64([2]))
tf.divide(np.int64(3), f32([2]))
tf.divide(np.array([3]), bf16([2]))
tf.divide(np.float32(1.5), c64([2]))
tf.divide(2j, np.float64(2))
tf.divide(f32([3]), np.float64(2))
tf.slice([1, 2], [0], [f32(1)])
tf.sequence_mask([1, 2], dtype=None)
tf.unravel_index(i32([-1, -4]), i32([2, 3]))
tf.unravel_index(i32([0, 0]), i32([]))
tf.sign(c64([3 + 4j, 0, complex(-inf, 0), complex(nan, 1)]))
tf.nn.dropout(f32([1, 2]), nan)
tf.compat.v1.where([True, False], [[1, 2], [3, 4]], tf.ragged.constant([[5], [6, 7, 8]]))
tf.compat.v1.where([False, True], tf.ragged.constant([[5], [6, 7, 8]]), tf.ragged.constant([[1, 2], []], tf.int32))
"""
