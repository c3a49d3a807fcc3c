"""Python and NumPy values to tensors, eagerly and in a graph alike."""

from __future__ import annotations

import io
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay._src.base.types import dtypes
from inlay._src.core import values


def eager(value: Any, dtype: Any = None) -> Any:
    made = tf.convert_to_tensor(value, dtype)
    return made.dtype.name, made.shape.as_list(), made.numpy()


def graph(value: Any, dtype: Any = None) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        made = tf.convert_to_tensor(value, dtype)
        return made.dtype.name, made.shape.as_list(), session.run(made)


MODES = pytest.mark.parametrize("convert", [eager, graph])
BF16 = ml_dtypes.bfloat16
CONVERSIONS: list[tuple[Any, str, Any]] = [
    (1, "int32", 1),
    (-(2**31), "int32", -(2**31)),
    (2**31, "int64", 2**31),
    ([1, 2], "int32", [1, 2]),
    ([1, 2**40], "int64", [1, 2**40]),
    (1.5, "float32", 1.5),
    ([1, 2.5], "float32", [1.0, 2.5]),
    ([], "float32", []),
    ([[], []], "float32", [[], []]),
    (True, "bool", True),
    ([True, False], "bool", [True, False]),
    (1j, "complex128", 1j),
    ((1, (2)), "int32", [1, 2]),
    (range(3), "int32", [0, 1, 2]),
    ("hé", "string", "hé".encode()),
    (b"a\0b\0", "string", b"a\0b\0"),
    (["a", b"b\0"], "string", [b"a", b"b\0"]),
    (np.array(["ab", "é"]), "string", [b"ab", "é".encode()]),
    (np.array([b"ab", b"c\0"]), "string", [b"ab", b"c"]),  # NumPy has lost the trailing NUL already
    (np.array(["x", b"y"], object), "string", [b"x", b"y"]),
    (np.float64(2.5), "float64", 2.5),
    (np.str_("s"), "string", b"s"),
    (np.array([1.0, 2.0], ">f8"), "float64", [1.0, 2.0]),
    (np.asfortranarray([[1, 2], [3, 4]]), "int64", [[1, 2], [3, 4]]),
    (np.arange(6)[::-2], "int64", [5, 3, 1]),
    (np.float16([1]), "float16", [1.0]),
    (np.array([1.5], BF16), "bfloat16", [1.5]),
    # FINDINGS A12: the first number of a sequence says what it becomes
    ([np.float32(1), 2.5], "float32", [1.0, 2.5]),
    ([2.5, np.float64(1)], "float32", [2.5, 1.0]),
    ([2, np.float64(1.5)], "float32", [2.0, 1.5]),
    ([np.int32(1), 2], "int32", [1, 2]),
    ([np.int64(2**40), 1], "int64", [2**40, 1]),
    ([np.array([1]), [2]], "int32", [[1], [2]]),
    ([np.array([1.0], np.float32), [2.5]], "float32", [[1.0], [2.5]]),
    ([np.complex64(1j), 2], "complex128", [1j, 2]),
    ([1, True], "int32", [1, 1]),
    ([1.5, True], "float32", [1.5, 1.0]),
    ([np.array([], np.int32)], "float32", [[]]),
    ([np.longdouble(1.5)], "float32", [1.5]),
    ([tf.TensorShape([2]), [3]], "int32", [[2], [3]]),
    ([BF16(1.5)], "bfloat16", [1.5]),
    (np.ma.array([1.0, 2.0]), "float64", [1.0, 2.0]),  # FINDINGS B: nothing is masked
    ([np.float32([1, 2]), np.float32([3, 4])], "float32", [[1, 2], [3, 4]]),
    (bytearray(b"\1\2"), "uint8", [1, 2]),
    (memoryview(b"\1\2"), "uint8", [1, 2]),
    (tf.TensorShape([2, 3]), "int32", [2, 3]),
    (tf.TensorShape([]), "int32", []),
    (np.zeros((0, 3)), "float64", np.zeros((0, 3)).tolist()),
]


