"""Values of Python and NumPy as tensors: eager ones, or constants of a graph."""

from __future__ import annotations

import math
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager import convert
from inlay._src.core.eager.convert import beside, constant_in, number, number_like, symbolic
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import EagerTensor, SymbolicTensor


def test_a_number_becomes_the_tensor_of_the_dtype_beside_it() -> None:
    for value, dtype in ((2, tf.float32), (2.5, tf.float64), (3, tf.int8), (1, tf.uint16), (2.5, tf.bfloat16)):
        made = number(value, dtype)
        assert made is not None and made.dtype is dtype and made.numpy() == value


def test_a_number_that_comes_again_is_the_same_tensor() -> None:
    assert number(7, tf.float32) is number(7, tf.float32)
    assert number(7, tf.float32) is not number(7, tf.float64)


def test_zeros_of_both_signs_and_nan_are_kept_apart() -> None:
    negative, positive = number(-0.0, tf.float32), number(0.0, tf.float32)
    assert negative is not None and positive is not None
    assert math.copysign(1, negative.numpy()) == -1 and math.copysign(1, positive.numpy()) == 1
    found = number(math.nan, tf.float32)
    assert found is not None and math.isnan(found.numpy())


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(2.5, tf.int32), (True, tf.float32), ("a", tf.float32), (1j, tf.complex64), (300, tf.uint8), (None, tf.float32),
     (np.float32(1), tf.float32), (2, tf.string), (1, tf.bool)],
)  # fmt: skip
def test_what_the_funnel_must_decide_is_no_number(value: Any, dtype: tf.DType) -> None:
    assert number(value, dtype) is None


def test_a_number_too_large_for_a_float_type_is_infinite() -> None:
    made = number(1e300, tf.float16)
    assert made is not None and made.numpy() == math.inf


def test_the_table_of_numbers_is_bounded() -> None:
    before = convert._NUMBERS.most
    for i in range(before + 10):
        number(i + 0.5, tf.float64)
    assert len(convert._NUMBERS) <= before


def test_a_whole_number_like_a_tensor_takes_its_dtype_where_that_is() -> None:
    like = number_like(2, tf.constant(1.5))
    assert isinstance(like, EagerTensor) and like.dtype is tf.float32
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float64)
        made = number_like(2, x)
    assert isinstance(made, SymbolicTensor) and made.dtype is tf.float64 and made.graph is graph


@pytest.mark.parametrize(
    ("value", "wanted", "dtype"),
    [
        (np.float64(1.5), tf.float32, tf.float32),
        (np.array([1, 2]), tf.float32, tf.float32),
        (np.array([1.5, 2]), tf.float32, tf.float32),
        (np.array([True]), tf.int32, tf.int32),
        (np.array([1.5]), tf.int32, tf.float64),
        (np.array([1j]), tf.float32, tf.complex128),
        (2, tf.float64, tf.float64),
        ([1, 2], tf.float64, tf.float64),
    ],
)
def test_beside_a_tensor_casts_are_made_that_keep_the_kind(value: Any, wanted: tf.DType, dtype: tf.DType) -> None:
    assert beside(value, wanted, None).dtype is dtype


def test_a_tensor_is_itself_and_never_cast() -> None:
    x = tf.constant(1.0)
    assert tf.convert_to_tensor(x) is x and tf.convert_to_tensor(x, tf.float32) is x
    with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype float32"):
        tf.convert_to_tensor(x, tf.int32)


def test_a_variable_is_read() -> None:
    v = tf.Variable([1.0, 2.0])
    made = tf.convert_to_tensor(v)
    v.assign([3.0, 4.0])
    assert isinstance(made, EagerTensor) and made.numpy().tolist() == [1, 2]


