"""Specs of composite values, and composite values through the family in graphs and eagerly."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import inlay as tf

ROWS = [[1.0, 2.0], [], [3.0, 4.0, 5.0]]
RAGGED = tf.RaggedTensorSpec([None, None], tf.float32)
SPARSE = tf.SparseTensorSpec([3, 2], tf.float32)


def test_what_a_ragged_spec_says() -> None:
    assert RAGGED.ragged_rank == 1 and RAGGED.row_splits_dtype is tf.int64
    assert repr(RAGGED) == "RaggedTensorSpec(TensorShape([None, None]), tf.float32, 1, tf.int64)"
    assert tf.type_spec_from_value(tf.ragged.constant(ROWS)) == tf.RaggedTensorSpec([3, None], tf.float32)
    assert pickle.loads(pickle.dumps(RAGGED)) == RAGGED and hash(RAGGED) == hash(tf.RaggedTensorSpec([None, None]))
    with pytest.raises(ValueError, match="must be less than rank"):
        tf.RaggedTensorSpec([None], tf.float32, ragged_rank=1)
    with pytest.raises(ValueError, match="Must specify ragged_rank"):
        tf.RaggedTensorSpec(None)


@pytest.mark.parametrize(
    ("spec", "fits"),
    [
        (RAGGED, True),
        (tf.RaggedTensorSpec([3, None], tf.float32), True),
        (tf.RaggedTensorSpec([4, None], tf.float32), False),
        (tf.RaggedTensorSpec([None, 2], tf.float32), False),
        (tf.RaggedTensorSpec([None, None], tf.int64), False),
        (tf.RaggedTensorSpec([None, None, None], tf.float32), False),
        (tf.RaggedTensorSpec([None, None], tf.float32, row_splits_dtype=tf.int32), False),
        (SPARSE, False),
    ],
)
def test_which_specs_a_ragged_value_satisfies(spec: Any, fits: bool) -> None:
    assert spec.is_compatible_with(tf.ragged.constant(ROWS)) is fits


def double(value: Any) -> Any:
    return value * 2.0


def test_ragged_through_py_function_eagerly() -> None:
    rt = tf.ragged.constant(ROWS)
    seen: list[Any] = []

    def body(value: Any) -> Any:
        seen.append(value)
        return value * 2.0

    single = tf.py_function(body, [rt], RAGGED)
    (listed,) = tf.py_function(body, [rt], [RAGGED])
    assert isinstance(seen[0], tf.RaggedTensor)
    assert single.to_list() == listed.to_list() == [[2, 4], [], [6, 8, 10]]


def test_composites_through_py_function_in_a_graph() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        r, s = tf.ragged.placeholder(tf.float32, 1), tf.sparse.placeholder(tf.float32)

        def body(rows: Any, coordinates: Any) -> Any:
            assert isinstance(rows, tf.RaggedTensor) and isinstance(coordinates, tf.SparseTensor)
            return rows * rows, coordinates * 3.0, tf.reduce_sum(rows, axis=1)

        squared, tripled, sums = tf.py_function(body, [r, s], [RAGGED, SPARSE, tf.float32])
        gradient = tf.gradients(tf.reduce_sum(squared), r.flat_values)[0]
        feeds = {r: ROWS, s: tf.SparseTensorValue([[0, 1]], [5.0], [3, 2])}
        got = session.run([squared, tripled, sums, gradient], feeds)
    assert isinstance(got[0], tf.ragged.RaggedTensorValue) and got[0].to_list() == [[1, 4], [], [9, 16, 25]]
    assert isinstance(got[1], tf.SparseTensorValue) and got[1].values.tolist() == [15.0]
    assert got[2].tolist() == [3, 0, 12] and got[3].tolist() == [2, 4, 6, 8, 10]


@pytest.mark.parametrize("feed", [ROWS, tf.ragged.constant(ROWS), "value"], ids=["lists", "eager", "value"])
def test_ragged_feeds(feed: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        r = tf.ragged.placeholder(tf.float32, 1)
        if isinstance(feed, str):
            feed = tf.ragged.RaggedTensorValue(np.array([1, 2, 3, 4, 5], np.float32), np.array([0, 2, 2, 5]))
        assert session.run(r + 1.0, {r: feed}).to_list() == [[2, 3], [], [4, 5, 6]]
        with pytest.raises(TypeError, match="ragged rank 1"):
            session.run(r, {r: 3})


@pytest.mark.parametrize(
    "spec",
    [
        tf.RaggedTensorSpec([None, None], tf.int64),
        tf.RaggedTensorSpec([None, 2], tf.float32),
        tf.RaggedTensorSpec([2, None], tf.float32),
        SPARSE,
    ],
    ids=str,
)
@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
def test_a_lying_spec_is_refused_on_the_call(spec: Any, graph: bool) -> None:
    message = r"double returned <tf.RaggedTensor .*, which did not match Tout=\[(Ragged|Sparse)TensorSpec"
    if not graph:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            tf.py_function(double, [tf.ragged.constant(ROWS)], spec)
        return
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.py_function(double, [tf.ragged.constant(ROWS)], spec, name="mine")
        with pytest.raises(tf.errors.InvalidArgumentError, match=message) as caught:
            session.run(y)
        assert "op 'mine' (EagerPyFunc)" in str(caught.value)


def test_rows_where_a_tensor_is_declared_are_refused_and_the_other_way_round() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"declare RaggedTensorSpec\(TensorShape\(\[3, None\]\)"):
        tf.py_function(double, [tf.ragged.constant(ROWS)], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not match Tout"):
        tf.py_function(double, [tf.constant([1.0])], RAGGED)


@pytest.mark.parametrize("graph", [False, True], ids=["eager", "graph"])
@pytest.mark.parametrize("api", ["numpy_function", "py_func"])
def test_numpy_functions_refuse_composites(api: str, graph: bool) -> None:
    op = getattr(tf, api)
    with tf.Graph().as_default() if graph else tf.name_scope("eager"):
        with pytest.raises(TypeError, match=f"{api} cannot take a RaggedTensor"):
            op(double, [tf.ragged.constant(ROWS)], tf.float32)
        with pytest.raises(TypeError, match="cannot take a SparseTensor"):
            op(double, [tf.SparseTensor([[0]], [1.0], [1])], tf.float32)
        with pytest.raises(TypeError, match="Expected DataType for argument 'Tout' not RaggedTensorSpec"):
            op(double, [1.0], RAGGED)


def test_composites_in_keyword_arguments() -> None:
    rt = tf.ragged.constant(ROWS)

    def body(x: Any, *, parts: Any) -> Any:
        return x + tf.reduce_sum(parts["rows"])

    assert float(tf.py_function(body, [1.0], tf.float32, kwargs={"parts": {"rows": rt, "note": "kept"}})) == 16.0


@pytest.mark.parametrize("flat", [None, [None], [4]])
@pytest.mark.parametrize("splits", [None, [None]])
def test_a_ragged_spec_tells_its_components_their_shapes(flat: Any, splits: Any) -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.float32, 1)

    @tf.function(input_signature=[tf.TensorSpec(flat, tf.float32), tf.TensorSpec(splits, tf.int64)])
    def doubled(values: Any, row_splits: Any) -> Any:
        rows = spec._from_components([values, row_splits])
        assert rows.shape.as_list() == [2, None]
        return rows * 2

    assert doubled([1.0, 2.0, 3.0, 4.0], [0, 3, 4]).to_list() == [[2.0, 4.0, 6.0], [8.0]]


def test_maps_of_rows_nest_in_a_graph() -> None:
    inner, outer = (tf.RaggedTensorSpec([None] * rank, tf.int32) for rank in (1, 2))

    @tf.function
    def squares(x: Any) -> Any:
        return tf.map_fn(lambda r: tf.map_fn(lambda _: r, r, fn_output_signature=inner), x, fn_output_signature=outer)

    assert squares(tf.ragged.constant([[1, 2], [3]])).to_list() == [[[1, 2], [1, 2]], [[3]]]
