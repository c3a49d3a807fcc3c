"""The dtypes of one call: letters of a signature bound by tensors first, then by values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.inputs import Bound, as_input, bound_by_tensors, check_dtype
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import EagerTensor


def _add(*inputs: Any, eager: bool = True) -> Bound:
    return bound_by_tensors(OPS["AddV2"], inputs, eager)


def test_tensors_and_variables_bind_letters_and_values_do_not() -> None:
    assert _add(tf.constant(1.0), 2) == {"T": tf.float32}
    assert _add(2, tf.Variable(1, dtype=tf.int64)) == {"T": tf.int64}
    assert _add(1, np.zeros(2)) == {}


def test_a_list_that_holds_a_tensor_binds_its_type() -> None:
    assert _add([1, tf.constant(2.0, tf.float64)], 1) == {"T": tf.float64}


def test_each_of_a_list_input_binds() -> None:
    pack = OPS["Pack"]
    assert bound_by_tensors(pack, ([1, tf.constant(2.0)],), True) == {"T": tf.float32}
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a float tensor but is a int32"):
        bound_by_tensors(pack, ([tf.constant(2.0), tf.constant(1)],), True)


@pytest.mark.parametrize("eager", [True, False])
def test_two_tensors_that_disagree_are_refused_in_the_words_of_their_world(eager: bool) -> None:
    inputs = tf.constant(1.0), tf.constant(1)
    if eager:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"cannot compute AddV2 as input #1\(zero-based\)"):
            _add(*inputs, eager=True)
    else:
        with pytest.raises(TypeError, match="Input 'y' of 'AddV2' Op has type int32 that does not match type float32"):
            _add(*inputs, eager=False)


@pytest.mark.parametrize("eager", [True, False])
def test_a_dtype_that_the_op_does_not_take_names_those_it_takes(eager: bool) -> None:
    wanted: Any = tf.errors.InvalidArgumentError if eager else TypeError
    said = "Value for attr 'T' of string is" if eager else "Value passed to parameter 'x' has DataType string"
    with pytest.raises(wanted, match=f"{said} not in (the )?list of allowed values: .*float"):
        bound_by_tensors(OPS["Sin"], (tf.constant("a"),), eager)


def test_a_value_takes_the_bound_type() -> None:
    op = OPS["AddV2"]
    bound: Bound = {"T": tf.float64}
    made = as_input(op, op.args[1], 2, bound, 1, None, True)
    assert isinstance(made, EagerTensor) and made.dtype is tf.float64


def test_a_value_alone_binds_the_letter_itself() -> None:
    op = OPS["AddV2"]
    bound: Bound = {}
    assert as_input(op, op.args[0], 2, bound, 0, None, True).dtype is tf.int32
    assert bound == {"T": tf.int32}


def test_a_fraction_beside_whole_numbers_is_refused() -> None:
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.add(tf.constant(1), 2.5)


def test_whole_numbers_become_floats_where_the_op_takes_only_those() -> None:
    assert tf.sin(1).dtype is tf.float32
    assert tf.sin([1, 2]).dtype is tf.float32
    assert tf.sin(np.float64(1)).dtype is tf.float64
    assert tf.sin([]).dtype is tf.float32


def test_a_fixed_type_is_checked_and_values_are_converted_to_it() -> None:
    op = OPS["LogicalNot"]
    arg = op.args[0]
    assert as_input(op, arg, [True, False], {}, 0, None, True).dtype is tf.bool
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a bool tensor but is a float tensor"):
        check_dtype(op, arg, {}, tf.float32, 0, True)


def test_constants_of_a_graph_are_named_after_the_input() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.add(x, 1.0, name="sum")
    assert [t.op.name for t in y.op.inputs] == ["Placeholder", "sum/y"]


@pytest.mark.parametrize(
    ("left", "right", "dtype"),
    [
        (lambda: tf.constant(1.0), lambda: 2, tf.float32),
        (lambda: 2, lambda: tf.constant(1.0, tf.float64), tf.float64),
        (lambda: np.float64(2), lambda: tf.constant(1.0), tf.float32),
        (lambda: np.arange(2), lambda: tf.constant(1.0), tf.float32),
        (lambda: tf.constant(1, tf.uint8), lambda: 3, tf.uint8),
        (lambda: 1, lambda: 2.5, None),
        (lambda: tf.constant(1j), lambda: 2.0, tf.complex128),
        (lambda: tf.Variable(1.0), lambda: 1, tf.float32),
    ],
)
def test_eager_and_graph_agree_on_the_dtype(left: Any, right: Any, dtype: Any) -> None:
    def outcome() -> Any:
        try:
            return tf.add(left(), right()).dtype
        except (TypeError, ValueError, tf.errors.InvalidArgumentError):
            return None

    eager = outcome()
    with tf.Graph().as_default():
        built = outcome()
    assert eager is built is dtype


@pytest.mark.parametrize("value", [1.0, [1.5], "a", 1j])
def test_a_sum_of_two_types_is_refused_as_one(value: Any) -> None:
    """What TensorFlow 2.21 raises; other operators cannot convert the value."""
    x = tf.ones([1], tf.int32)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"AddV2 as input #1\(zero-based\) was expected to be a int32"
    ):
        x + value
    for by in (lambda: x * value, lambda: value + x if value != "a" else x * value):
        with pytest.raises(TypeError, match="Cannot convert .* to EagerTensor of dtype int32"):
            by()
    with (
        tf.Graph().as_default(),
        pytest.raises(TypeError, match="Input 'y' of 'AddV2' Op has type .* match type int32"),
    ):
        tf.ones([1], tf.int32) + value


LOSING: dict[str, Callable[[], Any]] = {
    "fractions as indices": lambda: tf.gather([1, 2, 3], np.array([0.5])),
    "fractions as indices of several axes": lambda: tf.gather_nd([1, 2, 3], np.array([[0.5]])),
    "fractions as bits": lambda: tf.bitwise.invert(np.array([1.5], np.float32)),
    "imaginary parts": lambda: tf.nn.softsign(np.array([1 + 2j])),
    "whole numbers as odds, in a type that has no fractions": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0], logits=tf.constant([[1, 2, 3]], tf.uint8)
    ),
    "imaginary parts in a loss": lambda: tf.nn.l2_loss(tf.constant([1 + 2j])),
}


@pytest.mark.parametrize("what", LOSING)
def test_an_array_is_not_cut_to_a_type_that_the_op_takes(what: str) -> None:
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        LOSING[what]()
    with tf.Graph().as_default(), pytest.raises(TypeError):
        LOSING[what]()


def test_whole_numbers_may_become_floating_ones() -> None:
    assert tf.sqrt(np.array([4, 9])).numpy().tolist() == [2.0, 3.0]
    assert tf.nn.softsign(np.array([True])).numpy().tolist() == [0.5]
    assert tf.tile([1, 2], np.array([1.0])).shape == (2,)


def test_floating_numbers_without_fractions_may_become_whole_ones() -> None:
    """Labels that a file's reader made floating: TensorFlow's `one_hot` takes them."""
    assert tf.one_hot(np.array([1.0, 0.0]), 2).numpy().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="'I' of double is not in the list of allowed values"):
        tf.one_hot(np.array([0.5]), 2)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(
    "call",
    [
        lambda n: tf.logical_and(n, [True, True]),
        lambda n: tf.logical_not(tf.logical_not(n)),
        lambda n: tf.where(n, [True, True], [False, False]),
        lambda n: tf.compat.v1.where(n, [True, True], [False, False]),
        lambda n: tf.where(tf.reduce_any(n), n.astype(bool), [False, False]),
    ],
    ids=["and", "not", "where", "where of 1.x", "any"],
)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.uint8])
def test_an_array_is_cast_where_an_op_takes_one_type_alone(call: Any, dtype: Any, graph: bool) -> None:
    array = np.array([1, 0], dtype)
    if not graph:
        assert call(array).numpy().tolist() == [True, False]
        return
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(call(array)).tolist() == [True, False]
