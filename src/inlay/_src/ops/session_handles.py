"""Handles of 1.x: values that stay in the process between runs, and are fed by what refers to them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Effect, no_gradient
from inlay._src.ops import placeholders

_numbers = itertools.count()


class TensorHandle:
    """A value that a run left behind, for later runs to be fed with, of this session or another.

    It may be fed where `get_session_tensor` made a place for it, and also in place of any tensor of its type.
    """

    shape = ()  # of the tensor that holds it

    def __init__(self, value: Any, label: str) -> None:
        self._value, self._label = value, f"{label};{next(_numbers)};/cpu:0"

    @property
    def handle(self) -> TensorHandle:
        """The handle itself, as fed to `get_session_tensor`; it prints as a text of its own."""
        return self

    def __str__(self) -> str:
        return self._label

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.to_numpy_array(), dtype)

    def to_numpy_array(self) -> Any:
        """The value, as a copy.

        Raises:
          InvalidArgumentError: if it was deleted.
        """
        if self._value is None:
            raise errors.InvalidArgumentError(
                None, None, f"The tensor with handle '{self}' is not in the session store."
            )
        return self._value.copy()

    def eval(self) -> Any:
        """The value, as a copy."""
        return self.to_numpy_array()

    def delete(self) -> None:
        """Frees the value."""
        self._value = None

    def get_raw_handle(self) -> TensorHandle:
        """The handle for `delete_session_tensor`."""
        return self


@op("GetSessionHandle", "data:T -> variant", effect=Effect.RANDOM, infer=lambda s: [()], vjp=no_gradient)
@export("compat.v1.get_session_handle")
def get_session_handle(xp, data):
    """A tensor whose fetched value is a `TensorHandle` of `data`, which stays in the process while the handle lives.

    Args:
      data: a tensor.
      name: the node's name.
    """
    return TensorHandle(np.array(data)[()], "GetSessionHandle")


@op("GetSessionTensor", "handle:variant -> dtype", effect=Effect.READS, vjp=no_gradient)
def _get_session_tensor(xp, handle, *, dtype):
    """The value behind a handle."""
    value = handle.to_numpy_array()
    if value.dtype != dtype.np:
        raise ValueError(f"the tensor with handle '{handle}' has type {value.dtype}, not {dtype.name}")
    return value


@op("DeleteSessionTensor", "handle:variant -> ", effect=Effect.WRITES, vjp=no_gradient)
def _delete_session_tensor(xp, handle):
    """Frees the value behind a handle."""
    handle.delete()
    return ()


@export("compat.v1.get_session_tensor")
def get_session_tensor(handle: Any, dtype: DType, name: str | None = None) -> tuple[Any, Any]:
    """A place for handles of one type, and the tensor behind the handle that is fed there.

    Args:
      handle: a handle; any other one of the type may be fed.
      dtype: the type.
      name: the node's name.

    Returns:
      (the placeholder to feed with `TensorHandle.handle`, the tensor, of unknown shape).
    """
    holder = placeholders.placeholder(dtypes.variant, ())
    return holder, _get_session_tensor(holder, dtype=dtypes.as_dtype(dtype), name=name)


@export("compat.v1.delete_session_tensor")
def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Any, Any]:
    """A place for handles, and the operation that frees what the handle that is fed there stands for.

    Args:
      handle: a handle; any other one may be fed.
      name: the node's name.

    Returns:
      (the placeholder to feed with `TensorHandle.get_raw_handle()`, the operation).
    """
    holder = placeholders.placeholder(dtypes.variant, ())
    return holder, _delete_session_tensor(holder, name=name)
