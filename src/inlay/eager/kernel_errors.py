"""What a kernel's exception becomes: an error of ours that names the op and its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import values
from inlay.core.opdef import OpDef


def kernel_error(op: OpDef, error: Exception, arrays: Sequence[Any], where: str) -> errors.OpError:
    """A kernel's exception as ours.

    Args:
      op: whose kernel raised.
      error: what it raised; an error of ours stays what it is.
      arrays: its inputs, a list for the list input.
      where: what the message ends with.
    """
    if isinstance(error, errors.OpError):
        return error
    seen = ", ".join(values.describe(a) for x in arrays for a in (x if isinstance(x, list) else [x]))
    text = str(error)
    if "could not be broadcast" in text and len(arrays) >= 2:
        text = f"Incompatible shapes: {_bracket(arrays[0])} vs. {_bracket(arrays[1])}"
    ours = errors.mapped_class(error)
    return ours(None, None, f"{text} ({op.name} of {seen}) {where}")


def _bracket(array: Any) -> str:
    return "[" + ",".join(map(str, np.shape(array))) + "]"
