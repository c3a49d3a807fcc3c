"""Shared parts of random draws: bounds, shapes, types, moments."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.opdef import Shapes
from inlay._src.ops import math
from inlay._src.ops.shaping import all_whole, numbers_of
from inlay._src.ops.special import from_scipy, scipy_is_installed

SEED = {"seed": (2,)}
"""The required shape of a seed."""


def shape_at(position: int) -> Any:
    def infer(s: Shapes) -> list[Dims]:
        return [s.partial_value(position)]

    return infer


def bounded_shape_at(position: int) -> Any:
    """As `shape_at`, of an op whose last two inputs are bounds: scalars."""

    def infer(s: Shapes) -> list[Dims]:
        for name, dims in zip(("minval", "maxval"), s.dims[-2:], strict=True):
            if dims:
                raise ValueError(f"{name} must be a scalar; got a tensor of shape {shapes.bracketed(dims)}")
        return [s.partial_value(position)]

    return infer


def checked_sizes(shape: Any) -> tuple[int, ...]:
    numbers, dims = numbers_of(shape)
    if len(dims) != 1:
        raise ValueError(f"shape must be a vector of {{int32,int64}}, got shape {list(dims)}")
    sizes = tuple(numbers) if numbers is shape else tuple(map(int, numbers))
    if sizes and min(sizes) < 0:
        raise ValueError(f"the shape of random numbers must not be negative, got {list(sizes)}")
    return sizes


def in_range(xp: Any, words: Any, low: Any, high: Any) -> Any:
    """Words reduced to [low, high)."""
    for name, bound in (("minval", low), ("maxval", high)):
        if np.ndim(bound):
            raise ValueError(f"{name} must be 0-D, got shape {shapes.bracketed(np.shape(bound))}")
    kind = words.dtype
    if not words.size:  # the bounds of no numbers do not matter
        return words.astype(low.dtype)
    if xp is np and not np.all(np.less(low, high)):
        raise ValueError(f"Need minval < maxval, got {low} >= {high}")
    span = xp.asarray(high).astype(kind) - xp.asarray(low).astype(kind)
    return (words % span + xp.asarray(low).astype(kind)).astype(low.dtype)


def words_of(dtype: Any) -> Any:
    return dtypes.uint32 if dtype.itemsize == 4 else dtypes.uint64


INTEGERS = frozenset({dtypes.int32, dtypes.int64})
STATELESS_INTEGERS = INTEGERS | {dtypes.uint32, dtypes.uint64}


_BOUNDED = FLOATS | INTEGERS


def scaled(value: Any, low: Any, high: Any, dtype: Any) -> Any:
    """[0, 1) to [low, high)."""
    from_zero = _is_number(low, 0)
    if from_zero and _is_number(high, 1):
        return value
    high = convert_to_tensor(high, dtype)
    if from_zero:
        return math.multiply(value, high)
    low = convert_to_tensor(low, dtype)
    return math.add(math.multiply(value, math.subtract(high, low)), low)


def _is_number(value: Any, number: float) -> bool:
    return value.__class__ in (int, float) and value == number


def float_type(dtype: Any) -> Any:
    kind = dtypes.as_dtype(dtype)
    if kind not in FLOATS:
        raise ValueError(f"Invalid dtype {kind.name}: random normal numbers have a floating type")
    return kind


def bounds_of(kind: Any, minval: Any, maxval: Any) -> tuple[Any, Any]:
    if kind not in _BOUNDED:
        raise ValueError(
            f"Invalid dtype {kind.name}: uniform numbers between bounds are float16, bfloat16, float32, float64, "
            "int32, int64"
        )
    if maxval is None:
        if kind.is_integer:
            raise ValueError("Must specify maxval for integer dtype")
        maxval = 1
    return minval, maxval


def as_shape(shape: Any) -> Any:
    if isinstance(shape, shapes.TensorShape):
        return shape.as_list()
    if isinstance(shape, (list, tuple)):
        if all_whole(shape):
            return shape
        if any(d.__class__ is bool for d in shape):
            return convert_to_tensor(list(shape))  # bools, which are refused
        return list(shape) if not any(hasattr(d, "dtype") for d in shape) else convert_to_tensor(list(shape))
    return shape


def with_moments(value: Any, mean: Any, stddev: Any, kind: Any) -> Any:
    if not _is_number(stddev, 1):
        value = math.multiply(value, convert_to_tensor(stddev, kind))
    return value if _is_number(mean, 0) else math.add(value, convert_to_tensor(mean, kind))


def chosen_classes(logits: Any, uniform_: np.ndarray, count: int, dtype: Any) -> np.ndarray:
    """Classes drawn by inverting each row's cumulative distribution."""
    if count < 0:
        raise ValueError(f"num_samples should be nonnegative, got {count}")
    cdf = cumulative(logits)
    out = np.empty((cdf.shape[0], count), dtype.np)
    for row, line in enumerate(cdf):
        out[row] = np.searchsorted(line, uniform_[row * count : (row + 1) * count] * line[-1], side="right")
    return out


