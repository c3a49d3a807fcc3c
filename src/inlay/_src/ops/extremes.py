"""Where along an axis the greatest and the least element stand: `argmax`, `argmin`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import REALS, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops.shaping import axis_of

_INDEX = (dtypes.int32, dtypes.int64)
_ARGMAX = (dtypes.int16, dtypes.uint16, *_INDEX)


def _position_infer(s: Shapes) -> list[Dims]:
    dims, axis = s.dims[0], s.value(1)
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) - 1)]
    at = axis_of(axis, len(dims))
    return [dims[:at] + dims[at + 1 :]]


def _place_of(op_name: str, name: str, what: str, output_dtypes: tuple[DType, ...]) -> Any:
    """The function that says where the greatest or the least element stands."""

    def kernel(xp, input, dimension, *, output_type):
        at = axis_of(dimension, np.ndim(input))
        if not np.shape(input)[at]:
            raise ValueError(f"Reduction axis {at} is empty in shape {list(np.shape(input))}")
        return getattr(xp, name)(input, axis=at).astype(output_type.np)

    kernel.__doc__ = f"Where the {what} element along an axis stands; the first of equal ones."
    place = op(
        op_name,
        "input:T, dimension:Index -> output_type",
        types=REALS | {dtypes.bool_},
        static=("dimension",),
        attrs={"output_type": OneOf(output_dtypes)},
        ranks={"dimension": 0},
        infer=_position_infer,
        vjp=no_gradient,
    )(kernel)

    def function(
        input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None, dimension: Any = None
    ) -> Tensor:
        axis = dimension if axis is None else axis
        return place(input, 0 if axis is None else axis, output_type, name=name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Where the {what} element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis: one axis.
      output_type: {", ".join(dtype.name for dtype in output_dtypes)}.
      name: the node's name.
      dimension: the 1.x name of `axis`.
    """
    return function


argmax: Any = export("argmax", "math.argmax", "arg_max")(_place_of("ArgMax", "argmax", "greatest", _ARGMAX))
argmin: Any = export("argmin", "math.argmin", "arg_min")(_place_of("ArgMin", "argmin", "least", _INDEX))
