"""Clipping by value, by norm, and to the range of a type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import answers, composite_of, operand
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, complex_numbers, division, math, powers, reductions
from inlay._src.ops.math import maximum, minimum


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Tensor:
    """`t` with every element below `clip_value_min` raised to it and every one above `clip_value_max` lowered to it.

    Args:
      t: real numbers.
      clip_value_min, clip_value_max: bounds that broadcast to the shape of `t`.
      name: the node's name.

    Raises:
      ValueError: if the bounds are larger than `t`.
    """

    if t.__class__ is EagerTensor:
        return _clipped(t, clip_value_min, clip_value_max, name)
    if answers(t):
        return _clipped(composite_of(t), clip_value_min, clip_value_max, name)
    return _on_values(t, lambda v: _clipped(convert_to_tensor(v), clip_value_min, clip_value_max, name))


def _clipped(value: Any, low: Any, high: Any, name: str | None) -> Any:
    return _as_large(value, maximum(minimum(value, high), low, name=name))


def _as_large(value: Any, bounded: Any) -> Any:
    """`found`, if the bounds did not make it larger than `value`."""
    if (
        value.__class__ is EagerTensor
        and bounded.__class__ is EagerTensor
        and value._value.shape == bounded._value.shape
    ):
        return bounded
    if not value.shape.is_compatible_with(bounded.shape):
        raise ValueError(f"Shapes {value.shape} and {bounded.shape} are incompatible: the bounds are larger than t")
    return bounded


def _on_values(t: Any, function: Callable[[Any], Any]) -> Any:
    """`function` of a tensor, or of the rows of `IndexedSlices`."""
    return t.with_values(function(t.values)) if hasattr(t, "with_values") else function(t)


@export("clip_by_norm")
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """`t` scaled down so that its euclidean norm over `axes` (everything if None) is at most `clip_norm`.

    Args:
      t: floating numbers.
      clip_norm: the greatest norm allowed; a negative one is 0.
      axes: the axes of the norm.
      name: the node's name.

    Raises:
      ValueError: if `clip_norm` is larger than `t`.
    """
    return _on_values(t, lambda v: _clipped_by_norm(math.float_tensor(v), clip_norm, axes, name))


def _clipped_by_norm(t: Any, clip_norm: Any, axes: Any, name: str | None) -> Any:
    total = reductions.reduce_sum(powers.square(t), axes, True)
    some = math.greater(total, array.zeros_like(total))
    root = powers.sqrt(array.where(some, total, array.ones_like(total)))
    size = array.where(some, root, total)
    limit = math.maximum(math.cast(clip_norm, t.dtype), array.constant(0, t.dtype))
    return division.real_divide(_as_large(t, math.multiply(t, limit)), math.maximum(size, limit), name=name)


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """`t` scaled down so that its euclidean norm over the number of its elements is at most `clip_norm`.

    Args:
      t: floating numbers.
      clip_norm: the greatest average norm allowed; a negative one clips nothing.
      name: the node's name.
    """
    t = math.float_tensor(t)
    count = math.cast(array.size(t), t.dtype)
    limit = convert_to_tensor(clip_norm, t.dtype)
    clipped = clip_by_norm(t, math.multiply(limit, count))
    return array.where(math.less(limit, array.zeros_like(limit)), t, clipped, name=name)


@export("global_norm", "linalg.global_norm")
def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The euclidean norm of all tensors of a list together; None entries are left out."""
    if isinstance(t_list, str) or not isinstance(t_list, Sequence):
        raise TypeError(f"t_list should be a sequence of tensors, got {type(t_list).__name__}")
    tensors = [math.float_tensor(t.values if hasattr(t, "with_values") else t) for t in t_list if t is not None]
    totals = [reductions.reduce_sum(powers.square(t)) for t in tensors]
    return powers.sqrt(math.add_n(totals or [0.0]), name=name)


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
      `(tensors, global norm)`; the tensors are NaN if the norm is not finite.
    """
    norm = global_norm(t_list, name) if use_norm is None else math.float_tensor(use_norm)
    limit = convert_to_tensor(clip_norm, norm.dtype)
    one = array.ones_like(norm)
    scale = limit * math.minimum(division.real_divide(one, norm), division.real_divide(one, limit))
    scale = math.add(scale, math.subtract(norm, norm))  # NaN if the norm is not finite

    def scaled(value: Any) -> Any:
        return math.multiply(value, math.cast(scale, math.float_tensor(value).dtype))

    return [None if t is None else _on_values(t, scaled) for t in t_list], norm


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` as another type, with what is outside that type's range moved to its ends.

    Args:
      value: numbers; of complex ones the real part, unless `dtype` is complex: then each part is moved.
      dtype: the wanted type.
      name: the node's name.
    """
    value, wanted = operand(value), dtypes.as_dtype(dtype)
    if wanted.is_complex:
        parts = complex_numbers.real(value), complex_numbers.imag(value)
        real, imag = (saturate_cast(part, wanted.real_dtype) for part in parts)
        return complex_numbers.complex(real, imag, name=name)
    value = complex_numbers.real(value)
    infinite = value.dtype.is_floating
    if infinite or _plain(value.dtype.min) < _plain(wanted.min):
        value = math.maximum(value, convert_to_tensor(_inside(wanted.min, value.dtype, wanted), value.dtype))
    if infinite or _plain(value.dtype.max) > _plain(wanted.max):
        value = math.minimum(value, convert_to_tensor(_inside(wanted.max, value.dtype, wanted), value.dtype))
    return math.cast(value, wanted, name=name)


def _plain(number: Any) -> int | float:
    """A number of any type as one of Python's, which compare exactly."""
    return number if isinstance(number, int) else float(number)


def _inside(end: Any, kind: Any, wanted: Any) -> Any:
    """The number of type `kind` nearest to an end of `wanted`'s range, and inside it."""
    if not kind.is_floating:
        return int(end)
    with np.errstate(over="ignore"):
        number = np.float64(end).astype(kind.np)
    if not _plain(wanted.min) <= float(number) <= _plain(wanted.max):
        number = np.nextafter(number, kind.np.type(0))
    return float(number)
