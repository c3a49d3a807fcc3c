"""`DTensor`: an eager tensor that knows its layout over a mesh.

Logical devices of the CPU share one memory, so the value is held whole; a layout says which part belongs to which
device. Code that knows nothing of layouts reads `_value`, which a tensor that is cut refuses, as TensorFlow does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops.printing import summarized
from inlay._src.programs.dtensor.layout import Layout

DEVICE = "/job:localhost/replica:0/task:0/device:CUSTOM:0"


class DTensor(EagerTensor):
    """A tensor on a mesh. Immutable, as every eager tensor.

    Attributes:
      layout: its layout there.
      whole: its value, all parts together.
    """

    __slots__ = ("layout", "whole")

    def __init__(self, whole: Any, dtype: DType, layout: Layout) -> None:
        layout.check_fits(whole.shape)
        self.whole, self._dtype, self.layout = whole, dtype, layout

    @property
    def _value(self) -> Any:  # type: ignore[override]
        if self.layout.is_fully_replicated():
            return self.whole
        raise errors.UnimplementedError(
            None,
            None,
            "Trying to copy a non-single-device and non-replicated DTensor is not supported. Input tensor is: "
            f"{self!r}. Bring its parts together first: dtensor.relayout(tensor, Layout.replicated(mesh, rank))",
        )

    @property
    def shape(self) -> TensorShape:
        return shapes.from_dims(self.whole.shape)

    @property
    def ndim(self) -> int:
        return self.whole.ndim  # type: ignore[no-any-return]

    @property
    def device(self) -> str:
        return DEVICE

    def __len__(self) -> int:
        if not self.whole.ndim:
            raise TypeError("Scalar tensor has no `len()`")
        return self.whole.shape[0]  # type: ignore[no-any-return]

    def components(self) -> list[Any]:
        """Per device of the mesh, its part of the value."""
        return [self.whole[part] if part else self.whole for part in self.layout.parts(self.whole.shape)]

    def value_text(self) -> str:
        """The value as it is printed: each device's part, or the one that all have."""
        if self.layout.is_fully_replicated():
            return summarized(self.whole, 3)
        names = [d.rpartition("device:")[2] for d in self.layout.mesh.local_devices()]
        parts = [f'"{d}": {summarized(c, 3)}' for d, c in zip(names, self.components(), strict=True)]
        return f"{{{', '.join(parts)}}}"

    def __repr__(self) -> str:
        layout = self.layout.to_string()
        return (
            f'<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, value={self.value_text()}, layout="{layout}">'
        )

    def __str__(self) -> str:
        layout = self.layout.to_string()
        return f'tf.Tensor({self.value_text()}, layout="{layout}", shape={self.shape}, dtype={self._dtype.name})'

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.whole, self._dtype, self.layout.to_string())


def _restored(whole: Any, dtype: DType, layout: str) -> DTensor:
    return DTensor(whole, dtype, Layout.from_string(layout))


def whole_of(tensor: EagerTensor) -> Any:
    """The value of an eager tensor, all parts together."""
    return tensor.whole if isinstance(tensor, DTensor) else tensor._value


def plain(tensor: EagerTensor) -> EagerTensor:
    """An eager tensor without a layout, all parts together; no tape records it."""
    return EagerTensor(tensor.whole, tensor._dtype) if isinstance(tensor, DTensor) else tensor


def laid(tensor: EagerTensor, layout: Layout, gradient_stays: bool = False) -> DTensor:
    """A tensor laid over a mesh. Tapes record it: its gradient lies as the tensor did, or stays on the mesh.

    Raises:
      InvalidArgumentError: if the shape does not fit the layout.
    """
    result = DTensor(whole_of(tensor), tensor._dtype, layout)
    state = context.current()
    if state.tapes:
        pull = None if gradient_stays else _lay_back
        record_operation(OPS["Identity"], (tensor,), (result,), {}, state, pull)
    return result


def _lay_back(record: Any, gradient: Any) -> list[Any]:
    source = record.inputs[0]
    return [laid(gradient, source.layout) if isinstance(source, DTensor) else plain(gradient)]


def is_cut(value: Any) -> bool:
    """Whether a value is a tensor on a mesh of which the devices have different parts."""
    return isinstance(value, DTensor) and not value.layout.is_fully_replicated()


def components_as_tensors(tensor: DTensor) -> list[EagerTensor]:
    """Per device of the mesh, its part as a tensor placed there."""
    components = []
    for name, part in zip(tensor.layout.mesh.local_devices(), tensor.components(), strict=True):
        component = EagerTensor(np.ascontiguousarray(part) if part.ndim else part, tensor._dtype)
        component._place = name[name.index("/device:") :]
        components.append(component)
    return components
