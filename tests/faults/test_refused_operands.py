"""Operands of ops, nests and gradient checks of the wrong kind: the fuzzer showed one of each class, here are more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay import errors
from tests.faults.hostile_values import in_itself, nested
from tests.faults.test_refused_arguments import refused

v1 = tf.compat.v1


# ---------------------------------------------------------------- truths of nests

SEVERAL = {"array": np.array([1, 2]), "tensor": tf.constant(["a", "b"])}
NESTS: dict[str, Callable[[Any], Any]] = {
    "flatten": lambda v: tf.nest.flatten([1, {1, 2}], v),
    "flatten a leaf": lambda v: tf.nest.flatten(1, expand_composites=v),
    "pack_sequence_as": lambda v: tf.nest.pack_sequence_as([1], [1], v),
    "map_structure": lambda v: tf.nest.map_structure(abs, [1, {1, 2}], expand_composites=v),
    "assert_same_structure": lambda v: tf.nest.assert_same_structure([1], [1], expand_composites=v),
    "types of assert_same_structure": lambda v: tf.nest.assert_same_structure([1], [1], check_types=v),
}


@pytest.mark.parametrize("name", NESTS)
@pytest.mark.parametrize("kind", SEVERAL)
def test_several_truths_are_refused_by_nests(name: str, kind: str) -> None:
    refused(lambda: NESTS[name](SEVERAL[kind]), ValueError, "must be True or False, got ")


@pytest.mark.parametrize("truth", ["a", None, 1, np.bool_(True)])
def test_what_has_one_truth_is_taken_by_nests(truth: Any) -> None:
    assert tf.nest.flatten([1, [2]], expand_composites=truth) == [1, 2]
    assert tf.nest.pack_sequence_as([1, [2]], [3, 4], expand_composites=truth) == [3, [4]]


# ---------------------------------------------------------------- lists without an end

IN_ITSELF: dict[str, tuple[Callable[[Any], Any], type[Exception]]] = {
    "flatten": (tf.nest.flatten, RecursionError),
    "matmul": (lambda v: tf.matmul([[1.0, 2.0]], v), ValueError),
    "matmul in a graph": (lambda v: tf.matmul(v1.placeholder(tf.float32, [2, 2]), v), ValueError),
    "index": (lambda v: tf.constant([1.0])[v], TypeError),
}


@pytest.mark.parametrize("name", IN_ITSELF)
@pytest.mark.parametrize("value", [in_itself(True), in_itself(False), nested(3000)], ids=["first", "second", "deep"])
def test_lists_without_an_end_are_refused(name: str, value: Any) -> None:
    call, kind = IN_ITSELF[name]
    with tf.Graph().as_default():
        refused(lambda: call(value), kind, "nested too deep|more than 64 levels|valid indices")


# ---------------------------------------------------------------- axes, sizes and indices


@pytest.mark.parametrize("axis", [10**400, 2**63, -(2**63) - 1])
@pytest.mark.parametrize("values", [[[1.0], [2.0]], [[1.0]]], ids=["two", "one"])
def test_no_axis_of_concat_is_beyond_64_bits(axis: int, values: Any) -> None:
    refused(lambda: tf.concat(values, axis), ValueError, "out-of-range integer")


@pytest.mark.parametrize("axis", [np.zeros([0], np.float32), np.ones([2], np.int32), tf.constant([0, 0]), "a"])
@pytest.mark.parametrize("values", [[[1.0], [2.0]], [tf.constant([1.0])] * 2], ids=["lists", "tensors"])
def test_the_axis_of_stack_is_one_number(axis: Any, values: Any) -> None:
    refused(lambda: tf.stack(values, axis), TypeError, "Expected int for argument 'axis'")


def test_the_axis_of_stack_may_be_a_scalar_of_any_kind() -> None:
    for axis in (tf.constant(1), np.float32(1), np.array(1), True):
        assert tf.stack([[1.0, 2.0], [3.0, 4.0]], axis).numpy().tolist() == [[1, 3], [2, 4]]


@pytest.mark.parametrize("size", [[0, 1], [2], np.array([1, 2]), [[2]]], ids=str)
def test_the_sides_of_eye_are_numbers(size: Any) -> None:
    refused(lambda: tf.eye(size), TypeError, "`num_rows` must be a positive integer")
    refused(lambda: tf.eye(1, size), TypeError, "`num_columns` must be a positive integer")
    refused(lambda: tf.eye(1, tf.constant(size)), errors.InvalidArgumentError, "num_columns must be rank 0")


def test_the_sides_of_eye_are_checked_when_a_graph_runs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        side = v1.placeholder(tf.int32)
        eye = tf.eye(side)
        refused(lambda: session.run(eye, {side: [1, 2]}), errors.InvalidArgumentError, "num_rows must be rank 0")
        assert session.run(eye, {side: 1}).tolist() == [[1]]
        refused(lambda: tf.eye(tf.constant([1, 2])), ValueError, "must be rank 0")


@pytest.mark.parametrize("key", [lambda i: i, lambda i: slice(i), lambda i: (..., i)], ids=["row", "end", "last"])
def test_tensors_that_index_are_scalars(key: Callable[[Any], Any]) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        row, vector, index = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.int32, [2]), v1.placeholder(tf.int32)
        refused(lambda: row[key(vector)], TypeError, "tensors are valid indices")
        refused(lambda: row[key(tf.constant([0, 1]))], TypeError, "tensors are valid indices")
        part = row[key(index)]
        for value in ([0, 1], [1], [[1]]):
            feeds = {row: [1, 2, 3], index: value}
            refused(lambda: session.run(part, feeds), errors.InvalidArgumentError, "indices must be scalars")  # noqa: B023


def test_shapes_are_compared_with_lists_of_shapes() -> None:
    for others in (np.array(0), 5):
        refused(lambda: tf.TensorShape([2]).most_specific_common_supertype(others), TypeError, "list of shapes")  # noqa: B023


@pytest.mark.parametrize("axis", [np.zeros([0], np.float32), np.array([0, 1]), "a"], ids=["empty", "vector", "text"])
@pytest.mark.parametrize("name", ["seq_axis", "batch_axis", "seq_dim", "batch_dim"])
def test_the_axes_of_reverse_sequence_are_numbers(name: str, axis: Any) -> None:
    axes = {"seq_axis": 1} if name.startswith("batch") else {}
    refused(lambda: v1.reverse_sequence([[1.0, 2.0]], [1], **axes, **{name: axis}), TypeError, "Expected int for arg")
    assert v1.reverse_sequence([[1.0, 2.0]], [2], seq_dim=1, batch_dim=np.float32(0)).numpy().tolist() == [[2, 1]]


@pytest.mark.parametrize(
    "enum", [[b"a"], None, tf.Graph(), float("inf"), 10**400], ids=["list", "none", "graph", "inf", "big"]
)
def test_the_number_of_a_dtype_is_an_integer(enum: Any) -> None:
    refused(lambda: tf.DType(enum), TypeError, "must be an integer|does not correspond")


@pytest.mark.parametrize("fraction", [np.dtype("U3"), np.clongdouble(1), np.array(None, object)], ids=str)
def test_scalars_that_are_no_real_numbers_are_refused(fraction: Any) -> None:
    refused(lambda: tf.image.central_crop(tf.ones([4, 4, 3]), fraction), TypeError, "Expected float for argument")


def test_the_number_of_segments_is_a_scalar() -> None:
    rows = tf.ragged.segment_ids_to_row_splits
    refused(lambda: rows(tf.constant([0]), tf.ones([4, 3], tf.int32)), errors.InvalidArgumentError, "must be rank 0")
    with tf.Graph().as_default():
        ids = v1.placeholder(tf.int32, [1])
        refused(lambda: rows(ids, tf.ones([4, 3], tf.int32)), ValueError, "must be rank 0")


def test_matrices_with_a_rank_are_no_ragged_values() -> None:
    value = v1.ragged.constant_value([[1], [2, 3]])
    refused(lambda: tf.linalg.matrix_rank(value), ValueError, "does not take a RaggedTensor")


def test_sampled_products_are_of_matrices_of_known_rank() -> None:
    with tf.Graph().as_default():
        indices, matrix = v1.placeholder(tf.int32, [None, 2]), v1.placeholder(tf.float32, [2, 2])
        for args in ((v1.placeholder(tf.int32), matrix, matrix), (indices, v1.placeholder(tf.float32), matrix)):
            refused(lambda: tf.sparse.sampled_addmm(args[0], [1.0], [2, 2], *args[1:]), ValueError, "known rank")  # noqa: B023
        refused(lambda: tf.sparse.sampled_addmm(indices, [1.0], [2, 2], matrix, [1.0, 2.0]), ValueError, "`mat2` must")


# ---------------------------------------------------------------- operands that are no tensors


@pytest.mark.parametrize("other", [np.array(3, np.longdouble), np.array([[1], [2, 3]], object)], ids=["long", "lists"])
def test_what_operators_of_numpy_refuse_is_refused_as_before(other: Any) -> None:
    refused(lambda: tf.constant([1.0]) & other, errors.InvalidArgumentError, "Value for attr 'T' of float")


@pytest.mark.parametrize("element", [..., object(), None], ids=["ellipsis", "object", "none"])
def test_matrices_are_of_numbers(element: Any) -> None:
    with tf.Graph().as_default():
        matrix = v1.placeholder(tf.float32, [2, 2])
        refused(lambda: matrix @ [[element]], ValueError, "unsupported type")
        refused(lambda: matrix @ [v1.placeholder(tf.float32), element], ValueError, "unsupported type")


def test_ragged_tensors_are_made_of_rows() -> None:
    row, number = tf.constant([1.0]), tf.constant(1)
    refused(lambda: tf.RaggedTensor(row, number), ValueError, "row_splits must be a vector")
    refused(lambda: tf.RaggedTensor(number, tf.constant([0, 1])), ValueError, "at least one dimension")


# ---------------------------------------------------------------- dtypes of results

RESULTS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "decode_webp": (lambda dtype: tf.io.decode_webp("a", dtype=dtype), "uint8"),
    "extract_jpeg_shape": (lambda dtype: tf.io.extract_jpeg_shape("a", output_type=dtype), "int32, int64"),
    "sobol_sample": (lambda dtype: tf.math.sobol_sample(1, 2, dtype=dtype), "float"),
    "unique": (lambda dtype: tf.unique([1.0], dtype), "int32, int64"),
    "unique_with_counts": (lambda dtype: tf.unique_with_counts([1.0], dtype), "int32, int64"),
    "searchsorted": (lambda dtype: tf.searchsorted([1.0], [1.0], out_type=dtype), "int32, int64"),
    "setdiff1d": (lambda dtype: v1.setdiff1d([1.0], [1.0], dtype), "int32, int64"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_have_dtypes_that_the_op_knows(name: str) -> None:
    call, allowed = RESULTS[name]
    refused(
        lambda: call("bool"), errors.InvalidArgumentError, f"of bool is not in the list of allowed values: {allowed}"
    )
    refused(lambda: call(3.5), TypeError, "Expected DataType for argument |Cannot convert the argument `type_value`")
    with tf.Graph().as_default():
        refused(lambda: call(tf.bool), TypeError, f"has DataType bool not in list of allowed values: {allowed}")


# ---------------------------------------------------------------- checks of gradients


@pytest.mark.parametrize("result", [None, [1.0], (i for i in ())], ids=["none", "list", "generator"])
def test_a_checked_function_returns_one_tensor(result: Any) -> None:
    refused(lambda: tf.test.compute_gradient(lambda x: result, [1.0]), TypeError, "must return a tensor")


def test_a_checked_function_may_return_an_array() -> None:
    assert tf.test.compute_gradient(lambda *_: np.float32(1.0), []) == ([], [])
    theory, numbers = tf.test.compute_gradient(lambda x: np.float32(1.0), [2.0])
    assert [a.tolist() for a in (*theory, *numbers)] == [[[0.0]], [[0.0]]]


def test_checked_arguments_are_tensors_of_numbers() -> None:
    refused(lambda: tf.test.compute_gradient(lambda x: x, ["a"]), AssertionError, "unsupported type string of argument")
    with tf.Graph().as_default(), v1.Session():
        x = v1.placeholder(tf.float32, [2])
        check = v1.test.compute_gradient
        refused(lambda: check(np.array([1, 2]), [2], x * 2, [2]), TypeError, "needs tensors of a graph as `x`")


# ---------------------------------------------------------------- ragged operands

RAGGED = tf.ragged.constant([[1], [2, 3]])
RAGGED_ELSEWHERE: dict[str, Callable[[Any], Any]] = {
    "expand_dims": lambda v: tf.expand_dims(v, RAGGED),
    "tile": lambda v: tf.tile(v, RAGGED),
    "split": lambda v: tf.split(v, RAGGED),
    "reverse": lambda v: tf.reverse(v, RAGGED),
    "reduce_sum": lambda v: tf.reduce_sum(v, RAGGED),
    "reduce_mean": lambda v: tf.reduce_mean(v, RAGGED),
    "reduce_any": lambda v: tf.reduce_any(tf.cast(v, tf.bool), RAGGED),
    "cumsum": lambda v: tf.cumsum(v, RAGGED),
    "one_hot": lambda v: tf.one_hot(v, RAGGED),
}


@pytest.mark.parametrize("name", RAGGED_ELSEWHERE)
@pytest.mark.parametrize("value", [1, [[1, 2], [3, 4]], RAGGED], ids=["scalar", "dense", "ragged"])
def test_ragged_tensors_are_refused_where_a_tensor_is_wanted(name: str, value: Any) -> None:
    def call() -> Any:
        return RAGGED_ELSEWHERE[name](value)

    refused(call, ValueError, "RaggedTensor")
    refused(lambda: tf.function(call)(), TypeError, "RaggedTensor")


# ---------------------------------------------------------------- numbers of parts, and texts


@pytest.mark.parametrize("num", ["a", object(), [2], 1.5], ids=["text", "object", "list", "fraction"])
@pytest.mark.parametrize("function", [tf.split, v1.split])
def test_the_number_of_parts_is_an_integer(function: Any, num: Any) -> None:
    refused(lambda: function([1, 2], [1, 1], num=num), TypeError, "Expected int for argument 'num_split'")


@pytest.mark.parametrize("num", [0, -1])
def test_there_is_at_least_one_part(num: int) -> None:
    refused(lambda: tf.split([1, 2], [1, 1], num=num), errors.InvalidArgumentError, f"num_split.* of {num} must be at")
    with tf.Graph().as_default():
        refused(lambda: tf.split([1, 2], [1, 1], num=num), ValueError, f"'SplitV' Op passed {num} less than minimum 1")


@pytest.mark.parametrize("num", [2.0, np.int64(2), np.array(2), tf.constant(2)], ids=repr)
def test_the_number_of_parts_is_of_any_type_of_whole_numbers(num: Any) -> None:
    assert [int(part[0]) for part in tf.split([1, 2], [1, 1], num=num)] == [1, 2]


@pytest.mark.parametrize("value", [5, None, np.array(None, dtype=object), np.array("x")], ids=repr)
@pytest.mark.parametrize("kind", [tf.experimental.dtensor.Layout, tf.experimental.dtensor.Mesh])
def test_layouts_and_meshes_are_read_from_texts(kind: Any, value: Any) -> None:
    refused(lambda: kind.from_string(value), TypeError, "Expected string for argument '(layout|mesh)_str'")


# ---------------------------------------------------------------- ranks that NumPy has no array of

MANY = np.zeros([1] * 60, np.int32)
BEYOND: dict[str, Callable[[], Any]] = {
    "gather": lambda: tf.gather(MANY, MANY),
    "gather of batches": lambda: tf.gather(MANY, MANY, batch_dims=1),
    "gather_nd": lambda: tf.gather_nd(MANY, MANY),
    "gather_nd of batches": lambda: tf.gather_nd(MANY, MANY, batch_dims=1),
    "one_hot": lambda: tf.one_hot(np.zeros([1] * 64, np.int32), 3),
}


@pytest.mark.parametrize("name", BEYOND)
def test_results_of_more_than_64_dimensions_are_refused(name: str) -> None:
    refused(
        BEYOND[name], errors.InvalidArgumentError, "There is no tensor of rank |number of dimensions|dimension for an"
    )


def test_layouts_of_no_rank_are_refused() -> None:
    mesh = tf.experimental.dtensor.create_mesh([("x", 1)], devices=["CPU:0"])
    layout = tf.experimental.dtensor.Layout
    refused(lambda: layout.replicated(mesh, 2**63), ValueError, "There is no tensor of rank")
    refused(lambda: layout.batch_sharded(mesh, "x", 2**63), ValueError, "There is no tensor of rank")
    refused(lambda: layout.inner_sharded(mesh, "x", 2**63), ValueError, "There is no tensor of rank")


def test_a_tensor_is_no_number_of_a_list() -> None:
    value = tf.cast([[1.0, 2.0]], tf.bfloat16)
    refused(lambda: tf.ragged.constant(value), ValueError, "unsupported type")
    refused(lambda: tf.constant([value[0, 0], value[0, 1]]), ValueError, "unsupported type")


def test_a_folder_nested_too_deep_is_refused() -> None:
    hook = v1.train.ProfilerHook(save_steps=1, output_dir=nested(3000))  # type: ignore[arg-type]
    refused(hook.begin, TypeError, "name of a file as a string")
