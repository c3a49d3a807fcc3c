"""Branches, loops, folds and lists of tensors, written with functions."""

from __future__ import annotations

from typing import Any


def cond_eagerly(tf: Any) -> Any:
    return [tf.cond(tf.constant(p), lambda: tf.constant(1), lambda: tf.constant(2)) for p in (True, False)]


def cond_fed_by_a_session(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.bool, [])
        x = tf.compat.v1.placeholder(tf.float32, [None])
        y = tf.cond(p, lambda: (x + 1.0, tf.size(x)), lambda: (x * 10.0, tf.constant(-1)))
        return [session.run(y, {p: value, x: [1.0, 2.0]}) for value in (True, False)]


def cond_of_a_nest(tf: Any) -> Any:
    def branch(k: int) -> Any:
        return lambda: {"a": tf.constant(k), "b": [tf.constant(float(k)), tf.constant([k, k])]}

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.bool, [])
        made = tf.cond(p, branch(1), branch(2))
        return [session.run(made, {p: value}) for value in (True, False)]


def cond_in_a_cond(tf: Any) -> Any:
    @tf.function
    def sign(x: Any) -> Any:
        return tf.cond(x > 0, lambda: 1, lambda: tf.cond(x < 0, lambda: -1, lambda: 0))

    return [sign(tf.constant(v)) for v in (-2.5, 0.0, 7.0)]


def gradient_of_a_cond(tf: Any) -> Any:
    found = []
    for value in (2.0, -2.0):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.function(lambda v: tf.cond(v > 0, lambda: v * v, lambda: 5.0 * v))(x)
        found.append(tape.gradient(y, x))
    return found


def switch_case(tf: Any) -> Any:
    branches = [lambda: tf.constant(10), lambda: tf.constant(20), lambda: tf.constant(30)]
    return [tf.switch_case(tf.constant(k), branches) for k in (0, 2, 7, -1)]


def switch_case_of_a_dict(tf: Any) -> Any:
    branches = {0: lambda: tf.constant("zero"), 1: lambda: tf.constant("one")}
    return [tf.switch_case(tf.constant(k), branches, default=lambda: tf.constant("many")) for k in (0, 1, 5)]


def case_takes_the_first_that_holds(tf: Any) -> Any:
    @tf.function
    def kind(x: Any) -> Any:
        pairs = [(x < 0, lambda: tf.constant("negative")), (x < 10, lambda: tf.constant("small"))]
        return tf.case(pairs, default=lambda: tf.constant("large"))

    return [kind(tf.constant(v)) for v in (-5, 3, 100)]


def case_exclusive(tf: Any) -> Any:
    x = tf.constant(3)
    pairs = [(x < 0, lambda: tf.constant(1)), (x > 0, lambda: tf.constant(2))]
    return tf.case(pairs, exclusive=True)


def while_loop(tf: Any) -> Any:
    return tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 2.0), (0, 1.0))


def while_loop_never_entered(tf: Any) -> Any:
    return tf.while_loop(lambda i: i < 0, lambda i: [i + 1], [tf.constant(3)])


def while_loop_of_a_nest(tf: Any) -> Any:
    start = {"n": tf.constant(0), "pair": (tf.constant(0), tf.constant(1))}

    def body(state: Any) -> Any:
        a, b = state["pair"]
        return ({"n": state["n"] + 1, "pair": (b, a + b)},)

    return tf.while_loop(lambda state: state["n"] < 10, body, (start,))


def while_loop_in_a_session(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        n = tf.compat.v1.placeholder(tf.int32, [])
        _, product = tf.while_loop(lambda i, p: i <= n, lambda i, p: (i + 1, p * i), (1, 1))
        return [session.run(product, {n: k}) for k in (0, 1, 5)]


def while_loop_with_growing_shapes(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        i, rows = tf.constant(0), tf.zeros([1, 2])
        invariants = [i.get_shape(), tf.TensorShape([None, 2])]
        made = tf.while_loop(
            lambda i, r: i < 3, lambda i, r: (i + 1, tf.concat([r, r + 1.0], 0)), [i, rows], shape_invariants=invariants
        )
        return [session.run(made), made[1].shape.as_list()]


def while_loop_bounded(tf: Any) -> Any:
    return tf.while_loop(lambda i: True, lambda i: (i + 1,), (tf.constant(0),), maximum_iterations=7)


def gradient_of_a_while_loop(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, n = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.int32, [])
        _, y = tf.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, v * x), (0, x))
        grad = tf.gradients(y, x)[0]
        return [session.run([y, grad], {x: 2.0, n: k}) for k in (0, 1, 4)]


