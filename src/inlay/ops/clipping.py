"""Clipping by value and by norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay.eager.convert import convert_to_tensor
from inlay.eager.emit import answers
from inlay.export import export
from inlay.ops import array, division, math, powers, reductions
from inlay.ops.math import cast_like, maximum, minimum


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t` with every element below `clip_value_min` raised to it and every one above `clip_value_max` lowered to it.

    Args:
      t: real numbers.
      clip_value_min, clip_value_max: bounds that broadcast to the shape of `t`.
      name: the node's name.

    Raises:
      ValueError: if the bounds are larger than `t`.
    """
    t = t if answers(t) else convert_to_tensor(t)
    clipped = maximum(minimum(t, clip_value_max), clip_value_min, name=name)
    if not t.shape.is_compatible_with(clipped.shape):
        raise ValueError(f"Shapes {t.shape} and {clipped.shape} are incompatible: the bounds are larger than t")
    return clipped


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t` scaled down so that its euclidean norm over `axes` (everything if None) is at most `clip_norm`.

    Args:
      t: floating numbers.
      clip_norm: the greatest norm allowed.
      axes: the axes of the norm.
      name: the node's name.
    """
    t = math.float_tensor(t)
    total = reductions.reduce_sum(powers.square(t), axes, True)
    some = math.greater(total, array.zeros_like(total))
    root = powers.sqrt(array.where(some, total, array.ones_like(total)))
    size = array.where(some, root, total)
    limit = cast_like(clip_norm, t)
    return division.real_divide(math.multiply(t, limit), math.maximum(size, limit), name=name)


@export("global_norm", "linalg.global_norm")
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Any:
    """The euclidean norm of all tensors of a list together; None entries are left out."""
    totals = [reductions.reduce_sum(powers.square(math.float_tensor(t))) for t in t_list if t is not None]
    return powers.sqrt(math.add_n(totals), name=name)


@export("clip_by_global_norm")
def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Tensors scaled down together so that their global norm is at most `clip_norm`.

    Args:
      t_list: tensors; None entries stay None.
      clip_norm: the greatest norm allowed.
      use_norm: the global norm, if it is known already.
      name: the node's name.

    Returns:
      `(tensors, global norm)`.
    """
    found = global_norm(t_list, name) if use_norm is None else math.float_tensor(use_norm)
    limit = cast_like(clip_norm, found)
    scale = division.real_divide(limit, math.maximum(found, limit))
    scaled = [None if t is None else math.multiply(t, math.cast(scale, math.float_tensor(t).dtype)) for t in t_list]
    return scaled, found
