"""Random numbers that depend on their seeds alone."""

EXPRESSIONS = """
tf.random.stateless_uniform([3], [1, 2])
tf.random.stateless_uniform([2, 2], [7, 8], -1.0, 1.0)
tf.random.stateless_uniform([5], [1, 2], 0, 10, tf.int32)
tf.random.stateless_uniform([3], [1, 2], None, None, tf.int32)
tf.random.stateless_uniform([3], [1, 2], -5, 5, tf.int64)
tf.random.stateless_uniform([], i64([2**40, -3]))
tf.random.stateless_uniform([0], [1, 2])
tf.random.stateless_normal([3], [1, 2])
tf.random.stateless_normal([5], [3, 4], mean=[1.0], stddev=2.0)
tf.random.stateless_normal([3], [1, 2], dtype=tf.float64)
tf.random.stateless_truncated_normal([4], [1, 2])
tf.random.stateless_truncated_normal([2, 3], [5, 6], 10.0, 0.1)
tf.random.stateless_categorical([[0.0, 0.0, 5.0], [5.0, 0.0, 0.0]], 4, [1, 2])
tf.random.stateless_categorical([[0.0, 1.0]], 3, [9, 9], tf.int32)
tf.image.stateless_random_brightness(IMAGE, 0.5, [1, 2])
tf.image.stateless_random_contrast(IMAGE, 0.5, 1.5, [3, 4])
tf.image.stateless_random_saturation(IMAGE, 0.5, 1.5, [3, 4])
tf.image.stateless_random_hue(IMAGE, 0.2, [5, 6])
tf.image.stateless_random_flip_left_right(IMAGE, [1, 2])
tf.image.stateless_random_flip_up_down(IMAGE, [2, 3])
tf.image.stateless_random_crop(IMAGE, [1, 2, 2, 3], [1, 2])
tf.random.Generator.from_seed(7).uniform([3])
tf.random.Generator.from_seed(7).normal([3], 1.0, 2.0)
tf.random.Generator.from_seed(7).uniform([4], 0, 100, tf.int32)
tf.random.Generator.from_seed(7).truncated_normal([3])
tf.random.Generator.from_seed(7).uniform_full_int([3])
tf.random.Generator.from_seed(7).uniform_full_int([3], tf.int32)
tf.random.Generator.from_seed(7).uniform([2], None, dtype=tf.int64)
tf.random.Generator.from_seed(7).make_seeds(2)
tf.random.Generator.from_seed(7).key
tf.constant(tf.random.Generator.from_seed(7).algorithm)
# places in a permutation
tf.random.experimental.index_shuffle(tf.range(10), [1, 2], 9)
tf.random.experimental.index_shuffle(i64([0, 70000, 4]), [3, -4], 70000)
tf.random.experimental.stateless_shuffle(tf.range(8), [1, 2])
tf.random.experimental.stateless_shuffle(tf.constant(["a", "b", "c"]), i64([3, -4]))
tf.random_index_shuffle([1, 2], [[1, 2, 3], [4, 5, 6]], [9, 8])
tf.random_index_shuffle(tf.range(10), [1, 2, 3], 9, rounds=6)
tf.random_index_shuffle(u64(1), u64([1, 2, 3]), u64(2**60))
tf.random_index_shuffle(1, i64([1, -2, 2**40]), 9)
tf.random_index_shuffle(0, [1, 2, 3], 0)
# with parameters
tf.random.stateless_gamma([2, 3], [1, 2], [0.5, 1.0, 3.0])
tf.random.stateless_gamma([2, 2, 3], [1, 2], [0.5, 1.0, 30.0], beta=[[1.0], [2.0]])
tf.random.stateless_gamma([4], [3, 4], tf.constant(0.3, tf.float64), dtype=tf.float64)
grad(lambda a: tf.random.stateless_gamma([2, 4], [1, 2], a, beta=2.0), f32([0.3, 1.0, 2.5, 40.0]))
tf.random.stateless_poisson([2, 3], [1, 2], [0.5, 9.5, 20.0])
tf.random.stateless_poisson([2, 3], [1, 2], tf.constant([0.0, 10.0, 1000.0], tf.float64), dtype=tf.float64)
tf.random.stateless_binomial([2, 3], [1, 2], 10.0, [0.1, 0.5, 0.8])
tf.random.stateless_binomial([2, 3], [1, 2], [0.0, 10000.0, 100.0], [0.1, 0.5, 1.0])
tf.random.experimental.stateless_shuffle(tf.range(10), [1, 3])
tf.random.experimental.stateless_shuffle(X, [1000, 3])
tf.random.experimental.stateless_shuffle(tf.zeros([0, 2]), [1, 3])
tf.nn.experimental.stateless_dropout(tf.ones([2, 3]), 0.5, [1, 2])
tf.nn.experimental.stateless_dropout(tf.ones([2, 3]), 0.5, [1, 2], noise_shape=[2, 1], rng_alg="philox")
tf.nn.experimental.general_dropout(tf.ones([2, 3]), 0.25, lambda shape, dtype: tf.ones(shape, dtype) * 0.3)
tf.nn.experimental.general_dropout(tf.ones([2]), 0.25, lambda dtype, shape: tf.ones(shape, dtype) * 0.3)
# rates of learning, which draw nothing
[now(v1.train.cosine_decay_restarts(2.0, step, 4, alpha=0.1)) for step in (0, 3, 4, 7, 13, 30)]
[now(v1.train.cosine_decay_restarts(2.0, step, 4, t_mul=1.0, m_mul=0.5)) for step in (0, 3, 4, 7, 13, 30)]
[now(v1.train.linear_cosine_decay(2.0, step, 10, num_periods=2.0, alpha=0.1)) for step in (0, 3, 10, 12)]
[now(v1.train.noisy_linear_cosine_decay(2.0, step, 10, initial_variance=0.0)) for step in (0, 3, 10, 12)]
# seeds
tf.random.split([1, 2])
tf.random.split(i64([1, 2]), 3)
tf.random.fold_in([1, 2], 3)
tf.random.fold_in([1, 2], i64(3))
tf.random.fold_in(i64([1, 2]), 3, alg="philox")
# Sobol's sequence
tf.math.sobol_sample(5, 9)
tf.math.sobol_sample(3, 4, 17, dtype=tf.float64)
tf.math.sobol_sample(1000, 2)[:, -5:]
"""
