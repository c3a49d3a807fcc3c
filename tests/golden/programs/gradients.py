"""Tapes, tf.gradients, own gradients, jacobians and hessians."""

from __future__ import annotations

from typing import Any

from tests.golden.make_programs import rows, session


def a_tape_watches_variables(tf: Any) -> Any:
    v, frozen = tf.Variable(3.0), tf.Variable(4.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * frozen
    return [tape.gradient(y, v), tape.gradient(y, frozen), [w.numpy() for w in tape.watched_variables()]]


def a_tape_watches_tensors_when_told(tf: Any) -> Any:
    x, other = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * other
    return [tape.gradient(y, x), tape.gradient(y, other), tape.gradient(y, other, unconnected_gradients="zero")]


def variables_that_are_not_watched(tf: Any) -> Any:
    v = tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    return tape.gradient(y, v)


def structures_of_sources(tf: Any) -> Any:
    a, b = tf.Variable(2.0), tf.Variable([1.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = a * tf.reduce_sum(b * b)
    return [tape.gradient(y, {"a": a, "rest": (b, [a])}), tape.gradient([y, a * 1.0], a), tape.gradient(y, [a, a])]


def output_gradients(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    return [
        tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0])),
        tape.gradient([y, z], x, output_gradients=[tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])]),
        tape.gradient([y, z], x),
    ]


