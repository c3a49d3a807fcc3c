"""Windows that slide over images, for convolution and pooling: sizes, margins, layouts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay.ops import array
from inlay.types.text import as_text

Pads = tuple[tuple[int, int], tuple[int, int]]


class Windows:
    """A window at every place of images [batch, rows, columns, channels].

    Attributes:
      image: the images' shape.
      window: the window's rows and columns; more sizes are ignored.
      strides, dilations: for rows and columns; given as attributes are, for each axis of `data_format`.
      outs: how many places there are, in rows and columns; None where that is not known.
    """

    dilations: Any
    image: tuple[Any, ...]
    strides: Any
    window: Sequence[Any]

    def __init__(
        self,
        image: Sequence[Any],
        window: Sequence[Any],
        strides: Any,
        padding: Any,
        data_format: str,
        dilations: Any = (1, 1, 1, 1),
    ) -> None:
        if len(image) != 4:
            raise ValueError(f"Shape must be rank 4 but is rank {len(image)}")
        self.image, self.window = tuple(image), window[:2]
        self.strides, self.dilations = rows_columns(strides, data_format), rows_columns(dilations, data_format)
        self._padding = padding
        self.outs: tuple[Any, Any] = self._places(0), self._places(1)

    def _places(self, axis: int) -> Any:
        size, window, stride = self.image[1 + axis], self.window[axis], self.strides[axis]
        if size is None:
            return None
        if self._padding == "SAME":
            return -(-size // stride)
        if window is None:
            return None
        reach = (window - 1) * self.dilations[axis] + 1
        out = (size + sum(self.pads[axis]) - reach) // stride + 1
        if out < 0 or (out == 0 and size):
            raise ValueError(f"Computed output size would be negative: a window of {reach} in an image side of {size}")
        return out

    @functools.cached_property
    def pads(self) -> Pads:
        """How many rows and columns to add on each side."""
        if self._padding == "VALID":
            return (0, 0), (0, 0)
        if self._padding != "SAME":
            return self._padding  # type: ignore[no-any-return]
        pairs = []
        for size, out, window, stride, dilation in zip(
            self.image[1:3], self.outs, self.window, self.strides, self.dilations, strict=True
        ):
            total = max((out - 1) * stride + (window - 1) * dilation + 1 - size, 0)
            pairs.append((total // 2, total - total // 2))
        return pairs[0], pairs[1]

    def made(self, channels: Any, data_format: str) -> tuple[Any, ...]:
        """The shape of one result per place, in the layout that is asked for."""
        dims = (self.image[0], *self.outs, channels)
        return (dims[0], dims[3], *dims[1:3]) if data_format == "NCHW" else dims

    def padded(self, xp: Any, x: Any, value: Any = 0) -> Any:
        """Images with the margins added."""
        if not any(map(any, self.pads)):
            return x
        return xp.pad(x, ((0, 0), *self.pads, (0, 0)), constant_values=np.asarray(value, x.dtype))

    def blank(self, xp: Any, dtype: Any) -> Any:
        """Images of zeros with the margins added."""
        rows, columns = (self.image[1 + a] + sum(self.pads[a]) for a in (0, 1))
        return xp.zeros((self.image[0], rows, columns, self.image[3]), dtype)

    def within(self, x: Any) -> Any:
        """Padded images without their margins."""
        (top, _), (left, _) = self.pads
        return x[:, top : top + self.image[1], left : left + self.image[2]]

    def views(self) -> Iterator[tuple[tuple[int, int], tuple[slice, ...]]]:
        """For each point (i, j) of the window: the index of the strided view of the padded images that it sees."""
        for point in np.ndindex(*self.window):
            starts = [p * d for p, d in zip(point, self.dilations, strict=True)]
            parts = zip(starts, self.strides, self.outs, strict=True)
            yield point, (slice(None), *(slice(at, at + step * (n - 1) + 1, step) for at, step, n in parts))


# ---------------------------------------------------------------- layouts


def channels_last(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, 1, -1) if data_format == "NCHW" else x


def as_format(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, -1, 1) if data_format == "NCHW" else x


def nhwc_dims(dims: Any, data_format: str) -> Any:
    return (dims[0], *dims[2:], dims[1]) if data_format == "NCHW" else tuple(dims)


def rows_columns(numbers: Any, data_format: str) -> Any:
    """Of one number per axis those for rows and columns."""
    return nhwc_dims(numbers, data_format)[1:3]


# ---------------------------------------------------------------- arguments


def settings(data_format: Any, padding: Any, **pairs: Any) -> dict[str, Any]:
    """The attributes of an op over windows of images: its layout, its padding, one number for each axis."""
    layout = "NHWC" if data_format is None else str(data_format)
    if layout not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    numbers = {name: _per_axis(value, layout, name) for name, value in pairs.items()}
    return {"padding": _padding(padding, layout), "data_format": layout, **numbers}


def _per_axis(value: Any, data_format: str, name: str) -> tuple[int, ...]:
    """A stride, window or dilation (one number, two or four) as one number for each axis."""
    flat = [int(v) for v in np.asarray(value).reshape(-1)]
    if len(flat) < 3:
        return (1, 1, flat[0], flat[-1]) if data_format == "NCHW" else (1, flat[0], flat[-1], 1)
    if len(flat) != 4:
        raise ValueError(f"{name} should be of length 1, 2 or 4 but was {len(flat)}")
    batch, _, _, depth = nhwc_dims(flat, data_format)
    if batch != 1 or depth != 1:
        raise ValueError(f"{name} in the batch and depth dimensions must be 1, got {flat}")
    return tuple(flat)


def _padding(value: Any, data_format: str) -> Any:
    """`"SAME"`, `"VALID"`, or pairs for rows and columns."""
    if isinstance(value, (str, bytes)):  # bytes: what `Operation.get_attr` gives
        value = as_text(value)
        if value.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding must be 'SAME', 'VALID' or a list of pairs, got {value!r}")
        return value.upper()
    pairs = [(int(a), int(b)) for a, b in value]
    if len(pairs) != 4:
        raise ValueError(f"explicit padding needs one pair per dimension, got {value!r}")
    return tuple(nhwc_dims(pairs, data_format)[1:3])


# ---------------------------------------------------------------- sequences


def over_steps(function: Callable[[Any, str], Any], value: Any, data_format: Any, name: str | None) -> Any:
    """`function(images, their layout)` of sequences [batch, steps, channels], which become images of one row."""
    if data_format not in ("NWC", "NCW", None):
        raise ValueError(f"data_format of sequences must be 'NWC' or 'NCW', got {data_format!r}")
    layout, axis = ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)
    return array.squeeze(function(array.expand_dims(value, axis), layout), [axis], name=name)


def of_steps(value: Any) -> tuple[int, int]:
    """A stride, window or dilation of sequences as one of images of one row."""
    return 1, int(np.asarray(value).reshape(-1).max())
