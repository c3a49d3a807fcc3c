"""NumPy's random numbers as tensors, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.eager import promotion
from inlay.export import export
from inlay.numpy_functions.creation import asarray
from inlay.ops import array as arrays
from inlay.ops import math, seeds
from inlay.ops import random as draws
from inlay.types import dtypes


def _floating() -> Any:
    """The dtype of Python's floating numbers."""
    return promotion.result_dtype(1.0) if promotion.mode() != "off" else dtypes.float64


def _sizes(size: Any) -> list[int]:
    return [] if size is None else [int(n) for n in np.atleast_1d(size)]


@export("experimental.numpy.copy")
def copy(a: Any) -> Any:
    """A value as a new tensor."""
    return arrays.identity(asarray(a))


@export("experimental.numpy.random.seed")
def seed(s: Any) -> None:
    """Sets the seed of the process: `tf.random.set_seed`."""
    seeds.set_seed(int(s))


@export("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Numbers of the standard normal distribution, in a shape; one if None."""
    return draws.normal(_sizes(size), dtype=_floating())


@export("experimental.numpy.random.randn")
def randn(*args: int) -> Any:
    """Numbers of the standard normal distribution, in a shape."""
    return standard_normal(args)


@export("experimental.numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers between two, in a shape; in that of the two if None."""
    least, most = (math.cast(asarray(v), _floating()) for v in (low, high))
    sizes = math.add(least, most).shape.as_list() if size is None else _sizes(size)
    return least + (most - least) * draws.uniform(sizes, dtype=_floating())


@export("experimental.numpy.random.random")
def random(size: Any = None) -> Any:
    """Numbers between 0 and 1, in a shape; one if None."""
    return uniform(size=size)


@export("experimental.numpy.random.rand")
def rand(*size: int) -> Any:
    """Numbers between 0 and 1, in a shape."""
    return uniform(size=size)


@export("experimental.numpy.random.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Whole numbers from one to below another, or from 0 if there is one, in a shape; one if None."""
    first, last = (0, low) if high is None else (low, high)
    return math.cast(draws.uniform(_sizes(size), first, last, dtypes.int64), dtypes.as_dtype(np.dtype(dtype)))
