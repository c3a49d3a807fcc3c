"""Images as files: JPEG, PNG, GIF and BMP, decoded and encoded by Pillow."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import OPS, Shapes, of_ranks, scalar
from inlay._src.core.signature import INDEX_DTYPE, OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.core.values import boxed
from inlay._src.ops.image_opening import frame_count, frames, loaded, opened, pillow

_OF_CHANNELS = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
_END_OF_JPEG = b"\xff\xd9"


def _text(contents: Any) -> bytes:
    if np.ndim(contents):
        raise ValueError(f"`contents` must be scalar but got shape{bracketed(np.shape(contents))}")
    return np.asarray(contents, object).item()  # type: ignore[no-any-return]


def _own_channels(image: Any) -> int:
    """The number of channels of a file."""
    if image.mode in ("P", "PA"):
        return 4 if "transparency" in image.info or image.mode == "PA" else 3
    return {"1": 1, "L": 1, "I;16": 1, "I;16B": 1, "I": 1, "LA": 2, "La": 2, "RGBA": 4, "RGBa": 4}.get(image.mode, 3)


def _check(image: Any, channels: int) -> None:
    if channels not in (0, 1, 3, 4):
        raise ValueError(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if image.format == "JPEG" and channels == 4:
        raise ValueError("JPEG does not support 4 channels")
    if image.format == "BMP" and channels == 1:
        raise ValueError("`channels` must be 0, 3 or 4 for BMP, but got 1")
    if image.format == "GIF" and channels not in (0, 3):
        raise ValueError(f"channels must be 0 or 3 for GIF, got {channels}")


def _color_of_16_bits(text: bytes) -> bool:
    """Whether it is a PNG file with 16 bits for each of several channels, of which Pillow keeps 8."""
    return text[:8] == b"\x89PNG\r\n\x1a\n" and text[24:25] == b"\x10" and text[25:26] != b"\0"


def _narrow(image: Any, text: bytes, channels: int) -> bool:
    """Whether Pillow gives 8 bits of what has 16."""
    return _color_of_16_bits(text) or image.mode.startswith("I") and channels > 1


def _pixels(image: Any, text: bytes, channels: int, dtype: DType) -> np.ndarray:
    """A decoded image of one frame as [height, width, channels].

    Raises:
      UnimplementedError: if 16 bits are asked for of a file of which Pillow reads 8.
    """
    mode = _OF_CHANNELS[channels or _own_channels(image)]
    if dtype is dtypes.uint16 and _narrow(image, text, channels):
        raise errors.UnimplementedError(
            None, None, "Pillow reads 8 of the 16 bits of a PNG file's colors: decode as uint8, or as one channel"
        )
    if image.mode.startswith("I"):  # 16 bits of grey
        grey = np.asarray(image).astype(np.uint16)
        if dtype is dtypes.uint16 and mode == "L":
            return grey[:, :, None]
        image = pillow("Image").fromarray((grey >> 8).astype(np.uint8))
    pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
    return pixels.astype(np.uint16) * np.uint16(257) if dtype is dtypes.uint16 else np.array(pixels)


def _single(text: bytes, channels: int, dtype: DType = dtypes.uint8) -> np.ndarray:
    """A file of one frame, of any of the formats."""
    text = _with_palette(text)
    image = opened(text)
    if channels not in (0, 1, 3, 4):
        raise ValueError(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if (count := frame_count(image, len(text))) > 1:
        raise ValueError(
            f"Got {count} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image"
        )
    _check(image, channels)
    if image.format == "GIF":
        return frames(image, text)[0]
    if image.format == "JPEG" and channels == 1:
        image.draft("L", None)  # the brightness that the file holds, instead of one computed from the colors
    pixels = _pixels(loaded(image, text), text, channels, dtype)
    whole = image.format == "BMP" and channels in (0, 4) and text[28:34] == b"\x20\0\0\0\0\0"
    return _of_32_bits(text, *pixels.shape[:2]) if whole else pixels


def _with_palette(text: bytes) -> bytes:
    """A file, where it is a BMP file of 8 bits whose pixels follow the header with the palette of greys that Pillow
    does not do without."""
    first, header = (int.from_bytes(text[at : at + 4], "little") for at in (10, 14))
    if text[:2] != b"BM" or text[28:34] != b"\x08\0\0\0\0\0" or header < 40 or first != 14 + header:
        return text
    greys = b"".join(bytes([i, i, i, 0]) for i in range(256))
    return text[:10] + (first + len(greys)).to_bytes(4, "little") + text[14:first] + greys + text[first:]


def _of_32_bits(text: bytes, height: int, width: int) -> np.ndarray:
    """The pixels of a BMP file of 32 bits, uncompressed: Pillow leaves out the fourth channel. Rows go upwards, unless
    the height in the header is negative."""
    first = int.from_bytes(text[10:14], "little")
    rows = np.frombuffer(text, np.uint8, height * width * 4, first).reshape(height, width, 4)
    return (rows if text[25] & 0x80 else rows[::-1])[:, :, [2, 1, 0, 3]]


def _three(s: Shapes) -> list[Dims]:
    return [(None, None, s.attrs["channels"] or None)]


def _reduced(image: Any, ratio: int) -> Any:
    """A JPEG file at a half, a quarter or an eighth of its size, which its decoder computes."""
    if ratio not in (1, 2, 4, 8):
        raise ValueError(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if ratio > 1 and image.format == "JPEG":
        width, height = image.size
        image.draft(image.mode, (max(width // ratio, 1), max(height // ratio, 1)))
        if image.size != (-(-width // ratio), -(-height // ratio)):
            raise errors.UnimplementedError(
                None, None, f"a JPEG file of {height} x {width} pixels cannot be decoded at 1/{ratio} of its size"
            )
    return image


@op("DecodeJpeg", "contents:string -> uint8", infer=of_ranks(_three, 0), lower=REFUSES_VALUES)
@export("io.decode_jpeg", "image.decode_jpeg")
def decode_jpeg(
    xp,
    contents,
    *,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction: float = 1,
    dct_method="",
):
    """A JPEG image as [height, width, channels] of uint8. PNG, BMP and GIF files of one frame are read too.

    Args:
      contents: the encoded image, a scalar string.
      channels: 1 for grey, 3 for colors; 0 takes what the file has.
      ratio: 1, 2, 4 or 8, by which the image is made smaller.
      fancy_upscaling, dct_method: accepted; colors are always interpolated, and the exact transform is always used, as
        Pillow does: the pixels are those that TensorFlow gives for "INTEGER_ACCURATE".
      try_recover_truncated: whether a file that was cut short is read as far as it goes.
      acceptable_fraction: accepted.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or has not as many channels.
    """
    text = _text(contents)
    if ratio == 1 and not try_recover_truncated:
        return _single(text, channels)
    image = _reduced(opened(text + _END_OF_JPEG if try_recover_truncated else text), ratio)
    _check(image, channels)
    if channels == 1:
        image.draft("L", None)
    return _pixels(loaded(image, text), text, channels, dtypes.uint8)


def _cropped_infer(s: Shapes) -> list[Dims]:
    window = s.dims[1]
    if window is not None and window not in ((4,), (None,)):
        raise ValueError(f"crop_window must be a vector of 4 elements, got shape {list(window)}")
    return _three(s)


@op(
    "DecodeAndCropJpeg",
    "contents:string, crop_window:int32 -> uint8",
    infer=of_ranks(_cropped_infer, 0, 1),
    lower=REFUSES_VALUES,
)
@export("io.decode_and_crop_jpeg", "image.decode_and_crop_jpeg")
def decode_and_crop_jpeg(
    xp,
    contents,
    crop_window,
    *,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction: float = 1,
    dct_method="",
):
    """A part of a JPEG image as [height, width, channels] of uint8.

    Args:
      contents: the encoded image, a scalar string.
      crop_window: `[top, left, height, width]` of the part, in pixels.
      channels, ratio, fancy_upscaling, try_recover_truncated, acceptable_fraction, dct_method: as for `decode_jpeg`.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or the part is not within it.
    """
    if np.shape(crop_window) != (4,):
        raise ValueError(f"crop_window must be a vector of 4 elements, got shape {np.shape(crop_window)}")
    top, left, height, width = np.asarray(crop_window).tolist()
    kernel = OPS["DecodeJpeg"].kernel
    options = {"channels": channels, "ratio": ratio, "try_recover_truncated": try_recover_truncated}
    whole = kernel(xp, contents, **options)
    if min(top, left) < 0 or min(height, width) < 1 or top + height > len(whole) or left + width > whole.shape[1]:
        raise ValueError(
            f"Invalid JPEG data or crop window: [{top}, {left}, {height}, {width}] is not within {whole.shape[:2]}"
        )
    return np.ascontiguousarray(whole[top : top + height, left : left + width])


@op("DecodePng", "contents:string -> dtype", infer=of_ranks(_three, 0), lower=REFUSES_VALUES)
def _decode_png(xp, contents, *, channels=0, dtype=dtypes.uint8):
    """A PNG image."""
    return _single(_text(contents), channels, dtype)


@export("io.decode_png", "image.decode_png")
def decode_png(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None) -> Tensor:
    """A PNG image as [height, width, channels]. JPEG, BMP and GIF files of one frame are read too.

    Args:
      contents: the encoded image, a scalar string.
      channels: 1 for grey, 3 for colors, 4 for colors with alpha; 0 takes what the file has.
      dtype: uint8 or uint16.
      name: the node's name.

    Raises:
      InvalidArgumentError: if it is no image, or damaged.
      UnimplementedError: if uint16 is asked for of colors of 16 bits, of which Pillow reads 8.
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16):
        raise TypeError(f"dtype must be uint8 or uint16, got {kind.name}")
    return emit(OPS["DecodePng"], (contents,), {"channels": int(channels), "dtype": kind}, name)


