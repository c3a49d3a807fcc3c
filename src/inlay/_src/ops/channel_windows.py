"""Convolutions of each channel by itself, on NumPy.

`einsum` multiplies lines of pixels by lines of filters and adds up what the points of the window see, in one pass over
the sums. A line is the last side with the channels as one axis, which makes its loops long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.window_blocks import Block, PaddedImages, Region
from inlay._src.ops.windows import Windows, parts_of, pixels_of

_CORRELATED, _FILTERS = ThreadChoice(), ThreadChoice()


def correlated(x: np.ndarray, w: np.ndarray, g: Windows) -> np.ndarray:
    """The correlation of each channel with its filter.

    Args:
      x: images, [batch, sides..., channels].
      w: a filter for each channel, [window..., channels].
      g: the windows.
    """
    out = np.empty((len(x), *g.outs, x.shape[-1]), x.dtype)
    lines, cuts, (places, points, line) = _as_lines(out), _cuts(g, x.shape[-1]), _axes(g)
    blocks, padded = _blocks(out), PaddedImages(x, g)
    columns = (cuts[0].stop if cuts else 0) // max(x.shape[-1], 1)
    filters = np.repeat(w[..., None, :], columns, -2).reshape(*w.shape[:-1], -1)

    def work(turn: int) -> None:
        block = lines[blocks[turn]]
        with padded.seen_by(blocks[turn]) as region:
            seen = _lines(region, g)
            for cut in cuts:
                part = filters[..., : cut.stop - cut.start]
                np.einsum(
                    seen[..., cut],
                    [*places, *points, line],
                    part,
                    [*points, line],
                    [*places, line],
                    out=block[..., cut],
                )

    with _CORRELATED.over(_work(out, g), 4 * len(blocks) * len(cuts)) as threads:
        spread(work, len(blocks), threads)
    return out


def filters_gradient(x: np.ndarray, dy: np.ndarray, g: Windows) -> np.ndarray:
    """The gradient of `correlated` in the filters, [window..., channels].

    Args:
      x: images.
      dy: gradients of the result, [batch, places..., channels], in one piece.
      g: the windows.
    """
    grads, cuts, (places, points, line) = _as_lines(dy), _cuts(g, x.shape[-1]), _axes(g)
    blocks, padded = _blocks(dy), PaddedImages(x, g)
    tasks = min(len(blocks), 8)
    totals = np.zeros((tasks, *g.window, x.shape[-1]), x.dtype)

    def work(turn: int) -> None:
        for at in blocks[turn * len(blocks) // tasks : (turn + 1) * len(blocks) // tasks]:
            block = grads[at]
            with padded.seen_by(at) as region:
                seen = _lines(region, g)
                for cut in cuts:
                    products = np.einsum(
                        seen[..., cut], [*places, *points, line], block[..., cut], [*places, line], [*points, line]
                    )
                    totals[turn] += products.reshape(*g.window, -1, x.shape[-1]).sum(-2)

    with _FILTERS.over(_work(dy, g), 4 * len(blocks) * len(cuts)) as threads:
        spread(work, tasks, threads)
    return totals.sum(0)  # type: ignore[no-any-return]


def _as_lines(x: np.ndarray) -> np.ndarray:
    """Places in one piece with the last side and the channels as one axis."""
    return x.reshape(*x.shape[:-2], x.shape[-2] * x.shape[-1])


def _axes(g: Windows) -> tuple[Sequence[int], Sequence[int], int]:
    """The numbers of axes: of the batch and the places but those of the last side, of the window, of a line."""
    sides = len(g.window)
    return range(sides), range(sides, 2 * sides), 2 * sides


def _cuts(g: Windows, channels: int) -> list[slice]:
    """The parts of a line that are multiplied at a time, so that sums, pixels and filters stay in the cache."""
    places = g.outs[-1]
    count = -(-places * channels // TUNING.channel_line_numbers)
    size = -(-places // count) * channels if count else 0
    return [slice(at, min(at + size, places * channels)) for at in range(0, places * channels, size or 1)]


def _blocks(out: np.ndarray) -> list[Block]:
    """Blocks of places in one piece: of the batch, and of the first side."""
    return parts_of(out.shape[:2], math.prod(out.shape[2:]) * out.itemsize, TUNING.windows_block_bytes)


def _work(out: np.ndarray, g: Windows) -> float:
    """The nanoseconds of all products, about."""
    return TUNING.channel_byte_ns * out.nbytes * math.prod(g.window)


def _lines(region: Region, g: Windows) -> np.ndarray:
    """The numbers at the points of a block's windows: [batch, places of sides but the last..., window..., line]."""
    *batch, places = region.places
    if g.strides[-1] > 1:
        x = _side_by_side(region.pixels(), g)
        region, along = Region(x, 0, x.shape, region.places), x.strides[-3]
    else:
        along = g.dilations[-1] * region.memory.strides[-2]
    first, *sides = region.memory.strides[: len(g.window)]
    steps = (step * apart for step, apart in zip(sides, g.strides, strict=False))
    points = (step * gap for step, gap in zip(sides, g.dilations, strict=False))
    shape = (*batch, *g.window, places * region.shape[-1])
    return region.view(shape, region.memory.dtype, (first, *steps, *points, along, region.memory.itemsize))


def _side_by_side(x: np.ndarray, g: Windows) -> np.ndarray:
    """The pixels of lines that the points of windows see: [batch, sides but the last..., points, places, channels]."""
    step, gap, places = g.strides[-1], g.dilations[-1], g.outs[-1]
    lead = (slice(None),) * (x.ndim - 2)
    whole = np.empty((*x.shape[:-2], g.window[-1], places, x.shape[-1]), x.dtype)
    pixels, copies = pixels_of(x), pixels_of(whole)
    for point in range(g.window[-1]):
        of_point = slice(point * gap, point * gap + step * (places - 1) + 1, step)
        copies[(*lead, slice(point, point + 1))] = pixels[(*lead, np.newaxis, of_point)]
    return whole
