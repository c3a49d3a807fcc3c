"""Numbers that say how many: arguments of transformations, which may be tensors of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor


def size_tensor(value: Any, least: int | None = None, what: str = "") -> Any:
    """A number as an int64 scalar; one that is known now is checked now, any other one when it is iterated.

    Args:
      value: anything that becomes a tensor.
      least: the smallest that is allowed, or None.
      what: its name in messages.

    Raises:
      InvalidArgumentError: if it is known and smaller.
    """
    tensor = convert_to_tensor(value, dtypes.int64)
    if least is not None and isinstance(tensor, EagerTensor):
        at_least(value_of(tensor), least, what)
    return tensor


def at_least(value: Any, least: int, what: str) -> int:
    """A runtime value as a number.

    Raises:
      InvalidArgumentError: if it is smaller than `least`, which is 0 or 1.
    """
    if np.size(value) != 1:
        raise errors.InvalidArgumentError(None, None, f"{what} must be a scalar, got shape {np.shape(value)}.")
    if int(value) < least:
        wanted = "greater than zero" if least == 1 else f"at least {least}"
        raise errors.InvalidArgumentError(None, None, f"{what} must be {wanted}, got {int(value)}.")
    return int(value)


def static_size(batch_size: Any, drop_remainder: Any) -> int | None:
    """The size of every batch, if it is known: no last one is smaller."""
    size, drop = (value_of(v).item() if isinstance(v, EagerTensor) else v for v in (batch_size, drop_remainder))
    return int(size) if drop is True and isinstance(size, (int, np.integer)) else None
