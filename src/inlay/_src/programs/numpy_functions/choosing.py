"""NumPy's functions that choose elements, and put them in order."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import division, gathering, joining, math, rearranging, slicing, sorting, stacking
from inlay._src.ops.shaping import axis_of, broadcast_dynamic_shape, broadcast_to
from inlay._src.programs.numpy_functions.conversion import default_int, rank_of, refuse_out, tensor_of, together, truths
from inlay._src.programs.numpy_functions.reducing import flat


@export("experimental.numpy.where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """The elements of one tensor where a condition holds, else of another; the places where it holds without them.

    Raises:
      ValueError: if one of the two is missing.
    """
    if (x is None) != (y is None):
        raise ValueError("Both x and y must be ndarrays, or both must be None.")
    if x is None:
        return nonzero(condition)
    return arrays.where(truths(tensor_of(condition)), *together(x, y))


@export("experimental.numpy.nonzero")
def nonzero(a: Any) -> list[Tensor]:
    """The places of the elements that are not zero: their indices along each axis."""
    chosen = truths(tensor_of(a))
    chosen = arrays.reshape(chosen, [1]) if rank_of(chosen) == 0 else chosen
    return stacking.unstack(arrays.where(chosen), num=rank_of(chosen), axis=1)


@export("experimental.numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Tensor:
    """The elements of the tensor whose condition is the first that holds.

    Args:
      condlist: the conditions.
      choicelist: as many tensors.
      default: the elements where none holds.

    Raises:
      ValueError: if there are none, or not as many tensors.
    """
    if len(condlist) != len(choicelist):
        raise ValueError(f"condlist must have length equal to choicelist ({len(condlist)} vs {len(choicelist)})")
    if not condlist:
        raise ValueError("condlist must be non-empty")
    chosen, *choices = together(default, *choicelist)
    for condition, choice in zip(reversed(condlist), reversed(choices), strict=True):
        chosen = arrays.where(truths(tensor_of(condition)), choice, chosen)
    return chosen


@export("experimental.numpy.compress")
def compress(condition: Any, a: Any, axis: Any = None) -> Tensor:
    """The parts along an axis, or the elements of the vector of all if None, at which a condition holds.

    Args:
      condition: a vector; where it is shorter, the rest is left out.
      a: the tensor.
      axis: the axis.
    """
    tensor, at = flat(tensor_of(a), axis)
    at = axis_of(at, rank_of(tensor))
    chosen = truths(tensor_of(condition))
    missing = math.subtract(arrays.shape(tensor)[at], arrays.shape(chosen)[0])
    chosen = slicing.pad(chosen, [[0, missing]], constant_values=False)
    return gathering.boolean_mask(tensor, chosen, axis=at)


@export("experimental.numpy.take")
def take(a: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "clip") -> Tensor:
    """The elements at places along an axis, or of the vector of all if None.

    Args:
      a: the tensor.
      indices: the places.
      axis: the axis.
      out: None.
      mode: "clip": places outside become the nearest ones inside; "wrap": they go round.

    Raises:
      ValueError: for another mode.
    """
    refuse_out(out)
    if mode not in ("clip", "wrap"):
        raise ValueError(f"mode must be 'clip' or 'wrap', got {mode!r}")
    tensor, at = flat(tensor_of(a), axis)
    places = tensor_of(indices)
    size = math.cast(arrays.shape(tensor)[at], places.dtype)
    last = math.subtract(size, arrays.ones_like(size))
    if mode == "wrap":
        places = division.floormod(places, size)
    else:
        places = math.minimum(math.maximum(places, arrays.zeros_like(places)), last)
    return gathering.gather(tensor, places, axis=at)


@export("experimental.numpy.take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: Any) -> Tensor:
    """The elements at places along an axis, other places in each row.

    Args:
      arr: the tensor.
      indices: the places, of its rank; the other axes broadcast.
      axis: the axis; None is the vector of all.
    """
    tensor, at = flat(tensor_of(arr), axis)
    at, rank = axis_of(at, rank_of(tensor)), rank_of(tensor)
    order = [a for a in range(rank) if a != at] + [at]
    values, places = (rearranging.transpose(v, order) for v in (tensor, tensor_of(indices)))
    rows = broadcast_dynamic_shape(arrays.shape(values)[:-1], arrays.shape(places)[:-1])
    values, places = (broadcast_to(v, joining.concat([rows, arrays.shape(v)[-1:]], 0)) for v in (values, places))
    places = division.floormod(places, math.cast(arrays.shape(values)[-1], places.dtype))
    elements = gathering.gather(values, places, axis=rank - 1, batch_dims=rank - 1)
    return rearranging.transpose(elements, [order.index(a) for a in range(rank)])


@export("experimental.numpy.sort")
def sort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The elements in order along an axis, or of the vector of all if None.

    Args:
      a: the tensor.
      axis: the axis.
      kind: "quicksort".
      order: None.

    Raises:
      ValueError: for others.
    """
    if kind != "quicksort":
        raise ValueError(f'Only kind="quicksort" is supported. Received: kind={kind}')
    _refuse_order(order)
    return sorting.sort(*flat(tensor_of(a), axis))


@export("experimental.numpy.argsort")
def argsort(a: Any, axis: Any = -1, kind: str = "quicksort", order: Any = None) -> Tensor:
    """The places of the elements in their order along an axis, or of the vector of all if None.

    Args:
      a: the tensor.
      axis: the axis.
      kind: "quicksort" or "stable"; both keep equal elements in their order.
      order: None.

    Raises:
      ValueError: for others.
    """
    if kind not in ("quicksort", "stable"):
        raise ValueError(f'Only kind="quicksort" and kind="stable" are supported. Received: kind={kind}')
    _refuse_order(order)
    tensor, at = flat(tensor_of(a), axis)
    return math.cast(sorting.argsort(tensor, at, stable=True), default_int())


def _refuse_order(order: Any) -> None:
    if order is not None:
        raise ValueError("The `order` argument is not supported. Pass order=None")


@export("experimental.numpy.diff")
def diff(a: Any, n: int = 1, axis: Any = -1) -> Tensor:
    """The differences of neighbors along an axis, taken several times; of truths whether they differ.

    Args:
      a: the tensor.
      n: the number of times.
      axis: the axis.

    Raises:
      ValueError: if `n` is negative.
    """
    tensor = tensor_of(a)
    at = axis_of(axis, rank_of(tensor))
    if n < 0:
        raise ValueError(f"n must be a non-negative integer. Received: n={n}")
    before = (slice(None),) * at
    function = math.not_equal if tensor.dtype == dtypes.bool_ else math.subtract
    for _ in range(n):
        tensor = function(tensor[(*before, slice(1, None))], tensor[(*before, slice(None, -1))])
    return tensor
