"""Binding the arguments of one call: tensors, names of their placeholders, and the key of a trace."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.tensor import EagerTensor
from inlay._src.programs.functions.arguments import bind, bind_declared


def bound(*args, **kwargs):
    return bind(args, [f"a{i}" for i in range(len(args))], kwargs, None)


def test_tensors_and_arrays_are_taken_out_and_the_rest_stays():
    x = tf.constant([1.0, 2.0])
    found = bound(x, 3, {"k": np.float32(4.0), "flag": True}, name="n")
    assert [type(t) for t in found.tensors] == [EagerTensor, EagerTensor]
    assert found.names == [("a0", "a0"), ("a2_k", "a2")]
    assert found.template.fill("xy") == (("x", 3, {"k": "y", "flag": True}), {"name": "n"})


def test_arrays_are_eager_tensors_also_in_a_graph():
    with tf.Graph().as_default():
        (tensor,) = bound(np.ones(2, np.float32)).tensors
    assert type(tensor) is EagerTensor


def test_a_composite_is_taken_by_its_components():
    found = bound(tf.ragged.constant([[1], [2, 3]]))
    assert found.names == [("a0_0", "a0"), ("a0_1", "a0")]
    ((again,), _) = found.template.fill(found.tensors)
    assert again.to_list() == [[1], [2, 3]]


@pytest.mark.parametrize(
    ("one", "two"),
    [(0.0, -0.0), (1, True), (1, 1.0), ("a", b"a"), ([1], (1,)), (None, False), (tf.float32, tf.float64)],
)
def test_arguments_that_differ_have_keys_that_differ(one, two):
    assert bound(one).key != bound(two).key
    assert bound(one).key == bound(one).key


def test_a_key_knows_dtypes_and_shapes_but_not_values():
    assert bound(tf.constant([1.0])).key == bound(tf.constant([2.0])).key
    assert bound(tf.constant([1.0])).key != bound(tf.constant([1])).key
    assert bound(tf.constant([1.0])).key != bound(tf.constant([1.0, 2.0])).key
    assert bound(tf.constant([1.0])).rank_key() == bound(tf.constant([1.0, 2.0])).rank_key()
    assert bound(tf.constant([1.0])).rank_key() != bound(tf.constant(1.0)).rank_key()


def test_the_order_of_a_dict_does_not_matter():
    assert bound({"a": 1, "b": 2}).key == bound({"b": 2, "a": 1}).key


def test_variables_are_told_apart_by_their_specs_and_by_which_of_them_are_one():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    assert bound(v).tensors == [v.handle]
    assert bound(v).key == bound(w).key != bound(tf.Variable([1.0])).key
    assert bound(v).key != bound(tf.Variable(1.0, trainable=False)).key
    assert bound(v, v).key == bound(w, w).key != bound(v, w).key
    assert len(bound(v, [v]).tensors) == 1


def test_an_object_without_a_hash_is_refused():
    with pytest.raises(TypeError, match="Could not generate a generic TraceType for bytearray"):
        bound(bytearray(1))


def test_inputs_of_two_arguments_may_not_be_called_the_same():
    with pytest.raises(ValueError, match="Name collision after sanitization"):
        bound(**{"a_b": 1, "a/b": 2}).placeholders()


def test_a_container_without_a_hash_is_told_by_what_is_in_it():
    numbers = {1, 2}
    before = bound(numbers).key
    assert bound({2, 1}).key == before
    numbers.add(3)
    assert bound(numbers).key != before


def test_declared_arguments_are_checked_and_share_one_key():
    spec = TensorSpec([None], tf.float32, "given")
    one = bind_declared([[1.0, 2.0]], {}, ["x"], [spec], {}, None)
    two = bind_declared([tf.constant([1.0])], {}, ["x"], [spec], {}, None)
    assert one.key == two.key and one.names == [("given", "given")]
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(\), .*\) to TensorSpec\(shape=\(None,\)"):
        bind_declared([1.0], {}, ["x"], [spec], {}, None)


def test_a_concrete_function_says_what_it_was_traced_for():
    @tf.function
    def f(x, scale, *, bias):
        return x * scale + bias

    concrete = f.get_concrete_function(tf.TensorSpec([None], tf.float32), 2.0, bias=tf.constant(1.0))
    args, kwargs = concrete.structured_input_signature
    assert args == (TensorSpec([None], tf.float32, "x"), 2.0)
    assert kwargs == {"bias": TensorSpec([], tf.float32, "bias")}


def test_a_keyword_only_tensor_default_declares_its_spec():
    default = tf.constant(3.0)
    add = tf.function(lambda x, *, y=default: x + y, input_signature=[TensorSpec([], tf.float32)])
    assert [float(add(1.0)), float(add(1.0, y=5.0))] == [4.0, 6.0]
    with pytest.raises(TypeError, match="Can not cast"):
        add(1.0, y=[1.0])
