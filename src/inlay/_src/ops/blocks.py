"""Blocks of space moved to the channels or to the batch, and back."""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Shapes
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math
from inlay._src.ops.stacking import stack

# ---------------------------------------------------------------- space and depth


def _axes(data_format: str) -> list[int]:
    """Where the batch, the height, the width and the channels of an image are."""
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    return [data_format.index(letter) for letter in "NHWC"]


def _depth_or_space(s: Shapes, wider: bool) -> list[Dims]:
    dims, n, axes = s.dims[0], s.attrs["block_size"], _axes(s.attrs["data_format"])
    if dims is None:
        return [(None,) * 4]
    out = list(_checked(dims))
    for axis, factor, grows in zip(axes[1:], (n, n, n * n), (wider, wider, not wider), strict=True):
        size = out[axis]
        if size is None:
            continue
        if not grows and size % factor:
            raise _no_multiple(dims, axis, factor)
        out[axis] = size * factor if grows else size // factor
    return [tuple(out)]


def _checked(dims: Any) -> Any:
    """The sizes of an image that is cut into blocks."""
    if len(dims) != 4:
        raise ValueError(f"input must have 4 dimensions [batch, height, width, channels], got shape {list(dims)}")
    return dims


def _no_multiple(dims: Any, axis: int, factor: int) -> ValueError:
    return ValueError(f"Dimension {axis} of an input of shape {list(dims)} must be a multiple of {factor}")


