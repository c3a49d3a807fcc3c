"""The way of arrays into compiled code and out of it, on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inlay._src.base.interpreter import xla
from inlay._src.base.tuning import TUNING

pytest.importorskip("jax")

COUNT = 90_000


def behind(offset: int, dtype: Any = np.float32) -> np.ndarray:
    """An array that begins so many bytes behind a multiple of what compiled code wants."""
    size = COUNT * np.dtype(dtype).itemsize
    raw = np.empty(size + 2 * xla.ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % xla.ALIGNMENT + offset
    array = raw[start : start + size].view(dtype)
    array[:] = np.arange(COUNT)
    return array


def test_aligned_arrays_and_small_ones_go_in_as_they_are() -> None:
    copies = xla.AlignedCopies()
    values = [behind(0), np.float32(3), behind(16)[:100]]
    given, memory = copies.taken(values)
    assert all(a is b for a, b in zip(given, values, strict=True))
    assert memory == [None, None, None]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.complex64])
def test_others_are_copied_into_memory_that_the_next_call_reuses(dtype: Any) -> None:
    copies = xla.AlignedCopies()
    places = []
    for array in (behind(16, dtype), behind(0, dtype)[::-1].copy()[::-1], behind(16, dtype).reshape(300, 300).T):
        (copy,), memory = copies.taken([array])
        assert copy.ctypes.data % xla.ALIGNMENT == 0 and copy.flags.c_contiguous
        np.testing.assert_array_equal(copy, array)
        places.append(copy.ctypes.data)
        copies.given_back(memory)
    assert len(set(places)) == 1


def test_calls_at_the_same_time_have_memory_of_their_own() -> None:
    copies = xla.AlignedCopies()
    (one,), first = copies.taken([behind(16)])
    (two,), second = copies.taken([behind(32)])
    assert not np.shares_memory(one, two)
    copies.given_back(first)
    copies.given_back(second)
    assert len(copies._free) == 1  # what two calls at a time needed is not kept twice


def test_huge_memory_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "align_memory_bytes", 1000)
    copies = xla.AlignedCopies()
    _, memory = copies.taken([behind(16)])
    copies.given_back(memory)
    assert not copies._free


def test_results_are_read_only_views_of_what_is_there() -> None:
    array = behind(0)
    result = xla.compiled(lambda x: x + 1)(array)
    left = xla.left(result, [array])
    np.testing.assert_array_equal(left, array + 1)
    assert not left.flags.writeable and left.ctypes.data == result.unsafe_buffer_pointer()
    assert isinstance(xla.left(xla.compiled(lambda x: x.sum())(array), [array]), np.float32)


def test_a_result_in_the_memory_of_an_input_is_copied() -> None:
    array = behind(0)
    shared = xla.jax().device_put(array, may_alias=True)
    assert np.shares_memory(np.asarray(shared), array)
    left = xla.left(shared, [array])
    array[:] = 0
    np.testing.assert_array_equal(left, np.arange(COUNT, dtype=np.float32))
