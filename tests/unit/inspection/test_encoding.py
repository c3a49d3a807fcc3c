"""Values as bytes and back: every bit of them, and nothing that could run."""

from __future__ import annotations

import collections
import dataclasses
import math
import struct
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay._src.inspection.replaying.decoding import decoded
from inlay._src.inspection.replaying.encoding import BLOB_BYTES, Encoded, encoded
from inlay._src.inspection.replaying.values import Opaque


class Held:
    """Blobs in memory."""

    def __init__(self, value: Encoded) -> None:
        self._blobs = [bytes(blob) for blob in value.blobs]

    def size(self, number: int) -> int:
        return len(self._blobs[number])

    def fill(self, number: int, out: np.ndarray) -> None:
        out[:] = np.frombuffer(self._blobs[number], np.uint8)


def there_and_back(value: Any, **classes: type) -> Any:
    data = encoded(value)
    return decoded(data.data, Held(data), classes)


def plain(value: Any) -> Any:
    """A value as one that `==` compares, in class, dtype, shape and bits."""
    if isinstance(value, (np.ndarray, np.generic)):
        held = np.asarray(value)
        items = [plain(v) for v in held.ravel().tolist()] if held.dtype.kind in ("O", "T") else held.tobytes()
        return type(value), held.dtype, held.shape, items
    if isinstance(value, tf.Tensor):
        held_value: Any = value
        return "tensor", value.dtype, plain(held_value._value)
    if isinstance(value, dict):
        return [(plain(k), plain(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [plain(v) for v in value]
    if isinstance(value, float):
        return float, struct.pack("<d", value)
    if isinstance(value, complex):
        return complex, struct.pack("<dd", value.real, value.imag)
    return type(value), value


NUMBERS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(max_size=600)
)
DTYPES = hnp.scalar_dtypes() | hnp.byte_string_dtypes() | hnp.unicode_string_dtypes()
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
NARROW = [
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.int4,
    ml_dtypes.uint4,
]  # fmt: skip


@st.composite
def arrays(draw: Any) -> np.ndarray:
    """Arrays of any bits, in any order and part of a larger one."""
    dtype = draw(DTYPES)
    shape = draw(SHAPES)
    size = max(dtype.itemsize, 1) * math.prod(shape)
    if dtype.kind in "US":
        array = draw(hnp.arrays(dtype, shape))
    else:
        octets: Any = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8).copy()
        octets = octets & 1 if dtype.kind == "b" else octets
        array = octets.view(dtype)[: math.prod(shape)].reshape(shape)
    how = draw(st.sampled_from(["plain", "fortran", "reversed", "strided", "read-only"]))
    if how == "fortran":
        array = np.asfortranarray(array)
    elif how == "reversed":
        array = array[::-1] if array.ndim else array
    elif how == "strided" and array.ndim:
        array = np.repeat(array, 2, axis=0)[::2]
    elif how == "read-only":
        array.flags.writeable = False
    return array


TEXTS = hnp.arrays(object, SHAPES, elements=st.binary(max_size=20) | st.text(max_size=20))
LEAVES = NUMBERS | arrays() | TEXTS
NESTS = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(max_size=5) | st.integers() | st.tuples(st.integers()), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=250, deadline=None)
@given(NESTS)
def test_every_value_comes_back_bit_by_bit(value: Any) -> None:
    assert plain(there_and_back(value)) == plain(value)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NARROW), SHAPES, st.binary(min_size=625, max_size=625))
def test_narrow_types_come_back_bit_by_bit(kind: Any, shape: tuple[int, ...], octets: bytes) -> None:
    count = math.prod(shape)
    mask = 15 if "int4" in kind.__name__ else 255
    whole = np.resize(np.frombuffer(octets, np.uint8) & mask, count * np.dtype(kind).itemsize).astype(np.uint8)
    array = whole.view(kind).reshape(shape)
    back = there_and_back(array)
    assert plain(back) == plain(array)
    assert back.dtype == np.dtype(kind)


@settings(max_examples=100, deadline=None)
@given(NESTS, NESTS)
def test_digests_are_equal_only_for_equal_values(one: Any, other: Any) -> None:
    assert (encoded(one).digest == encoded(other).digest) == (plain(one) == plain(other))


@pytest.mark.parametrize(
    "value",
    [
        np.float64(-0.0), -0.0, struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000123))[0],
        np.array([0x7FC00001, 0xFFC00002], np.uint32).view(np.float32), np.array(5.0), np.empty((0, 3), np.int8),
        np.empty((), object), np.arange(12.0).reshape(3, 4).T, np.arange(5, dtype=">i4"), np.array(["é", "ab"]),
        np.array(["a", "bc"], np.dtypes.StringDType()), np.array([b"x", b"\0y\0"], object), "\ud800", 1 << 200,
        -(1 << 63), {"a": {"b": [np.float16(1), {}]}, 3: ()}, np.datetime64("2026-01-02"), np.complex64(1 - 2j),
        np.ones(BLOB_BYTES, np.uint8), np.ones(BLOB_BYTES - 1, np.uint8), b"x" * BLOB_BYTES, "é" * BLOB_BYTES,
        np.array([b"x" * 1000, b"y"], object), np.broadcast_to(np.float32(2), (300, 2)),
    ],
    ids=repr,
)  # fmt: skip
def test_values_at_the_edges_come_back(value: Any) -> None:
    assert plain(there_and_back(value)) == plain(value)


