"""Sobol's sequence: points that fill a cube evenly."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops.special import from_scipy

_MOST_DIMENSIONS = 21200


def _infer(s: Shapes) -> list[Dims]:
    dim, count = s.value(0), s.value(1)
    return [(None if count is None else int(count), None if dim is None else int(dim))]


@op(
    "SobolSample",
    "dim:int32, num_results:int32, skip:int32 -> dtype",
    static=("dim", "num_results", "skip"),
    ranks={"dim": 0, "num_results": 0, "skip": 0},
    attrs={"dtype": OneOf((dtypes.float32, dtypes.float64))},
    infer=_infer,
    vjp=no_gradient,
)
def _sample(xp, dim, num_results, skip, *, dtype=dtypes.float32):
    """Points of the sequence behind its first one, the origin."""
    dim, count, skip = int(dim), int(num_results), int(skip)
    for least, value, what in ((1, dim, "dim"), (1, count, "num_results")):
        if value < least:
            raise ValueError(f"{what} must be at least one, got {value}")
    if skip < 0:
        raise ValueError(f"skip must be non-negative, got {skip}")
    if dim > _MOST_DIMENSIONS:
        raise ValueError(f"dim must be at most {_MOST_DIMENSIONS}, got {dim}")
    for total, what in ((count * dim, "num_results*dim"), (count + skip, "num_results+skip")):
        if total >= dtypes.int32.max:
            raise ValueError(f"{what} must be less than {dtypes.int32.max}, got {total}")
    sequence = from_scipy("stats.qmc", "Sobol")(d=dim, scramble=False, bits=32)
    sequence.fast_forward(1 + skip)
    return np.asarray(sequence.random(count)).astype(dtype.np)


@export("math.sobol_sample")
def sobol_sample(
    dim: Any, num_results: Any, skip: Any = 0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Points of Sobol's sequence, each coordinate of it between 0 and 1.

    Args:
      dim: number of coordinates of a point, at most 21200.
      num_results: number of points.
      skip: number of leading points to skip.
      dtype: float32 or float64.
      name: the node's name.

    Returns:
      [num_results, dim].

    Raises:
      InvalidArgumentError: for numbers out of their ranges, and another dtype (in a graph TypeError).
      ImportError: without SciPy, which has the directions.
    """
    return _sample(dim, num_results, skip, dtype=dtype, name=name)
