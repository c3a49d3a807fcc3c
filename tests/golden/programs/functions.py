"""Functions: tracing, signatures, AutoGraph's statements, state and closures."""

from __future__ import annotations

import collections
import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows


def traced_once_per_kind_of_argument(tf: Any) -> Any:
    traces = []

    @tf.function
    def double(x: Any) -> Any:
        traces.append(1)
        return x + x

    results = [double(tf.constant(1)), double(tf.constant(2)), double(tf.constant(1.5)), double(tf.constant([1]))]
    return [results, double(3), double(3), double(4), len(traces)]


def an_input_signature_traces_once(tf: Any) -> Any:
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def total(x: Any) -> Any:
        traces.append(x.shape.as_list())
        return tf.reduce_sum(x)

    return [total([1.0]), total(tf.constant([1.0, 2.0])), total([]), traces]


def a_signature_refuses_another_dtype(tf: Any) -> Any:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def same(x: Any) -> Any:
        return x

    try:
        return same(tf.constant("text"))
    except (TypeError, ValueError) as error:
        return type(error).__name__ in ("TypeError", "ValueError")


def python_arguments_are_constants(tf: Any) -> Any:
    @tf.function
    def power(x: Any, n: int = 2, scale: float = 1.0) -> Any:
        for _ in range(n):
            x = x * x
        return x * scale

    two = tf.constant(2.0)
    return [power(two), power(two, 1), power(two, n=3), power(two, scale=0.5), power(x=two, n=0)]


def keyword_and_variadic_arguments(tf: Any) -> Any:
    @tf.function
    def total(first: Any, *rest: Any, **named: Any) -> Any:
        return first + tf.add_n([*rest, *named.values()]) if rest or named else first

    one = tf.constant(1)
    return [total(one), total(one, one, one), total(one, a=one), total(one, one, b=one, a=one)]


def nests_in_and_out(tf: Any) -> Any:
    @tf.function
    def swap(state: Any) -> Any:
        return {"pair": (state["pair"][1], state["pair"][0]), "rest": [state["rest"], None]}

    return swap({"pair": (tf.constant(1), tf.constant(2.0)), "rest": tf.constant("x")})


def nothing_is_returned(tf: Any) -> Any:
    @tf.function
    def nothing(x: Any) -> None:
        x + 1

    return nothing(tf.constant(1))


def statement_if(tf: Any) -> Any:
    @tf.function
    def clipped(x: Any) -> Any:
        if x < 0.0:
            y = tf.constant(0.0)
        elif x > 1.0:
            y = tf.constant(1.0)
        else:
            y = x
        return y

    return [clipped(tf.constant(v)) for v in (-1.0, 0.25, 9.0)]


def returns_in_branches(tf: Any) -> Any:
    @tf.function
    def sign(x: Any) -> Any:
        if x > 0:
            return 1
        if x < 0:
            return -1
        return 0

    return [sign(tf.constant(v)) for v in (-3, 0, 3)]


def statement_while(tf: Any) -> Any:
    @tf.function
    def collatz(n: Any) -> Any:
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return [collatz(tf.constant(k)) for k in (1, 6, 27)]


def statement_for_over_a_range(tf: Any) -> Any:
    @tf.function
    def total(n: Any) -> Any:
        s = 0
        for i in tf.range(n):
            s += i * i
        return s

    return [total(tf.constant(k)) for k in (0, 1, 5)]


def statement_for_over_rows(tf: Any) -> Any:
    @tf.function
    def products(rows: Any) -> Any:
        p = tf.ones([2])
        for row in rows:
            p = p * row
        return p

    return products(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))


def break_and_continue(tf: Any) -> Any:
    @tf.function
    def odd_sum(limit: Any) -> Any:
        s, i = tf.constant(0), tf.constant(0)
        while i < 100:
            i += 1
            if i > limit:
                break
            if i % 2 == 0:
                continue
            s += i
        return s, i

    return [odd_sum(tf.constant(k)) for k in (0, 5, 10)]


def conditions_with_and_or_not(tf: Any) -> Any:
    @tf.function
    def inside(x: Any) -> Any:
        if x > 0 and not x > 10 or x == -5:
            return True
        return False

    return [inside(tf.constant(v)) for v in (-5, -1, 3, 11)]


