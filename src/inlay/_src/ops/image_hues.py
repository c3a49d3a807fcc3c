"""Colors as hue, saturation and value, and back: `RGBToHSV`, `HSVToRGB`."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.ops import array, complex_numbers, division, math, stacking

RAMPS = ((3, 1, -1), (2, -1, 2), (4, -1, 2))
"""(center, sign, offset) of red, green and blue: a hue's share of it is `|6 hue - center| sign + offset`."""


def _infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    if not dims or dims[-1] not in (3, None):
        raise ValueError(f"Dimension must be 3 but is {dims[-1] if dims else 'absent'}: images of shape {list(dims)}")
    return [(*dims[:-1], 3)]


def _channels(images: Any) -> list[Any]:
    """The three channels of images along the last axis."""
    if not images.ndim or images.shape[-1] != 3:
        count = images.shape[-1] if images.ndim else 0
        text = f"input must have 3 channels but input only has {count} channels."
        raise errors.FailedPreconditionError(None, None, text)
    return [images[..., k] for k in range(3)]


def _greatest(red: Any, green: Any, blue: Any) -> tuple[Any, Any]:
    """Where red is the greatest of three channels, and where green is: of equal ones the first."""
    return (red >= green) & (red >= blue), (green > red) & (green >= blue)


def _hue(xp: Any, channels: list[Any], masks: tuple[Any, Any], spread: Any) -> Any:
    """The hue, from -1/6 to 5/6, if `spread` is the range of the channels or 1 if that is 0.

    A difference is divided by the range before anything else: the inverse of a subnormal range would be infinite.
    """
    red, green, blue = channels
    others = xp.where(masks[1], (blue - red) / spread + 2, (red - green) / spread + 4)
    return xp.where(masks[0], (green - blue) / spread, others) / 6


def _rgb_to_hsv_vjp(op: Any, dy: Any) -> Any:
    images = op.inputs[0]
    red, green, blue = channels = [images[..., k] for k in range(3)]
    one, none = array.ones_like(red), array.zeros_like(red)
    first = math.logical_and(math.greater_equal(red, green), math.greater_equal(red, blue))
    second = math.logical_and(math.greater(green, red), math.greater_equal(green, blue))
    high = [array.where(first, one, none), array.where(second, one, none)]
    high.append(one - high[0] - high[1])
    red_least = math.logical_and(math.less(red, blue), math.less(red, green))
    green_least = math.logical_and(math.less_equal(green, red), math.less(green, blue))
    low = [array.where(red_least, one, none), array.where(green_least, one, none)]
    low.append(one - low[0] - low[1])
    top, bottom = (math.add_n([m * c for m, c in zip(mask, channels, strict=True)]) for mask in (high, low))
    dhue, dsaturation, dvalue = (dy[..., k] for k in range(3))
    spread = top - bottom
    dnumerator = division.divide_no_nan(dhue, spread * 6)
    numerator = high[0] * (green - blue) + high[1] * (blue - red) + high[2] * (red - green)
    dspread = -dnumerator * division.divide_no_nan(numerator, spread)
    dsaturation = division.divide_no_nan(dsaturation, top)
    relative = division.divide_no_nan(bottom, top)
    turns = (high[2] - high[1], high[0] - high[2], high[1] - high[0])
    return stacking.stack(
        [
            h * (dvalue + dspread)
            - m * dspread
            + t * dnumerator
            + array.where(math.greater(c, none), dsaturation * (h * relative - m), none)  # TensorFlow's choice at 0
            for c, h, m, t in zip(channels, high, low, turns, strict=True)
        ],
        axis=-1,
    )


@op("RGBToHSV", "images:T -> T", types=FLOATS, infer=_infer, vjp=_rgb_to_hsv_vjp)
@export("image.rgb_to_hsv")
def rgb_to_hsv(xp, images):
    """Hue, saturation and value, all in [0, 1], of RGB images with values in [0, 1].

    Args:
      images: floats, [..., 3].
    """
    channels = _channels(images)
    high, low = (f(f(channels[0], channels[1]), channels[2]) for f in (xp.maximum, xp.minimum))
    spread = high - low
    hue = _hue(xp, channels, _greatest(*channels), xp.where(spread > 0, spread, 1).astype(images.dtype))
    hue = xp.where(spread > 0, hue, 0)
    saturation = xp.where(high > 0, spread / xp.where(high > 0, high, 1), 0)
    return xp.stack([xp.where(hue < 0, hue + 1, hue), saturation, high], axis=-1).astype(images.dtype)


def _hsv_to_rgb_vjp(op: Any, dy: Any) -> Any:
    hue, saturation, value = (op.inputs[0][..., k] for k in range(3))
    terms = []
    for k, (center, sign, offset) in enumerate(RAMPS):
        away = hue * 6 - center
        ramp = abs(away) * sign + offset
        inside = math.logical_and(math.greater(ramp, 0), math.less(ramp, 1))
        rise = array.where(inside, complex_numbers.sign(away) * (6 * sign), array.zeros_like(away))
        lack = math.minimum(math.maximum(ramp, 0), 1) - 1
        d = dy[..., k]
        terms.append((d * value * saturation * rise, d * value * lack, d * (saturation * lack + 1)))
    return stacking.stack([math.add_n(list(parts)) for parts in zip(*terms, strict=True)], axis=-1)


@op("HSVToRGB", "images:T -> T", types=FLOATS, infer=_infer, vjp=_hsv_to_rgb_vjp)
@export("image.hsv_to_rgb")
def hsv_to_rgb(xp, images):
    """RGB images from hue, saturation and value.

    Args:
      images: floats, [..., 3].
    """
    hue, saturation, value = _channels(images)
    ramps = [xp.clip(xp.abs(hue * 6 - center) * sign + offset, 0, 1) for center, sign, offset in RAMPS]
    return xp.stack([(1 - saturation + saturation * ramp) * value for ramp in ramps], axis=-1).astype(images.dtype)
