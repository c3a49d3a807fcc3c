"""Windows with holes: `nn.with_space_to_batch` for any operation on windows, and `nn.pool`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array
from inlay._src.ops.blocks import batch_to_space, required_space_to_batch_paddings, space_to_batch
from inlay._src.ops.joining import concat
from inlay._src.ops.pooling import avg_pool, max_pool
from inlay._src.ops.stacking import stack


@export("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[[Any, int, str], Any],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Makes an operation on windows one on windows with holes: it sees every so many points as an image of their own.

    Args:
      input: a tensor whose sides are those of `spatial_dims`.
      dilation_rate: int32 of known shape [sides]: the distance between the points of a window.
      padding: "SAME" or "VALID".
      op: takes the tensor of images, the number of sides and a padding, and gives a tensor.
      filter_shape: the sizes of the window, required for "SAME".
      spatial_dims: the dimensions of the sides in rising order; those after the batch if None.
      data_format: "NC..." for channels first.

    Returns:
      The result of `op`, put together again.

    Raises:
      ValueError: for another padding, a rate below 1, other dimensions and a missing `filter_shape`.
    """
    input = convert_to_tensor(input)
    rate = convert_to_tensor(dilation_rate, dtypes.int32)
    if rate.shape.rank != 1 or rate.shape[0] is None:
        raise ValueError(f"`dilation_rate.shape` must be fully defined, of rank 1. Received: {rate.shape}")
    sides = rate.shape[0]
    first = 2 if (data_format or "").startswith("NC") else 1
    dims = list(range(first, first + sides) if spatial_dims is None else spatial_dims)
    if dims != sorted(set(dims)) or dims[0] < 1:
        raise ValueError(
            f"`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: {dims}"
        )
    least = dims[-1] + (first == 1)
    if input.shape.rank is not None and input.shape.rank < least:
        raise ValueError(f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape}")
    static = constant_of(rate)
    if static is not None and (static < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={static}")
    if static is not None and (static == 1).all():
        return op(input, sides, padding)
    sizes = [input.shape[dim] for dim in dims] if input.shape.rank is not None else [None]
    whole = stack([array.shape(input)[dim] for dim in dims]) if None in sizes else sizes
    pads, crops = required_space_to_batch_paddings(whole, rate, _least_padding(padding, filter_shape, rate, sides))
    blocks, pads, crops = _for_all(rate, 1, dims), _for_all(pads, 0, dims), _for_all(crops, 0, dims)
    return batch_to_space(op(space_to_batch(input, blocks, pads), sides, "VALID"), blocks, crops)


def _least_padding(padding: str, filter_shape: Any, rate: Any, sides: int) -> Any:
    """The padding before and after each side that makes a result of the same size, as a matrix."""
    if padding == "VALID":
        return np.zeros([sides, 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None and padding={padding}"
        )
    more = (convert_to_tensor(filter_shape, dtypes.int32)[:sides] - 1) * rate
    before = more // 2
    return stack([before, more - before], 1)


def _for_all(rows: Any, other: int, dims: Sequence[int]) -> Any:
    """Rows of some dimensions as rows of all dimensions from 1 on, the missing ones filled with a number."""
    rows = convert_to_tensor(rows)
    filled = array.fill(array.shape(rows[:1]), other)
    return concat(
        [rows[dims.index(dim) : dims.index(dim) + 1] if dim in dims else filled for dim in range(1, dims[-1] + 1)], 0
    )


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
) -> Tensor:
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
    with name_scope(name, f"{pooling_type.lower()}_pool"):
        return with_space_to_batch(
            input,
            rates,
            "VALID",
            lambda x, _, margin: function(x, window, 1, margin, data_format),
            None,
            None,
            data_format,
        )


pool_v1: Any = export("compat.v1.nn.pool")(
    another_form(
        pool,
        "input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None, data_format=None, "
        "dilations=None",
        dilation_rate="dilations",
    )
)
