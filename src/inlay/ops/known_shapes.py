"""What a caller knows of shapes, held against the values: `ensure_shape`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.declaration import op
from inlay.export import export
from inlay.types import shapes
from inlay.types.shapes import Dims


def _ensure_infer(s: Shapes) -> list[Dims]:
    return [shapes.merge(s.dims[0], s.attrs["shape"]._dims)]


@op("EnsureShape", "input:T -> T", infer=_ensure_infer, aliases=True, vjp=lambda op, dy: dy)
def _ensure_shape(xp, input, *, shape):
    """The input, whose shape must satisfy a partial shape."""
    if not shapes.compatible(np.shape(input), shape._dims):
        raise ValueError(
            f"Shape of tensor input {shapes.bracketed(np.shape(input))} is not compatible with expected shape "
            f"{shapes.bracketed(shape._dims)}."
        )
    return input


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """`x`, refusing when it runs a value whose shape does not satisfy `shape`; adds to the static shape."""
    return _ensure_shape(x, shapes.as_shape(shape), name=name)
