"""Functions of each tensor of a list: `shape_n`, `identity_n`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.attributes import checked, listed
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array


def _of_one_dtype(values: Sequence[Any]) -> list[Any]:
    """Values as tensors of the dtype of the first tensor among them.

    Raises:
      TypeError: if there is a tensor of another dtype; InvalidArgumentError where ops run at once.
    """
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None)
    tensors = [convert_to_tensor(v, dtype_hint=dtype) for v in values]
    if len({t.dtype for t in tensors}) > 1:
        names = [t.dtype.name for t in tensors]
        text = f"Tensors in list passed to 'input' of 'ShapeN' Op have types {names} that don't all match."
        raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else TypeError(text)
    return tensors


@export("shape_n")
def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """The shapes of several tensors of one dtype, one vector each."""
    checked(OPS["Shape"], {"out_type": out_type}, context.executing_eagerly())
    return [array.shape(x, out_type, name=name) for x in _of_one_dtype(listed(input, "input", "ShapeN", "N"))]


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The inputs, each as a tensor of its own in the graph."""
    return [array.identity(convert_to_tensor(x), name=name) for x in listed(input, "input", "IdentityN", "T")]
