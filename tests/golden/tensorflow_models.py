"""Programs that make models over the kinds of objects that TensorFlow saves, and programs that use them once loaded.

    make(tf) -> the object to save, and the signatures, or None
    use(tf, loaded) -> name -> array

`make_tensorflow_models.py` saves each with TensorFlow and records what `use` gives there; `test_tensorflow_models.py`
compares what it gives here, with the same model and with one that was saved again from here.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Values = dict[str, Any]


class Program(NamedTuple):
    """A model.

    Attributes:
      make: (library) -> (object, signatures or None).
      use: (library, loaded object) -> values by name.
    """

    make: Callable[[Any], tuple[Any, Any]]
    use: Callable[[Any, Any], Values]


PROGRAMS: dict[str, Program] = {}


def program(make: Callable[[Any], Any]) -> Callable[[Callable[[Any, Any], Values]], None]:
    """Registers a program under the name of its `make_NAME`."""

    def register(use: Callable[[Any, Any], Values]) -> None:
        def made(tf: Any) -> tuple[Any, Any]:
            result = make(tf)
            return result if isinstance(result, tuple) else (result, None)

        PROGRAMS[make.__name__.removeprefix("make_")] = Program(made, use)

    return register


def arrays(values: Values) -> dict[str, np.ndarray]:
    """Tensors, and nests of them, as arrays by name."""
    out: dict[str, np.ndarray] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            out |= arrays({f"{name}.{key}": part for key, part in value.items()})
        elif isinstance(value, (list, tuple)):
            out |= arrays({f"{name}.{i}": part for i, part in enumerate(value)})
        elif hasattr(value, "row_splits"):
            out |= arrays({f"{name}.values": value.values, f"{name}.splits": value.row_splits})
        elif hasattr(value, "dense_shape"):
            out |= arrays(
                {f"{name}.indices": value.indices, f"{name}.values": value.values, f"{name}.shape": value.dense_shape}
            )
        elif value is None:
            out[name] = np.array("None")
        else:
            out[name] = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    return out


def gradients(tf: Any, function: Callable[..., Any], *inputs: Any, of: Any = ()) -> list[Any]:
    """The gradients of the sum of a function's result for its inputs and for variables."""
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
        if isinstance(result, dict):
            result = list(result.values())
        total = tf.add_n([tf.reduce_sum(y * y) for y in tf.nest.flatten(result)])
    computed = tape.gradient(total, [*tensors, *of], unconnected_gradients="zero")
    return [tf.convert_to_tensor(g) for g in computed]


X = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)


# ---------------------------------------------------------------- modules


def make_dense(tf: Any) -> Any:
    class Dense(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0], [3.0, -4.0]], name="w")
            self.b = tf.Variable([0.5, -0.5], name="b")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="x")])
        def __call__(self, x: Any) -> Any:
            return tf.nn.relu(tf.matmul(x, self.w) + self.b)

    return Dense()


@program(make_dense)
def _(tf: Any, m: Any) -> Values:
    return {
        "y": m(X),
        "signature": m.signatures["serving_default"](x=tf.constant(X)),
        "gradients": gradients(tf, m, X, of=[m.w, m.b]),
    }


