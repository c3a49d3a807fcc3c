"""Variables: making, reading, writing, scattering, printing, collections; eagerly and in sessions."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session


@rows(3, 2.5, True, "text", [1, 2], [[1.5]], 1 + 2j, np.float64(1), np.int16(3), np.arange(3))
def types_and_shapes_come_from_the_first_value(tf: Any, value: Any) -> Any:
    v = tf.Variable(value)
    return [v.dtype, v.shape, v.numpy(), v.trainable]


@rows("float16", "bfloat16", "float64", "int8", "uint16", "complex64")
def a_type_that_is_asked_for(tf: Any, dtype: str) -> Any:
    v = tf.Variable([1, 2], dtype=getattr(tf, dtype))
    return [v.dtype, v.assign([3, 4]).numpy()]


@rows(
    "assign", "assign_add", "assign_sub", "scatter_nd_add", "scatter_nd_update", "scatter_nd_sub",
    "scatter_update", "scatter_add", "scatter_sub", "scatter_max", "scatter_min", "scatter_mul", "scatter_div",
)  # fmt: skip
def writes(tf: Any, method: str) -> Any:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    if method.startswith("assign"):
        result = getattr(v, method)(tf.ones([3, 2]) * 10)
    elif "_nd_" in method:
        result = getattr(v, method)([[0, 1], [2, 0]], [10.0, 20.0])
    else:
        delta = tf.IndexedSlices(tf.constant([[10.0, 0.5], [2.0, 40.0]]), tf.constant([2, 0]))
        result = getattr(v, method)(delta)
    return [v.numpy(), type(result).__name__ != "NoneType"]


@rows("update", "add", "sub", "mul", "div", "min", "max", "nd_update", "nd_add", "nd_sub")
def writes_of_the_first_generation(tf: Any, kind: str) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        if kind.startswith("nd"):
            op = getattr(tf.compat.v1, f"scatter_{kind}")(v, [[0, 1], [2, 0]], [10.0, 20.0])
        else:
            op = getattr(tf.compat.v1, f"scatter_{kind}")(v, [2, 0], [[10.0, 0.5], [2.0, 40.0]])
        s.run(tf.compat.v1.global_variables_initializer())
        return [s.run(op), s.run(v)]


@rows("add", "sub")
def rows_named_twice_count_twice(tf: Any, kind: str) -> Any:
    v = tf.Variable([1.0, 2.0, 3.0])
    getattr(v, f"scatter_{kind}")(tf.IndexedSlices(tf.constant([10.0, 100.0]), tf.constant([1, 1])))
    return v.numpy()


def what_operators_give(tf: Any) -> Any:
    v, w = tf.Variable([6.0, -7.0]), tf.Variable([2.0, 2.0])
    got = [v + w, v - 1, 2 * v, v / w, v // w, v % w, v**2, -v, abs(v), v > w, v <= 6.0, v[0], v[::-1], 1 - v, 3 / v]
    return [t.numpy() for t in got]


def what_matrices_give(tf: Any) -> Any:
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    return [(m @ m).numpy(), m[1].numpy(), m[:, 0].numpy(), m[..., tf.newaxis].shape, m.sparse_read([1, 1]).numpy()]


def equality_is_by_value(tf: Any) -> Any:
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    return [(v == w).numpy(), (v != w).numpy(), v is w, v.ref() == w.ref(), v.ref() == v.ref(), v.ref().deref() is v]


@rows(
    "no value", "another shape", "another type", "a shape that does not fit", "constraint is no function",
    "a hash", "a string added to a number",
)  # fmt: skip
def variables_refuse(tf: Any, what: str) -> Any:
    v = tf.Variable([1.0, 2.0])
    calls = {
        "no value": lambda: tf.Variable(None),
        "another shape": lambda: v.assign([1.0]),
        "another type": lambda: v.assign(tf.constant([1, 2])),
        "a shape that does not fit": lambda: tf.Variable([1.0], shape=[2]),
        "constraint is no function": lambda: tf.Variable(1.0, constraint=3),
        "a hash": lambda: hash(v) and None,
        "a string added to a number": lambda: v.assign_add(["a", "b"]),
    }
    if what == "a hash":
        return None
    return refused(calls[what])


@rows([None], [None, 2], None)
def sizes_that_may_change(tf: Any, shape: Any) -> Any:
    v = tf.Variable(
        np.zeros((1, 2) if shape is None or len(shape) == 2 else 1, np.float32), shape=tf.TensorShape(shape)
    )
    v.assign(np.ones((3, 2) if shape is None or len(shape) == 2 else 3, np.float32))
    return [v.shape, v.numpy(), tf.shape(v).numpy()]


def a_function_writes_and_reads(tf: Any) -> Any:
    v = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        before = v.read_value()
        v.assign_add(x)
        v.assign(v * 2.0)
        return before, v.read_value(), v + 0.0

    return [[t.numpy() for t in step(tf.constant(3.0))], [t.numpy() for t in step(tf.constant(1.0))], v.numpy()]


def made_once_by_a_function(tf: Any) -> Any:
    made = []

    @tf.function
    def count() -> Any:
        if not made:
            made.append(tf.Variable(10.0))
        made[0].assign_add(1.0)
        return made[0].read_value()

    return [count().numpy(), count().numpy(), len(made)]


def a_second_trace_may_not_make_one(tf: Any) -> Any:
    @tf.function
    def wrong() -> Any:
        return tf.Variable(1.0) + 0.0

    return refused(wrong)


@rows(True, False)
def tapes_watch_what_is_trainable(tf: Any, trainable: bool) -> Any:
    v = tf.Variable(3.0, trainable=trainable)
    with tf.GradientTape() as tape:
        y = v * v
    grad = tape.gradient(y, v)
    return [None if grad is None else grad.numpy(), [w.name for w in tape.watched_variables()]]


# ---- in graphs


def names_in_a_graph(tf: Any) -> Any:
    with tf.Graph().as_default() as g:
        v = tf.Variable(1.0)
        w = tf.Variable(2.0, name="w")
        with tf.name_scope("layer"):
            x = tf.Variable(3.0, name="w")
        y = tf.compat.v1.get_variable("deep/y", [2])
        return [v.name, w.name, x.name, y.name, w.op.name, w.initializer.name, len(g.get_operations()) > 0]


@rows("global", "local", "trainable", "frozen", "own")
def collections_they_join(tf: Any, kind: str) -> Any:
    keys = tf.compat.v1.GraphKeys
    options = {
        "global": {},
        "local": {"collections": [keys.LOCAL_VARIABLES], "trainable": False},
        "trainable": {"trainable": True},
        "frozen": {"trainable": False},
        "own": {"collections": ["mine", keys.GLOBAL_VARIABLES]},
    }[kind]
    with tf.Graph().as_default() as g:
        tf.compat.v1.get_variable("v", [], **options)
        found = [k for k in g.get_all_collection_keys() if isinstance(k, str) and g.get_collection(k)]
        return sorted(k for k in found if k in (keys.LOCAL_VARIABLES, keys.TRAINABLE_VARIABLES, "variables", "mine"))


def first_values_of_a_session(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=2.0)
        w = tf.compat.v1.get_variable("w", initializer=lambda: tf.constant(20.0))
        checks = [tf.compat.v1.is_variable_initialized(x) for x in (v, w)]
        before = s.run(checks)
        names = s.run(tf.compat.v1.report_uninitialized_variables())
        s.run(v.initializer)
        between = s.run(checks)
        s.run(tf.compat.v1.variables_initializer([w]))
        return [before, names, between, s.run([v, w])]


def reading_what_has_no_value(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=2.0)
        return [
            refused(lambda: s.run(v)),
            refused(lambda: s.run(v + 1.0)),
            s.run(v.assign(5.0)),
            s.run(v),
        ]


def assignments_in_an_order_that_is_asked_for(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        with tf.control_dependencies([v.assign(5.0)]):
            doubled = v.read_value() * 2.0
            with tf.control_dependencies([doubled]):
                last = v.assign_add(1.0)
        s.run(tf.compat.v1.global_variables_initializer())
        return [s.run([doubled, last]), s.run(v)]


def counting_with_assign_add(tf: Any) -> Any:
    with session(tf) as s:
        n = tf.compat.v1.get_variable("n", initializer=np.int64(0))
        up, down = tf.compat.v1.assign_add(n, 5), tf.compat.v1.assign_sub(n, 2)
        s.run(tf.compat.v1.global_variables_initializer())
        return [s.run(up), s.run(up), s.run(down), s.run(n)]


def loading_and_evaluating(tf: Any) -> Any:
    with session(tf) as s:
        v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
        s.run(tf.compat.v1.global_variables_initializer())
        v.load([7.0, 8.0], s)
        return [v.eval(s), (v * 2.0).eval(session=s), s.run(v)]


# ---- variable scopes


def names_of_scopes(tf: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        names = []
        with v1.variable_scope("a") as a:
            names.append(v1.get_variable("v", []).name)
            with v1.variable_scope("b"):
                names.append(v1.get_variable("v", []).name)
                names.append(v1.get_variable_scope().name)
            names.append((tf.identity(1.0)).op.name)
        with v1.variable_scope(a, reuse=True):
            names.append(v1.get_variable("v", []).name)
            names.append((tf.identity(1.0)).op.name)
        with v1.variable_scope("a", reuse=True):
            names.append(v1.get_variable("b/v", []).name)
        with v1.variable_scope(None, default_name="d"):
            names.append(v1.get_variable("v", []).name)
        with v1.variable_scope(None, default_name="d"):
            names.append(v1.get_variable("v", []).name)
        return names


@rows("twice", "reuse of none", "another shape", "another type", "no shape", "AUTO_REUSE")
def sharing(tf: Any, what: str) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        first = v1.get_variable("v", [2])

        def reused(*args: Any, **kwargs: Any) -> Any:
            with v1.variable_scope("", reuse=True):
                return v1.get_variable(*args, **kwargs)

        def auto() -> Any:
            with v1.variable_scope("s", reuse=v1.AUTO_REUSE):
                return v1.get_variable("x", [1]) is v1.get_variable("x", [1])

        calls = {
            "twice": lambda: v1.get_variable("v", [2]),
            "reuse of none": lambda: reused("w", [2]),
            "another shape": lambda: reused("v", [3]),
            "another type": lambda: reused("v", [2], tf.float64),
            "no shape": lambda: reused("v") is first,
            "AUTO_REUSE": auto,
        }
        return refused(calls[what])


def defaults_of_a_scope(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as s:
        with v1.variable_scope("a", initializer=v1.constant_initializer(4.0), dtype=tf.float64):
            v = v1.get_variable("v", [2])
            with v1.variable_scope("b", initializer=v1.ones_initializer()):
                w = v1.get_variable("w", [1])
            x = v1.get_variable("x", [1], initializer=v1.zeros_initializer())
        s.run(v1.global_variables_initializer())
        return [s.run([v, w, x]), v.dtype, x.dtype]


def regularisers_of_a_scope(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as s:
        with v1.variable_scope("a", regularizer=lambda w: 0.5 * tf.reduce_sum(w * w)):
            v1.get_variable("v", initializer=[3.0, 4.0])
            v1.get_variable("w", initializer=[1.0], regularizer=lambda w: tf.reduce_sum(w) * 100)
        losses = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
        s.run(v1.global_variables_initializer())
        return [len(losses), s.run(losses)]


def custom_getters_see_and_change(tf: Any) -> Any:
    v1 = tf.compat.v1
    seen = []

    def doubling(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        seen.append([name, list(kwargs["shape"])])
        return getter(name, *args, **kwargs) * 2.0

    with session(tf) as s:
        with v1.variable_scope("a", custom_getter=doubling):
            doubled = v1.get_variable("v", [1], initializer=v1.ones_initializer())
        s.run(v1.global_variables_initializer())
        return [s.run(doubled), seen, [v.name for v in v1.global_variables()]]


@rows(None, "a", "b/.*", "^a/v", "nothing")
def lists_by_scope(tf: Any, scope: Any) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        for name in ("a/v", "a/w", "b/v", "ab"):
            v1.get_variable(name, [])
        return [[v.name for v in v1.global_variables(scope)], [v.name for v in v1.trainable_variables(scope)]]


@rows("zeros", "ones", "constant", "identity", "constant of a list")
def initialisers_give(tf: Any, name: str) -> Any:
    make, shape = {
        "zeros": (tf.zeros_initializer(), [2, 3]),
        "ones": (tf.ones_initializer(), [2]),
        "constant": (tf.constant_initializer(2.5), [2, 2]),
        "identity": (tf.compat.v1.initializers.identity(3.0), [2, 3]),
        "constant of a list": (tf.constant_initializer([1.0, 2.0, 3.0, 4.0]), [2, 2]),
    }[name]
    return [np.asarray(make(shape)), np.asarray(make(shape, dtype=tf.float64))]


def default_first_values(tf: Any) -> Any:
    v1 = tf.compat.v1
    with session(tf) as s:
        whole = v1.get_variable("n", [2], tf.int32)
        flag = v1.get_variable("b", [1], tf.bool)
        real = v1.get_variable("x", [3, 3])
        s.run(v1.global_variables_initializer())
        n, b, x = s.run([whole, flag, real])
        return [n, b, bool(np.abs(x).max() <= 1.0), bool(np.abs(x).min() > 0.0)]


def a_variable_of_a_function_in_a_graph_has_the_scope_of_the_function(tf: Any) -> Any:
    made: list[Any] = []

    @tf.function
    def read() -> Any:
        with tf.name_scope("inner"):
            if not made:
                made.append(tf.Variable(1.0, name="v"))
        return made[0] + 1.0

    with tf.Graph().as_default():
        read()
        return made[0].name


@rows("eagerly", "in a graph")
def templates_share_variables(tf: Any, where: str) -> Any:
    """A call after the first one makes no variable that trains; eager templates may make others."""
    v1, counts = tf.compat.v1, [0]

    def custom(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        counts[0] += 1
        return getter(name, *args, **kwargs)

    def made(name: str = "dummy", trainable: bool = True, **kwargs: Any) -> Any:
        return v1.get_variable(name, [1], trainable=trainable, initializer=v1.zeros_initializer(), **kwargs)

    def side(name: str) -> Any:
        made(name)
        return made("v")

    with contextlib.nullcontext() if where == "eagerly" else tf.Graph().as_default():
        results: list[Any] = []
        counted = v1.make_template("counted", made, custom_getter_=custom)
        results += [counted().name, counts[0], counted().name, counts[0]]
        unnamed = v1.make_template("", made)
        with v1.variable_scope("outer"):
            results += [unnamed().name, unnamed.variable_scope_name, unnamed.variable_scope.name]
        for trainable in (True, False):
            template = v1.make_template("t", functools.partial(made, trainable=trainable))
            results += [template(name="1").name, refused(lambda t=template: t(name="2").name)]
            results.append([v.name for v in template.variables])
        template = v1.make_template("s", side)
        results += [template("1").name, refused(lambda: template("2").name), template.func is side]
        kinds = ("local", "global", "trainable", "non_trainable")
        return results, [[v.name for v in getattr(template, f"{kind}_variables")] for kind in kinds]


def templates_list_local_variables(tf: Any) -> Any:
    v1 = tf.compat.v1

    def made() -> None:
        v1.get_variable("own", [1])
        v1.get_variable("local", [1], collections=[v1.GraphKeys.LOCAL_VARIABLES], trainable=False)

    with tf.Graph().as_default():
        template = v1.make_template("t", made)
        before = list(template.local_variables)
        template()
        lists = (template.local_variables, template.global_variables, template.variables)
        return before, [[v.name for v in some] for some in lists]


@rows("eagerly", "in a graph")
def scopes_without_a_name(tf: Any, where: str) -> Any:
    v1 = tf.compat.v1
    with contextlib.nullcontext() if where == "eagerly" else tf.Graph().as_default():
        results = []
        with v1.variable_scope("") as scope:
            results.append([scope.name, v1.get_variable("a", [1]).name])
        with v1.variable_scope("outer"):
            for i, (name, default) in enumerate([("", None), ("", None), (None, ""), (None, ""), ("", "other")]):
                with v1.variable_scope(name, default) as scope:
                    results.append([scope.name, scope.original_name_scope, v1.get_variable(f"v{i}", [1]).name])
        return results
