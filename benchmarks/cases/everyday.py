"""Everyday eager ops on small tensors, loops, and steps of training: what stands around host functions in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import Builder, Timed, loop

SMALL = 64
"""Elements of the tensors that eager ops are timed on."""


def values(tf: Any) -> dict[str, Any]:
    """The tensors that the ops take."""
    rand = np.random.default_rng(5)
    x = rand.random(SMALL, np.float32) + 0.1
    return {
        "x": tf.constant(x),
        "y": tf.constant(x[::-1].copy()),
        "m": tf.constant(x.reshape(8, 8)),
        "i": tf.constant(rand.integers(0, 8, SMALL).astype(np.int32)),
        "rows": tf.constant([1, 3, 5]),
        "b": tf.constant(x > 0.5),
        "labels": tf.constant(rand.integers(0, 8, 8).astype(np.int32)),
        "words": tf.constant([b"one two", b"three"] * 4),
        "pairs": tf.constant([[0, 1], [2, 3]]),
    }


# What each op's row times, in the order of API.md's first tier; the values are those of `values`.
OPS: dict[str, Callable[..., Any]] = {
    "cast": lambda tf, v: tf.cast(v["x"], tf.int32),
    "reshape": lambda tf, v: tf.reshape(v["x"], [8, 8]),
    "shape": lambda tf, v: tf.shape(v["m"]),
    "size": lambda tf, v: tf.size(v["m"]),
    "constant": lambda tf, v: tf.constant([1.0, 2.0, 3.0]),
    "concat": lambda tf, v: tf.concat([v["x"], v["y"]], 0),
    "stack": lambda tf, v: tf.stack([v["x"], v["y"]]),
    "unstack": lambda tf, v: tf.unstack(v["m"]),
    "expand_dims": lambda tf, v: tf.expand_dims(v["x"], 0),
    "squeeze": lambda tf, v: tf.squeeze(v["x"]),
    "gather": lambda tf, v: tf.gather(v["m"], v["rows"]),
    "gather_nd": lambda tf, v: tf.gather_nd(v["m"], v["pairs"]),
    "where": lambda tf, v: tf.where(v["b"], v["x"], v["y"]),
    "argmax": lambda tf, v: tf.argmax(v["m"], 1),
    "zeros": lambda tf, v: tf.zeros([8, 8]),
    "ones": lambda tf, v: tf.ones([8, 8]),
    "zeros_like": lambda tf, v: tf.zeros_like(v["x"]),
    "fill": lambda tf, v: tf.fill([8, 8], 3.0),
    "range": lambda tf, v: tf.range(SMALL),
    "tile": lambda tf, v: tf.tile(v["x"], [2]),
    "transpose": lambda tf, v: tf.transpose(v["m"]),
    "split": lambda tf, v: tf.split(v["x"], 4),
    "slice": lambda tf, v: tf.slice(v["m"], [1, 1], [3, 3]),
    "index": lambda tf, v: v["m"][1:, ::2],
    "pad": lambda tf, v: tf.pad(v["m"], [[1, 1], [1, 1]]),
    "one_hot": lambda tf, v: tf.one_hot(v["i"], 8),
    "equal": lambda tf, v: tf.equal(v["x"], v["y"]),
    "greater": lambda tf, v: v["x"] > v["y"],
    "logical_and": lambda tf, v: tf.logical_and(v["b"], v["b"]),
    "add": lambda tf, v: tf.add(v["x"], v["y"]),
    "multiply": lambda tf, v: v["x"] * 2.0,
    "divide": lambda tf, v: tf.divide(v["x"], v["y"]),
    "pow": lambda tf, v: tf.pow(v["x"], 2.0),
    "square": lambda tf, v: tf.square(v["x"]),
    "sqrt": lambda tf, v: tf.sqrt(v["x"]),
    "exp": lambda tf, v: tf.exp(v["x"]),
    "log": lambda tf, v: tf.math.log(v["x"]),
    "abs": lambda tf, v: tf.abs(v["x"]),
    "maximum": lambda tf, v: tf.maximum(v["x"], v["y"]),
    "clip_by_value": lambda tf, v: tf.clip_by_value(v["x"], 0.2, 0.8),
    "matmul": lambda tf, v: tf.matmul(v["m"], v["m"]),
    "einsum": lambda tf, v: tf.einsum("ij,jk->ik", v["m"], v["m"]),
    "reduce_sum": lambda tf, v: tf.reduce_sum(v["m"], 1),
    "reduce_mean": lambda tf, v: tf.reduce_mean(v["m"]),
    "reduce_max": lambda tf, v: tf.reduce_max(v["m"], 0),
    "reduce_all": lambda tf, v: tf.reduce_all(v["b"]),
    "cumsum": lambda tf, v: tf.cumsum(v["x"]),
    "top_k": lambda tf, v: tf.math.top_k(v["x"], 5),
    "sigmoid": lambda tf, v: tf.sigmoid(v["x"]),
    "tanh": lambda tf, v: tf.tanh(v["x"]),
    "relu": lambda tf, v: tf.nn.relu(v["x"]),
    "softmax": lambda tf, v: tf.nn.softmax(v["m"]),
    "cross_entropy": lambda tf, v: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=v["labels"], logits=v["m"]),
    "random_uniform": lambda tf, v: tf.random.uniform([4]),
    "boolean_mask": lambda tf, v: tf.boolean_mask(v["x"], v["b"]),
}


def _op(call: Callable[..., Any]) -> Builder:
    def build(tf: Any) -> Timed:
        inputs = values(tf)
        return loop(lambda: call(tf, inputs))

    return build


# ---------------------------------------------------------------- loops


def _unchanged(value: Any) -> Any:
    return value


def loop_session(tf: Any) -> Timed:
    return _session_loop(tf, lambda x: x + 1.0)


def loop_session_host(tf: Any) -> Timed:
    return _session_loop(tf, lambda x: tf.compat.v1.py_func(_unchanged, [x], tf.float32) + 1.0)


def _session_loop(tf: Any, body: Callable[..., Any]) -> Timed:
    """A `while_loop` of 100 turns."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])

        def turn(i: Any, value: Any) -> Any:
            value = body(value)
            value.set_shape([4])
            return i + 1, value

        _, y = tf.compat.v1.while_loop(lambda i, _: i < 100, turn, [tf.constant(0), x])
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones(4, np.float32)}
    return loop(lambda: run(y, feeds))


