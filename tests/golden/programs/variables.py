"""Variables: assignment, sharing by name, initialisation, scatters."""

from __future__ import annotations

from typing import Any


def assignments_eagerly(tf: Any) -> Any:
    v = tf.Variable([1.0, 2.0])
    found = [v.assign([3.0, 4.0]).numpy(), v.assign_add([1.0, 1.0]).numpy(), v.assign_sub([0.5, 0.0]).numpy()]
    return [found, v.numpy(), v.value(), v.read_value(), tf.identity(v), v[0], v + 1.0]


def assignments_in_a_graph(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable(10, name="v")
        add, twice = v1.assign_add(v, 5), v1.assign(v, v * 2)
        session.run(v1.global_variables_initializer())
        return [session.run(add), session.run(twice), session.run(v), session.run([v, v.name][0]), v.name, v.op.name]


def writes_and_reads_in_order(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0, use_resource=True)
        before = v.read_value()
        with tf.control_dependencies([before]):
            write = v.assign(5.0)
        with tf.control_dependencies([write]):
            after = v.read_value()
        session.run(v.initializer)
        return session.run([before, after])


def counting_loops_over_runs(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("n", [], tf.int32, v1.zeros_initializer())
        step = v1.assign_add(v, 1)
        session.run(v.initializer)
        return [session.run(step) for _ in range(4)]


def two_sessions_two_values(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=7)
        add = v.assign_add(1)
        with v1.Session() as one, v1.Session() as two:
            one.run(v.initializer)
            two.run(v.initializer)
            one.run(add)
            return [one.run(v), two.run(v)]


def uninitialised_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v, w = v1.get_variable("v", initializer=1.0), v1.get_variable("w", initializer=2.0)
        try:
            session.run(v)
            raised = "nothing"
        except tf.errors.FailedPreconditionError:
            raised = "FailedPreconditionError"
        session.run(w.initializer)
        names = session.run(v1.report_uninitialized_variables())
        return [raised, names, session.run(v1.is_variable_initialized(v)), session.run(v1.is_variable_initialized(w))]


def scopes_and_sharing(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        with v1.variable_scope("a"):
            one = v1.get_variable("v", [1])
            with v1.variable_scope("b"):
                two = v1.get_variable("v", [1])
        with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
            three, four = v1.get_variable("v", [1]), v1.get_variable("w", [1])
        try:
            with v1.variable_scope("a"):
                v1.get_variable("v", [1])
            raised = "nothing"
        except ValueError:
            raised = "ValueError"
        return [one.name, two.name, three is one, four.name, raised, [v.name for v in v1.global_variables()]]


def default_names_of_scopes(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        found = []
        for _ in range(2):
            with v1.variable_scope(None, "block"):
                found += [v1.get_variable("w", [1]).name, tf.identity(1.0, name="op").name]
        with v1.variable_scope("block"):
            found += [v1.get_variable_scope().name, v1.get_variable("x", [1]).name, tf.identity(1.0, name="op").name]
        return found


def trainable_and_local_variables(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        v1.get_variable("t", [1])
        v1.get_variable("f", [1], trainable=False)
        v1.get_local_variable("l", [1])
        v1.get_variable("c", [1], collections=["mine"])
        kinds = (v1.global_variables, v1.trainable_variables, v1.local_variables, lambda: v1.get_collection("mine"))
        return [[v.op.name for v in kind()] for kind in kinds]


def regularisers_collect_losses(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.variable_scope("s", regularizer=lambda w: tf.reduce_sum(w * w)):
            v1.get_variable("a", initializer=[1.0, 2.0])
            v1.get_variable("b", initializer=[3.0])
        session.run(v1.global_variables_initializer())
        return session.run(v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES))


def scatters_of_rows(tf: Any) -> Any:
    v = tf.Variable([[1, 2], [3, 4], [5, 6]])
    steps = [
        lambda: v.scatter_update(tf.IndexedSlices([[9, 9]], [1])),
        lambda: v.scatter_add(tf.IndexedSlices([[1, 1], [1, 1]], [0, 0])),
        lambda: v.scatter_sub(tf.IndexedSlices([[2, 2]], [2])),
        lambda: v.scatter_nd_update([[0, 1]], [100]),
        lambda: v.scatter_nd_add([[2]], [[1, 1]]),
    ]
    found = []
    for step in steps:
        step()
        found.append(v.numpy())
    return found


def scatters_of_the_first_generation(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[1.0, 2.0, 3.0, 4.0])
        session.run(v.initializer)
        return [
            session.run(v1.scatter_update(v, [0], [10.0])),
            session.run(v1.scatter_add(v, [1, 1], [1.0, 1.0])),
            session.run(v1.scatter_mul(v, [2], [5.0])),
            session.run(v1.scatter_div(v, [3], [2.0])),
            session.run(v1.scatter_min(v, [0, 1], [3.0, 30.0])),
            session.run(v1.scatter_max(v, [0, 1], [5.0, 6.0])),
            session.run(v1.scatter_nd_update(v, [[2]], [0.0])),
            session.run(v1.scatter_nd_add(v, [[0], [0]], [1.0, 2.0])),
        ]


def variables_of_every_type(tf: Any) -> Any:
    made = [tf.Variable(v) for v in (1, 1.5, True, "text", [1, 2], [[1.0]], 1 + 2j)]
    return [[f"{v.dtype.name} {v.shape}", v.numpy()] for v in made[:3]] + [v.numpy() for v in made[3:]]


def what_a_variable_refuses(tf: Any) -> Any:
    v, raised = tf.Variable([1.0, 2.0]), []
    for attempt in (
        lambda: v.assign([1.0]),
        lambda: v.assign("text"),
        lambda: tf.Variable(),
        lambda: v.assign([1 + 2j, 0]),
    ):
        try:
            attempt()
            raised.append("nothing")
        except (ValueError, TypeError):
            raised.append("ValueError or TypeError")
    return [raised, v.numpy()]


def operators_of_variables(tf: Any) -> Any:
    v = tf.Variable([2.0, 3.0])
    return [v + v, 1.0 + v, v - 1.0, v * [2.0, 0.5], v / 2.0, v**2.0, -v, v < 2.5, abs(-v), v[1], v[::-1]]


def variables_as_arguments(tf: Any) -> Any:
    v = tf.Variable([1.0, 4.0])
    return [
        tf.sqrt(v),
        tf.concat([v, v], 0),
        tf.stack([v, v]),
        tf.reduce_sum(v),
        tf.convert_to_tensor(v),
        tf.add_n([v, v]),
    ]


def constraints_are_applied_by_optimizers(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0, constraint=lambda x: tf.clip_by_value(x, 0.0, 1.0))
        step = v1.train.GradientDescentOptimizer(1.0).minimize(-5.0 * v)
        session.run(v1.global_variables_initializer())
        session.run(step)
        return session.run(v)


def initialisers_of_the_first_generation(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        made = [
            v1.get_variable("a", [2, 2], initializer=v1.constant_initializer([[1, 2], [3, 4]])),
            v1.get_variable("b", [2], tf.int64, v1.ones_initializer()),
            v1.get_variable("c", [3], initializer=v1.random_normal_initializer(seed=5)),
            v1.get_variable("d", [3], initializer=v1.random_uniform_initializer(-1.0, 1.0, seed=6)),
            v1.get_variable("e", [3], initializer=v1.truncated_normal_initializer(seed=7)),
            v1.get_variable("f", [2, 3], initializer=v1.glorot_uniform_initializer(seed=8)),
            v1.get_variable("g", [2, 3], initializer=v1.variance_scaling_initializer(2.0, "fan_out", seed=9)),
        ]
        session.run(v1.global_variables_initializer())
        return session.run(made)
