"""Large images resized by sparse matrices: SciPy's loops mix a pixel in one pass where NumPy takes three.

A matrix for rows mixes whole rows of the image, one for columns the numbers of some rows laid end to end. Both sum in
the order of their reads, as NumPy's way in `resize` does, so results are the same but for the sign of zeros.

    images [batch, height, width, channels]
      `Resampling.rows`      some rows of the result  =  matrix @ the rows of the image that they read
      `Resampling.columns`   a few of these           =  matrix @ their numbers, end to end
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.blocks import spread, threads_for
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tuning import TUNING
from inlay._src.ops.special import from_scipy

Taps = tuple[np.ndarray, np.ndarray]
"""(input index, weight), both [output size, reads per pixel]."""

ROWS, COLUMNS = 0.2, 1.1
"""Nanoseconds of a read of 32 bits, where rows and where single numbers are mixed."""


class _RowBlock(NamedTuple):
    """Rows of the result `out`, made from the rows `read` of the image."""

    out: slice
    read: slice
    matrix: Any


class Resampling:
    """Resampling of images of one size to another.

    Args:
      size: [height, width, channels] of the images that are read.
      rows, columns: the taps of either axis.
      dtype: float32 or float64.
    """

    def __init__(self, size: tuple[int, int, int], rows: Taps, columns: Taps, dtype: np.dtype[Any]) -> None:
        height, width, channels = size
        self._read, self._result_size = size, (len(rows[0]), len(columns[0]), channels)
        self._pixel = channels if channels > TUNING.resize_sparse_channels else 1  # numbers that are mixed together
        each = max(TUNING.resize_matrix_reads // (columns[0].size * channels // self._pixel), 1)
        self._each = min(each, len(rows[0]))
        count = max(TUNING.resize_block_numbers // (width * channels * self._each), 1) * self._each
        self._blocks = [_block(rows, slice(k, k + count), dtype) for k in range(0, len(rows[0]), count)]
        if self._pixel == 1:
            numbers = columns[0][:, None] * channels + np.arange(channels)[:, None]
            columns = numbers.reshape(-1, numbers.shape[-1]), np.repeat(columns[1], channels, axis=0)
            width *= channels
        self._columns = _repeated(columns, width, self._each, dtype)
        self._line = len(columns[0]), width
        reads = rows[0].size * width * self._pixel, self._result_size[0] * columns[0].size * self._pixel
        self._work = (ROWS * reads[0] + COLUMNS / self._pixel**0.5 * reads[1]) * dtype.itemsize / 4

    def __call__(self, images: np.ndarray) -> np.ndarray:
        """Images in the other size.

        Args:
          images: [batch, height, width, channels], of the size and type given before.
        """
        out = np.empty((len(images), *self._result_size), images.dtype)
        lines = images.reshape(*images.shape[:2], -1)
        target = out.reshape(len(images), self._result_size[0], -1)

        def work(turn: int) -> None:
            image, block = divmod(turn, len(self._blocks))
            here, read, matrix = self._blocks[block]
            self._mix_columns(matrix @ lines[image, read], target[image, here])

        turns = len(images) * len(self._blocks)
        spread(
            work, turns, threads_for(self._work * len(images), turns + len(images) * self._result_size[0] / self._each)
        )
        return out

    def back(self, dy: np.ndarray) -> np.ndarray:
        """The gradient with respect to the original images: the transposed matrices, in reverse order.

        Args:
          dy: [batch, height, width, channels] of the resized images, of the type given before.
        """
        dx = np.zeros((len(dy), *self._read), dy.dtype)
        lines, gradients = dx.reshape(*dx.shape[:2], -1), dy.reshape(len(dy), self._result_size[0], -1)

        def work(image: int) -> None:
            for here, read, matrix in self._blocks:  # the last row that one reads may be the first of the next
                mixed = np.empty((len(gradients[image, here]), lines.shape[2]), dy.dtype)
                self._spread_columns(gradients[image, here], mixed)
                lines[image, read] += matrix.T @ mixed

        turns = len(dy) * (len(self._blocks) + self._result_size[0] / self._each)
        spread(work, len(dy), threads_for(self._work * len(dy), turns))
        return dx

    def _mix_columns(self, rows: np.ndarray, out: np.ndarray) -> None:
        for some, matrix in self._parts(rows):
            out[some] = (matrix @ self._end_to_end(rows[some])).reshape(out[some].shape)

    def _spread_columns(self, rows: np.ndarray, out: np.ndarray) -> None:
        for some, matrix in self._parts(rows):
            out[some] = (matrix.T @ self._end_to_end(rows[some])).reshape(out[some].shape)

    def _parts(self, rows: np.ndarray) -> Iterator[tuple[slice, Any]]:
        """Some of the rows at a time, and the matrix for their columns."""
        written, read = self._line
        for start in range(0, len(rows), self._each):
            count = min(self._each, len(rows) - start)
            matrix = self._columns if count == self._each else self._columns[: count * written, : count * read]
            yield slice(start, start + count), matrix

    def _end_to_end(self, rows: np.ndarray) -> np.ndarray:
        return rows.reshape(-1) if self._pixel == 1 else rows.reshape(-1, self._pixel)


def _block(rows: Taps, here: slice, dtype: np.dtype[Any]) -> _RowBlock:
    index, weight = rows[0][here], rows[1][here]
    first, last = int(index.min()), int(index.max()) + 1
    return _RowBlock(here, slice(first, last), _matrix(index - first, weight, last - first, dtype))


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
    return dtype.char in "fd" and importlib.util.find_spec("scipy") is not None