@MODES
@pytest.mark.parametrize(("value", "dtype", "expected"), CONVERSIONS, ids=map(str, range(len(CONVERSIONS))))
def test_default_conversions(value: Any, dtype: str, expected: Any, convert: Any) -> None:
    name, shape, got = convert(value)
    assert (name, shape) == (dtype, list(np.shape(got)))
    assert (got.tolist() if hasattr(got, "tolist") else got) == expected
    if isinstance(got, np.ndarray):
        assert got.flags.c_contiguous and got.dtype.isnative


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([np.float64(1), np.float64(2)], "float64", [1.0, 2.0]),
        ([np.float64(1), 2.5], "float64", [1.0, 2.5]),
        ([np.float16(1), np.float64(2)], "float16", [1.0, 2.0]),
        ([np.array([1.0]), np.float32([2])], "float64", [[1.0], [2.0]]),
    ],
)
def test_lists_of_numpys_fractions_are_float32_in_graphs(value: Any, dtype: str, expected: Any) -> None:
    for convert, wanted in ((eager, dtype), (graph, "float32")):
        name, _, got = convert(value)
        assert (name, got.tolist()) == (wanted, expected)


REFUSED: list[tuple[Any, str]] = [
    (2**64, "out-of-range integer"),
    ([1, 2**70], "out-of-range integer"),
    ([2**63], "out-of-range integer"),
    (None, r"Attempt to convert a value \(None\) with an unsupported type \(<class 'NoneType'>\) to a Tensor"),
    ([1.0, None], r"Attempt to convert a value \(None\)"),
    ([[1], [2, 3]], "non-rectangular Python sequence"),
    ([[1], 2], "non-rectangular Python sequence"),
    ([["a"], ["b", "c"]], "non-rectangular Python sequence"),
    ([1, "a"], "mixed types"),
    ({1, 2}, "unsupported type <class 'set'>|Attempt to convert a value"),
    ({"a": 1}, "Attempt to convert a value"),
    (object(), "Attempt to convert a value"),
    (np.array([1, None], object), "Failed to convert a NumPy array to a Tensor"),
    (np.array([1], object), "Unsupported object type int"),
    (np.array(["2020-01-01"], "datetime64[D]"), "Unsupported numpy type: datetime64"),
    (np.longdouble(1), "Unsupported numpy type"),
    (np.zeros(2, [("a", int)]), "Unsupported numpy type"),
    (np.ma.array([1.0], mask=[True]), "masked array"),
    (tf.TensorShape([None]), "partially known TensorShape"),
    ("\ud800", "Error converting unicode string"),
]


