"""NumPy's random numbers as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math, seeds, shaped_draws
from inlay._src.ops import random as draws
from inlay._src.programs.numpy_functions.conversion import default_float, dtype_of, tensor_of


def _sizes(size: Any) -> list[int]:
    return [] if size is None else wholes(size, "size")


@export("experimental.numpy.random.seed")
def seed(s: Any) -> None:
    """Sets the seed of the process: `tf.random.set_seed`.

    Raises:
      ValueError: if it is no integer.
    """
    try:
        number = int(s)
    except TypeError:
        raise ValueError(f"Argument `s` got an invalid value {s}. Only integers are supported.") from None
    seeds.set_seed(number)


@export("experimental.numpy.random.standard_normal")
def standard_normal(size: Any = None) -> Tensor:
    """Numbers of the standard normal distribution, in a shape; one if None."""
    return draws.normal(_sizes(size), dtype=default_float())


@export("experimental.numpy.random.randn")
def randn(*args: int) -> Tensor:
    """Numbers of the standard normal distribution, in a shape."""
    return standard_normal(args)


@export("experimental.numpy.random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers between two, in a shape; in that of the two if None."""
    least, most = (tensor_of(v, default_float()) for v in (low, high))
    sizes = math.add(least, most).shape.as_list() if size is None else _sizes(size)
    return least + (most - least) * draws.uniform(sizes, dtype=default_float())


@export("experimental.numpy.random.random")
def random(size: Any = None) -> Tensor:
    """Numbers between 0 and 1, in a shape; one if None."""
    return uniform(size=size)


@export("experimental.numpy.random.rand")
def rand(*size: int) -> Tensor:
    """Numbers between 0 and 1, in a shape."""
    return uniform(size=size)


@export("experimental.numpy.random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Tensor:
    """Numbers of Poisson's distribution, in a shape for each mean; one if None.

    Args:
      lam: the means.
      size: the shape.
    """
    return shaped_draws.random_poisson(_sizes(size), tensor_of(lam, default_float()), dtypes.int64)


@export("experimental.numpy.random.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Tensor:
    """Whole numbers from one to below another, or from 0 if there is one, in a shape; one if None."""
    first, last = (0, low) if high is None else (low, high)
    return math.cast(draws.uniform(_sizes(size), first, last, dtypes.int64), dtype_of(dtype))
