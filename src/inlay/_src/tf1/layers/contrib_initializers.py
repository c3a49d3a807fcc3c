"""Initializers with the arguments and the spread of `tf.contrib.layers`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.ops import random
from inlay._src.ops.variables.initializers import fans

_CUT_OFF = 1.3
"""By how much the variance of normal numbers grows that are cut off at two deviations, as contrib takes it."""


@export("contrib.layers.variance_scaling_initializer")
def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Callable[..., Any]:  # fmt: skip
    """Random numbers whose variance is `factor` over the number of inputs, outputs or their mean.

    Args:
      factor: a factor; 2 keeps the variance through layers with `relu`.
      mode: "FAN_IN", "FAN_OUT" or "FAN_AVG".
      uniform: whether the numbers are uniform, or normal and cut off.
      seed: makes the values repeatable.
      dtype: the default type.

    Returns:
      An initializer.

    Raises:
      TypeError: for a type that does not float, or another mode.
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError("Cannot create initializer for non-floating point type.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        kind = dtypes.as_dtype(dtype)
        if not kind.is_floating:
            raise TypeError("Cannot create initializer for non-floating point type.")
        ins, outs = fans(list(shape))
        n = {"FAN_IN": ins, "FAN_OUT": outs, "FAN_AVG": (ins + outs) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random.uniform(shape, -limit, limit, kind, seed=seed)
        return random.truncated_normal(shape, 0.0, math.sqrt(_CUT_OFF * factor / n), kind, seed=seed)

    return initializer


@export("contrib.layers.xavier_initializer", "contrib.layers.xavier_initializer_conv2d")
def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32
) -> Callable[..., Any]:
    """Random numbers whose variance is 2 over the sum of inputs and outputs (Glorot and Bengio).

    Args:
      uniform, seed, dtype: as for `variance_scaling_initializer`.

    Returns:
      An initializer.
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)