def make_nested(tf: Any) -> Any:
    class Layer(tf.Module):
        def __init__(self, scale: float) -> None:
            super().__init__()
            self.scale = tf.Variable(scale)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * self.scale

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = [Layer(2.0), Layer(-1.0)]
            self.named = {"last": Layer(0.5)}

        @tf.function(input_signature=[tf.TensorSpec([2, 2], tf.float32)])
        def predict(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return self.named["last"](x)

    return Model()


@program(make_nested)
def _(tf: Any, m: Any) -> Values:
    return {
        "y": m.predict(X),
        "first": m.layers[0](X),
        "last": m.named["last"](X),
        "gradients": gradients(tf, m.predict, X, of=[m.layers[0].scale, m.named["last"].scale]),
    }


def make_cycle(tf: Any) -> Any:
    class Node(tf.Module):
        def __init__(self, value: float) -> None:
            super().__init__()
            self.v = tf.Variable(value)

        @tf.function(input_signature=[])
        def total(self) -> Any:
            return self.v + self.other.v

    one, other = Node(1.0), Node(2.0)
    one.other, other.other = other, one
    return one


@program(make_cycle)
def _(tf: Any, m: Any) -> Values:
    m.other.v.assign(10.0)
    return {"total": m.total(), "same": m.other.other is m, "back": m.other.total()}


def make_shared_variable(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.one = tf.Variable(3.0)
            self.other = self.one

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def add(self, x: Any) -> Any:
            self.one.assign_add(x)
            return self.other * 1.0

    return Model()


@program(make_shared_variable)
def _(tf: Any, m: Any) -> Values:
    return {"first": m.add(1.0), "second": m.add(2.0), "same": m.one is m.other, "value": m.one}


def make_untrainable(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a = tf.Variable(1.0, trainable=False, name="still")
            self.b = tf.Variable(2.0, name="moving")

        @tf.function(input_signature=[])
        def both(self) -> Any:
            return self.a + self.b

    return Model()


@program(make_untrainable)
def _(tf: Any, m: Any) -> Values:
    with tf.GradientTape() as tape:
        y = m.both()
    return {
        "trainable": [m.a.trainable, m.b.trainable],
        "names": [m.a.name, m.b.name],
        "watched": sorted(v.name for v in tape.watched_variables()),
        "y": y,
    }


def make_dtypes(tf: Any) -> Any:
    module = tf.Module()
    module.values = [
        tf.Variable(tf.constant([1.5, -2.0], dtype))
        for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.complex64, tf.complex128)
    ]
    module.integers = [
        tf.Variable(tf.constant([1, 2], dtype)) for dtype in (tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int64)
    ]
    module.flag, module.text = tf.Variable([True, False]), tf.Variable([b"a", b"\xff\0b"])
    module.empty, module.scalar = tf.Variable(tf.zeros([0, 3])), tf.Variable(7)
    return module


@program(make_dtypes)
def _(tf: Any, m: Any) -> Values:
    return {
        "values": [tf.cast(v, tf.complex128) for v in m.values],
        "types": [v.dtype.name for v in [*m.values, *m.integers, m.flag, m.text]],
        "integers": [tf.cast(v, tf.int64) for v in m.integers],
        "others": [m.flag, m.text, m.empty, m.scalar],
    }


def make_unknown_shape(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable([1.0, 2.0], shape=[None])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def put(self, x: Any) -> Any:
            self.v.assign(x)
            return tf.size(self.v)

    return Model()


@program(make_unknown_shape)
def _(tf: Any, m: Any) -> Values:
    return {"before": m.v, "shape": str(m.v.shape), "size": m.put([1.0, 2.0, 3.0]), "after": m.v}


def make_checkpoint_dict(tf: Any) -> Any:
    return tf.train.Checkpoint(a=tf.Variable([1.0]), nested={"b": tf.Variable(2), "c": [tf.Variable(3.0)]})


@program(make_checkpoint_dict)
def _(tf: Any, m: Any) -> Values:
    return {"a": m.a, "b": m.nested["b"], "c": m.nested["c"][0]}


def make_tuple_attribute(tf: Any) -> Any:
    module = tf.Module()
    module.pair = (tf.Variable(1.0), tf.Variable(2.0))
    return module


@program(make_tuple_attribute)
def _(tf: Any, m: Any) -> Values:
    return {"pair": [m.pair[0], m.pair[1]], "count": len(m.pair)}


# ---------------------------------------------------------------- functions and their arguments


def make_polymorphic(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def double(self, x: Any) -> Any:
            return x + x

    model = Model()
    model.double(tf.constant([1.0, 2.0]))
    model.double(tf.constant(3))
    model.double(tf.constant([[b"a"]]))
    return model


@program(make_polymorphic)
def _(tf: Any, m: Any) -> Values:
    refused = False
    try:
        m.double(tf.constant([1.0, 2.0, 3.0]))
    except ValueError:
        refused = True
    return {"a": m.double(tf.constant([4.0, 5.0])), "b": m.double(tf.constant(7)), "refused": refused}


def make_python_arguments(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def run(self, x: Any, training: bool = False, scale: float = 2.0, mode: str = "add") -> Any:
            y = x * scale if mode == "add" else x - scale
            return y + 100.0 if training else y

    model = Model()
    x = tf.TensorSpec([None], tf.float32)
    model.run.get_concrete_function(x)
    model.run.get_concrete_function(x, training=True)
    model.run.get_concrete_function(x, training=True, mode="sub")
    model.run.get_concrete_function(x, False, 3.0)
    return model


@program(make_python_arguments)
def _(tf: Any, m: Any) -> Values:
    x = tf.constant([1.0])
    return {
        "default": m.run(x),
        "training": m.run(x, training=True),
        "by position": m.run(x, True),
        "mode": m.run(x, True, mode="sub"),
        "scale": m.run(x, scale=3.0),
    }


def make_keyword_only(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def run(self, a: Any, *, zeta: Any, beta: Any = 1.0) -> Any:
            return a - zeta * 10.0 + beta * 100.0

    model = Model()
    spec = tf.TensorSpec([], tf.float32)
    model.run.get_concrete_function(spec, zeta=spec, beta=spec)
    return model


@program(make_keyword_only)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(tf.constant(1.0), zeta=tf.constant(2.0), beta=tf.constant(3.0))}


def make_variadic(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def run(self, first: Any, *rest: Any, **named: Any) -> Any:
            total = first
            for at, x in enumerate(rest):
                total += x * (at + 2.0)
            for at, name in enumerate(sorted(named)):
                total += named[name] * (at + 1.0) * 100.0
            return total

    model = Model()
    one = tf.constant(1.0)
    model.run(one, one, one)
    model.run(one, b=one, a=one)
    return model


@program(make_variadic)
def _(tf: Any, m: Any) -> Values:
    c = tf.constant
    return {"rest": m.run(c(1.0), c(2.0), c(3.0)), "named": m.run(c(1.0), a=c(2.0), b=c(3.0))}


def make_nested_arguments(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def run(self, inputs: Any) -> Any:
            a, b = inputs["pair"]
            return {"sum": a + b, "parts": [a, (b, inputs["other"])], "nothing": None}

    model = Model()
    spec = tf.TensorSpec([2], tf.float32)
    model.run.get_concrete_function({"pair": (spec, spec), "other": tf.TensorSpec([], tf.int32)})
    return model


@program(make_nested_arguments)
def _(tf: Any, m: Any) -> Values:
    result = m.run({"pair": (tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])), "other": tf.constant(5)})
    return {"result": result, "kinds": [type(result["parts"]).__name__.removesuffix("Wrapper").strip("_").lower()]}


def make_named_tuple(tf: Any) -> Any:
    from collections import namedtuple

    point = namedtuple("Point", ["x", "y"])

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def run(self, x: Any) -> Any:
            return point(x, x + 1.0)

    return Model()


@program(make_named_tuple)
def _(tf: Any, m: Any) -> Values:
    result = m.run(1.0)
    return {"x": result.x, "y": result.y, "name": type(result).__name__}


def make_ragged(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)])
        def run(self, x: Any) -> Any:
            return x * 2.0, tf.reduce_sum(x, axis=1)

    return Model()


@program(make_ragged)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(tf.ragged.constant([[1.0], [], [2.0, 3.0]]))}


def make_sparse(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.SparseTensorSpec([None, 3], tf.float32)])
        def run(self, x: Any) -> Any:
            return tf.sparse.to_dense(x), x

    return Model()


@program(make_sparse)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3]))}


