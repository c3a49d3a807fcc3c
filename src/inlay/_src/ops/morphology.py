"""Grey dilation and erosion of images, and the response of a channel beside its neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import FLOATS, REALS, as_dtype
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import Wholes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math, rearranging
from inlay._src.ops.shaping import wide
from inlay._src.ops.windows import PADDINGS, Windows, settings

_FOUR = {"strides": AtLeast(4), "rates": AtLeast(4)}


def _windows(image: Any, window: Any, attrs: Any) -> Windows:
    options = settings(2, "NHWC", attrs["padding"], strides=attrs["strides"], rates=attrs["rates"])
    return Windows(image, window, options["strides"], options["padding"], "NHWC", options["rates"])


def _infer(s: Shapes) -> list[Dims]:
    image, window = s.dims
    if image is None or window is None:
        return [(image[0] if image else None, None, None, window[-1] if window else None)]
    shapes.merge(image[3:], window[2:])
    return [_windows(image, window, s.attrs).result_dims(image[3], "NHWC")]


@op(
    "Dilation2D",
    "input:T, filter:T -> T",
    types=REALS,
    ranks={"input": 4, "filter": 3},
    infer=_infer,
    attrs={**PADDINGS, **_FOUR},
)
def dilation2d_op(xp, input, filter, *, strides: Wholes, rates: Wholes, padding: str):
    """The greatest sum of an image and a filter over each window, for each channel.

    Args:
      input: images, [batch, rows, columns, channels].
      filter: [rows, columns, channels].
      strides, rates: four numbers each.
      padding: "SAME" or "VALID".
      name: the node's name.
    """
    if np.ndim(filter) != 3 or np.shape(filter)[2] != np.shape(input)[-1]:
        raise ValueError(f"filter must be [rows, columns, {np.shape(input)[-1]}], got shape {list(np.shape(filter))}")
    g = _windows(np.shape(input), np.shape(filter), {"strides": strides, "rates": rates, "padding": padding})
    lowest = as_dtype(input.dtype).min
    x = g.padded(xp, input, lowest)
    inside = g.padded(xp, xp.ones(np.shape(input), bool), False) if any(map(any, g.pads)) else None
    best = None
    for point, view in g.views():
        here = xp.add(x[view], filter[point])
        if inside is not None:  # what is not in the image is no candidate, whatever the filter adds to it
            here = xp.where(inside[view], here, lowest).astype(input.dtype)
        best = here if best is None else xp.where(xp.greater(here, best), here, best)  # the first of equal ones
    return xp.maximum(best, lowest)  # which a kernel begins with, greater than minus infinity


def _four_dims(data_format: Any) -> None:
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}")


@export("nn.dilation2d")
def dilation2d(
    input: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str | None = None
) -> Tensor:
    """The greatest sum of an image and a filter over each window, for each channel.

    Args:
      input: images, [batch, rows, columns, channels].
      filters: [rows, columns, channels].
      strides: four numbers.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      dilations: the distance between the filter's points: four numbers.
      name: the node's name.

    Raises:
      ValueError: for another layout.
    """
    _four_dims(data_format)
    return dilation2d_op(input, filters, strides=strides, rates=dilations, padding=padding, name=name)


@export("nn.erosion2d")
@described(dilation2d.__doc__)
def erosion2d(
    value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, name: str | None = None
) -> Tensor:
    """The least difference of an image and the filter turned round over each window, for each channel.

    Args:
      value: images, [batch, rows, columns, channels].
    """
    _four_dims(data_format)
    turned = rearranging.reverse(filters, [0, 1])
    dilated = dilation2d_op(math.negative(value), turned, strides=strides, rates=dilations, padding=padding)
    return math.negative(dilated, name=name)


def _lrn_infer(s: Shapes) -> list[Dims]:
    if s.dims[0] is not None and len(s.dims[0]) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(s.dims[0])}")
    return [s.dims[0] or (None,) * 4]


@op("LRN", "input:T -> T", types=FLOATS, infer=_lrn_infer)
@export("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(xp, input, *, depth_radius=5, bias: float = 1, alpha: float = 1, beta=0.5):
    """`input / (bias + alpha * sum) ** beta`, where `sum` is of the squares of the channels near by.

    Args:
      input: images, [batch, rows, columns, channels].
      depth_radius: number of channels on each side in the window.
      bias, alpha, beta: see the formula.
      name: the node's name.
    """
    if np.ndim(input) != 4:
        raise ValueError(f"in must be 4-dimensional, got shape {list(np.shape(input))}")
    x = wide(input)
    channels = x.shape[3]
    padded = xp.pad(xp.square(x), ((0, 0), (0, 0), (0, 0), (depth_radius, depth_radius)))
    near = sum((padded[..., i : i + channels] for i in range(2 * depth_radius + 1)), xp.zeros_like(x))
    return xp.divide(x, xp.power(bias + alpha * near, x.dtype.type(beta))).astype(input.dtype)
