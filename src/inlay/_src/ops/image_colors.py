"""Types and colors of images, and adjustments of them, fixed and random."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core import context
from inlay._src.core.context import in_scope
from inlay._src.core.eager.attributes import number
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import operand
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import (
    array,
    clipping,
    einsum,
    joining,
    math,
    powers,
    random,
    reductions,
    stacking,
    tiling,
)
from inlay._src.ops.image_checks import refusal, where_holds
from inlay._src.ops.image_hues import hsv_to_rgb, rgb_to_hsv


@export("image.convert_image_dtype")
def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """An image as another type, its values scaled: [0, 1] for floating types, [0, largest] for integers.

    Args:
      image: a tensor.
      dtype: the wanted type.
      saturate: whether to clip what does not fit before converting.
      name: the node's name.
    """
    image, wanted = operand(image), dtypes.as_dtype(dtype)
    old = image.dtype
    if not (wanted.is_floating or wanted.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if not (old.is_floating or old.is_integer):
        raise AttributeError(f"image dtype must be either floating point or integer, got {old.name}")
    if old is wanted:
        return array.identity(image, name=name)
    if old.is_integer and wanted.is_integer:
        if old.max > wanted.max:
            return _cast(image // ((old.max + 1) // (wanted.max + 1)), wanted, saturate, name)
        return math.multiply(_cast(image, wanted, saturate, None), (wanted.max + 1) // (old.max + 1), name=name)
    if old.is_integer:
        return math.multiply(math.cast(image, wanted), 1.0 / old.max, name=name)
    if wanted.is_floating:
        return math.cast(image, wanted, name=name)
    return _cast(image * (wanted.max + 0.5), wanted, saturate, name)


def _cast(x: Any, dtype: DType, saturate: bool, name: str | None) -> Any:
    return (clipping.saturate_cast if saturate else math.cast)(x, dtype, name=name)


def _factor(value: Any, name: str) -> Any:
    """A number that changes every pixel alike, as a scalar of float32; tensors of other dtypes are refused."""
    factor = convert_to_tensor(value, None if isinstance(value, Tensor) else dtypes.float32, name=name)
    if factor.dtype is not dtypes.float32:
        text = f"{name} must be of float32, got {factor.dtype.name}"
        raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else TypeError(text)
    text = f"{name} must be scalar"
    if factor.shape.rank not in (None, 0):
        raise refusal(f"{text}, got shape {factor.shape}")
    return where_holds(factor, [(math.equal(array.rank(factor), 0), text)]) if factor.shape.rank is None else factor


def _through_float(image: Any, change: Any, saturate: bool = True) -> Any:
    """`change` applied to the image as floats in [0, 1], and back."""
    image = operand(image)
    whole = image if image.dtype in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
    return convert_image_dtype(change(whole), image.dtype, saturate=saturate)


@export("image.rgb_to_grayscale")
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The luminance of RGB images, with one channel.

    Args:
      images: a tensor whose last axis has size 3.
      name: ignored.
    """
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank == 0 or (rank is not None and dimension_value(images.shape[-1]) not in (3, None)):
        raise ValueError(f"rgb_to_grayscale needs 3 channels in the last axis, got shape {images.shape}")
    whole = convert_image_dtype(images, dtypes.float32)
    gray = einsum.tensordot(whole, convert_to_tensor([0.2989, 0.5870, 0.1140]), axes=[[-1], [-1]])
    return convert_image_dtype(array.expand_dims(gray, -1), images.dtype)