def make_concrete(tf: Any) -> Any:
    module = tf.Module()
    module.v = tf.Variable(2.0)
    function = tf.function(lambda x, y: {"product": x * y * module.v, "difference": x - y})
    spec = tf.TensorSpec([None], tf.float32)
    module.concrete = function.get_concrete_function(spec, tf.TensorSpec([None], tf.float32, name="other"))
    return module


@program(make_concrete)
def _(tf: Any, m: Any) -> Values:
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    return {"y": m.concrete(a, b), "gradients": gradients(tf, m.concrete, a, b, of=[m.v])}


def make_several_signatures(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.n = tf.Variable(0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
        def double(self, x: Any) -> Any:
            return {"doubled": x * 2.0}

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32, name="by"), tf.TensorSpec([], tf.int32, name="a")])
        def count(self, by: Any, a: Any) -> Any:
            return self.n.assign_add(by), a * 2

    model = Model()
    return model, {"double": model.double, "count": model.count}


@program(make_several_signatures)
def _(tf: Any, m: Any) -> Values:
    double, count = m.signatures["double"], m.signatures["count"]
    return {
        "names": sorted(m.signatures),
        "double": double(x=tf.constant([1.0])),
        "positional": double(tf.constant([2.0])),
        "count": [count(by=tf.constant(2), a=tf.constant(1)), count(a=tf.constant(3), by=tf.constant(5))],
        "specs": sorted(str(s.dtype.name) for s in count.structured_input_signature[1].values()),
    }


def make_calls_functions(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.v = tf.Variable(3.0)

        @tf.function
        def inner(self, x: Any) -> Any:
            return x * self.v

        @tf.function
        def outer(self, x: Any) -> Any:
            return self.inner(x) + self.inner(x + 1.0)

    model = Model()
    model.outer(tf.constant(2.0))
    return model


@program(make_calls_functions)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.outer(2.0), "inner": m.inner(5.0), "gradients": gradients(tf, m.outer, 2.0, of=[m.v])}


