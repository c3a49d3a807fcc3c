"""Images with the losses of JPEG files: `adjust_jpeg_quality` and its random forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import OPS, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import random
from inlay._src.ops.image_colors import convert_image_dtype
from inlay._src.ops.image_files import decode_jpeg


@op(
    "EncodeJpegVariableQuality",
    "images:uint8, quality:int32 -> string",
    ranks={"images": 3, "quality": 0},
    infer=lambda s: [()],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def _encoded(xp, images, quality):
    """An image as a JPEG file of a quality that only a run tells."""
    return OPS["EncodeJpeg"].kernel(xp, images, quality=int(np.asarray(quality)))


@export("image.adjust_jpeg_quality")
def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """The image as it is after it was kept as a JPEG file.

    Args:
      image: [height, width, channels], with 1 or 3 channels; floats lie in [0, 1].
      jpeg_quality: from 0 to 100; a number or an int32 scalar.
      dct_method: accepted; see `io.decode_jpeg`.
      name: the scope of the nodes.

    Returns:
      An image of the shape and dtype of `image`.

    Raises:
      InvalidArgumentError: for another shape or quality.
      ValueError: for a scalar, or an image of unknown rank.
    """
    with name_scope(name, "adjust_jpeg_quality"):
        image = convert_to_tensor(image, name="image")
        if not image.shape.rank:
            raise ValueError(
                f"`image` must have rows, columns and channels, got shape {image.shape}; set_shape tells an unknown one"
            )
        channels = image.shape[-1]
        encoded = _encoded(
            convert_image_dtype(image, dtypes.uint8, True), convert_to_tensor(jpeg_quality, dtypes.int32)
        )
        return convert_image_dtype(decode_jpeg(encoded, channels=channels, dct_method=dct_method), image.dtype, True)


def _check_range(least: int, most: int) -> None:
    if not (0 <= least <= 100 and 0 <= most <= 100):
        raise ValueError(f"jpeg encoding range must be between 0 and 100, got [{least}, {most})")
    if least >= most:
        raise ValueError(f"`min_jpeg_quality` must be less than `max_jpeg_quality`, got {least} and {most}")


@export("image.random_jpeg_quality")
def random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any = None) -> Tensor:
    """The image after it was kept as a JPEG file of a random quality in [min_jpeg_quality, max_jpeg_quality).

    Args:
      image: see `adjust_jpeg_quality`.
      min_jpeg_quality, max_jpeg_quality: the range, from 0 to 100.
      seed: the op's seed.

    Raises:
      ValueError: for a range that is empty, or beyond 0 to 100.
    """
    _check_range(min_jpeg_quality, max_jpeg_quality)
    quality = random.uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed)
    return adjust_jpeg_quality(image, quality)


@export("image.stateless_random_jpeg_quality")
def stateless_random_jpeg_quality(image: Any, min_jpeg_quality: int, max_jpeg_quality: int, seed: Any) -> Tensor:
    """As `random_jpeg_quality`, with a quality that follows from the seed.

    Args:
      image: see `adjust_jpeg_quality`.
      min_jpeg_quality, max_jpeg_quality: the range, from 0 to 100.
      seed: two integers.

    Raises:
      ValueError: for a range that is empty, or beyond 0 to 100.
    """
    _check_range(min_jpeg_quality, max_jpeg_quality)
    quality = random.stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjust_jpeg_quality(image, quality)
