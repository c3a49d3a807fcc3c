"""Image files as Pillow opens and decodes them: in bounded memory, and with one kind of error for damaged ones."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay._src.ops.image_data import coded_bytes, png_lacks_rows

_FORMATS = ("JPEG", "PNG", "GIF", "BMP")
_ALWAYS = 1 << 22
"""Pixels that a file may claim to have, however small it is."""
_PER_BYTE = {"JPEG": 1024, "GIF": 4096, "BMP": 256}
"""Pixels that a byte of a file may stand for, at most: see `_most_pixels`."""
_FRAMES = 1 << 22
"""Pixels that all frames of an animated image may claim to have, however small it is."""


def pillow(module: str) -> Any:
    """One of Pillow's modules, which are loaded when they are needed."""
    try:
        return importlib.import_module(f"PIL.{module}")
    except ModuleNotFoundError as error:
        raise ImportError(
            "decoding and encoding images needs Pillow, which is not installed: pip install 'inlay[data]'"
        ) from error


def opened(text: bytes) -> Any:
    """An image that was not decoded yet.

    Raises:
      ValueError: if it is none of the formats.
    """
    if not text:
        raise ValueError("Input is empty.")
    module = pillow("Image")
    try:
        image = module.open(io.BytesIO(text), formats=_FORMATS)
    except module.DecompressionBombError as error:
        raise ValueError(f"Invalid image data, size {len(text)}: {error}") from None
    except Exception:  # see `_guarded`
        raise ValueError("Unknown image file format. One of JPEG, PNG, GIF, BMP required.") from None
    width, height = image.size
    if width * height > _ALWAYS and width * height > _most_pixels(image, text):
        raise ValueError(f"Invalid {image.format} data, size {len(text)}: it claims to have {height} x {width} pixels")
    return image


_SAMPLES = {2: 3, 4: 2, 6: 4}
"""Color type of a PNG file -> the samples of a pixel, each of as many bits as the header says; others have one."""


def _most_pixels(image: Any, text: bytes) -> int:
    """The greatest number of pixels that a file with so many coded bytes can have: no more memory is allocated.

    A byte of a PNG file becomes 1032 bytes at most (deflate, RFC 1951: 258 for two bits). A code of 12 bits in a GIF
    file stands for 4096 pixels at most; 8 x 8 pixels of a JPEG file take a bit at least; two bytes of a BMP file stand
    for 255 pixels (run lengths).
    """
    coded = coded_bytes(image.format, text)
    if image.format == "PNG":
        return coded * 1032 * 8 // (max(text[24], 1) * _SAMPLES.get(text[25], 1))
    return coded * _PER_BYTE[image.format]


@contextmanager
def _guarded(image: Any, size: int) -> Iterator[None]:
    """In the block Pillow decodes: of damaged data it raises whatever it stumbles over."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        said = str(error) or type(error).__name__
        raise ValueError(f"Invalid {image.format} data, size {size}: {said}") from None


def loaded(image: Any, text: bytes) -> Any:
    """An image with its pixels.

    Args:
      image: from `opened`.
      text: its file.

    Raises:
      ValueError: if its data are damaged, or end too early.
    """
    with _guarded(image, len(text)):
        image.load()
        if image.format == "PNG" and (text[28] or not _has_last_row(image)) and png_lacks_rows(text):
            raise ValueError("its data end before its last row")
    return image


def _has_last_row(image: Any) -> bool:
    """Whether something was decoded into the last row: Pillow begins with zeros, and rows come in their order."""
    return any(image.crop((0, image.height - 1, *image.size)).tobytes())


def frame_count(image: Any, size: int) -> int:
    """The number of frames of a file."""
    with _guarded(image, size):
        count: int = getattr(image, "n_frames", 1)
    return count


def frames(image: Any, text: bytes) -> list[np.ndarray]:
    """All frames of an animated image."""
    size = len(text)
    out: list[np.ndarray] = []
    count, total = frame_count(image, size), 0
    most = max(_FRAMES, _most_pixels(image, text))
    with _guarded(image, size):
        for i in range(count):
            for seek in (False, True):  # before memory is taken for it, and as large as it is: it may have grown
                if seek:
                    image.seek(i)
                width, height = image.size
                if total + width * height > most:
                    raise ValueError(f"it claims to have {count} frames, and frame {i} {height} x {width} pixels")
            total += width * height
            out.append(np.array(image.convert("RGB")))
    return out
