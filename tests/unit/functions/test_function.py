"""`function`: when it traces, what it captures, what it runs, what it refuses."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf


def counting(**options: Any) -> tuple[Any, list[Any]]:
    traces: list[Any] = []

    @tf.function(**options)
    def f(x: Any, y: Any = 2, *, scale: Any = 1) -> Any:
        traces.append((x, y))
        return x * tf.cast(y, x.dtype) * tf.cast(scale, x.dtype)

    return f, traces


def test_one_trace_per_dtype_shape_and_python_value() -> None:
    f, traces = counting()
    for x in (tf.constant([1.0]), tf.constant([5.0]), np.float32([7.0])):
        assert f(x).numpy().tolist() == [2 * float(np.asarray(x)[0])]
    assert len(traces) == 1
    f(tf.constant([1.0, 2.0]))
    f(tf.constant([1]))
    assert len(traces) == 3
    f(tf.constant([1.0]), 3)
    f(tf.constant([1.0]), y=3)
    f(tf.constant([1.0]), tf.constant(3))
    assert len(traces) == 5
    assert f(tf.constant([1.0]), scale=4).numpy().tolist() == [8.0]


def test_nests_are_arguments_and_results() -> None:
    @tf.function
    def f(batch: Any) -> Any:
        return {"sum": batch["a"] + batch["b"][0], "none": None, "pair": (batch["a"], [batch["b"][0]])}

    got = f({"a": tf.constant(1.0), "b": [tf.constant(2.0)]})
    assert (float(got["sum"]), got["none"], float(got["pair"][1][0])) == (3.0, None, 2.0)


def test_a_signature_traces_once_and_refuses_the_rest() -> None:
    traces: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x: Any) -> Any:
        traces.append(x.shape)
        return tf.reduce_sum(x)

    assert [float(f(tf.constant(v))) for v in ([1.0], [1.0, 2.0], [3.0] * 5)] == [1.0, 3.0, 15.0]
    assert [s.as_list() for s in traces] == [[None]]
    for wrong in (tf.constant([1]), tf.constant(1.0)):
        with pytest.raises(TypeError, match="Binding inputs to tf.function failed due to `Can not cast TensorSpec"):
            f(wrong)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        f()


def test_reduce_retracing_leaves_sizes_open() -> None:
    f, traces = counting(reduce_retracing=True)
    for n in (1, 2, 3, 4):
        f(tf.zeros([n]))
    assert len(traces) <= 3


def test_printing_while_tracing_happens_once_and_in_a_body_always(capsys: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print("Tracing")
        return tf.py_function(lambda a: (print("Running"), a)[1], [x], tf.float32)

    for _ in range(3):
        f(tf.constant(1.0))
    assert capsys.readouterr().out == "Tracing\nRunning\nRunning\nRunning\n"


def test_unused_stateful_calls_run_in_order_and_unused_pure_ones_do_not() -> None:
    log: list[str] = []

    @tf.function
    def f() -> Any:
        for name in "abc":
            tf.numpy_function(lambda name=name: log.append(name), [], [])
        tf.numpy_function(lambda: (log.append("pure"), np.float32(1))[1], [], tf.float32, stateful=False)
        return tf.constant(1.0)

    f()
    f()
    assert log == ["a", "b", "c", "a", "b", "c"]


def test_captures_are_tensors_variables_and_numbers() -> None:
    v, c, n = tf.Variable(10.0), tf.constant(5.0), 2.0

    @tf.function
    def f(x: Any) -> Any:
        v.assign_add(1.0)
        return x + v + c + n

    assert [float(f(tf.constant(1.0))), float(f(tf.constant(1.0)))] == [19.0, 20.0]
    assert len(f.get_concrete_function(tf.constant(1.0)).captured_inputs) == 2


def test_writes_and_reads_of_a_variable_are_in_program_order_bodies_included() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        before = v.read_value()
        tf.py_function(lambda: v.assign_add(10.0) and None, [], [])
        between = v.read_value()
        v.assign(v * 2.0)
        return before, between, v.read_value()

    assert [float(t) for t in f()] == [1.0, 11.0, 22.0]


def test_methods_trace_per_instance_and_do_not_keep_it() -> None:
    class Model:
        def __init__(self, w: float) -> None:
            self.w = tf.Variable(w)
            self.traces = 0

        @tf.function
        def __call__(self, x: Any) -> Any:
            self.traces += 1
            return self.w * x

    one, two = Model(2.0), Model(3.0)
    assert [float(one(tf.constant(4.0))), float(two(tf.constant(4.0))), float(one(tf.constant(1.0)))] == [
        8.0,
        12.0,
        2.0,
    ]
    assert (one.traces, two.traces) == (1, 1)
    assert float(Model(5.0)(tf.constant(2.0))) == 10.0
    alive = weakref.ref(one)
    del one
    gc.collect()
    assert alive() is None


def test_functions_call_functions_and_share_their_traces() -> None:
    inner, traces = counting(autograph=False)
    outer = tf.function(lambda x: inner(x) + inner(x))
    assert float(outer(tf.constant(3.0))) == 12.0
    assert len(traces) == 1


def test_variables_are_made_on_the_first_call_only() -> None:
    made: list[Any] = []

    @tf.function
    def once(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(2.0))
        return made[0] * x

    assert [float(once(tf.constant(3.0))), float(once(tf.constant([4.0])[0]))] == [6.0, 8.0]

    @tf.function
    def always(x: Any) -> Any:
        return tf.Variable(2.0) * x

    with pytest.raises(ValueError, match="only supports singleton tf.Variables created on the first call"):
        always(tf.constant(1.0))


def test_concrete_functions() -> None:
    f, _ = counting()
    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32))
    assert [t.shape.rank for t in concrete.inputs] == [1]
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(TypeError, match=r"Can not cast <tf.Tensor.* to Literal\[2\]"):
        concrete(tf.constant([1.0]), tf.constant([1.0]))
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(\),"):
        concrete(1.0)


def test_run_functions_eagerly_calls_the_python_body() -> None:
    f, traces = counting()
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
        f(tf.constant(1.0))
        assert all(isinstance(x, type(tf.constant(0.0))) for x, _ in traces)
        assert len(traces) == 2
    finally:
        tf.config.run_functions_eagerly(False)


def test_init_scope_leaves_the_trace() -> None:
    seen: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), float(tf.constant(3.0))))
        return x

    f(tf.constant(1.0))
    assert seen == [(True, 3.0)]


@pytest.mark.parametrize("api", ["graph", "eager", "function"])
@pytest.mark.parametrize(
    "declare",
    [
        {"Tout": tf.TensorSpec([2], tf.float32)},
        {"Tout": tf.float32, "output_shapes": [2]},
        {"Tout": tf.RaggedTensorSpec([2, None], tf.float32)},
    ],
)
def test_a_false_declaration_is_refused_on_the_call(api: str, declare: dict[str, Any]) -> None:
    ragged = isinstance(declare["Tout"], tf.RaggedTensorSpec)

    def body(x: Any) -> Any:
        return tf.ragged.constant([[1.0], [2.0], []]) if ragged else np.zeros(3, np.float32)

    def call(x: Any) -> Any:
        return tf.py_function(body, [x], **declare)

    with pytest.raises(tf.errors.InvalidArgumentError):
        if api == "eager":
            call(tf.constant(1.0))
        elif api == "function":
            tf.function(call)(tf.constant(1.0))
        else:
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                session.run(call(tf.constant(1.0)))


def test_a_false_set_shape_in_a_function_is_refused() -> None:
    @tf.function
    def f(x: Any) -> Any:
        y = tf.numpy_function(lambda a: np.zeros(3, np.float32), [x], tf.float32)
        y.set_shape([2])
        return y

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[3\]; declared is \[2\]"):
        f(tf.constant(1.0))


def test_a_tensor_that_leaves_its_trace_is_refused() -> None:
    leaked: list[Any] = []
    tf.function(lambda x: leaked.append(x * 2.0) or x)(tf.constant(1.0))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
        leaked[0] + 1.0


def test_results_that_are_no_tensors_are_refused() -> None:
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        tf.function(lambda: object())()


@pytest.mark.parametrize("size", [(), (3,), (2, 2)])
def test_functions_work_inside_graphs_and_sessions(size: tuple[int, ...]) -> None:
    f, _ = counting()
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, size)
        y = f(x)
        dy = tf.gradients(y, x)[0]
        with tf.compat.v1.Session() as session:
            value, slope = session.run([y, dy], {x: np.ones(size, np.float32)})
    np.testing.assert_array_equal(value, 2 * np.ones(size))
    np.testing.assert_array_equal(slope, 2 * np.ones(size))


def test_graph_mode_for_the_whole_program() -> None:
    program = """
