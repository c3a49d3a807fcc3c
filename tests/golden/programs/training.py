"""Optimizers step by step, learning rates that decay, global steps."""

from __future__ import annotations

from typing import Any


def _steps(tf: Any, optimizer: Any, count: int = 4) -> Any:
    """The values of two variables after each step towards the minimum of a bowl."""
    v1 = tf.compat.v1
    v = v1.get_variable("v", initializer=[1.0, -2.0], use_resource=True)
    w = v1.get_variable("w", initializer=3.0, use_resource=True)
    loss = tf.reduce_sum((v - [0.5, 0.5]) ** 2) + (w * v[0] - 1.0) ** 2
    step = optimizer.minimize(loss)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        found = []
        for _ in range(count):
            session.run(step)
            found.append(session.run([v, w, loss]))
        return found


def gradient_descent(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.GradientDescentOptimizer(0.05))


def momentum(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.MomentumOptimizer(0.05, 0.8))


def nesterov(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.MomentumOptimizer(0.05, 0.8, use_nesterov=True))


def adagrad(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.AdagradOptimizer(0.3, initial_accumulator_value=0.2))


def adam(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.AdamOptimizer(0.1, beta1=0.8, beta2=0.95, epsilon=1e-4))


def rms_prop(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.RMSPropOptimizer(0.05, decay=0.8, momentum=0.5))


def centered_rms_prop(tf: Any) -> Any:
    with tf.Graph().as_default():
        return _steps(tf, tf.compat.v1.train.RMSPropOptimizer(0.05, decay=0.8, centered=True))


def rows_of_an_embedding(tf: Any) -> Any:
    v1, found = tf.compat.v1, []
    for make in (
        lambda: v1.train.GradientDescentOptimizer(0.5),
        lambda: v1.train.AdagradOptimizer(0.5),
        lambda: v1.train.MomentumOptimizer(0.5, 0.9),
        lambda: v1.train.AdamOptimizer(0.5),
        lambda: v1.train.RMSPropOptimizer(0.5),
    ):
        with tf.Graph().as_default(), v1.Session() as session:
            table = v1.get_variable("table", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
            loss = tf.reduce_sum(tf.gather(table, [0, 2, 2]) ** 2)
            step = make().minimize(loss)
            session.run(v1.global_variables_initializer())
            session.run(step)
            session.run(step)
            found.append(session.run(table))
    return found


def gradients_are_clipped_between(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[3.0, 4.0], use_resource=True)
        optimizer = v1.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(v * v) * 0.5)
        grads, norm = tf.clip_by_global_norm([g for g, _ in pairs], 1.0)
        step = optimizer.apply_gradients([(g, v) for g, (_, v) in zip(grads, pairs, strict=True)])
        session.run(v1.global_variables_initializer())
        size, _ = session.run([norm, step])
        return [size, session.run(v)]


def slots_and_their_names(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("layer/v", initializer=[1.0], use_resource=True)
        optimizer = v1.train.AdamOptimizer(name="Adam")
        optimizer.minimize(v * v)
        return [
            sorted(optimizer.get_slot_names()),
            optimizer.get_slot(v, "m").shape.as_list(),
            optimizer.get_slot(v, "absent"),
            sorted(x.op.name for x in v1.global_variables()),
        ]


def the_global_step_counts(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        none_yet = v1.train.get_global_step()
        step = v1.train.get_or_create_global_step()
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        train = v1.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step)
        session.run(v1.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        found = [step.op.name, step.dtype.name, session.run(step), v1.train.global_step(session, step)]
        return [none_yet, found, v1.train.get_global_step() is step]


def _decayed(tf: Any, rule: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.placeholder(tf.int64, [])
        rate = rule(v1.train, step)
        return [session.run(rate, {step: k}) for k in (0, 1, 9, 10, 11, 35, 100)]


def exponential_decay(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.exponential_decay(0.5, step, 10, 0.9))


def exponential_decay_in_stairs(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.exponential_decay(0.5, step, 10, 0.9, staircase=True))


def natural_exp_decay(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.natural_exp_decay(0.5, step, 10, 0.3))


def inverse_time_decay(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.inverse_time_decay(0.5, step, 10, 2.0))


def inverse_time_decay_in_stairs(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.inverse_time_decay(0.5, step, 10, 2.0, staircase=True))


def polynomial_decay(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.polynomial_decay(0.5, step, 30, 0.01, power=2.0))


def polynomial_decay_in_cycles(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.polynomial_decay(0.5, step, 10, 0.01, cycle=True))


def cosine_decay(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.cosine_decay(0.5, step, 40, alpha=0.1))


def piecewise_constants(tf: Any) -> Any:
    return _decayed(tf, lambda train, step: train.piecewise_constant(step, [1, 10, 50], [1.0, 0.5, 0.25, 0.1]))


def a_rate_that_decays_while_training(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.train.get_or_create_global_step()
        rate = v1.train.exponential_decay(0.4, step, 2, 0.5)
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        train = v1.train.GradientDescentOptimizer(rate).minimize(0.5 * v * v, global_step=step)
        session.run(v1.global_variables_initializer())
        found = []
        for _ in range(4):
            session.run(train)
            found.append(session.run([v, rate]))
        return found


def a_line_is_fitted(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, y = v1.placeholder(tf.float32, [None]), v1.placeholder(tf.float32, [None])
        a = v1.get_variable("a", initializer=0.0, use_resource=True)
        b = v1.get_variable("b", initializer=0.0, use_resource=True)
        loss = tf.reduce_mean((a * x + b - y) ** 2)
        step = v1.train.AdamOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        feeds = {x: [0.0, 1.0, 2.0, 3.0], y: [1.0, 3.0, 5.0, 7.0]}
        losses = [session.run([loss, step], feeds)[0] for _ in range(20)]
        return [losses[::5], session.run([a, b])]
