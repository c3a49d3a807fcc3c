"""Patches of images and volumes: the pixels of a window at each place, as the channels of one pixel."""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import COMPLEX, REALS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import Wholes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.core.signature import AtLeast
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, ranges, rearranging, reductions, stacking
from inlay._src.ops.segments import unsorted_segment_sum
from inlay._src.ops.windows import PADDINGS, Windows


def _lengths(least: int) -> dict[str, AtLeast]:
    """The least lengths of the lists of an op of images with so many axes."""
    return dict.fromkeys(("ksizes", "strides", "rates"), AtLeast(least))


def _windows(image: Any, attrs: Any) -> Windows:
    """The windows of an op's attributes, each of which has a number for every axis.

    Raises:
      InvalidArgumentError: if one is of another length.
      UnimplementedError: if one is not 1 across images or channels.
      OutOfRangeError: if one is not positive.
    """
    rank = len(image)
    numbers = {name: tuple(attrs[name]) for name in ("ksizes", "strides", "rates") if name in attrs}
    for name, values in numbers.items():
        if len(values) != rank:
            raise ValueError(f"input must be {len(values)}-dimensional, got shape {list(image)}, with {name} {values}")
        if values[0] != 1 or values[-1] != 1:
            raise errors.UnimplementedError(None, None, f"Only support {name} across space, got {list(values)}.")
        if min(values) < 1:
            raise errors.OutOfRangeError(None, None, f"{name} is out of range: {list(values)}")
    window, strides = numbers["ksizes"][1:-1], numbers["strides"]
    return Windows(image, window, strides, attrs["padding"], "", numbers.get("rates"))


def _infer(s: Shapes) -> list[Dims]:
    rank, dims = len(s.attrs["ksizes"]), s.dims[0]
    if dims is None:
        return [(None,) * rank]
    if len(dims) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}")
    if any(min(s.attrs[name]) < 1 for name in ("ksizes", "strides", "rates") if name in s.attrs):
        raise ValueError("sizes, strides and rates must be positive")
    if any(s.attrs[name][at] != 1 for name in ("ksizes", "strides") for at in (0, -1)):
        return [(None,) * rank]  # the kernel refuses it
    depth = None if dims[-1] is None else dims[-1] * pymath.prod(s.attrs["ksizes"][1:-1])
    return [(dims[0], *_windows(dims, s.attrs).outs, depth)]


def _patches(xp: Any, images: Any, **attrs: Any) -> Any:
    """The pixels of each window, row by row."""
    windows = _windows(np.shape(images), attrs)
    padded = windows.padded(xp, images)
    seen = xp.stack([padded[view] for _, view in windows.views()], axis=-2)
    return seen.reshape(*seen.shape[:-2], seen.shape[-2] * seen.shape[-1])


def _vjp(op: Any, dy: Any) -> Any:
    """Each pixel gets the sum of the gradients of the places that saw it.

    The patches of the pixels' own numbers, from 1 on, say which pixel each place saw; 0 is the margin.
    """
    images = op.inputs[0]
    size = array.shape(images)
    sides, last = size[1:-1], len(op.attrs["ksizes"]) - 1
    pixels = reductions.reduce_prod(sides)
    one = np.ones(1, np.int32)
    numbered = array.reshape(ranges.range_(1, pixels + 1), joining.concat([one, sides, one], 0))
    places = array.reshape(op.opdef.dispatch.function(numbered, **{k: op.attrs[k] for k in op.opdef.attrs}), [-1])
    each = array.reshape(dy, stacking.stack([size[0], array.size(places), size[last]]))
    sums = unsorted_segment_sum(rearranging.transpose(each, [1, 0, 2]), places, pixels + 1)[1:]
    return array.reshape(rearranging.transpose(sums, [1, 0, 2]), size)


_TYPES = REALS | COMPLEX | {dtypes.bool_}


@op("ExtractImagePatches", "images:T -> T", types=_TYPES, infer=_infer, vjp=_vjp, attrs={**PADDINGS, **_lengths(4)})
def extract_image_patches_op(xp, images, *, ksizes: Wholes, strides: Wholes, rates: Wholes, padding: str):
    """The patches of images [batch, rows, columns, channels]."""
    return _patches(xp, images, ksizes=ksizes, strides=strides, rates=rates, padding=padding)


@op("ExtractVolumePatches", "input:T -> T", types=REALS, infer=_infer, vjp=_vjp, attrs={**PADDINGS, **_lengths(5)})
def extract_volume_patches_op(xp, input, *, ksizes: Wholes, strides: Wholes, padding: str):
    """The patches of volumes [batch, planes, rows, columns, channels]."""
    return _patches(xp, input, ksizes=ksizes, strides=strides, padding=padding)


@export("image.extract_patches")
def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """The pixels of a window at each place of images, as the channels of one pixel.

    Args:
      images: [batch, rows, columns, channels].
      sizes: the window's: [1, rows, columns, 1].
      strides: distances between windows: [1, rows, columns, 1].
      rates: distances between the pixels of a window: [1, rows, columns, 1].
      padding: "SAME" or "VALID".
      name: the node's name.

    Returns:
      [batch, places down, places across, rows * columns * channels of the window], of the type of `images`.
    """
    return extract_image_patches_op(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


extract_image_patches: Any = export("compat.v1.image.extract_image_patches", "compat.v1.extract_image_patches")(
    another_form(
        extract_patches,
        "images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None",
        "extract_image_patches",
        ksizes="sizes",
    )
)


@export("compat.v1.extract_volume_patches", "extract_volume_patches")
def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: Any, name: str | None = None) -> Tensor:
    """The elements of a window at each place of volumes, as the channels of one point.

    Args:
      input: [batch, planes, rows, columns, channels].
      ksizes: the window's sizes: [1, planes, rows, columns, 1].
      strides: distances between windows: [1, planes, rows, columns, 1].
      padding: "SAME" or "VALID".
      name: the node's name.
    """
    return extract_volume_patches_op(input, ksizes=ksizes, strides=strides, padding=padding, name=name)
