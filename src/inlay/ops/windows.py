"""Windows that slide over images, for convolution and pooling: sizes, padding, layouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Pads = tuple[tuple[int, int], tuple[int, int]]


def out_size(size: int, window: int, stride: int, dilation: int, padding: Any, axis: int) -> int:
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    before, after = (0, 0) if padding == "VALID" else padding[axis]
    out = (size + before + after - reach) // stride + 1
    if out < 0 or (out == 0 and size):
        raise ValueError(f"Computed output size would be negative: a window of {reach} in an image side of {size}")
    return out


def pads_of(sizes: Sequence[int], windows: Any, strides: Any, dilations: Any, padding: Any) -> Pads:
    """Rows and columns to add on each side."""
    if padding == "VALID":
        return (0, 0), (0, 0)
    if padding != "SAME":
        return padding
    pairs = []
    for size, window, stride, dilation in zip(sizes, windows, strides, dilations, strict=True):
        total = max((-(-size // stride) - 1) * stride + (window - 1) * dilation + 1 - size, 0)
        pairs.append((total // 2, total - total // 2))
    return pairs[0], pairs[1]


def padded(xp: Any, x: Any, pads: Pads, value: Any = 0) -> Any:
    if not any(map(any, pads)):
        return x
    return xp.pad(x, ((0, 0), *pads, (0, 0)), constant_values=np.asarray(value, x.dtype))


def window_views(windows: Any, strides: Any, dilations: Any, outs: Any) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
    """For each window position (i, j): the index of the strided view of the padded image it sees."""
    for i in range(windows[0]):
        for j in range(windows[1]):
            rows = slice(i * dilations[0], i * dilations[0] + strides[0] * (outs[0] - 1) + 1, strides[0])
            columns = slice(j * dilations[1], j * dilations[1] + strides[1] * (outs[1] - 1) + 1, strides[1])
            yield i, j, (slice(None), rows, columns)


def channels_last(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, 1, -1) if data_format == "NCHW" else x


def as_format(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, -1, 1) if data_format == "NCHW" else x


def nhwc_dims(dims: Any, data_format: str) -> Any:
    return (dims[0], *dims[2:], dims[1]) if data_format == "NCHW" else tuple(dims)


def stored_dims(dims: Any, data_format: str) -> tuple[Any, ...]:
    return (dims[0], dims[-1], *dims[1:-1]) if data_format == "NCHW" else tuple(dims)


def check_ranks(image: Sequence[Any], window: Sequence[Any] | None = None) -> None:
    if len(image) != 4 or (window is not None and len(window) != 4):
        filters = "" if window is None else f" (input) and {len(window)} (filter)"
        raise ValueError(f"Shape must be rank 4 but is rank {len(image)}{filters}")


def pair_of(value: Any, data_format: str, name: str) -> tuple[int, int]:
    """A stride, window or dilation (one number, two or four) as the pair for rows and columns."""
    flat = [int(v) for v in np.asarray(value).reshape(-1)]
    if len(flat) == 1:
        return flat[0], flat[0]
    if len(flat) == 2:
        return flat[0], flat[1]
    if len(flat) != 4:
        raise ValueError(f"{name} should be of length 1, 2 or 4 but was {len(flat)}")
    batch, rows, columns, depth = nhwc_dims(flat, data_format)
    if batch != 1 or depth != 1:
        raise ValueError(f"{name} in the batch and depth dimensions must be 1, got {flat}")
    return rows, columns


def padding_of(value: Any, data_format: str) -> Any:
    """`"SAME"`, `"VALID"`, or pairs for rows and columns."""
    if isinstance(value, str):
        if value.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding must be 'SAME', 'VALID' or a list of pairs, got {value!r}")
        return value.upper()
    pairs = [(int(a), int(b)) for a, b in value]
    if len(pairs) != 4:
        raise ValueError(f"explicit padding needs one pair per dimension, got {value!r}")
    return tuple(nhwc_dims(pairs, data_format)[1:3])


def format_of(data_format: Any) -> str:
    found = "NHWC" if data_format is None else str(data_format)
    if found not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    return found


def steps_format(data_format: Any) -> tuple[str, int]:
    """(the format of images, where their rows go) for sequences, which become images of one row."""
    if data_format not in ("NWC", "NCW", None):
        raise ValueError(f"data_format of sequences must be 'NWC' or 'NCW', got {data_format!r}")
    return ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)
