"""Resizing of images: the public functions; `resize` has the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import in_scope
from inlay._src.core.eager.attributes import flag
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math, reductions
from inlay._src.ops import resize as resizing
from inlay._src.ops.image import on_batch


@export("image.ResizeMethod")
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


def _size_tensor(size: Any) -> Tensor:
    size = convert_to_tensor(size, dtype_hint=dtypes.int32)
    if size.dtype is not dtypes.int32:
        raise ValueError(f"'size' must be a 1-D int32 Tensor, got {size.dtype.name}")
    if not size.shape.is_compatible_with([2]):
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    return size


def _kept_aspect(images: Tensor, size: Tensor) -> Tensor:
    current = math.cast(array.shape(images)[1:3], dtypes.float32)
    scale = reductions.reduce_min(division.divide(math.cast(size, dtypes.float32), current))
    dims, limit = images.shape[1:3], constant_of(size)
    if dims.is_fully_defined() and limit is not None:
        sizes = np.asarray(list(dims), np.float32)
        return convert_to_tensor(np.rint((limit / sizes).astype(np.float32).min() * sizes).astype(np.int32))
    return math.cast(math.round(math.multiply(scale, current)), dtypes.int32)  # type: ignore[no-any-return]


def _resampled(
    images: Tensor, size: Any, method: str, align_corners: bool, half_pixel: bool, antialias: bool
) -> Tensor:
    """Batched images in another size; all methods but nearest give float32."""
    size = constant_of(size) if constant_of(size) is not None else size
    attrs: dict[str, Any] = {"align_corners": align_corners, "half_pixel": half_pixel}
    if method == "nearest" and images.dtype not in dtypes.FLOATS:
        return resizing.pick(images, size, **attrs)  # type: ignore[no-any-return]
    if method == "nearest":
        return resizing.resample(images, size, method=method, **attrs)  # type: ignore[no-any-return]
    if antialias and method in ("bilinear", "bicubic"):
        method = {"bilinear": "triangle", "bicubic": "keyscubic"}[method]
    attrs |= {"method": method, "antialias": antialias}
    if images.dtype in resizing.RESAMPLED_INTEGERS:
        return resizing.resample_integers(images, size, **attrs)  # type: ignore[no-any-return]
    return resizing.resample(math.cast(images, dtypes.float32), size, **attrs)  # type: ignore[no-any-return]


def _resize(images: Any, size: Any, keep_aspect: bool, change: Any, skip_same: bool) -> Any:
    images, size = convert_to_tensor(images), _size_tensor(size)
    if images.shape.rank is None:
        raise ValueError(
            "'images' contains no shape: its rank must be known. Call set_shape on a py_function's result."
        )

    def changed(images: Tensor) -> Any:
        wanted = _kept_aspect(images, size) if keep_aspect else size
        constant = constant_of(wanted)
        same = skip_same and constant is not None and images.shape[1:3].as_list() == constant.tolist()
        return images if same else change(images, wanted)

    return on_batch(images, changed)


@in_scope("resize")
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.image.resize` of a tensor."""
    kind = str(method).lower()
    if kind not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method!r} is none of {', '.join(sorted(_METHODS))}")
    smooth = antialias is not None and flag(antialias, "antialias")
    out = _resize(images, size, preserve_aspect_ratio, lambda x, s: _resampled(x, s, kind, False, True, smooth), False)
    return out if kind == "nearest" else math.cast(out, dtypes.float32)


_V1_METHODS = {0: "bilinear", 1: "nearest", 2: "bicubic", 3: "area"}


@in_scope("resize")
def resize_images(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.compat.v1.image.resize` of a tensor."""
    kind = _V1_METHODS.get(method, str(method).lower())
    if kind not in LEGACY_METHODS:
        raise ValueError(f"Resize method is not implemented: {method!r} is none of {', '.join(sorted(LEGACY_METHODS))}")
    return _resize(
        images, size, preserve_aspect_ratio, lambda x, s: _resampled(x, s, kind, align_corners, False, False), True
    )


LEGACY_METHODS = frozenset(_V1_METHODS.values())


def _legacy(images: Any, size: Any, method: str, align_corners: bool, half_pixel_centers: bool) -> Any:
    if align_corners and half_pixel_centers:
        raise ValueError("If half_pixel_centers is True, align_corners must be False.")
    images = convert_to_tensor(images)
    if images.shape.rank not in (None, 4):
        raise ValueError(f"images must have 4 dimensions [batch, height, width, channels], got shape {images.shape}")
    return _resampled(images, _size_tensor(size), method, align_corners, half_pixel_centers, False)


@export("image.resize_bilinear")
def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Batched images in another size by bilinear interpolation, as float32; the 1.x pixel rules by default."""
    return _legacy(images, size, "bilinear", align_corners, half_pixel_centers)


@export("image.resize_nearest_neighbor")
def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Batched images in another size, each pixel a copy of the nearest; the 1.x pixel rules by default."""
    return _legacy(images, size, "nearest", align_corners, half_pixel_centers)


@export("image.resize_bicubic")
def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """Batched images in another size by bicubic interpolation, as float32; the 1.x pixel rules by default."""
    return _legacy(images, size, "bicubic", align_corners, half_pixel_centers)


@export("image.resize_area")
def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Tensor:
    """Batched images in another size, each pixel the mean of the area it covers, as float32."""
    return _legacy(images, size, "area", align_corners, False)
