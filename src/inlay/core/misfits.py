"""Why a kernel failed on inputs that it is not made for, in the words of the op's own checks.

What a graph does not know of its inputs while it is built, a kernel meets when it runs. An exception that nobody raised
on purpose (an index out of NumPy's bounds, an attribute that is not there) then says little: the ranks that the op
declares and the inference of its result's shape, asked again with the shapes that are there now, say what does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import OpDef, Shapes, rank_misfit

_UNSAID = (LookupError, AttributeError, ArithmeticError, AssertionError, NameError)
"""Exceptions that no check raises."""


def explained(op: OpDef, error: BaseException, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> BaseException:
    """What a kernel raised, or, where that is no check's, the `ValueError` of a check that its inputs do not pass.

    Args:
      op: the op.
      error: what its kernel raised.
      inputs: the kernel's inputs, those of a list one by one.
      attrs: its attributes.

    Returns:
      `error`, or a `ValueError` whose cause it is.
    """
    if not isinstance(error, _UNSAID):
        return error
    found = _misfit(op, [np.asarray(v) for v in inputs], attrs)
    if found is None and isinstance(error, np.exceptions.AxisError):
        found = ValueError(str(error))
    if found is None:
        return error
    found.__cause__ = error
    return found


def _misfit(op: OpDef, arrays: Sequence[np.ndarray], attrs: Mapping[str, Any]) -> ValueError | None:
    """What does not fit of arrays, None if nothing is known to."""
    try:
        for position, rank in op.ranked:
            if misfit := rank_misfit(arrays[position].shape, rank):
                return ValueError(f"{op.args[position].name} {misfit}, got shape {list(arrays[position].shape)}")
        if op.infer is not None:
            op.infer(Shapes(arrays, [a.shape for a in arrays], attrs, lambda array: array))
    except ValueError as refusal:
        return None if isinstance(refusal, _UNSAID) else refusal
    except Exception:  # a rule that wants tensors: it has nothing to say of arrays
        return None
    return None
