"""Distributions of numbers: an event has no axes, and the parameters broadcast with one another to the batch."""

from __future__ import annotations

import functools
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, shaping
from inlay._src.ops.joining import concat
from inlay._src.tf1.distributions.distribution import Distribution


class ScalarDistribution(Distribution):
    """The base class of distributions of numbers. A subclass names its parameters, each of which is a property."""

    _broadcast: tuple[str, ...] = ()

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Any]:  # type: ignore[override]
        return dict.fromkeys(cls._broadcast, convert_to_tensor(sample_shape, dtypes.int32))

    def _batch_shape(self) -> TensorShape:
        return functools.reduce(shaping.broadcast_static_shape, [getattr(self, name).shape for name in self._broadcast])

    def _batch_shape_tensor(self) -> Any:
        vectors = [array.shape(getattr(self, name)) for name in self._broadcast]
        return functools.reduce(shaping.broadcast_dynamic_shape, vectors)

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _event_shape_tensor(self) -> Any:
        return array.constant([], dtypes.int32)

    def _draws_shape(self, count: Any) -> Any:
        """The shape of so many draws of each distribution of the batch."""
        return concat([[count], self.batch_shape_tensor()], 0)

    def _over_batch(self, value: Any) -> Any:
        """A value that broadcasts with the batch, in the batch's shape."""
        return value * array.ones(self.batch_shape_tensor(), self.dtype)
