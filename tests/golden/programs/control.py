"""Branches, loops, maps, folds: values, structures, names, shapes, gradients, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session

_MODES = ("eager", "function", "session")


def _in(tf: Any, mode: str, function: Any, *values: Any) -> Any:
    """What a function of tensors gives in one of the ways of running."""
    if mode == "session":
        with session(tf) as s:
            given = [tf.compat.v1.placeholder(np.asarray(v).dtype, np.shape(v)) for v in values]
            return s.run(function(*given), dict(zip(given, values, strict=True)))
    run = function if mode == "eager" else tf.function(function, autograph=False)
    return tf.nest.map_structure(lambda t: t.numpy(), run(*map(tf.constant, values)))


@rows(*_MODES)
def cond_of_numbers_and_nests(tf: Any, mode: str) -> Any:
    def choose(x: Any) -> Any:
        return tf.cond(
            tf.reduce_sum(x) > 0, lambda: {"b": x * 2, "a": (x[0], [x + 1])}, lambda: {"b": -x, "a": (x[1], [x])}
        )

    return [_in(tf, mode, choose, np.float32(v)) for v in ([1, 2], [-1, -2])]


@rows(*_MODES)
def cond_of_different_shapes(tf: Any, mode: str) -> Any:
    def choose(x: Any) -> Any:
        return tf.cond(x > 0, lambda: tf.zeros([2, 1]) + x, lambda: tf.ones([3, 1]) * x)

    return [_in(tf, mode, choose, np.float32(v)) for v in (1, -1)]


def what_is_known_of_a_cond_of_different_shapes(tf: Any) -> Any:
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.bool, [])
        return [
            tf.cond(p, lambda: tf.zeros([2, 1]), lambda: tf.zeros([3, 1])).shape,
            tf.cond(p, lambda: tf.zeros([2]), lambda: tf.zeros([2, 2])).shape,
            tf.cond(p, lambda: tf.zeros([2]), lambda: tf.ones([2])).shape,
        ]


@rows(*_MODES)
def nested_conds(tf: Any, mode: str) -> Any:
    def choose(x: Any) -> Any:
        return tf.cond(
            x > 0,
            lambda: tf.cond(x > 10, lambda: x - 10, lambda: x * 100),
            lambda: tf.cond(x < -10, lambda: x + 10, lambda: x / 100),
        )

    return [_in(tf, mode, choose, np.float64(v)) for v in (20, 2, -2, -20)]


@rows(*_MODES)
def a_variable_written_in_one_branch(tf: Any, mode: str) -> Any:
    if mode == "session":
        with session(tf) as s:
            v = tf.compat.v1.get_variable("v", initializer=1.0)
            p = tf.compat.v1.placeholder(tf.bool, [])
            out = tf.cond(p, lambda: v.assign_add(10.0).read_value() if mode == "eager" else v + 10.0, lambda: v * 2.0)
            s.run(tf.compat.v1.global_variables_initializer())
            return [s.run(out, {p: True}), s.run(out, {p: False})]
    v = tf.Variable(1.0)

    def choose(x: Any) -> Any:
        def write() -> Any:
            v.assign_add(10.0)
            return v.read_value()

        return tf.cond(x, write, lambda: v * 2.0)

    run = tf.function(choose) if mode == "function" else choose
    return [run(tf.constant(flag)).numpy() for flag in (True, False, True)] + [v.numpy()]


@rows(*_MODES)
def gradients_of_the_branch_that_ran(tf: Any, mode: str) -> Any:
    def slope(x: Any) -> Any:
        if mode == "session":
            return tf.gradients(tf.cond(x > 1, lambda: x**3, lambda: 5 * x), x)[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.cond(x > 1, lambda: x**3, lambda: 5 * x)
        return tape.gradient(y, x)

    return [_in(tf, mode, slope, np.float32(v)) for v in (2, 0)]


@rows("true_fn is none", "dtypes differ")
def cond_refuses(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.bool, [])
        one = tf.constant(1.0)
        calls = {
            "true_fn is none": lambda: tf.cond(p, None, lambda: one),
            "dtypes differ": lambda: tf.cond(p, lambda: one, lambda: tf.constant(1)),
        }
        return refused(calls[what])


def eagerly_one_branch_is_called(tf: Any) -> Any:
    built = []

    def branch(name: str) -> Any:
        built.append(name)
        return tf.constant(name)

    return [tf.cond(True, lambda: branch("yes"), lambda: branch("no")).numpy(), built]


@rows(*_MODES)
def switch_case_in_and_out_of_range(tf: Any, mode: str) -> Any:
    def choose(i: Any) -> Any:
        return tf.switch_case(i, [lambda: tf.constant(10), lambda: tf.constant(20)], default=lambda: tf.constant(-1))

    return [_in(tf, mode, choose, np.int32(i)) for i in (-1, 0, 1, 2, 99)]


@rows(*_MODES)
def switch_case_without_default_takes_the_last(tf: Any, mode: str) -> Any:
    def choose(i: Any) -> Any:
        return tf.switch_case(i, {0: lambda: tf.constant("a"), 1: lambda: tf.constant("b")})

    return [_in(tf, mode, choose, np.int32(i)) for i in (0, 1, 7, -5)]


@rows(*_MODES)
def case_takes_the_first_that_holds(tf: Any, mode: str) -> Any:
    def choose(x: Any) -> Any:
        return tf.case(
            [(x < 0, lambda: tf.constant(0)), (x < 10, lambda: tf.constant(1)), (x < 20, lambda: tf.constant(2))],
            default=lambda: tf.constant(3),
        )

    return [_in(tf, mode, choose, np.float32(v)) for v in (-1, 5, 15, 25)]


def case_that_must_be_exclusive(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.case(
            [(x < 10, lambda: tf.constant(1)), (x < 20, lambda: tf.constant(2))],
            default=lambda: tf.constant(3),
            exclusive=True,
        )
        return [s.run(y, {x: 15.0}), s.run(y, {x: 25.0}), refused(lambda: s.run(y, {x: 5.0}))]


@rows("not pairs", "not callable")
def case_refuses(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        p = tf.compat.v1.placeholder(tf.bool, [])
        calls = {
            "not pairs": lambda: tf.case([p], default=lambda: p),
            "not callable": lambda: tf.case([(p, 3)], default=lambda: p),
        }
        return refused(calls[what])


# ---- loops


@rows(*_MODES)
def collatz(tf: Any, mode: str) -> Any:
    def steps(n: Any) -> Any:
        return tf.while_loop(
            lambda n, i: n > 1,
            lambda n, i: (tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), i + 1),
            (n, tf.constant(0)),
        )

    return [_in(tf, mode, steps, np.int64(n)) for n in (1, 6, 27)]


@rows(*_MODES)
def a_loop_that_never_runs(tf: Any, mode: str) -> Any:
    return _in(tf, mode, lambda x: tf.while_loop(lambda x: False, lambda x: [x * 0], [x]), np.float32([1, 2]))


@rows(*_MODES)
def loops_in_loops(tf: Any, mode: str) -> Any:
    def table(n: Any) -> Any:
        def outer(i: Any, total: Any) -> Any:
            _, inner = tf.while_loop(lambda j, _: j <= i, lambda j, t: (j + 1, t + i * j), (tf.constant(0), total))
            return i + 1, inner

        return tf.while_loop(lambda i, _: i < n, outer, (tf.constant(0), tf.constant(0)))[1]

    return [_in(tf, mode, table, np.int32(n)) for n in (0, 1, 5)]


@rows(*_MODES)
def a_structure_of_loop_variables(tf: Any, mode: str) -> Any:
    def fibonacci(n: Any) -> Any:
        start = {"pair": (tf.constant(0), tf.constant(1)), "at": tf.constant(0)}
        out = tf.while_loop(
            lambda s: s["at"] < n,
            lambda s: [{"pair": (s["pair"][1], s["pair"][0] + s["pair"][1]), "at": s["at"] + 1}],
            [start],
        )
        return out[0]

    return _in(tf, mode, fibonacci, np.int32(10))


@rows(*_MODES)
def a_loop_that_grows_its_value(tf: Any, mode: str) -> Any:
    def grow(x: Any) -> Any:
        return tf.while_loop(
            lambda x: tf.size(x) < 10,
            lambda x: [tf.concat([x, x], 0)],
            [x],
            shape_invariants=[tf.TensorShape([None])],
        )[0]

    return _in(tf, mode, grow, np.float32([1, 2, 3]))


@rows(*_MODES)
def no_more_than_so_many_turns(tf: Any, mode: str) -> Any:
    def run(n: Any) -> Any:
        return tf.while_loop(lambda x: True, lambda x: [x * 2], [tf.constant(1)], maximum_iterations=n)[0]

    return [_in(tf, mode, run, np.int32(n)) for n in (0, 1, 7)]


@rows(*_MODES)
def gradients_through_a_loop(tf: Any, mode: str) -> Any:
    def slope(x: Any, n: Any) -> Any:
        def loop() -> Any:
            return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.sin(y) * x), (tf.constant(0), x))[1]

        if mode == "session":
            return tf.gradients(loop(), x)[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loop()
        return tape.gradient(y, x)

    return [_in(tf, mode, slope, np.float64([0.5, 2.0]), np.int32(n)) for n in (0, 1, 4)]


@rows("body changes the shape", "body changes the type", "body changes the structure", "not callable")
def loops_refuse(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        n = tf.compat.v1.placeholder(tf.int32, [])
        x = tf.zeros([2])
        calls = {
            "body changes the shape": lambda: tf.while_loop(lambda x: n > 0, lambda x: [tf.concat([x, x], 0)], [x]),
            "body changes the type": lambda: tf.while_loop(lambda x: n > 0, lambda x: [tf.cast(x, tf.int32)], [x]),
            "body changes the structure": lambda: tf.while_loop(lambda x: n > 0, lambda x: [x, x], [x]),
            "not callable": lambda: tf.while_loop(3, lambda x: x, [x]),
        }
        return refused(calls[what])


def what_is_known_of_a_loops_result(tf: Any) -> Any:
    with tf.Graph().as_default():
        n = tf.compat.v1.placeholder(tf.int32, [])
        a, b = tf.while_loop(
            lambda a, b: a < n,
            lambda a, b: (a + 1, tf.concat([b, b], 0)),
            (tf.constant(0), tf.zeros([1, 3])),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, 3])),
        )
        return [a.shape, a.dtype, b.shape]


def a_loop_variable_keeps_its_namedtuple(tf: Any) -> Any:
    import collections

    Pair = collections.namedtuple("Pair", "left right")
    out = tf.while_loop(lambda p: p.left < 3, lambda p: [Pair(p.left + 1, p.right * 2)], [Pair(0, 1)])
    return [type(out).__name__, type(out[0]).__name__, out[0].left.numpy(), out[0].right.numpy()]


# ---- maps and folds


@rows(*_MODES)
def map_fn_of_nests(tf: Any, mode: str) -> Any:
    def run(x: Any, y: Any) -> Any:
        return tf.map_fn(
            lambda p: {"sum": p[0] + p[1], "row": tf.stack([p[0], p[1]])},
            (x, y),
            fn_output_signature={"sum": tf.float32, "row": tf.float32},
        )

    return _in(tf, mode, run, np.float32([1, 2, 3]), np.float32([10, 20, 30]))


@rows(*_MODES)
def map_fn_to_another_type(tf: Any, mode: str) -> Any:
    return _in(
        tf, mode, lambda x: tf.map_fn(lambda r: tf.reduce_any(r > 2), x, fn_output_signature=tf.bool), np.eye(3) * 3
    )


@rows(*_MODES)
def map_fn_of_no_rows(tf: Any, mode: str) -> Any:
    spec = "float32"
    return _in(
        tf, mode, lambda x: tf.map_fn(lambda r: r * 2, x, fn_output_signature=tf.TensorSpec([2], spec)),
        np.zeros((0, 2), np.float32),
    )  # fmt: skip


@rows(*_MODES)
def vectorized_map_of_rows(tf: Any, mode: str) -> Any:
    return _in(tf, mode, lambda x: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x), np.float32([[1, 2], [3, 4]]))


@rows(*_MODES)
def vectorized_map_repeats_a_single_row(tf: Any, mode: str) -> Any:
    one, three = np.float32([[1, 2]]), np.float32([[1, 2], [3, 4], [5, 6]])

    def run(x: Any, y: Any) -> Any:
        return tf.vectorized_map(lambda rows: rows[0] * 2 + rows[1], (x, y))

    return [_in(tf, mode, lambda x: run(x, three), one), _in(tf, mode, lambda x: run(one, x), three)]


def vectorized_map_repeats_a_single_row_of_unknown_tensors(tf: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def run(x: Any, y: Any) -> Any:
        return tf.vectorized_map(lambda rows: rows[0] * 2 + rows[1], (x, y))

    one, three = np.float32([[1, 2]]), np.float32([[1, 2], [3, 4], [5, 6]])
    return [run(one, three), run(three, one), run(one, one), refused(lambda: run(three, three[:2]))]


@rows(*_MODES)
def folds_from_both_sides(tf: Any, mode: str) -> Any:
    def run(x: Any) -> Any:
        return [
            tf.foldl(lambda a, r: a * 2 + r, x),
            tf.foldr(lambda a, r: a * 2 + r, x),
            tf.foldl(lambda a, r: a * 2 + r, x, initializer=tf.constant(100.0)),
            tf.foldr(lambda a, r: a * 2 + r, x, initializer=tf.constant(100.0)),
        ]

    return _in(tf, mode, run, np.float32([1, 2, 3]))


@rows(*_MODES)
def folds_of_nests(tf: Any, mode: str) -> Any:
    def run(x: Any, y: Any) -> Any:
        return tf.foldl(
            lambda a, r: (a[0] + r[0] * r[1], tf.maximum(a[1], r[1])), (x, y), initializer=(0.0, tf.constant(-9.0))
        )

    return _in(tf, mode, run, np.float32([1, 2, 3]), np.float32([4, 6, 5]))


@rows(*_MODES)
def scans_forward_and_backward(tf: Any, mode: str) -> Any:
    def run(x: Any) -> Any:
        return [
            tf.scan(lambda a, r: a + r, x),
            tf.scan(lambda a, r: a + r, x, reverse=True),
            tf.scan(lambda a, r: a + r, x, initializer=tf.constant([10.0, 10.0])),
            tf.scan(lambda a, r: a + r, x, initializer=tf.constant([10.0, 10.0]), reverse=True),
        ]

    return _in(tf, mode, run, np.float32([[1, 2], [3, 4], [5, 6]]))


@rows(*_MODES)
def scan_of_a_pair(tf: Any, mode: str) -> Any:
    def run(n: Any) -> Any:
        return tf.scan(lambda a, _: (a[1], a[0] + a[1]), n, initializer=(tf.constant(0), tf.constant(1)))

    return _in(tf, mode, run, np.arange(6, dtype=np.int32))


@rows(*_MODES)
def gradients_of_maps_and_scans(tf: Any, mode: str) -> Any:
    def slope(x: Any) -> Any:
        def total() -> Any:
            mapped = tf.map_fn(lambda r: r * r, x)
            return tf.reduce_sum(tf.scan(lambda a, r: a * r, mapped)) + tf.foldl(lambda a, r: a + r**3, x)

        if mode == "session":
            return tf.gradients(total(), x)[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total()
        return tape.gradient(y, x)

    return _in(tf, mode, slope, np.float32([1.0, 2.0, -0.5]))


@rows("a scalar", "rows differ in number")
def maps_refuse(tf: Any, what: str) -> Any:
    calls = {
        "a scalar": lambda: tf.map_fn(lambda r: r, tf.constant(1.0)),
        "rows differ in number": lambda: tf.map_fn(lambda p: p[0], (tf.zeros([2]), tf.zeros([3])), tf.float32),
    }
    with tf.Graph().as_default():
        return refused(calls[what])


# ---- AutoGraph


@rows(0, 1, 5)
def statements_of_a_traced_function(tf: Any, n: int) -> Any:
    @tf.function
    def program(n: Any) -> Any:
        total, seen = tf.constant(0), tf.constant(0)
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            if i > 3:
                break
            total += i
            seen += 1
        while total < 10:
            total = total * 2 + 1
        return total, seen

    return [t.numpy() for t in program(tf.constant(n))]


@rows(-1.5, 0.0, 2.5)
def early_returns(tf: Any, x: float) -> Any:
    @tf.function
    def program(x: Any) -> Any:
        if x < 0:
            return tf.constant(-1.0)
        if x > 1:
            if x > 2:
                return x * 100
            else:
                x = x + 1
                return -x
        return x

    return program(tf.constant(x)).numpy()


def rows_of_a_tensor(tf: Any) -> Any:
    @tf.function
    def program(table: Any) -> Any:
        out = tf.zeros([2])
        for row in table:
            out = out * 2.0 + row
        return out

    return program(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])).numpy()


def lists_become_python_lists_in_python_loops(tf: Any) -> Any:
    @tf.function
    def program(x: Any) -> Any:
        parts = []
        for i in range(3):
            parts.append(x * i)
        return tf.stack(parts)

    return program(tf.constant([1.0, 2.0])).numpy()


@rows("undefined after one branch", "type differs", "shape grows", "break in the else")
def statements_refuse(tf: Any, what: str) -> Any:
    @tf.function
    def undefined(x: Any) -> Any:
        if x > 0:
            y = x
        return y

    @tf.function
    def type_differs(x: Any) -> Any:
        if x > 0:
            y = 1
        else:
            y = 2.0
        return y

    @tf.function
    def shape_grows(x: Any) -> Any:
        y = tf.zeros([1])
        while x > 0:
            y = tf.concat([y, y], 0)
            x -= 1
        return y

    @tf.function
    def break_in_the_else(x: Any) -> Any:
        while x > 0:
            x -= 1
            if x > 5:
                x -= 1
            else:
                break
        return x

    chosen = {
        "undefined after one branch": undefined,
        "type differs": type_differs,
        "shape grows": shape_grows,
        "break in the else": break_in_the_else,
    }[what]
    return refused(lambda: chosen(tf.constant(9.0)).numpy())


def sparse_variables_of_loops(tf: Any) -> Any:
    """Sparse tensors that loops change, with the dense shape that is stated of them, or none."""

    @tf.function
    def stated(turns: Any) -> Any:
        made = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 3])
        for _ in tf.range(turns):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(made, tf.TensorShape(None))])
            made = tf.sparse.expand_dims(made)
        return made

    @tf.function
    def unstated(turns: Any) -> Any:
        made = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [3, 3])
        for _ in tf.range(turns):
            made = tf.sparse.expand_dims(made)
        return made

    results = [stated(tf.constant(turns)) for turns in (0, 1, 3)]
    return [
        [(made.indices, made.values, made.dense_shape) for made in results],
        refused(lambda: unstated(tf.constant(2))),
    ]
