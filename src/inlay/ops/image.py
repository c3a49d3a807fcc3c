"""Images, [height, width, channels] with or without a batch axis: resizing, cropping, colours, flips, boxes."""

from __future__ import annotations

from math import floor as math_floor
from typing import Any

import numpy as np

from inlay.core.graph import constant_of
from inlay.core.opdef import Shapes, some_values
from inlay.core.tensor import Tensor
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.ops import array, joining, linalg, math, random, rearranging, reductions
from inlay.ops import resize as resizing
from inlay.ops.gathering import gather_nd
from inlay.ops.slicing import slice_
from inlay.types import dtypes
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims


class ResizeMethod:
    """Names of the methods of `tf.image.resize`."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


_RADIAL = {"lanczos3", "lanczos5", "gaussian", "mitchellcubic"}
_METHODS = {"bilinear", "nearest", "bicubic", "area"} | _RADIAL


# ---------------------------------------------------------------- resizing


def _size_tensor(size: Any) -> Tensor:
    size = convert_to_tensor(size, dtype_hint=dtypes.int32)
    if not size.dtype.is_integer:
        raise ValueError(f"'size' must be of int32 or int64, got {size.dtype.name}")
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return math.cast(size, dtypes.int32)  # type: ignore[no-any-return]


def _batched(images: Tensor, what: str = "images") -> tuple[Tensor, bool]:
    """(images with a batch axis, whether it was added)."""
    rank = images.shape.rank
    if rank is None:
        raise ValueError(
            f"'{what}' contains no shape: its rank must be known. Call set_shape on a py_function's result."
        )
    if rank not in (3, 4):
        raise ValueError(f"'{what}' must have either 3 or 4 dimensions, got shape {images.shape}")
    return (array.expand_dims(images, 0), True) if rank == 3 else (images, False)


def _kept_aspect(images: Tensor, size: Tensor) -> Tensor:
    current = math.cast(array.shape(images)[1:3], dtypes.float32)
    scale = reductions.reduce_min(math.divide(math.cast(size, dtypes.float32), current))
    known, limit = images.shape[1:3], constant_of(size)
    if known.is_fully_defined() and limit is not None:
        sizes = np.asarray(list(known), np.float32)
        return convert_to_tensor(np.rint((limit / sizes).astype(np.float32).min() * sizes).astype(np.int32))
    return math.cast(math.round(math.multiply(scale, current)), dtypes.int32)  # type: ignore[no-any-return]


def _resampled(
    images: Tensor, size: Any, method: str, align_corners: bool, half_pixel: bool, antialias: bool
) -> Tensor:
    """Batched images in another size; all methods but nearest give float32."""
    size = constant_of(size) if constant_of(size) is not None else size
    attrs = {"align_corners": align_corners, "half_pixel": half_pixel}
    if method == "nearest" and images.dtype not in dtypes.FLOATS:
        return resizing.pick(images, size, **attrs)  # type: ignore[no-any-return]
    if method == "nearest":
        return resizing.resample(images, size, method=method, **attrs)  # type: ignore[no-any-return]
    images = math.cast(images, dtypes.float32)
    if antialias and method in ("bilinear", "bicubic"):
        method = {"bilinear": "triangle", "bicubic": "keyscubic"}[method]
    return resizing.resample(images, size, method=method, antialias=antialias, **attrs)  # type: ignore[no-any-return]


def _resize(images: Any, size: Any, keep_aspect: bool, change: Any) -> Any:
    images = convert_to_tensor(images)
    images, single = _batched(images)
    size = _size_tensor(size)
    if keep_aspect:
        size = _kept_aspect(images, size)
    wanted = constant_of(size)
    if wanted is not None and list(images.shape[1:3]) == wanted.tolist():
        out = images
    else:
        out = change(images, size)
    return array.squeeze(out, [0]) if single else out


def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """Images in another size.

    Pixels have their centres at halves. Images that have the wanted size already are returned as they are; otherwise
    the result is float32, except that "nearest" keeps the type.

    Args:
      images: [height, width, channels] or [batch, height, width, channels].
      size: the new height and width.
      method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
      preserve_aspect_ratio: whether to keep the ratio and stay within `size`.
      antialias: whether to smooth when shrinking ("bilinear", "bicubic" and the last four).
      name: ignored.

    Returns:
      The resized images.

    Raises:
      ValueError: if the rank of `images` is unknown or neither 3 nor 4, or `size` does not hold two integers.
    """
    kind = str(method).lower()
    if kind not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method!r} is none of {', '.join(sorted(_METHODS))}")
    return _resize(
        images, size, preserve_aspect_ratio, lambda x, s: _resampled(x, s, kind, False, True, bool(antialias))
    )


_V1_METHODS = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}


def resize_images(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """Images in another size, by the 1.x pixel rules: pixel centres at whole numbers.

    Args:
      images: [height, width, channels] or [batch, height, width, channels].
      size: the new height and width.
      method: 0 bilinear, 1 nearest, 2 bicubic, 3 area, or the name.
      align_corners: whether the corner pixels' centres coincide.
      preserve_aspect_ratio: whether to keep the ratio and stay within `size`.
      name: ignored.
    """
    kind = _V1_METHODS.get(method, str(method).lower())
    if kind not in LEGACY_METHODS:
        raise ValueError(f"Resize method is not implemented: {method!r} is none of {', '.join(sorted(LEGACY_METHODS))}")
    return _resize(
        images, size, preserve_aspect_ratio, lambda x, s: _resampled(x, s, kind, align_corners, False, False)
    )


LEGACY_METHODS = frozenset(_V1_METHODS.values())


def _legacy(images: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    if align_corners and half_pixel_centers:
        raise ValueError("If half_pixel_centers is True, align_corners must be False.")
    images = convert_to_tensor(images)
    if images.shape.rank not in (None, 4):
        raise ValueError(f"images must have 4 dimensions [batch, height, width, channels], got shape {images.shape}")
    return _resampled(images, _size_tensor(size), method, align_corners, half_pixel_centers, False)


def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False, name: str | None = None
) -> Any:
    """Batched images in another size by bilinear interpolation, as float32; the 1.x pixel rules by default."""
    return _legacy(images, size, "bilinear", align_corners, half_pixel_centers)


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False, name: str | None = None
) -> Any:
    """Batched images in another size, each pixel a copy of the nearest; the 1.x pixel rules by default."""
    return _legacy(images, size, "nearest", align_corners, half_pixel_centers)


def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False, name: str | None = None
) -> Any:
    """Batched images in another size by bicubic interpolation, as float32; the 1.x pixel rules by default."""
    return _legacy(images, size, "bicubic", align_corners, half_pixel_centers)


def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Any:
    """Batched images in another size, each pixel the mean of the area it covers, as float32."""
    return _legacy(images, size, "area", align_corners, False)


# ---------------------------------------------------------------- types and colours


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Any:
    """An image as another type, its values scaled: [0, 1] for floating types, [0, largest] for integers.

    Args:
      image: a tensor.
      dtype: the wanted type.
      saturate: whether to clip what does not fit before converting.
      name: the node's name.
    """
    image, wanted = convert_to_tensor(image), dtypes.as_dtype(dtype)
    old = image.dtype
    if not (wanted.is_floating or wanted.is_integer):
        raise AttributeError("dtype must be either floating point or integer")
    if old is wanted:
        return array.identity(image, name=name)
    if old.is_integer and wanted.is_integer:
        if old.max > wanted.max:
            scaled = math.floordiv(image, _like((old.max + 1) // (wanted.max + 1), old))
            return _cast(scaled, wanted, saturate, name)
        converted = _cast(image, wanted, saturate, None)
        return math.multiply(converted, _like((wanted.max + 1) // (old.max + 1), wanted), name=name)
    if wanted.is_floating:
        converted = math.cast(image, wanted, name=None if old.is_integer else name)
        return math.multiply(converted, _like(1.0 / old.max, wanted), name=name) if old.is_integer else converted
    return _cast(math.multiply(image, _like(wanted.max + 0.5, old)), wanted, saturate, name)


def _like(number: Any, dtype: DType) -> Tensor:
    return convert_to_tensor(float(number) if dtype.is_floating else int(number), dtype)


def _cast(x: Any, dtype: DType, saturate: bool, name: str | None) -> Any:
    return (math.saturate_cast if saturate else math.cast)(x, dtype, name=name)


def _through_float(image: Any, change: Any, saturate: bool = True) -> Any:
    """`change` applied to the image as floats in [0, 1], and back."""
    image = convert_to_tensor(image)
    whole = image if image.dtype in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
    return convert_image_dtype(change(whole), image.dtype, saturate=saturate)


def rgb_to_grayscale(images: Any, name: str | None = None) -> Any:
    """The luminance of RGB images, with one channel.

    Args:
      images: a tensor whose last axis has size 3.
      name: ignored.
    """
    images = convert_to_tensor(images)
    if images.shape.rank is not None and images.shape[-1] not in (3, None):
        raise ValueError(f"rgb_to_grayscale needs 3 channels in the last axis, got shape {images.shape}")
    whole = convert_image_dtype(images, dtypes.float32)
    gray = linalg.tensordot(whole, convert_to_tensor([0.2989, 0.5870, 0.1140]), axes=[[-1], [-1]])
    return convert_image_dtype(array.expand_dims(gray, -1), images.dtype)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Any:
    """The one channel of images three times."""
    images = convert_to_tensor(images)
    if images.shape.rank is None:
        raise ValueError("grayscale_to_rgb needs images of known rank; call set_shape on them")
    if images.shape[-1] not in (1, None):
        raise ValueError(f"grayscale_to_rgb needs 1 channel in the last axis, got shape {images.shape}")
    return joining.tile(images, [1] * (images.shape.rank - 1) + [3], name=name)


def rgb_to_hsv(images: Any, name: str | None = None) -> Any:
    """Hue, saturation and value, all in [0, 1], of RGB images with values in [0, 1]."""
    images = convert_to_tensor(images)
    r, g, b = (images[..., k] for k in range(3))
    high = reductions.reduce_max(images, -1)
    spread = math.subtract(high, reductions.reduce_min(images, -1))
    zero, one = array.zeros_like(high), array.ones_like(high)
    safe = array.where(math.greater(spread, zero), spread, one)
    sixth = [
        math.divide(math.subtract(g, b), safe),
        math.add(math.divide(math.subtract(b, r), safe), _like(2, images.dtype)),
        math.add(math.divide(math.subtract(r, g), safe), _like(4, images.dtype)),
    ]
    hue = array.where(math.equal(r, high), sixth[0], array.where(math.equal(g, high), sixth[1], sixth[2]))
    hue = math.divide(array.where(math.greater(spread, zero), hue, zero), _like(6, images.dtype))
    hue = array.where(math.less(hue, zero), math.add(hue, one), hue)
    saturation = math.divide(spread, array.where(math.greater(high, zero), high, one))
    return array.stack([hue, saturation, high], axis=-1)


def hsv_to_rgb(images: Any, name: str | None = None) -> Any:
    """RGB images from hue, saturation and value."""
    images = convert_to_tensor(images)
    h, s, v = (images[..., k] for k in range(3))
    six = math.multiply(h, _like(6, images.dtype))

    def part(centre: int, sign: int, offset: int) -> Any:
        ramp = math.add(
            math.multiply(math.abs(math.subtract(six, _like(centre, images.dtype))), _like(sign, images.dtype)),
            _like(offset, images.dtype),
        )
        ramp = math.clip_by_value(ramp, _like(0, images.dtype), _like(1, images.dtype))
        return math.multiply(
            v, math.add(math.multiply(s, math.subtract(ramp, array.ones_like(ramp))), array.ones_like(s))
        )

    return array.stack([part(3, 1, -1), part(2, -1, 2), part(4, -1, 2)], axis=-1)


def adjust_brightness(image: Any, delta: Any) -> Any:
    """The image with `delta`, for values in [0, 1], added."""
    return _through_float(image, lambda x: math.add(x, math.cast(delta, x.dtype)))


def adjust_contrast(images: Any, contrast_factor: Any) -> Any:
    """Each channel moved away from its mean by a factor."""

    def change(x: Any) -> Any:
        mean = reductions.reduce_mean(x, [-3, -2], keepdims=True)
        return math.add(math.multiply(math.subtract(x, mean), math.cast(contrast_factor, x.dtype)), mean)

    return _through_float(images, change)


def _through_hsv(image: Any, change: Any) -> Any:
    def rgb(x: Any) -> Any:
        hsv = rgb_to_hsv(x)
        return hsv_to_rgb(array.stack(change(*(hsv[..., k] for k in range(3))), axis=-1))

    return _through_float(image, rgb)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Any:
    """RGB images with their saturation multiplied by a factor and clipped to [0, 1]."""

    def change(h: Any, s: Any, v: Any) -> list[Any]:
        more = math.multiply(s, math.cast(saturation_factor, s.dtype))
        return [h, math.clip_by_value(more, _like(0, s.dtype), _like(1, s.dtype)), v]

    return _through_hsv(image, change)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Any:
    """RGB images with `delta`, a share of the colour circle, added to their hue."""

    def change(h: Any, s: Any, v: Any) -> list[Any]:
        return [math.floormod(math.add(h, math.cast(delta, h.dtype)), _like(1, h.dtype)), s, v]

    return _through_hsv(image, change)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Any:
    """`gain * image ** gamma`, for values in [0, 1]."""
    if isinstance(gamma, (int, float)) and gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    return _through_float(
        image, lambda x: math.multiply(math.pow(x, math.cast(gamma, x.dtype)), math.cast(gain, x.dtype))
    )


def per_image_standardization(image: Any) -> Any:
    """Each image scaled to mean 0 and deviation 1, as float32; a deviation is at least 1 / sqrt(number of values)."""
    image = convert_to_tensor(image)
    x = image if image.dtype.is_floating else math.cast(image, dtypes.float32)
    axes = [-3, -2, -1]
    mean = reductions.reduce_mean(x, axes, keepdims=True)
    deviation = reductions.reduce_std(x, axes, keepdims=True)
    count = math.cast(reductions.reduce_prod(array.shape(x)[-3:]), x.dtype)
    return math.divide(math.subtract(x, mean), math.maximum(deviation, math.rsqrt(count)))


# ---------------------------------------------------------------- flips and turns


def _ranked(image: Any) -> Tensor:
    image = convert_to_tensor(image)
    _batched(image, "image")
    return image


def flip_left_right(image: Any) -> Any:
    """The image mirrored left to right."""
    return rearranging.reverse(_ranked(image), [-2])


def flip_up_down(image: Any) -> Any:
    """The image mirrored top to bottom."""
    return rearranging.reverse(_ranked(image), [-3])


def transpose(image: Any, name: str | None = None) -> Any:
    """The image with rows and columns exchanged."""
    image = _ranked(image)
    return array.transpose(image, [1, 0, 2] if image.shape.rank == 3 else [0, 2, 1, 3])


def rot90(image: Any, k: int = 1, name: str | None = None) -> Any:
    """The image turned counter-clockwise by `k` quarter turns."""
    image, turns = _ranked(image), joining.static_int(k, "The number of quarter turns") % 4
    if turns == 2:
        return rearranging.reverse(image, [-3, -2])
    if turns == 1:
        return flip_up_down(transpose(image))
    return transpose(flip_up_down(image)) if turns == 3 else image


def _flipped(image: Any, flip: Any, draw: Any) -> Any:
    """Each image turned by `flip` with probability 1/2; `draw(shape)` gives uniform numbers."""
    image = _ranked(image)
    shape: Any = [] if image.shape.rank == 3 else _vector([_side(image, 0), 1, 1, 1])
    return array.where(math.less(draw(shape), 0.5), flip(image), image)


def random_flip_left_right(image: Any, seed: Any = None) -> Any:
    """Each image mirrored left to right with probability 1/2."""
    return _flipped(image, flip_left_right, lambda shape: random.uniform(shape, seed=seed))


def random_flip_up_down(image: Any, seed: Any = None) -> Any:
    """Each image mirrored top to bottom with probability 1/2."""
    return _flipped(image, flip_up_down, lambda shape: random.uniform(shape, seed=seed))


def _not_negative(value: Any, what: str) -> None:
    if value < 0:
        raise ValueError(f"{what} must be non-negative, got {value}")


def _factors(lower: float, upper: float) -> tuple[float, float]:
    """The bounds of a random factor, checked."""
    _not_negative(lower, "lower")
    if lower >= upper:
        raise ValueError(f"the upper bound must be greater than the lower one, got {lower} and {upper}")
    return lower, upper


def _hue_range(max_delta: float) -> tuple[float, float]:
    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"max_delta must be in [0, 0.5], got {max_delta}")
    return -max_delta, max_delta


def random_brightness(image: Any, max_delta: float, seed: Any = None) -> Any:
    """The image with a random number in [-max_delta, max_delta) added."""
    _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, random.uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """The image's contrast changed by a random factor in [lower, upper)."""
    return adjust_contrast(image, random.uniform([], *_factors(lower, upper), seed=seed))