def loop_session_gradient(tf: Any) -> Timed:
    """The gradient of a `while_loop` of 100 turns."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        _, y = tf.compat.v1.while_loop(lambda i, _: i < 100, lambda i, v: (i + 1, v * 1.01), [tf.constant(0), x])
        (gradient,) = tf.gradients(y, [x])
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones(4, np.float32)}
    return loop(lambda: run(gradient, feeds))


def loop_function(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        for _ in tf.range(100):
            x = x + 1.0
        return x

    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: call(x))


def loop_map_fn_host(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        return tf.map_fn(lambda row: tf.numpy_function(_unchanged, [row], tf.float32), x)

    x = tf.constant(np.ones((100, 4), np.float32))
    return loop(lambda: call(x))


def loop_scan(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        return tf.scan(lambda a, row: a + row, x)

    x = tf.constant(np.ones((100, 4), np.float32))
    return loop(lambda: call(x))


def loop_session_gradient_of_rows(tf: Any) -> Timed:
    """The gradient of a `scan` over 100 rows, each of which is read, and of a `map_fn` before it."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [100, 4])
        y = tf.scan(lambda a, row: a * 0.9 + row, tf.map_fn(lambda row: row * row, x))
        (gradient,) = tf.gradients(y, [x])
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones((100, 4), np.float32)}
    return loop(lambda: run(gradient, feeds))