import numpy as np
import inlay.compat.v1 as tf
tf.disable_v2_behavior()
assert not tf.executing_eagerly()
x = tf.placeholder(tf.float32, [2])
w = tf.get_variable("w", initializer=[1.0, 2.0])
y = tf.py_func(lambda a: a * np.float32(2), [x * w], tf.float32)
seen = []
z = tf.py_function(lambda a: (seen.append(tf.executing_eagerly()), a)[1], [x], tf.float32)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(session.run(y, {x: [3.0, 4.0]}), session.run(z, {x: [1.0, 1.0]}), seen)
tf.reset_default_graph()
assert tf.get_default_graph().get_operations() == []
assert tf.constant(1.0).name == "Const:0"
tf.enable_eager_execution()
print(float(tf.constant(2.0)))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[ 6. 16.] [1. 1.] [True]\n2.0\n"


def test_what_implements_another_function_depends_on_its_arguments_alone() -> None:
    v, c = tf.Variable(1.0), tf.constant([2.0] * 100)
    implementing = functools.partial(tf.function, experimental_implements="scaled")
    for given in (v, v.read_value(), 1.0):
        assert float(implementing(lambda x, y: x + y * 2.0)(tf.constant(1.0), given)) == 3.0
    for function in (lambda x: x + v, lambda x: x + c):
        with pytest.raises(AssertionError, match="variables are always captured"):
            implementing(function)(1.0)
    assert float(tf.function(lambda x: x + v)(tf.constant(1.0))) == 2.0


