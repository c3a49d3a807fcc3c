"""New seeds of stateless draws, drawn from one."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import random, stacking


@export("random.split", "random.experimental.stateless_split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """New seeds that have nothing to do with one another.

    Args:
      seed: two integers, int32 or int64.
      num: number of seeds.
      alg: the random number generator, as for `tf.random.stateless_uniform`.

    Returns:
      [num, 2], of the type of `seed`.
    """
    seed = convert_to_tensor(seed, dtype_hint=dtypes.int32)
    return random.stateless_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A seed made of another one and of a number.

    Args:
      seed: two integers, int32 or int64.
      data: an integer, int32 or int64, that seeds are distinguished by.
      alg: the random number generator, as for `tf.random.stateless_uniform`.

    Returns:
      Two integers of the type of `data`.
    """
    data = convert_to_tensor(data)
    first = random.stateless_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return stacking.stack([first, data])