def loop_session_array(tf: Any) -> Timed:
    """A loop as programs write it: a TensorArray, a limit, invariants of shapes."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 4])
        rows = tf.TensorArray(tf.float32, tf.shape(x)[0], element_shape=[4])
        _, total, rows = tf.compat.v1.while_loop(
            lambda i, *_: i < tf.shape(x)[0],
            lambda i, total, rows: (i + 1, total + x[i], rows.write(i, total)),
            [tf.constant(0), tf.zeros([4]), rows],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None]), tf.TensorShape(None)],
            parallel_iterations=1,
            maximum_iterations=1000,
        )
        stacked = rows.stack()
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones((100, 4), np.float32)}
    return loop(lambda: run([total, stacked], feeds))


def loop_function_nested(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        for i in tf.range(10):
            for j in tf.range(10):
                if i < j:
                    x = x + 1.0
                else:
                    x = x * 0.5
        return x

    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: call(x))


def loop_foldl(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        return tf.foldl(lambda a, row: a * 0.5 + row, x)

    x = tf.constant(np.ones((100, 4), np.float32))
    return loop(lambda: call(x))


def loop_tape(tf: Any) -> Timed:
    """The gradient of a `function` with a loop under a tape."""

    @tf.function
    def call(x: Any) -> Any:
        for _ in tf.range(100):
            x = x * 1.01
        return x

    x = tf.constant(np.ones(4, np.float32))

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        return tape.gradient(y, x)

    return loop(gradient)


def loop_eager(tf: Any) -> Timed:
    """An eager `while_loop` of 20 turns."""
    x, zero = tf.constant(np.ones(4, np.float32)), tf.constant(0)
    return loop(lambda: tf.while_loop(lambda i, _: i < 20, lambda i, v: (i + 1, v + 1.0), [zero, x]))


# ---------------------------------------------------------------- training


def train_adam(tf: Any) -> Timed:
    """A step of `AdamOptimizer` in a session, one variable of 100 x 100."""
    with tf.Graph().as_default() as graph:
        w = tf.compat.v1.get_variable("w", [100, 100], initializer=tf.compat.v1.zeros_initializer())
        step = tf.compat.v1.train.AdamOptimizer().minimize(tf.reduce_sum(tf.square(w - 1.0)))
        ready = tf.compat.v1.global_variables_initializer()
    session = tf.compat.v1.Session(graph=graph)
    session.run(ready)
    return loop(lambda: session.run(step))


def train_session(tf: Any) -> Timed:
    """A step of gradient descent in a session: two layers, a batch of 32, a py_func that gives the batch."""
    rand = np.random.default_rng(6)
    features, labels = rand.standard_normal((32, 20), np.float32), rand.integers(0, 5, 32).astype(np.int32)
    with tf.Graph().as_default() as graph:
        x, y = tf.compat.v1.py_func(lambda: (features, labels), [], [tf.float32, tf.int32])
        x.set_shape([32, 20])
        y.set_shape([32])
        weights = [
            tf.compat.v1.get_variable(f"w{k}", shape, initializer=tf.compat.v1.random_normal_initializer(stddev=0.1))
            for k, shape in enumerate([(20, 50), (50, 5)])
        ]
        logits = tf.matmul(tf.nn.relu(tf.matmul(x, weights[0])), weights[1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(losses))
        ready = tf.compat.v1.global_variables_initializer()
    session = tf.compat.v1.Session(graph=graph)
    session.run(ready)
    return loop(lambda: session.run(step))


def train_tape(tf: Any) -> Timed:
    """Loss and gradients of two layers under a tape, and the variables' updates, eagerly."""
    rand = np.random.default_rng(6)
    x, y = tf.constant(rand.standard_normal((32, 20), np.float32)), tf.constant(rand.integers(0, 5, 32))
    weights = [tf.Variable(rand.standard_normal(s).astype(np.float32) * 0.1) for s in ((20, 50), (50, 5))]

    def call() -> None:
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, weights[0])), weights[1])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * g)

    return loop(call)


MANY = 20
"""Variables of the rows that count what each costs: networks have more of them than of large ones."""


