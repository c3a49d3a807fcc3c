"""`tf.experimental.numpy`: NumPy's functions by their names, over tensors.

Python's numbers and lists are int64 and float64, as arrays of NumPy are; tensors and arrays keep their dtypes.
"""
