"""Names that stand for constants, and aliases of functions."""

EXPRESSIONS = """
# saved models
tf.saved_model.ASSETS_DIRECTORY
tf.saved_model.ASSETS_KEY
tf.saved_model.CLASSIFY_INPUTS
tf.saved_model.CLASSIFY_METHOD_NAME
tf.saved_model.CLASSIFY_OUTPUT_CLASSES
tf.saved_model.CLASSIFY_OUTPUT_SCORES
tf.saved_model.DEBUG_DIRECTORY
tf.saved_model.DEBUG_INFO_FILENAME_PB
tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
tf.saved_model.GPU
tf.saved_model.PREDICT_INPUTS
tf.saved_model.PREDICT_METHOD_NAME
tf.saved_model.PREDICT_OUTPUTS
tf.saved_model.REGRESS_INPUTS
tf.saved_model.REGRESS_METHOD_NAME
tf.saved_model.REGRESS_OUTPUTS
tf.saved_model.SAVED_MODEL_FILENAME_PB
tf.saved_model.SAVED_MODEL_FILENAME_PBTXT
tf.saved_model.SAVED_MODEL_SCHEMA_VERSION
tf.saved_model.SERVING
tf.saved_model.TPU
tf.saved_model.TRAINING
tf.saved_model.VARIABLES_DIRECTORY
tf.saved_model.VARIABLES_FILENAME
v1.saved_model.LEGACY_INIT_OP_KEY
v1.saved_model.MAIN_OP_KEY
v1.saved_model.SERVING
v1.saved_model.constants.ASSETS_KEY
v1.saved_model.signature_constants.PREDICT_METHOD_NAME
v1.saved_model.tag_constants.TRAINING
# dtypes
[d.name for d in (tf.experimental.int4, tf.experimental.uint2, tf.experimental.float8_e4m3fn)]
sorted(d.name for d in tf.dtypes.QUANTIZED_DTYPES if not d.name.endswith("_ref"))
tf.dtypes.cast([1.8, 2.2], tf.int32)
tf.dtypes.saturate_cast([300, -2], tf.uint8)
tf.dtypes.complex(1.0, 2.0)
v1.dtypes.as_string([1, 2])
# namespaces of 1.x
v1.manip.reshape([1, 2], [2, 1])
v1.manip.roll([1, 2, 3], 1, 0)
v1.manip.reverse([1, 2, 3], [0])
v1.manip.tile([1, 2], [2])
v1.manip.gather_nd([[1, 2], [3, 4]], [[1, 0]])
v1.manip.scatter_nd([[1]], [5], [3])
v1.manip.batch_to_space_nd(np.arange(4).reshape(4, 1, 1, 1), [2, 2], [[0, 0], [0, 0]])
v1.manip.space_to_batch_nd(np.arange(4).reshape(1, 2, 2, 1), [2, 2], [[0, 0], [0, 0]])
v1.debugging.is_finite([1.0, inf])
v1.debugging.is_inf([1.0, inf])
v1.debugging.is_nan([1.0, nan])
v1.debugging.is_non_decreasing([1, 1])
v1.is_strictly_increasing([1, 1])
v1.linalg.transpose(X)
v1.image.transpose_image(CUBE)
v1.errors.exception_type_from_error_code(3).__name__
v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
v1.fake_quant_with_min_max_args([0.1, 7.0])
v1.nn.max_pool_v2(IMAGE, 2, 2, "VALID")
v1.random.stateless_multinomial([[0.0, 1.0, 2.0]], 5, [1, 2])
# settings
tf.config.experimental.get_device_policy()
tf.config.experimental.get_synchronous_execution()
tf.config.experimental.tensor_float_32_execution_enabled()
tf.config.experimental.get_memory_info("CPU:0")
tf.config.experimental.get_memory_usage("CPU:0")
tf.config.experimental.reset_memory_stats("CPU:0")
tf.compat.forward_compatible(2020, 1, 1)
tf.compat.forward_compatible(2099, 1, 1)
tf.compat.path_to_str("a")
[tf.AggregationMethod.DEFAULT, tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N]
repr(tf.NoneTensorSpec())
repr(v1.data.experimental.TensorStructure(tf.int32, [2]))
repr(v1.data.experimental.SparseTensorStructure(tf.int32, [2]))
repr(v1.data.experimental.RaggedTensorStructure(tf.int32, [2, None], 1))
repr(tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3)))
repr(tf.distribute.InputOptions())
repr(tf.distribute.RunOptions())
str(tf.distribute.experimental.ValueContext(2, 4))
# states of generators
[a.value for a in tf.random.Algorithm]
tf.random.create_rng_state(1234, "philox")
tf.random.create_rng_state(1234, tf.random.Algorithm.THREEFRY)
tf.random.create_rng_state([1, 2], "philox")
tf.random.create_rng_state([1, 2, 3, 4], 1)
tf.random.create_rng_state(2**70, "auto_select")
tf.random.create_rng_state(-5, "philox")
tf.random.create_rng_state(tf.constant([5, 6]), "philox")
tf.random.Generator.from_seed(2**70).normal([2])
tf.random.Generator.from_seed([1, 2]).normal([2])
"""
