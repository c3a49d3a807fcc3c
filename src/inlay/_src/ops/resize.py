"""Resizing images, by TensorFlow's pixel rules. Every method is a separable linear map with few weights per pixel.

`_taps(method, ...)` says, for one axis, which input pixels an output pixel reads and with what weights; the kernels
apply them to rows and columns; the gradient applies the transposed map. Weights are float32, as TensorFlow's are.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.ops import array
from inlay._src.ops.resize_sparse import RESAMPLINGS, Resampling, Taps, is_possible
from inlay._src.ops.shaping import sizes_of

F32 = np.float32
TINY = F32(1000) * np.finfo(np.float32).tiny
TABLE = 1024
"""Steps into which TensorFlow's bicubic kernel divides a pixel."""


def scale_of(size: int, out: int, align_corners: bool) -> np.float32:
    """Input pixels per output pixel."""
    return F32((size - 1) / F32(out - 1)) if align_corners and out > 1 else F32(size / F32(out))


def _centers(size: int, out: int, align_corners: bool, half_pixel: bool) -> np.ndarray:
    """The input coordinate of each output pixel."""
    at = np.arange(out).astype(F32)
    scale = scale_of(size, out, align_corners)
    return (at + F32(0.5)) * scale - F32(0.5) if half_pixel else at * scale


def _nearest(size: int, out: int, align_corners: bool, half_pixel: bool) -> Taps:
    at = np.arange(out).astype(F32) + (F32(0.5) if half_pixel else F32(0))
    at = at * scale_of(size, out, align_corners)
    whole = np.floor(at + F32(0.5)) if align_corners else np.floor(at)  # halves go up, as in roundf
    return np.clip(whole.astype(np.int64), 0, size - 1)[:, None], np.ones((out, 1), F32)


def _bilinear(size: int, out: int, align_corners: bool, half_pixel: bool) -> Taps:
    at = _centers(size, out, align_corners, half_pixel)
    low = np.floor(at)
    part = at - low
    index = np.stack([np.maximum(low, 0), np.minimum(low + 1, size - 1)], axis=1).astype(np.int64)
    return index, np.stack([F32(1) - part, part], axis=1)


def _cubic_near(x: Any, a: Any) -> Any:
    return ((a + 2) * x - (a + 3)) * x * x + 1


def _cubic_far(x: Any, a: Any) -> Any:
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _bicubic(size: int, out: int, align_corners: bool, half_pixel: bool) -> Taps:
    at = _centers(size, out, align_corners, half_pixel)
    low = np.floor(at)
    a = -0.5 if half_pixel else -0.75
    part = np.rint((at - low) * F32(TABLE)).astype(np.float64) / TABLE
    weight = np.stack(
        [_cubic_far(part + 1, a), _cubic_near(part, a), _cubic_near(1 - part, a), _cubic_far(2 - part, a)], axis=1
    ).astype(F32)
    wanted = low.astype(np.int64)[:, None] + np.arange(-1, 3)
    index = np.clip(wanted, 0, size - 1)
    if half_pixel:  # Keys' kernel leaves out what lies outside; the older one repeats the edge
        weight = _normalized(np.where(index == wanted, weight, F32(0)))
    return index, weight


def _normalized(weight: np.ndarray) -> np.ndarray:
    total = weight.sum(axis=1, keepdims=True, dtype=F32)
    return weight / np.where(np.abs(total) >= TINY, total, F32(1))


def _read(wanted: np.ndarray, weight: np.ndarray, size: int) -> np.ndarray:
    """The pixels that are read; instead of one that does not count, the first: that may not be finite either."""
    return np.clip(np.where(weight == 0, wanted[:, :1], wanted), 0, size - 1)


def _area(size: int, out: int, align_corners: bool, half_pixel: bool) -> Taps:
    scale = scale_of(size, out, align_corners)
    if not scale:  # the corners of one pixel are one point
        return np.zeros((out, 1), np.int64), np.ones((out, 1), F32)
    at = np.arange(out).astype(F32)
    low, high = at * scale, (at + 1) * scale
    first = np.floor(low).astype(np.int64)
    reads = int((np.ceil(high).astype(np.int64) - first).max(initial=1))
    wanted = first[:, None] + np.arange(reads)
    share = np.minimum(wanted + 1, high[:, None]) - np.maximum(wanted, low[:, None])
    weight = np.where(wanted < np.ceil(high)[:, None], share, 0).astype(F32) / scale
    return _read(wanted, weight, size), weight


