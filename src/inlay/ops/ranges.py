"""Numbers at even distances: `range`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core import context
from inlay.core.opdef import Role, Shapes
from inlay.core.values import INT32_MAX, INT32_MIN
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import math
from inlay.types import dtypes
from inlay.types.shapes import Dims


def _range_infer(s: Shapes) -> list[Dims]:
    ends = [s.value(i) for i in range(3)]
    if any(e is None for e in ends):
        return [(None,)]
    start, limit, delta = (e.item() for e in ends)
    return [(_count(start, limit, delta),)]


def _count(start: Any, limit: Any, delta: Any) -> int:
    """How many numbers there are; see `_check_ends`."""
    _check_ends(start, limit, delta)
    return int(np.ceil((float(limit) - float(start)) / float(delta)))


def _check_ends(start: Any, limit: Any, delta: Any) -> None:
    """Refuses steps that do not lead from the one end to the other.

    Raises:
      ValueError: if they do not.
    """
    if not delta:
        raise ValueError("Requires delta != 0")
    if (start > limit) if delta > 0 else (start < limit):
        sign = "<= limit when delta > 0" if delta > 0 else ">= limit when delta < 0"
        raise ValueError(f"Requires start {sign}: {start}/{limit}")


@op(
    "Range",
    "start:T, limit:T, delta:T -> T",
    types=dtypes.REALS,
    infer=_range_infer,
    static=("start", "limit", "delta"),
    role=Role.RANGE,
)
def _range(xp, start, limit, delta):
    """Evenly spaced numbers from start (included) to limit (excluded)."""
    if start.__class__ is int and limit.__class__ is int and delta.__class__ is int:
        _check_ends(start, limit, delta)
        return np.arange(start, limit, delta, np.int32)
    kind = np.result_type(*(getattr(v, "dtype", np.int32) for v in (start, limit, delta)))
    n = _count(*(np.asarray(v).item() for v in (start, limit, delta)))
    if kind.kind in "iu":
        return np.arange(start, limit, delta, kind)
    return (np.asarray(start, kind) + np.arange(n).astype(kind) * np.asarray(delta, kind)).astype(kind)


@export("range")
def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers from `start` (0 if only one bound is given) up to but not including `limit`, `delta` apart.

    Args:
      start: the first number, or the limit if `limit` is None.
      limit: the bound.
      delta: the step.
      dtype: the type; None takes the widest of the arguments'.
      name: the node's name.
    """
    if limit is None:
        start, limit = 0, start
    if dtype is None and _all_int32(start, limit, delta) and context.executing_eagerly():
        return _range(start, limit, delta, name=name)
    ends = [v if hasattr(v, "dtype") else convert_to_tensor(v, dtype) for v in (start, limit, delta)]
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    wanted = (
        dtypes.as_dtype(dtype)
        if dtype is not None
        else max((e.dtype for e in ends), key=lambda d: order.index(d) if d in order else 0)
    )
    return _range(*(math.cast(e, wanted) for e in ends), name=name)


def _all_int32(*numbers: Any) -> bool:
    """Whether Python numbers are whole, and become int32."""
    for number in numbers:
        if number.__class__ is not int or not INT32_MIN <= number <= INT32_MAX:
            return False
    return True
