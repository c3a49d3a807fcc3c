"""Pooling as layers: the greatest number or the mean of each window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.tensor import Tensor
from inlay._src.ops import pooling
from inlay._src.tf1.layers.convolution import FORMATS, each_side, padding_of
from inlay._src.tf1.layers.dense import layout_of
from inlay._src.tf1.layers.layer import InputSpec, Layer, dims_of, functional


class _Pooling(Layer):
    """One number for each window.

    Args:
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.
    """

    _sides: ClassVar[int]
    _pool: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = each_side(pool_size, self._sides, "pool_size")
        self.strides = each_side(pool_size if strides is None else strides, self._sides, "strides")
        self.padding, self.data_format = padding_of(padding), layout_of(data_format)
        self.input_spec = InputSpec(ndim=self._sides + 2)

    def call(self, inputs: Any) -> Tensor:
        """One number for each window."""
        layout = FORMATS[self.data_format][self._sides]
        return type(self)._pool(inputs, list(self.pool_size), list(self.strides), self.padding.upper(), layout)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the result."""
        dims = dims_of(input_shape, self._sides + 2, self._sides + 2)
        at = 2 if self.data_format == "channels_first" else 1
        for side, (window, step) in enumerate(zip(self.pool_size, self.strides, strict=True)):
            size = dims[at + side]
            if size is not None:
                whole = size if self.padding == "same" else size - window + 1
                dims[at + side] = (whole + step - 1) // step
        return TensorShape(dims)


@export("compat.v1.layers.MaxPooling1D")
@constructor()
class MaxPooling1D(_Pooling):
    """The greatest number of each window of sequences."""

    _sides, _pool = 1, staticmethod(pooling.max_pool1d)


@export("compat.v1.layers.MaxPooling2D")
@constructor()
class MaxPooling2D(_Pooling):
    """The greatest number of each window of images."""

    _sides, _pool = 2, staticmethod(pooling.max_pool2d)


@export("compat.v1.layers.MaxPooling3D")
@constructor()
class MaxPooling3D(_Pooling):
    """The greatest number of each window of volumes."""

    _sides, _pool = 3, staticmethod(pooling.max_pool3d)


@export("compat.v1.layers.AveragePooling1D")
@constructor()
class AveragePooling1D(_Pooling):
    """The mean of each window of sequences; places outside do not count."""

    _sides, _pool = 1, staticmethod(pooling.avg_pool1d)


@export("compat.v1.layers.AveragePooling2D")
@constructor()
class AveragePooling2D(_Pooling):
    """The mean of each window of images; places outside do not count."""

    _sides, _pool = 2, staticmethod(pooling.avg_pool2d)


@export("compat.v1.layers.AveragePooling3D")
@constructor()
class AveragePooling3D(_Pooling):
    """The mean of each window of volumes; places outside do not count."""

    _sides, _pool = 3, staticmethod(pooling.avg_pool3d)


max_pooling1d: Any = export("compat.v1.layers.max_pooling1d")(functional(MaxPooling1D, "max_pooling1d", shares=False))
max_pooling2d: Any = export("compat.v1.layers.max_pooling2d")(functional(MaxPooling2D, "max_pooling2d", shares=False))
max_pooling3d: Any = export("compat.v1.layers.max_pooling3d")(functional(MaxPooling3D, "max_pooling3d", shares=False))
average_pooling1d: Any = export("compat.v1.layers.average_pooling1d")(
    functional(AveragePooling1D, "average_pooling1d", shares=False)
)
average_pooling2d: Any = export("compat.v1.layers.average_pooling2d")(
    functional(AveragePooling2D, "average_pooling2d", shares=False)
)
average_pooling3d: Any = export("compat.v1.layers.average_pooling3d")(
    functional(AveragePooling3D, "average_pooling3d", shares=False)
)
