"""Blocks of windows over images with margins, on NumPy.

Images with margins are never copied as a whole: that would be new memory, whose pages cost more than the copy. The
pixels and margins of a block are in memory that another block used before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.scratch import scratch
from inlay._src.ops.windows import Windows

Block = tuple[slice, ...]
"""Slices of the batch and of the first sides of places; the other sides are whole."""


class Region(NamedTuple):
    """The pixels that the windows of a block see.

    Attributes:
      memory: images that hold them.
      offset: of the first pixel in the memory, in bytes.
      shape: [batch, sides..., channels].
      places: the numbers of places of the block, for the batch and for each side.
    """

    memory: np.ndarray
    offset: int
    shape: tuple[int, ...]
    places: tuple[int, ...]

    def pixels(self) -> np.ndarray:
        """The pixels, a view."""
        return self.view(self.shape, self.memory.dtype, self.memory.strides)

    def view(self, shape: Sequence[int], dtype: Any, strides: Sequence[int]) -> np.ndarray:
        """A view that begins with the first pixel."""
        return np.ndarray(tuple(shape), dtype, self.memory, self.offset, tuple(strides))


class PaddedImages:
    """Images with margins.

    Attributes:
      images: [batch, sides..., channels], in one piece.
      windows: the windows over them.
      margin: the value of margins.
    """

    def __init__(self, images: np.ndarray, windows: Windows, margin: Any = 0) -> None:
        self.images, self.windows, self.margin = np.ascontiguousarray(images), windows, margin

    @contextmanager
    def seen_by(self, block: Block) -> Iterator[Region]:
        """The pixels that the windows of a block see, which are valid inside."""
        g, x = self.windows, self.images
        places, sides, inner, within = [block[0].stop - block[0].start], [], [block[0]], [slice(None)]
        for axis, (size, step, gap, points) in enumerate(
            zip(x.shape[1:-1], g.strides, g.dilations, g.window, strict=True)
        ):
            of_side = block[1 + axis] if 1 + axis < len(block) else slice(0, g.outs[axis])
            count = of_side.stop - of_side.start
            first = of_side.start * step - g.pads[axis][0]
            side = (count - 1) * step + (points - 1) * gap + 1 if count else 0
            start, stop = max(first, 0), max(min(first + side, size), first, 0)
            places.append(count)
            sides.append(side)
            inner.append(slice(start, stop))
            within.append(slice(min(start - first, side), min(stop - first, side)))
        shape = (places[0], *sides, x.shape[-1])
        if all(part == slice(0, side) for part, side in zip(within[1:], sides, strict=True)):
            offset = sum(part.start * stride for part, stride in zip(inner, x.strides, strict=False))
            yield Region(x, offset, shape, tuple(places))
            return
        with scratch("region", (shape, x.dtype)) as (memory,):
            for axis, (part, side) in enumerate(zip(within[1:], sides, strict=True), 1):
                before = (slice(None),) * axis
                memory[(*before, slice(0, part.start))] = self.margin
                memory[(*before, slice(part.stop, side))] = self.margin
            memory[tuple(within)] = x[tuple(inner)]
            yield Region(memory, 0, shape, tuple(places))
