"""NumPy's functions of shapes: axes in another order, parts, margins, tensors joined."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import joining, math, rearranging, slicing, stacking
from inlay._src.ops import tiling as tiles
from inlay._src.ops.shaping import axis_of
from inlay._src.programs.numpy_functions.conversion import described, length_of, rank_of, tensor_of
from inlay._src.programs.numpy_functions.creation import rows_of, sizes_of_axes, with_rank


@export("experimental.numpy.shape")
def shape(a: Any) -> TensorShape:
    """The shape of a tensor."""
    return tensor_of(a).shape


@export("experimental.numpy.size")
def size(x: Any, axis: Any = None) -> np.int64 | Tensor:
    """The number of elements of a tensor, or the size of one of its axes."""
    x = tensor_of(x)
    count = x.shape.num_elements() if axis is None else x.shape[axis]
    if count is not None:
        return np.int64(count)
    return arrays.size(x) if axis is None else arrays.shape(x)[axis]


@export("experimental.numpy.ndim")
def ndim(a: Any) -> int | Tensor:
    """The rank of a tensor."""
    tensor = tensor_of(a)
    return arrays.rank(tensor) if tensor.shape.rank is None else tensor.shape.rank


@export("experimental.numpy.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Tensor:
    """The elements in another shape.

    Args:
      a: the tensor.
      newshape: a number or a list of them, one of them -1 for the rest.
      order: in which they are read and written: "C", or "F" with the first index fastest.

    Raises:
      ValueError: for another order.
    """
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}")
    a, sizes = tensor_of(a), sizes_of_axes(newshape)
    if order == "C":
        return arrays.reshape(a, sizes)
    return rearranging.transpose(arrays.reshape(rearranging.transpose(a), list(sizes)[::-1]))


@export("experimental.numpy.ravel")
def ravel(a: Any) -> Tensor:
    """The elements as a vector."""
    return arrays.reshape(tensor_of(a), [-1])


@export("experimental.numpy.flatten")
def flatten(a: Any, order: str = "C") -> Tensor:
    """The elements as a vector, read in an order: "F" with the first index fastest, "C", "A" and "K" with the last."""
    return reshape(a, [-1], "C" if order in ("A", "K") else order)


@export("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order, turned round if None."""
    tensor = tensor_of(a)
    if axes is not None and tensor.shape.rank is not None and not hasattr(axes, "graph"):
        axes = [axis_of(axis, tensor.shape.rank) for axis in np.ravel(axes).tolist()]
    return rearranging.transpose(tensor, axes)


