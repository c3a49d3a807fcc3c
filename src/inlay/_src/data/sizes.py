"""Sizes and counts: arguments of transformations, which may be tensors of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor


def size_tensor(value: Any, what: str, least: int | None = None) -> Any:
    """A number as an int64 scalar; an eager one is checked now, any other one when it is iterated.

    Args:
      value: anything that becomes a tensor.
      what: its name in messages.
      least: the smallest that is allowed, or None.

    Raises:
      InvalidArgumentError: if it is eager and smaller, or no scalar.
      ValueError: if it is symbolic and of another rank.
    """
    tensor = convert_to_tensor(value, dtypes.int64)
    if isinstance(tensor, EagerTensor):
        number = scalar(value_of(tensor), what)
        if least is not None:
            at_least(number, least, what)
    elif tensor.shape.rank not in (None, 0):
        raise ValueError(f"{what} must be a scalar: its shape must be rank 0 but is rank {tensor.shape.rank}")
    return tensor


def scalar(value: Any, what: str = "An argument of a dataset") -> int:
    """The runtime value of a scalar as a number.

    Raises:
      InvalidArgumentError: if it is of another rank.
    """
    if np.ndim(value):
        raise errors.InvalidArgumentError(None, None, f"{what} must be a scalar, got shape {list(np.shape(value))}.")
    return int(value)


def at_least(value: Any, least: int, what: str) -> int:
    """A runtime value as a number.

    Raises:
      InvalidArgumentError: if it is no scalar, or smaller than `least`, which is 0 or 1.
    """
    number = scalar(value, what)
    if number < least:
        wanted = "greater than zero" if least == 1 else f"at least {least}"
        raise errors.InvalidArgumentError(None, None, f"{what} must be {wanted}, got {number}.")
    return number


def static_size(batch_size: Any, drop_remainder: Any) -> int | None:
    """The size of every batch, if it is known: no last one is smaller."""
    size, drop = (value_of(v).item() if isinstance(v, EagerTensor) else v for v in (batch_size, drop_remainder))
    return int(size) if drop is True and isinstance(size, (int, np.integer)) else None
