"""The sections of TensorFlow's guides to functions and to modules, in programs of our own."""

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


def functions_behave_like_ops(tf: Any) -> Any:
    @tf.function
    def add(a: Any, b: Any) -> Any:
        return a + b

    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        result = add(v, 1.0)

    @tf.function
    def dense_layer(x: Any, w: Any, b: Any) -> Any:
        return add(tf.matmul(x, w), b)

    return [
        add(tf.ones([2, 2]), tf.ones([2, 2])),
        tape.gradient(result, v),
        dense_layer(tf.ones([3, 2]), tf.ones([2, 2]), tf.ones([2])),
    ]


def tracing(tf: Any) -> Any:
    log: list[str] = []

    @tf.function
    def double(a: Any) -> Any:
        log.append(f"Tracing with {a.dtype.name} {a.shape}")
        return a + a

    found = [double(tf.constant(1)), double(tf.constant(1.1)), double(tf.constant("a")), double(tf.constant("b"))]
    double_strings = double.get_concrete_function(tf.constant("a"))
    found.append(double_strings(tf.constant("c")))
    by_spec = double.get_concrete_function(tf.TensorSpec(shape=None, dtype=tf.string))
    found += [by_spec(tf.constant("d")), by_spec(a=tf.constant("e")), by_spec(tf.constant(["f", "g"]))]
    return [found, log, refused(lambda: double_strings(tf.constant(1))), double.experimental_get_tracing_count()]


def signatures(tf: Any) -> Any:
    log = []

    @tf.function(input_signature=(tf.TensorSpec(shape=[None], dtype=tf.int32),))
    def next_collatz(x: Any) -> Any:
        log.append("Tracing")
        return tf.where(x % 2 == 0, x // 2, 3 * x + 1)

    found = [next_collatz(tf.constant([1, 2])), next_collatz(tf.constant([3, 4, 5]))]
    refusals = [refused(lambda a=a: next_collatz(tf.constant(a))) for a in ([[1, 2], [3, 4]], [1.0, 2.0])]

    @tf.function(reduce_retracing=True)
    def g(x: Any) -> Any:
        log.append(f"Relaxed {x.shape}")
        return x

    for n in (1, 2, 3, 4):
        g(tf.ones([n], tf.int32))
    return [found, refusals, log]


def shapes_are_relaxed_over_calls(tf: Any) -> Any:
    seen = []

    @tf.function(reduce_retracing=True)
    def total(x: Any) -> Any:
        seen.append(x.shape.as_list())
        return tf.reduce_sum(x)

    found = [total(tf.ones(shape)) for shape in ([2, 3], [4, 3], [5, 3], [4, 4], [6, 7])]
    return [found, seen]


def python_arguments_and_training(tf: Any) -> Any:
    calls = []

    def train_one_step() -> None:
        pass

    @tf.function
    def train(num_steps: Any) -> Any:
        calls.append(type(num_steps).__name__ if isinstance(num_steps, int) else "tensor")
        for _ in tf.range(num_steps):
            train_one_step()
        return tf.convert_to_tensor(num_steps)

    found = [train(num_steps=n) for n in (10, 20, tf.constant(10), tf.constant(20))]
    return [found, calls]


def concrete_functions(tf: Any) -> Any:
    @tf.function
    def square(a: Any, b: Any) -> Any:
        return a**b

    fixed = square.get_concrete_function(a=tf.TensorSpec(None, dtype=tf.float32), b=2)
    both = square.get_concrete_function(tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32))
    return [
        fixed(tf.constant(10.0)),
        fixed(a=tf.constant([3.0])),
        both(tf.constant([1.0, 2.0]), tf.constant(3.0)),
        refused(lambda: fixed(tf.constant(10.0), b=3)),
        [t.name for t in both.inputs],
        [t.dtype for t in both.outputs],
        {op.type for op in fixed.graph.get_operations()} >= {"Pow", "Placeholder"},
        both.structured_input_signature[0][0].shape,
    ]


