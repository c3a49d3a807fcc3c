"""Python numbers beside tensors, as tensors of their dtype; from a cache, because programs repeat them."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.tensor import EagerTensor
from inlay.interpreter.caches import Cache
from inlay.types.dtypes import DType

_LIFTED: Cache[Any, EagerTensor] = Cache("numbers beside tensors", 4096)


def lift(value: Any, dtype: DType) -> EagerTensor | None:
    """A Python number as an eager tensor of `dtype`, from a cache; None where the funnel must decide."""
    kind = value.__class__
    if kind is not float and kind is not int:
        return None
    key = (kind, value, dtype)
    found = _LIFTED.get(key)
    if found is None:
        if not (dtype.is_floating or (kind is int and dtype.is_integer)):
            return None
        try:
            with np.errstate(over="ignore"):  # too large for the type: infinite, as in TensorFlow
                found = EagerTensor(dtype.np.type(value), dtype)
        except OverflowError:
            return None
        # Zeros are equal whatever their sign, and NaN is equal to nothing: neither can be a key.
        if value == value and value != 0:
            _LIFTED[key] = found
    return found