@op(
    "DepthToSpace",
    "input:T -> T",
    infer=lambda s: _depth_or_space(s, True),
    vjp=lambda op, dy: space_to_depth(dy, **op.attrs),
    attrs={"block_size": AtLeast(2)},
)
@export("nn.depth_to_space")
def depth_to_space(xp, input, *, block_size: int, data_format="NHWC"):
    """Blocks of the channels of images spread over space.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width grow.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width].
    """
    n, axes = block_size, _axes(data_format)
    b, h, w, c = (_checked(np.shape(input))[axis] for axis in axes)
    if c % (n * n):
        raise _no_multiple(np.shape(input), axes[3], n * n)
    x = xp.reshape(xp.transpose(input, axes), (b, h, w, n, n, c // (n * n)))
    x = xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (b, h * n, w * n, c // (n * n)))
    return xp.transpose(x, np.argsort(axes))


@op(
    "SpaceToDepth",
    "input:T -> T",
    infer=lambda s: _depth_or_space(s, False),
    vjp=lambda op, dy: depth_to_space(dy, **op.attrs),
    attrs={"block_size": AtLeast(2)},
)
@export("nn.space_to_depth")
def space_to_depth(xp, input, *, block_size: int, data_format="NHWC"):
    """Blocks of space of images put into the channels.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width shrink.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width].
    """
    n, axes = block_size, _axes(data_format)
    b, h, w, c = (_checked(np.shape(input))[axis] for axis in axes)
    for axis, size in ((axes[1], h), (axes[2], w)):
        if size % n:
            raise _no_multiple(np.shape(input), axis, n)
    x = xp.reshape(xp.transpose(input, axes), (b, h // n, n, w // n, n, c))
    x = xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (b, h // n, w // n, n * n * c))
    return xp.transpose(x, np.argsort(axes))


depth_to_space_v1: Any = export("compat.v1.depth_to_space", "compat.v1.nn.depth_to_space")(
    another_form(depth_to_space, "input, block_size, name=None, data_format='NHWC'")
)
space_to_depth_v1: Any = export("compat.v1.space_to_depth", "compat.v1.nn.space_to_depth")(
    another_form(space_to_depth, "input, block_size, name=None, data_format='NHWC'")
)

# ---------------------------------------------------------------- space and batch


def _sizes(dims: Any, block: np.ndarray, edges: Any, into_batch: bool) -> tuple[int | None, ...]:
    """The sizes of the result; None where they depend on what is not known. Refuses what does not fit."""
    what, axes = "paddings" if into_batch else "crops", len(block)
    if len(dims) <= axes:
        raise ValueError(f"input rank should be >= {axes + 1} instead of {len(dims)}")
    if (block < 1).any():
        at = int(np.argmax(block < 1))
        raise ValueError(f"All values in block_shape must be positive, got value, {block[at]} at index, {at}.")
    if edges is not None and edges.shape != (axes, 2):
        raise ValueError(f"{what} should have shape [{axes}, 2] instead of {list(edges.shape)}")
    if edges is not None and (edges < 0).any():
        raise ValueError(f"{what} cannot be negative, got {edges.tolist()}")
    count = numbers.prod(block.tolist())
    if into_batch and dims[0] is not None and dims[0] * count >= 1 << 63:
        raise ValueError(f"Negative first dimension size caused by overflow when multiplying {dims[0]} and {count}")
    sizes = [_product(dims[0], 1, count) if into_batch else _quotient(dims[0], count, "the batch")]
    for i, (size, n) in enumerate(zip(dims[1:], block.tolist(), strict=False)):
        if size is None or edges is None:
            sizes.append(None)
        elif into_batch:
            sizes.append(_quotient(size + int(edges[i].sum()), n, f"dimension {i + 1} after padding"))
        else:
            sizes.append(_product(size, n, 1) - int(edges[i].sum()))  # type: ignore[operator]
            if sizes[-1] < 0:  # type: ignore[operator]
                raise ValueError(f"crops {edges[i].tolist()} take more than the {size * n} of dimension {i + 1}")
    return *sizes, *dims[axes + 1 :]


def _product(size: int | None, one: int, other: int) -> int | None:
    return None if size is None else size * one * other


def _quotient(size: int | None, by: int, what: str) -> int | None:
    if size is not None and size % by:
        raise ValueError(f"The size of {what}, {size}, is not divisible by block_shape's {by}")
    return None if size is None else size // by


def _batch_infer(s: Shapes, into_batch: bool) -> list[Dims]:
    dims, block = s.dims[0], s.value(1)
    length = s.dims[1] if block is None else block.shape
    if length is not None and len(length) != 1:
        raise ValueError(f"block_shape must be a vector, got shape {list(length)}")
    if dims is None or length is None or length[0] is None:
        return [None]
    if block is None:
        return [(*[None] * (length[0] + 1), *dims[length[0] + 1 :])]
    return [_sizes(dims, block, s.value(2), into_batch)]


def _check_vector(block: np.ndarray) -> None:
    if block.ndim != 1:
        raise ValueError(f"block_shape rank should be 1 instead of {block.ndim}")


def _into_batch(xp: Any, x: Any, block: np.ndarray, edges: np.ndarray) -> Tensor:
    _check_vector(block)
    n, rest = len(block), np.ndim(x) - len(block) - 1
    sizes = _sizes(np.shape(x), block, edges, True)
    x = xp.pad(x, [(0, 0), *edges.tolist(), *[(0, 0)] * rest])
    cut = [part for pair in zip(sizes[1 : n + 1], block.tolist(), strict=True) for part in pair]
    x = xp.reshape(x, (np.shape(x)[0], *cut, *sizes[n + 1 :]))
    order = [*range(2, 2 * n + 1, 2), 0, *range(1, 2 * n, 2), *range(2 * n + 1, 2 * n + 1 + rest)]
    return xp.reshape(xp.transpose(x, order), sizes)


def _out_of_batch(xp: Any, x: Any, block: np.ndarray, edges: np.ndarray) -> Tensor:
    _check_vector(block)
    n, shape = len(block), np.shape(x)
    sizes = _sizes(shape, block, edges, False)
    x = xp.reshape(x, (*block.tolist(), sizes[0], *shape[1:]))
    pairs = [axis for i in range(n) for axis in (n + 1 + i, i)]
    x = xp.transpose(x, [n, *pairs, *range(2 * n + 1, x.ndim)])
    x = xp.reshape(x, (sizes[0], *(d * b for d, b in zip(shape[1:], block.tolist(), strict=False)), *shape[n + 1 :]))
    starts = edges[:, 0].tolist()
    return x[(slice(None), *(slice(a, a + d) for a, d in zip(starts, sizes[1:], strict=False)))]


_KINDS = {"T": dtypes.NUMBERS | {dtypes.bool_}, "Block": INDEX, "Edge": INDEX}


@op(
    "SpaceToBatchND",
    "input:T, block_shape:Block, paddings:Edge -> T",
    types=_KINDS,
    static=("block_shape", "paddings"),
    infer=lambda s: _batch_infer(s, True),
    vjp=lambda op, dy: (batch_to_space(dy, *op.inputs[1:]), None, None),
)
@export("space_to_batch", "space_to_batch_nd", "nn.space_to_batch", "compat.v1.manip.space_to_batch_nd")
def space_to_batch(xp, input, block_shape, paddings):
    """Space padded with zeros and cut into blocks; each place in a block becomes a part of the batch.

    Args:
      input: [batch, ...]; as many axes as `block_shape` has entries follow, then any others.
      block_shape: a vector with the size of a block along each of those axes.
      paddings: a matrix: number of zeros before and after along each of them.

    Returns:
      A tensor of shape [batch * product of block_shape, padded size / block size ..., ...].
    """
    return _into_batch(xp, input, np.asarray(block_shape), np.asarray(paddings))


@op(
    "BatchToSpaceND",
    "input:T, block_shape:Block, crops:Edge -> T",
    types=_KINDS,
    static=("block_shape", "crops"),
    infer=lambda s: _batch_infer(s, False),
    vjp=lambda op, dy: (space_to_batch(dy, *op.inputs[1:]), None, None),
)
@export("batch_to_space", "compat.v1.batch_to_space_nd", "compat.v1.manip.batch_to_space_nd")
def batch_to_space(xp, input, block_shape, crops):
    """Parts of the batch put back into blocks of space, and the margin cut off: the reverse of `space_to_batch`.

    Args:
      input: [batch, ...]; as many axes as `block_shape` has entries follow, then any others.
      block_shape: a vector with the size of a block along each of those axes.
      crops: a matrix: number of elements to cut off before and after along each of them.

    Returns:
      A tensor of shape [batch / product of block_shape, size * block size - crops ..., ...].
    """
    return _out_of_batch(xp, input, np.asarray(block_shape), np.asarray(crops))


def _of_images(nd: Any, input: Any, edges: Any, block_size: Any, name: str | None) -> Tensor:
    """`nd` with blocks that are squares of images."""
    if block_size is None:
        raise ValueError("block_size must be given")
    if block_size < 2:
        raise ValueError(f"block_size must be at least 2, got {block_size}")
    out = nd(input, [int(block_size)] * 2, edges, name=name)
    out.set_shape(out.shape.with_rank(4))
    return out


def _images_to_batch(input: Any, paddings: Any, block_size: Any = None, name: str | None = None) -> Tensor:
    """Images padded with zeros and cut into blocks; each place in a block becomes a part of the batch.

    Args:
      input: [batch, height, width, channels].
      paddings: two rows: number of zeros before and after.
      block_size: the side of a block.
      name: the node's name.
    """
    return _of_images(space_to_batch, input, paddings, block_size, name)


def _batch_to_images(input: Any, crops: Any, block_size: Any = None, name: str | None = None) -> Tensor:
    """Parts of the batch put back into blocks of images, and the margin cut off.

    Args:
      input: [batch, height, width, channels].
      crops: two rows: number of elements to cut off before and after.
      block_size: the side of a block.
      name: the node's name.
    """
    return _of_images(batch_to_space, input, crops, block_size, name)


space_to_batch_v1: Any = export("compat.v1.space_to_batch", "compat.v1.nn.space_to_batch")(
    another_form(
        _images_to_batch,
        "input, paddings, block_size=None, name=None, block_shape=None",
        "space_to_batch",
        block_shape="block_size",
    )
)
batch_to_space_v1: Any = export("compat.v1.batch_to_space")(
    another_form(
        _batch_to_images,
        "input, crops, block_size, name=None, block_shape=None",
        "batch_to_space",
        block_shape="block_size",
    )
)


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The paddings that `space_to_batch` needs to divide sizes evenly, and the crops that undo them.

    Args:
      input_shape: a vector of sizes.
      block_shape: as many sizes of blocks.
      base_paddings: a matrix: the least padding before and after along each axis; zero if None.
      name: ignored.

    Returns:
      `(paddings, crops)`, two matrices, int32.
    """
    sizes: Any = convert_to_tensor(input_shape, dtypes.int32)
    block: Any = convert_to_tensor(block_shape, dtypes.int32)
    block.shape.assert_is_fully_defined()
    block.shape.assert_has_rank(1)
    base: Any = np.zeros((block.shape[0], 2), np.int32) if base_paddings is None else base_paddings
    base = convert_to_tensor(base, dtypes.int32)
    constants = [constant_of(v) for v in (sizes, block, base)]
    if all(k is not None for k in constants):
        sizes, block, base = constants  # so that what follows is known too
        more = (-(sizes + base[:, 0] + base[:, 1])) % block
        paddings = np.stack([base[:, 0], base[:, 1] + more], 1), np.stack([np.zeros_like(more), more], 1)
        return array.constant(paddings[0]), array.constant(paddings[1])
    start, end = base[:, 0], base[:, 1]
    more = division.floormod(math.negative(math.add(sizes, math.add(start, end))), block)
    return stack([start, math.add(end, more)], 1), stack([array.zeros_like(more), more], 1)