def make_captured_constants(tf: Any) -> Any:
    table = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4))
    words = tf.constant([b"x", b"yy"])
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def pick(i: Any) -> Any:
        return tf.gather(table, i), tf.gather(words, i)

    module.pick = pick
    return module


@program(make_captured_constants)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.pick([1, 0])}


def make_no_trace(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def never(self, x: Any) -> Any:
            return x

    return Model()


@program(make_no_trace)
def _(tf: Any, m: Any) -> Values:
    try:
        m.never(tf.constant(1.0))
    except ValueError as error:
        return {"refused": type(error).__name__}
    return {}


def make_side_effects(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = tf.Variable(0, dtype=tf.int64)
            self.rows = tf.Variable(tf.zeros([3, 2]))

        @tf.function(input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([None, 2], tf.float32)])
        def write(self, at: Any, rows: Any) -> None:
            self.calls.assign_add(1)
            self.rows.scatter_nd_update(at[:, tf.newaxis], rows)

    return Model()


@program(make_side_effects)
def _(tf: Any, m: Any) -> Values:
    nothing = m.write([1], [[1.0, 2.0]])
    m.write([2, 0], [[3.0, 4.0], [5.0, 6.0]])
    return {"calls": m.calls, "rows": m.rows, "result": nothing}


# ---------------------------------------------------------------- control flow, gradients


def make_cond(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def run(self, x: Any) -> Any:
            if x > 0.0:
                y = x * self.w
            else:
                y = x * x
            return y

    return Model()


@program(make_cond)
def _(tf: Any, m: Any) -> Values:
    return {
        "y": [m.run(2.0), m.run(-2.0)],
        "gradients": [gradients(tf, m.run, 2.0, of=[m.w]), gradients(tf, m.run, -2.0, of=[m.w])],
    }


def make_while(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(1.5)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32)])
        def power(self, x: Any, n: Any) -> Any:
            for _ in tf.range(n):
                x = x * self.w
            return x

    return Model()


@program(make_while)
def _(tf: Any, m: Any) -> Values:
    n = tf.constant(3)
    return {"y": m.power(2.0, 3), "gradients": gradients(tf, lambda x: m.power(x, n), 2.0, of=[m.w])}


def make_tensor_array(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def cumulate(self, xs: Any) -> Any:
            out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            total = tf.zeros([2])
            for i in tf.range(tf.shape(xs)[0]):
                total += xs[i]
                out = out.write(i, total)
            return out.stack()

    return Model()


@program(make_tensor_array)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.cumulate(X), "gradients": gradients(tf, m.cumulate, X)}


def make_switch_case(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.float32)])
        def run(self, i: Any, x: Any) -> Any:
            return tf.switch_case(i, [lambda: x, lambda: x * x, lambda: -x])

    return Model()


@program(make_switch_case)
def _(tf: Any, m: Any) -> Values:
    return {"y": [m.run(i, 3.0) for i in (0, 1, 2, 7)]}


def make_nested_loops(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rate = tf.Variable(0.5)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32), tf.TensorSpec([], tf.int32)])
        def power(self, x: Any, rounds: Any) -> Any:
            rate = self.rate.read_value()  # read in a nested loop, TensorFlow loses its gradient

            def inner(i: Any, y: Any) -> Any:
                return tf.while_loop(lambda j, _: j < i, lambda j, y: (j + 1, y * x * rate), [0, y])[1]

            def outer(i: Any, y: Any) -> Any:
                return i + 1, tf.cond(y < 4.0, lambda: inner(i, y) + 1.0, lambda: y - x)

            return tf.while_loop(lambda i, _: i < rounds, outer, [0, x])[1]

    return Model()


@program(make_nested_loops)
def _(tf: Any, m: Any) -> Values:
    def cubed(x: Any) -> Any:
        return m.power(x, 4)

    return {
        "values": [m.power(2.0, n) for n in range(5)],
        "gradients": gradients(tf, cubed, 2.0, of=[m.rate]),
    }


def make_map_fn(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def run(self, xs: Any) -> Any:
            return tf.map_fn(lambda x: tf.reduce_sum(x) * x, xs), tf.scan(lambda a, x: a + x, xs)

    return Model()


@program(make_map_fn)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(X), "gradients": gradients(tf, m.run, X)}


def make_custom_gradient(tf: Any) -> Any:
    @tf.custom_gradient
    def clipped(x: Any) -> Any:
        return x * 1.0, lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x: Any) -> Any:
            return clipped(x) * 3.0

    return Model()


@program(make_custom_gradient)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run([1.0, -5.0]), "gradients": gradients(tf, m.run, [1.0, -5.0])}


