"""Optimizers: where each goes, what it keeps, what it is called, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_MAKE = {
    "sgd": lambda t: t.GradientDescentOptimizer(0.1),
    "sgd fast": lambda t: t.GradientDescentOptimizer(1.5, name="Fast"),
    "momentum": lambda t: t.MomentumOptimizer(0.1, 0.9),
    "momentum without any": lambda t: t.MomentumOptimizer(0.1, 0.0),
    "nesterov": lambda t: t.MomentumOptimizer(0.05, 0.8, use_nesterov=True),
    "adagrad": lambda t: t.AdagradOptimizer(0.5),
    "adagrad from one": lambda t: t.AdagradOptimizer(0.5, initial_accumulator_value=1.0),
    "adam": lambda t: t.AdamOptimizer(),
    "adam quick": lambda t: t.AdamOptimizer(0.3, beta1=0.5, beta2=0.9, epsilon=0.1),
    "rms": lambda t: t.RMSPropOptimizer(0.01),
    "rms with momentum": lambda t: t.RMSPropOptimizer(0.05, decay=0.5, momentum=0.7, epsilon=1e-3),
    "rms centered": lambda t: t.RMSPropOptimizer(0.05, 0.8, 0.3, centered=True),
}
_TWO = ("sgd", "momentum", "nesterov", "adagrad", "adam", "rms", "rms centered")


def _loss(tf: Any, w: Any) -> Any:
    """A narrow valley with another slope in each coordinate."""
    return tf.reduce_sum(tf.square(w - [1.0, -2.0, 0.5]) * [1.0, 10.0, 0.1]) + tf.reduce_prod(w)


@rows(*_MAKE)
def eager_path(tf: Any, name: str) -> Any:
    w = tf.Variable([0.5, 0.25, -1.0], name="w")
    optimizer = _MAKE[name](tf.compat.v1.train)
    path = []
    for _ in range(5):
        optimizer.minimize(lambda: _loss(tf, w))
        path.append(w.numpy())
    return path


@rows(*_MAKE)
def graph_path_and_slots(tf: Any, name: str) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=tf.constant([0.5, 0.25, -1.0]))
        optimizer = _MAKE[name](tf.compat.v1.train)
        update = optimizer.minimize(_loss(tf, w))
        own = sorted(optimizer.variables(), key=lambda v: v.name)
        s.run(tf.compat.v1.global_variables_initializer())
        start = s.run(own)
        path = []
        for _ in range(4):
            s.run(update)
            path.append(s.run(w))
        return [[v.name for v in own], start, path, s.run(own), update.name, optimizer.get_slot_names()]


@rows(*_TWO)
def two_variables_of_two_types(tf: Any, name: str) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=np.float64([1.0, 2.0]))
        w = tf.compat.v1.get_variable("part/w", initializer=np.float32([[3.0]]))
        optimizer = _MAKE[name](tf.compat.v1.train)
        update = optimizer.minimize(tf.reduce_sum(v * v) + tf.cast(tf.reduce_sum(w * w), tf.float64))
        s.run(tf.compat.v1.global_variables_initializer())
        for _ in range(3):
            s.run(update)
        slots = {n: optimizer.get_slot(w, n).name for n in optimizer.get_slot_names()}
        return [s.run([v, w]), slots, sorted(x.name for x in tf.compat.v1.trainable_variables())]


@rows("sgd", "momentum", "adagrad", "adam", "rms")
def a_rate_that_is_fed(tf: Any, name: str) -> Any:
    kinds = {
        "sgd": lambda t, r: t.GradientDescentOptimizer(r),
        "momentum": lambda t, r: t.MomentumOptimizer(r, 0.5),
        "adagrad": lambda t, r: t.AdagradOptimizer(r),
        "adam": lambda t, r: t.AdamOptimizer(r),
        "rms": lambda t, r: t.RMSPropOptimizer(r),
    }
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=[2.0])
        rate = tf.compat.v1.placeholder(tf.float32, [])
        update = kinds[name](tf.compat.v1.train, rate).minimize(tf.reduce_sum(w * w))
        s.run(tf.compat.v1.global_variables_initializer())
        seen = []
        for fed in (0.0, 0.1, 0.5):
            s.run(update, {rate: fed})
            seen.append(s.run(w))
        return seen


@rows("sgd", "adam")
def the_global_step_counts_updates(tf: Any, name: str) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=1.0)
        step = tf.compat.v1.train.get_or_create_global_step()
        update = _MAKE[name](tf.compat.v1.train).minimize(w * w, global_step=step, name="train")
        s.run(tf.compat.v1.global_variables_initializer())
        before = s.run(step)
        s.run(update)
        s.run(update)
        return [before, s.run(step), tf.compat.v1.train.global_step(s, step), update.name, step.name, step.dtype]


def gradients_are_clipped_between(tf: Any) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=[3.0, 4.0])
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(w * w) / 2)
        update = optimizer.apply_gradients([(tf.clip_by_norm(g, 1.0), v) for g, v in pairs])
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(update)
        return [s.run(w), [v.name for _, v in pairs]]


def a_variable_without_influence_has_no_gradient(tf: Any) -> Any:
    with session(tf):
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        tf.compat.v1.get_variable("w", initializer=1.0)
        pairs = tf.compat.v1.train.GradientDescentOptimizer(1.0).compute_gradients(v * v)
        return [(g is None, v.name) for g, v in pairs]


def chosen_variables_only(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        w = tf.compat.v1.get_variable("w", initializer=2.0, trainable=False)
        update = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(v * w, var_list=[w])
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(update)
        return s.run([v, w])


def the_cotangent_of_the_loss(tf: Any) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=[1.0, 1.0])
        update = tf.compat.v1.train.GradientDescentOptimizer(1.0).minimize(w * w, grad_loss=tf.constant([1.0, -2.0]))
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(update)
        return s.run(w)


def a_vector_of_losses_counts_as_its_sum(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0])
    tf.compat.v1.train.GradientDescentOptimizer(0.25).minimize(lambda: w * w)
    return w.numpy()


def updates_see_gradients_of_the_same_moment(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=2.0)
        w = tf.compat.v1.get_variable("w", initializer=3.0)
        update = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(v * w)
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(update)
        return s.run([v, w])


def one_optimizer_for_two_losses(tf: Any) -> Any:
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=1.0)
        optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.5)
        one, two = optimizer.minimize(w * w), optimizer.minimize(w * 3.0)
        s.run(tf.compat.v1.global_variables_initializer())
        s.run(one)
        s.run(two)
        return [s.run(w), [v.name for v in optimizer.variables()], one.name, two.name]


def two_optimizers_with_one_name(tf: Any) -> Any:
    with session(tf):
        w = tf.compat.v1.get_variable("w", initializer=1.0)
        names = []
        for _ in range(2):
            optimizer = tf.compat.v1.train.AdamOptimizer()
            optimizer.minimize(w * w)
            names.append(sorted(v.name for v in optimizer.variables()))
        return names


def minimize_in_a_name_scope(tf: Any) -> Any:
    with session(tf):
        w = tf.compat.v1.get_variable("w", initializer=1.0)
        with tf.name_scope("training"):
            update = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9, name="M").minimize(w * w)
        return [update.name, sorted(v.name for v in tf.compat.v1.global_variables())]


@rows("sgd", "adam", "adagrad")
def rows_of_a_table(tf: Any, name: str) -> Any:
    """A gradient that comes through a gather: the same row twice adds up."""
    table = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
    optimizer = _MAKE[name](tf.compat.v1.train)
    seen = []
    for _ in range(2):
        optimizer.minimize(lambda: tf.reduce_sum(tf.square(tf.gather(table, [2, 0, 2]))))
        seen.append(table.numpy())
    return seen if name != "adam" else seen[:1]


@rows("adagrad that starts at zero", "no name", "eager loss that is a tensor", "no pairs", "no gradient")
def senseless(tf: Any, what: str) -> Any:
    train = tf.compat.v1.train
    sgd = train.GradientDescentOptimizer(1.0)
    calls = {
        "adagrad that starts at zero": lambda: train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
        "no name": lambda: train.Optimizer(False, ""),
        "eager loss that is a tensor": lambda: sgd.minimize(tf.constant(1.0)),
        "no pairs": lambda: sgd.apply_gradients([]),
        "no gradient": lambda: sgd.apply_gradients([(None, tf.Variable(1.0))]),
    }
    return refused(calls[what])


@rows("sgd", "momentum", "adam", "rms")
def in_a_traced_step(tf: Any, name: str) -> Any:
    w = tf.Variable([2.0, -1.0])
    optimizer = _MAKE[name](tf.compat.v1.train)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(w - x))
        (grad,) = tape.gradient(loss, [w])
        optimizer.apply_gradients([(grad, w)])
        return loss

    return [[step(tf.constant([0.0, float(i)])).numpy() for i in range(3)], w.numpy()]


@rows("adagrad", "adam", "adadelta")
def slots_of_unknown_shape(tf: Any, name: str) -> Any:
    """A variable whose shape may change has slots of the shape of its first value."""
    kinds = {"adagrad": "AdagradOptimizer", "adam": "AdamOptimizer", "adadelta": "AdadeltaOptimizer"}
    results = []
    for start in (1.0, [1.0, 2.0]):
        with session(tf) as opened:
            first = tf.constant(start)
            v = tf.compat.v1.get_variable("v", initializer=first, validate_shape=False, use_resource=False)
            optimizer = getattr(tf.compat.v1.train, kinds[name])(0.5)
            update = optimizer.apply_gradients([(first * 0.5, v)])
            opened.run(tf.compat.v1.global_variables_initializer())
            opened.run(update)
            opened.run(update)
            slots = [optimizer.get_slot(v, slot) for slot in optimizer.get_slot_names()]
            results.append([opened.run(v), opened.run(slots), [slot.shape for slot in slots]])
    return results


def update_ops_run_before(tf: Any) -> Any:
    """As batch normalisation is trained in 1.x: what must run first is a control dependency of the update."""
    with session(tf) as s:
        w = tf.compat.v1.get_variable("w", initializer=1.0)
        mean = tf.compat.v1.get_variable("mean", initializer=0.0, trainable=False)
        tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.UPDATE_OPS, mean.assign(0.5 * mean + 0.5 * w))
        with tf.control_dependencies(tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.UPDATE_OPS)):
            update = tf.compat.v1.train.GradientDescentOptimizer(0.5).minimize(w * w * 0.5)
        s.run(tf.compat.v1.global_variables_initializer())
        seen = []
        for _ in range(3):
            s.run(update)
            seen.append(s.run([w, mean]))
        return seen