def conversion_of_control_flow(tf: Any) -> Any:
    @tf.function
    def until_small(x: Any) -> Any:
        steps = 0
        while tf.reduce_sum(x) > 1:
            x = tf.tanh(x)
            steps += 1
        return x, steps

    @tf.function
    def fizzbuzz(n: Any) -> Any:
        out = tf.TensorArray(tf.string, size=0, dynamic_size=True)
        for i in tf.range(1, n + 1):
            if tf.equal(i % 15, 0):
                out = out.write(i - 1, "fizzbuzz")
            elif tf.equal(i % 3, 0):
                out = out.write(i - 1, "fizz")
            elif tf.equal(i % 5, 0):
                out = out.write(i - 1, "buzz")
            else:
                out = out.write(i - 1, tf.strings.as_string(i))
        return out.stack()

    return [until_small(tf.constant([0.9, 0.8, 0.7, 0.6, 0.5])), fizzbuzz(tf.constant(5)), fizzbuzz(tf.constant(15))]


def loops_over_python_and_tensors(tf: Any) -> Any:
    def measure_graph_size(f: Any, *args: Any) -> int:
        g = f.get_concrete_function(*args).graph
        return len([op for op in g.get_operations() if op.type == "Square"])

    @tf.function
    def unrolled(data: Any) -> Any:
        loss = tf.constant(0)
        for x, y in data:
            loss += tf.square(y - x)
        return loss

    @tf.function
    def looped(data: Any) -> Any:
        loss = tf.constant(0)
        for row in data:
            loss += tf.square(row[1] - row[0])
        return loss

    small, big = [(1, 1)] * 3, [(1, 1)] * 10
    return [
        measure_graph_size(unrolled, small),
        measure_graph_size(unrolled, big),
        unrolled([(1, 2), (3, 5)]),
        looped(tf.constant([[1, 2], [3, 5]])),
        measure_graph_size(looped, tf.constant(big)),
    ]


def a_recurrence_is_accumulated(tf: Any) -> Any:
    def rnn_step(inp: Any, state: Any) -> Any:
        return inp + state

    @tf.function
    def dynamic_rnn(rnn_step: Any, input_data: Any, initial_state: Any) -> Any:
        input_data = tf.transpose(input_data, [1, 0, 2])
        max_seq_len = tf.shape(input_data)[0]
        states = tf.TensorArray(tf.float32, size=max_seq_len)
        state = initial_state
        for i in tf.range(max_seq_len):
            state = rnn_step(input_data[i], state)
            states = states.write(i, state)
        return tf.transpose(states.stack(), [1, 0, 2])

    data = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 4, 3))
    return [dynamic_rnn(rnn_step, data, tf.zeros([2, 3])), dynamic_rnn(lambda a, b: a * b, data, tf.ones([2, 3])).shape]


def side_effects_of_python(tf: Any) -> Any:
    log: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        log.append(f"Traced with {x if isinstance(x, int) else 'a tensor'}")
        return x

    for x in (1, 1, 2, tf.constant(1), tf.constant(2)):
        f(x)
    external_list: list[Any] = []

    def side_effect(x: Any) -> None:
        external_list.append(x)

    @tf.function
    def g(x: Any) -> None:
        tf.py_function(side_effect, inp=[x], Tout=[])

    for _ in range(3):
        g(1)

    @tf.py_function(Tout=tf.float32)
    def py_plus(x: Any, y: Any) -> Any:
        log.append("Executing eagerly.")
        return x + y

    @tf.function
    def tf_wrapper(x: Any, y: Any) -> Any:
        log.append("Tracing.")
        return py_plus(x, y)

    found = [tf_wrapper(tf.constant(1.0), tf.constant(2.0)) for _ in range(2)]
    return [log, [int(e.numpy()) for e in external_list], found, found[0].shape]


