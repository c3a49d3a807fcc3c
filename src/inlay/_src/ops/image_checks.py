"""Argument checks of image functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.printing import assert_


def some(image: Any, what: str = "image") -> Tensor:
    """One image or a batch; a rank that is not known yet is checked in each run."""
    image = convert_to_tensor(image)
    says = f"'{what}' must have either 3 or 4 dimensions, got shape"
    if image.shape.rank not in (None, 3, 4):
        raise ValueError(f"{says} {image.shape}")
    if image.shape.rank is None:
        three, four = (math.equal(array.rank(image), rank) for rank in (3, 4))
        with control_dependencies([assert_(math.logical_or(three, four), [says, array.shape(image)])]):
            return array.identity(image)
    return image


def not_empty(image: Any) -> Tensor:
    """One image or a batch, maybe of unknown rank, none of whose inner sides is known to be 0."""
    image = some(image)
    if image.shape.rank is not None and 0 in image.shape[-3:].as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    return image


def refusal(text: str) -> Exception:
    """The error of an op whose arguments have the wrong shape: ValueError while a graph is built."""
    return errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else ValueError(text)


def where_holds(image: Any, conditions: Sequence[tuple[Any, str]]) -> Any:
    """The image, once conditions hold: of numbers and eager tensors they are checked at once, of others in each run.

    Raises:
      ValueError: with the text beside the first condition that does not hold.
    """
    checks = []
    for condition, text in conditions:
        truth = constant_of(condition)
        if truth is None:
            checks.append(assert_(condition, [text]))
        elif not np.all(truth):
            raise ValueError(text)
    if not checks:
        return image
    with control_dependencies(checks):
        return array.identity(image)