def test_what_implements_another_function_takes_tensors_alone_and_is_written_with_its_name() -> None:
    add = tf.function(lambda x, y: x + y, experimental_implements="add")
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        v = tf.Variable(1.0)
        sums = [add(v, 2.0), add(v, v), add(2.0, v)]
        session.run(v.initializer)
        assert session.run(sums) == [3.0, 2.0, 3.0]
        graph_def = graph.as_graph_def()
        (written,) = graph_def.library.function
        assert [argument.name for argument in written.signature.input_arg] == ["x", "y"]
        assert written.attr["_implements"].s == b"add"
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        assert graph.as_graph_def().library.function[0].attr["_implements"].s == b"add"


def test_a_function_prints_its_parameters_and_how_often_it_was_traced() -> None:
    f, _ = counting()
    assert repr(f) == f"<Function f(x, y, scale) at {id(f):#x}: 0 traces>"
    f(tf.constant(1.0))
    assert repr(f) == f"<Function f(x, y, scale) at {id(f):#x}: 1 trace>"
    f(tf.constant([1.0]))
    assert repr(f).endswith(": 2 traces>")
    assert repr(tf.function(lambda *rest, **named: rest)).startswith("<Function lambda(*rest, **named) at ")


def test_a_function_prints_the_signatures_it_was_traced_for() -> None:
    f, _ = counting()
    assert f.pretty_printed_concrete_signatures() == ""
    traces = [f.get_concrete_function(tf.constant(1.0)), f.get_concrete_function(tf.constant([1]))]
    assert f.pretty_printed_concrete_signatures() == "\n\n".join(t.pretty_printed_signature() for t in traces)
    assert f.pretty_printed_concrete_signatures(verbose=False).splitlines() == [
        trace.pretty_printed_signature(verbose=False) for trace in traces
    ]


def test_what_is_captured_is_called_after_the_input_that_takes_it() -> None:
    x, v = tf.constant([1.0]), tf.Variable(2.0)

    @tf.function
    def scaled() -> Any:
        with tf.name_scope("scale"):
            return tf.add(x, v, name="sum")

    trace = scaled.get_concrete_function()
    assert [t.name for t in trace.inputs] == ["scale/sum/x:0", "scale/sum/ReadVariableOp/resource:0"]
    part = trace.prune([], trace.outputs[0])
    assert [t.name for t in part.inputs] == ["scale/sum/x:0", "scale/sum/ReadVariableOp/resource:0"]


def test_a_method_is_an_instance_of_the_class_of_functions() -> None:
    class Counter(tf.Module):
        @tf.function
        def one(self) -> Any:
            return tf.constant(1)

    counter = Counter()
    assert isinstance(counter.one, type(tf.function(lambda: None)))
    assert counter.one() == 1


@pytest.mark.parametrize("name", ["autograph", "jit_compile", "reduce_retracing"])
def test_an_option_is_no_array_of_several(name: str) -> None:
    several: Any = {name: np.array([True, False])}
    with pytest.raises(ValueError, match=f"Expected bool for argument '{name}' not an array of 2 elements"):
        tf.function(lambda x: x, **several)
