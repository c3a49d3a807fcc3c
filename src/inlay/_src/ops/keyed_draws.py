"""Random numbers of a key and a counter: the form in which TensorFlow 2 writes stateless draws and generators.

A seed becomes a key and a counter once; draws take both. The numbers are those of the draws of a seed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import no_gradient
from inlay._src.ops import philox
from inlay._src.ops.draws import INTEGERS, SEED, checked_sizes, in_range, shape_at, words_of

PHILOX, AUTOMATIC = 1, 3
"""TensorFlow's numbers of the algorithms that are here."""
_WRAPS = 1 << 64
KEYED: Any = {"static": ("shape",), "infer": shape_at(0), "vjp": no_gradient, "lower": REFUSES_VALUES}


@op(
    "StatelessRandomGetKeyCounter",
    "seed:Seed -> uint64, uint64",
    types={"Seed": INDEX},
    ranks=SEED,
    infer=lambda s: [(1,), (2,)],
    vjp=no_gradient,
)
def key_and_counter(xp: Any, seed: Any) -> Any:
    """The key and the counter of a seed."""
    key, high = philox.scrambled(np, np.asarray(seed))
    return np.array([key], np.uint64), np.array([0, high], np.uint64)


@op("StatelessRandomGetAlg", " -> int32", infer=lambda s: [()], vjp=no_gradient)
def algorithm(xp: Any) -> Any:
    """The number of the algorithm of stateless draws."""
    return np.int32(PHILOX)


def _filled(kind: str, dtype: Any, shape: Any, key: Any, counter: Any, alg: Any) -> Any:
    if int(alg) not in (PHILOX, AUTOMATIC):
        raise errors.UnimplementedError(None, None, f"random numbers of algorithm {int(alg)}: there is Philox alone")
    if np.shape(key) != (1,) or np.shape(counter) != (2,):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"key must have shape [1] and counter shape [2], got {list(np.shape(key))} and {list(np.shape(counter))}",
        )
    position, high = (int(number) for number in np.asarray(counter))
    word, sizes = int(np.asarray(key)[0]), checked_sizes(shape)
    before = (_WRAPS - position) * (4 if dtype.np.itemsize <= 4 else 2)  # numbers of the blocks before the carry
    if before >= math.prod(sizes) or kind == "truncated":
        return philox.fill(np, kind, dtype, word, high, np.uint64(position), sizes)
    first = philox.fill(np, kind, dtype, word, high, np.uint64(position), (before,))
    rest = philox.fill(np, kind, dtype, word, (high + 1) % _WRAPS, np.uint64(0), (math.prod(sizes) - before,))
    return np.concatenate([first, rest]).reshape(sizes)


def _distribution(name: str, kind: str, says: str) -> None:
    def draw(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, *, dtype: Any) -> Any:
        return _filled(kind, dtype, shape, key, counter, alg)

    draw.__doc__ = f"{says}, a function of a key and a counter."
    op(name, "shape:Index, key:uint64, counter:uint64, alg:int32 -> dtype", **KEYED)(draw)


_distribution("StatelessRandomUniformV2", "uniform", "Uniform numbers in [0, 1)")
_distribution("StatelessRandomNormalV2", "normal", "Standard normal numbers")
_distribution("StatelessTruncatedNormalV2", "truncated", "Standard normal numbers within two deviations")


@op(
    "StatelessRandomUniformIntV2",
    "shape:Index, key:uint64, counter:uint64, alg:int32, minval:T, maxval:T -> T",
    types={"T": INTEGERS | {dtypes.uint32, dtypes.uint64}},
    **KEYED,
)
def _uniform_int(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any) -> Any:
    """Uniform integers in [minval, maxval), a function of a key and a counter."""
    with np.errstate(over="ignore"):
        return in_range(np, _filled("words", words_of(minval.dtype), shape, key, counter, alg), minval, maxval)


@op("StatelessRandomUniformFullIntV2", "shape:Index, key:uint64, counter:uint64, alg:int32 -> dtype", **KEYED)
def _uniform_full_int(xp: Any, shape: Any, key: Any, counter: Any, alg: Any, *, dtype: Any) -> Any:
    """Uniform integers of the whole range of their type, a function of a key and a counter."""
    return _filled("words", words_of(dtype.np), shape, key, counter, alg).view(dtype.np)