def a_tape_stops_and_resets(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * x
        w = y + tf.stop_gradient(y)
    with tf.GradientTape() as other:
        other.watch(x)
        first = x * x
        other.reset()
        other.watch(x)
        second = first * x
    return [tape.gradient(z, x), tape.gradient(w, x), other.gradient(second, x)]


def a_tape_used_twice(tf: Any) -> Any:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    first = tape.gradient(y, x)
    try:
        tape.gradient(y, x)
    except RuntimeError:
        return [first, "RuntimeError"]


def gradients_of_higher_order(tf: Any) -> Any:
    x = tf.constant(1.5)
    with tf.GradientTape() as t3:
        t3.watch(x)
        with tf.GradientTape() as t2:
            t2.watch(x)
            with tf.GradientTape() as t1:
                t1.watch(x)
                y = tf.sin(x) * x**3
            first = t1.gradient(y, x)
        second = t2.gradient(first, x)
    return [first, second, t3.gradient(second, x)]


def gradients_that_compute_inside_a_tape(tf: Any) -> Any:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**3
        inner = tape.gradient(y, x)
    return [inner, tape.gradient(y, x)]


def jacobians(tf: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.stack([x[0] * x[1], x[0] ** 2, tf.sin(x[1])])
        z = tf.reshape(tf.concat([x, 2.0 * x], 0), [2, 2]) * x
    return [tape.jacobian(y, x), tape.jacobian(z, x)]


def batch_jacobians(tf: Any) -> Any:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x[:, ::-1]
    return tape.batch_jacobian(y, x)


def hessians(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        return session.run(tf.hessians(tf.reduce_prod(x) + tf.reduce_sum(x**3), x))


def own_gradients(tf: Any) -> Any:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return x * x, lambda dy: tf.clip_by_value(dy * 2.0 * x, -1.0, 1.0)

    x = tf.constant([0.25, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = clipped(x) * 3.0
    return [y, tape.gradient(y, x)]


def own_gradients_of_several(tf: Any) -> Any:
    @tf.custom_gradient
    def pair(x: Any, y: Any) -> Any:
        def grad(da: Any, db: Any) -> Any:
            return da * 10.0, db * 100.0

        return (x + y, x * y), grad

    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        a, b = pair(x, y)
        loss = a + 2.0 * b
    return [a, b, tape.gradient(loss, [x, y])]


def own_gradients_with_variables(tf: Any) -> Any:
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        def grad(dy: Any, variables: Any = None) -> Any:
            return dy * 7.0, [dy * 11.0 for _ in variables]

        return x * w, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return [y, tape.gradient(y, [x, w])]


def own_gradients_in_graphs(tf: Any) -> Any:
    @tf.custom_gradient
    def same(x: Any) -> Any:
        return tf.identity(x), lambda dy: dy * 42.0

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        return session.run(tf.gradients(same(x) * x, x))


def gradients_in_a_graph(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y, z = tf.constant(2.0), tf.constant(3.0), tf.constant(4.0)
        a, b = x * y, x + y
        found = [
            tf.gradients(a, [x, y]),
            tf.gradients([a, b], [x, y]),
            tf.gradients(a, x, grad_ys=tf.constant(10.0)),
            tf.gradients(a * b, x, stop_gradients=[b]),
            tf.gradients(tf.stop_gradient(a) * b, x),
            tf.gradients(a, [x, a]),
            tf.gradients(x, x),
        ]
        return [session.run(found), tf.gradients(a, z), session.run(tf.gradients(a, [z], unconnected_gradients="zero"))]


def gradients_of_integers_are_none(tf: Any) -> Any:
    with tf.Graph().as_default():
        x, i = tf.constant(2.0), tf.constant(3)
        y = tf.cast(i, tf.float32) * x
        return [tf.gradients(y, i), tf.gradients(tf.cast(x, tf.int32), x), tf.gradients(tf.argmax([x, x]), x)]


def gradients_add_up_along_paths(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        parts = [x, x * 2.0, x[::-1], tf.reverse(x * x, [0])]
        y = tf.add_n(parts) * parts[1]
        return session.run(tf.gradients(y, [x, parts[1]]))


def gradients_of_gathered_rows(tf: Any) -> Any:
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [0, 2, 0]) ** 2)
    grad = tape.gradient(y, table)
    return tf.convert_to_tensor(grad)


def gradients_with_respect_to_steps_between(tf: Any) -> Any:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [tape.gradient(z, y), tape.gradient(z, [x, y]), tape.gradient(z, z), tape.gradient(y, z)]


def gradients_through_host_functions(tf: Any) -> Any:
    def huber(x: Any, m: Any) -> Any:
        if tf.abs(x) <= m:
            return x**2
        return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))

    found = []
    for value in (1.0, 3.0):
        x, m = tf.constant(value), tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch([x, m])
            y = tf.py_function(huber, [x, m], tf.float32)
        found.append([y, tape.gradient(y, x)])
    return found


def no_gradient_through_numpy_functions(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(lambda v: v * v, [x], tf.float32) + x
    return tape.gradient(y, x)


def complex_gradients(tf: Any) -> Any:
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        power = tf.reduce_sum(tf.math.real(z * tf.math.conj(z)))
        square = z * z
    return [tape.gradient(power, z), tape.gradient(square, z)]


def zeros_through_functions(tf: Any) -> Any:
    """A function has the gradient of its whole graph: zero where a call took another branch or made no turn."""
    v, u, x, q = tf.Variable(2.0), tf.Variable([1.0, 2.0]), tf.constant(3.0), tf.constant(4.0)

    @tf.function
    def branches(x: Any, taken: Any) -> Any:
        y = x * v if taken else x * 1.0
        return y, tf.reduce_sum(u)

    @tf.function
    def turns(x: Any, count: Any) -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(count):
            total += x
        return total

    @tf.function
    def several(x: Any) -> Any:
        return x * 2.0, tf.stop_gradient(x), tf.cast(tf.argmax([x, x]), tf.float32), tf.constant(1.0)

    @tf.function
    def nested(x: Any, q: Any) -> Any:
        return several(x)[3], q * 1.0

    @tf.function
    def stopped(x: Any, q: Any) -> Any:
        return tf.stop_gradient(x), q

    given = []
    for taken in (True, False):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first, second = branches(x, tf.constant(taken))
            later, cut = first * 2.0, tf.stop_gradient(first)
        given += [tape.gradient(y, [x, v, u]) for y in (first, second, later, cut)]
        given.append(len(tape.watched_variables()))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, q])
        results = [*several(x), *nested(x, q), *stopped(x, q), turns(x, tf.constant(0))]
        eager = tf.cond(tf.constant(False), lambda: x * 2.0, lambda: tf.constant(0.0))
    given += [tape.gradient(y, [x, q]) for y in (*results, eager)]
    forward = []
    for count in (0, 2):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = turns(x, tf.constant(count))
        forward.append(accumulator.jvp(y))
    return [given, forward]


def what_a_function_does_not_use_has_no_gradient(tf: Any) -> Any:
    """In graphs too: what the differentiated result of a function does not depend on, through functions within it."""
    with session(tf) as opened:
        x, y, v = tf.constant(3.0), tf.constant(2.0), tf.compat.v1.get_variable("v", initializer=1.0, use_resource=True)

        @tf.function
        def squared(x: Any, y: Any) -> Any:
            return x * x, y + x

        @tf.function
        def nested(x: Any, y: Any) -> Any:
            v.read_value()
            return squared(x, y)[0]

        opened.run(tf.compat.v1.global_variables_initializer())
        found = [tf.compat.v1.gradients(nested(x, y), [x, y, v]), tf.compat.v1.gradients(squared(x, y), [x, y])]
        found.append(tf.compat.v1.gradients(squared(x, y)[1], [x, y]))
        return [[None if g is None else opened.run(g) for g in row] for row in found]


def gradients_of_lookups_in_functions_are_slices(tf: Any) -> Any:
    """Also in branches, not in loops."""
    table = tf.Variable([[1.0], [2.0]])

    def loop(rows: Any) -> Any:
        total = tf.zeros([1, 1])
        for row in rows:
            total += tf.gather(table, row[tf.newaxis])
        return total

    calls = [
        (lambda rows: tf.gather(table, rows), [0]),
        (tf.function(lambda rows: tf.gather(table, rows)), [0]),
        (lambda rows: tf.cond(rows[0] > 0, lambda: tf.gather(table, rows), lambda: tf.gather(table, rows + 1)), [0]),
        (loop, [0, 1]),
        (lambda rows: tf.gather(table, rows) + table, [0]),
        (lambda rows: tf.py_function(lambda t: tf.gather(t, [0]), [tf.convert_to_tensor(table)], tf.float32), [0]),
    ]
    results = []
    for function, at in calls:
        traced = tf.function(function)
        with tf.GradientTape() as tape:
            value = traced(tf.constant(at))
        derivative = tape.gradient(value, table)
        results.append([isinstance(derivative, tf.IndexedSlices), tf.convert_to_tensor(derivative)])
    return results


@rows(False, True)
def accumulators_follow_the_derivatives_of_those_inside_them(tf: Any, traced: bool) -> Any:
    """And of no others: while they are in force, between their ends, and after both."""

    def derivatives(x: Any) -> Any:
        found, one = [], tf.constant(1.0)

        def note(outer: Any, inner: Any, y: Any) -> None:
            outer_first, inner_first = outer.jvp(y), inner.jvp(y)
            second = [a.jvp(b) for a in (outer, inner) for b in (outer_first, inner_first)]
            found.extend([outer_first, inner_first, *second, outer.jvp(inner_first * x), inner.jvp(inner_first * x)])

        with tf.autodiff.ForwardAccumulator(x, one) as outer:
            with tf.autodiff.ForwardAccumulator(x, one) as inner:
                y = x**3.5
                note(outer, inner, y)
            note(outer, inner, y)
        note(outer, inner, y)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, one) as alone:
                y = x**3.5
            first = alone.jvp(y)
        return [[float("nan") if g is None else g for g in found], tape.gradient(first, x)]

    function = tf.function(derivatives) if traced else derivatives
    return function(tf.constant(1.1))
