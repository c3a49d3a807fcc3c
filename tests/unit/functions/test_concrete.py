"""A traced signature: what it takes, gives and says of itself."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.base.types.specs import TensorSpec


def traced(function, *args):
    return tf.function(function).get_concrete_function(*args)


def test_results_keep_their_structure():
    concrete = traced(lambda x: {"b": (x, 2.0), "a": None}, TensorSpec([2], tf.float32))
    assert concrete.structured_outputs == {"b": (TensorSpec([2], tf.float32), TensorSpec([], tf.float32)), "a": None}
    found = concrete(tf.constant([1.0, 2.0]))
    assert found["a"] is None and found["b"][0].numpy().tolist() == [1.0, 2.0]


def test_one_tensor_is_given_as_it_is():
    assert float(traced(lambda x: x + 1, TensorSpec([], tf.float32))(tf.constant(1.0))) == 2.0
    assert float(traced(lambda x: [x + 1], TensorSpec([], tf.float32))(tf.constant(1.0))[0]) == 2.0


def test_composites_are_put_together():
    concrete = traced(lambda r: r * 2, tf.ragged.constant([[1], [2, 3]]))
    assert concrete(tf.ragged.constant([[1], [2, 3]])).to_list() == [[2], [4, 6]]


def test_tensors_are_counted_and_their_shapes_checked():
    concrete = traced(lambda x, y: x + y, TensorSpec([2], tf.float32), TensorSpec([], tf.float32))
    with pytest.raises(TypeError, match="missing a required argument: 'y'"):
        concrete(tf.zeros([2]))
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(3,\), .*\) to TensorSpec\(shape=\(2,\)"):
        concrete([0.0, 0.0, 0.0], tf.constant(1.0))


def test_a_call_in_a_graph_is_one_node():
    concrete = traced(lambda x: x + 1, TensorSpec([], tf.float32))
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, ())
        y = concrete(x)
        assert y.op.type == "PartitionedCall"
        assert graph.functions[y.op.attrs["f"]] is concrete.program


def test_what_it_captures_is_listed():
    v = tf.Variable(2.0)
    concrete = traced(lambda x: x * v, TensorSpec([], tf.float32))
    assert concrete.captured_inputs == [v.handle]
    assert [t.dtype for t in concrete.inputs] == [tf.float32, tf.resource]
    assert "x: TensorSpec(shape=(), dtype=tf.float32" in repr(concrete)


def test_methods_are_traced_per_instance_and_do_not_keep_it():
    class Scaler:
        def __init__(self, by):
            self.by = by

        @tf.function
        def scale(self, x, *, shift=0.0):
            return x * self.by + shift

    two, three = Scaler(2.0), Scaler(3.0)
    assert float(two.scale(tf.constant(1.0))) == 2.0 and float(three.scale(tf.constant(1.0))) == 3.0
    assert float(two.scale(tf.constant(1.0), shift=1.0)) == 3.0
    assert two.scale.python_function(5.0) == 10.0
    assert two.scale.python_function.__name__ == "scale"
    tf.config.run_functions_eagerly(True)
    try:
        assert float(two.scale(tf.constant(4.0))) == 8.0
    finally:
        tf.config.run_functions_eagerly(False)


def test_it_says_what_it_takes_and_gives():
    captured = tf.zeros([300])

    def function(x, many=None, times=7, *, last):
        return {"a": (x, captured)}

    concrete = tf.function(function).get_concrete_function(
        tf.constant(5), [tf.constant([1.0])], last=TensorSpec([], name="z")
    )
    scalar = "TensorSpec(shape=(), dtype=tf.int32, name=None)"
    assert concrete.pretty_printed_signature(verbose=False) == (
        f"(x: {scalar}, many: List[TensorSpec(shape=(1,), dtype=tf.float32, name=None)], times: Literal[7], last: "
        f"TensorSpec(shape=(), dtype=tf.float32, name='z')) -> Dict[['a', Tuple[{scalar}, TensorSpec(shape=(300,), "
        "dtype=tf.float32, name=None)]]]"
    )
    assert repr(concrete).startswith("<ConcreteFunction (x: ")
    page = str(concrete).splitlines()
    assert page[0] == "ConcreteFunction Input Parameters:"
    assert page[4] == "  last (KEYWORD_ONLY): TensorSpec(shape=(), dtype=tf.float32, name='z')"
    assert page[-2:] == ["Captures:", f"  {id(captured)}: TensorSpec(shape=(300,), dtype=tf.float32, name=None)"]
    assert concrete.output_dtypes == {"a": (tf.int32, tf.float32)}
    assert concrete.output_shapes["a"][1] == [300]
    assert traced(lambda x: None, tf.constant(1)).output_shapes is None


def test_it_knows_its_variables():
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    concrete = traced(lambda: v + w)
    assert [id(x) for x in concrete.variables] == [id(v), id(w)]
    assert [id(x) for x in concrete.trainable_variables] == [id(v)]
    assert concrete.graph.structured_outputs is concrete.outputs[0]


def test_inputs_are_called_as_the_arguments_or_their_specs():
    def function(x, *more, **rest):
        return x

    spec = TensorSpec(None, tf.float32)
    concrete = traced(function, (spec, spec), TensorSpec(None, name="named"), spec)
    assert [t.op.name for t in concrete.inputs] == ["x", "x_1", "named", "more_1"]
    assert concrete.inputs[1].op.get_attr("_user_specified_name") == b"x"
    one = tf.function(lambda x: x)
    assert one.get_concrete_function(TensorSpec([], name="y")) is one.get_concrete_function(TensorSpec([]))
    assert one.get_concrete_function(TensorSpec([], name="z")).inputs[0].op.name == "z"


def test_a_graph_gives_it_only_shapes_that_it_was_traced_for():
    concrete = traced(lambda x: x + 1.0, tf.constant([1.0]))
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(2,\).* to TensorSpec\(shape=\(1,\)"):
        tf.function(lambda: concrete(tf.constant([1.0, 2.0])))()


def test_a_variable_is_an_input():
    concrete = traced(lambda v, x: v.assign_add(x), tf.Variable(1.0), tf.constant(1.0))
    v = tf.Variable(5.0)
    concrete(v, tf.constant(2.0))
    assert v.numpy() == 7.0
    with pytest.raises(TypeError, match="Can not cast VariableSpec"):
        concrete(tf.Variable([5.0]), tf.constant(2.0))


def test_a_trace_with_unknown_sizes_serves_calls_that_know_them():
    function = tf.function(lambda x, n: x * n)
    concrete = function.get_concrete_function(TensorSpec([None, 2], tf.float32), 3)
    assert function.get_concrete_function(tf.zeros([5, 2]), 3) is concrete
    assert function(tf.ones([1, 2]), 3).numpy().tolist() == [[3.0, 3.0]]
    assert function.experimental_get_tracing_count() == 1
    function(tf.ones([1, 2]), 4)
    function(tf.ones([1, 3]), 3)
    assert function.experimental_get_tracing_count() == 3


def test_the_name_is_bytes():
    def scaled(x):
        return x * 2.0

    assert traced(scaled, TensorSpec([], tf.float32)).name.startswith(b"scaled")