@export("image.grayscale_to_rgb")
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The one channel of images three times."""
    images = convert_to_tensor(images)
    rank = images.shape.rank
    if rank is not None and (rank < 2 or dimension_value(images.shape[-1]) not in (1, None)):
        raise ValueError(f"grayscale_to_rgb needs 1 channel in the last of two axes or more, got {images.shape}")
    if not images.shape.is_fully_defined():
        checks = [
            (math.equal(array.shape(images)[-1], 1), "grayscale images have one channel"),
            (math.greater_equal(array.rank(images), 3), "A grayscale image must be at least two-dimensional."),
        ]
        images = where_holds(images, checks)
    leading: Any = array.ones([array.rank(images) - 1], dtypes.int32) if rank is None else [1] * (rank - 1)
    out = tiling.tile(images, joining.concat([leading, [3]], 0) if rank is None else [*leading, 3], name=name)
    if rank is not None:
        out.set_shape([*images.shape[:-1], 3])
    return out


@export("image.adjust_brightness")
@in_scope("adjust_brightness")
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """The image with `delta`, for values in [0, 1], added."""
    return _through_float(image, lambda x: x + math.cast(delta, x.dtype))


@export("image.adjust_contrast")
@in_scope("adjust_contrast")
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """Each channel moved away from its mean by a factor, a scalar."""
    contrast_factor = _factor(contrast_factor, "contrast_factor")

    def change(x: Any) -> Any:
        mean = reductions.reduce_mean(x, [-3, -2], keepdims=True)
        return (x - mean) * math.cast(contrast_factor, x.dtype) + mean

    return _through_float(images, change)


def _colors(image: Any) -> Any:
    image = convert_to_tensor(image)
    if image.shape.rank is not None and image.shape.rank < 3:
        raise errors.InvalidArgumentError(None, None, f"input must be at least 3-D, got shape {image.shape}")
    text = "input must have 3 channels"
    if isinstance(image, EagerTensor) and image.shape[-1] != 3:
        raise errors.InvalidArgumentError(None, None, f"{text}, got shape {image.shape}")
    if image.shape.rank is None or image.shape[-1] is None:  # else the ops say so
        rank = math.greater_equal(array.rank(image), 3)
        return where_holds(image, [(rank, "input must be at least 3-D"), (math.equal(array.shape(image)[-1], 3), text)])
    return image


def _through_hsv(image: Any, change: Any) -> Any:
    def rgb(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        return hsv_to_rgb(stacking.stack(change(*(hsv[..., k] for k in range(3))), axis=-1))

    return _through_float(_colors(image), rgb)


@export("image.adjust_saturation")
@in_scope("adjust_saturation")
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """RGB images with their saturation multiplied by a factor and clipped to [0, 1]."""
    scale = _factor(saturation_factor, "scale")

    def change(h: Any, s: Any, v: Any) -> list[Any]:
        return [h, clipping.clip_by_value(s * math.cast(scale, s.dtype), 0, 1), v]

    return _through_hsv(image, change)


@export("image.adjust_hue")
@in_scope("adjust_hue")
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """RGB images with `delta`, a share of the color circle, added to their hue."""

    if isinstance(delta, (int, float)) and not -1 <= delta <= 1:
        raise ValueError(f"delta must be in the interval [-1, 1], got {delta}")
    delta = _factor(delta, "delta")

    def turned(x: Any) -> Any:  # between the least channel and the greatest, whatever their signs
        hue = (rgb_to_hsv(x)[..., 0] + math.cast(delta, x.dtype)) % 1
        ramps = hsv_to_rgb(stacking.stack([hue, array.ones_like(hue), array.ones_like(hue)], axis=-1))
        low = reductions.reduce_min(x, -1, True)
        return low + (reductions.reduce_max(x, -1, True) - low) * ramps

    return _through_float(_colors(image), turned)


@export("image.adjust_gamma")
@in_scope("adjust_gamma")
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain * image ** gamma`, for values in [0, 1]; ValueError for a negative `gamma`."""
    if gamma is None or isinstance(gamma, (list, tuple, str, bytes)):
        raise TypeError(f"gamma must be a number or a tensor, got {gamma!r}")
    if getattr(getattr(gamma, "shape", None), "rank", 0):
        raise ValueError(f"Shape must be rank 0 but is rank {gamma.shape.rank}: gamma is a scalar")
    image = where_holds(operand(image), [(gamma >= 0, "Gamma should be a non-negative real number.")])
    return _through_float(image, lambda x: x ** convert_to_tensor(gamma, x.dtype) * convert_to_tensor(gain, x.dtype))


@export("image.per_image_standardization")
@in_scope("per_image_standardization")
def per_image_standardization(image: Any) -> Tensor:
    """Each image scaled to mean 0 and deviation 1, as float32; a deviation is at least 1 / sqrt(number of values)."""
    image = convert_to_tensor(image)
    if image.shape.rank is not None and 0 in image.shape[-3:].as_list():
        raise ValueError(f"inner 3 dims of 'image.shape' must be > 0: {image.shape}")
    x = math.cast(image, dtypes.float32)
    axes = [-3, -2, -1]
    mean = reductions.reduce_mean(x, axes, keepdims=True)
    deviation = reductions.reduce_std(x, axes, keepdims=True)
    count = math.cast(reductions.reduce_prod(array.shape(x)[-3:]), x.dtype)
    return (x - mean) / math.maximum(deviation, powers.rsqrt(count))


def _not_negative(value: Any, what: str) -> None:
    if number(value, what) < 0:
        raise ValueError(f"{what} must be non-negative, got {value}")


def _factors(lower: float, upper: float) -> tuple[float, float]:
    """The bounds of a random factor, checked."""
    _not_negative(lower, "lower")
    if number(lower, "lower") >= number(upper, "upper"):
        raise ValueError(f"the upper bound must be greater than the lower one, got {lower} and {upper}")
    return lower, upper


def _hue_range(max_delta: float) -> tuple[float, float]:
    if not 0 <= number(max_delta, "max_delta") <= 0.5:
        raise ValueError(f"max_delta must be in [0, 0.5], got {max_delta}")
    return -max_delta, max_delta


@export("image.random_brightness")
def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """The image with a random number in [-max_delta, max_delta) added."""
    _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, random.uniform([], -max_delta, max_delta, seed=seed))


@export("image.random_contrast")
def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image's contrast changed by a random factor in [lower, upper)."""
    return adjust_contrast(image, random.uniform([], *_factors(lower, upper), seed=seed))


@export("image.random_saturation")
def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image's saturation multiplied by a random factor in [lower, upper)."""
    return adjust_saturation(image, random.uniform([], *_factors(lower, upper), seed=seed))


@export("image.random_hue")
def random_hue(image: Any, max_delta: float, seed: Any = None) -> Tensor:
    """The image's hue moved by a random share in [-max_delta, max_delta)."""
    return adjust_hue(image, random.uniform([], *_hue_range(max_delta), seed=seed))


@export("image.stateless_random_brightness")
def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Tensor:
    """The image with a number in [-max_delta, max_delta) added that follows from the seed."""
    _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, random.stateless_uniform([], seed, -max_delta, max_delta))


@export("image.stateless_random_contrast")
def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Tensor:
    """The image's contrast changed by a factor in [lower, upper) that follows from the seed."""
    return adjust_contrast(image, random.stateless_uniform([], seed, *_factors(lower, upper)))


@export("image.stateless_random_saturation")
def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Tensor:
    """The image's saturation multiplied by a factor in [lower, upper) that follows from the seed."""
    return adjust_saturation(image, random.stateless_uniform([], seed, *_factors(lower, upper)))


@export("image.stateless_random_hue")
def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Tensor:
    """The image's hue moved by a share in [-max_delta, max_delta) that follows from the seed."""
    return adjust_hue(image, random.stateless_uniform([], seed, *_hue_range(max_delta)))
