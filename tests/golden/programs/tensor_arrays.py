"""`TensorArray`, method by method: eagerly, in a traced function, in a session."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_MODES = ("eager", "function", "session")


def _run(tf: Any, mode: str, build: Any) -> Any:
    if mode == "session":
        with session(tf) as s:
            return s.run(build())
    function = build if mode == "eager" else tf.function(build, autograph=False)
    return tf.nest.map_structure(lambda t: t.numpy(), function())


@rows(*_MODES)
def write_read_size_and_stack(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=3, clear_after_read=False)
        a = a.write(0, [1.0, 2.0])
        a = a.write(2, [5.0, 6.0])
        a = a.write(1, [3.0, 4.0])
        return [a.read(2), a.size(), a.stack(), a.read(0)]

    return _run(tf, mode, build)


@rows(*_MODES)
def unstack_gather_and_concat(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.int32, size=3, clear_after_read=False).unstack([[1, 2], [3, 4], [5, 6]])
        return [a.gather([2, 0]), a.concat(), a.read(1), a.size()]

    return _run(tf, mode, build)


@rows(*_MODES)
def scatter_puts_rows_in_places(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=3).scatter([2, 0, 1], [[1.0], [2.0], [3.0]])
        return a.stack()

    return _run(tf, mode, build)


@rows(*_MODES)
def split_into_parts_of_one_length(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=2, clear_after_read=False).split([1.0, 2.0, 3.0, 4.0], [2, 2])
        return [a.read(0), a.read(1), a.stack(), a.concat()]

    return _run(tf, mode, build)


@rows(*_MODES)
def split_into_parts_of_other_lengths(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=3, infer_shape=False, clear_after_read=False)
        a = a.split([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1, 3, 2])
        return [a.read(0), a.read(1), a.read(2)]

    return _run(tf, mode, build)


@rows(*_MODES)
def growing(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
        for i in range(4):
            a = a.write(i, np.int64(i * i))
        return [a.size(), a.stack()]

    return _run(tf, mode, build)


@rows(*_MODES)
def filled_by_a_loop(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=5)
        _, a = tf.while_loop(
            lambda i, _: i < 5, lambda i, a: (i + 1, a.write(i, tf.cast(i, tf.float32) ** 2)), (tf.constant(0), a)
        )
        return a.stack()

    return _run(tf, mode, build)


@rows(*_MODES)
def each_item_from_the_one_before(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=5, clear_after_read=False, element_shape=[]).write(0, 1.0)
        _, a = tf.while_loop(
            lambda i, _: i < 5, lambda i, a: (i + 1, a.write(i, a.read(i - 1) * 3.0)), (tf.constant(1), a)
        )
        return a.stack()

    return _run(tf, mode, build)


@rows(*_MODES)
def places_not_written_are_zeros(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=3, element_shape=[2]).write(1, [1.0, 2.0])
        return a.stack()

    return _run(tf, mode, build)


@rows(*_MODES)
def carried_through_a_branch(tf: Any, mode: str) -> Any:
    def build() -> Any:
        a = tf.TensorArray(tf.float32, size=2, element_shape=[])
        a = a.write(0, 1.0)
        a = tf.cond(tf.constant(3.0) > 2.0, lambda: a.write(1, 7.0), lambda: a.write(1, 8.0))
        return a.stack()

    return _run(tf, mode, build)


@rows("float32", "int32", "string", "bool", "complex64")
def items_of_every_type(tf: Any, dtype: str) -> Any:
    value = {"string": "a", "bool": True, "complex64": 1 + 2j}.get(dtype, 3)
    a = tf.TensorArray(getattr(tf, dtype), size=2).write(0, value).write(1, value)
    return a.stack().numpy()


def gradients_reach_every_item(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
        y = a.read(0) * a.read(1) + a.read(2) ** 2 + tf.reduce_sum(a.gather([1, 1]))
    return tape.gradient(y, x).numpy()


def gradients_of_items_written_in_a_loop(tf: Any) -> Any:
    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            a = tf.TensorArray(tf.float32, size=4)
            for i in tf.range(4):
                a = a.write(i, x ** tf.cast(i, tf.float32))
            y = tf.reduce_sum(a.stack() * [1.0, 2.0, 3.0, 4.0])
        return tape.gradient(y, x)

    return slope(tf.constant(2.0)).numpy()


@rows("before", "after a write", "told", "not inferred")
def what_is_known_of_the_items(tf: Any, when: str) -> Any:
    with tf.Graph().as_default():
        made = {
            "before": lambda: tf.TensorArray(tf.float32, size=2),
            "after a write": lambda: tf.TensorArray(tf.float32, size=2).write(0, tf.zeros([2, 3])),
            "told": lambda: tf.TensorArray(tf.float32, size=2, element_shape=[None, 3]),
            "not inferred": lambda: tf.TensorArray(tf.float32, size=2, infer_shape=False).write(0, tf.zeros([2])),
        }[when]()
        return [made.element_shape, made.dtype, made.read(0).shape, made.stack().shape[1:]]


@rows("write past the end", "read past the end", "read before any write", "another shape", "negative place")
def arrays_refuse(tf: Any, what: str) -> Any:
    full = tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack([1.0, 2.0])
    calls = {
        "write past the end": lambda: full.write(2, 3.0),
        "read past the end": lambda: full.read(2),
        "read before any write": lambda: tf.TensorArray(tf.float32, size=2).read(0),
        "another shape": lambda: tf.TensorArray(tf.float32, size=2).write(0, [1.0]).write(1, [1.0, 2.0]).stack(),
        "negative place": lambda: full.write(-1, 3.0),
    }
    return refused(calls[what])


def arrays_of_any_size_in_a_session(tf: Any) -> Any:
    with session(tf) as s:
        n = tf.compat.v1.placeholder(tf.int32, [])
        a = tf.TensorArray(tf.int32, size=n)
        _, a = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a.write(i, i * 2)), (tf.constant(0), a))
        squares, size = a.stack(), a.size()
        return [s.run([squares, size], {n: k}) for k in (1, 4)]


def two_arrays_in_one_loop(tf: Any) -> Any:
    @tf.function
    def program(x: Any) -> Any:
        up, down = tf.TensorArray(tf.float32, size=3), tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            up = up.write(i, x[i])
            down = down.write(2 - i, x[i])
        return up.stack(), down.stack()

    return [t.numpy() for t in program(tf.constant([1.0, 2.0, 3.0]))]