@export("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Tensor:
    """Two axes exchanged."""
    tensor = tensor_of(a)
    order = list(range(rank_of(tensor)))
    first, second = axis_of(axis1, len(order)), axis_of(axis2, len(order))
    order[first], order[second] = order[second], order[first]
    return rearranging.transpose(tensor, order)


@export("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    """Axes moved to other places; the others keep their order."""
    tensor = tensor_of(a)
    rank = rank_of(tensor)
    moved, places = ([axis_of(axis, rank) for axis in np.ravel(axes).tolist()] for axes in (source, destination))
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return rearranging.transpose(tensor, order)


@export("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Tensor:
    """A new axis of size 1 at a place."""
    return arrays.expand_dims(tensor_of(a), axis)


@export("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Tensor:
    """The tensor without axes of size 1: all, or those that are named."""
    return arrays.squeeze(tensor_of(a), axis)


@export("experimental.numpy.flip")
def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements in the opposite order along axes; None is all."""
    tensor = tensor_of(m)
    rank = rank_of(tensor)
    places = range(rank) if axis is None else [axis_of(a, rank) for a in np.ravel(axis).tolist()]
    return rearranging.reverse(tensor, list(places)) if rank else tensor


@export("experimental.numpy.flipud")
def flipud(m: Any) -> Tensor:
    """The rows in the opposite order."""
    tensor = tensor_of(m)
    return flip(tensor, 0) if rank_of(tensor) else tensor


@export("experimental.numpy.fliplr")
def fliplr(m: Any) -> Tensor:
    """The columns in the opposite order."""
    return flip(m, 1)


@export("experimental.numpy.rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """A tensor turned by right angles in the plane of two axes.

    Args:
      m: the tensor.
      k: the number of right angles, from the first axis towards the second.
      axes: the two.
    """
    tensor = tensor_of(m)
    first, second = (axis_of(axis, rank_of(tensor)) for axis in axes)
    if k % 4 == 2:
        return flip(flip(tensor, first), second)
    if k % 4 == 1:
        return swapaxes(flip(tensor, second), first, second)
    return flip(swapaxes(tensor, first, second), second) if k % 4 else tensor


@export("experimental.numpy.roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    """The elements moved round along axes, or in the order of a vector if None."""
    tensor = tensor_of(a)
    if axis is not None:
        return rearranging.roll(tensor, shift, axis)
    return arrays.reshape(rearranging.roll(arrays.reshape(tensor, [-1]), shift, 0), arrays.shape(tensor))


@export("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Tensor:
    """A tensor repeated as a whole along its last axes, so many times along each."""
    tensor, times = tensor_of(a), arrays.reshape(tensor_of(reps, dtypes.int32), [-1])
    count = length_of(times)
    tensor = with_rank(tensor, count)
    ones = arrays.ones([rank_of(tensor) - count], dtypes.int32)
    return tiles.tile(tensor, joining.concat([ones, times], 0))


@export("experimental.numpy.repeat")
def repeat(a: Any, repeats: Any, axis: Any = None) -> Tensor:
    """Each element repeated along an axis, or of the vector of all if None."""
    return tiles.repeat(tensor_of(a), repeats, axis)


@export("experimental.numpy.pad")
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Tensor:
    """A tensor with a margin.

    Args:
      array: the tensor.
      pad_width: the padding before and after, a pair for each axis or one for all.
      mode: "constant", "reflect" or "symmetric".
      **kwargs: `constant_values`: the margin's value for "constant".

    Raises:
      ValueError: for another mode.
    """
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError(f"Unsupported padding mode: {mode}")
    tensor, widths = tensor_of(array), tensor_of(pad_width, dtypes.int32)
    if widths.shape.rank != 2:
        widths = math.add(widths, arrays.zeros([rank_of(tensor), 2], dtypes.int32))
    value = tensor_of(kwargs.get("constant_values", 0), tensor.dtype)
    return slicing.pad(tensor, widths, mode, value if mode == "constant" else 0)


# ---------------------------------------------------------------- joined


@export("experimental.numpy.concatenate")
def concatenate(arys: Any, axis: Any = 0) -> Tensor:
    """Tensors one after the other along an axis, or as vectors if None.

    Raises:
      ValueError: if there is none.
    """
    values = rows_of(arys, 0)
    if not values:
        raise ValueError(f"Need at least one array to concatenate. Received empty input: arys={arys}")
    return joining.concat([ravel(v) for v in values] if axis is None else values, axis or 0)


@export("experimental.numpy.stack")
def stack(arrays: Any, axis: Any = 0) -> Tensor:
    """Tensors along a new axis."""
    return stacking.stack(rows_of(arrays, 0), axis)


@export("experimental.numpy.append")
def append(arr: Any, values: Any, axis: Any = None) -> Tensor:
    """A tensor and another one behind it along an axis, or both as vectors if None."""
    return concatenate([arr, values], axis)


@export("experimental.numpy.vstack")
def vstack(tup: Any) -> Tensor:
    """Tensors one below the other; vectors are rows."""
    return joining.concat(rows_of(tup, 2), 0)


@export("experimental.numpy.hstack")
def hstack(tup: Any) -> Tensor:
    """Tensors side by side; vectors one after the other."""
    values = rows_of(tup, 1)
    return joining.concat(values, 0 if values[0].shape.rank == 1 else 1)


@export("experimental.numpy.dstack")
def dstack(tup: Any) -> Tensor:
    """Tensors one behind the other along the third axis."""
    return joining.concat([_of_rank_three(v) for v in rows_of(tup, 0)], 2)


def _of_rank_three(tensor: Any) -> Any:
    tensor = with_rank(tensor, 2)
    return arrays.expand_dims(tensor, 2) if tensor.shape.rank == 2 else tensor


def _at_least(name: str, raised: Callable[[Any], Any], rank: int) -> Any:
    def at_least(*arys: Any) -> Tensor | Any:
        tensors = [raised(tensor_of(a)) for a in arys]
        return tensors[0] if len(tensors) == 1 else tensors

    return described(name, at_least, f"Tensors with axes of size 1 added until they have the rank {rank} or more.")


atleast_1d: Any = export("experimental.numpy.atleast_1d")(_at_least("atleast_1d", lambda t: with_rank(t, 1), 1))
atleast_2d: Any = export("experimental.numpy.atleast_2d")(_at_least("atleast_2d", lambda t: with_rank(t, 2), 2))
atleast_3d: Any = export("experimental.numpy.atleast_3d")(_at_least("atleast_3d", _of_rank_three, 3))


# ---------------------------------------------------------------- parts


@export("experimental.numpy.split")
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Tensor]:
    """A tensor in parts along an axis.

    Args:
      ary: the tensor.
      indices_or_sections: the number of equal parts, or the starts of the later ones.
      axis: the axis.
    """
    tensor = tensor_of(ary)
    if np.ndim(indices_or_sections) == 0:
        return joining.split(tensor, indices_or_sections, axis=axis)
    at = axis_of(axis, rank_of(tensor))
    bounds = [0, *np.asarray(indices_or_sections).tolist(), None]
    before = (slice(None),) * at
    return [tensor[(*before, slice(first, last))] for first, last in zip(bounds, bounds[1:], strict=False)]


def _split_along(name: str, axis: int) -> Any:
    def parts(ary: Any, indices_or_sections: Any) -> list[Tensor]:
        tensor = tensor_of(ary)
        return split(tensor, indices_or_sections, 0 if axis == 1 and rank_of(tensor) == 1 else axis)

    return described(name, parts, f"A tensor in parts along the axis {axis}: `split`.")


vsplit: Any = export("experimental.numpy.vsplit")(_split_along("vsplit", 0))
hsplit: Any = export("experimental.numpy.hsplit")(_split_along("hsplit", 1))
dsplit: Any = export("experimental.numpy.dsplit")(_split_along("dsplit", 2))
