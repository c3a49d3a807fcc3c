"""`tf.debugging`: assertions, what the caches hold, and runs on the caller's thread so that stepping works."""

from __future__ import annotations

from inlay.interpreter.caches import CacheInfo, listed
from inlay.ops.asserting import (
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_shapes,
    assert_type,
    check_numerics,
    is_numeric_tensor,
)
from inlay.ops.printing import assert_ as Assert
from inlay.run import takeover

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "caches",
    "check_numerics",
    "is_numeric_tensor",
    "run_inline",
]


def caches() -> list[CacheInfo]:
    """What the process keeps so that it need not be made again: one entry per cache, by name.

    Each cache is bounded; its oldest entry makes room for a new one.

    Returns:
      Named tuples `(name, size, most)`: how many entries there are, and how many there may be.
    """
    return listed()


class run_inline:
    """Keeps every run on its caller's thread, step after step: `tf.debugging.run_inline()`.

    Independent functions of one run then no longer go on while another blocks. Called alone it holds until
    `run_inline(False)`; as a context manager it holds for the block.

    Args:
      on: whether runs stay inline.
    """

    def __init__(self, on: bool = True) -> None:
        self._before = takeover.set_inline(on)

    def __enter__(self) -> run_inline:
        return self

    def __exit__(self, *_: object) -> None:
        takeover.set_inline(self._before)