def train_adam_many(tf: Any) -> Timed:
    """A step of `AdamOptimizer` in a session, many small variables."""
    with tf.Graph().as_default() as graph:
        weights = [
            tf.compat.v1.get_variable(f"w{k}", [10, 10], initializer=tf.compat.v1.zeros_initializer())
            for k in range(MANY)
        ]
        loss = tf.add_n([tf.reduce_sum(tf.square(w - 1.0)) for w in weights])
        step = tf.compat.v1.train.AdamOptimizer().minimize(loss)
        ready = tf.compat.v1.global_variables_initializer()
    session = tf.compat.v1.Session(graph=graph)
    session.run(ready)
    return loop(lambda: session.run(step))


def train_adam_eager(tf: Any) -> Timed:
    """`AdamOptimizer.apply_gradients` eagerly, many small variables."""
    pairs = [(tf.constant(np.full((10, 10), 0.1, np.float32)), tf.Variable(tf.zeros([10, 10]))) for _ in range(MANY)]
    optimizer = tf.compat.v1.train.AdamOptimizer()
    return loop(lambda: optimizer.apply_gradients(pairs))


def train_function(tf: Any) -> Timed:
    """What `train_tape` does, as a `function`."""
    rand = np.random.default_rng(6)
    x, y = tf.constant(rand.standard_normal((32, 20), np.float32)), tf.constant(rand.integers(0, 5, 32))
    weights = [tf.Variable(rand.standard_normal(s).astype(np.float32) * 0.1) for s in ((20, 50), (50, 5))]

    @tf.function
    def call(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, weights[0])), weights[1])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        for w, g in zip(weights, tape.gradient(loss, weights), strict=True):
            w.assign_sub(0.1 * g)
        return loss

    return loop(lambda: call(x, y))


LOOPS: dict[str, tuple[str, Builder, float]] = {
    "loop_session": ("session: `while_loop`, 100 turns", loop_session, 4),
    "loop_session_host": ("session: the same with a py_func", loop_session_host, 25),
    "loop_session_gradient": ("session: the gradient of a `while_loop`", loop_session_gradient, 4),
    "loop_function": ("`function`: `for` over `tf.range(100)`", loop_function, 4),
    "loop_map_fn_host": ("`function`: `map_fn` of 100 numpy_functions", loop_map_fn_host, 25),
    "loop_scan": ("`function`: `scan` over 100 rows", loop_scan, 4),
    "loop_foldl": ("`function`: `foldl` over 100 rows", loop_foldl, 4),
    "loop_nested": ("`function`: two loops in one another, 100 turns, with an `if`", loop_function_nested, 4),
    "loop_array": ("session: `while_loop` with a TensorArray, a limit and invariants", loop_session_array, 4),
    "loop_rows_gradient": (
        "session: the gradient of `scan` and `map_fn`, 100 rows",
        loop_session_gradient_of_rows,
        4,
    ),
    "loop_tape": ("tape: the gradient of a `function` with a loop", loop_tape, 4),
    "loop_eager": ("eager: `while_loop`, 20 turns", loop_eager, 4),
}
TRAINING: dict[str, tuple[str, Builder, float]] = {
    "train_adam": ("session: a step of `AdamOptimizer`", train_adam, 12),
    "train_session": ("session: a step of two layers fed by a py_func", train_session, 4),
    "train_tape": ("eager: tape over two layers, and a step", train_tape, 20),
    "train_adam_many": (f"session: a step of `AdamOptimizer`, {MANY} variables", train_adam_many, 4),
    "train_adam_eager": (f"eager: a step of `AdamOptimizer`, {MANY} variables", train_adam_eager, 4),
    "train_function": ("`function`: tape over two layers, and a step", train_function, 4),
}
CASES: dict[str, Builder] = {
    **{f"op_{name}": _op(call) for name, call in OPS.items()},
    **{name: builder for group in (LOOPS, TRAINING) for name, (_, builder, _) in group.items()},
}
