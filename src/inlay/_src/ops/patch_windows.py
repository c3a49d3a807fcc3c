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
from inlay._src.base.interpreter.blocks import spread, threads_for
from inlay._src.base.interpreter.scratch import scratch
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
    out, matrix = np.empty((len(x), *g.outs, results), x.dtype), np.ascontiguousarray(w).reshape(-1, results)
    patches = _Patches(x, g)

    def work(turn: int) -> None:
        block = patches.blocks[turn]
        with patches.rows(block) as rows:
            np.matmul(rows, matrix, out=out[block].reshape(-1, results))

    patches.spread(work, len(patches.blocks), results)
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
        most = max(min(math.prod(self._places) * each // 2, TUNING.conv_block_bytes), TUNING.windows_block_bytes)
        self.blocks = parts_of(self._places, each, most)

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
        if products <= TUNING.blas_thread_products:
            for turn in range(count):
                work(turn)
            return
        nanoseconds = TUNING.conv_product_ns / 4 * self._padded.images.itemsize * products
        with blas.one_thread() as alone:
            spread(work, count, threads_for(nanoseconds, 4 * len(self.blocks)) if alone else 1)
