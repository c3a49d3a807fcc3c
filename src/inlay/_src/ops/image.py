"""Images, [height, width, channels] with or without a batch axis: flips, turns, measures, and what all of them need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core.context import in_scope
from inlay._src.core.eager.attributes import integer
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import (
    array,
    joining,
    math,
    powers,
    random,
    ranges,
    rearranging,
    reductions,
    shaping,
    stacking,
)
from inlay._src.ops.gathering import boolean_mask
from inlay._src.ops.image_checks import not_empty, some, where_holds
from inlay._src.ops.image_colors import convert_image_dtype


def on_batch(image: Any, change: Callable[[Tensor], Any]) -> Any:
    """`change` of images with a batch axis, which a single one, or one of unknown rank, gets for the time."""
    image = some(image)
    if image.shape.rank == 4:
        return change(image)
    image = image if image.shape.rank == 3 else shaping.ensure_shape(image, [None] * 3)
    return array.squeeze(change(array.expand_dims(image, 0)), [0])


@export("image.flip_left_right")
@in_scope("flip_left_right")
def flip_left_right(image: Any) -> Tensor:
    """The image mirrored left to right."""
    return rearranging.reverse(not_empty(image), [-2])


@export("image.flip_up_down")
@in_scope("flip_up_down")
def flip_up_down(image: Any) -> Tensor:
    """The image mirrored top to bottom."""
    return rearranging.reverse(not_empty(image), [-3])


@export("image.transpose", "compat.v1.image.transpose_image")
@in_scope("transpose")
def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with rows and columns exchanged."""
    image = not_empty(image)
    return rearranging.transpose(image, _exchanged(image))


def _exchanged(image: Tensor) -> Any:
    """The axes of an image with rows and columns exchanged."""
    rank = image.shape.rank
    if rank is not None:
        return [*range(rank - 3), rank - 2, rank - 3, rank - 1]
    axes = ranges.range_(array.rank(image))
    return joining.concat([axes[:-3], axes[-2:-1], axes[-3:-2], axes[-1:]], 0)


@export("image.rot90")
@in_scope("rot90")
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """The image turned counter-clockwise by `k` quarter turns."""
    image, k = not_empty(image), convert_to_tensor(k, dtypes.int32)
    constant = constant_of(k)
    if constant is None:  # exchanged or not, then turned round or not, along each axis
        k = array.reshape(k % 4, [])
        odd = math.equal(k % 2, 1)
        axes = array.where(odd, convert_to_tensor(_exchanged(image)), ranges.range_(array.rank(image)))
        turned = stacking.stack([math.logical_or(math.equal(k, 1), math.equal(k, 2)), k >= 2])
        return rearranging.reverse(
            rearranging.transpose(image, axes), boolean_mask(convert_to_tensor([-3, -2]), turned)
        )
    turns = integer(constant, "k")
    if turns % 4 == 2:
        return rearranging.reverse(image, [-3, -2])
    if turns % 4 == 1:
        return flip_up_down(transpose(image))
    return transpose(flip_up_down(image)) if turns % 4 == 3 else image


def _flipped(image: Any, flip: Any, draw: Any) -> Any:
    """Images turned by `flip` with probability 1/2 each; `draw(shape)` gives uniform numbers.

    As in TensorFlow, a single image is turned for a number below 1/2, an image of a batch for one above.
    """
    image = not_empty(image)
    rank = image.shape.rank
    if rank == 3:
        return array.where(draw([]) < 0.5, flip(image), image)
    shape = vector_of([side_of(image, 0), 1, 1, 1]) if rank else joining.concat([array.shape(image)[:-3], [1, 1, 1]], 0)
    above = draw(shape) > 0.5
    single = False if rank else math.equal(array.rank(image), 3)
    return array.where(math.logical_xor(above, single), flip(image), image)


@export("image.random_flip_left_right")
@in_scope("random_flip_left_right")
def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """Each image mirrored left to right with probability 1/2."""
    return _flipped(image, flip_left_right, lambda shape: random.uniform(shape, seed=seed))


@export("image.random_flip_up_down")
@in_scope("random_flip_up_down")
def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """Each image mirrored top to bottom with probability 1/2."""
    return _flipped(image, flip_up_down, lambda shape: random.uniform(shape, seed=seed))


@export("image.stateless_random_flip_left_right")
@in_scope("stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Each image mirrored left to right with probability 1/2: equal seeds give equal results."""
    return _flipped(image, flip_left_right, lambda shape: random.stateless_uniform(shape, seed))


@export("image.stateless_random_flip_up_down")
@in_scope("stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Each image mirrored top to bottom with probability 1/2: equal seeds give equal results."""
    return _flipped(image, flip_up_down, lambda shape: random.stateless_uniform(shape, seed))


def vector_of(entries: list[Any]) -> Any:
    constants = [constant_of(e) for e in entries]
    if all(k is not None for k in constants):
        return [integer(k, "size") for k in constants if k is not None]
    return stacking.stack([math.cast(convert_to_tensor(e), dtypes.int32) for e in entries])


def whole_side(side: Any, name: str) -> Any:
    """A size or an offset: a tensor, or a whole number."""
    if not isinstance(side, Tensor):
        return integer(side, name)
    if side.dtype not in dtypes.INDEX:
        raise TypeError(f"{name} must be a whole number, got a tensor of {side.dtype.name}")
    return side


def side_of(images: Tensor, axis: int) -> Any:
    length = None if images.shape.rank is None else dimension_value(images.shape[axis])
    return array.shape(images)[axis] if length is None else length


def with_sides(images: Tensor, height: Any, width: Any) -> Any:
    """Images whose height and width are known to be these, where they are numbers."""
    if images.shape.rank is not None:
        sides = [side if isinstance(side, int) else None for side in (height, width)]
        images.set_shape([*images.shape[:-3], *sides, images.shape[-1]])
    return images


@export("image.total_variation")
@in_scope("total_variation")
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences of neighboring pixels, per image."""
    images = convert_to_tensor(images)
    if images.shape.rank not in (3, 4):
        raise ValueError(f"'images' must be either 3 or 4-dimensional, got shape {images.shape}")
    down = images[..., 1:, :, :] - images[..., :-1, :, :]
    right = images[..., :, 1:, :] - images[..., :, :-1, :]
    return reductions.reduce_sum(abs(down), [-3, -2, -1]) + reductions.reduce_sum(abs(right), [-3, -2, -1])


@export("image.psnr")
@in_scope("PSNR")
def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of two batches of images, in decibels.

    Args:
      a, b: images of one shape.
      max_val: the largest possible difference of two values.
      name: ignored.
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    if a.shape.rank is not None and b.shape.rank is not None:
        a.shape[-3:].assert_is_compatible_with(b.shape[-3:])
    if not (a.shape.is_fully_defined() and b.shape.is_fully_defined()):
        same = math.equal(array.shape(a)[-3:], array.shape(b)[-3:])
        a = where_holds(a, [(reductions.reduce_all(same), "Two images must have the same sides and channels")])
    whole = convert_image_dtype(math.cast(max_val, a.dtype), dtypes.float32)
    a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
    error = reductions.reduce_mean(powers.squared_difference(a, b), [-3, -2, -1])
    ten = float(np.log(10.0))
    return powers.log(whole) * 20.0 / ten - powers.log(error) * 10.0 / ten
