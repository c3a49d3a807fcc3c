"""`nn.pool`: pooling over one, two or three sides, also of elements that lie apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, division, joining, math, rearranging
from inlay._src.ops.blocks import batch_to_space, space_to_batch
from inlay._src.ops.pooling import avg_pool, max_pool

_KINDS = {"MAX": max_pool, "AVG": avg_pool}


def _sides(value: Any, count: int, name: str) -> list[int]:
    """A number for each side."""
    if value is None:
        return [1] * count
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise TypeError(f"`{name}` must be a list of {count} numbers, got {value!r}")
    numbers = list(wholes(value, name))
    if len(numbers) != count:
        raise ValueError(f"`{name}` must have one number for each of {count} sides, got {value!r}")
    if min(numbers) < 1:
        raise ValueError(f"all numbers of `{name}` must be positive, got {value!r}")
    return numbers


@export("nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The greatest number, or the mean, of each window of sequences, images or volumes.

    Args:
      input: [batch, sides..., channels], or channels second if `data_format` begins with "NC".
      window_shape: the window, a number for each side: one, two or three.
      pooling_type: "MAX" or "AVG".
      strides: the steps of the window, a number for each side; 1 if None.
      padding: "VALID" or "SAME".
      data_format: "NWC", "NHWC", "NDHWC", or "NCW", "NCHW", "NCDHW".
      dilations: the distance of the elements of a window, a number for each side; 1 if None.
      name: the node's name.

    Returns:
      [batch, windows..., channels], in the order of `input`.

    Raises:
      ValueError: for another kind or number of sides, strides longer than the window, and dilations together with
        strides or with "SAME".
      TypeError: for strides or dilations that are no list.
    """
    window = list(wholes(window_shape, "window_shape"))
    count = len(window)
    if count not in (1, 2, 3):
        raise ValueError(f"`window_shape` must have 1, 2 or 3 numbers, got {window_shape!r}")
    if pooling_type not in _KINDS:
        raise ValueError(f"`pooling_type` must be 'MAX' or 'AVG', got {pooling_type!r}")
    input = convert_to_tensor(input, name="input")
    if input.shape.rank not in (None, count + 2):
        raise ValueError(f"`input` must have {count + 2} dimensions for {count} sides, got shape {input.shape}")
    steps, rates = _sides(strides, count, "strides"), _sides(dilations, count, "dilations")
    if any(step > size for step, size in zip(steps, window, strict=True)):
        raise ValueError(f"`strides` must not be longer than `window_shape`, got {steps} and {window}")
    function = _KINDS[pooling_type]
    if max(rates) == 1:
        return function(input, window, steps, padding, data_format, name)
    if max(steps) > 1 or padding != "VALID":
        raise ValueError(f"`dilations` above 1 go with strides of 1 and 'VALID', got {rates}, {steps} and {padding!r}")
    first = data_format is not None and data_format.startswith("NC")
    x = rearranging.transpose(input, [0, *range(2, count + 2), 1]) if first else input
    missing = division.floormod(math.negative(array.shape(x)[1 : count + 1]), rates)
    none = array.zeros_like(missing)
    x = space_to_batch(x, rates, joining.stack([none, missing], 1))
    y = function(x, window, 1, "VALID", None)
    y = batch_to_space(y, rates, joining.stack([none, missing], 1), name=name)
    return rearranging.transpose(y, [0, count + 1, *range(1, count + 1)]) if first else y


pool_v1: Any = export("compat.v1.nn.pool")(
    another_form(
        pool,
        "input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, "
        "dilations=None",
        dilation_rate="dilations",
    )
)
