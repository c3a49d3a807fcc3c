"""Arguments of a kind that no function takes are refused in words, whichever function they are passed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.opdef import OPS
from tests.faults.internal_errors import cause_of

v1 = tf.compat.v1
TWO = np.array([1, 2])


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def refusal(call: Callable[[], Any], kind: type[Exception] | tuple[type[Exception], ...]) -> str:
    """What a call says that raises an error of a class, on purpose."""
    with pytest.raises(kind) as caught:
        call()
    assert cause_of(caught.value) == ""
    return str(caught.value)


# ---------------------------------------------------------------- None

NONE: dict[str, Callable[[], Any]] = {
    "expand_dims": lambda: tf.expand_dims([1.0], axis=None),
    "cumsum": lambda: tf.cumsum([1.0], axis=None),
    "cumprod": lambda: tf.math.cumprod([1.0], axis=None),
    "cumulative_logsumexp": lambda: tf.math.cumulative_logsumexp([1.0], axis=None),
    "reshape": lambda: tf.reshape([1.0], None),
    "tile": lambda: tf.tile([1.0], None),
    "fill": lambda: tf.fill(None, 1.0),
    "pad": lambda: tf.raw_ops.Pad(input=[1.0], paddings=None),
    "slice": lambda: tf.slice([1.0], None, [1]),
    "reverse": lambda: tf.reverse([1.0], None),
    "roll": lambda: tf.roll([1.0], None, 0),
    "one_hot": lambda: tf.one_hot([1], None),
    "top_k": lambda: tf.nn.top_k([1.0], None),
    "broadcast_to": lambda: tf.broadcast_to([1.0], None),
    "scatter_nd": lambda: tf.scatter_nd([[0]], [1.0], None),
    "band_part": lambda: tf.linalg.band_part([[1.0]], None, 1),
    "sobol_sample": lambda: tf.math.sobol_sample(None, 2),
    "space_to_batch": lambda: tf.space_to_batch([[1.0]], None, [[0, 0]]),
    "unravel_index": lambda: tf.unravel_index([1], None),
}


@pytest.mark.parametrize("name", NONE)
def test_an_input_that_must_be_there_is_not_none(name: str) -> None:
    assert "None" in refusal(NONE[name], ValueError)  # as in TensorFlow


def test_inputs_that_may_be_none_say_so() -> None:
    optional = {name for name, op in OPS.items() for arg in op.args if arg.static and arg.optional}
    assert {"Sum", "Max", "Transpose"} <= optional | {"Transpose"}
    assert not {"Reshape", "ExpandDims", "Cumsum", "Tile"} & optional


# ---------------------------------------------------------------- dtypes


def test_every_attribute_that_is_an_outputs_dtype_is_converted() -> None:
    for op in OPS.values():
        for name, attribute in op.attrs.items():
            if name in op.outs and not op.variadic_out and attribute.default is not None:
                assert attribute.kind == "dtype", (op.name, name)


def test_names_of_dtypes_are_dtypes() -> None:
    serialized = tf.io.serialize_tensor([1.0])
    for dtype in (tf.float32, "float32", np.float32, 1):
        assert tf.io.parse_tensor(serialized, dtype).dtype == tf.float32
        assert tf.io.decode_raw(b"\0\0\0\0", dtype).dtype == tf.float32


@pytest.mark.parametrize("dtype", [None, [1], {"a": 1}, "nothing", deep(3000), len])
def test_what_is_no_dtype_is_refused(dtype: Any) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: tf.io.parse_tensor(b"", dtype),
        lambda: tf.raw_ops.DecodeRaw(bytes=b"", out_type=dtype),
        lambda: tf.experimental.numpy.array([1.0], dtype="none" if dtype is None else dtype),
        lambda: tf.experimental.numpy.promote_types(dtype or [1], np.float32),
        lambda: tf.as_dtype(dtype),
        lambda: tf.ragged.constant_value([[1]], dtype=dtype or [1]),
    ]
    for call in calls:
        refusal(call, (TypeError, ValueError))
    assert tf.float32 != dtype


def test_a_graph_refuses_a_dtype_while_it_is_built() -> None:
    with tf.Graph().as_default():
        text = refusal(lambda: tf.io.parse_tensor(v1.placeholder(tf.string), [1]), TypeError)
    assert text == "Expected DataType for argument 'out_type' not [1]."  # as TensorFlow says it


# ---------------------------------------------------------------- names

NAMED: dict[str, Callable[[Any], Any]] = {
    "zeros_like": lambda name: tf.zeros_like([1.0], tf.int32, name=name),
    "ones_like": lambda name: tf.ones_like([1.0], tf.int32, name=name),
    "zeros": lambda name: tf.zeros([2], name=name),
    "ones": lambda name: tf.ones([2], name=name),
    "divide": lambda name: tf.divide(1.0, 2.0, name=name),
    "adjoint": lambda name: tf.linalg.adjoint([[1.0]], name=name),
    "add": lambda name: tf.add(1.0, 2.0, name=name),
}


@pytest.mark.parametrize("function", NAMED)
@pytest.mark.parametrize("name", [TWO, np.zeros(0), 5, ["a"]], ids=["two", "empty", "number", "list"])
def test_names_of_nodes_are_texts(function: str, name: Any) -> None:
    assert isinstance(NAMED[function](name), tf.Tensor)  # eagerly nothing is named, as in TensorFlow
    with tf.Graph().as_default():
        assert "must be a string or None" in refusal(lambda: NAMED[function](name), TypeError)


def test_names_of_variables_modules_scopes_and_readers_are_texts() -> None:
    for name in (0.5, TWO, ["a"]):
        assert "must be a string" in refusal(lambda: tf.Variable(1.0, name=name), ValueError)  # noqa: B023
        assert "must be a string" in refusal(lambda: tf.Module(name=name), TypeError)  # noqa: B023
        with tf.Graph().as_default():
            assert "must be a string" in refusal(lambda: tf.Variable(1.0, name=name), TypeError)  # noqa: B023
            refusal(lambda: v1.IdentityReader(name=name), (TypeError, ValueError))  # noqa: B023
    assert "must be a string" in refusal(lambda: tf.Module(name=b"a"), TypeError)  # type: ignore[arg-type]
    assert "must be a string" in refusal(lambda: v1.VariableScope(None, name=["a"]), TypeError)
    with tf.Graph().as_default():
        assert v1.IdentityReader(name=b"a").reader_ref.op.name == "a"


# ---------------------------------------------------------------- truths

TRUE: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda flag: tf.reduce_sum([1.0], keepdims=flag),
    "reduce_variance": lambda flag: tf.math.reduce_variance([1.0], keepdims=flag),
    "reduce_std": lambda flag: tf.math.reduce_std([1.0], keepdims=flag),
    "count_nonzero": lambda flag: tf.math.count_nonzero([1.0], keepdims=flag),
    "reduce_euclidean_norm": lambda flag: tf.math.reduce_euclidean_norm([1.0], keepdims=flag),
    "matmul": lambda flag: tf.matmul(np.ones((2, 2, 2)), np.ones((2, 2, 2)), transpose_a=flag),
    "transpose": lambda flag: tf.transpose([1j], conjugate=flag),
    "flatten": lambda flag: tf.nest.flatten(1.0, expand_composites=flag),
    "pack_sequence_as": lambda flag: tf.nest.pack_sequence_as(1.0, [1.0], expand_composites=flag),
    "log_if": lambda flag: v1.logging.log_if(v1.logging.DEBUG, "a", flag),
    "set_log_device_placement": lambda flag: tf.debugging.set_log_device_placement(flag),
    "GradientTape": lambda flag: tf.GradientTape(persistent=flag),
}


@pytest.mark.parametrize("function", TRUE)
@pytest.mark.parametrize(
    "flag", [TWO, tf.constant([True, False]), tf.Variable([True, False])], ids=["array", "tensor", "variable"]
)
def test_several_values_are_no_truth(function: str, flag: Any) -> None:
    refusal(lambda: TRUE[function](flag), ValueError)  # as in TensorFlow


# ---------------------------------------------------------------- deep nests, numbers, shapes


@pytest.mark.parametrize(
    "call",
    [
        lambda value: tf.as_dtype(value),
        lambda value: tf.linalg.inv([[1.0]], adjoint=value),
        lambda value: tf.io.RaggedFeature(tf.int64, partitions=value),
        lambda value: v1.Session(graph=tf.Graph()).partial_run(value, []),
        lambda value: tf.nn.max_pool2d(np.zeros((1, 2, 2, 1), "float32"), 1, 1, padding=value),
    ],
)
def test_errors_show_nests_that_python_cannot_print(call: Callable[[Any], Any]) -> None:
    refusal(lambda: call(deep(3000)), (TypeError, ValueError))


def test_an_input_context_shows_what_python_cannot_print() -> None:
    assert "without a repr" in repr(tf.distribute.InputContext(input_pipeline_id=deep(200_000)))  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64", "int32"])
def test_numbers_beyond_every_type_are_refused(dtype: str) -> None:
    refusal(lambda: tf.less(10**400, tf.constant(1, dtype)), (TypeError, ValueError))
    with tf.Graph().as_default():
        refusal(lambda: tf.less(10**400, tf.constant(1, dtype)), (TypeError, ValueError))


def test_text_and_numbers_do_not_become_one_another_in_lists() -> None:
    for value, dtype in (([tf.constant(1.5)], tf.string), ([tf.constant("a")], tf.float32)):
        refusal(lambda: tf.convert_to_tensor(value, dtype), tf.errors.UnimplementedError)  # noqa: B023
    refusal(lambda: tf.strings.join([[tf.constant(1.5)]]), tf.errors.UnimplementedError)


@pytest.mark.parametrize("dtype", [tf.resource, tf.variant, tf.string])
def test_numbers_are_cast_to_numbers_alone(dtype: Any) -> None:
    refusal(lambda: tf.cast(1, dtype), tf.errors.UnimplementedError)  # as in TensorFlow
    refusal(lambda: tf.math.count_nonzero([1.0], dtype=dtype), tf.errors.UnimplementedError)


def test_batch_normalization_of_unknown_rank() -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32)
        y, *_ = v1.nn.fused_batch_norm(x, [1.0], [0.0])
        assert y.shape.rank == 4
        assert v1.Session().run(y, {x: np.ones((1, 2, 2, 1))}).shape == (1, 2, 2, 1)


SHAPES: dict[str, tuple[Callable[[], Any], type[Exception]]] = {
    "scatter": (lambda: tf.tensor_scatter_nd_update(2.0, 2, 1.0), tf.errors.InvalidArgumentError),
    "scatter_add": (lambda: tf.tensor_scatter_nd_add(2.0, 2, 1.0), tf.errors.InvalidArgumentError),
    "space_to_batch": (lambda: tf.space_to_batch([[1, 2]], 4, [[1, 1], [0, 2]]), tf.errors.InvalidArgumentError),
    "batch_to_space": (lambda: tf.batch_to_space([[1, 2]], 4, [[1, 1], [0, 2]]), tf.errors.InvalidArgumentError),
    "read": (lambda: tf.TensorArray(tf.float32, 2).read([0, 1]), tf.errors.InvalidArgumentError),
    "write": (lambda: tf.TensorArray(tf.float32, 2).write([], 1.0), tf.errors.InvalidArgumentError),
    "unstack": (lambda: tf.TensorArray(tf.float32, 2).unstack(1.0), ValueError),
    "polyval": (lambda: tf.experimental.numpy.polyval(1.0, 2.0), ValueError),
    "rejection_resample": (
        lambda: tf.data.Dataset.range(3).rejection_resample(lambda x: x, np.ones((2, 2), "float32")), ValueError
    ),
    "promotion": (
        lambda: tf.experimental.numpy.add(tf.constant(1, tf.bfloat16), tf.constant(1, tf.float16)), TypeError
    ),
    "feeds": (lambda: v1.Session(graph=tf.Graph()).run([], TWO), (TypeError, RuntimeError)),  # type: ignore[dict-item]
    "split": (lambda: tf.split([1.0, 2.0], 2**63), ValueError),
    "axis": (lambda: tf.experimental.numpy.swapaxes(np.ones((2, 3)), np.full(6, -np.inf), 1), ValueError),
    "axes": (lambda: tf.experimental.numpy.flip(np.ones(2), np.array([None])), ValueError),
    "size": (lambda: tf.TensorArray(tf.float32, ["float32"]), TypeError),
    "a dtype as a value": (lambda: tf.bitwise.invert(np.dtype("U3")), ValueError),
    "minlength": (lambda: tf.sparse.bincount([1], minlength="a"), TypeError),
    "gather": (lambda: gathered_along_a_vector(), ValueError),
    "partitions": (lambda: tf.experimental.DynamicRaggedShape.from_row_partitions("ab"), TypeError),  # type: ignore[arg-type]
    "sparse": (lambda: tf.RaggedTensor.from_sparse(np.array([1j])), TypeError),
    "jacobian": (lambda: v1.test.compute_gradient(tf.constant([1.0]), [1], tf.constant([1.0]), [1]), TypeError),
    "a ragged size": (lambda: tf.reshape([1.0, 2.0], [2, tf.ragged.constant([[1], [2, 3]])]), ValueError),
    "sizes": (lambda: tf.ragged.constant([[1], [2, 3]]).to_tensor(shape=[[], []]), ValueError),
    "no variables": (lambda: v1.assert_variables_initialized(tf.TensorShape([None, 2])), TypeError),
    "no variable": (lambda: v1.report_uninitialized_variables(memoryview(b"ab")), TypeError),
    "an abstract spec": (lambda: tf.experimental.ExtensionTypeSpec(), TypeError),
    "no class of errors": (lambda: tf.errors.error_code_from_exception_type(TWO), TypeError),
    "no code of errors": (lambda: tf.errors.exception_type_from_error_code(TWO), (ValueError, KeyError)),  # type: ignore[dict-item]
    "no mode": (
        lambda: tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=TWO), ValueError
    ),
    "no features": (lambda: v1.io.parse_example([b""], int), TypeError),
    "no shapes": (lambda: tf.debugging.assert_shapes([object]), TypeError),
    "consumers": (lambda: tf.constant(1.0).consumers(), NotImplementedError),
    "dimension": (lambda: tf.compat.dimension_at_index([], "a"), TypeError),  # type: ignore[arg-type]
    "supertype": (lambda: tf.float32.most_specific_common_supertype(np.float32), TypeError),  # type: ignore[arg-type]
    "pack": (lambda: tf.nest.pack_sequence_as(1.0, len), TypeError),  # type: ignore[arg-type]
    "map": (lambda: tf.contrib.framework.nest.map_structure_up_to([1], [2], [3]), TypeError),
    "hessians": (lambda: hessians_of_an_array(), TypeError),
}  # fmt: skip


def gathered_along_a_vector() -> Any:
    with tf.Graph().as_default():
        return tf.gather(v1.placeholder(tf.float32, [2, 3]), [0], axis=v1.placeholder(tf.int32, [1]))


def hessians_of_an_array() -> Any:
    with tf.Graph().as_default():
        return v1.hessians(tf.constant(1.0), tf.TensorArray(tf.float32, 2))


@pytest.mark.parametrize("case", SHAPES)
def test_what_does_not_fit_is_refused(case: str) -> None:
    call, kind = SHAPES[case]
    refusal(call, kind)


def test_values_that_tensorflow_takes() -> None:
    with tf.Graph().as_default():
        assert v1.gradients(v1.placeholder(tf.float32), np.zeros(3)) == [None]
        assert v1.Session().run(tf.constant(1.0), []) == 1.0  # type: ignore[arg-type]
    assert tf.sparse.from_dense([1.0]).consumers() == []