def nested_while_loops(tf: Any) -> Any:
    @tf.function
    def triangle(n: Any) -> Any:
        def row(i: Any, total: Any) -> Any:
            _, inner = tf.while_loop(lambda j, t: j <= i, lambda j, t: (j + 1, t + i * j), (0, total))
            return i + 1, inner

        return tf.while_loop(lambda i, t: i < n, row, (0, 0))[1]

    return [triangle(tf.constant(k)) for k in (0, 3, 6)]


def map_fn(tf: Any) -> Any:
    rows = tf.constant([[1, 2], [3, 4], [5, 6]])
    return [tf.map_fn(tf.reduce_sum, rows), tf.map_fn(lambda r: r[::-1], rows)]


def map_fn_of_several(tf: Any) -> Any:
    pairs = (tf.constant([1, 2, 3]), tf.constant([10.0, 20.0, 30.0]))
    signature = (tf.TensorSpec([], tf.float32), tf.TensorSpec([2], tf.int32))
    return tf.map_fn(
        lambda p: (tf.cast(p[0], tf.float32) * p[1], tf.stack([p[0], -p[0]])), pairs, fn_output_signature=signature
    )


def gradient_of_map_fn(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.map_fn(lambda v: v * v * v, x)
    return tape.gradient(y, x)


def folds(tf: Any) -> Any:
    x = tf.constant([1, 2, 3, 4])
    return [tf.foldl(lambda a, v: a - v, x), tf.foldr(lambda a, v: a - v, x), tf.foldl(lambda a, v: a * v, x, 10)]


def scans(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    return [
        tf.scan(lambda a, v: a + v, x),
        tf.scan(lambda a, v: a * v, x, 2.0),
        tf.scan(lambda a, v: a + v, x, reverse=True),
        tf.scan(lambda a, v: (a[0] + v, a[1] * v), x, (0.0, 1.0)),
    ]


def gradient_of_a_scan(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.scan(lambda a, v: a * v, x)
    return tape.gradient(y, x)


def vectorized_map(tf: Any) -> Any:
    x = tf.reshape(tf.range(6.0), [3, 2])
    return tf.vectorized_map(lambda row: tf.reduce_sum(row * row), x)


def tensor_array_written_and_read(tf: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3)
    for i, value in enumerate((1.5, 2.5, 3.5)):
        array = array.write(i, value)
    return [array.stack(), array.read(1), array.size(), array.gather([2, 0])]


def tensor_array_that_grows(tf: Any) -> Any:
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
    for i in range(4):
        array = array.write(i, [i, i * i])
    return [array.stack(), array.concat(), array.read(3), array.size()]


def tensor_array_unstacked_and_split(tf: Any) -> Any:
    rows = tf.TensorArray(tf.float32, size=2).unstack([[1.0, 2.0], [3.0, 4.0]])
    parts = tf.TensorArray(tf.int32, size=3, infer_shape=False).split([1, 2, 3, 4], [1, 0, 3])
    return [rows.read(1), parts.read(0), parts.read(2), parts.size()]


def tensor_array_in_a_loop(tf: Any) -> Any:
    @tf.function
    def squares(n: Any) -> Any:
        array = tf.TensorArray(tf.int32, size=n)
        _, array = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a.write(i, i * i)), (0, array))
        return array.stack()

    return [squares(tf.constant(n)) for n in (1, 4)]


def gradient_through_a_tensor_array(tf: Any) -> Any:
    @tf.function
    def derived(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=3)
            for i in tf.range(3):
                array = array.write(i, x * tf.cast(i, tf.float32))
            y = tf.reduce_sum(array.stack() ** 2)
        return tape.gradient(y, x)

    return derived(tf.constant(2.0))


def assertions_in_order(tf: Any) -> Any:
    x = tf.constant([1, 2])
    with tf.control_dependencies([tf.debugging.assert_positive(x)] if not tf.executing_eagerly() else []):
        y = tf.identity(x)
    raised = []
    for check in (
        lambda: tf.debugging.assert_equal(x, [1, 3]),
        lambda: tf.debugging.assert_less(x, 2),
        lambda: tf.debugging.assert_greater_equal(x, 2),
        lambda: tf.debugging.assert_none_equal(x, [5, 2]),
        lambda: tf.debugging.assert_near([1.0], [1.1]),
        lambda: tf.debugging.assert_rank(x, 2),
        lambda: tf.debugging.assert_type(x, tf.float32),
        lambda: tf.debugging.assert_integer(tf.constant(1.0)),
        lambda: tf.debugging.check_numerics([float("nan")], "found"),
        lambda: tf.debugging.Assert(False, [x]),
        lambda: tf.debugging.assert_shapes([(x, ("N", "N"))]),
        lambda: tf.debugging.assert_positive([0]),
        lambda: tf.debugging.assert_scalar(x),
    ):
        try:
            check()
            raised.append("nothing")
        except Exception as error:
            raised.append(type(error).__name__)
    return [y, raised]