@op(
    "DecodeGif",
    "contents:string -> uint8",
    infer=of_ranks(lambda s: [(None, None, None, 3)], 0),
    lower=REFUSES_VALUES,
)
@export("io.decode_gif", "image.decode_gif")
def decode_gif(xp, contents):
    """All frames of a GIF image as [frames, height, width, 3] of uint8.

    Args:
      contents: the encoded image, a scalar string.

    Raises:
      InvalidArgumentError: if it is no image, or damaged.
    """
    text = _text(contents)
    image = opened(text)
    if image.format == "GIF":
        return np.stack(frames(image, text))
    return _single(text, 3)[None]


@op("DecodeBmp", "contents:string -> uint8", infer=of_ranks(_three, 0), lower=REFUSES_VALUES)
@export("io.decode_bmp", "image.decode_bmp")
def decode_bmp(xp, contents, *, channels=0):
    """A BMP image as [height, width, channels] of uint8.

    Args:
      contents: the encoded image, a scalar string.
      channels: 3 for colors, 4 for colors with alpha; 0 takes what the file has.

    Raises:
      InvalidArgumentError: if it is no image, or damaged.
    """
    return _single(_text(contents), channels)


def _image_dims(s: Shapes) -> list[Dims]:
    return [None] if s.attrs["expand_animations"] else [(None, None, s.attrs["channels"] or None)]


