"""Nested `Tout`, `output_shapes` in its three forms, and what a wrong declaration says; in graphs and eagerly."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

Pair = collections.namedtuple("Pair", ["a", "b"])


@dataclasses.dataclass
class Box:
    image: Any
    label: Any


def run(make: Callable[[], Any], graph: bool) -> Any:
    """What a call gives: its values in a session, or as arrays."""
    if not graph:
        return tf.nest.map_structure(lambda t: t.numpy(), make())
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


both = pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
families = pytest.mark.parametrize("api", ["py_function", "numpy_function"])

NESTS: list[tuple[Any, Callable[[Any], Any], Any]] = [
    ({"a": tf.float32, "b": (tf.float32,)}, lambda x: {"b": [x * 2], "a": x}, {"a": 3.0, "b": (6.0,)}),
    (Pair(tf.float32, {"k": tf.float32}), lambda x: Pair(x, {"k": x}), Pair(3.0, {"k": 3.0})),
    (Box(tf.float32, tf.float32), lambda x: Box(x, x + x), Box(3.0, 6.0)),
    ([tf.float32, (tf.float32, tf.float32)], lambda x: (x, (x, x)), [3.0, (3.0, 3.0)]),
    ({"a": tf.TensorSpec([], tf.float32)}, lambda x: {"a": x}, {"a": 3.0}),
]


@both
@families
@pytest.mark.parametrize(("tout", "body", "expected"), NESTS, ids=[type(n[0]).__name__ for n in NESTS])
def test_the_result_has_the_declared_structure(api: str, tout: Any, body: Any, expected: Any, graph: bool) -> None:
    got = run(lambda: getattr(tf, api)(body, [np.float32(3)], tout), graph)
    assert type(got) is type(expected) and got == expected


WRONG: list[tuple[Any, Callable[[Any], Any], str]] = [
    (
        {"a": tf.float32},
        lambda x: {"b": x},
        r"at the top: expected a dict with keys \['a'\], got a dict with keys \['b'\]",
    ),
    ({"a": (tf.float32, tf.float32)}, lambda x: {"a": (x,)}, r"at \['a'\]: expected a tuple of 2, got a tuple of 1"),
    ([{"a": tf.float32}], lambda x: [x], r"at \[0\]: expected a dict with keys \['a'\], got one "),
    (Pair(tf.float32, tf.float32), lambda x: (x, x), r"expected a Pair with fields \['a', 'b'\], got a tuple of 2"),
    (Box(tf.float32, tf.float32), lambda x: {"image": x, "label": x}, r"expected a Box, got a dict with keys"),
    (({"a": tf.float32}, tf.float32), lambda x: None, r"expected a tuple of 2, got None"),
]


@both
@families
@pytest.mark.parametrize(("tout", "body", "message"), WRONG, ids=range(len(WRONG)))
def test_another_structure_is_refused_on_the_call(api: str, tout: Any, body: Any, message: str, graph: bool) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
        run(lambda: getattr(tf, api)(body, [np.float32(3)], tout, name="mine"), graph)
    assert "does not have the declared structure" in str(caught.value)
    assert "returned by function <lambda>" in str(caught.value)


@both
def test_a_leaf_of_another_type_is_named(graph: bool) -> None:
    tout = {"a": [tf.int32, tf.float32]}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32 for Tensor with.*\['a'\]\[1\]|\['a'\]\[1\]"):
        run(lambda: tf.py_function(lambda x: {"a": [1, tf.cast(x, tf.float64)]}, [1.0], tout), graph)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is double, but expects float \(at \['a'\]\[1\]\)"):
        run(lambda: tf.numpy_function(lambda x: {"a": [np.int32(1), np.float64(x)]}, [1.0], tout), graph)


@both
@families
def test_declared_shapes_are_static_and_checked(api: str, graph: bool) -> None:
    op = getattr(tf, api)
    x = np.ones((2, 3), np.float32)
    got = run(
        lambda: op(
            lambda v: {"a": v, "b": v[0]},
            [x],
            {"a": tf.float32, "b": tf.float32},
            output_shapes={"a": [None, 3], "b": (3,)},
        ),
        graph,
    )
    assert got["a"].shape == (2, 3)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"output 1 at \['b'\] of .* has shape \[3\]; declared is \[4\]"
    ):
        run(
            lambda: op(
                lambda v: {"a": v, "b": v[0]},
                [x],
                {"a": tf.float32, "b": tf.float32},
                output_shapes={"a": [None, 3], "b": (4,)},
            ),
            graph,
        )
    with tf.Graph().as_default():
        y = op(lambda v: v, [x], tf.TensorSpec([None, 3], tf.float32))
        z = op(lambda v: [v, v], [x], [tf.float32, tf.float32], output_shapes=[[2, None], None])
    assert y.shape.as_list() == [None, 3] and z[0].shape.as_list() == [2, None] and z[1].shape.rank is None


def test_shapes_that_do_not_go_with_the_types_are_refused_where_they_are_written() -> None:
    with pytest.raises(TypeError, match="is not nested like Tout"):
        tf.py_function(lambda x: [x, x], [1.0], [tf.float32, tf.float32], output_shapes=[[]])
    with pytest.raises(ValueError, match="must be equal rank"):
        tf.py_function(lambda x: x, [1.0], tf.TensorSpec([2], tf.float32), output_shapes=[])
    with pytest.raises(TypeError, match="put the shape in the spec"):
        tf.py_function(lambda x: x, [1.0], tf.RaggedTensorSpec([None, None]), output_shapes=[2, None])


@both
@families
def test_shapes_may_be_computed_from_those_of_the_inputs(api: str, graph: bool) -> None:
    op = getattr(tf, api)
    x = np.ones((2, 3), np.float32)

    def twice(shape: Any) -> Any:
        return [shape[0] * 2, shape[1]]

    got = run(lambda: op(lambda v: np.concatenate([v, v]), [x], tf.float32, output_shapes=twice), graph)
    assert got.shape == (4, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[2,3\]; declared is \[4,3\]"):
        run(lambda: op(lambda v: v, [x], tf.float32, output_shapes=twice), graph)


def test_a_computed_shape_is_asked_again_where_sizes_were_not_known() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.py_function(lambda v: v, [x], tf.float32, output_shapes=lambda s: [s[0] * 2, s[1]])
        z = tf.py_function(lambda v: v, [x], tf.float32, output_shapes=lambda s: s)
        assert y.shape.rank is None and z.shape.as_list() == [None, 3]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[5,3\]; declared is \[10,3\]"):
            session.run(y, {x: np.ones((5, 3))})
        assert session.run(z, {x: np.ones((5, 3))}).shape == (5, 3)


def test_a_shape_rule_gets_what_the_function_gets() -> None:
    def body(x: Any, *, axis: int, table: Any) -> Any:
        return tf.reduce_sum(x, axis=axis) + table["w"]

    def rule(x: Any, *, axis: int, table: Any) -> Any:
        assert table["w"].as_list() == []
        return x[1:] if axis == 0 else x[:1]

    with tf.Graph().as_default():
        y = tf.py_function(
            body,
            [tf.ones([2, 3])],
            tf.float32,
            kwargs={"axis": 0, "table": {"w": tf.constant(1.0)}},
            output_shapes=rule,
        )
    assert y.shape.as_list() == [3]


def test_shapes_learned_from_a_sample() -> None:
    calls: list[Any] = []

    def body(x: Any) -> Any:
        calls.append(x.shape)
        return x[0], np.float32(x.sum())

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        sample = [np.ones((2, 3), np.float32)]
        row, total = tf.numpy_function(body, [x], [tf.float32] * 2, output_shapes="infer", sample=sample)
        assert calls == [(2, 3)] and row.shape.as_list() == [3] and total.shape.as_list() == []
        assert session.run(total, {x: np.ones((4, 3))}) == 12.0


def test_a_learned_size_that_follows_an_input_stays_open_and_others_are_promises() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        sample = [np.ones((2, 3), np.float32)]
        same = tf.py_function(lambda v: v, [x], tf.float32, output_shapes="infer", sample=sample)
        count = tf.py_function(lambda v: [tf.concat([v, v], 0)], [x], tf.float32, output_shapes="infer", sample=sample)
        assert same.shape.as_list() == [None, 3] and count.shape.as_list() == [4, 3]
        assert session.run(same, {x: np.ones((7, 3))}).shape == (7, 3)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"has shape \[6,3\]; declared is \[4,3\]"):
            session.run(count, {x: np.ones((3, 3))})


def test_a_stateful_function_is_never_called_without_a_sample() -> None:
    called: list[int] = []

    def body(x: Any) -> Any:
        called.append(1)
        return x

    with pytest.raises(ValueError, match="For a stateful function pass sample="):
        tf.py_function(body, [1.0], tf.float32, output_shapes="infer")
    assert called == []
    with tf.Graph().as_default():
        known = tf.placeholder(tf.float32, [2, 3])
        y = tf.py_function(lambda x: x[0], [known], tf.float32, output_shapes="infer", stateful=False)
        assert y.shape.as_list() == [3]
        with pytest.raises(ValueError, match="needs sample="):
            tf.py_function(lambda x: x, [tf.placeholder(tf.float32)], tf.float32, output_shapes="infer", stateful=False)
    with pytest.raises(ValueError, match="sample has 2 values for 1 inputs"):
        tf.py_function(lambda x: x, [1.0], tf.float32, output_shapes="infer", sample=[1.0, 2.0])


def test_a_decorated_function_is_called_on_its_sample_once() -> None:
    calls: list[int] = []

    @tf.py_function(Tout=tf.float32, output_shapes="infer", sample=[[1.0, 2.0]])
    def body(x: Any) -> Any:
        calls.append(len(x))
        return x

    for size in (3, 4):
        assert body(tf.ones([size])).shape.as_list() == [size]
    assert calls == [2, 3, 4]


def test_py_function_may_be_stateless() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        calls: list[int] = []

        def body(x: Any) -> Any:
            calls.append(1)
            return x * 2.0

        x = tf.constant(1.0)
        one, two = (tf.py_function(body, [x], tf.float32, stateful=False) for _ in range(2))
        assert one.op.type == "EagerPyFunc"
        assert session.run([one, two]) == session.run([one, two]) == [2.0, 2.0]
    assert calls == [1]


def test_without_a_copy_arrays_are_read_only_views() -> None:
    def body(x: Any) -> Any:
        assert not x.flags.writeable and x.base is not None
        x[0] = 1.0

    with pytest.raises(tf.errors.InvalidArgumentError, match="read-only"):
        tf.numpy_function(body, [np.zeros(3, np.float32)], tf.float32, copy=False)
