"""Host functions among everything else."""

from __future__ import annotations

from typing import Any

import numpy as np


def in_a_while_loop(tf: Any) -> Any:
    calls: list[int] = []

    def note(i: Any) -> Any:
        calls.append(int(i))
        return np.int32(i * 2)

    @tf.function
    def program(n: Any) -> Any:
        total = 0
        for i in tf.range(n):
            total += tf.ensure_shape(tf.numpy_function(note, [i], tf.int32), [])
        return total

    return [program(tf.constant(4)), calls]


def in_a_branch_not_taken(tf: Any) -> Any:
    calls: list[str] = []

    def noted(name: str) -> Any:
        def body(x: Any) -> Any:
            calls.append(name)
            return x

        return lambda x: tf.numpy_function(body, [x], tf.float32)

    @tf.function
    def program(x: Any) -> Any:
        return tf.cond(x > 0, lambda: noted("yes")(x), lambda: noted("no")(x))

    return [program(tf.constant(1.0)), program(tf.constant(-1.0)), calls]


def in_a_map(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    return tf.map_fn(lambda row: tf.ensure_shape(tf.numpy_function(np.sum, [row], tf.float32), []), x)


def in_program_order(tf: Any) -> Any:
    log: list[int] = []

    @tf.function
    def program(x: Any) -> Any:
        for k in range(3):
            tf.numpy_function(lambda v, k=k: log.append(k), [x], [])
        return x

    program(tf.constant(1.0))
    return log


def around_variables(tf: Any) -> Any:
    v = tf.Variable(2.0)

    @tf.function
    def program() -> Any:
        before = tf.numpy_function(lambda x: x * np.float32(10), [v], tf.float32)
        v.assign_add(1.0)
        return before, tf.numpy_function(lambda x: x * np.float32(10), [v], tf.float32)

    return program()


def with_unknown_shapes(tf: Any) -> Any:
    shapes: list[Any] = []

    @tf.function
    def program(x: Any) -> Any:
        y = tf.numpy_function(np.transpose, [x], tf.float32)
        shapes.append(y.shape.rank)
        y.set_shape([3, 2])
        shapes.append(y.shape.as_list())
        return y

    return [program(tf.reshape(tf.range(6.0), [2, 3])), shapes]


def several_results(tf: Any) -> Any:
    def split(x: Any) -> Any:
        return x[:1], x[1:], np.int64(len(x))

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.numpy_function(split, [tf.constant([1.0, 2.0, 3.0])], [tf.float32, tf.float32, tf.int64])
        return [session.run(made), [t.op.type for t in made], len({t.op.name for t in made})]


def text_in_and_out(tf: Any) -> Any:
    def shout(words: Any, suffix: Any) -> Any:
        return np.array([w.upper() + suffix for w in words], object)

    return tf.numpy_function(shout, [tf.constant([b"a", b"b"]), tf.constant(b"!")], tf.string)


def eager_functions_see_eager_tensors(tf: Any) -> Any:
    seen: list[Any] = []

    def body(x: Any, n: Any) -> Any:
        seen.append([tf.executing_eagerly(), x.dtype.name, x.shape.as_list(), int(n)])
        return tf.reduce_sum(x) * tf.cast(n, tf.float32)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None])
        y = tf.py_function(body, [x, 3], tf.float32)
        return [session.run(y, {x: [1.0, 2.0]}), session.run(y, {x: []}), seen]


def gradients_in_a_session(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.py_function(lambda v: tf.reduce_sum(v**3), [x], tf.float32)
        return session.run([y, tf.gradients(y, x)[0]], {x: [1.0, 2.0]})


def branches_on_values(tf: Any) -> Any:
    def body(x: Any) -> Any:
        total = tf.zeros([])
        for v in x:
            if v > 0:
                total += v
        return total

    @tf.function
    def program(x: Any) -> Any:
        return tf.py_function(body, [x], tf.float32)

    return [program(tf.constant([1.0, -2.0, 3.0])), program(tf.constant([-1.0]))]


def a_body_that_calls_a_function(tf: Any) -> Any:
    @tf.function
    def square(x: Any) -> Any:
        return x * x

    @tf.function
    def program(x: Any) -> Any:
        return tf.py_function(lambda v: square(v) + 1.0, [x], tf.float32)

    return program(tf.constant(3.0))


def a_body_that_runs_a_session(tf: Any) -> Any:
    def body(x: Any) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            return session.run(tf.constant(x) * 2.0)

    return tf.numpy_function(body, [tf.constant(2.5)], tf.float32)


def exceptions_have_classes(tf: Any) -> Any:
    found = []
    for error in (ValueError, TypeError, StopIteration, MemoryError, NotImplementedError, RuntimeError, KeyError):

        def body(x: Any, error: Any = error) -> Any:
            raise error("reason")

        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            y = tf.compat.v1.py_func(body, [tf.constant(1.0)], tf.float32)
            try:
                session.run(y)
            except tf.errors.OpError as raised:
                found.append([type(raised).__name__, "reason" in str(raised)])
    return found


def state_is_kept_between_runs(tf: Any) -> Any:
    rows: list[float] = []

    def push(x: Any) -> Any:
        rows.append(float(x))
        return np.float32(sum(rows))

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.compat.v1.py_func(push, [x], tf.float32)
        return [session.run(y, {x: v}) for v in (1.0, 2.0, 4.0)]


def dtypes_are_kept(tf: Any) -> Any:
    kinds = (tf.float16, tf.float64, tf.int8, tf.uint16, tf.int64, tf.bool, tf.complex64)
    return [tf.numpy_function(lambda v: v, [tf.cast([0, 1], d)], d) for d in kinds]
