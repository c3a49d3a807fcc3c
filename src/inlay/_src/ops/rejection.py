"""Random numbers made by attempts: gamma, Poisson and binomial ones, as pure functions of where their blocks begin.

Each number has blocks of its own, so that it does not depend on how many attempts another one took. All numbers that
have none yet make their next attempt at once. With equal seeds the results are TensorFlow's.

Gamma numbers are by Marsaglia and Tsang (2000), Poisson and binomial ones by Hörmann (1993): "transformed rejection";
of small means by multiplying uniform numbers and by adding geometric ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.ops import philox
from inlay._src.ops.special import from_scipy

Attempt = Callable[[np.ndarray], "tuple[np.ndarray, np.ndarray]"]
"""Of the rows that still want a number: their results, and which of them count."""


_PART = 1 << 15
"""Rows that are drawn together: their blocks stay in the cache, and memory does not grow with the draw."""


class BlockOrigin(NamedTuple):
    """Where the blocks of a draw begin.

    Args:
      key, high, start: key, upper counter, first block.
    """

    key: int
    high: int
    start: int


class Streams:
    """For each of some rows of a draw a sequence of blocks of its own.

    Args:
      draw: where its blocks begin.
      first: the number of the first row in the draw.
      count: number of rows.
    """

    def __init__(self, draw: BlockOrigin, first: int, count: int) -> None:
        self._key, self._high, self._start, self._first = draw.key, draw.high, np.uint64(draw.start), np.uint64(first)
        self._next = np.empty(count, np.uint64)
        self.apart(np.arange(count), philox.RESERVED)
        self._held = {kind: np.zeros((count, 2)) for kind in ("uniform", "normal")}
        self._left = {kind: np.zeros(count, np.int8) for kind in self._held}

    def apart(self, rows: np.ndarray, blocks: int) -> None:
        """Lets the rows, from which nothing was read, begin `blocks` blocks apart."""
        self._next[rows] = (rows.astype(np.uint64) + self._first) * np.uint64(blocks) + self._start

    def _read(self, kind: str, rows: np.ndarray) -> np.ndarray:
        """The next number of each row; those of a block are read from its end."""
        held, left = self._held[kind], self._left[kind]
        empty = rows[left[rows] == 0]
        if empty.size:
            words = philox.blocks(np, self._key, self._high, self._next[empty])
            self._next[empty] += np.uint64(1)
            held[empty] = philox.numbers(kind, dtypes.float64, words).T
            left[empty] = held.shape[1]
        left[rows] -= 1
        return held[rows, left[rows]]

    def uniform(self, rows: np.ndarray) -> np.ndarray:
        """A number in [0, 1) for each row."""
        return self._read("uniform", rows)

    def normal(self, rows: np.ndarray) -> np.ndarray:
        """A standard normal number for each row."""
        return self._read("normal", rows)


def _attempted(out: np.ndarray, rows: np.ndarray, attempt: Attempt) -> None:
    """Fills rows of `out` with what their first attempt that counts gave."""
    while rows.size:
        candidates, counts = attempt(rows)
        out[rows[counts]] = candidates[counts]
        rows = rows[~counts]


def _in_parts(draw: BlockOrigin, draw_rows: Callable[..., np.ndarray], *parameters: np.ndarray) -> np.ndarray:
    """`draw_rows(streams, *parameters)` of a part of the rows after the other."""
    count = len(parameters[0])
    parts = [slice(first, min(first + _PART, count)) for first in range(0, max(count, 1), _PART)]

    def drawn(part: slice) -> np.ndarray:
        return draw_rows(Streams(draw, part.start, part.stop - part.start), *(p[part] for p in parameters))

    out = drawn(parts[0])
    if len(parts) == 1:
        return out
    whole = np.empty(count, out.dtype)
    whole[parts[0]] = out
    for part in parts[1:]:
        whole[part] = drawn(part)
    return whole


def gamma(draw: BlockOrigin, alpha: np.ndarray) -> np.ndarray:
    """Gamma numbers of shape `alpha`, one for each row, as float64."""
    return _in_parts(draw, _gamma, alpha)


def _gamma(streams: Streams, alpha: np.ndarray) -> np.ndarray:
    out, every = np.empty(alpha.size), np.arange(alpha.size)
    ones = alpha == 1
    out[ones] = -np.log1p(-streams.uniform(every[ones]))
    small = alpha < 1
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    with np.errstate(invalid="ignore"):
        c = 1.0 / 3 / np.sqrt(d)

    def attempt(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = streams.normal(rows)
        v = 1 + c[rows] * x
        counts = v > 0
        x, v, inner = x[counts], v[counts] ** 3, rows[counts]
        u = streams.uniform(inner)
        with np.errstate(divide="ignore"):
            squeezed = u < 1 - 0.0331 * (x * x) * (x * x)
            taken = squeezed | (np.log(u) < 0.5 * x * x + d[inner] * (1 - v + np.log(v)))
        candidates = np.zeros(rows.size)
        candidates[counts] = d[inner] * v
        counts[counts] = taken
        less = counts & small[rows]
        candidates[less] *= streams.uniform(rows[less]) ** (1 / alpha[rows[less]])
        return candidates, counts

    valid = alpha > 0
    out[~valid] = np.nan
    _attempted(out, every[valid & ~ones], attempt)
    return out


_DEVIATIONS = 4
"""An attempt that must give a number so many deviations below the mean is one of 30,000."""


def poisson(draw: BlockOrigin, rate: np.ndarray, most: float) -> np.ndarray:
    """Poisson numbers of a mean, one for each row, at most `most`: 0 of a negative mean, inf and NaN of such ones.

    Raises:
      InvalidArgumentError: if numbers as small as `most` are so rare that attempts would find none.
    """
    valid = np.isfinite(rate) & (rate >= 0)
    far = valid & (rate - _DEVIATIONS * np.sqrt(np.where(valid, rate, 0)) > most)
    if far.any():
        raise errors.InvalidArgumentError(
            None, None, f"Poisson numbers of mean {rate[far][0]:g} are greater than {most:g}, the largest of their type"
        )
    return _in_parts(draw, lambda streams, rate: _poisson(streams, rate, most), rate)


def _poisson(streams: Streams, rate: np.ndarray, most: float) -> np.ndarray:
    out, every = np.where(np.isfinite(rate), rate.dtype.type(0), np.maximum(rate, 0)), np.arange(rate.size)
    valid = np.isfinite(rate) & (rate >= 0)
    least, product = np.exp(-np.where(valid, rate, 0)), np.ones_like(rate)
    number = np.zeros_like(rate)

    def multiply(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        product[rows] *= streams.uniform(rows)
        counts = number[rows].copy()
        number[rows] += 1
        return counts, product[rows] <= least[rows]

    _attempted(out, every[valid & (rate < 10)], multiply)
    _attempted(out, every[valid & (rate >= 10)], _poisson_attempt(streams, rate, most))
    return out


def _poisson_attempt(streams: Streams, rate: np.ndarray, most: float) -> Attempt:
    kind, lgamma = rate.dtype.type, from_scipy("special", "gammaln")
    with np.errstate(invalid="ignore", divide="ignore"):
        log_rate, b = np.log(rate), kind(0.931) + kind(2.53) * np.sqrt(rate)
        a = kind(-0.059) + kind(0.02483) * b
        inverse = kind(1.1239) + kind(1.1328) / (b - kind(3.4))

    def attempt(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u = streams.uniform(rows) - kind(0.5)
        v = streams.uniform(rows)
        a_, b_, mean = a[rows], b[rows], rate[rows]
        shifted = kind(0.5) - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((kind(2) * a_ / shifted + b_) * u + mean + kind(0.43))
            box = (shifted >= kind(0.07)) & (v <= kind(0.9277) - kind(3.6224) / (b_ - kind(2)))
            refused = (k < 0) | ((shifted < kind(0.013)) & (v > shifted))
            reached = np.log(v * inverse[rows] / (a_ / (shifted * shifted) + b_))
            allowed = -mean + k * log_rate[rows] - lgamma(k + kind(1))
        return k, (k <= most) & (box | (~refused & (reached <= allowed)))

    return attempt


FEW_BLOCKS = 42
"""Blocks set aside for a binomial number of small mean."""


def binomial(draw: BlockOrigin, count: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The number of successes in `count` trials of probability `share`, one for each row, as float64."""
    return _in_parts(draw, _binomial, count, share)


