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
"""
