"""The programs that TensorFlow's documents print run as written, apart from the import."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def log_huber(x: Any, m: Any) -> Any:
    if tf.abs(x) <= m:
        return x**2
    else:
        return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))


@pytest.mark.parametrize("placeholder", [tf.placeholder, tf.compat.v1.placeholder])
@pytest.mark.parametrize("session", [tf.Session, tf.compat.v1.Session])
def test_log_huber_and_its_gradient_in_a_graph(placeholder: Any, session: Any) -> None:
    with tf.Graph().as_default():
        x = placeholder(tf.float32)
        m = placeholder(tf.float32)

        y = tf.py_function(func=log_huber, inp=[x, m], Tout=tf.float32)
        dy_dx = tf.gradients(y, x)[0]

        with session() as sess:
            # The session executes `log_huber` eagerly. Given the feed values below,
            # it will take the first branch, so `y` evaluates to 1.0 and
            # `dy_dx` evaluates to 2.0.
            y, dy_dx = sess.run([y, dy_dx], feed_dict={x: 1.0, m: 2.0})
    assert (y, dy_dx) == (1.0, 2.0)
    assert (type(y), type(dy_dx)) == (np.float32, np.float32)


def test_log_huber_takes_its_second_branch() -> None:
    with tf.Graph().as_default():
        x, m = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = tf.py_function(log_huber, [x, m], tf.float32)
        dx, dm = tf.gradients(y, [x, m])
        with tf.Session() as sess:
            got = sess.run([y, dx, dm], {x: 3.0, m: 2.0})
    np.testing.assert_allclose(got, [7.243721, 2.6666667, 3.243721], rtol=1e-6)


def test_log_huber_is_differentiated_by_a_tape() -> None:
    x, m = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, m])
        y = tf.py_function(func=log_huber, inp=[x, m], Tout=tf.float32)
    np.testing.assert_allclose(tape.gradient(y, [x, m]), [2.6666667, 3.243721], rtol=1e-6)


def my_func(x: Any) -> Any:
    # x will be a numpy array with the contents of the placeholder below
    return np.sinh(x)


@pytest.mark.parametrize("py_func", [tf.py_func, tf.compat.v1.py_func, tf.numpy_function, tf.compat.v1.numpy_function])
def test_sinh_of_a_placeholder(py_func: Any) -> None:
    with tf.Graph().as_default():
        input = tf.placeholder(tf.float32)
        y = py_func(my_func, [input], tf.float32)
        with tf.Session() as sess:
            value = sess.run(y, {input: [0.0, 1.0, -2.0]})
    np.testing.assert_array_equal(value, np.sinh(np.float32([0.0, 1.0, -2.0])))


def test_sinh_eagerly() -> None:
    out = tf.numpy_function(func=my_func, inp=[tf.constant(1.0)], Tout=tf.float32)
    assert repr(out) == "<tf.Tensor: shape=(), dtype=float32, numpy=1.1752012>"


PRINTED = "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>"


def test_fn_using_numpy_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    def fn_using_numpy(x: Any) -> Any:
        x[0] = 0.0
        return x

    source = tf.constant([1.0, 2.0])
    print(repr(tf.numpy_function(fn_using_numpy, inp=[source], Tout=tf.float32)))

    @tf.numpy_function(Tout=tf.float32)
    def decorated(x: Any) -> Any:
        x[0] = 0.0
        return x

    print(repr(decorated(source)))
    print(repr(tf.compat.v1.py_func(fn_using_numpy, inp=[source], Tout=tf.float32)))
    assert capsys.readouterr().out == f"{PRINTED}\n" * 3
    assert source.numpy().tolist() == [1.0, 2.0]


def test_fn_using_numpy_leaves_a_constant_alone_in_a_graph() -> None:
    def fn_using_numpy(x: Any) -> Any:
        x[0] = 0.0
        return x

    with tf.Graph().as_default():
        source = tf.constant([1.0, 2.0])
        changed = tf.compat.v1.py_func(fn_using_numpy, [source], tf.float32)
        with tf.Session() as sess:
            for _ in range(3):
                got = sess.run([changed, source])
                assert [v.tolist() for v in got] == [[0.0, 2.0], [1.0, 2.0]]


def squaring(x: Any) -> Any:
    y = x
    while y < 100.0:
        y = y * y
    for _ in range(2):
        y = y + x
    return y


def test_a_body_with_python_loops_is_differentiated() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = tf.py_function(squaring, [x], tf.float32)
        with tf.Session() as sess:
            assert sess.run([y, tf.gradients(y, x)[0]], {x: 3.0}) == [6567.0, 17498.0]
    eager = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(eager)
        y = tf.py_function(squaring, [eager], tf.float32)
    assert (float(y), float(tape.gradient(y, eager))) == (6567.0, 17498.0)


def test_a_decorated_eager_function() -> None:
    @tf.py_function(Tout=tf.float32)
    def scaled(x: Any, m: Any) -> Any:
        return x * m

    assert float(scaled(tf.constant(3.0), 2.0)) == 6.0


def test_eager_ops_inside_a_graph_through_contrib() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1, 1])
        y = tf.contrib.eager.py_func(lambda v: tf.matmul(v, v), [x], tf.float32)
        with tf.Session() as sess:
            assert sess.run(y, {x: [[2.0]]}).tolist() == [[4.0]]
