"""Random numbers made by attempts: gamma, Poisson and binomial ones, as pure functions of where their blocks begin.

Each number has blocks of its own, so that it does not depend on how many attempts another one took. All numbers that
have none yet make their next attempt at once. With equal seeds the results are TensorFlow's.

Gamma numbers are by Marsaglia and Tsang (2000), Poisson and binomial ones by Hörmann (1993): "transformed rejection";
of small means by multiplying uniform numbers and by adding geometric ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.ops import philox
from inlay._src.ops.special import from_scipy

_ROWS = 1 << 13
"""Rows that are drawn together: their numbers stay in the cache, and memory does not grow with the draw."""

_ROW_NS = 150.0
"""Nanoseconds that a row takes, at least."""


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
      apart: the number of blocks from the first one of a row to that of the next row.
    """

    def __init__(self, draw: BlockOrigin, first: int, count: int, apart: int = philox.RESERVED) -> None:
        self._rounds = philox.Rounds(draw.key, draw.high)
        self._first = (np.arange(count, dtype=np.uint64) + np.uint64(first)) * np.uint64(apart) + np.uint64(draw.start)

    def pairs(self, kind: str, rows: np.ndarray | slice, block: np.ndarray | int) -> np.ndarray:
        """The two numbers of a block of each row, [n, 2]. A row reads the second one first.

        Args:
          kind: "uniform" in [0, 1), or "normal".
          rows: which rows, rising; `ALL` for all of them.
          block: the number of the block among those of its row.
        """
        return philox.pairs_of(kind, self._rounds(self._first[rows] + np.asarray(block, np.uint64)))


ALL = slice(None)
Attempt = Callable[["np.ndarray | slice", np.ndarray], "tuple[np.ndarray, np.ndarray]"]
"""Of rows and a block of uniform numbers of each: their results, and which of them count."""
Step = Callable[["np.ndarray | slice", np.ndarray, np.ndarray], "tuple[np.ndarray, np.ndarray]"]
"""Of rows, their states and a uniform number of each: their next states, and which of them are not the last."""


def _attempted(streams: Streams, out: np.ndarray, rows: np.ndarray, attempt: Attempt) -> None:
    """Fills rows of `out` with what the first of their blocks that counts gave."""
    block = 0
    while rows.size:
        here = ALL if rows.size == out.size else rows
        candidates, counts = attempt(here, streams.pairs("uniform", here, block))
        out[rows[counts]] = candidates[counts]
        rows, block = rows[~counts], block + 1


def _counted(streams: Streams, out: np.ndarray, rows: np.ndarray, state: np.ndarray, step: Step) -> None:
    """Fills rows of `out` with the number of steps before their last one.

    Rows that are done go on until a third of them is: steps after the last one count for nothing.
    """
    block, number, state = 0, np.zeros(rows.size, out.dtype), state[rows]
    while rows.size:
        here = ALL if rows.size == out.size else rows
        pair = streams.pairs("uniform", here, block)
        for at in (1, 0):
            state, goes_on = step(here, state, pair[:, at])
            number += goes_on
        block += 1
        if 3 * np.count_nonzero(goes_on) <= 2 * rows.size:
            done = ~goes_on
            out[rows[done]] = number[done]
            rows, number, state = rows[goes_on], number[goes_on], state[goes_on]


_PARTS = ThreadChoice()


