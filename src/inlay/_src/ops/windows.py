"""Windows that slide over images, for convolution and pooling: sizes, margins, layouts."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.text import as_text
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.opdef import Shapes
from inlay._src.core.signature import OneOf
from inlay._src.ops import array, joining
from inlay._src.ops.image_checks import refusal

Pads = tuple[tuple[int, int], ...]
LAYOUTS = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}
"""Number of sides -> the layouts with channels last and second."""


class Windows:
    """A window at every place of images [batch, sides..., channels].

    Attributes:
      image: the images' shape.
      window: the window's size along each side; more sizes are ignored.
      strides, dilations: for each side; given as attributes are, for each axis of `data_format`.
      outs: number of places along each side; None if unknown.
    """

    def __init__(
        self,
        image: Sequence[Any],
        window: Sequence[Any],
        strides: Any,
        padding: Any,
        data_format: str,
        dilations: Any = None,
    ) -> None:
        if len(image) != len(strides):
            raise ValueError(f"Shape must be rank {len(strides)} but is rank {len(image)}")
        if len(window) < len(strides) - 2 or (dilations is not None and len(dilations) != len(strides)):
            raise ValueError(f"a window of rank {len(window)} and dilations {dilations} do not fit strides {strides}")
        self.strides: Any = of_sides(strides, data_format)
        self.dilations: Any = (1,) * len(self.strides) if dilations is None else of_sides(dilations, data_format)
        self.image, self.window, self._padding = tuple(image), tuple(window[: len(self.strides)]), padding
        self.outs: tuple[Any, ...] = tuple(map(self._places, range(len(self.strides))))

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
            raise ValueError(
                f"Negative dimension size caused by subtracting {reach} from {size}. Computed output size would be "
                f"negative: a window of {reach} in an image side of {size}"
            )
        return out

    @functools.cached_property
    def pads(self) -> Pads:
        """The padding before and after each side."""
        if self._padding == "VALID":
            return ((0, 0),) * len(self.window)
        if self._padding != "SAME":
            return self._padding  # type: ignore[no-any-return]
        pairs = []
        for size, out, window, stride, dilation in zip(
            self.image[1:-1], self.outs, self.window, self.strides, self.dilations, strict=True
        ):
            total = max((out - 1) * stride + (window - 1) * dilation + 1 - size, 0)
            pairs.append((total // 2, total - total // 2))
        return tuple(pairs)

    def result_dims(self, channels: Any, data_format: str) -> tuple[Any, ...]:
        """The shape of one result per place, in the layout that is asked for."""
        batch = self.image[0]
        return (batch, channels, *self.outs) if is_second(data_format) else (batch, *self.outs, channels)

    def padded(self, xp: Any, x: Any, value: Any = 0) -> Any:
        """Images with the margins added."""
        if not any(map(any, self.pads)):
            return x
        return xp.pad(x, ((0, 0), *self.pads, (0, 0)), constant_values=np.asarray(value, x.dtype))

    def blank(self, xp: Any, dtype: Any) -> Any:
        """Images of zeros with the margins added."""
        sides = [size + sum(pair) for size, pair in zip(self.image[1:-1], self.pads, strict=True)]
        return xp.zeros((self.image[0], *sides, self.image[-1]), dtype)

    @property
    def lie_apart(self) -> bool:
        """Whether no two windows see the same pixel."""
        return self.dilations == (1,) * len(self.strides) and all(
            step >= side for step, side in zip(self.strides, self.window, strict=True)
        )

    def unfilled(self, dtype: Any) -> np.ndarray:
        """Images with the margins added, of windows that lie apart: pixels that none sees are 0, others are not set."""
        margins = map(sum, self.pads)
        seen = (
            size + margin == step * out and step == side
            for size, margin, step, out, side in zip(
                self.image[1:-1], margins, self.strides, self.outs, self.window, strict=True
            )
        )
        if not all(seen):
            return self.blank(np, dtype)  # type: ignore[no-any-return]
        sides = [step * out for step, out in zip(self.strides, self.outs, strict=True)]
        return np.empty((self.image[0], *sides, self.image[-1]), dtype)

    def within(self, x: Any) -> Any:
        """Padded images without their margins."""
        pairs = zip(self.image[1:-1], self.pads, strict=True)
        return x[(slice(None), *(slice(before, before + size) for size, (before, _) in pairs))]

    def views(self) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """For each point of the window: the index of the strided view of the padded images that it sees."""
        for point in np.ndindex(*self.window):
            starts = [p * d for p, d in zip(point, self.dilations, strict=True)]
            parts = zip(starts, self.strides, self.outs, strict=True)
            yield point, (slice(None), *(slice(at, at + step * (n - 1) + 1, step) for at, step, n in parts))


class Phase(NamedTuple):
    """Pixels whose gradients are a convolution of output gradients: every so many, as the stride is.

    Attributes:
      pixels: of the images, an index.
      taps: of the window, those that reach these pixels, in reverse; an index.
      windows: over the output gradients, whose margins are cut where they are below 0; None if no window reaches
        these pixels.
    """

    pixels: tuple[slice, ...]
    taps: tuple[slice, ...]
    windows: Windows | None


def phases(g: Windows) -> Iterator[Phase]:
    """The phases of the gradient in the images of a convolution, one for each combination of strides."""
    for parts in itertools.product(*[_phases_along(g, axis) for axis in range(len(g.window))]):
        pixels, taps, margins, counts, gaps = zip(*parts, strict=True)
        image, ones = (g.image[0], *g.outs, 1), (1,) * len(g.image)
        windows = Windows(image, counts, ones, margins, "", (1, *gaps, 1)) if all(counts) else None
        yield Phase((slice(None), *pixels), taps, windows)


def _phases_along(g: Windows, axis: int) -> list[tuple[slice, slice, tuple[int, int], int, int]]:
    """(pixels, taps, margins, number of taps, their distance over output gradients) of each phase of a side.

    The tap `k` of the place `o` reaches the pixel `o * stride + k * dilation - before`.
    """
    size, out, stride, dilation = g.image[1 + axis], g.outs[axis], g.strides[axis], g.dilations[axis]
    before, parts = g.pads[axis][0], []
    for start in range(min(stride, size)):
        taps = [k for k in range(g.window[axis]) if (start + before - k * dilation) % stride == 0]
        pixels = slice(start, None, stride)
        if not taps:
            parts.append((pixels, slice(0), (0, 0), 0, 1))
            continue
        step = taps[1] - taps[0] if len(taps) > 1 else 1
        last = (
            start + before - taps[0] * dilation
        ) // stride  # the place that reaches the first pixel by the first tap
        first = (start + before - taps[-1] * dilation) // stride
        count = -(-(size - start) // stride)
        reverse = slice(taps[-1], taps[0] - 1 if taps[0] else None, -step)
        parts.append((pixels, reverse, (-first, count + last - out), len(taps), max(dilation * step // stride, 1)))
    return parts


def pool_windows(image: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Windows:
    """The windows of a pooling; `ksize` and `strides` are one number for each axis."""
    if len(ksize) != len(strides):
        raise ValueError(f"a window {list(ksize)} and strides {list(strides)} are not of one rank")
    return Windows(image, of_sides(ksize, data_format), strides, padding, data_format)


def pooled_dims(s: Shapes, sides: int) -> Dims:
    """The shape of pooled images with so many sides."""
    a = s.attrs
    if s.dims[0] is None:
        return (None,) * (sides + 2)
    image = last_dims(s.dims[0], a["data_format"])
    return pool_windows(image, a["ksize"], a["strides"], a["padding"], a["data_format"]).result_dims(
        image[-1], a["data_format"]
    )


def added_to(xp: Any, base: Any, index: Any, values: Any) -> Any:
    """`base`, which is ours, with `values` added at `index`, which names no place twice."""
    if xp is not np:
        return base.at[index].add(values)
    base[index] += values
    return base


def gathered(xp: Any, pool: Windows, padded: Any, combine: str) -> Any:
    """The reduction by a binary function of all pixels of each window, along one side after the other.

    Along the first side whole lines meet, which NumPy does at the speed of memory, and there is less left for the next.

    Args:
      xp: the array namespace.
      pool: the windows; without dilation.
      padded: images with the margins added.
      combine: its name there, such as "maximum".

    Returns:
      [batch, places..., channels]; a view of the images if the windows are of one pixel.
    """
    function, reduced = getattr(xp, combine), padded
    for axis, (window, step, count) in enumerate(zip(pool.window, pool.strides, pool.outs, strict=True), 1):
        before = (slice(None),) * axis
        first, *others = (reduced[(*before, slice(at, at + step * (count - 1) + 1, step))] for at in range(window))
        reduced = first
        for other in others:
            reduced = (
                function(reduced, other, out=reduced) if xp is np and reduced is not first else function(reduced, other)
            )
    return reduced


# ---------------------------------------------------------------- layouts


def is_second(data_format: str) -> bool:
    """Whether a layout has its channels second."""
    return data_format.startswith("NC")


def channels_last(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, 1, -1) if is_second(data_format) else x


def as_format(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, -1, 1) if is_second(data_format) else x


def last_dims(dims: Any, data_format: str) -> Any:
    return (dims[0], *dims[2:], dims[1]) if is_second(data_format) else tuple(dims)


def of_sides(numbers: Any, data_format: str) -> Any:
    """Of one number per axis those for the sides."""
    return last_dims(numbers, data_format)[1:-1]


# ---------------------------------------------------------------- arguments


PADDINGS = {"padding": OneOf(("SAME", "VALID"))}
"""The paddings of ops that take no explicit ones."""


def settings(sides: int, data_format: Any, padding: Any, **windows: Any) -> dict[str, Any]:
    """The attributes of an op over windows of images: its layout, its padding, one number for each axis."""
    layouts = LAYOUTS[sides]
    layout = layouts[0] if data_format is None else str(data_format)
    if layout not in layouts:
        explicit = " with explicit padding" if not isinstance(padding, (str, bytes)) else ""
        raise ValueError(
            f"data_format must be {layouts[0]!r} or {layouts[1]!r}; {data_format!r} is not supported{explicit}"
        )
    options = {name: _per_axis(value, layout, sides, name) for name, value in windows.items()}
    return {"padding": _padding(padding, layout, sides), "data_format": layout, **options}


def numbers(value: Any, name: str) -> list[int]:
    """A stride, window or dilation as a list; None is 1."""
    return [1] if value is None else wholes(value, name)


def _per_axis(value: Any, layout: str, sides: int, name: str) -> tuple[int, ...]:
    """A stride, window or dilation (one number, one per side, or one per axis; None is 1) as one for each axis."""
    flat = numbers(value, name)
    if any(number < 1 for number in flat):
        raise refusal(f"{name} must be positive, got {value!r}")
    if len(flat) in (1, sides):
        each = flat * sides if len(flat) == 1 else flat
        return (1, 1, *each) if is_second(layout) else (1, *each, 1)
    if len(flat) != sides + 2:
        raise ValueError(f"{name} should be of length 1, {sides} or {sides + 2} but was {len(flat)}")
    batch, *_, depth = last_dims(flat, layout)
    if batch != 1 or depth != 1:
        raise ValueError(f"{name} in the batch and depth dimensions must be 1, got {flat}")
    return tuple(flat)


def _padding(value: Any, layout: str, sides: int) -> Any:
    """`"SAME"`, `"VALID"`, or pairs for each side."""
    if isinstance(value, (str, bytes)):  # bytes: what `Operation.get_attr` gives
        value = as_text(value)
        if value not in ("SAME", "VALID"):
            raise ValueError(f"padding must be 'SAME', 'VALID' or a list of pairs, got {value!r}")
        return value
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise TypeError(f"Expected string for argument 'padding' not {value!r}, or a list with a pair per dimension.")
    pairs = [tuple(wholes(pair, "padding")) for pair in value]
    if len(pairs) != sides + 2 or any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"explicit padding needs one pair per dimension, got {value!r}")
    batch, *of_each_side, depth = last_dims(pairs, layout)
    if any(batch) or any(depth):
        raise refusal(f"explicit padding in the batch and depth dimensions must be 0, got {value!r}")
    if min(map(min, of_each_side)) < 0:
        raise refusal(f"all explicit padding must be non-negative, got {value!r}")
    return tuple(of_each_side)


# ---------------------------------------------------------------- sequences


def over_steps(
    function: Callable[[Any, str, Any], Any], value: Any, data_format: Any, padding: Any, name: str | None
) -> Any:
    """`function(images, their layout, padding)` of sequences [batch, steps, channels], as images of one row."""
    if data_format not in ("NWC", "NCW", None):
        raise ValueError(f"data_format of sequences must be 'NWC' or 'NCW', got {data_format!r}")
    layout, axis = ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)
    if isinstance(padding, (list, tuple)):
        padding = [*padding[:axis], (0, 0), *padding[axis:]]
    return array.squeeze(function(array.expand_dims(value, axis), layout, padding), [axis], name=name)


def of_steps(value: Any) -> tuple[int, int]:
    """A stride, window or dilation of sequences as one of images of one row."""
    flat = numbers(value, "stride")
    if len(flat) not in (1, 3):
        raise ValueError(f"a stride, window or dilation of sequences is one number or three, got {value!r}")
    return 1, max(flat)


# ---------------------------------------------------------------- batches


def of_one_batch(function: Callable[[Any], Any], value: Any, inner: int) -> Any:
    """`function(value)`, which takes one batch dimension before `inner` others: more are joined for the call."""
    value = convert_to_tensor(value)
    rank = value.shape.rank
    if rank is None or rank <= inner + 1:
        return function(value)
    sizes, outer = array.shape(value), rank - inner
    results = function(array.reshape(value, joining.concat([[-1], sizes[outer:]], 0)))
    whole = array.reshape(results, joining.concat([sizes[:outer], array.shape(results)[1:]], 0))
    whole.set_shape([*value.shape.as_list()[:outer], *results.shape.as_list()[1:]])
    return whole


def parts_of(sizes: Sequence[int], each: int, most: int) -> list[tuple[slice, ...]]:
    """Indices of parts of an array that lie in one piece: slices of its first axes.

    Args:
      sizes: of the array.
      each: the size of an element.
      most: the size of a part, unless an element of the last axis is larger.
    """
    axis, inner = 0, math.prod(sizes[1:]) * each
    while axis < len(sizes) - 1 and inner > most:
        axis += 1
        inner //= max(sizes[axis], 1)
    count = -(-sizes[axis] // max(most // inner, 1)) if inner else 1
    count = min(count + count % 2 * (count > 1), sizes[axis])
    cuts = [sizes[axis] * turn // count for turn in range(count + 1)] if count else [0]
    return [
        (*(slice(at, at + 1) for at in lead), slice(*cut))
        for lead in np.ndindex(*sizes[:axis])
        for cut in itertools.pairwise(cuts)
    ]


def pixels_of(images: np.ndarray) -> np.ndarray:
    """Images with the channels of a pixel as one element, to copy them, where that is sooner."""
    size = images.shape[-1] * images.itemsize
    if size < TUNING.windows_pixel_bytes or images.strides[-1] != images.itemsize:
        return images
    return images.view(np.dtype((np.void, size)))[..., 0]
