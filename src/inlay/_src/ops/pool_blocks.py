"""Pooling on NumPy, in blocks of images that stay in the cache, on all cores."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.scratch import scratch
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.selection import SIGNED
from inlay._src.ops.window_blocks import Block, PaddedImages
from inlay._src.ops.windows import Windows, parts_of, pixels_of

_REDUCED, _GREATEST, _GREATEST_APART, _SPREAD_OVER = ThreadChoice(), ThreadChoice(), ThreadChoice(), ThreadChoice()


def reduced(
    x: np.ndarray, pool: Windows, function: np.ufunc, margin: Any, divisor: np.ndarray | None = None
) -> np.ndarray:
    """The reduction by a binary function of all pixels of each window.

    Args:
      x: images, [batch, sides..., channels].
      pool: the windows, without dilation.
      function: the binary function.
      margin: the value of margins.
      divisor: divides the results; it broadcasts against those of one image.
    """
    out, padded = np.empty((len(x), *pool.outs, x.shape[-1]), x.dtype), PaddedImages(x, pool, margin)
    if not out.size:
        return out
    points = sum(pool.window)

    def work(block: Block) -> None:
        with padded.seen_by(block) as region:
            _reduce(region.pixels(), pool, region.places[1:], function, out[block])
        if divisor is not None:
            within = (slice(None), *(block[1:] if divisor.shape[1] > 1 else ()))
            np.divide(out[block], divisor[within], out=out[block])

    with _REDUCED.over(TUNING.pool_byte_ns * points * x.nbytes, 4 * points) as threads:
        most = x.nbytes if threads == 1 else max(x.nbytes // threads, TUNING.windows_block_bytes)
        blocks = parts_of(out.shape[:2], x.nbytes // math.prod(out.shape[:2]), most)
        spread(lambda turn: work(blocks[turn]), len(blocks), threads)
    return out


def _reduce(x: np.ndarray, pool: Windows, places: tuple[int, ...], function: np.ufunc, out: np.ndarray) -> None:
    """Fills `out` with the reduction of each window, along one side after the other.

    Along the first side whole lines meet, which NumPy does at the speed of memory, and there is less left for the next.
    """
    axes = [axis for axis, size in enumerate(pool.window, 1) if size > 1 or pool.strides[axis - 1] > 1]
    if not axes:  # each window is a pixel
        out[...] = x
        return
    shapes = [(*x.shape[:1], *places[:axis], *x.shape[1 + axis :]) for axis in axes[:-1]]
    with scratch("reduced", *((shape, x.dtype) for shape in shapes)) as targets:
        for axis, target in zip(axes, [*targets, out], strict=True):
            before, step, count = (slice(None),) * axis, pool.strides[axis - 1], places[axis - 1]
            starts = range(pool.window[axis - 1])
            x, *others = (x[(*before, slice(at, at + step * (count - 1) + 1, step))] for at in starts)
            for other in others:
                x = function(x, other, out=target)
        if x is not out:
            out[...] = x


def to_first_greatest(x: np.ndarray, dy: np.ndarray, pool: Windows, lowest: Any) -> np.ndarray | None:
    """Each cotangent at the first place of its window that holds its greatest number.

    Args:
      x: images, [batch, sides..., channels].
      dy: cotangents of the greatest numbers.
      pool: the windows.
      lowest: the value of margins.

    Returns:
      The gradient of the images; None if a window has no number greater than `lowest`, or too many points.
    """
    if pool.lie_apart:
        return _to_first_apart(x, dy, pool, lowest)
    points = math.prod(pool.window)
    if points > 256:  # the number of a point is a byte
        return None
    padded, dy, dx = PaddedImages(x, pool, lowest), np.ascontiguousarray(dy), np.zeros(x.shape, dy.dtype)
    blocks = parts_of(dy.shape[:1], max(x.nbytes, dy.nbytes) // max(len(dy), 1), TUNING.windows_block_bytes)
    firsts, distances = _places(x.shape, pool, max((block[0].stop - block[0].start for block in blocks), default=0))
    spoiled = np.zeros(len(blocks), bool)

    def work(turn: int) -> None:
        with padded.seen_by(blocks[turn]) as region:
            shape = (*region.places, x.shape[-1])
            wanted = ((shape, x.dtype), (shape, x.dtype), (shape, bool), (shape, np.uint8), (shape, np.uint8))
            with scratch("greatest", *wanted, (shape, np.intp), (shape, np.intp)) as (*memory, point, where):
                spoiled[turn] = not _first_greatest(region.pixels(), pool, lowest, point, *memory)
                np.take(distances, point, out=where, mode="clip")
                where += firsts[: len(where)]
                np.add.at(dx[blocks[turn]].reshape(-1), where.reshape(-1), dy[blocks[turn]].reshape(-1))

    with _GREATEST.over(TUNING.pool_byte_ns * 2 * points * dy.nbytes, 5 * points * len(blocks)) as threads:
        spread(work, len(blocks), threads)
    return None if spoiled.any() else dx


def _to_first_apart(x: np.ndarray, dy: np.ndarray, pool: Windows, lowest: Any) -> np.ndarray | None:
    """`to_first_greatest` of windows that share no pixels.

    For each point of the window, over all windows: whole arrays are compared and copied, no place is looked up.
    """
    x, dx = pool.padded(np, x, lowest), pool.unfilled(dy.dtype)
    views = [view for _, view in pool.views()]
    each = max(TUNING.windows_block_bytes // max(x[:1].nbytes, 1), 1)
    turns = -(-len(x) // each)
    bits, spoiled = SIGNED[dy.dtype.itemsize], np.zeros(turns, bool)
    pixels, places = pixels_of(x), pixels_of(dx)

    def work(turn: int) -> None:
        some = slice(turn * each, (turn + 1) * each)
        seen = [np.ascontiguousarray(pixels[some][view]).view(x.dtype).reshape(dy[some].shape) for view in views]
        best = functools.reduce(np.maximum, seen)
        left, chosen = dy[some].copy().view(bits), np.empty(best.shape, bits)  # bits: 0 times infinity is not 0
        for part, view in zip(seen, views, strict=True):
            if part is seen[-1]:
                chosen = left  # it goes to one of them: no window holds NaN
            else:
                np.multiply(left, np.equal(part, best), out=chosen)
                np.bitwise_xor(left, chosen, out=left)
            places[some][view] = pixels_of(chosen.view(dy.dtype))
        spoiled[turn] = np.isnan(best).any()

    with _GREATEST_APART.over(0.35 * x.nbytes, turns * (4 * len(views) + 5)) as threads:
        spread(work, turns, threads)
    return None if spoiled.any() else pool.within(dx)


def _places(image: tuple[int, ...], pool: Windows, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(the first numbers of the windows of so many flattened images, the distances of a window's points from it)."""
    steps = [math.prod(image[axis:]) for axis in range(2, len(image))]
    firsts, distances = np.arange(count) * math.prod(image[1:]), np.zeros(1, np.intp)
    for axis, step in enumerate(steps):
        starts = np.arange(pool.outs[axis]) * pool.strides[axis] - pool.pads[axis][0]
        firsts = np.add.outer(firsts, starts * step)
        distances = np.add.outer(distances, np.arange(pool.window[axis]) * step).reshape(-1)
    return np.add.outer(firsts, np.arange(image[-1])), distances


