"""The error of a kernel, as eager calls and runs of plans raise it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import shapes
from inlay._src.core import values
from inlay._src.core.opdef import OpDef, Shapes
from inlay._src.core.signature import rank_misfit

_RANK = r"supported dimension for an ndarray is currently \d+, found (\d+)|indexing result would have (\d+)"
"""NumPy's words for an array of too many dimensions."""


def of_kernel(error: BaseException, inputs: Sequence[Any], place: Callable[[str], str]) -> errors.OpError:
    """A kernel's exception as an error of TensorFlow's class; shapes that do not broadcast are worded as there.

    Args:
      error: the kernel's exception.
      inputs: its inputs, those of a list one by one.
      place: gives the text behind the message from a description of the inputs.
    """
    text = error.message if isinstance(error, errors.OpError) else str(error)
    if rank := re.search(_RANK, text):
        text = values.no_rank(int(rank[1] or rank[2]))
    if "could not be broadcast" in text and len(inputs) >= 2:
        first, second = (shapes.bracketed(np.shape(value)) for value in inputs[:2])
        text = f"Incompatible shapes: {first} vs. {second}"
    return errors.of_kernel(error, text + place(", ".join(map(values.describe, inputs))))


_UNSAID = (LookupError, AttributeError, ArithmeticError, AssertionError, NameError)
"""Exceptions that no check raises: a kernel meets inputs that a graph could not check."""


def explained(op: OpDef, error: BaseException, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> BaseException:
    """The exception of a kernel, or the `ValueError` of a check that its inputs fail, if the exception is no check's.

    Args:
      op: the op.
      error: the kernel's exception.
      inputs: the kernel's inputs, those of a list one by one.
      attrs: its attributes.

    Returns:
      `error`, or a `ValueError` whose cause it is.
    """
    if not isinstance(error, _UNSAID):
        return error
    misfit = _misfit(op, inputs, attrs)
    if misfit is None and isinstance(error, np.exceptions.AxisError):
        misfit = ValueError(str(error))
    if misfit is None:
        return error
    misfit.__cause__ = error
    return misfit


def _misfit(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> ValueError | None:
    """The error of a kernel's inputs, None if they pass every check."""
    try:
        arrays = [np.asarray(v) for v in inputs]
        if any(array.dtype == object and not array.shape for array in arrays):  # one that is gone, or is no array
            return None
        for position, rank in op.ranked:
            if misfit := rank_misfit(arrays[position].shape, rank):
                return ValueError(f"{op.args[position].name} {misfit}, got shape {list(arrays[position].shape)}")
        if op.infer.dims is not None:
            op.infer.dims(Shapes(arrays, [a.shape for a in arrays], attrs, lambda array: array))
    except ValueError as refusal:
        return None if isinstance(refusal, _UNSAID) else refusal
    except Exception:  # a rule that wants tensors: it has nothing to say of arrays
        return None
    return None