def _in_parts(count: int, dtype: Any, draw_rows: Callable[[slice], np.ndarray]) -> np.ndarray:
    """The numbers of `draw_rows(part)` for all parts of so many rows."""
    out = np.empty(count, dtype)
    parts = -(-count // _ROWS)

    def work(turn: int) -> None:
        part = slice(turn * _ROWS, min((turn + 1) * _ROWS, count))
        out[part] = draw_rows(part)

    with _PARTS.over(_ROW_NS * count, 100 * parts) as threads:
        spread(work, parts, threads)
    return out


def _streams(draw: BlockOrigin, part: slice, apart: int = philox.RESERVED) -> Streams:
    return Streams(draw, part.start, part.stop - part.start, apart)


def gamma(draw: BlockOrigin, alpha: np.ndarray) -> np.ndarray:
    """Gamma numbers of shape `alpha`, one for each row, as float64."""
    return _in_parts(len(alpha), np.float64, lambda part: _gamma(_streams(draw, part), alpha[part]))


class _GammaReader:
    """The numbers that rows read in turn: normal ones and uniform ones, each kind from blocks of its own."""

    def __init__(self, streams: Streams, count: int) -> None:
        self._streams, self._next = streams, np.zeros(count, np.uint64)
        self._held = {kind: np.zeros((count, 2)) for kind in ("uniform", "normal")}
        self._left = {kind: np.zeros(count, np.int8) for kind in self._held}

    def read(self, kind: str, rows: np.ndarray) -> np.ndarray:
        """The next number of each row; those of a block are read from its end."""
        held, left = self._held[kind], self._left[kind]
        if rows.size == left.size and not left.any():  # the first number of all rows
            held[...] = self._streams.pairs(kind, ALL, self._next)
            self._next += np.uint64(1)
            left += 1
            return held[:, 1]
        empty = rows[left[rows] == 0]
        if empty.size:
            held[empty] = self._streams.pairs(kind, empty, self._next[empty])
            self._next[empty] += np.uint64(1)
            left[empty] = 2
        left[rows] -= 1
        return held[rows, left[rows]]


def _gamma(streams: Streams, alpha: np.ndarray) -> np.ndarray:
    out, every = np.empty(alpha.size), np.arange(alpha.size)
    reader = _GammaReader(streams, alpha.size)
    ones, small, valid = alpha == 1, alpha < 1, alpha > 0
    if ones.any():
        out[ones] = -np.log1p(-reader.read("uniform", every[ones]))
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    with np.errstate(invalid="ignore"):
        c = 1.0 / 3 / np.sqrt(d)
    out[~valid] = np.nan
    rows = every[valid & ~ones]
    while rows.size:
        whole = rows.size == alpha.size
        d_, c_, small_ = (d, c, small) if whole else (d[rows], c[rows], small[rows])
        x = reader.read("normal", rows)
        v = 1 + c_ * x
        counts = v > 0
        if not counts.all():
            inner = np.flatnonzero(counts)
            x, v, d_ = x[inner], v[inner], d_[inner]
            u = reader.read("uniform", rows[inner])
        else:
            inner, u = None, reader.read("uniform", rows)
        v **= 3
        square = x * x
        taken = u < 1 - 0.0331 * square * square
        doubtful = np.flatnonzero(~taken)
        x, w, of = x[doubtful], v[doubtful], d_[doubtful]
        with np.errstate(divide="ignore"):
            taken[doubtful] = np.log(u[doubtful]) < 0.5 * x * x + of * (1 - w + np.log(w))
        v *= d_
        if inner is None:
            counts, candidates = taken, v
        else:
            counts[inner] = taken
            candidates = np.zeros(rows.size)
            candidates[inner] = v
        less = np.flatnonzero(counts & small_)
        if less.size:
            candidates[less] *= reader.read("uniform", rows[less]) ** (1 / alpha[rows[less]])
        out[rows[counts]] = candidates[counts]
        rows = rows[~counts]
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
    return _in_parts(len(rate), rate.dtype, lambda part: _poisson(_streams(draw, part), rate[part], most))


def _poisson(streams: Streams, rate: np.ndarray, most: float) -> np.ndarray:
    out, every = np.where(np.isfinite(rate), rate.dtype.type(0), np.maximum(rate, 0)), np.arange(rate.size)
    valid = np.isfinite(rate) & (rate >= 0)
    least = np.exp(-np.where(valid, rate, 0))

    def multiply(rows: np.ndarray | slice, product: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        product = (product * u).astype(rate.dtype, copy=False)
        return product, product > least[rows]

    _counted(streams, out, every[valid & (rate < 10)], np.ones_like(rate), multiply)
    _attempted(streams, out, every[valid & (rate >= 10)], _poisson_attempt(rate, most))
    return out


def _poisson_attempt(rate: np.ndarray, most: float) -> Attempt:
    kind, lgamma = rate.dtype.type, from_scipy("special", "gammaln")
    with np.errstate(invalid="ignore", divide="ignore"):
        log_rate, b = np.log(rate), kind(0.931) + kind(2.53) * np.sqrt(rate)
        a = kind(-0.059) + kind(0.02483) * b
        inverse = kind(1.1239) + kind(1.1328) / (b - kind(3.4))

    def attempt(rows: np.ndarray | slice, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u, v = pair[:, 1] - kind(0.5), pair[:, 0]
        a_, b_, mean = a[rows], b[rows], rate[rows]
        shifted = kind(0.5) - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((kind(2) * a_ / shifted + b_) * u + mean + kind(0.43))
            box = (shifted >= kind(0.07)) & (v <= kind(0.9277) - kind(3.6224) / (b_ - kind(2)))
            refused = (k < 0) | ((shifted < kind(0.013)) & (v > shifted))
            doubtful = np.flatnonzero(~(box | refused))
            v, shifted, some = v[doubtful], shifted[doubtful], k[doubtful]
            a_, b_, mean = a_[doubtful], b_[doubtful], mean[doubtful]
            reached = np.log(v * inverse[rows][doubtful] / (a_ / (shifted * shifted) + b_))
            allowed = -mean + some * log_rate[rows][doubtful] - lgamma(some + kind(1))
        box[doubtful] = reached <= allowed
        return k, (k <= most) & box

    return attempt


FEW_BLOCKS = 42
"""Blocks set aside for a binomial number of small mean."""


def binomial(draw: BlockOrigin, count: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The number of successes in `count` trials of probability `share`, one for each row, as float64."""
    return _in_parts(len(count), np.float64, lambda part: _binomial(draw, part, count[part], share[part]))


def _binomial(draw: BlockOrigin, part: slice, count: np.ndarray, share: np.ndarray) -> np.ndarray:
    every, most = np.arange(count.size), share > 0.5
    rare = np.where(most, share.dtype.type(1) - share, share)
    many = count * rare >= 10
    count, rare = count.astype(np.float64), rare.astype(np.float64)
    out, tried = np.zeros(count.size), (count > 0) & (rare > 0)

    def add(rows: np.ndarray | slice, total: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        # Geometric numbers, as many as have a sum within the trials.
        with np.errstate(divide="ignore"):
            total = total + np.ceil(np.log(u) / np.log1p(-rare[rows]))
        return total, total <= count[rows]

    _counted(_streams(draw, part, FEW_BLOCKS), out, every[tried & ~many], np.zeros_like(count), add)
    _attempted(_streams(draw, part), out, every[tried & many], _binomial_attempt(count, rare))
    out = np.where(most & (count > 0), count - out, out)
    out[np.isnan(share) & ~(count <= 0)] = np.nan
    return out


def _tail(k: np.ndarray) -> np.ndarray:
    """The error of Stirling's approximation of `log k!`."""
    exact = from_scipy("special", "gammaln")
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    few = exact(k + 1) - (0.5 * np.log(2 * np.pi) + (k + 0.5) * np.log(k + 1) - (k + 1))
    tail: np.ndarray = np.where(k <= 9, few, series)
    return tail


def _binomial_attempt(count: np.ndarray, share: np.ndarray) -> Attempt:
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(count * share * (1 - share))
        b = 1.15 + 2.53 * deviation
        a = -0.0873 + 0.0248 * b + 0.01 * share
        middle, odds = count * share + 0.5, share / (1 - share)
        alpha, mode = (2.83 + 5.1 / b) * deviation, np.floor((count + 1) * share)

    def attempt(rows: np.ndarray | slice, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        u, v = pair[:, 1] - 0.5, pair[:, 0]
        a_, b_ = a[rows], b[rows]
        shifted = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore"):
            k = np.floor((2 * a_ / shifted + b_) * u + middle[rows])
            box = (shifted >= 0.07) & (v <= 0.92 - 4.2 / b_)
            inside = (k >= 0) & (k <= count[rows])
            doubtful = np.flatnonzero(~box & inside)
            n, r, m, most = (part[rows][doubtful] for part in (count, odds, mode, alpha))
            v, shifted, a_, b_, some = (part[doubtful] for part in (v, shifted, a_, b_, k))
            reached = np.log(v * most / (a_ / (shifted * shifted) + b_))
            allowed = (
                (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
                + (n + 1) * np.log((n - m + 1) / (n - some + 1))
                + (some + 0.5) * np.log(r * (n - some + 1) / (some + 1))
                + (_tail(m) + _tail(n - m) - _tail(some) - _tail(n - some))
            )
        box[doubtful] = reached <= allowed
        return k, box

    return attempt