def test_a_hint_is_taken_where_the_value_allows_it() -> None:
    assert tf.convert_to_tensor(1, dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32
    assert tf.convert_to_tensor(1, preferred_dtype=tf.int64).dtype is tf.int64
    assert tf.convert_to_tensor(1, tf.int8, dtype_hint=tf.float32).dtype is tf.int8


def test_nested_lists_that_hold_tensors_are_packed_and_numbers_take_their_type() -> None:
    x = tf.constant(2.0, tf.float64)
    made = tf.convert_to_tensor([[1, x], [x, 4]])
    assert made.dtype is tf.float64 and made.numpy().tolist() == [[1, 2], [2, 4]]
    v = tf.Variable(5.0)
    assert tf.convert_to_tensor([v, (6)]).numpy().tolist() == [5, 6]


def test_packed_lists_in_a_graph_are_named() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        assert tf.convert_to_tensor([x, 1.0]).op.name == "packed"
        assert tf.convert_to_tensor([x, 1.0], name="mine").op.name == "mine"


def test_a_gradient_flows_through_packed_lists() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.convert_to_tensor([x, 2 * x, 1.0]))
    assert tape.gradient(y, x).numpy() == 3.0


def test_the_caller_may_write_into_an_array_that_became_a_tensor() -> None:
    array = np.zeros(3, np.float32)
    made = tf.convert_to_tensor(array)
    array[0] = 1
    assert made.numpy().tolist() == [0, 0, 0]


def test_a_constant_of_a_graph_has_value_dtype_and_shape() -> None:
    graph = Graph()
    made = constant_in(graph, EagerTensor(np.ones((2, 3), np.float32), tf.float32), "c")
    assert (made.op.name, made.op.type, made.dtype, made.shape) == ("c", "Const", tf.float32, [2, 3])
    assert made.op.constant_value().tolist() == [[1, 1, 1], [1, 1, 1]]
    graph.verify()


def test_a_symbolic_tensor_stays_itself_in_its_graph_and_is_refused_elsewhere() -> None:
    one, two = tf.Graph(), tf.Graph()
    with one.as_default():
        x = tf.constant(1.0)
    assert symbolic(x, one) is x
    with pytest.raises(ValueError, match="must be from the same graph as"):
        symbolic(x, two)


def test_a_tensor_of_outside_is_captured_by_what_is_traced() -> None:
    outside = tf.constant([1.0, 2.0])
    seen: list[Any] = []

    @tf.function
    def f() -> tf.Tensor:
        made = tf.convert_to_tensor(outside)
        seen.append(symbolic(outside, tf.compat.v1.get_default_graph()))
        return made + 1.0

    assert f().numpy().tolist() == [2, 3]
    assert seen[0].op.type == "Placeholder"


@pytest.mark.parametrize("value, wanted", [
    (lambda: [tf.constant(1.0), 2.0], tf.float64), (lambda: [tf.constant(2), tf.constant(1.5)], tf.float32),
    (lambda: [[tf.constant(2.5)]], tf.int32), (lambda: [tf.Variable(2.0)], tf.float64),
])  # fmt: skip
def test_tensors_in_a_list_are_cast_to_the_type_that_is_asked_for(value: Any, wanted: Any) -> None:
    """FINDINGS F6: `convert_to_tensor([float32 tensors], dtype=float64)` stayed float32."""
    assert tf.convert_to_tensor(value(), wanted).dtype is wanted
    with tf.Graph().as_default():
        assert tf.convert_to_tensor(value(), wanted).dtype is wanted


def test_tensors_in_a_list_beside_a_tensor_are_cast_to_its_type() -> None:
    total = tf.constant([1.0, 2.0], tf.float64) + [tf.constant(1.0), 2.0]
    assert total.dtype is tf.float64 and total.numpy().tolist() == [2, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="was expected to be a int32 tensor but is a int64 tensor"):
        tf.reshape(tf.zeros(2), [tf.constant(1), tf.constant(2, tf.int64)])


def test_numbers_are_stacked_as_the_constant_that_they_are() -> None:
    """FINDINGS B: eager `stack([1, 2.5])` was refused."""
    for values in ([1, 2.5], [2.5, 1], [[1], [2.5]], [np.float32(1), 2]):
        assert tf.stack(values).dtype is tf.float32
        with tf.Graph().as_default():
            assert tf.stack(values).dtype is tf.float32