def values_that_leak(tf: Any) -> Any:
    leaked: list[Any] = []

    @tf.function
    def leaky(a: Any) -> Any:
        leaked.append(a + 1)
        return a + 2

    correct = leaky(tf.constant(1))

    @tf.function
    def captures(x: Any) -> Any:
        return x + leaked[0]

    return [
        correct,
        refused(lambda: captures(tf.constant(1))),
        refused(lambda: leaked[0].numpy()),
        refused(lambda: bool(leaked[0])),
        refused(lambda: leaked[0] + tf.constant(1)),
    ]


def recursion_and_closures(tf: Any) -> Any:
    @tf.function
    def recursive(n: Any) -> Any:
        return recursive(n - 1) * 2 if n > 0 else tf.constant(1)

    factor = 2

    @tf.function
    def scaled(x: Any) -> Any:
        return x * factor

    first = scaled(tf.constant(3))
    factor = 5
    offset = tf.Variable(1)

    @tf.function
    def moved(x: Any) -> Any:
        return x + offset

    second = moved(1)
    offset.assign(10)
    return [recursive(5), first, scaled(tf.constant(3)), scaled(tf.constant([3])), second, moved(1)]


def variables_are_made_once(tf: Any) -> Any:
    @tf.function
    def bad(x: Any) -> Any:
        v = tf.Variable(1.0)
        return v.assign_add(x)

    class Count(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.count: Any = None

        @tf.function
        def __call__(self) -> Any:
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    @tf.function
    def with_side_effects(x: Any, v: Any) -> Any:
        tf.debugging.assert_positive(x)
        old = v.read_value()
        v.assign(old + x)
        v.assign_sub(1.0)
        return v * 10.0, old

    c, v = Count(), tf.Variable(1.0)
    return [
        refused(lambda: bad(1.0)),
        c(),
        c(),
        with_side_effects(tf.constant(2.0), v),
        v.read_value(),
        refused(lambda: with_side_effects(tf.constant(-2.0), v)),
    ]


def objects_and_bound_methods(tf: Any) -> Any:
    class SimpleModel(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.bias: Any = 0.0
            self.weight = 2.0

    @tf.function
    def evaluate(model: Any, x: Any) -> Any:
        return model.weight * x + model.bias

    simple, x = SimpleModel(), tf.constant(10.0)
    found = [evaluate(simple, x)]
    simple.bias += 5.0
    found.append(evaluate(simple, x))
    found.append(evaluate(SimpleModel(), x))
    simple.bias = tf.Variable(1.0)
    replaced = tf.function(lambda x: evaluate.python_function(simple, x))
    found.append(replaced(x))
    simple.bias.assign(7.0)
    found.append(replaced(x))

    class Adder:
        def __init__(self, n: int) -> None:
            self.n = n

        @tf.function
        def add(self, x: Any) -> Any:
            return x + self.n

    one, two = Adder(1), Adder(2)
    return [found, one.add(x), two.add(x), Adder.add(one, x), functools.partial(two.add)(x)]


def structures_and_defaults(tf: Any) -> Any:
    Pair = collections.namedtuple("Pair", "first second")

    @tf.function
    def swap(p: Any, *, scale: Any = 1, **more: Any) -> Any:
        return Pair(p.second * scale, p.first), {k: v + 1 for k, v in sorted(more.items())}

    pair, more = swap(Pair(tf.constant(1), tf.constant(2.5)), scale=2.0, b=tf.constant([1]), a=3)
    return [pair.first, pair.second, type(pair).__name__, more]


def iteration_is_refused_or_done(tf: Any) -> Any:
    @tf.function
    def evens(limit: Any) -> Any:
        total = tf.constant(0)
        for i in tf.range(limit):
            if i % 2 == 1:
                continue
            if i > 10:
                break
            total += i
        return total

    @tf.function
    def types(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            y = x
        else:
            y = tf.cast(x, tf.float64)
        return y

    @tf.function
    def undefined(x: Any) -> Any:
        if x > 0:
            z = x
        return z  # type: ignore[possibly-undefined]

    @tf.function
    def growing(n: Any) -> Any:
        x = tf.zeros([1])
        for _ in tf.range(n):
            x = tf.concat([x, x], 0)
        return x

    @tf.function
    def allowed(n: Any) -> Any:
        x = tf.zeros([1])
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, x], 0)
        return x

    return [
        evens(tf.constant(9)),
        evens(tf.constant(40)),
        refused(lambda: types(tf.constant([1.0]))),
        refused(lambda: undefined(tf.constant(1))),
        refused(lambda: growing(tf.constant(3))),
        allowed(tf.constant(3)),
    ]


def run_eagerly(tf: Any) -> Any:
    calls = []

    @tf.function
    def f(x: Any) -> Any:
        calls.append(tf.executing_eagerly())
        return x + 1

    f(tf.constant(1))
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1))
        on = tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1))
    return [calls, on, tf.config.functions_run_eagerly()]