def make_custom_gradient_captures(tf: Any) -> Any:
    @tf.custom_gradient
    def square(x: Any) -> Any:
        return x * x, lambda dy: dy * x * 20.0

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x: Any) -> Any:
            return square(x * self.w)

    return Model()


@program(make_custom_gradient_captures)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run([1.0, 2.0]), "gradients": gradients(tf, m.run, [1.0, 2.0], of=[m.w])}


def make_stop_gradient(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x: Any) -> Any:
            return tf.stop_gradient(x) * x

    return Model()


@program(make_stop_gradient)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run([3.0]), "gradients": gradients(tf, m.run, [3.0])}


def make_second_order(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def cubed(self, x: Any) -> Any:
            return x * x * x + tf.sin(x)

    return Model()


@program(make_second_order)
def _(tf: Any, m: Any) -> Values:
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = m.cubed(x)
        first = inner.gradient(y, x)
    return {"first": first, "second": outer.gradient(first, x)}


def make_gradient_inside(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[0.5, -1.0], [2.0, 1.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32), tf.TensorSpec([None, 2], tf.float32)])
        def train(self, x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                z = tf.nn.softmax(tf.matmul(tf.nn.elu(x), self.w))
                loss = tf.reduce_mean(tf.square(z - y)) + 0.1 * tf.nn.l2_loss(self.w)
            gradient = tape.gradient(loss, self.w)
            self.w.assign_sub(0.1 * gradient)
            return loss

    return Model()


@program(make_gradient_inside)
def _(tf: Any, m: Any) -> Values:
    return {"losses": [m.train(X, X[::-1]) for _ in range(3)], "w": m.w}


def make_convolution_training(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.k = tf.Variable(np.linspace(-1, 1, 18).reshape(3, 3, 1, 2).astype(np.float32))

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 1], tf.float32)])
        def loss(self, x: Any) -> Any:
            y = tf.nn.relu6(tf.nn.conv2d(x, self.k, 1, "SAME"))
            y = tf.nn.max_pool2d(y, 2, 2, "VALID") + tf.nn.avg_pool2d(y, 2, 2, "VALID")
            return tf.reduce_mean(tf.nn.leaky_relu(y) ** 2.0)

        @tf.function(input_signature=[tf.TensorSpec([None, 6, 6, 1], tf.float32)])
        def train(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = self.loss(x)
            self.k.assign_sub(0.01 * tape.gradient(loss, self.k))
            return loss

    return Model()


@program(make_convolution_training)
def _(tf: Any, m: Any) -> Values:
    x = np.sin(np.arange(72, dtype=np.float32)).reshape(2, 6, 6, 1)
    return {"losses": [m.train(x) for _ in range(3)], "k": m.k, "gradients": gradients(tf, m.loss, x, of=[m.k])}


def make_recurrent(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[0.1, -0.2], [0.3, 0.4]])

        @tf.function(input_signature=[tf.TensorSpec([None, None, 2], tf.float32)])
        def run(self, xs: Any) -> Any:
            state = tf.zeros([tf.shape(xs)[0], 2])
            for t in tf.range(tf.shape(xs)[1]):
                state = tf.tanh(tf.matmul(state, self.w) + xs[:, t])
            return state

        @tf.function(input_signature=[tf.TensorSpec([None, None, 2], tf.float32)])
        def train(self, xs: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(self.run(xs) ** 2.0)
            self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
            return loss

    return Model()


@program(make_recurrent)
def _(tf: Any, m: Any) -> Values:
    xs = np.cos(np.arange(12, dtype=np.float32)).reshape(2, 3, 2)
    return {
        "y": m.run(xs),
        "gradients": gradients(tf, m.run, xs, of=[m.w]),
        "losses": [m.train(xs), m.train(xs)],
        "w": m.w,
    }


def make_einsum(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, 3, 4], tf.float32), tf.TensorSpec([None, 4, 2], tf.float32)])
        def attend(self, q: Any, k: Any) -> Any:
            scores = tf.einsum("bij,bjk->bik", q, k)
            return tf.nn.log_softmax(scores), tf.linalg.matmul(q, k)

    return Model()


@program(make_einsum)
def _(tf: Any, m: Any) -> Values:
    q = np.sin(np.arange(24, dtype=np.float32)).reshape(2, 3, 4)
    k = np.cos(np.arange(16, dtype=np.float32)).reshape(2, 4, 2)
    return {"y": m.attend(q, k), "gradients": gradients(tf, m.attend, q, k)}


# ---------------------------------------------------------------- resources, files


def make_static_table(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
            self.table = tf.lookup.StaticHashTable(initializer, -1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, keys: Any) -> Any:
            return self.table.lookup(keys)

    return Model()


@program(make_static_table)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.find(["b", "z", "a"])}


