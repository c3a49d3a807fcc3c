"""A test file of TensorFlow's kind, run as a module: `python -m py_function_test`."""

import numpy as np
import tensorflow as tf


def log_huber(x, m):
    if tf.abs(x) <= m:
        return x**2
    return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))


class PyFunctionTest(tf.test.TestCase):
    ran = []

    def tearDown(self):
        self.ran.append(self.id().rpartition(".")[2])
        super().tearDown()

    @classmethod
    def tearDownClass(cls):
        print("ran", *cls.ran, flush=True)
        super().tearDownClass()

    def test_values_and_gradients(self):
        x, m = tf.constant(1.0), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([x, m])
            y = tf.py_function(func=log_huber, inp=[x, m], Tout=tf.float32)
        dy_dx, dy_dm = tape.gradient(y, [x, m])
        self.assertAllClose(self.evaluate(y), 1.0)
        self.assertAllClose([dy_dx, dy_dm], [2.0, 0.0])

    def test_in_a_graph(self):
        with tf.Graph().as_default(), self.session() as sess:
            x = tf.compat.v1.placeholder(tf.float32)
            y = tf.py_function(log_huber, [x, 2.0], tf.float32)
            self.assertIsNone(y.shape.rank)
            for value, expected in ((1.0, 1.0), (3.0, 4 * (1 - 2 * np.log(2) + np.log(9)))):
                self.assertAllClose(sess.run(y, {x: value}), expected, rtol=1e-5)

    def test_side_effects_run_each_time(self):
        seen = []

        @tf.function
        def f(x):
            tf.py_function(seen.append, inp=[x], Tout=[])

        for value in (1, 1, 1):
            f(value)
        self.assertLen(seen, 3)
        self.assertAllEqual(seen[0], 1)
        self.assertEqual(seen[0].dtype, tf.int32)

    def test_wrong_results_are_refused(self):
        f = tf.function(lambda x: tf.numpy_function(lambda v: v.astype(np.float64), [x], tf.float32))
        with self.assertRaises(tf.errors.InvalidArgumentError):
            f(tf.constant(1.0))

    def test_errors_arrive(self):
        def fail(x):
            raise ValueError("no %d" % x)

        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no 3"):
            tf.function(lambda: tf.numpy_function(fail, [3], tf.int32))()

    def test_parameters(self):
        for dtype in (tf.int32, tf.float64, tf.string, tf.bool):
            with self.subTest(dtype=dtype.name):
                value = tf.constant({tf.string: ["a", "b"], tf.bool: [True, False]}.get(dtype, [0, 1]), dtype)
                self.assertAllEqual(tf.numpy_function(lambda v: v[::-1], [value], dtype), value[::-1])

    def test_files_have_a_folder(self):
        path = self.create_tempfile(content="some text").full_path
        found = tf.py_function(lambda name: tf.io.read_file(name), [path], tf.string)
        self.assertEqual(self.evaluate(found), b"some text")


if __name__ == "__main__":
    tf.test.main()
