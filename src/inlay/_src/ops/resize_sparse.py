"""Large images resized by sparse matrices: SciPy's loops mix a pixel in one pass where NumPy takes three.

A matrix for rows mixes whole rows of the image, one for columns the numbers of these rows laid end to end. Both sum in
the order of their reads, as NumPy's way in `resize` does, so results are the same but for the sign of zeros.

    images [batch, height, width, channels]
      `_RowBlock.rows`      some rows of the result  =  matrix @ the rows of the image that they read
      `_RowBlock.columns`   the same rows            =  matrix @ their numbers, end to end
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.special import from_scipy, scipy_is_installed

Taps = tuple[np.ndarray, np.ndarray]
"""(input index, weight), both [output size, reads per pixel]."""

ROWS, COLUMNS = 0.2, 1.1
"""Nanoseconds of a read of 32 bits, where rows and where single numbers are mixed."""


_RESIZED, _GRADIENTS = ThreadChoice(), ThreadChoice()


class _RowBlock(NamedTuple):
    """Rows of the result `out`, made from the rows `read` of the image: the matrices that mix rows and columns."""

    out: slice
    read: slice
    rows: Any
    columns: Any


class Resampling:
    """Resampling of images of one size to another.

    Args:
      size: [height, width, channels] of the images that are read.
      rows, columns: the taps of either axis.
      dtype: float32 or float64.
    """

    def __init__(self, size: tuple[int, int, int], rows: Taps, columns: Taps, dtype: np.dtype[Any]) -> None:
        height, width, channels = size
        self._read, self._result_size, self._dtype = size, (len(rows[0]), len(columns[0]), channels), dtype
        self._pixel = channels if channels > TUNING.resize_sparse_channels else 1  # numbers that are mixed together
        if self._pixel == 1:
            numbers = columns[0][:, None] * channels + np.arange(channels)[:, None]
            columns = numbers.reshape(-1, numbers.shape[-1]), np.repeat(columns[1], channels, axis=0)
            width *= channels
        self._blocks: list[_RowBlock] = []
        for here in _division(len(rows[0]), columns[0].size, width * self._pixel):
            count = here.stop - here.start
            last = self._blocks[-1] if self._blocks else None
            same = last is not None and last.out.stop - last.out.start == count
            matrix = last.columns if same and last is not None else _repeated(columns, width, count, dtype)
            self._blocks.append(_block(rows, here, matrix, dtype))
        reads = rows[0].size * width * self._pixel, len(rows[0]) * columns[0].size * self._pixel
        self._work = (ROWS * reads[0] + COLUMNS / self._pixel**0.5 * reads[1]) * dtype.itemsize / 4

    def __call__(self, images: np.ndarray) -> np.ndarray:
        """Images in the other size.

        Args:
          images: [batch, height, width, channels], of the size and type given before, or of integers.
        """
        dtype = self._dtype
        out = np.empty((len(images), *self._result_size), dtype)
        lines = images.reshape(*images.shape[:2], -1)
        target = out.reshape(len(images), self._result_size[0], -1)

        def work(turn: int) -> None:
            image, block = divmod(turn, len(self._blocks))
            here, read, mix_rows, mix_columns = self._blocks[block]
            part = target[image, here]
            part[...] = (
                mix_columns @ self._end_to_end(mix_rows @ lines[image, read].astype(dtype, copy=False))
            ).reshape(part.shape)

        turns = len(images) * len(self._blocks)
        with _RESIZED.over(self._work * len(images), 2 * turns) as threads:
            spread(work, turns, threads)
        return out

    def back(self, dy: np.ndarray) -> np.ndarray:
        """The gradient with respect to the original images: the transposed matrices, in reverse order.

        Args:
          dy: [batch, height, width, channels] of the resized images, of the type given before.
        """
        dx = np.empty((len(dy), *self._read), dy.dtype)
        lines, gradients = dx.reshape(*dx.shape[:2], -1), dy.reshape(len(dy), self._result_size[0], -1)

        def work(image: int) -> None:
            filled = 0
            for here, read, mix_rows, mix_columns in self._blocks:
                mixed = mix_columns.T @ self._end_to_end(gradients[image, here])
                part = mix_rows.T @ mixed.reshape(-1, lines.shape[2])
                shared = min(max(filled - read.start, 0), len(part))  # rows that the blocks before read too
                lines[image, read.start : read.start + shared] += part[:shared]
                lines[image, filled : read.start] = 0
                lines[image, read.start + shared : read.stop] = part[shared:]
                filled = max(filled, read.stop)
            lines[image, filled:] = 0

        with _GRADIENTS.over(self._work * len(dy), 2 * len(dy) * len(self._blocks)) as threads:
            spread(work, len(dy), threads)
        return dx

    def _end_to_end(self, rows: np.ndarray) -> np.ndarray:
        return rows.reshape(-1) if self._pixel == 1 else rows.reshape(-1, self._pixel)


def _division(count: int, reads: int, numbers: int) -> list[slice]:
    """Rows of the result in blocks of one size; an even number of blocks, so that two threads have as many each.

    Args:
      count: the rows of the result.
      reads: numbers that the columns of a row read.
      numbers: numbers of a row whose columns are not mixed yet.
    """
    most = max(min(TUNING.resize_matrix_reads // reads, TUNING.resize_block_numbers // numbers), 1)
    blocks = -(-count // most)
    each = -(-count // (blocks + blocks % 2)) if blocks > 1 else count
    return [slice(start, min(start + each, count)) for start in range(0, count, each)]


def _block(rows: Taps, here: slice, columns: Any, dtype: np.dtype[Any]) -> _RowBlock:
    index, weight = rows[0][here], rows[1][here]
    first, last = int(index.min()), int(index.max()) + 1
    return _RowBlock(here, slice(first, last), _matrix(index - first, weight, last - first, dtype), columns)


def _repeated(taps: Taps, size: int, count: int, dtype: np.dtype[Any]) -> Any:
    """The matrix of `count` lines of `size` numbers, laid end to end."""
    index, weight = taps
    many = index + np.arange(count)[:, None, None] * size
    return _matrix(many.reshape(-1, index.shape[1]), np.tile(weight, (count, 1)), count * size, dtype)


def _matrix(index: np.ndarray, weight: np.ndarray, size: int, dtype: np.dtype[Any]) -> Any:
    """The sparse matrix with these weights; a row may read a number twice."""
    rows, reads = index.shape
    starts = np.arange(0, rows * reads + 1, reads, dtype=np.int32)
    parts = weight.astype(dtype).reshape(-1), index.astype(np.int32).reshape(-1), starts
    return from_scipy("sparse", "csr_array")(parts, shape=(rows, size))


RESAMPLINGS: BoundedCache[tuple[Any, ...], Resampling] = BoundedCache("matrices that resize images", 16)


def is_possible(dtype: np.dtype[Any]) -> bool:
    """Whether SciPy is there, and has loops for the type."""
    return dtype.char in "fd" and scipy_is_installed()
