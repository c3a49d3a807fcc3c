"""The fast path of public functions: accepted arguments, calls left to the funnel, the dispatch cache."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types import dtypes
from inlay._src.core.eager import emit, plain
from inlay._src.core.opdef import OPS


def twice(call: Any) -> Any:
    """The result of the second of two calls."""
    call()
    return call()


def test_the_dtypes_of_groups_are_the_key() -> None:
    twice(lambda: tf.gather(tf.constant([1.0, 2.0]), tf.constant([1], tf.int64)))
    twice(lambda: tf.stack([tf.constant([1, 2])] * 2))
    assert OPS["GatherV2"].dispatch.results[tf.float32, tf.int64] is tf.float32
    assert OPS["Pack"].dispatch.results[tf.int32] is tf.int32


@pytest.mark.parametrize(
    "axis", [0, -2, [0], (0,), np.array(0), np.array([0]), tf.constant(0), tf.constant([0], tf.int64), np.int64(0)]
)
def test_axes_of_every_form_give_the_same(axis: Any) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert twice(lambda: tf.reduce_sum(x, axis)).numpy().tolist() == [4, 6]


def test_a_static_input_that_is_a_result_binds_its_type_in_each_call() -> None:
    kinds = [tf.int32, tf.int64, tf.float32, tf.int32]
    for kind in kinds:
        made = twice(lambda kind=kind: tf.range(tf.constant(1, kind), tf.constant(4, kind), tf.constant(1, kind)))
        assert made.dtype is kind and made.numpy().tolist() == [1, 2, 3]
    assert tf.range(3).dtype is tf.int32 and tf.range(2**40, 2**40 + 2).dtype is tf.int64
    assert tf.range(0, 1, 0.5).numpy().tolist() == [0, 0.5]


def test_the_type_of_a_result_is_that_of_the_attribute_in_this_call() -> None:
    x = tf.constant([[1.0, 3.0, 2.0]])
    for kind in (tf.int64, tf.int32, tf.int64):
        assert twice(lambda kind=kind: tf.argmax(x, 1, output_type=kind)).dtype is kind
        values, places = twice(lambda kind=kind: tf.math.top_k(x, 2, index_type=kind))
        assert places.dtype is kind and values.dtype is tf.float32 and values.numpy().tolist() == [[3, 2]]


def test_numbers_become_what_tensors_beside_them_are_and_alone_what_tensorflow_makes_of_them() -> None:
    c, x = tf.constant([True, False]), tf.constant([1, 2], tf.int64)
    assert twice(lambda: tf.where(c, 7, x)).numpy().tolist() == [7, 2]
    assert twice(lambda: tf.where(c, x, 7)).dtype is tf.int64
    assert twice(lambda: 3 - x).numpy().tolist() == [2, 1]
    assert twice(lambda: tf.identity(1.5)).dtype is tf.float32 and twice(lambda: tf.identity(3)).dtype is tf.int32
    assert twice(lambda: tf.identity(2**40)).dtype is tf.int64
    assert twice(lambda: tf.identity(True)).dtype is tf.bool
    assert twice(lambda: tf.exp(0)).dtype is tf.float32
    assert twice(lambda: tf.fill([2], 0.0)).numpy().tolist() == [0, 0]


def test_zeros_keep_their_sign() -> None:
    assert [np.signbit(twice(lambda v=v: tf.identity(v)).numpy()) for v in (0.0, -0.0, 0.0)] == [False, True, False]


def test_what_must_have_one_type_is_refused_after_calls_that_succeeded() -> None:
    x, y = tf.constant([1.0]), tf.constant([1.0], tf.float64)
    twice(lambda: tf.concat([x, x], 0))
    twice(lambda: tf.concat([y, y], 0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="ConcatV2"):
        tf.concat([x, y], 0)
    twice(lambda: tf.tensor_scatter_nd_update(x, [[0]], [2.0]))
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        tf.gather(x, tf.constant([0.0]))


def test_composites_and_graphs_are_answered_after_calls_that_succeeded() -> None:
    rows = tf.ragged.constant([[1.0], [2.0, 3.0]])
    twice(lambda: tf.concat([tf.constant([1.0])] * 2, 0))
    assert tf.concat([rows, rows], 0).to_list() == [[1], [2, 3]] * 2
    with tf.Graph().as_default() as graph:
        made = tf.concat([tf.constant([1.0]), tf.constant([2.0])], 0)
        assert made.op.type == "ConcatV2" and made.graph is graph


def test_several_results_are_a_list_and_recorded() -> None:
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    twice(lambda: tf.split(x, 2))
    with tf.GradientTape() as tape:
        tape.watch(x)
        parts = tf.split(x, 2)
        total = tf.reduce_sum(parts[1] * 3.0)
    assert isinstance(parts, list)
    assert tape.gradient(total, x).numpy().tolist() == [0, 0, 3, 3]


def test_a_draw_that_fails_takes_no_second_place_in_its_sequence() -> None:
    generator = tf.random.Generator.from_seed(3)
    state = generator._handle()
    draw, low = OPS["RandomUniformInt"].dispatch.function, tf.constant(5)
    assert draw is not None
    draw(state, [2], tf.constant(0), low)
    before = state._value.position
    draw(state, [2], tf.constant(0), low)
    step = state._value.position - before
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"minval < maxval.*\[Op:RandomUniformInt\]"):
        draw(state, [2], low, low)
    assert state._value.position == before + 2 * step


@pytest.mark.parametrize("given", [[1.5], ["a"], [True], {1: 2}, tf.constant([1.0]), np.array([1.0]), [[1], None]])
def test_static_values_of_another_kind_are_for_the_funnel(given: Any) -> None:
    assert plain.index(given) is plain.NOT_PLAIN
    assert plain.int32(given) is plain.NOT_PLAIN
    assert plain.value(given) is plain.NOT_PLAIN


def test_lists_are_taken_if_their_tensors_have_one_type() -> None:
    x, y = tf.constant([1.0]), tf.constant([1])
    assert plain.listed([]) == (None, []) and plain.listed([x, y]) is None and plain.listed([x, 1.0]) is None
    found = plain.listed((x, x))
    assert found is not None and found[0] is dtypes.float32 and found[1][1] is x._value


def test_ops_with_effects_have_no_fast_path() -> None:
    tf.Variable(1.0).assign_add(2.0)
    assert OPS["AssignAddVariableOp"].dispatch.groups is None and OPS["ReadVariableOp"].dispatch.groups is None


def enters_the_funnel(call: Callable[[], Any]) -> bool:
    """Whether the third of three calls goes through `emit`."""
    twice(call)
    entered: list[bool] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is emit.emit.__code__:
            entered.append(True)

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return bool(entered)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.size(x), lambda x: tf.size(x, tf.int64), lambda x: tf.shape(x), lambda x: tf.shape(x, tf.int64),
        lambda x: tf.argmax(x), lambda x: tf.argmax(x, 0, tf.int32), lambda x: tf.argmin(x, 0),
        lambda x: tf.cast(x, tf.int32), lambda x: tf.transpose(x), lambda x: tf.nn.softmax(x), lambda x: x + x,
    ],
)  # fmt: skip
def test_attributes_of_every_kind_take_the_fast_path(call: Callable[[Any], Any]) -> None:
    assert not enters_the_funnel(lambda: call(tf.constant([1.0, 2.0])))


def test_an_attribute_beside_its_options_goes_through_the_funnel() -> None:
    x = tf.constant([1.0])
    twice(lambda: tf.argmin(x, 0))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.argmin(x, 0, tf.float32)


def test_arrays_lists_and_variables_take_the_fast_path_in_the_type_beside_them() -> None:
    x, v = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
    array = np.array([5.0, 6.0], np.float32)
    for left, right, want in [
        (x, array, [6, 8]), (array, x, [6, 8]), (array, array, [10, 12]), (x, [1, 2], [2, 4]),
        ([1.5, 2.0], x, [2.5, 4]),
        (x, v, [4, 6]), (v, x, [4, 6]), (v, v, [6, 8]), (v, array, [8, 10]), (1, v, [4, 5]), (v, 1, [4, 5]),
        (x, np.float32(1), [2, 3]),
    ]:  # fmt: skip
        made = twice(lambda left=left, right=right: tf.add(left, right))
        assert made.dtype is tf.float32 and made.numpy().tolist() == want
    assert twice(lambda: tf.square([1, 2])).dtype is tf.int32
    assert twice(lambda: tf.exp([0, 0])).dtype is tf.float32
    assert twice(lambda: tf.square(np.array([2.0]))).dtype is tf.float64
    assert twice(lambda: tf.add(x, np.array([1.0, 1.0]))).dtype is tf.float32  # cast, as everything of NumPy's is
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        tf.add(tf.constant([1, 2]), np.array([1.5, 2.5]))


def test_an_array_is_copied() -> None:
    array = np.array([1.0, 2.0], np.float32)
    made = twice(lambda: tf.identity(array))
    array[0] = 9
    assert made.numpy().tolist() == [1, 2]


def test_a_tape_follows_variables_that_the_fast_path_reads() -> None:
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3.0, 4.0])
    for call in (lambda: tf.multiply(v, x), lambda: tf.multiply(x, v), lambda: tf.multiply(v, v) / 2.0):
        twice(call)
        with tf.GradientTape() as tape:
            made = call()
        gradient = tape.gradient(made, v)
        assert gradient.numpy().tolist() == ([3, 4] if "x" in call.__code__.co_freevars else [1, 2])


def test_graphs_take_variables_and_arrays_as_before() -> None:
    twice(lambda: tf.square(np.array([2.0], np.float32)))

    @tf.function
    def squared(v: Any) -> Any:
        return tf.square(np.array([2.0], np.float32)) + v

    assert squared(tf.constant([1.0])).numpy().tolist() == [5]
    with tf.Graph().as_default():
        assert tf.square(np.array([2.0], np.float32)).op.type == "Square"


def test_a_list_of_one_tensor_and_one_that_has_it_twice_have_gradients_of_their_own() -> None:
    x = tf.constant([1.0, 2.0])
    for _ in range(6):  # so that pullbacks are written
        for count in (1, 2):
            with tf.GradientTape() as tape:
                tape.watch(x)
                made = tf.stack([x] * count)
            assert tape.gradient(made, x).numpy().tolist() == [count, count]