class _Quantity:
    """No dtype of its own: its tensor is of the type that is asked for."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.constant([1, 2], dtype or tf.float32)


def test_objects_that_have_a_tensor_are_values_like_others() -> None:
    """FINDINGS B: `__tf_tensor__` objects were refused where they had no dtype."""
    q = _Quantity()
    assert (tf.constant([1, 1]) + q).numpy().tolist() == [2, 3]
    assert tf.add(q, tf.ones(2, tf.float64)).dtype is tf.float64
    assert tf.add(q, q).dtype is tf.reduce_sum(q).dtype is tf.cast(q, tf.float32).dtype is tf.float32
    assert tf.concat([q, [3.0]], 0).numpy().tolist() == [1, 2, 3]
    assert tf.stack([q, q]).shape == [2, 2] and tf.shape(q).numpy().tolist() == [2]
    assert tf.convert_to_tensor([q, [1.0, 1.0]]).shape == [2, 2]
    assert tf.py_function(lambda: q, [], tf.float64).dtype is tf.float64
    with tf.Graph().as_default():
        assert tf.add(q, 1.0).dtype is tf.float32


class _Answers:
    """Answers operators itself."""

    def __eq__(self, other: object) -> Any:
        return "equal"

    def __ne__(self, other: object) -> Any:
        return "unequal"

    def __radd__(self, other: object) -> Any:
        return "sum"


def test_what_no_tensor_is_made_of_answers_operators_itself() -> None:
    """Issue 10, point 8: `==` with an unknown type is NotImplemented."""
    t, other = tf.constant([1.0, 2.0]), _Answers()
    assert t.__eq__(object()) is t.__ne__(object()) is NotImplemented
    assert (t == other, t != other, t + other) == ("equal", "unequal", "sum")
    assert (t == object()) is False and (t != {}) is True
    with pytest.raises(ValueError, match="unsupported type"):
        _ = t + object()
    for value in ("a", [b"a", b"b"]):
        with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
            _ = t == value
    with pytest.raises(TypeError, match="Cannot convert 1.0 to EagerTensor of dtype int32"):
        _ = tf.constant([1, 2]) == 1.0


class _Raises:
    """Has a reflected operator that fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __radd__(self, other: object) -> Any:
        raise self.error


class _Declines:
    def __radd__(self, other: object) -> Any:
        return NotImplemented


@pytest.mark.parametrize("traced", [False, True])
def test_where_a_reflected_operator_has_no_answer_the_conversion_is_the_error(traced: bool) -> None:
    """As TensorFlow 2.21; the operator's own error is the cause, and errors of other kinds are its own."""

    def added(other: Any) -> Any:
        with tf.Graph().as_default() if traced else nullcontext():
            return tf.constant([1, 2]) + other

    own = TypeError("not with me")
    with pytest.raises(ValueError, match="unsupported type") as caught:
        added(_Raises(own))
    assert caught.value.__cause__ is own
    with pytest.raises(ValueError, match="unsupported type"):
        added(_Declines())
    with pytest.raises(KeyError, match="mine"):
        added(_Raises(KeyError("mine")))


def test_tensors_are_formatted_as_their_values() -> None:
    """Issue 10, point 8: `f"{t}"` as TensorFlow."""
    assert f"{tf.constant(1.5)} {tf.constant([1.0, 2.0])} {tf.constant('a')}" == "1.5 [1. 2.] b'a'"
    assert f"{tf.constant(1.5):.2f}|{tf.constant(7):>3}" == "1.50|  7"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{tf.constant([1.0]):.2f}"


def test_sequences_of_numpy_s_numbers_are_narrow_in_graphs() -> None:
    for value, dtype in (
        ([np.float64(1.5), 1], tf.float32), ([np.array(1.5), 2.0], tf.float32), ([np.float16(1)], tf.float16),
    ):  # fmt: skip
        with tf.Graph().as_default():
            assert tf.constant(value).dtype == dtype
    assert tf.constant([np.float64(1.5), 1]).dtype == tf.float64