LEGACY = {"nearest": _nearest, "bilinear": _bilinear, "bicubic": _bicubic, "area": _area}


# ---------------------------------------------------------------- kernels with a radius


def _triangle(x: Any) -> Any:
    return np.maximum(0, 1 - x)


def _keys(x: Any) -> Any:
    return np.where(x >= 2, 0, np.where(x >= 1, ((-0.5 * x + 2.5) * x - 4) * x + 2, ((1.5 * x - 2.5) * x) * x + 1))


def _mitchell(x: Any) -> Any:
    far = (((-7 / 18) * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, (((7 / 6) * x - 2) * x) * x + 8 / 9))


def _gaussian(x: Any) -> Any:
    return np.where(x >= 1.5, 0, np.exp(-x * x / 0.5))


def _lanczos(radius: int, x: Any) -> Any:
    safe = np.where(x <= 1e-3, 1.0, x)
    wave = radius * np.sin(np.pi * safe) * np.sin(np.pi * safe / radius) / (np.pi * safe) ** 2
    return np.where(x > radius, 0, np.where(x <= 1e-3, 1, wave))


KERNELS: dict[str, tuple[float, Any]] = {
    "triangle": (1, _triangle),
    "keyscubic": (2, _keys),
    "mitchellcubic": (2, _mitchell),
    "gaussian": (1.5, _gaussian),
    "lanczos3": (3, functools.partial(_lanczos, 3)),
    "lanczos5": (5, functools.partial(_lanczos, 5)),
    "box": (0.5, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))),
}


def spans(kernel: str, size: int, out: int, scale: float, shift: float, antialias: bool) -> Taps:
    """Taps of a kernel of some radius, widened when the image shrinks and `antialias` is asked for."""
    radius, function = KERNELS[kernel]
    inverse = F32(1) / F32(scale)
    wide = max(inverse, F32(1)) if antialias else F32(1)
    at = (np.arange(out).astype(F32) + F32(0.5)) * inverse - inverse * F32(shift)
    reach = F32(radius) * wide
    first = np.clip(np.ceil(at - reach - F32(0.5)), 0, size - 1).astype(np.int64)
    last = np.clip(np.floor(at + reach - F32(0.5)), 0, size - 1).astype(np.int64)
    reads = int((last - first).max(initial=0)) + 1
    wanted = first[:, None] + np.arange(reads)
    distance = np.abs(wanted.astype(F32) + F32(0.5) - at[:, None]) / wide
    weight = function(distance.astype(np.float64)).astype(F32)
    inside = (wanted <= last[:, None]) & ((at >= 0) & (at <= size))[:, None]
    weight = _normalized(np.where(inside, weight, F32(0)))
    return _read(wanted, weight, size), weight


def _taps(method: str, size: int, out: int, align_corners: bool, half_pixel: bool, antialias: bool) -> Taps:
    """(index, weight) of one axis.

    Args:
      method: a key of `LEGACY` or `KERNELS`.
      size, out: the input's and the output's size.
      align_corners: whether the corner pixels' centers coincide.
      half_pixel: whether pixels have their centers at halves (TensorFlow 2's rule).
      antialias: for `KERNELS`: whether to smooth when shrinking.
    """
    if method in LEGACY:
        return LEGACY[method](size, out, align_corners, half_pixel)
    return spans(method, size, out, F32(out) / F32(size), 0.0, antialias)  # type: ignore[arg-type]


_TAPS: BoundedCache[tuple[Any, ...], Taps] = BoundedCache("weights of resized images", 256, lambda key: _taps(*key))


# ---------------------------------------------------------------- ops


def _along(xp: Any, x: Any, pair: Taps, axis: int) -> Any:
    """One axis of an image resampled."""
    index, weight = pair
    if index.shape[1] == 1 and (weight == 1).all():
        return xp.take(x, index[:, 0], axis=axis)
    if _is_dense(pair, x.shape[axis]):
        product = _transposed(xp, x, _dense(pair, x.shape[axis]).T, axis)
        if xp is not np or np.isfinite(product).all():
            return product  # else zeros of the matrix, times what is not finite, are NaN in every pixel
    shape = [1] * np.ndim(x)
    shape[axis] = -1
    weights = [weight[:, k].reshape(shape).astype(x.dtype) for k in range(index.shape[1])]
    if xp is not np:
        parts = [xp.take(x, index[:, k], axis=axis) * weights[k] for k in range(len(weights))]
        return functools.reduce(operator.add, parts)
    out = np.take(x, index[:, 0], axis=axis, mode="clip")  # no index is outside: this one looks least
    out *= weights[0]
    part = np.empty_like(out)
    for k in range(1, len(weights)):
        np.take(x, index[:, k], axis=axis, out=part, mode="clip")
        part *= weights[k]
        out += part
    return out


