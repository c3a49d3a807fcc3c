"""Convolutions of all channels, on NumPy: products of matrices whose rows are the patches that windows see.

Patches are copied for a block of places at a time. The pixels of a patch that follow one another in memory are one item
to NumPy, which copies it at once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from inlay._src.base.interpreter import blas
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.scratch import scratch
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.window_blocks import Block, PaddedImages, Region
from inlay._src.ops.windows import Windows, parts_of


def correlated(x: np.ndarray, w: np.ndarray, g: Windows) -> np.ndarray:
    """The correlation of images with filters.

    Args:
      x: images, [batch, sides..., channels].
      w: filters, [window..., channels, results].
      g: the windows.
    """
    results = w.shape[-1]
    if results <= TUNING.conv_few_results < w.shape[-2] and set(g.strides) == {1} and math.prod(g.window) > 1:
        return _of_few_results(x, w, g)
    out, matrix = np.empty((len(x), *g.outs, results), x.dtype), np.ascontiguousarray(w).reshape(-1, results)
    patches = _Patches(x, g)

    def work(turn: int) -> None:
        block = patches.blocks[turn]
        with patches.rows(block) as rows:
            np.matmul(rows, matrix, out=out[block].reshape(-1, results))

    patches.spread(work, len(patches.blocks), results)
    return out


def _of_few_results(x: np.ndarray, w: np.ndarray, g: Windows) -> np.ndarray:
    """`correlated` with steps of 1 for few results, as those of gradients in images of few channels.

    BLAS is slow at matrices of few columns. The pixels are multiplied by the filters of all points of the window at
    once, which makes a plane of each point and result, and planes are added up.
    """
    *window, channels, results = w.shape
    matrix = np.ascontiguousarray(np.moveaxis(w, -1, -2)).reshape(-1, channels)
    out, padded = np.empty((len(x), *g.outs, results), x.dtype), PaddedImages(x, g)
    blocks = parts_of(
        out.shape[:2],
        math.prod(g.outs[1:]) * (len(matrix) + channels) * x.itemsize,
        _most(out.size // results * len(matrix) * x.itemsize),
    )

    def work(turn: int) -> None:
        with padded.seen_by(blocks[turn]) as region:
            pixels = np.ascontiguousarray(region.pixels())
            count = pixels.size // channels
            with scratch("planes", ((len(matrix), count), x.dtype), ((results, count), x.dtype)) as (planes, sums):
                np.matmul(matrix, pixels.reshape(-1, channels).T, out=planes)
                sums[...] = 0
                for k, point in enumerate(np.ndindex(*window)):  # what the end of a line sees of the next is cut off
                    at = sum(
                        p * gap * math.prod(pixels.shape[2 + axis : -1])
                        for axis, (p, gap) in enumerate(zip(point, g.dilations, strict=True))
                    )
                    sums[:, : count - at] += planes[k * results : (k + 1) * results, at:]
                whole = np.moveaxis(sums.reshape(results, *pixels.shape[:-1]), 0, -1)
                out[blocks[turn]] = whole[(slice(None), *map(slice, region.places[1:]))]

    _spread(work, len(blocks), math.prod(out.shape[:-1]) * w.size * x.itemsize // 4, len(blocks) * w.size // channels)
    return out


def filters_gradient(x: np.ndarray, dy: np.ndarray, g: Windows) -> np.ndarray:
    """The gradient of `correlated` in the filters, [window..., channels, results].

    Args:
      x: images.
      dy: gradients of the results, [batch, places..., results], in one piece.
      g: the windows.
    """
    results = dy.shape[-1]
    patches = _Patches(x, g)
    count = len(patches.blocks)
    tasks = min(count, TUNING.conv_partial_sums)
    totals = np.zeros((tasks, patches.size, results), x.dtype)

    def work(turn: int) -> None:
        with scratch("filters", (totals.shape[1:], x.dtype)) as (product,):
            for block in patches.blocks[turn * count // tasks : (turn + 1) * count // tasks]:
                with patches.rows(block) as rows:
                    np.matmul(rows.T, dy[block].reshape(-1, results), out=product)
                np.add(totals[turn], product, out=totals[turn])

    patches.spread(work, tasks, results)
    return totals.sum(0).reshape(*g.window, x.shape[-1], results)


class _Patches:
    """The patches of images.

    Attributes:
      blocks: indices of blocks of places that lie in one piece.
      size: numbers of a patch.
    """

    def __init__(self, x: np.ndarray, g: Windows) -> None:
        self._padded, self._places = PaddedImages(x, g), (len(x), *g.outs)
        self.size = math.prod(g.window) * x.shape[-1]
        each = self.size * x.itemsize
        self.blocks = parts_of(self._places, each, _most(math.prod(self._places) * each))

    @contextmanager
    def rows(self, block: Block) -> Iterator[np.ndarray]:
        """The patches of a block as rows of a matrix, which is valid inside."""
        with self._padded.seen_by(block) as region:
            items, dtype = self._items(region), region.memory.dtype
            if items.flags.c_contiguous:  # windows of one pixel
                yield items.view(dtype).reshape(-1, self.size)
                return
            with scratch("patches", (items.shape, items.dtype)) as (copy,):
                copy[...] = items
                yield copy.reshape(-1).view(dtype).reshape(-1, self.size)

    def _items(self, region: Region) -> np.ndarray:
        """Lines of patches, or pixels where these have gaps: [batch, places..., lines or pixels of the window...]."""
        g, memory = self._padded.windows, region.memory
        sides = memory.strides[1:-1]
        steps = (step * apart for step, apart in zip(sides, g.strides, strict=True))
        points, shape, numbers = [step * gap for step, gap in zip(sides, g.dilations, strict=True)], g.window, 1
        if g.dilations[-1] == 1:
            points, shape, numbers = points[:-1], shape[:-1], shape[-1]
        item = np.dtype((np.void, numbers * memory.shape[-1] * memory.itemsize))
        return region.view((*region.places, *shape), item, (memory.strides[0], *steps, *points))

    def spread(self, work: Callable[[int], None], count: int, results: int) -> None:
        """Does work of so many turns that multiplies all patches by matrices of so many columns or rows."""
        products = math.prod(self._places) * self.size * results
        _spread(work, count, products * self._padded.images.itemsize // 4, len(self.blocks))


_PRODUCTS = ThreadChoice()


def _most(total: int) -> int:
    """The bytes of a block of so many: two threads have one at least."""
    return max(min(total // 2, TUNING.conv_block_bytes), TUNING.windows_block_bytes)


def _spread(work: Callable[[int], None], count: int, products: int, blocks: int) -> None:
    """Does work of so many turns beside a BLAS of one thread; on threads if so many products are worth it."""
    if products <= TUNING.blas_thread_products:
        for turn in range(count):
            work(turn)
        return
    with blas.one_thread() as alone, _PRODUCTS.over(TUNING.conv_product_ns * products, 4 * blocks) as threads:
        spread(work, count, threads if alone else 1)