def make_vocabulary_file(tf: Any) -> Any:
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("red\ngreen\nblue\n")

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            initializer = tf.lookup.TextFileInitializer(
                path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
            )
            self.table = tf.lookup.StaticVocabularyTable(initializer, num_oov_buckets=2)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, keys: Any) -> Any:
            return self.table.lookup(keys)

    return Model()


@program(make_vocabulary_file)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.find(["blue", "red", "unknown"])}


def make_mutable_table(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0)
            self.table.insert(["one", "two"], [1.0, 2.0])

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def find(self, keys: Any) -> Any:
            return self.table.lookup(keys)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.float32)])
        def put(self, keys: Any, values: Any) -> Any:
            self.table.insert(keys, values)
            return self.table.size()

    return Model()


@program(make_mutable_table)
def _(tf: Any, m: Any) -> Values:
    return {"before": m.find(["two", "x"]), "size": m.put(["x"], [9.0]), "after": m.find(["two", "x", "one"])}


def make_asset(tf: Any) -> Any:
    path = os.path.join(tempfile.mkdtemp(), "note.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("content of a file")

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.file = tf.saved_model.Asset(path)

        @tf.function(input_signature=[])
        def content(self) -> Any:
            return tf.io.read_file(self.file.asset_path)

    return Model()


@program(make_asset)
def _(tf: Any, m: Any) -> Values:
    return {"content": m.content(), "name": os.path.basename(m.file.asset_path.numpy().decode())}


def make_strings(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def clean(self, texts: Any) -> Any:
            lower = tf.strings.lower(tf.strings.regex_replace(texts, "[^A-Za-z ]", ""))
            words = tf.strings.split(lower)
            return tf.strings.length(lower), words, tf.strings.join([lower, "!"]), tf.strings.substr(texts, 0, 2)

    return Model()


@program(make_strings)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.clean(["Hello, World", "A b-c"])}


def make_parse_examples(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def parse(self, texts: Any) -> Any:
            features = {
                "x": tf.io.FixedLenFeature([2], tf.float32),
                "n": tf.io.FixedLenFeature([], tf.int64, default_value=7),
                "words": tf.io.VarLenFeature(tf.string),
            }
            return tf.io.parse_example(texts, features)

    return Model()


@program(make_parse_examples)
def _(tf: Any, m: Any) -> Values:
    def feature(**kinds: Any) -> Any:
        return tf.train.Feature(**kinds)

    rows = [
        {
            "x": feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
            "words": feature(bytes_list=tf.train.BytesList(value=[b"a", b"b"])),
        },
        {
            "x": feature(float_list=tf.train.FloatList(value=[3.0, 4.0])),
            "n": feature(int64_list=tf.train.Int64List(value=[5])),
        },
    ]
    texts = [tf.train.Example(features=tf.train.Features(feature=row)).SerializeToString() for row in rows]
    return {"y": m.parse(texts)}


def make_random(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
        def draw(self, seed: Any) -> Any:
            return tf.random.stateless_uniform([3], seed), tf.random.stateless_normal([2], seed)

        @tf.function(input_signature=[])
        def shape(self) -> Any:
            return tf.shape(tf.random.normal([4, 2]))

    return Model()


@program(make_random)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.draw([1, 2]), "shape": m.shape()}


def make_generator(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.generator = tf.random.Generator.from_seed(3)

        @tf.function(input_signature=[])
        def draw(self) -> Any:
            return self.generator.uniform([2])

    return Model()


@program(make_generator)
def _(tf: Any, m: Any) -> Values:
    return {"one": m.draw(), "two": m.draw()}


def make_host_function(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def call(self, x: Any) -> Any:
            return tf.numpy_function(lambda v: v + np.float32(1), [x], tf.float32)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def plain(self, x: Any) -> Any:
            return x * 2.0

    return Model()


@program(make_host_function)
def _(tf: Any, m: Any) -> Values:
    return {"plain": m.plain(3.0)}


def make_optimizer_slots(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([1.0, 2.0])
            self.m = tf.Variable([0.0, 0.0], trainable=False)
            self.v = tf.Variable([0.0, 0.0], trainable=False)
            self.step = tf.Variable(0, dtype=tf.int64, trainable=False)

        @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
        def train(self, target: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum((self.w - target) ** 2.0)
            gradient = tape.gradient(loss, self.w)
            self.step.assign_add(1)
            t = tf.cast(self.step, tf.float32)
            tf.raw_ops.ResourceApplyAdam(
                var=self.w.handle, m=self.m.handle, v=self.v.handle, beta1_power=0.9**t, beta2_power=0.99**t, lr=0.1,
                beta1=0.9, beta2=0.99, epsilon=1e-7, grad=gradient,
            )  # fmt: skip
            return loss

    model = Model()
    model.train([3.0, -1.0])
    return model


@program(make_optimizer_slots)
def _(tf: Any, m: Any) -> Values:
    return {"losses": [m.train([3.0, -1.0]), m.train([3.0, -1.0])], "w": m.w, "m": m.m, "step": m.step}


def make_image(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, None, 3], tf.uint8)])
        def prepare(self, image: Any) -> Any:
            image = tf.image.convert_image_dtype(image, tf.float32)
            image = tf.image.resize(image[tf.newaxis], [4, 4])[0]
            return tf.image.per_image_standardization(tf.image.flip_left_right(image))

        @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
        def decode(self, data: Any) -> Any:
            return tf.image.decode_png(data, channels=3)

    return Model()


@program(make_image)
def _(tf: Any, m: Any) -> Values:
    image = (np.arange(6 * 5 * 3) % 255).astype(np.uint8).reshape(6, 5, 3)
    return {"y": m.prepare(image), "png": m.decode(tf.io.encode_png(image))}


def make_batch_normalization(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mean = tf.Variable([0.0, 0.0], trainable=False)
            self.variance = tf.Variable([1.0, 1.0], trainable=False)
            self.scale, self.offset = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 1.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 2], tf.float32)])
        def train(self, x: Any) -> Any:
            y, mean, variance = tf.compat.v1.nn.fused_batch_norm(x, self.scale, self.offset)
            self.mean.assign(mean)
            self.variance.assign(variance)
            return y

        @tf.function(input_signature=[tf.TensorSpec([None, 2, 2, 2], tf.float32)])
        def infer(self, x: Any) -> Any:
            return tf.nn.batch_normalization(x, self.mean, self.variance, self.offset, self.scale, 0.001)

    return Model()