_ROWS = ThreadChoice()


def _by_rows(images: np.ndarray, rows: Taps, columns: Taps) -> np.ndarray:
    """Images resampled, some rows of the result by each call that cores share: temporary arrays stay in the cache."""
    batch, _, width, channels = images.shape
    out = np.empty((batch, len(rows[0]), len(columns[0]), channels), images.dtype)
    each = max(TUNING.block_elements // max(batch * max(width, out.shape[2]) * channels, 1), 8)
    x, target = images, out
    if channels <= TUNING.resize_narrow_channels and columns[0].shape[1] > 1 and not _is_dense(columns, width):
        x, target = images.reshape(batch, -1, width * channels), out.reshape(batch, len(rows[0]), -1)
        numbers = columns[0][:, None] * channels + np.arange(channels)[:, None]
        columns = numbers.reshape(target.shape[2], -1), np.repeat(columns[1], channels, axis=0)

    def work(turn: int) -> None:
        here = slice(turn * each, (turn + 1) * each)
        target[:, here] = _along(np, _along(np, x, (rows[0][here], rows[1][here]), 1), columns, 2)

    turns, reads = -(-len(rows[0]) // each), rows[0].shape[1] + columns[0].shape[1]
    with _ROWS.over(0.25 * images.nbytes, turns * 4 * reads) as threads:
        spread(work, turns, threads)
    return out


def _is_dense(pair: Taps, size: int) -> bool:
    """Whether each output pixel reads so many that a matrix product is sooner."""
    reads = pair[0].shape[1]
    return reads > 6 and reads * 4 > size


def _dense(pair: Taps, size: int) -> np.ndarray:
    index, weight = pair
    matrix = np.zeros((len(index), size), F32)
    np.add.at(matrix, (np.arange(len(index))[:, None], index), weight)
    return matrix


def _transposed(xp: Any, y: Any, matrix: np.ndarray, axis: int) -> Any:
    """One axis of `y` multiplied by a matrix from the left, transposed."""
    return xp.moveaxis(xp.tensordot(y, xp.asarray(matrix.astype(y.dtype)), axes=((axis,), (0,))), -1, axis)


def _resampling(
    size: Any, rows: Taps, columns: Taps, dtype: np.dtype[Any], rules: tuple[Any, ...]
) -> Resampling | None:
    """The sparse matrices that resample images of `size`, [height, width, channels], which are kept; None without."""
    if not is_possible(dtype) or _is_dense(rows, size[0]) or _is_dense(columns, size[1]):
        return None
    key = (size, dtype, len(rows[0]), len(columns[0]), rules)
    resampling = RESAMPLINGS.get(key)
    if resampling is None:
        resampling = RESAMPLINGS[key] = Resampling(size, rows, columns, dtype)
    return resampling


MOST = 2**63 - 1
"""Elements that a tensor may have."""


def _pairs(count: int, shape: Any, size: Any, method: str, *rules: bool) -> tuple[Taps, Taps]:
    """The taps of rows and of columns of `count` images of one channel; the rules are `_taps`'s last arguments."""
    (h, w), (oh, ow) = shape, sizes_of(size)
    if count * max(oh * ow, h * w) > MOST:
        raise ValueError(f"Encountered overflow when multiplying the sides of {count} images of {oh} by {ow} pixels")
    if min(oh, ow) < 1 or min(h, w) < 1:
        raise ValueError(f"images and output dimensions must be positive, got {h}x{w} to {oh}x{ow}")
    return _TAPS[method, h, oh, *rules], _TAPS[method, w, ow, *rules]


def _infer(s: Shapes) -> list[Dims]:
    dims, size = s.dims[0], s.partial_value(1)
    if dims is not None and len(dims) != 4:
        raise ValueError(f"images must have 4 dimensions [batch, height, width, channels], got {list(dims)}")
    if size is not None and len(size) != 2:
        raise ValueError(f"size must hold two numbers, height and width; got {len(size)}")
    h, w = size or (None, None)
    return [(None, h, w, None) if dims is None else (dims[0], h, w, dims[3])]


def _resize_vjp(op, dy):
    return _resize_grad(array.shape(op.inputs[0]), dy, **op.attrs), None


RESAMPLED_INTEGERS = dtypes.INTS - {dtypes.uint32, dtypes.uint64}
"""The integers that TensorFlow's ops resample."""


def _resampled(
    xp: Any, images: Any, size: Any, method: str, align_corners: bool, half_pixel: bool, antialias: bool
) -> Any:
    """Images [batch, height, width, channels] in another size; those of integers as float32."""
    if np.ndim(images) != 4:
        raise ValueError(f"images must have 4 dimensions, got shape {list(np.shape(images))}")
    batch, *sides, channels = np.shape(images)
    rows, columns = _pairs(batch * channels, sides, size, method, align_corners, half_pixel, antialias)
    dtype = np.dtype(F32) if images.dtype.kind in "iub" else images.dtype
    several = rows[0].shape[1] * columns[0].shape[1] > 1
    numbers = max(sides[0] * sides[1], len(rows[0]) * len(columns[0])) * batch * channels
    large = xp is np and several and numbers >= TUNING.blocked_elements and not _is_dense(rows, sides[0])
    if large:
        resampling = _resampling(images.shape[1:], rows, columns, dtype, (method, align_corners, half_pixel, antialias))
        if resampling is not None:
            return resampling(images)
    if images.dtype != dtype:
        images = images.astype(dtype)
    return _by_rows(images, rows, columns) if large else _along(xp, _along(xp, images, rows, 1), columns, 2)


@op("Resize", "images:T, size:int32 -> T", types=FLOATS, static=("size",), infer=_infer, vjp=_resize_vjp)
def resample(xp, images, size, *, method, align_corners=False, half_pixel=True, antialias=False):
    """Images [batch, height, width, channels] in another size."""
    return _resampled(xp, images, size, method, align_corners, half_pixel, antialias)


@op(
    "ResizeIntegers",
    "images:T, size:int32 -> float32",
    types=RESAMPLED_INTEGERS,
    static=("size",),
    infer=_infer,
    vjp=no_gradient,
)
def resample_integers(xp, images, size, *, method, align_corners=False, half_pixel=True, antialias=False):
    """Images of integers in another size, as float32."""
    return _resampled(xp, images, size, method, align_corners, half_pixel, antialias)


@op(
    "ResizeGrad",
    "shape:int32, dy:T -> T",
    types=FLOATS,
    static=("shape",),
    infer=lambda s: [s.partial_value(0)],
    vjp=lambda op, ddx: (None, resample(ddx, array.shape(op.inputs[1])[1:3], **op.attrs)),
)
def _resize_grad(xp, shape, dy, *, method, align_corners=False, half_pixel=True, antialias=False):
    """The gradient of resized images with respect to the original ones."""
    batch, h, w, channels = np.asarray(shape).tolist()
    rows, columns = _pairs(batch * channels, (h, w), np.shape(dy)[1:3], method, align_corners, half_pixel, antialias)
    if xp is np and dy.size * h * w >= TUNING.blocked_elements * dy.shape[1] * dy.shape[2]:
        resampling = _resampling(
            (h, w, channels), rows, columns, dy.dtype, (method, align_corners, half_pixel, antialias)
        )
        if resampling is not None:
            return resampling.back(dy)
    return _transposed(xp, _transposed(xp, dy, _dense(rows, h), 1), _dense(columns, w), 2)


@op(
    "ResizeNearestNeighbor",
    "images:T, size:int32 -> T",
    types=dtypes.INTS | {dtypes.bool_},
    static=("size",),
    infer=_infer,
    vjp=no_gradient,
)
def pick(xp, images, size, *, align_corners=False, half_pixel=True):
    """Images of integers in another size, each pixel a copy of the nearest."""
    batch, *sides, channels = np.shape(images)
    rows, columns = _pairs(batch * channels, sides, size, "nearest", align_corners, half_pixel, False)
    return xp.take(xp.take(images, rows[0][:, 0], axis=1), columns[0][:, 0], axis=2)