def _binomial(streams: Streams, count: np.ndarray, share: np.ndarray) -> np.ndarray:
    every, most = np.arange(count.size), share > 0.5
    rare = np.where(most, share.dtype.type(1) - share, share)
    many = count * rare >= 10
    count, rare = count.astype(np.float64), rare.astype(np.float64)
    out, tried = np.zeros(count.size), (count > 0) & (rare > 0)
    few = every[tried & ~many]
    streams.apart(few, FEW_BLOCKS)
    _attempted(out, few, _geometric_attempt(streams, count, rare))
    _attempted(out, every[tried & many], _binomial_attempt(streams, count, rare))
    out = np.where(most & (count > 0), count - out, out)
    out[np.isnan(share) & ~(count <= 0)] = np.nan
    return out


def _geometric_attempt(streams: Streams, count: np.ndarray, share: np.ndarray) -> Attempt:
    """The number of geometric numbers whose sum stays within the trials."""
    total, number = np.zeros_like(count), np.zeros_like(count)

    def attempt(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        with np.errstate(divide="ignore"):
            total[rows] += np.ceil(np.log(streams.uniform(rows)) / np.log1p(-share[rows]))
        counts = number[rows].copy()
        number[rows] += 1
        return counts, total[rows] > count[rows]

    return attempt


def _tail(k: np.ndarray) -> np.ndarray:
    """The error of Stirling's approximation of `log k!`."""
    exact = from_scipy("special", "gammaln")
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    few = exact(k + 1) - (0.5 * np.log(2 * np.pi) + (k + 0.5) * np.log(k + 1) - (k + 1))
    tail: np.ndarray = np.where(k <= 9, few, series)
    return tail


def _binomial_attempt(streams: Streams, count: np.ndarray, share: np.ndarray) -> Attempt:
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(count * share * (1 - share))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * share
        middle, odds = count * share + 0.5, share / (1 - share)
        alpha, mode = (2.83 + 5.1 / b) * deviation, np.floor((count + 1) * share)

    def attempt(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u = streams.uniform(rows)
        v = streams.uniform(rows)
        u = u - 0.5
        n, r, m, a_, b_ = (part[rows] for part in (count, odds, mode, a, b))
        shifted = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2 * a_ / shifted + b_) * u + middle[rows])
            inside = (k >= 0) & (k <= n)
            reached = np.log(v * alpha[rows] / (a_ / (shifted * shifted) + b_))
            allowed = (
                (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
                + (n + 1) * np.log((n - m + 1) / (n - k + 1))
                + (k + 0.5) * np.log(r * (n - k + 1) / (k + 1))
                + (_tail(m) + _tail(n - m) - _tail(k) - _tail(n - k))
            )
        box = (shifted >= 0.07) & (v <= 0.92 - 4.2 / b_)
        return k, box | (inside & (reached <= allowed))

    return attempt
