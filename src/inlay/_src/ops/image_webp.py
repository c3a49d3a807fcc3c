"""WebP images, decoded by Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, of_ranks
from inlay._src.core.signature import OneOf
from inlay._src.ops.image_opening import pillow

_ALWAYS = 1 << 22
"""Pixels that a file may claim to have, however small it is."""
_PER_BYTE = 1 << 15
"""Pixels that a byte of a file may stand for: a copy of 4096 pixels takes a bit at least."""


def _frames(text: bytes) -> np.ndarray:
    """All frames of a file, [frames, height, width, 3 or 4]."""
    try:
        image = pillow("Image").open(io.BytesIO(text), formats=("WEBP",))
        width, height = image.size
        count: int = getattr(image, "n_frames", 1)
        if count * width * height > max(_ALWAYS, len(text) * _PER_BYTE):
            raise ValueError(f"it claims to have {count} frames of {height} x {width} pixels")
        mode = "RGBA" if image.mode == "RGBA" else "RGB"
        pixels = np.empty((count, height, width, len(mode)), np.uint8)
        for frame in range(count):
            image.seek(frame)
            pixels[frame] = np.asarray(image.convert(mode))
    except (MemoryError, ImportError):
        raise
    except Exception as error:  # of damaged data Pillow raises whatever it stumbles over
        raise ValueError(f"Invalid WebP data, size {len(text)}: {error or type(error).__name__}") from None
    return pixels


def _infer(s: Shapes) -> list[Dims]:
    return [(None, None, None, s.attrs["channels"] or None)]


@op(
    "DecodeWebP",
    "contents:string -> dtype",
    attrs={"dtype": OneOf((dtypes.uint8,))},
    infer=of_ranks(_infer, 0),
    lower=REFUSES_VALUES,
)
@export("io.decode_webp", "image.decode_webp")
def decode_webp(xp: Any, contents: Any, *, channels: int = 0, dtype=dtypes.uint8) -> Any:
    """A WebP image as [frames, height, width, channels] of uint8; one that does not move has one frame.

    Args:
      contents: the encoded image, a scalar string.
      channels: 3 or 4, the number that the file has; 0 takes what it has.
      dtype: uint8.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or has another number of channels.
    """
    if np.ndim(contents):
        raise ValueError(f"contents must be scalar, got shape {bracketed(np.shape(contents))}")
    if channels not in (0, 3, 4):
        raise ValueError(f"WebP only supports 3 or 4 channels, got {channels}")
    pixels = _frames(np.asarray(contents, object).item())
    if channels not in (0, pixels.shape[-1]):
        raise ValueError(f"Number of channels requested does not match input: {channels}, got {pixels.shape[-1]}")
    return pixels
