"""Samples of classes to compare true ones with, and how often each class is expected in such a sample.

    philox words ──▶ candidates, class by class ──▶ a sample, in which a class occurs once if `unique`
                                                    its expected counts: 1 - (1 - p)**tries, or p * size

The candidates of a seed are TensorFlow's: words are read in its order, and a run reserves as many as its does.
"""

from __future__ import annotations

import inspect
import math as pymath
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import reading
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, Shapes, no_gradient
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import philox
from inlay._src.ops.seeds import state_of_draw

_BLOCKS_OF_EACH = 512
"""Blocks of four words that a run reserves for each candidate of its sample."""
_LEAST = {"num_true": AtLeast(1), "num_sampled": AtLeast(1), "range_max": AtLeast(1)}


class _ReservedWords:
    """The words of a run, one behind the other."""

    def __init__(self, state: Any, count: int) -> None:
        self._key, self._high, self._block = state.reserve(count * _BLOCKS_OF_EACH)
        self._left = np.empty(0, np.uint32)

    def take(self, count: int) -> np.ndarray:
        """The next words, uint32."""
        if count > self._left.size:
            more = -(-(count - self._left.size) // 4)
            shape = (4 * more,)
            drawn = philox.fill(np, "words", dtypes.uint32, self._key, self._high, np.uint64(self._block), shape)
            self._left, self._block = np.concatenate([self._left, drawn]), self._block + more
        words, self._left = self._left[:count], self._left[count:]
        return words


class _UniformClasses:
    """Every class below `size` with the same probability."""

    def __init__(self, size: int) -> None:
        self.size = size

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """The probability of each class."""
        return np.full(classes.shape, np.float32(1 / self.size))

    def candidates(self, words: _ReservedWords, count: int) -> np.ndarray:
        """At most `count` candidates, as int64."""
        low, high = words.take(2 * count).astype(np.uint64).reshape(-1, 2).T
        wide = low | high << np.uint64(32)
        if not self.size & (self.size - 1):
            return (wide & np.uint64(self.size - 1)).astype(np.int64)
        least = np.uint64((2**64 - 1) % self.size + 1)
        return (wide[wide >= least] % np.uint64(self.size)).astype(np.int64)


class _LogUniform(_UniformClasses):
    """Classes with the probability `log((class + 2) / (class + 1)) / log(size + 1)`."""

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """See `_UniformClasses.probabilities`."""
        return (np.log((classes + 2.0) / (classes + 1.0)) / np.log1p(self.size)).astype(np.float32)

    def candidates(self, words: _ReservedWords, count: int) -> np.ndarray:
        """See `_UniformClasses.candidates`."""
        low, high = words.take(2 * count).astype(np.uint64).reshape(-1, 2).T
        mantissa = (low & np.uint64(0xFFFFF)) << np.uint64(32) | high  # the first word is the upper one here
        unit = (mantissa | np.uint64(0x3FF0000000000000)).view(np.float64) - 1.0
        return (np.exp(unit * np.log1p(self.size)).astype(np.int64) - 1) % self.size


class _WeightedClasses(_UniformClasses):
    """Classes with a weight each, drawn from an alias table (Walker 1977), which is filled in TensorFlow's order."""

    def __init__(self, weights: Sequence[float]) -> None:
        super().__init__(len(weights))
        self._weights = np.asarray(weights, np.float32)
        shares = self._weights.astype(np.float64) * self.size / self._weights.sum(dtype=np.float64)
        low = [k for k in range(self.size) if shares[k] < 1]
        high = [k for k in range(self.size) if shares[k] >= 1]
        self._others = list(range(self.size))
        while low and high:
            poor, rich = low.pop(), high.pop()
            self._others[poor] = rich
            shares[rich] -= 1 - shares[poor]
            (low if shares[rich] < 1 else high).append(rich)
        shares[[*low, *high]] = 1
        self._shares = shares.astype(np.float32).tolist()

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """See `_UniformClasses.probabilities`."""
        inside = (classes >= 0) & (classes < self.size)
        whole = np.float32(self._weights.sum(dtype=np.float64))
        return np.where(inside, self._weights[np.where(inside, classes, 0)] / whole, np.float32(0))

    def candidates(self, words: _ReservedWords, count: int) -> np.ndarray:
        """See `_UniformClasses.candidates`."""
        least = 0 if not self.size & (self.size - 1) else (2**32 - 1) % self.size + 1
        drawn = []
        for _ in range(count):
            (first,) = words.take(1)
            share = np.uint32(int(first) & 0x7FFFFF | 0x3F800000).view(np.float32) - np.float32(1)
            word = int(words.take(1)[0])
            while word < least:
                word = int(words.take(1)[0])
            at = word % self.size
            drawn.append(at if share < self._shares[at] else self._others[at])
        return np.array(drawn, np.int64)


def _sample(distribution: _UniformClasses, words: _ReservedWords, count: int, unique: bool) -> tuple[np.ndarray, int]:
    """(a sample of classes, how many candidates were tried for it)."""
    sample: dict[int, None] = {}
    tries = 0
    if not unique:
        parts: list[np.ndarray] = []
        while (missing := count - sum(part.size for part in parts)) > 0:
            parts.append(distribution.candidates(words, missing))
        return np.concatenate(parts), count
    size = count
    while len(sample) < count:
        for candidate in distribution.candidates(words, size).tolist():
            tries += 1
            sample[candidate] = None
            if len(sample) == count:
                break
        size = min(2 * size, TUNING.candidate_draws)
    return np.fromiter(sample, np.int64, count), tries


def _expected(probabilities: np.ndarray, count: int, tries: int) -> np.ndarray:
    """The expected counts of classes in a sample of `count` for which `tries` candidates were drawn."""
    if tries == count:
        return (probabilities * np.float32(count)).astype(np.float32)
    return (-np.expm1(tries * np.log1p(-probabilities.astype(np.float64)))).astype(np.float32)


def _checked(true_classes: Any, num_true: int, range_max: int) -> np.ndarray:
    classes = np.asarray(true_classes)
    if classes.ndim != 2:
        raise ValueError(f"true_classes must be a matrix, got shape {list(classes.shape)}")
    if classes.shape[1] != num_true:
        raise ValueError(f"true_classes must have num_true columns, expected: {num_true} was: {classes.shape[1]}")
    if classes.size and (classes.min() < 0 or classes.max() >= range_max):
        raise ValueError(f"true_classes is out of range: every class must be in [0, {range_max})")
    return classes


def _drawn(
    distribution: _UniformClasses, state: Any, true_classes: Any, num_true: int, num_sampled: int, unique: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    classes = _checked(true_classes, num_true, distribution.size)
    if unique and num_sampled > distribution.size:
        raise ValueError(f"Sampler's range is too small: {num_sampled} unique classes of {distribution.size}")
    sample, tries = _sample(distribution, _ReservedWords(state, num_sampled), num_sampled, unique)
    true, sampled = (_expected(distribution.probabilities(c), num_sampled, tries) for c in (classes, sample))
    return sample, true, sampled


def _infer(s: Shapes) -> list[Dims]:
    rows = s.dims[-1]
    if rows is not None and len(rows) != 2:
        raise ValueError(f"true_classes must be a matrix, got shape {list(rows)}")
    count = s.attrs["num_sampled"]
    return [(count,), (None if rows is None else rows[0], s.attrs["num_true"]), (count,)]


_SAMPLER: dict[str, Any] = {"infer": _infer, "effect": Effect.RANDOM, "vjp": no_gradient, "attrs": _LEAST}
_SIGNATURE = "state:resource, true_classes:int64 -> int64, float32, float32"


@op("UniformCandidateSampler", _SIGNATURE, **_SAMPLER)
def _uniform(
    xp, state, true_classes, *, num_true: int, num_sampled: int, unique: bool, range_max: int, seed=0, seed2=0
):
    """A sample of classes of equal probability."""
    return _drawn(_UniformClasses(range_max), state, true_classes, num_true, num_sampled, unique)


@op("LogUniformCandidateSampler", _SIGNATURE, **_SAMPLER)
def _log_uniform(
    xp, state, true_classes, *, num_true: int, num_sampled: int, unique: bool, range_max: int, seed=0, seed2=0
):
    """A sample of classes whose frequency falls with their number, as that of words by rank."""
    return _drawn(_LogUniform(range_max), state, true_classes, num_true, num_sampled, unique)


@op(
    "FixedUnigramCandidateSampler", _SIGNATURE,
    **{**_SAMPLER, "attrs": {**_LEAST, "num_shards": AtLeast(1), "shard": AtLeast(0)}},
)  # fmt: skip
def _fixed_unigram(
    xp, state, true_classes, *, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file="",
    distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=0, seed2=0,
):  # fmt: skip
    """A sample of classes with the frequencies of a list or a file."""
    frequencies = [float(n) for n in unigrams] or list(_frequencies(vocab_file))
    weights = [0.0] * num_reserved_ids + [pymath.pow(n, distortion) for n in frequencies]
    own = weights[shard::num_shards]
    if len(own) != range_max:
        raise ValueError(f"range_max is {range_max}, and there are {len(own)} frequencies, reserved ids included")
    return _drawn(_WeightedClasses(own), state, true_classes, num_true, num_sampled, unique)


@op("AllCandidateSampler", _SIGNATURE, **{**_SAMPLER, "attrs": {"num_true": AtLeast(1), "num_sampled": AtLeast(1)}})
def _every(xp, state, true_classes, *, num_true: int, num_sampled: int, unique: bool, seed=0, seed2=0):
    """All classes."""
    classes = _checked(true_classes, num_true, num_sampled)
    sample = np.arange(num_sampled, dtype=np.int64)
    return sample, np.ones(classes.shape, np.float32), np.ones(num_sampled, np.float32)


def _frequencies(vocab_file: str) -> Iterator[float]:
    """The frequencies of a file: the last of the comma-separated fields of each line."""
    with reading(vocab_file) as file:
        for line in file.read().splitlines():
            try:
                yield float(line.rpartition(b",")[2])
            except ValueError:
                text = f"{vocab_file}: the line {line!r} does not end with a number"
                raise errors.InvalidArgumentError(None, None, text) from None


def _sampler(op_type: str, called: Any, true_classes: Any, seed: Any, name: str | None, attrs: dict[str, Any]) -> Any:
    classes = convert_to_tensor(true_classes, dtypes.int64)
    state, seeds = state_of_draw(op_type, seed, (classes,), tuple(sorted(map(str, attrs.items()))))
    return called(state, classes, name=name, **attrs, **seeds)


_SAMPLES = """Args:
      true_classes: the classes that are true, int64, [batch, num_true].
      num_true: their number in each row.
      num_sampled: the size of the sample.
      unique: whether a class occurs at most once in it.
      {more}seed: the op's seed.
      name: the node's name.

    Returns:
      `(sampled_candidates, true_expected_count, sampled_expected_count)`: int64 [num_sampled], and how often each of
      the true and of the sampled classes is expected in a sample, float32 of the shapes of `true_classes` and the
      sample.

    Raises:
      InvalidArgumentError: for true classes outside of the range, and for more unique classes than there are."""


@export("random.uniform_candidate_sampler", "compat.v1.nn.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, range_max: Any, seed: Any = None,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """A sample of the classes below `range_max`, all of the same probability."""
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return _sampler("UniformCandidateSampler", _uniform, true_classes, seed, name, attrs)


@export("random.log_uniform_candidate_sampler", "compat.v1.nn.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, range_max: Any, seed: Any = None,
    name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """A sample of classes that are numbered by falling frequency, as words are by rank.

    The probability of a class is `log((class + 2) / (class + 1)) / log(range_max + 1)`."""
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return _sampler("LogUniformCandidateSampler", _log_uniform, true_classes, seed, name, attrs)


@export("random.fixed_unigram_candidate_sampler", "nn.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, range_max: Any, vocab_file: str = "",
    distortion: float = 1.0, num_reserved_ids: Any = 0, num_shards: Any = 1, shard: Any = 0,
    unigrams: Sequence[float] = (), seed: Any = None, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """A sample of classes with given frequencies."""
    attrs = {
        "num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max,
        "vocab_file": vocab_file, "distortion": float(distortion), "num_reserved_ids": num_reserved_ids,
        "num_shards": num_shards, "shard": shard, "unigrams": tuple(float(n) for n in unigrams),
    }  # fmt: skip
    return _sampler("FixedUnigramCandidateSampler", _fixed_unigram, true_classes, seed, name, attrs)


@export("random.all_candidate_sampler", "nn.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: Any, num_true: Any, num_sampled: Any, unique: bool, seed: Any = None, name: str | None = None
) -> list[Tensor]:
    """All classes, as a sample to test with: `num_sampled` is their number."""
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return _sampler("AllCandidateSampler", _every, true_classes, seed, name, attrs)


_RANGE = "range_max: the number of classes.\n      "
_FILE = """range_max: the number of classes.
      vocab_file: a file with a line for each class, which ends with a comma and its frequency; "" takes `unigrams`.
      distortion: the power that frequencies are raised to.
      num_reserved_ids: how many classes with the frequency 0 come before the first.
      num_shards, shard: takes of all classes those at `shard`, `shard + num_shards`, and so on.
      unigrams: the frequencies, if there is no file.
      """
for _function, _more in (
    (uniform_candidate_sampler, _RANGE),
    (log_uniform_candidate_sampler, _RANGE),
    (fixed_unigram_candidate_sampler, _FILE),
    (all_candidate_sampler, ""),
):
    _function.__doc__ = f"{inspect.getdoc(_function)}\n\n{inspect.cleandoc(_SAMPLES.format(more=_more))}\n"


@op(
    "ComputeAccidentalHits",
    "true_classes:int64, sampled_candidates:int64 -> int32, int64, float32",
    ranks={"true_classes": 2, "sampled_candidates": 1},
    infer=lambda s: [(None,)] * 3,
    vjp=no_gradient,
)
def _hits(xp, true_classes, sampled_candidates, *, num_true: int, seed=0, seed2=0):
    """The places in a sample of classes that are true in a row."""
    classes = np.asarray(true_classes)
    if classes.shape[1] != num_true:
        raise ValueError(f"true_classes must have num_true columns, expected: {num_true} was: {classes.shape[1]}")
    places = {candidate: at for at, candidate in enumerate(np.asarray(sampled_candidates).tolist())}
    pairs = [(row, places[c]) for row, columns in enumerate(classes.tolist()) for c in columns if c in places]
    rows, ids = np.array(pairs, np.int64).reshape(-1, 2).T
    return rows.astype(np.int32), ids, np.full(len(pairs), np.finfo(np.float32).min)


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: Any, seed: Any = None, name: str | None = None
) -> list[Tensor]:
    """The places in a sample of classes that are true, which a loss takes out of it.

    Args:
      true_classes: the classes that are true, int64, [batch, num_true].
      sampled_candidates: the sample, int64, [num_sampled].
      num_true: the number of true classes of a row.
      seed: accepted.
      name: the node's name.

    Returns:
      `(indices, ids, weights)`: the rows, int32; the places in the sample, int64; and the least float32 for each.
    """
    classes, sample = (convert_to_tensor(v, dtypes.int64) for v in (true_classes, sampled_candidates))
    return _hits(classes, sample, num_true=num_true, name=name)
