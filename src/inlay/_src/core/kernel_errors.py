"""The error of a kernel, as eager calls and runs of plans raise it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import shapes
from inlay._src.core import values


def of_kernel(error: BaseException, inputs: Sequence[Any], place: Callable[[str], str]) -> errors.OpError:
    """A kernel's exception as an error of TensorFlow's class; shapes that do not broadcast are worded as there.

    Args:
      error: what the kernel raised.
      inputs: its inputs, those of a list one by one.
      place: gives the text behind the message from a description of the inputs.
    """
    text = error.message if isinstance(error, errors.OpError) else str(error)
    if "could not be broadcast" in text and len(inputs) >= 2:
        first, second = (shapes.bracketed(np.shape(value)) for value in inputs[:2])
        text = f"Incompatible shapes: {first} vs. {second}"
    return errors.of_kernel(error, text + place(", ".join(map(values.describe, inputs))))
