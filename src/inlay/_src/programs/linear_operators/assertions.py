"""Assertions about the numbers of which linear operators are made."""

from __future__ import annotations

from typing import Any

from inlay._src.ops import array, complex_numbers, control
from inlay._src.ops.asserting import assert_equal_v1, assert_greater_v1, assert_positive_v1


def zero_imaginary(x: Any, message: str) -> Any:
    """Asserts that no number has an imaginary part."""
    if not x.dtype.is_complex:
        return control.no_op()
    part = complex_numbers.imag(x)
    return assert_equal_v1(part, array.zeros_like(part), message=message)


def no_zeros(x: Any, message: str) -> Any:
    """Asserts that every number has a positive modulus."""
    size = complex_numbers.abs(x)
    return assert_greater_v1(size, array.zeros_like(size), message=message)


def positive_real(x: Any, message: str) -> Any:
    """Asserts that every number has a positive real part."""
    return assert_positive_v1(complex_numbers.real(x), message=message)