@program(make_batch_normalization)
def _(tf: Any, m: Any) -> Values:
    x = np.sin(np.arange(16, dtype=np.float32)).reshape(2, 2, 2, 2)
    return {"y": m.train(x), "mean": m.mean, "infer": m.infer(x), "gradients": gradients(tf, m.infer, x, of=[m.scale])}


def make_embedding(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = tf.Variable(np.arange(10, dtype=np.float32).reshape(5, 2))

        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
        def look(self, ids: Any) -> Any:
            return tf.reduce_mean(tf.nn.embedding_lookup(self.table, ids), axis=1)

    return Model()


@program(make_embedding)
def _(tf: Any, m: Any) -> Values:
    ids = tf.constant([[1, 4], [0, 1]])
    with tf.GradientTape() as tape:
        y = m.look(ids)
    return {"y": y, "gradient": tf.convert_to_tensor(tape.gradient(y, m.table))}


def make_cumulative(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
        def run(self, x: Any) -> Any:
            ordered = tf.sort(x, direction="DESCENDING")
            top = tf.math.top_k(x, 2)
            parts = tf.split(x, [1, -1], axis=1)
            return [
                tf.cumsum(x, 1), tf.cumsum(x, 1, exclusive=True, reverse=True), ordered, top.values, top.indices,
                tf.concat([parts[1], parts[0]], 1), tf.pad(x, [[1, 0], [0, 1]], constant_values=9.0),
                tf.transpose(x), tf.reverse(x, [1]), tf.roll(x, 1, 0), tf.tile(x, [1, 2]), tf.where(x > 0.0, x, -x),
                tf.one_hot(tf.argmax(x, 1), 3), tf.stack(tf.unstack(x[:2], num=2), 1), tf.linalg.band_part(x, 0, -1),
            ]  # fmt: skip

    return Model()


@program(make_cumulative)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(X)}


def make_reductions(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
        def run(self, x: Any) -> Any:
            return [
                tf.reduce_max(x, 0), tf.reduce_prod(x, 1), tf.reduce_any(x > 1.0), tf.reduce_logsumexp(x, 1),
                tf.math.reduce_std(x), tf.norm(x, axis=1), tf.math.segment_sum(x, [0, 0]), tf.argmin(x, 1),
                tf.math.unsorted_segment_mean(x, [1, 0], 2), tf.math.bincount([1, 1, 2]), tf.unique([3, 1, 3]).y,
                tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x),
                tf.nn.sparse_softmax_cross_entropy_with_logits([0, 1], x),
                tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(x), x), tf.clip_by_norm(x, 1.0),
            ]  # fmt: skip

        @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
        def smooth(self, x: Any) -> Any:
            return [tf.reduce_logsumexp(x, 1), tf.reduce_prod(x, 1), tf.norm(x, axis=1), tf.math.softplus(x)]

    return Model()


