"""Numbers at even distances: `range`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, number
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Role, Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math


def _range_infer(s: Shapes) -> list[Dims]:
    for dims in s.dims:
        if dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")
    ends = [s.value(i) for i in range(3)]
    if any(e is None for e in ends):
        return [(None,)]
    return [(_count(*[np.asarray(e).reshape(())[()] for e in ends]),)]


def _count(start: Any, limit: Any, delta: Any) -> int:
    """The length of a range, computed in the type of its ends as its numbers are; see `_check_ends`."""
    _check_ends(start, limit, delta)
    if np.asarray(start).dtype.kind in "iu":
        return len(range(int(start), int(limit), int(delta)))
    with np.errstate(over="ignore"):
        count = float(np.ceil((limit - start) / delta))
    if count > np.iinfo(np.int64).max:
        raise ValueError(f"Requires ((limit - start) / delta) <= {np.iinfo(np.int64).max}, got {count}")
    return int(count)


def _check_ends(start: Any, limit: Any, delta: Any) -> None:
    """Refuses steps that do not lead from the one end to the other.

    Raises:
      ValueError: if they do not.
    """
    if not delta:
        raise ValueError("Requires delta != 0")
    if not ((start <= limit) if delta > 0 else (start >= limit)):  # NaN is on neither side
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
    dtype = start.dtype if hasattr(start, "dtype") else np.dtype(np.int32)
    start, limit, delta = np.asarray(start, dtype), np.asarray(limit, dtype), np.asarray(delta, dtype)
    if start.ndim or limit.ndim or delta.ndim:
        if {start.size, limit.size, delta.size} != {1} or max(start.ndim, limit.ndim, delta.ndim) > 1:
            sizes = [list(v.shape) for v in (start, limit, delta)]
            raise ValueError(f"start, limit and delta must be scalars, got shapes {sizes}")
        start, limit, delta = (v.reshape(()) for v in (start, limit, delta))  # vectors of one number, as in 1.x
    if dtype.kind in "iu":
        start, limit, delta = start.item(), limit.item(), delta.item()
        _check_ends(start, limit, delta)
        return np.arange(start, limit, delta, dtype=dtype)
    start, limit, delta = start[()], limit[()], delta[()]
    n = _count(start, limit, delta)
    return (start + np.arange(n).astype(dtype) * delta).astype(dtype)


@export("range")
def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
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
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    eager = context.executing_eagerly()
    start, limit, delta = [v if hasattr(v, "dtype") else _end(v, kind, eager) for v in (start, limit, delta)]
    kinds = start.dtype, limit.dtype, delta.dtype
    if not kinds[0] is kinds[1] is kinds[2] or (kind is not None and kind is not kinds[0]):
        wanted = kind or max(kinds, key=lambda d: _ORDER.index(d) if d in _ORDER else 0)
        start, limit, delta = (math.cast(v, wanted) for v in (start, limit, delta))
    return _range(start, limit, delta, name=name)


_ORDER = [dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]


def _end(value: Any, kind: DType | None, eager: bool) -> Any:
    """A number as a tensor."""
    natural = kind or (dtypes.float32 if value.__class__ is float else dtypes.int32)
    constant = number(value, natural) if eager else None
    return convert_to_tensor(value, kind) if constant is None else constant
