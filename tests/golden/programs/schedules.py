"""Learning rates that change with the step: in graphs tensors, eagerly functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_SCHEDULES = {
    "exponential": lambda t, s: t.exponential_decay(0.5, s, 7, 0.8),
    "exponential in stairs": lambda t, s: t.exponential_decay(0.5, s, 7, 0.8, staircase=True),
    "exponential of a float rate": lambda t, s: t.exponential_decay(2.0, s, 2.5, 0.5),
    "natural": lambda t, s: t.natural_exp_decay(0.5, s, 7, 0.8),
    "natural in stairs": lambda t, s: t.natural_exp_decay(0.5, s, 7, 0.8, staircase=True),
    "inverse": lambda t, s: t.inverse_time_decay(0.5, s, 7, 0.8),
    "inverse in stairs": lambda t, s: t.inverse_time_decay(0.5, s, 7, 0.8, staircase=True),
    "polynomial": lambda t, s: t.polynomial_decay(0.5, s, 10),
    "polynomial of degree three": lambda t, s: t.polynomial_decay(0.5, s, 10, 0.05, power=3.0),
    "polynomial root": lambda t, s: t.polynomial_decay(0.5, s, 10, 0.05, power=0.5),
    "polynomial that grows": lambda t, s: t.polynomial_decay(0.1, s, 10, 1.0),
    "polynomial again and again": lambda t, s: t.polynomial_decay(0.5, s, 10, 0.1, cycle=True),
    "cosine": lambda t, s: t.cosine_decay(0.5, s, 10),
    "cosine above a floor": lambda t, s: t.cosine_decay(0.5, s, 10, alpha=0.25),
    "pieces": lambda t, s: t.piecewise_constant(s, [3, 10, 20], [1.0, 0.5, 0.25, 0.125]),
    "one piece": lambda t, s: t.piecewise_constant(s, [0], [1.0, 2.0]),
}
_STEPS = (0, 1, 3, 4, 7, 10, 11, 14, 20, 21, 50)


@rows(*_SCHEDULES)
def in_a_session(tf: Any, name: str) -> Any:
    with session(tf) as s:
        step = tf.compat.v1.placeholder(tf.int64, [])
        rate = _SCHEDULES[name](tf.compat.v1.train, step)
        return [rate.dtype, rate.shape, [s.run(rate, {step: at}) for at in _STEPS]]


@rows(*_SCHEDULES)
def eagerly(tf: Any, name: str) -> Any:
    step = tf.Variable(0, dtype=tf.int64)
    rate = _SCHEDULES[name](tf.compat.v1.train, step)
    seen = []
    for at in _STEPS:
        step.assign(at)
        seen.append(rate().numpy())
    return seen


@rows("exponential", "polynomial", "cosine", "inverse")
def the_step_of_training(tf: Any, name: str) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=[1.0])
        step = tf.compat.v1.train.get_or_create_global_step()
        rate = _SCHEDULES[name](tf.compat.v1.train, step)
        update = tf.compat.v1.train.GradientDescentOptimizer(rate).minimize(tf.reduce_sum(w), global_step=step)
        s.run(tf.compat.v1.global_variables_initializer())
        seen = []
        for _ in range(4):
            s.run(update)
            seen.append(s.run([step, w]))
        return seen


@rows("float32", "float64", "int32", "int64")
def steps_of_every_type(tf: Any, dtype: str) -> Any:
    with session(tf) as s:
        step = tf.constant(5, getattr(tf, dtype))
        return s.run(tf.compat.v1.train.exponential_decay(np.float32(0.5), step, 10, 0.5))


@rows("boundaries as floats", "values as integers", "step beyond", "step on a boundary")
def pieces(tf: Any, what: str) -> Any:
    train = tf.compat.v1.train
    with session(tf) as s:
        found = {
            "boundaries as floats": lambda: train.piecewise_constant(tf.constant(2.5), [2.0, 3.0], [1.0, 2.0, 3.0]),
            "values as integers": lambda: train.piecewise_constant(tf.constant(9), [2, 8], [10, 20, 30]),
            "step beyond": lambda: train.piecewise_constant(tf.constant(1000), [2, 8], [1.0, 2.0, 3.0]),
            "step on a boundary": lambda: train.piecewise_constant(tf.constant(8), [2, 8], [1.0, 2.0, 3.0]),
        }[what]()
        return s.run(found)


@rows("no step", "too few values", "too many values")
def senseless(tf: Any, what: str) -> Any:
    train = tf.compat.v1.train
    with tf.Graph().as_default():
        return refused(
            {
                "no step": lambda: train.exponential_decay(0.5, None, 10, 0.9),
                "too few values": lambda: train.piecewise_constant(tf.constant(1), [1, 2], [1.0, 2.0]),
                "too many values": lambda: train.piecewise_constant(tf.constant(1), [1], [1.0, 2.0, 3.0]),
            }[what]
        )
