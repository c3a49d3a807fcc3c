"""Control flow where it once differed from TensorFlow without a word."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


def some_below_five(x: Any) -> Any:
    return tf.numpy_function(lambda v: bool((v < 5).any()), [x], tf.bool)


def while_a_host_function_says_so(x: Any) -> Any:
    while tf.numpy_function(lambda v: bool((v < 5).any()), [x], tf.bool):
        x = x + 1.0
    return x


def while_both(x: Any) -> Any:
    i = tf.constant(0)
    while i < 5 and some_below_five(x):
        x = x + 1.0
        i += 1
    return x


def while_a_reduction_says_so(x: Any) -> Any:
    while tf.reduce_any(tf.py_function(lambda v: v < 5, [x], tf.bool)):
        x = x + 1.0
    return x


def while_not(x: Any) -> Any:
    while not tf.numpy_function(lambda v: bool((v >= 5).all()), [x], tf.bool):
        x = x + 1.0
    return x


@pytest.mark.parametrize("program", [while_a_host_function_says_so, while_both, while_a_reduction_says_so, while_not])
def test_a_host_function_of_unknown_shape_is_the_condition_of_a_while(program: Any) -> None:
    """FINDINGS A1."""
    assert tf.function(program)(tf.constant([1.0, 2.0])).numpy().tolist() == [5.0, 6.0]


def test_a_comparison_with_what_a_host_function_gives_is_the_condition_of_a_while() -> None:
    """FINDINGS A1."""

    @tf.function
    def program(x: Any) -> Any:
        s = tf.py_function(tf.reduce_sum, [x], tf.float32)
        while s < 5.0:
            s = s + 1.0
        return s

    assert float(program(tf.constant([1.0, 2.0]))) == 5.0


# ---- FINDINGS F3: order that comes from outside of a body


def branch(v: Any, first: Any) -> Any:
    def one() -> Any:
        with tf.control_dependencies([first]):
            return tf.constant(1.0)

    return tf.cond(v1.placeholder_with_default(True, ()), one, lambda: tf.constant(2.0))


def nested_branch(v: Any, first: Any) -> Any:
    return tf.cond(v1.placeholder_with_default(True, ()), lambda: branch(v, first), lambda: tf.constant(2.0))


def body(v: Any, first: Any) -> Any:
    def turn(i: Any) -> Any:
        with tf.control_dependencies([first]):
            return tf.identity(i + 1)

    return tf.while_loop(lambda i: i < 3, turn, [tf.constant(0)])


def condition(v: Any, first: Any) -> Any:
    def holds(i: Any) -> Any:
        with tf.control_dependencies([first.op]):
            return tf.identity(i < 3)

    return tf.while_loop(holds, lambda i: i + 1, [tf.constant(0)])


def list_of_tensors(v: Any, first: Any) -> Any:
    items = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    with tf.control_dependencies([first]):
        return items.identity().stack()


@pytest.mark.parametrize("program", [branch, nested_branch, body, condition, list_of_tensors])
def test_what_a_body_waits_for_outside_of_it_runs_once(program: Any) -> None:
    """FINDINGS F3."""
    with tf.Graph().as_default():
        v = v1.get_variable("v", initializer=0.0)
        result = program(v, v1.assign_add(v, 1.0))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(result)
            assert session.run(v) == 1.0


# ---- FINDINGS F4: loops


def assigned_in_a_for(n: Any) -> Any:
    for i in tf.range(n):
        y = i * 2
    return y


def assigned_in_a_while(n: Any) -> Any:
    while n > 0:
        y = n * 2
        n -= 3
    return y


def assigned_before_a_break(n: Any) -> Any:
    for i in tf.range(n):
        y = i * 2
        if y > 3:
            break
    return y


def none_before(n: Any) -> Any:
    y = None
    for i in tf.range(n):
        y = i * 2
    return y


@pytest.mark.parametrize(
    ("program", "after"),
    [(assigned_in_a_for, 4), (assigned_in_a_while, 6), (assigned_before_a_break, 4), (none_before, 4)],
)
def test_a_loop_that_never_runs_leaves_no_made_up_value(program: Any, after: int) -> None:
    """FINDINGS F4."""
    traced = tf.function(program)
    assert int(traced(tf.constant(3))) == after
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize y"):
        traced(tf.constant(0))


@pytest.mark.parametrize(
    "empty",
    [lambda: tf.constant([]), lambda: tf.range(0), lambda: tf.data.Dataset.range(0)],
    ids=["t", "range", "data"],
)
def test_the_target_of_a_loop_that_never_runs_has_no_made_up_value(empty: Any) -> None:
    @tf.function
    def last(items: Any) -> Any:
        for item in items:
            if item > 5:
                break
        return item

    assert int(last(tf.constant([1, 2]))) == 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize item"):
        last(empty())


def test_a_variable_that_nobody_reads_after_a_loop_may_have_no_value() -> None:
    """FINDINGS F4."""

    @tf.function
    def program(n: Any) -> Any:
        s = 0
        for i in tf.range(n):
            y = i * 2
            s += y
        return s

    assert [int(program(tf.constant(n))) for n in (0, 3)] == [0, 6]


def test_back_prop_false_stops_gradients_in_graphs() -> None:
    """FINDINGS F4."""
    loops = {
        "while": lambda x: tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), [0, x], back_prop=False)[1],
        "map": lambda x: tf.map_fn(lambda e: e * 2.0, x, back_prop=False),
        "foldl": lambda x: tf.foldl(lambda a, e: a + e, x, back_prop=False),
        "foldr": lambda x: tf.foldr(lambda a, e: a + e, x, initializer=0.0, back_prop=False),
        "scan": lambda x: tf.scan(lambda a, e: a + e, x, back_prop=False),
    }
    with tf.Graph().as_default():
        x = tf.constant([2.0, 3.0])
        found = {name: tf.gradients(loop(x), x) for name, loop in loops.items()}
    assert found == {name: [None] for name in loops}


def test_the_most_turns_may_be_known_only_when_the_graph_runs() -> None:
    """FINDINGS: `maximum_iterations` symbolic."""

    @tf.function
    def program(n: Any) -> Any:
        return tf.while_loop(lambda i: True, lambda i: i + 1, [tf.constant(0)], maximum_iterations=n)[0]

    assert [int(program(tf.constant(n))) for n in (4, 0, -1)] == [4, 0, 0]
    with pytest.raises(ValueError, match="requested dtype int32 for Tensor with dtype int64"):
        program(tf.constant(4, tf.int64))


def test_the_only_variable_of_a_1_x_loop_comes_without_its_list() -> None:
    """FINDINGS B: v1 `while_loop([x])`."""

    def loop(**how: Any) -> Any:
        return v1.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], **how)

    assert int(loop()) == 3 and [int(i) for i in loop(return_same_structure=True)] == [3]
    with tf.Graph().as_default():
        assert isinstance(loop(), tf.Tensor) and isinstance(loop(return_same_structure=True), list)
        assert isinstance(tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)]), list)


@pytest.mark.parametrize("cond", [tf.cond, v1.cond])
def test_a_python_bool_is_no_predicate_in_a_graph(cond: Any) -> None:
    """FINDINGS F: v1 `cond` with a Python bool."""
    assert cond(True, lambda: 1, lambda: 2) == 1
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="pred must not be a Python bool"):
            cond(True, lambda: 1, lambda: 2)
        with pytest.raises(TypeError, match="pred must be a Tensor, got: True"):
            tf.case([(True, lambda: tf.constant(1))], default=lambda: tf.constant(2))


def test_no_rows_are_no_tensors() -> None:
    """FINDINGS B: `unstack(zeros([0, 3]))`."""
    with tf.Graph().as_default():
        assert tf.unstack(tf.zeros([0, 3])) == []
    assert tf.unstack(tf.zeros([0, 3])) == [] == tf.function(lambda: tf.unstack(tf.zeros([0, 3])))()


# ---- FINDINGS F: TensorArray


def parts(x: Any) -> Any:
    items = tf.TensorArray(tf.float32, 2, infer_shape=False)
    return items.write(0, x[:1]).write(1, x[1:])


@pytest.mark.parametrize("way", [lambda f: f, tf.function], ids=["eager", "function"])
def test_items_of_unequal_length_are_joined(way: Any) -> None:
    """FINDINGS F: `TensorArray.concat` of unequal rows."""
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = way(lambda v: parts(v).concat() ** 2)(x)
        slope = tape.gradient(y, x)
    assert y.numpy().tolist() == [1.0, 4.0, 9.0]
    assert slope.numpy().tolist() == [2.0, 4.0, 6.0]
    assert outer.gradient(slope, x).numpy().tolist() == [2.0, 2.0, 2.0]


def test_places_without_an_item_are_zeros_where_their_shape_is_known() -> None:
    items = tf.TensorArray(tf.float32, 2, element_shape=[2]).write(1, [1.0, 2.0])
    assert items.concat().numpy().tolist() == [0.0, 0.0, 1.0, 2.0]
    assert tf.TensorArray(tf.float32, 0, element_shape=[None, 3]).concat().shape == (0, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="All except the first dimension must be fully defined"):
        tf.TensorArray(tf.float32, 0).concat()
    with pytest.raises(tf.errors.InvalidArgumentError, match="a place was not written"):
        tf.TensorArray(tf.float32, 1).concat()
    with pytest.raises(tf.errors.InvalidArgumentError, match="requires at least vectors"):
        tf.TensorArray(tf.float32, 1).write(0, 1.0).concat()


def test_lengths_of_parts_may_be_known_only_when_the_graph_runs() -> None:
    x = tf.constant([1.0, 2.0, 3.0])

    @tf.function
    def program(x: Any, lengths: Any) -> Any:
        items = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False).split(x, lengths)
        return items.size(), items.read(0) * 2.0, items.read(1) * 3.0

    with tf.GradientTape() as tape:
        tape.watch(x)
        count, first, second = program(x, tf.constant([1, 2]))
    assert int(count) == 2 and first.numpy().tolist() == [2.0] and second.numpy().tolist() == [6.0, 9.0]
    assert tape.gradient([first, second], x).numpy().tolist() == [2.0, 3.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected sum of lengths to be equal"):
        program(x, tf.constant([1, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not equal to the size of lengths \(3 vs. 2\)"):
        tf.TensorArray(tf.float32, 3).split(x, [1, 2])


def test_a_list_of_known_length_is_stacked_to_a_known_shape() -> None:
    """FINDINGS F, shapes: `TensorArray.stack`."""
    with tf.Graph().as_default():
        items = tf.TensorArray(tf.float32, 2, element_shape=[3, 2])
        assert items.stack().shape == (2, 3, 2) and items.concat().shape.as_list() == [None, 2]
        assert tf.TensorArray(tf.float32, 5).unstack(tf.zeros([2, 3])).stack().shape == (2, 3)
        assert tf.TensorArray(tf.float32, 2, dynamic_size=True, element_shape=[3]).stack().shape.as_list() == [None, 3]
        assert tf.map_fn(lambda e: e * 2.0, np.zeros([4, 2], np.float32)).shape == (4, 2)


def test_collections_are_seen_inside_of_bodies() -> None:
    """FINDINGS F: `get_collection` in cond or function."""
    seen = []

    def look(value: Any) -> Any:
        seen.append(v1.get_collection("c"))
        return value

    with tf.Graph().as_default():
        v1.add_to_collection("c", 1)
        tf.cond(v1.placeholder(tf.bool, ()), lambda: look(tf.constant(1)), lambda: tf.constant(2))
        tf.while_loop(lambda i: i < 3, lambda i: (v1.add_to_collection("d", 2), look(i + 1))[1], [tf.constant(0)])

        @tf.function
        def function() -> Any:
            v1.add_to_collection("c", 3)
            return look(tf.constant(1))

        function()
        assert v1.get_collection("c") == [1] and v1.get_collection("d") == [2]
    assert seen == [[1], [1], [1, 3]]


def test_a_scalar_is_not_split_into_the_items_of_a_tensor_array() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 1"):
        tf.TensorArray(tf.float32, 1).split(1.0, [1])
    with tf.Graph().as_default(), pytest.raises(ValueError, match="must be at least rank 1 but is rank 0"):
        tf.TensorArray(tf.float32, 1).split(1.0, [1])
