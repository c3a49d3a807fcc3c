"""Laws of the dtypes that operands of several get, in each mode; the settings of the process are put back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager import promotion

DTYPES = (
    tf.bool, tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.int8, tf.int16, tf.int32, tf.int64, tf.bfloat16, tf.float16,
    tf.float32, tf.float64, tf.complex64, tf.complex128,
)  # fmt: skip
NUMBERS: tuple[Any, ...] = (1, 0.5, 2j)


@pytest.fixture(autouse=True)
def _off_again() -> Iterator[None]:
    yield
    promotion.set_mode("off")


def result(mode: str, *operands: Any) -> Any:
    """The dtype of operands in a mode; None where they are refused."""
    promotion.set_mode(mode)
    try:
        return promotion.result_dtype(*operands)
    except TypeError:
        return None


@pytest.mark.parametrize("mode", ["legacy", "all", "safe"])
def test_the_order_of_two_operands_does_not_matter(mode: str) -> None:
    for a, b in itertools.product(DTYPES, (*DTYPES, *NUMBERS)):
        assert result(mode, a, b) is result(mode, b, a), (a, b)


@pytest.mark.parametrize("mode", ["legacy", "all", "safe"])
def test_equal_dtypes_stay_and_a_number_of_the_category_gives_way(mode: str) -> None:
    for dtype in DTYPES:
        assert result(mode, dtype, dtype) is dtype
    for dtype in DTYPES[1:]:
        assert result(mode, dtype, 1) is dtype
    for dtype in (tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128):
        assert result(mode, dtype, 0.5) is dtype


def test_what_is_safe_is_what_all_says() -> None:
    for a, b in itertools.product(DTYPES, (*DTYPES, *NUMBERS)):
        safe = result("safe", a, b)
        assert safe is None or safe is result("all", a, b), (a, b)


def test_safe_results_hold_every_value_of_their_operands() -> None:
    plain = [d for d in DTYPES if d is not tf.bfloat16]
    for a, b in itertools.product(plain, plain):
        safe = result("safe", a, b)
        if safe is None or tf.bool in (a, b):
            continue
        for dtype in (a, b):
            limits = np.array([dtype.min, dtype.max] if dtype.is_integer else [1.5], dtype.as_numpy_dtype)
            back = limits.astype(safe.as_numpy_dtype)
            assert (back.astype(np.complex128) == limits.astype(np.complex128)).all(), (a, b, safe)


def test_all_leaves_no_pair_without_a_dtype_and_legacy_is_numpys() -> None:
    for a, b in itertools.product(DTYPES, DTYPES):
        assert result("all", a, b) is not None
        try:
            want = tf.as_dtype(np.result_type(a.as_numpy_dtype, b.as_numpy_dtype))
        except TypeError:
            want = None
        assert result("legacy", a, b) is want


def test_several_operands_and_what_has_no_numbers() -> None:
    assert result("all", tf.int32, 1, tf.constant([1.0], tf.float16), np.array([2], np.int64)) is tf.float16
    assert result("all", [1, 2], [0.5, 1]) is tf.float32
    assert result("legacy", [1, 2], tf.int8) is tf.int8
    assert result("legacy", tf.Variable([1]), 0.5) is tf.float64
    assert result("all", tf.constant(["a"]), 1) is None
    assert result("all", True, tf.int32) is None


def test_floats_count_as_float32_where_that_is_preferred() -> None:
    promotion.set_mode("legacy", prefer_float32=True)
    assert promotion.result_dtype(tf.int8, 0.5) is tf.float32
    assert promotion.result_dtype(tf.int8, np.float64(0.5)) is tf.float32
    assert promotion.result_dtype(tf.int32, 0.5) is tf.float64
    assert promotion.result_dtype(tf.int8, 2j) is tf.complex64


def test_what_is_assigned_is_cast_where_the_variable_holds_it() -> None:
    promotion.set_mode("safe")
    assert promotion.assigned(tf.constant([1], tf.int8), tf.float32).dtype is tf.float32
    assert promotion.assigned(0.5, tf.float16).numpy() == 0.5
    for value, dtype in ((tf.constant(1.0), tf.int32), (tf.constant([1], tf.int64), tf.float32), (0.5, tf.int32)):
        with pytest.raises(TypeError):
            promotion.assigned(value, dtype)
    promotion.set_mode("off")
    with pytest.raises(ValueError, match="requested dtype float32"):
        promotion.assigned(tf.constant([1], tf.int8), tf.float32)