def random_saturation(image: Any, lower: float, upper: float, seed: Any = None) -> Any:
    """The image's saturation multiplied by a random factor in [lower, upper)."""
    return adjust_saturation(image, random.uniform([], *_factors(lower, upper), seed=seed))


def random_hue(image: Any, max_delta: float, seed: Any = None) -> Any:
    """The image's hue moved by a random share in [-max_delta, max_delta)."""
    return adjust_hue(image, random.uniform([], *_hue_range(max_delta), seed=seed))


def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """Each image mirrored left to right with probability 1/2: equal seeds give equal results."""
    return _flipped(image, flip_left_right, lambda shape: random.stateless_uniform(shape, seed))


def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """Each image mirrored top to bottom with probability 1/2: equal seeds give equal results."""
    return _flipped(image, flip_up_down, lambda shape: random.stateless_uniform(shape, seed))


def stateless_random_brightness(image: Any, max_delta: float, seed: Any) -> Any:
    """The image with a number in [-max_delta, max_delta) added that follows from the seed."""
    _not_negative(max_delta, "max_delta")
    return adjust_brightness(image, random.stateless_uniform([], seed, -max_delta, max_delta))


def stateless_random_contrast(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """The image's contrast changed by a factor in [lower, upper) that follows from the seed."""
    return adjust_contrast(image, random.stateless_uniform([], seed, *_factors(lower, upper)))


def stateless_random_saturation(image: Any, lower: float, upper: float, seed: Any) -> Any:
    """The image's saturation multiplied by a factor in [lower, upper) that follows from the seed."""
    return adjust_saturation(image, random.stateless_uniform([], seed, *_factors(lower, upper)))


def stateless_random_hue(image: Any, max_delta: float, seed: Any) -> Any:
    """The image's hue moved by a share in [-max_delta, max_delta) that follows from the seed."""
    return adjust_hue(image, random.stateless_uniform([], seed, *_hue_range(max_delta)))


def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """A box of shape `size` at a place of `value` that follows from the seed.

    Args:
      value: the tensor to crop.
      size: the sizes, one per axis.
      seed: two integers.
      name: ignored.
    """
    return random.cropped(
        value, size, lambda shape, kind: random.stateless_uniform(shape, seed, maxval=kind.max, dtype=kind)
    )


# ---------------------------------------------------------------- cropping and padding


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """The box of a size at an offset.

    Args:
      image: one image or a batch.
      offset_height, offset_width: the upper left corner.
      target_height, target_width: the size.
    """
    images, single = _batched(convert_to_tensor(image), "image")
    begin, size = [0, offset_height, offset_width, 0], [-1, target_height, target_width, -1]
    out = slice_(images, _vector(begin), _vector(size))
    return array.squeeze(out, [0]) if single else out


def _vector(entries: list[Any]) -> Any:
    known = [constant_of(e) for e in entries]
    if all(k is not None for k in known):
        return [int(k) for k in known]  # type: ignore[arg-type]
    return array.stack([math.cast(convert_to_tensor(e), dtypes.int32) for e in entries])


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """The image within zeros, at an offset.

    Args:
      image: one image or a batch.
      offset_height, offset_width: zeros above and to the left.
      target_height, target_width: the size with zeros.
    """
    images, single = _batched(convert_to_tensor(image), "image")
    height, width = (_side(images, axis) for axis in (1, 2))
    below, right = target_height - offset_height - height, target_width - offset_width - width
    margins = {
        "offset_height": offset_height,
        "offset_width": offset_width,
        "target_height": below,
        "target_width": right,
    }
    for what, value in margins.items():
        if isinstance(value, int) and value < 0:
            raise ValueError(f"{what} leaves no room for the image: the margin there would be {value}")
    flat = _vector([0, 0, offset_height, below, offset_width, right, 0, 0])
    pairs = np.reshape(flat, (4, 2)) if isinstance(flat, list) else array.reshape(flat, [4, 2])
    out = rearranging.pad(images, pairs)
    return array.squeeze(out, [0]) if single else out


def _side(images: Tensor, axis: int) -> Any:
    known = images.shape[axis]
    return array.shape(images)[axis] if known is None else known


def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """The image cropped or padded, evenly on both sides, to a size."""
    images, single = _batched(convert_to_tensor(image), "image")

    def most(a: Any, b: Any) -> Any:
        return max(a, b) if isinstance(a, int) and isinstance(b, int) else math.maximum(a, b)

    def least(a: Any, b: Any) -> Any:
        return min(a, b) if isinstance(a, int) and isinstance(b, int) else math.minimum(a, b)

    height, width = _side(images, 1), _side(images, 2)
    out = crop_to_bounding_box(
        images,
        most((height - target_height) // 2, 0),
        most((width - target_width) // 2, 0),
        least(target_height, height),
        least(target_width, width),
    )
    out = pad_to_bounding_box(
        out,
        most((target_height - height) // 2, 0),
        most((target_width - width) // 2, 0),
        target_height,
        target_width,
    )
    return array.squeeze(out, [0]) if single else out


def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = ResizeMethod.BILINEAR, antialias: bool = False
) -> Any:
    """The image resized with its ratio kept, then padded evenly with zeros to a size.

    Args:
      image: one image or a batch, of known height and width.
      target_height, target_width: the size.
      method, antialias: see `resize`.
    """
    images, single = _batched(convert_to_tensor(image), "image")
    height, width = images.shape[1], images.shape[2]
    if height is None or width is None:
        raise ValueError(f"resize_with_pad needs a known height and width, got shape {images.shape}")
    ratio = max(width / target_width, height / target_height)
    rows, columns = (math_floor(v / ratio) for v in (height, width))
    out = resize(images, [rows, columns], method, antialias=antialias)
    top, left = (max(0, math_floor((t - v / ratio) / 2)) for t, v in ((target_height, height), (target_width, width)))
    out = pad_to_bounding_box(out, top, left, target_height, target_width)
    return array.squeeze(out, [0]) if single else out


def central_crop(image: Any, central_fraction: float) -> Any:
    """The middle of the image: a share of its height and width."""
    if not 0 < central_fraction <= 1:
        raise ValueError("central_fraction must be within (0, 1]")
    if central_fraction == 1:
        return image
    images, single = _batched(convert_to_tensor(image), "image")
    sizes = []
    for axis in (1, 2):
        side = images.shape[axis]
        if side is None:
            raise ValueError(f"central_crop needs a known height and width, got shape {images.shape}")
        start = int((side - side * central_fraction) / 2)
        sizes.append((start, side - 2 * start))
    out = crop_to_bounding_box(images, sizes[0][0], sizes[1][0], sizes[0][1], sizes[1][1])
    return array.squeeze(out, [0]) if single else out


# ---------------------------------------------------------------- boxes


def _sampled(low: Any, high: Any, count: int, side: Any) -> Any:
    """The input coordinates, [boxes, count], of samples between two ends given as shares of `side - 1`."""
    last = math.cast(math.subtract(side, 1), dtypes.float32)
    if count == 1:
        return array.expand_dims(math.multiply(math.multiply(math.add(low, high), last), 0.5), 1)
    steps = convert_to_tensor(np.arange(count, dtype=np.float32))
    step = math.divide(math.multiply(math.subtract(high, low), last), float(count - 1))
    return math.add(array.expand_dims(math.multiply(low, last), 1), math.multiply(array.expand_dims(step, 1), steps))


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
    box_ind: Any = None,
) -> Any:
    """Boxes cut out of images and brought to one size; gradients flow to the images and, bilinear, to the boxes.

    Args:
      image: [batch, height, width, channels].
      boxes: [n, 4], rows y1, x1, y2, x2 as shares of height - 1 and width - 1.
      box_indices: for each box the image it is cut from.
      crop_size: height and width of the crops.
      method: "bilinear" or "nearest".
      extrapolation_value: the value of samples outside the image.
      name: ignored.
      box_ind: the 1.x name of `box_indices`.

    Returns:
      float32 crops, [n, crop height, crop width, channels].
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    size = constant_of(crop_size)
    if size is None or size.shape != (2,):
        raise ValueError(f"crop_size must be two numbers known while the graph is built, got {crop_size!r}")
    rows, columns = (int(n) for n in size)
    image = math.cast(convert_to_tensor(image), dtypes.float32)
    boxes, at = convert_to_tensor(boxes, dtypes.float32), box_indices if box_indices is not None else box_ind
    y = _sampled(boxes[:, 0], boxes[:, 2], rows, array.shape(image)[1])
    x = _sampled(boxes[:, 1], boxes[:, 3], columns, array.shape(image)[2])
    which = array.reshape(convert_to_tensor(at, dtypes.int32), [-1, 1, 1])
    y, y_ok = _clamped(array.expand_dims(y, 2), array.shape(image)[1])
    x, x_ok = _clamped(array.expand_dims(x, 1), array.shape(image)[2])
    if method == "nearest":
        out = _pixels(image, which, math.floor(math.add(y, 0.5)), math.floor(math.add(x, 0.5)))
    else:
        out = _interpolated(image, which, y, x)
    inside = array.expand_dims(math.logical_and(y_ok, x_ok), 3)
    return array.where(inside, out, convert_to_tensor(float(extrapolation_value)))


def _clamped(at: Any, side: Any) -> tuple[Any, Any]:
    last = math.cast(math.subtract(side, 1), dtypes.float32)
    inside = math.logical_and(math.greater_equal(at, 0.0), math.less_equal(at, last))
    return array.where(inside, at, array.zeros_like(at)), inside


def _pixels(image: Any, which: Any, y: Any, x: Any) -> Any:
    y, x = math.cast(y, dtypes.int32), math.cast(x, dtypes.int32)
    zero = math.add(math.multiply(y, 0), math.multiply(x, 0))
    return gather_nd(image, array.stack([math.add(part, zero) for part in (which, y, x)], axis=-1))


def _interpolated(image: Any, which: Any, y: Any, x: Any) -> Any:
    top, left = math.floor(y), math.floor(x)
    bottom, right = math.ceil(y), math.ceil(x)
    dy = array.expand_dims(math.subtract(y, top), 3)
    dx = array.expand_dims(math.subtract(x, left), 3)

    def mixed(a: Any, b: Any, share: Any) -> Any:
        return math.add(a, math.multiply(math.subtract(b, a), share))

    upper = mixed(_pixels(image, which, top, left), _pixels(image, which, top, right), dx)
    lower = mixed(_pixels(image, which, bottom, left), _pixels(image, which, bottom, right), dx)
    return mixed(upper, lower, dy)


def _suppress_infer(s: Shapes) -> list[Dims]:
    return [(None,)]


@op(
    "NonMaxSuppressionV3",
    "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T -> int32",
    types={"T": frozenset({dtypes.float16, dtypes.float32})},
    static=("max_output_size",),
    infer=_suppress_infer,
    differentiable=False,
    refuses=some_values,
)
def _suppress(xp, boxes, scores, max_output_size, iou_threshold, score_threshold):
    """Boxes that no better box covers."""
    boxes, scores = np.asarray(boxes), np.asarray(scores)
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ValueError(f"boxes must be [n, 4] and scores [n], got {list(boxes.shape)} and {list(scores.shape)}")
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}")
    low = np.minimum(boxes[:, :2], boxes[:, 2:])
    high = np.maximum(boxes[:, :2], boxes[:, 2:])
    area = np.prod(high - low, axis=1)
    order = [i for i in np.argsort(-scores, kind="stable") if scores[i] > score_threshold]
    kept = []
    limit = int(np.asarray(max_output_size))
    for i in order:
        if len(kept) >= limit:
            break
        both = np.prod(np.maximum(np.minimum(high[i], high[kept]) - np.maximum(low[i], low[kept]), 0), axis=1)
        union = area[i] + area[kept] - both
        share = np.where((area[i] > 0) & (area[kept] > 0), both / np.where(union > 0, union, 1), 0)
        if not (share > iou_threshold).any():
            kept.append(int(i))
    return np.asarray(kept, np.int32)


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """The indices of boxes in order of their scores, without those that overlap a better one too much.

    Args:
      boxes: [n, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [n].
      max_output_size: how many to keep at most.
      iou_threshold: the share of intersection in union above which the worse box goes.
      score_threshold: boxes with this score or less go.
      name: the node's name.

    Returns:
      int32 indices.
    """
    boxes = convert_to_tensor(boxes, dtype_hint=dtypes.float32)
    limits = [math.cast(convert_to_tensor(v), boxes.dtype) for v in (iou_threshold, score_threshold)]
    return _suppress(boxes, scores, max_output_size, *limits, name=name)


def total_variation(images: Any, name: str | None = None) -> Any:
    """The sum of the absolute differences of neighbouring pixels, per image."""
    images = _ranked(images)
    down = math.subtract(images[..., 1:, :, :], images[..., :-1, :, :])
    right = math.subtract(images[..., :, 1:, :], images[..., :, :-1, :])
    axes = [-3, -2, -1]
    return math.add(reductions.reduce_sum(math.abs(down), axes), reductions.reduce_sum(math.abs(right), axes))


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Any:
    """The peak signal-to-noise ratio of two batches of images, in decibels.

    Args:
      a, b: images of one shape.
      max_val: the largest possible difference of two values.
      name: ignored.
    """
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    whole = convert_image_dtype(convert_to_tensor(max_val, a.dtype), dtypes.float32)
    a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
    error = reductions.reduce_mean(math.squared_difference(a, b), [-3, -2, -1])
    ten = float(np.log(10.0))
    return math.subtract(
        math.divide(math.multiply(math.log(whole), 20.0), ten), math.divide(math.multiply(math.log(error), 10.0), ten)
    )
