"""Recipes that programs share: functions with a gradient from an override map, a decorator over the contrib form."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

_names = itertools.count()


def registered(gradient: Callable[..., Any]) -> str:
    """Registers a gradient under a fresh name, as the recipe does with random ones."""
    name = f"RecipeGradient{next(_names)}"
    tf.RegisterGradient(name)(gradient)
    return name


def with_gradient(func: Any, inp: Any, tout: Any, gradient: Any, stateful: bool = True, op: Any = None) -> Any:
    """The recipe: `py_func` inside an override map."""
    name = registered(gradient)
    mapped = {"PyFunc": name, "PyFuncStateless": name, "EagerPyFunc": name}
    with tf.get_default_graph().gradient_override_map(mapped):
        if op is not None:
            return op(func, inp, tout)
        return tf.py_func(func, inp, tout, stateful=stateful)


def test_an_override_reaches_py_function_and_wins_over_its_body() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y = with_gradient(lambda v: v * v, [x], tf.float32, lambda op, dy: dy * 7.0, op=tf.py_function)
        assert session.run([y, tf.gradients(y, x)[0]], {x: 3.0}) == [9.0, 7.0]


def test_the_override_is_stored_where_the_op_is_made() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32)
        name = registered(lambda op, dy: dy)
        before = tf.py_func(lambda v: v, [x], tf.float32)
        with graph.gradient_override_map({"PyFunc": name}):
            inside = tf.py_func(lambda v: v, [x], tf.float32)
            other = tf.py_func(lambda v: v, [x], tf.float32, stateful=False)
        assert tf.gradients(before, x)[0] is None and tf.gradients(inside, x)[0] is not None
        assert tf.gradients(other, x)[0] is None


def test_a_wrong_number_of_gradients_is_refused() -> None:
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = with_gradient(lambda a, b: a + b, [x, x], tf.float32, lambda op, dy: dy)
        with pytest.raises(ValueError, match="Num gradients 1 generated for op .* do not match num inputs 2"):
            tf.gradients(y, x)


def test_several_inputs_and_outputs_some_without_gradient() -> None:
    def gradient(op: Any, dsum: Any, dcount: Any) -> Any:
        a, _, n = op.inputs
        assert len(op.outputs) == 2
        return dsum * tf.cast(n, a.dtype), None, None

    with tf.Graph().as_default(), tf.Session() as session:
        a, b, n = tf.placeholder(tf.float32), tf.placeholder(tf.float32), tf.constant(4)
        total, _ = with_gradient(lambda a, b, n: (np.float32(a * n), n), [a, b, n], [tf.float32, tf.int32], gradient)
        da, db = tf.gradients(total, [a, b])
        assert db is None and session.run(da, {a: 1.0, b: 1.0}) == 4.0


def test_the_gradient_function_may_build_differentiable_ops() -> None:
    def slope(op: Any, dy: Any) -> Any:
        x = op.inputs[0]
        inner = with_gradient(lambda v: 3 * v**2, [x], tf.float64, lambda op, dy: 6.0 * op.inputs[0] * dy)
        return inner * dy

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64)
        y = with_gradient(lambda v: v**3, [x], tf.float64, slope)
        first = tf.gradients(y, x)[0]
        second = tf.gradients(x * first, x)[0]
        assert session.run([first, second], {x: 2.0}) == [12.0, 36.0]


# ---------------------------------------------------------------- the decorator over the contrib form


def as_graph_op(output_types: Any, output_shapes: Any = None, **options: Any) -> Any:
    """The decorator that loaders share: a Python function over nests as a graph function."""

    def decorate(function: Any) -> Any:
        def staged(*args: Any, **kwargs: Any) -> Any:
            return tf.contrib.framework.py_func(
                func=function,
                args=args,
                kwargs=kwargs,
                output_types=output_types,
                output_shapes=output_shapes,
                **options,
            )

        return staged

    return decorate


ENTRIES = [
    {"path": f"img{i}.jpg".encode(), "label": np.int64(i % 3), "tokens": np.arange(i % 4, dtype=np.int32)}
    for i in range(50)
]
TYPES = {"path": tf.string, "label": tf.int64, "tokens": tf.int32}
SHAPES = {"path": [], "label": [], "tokens": [None]}


@pytest.mark.parametrize("stateful", [True, False])
def test_an_indexable_becomes_a_graph_function(stateful: bool) -> None:
    @as_graph_op(TYPES, SHAPES, stateful=stateful, name="entry")
    def entry(index: Any) -> Any:
        return ENTRIES[index]

    with tf.Graph().as_default(), tf.Session() as session:
        index = tf.placeholder(tf.int64, [])
        out = entry(index)
        assert {k: v.shape.as_list() for k, v in out.items()} == SHAPES
        assert out["path"].op.name == "entry"
        for i in (0, 7, 49):
            got = session.run(out, {index: i})
            assert got["path"] == ENTRIES[i]["path"] and got["label"] == i % 3
            assert got["tokens"].tolist() == ENTRIES[i]["tokens"].tolist()
    assert int(entry(np.int64(5))["label"]) == 2


def test_the_decorated_function_takes_keywords_and_computed_types() -> None:
    @as_graph_op(lambda x, **_: {"y": x.dtype}, lambda x, **_: {"y": x.shape})
    def scaled(x: Any, *, by: Any) -> Any:
        return {"y": x * by}

    with tf.Graph().as_default(), tf.Session() as session:
        out = scaled(tf.constant([1.0, 2.0]), by=np.float32(3))
        assert out["y"].shape.as_list() == [2]
        assert session.run(out)["y"].tolist() == [3.0, 6.0]


def test_the_decorated_function_says_when_an_entry_is_wrong() -> None:
    @as_graph_op(TYPES, SHAPES)
    def entry(index: Any) -> Any:
        return {k: v for k, v in ENTRIES[index].items() if k != "label"}

    with tf.Graph().as_default(), tf.Session() as session:
        out = entry(tf.constant(1, tf.int64))
        with pytest.raises(tf.errors.InvalidArgumentError, match="expected a dict with keys .*'label'.*, got a dict"):
            session.run(out)