@program(make_reductions)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(X), "gradients": gradients(tf, m.smooth, X)}


def make_linear_algebra(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([2, 2], tf.float32)])
        def run(self, x: Any) -> Any:
            positive = tf.matmul(x, x, transpose_b=True) + tf.eye(2)
            factor = tf.linalg.cholesky(positive)
            return [
                factor, tf.linalg.inv(positive), tf.linalg.det(x), tf.linalg.solve(positive, x),
                tf.linalg.triangular_solve(factor, x), tf.linalg.trace(x), tf.linalg.diag_part(x), tf.linalg.diag(x[0]),
            ]  # fmt: skip

    return Model()


@program(make_linear_algebra)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.run(X), "gradients": gradients(tf, m.run, X)}


def make_dataset_element(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def total(self, n: Any) -> Any:
            total = tf.constant(0, tf.int64)
            for i in tf.range(n):
                if i % 2 == 0:
                    continue
                if i > 10:
                    break
                total += i
            return total

    return Model()


@program(make_dataset_element)
def _(tf: Any, m: Any) -> Values:
    return {"y": [m.total(7), m.total(100)]}


def make_assertions(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def positive(self, x: Any) -> Any:
            tf.debugging.assert_positive(x, message="not positive")
            return tf.math.log(x)

    return Model()


@program(make_assertions)
def _(tf: Any, m: Any) -> Values:
    try:
        m.positive([-1.0])
        refused = False
    except tf.errors.InvalidArgumentError:
        refused = True
    return {"y": m.positive([1.0]), "refused": refused}


def make_default_tensor(tf: Any) -> Any:
    class Model(tf.Module):
        @tf.function
        def scale(self, x: Any, by: Any = 2.0, offset: Any = None) -> Any:
            y = x * by
            return y if offset is None else y + offset

    model = Model()
    spec = tf.TensorSpec([], tf.float32)
    model.scale.get_concrete_function(spec)
    model.scale.get_concrete_function(spec, spec, spec)
    return model


@program(make_default_tensor)
def _(tf: Any, m: Any) -> Values:
    return {"default": m.scale(tf.constant(3.0)), "all": m.scale(tf.constant(3.0), tf.constant(4.0), tf.constant(1.0))}


def make_object_with_property(tf: Any) -> Any:
    class Inner(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="inner")
            self.weights = [tf.Variable(1.0), tf.Variable(2.0)]

    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="outer")
            self.inner = Inner()
            self.variables_by_name = {"first": self.inner.weights[0]}

        @tf.function(input_signature=[])
        def total(self) -> Any:
            return tf.add_n(self.inner.weights)

    return Model()


@program(make_object_with_property)
def _(tf: Any, m: Any) -> Values:
    m.variables_by_name["first"].assign(5.0)
    return {"total": m.total(), "weights": [m.inner.weights[0], m.inner.weights[1]]}


def make_wide(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = [tf.Variable(float(i), name=f"part_{i}") for i in range(12)]

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def dot(self, x: Any) -> Any:
            return tf.add_n([v * x * float(i) for i, v in enumerate(self.parts)])

    return Model()


@program(make_wide)
def _(tf: Any, m: Any) -> Values:
    return {"y": m.dot(2.0), "order": [*m.parts], "gradients": gradients(tf, m.dot, 2.0, of=[m.parts[11], m.parts[2]])}


def make_function_attribute(tf: Any) -> Any:
    module = tf.Module()
    module.v = tf.Variable(4.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="values")])
    def scaled(values: Any) -> Any:
        return values * module.v

    module.scaled = scaled
    module.again = {"same": scaled}
    return module, scaled


@program(make_function_attribute)
def _(tf: Any, m: Any) -> Values:
    return {
        "y": m.scaled([1.0]), "again": m.again["same"]([2.0]),
        "signature": m.signatures["serving_default"](values=tf.constant([3.0])),
    }  # fmt: skip


def make_inside_ours(tf: Any) -> Any:
    class Model(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def features(self, x: Any) -> Any:
            return tf.sin(x) * self.w

    return Model()


@program(make_inside_ours)
def _(tf: Any, m: Any) -> Values:
    head = tf.Variable(0.5)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(m.features(x) * head)
        return y, tape.gradient(y, [head, m.w])

    return {"y": step(tf.constant([1.0, 2.0])), "mapped": list(tf.data.Dataset.range(3).map(
        lambda i: m.features(tf.cast([i], tf.float32))))}  # fmt: skip
