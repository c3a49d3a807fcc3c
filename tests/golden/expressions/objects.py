"""Shapes, dtypes and what they answer: no tensors."""

EXPRESSIONS = """
# shapes
tf.TensorShape([1, None, 3])
tf.TensorShape(None)
tf.TensorShape([])
tf.TensorShape([1, None]).rank
tf.TensorShape(None).rank
tf.TensorShape([2, 3]).num_elements()
tf.TensorShape([2, None]).num_elements()
tf.TensorShape([]).num_elements()
tf.TensorShape([1, None]).as_list()
tf.TensorShape([1, 2]).concatenate([None, 3])
tf.TensorShape([1, 2]).concatenate(None)
tf.TensorShape([None, 2]).merge_with([1, None])
tf.TensorShape(None).merge_with([4])
tf.TensorShape([1, None]).is_compatible_with([1, 7])
tf.TensorShape([1, None]).is_compatible_with([2, 7])
tf.TensorShape(None).is_compatible_with([2, 7])
tf.TensorShape([1, None]).is_fully_defined()
tf.TensorShape([1, 2]).is_fully_defined()
tf.TensorShape([1, None]).most_specific_compatible_shape([1, 2])
tf.TensorShape([1, 2]).most_specific_compatible_shape([1, 2, 3])
tf.TensorShape([1, None, 3])[1:]
tf.TensorShape([1, None, 3])[-1]
tf.TensorShape([1, None, 3])[:-1]
tf.TensorShape(None)[0]
tf.TensorShape(None)[1:]
tf.TensorShape([1, 2]) + [3]
tf.TensorShape([1, 2]) == [1, 2]
tf.TensorShape([1, None]) == [1, None]
tf.TensorShape([1, 2]) == (1, 2)
tf.TensorShape(None) == None
tf.TensorShape([1]) != [2]
tf.TensorShape([5]) == tf.TensorShape([5])
len(tf.TensorShape([1, None]))
list(tf.TensorShape([1, None]))
bool(tf.TensorShape(None))
bool(tf.TensorShape([]))
str(tf.TensorShape([1, None, 3]))
str(tf.TensorShape(None))
str(tf.TensorShape([7]))
tf.TensorShape([3, 4]).with_rank(2)
tf.TensorShape(None).with_rank(2)
tf.TensorShape([3, 4]).with_rank_at_least(1)
tf.TensorShape([3, 4]).with_rank_at_most(2)
tf.TensorShape([3, None]).assert_has_rank(2)
tf.TensorShape([3]).is_subtype_of(tf.TensorShape([None]))
tf.TensorShape([None]).is_subtype_of(tf.TensorShape([3]))
# dtypes
tf.as_dtype("float32")
tf.as_dtype(np.int64)
tf.as_dtype(np.dtype("complex64"))
tf.as_dtype("bool")
tf.as_dtype(float) == tf.float32
tf.float32.name
repr(tf.bfloat16)
str(tf.string)
tf.float32.size
tf.complex128.size
tf.bool.size
tf.int8.min
tf.uint16.max
tf.int64.max
float(tf.float16.max)
float(tf.float32.min)
tf.float32.is_floating
tf.bfloat16.is_floating
tf.complex64.is_floating
tf.complex64.is_complex
tf.complex64.real_dtype
tf.float64.real_dtype
tf.uint8.is_integer
tf.bool.is_integer
tf.qint8.is_quantized
tf.uint8.is_unsigned
tf.bool.is_bool
tf.int32.is_numpy_compatible
tf.float32.as_datatype_enum
tf.string.as_datatype_enum
tf.float16.is_compatible_with(tf.float16)
tf.float16.is_compatible_with("float32")
tf.float32 == "float32"
tf.float32 == np.float32
tf.float32 != tf.float64
tf.float32 == 3
tf.float32.as_numpy_dtype is np.float32
tf.string.as_numpy_dtype is np.object_
tf.uint8.limits
# specs
repr(tf.TensorSpec([None, 3], tf.float32))
repr(tf.TensorSpec([], tf.int32, "x"))
repr(tf.RaggedTensorSpec([None, None], tf.int32))
repr(tf.SparseTensorSpec([2, None], tf.float32))
tf.TensorSpec([1, 2], tf.float32).is_compatible_with(tf.zeros([1, 2]))
tf.TensorSpec([1, None], tf.float32).is_compatible_with(tf.zeros([2, 2]))
tf.TensorSpec([1], tf.float32) == tf.TensorSpec([1], tf.float32)
tf.TensorSpec([1], tf.float32) == tf.TensorSpec([None], tf.float32)
tf.TensorSpec([1], tf.float32).shape
tf.TensorSpec([1], tf.float32).dtype
tf.TensorSpec.from_tensor(tf.zeros([2, 3])).shape
tf.TensorSpec([1], tf.float32).most_specific_compatible_type(tf.TensorSpec([2], tf.float32)).shape
tf.RaggedTensorSpec([None, None, 3], tf.int32).ragged_rank
tf.type_spec_from_value(tf.ragged.constant([[1]])).dtype
# nests
tf.nest.flatten({"b": 1, "a": [2, (3, 4)]})
tf.nest.flatten(5)
tf.nest.flatten([])
tf.nest.flatten({"b": {"y": 1, "x": 2}, "a": ()})
tf.nest.map_structure(lambda a, b: a + b, {"x": 1, "y": [2]}, {"x": 10, "y": [20]})
tf.nest.pack_sequence_as({"b": 0, "a": [0, 0]}, [1, 2, 3])
tf.nest.is_nested([1])
tf.nest.is_nested("text")
tf.nest.is_nested({})
tf.nest.assert_same_structure([1, (2,)], [3, (4,)])
# tests of kinds
tf.is_tensor(tf.constant(1))
tf.is_tensor([1])
tf.is_tensor(np.zeros(2))
tf.is_tensor(tf.ragged.constant([[1]]))
tf.debugging.is_numeric_tensor(tf.constant("a"))
tf.debugging.is_numeric_tensor(tf.constant(1.0))
"""
