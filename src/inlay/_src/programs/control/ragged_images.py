"""Resizing of images, also of a ragged batch of images of different sizes, which become of one size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, image_resizing, joining, math
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.image_resizing import ResizeMethod
from inlay._src.programs.control.branches import cond
from inlay._src.programs.control.maps import map_fn


@export("image.resize")
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size.

    Pixels have their centers at halves. The result is float32, except that "nearest" keeps the type.

    Args:
      images: [height, width, channels] or [batch, height, width, channels]; a ragged batch may hold images of different
        sizes.
      size: the new height and width.
      method: "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian" or "mitchellcubic".
      preserve_aspect_ratio: whether to keep the ratio and stay within `size`; not of a ragged batch.
      antialias: whether to smooth when shrinking ("bilinear", "bicubic" and the last four).
      name: the scope of the nodes.

    Returns:
      The resized images, a tensor.

    Raises:
      ValueError: if the rank of `images` is unknown or neither 3 nor 4 (4 if it is ragged), or `size` does not hold two
        integers.
    """

    def change(image: Any) -> Any:
        return image_resizing.resize(image, size, method, preserve_aspect_ratio, antialias, name=name)

    return _each(images, size, preserve_aspect_ratio, change)


@export("image.resize_images", "compat.v1.image.resize")
def resize_images(
    images: Any,
    size: Any,
    method: Any = 0,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """Images in another size, by the 1.x pixel rules: pixel centers at whole numbers.

    Args:
      images: [height, width, channels] or [batch, height, width, channels]; a ragged batch may hold images of different
        sizes.
      size: the new height and width.
      method: 0 bilinear, 1 nearest, 2 bicubic, 3 area, or the name.
      align_corners: whether the corner pixels' centers coincide.
      preserve_aspect_ratio: whether to keep the ratio and stay within `size`; not of a ragged batch.
      name: the scope of the nodes.
    """

    def change(image: Any) -> Any:
        return image_resizing.resize_images(image, size, method, align_corners, preserve_aspect_ratio, name=name)

    return _each(images, size, preserve_aspect_ratio, change)


def _each(images: Any, size: Any, keep_aspect: bool, change: Callable[[Any], Any]) -> Any:
    """`change` of a tensor of images; of a ragged batch of each of them, so that all are of one size.

    Raises:
      ValueError: for ragged images that are no batch, or of which sizes of their own are asked for.
    """
    if not isinstance(images, RaggedTensor):
        return change(images)
    if images.shape.rank != 4:
        raise ValueError(f"tf.image.resize: images.shape.rank must be 4 if images is ragged, got shape {images.shape}")
    if keep_aspect:
        raise ValueError("preserve_aspect_ratio is not for a ragged batch, whose images become of one size")
    channels = images.shape[3]
    whole = math.cast(convert_to_tensor(size), dtypes.int32)
    # One pixel tells the dtype of the result; nothing else of it is used.
    dtype = change(array.zeros([1, 1, 1], images.dtype)).dtype

    def resized() -> Any:
        one = lambda image: math.cast(change(_dense(image)), dtype)  # noqa: E731
        return map_fn(one, images, fn_output_signature=TensorSpec([None, None, channels], dtype))

    def nothing() -> Any:
        last = array.shape(images.flat_values)[-1:]
        return array.zeros(joining.concat([[0], whole, last], 0), dtype)

    out = cond(math.greater(images.nrows(), 0), resized, nothing)
    constant = constant_of(whole)
    out.set_shape([images.shape[0], *([None, None] if constant is None else constant.tolist()), channels])
    return out


def _dense(image: Any) -> Any:
    return image.to_tensor() if isinstance(image, RaggedTensor) else image