# ---------------------------------------------------------------- modules


def modules_track_what_they_have(tf: Any) -> Any:
    class Dense(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, in_features: int, out_features: int, name: Any = None) -> None:
            super().__init__(name=name)
            self.w = tf.Variable(tf.fill([in_features, out_features], 0.1), name="w")
            self.b = tf.Variable(tf.zeros([out_features]), name="b", trainable=False)

        def __call__(self, x: Any) -> Any:
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    class Flexible(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, units: int, name: Any = None) -> None:
            super().__init__(name=name)
            self.is_built, self.units = False, units

        def __call__(self, x: Any) -> Any:
            if not self.is_built:
                self.w = tf.Variable(tf.ones([x.shape[-1], self.units]), name="w")
                self.is_built = True
            return tf.matmul(x, self.w)

    class Sequential(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, name: Any = None) -> None:
            super().__init__(name=name)
            self.dense_1 = Dense(in_features=3, out_features=3)
            self.layers = [Flexible(2), {"last": Flexible(1)}]

        @tf.function
        def __call__(self, x: Any) -> Any:
            return self.layers[1]["last"](self.layers[0](self.dense_1(x)))

    model = Sequential(name="the_model")
    y = model(tf.constant([[2.0, 2.0, 2.0]]))
    return [
        y,
        [v.name for v in model.variables],
        [v.name for v in model.trainable_variables],
        model.name,
        [type(m).__name__ for m in model.submodules],
        Sequential().name,
        Dense(1, 1).name,
        Flexible(1).name_scope.name,
        refused(lambda: Dense(1, 1, name="not a name")),
        [n for n in vars(model) if not n.startswith("_")],
    ]


@rows("linear", "momentum")
def a_training_loop(tf: Any, kind: str) -> Any:
    x = tf.linspace(-2.0, 2.0, 21)
    y = 3.0 * x + 2.0 + 0.1 * tf.sin(20.0 * x)

    class MyModel(tf.Module):  # type: ignore[name-defined,misc]
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.w, self.b = tf.Variable(5.0), tf.Variable(0.0)

        def __call__(self, x: Any) -> Any:
            return self.w * x + self.b

    model = MyModel()
    velocity = [tf.Variable(0.0, trainable=False) for _ in model.variables]

    @tf.function
    def train(model: Any, x: Any, y: Any, learning_rate: Any) -> Any:
        with tf.GradientTape() as t:
            current_loss = tf.reduce_mean(tf.square(y - model(x)))
        gradients = t.gradient(current_loss, model.trainable_variables)
        for v, var, g in zip(velocity, model.trainable_variables, gradients, strict=True):
            v.assign(v * (0.5 if kind == "momentum" else 0.0) + g)
            var.assign_sub(learning_rate * v)
        return current_loss

    losses = [train(model, x, y, learning_rate=0.1) for _ in range(10)]
    return [losses, model.w, model.b, [float(v) for v in model.variables]]