def conditional_expression(tf: Any) -> Any:
    @tf.function
    def larger(a: Any, b: Any) -> Any:
        return a if a > b else b

    return [larger(tf.constant(1), tf.constant(2)), larger(tf.constant(5), tf.constant(2))]


def loop_of_python_stays_python(tf: Any) -> Any:
    @tf.function
    def stacked(x: Any) -> Any:
        parts = []
        for k in range(3):
            parts.append(x * k)
        return tf.stack(parts)

    return stacked(tf.constant(2.0))


def lists_of_tensors_in_a_loop(tf: Any) -> Any:
    @tf.function
    def powers(x: Any, n: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        p = tf.ones([])
        for i in tf.range(n):
            p *= x
            array = array.write(i, p)
        return array.stack()

    return powers(tf.constant(3.0), tf.constant(4))


def a_function_calls_a_function(tf: Any) -> Any:
    @tf.function
    def square(x: Any) -> Any:
        return x * x

    @tf.function
    def fourth(x: Any) -> Any:
        return square(square(x))

    return [fourth(tf.constant(2.0)), fourth(tf.constant([1.0, 3.0]))]


def recursion_in_python(tf: Any) -> Any:
    @tf.function
    def nested(x: Any, depth: int) -> Any:
        return x if depth == 0 else nested(x, depth - 1) * 2.0

    return nested(tf.constant(1.0), 4)


def variables_are_captured(tf: Any) -> Any:
    v = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> Any:
        v.assign_add(x)
        return v * 10.0

    return [step(tf.constant(1.0)), step(tf.constant(2.0)), v.numpy().item()]


def variables_are_made_in_the_first_call(tf: Any) -> Any:
    kept: list[Any] = []

    @tf.function
    def counted(x: Any) -> Any:
        if not kept:
            kept.append(tf.Variable(100.0))
        kept[0].assign_add(x)
        return kept[0].read_value()

    return [counted(tf.constant(1.0)), counted(tf.constant(2.0)), len(kept)]


def writes_keep_program_order(tf: Any) -> Any:
    v = tf.Variable(1)

    @tf.function
    def program() -> Any:
        before = v.read_value()
        v.assign(v * 10)
        middle = v.read_value()
        v.assign_sub(3)
        return before, middle, v.read_value()

    return [program(), program()]


def python_side_effects_happen_while_tracing(tf: Any) -> Any:
    log: list[str] = []

    @tf.function
    def noisy(x: Any) -> Any:
        log.append("traced")
        return x

    for k in range(3):
        noisy(tf.constant(k))
    return log


def methods_are_traced_per_object(tf: Any) -> Any:
    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * self.factor

    one, two = Scale(2.0), Scale(5.0)
    return [one(tf.constant(1.0)), two(tf.constant(1.0)), one(tf.constant(3.0))]


def gradients_of_functions(tf: Any) -> Any:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        return tf.sin(x) * y

    x, y = tf.constant(0.5), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([x, y])
        with tf.GradientTape() as inner:
            inner.watch(x)
            z = f(x, y)
        first = inner.gradient(z, x)
    return [first, outer.gradient(first, [x, y]), outer.gradient(z, [x, y])]


def gradients_inside_a_function(tf: Any) -> Any:
    @tf.function
    def derivative(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x**3
        return tape.gradient(y, x)

    return [derivative(tf.constant(2.0)), derivative(tf.constant([1.0, -1.0]))]


def a_concrete_function(tf: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        return x * 2.0

    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    return [
        concrete(tf.constant([1.0, 2.0])),
        concrete.structured_outputs.shape,
        concrete.structured_input_signature[1],
    ]


def functions_without_autograph(tf: Any) -> Any:
    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        return tf.cond(x > 0, lambda: x, lambda: -x)

    return [f(tf.constant(-3)), f(tf.constant(4))]


def running_functions_eagerly(tf: Any) -> Any:
    seen: list[bool] = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append(tf.executing_eagerly())
        return x + 1

    tf.config.run_functions_eagerly(True)
    try:
        eager = f(tf.constant(1))
    finally:
        tf.config.run_functions_eagerly(False)
    return [eager, f(tf.constant(1)), seen]


def init_scope_leaves_the_function(tf: Any) -> Any:
    seen: list[bool] = []

    @tf.function
    def f(x: Any) -> Any:
        seen.append(tf.executing_eagerly())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return x

    return [f(tf.constant(1)), seen]


def shapes_are_known_while_tracing(tf: Any) -> Any:
    seen: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def f(x: Any) -> Any:
        seen.append([x.shape.as_list(), tf.transpose(x).shape.as_list(), tf.reduce_sum(x, 1).shape.as_list()])
        seen.append([tf.concat([x, x], 1).shape.as_list(), tf.reshape(x, [-1, 1]).shape.as_list()])
        seen.append([tf.stack([x, x]).shape.as_list(), x[1:2].shape.as_list(), x[..., 0].shape.as_list()])
        return tf.shape(x)

    return [f(tf.zeros([2, 3])), seen]


def arguments_say_their_types(tf: Any) -> Any:
    """Objects with `__tf_tracing_type__`: equal types and subtypes share a trace; what stands for them is traced."""
    kinds = tf.types.experimental

    class Named(kinds.TraceType):
        def __init__(self, value: Any) -> None:
            self.value = value

        def is_subtype_of(self, other: Any) -> bool:
            return type(other) is Named and self.value.name.startswith(other.value.name)

        def most_specific_common_supertype(self, others: Any) -> Any:
            return self if all(self == other for other in others) else None

        def placeholder_value(self, placeholder_context: Any) -> Any:
            return self.value

        def __eq__(self, other: Any) -> bool:
            return type(other) is Named and self.value.name == other.value.name

        def __hash__(self) -> int:
            return hash(self.value.name)

        def __repr__(self) -> str:
            return f"Named[{self.value.name}]"

    class Fruit:
        def __init__(self, name: str) -> None:
            self.name = name

        def __tf_tracing_type__(self, context: Any) -> Any:
            return Named(self)

    traces: list[str] = []

    @tf.function
    def taste(fruits: Any, times: Any) -> Any:
        traces.append(fruits[0].name)
        return times * len(fruits[0].name)

    given = [taste([Fruit(name)], tf.constant(2)) for name in ("fig", "fig", "plum", "fig", "figs", "plu")]
    concrete = taste.get_concrete_function([Fruit("fig")], tf.TensorSpec([], tf.int32))
    return [
        given,
        traces,
        str(concrete.function_type),
        refused(lambda: concrete([Fruit("plum")], tf.constant(3))),
        isinstance(Fruit("a"), kinds.SupportsTracingProtocol),
        isinstance(3, kinds.SupportsTracingProtocol),
        refused(lambda: kinds.TraceType()),
    ]


def types_of_functions(tf: Any) -> Any:
    """`function_type` and `inference_fn` of a trace, and the kinds that functions are of."""
    kinds, variable, outside = tf.types.experimental, tf.Variable(2.0), tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def scaled(x: Any, n: int, flag: bool = True) -> Any:
        return {"a": x * variable + outside[0], "b": n}

    concrete = scaled.get_concrete_function(tf.TensorSpec([None]), 3)
    alone = tf.function(lambda a: a * 2).get_concrete_function(tf.TensorSpec([]))
    told = concrete.function_type
    names = ("Callable", "GenericFunction", "PolymorphicFunction", "ConcreteFunction", "AtomicFunction")
    return [
        str(told),
        repr(alone.function_type),
        [(p.name, p.kind.name, p.optional, repr(p.type_constraint)) for p in told.parameters.values()],
        [repr(spec) for spec in told.captures.values()],
        [repr(spec) for spec in (*told.flat_inputs, *told.flat_outputs, *told.flat_captures)],
        list(told.captures) == [id(t) for t in concrete.captured_inputs],
        alone.inference_fn(tf.constant(4.0)),
        refused(lambda: concrete.inference_fn(tf.constant([1.0]), 3, True)),
        concrete.inference_fn.call_flat(tf.constant([1.0, 2.0]), *concrete.captured_inputs),
        [[isinstance(f, getattr(kinds, n)) for n in names] for f in (scaled, concrete, concrete.inference_fn)],
        isinstance(told, kinds.FunctionType),
    ]


def parts_of_wrapped_graphs(tf: Any) -> Any:
    """The function around a frozen graph that guides show, and parts of a function of 1.x."""
    v1 = tf.compat.v1

    def wrap_frozen_graph(graph_def: Any, inputs: Any, outputs: Any) -> Any:
        wrapped = v1.wrap_function(lambda: v1.import_graph_def(graph_def, name=""), [])
        element = wrapped.graph.as_graph_element
        return wrapped.prune(tf.nest.map_structure(element, inputs), tf.nest.map_structure(element, outputs))

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, [[1.0], [2.0]], name="y")
        z = tf.identity(y * 2.0, name="z")
        tf.add(v1.placeholder(tf.float32, name="w"), z, name="q")
    message = graph.as_graph_def()
    single = wrap_frozen_graph(message, "x:0", "z:0")
    named = [[t.name for t in single.inputs], [t.name for t in single.outputs], single.outputs[0].shape]
    nested = wrap_frozen_graph(message, ["x:0", "w:0"], {"q": "q:0", "y": ("y:0",)})
    inner = wrap_frozen_graph(message, ["y:0", "w:0"], "q:0")
    calls = [
        single(tf.ones([2, 2])),
        single(x=tf.ones([1, 2])),
        nested(tf.ones([2, 2]), tf.constant(1.0)),
        inner(tf.ones([2, 1]), tf.constant(5.0)),
    ]

    def model(x: Any) -> Any:
        v = v1.get_variable("v", initializer=3.0, use_resource=True)
        hidden = v * x
        return hidden * 2.0, hidden

    whole = v1.wrap_function(model, [tf.TensorSpec([], tf.float32)])
    part = whole.prune(whole.inputs[0], whole.outputs[1])
    given = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(given)
        result = part(given)
    traced = tf.function(lambda x: part(x) + 1.0)(given)
    fewer = len(part.graph.get_operations()) < len(whole.graph.get_operations())
    refusals = [
        refused(lambda: wrap_frozen_graph(message, "x", "z:0")),
        refused(lambda: wrap_frozen_graph(message, "x:0", "none:0")),
    ]
    return [
        named,
        calls,
        result,
        tape.gradient(result, given),
        traced,
        [v.name for v in part.variables],
        fewer,
        refusals,
    ]


def wrapped_functions_run_what_results_need(tf: Any) -> Any:
    """Operations that no result depends on do not run; a part captures what the whole does, and may be fed ragged."""
    v1 = tf.compat.v1
    scale, steps = tf.Variable(2.0), tf.Variable(0)

    def model(x: Any) -> Any:
        own = tf.Variable(3.0)
        steps.assign_add(1, name="step")
        return tf.identity(scale * own * x, "fetch")

    one = tf.constant(1.0)
    whole = v1.wrap_function(model, [tf.TensorSpec([], tf.float32)])
    seen = [whole(one), steps.numpy(), tf.function(lambda x: whole(x))(one), steps.numpy()]
    part = whole.prune(whole.inputs, "fetch:0")
    seen += [part(one), len(part.inputs) - len(part.captured_inputs)]
    seen += [whole.prune(whole.inputs, ("fetch:0", "step"))(one)[0], steps.numpy()]
    inside: list[Any] = []

    def squared(x: Any) -> Any:
        inside.extend([x, x * x])
        return inside[1]

    ragged = v1.wrap_function(squared, [tf.RaggedTensorSpec([None, None], tf.float32)])
    rows_of = tf.ragged.constant([[1.0, 2.0], [3.0]])
    return [seen, ragged.prune(inside[0], inside[1])(rows_of.values, rows_of.row_splits).to_list()]


def traced_methods_are_traced_again(tf: Any) -> Any:
    """A method that is a traced function has the signature of a method, for whoever asks and for another trace."""

    class Model:
        @tf.function
        def plain(self, a: Any, b: Any = 2) -> Any:
            return a, b

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def declared(self, x: Any) -> Any:
            return x * 2.0

    model = Model()
    again = tf.function(model.plain)
    calls = [
        again(1, 3),
        again(a=1, b=3),
        again(1, b=3),
        again(1),
        tf.function(again)(a=1),
        tf.function(functools.partial(model.plain, 1))(b=4),
        tf.function(model.declared)(x=1.0),
        again.get_concrete_function(tf.TensorSpec([]), 3)(tf.constant(1.0)),
    ]
    return [list(inspect.signature(model.plain).parameters), calls, refused(lambda: again(b=3))]


_DEFAULTS: dict[str, Callable[[Any], Any]] = {
    "number": lambda tf: 3.0,
    "nothing": lambda tf: None,
    "truth": lambda tf: True,
    "tuple": lambda tf: (1.0, 2.0),
    "list": lambda tf: [1.0, 2.0],
    "function": lambda tf: max,
    "tensor": lambda tf: tf.constant(5.0),
    "array": lambda tf: np.array([1.0, 2.0]),
    "scalar of NumPy": lambda tf: np.float32(3.0),
    "tensor in a tuple": lambda tf: (tf.constant(1.0), 2.0),
    "ragged": lambda tf: tf.RaggedTensor.from_row_splits([1.0], [0, 1]),
    "variable": lambda tf: tf.Variable(2.0),
}


@rows(*_DEFAULTS)
def defaults_of_parameters_that_a_signature_does_not_declare(tf: Any, kind: str) -> Any:
    """A tensor declares its spec; anything else is the only value that calls may pass."""
    default, spec = _DEFAULTS[kind](tf), tf.TensorSpec([])

    def described(x: Any, y: Any) -> Any:
        parts = tf.nest.flatten(y, expand_composites=True)
        return [x] + [tf.cast(part, tf.float32) for part in parts if isinstance(part, (tf.Tensor, float))]

    function = tf.function(lambda x, y=default: described(x, y), input_signature=[spec])
    others = [
        default, 2.0, True, False, 1, 3, (5.0, 2.0), (1.0, 2.0), [1.0, 2.0], [3.0, 4.0], min, tf.constant(4.0),
        tf.constant(4), tf.RaggedTensor.from_row_splits([2.0, 3.0], [0, 2]), tf.Variable(7.0), tf.constant([6.0]),
    ]  # fmt: skip
    results = [function(1.0), str(function.input_signature)]
    results += [refused(lambda other=other: function(1.0, other)) for other in others]
    return results + [refused(lambda: function(1.0, y=default)), refused(lambda: function(1.0, y=tf.constant(8.0)))]


def signatures_refuse_arguments_beyond_them(tf: Any) -> Any:
    spec = tf.TensorSpec([])
    several = tf.function(lambda x, *rest: x + sum(rest), input_signature=[spec, spec])
    one = tf.function(lambda x, *rest: x + sum(rest), input_signature=[spec])
    named = tf.function(lambda x, **others: x + sum(others.values()), input_signature=[spec])
    only_named = tf.function(lambda x, *, y=3.0: x + y, input_signature=[spec])
    tensor = tf.constant(1.0)
    middle = tf.function(lambda x, y=3.0, z=tensor: x + y + z, input_signature=[spec])
    calls = [
        lambda: several(1.0, 2.0), lambda: several(1.0), lambda: several(1.0, 2.0, 3.0), lambda: one(1.0),
        lambda: one(1.0, 2.0), lambda: named(1.0), lambda: named(1.0, a=2.0), lambda: only_named(1.0),
        lambda: only_named(1.0, y=3.0), lambda: only_named(1.0, y=2.0), lambda: middle(1.0), lambda: middle(1.0, 4.0),
        lambda: middle(1.0, 3.0, 5.0), lambda: middle(1.0, z=4.0),
    ]  # fmt: skip
    return [refused(call) for call in calls]


@rows("tuple", "list", "dict", "named", "nested")
def nests_are_of_the_kind_that_a_signature_declares(tf: Any, kind: str) -> Any:
    spec = tf.TensorSpec([])
    one, other = (collections.namedtuple(name, ["a", "b"]) for name in ("One", "Other"))
    declared = {
        "tuple": (spec, spec), "list": [spec, spec], "dict": {"a": spec}, "named": one(spec, spec),
        "nested": {"a": [spec, (spec,)]},
    }[kind]  # fmt: skip
    function = tf.function(lambda x: tf.nest.flatten(x), input_signature=[declared])
    values = [
        (1.0, 2.0), [1.0, 2.0], one(1.0, 2.0), other(1.0, 2.0), {"a": 1.0}, collections.OrderedDict(a=1.0), 1.0,
        {"a": [1.0, (2.0,)]}, {"a": (1.0, (2.0,))}, {"a": [1.0, [2.0]]}, {"a": [1.0, 2.0]}, (1.0, 2.0, 3.0),
    ]  # fmt: skip
    return [refused(lambda value=value: function(value)) for value in values]
