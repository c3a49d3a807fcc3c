"""The sections of TensorFlow's guides to automatic differentiation, plain and advanced, in programs of our own."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


def gradients_of_a_layer(tf: Any) -> Any:
    w = tf.Variable(np.cos(np.arange(6, dtype=np.float32)).reshape(3, 2), name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    [dl_dw, dl_db] = tape.gradient(loss, [w, b])
    my_vars = {"w": w, "b": b}
    grad = tape.gradient(loss, my_vars)
    return [dl_dw, dl_db, grad["b"], grad, dl_dw.shape, tape.gradient(y, {"a": [w], "c": (b, None)}["a"])]


def gradients_of_a_module(tf: Any) -> Any:
    class Dense(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, inputs: int, units: int, name: Any = None) -> None:
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([inputs, units]) * 0.5, name="w")
            self.b = tf.Variable(tf.zeros([units]), name="b")
            self.steps = tf.Variable(0, trainable=False, name="steps")

        @tf.Module.with_name_scope
        def __call__(self, x: Any) -> Any:
            return tf.nn.relu(x @ self.w + self.b)

    layer = Dense(3, 2, name="dense")
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(tf.constant([[1.0, 2.0, 3.0]])) ** 2)
    grad = tape.gradient(loss, layer.trainable_variables)
    return [(f"{var.name}, shape: {g.shape}", g) for var, g in zip(layer.trainable_variables, grad, strict=True)] + [
        [v.name for v in layer.variables]
    ]


def what_a_tape_watches(tf: Any) -> Any:
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    grad = tape.gradient(y, [x0, x1, x2, x3])
    names = [var.name for var in tape.watched_variables()]
    with tf.GradientTape() as tape:
        tape.watch(x3)
        z = x3**2
    a, b = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as off:
        off.watch(b)
        ys = tf.reduce_sum(tf.math.sin(a) + tf.nn.softplus(b))
    return [
        grad,
        names,
        tape.gradient(z, x3),
        off.gradient(ys, {"a": a, "b": b}),
        refused(lambda: tape.gradient(z, x3)),
    ]


def intermediate_results(tf: Any) -> Any:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    dz_dy = tape.gradient(z, y)
    x = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [dz_dy, tape.gradient(z, x), tape.gradient(y, x), tape.gradient([y, z], x)]


def targets_that_are_not_scalars(tf: Any) -> Any:
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y0 = x**2
        y1 = 1 / x
    found = [tape.gradient(y0, x), tape.gradient(y1, x), tape.gradient({"y0": y0, "y1": y1}, x)]
    with tf.GradientTape() as tape:
        y = x * [3.0, 4.0]
    found.append(tape.gradient(y, x))
    points = tf.linspace(-10.0, 10.0, 9)
    with tf.GradientTape() as tape:
        tape.watch(points)
        s = tf.nn.sigmoid(points)
    return [*found, s, tape.gradient(s, points)]


@rows(1.0, 0.0, -2.0)
def control_flow(tf: Any, value: float) -> Any:
    x = tf.constant(value)
    v0, v1 = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        if x > 0.0:
            result = v0
        else:
            result = v1**2
    dv0, dv1 = tape.gradient(result, [v0, v1])
    return [dv0, dv1, tape.gradient(result, x), [v.shape for v in (v0, v1)]]


def gradients_that_are_none(tf: Any) -> Any:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    found = [tape.gradient(z, x)]
    for _epoch in range(2):  # a variable replaced by a tensor
        with tf.GradientTape() as tape:
            y = x + 1
        found.append((type(x).__name__ == "ResourceVariable" or hasattr(x, "assign"), tape.gradient(y, x)))
        x = x + 1
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        y = tf.reduce_mean(np.mean(x**2, axis=0), axis=0)  # outside TensorFlow
    found.append(tape.gradient(y, x))
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found.append(tape.gradient(y, x))
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    found.append(tape.gradient(y, x0))
    a, b = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = b**2
    found.append(tape.gradient(z, a, unconnected_gradients=tf.UnconnectedGradients.ZERO))
    return found


def ops_that_have_no_gradient(tf: Any) -> Any:
    def of(function: Any) -> Any:
        x = tf.Variable([1.5, 2.5])
        with tf.GradientTape() as tape:
            y = function(x)
        return refused(lambda: tape.gradient(y, x))

    return [
        of(lambda x: tf.cast(x, tf.int32)),
        of(tf.round),
        of(tf.argmax),
        of(lambda x: x > 2.0),
        of(tf.sign),
        of(tf.floor),
        of(lambda x: tf.numpy_function(np.sin, [x], tf.float32)),
        of(lambda x: tf.py_function(tf.sin, [x], tf.float32)),
        of(tf.stop_gradient),
        of(lambda x: tf.strings.as_string(x)),
        of(lambda x: tf.cast(x, tf.float64)),
        of(tf.shape),
    ]


# ---------------------------------------------------------------- advanced


def recording_that_is_stopped(tf: Any) -> Any:
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as t:
        x_sq = x * x
        with t.stop_recording():
            y_sq = y * y
        z = x_sq + y_sq
    first = t.gradient(z, {"x": x, "y": y})
    reset = True
    with tf.GradientTape() as t:
        y_sq = y * y
        if reset:
            t.reset()
        z = x * x + y_sq
    second = t.gradient(z, {"x": x, "y": y})
    with tf.GradientTape() as t:
        z = x**2 + tf.stop_gradient(y**2)
    return [first, second, t.gradient(z, {"x": x, "y": y})]


def gradients_that_are_clipped(tf: Any) -> Any:
    @tf.custom_gradient
    def clip_gradients(y: Any) -> Any:
        def backward(dy: Any) -> Any:
            return tf.clip_by_norm(dy, 0.5)

        return y, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as t:
        output = clip_gradients(v * v)
    in_eager = t.gradient(output, v)

    class MyModule(tf.Module):  # type: ignore[name-defined,misc]
        @tf.function(input_signature=[tf.TensorSpec(None)])
        def call_custom_grad(self, x: Any) -> Any:
            return clip_gradients(x)

    model = MyModule()
    with tf.GradientTape() as t:
        output = model.call_custom_grad(v * v)
    return [in_eager, t.gradient(output, v), output]


def several_tapes(tf: Any) -> Any:
    x0, x1 = tf.constant(0.0), tf.constant(0.0)
    with tf.GradientTape() as tape0, tf.GradientTape() as tape1:
        tape0.watch(x0)
        tape1.watch(x1)
        y0, y1 = tf.math.sin(x0), tf.nn.sigmoid(x1)
        y = y0 + y1
        ys = tf.reduce_sum(y)
    found = [tape0.gradient(ys, x0), tape1.gradient(ys, x1)]
    x = tf.Variable(1.0)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = x * x * x
        dy_dx = t1.gradient(y, x)
    d2y_dx2 = t2.gradient(dy_dx, x)
    with tf.GradientTape() as t3, tf.GradientTape() as t4, tf.GradientTape() as t5:
        y = tf.sin(2.0 * x)
        inner = t5.gradient(y, x)
        inner2 = t4.gradient(inner, x)
    return [*found, dy_dx, d2y_dx2, inner2, t3.gradient(inner2, x)]


def an_input_gradient_is_regularised(tf: Any) -> Any:
    x = tf.constant(np.sin(np.arange(35, dtype=np.float32)).reshape(7, 5))
    w, b = tf.Variable(np.cos(np.arange(50, dtype=np.float32)).reshape(5, 10)), tf.Variable(tf.zeros([10]))
    with tf.GradientTape() as t2:
        with tf.GradientTape(watch_accessed_variables=False) as t1:
            t1.watch(x)
            y = tf.nn.relu(x @ w + b)
            out = tf.reduce_sum(y**2)
        g1 = t1.gradient(out, x)
        g1_mag = tf.norm(g1)
    dg1_mag = t2.gradient(g1_mag, [w, b])
    return [g1_mag, *dg1_mag, [var.shape for var in dg1_mag]]


def jacobians_of_scalars_and_tensors(tf: Any) -> Any:
    x = tf.linspace(-10.0, 10.0, 5)
    delta = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.nn.sigmoid(x + delta)
    dy_dx = tape.jacobian(y, delta)
    data = tf.constant(np.sin(np.arange(35, dtype=np.float32)).reshape(7, 5))
    kernel, bias = tf.Variable(np.cos(np.arange(20, dtype=np.float32)).reshape(5, 4)), tf.Variable(tf.ones([4]))
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.tanh(data @ kernel + bias)
    j = tape.jacobian(y, kernel)
    g = tape.gradient(y, kernel)
    delta = tf.reduce_max(abs(g - tf.reduce_sum(j, axis=[0, 1])))
    j2 = tape.jacobian(y, {"kernel": kernel, "bias": bias}, experimental_use_pfor=False)
    return [dy_dx, y.shape, j.shape, g.shape, float(delta) < 1e-3, j2["bias"].shape, j[0], tf.reduce_sum(j2["bias"])]


def a_hessian_and_newtons_step(tf: Any) -> Any:
    x = tf.constant(np.sin(np.arange(35, dtype=np.float32)).reshape(7, 5))
    w1, w2 = tf.Variable(np.cos(np.arange(40, dtype=np.float32)).reshape(5, 8)), tf.Variable(tf.ones([8, 6]) * 0.1)
    with tf.GradientTape() as t2:
        with tf.GradientTape() as t1:
            y = tf.nn.softplus(x @ w1) @ w2
            loss = tf.reduce_mean(y**2)
        g = t1.gradient(loss, w1)
    h = t2.jacobian(g, w1)
    n_params = tf.reduce_prod(w1.shape)
    g_vec, h_mat = tf.reshape(g, [n_params, 1]), tf.reshape(h, [n_params, n_params])
    eye_eps = tf.eye(h_mat.shape[0]) * 1e-1
    update = tf.linalg.solve(h_mat + eye_eps, g_vec)
    w1.assign_sub(tf.reshape(update, w1.shape) * 0.1)
    return [
        h.shape,
        g,
        tf.linalg.trace(h_mat),
        tf.reduce_max(abs(h_mat - tf.transpose(h_mat))) < 1e-4,
        n_params,
        tf.norm(update),
    ]


def jacobians_of_a_batch(tf: Any) -> Any:
    x = tf.constant(np.sin(np.arange(35, dtype=np.float32)).reshape(7, 5))
    w1, w2 = tf.constant(np.cos(np.arange(40, dtype=np.float32)).reshape(5, 8)), tf.ones([8, 6]) * 0.1
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = tf.nn.elu(x @ w1) @ w2
    j = tape.jacobian(y, x)
    jb = tape.batch_jacobian(y, x)
    j_sum = tf.reduce_sum(j, axis=2)
    j_select = tf.einsum("bxby->bxy", j)
    error = tf.reduce_max(abs(jb - j_select))

    @tf.function
    def inside(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.softmax(x @ w1)
        return tape.batch_jacobian(y, x)

    return [j.shape, jb.shape, j_sum.shape, float(error), jb[1], inside(x)[0], inside(x).shape]


def forward_mode(tf: Any) -> Any:
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(1.0)) as acc:
        z = tf.sin(x) * y
    first = acc.jvp(z)
    with tf.GradientTape() as tape, tf.autodiff.ForwardAccumulator(y, tf.constant(1.0)) as acc:
        tape.watch(y)
        loss = tf.exp(y) * y
        grad = tape.gradient(loss, y)
    return [first, acc.jvp(loss), acc.jvp(grad)]


# ---------------------------------------------------------------- custom gradients


def a_stable_logarithm(tf: Any) -> Any:
    def log1pexp_plain(x: Any) -> Any:
        return tf.math.log(1 + tf.exp(x))

    @tf.custom_gradient
    def log1pexp(x: Any) -> Any:
        e = tf.exp(x)

        def grad(upstream: Any) -> Any:
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    def grad_of(function: Any, value: float) -> Any:
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return [grad_of(f, v) for f in (log1pexp_plain, log1pexp, tf.function(log1pexp)) for v in (0.0, 100.0)]


def custom_gradients_with_variables_and_twice(tf: Any) -> Any:
    weight = tf.Variable([2.0, 3.0], name="weight")

    @tf.custom_gradient
    def scaled(x: Any) -> Any:
        result = x * weight

        def grad(dy: Any, variables: Any = None) -> Any:
            return dy * weight * 10.0, [dy * x * 100.0 for _ in variables]

        return result, grad

    @tf.custom_gradient
    def op_with_fused_backprop(x: Any) -> Any:
        y, x_grad = x**3, 3 * x**2

        def first_order_gradient(dy: Any) -> Any:
            @tf.custom_gradient
            def first_order_custom(unused_x: Any) -> Any:
                def second_order_and_transpose(ddy: Any) -> Any:
                    return 6.0 * x * ddy

                return x_grad, second_order_and_transpose

            return dy * first_order_custom(x)

        return y, first_order_gradient

    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    found = tape.gradient(y, [x, weight])
    z = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            cube = op_with_fused_backprop(z)
        first = inner.gradient(cube, z)
    return [found, first, outer.gradient(first, z)]


def a_function_that_is_computed_again(tf: Any) -> Any:
    weight, runs = tf.Variable([2.0, 3.0]), []

    @tf.recompute_grad
    def block(v: Any, scale: float = 1.0) -> Any:
        runs.append(1)
        return tf.reduce_sum(tf.sin(v) * weight) * scale, v * v

    @tf.function
    def inside(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, z = block(x * 1.0)
        return y, tape.gradient([y, z], [x, weight])

    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        s, _ = block(x, scale=2.0)
    found = tape.gradient(s, [x, weight])
    return [found, len(runs), inside(x)]


def straight_through_and_reversed(tf: Any) -> Any:
    """Rounding with the identity's gradient, a gradient reversed and scaled, one through a host function."""

    @tf.custom_gradient
    def round_through(x: Any) -> Any:
        return tf.round(x), lambda dy: dy

    @tf.custom_gradient
    def reverse(x: Any, scale: Any) -> Any:
        return tf.identity(x), lambda dy: (-scale * dy, None)

    @tf.custom_gradient
    def foreign(x: Any) -> Any:
        y = tf.numpy_function(lambda v: v**2, [x], tf.float32)
        y.set_shape(x.shape)

        def grad(dy: Any) -> Any:
            dx = tf.numpy_function(lambda v, d: 2 * v * d, [x, dy], tf.float32)
            dx.set_shape(x.shape)
            return dx

        return y, grad

    @tf.function
    def run(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(foreign(round_through(x) * 0.5) + reverse(x, tf.constant(3.0)))
        return y, tape.gradient(y, x)

    return [run(tf.constant([0.4, 1.6, -2.7])), run(tf.constant([2.5]))]


def gradients_of_loops_in_functions(tf: Any) -> Any:
    @tf.function
    def power(x: Any, n: Any) -> Any:
        y = tf.ones_like(x)
        for _ in tf.range(n):
            y = y * x
        return y

    @tf.function
    def collatz_like(x: Any) -> Any:
        steps = 0
        while x > 1.0:
            if x > 10.0:
                x = x / 3.0
            else:
                x = x - 1.5
            steps += 1
        return x, steps

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = power(x, tf.constant(3))
        z, steps = collatz_like(x[0] * 20.0)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            cubed = power(x, 3)
        g = first.gradient(cubed, x)
    return [tape.gradient(y, x), tape.gradient(z, x), steps, second.gradient(g, x)]