def _first_greatest(
    x: np.ndarray,
    pool: Windows,
    lowest: Any,
    point: np.ndarray,
    seen: np.ndarray,
    best: np.ndarray,
    more: np.ndarray,
    numbered: np.ndarray,
    first: np.ndarray,
) -> bool:
    """Sets `point` to the point of each window where its greatest number is first.

    Args:
      x: pixels of the windows.
      pool: the windows.
      lowest: the value of margins.
      point: the result, one number for each window and channel.
      seen, best, more, numbered, first: memory of that shape: two of pixels, one of bools, two of bytes.

    Returns:
      Whether each window has a number greater than `lowest`.
    """
    pixels, places = pixels_of(x), best.shape[1:-1]
    first[...] = 0
    for number, at in enumerate(np.ndindex(*pool.window)):
        sides = zip(at, pool.strides, places, strict=True)
        view = pixels[(slice(None), *(slice(a, a + step * (count - 1) + 1, step) for a, step, count in sides))]
        if not number:
            pixels_of(best)[...] = view
            continue
        pixels_of(seen)[...] = view
        np.greater(seen, best, out=more)
        np.maximum(best, seen, out=best)
        np.multiply(more.view(np.uint8), np.uint8(number), out=numbered)
        np.maximum(first, numbered, out=first)
    point[...] = first
    return bool(np.greater(best, lowest, out=more).all())


def spread_over(dy: np.ndarray, pool: Windows, divisor: np.ndarray, dtype: Any) -> np.ndarray:
    """The sums of what windows give each of their pixels: their cotangents, divided.

    Args:
      dy: cotangents, [batch, places..., channels].
      pool: the windows.
      divisor: broadcasts against the cotangents.
      dtype: of the result.
    """
    dx = np.empty((*pool.image[:-1], dy.shape[-1]), dtype)
    blocks = parts_of(dx.shape[:1], dx[:1].nbytes, TUNING.windows_block_bytes) if dx.size else []

    axes = list(reversed(range(len(pool.window))))  # the last side first, as NumPy is slow at it and there is less
    wholes = [
        max(step * (count - 1) + window, size + margin)
        for step, count, window, size, (margin, _) in zip(
            pool.strides, pool.outs, pool.window, pool.image[1:-1], pool.pads, strict=True
        )
    ]

    def work(turn: int) -> None:
        grads = dy[blocks[turn]]
        shapes = [(len(grads), *pool.outs[:axis], *wholes[axis:], grads.shape[-1]) for axis in axes]
        with scratch("spread over", *((shape, dy.dtype) for shape in (grads.shape, *shapes))) as (share, *sums):
            np.divide(grads, divisor, out=share)
            for axis, target in zip(axes, sums, strict=True):
                _stretch(share, pool, axis, target)
                share = target
            dx[blocks[turn]] = pool.within(share)

    points = sum(pool.window)
    with _SPREAD_OVER.over(TUNING.pool_byte_ns * points * dx.nbytes, 2 * points * len(blocks)) as threads:
        spread(work, len(blocks), threads)
    return dx


def _stretch(share: np.ndarray, pool: Windows, axis: int, sums: np.ndarray) -> None:
    """Sets `sums` to what windows give the pixels of one side; its axis has pixels instead of windows."""
    step, window, before = pool.strides[axis], pool.window[axis], (slice(None),) * (1 + axis)
    last = step * (share.shape[1 + axis] - 1)
    sums[(*before, slice(last + min(step, window), None))] = 0
    for gap in range(window, step):
        sums[(*before, slice(gap, None, step))] = 0
    pixels, share_pixels = pixels_of(sums), pixels_of(share)
    for point in range(window):
        at = (*before, slice(point, point + last + 1, step))
        if point < step:  # no point before gave these anything
            pixels[at] = share_pixels
        else:
            sums[at] += share