def test_zero_and_minus_zero_differ_and_so_do_byte_orders() -> None:
    assert encoded(0.0).digest != encoded(-0.0).digest
    assert encoded(np.arange(3, dtype=">i4")).digest != encoded(np.arange(3, dtype="<i4")).digest
    assert encoded(1).digest != encoded(1.0).digest != encoded(True).digest
    assert encoded(np.float32(1)).digest != encoded(np.array(1, np.float32)).digest


def test_the_memory_order_of_an_array_is_not_part_of_its_value() -> None:
    array = np.arange(6.0).reshape(2, 3)
    assert encoded(array).digest == encoded(np.asfortranarray(array)).digest


def test_an_array_that_comes_back_may_be_written_into_and_owns_its_memory() -> None:
    for size in (3, 1000):
        back = there_and_back(np.arange(float(size)))
        assert back.flags.writeable
        assert back.flags.owndata


@pytest.mark.parametrize("dtype", [tf.float32, tf.string, tf.bfloat16, tf.qint8, tf.bool, tf.complex64])
def test_tensors_come_back(dtype: Any) -> None:
    for value in ([b"a", b"bc"], b"d") if dtype is tf.string else ([1, 0], 1):
        tensor = tf.cast(value, dtype) if dtype not in (tf.string, tf.qint8) else tf.constant(value, dtype)
        back = there_and_back(tensor)
        assert plain(back) == plain(tensor)
        assert back.dtype is dtype


def test_ragged_and_sparse_values_come_back() -> None:
    ragged = tf.ragged.constant([[[1.0], []], [[2.0, 3.0]]])
    assert there_and_back(ragged).to_list() == ragged.to_list()
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4]), 2)
    assert there_and_back(uniform).uniform_row_length == 2
    sparse = tf.SparseTensor([[0, 1]], [5.0], [2, 3])
    back = there_and_back({"s": sparse})["s"]
    assert tf.sparse.to_dense(back).numpy().tolist() == [[0, 5, 0], [0, 0, 0]]
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]))
    assert there_and_back(slices).indices.numpy().tolist() == [2]
    value = tf.compat.v1.SparseTensorValue(np.array([[0]]), np.array([1.0]), np.array([3]))
    assert type(there_and_back(value)) is type(value)
    rows = tf.compat.v1.ragged.RaggedTensorValue(np.arange(3), np.array([0, 1, 3]))
    assert there_and_back(rows).to_list() == [[0], [1, 2]]


class Pair(NamedTuple):
    first: Any
    second: Any


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def test_records_come_back_as_their_class_or_with_the_same_fields() -> None:
    value = [Pair(1, Point(np.ones(2), "y"))]
    (pair,) = there_and_back(value, Pair=Pair, Point=Point)
    assert type(pair) is Pair
    assert type(pair.second) is Point
    assert pair.second.y == "y"
    (loose,) = there_and_back(value)
    assert loose.first == 1
    assert loose.second.x.tolist() == [1, 1]
    assert encoded(value).digest == encoded([pair]).digest


def test_other_mappings_are_mappings() -> None:
    ordered = collections.OrderedDict(b=1, a=2)
    assert there_and_back(ordered) == {"b": 1, "a": 2}
    assert list(there_and_back(ordered)) == ["b", "a"]


def test_an_object_that_numpy_reads_is_an_array_and_another_one_is_its_class() -> None:
    class Table:
        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return np.arange(3)

    class Thing:
        def __repr__(self) -> str:
            raise AssertionError("the recorder prints no object")

        def __reduce__(self) -> Any:
            raise AssertionError("the recorder pickles no object")

    assert there_and_back(Table()).tolist() == [0, 1, 2]
    (thing,) = there_and_back([Thing()])
    assert thing == Opaque("test_an_object_that_numpy_reads_is_an_array_and_another_one_is_its_class.<locals>.Thing")
    assert there_and_back(thing) == thing


def test_a_list_that_holds_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    back = there_and_back(loop)
    for _ in range(50):
        (back,) = back
    assert isinstance(back, list)


def test_arrays_of_references_are_never_read_from_bytes() -> None:
    data = encoded(np.zeros(1, np.int64)).data.replace(b"<i8", b"|O8")
    with pytest.raises((ValueError, TypeError)):
        decoded(data, Held(encoded(0)))
    for name in (b"O", b"V", b"f,O"):
        forged = b"a" + struct.pack("<I", len(name)) + name + b"\0" + struct.pack("<Q", 8) + b"\1" * 8
        with pytest.raises((ValueError, TypeError)):
            decoded(forged, Held(encoded(0)))


@settings(max_examples=150, deadline=None)
@given(NESTS, st.data())
def test_damaged_bytes_raise_and_take_no_memory(value: Any, data: Any) -> None:
    whole = encoded(value)
    octets = bytearray(whole.data)
    octets[data.draw(st.integers(0, len(octets) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        decoded(bytes(octets), Held(whole))
    except (ValueError, LookupError, TypeError, struct.error, OverflowError, RecursionError):
        pass