def cumulative(logits: Any) -> np.ndarray:
    """The cumulative distribution of each row of log-probabilities, not normalized, as float64.

    Raises:
      ValueError: if the logits are no matrix, or if there are no classes.
    """
    if np.ndim(logits) != 2:
        raise ValueError(f"logits should be a matrix, got shape {list(np.shape(logits))}")
    if not np.shape(logits)[1]:
        raise ValueError("num_classes should be positive, got 0")
    x = np.asarray(logits).astype(np.float64)
    finite = np.isfinite(x)
    top = np.where(finite, x, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        return np.cumsum(np.where(finite, np.exp(x - top), 0.0), axis=1)


_MOVED = {4: ("slaswp", np.float32), 8: ("dlaswp", np.float64), 16: ("zlaswp", np.complex128)}
"""Bytes of a row -> the function of LAPACK that swaps such rows, and their type to it: it moves any bits."""


def shuffled(value: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The rows of `value`, one more than there are `targets`, after step i has swapped row i with row `targets[i]`.

    NumPy has nothing that does one such step after the other. LAPACK has: its `laswp` swaps rows of a matrix, more than
    two hundred times as fast as Python. It counts rows in 32 bits.
    """
    count = targets.size + 1
    if not TUNING.lapack_swaps <= count < 2**31 or not scipy_is_installed():
        order = list(range(count))
        for i, j in enumerate(targets.tolist()):
            order[i], order[j] = order[j], order[i]
        return np.take(value, np.array(order, np.intp), axis=0)
    moved = None if value.dtype.hasobject else _MOVED.get(value.nbytes // count)
    if moved is None or value.nbytes % count:
        return np.take(value, shuffled(np.arange(count, dtype=np.int32), targets), axis=0)
    name, kind = moved
    rows = value.copy().reshape(-1).view(kind).reshape(count, 1)
    steps = targets.view(np.int32) if targets.dtype == np.uint32 else targets.astype(np.int32)
    permuted: np.ndarray = from_scipy("linalg.lapack", name)(rows, steps, overwrite_a=True)
    return permuted.reshape(-1).view(value.dtype).reshape(value.shape)


def known_int(value: Any) -> int | None:
    """The number of draws, or None if it is unknown while a graph is built.

    Raises:
      ValueError: if it is negative.
    """
    if value is not None and value < 0:
        raise ValueError(f"Dimension size, given by a scalar input, must be non-negative but is {int(value)}")
    return None if value is None else int(value)


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms of random numbers that TensorFlow numbers; Philox is the one here."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


def numbered_algorithm(alg: Any) -> Algorithm:
    """The algorithm of a name, a number or an `Algorithm`.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(alg, Algorithm):
        return alg
    for algorithm in Algorithm:
        if alg in (algorithm.name.lower(), algorithm.value):
            return algorithm
    raise ValueError(
        f"Unsupported algorithm: argument `alg` got unsupported value {alg}. Supported values are 'philox' for the "
        "Philox algorithm, 'threefry' for the ThreeFry algorithm, and 'auto_select' for auto-selection."
    )


def check_algorithm(alg: Any) -> None:
    if numbered_algorithm(alg) is Algorithm.THREEFRY:
        raise ValueError(f"Unsupported algorithm {alg!r}: random numbers come from 'philox'")