@op("DecodeImage", "contents:string -> dtype", infer=of_ranks(_image_dims, 0), lower=REFUSES_VALUES)
def _decode_image(xp, contents, *, channels=0, dtype=dtypes.uint8, expand_animations=True):
    """An image of any format."""
    text = _text(contents)
    image = opened(text)
    if channels not in (0, 1, 3, 4):
        raise ValueError(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    _check(image, channels)
    if image.format == "GIF":
        every = frames(image, text)
        pixels = np.stack(every) if expand_animations else every[0]
    else:
        wide = image.format == "PNG" and (
            dtype is dtypes.uint16 or dtype is dtypes.float32 and not _narrow(image, text, channels)
        )
        pixels = _single(text, channels, dtypes.uint16 if wide else dtypes.uint8)
    if dtype is dtypes.uint16:
        return pixels if pixels.dtype == np.uint16 else pixels.astype(np.uint16) << np.uint16(8)
    if dtype is dtypes.uint8:
        return pixels
    return pixels.astype(np.float32) * (np.float32(1) / np.float32(np.iinfo(pixels.dtype).max))


@export("io.decode_image", "image.decode_image")
def decode_image(
    contents: Any,
    channels: int | None = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """A JPEG, PNG, GIF or BMP image as [height, width, channels]; a GIF image as [frames, height, width, 3].

    Args:
      contents: the encoded image, a scalar string.
      channels: 1 for grey, 3 for colors, 4 for colors with alpha; None or 0 takes what the file has.
      dtype: uint8, uint16, or float32 in [0, 1].
      name: the node's name.
      expand_animations: whether a GIF image has an axis of frames; False takes the first one. The rank of the result is
        known while building only if this is False.

    Raises:
      InvalidArgumentError: if it is no image, damaged, or has not as many channels.
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in (dtypes.uint8, dtypes.uint16, dtypes.float32):
        raise ValueError(f"dtype must be uint8, uint16 or float32, got {kind.name}")
    attrs = {"channels": int(channels or 0), "dtype": kind, "expand_animations": bool(expand_animations)}
    return emit(OPS["DecodeImage"], (contents,), attrs, name)


@op(
    "ExtractJpegShape",
    "contents:string -> output_type",
    attrs={"output_type": INDEX_DTYPE},
    infer=of_ranks(lambda s: [(3,)], 0),
    lower=REFUSES_VALUES,
)
@export("io.extract_jpeg_shape", "image.extract_jpeg_shape")
def extract_jpeg_shape(xp, contents, *, output_type=dtypes.int32):
    """[height, width, channels] of a JPEG image, which is not decoded for that.

    Args:
      contents: the encoded image, a scalar string.
      output_type: int32 or int64.

    Raises:
      InvalidArgumentError: if it is no JPEG image.
    """
    image = opened(_text(contents))
    if image.format != "JPEG":
        raise ValueError(f"a JPEG file is needed, got {image.format}")
    return np.asarray([image.size[1], image.size[0], _own_channels(image)], output_type.np)


@export("io.is_jpeg", "image.is_jpeg")
def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a string begins as JPEG files do.

    Args:
      contents: a scalar string.
      name: the node's name.
    """
    return emit(OPS["IsJpeg"], (convert_to_tensor(contents, dtypes.string),), {}, name)


@op("IsJpeg", "contents:string -> bool", infer=scalar)
def _is_jpeg(xp, contents):
    """Whether a string begins as JPEG files do."""
    return np.bool_(_text(contents)[:3] == b"\xff\xd8\xff")


# ---------------------------------------------------------------- encoding


def _saved(image: Any, **how: Any) -> np.ndarray:
    out = io.BytesIO()
    image.save(out, **how)
    return boxed(out.getvalue())


_JPEG_TEXTS = {"format": OneOf(("", "grayscale", "rgb")), "density_unit": OneOf(("in", "cm"))}


@op("EncodeJpeg", "image:uint8 -> string", infer=of_ranks(scalar, 3), lower=REFUSES_VALUES, attrs=_JPEG_TEXTS)
@export("io.encode_jpeg", "image.encode_jpeg")
def encode_jpeg(
    xp,
    image,
    *,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
):
    """An image as a JPEG file.

    Args:
      image: [height, width, channels] of uint8, with 1 or 3 channels.
      format: "grayscale" or "rgb", which the channels must fit; "" takes what they say.
      quality: from 0 to 100.
      progressive: whether a reader sees all of it early.
      optimize_size: whether more time is taken for a smaller file.
      chroma_downsampling: whether the colors have half the resolution.
      density_unit: "in" or "cm".
      x_density, y_density: pixels per unit.
      xmp_metadata: XMP metadata to embed; none if "".

    Raises:
      InvalidArgumentError: for another shape, format, quality or unit.
    """
    if image.ndim != 3:
        raise ValueError(f"image must be 3-dimensional{bracketed(image.shape)}")
    if image.shape[2] not in (1, 3):
        raise ValueError(f"image must have 1 or 3 channels, got {bracketed(image.shape)}")
    if not 0 <= quality <= 100:
        raise ValueError(f"quality must be in [0,100], got {quality}")
    expected = {"": image.shape[2], "grayscale": 1, "rgb": 3}[format]
    if image.shape[2] != expected:
        raise ValueError(f"format {format} expects {expected} channels, got {bracketed(image.shape)}")
    per_inch = 1.0 if density_unit == "in" else 2.54
    how: dict[str, Any] = {"xmp": xmp_metadata.encode()} if xmp_metadata else {}
    pixels = np.asarray(image)
    return _saved(
        pillow("Image").fromarray(pixels[:, :, 0] if expected == 1 else pixels),
        format="JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        subsampling=2 if chroma_downsampling and expected == 3 else 0,
        dpi=(round(x_density * per_inch), round(y_density * per_inch)),
        **how,
    )


def png_of(pixels: np.ndarray, compression: int) -> Any:
    channels = pixels.shape[2]
    if pixels.dtype == np.uint16 and channels > 1:
        raise errors.UnimplementedError(
            None, None, "Pillow writes no PNG file with colors of 16 bits: give uint8, or one channel"
        )
    image = pillow("Image").fromarray(pixels[:, :, 0] if channels == 1 else pixels)
    return _saved(image, format="PNG", compress_level=6 if compression < 0 else compression).item()


@op(
    "EncodePng",
    "image:T -> string",
    types=frozenset({dtypes.uint8, dtypes.uint16}),
    infer=lambda s: [None if s.dims[0] is None else s.dims[0][:-3]],
    lower=REFUSES_VALUES,
)
@export("io.encode_png", "image.encode_png")
def encode_png(xp, image, *, compression=-1):
    """Images as PNG files.

    Args:
      image: [..., height, width, channels] of uint8 with 1 to 4 channels, or of uint16 with one.
      compression: from 0, none, to 9, the most; -1 takes what is usual.

    Raises:
      InvalidArgumentError: for another shape.
      UnimplementedError: for several channels of uint16, which Pillow does not write.
    """
    if image.ndim < 3:
        raise ValueError(f"images must be at least rank 3{bracketed(image.shape)}")
    if not 1 <= image.shape[-1] <= 4:
        raise ValueError(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if not -1 <= compression <= 9:
        raise ValueError(f"compression should be in [-1,9], got {compression}")
    pixels, lead = np.asarray(image), image.shape[:-3]
    out = np.empty(int(np.prod(lead, dtype=np.int64)), object)
    out[:] = [png_of(one, compression) for one in pixels.reshape(-1, *image.shape[-3:])]
    return out.reshape(lead)
