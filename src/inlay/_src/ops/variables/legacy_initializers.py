"""Initializers of the 1.x form, where it has other defaults than that of 2.x."""

from __future__ import annotations

import math
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.ops import legacy, random
from inlay._src.ops.variables.initializers import (
    Constant,
    Identity,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    Typed,
)


@export("compat.v1.constant_initializer", "compat.v1.initializers.constant")
class ConstantV1(Constant):
    """One value, or values for every position, the last of which fills in a graph what there are too few for (1.x).

    Args:
      value: a number, or an array with at most as many elements as the shape.
      dtype: the default type; None takes the value's.
      verify_shape: require `value` to have exactly the shape asked for.
    """

    _constant = staticmethod(legacy.constant)


@export("compat.v1.random_normal_initializer", "compat.v1.initializers.random_normal")
class RandomNormalV1(RandomNormal):
    """Normal numbers, by default of standard deviation 1 (the 1.x form)."""

    _floating_only = True
    _repeats = False

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


@export("truncated_normal_initializer", "compat.v1.initializers.truncated_normal")
class TruncatedNormalV1(TruncatedNormal):
    """Truncated normal numbers, by default of standard deviation 1 (the 1.x form)."""

    _floating_only = True

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(mean, stddev, seed, dtype)


@export("compat.v1.random_uniform_initializer", "compat.v1.initializers.random_uniform")
class RandomUniformV1(RandomUniform):
    """Uniform numbers, by default in [0, 1) (the 1.x form)."""

    _repeats = False

    def __init__(
        self, minval: Any = 0.0, maxval: Any = None, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(minval, maxval, seed, dtype)


@export("uniform_unit_scaling_initializer", "compat.v1.initializers.uniform_unit_scaling")
class UniformUnitScaling(Typed):
    """Uniform numbers that keep the scale of the input's variance (1.x)."""

    _floating_only = True

    factor: float
    seed: int | None

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        self.factor, self.seed = factor, seed

    def _values(self, dims: list[int], kind: DType) -> Any:
        return self._scaled(dims, kind, dims)

    def _part(self, dims: list[int], kind: DType, partition_info: Any) -> Any:
        return self._scaled(dims, kind, list(partition_info.full_shape))

    def _scaled(self, dims: list[int], kind: DType, full_shape: list[int]) -> Any:
        limit = math.sqrt(3.0 / max(1.0, float(math.prod(full_shape[:-1])))) * self.factor
        return random.uniform(dims, -limit, limit, kind, self.seed, "random_uniform")


@export("compat.v1.initializers.identity")
class IdentityV1(Identity):
    """The identity matrix times `gain`; a variable in parts makes one up (the 1.x form)."""

    def _part(self, dims: list[int], kind: DType, partition_info: Any) -> Any:
        whole = self._values(list(partition_info.full_shape), kind)
        begins = zip(partition_info.var_offset, dims, strict=True)
        return whole[tuple(slice(begin, begin + size) for begin, size in begins)]
