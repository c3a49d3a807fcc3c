"""`contrib.framework.py_func`: nested arguments and results."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import inlay as tf

py_func = tf.contrib.framework.py_func
Pair = collections.namedtuple("Pair", ["a", "b"])


def parse(x: Any, y: Any = None) -> Any:
    assert isinstance(x, np.ndarray)
    return {"sum": np.float32(x.sum()), "parts": (x, np.int64(len(x)))}


TYPES = {"sum": tf.float32, "parts": (tf.float32, tf.int64)}
SHAPES = {"sum": [], "parts": ([None], tf.TensorShape([]))}


def test_nested_results_have_static_shapes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        out = py_func(parse, [tf.constant([1.0, 2.0])], None, TYPES, SHAPES, name="parse")
        assert out["sum"].shape.as_list() == [] and out["parts"][0].shape.as_list() == [None]
        assert out["sum"].op.name == "parse" and out["sum"].op.type == "PyFunc" and isinstance(out["parts"], tuple)
        got = session.run(out)
    assert got["sum"] == 3.0 and got["parts"][0].tolist() == [1, 2] and got["parts"][1] == 2


def test_eager_calls_give_the_same_nest() -> None:
    out = py_func(parse, [np.float32([1, 2])], output_types=TYPES, output_shapes=SHAPES)
    assert float(out["sum"]) == 3.0 and isinstance(out["parts"], tuple) and int(out["parts"][1]) == 2
    assert float(py_func(lambda x: x * 2, [np.float32(2)], output_types=tf.float32)) == 4.0


def test_arguments_are_nests_and_every_leaf_an_array() -> None:
    def body(pair: Any, *, options: Any) -> Any:
        assert isinstance(pair, Pair) and isinstance(pair.b, list)
        assert options["name"] == b"n" and isinstance(options["scale"], np.float32)
        return (pair.a + pair.b[0] + pair.b[1]) * options["scale"]

    with tf.Graph().as_default(), tf.Session() as session:
        args = [Pair(tf.constant(1.0), [tf.constant(2.0), 3.0])]
        out = py_func(body, args, {"options": {"scale": tf.constant(2.0), "name": "n"}}, tf.float32, [])
        assert session.run(out) == 12.0


def test_types_and_shapes_may_be_computed_from_the_arguments() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 2])
        out = py_func(
            lambda x, k: {"y": x * k},
            [x],
            {"k": np.float64(2)},
            lambda x, k: {"y": x.dtype},
            lambda x, k: {"y": x.shape},
        )
        assert out["y"].dtype is tf.float64 and out["y"].shape.as_list() == [None, 2]
        assert session.run(out, {x: [[1.0, 2.0]]})["y"].tolist() == [[2.0, 4.0]]
    assert py_func(lambda: np.float32(1), output_types=np.float32).dtype is tf.float32


def test_stateless_calls() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        count = iter(range(10))
        out = py_func(lambda: np.int64(next(count)), [], None, tf.int64, stateful=False)
        assert out.op.type == "PyFuncStateless"
        assert [session.run(out) for _ in range(3)] == [0, 0, 0]


WRONG: list[tuple[Any, Any, str]] = [
    (
        lambda: {"b": np.float32(1)},
        {"a": tf.float32},
        r"expected a dict with keys \['a'\], got a dict with keys \['b'\]",
    ),
    (lambda: (np.float32(1),), (tf.float32, tf.float32), "expected a tuple of 2, got a tuple of 1"),
    (lambda: {"a": [np.float32(1)] * 3}, {"a": tf.float32}, "returns 3 values, but expects to see 1 values"),
    (lambda: [np.float32(1)] * 2, tf.float32, "returns 2 values, but expects to see 1 values"),
    (lambda: None, tf.float32, "returns 0 values, but expects to see 1 values"),
    (lambda: {"a": np.float64(1)}, {"a": tf.float32}, r"is double, but expects float \(at \['a'\]\)"),
]


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize(("body", "types", "message"), WRONG, ids=range(len(WRONG)))
def test_a_wrong_result_is_refused_when_it_comes(body: Any, types: Any, message: str, graph: bool) -> None:
    if not graph:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            py_func(body, output_types=types)
        return
    with tf.Graph().as_default(), tf.Session() as session:
        out = py_func(body, output_types=types, name="mine")
        with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
            session.run(out)
        assert "op 'mine' (PyFunc)" in str(caught.value)


def test_a_false_shape_is_refused_when_the_value_comes() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        out = py_func(lambda: {"a": np.zeros(3, np.float32)}, output_types={"a": tf.float32}, output_shapes={"a": [2]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"at \['a'\] .* shape \[3\]; declared is \[2\]"):
            session.run(out)


def test_wrong_arguments_are_type_errors() -> None:
    with pytest.raises(TypeError, match="args must be list and not"):
        py_func(parse, 1.0, output_types=tf.float32)
    with pytest.raises(TypeError, match="kwargs must be dict and not"):
        py_func(parse, [1.0], [1.0], tf.float32)
    with pytest.raises(TypeError, match="needs output_types"):
        py_func(parse, [1.0])
    with pytest.raises(TypeError, match="is not nested like"):
        py_func(parse, [1.0], None, {"a": tf.float32}, {"b": []})
    with pytest.raises(ValueError, match="Expected func to be callable"):
        py_func(3, [1.0], None, tf.float32)


def test_its_nest_module_reaches_shallow_structures() -> None:
    nest = tf.contrib.framework.nest
    assert nest.flatten_up_to({"a": 0, "b": 0}, {"a": [1, 2], "b": 3}) == [[1, 2], 3]
    assert nest.map_structure_up_to([0, 0], len, [[1, 2], [3]]) == [2, 1]
    with pytest.raises(ValueError, match="same keys"):
        nest.assert_shallow_structure({"a": 0}, {"b": 1})
    with pytest.raises(TypeError, match="must also be a sequence"):
        nest.assert_shallow_structure([0], 1)
    assert nest.is_sequence([1]) and not nest.is_sequence(1)