@MODES
@pytest.mark.parametrize(("value", "says"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_what_has_no_tensor_is_refused_with_one_class(value: Any, says: str, convert: Any) -> None:
    with pytest.raises(ValueError, match=says):
        convert(value)


def test_bools_and_numbers_mix_in_constants_of_graphs_alone() -> None:
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant([True, 2])
    with tf.Graph().as_default():
        mixed = [tf.constant([True, 2]), tf.constant([True, 2.5]), tf.constant([1, 2j])]
    assert [t.dtype for t in mixed] == [tf.int32, tf.float32, tf.complex128]
    assert [tf.get_static_value(t).tolist() for t in mixed] == [[1, 2], [1.0, 2.5], [1, 2j]]


WANTED: list[tuple[Any, str, Any]] = [
    (1, "float32", 1.0), (1, "complex64", 1 + 0j), (1, "uint8", 1), (True, "int32", 1), (True, "float64", 1.0),
    (True, "uint8", 1), (True, "bfloat16", 1.0), (True, "complex64", 1 + 0j), (1.5, "float16", 1.5),
    (1.5, "complex64", 1.5 + 0j), (1e30, "float16", float("inf")), (2**40, "float16", float("inf")),
    ([1, 2], "float32", [1.0, 2.0]), ([1.5], "bfloat16", [1.5]), ([], "int64", []), ([], "string", []),
    (np.zeros((0, 2)), "string", []),
    (np.float64([1.5]), "float32", [1.5]), ("a", "string", b"a"),
    (float("nan"), "float16", "nan"),
]  # fmt: skip


@MODES
@pytest.mark.parametrize(("value", "dtype", "expected"), WANTED, ids=map(str, range(len(WANTED))))
def test_conversions_to_a_wanted_type(value: Any, dtype: str, expected: Any, convert: Any) -> None:
    name, _, got = convert(value, dtype)
    assert name == dtype
    plain = got.tolist() if hasattr(got, "tolist") else got
    assert (str(plain) if expected == "nan" else plain) == expected


@MODES
@pytest.mark.parametrize(
    ("value", "dtype", "error", "says"),
    [
        (1.5, "int32", TypeError, "Cannot convert 1.5 to EagerTensor of dtype int32"),
        (1.5, "bool", TypeError, "Cannot convert 1.5 to EagerTensor of dtype bool"),
        (1, "bool", TypeError, "dtype bool"),
        (1, "string", TypeError, "dtype string"),
        ("a", "float32", TypeError, "Cannot convert 'a' to EagerTensor of dtype float32"),
        (1j, "float32", TypeError, "Cannot convert 1j"),
        ([1.5], "int32", TypeError, "dtype int32"),
        ([1j], "float32", TypeError, "dtype float32"),
        (["a"], "int32", TypeError, "dtype int32"),
        (2**40, "int32", ValueError, "out of range"),
        (-1, "uint8", ValueError, "out of range"),
        ([300], "uint8", ValueError, "out of range"),
        (np.float32([1]), "string", TypeError, "dtype string"),
    ],
)
def test_wanted_types_that_would_change_the_value(value: Any, dtype: str, error: Any, says: str, convert: Any) -> None:
    with pytest.raises(error, match=says):
        convert(value, dtype)


def test_a_tensor_is_never_cast_on_the_way() -> None:
    with pytest.raises(ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype float64"):
        tf.convert_to_tensor(tf.constant(1.0, tf.float64), tf.float32)
    x = tf.constant(1.0)
    assert tf.convert_to_tensor(x) is x


def test_a_preferred_type_gives_way() -> None:
    assert tf.convert_to_tensor(1, dtype_hint=tf.float64).dtype is tf.float64
    assert tf.convert_to_tensor(1.5, dtype_hint=tf.int32).dtype is tf.float32


def test_lists_of_tensors_are_packed() -> None:
    x = tf.constant([1.0, 2.0])
    assert tf.convert_to_tensor([x, [3.0, 4.0]]).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tf.convert_to_tensor([[x[0], 5.0]]).numpy().tolist() == [[1.0, 5.0]]


# ---------------------------------------------------------------- lossless


LOSSY: list[tuple[np.ndarray, str]] = [
    (np.array([1.0, 1.5]), "int32"),
    (np.array([300]), "uint8"),
    (np.array([-1]), "uint8"),
    (np.array([2**40]), "int32"),
    (np.array([2**63], np.uint64), "int64"),
    (np.array([2.0**63]), "int64"),
    (np.array([3e9]), "int32"),
    (np.array([np.nan]), "int32"),
    (np.array([np.inf]), "int64"),
    (np.array([1 + 2j]), "float32"),
    (np.array([1 + 2j]), "int32"),
    (np.array([2]), "bool"),
    (np.array([0.5]), "bool"),
    (np.array([-1], np.int8), "uint64"),
]


@pytest.mark.parametrize(("array", "dtype"), LOSSY, ids=lambda v: str(v))
def test_a_cast_that_changes_a_value_is_refused(array: np.ndarray, dtype: str) -> None:
    for value in (array, array[-1]):
        with pytest.raises(ValueError, match=f"to EagerTensor of dtype {dtype} without changing its value"):
            values.lossless(value, tf.as_dtype(dtype))


@pytest.mark.parametrize(
    ("array", "dtype", "expected"),
    [
        (np.array([1.0, -3.0]), "int8", [1, -3]),
        (np.array([1 + 0j]), "float32", [1.0]),
        (np.array([3 + 0j]), "int32", [3]),
        (np.array([0, 1]), "bool", [False, True]),
        (np.array([True]), "float16", [1.0]),
        (np.array([0.1]), "float32", [float(np.float32(0.1))]),
        (np.array([255], np.uint8), "int8", None),
        (np.array([2**63], np.uint64), "float64", [2.0**63]),
        (np.array([1], object), "int32", [1]),
        (np.zeros((0,)), "int32", []),
        (np.array(["a"]), "string", [b"a"]),
    ],
)
def test_a_cast_that_keeps_the_value_is_made(array: np.ndarray, dtype: str, expected: Any) -> None:
    want = tf.as_dtype(dtype)
    if expected is None:
        with pytest.raises(ValueError, match="without changing"):
            values.lossless(array, want)
        return
    got = values.lossless(array, want)
    assert got.tolist() == expected and got.dtype == want.np


@given(
    hnp.arrays(st.sampled_from(["i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8", "?"]), hnp.array_shapes(max_side=3)),
    st.sampled_from(sorted((d for d in dtypes.INTS), key=lambda d: d.name)),
)
def test_lossless_integers_are_equal_to_what_they_came_from(array: np.ndarray, want: Any) -> None:
    try:
        got = values.lossless(array, want)
    except ValueError:
        assert any(not _fits(v, want) for v in array.ravel().tolist())
    else:
        assert all(_fits(v, want) for v in array.ravel().tolist())
        assert [int(v) for v in array.ravel().tolist()] == got.ravel().tolist()


def _fits(value: Any, want: Any) -> bool:
    return value == value and abs(value) != float("inf") and int(value) == value and want.min <= int(value) <= want.max


def test_describe() -> None:
    table = {"float32[2,3]": np.zeros((2, 3), np.float32), "int8[]": np.int8(1), "string[1]": np.array([b""], object)}
    table |= {"int": 3, "str": "s"}
    assert [values.describe(v) for v in table.values()] == list(table)
    assert values.describe(tf.constant([1.0])) == "float32[1]"


class _Interface:
    held = np.ones(2, np.float32)
    __array_interface__ = held.__array_interface__


class _Jax:
    def __jax_array__(self) -> Any:
        return np.ones(2, np.float32)


class _Torch:
    """What PyTorch does: no array while its tape follows it, nor of a type that NumPy lacks."""

    def __init__(self, dtype: str, followed: bool = True) -> None:
        self.dtype, self.requires_grad = dtype, followed

    def detach(self) -> _Torch:
        return _Torch(self.dtype, False)

    def float(self) -> np.ndarray:
        return np.ones(2, np.float32)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return np.ones(2, np.float32)


@pytest.mark.parametrize("array", [_Interface(), _Jax(), _Torch("torch.float32"), _Torch("torch.bfloat16")])
def test_arrays_of_other_libraries_have_tensors(array: Any) -> None:
    """Issue 10, point 8: in conversions, and as results of functions."""
    wanted = tf.bfloat16 if getattr(array, "dtype", "") == "torch.bfloat16" else tf.float32
    made = [tf.constant(array), tf.py_function(lambda: array, [], wanted), tf.numpy_function(lambda: array, [], wanted)]
    for tensor in [*made, tf.numpy_function(lambda a: a, [array], wanted)]:
        assert (tensor.dtype, tensor.shape) == (wanted, [2]) and np.all(tensor.numpy() == 1)


def test_what_is_no_array_is_left_alone() -> None:
    """Files and sockets have a `detach`, too."""
    file = io.BytesIO(b"text")
    reader = io.BufferedReader(file)
    for convert in (tf.constant, lambda v: tf.py_function(lambda: v, [], tf.string)):
        with pytest.raises((TypeError, ValueError, tf.errors.OpError)):
            convert(reader)
    assert reader.read() == b"text"


@pytest.mark.parametrize("value, dtype", [
    ([np.float32(1.5)], tf.int32), ([np.array([1.5])], tf.bool), ([np.int64(3)], tf.bool), ([np.bool_(1)], tf.int32),
    ([np.bool_(1)], tf.float32), ([np.int64(3)], tf.string),
])  # fmt: skip
def test_numbers_of_numpy_in_a_sequence_become_no_other_kind(value: Any, dtype: Any) -> None:
    """FINDINGS A12: as TensorFlow, TypeError."""
    with pytest.raises(TypeError, match="Cannot convert"):
        tf.constant(value, dtype)


@pytest.mark.parametrize("value", [[2.5, 1j], [np.bool_(1), 1.0], [True, 1], [1e39], [np.uint64(2**63)]])
def test_sequences_of_numbers_that_have_no_tensor(value: Any) -> None:
    with pytest.raises(ValueError, match="Can't convert Python sequence"):
        tf.constant(value)


@pytest.mark.parametrize(
    ("items", "dtype"),
    [
        ([np.float32(1), 2.5], "float32"),
        ([np.int32(1), 2], "int32"),
        ([2, np.int64(1)], "int32"),
        ([np.int32(1), 2**40], "int64"),
        ([1, np.float64(2.5)], "float32"),
        ([np.float64(1), 2.5], "float64"),
        ([np.float16(1), 2.5], "float16"),
        ([np.array([1, 2])], "int32"),
        ([[1.0, 2.0], np.array([1.0, 2.0])], "float32"),
        ([np.array([1.0, 2.0]), [1.0, 2.0]], "float64"),
        ([[], np.array([], np.int32)], "float32"),
    ],
)
def test_a_list_that_holds_numpy_numbers_becomes_what_pythons_would_unless_a_float_is_first(
    items: Any, dtype: str
) -> None:
    """FINDINGS A12."""
    assert tf.constant(items).dtype.name == tf.convert_to_tensor(items).dtype.name == dtype


@pytest.mark.parametrize("items", [[np.bool_(True), 1], [np.bool_(True), 2.5]])
def test_truth_values_of_numpy_and_numbers_make_no_list(items: Any) -> None:
    with pytest.raises(ValueError, match="mixed types"):
        tf.constant(items)


def test_numpy_numbers_in_a_list_are_checked_against_the_type_asked_for() -> None:
    for items, dtype in (([np.complex64(1), 2.0], "float32"), ([np.float64(1.5)], "int32")):
        with pytest.raises(TypeError, match="Cannot convert"):
            tf.constant(items, dtype)


def test_a_masked_array_without_masked_elements_is_an_array() -> None:
    """FINDINGS B."""
    assert tf.constant(np.ma.array([1.0, 2.0], mask=[0, 0])).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="its mask would be lost"):
        tf.constant(np.ma.array([1.0, 2.0], mask=[0, 1]))


@MODES
@pytest.mark.parametrize("value", [None, {}, {"a": 1}, {1, 2}, object(), [object()], [1.0, {}]])
def test_what_no_tensor_is_made_of_is_both_of_tensorflows_classes(value: Any, convert: Any) -> None:
    """TensorFlow raises ValueError eagerly, TypeError in a graph."""
    for kind in (ValueError, TypeError):
        with pytest.raises(kind, match="Attempt to convert a value"):
            convert(value)


@pytest.mark.parametrize("name", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_records_of_a_quantized_number_are_tensors_of_that_type(name: str) -> None:
    kind = getattr(tf, name)
    record = np.dtype([(name, kind.as_numpy_dtype)])
    array = np.arange(4).reshape(2, 2).astype(record)
    assert tf.as_dtype(record) is kind
    for source in (array, array[1, 1], array.T):
        found = tf.constant(source)
        assert found.dtype is kind and found.numpy().tolist() == source[name].tolist()
    seven = np.array(7).astype(record)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        padded = tf.pad(array, [[1, 0], [0, 0]], constant_values=seven)
        assert padded.dtype is kind and session.run(padded).tolist() == [[7, 7], [0, 1], [2, 3]]
    with pytest.raises(ValueError, match="Unsupported numpy type"):
        tf.constant(np.zeros(2, [("other", kind.as_numpy_dtype)]))
