"""DType records and `as_dtype`."""

from __future__ import annotations

import copy
import pickle
import weakref
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types import dtypes


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=lambda d: d.name)
def test_every_dtype_is_found_by_its_names_and_travels(dtype: Any) -> None:
    for spelling in (dtype, dtype.name, dtype.as_datatype_enum, dtype.c_name):
        assert tf.as_dtype(spelling) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert repr(dtype) == f"tf.{dtype.name}" and str(dtype) == f"<dtype: {dtype.name!r}>"
    assert getattr(tf.dtypes.experimental if dtype.name in _NARROW else tf, dtype.name) is dtype


@pytest.mark.parametrize("dtype", sorted(dtypes.NUMBERS, key=lambda d: d.name), ids=lambda d: d.name)
def test_numpy_types_are_found(dtype: Any) -> None:
    for spelling in (dtype.as_numpy_dtype, dtype.np, dtype.np.newbyteorder(">")):
        assert tf.as_dtype(spelling) is dtype
    assert dtype == dtype.as_numpy_dtype and dtype == dtype.name and dtype != "string"


@pytest.mark.parametrize(
    ("spelling", "dtype"),
    [(float, tf.float32), (bool, tf.bool), (complex, tf.complex128), (str, tf.string), (bytes, tf.string),
     (object, tf.string), ("half", tf.float16), ("double", tf.float64), (np.dtype("S3"), tf.string),
     (np.dtype("<U2"), tf.string), (ml_dtypes.bfloat16, tf.bfloat16)],
)  # fmt: skip
def test_python_types_and_aliases(spelling: Any, dtype: Any) -> None:
    assert tf.as_dtype(spelling) is dtype


@pytest.mark.parametrize("bogus", ["bogus", int, None, 3.5, 999, {}, [tf.float32], np.datetime64, object()])
def test_what_names_no_dtype_is_refused(bogus: Any) -> None:
    with pytest.raises(TypeError, match="Cannot convert the argument `type_value`: .* to a TensorFlow DType."):
        tf.as_dtype(bogus)


def test_kinds_and_limits() -> None:
    table = {
        "float32": (True, False, False, False), "bfloat16": (True, False, False, False),
        "complex64": (False, True, False, False), "int8": (False, False, True, False),
        "uint16": (False, False, True, False), "bool": (False, False, False, True),
        "qint8": (False, False, False, False), "string": (False, False, False, False),
    }  # fmt: skip
    got = {n: (d.is_floating, d.is_complex, d.is_integer, d.is_bool) for n in table for d in [tf.as_dtype(n)]}
    assert got == table
    assert (tf.uint8.min, tf.uint8.max, tf.bool.limits) == (0, 255, (0, True))
    assert float(tf.float16.max) == 65504.0 and tf.float32.limits == (0, 1) and tf.int32.limits == (0, tf.int32.max)
    with pytest.raises(ValueError, match="does not have defined limits"):
        tf.float16.limits  # noqa: B018
    assert [tf.as_dtype(n).size for n in ("string", "resource", "variant", "int16")] == [0, 0, 0, 2]
    assert tf.complex64.real_dtype is tf.float32 and tf.int32.real_dtype is tf.int32
    for kind in (tf.string, tf.bool, tf.complex64):
        with pytest.raises(TypeError, match="it has no order"):
            kind.max  # noqa: B018


_NARROW = {
    "float8_e5m2": (24, True, (-57344.0, 57344.0)),
    "float8_e4m3fn": (25, True, (-448.0, 448.0)),
    "float8_e4m3fnuz": (26, True, (-240.0, 240.0)),
    "float8_e4m3b11fnuz": (27, True, (-30.0, 30.0)),
    "float8_e5m2fnuz": (28, True, (-57344.0, 57344.0)),
    "int4": (29, False, (-8, 7)),
    "uint4": (30, False, (0, 15)),
    "int2": (31, False, (-2, 1)),
    "uint2": (32, False, (0, 3)),
    "float4_e2m1fn": (33, True, (-6.0, 6.0)),
}
"""Name -> number in the wire format, whether it has fractions, least and greatest value; all by TensorFlow 2.21."""


@pytest.mark.parametrize("name", _NARROW)
def test_a_narrow_type_is_moved_and_cast_but_not_computed_with(name: str) -> None:
    number, fractions, limits = _NARROW[name]
    dtype = getattr(tf.dtypes.experimental, name)
    assert (dtype.as_datatype_enum, dtype.is_floating, dtype.is_integer) == (number, fractions, not fractions)
    assert (float(dtype.min), float(dtype.max), dtype.size) == (*limits, 1)
    assert tf.as_dtype(name) is dtype is tf.as_dtype(dtype.as_numpy_dtype)
    x = tf.cast([1, 0, 1], dtype)
    moved = tf.concat([x[1:], tf.gather(tf.reshape(x, [3, 1]), [0])[0]], 0)
    assert moved.dtype is dtype
    assert tf.cast(moved, tf.int32).numpy().tolist() == [0, 1, 1]
    assert not dtype.is_numeric
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Value for attr 'T' of {name} is not in the list"):
        x + x


def test_whole_numbers_become_a_narrow_integer_type_and_floats_do_not() -> None:
    int4 = tf.dtypes.experimental.int4
    assert tf.constant([-8, 7], int4).numpy().tolist() == [-8, 7]
    with pytest.raises(ValueError, match="out of range"):
        tf.constant([8], int4)
    with pytest.raises(TypeError, match="to EagerTensor of dtype int4"):
        tf.constant([1.5], int4)
    assert tf.constant([1.5], tf.dtypes.experimental.float8_e5m2).numpy().tolist() == [1.5]


def test_a_number_of_the_wire_format_makes_its_type() -> None:
    assert tf.DType(1) is tf.float32 and tf.DType(tf.variant.as_datatype_enum) is tf.variant
    with pytest.raises(TypeError, match="999 does not correspond"):
        tf.DType(999)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.TensorShape([1]),
        lambda: tf.TensorSpec([1]),
        lambda: tf.RaggedTensorSpec([1, None]),
        lambda: tf.IndexedSlices(tf.ones([1]), tf.constant([0])),
        lambda: tf.sparse.from_dense([1]),
        lambda: tf.ragged.constant([[1]]),
        lambda: tf.compat.v1.ragged.constant_value([[1]]),
        lambda: tf.TensorArray(tf.float32, 1),
        lambda: tf.experimental.RowPartition.from_row_lengths([1]),
        lambda: tf.experimental.Optional.from_value(1),
    ],
)
def test_programs_may_note_attributes_of_their_own(make: Any) -> None:
    value = make()
    value.noted = 1
    assert value.noted == 1 and weakref.ref(value)() is value
