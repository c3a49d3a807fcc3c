"""Equality of tensors whose shapes need not fit, as `==` writes it into TensorFlow's graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import no_gradient


@op("EqualWhereShapesFit", "x:T, y:T -> bool", types=dtypes.DENSE, infer=lambda s: [None], vjp=no_gradient)
def equal_where_shapes_fit(xp: Any, x: Any, y: Any, *, negated: bool = False) -> Any:
    """Whether elements are equal (or differ); tensors whose shapes do not fit are different as a whole."""
    try:
        np.broadcast_shapes(np.shape(x), np.shape(y))
    except ValueError:
        return np.bool_(negated)
    result = np.not_equal(x, y) if negated else np.equal(x, y)
    return result.astype(bool) if isinstance(result, np.ndarray) else np.bool_(result)
