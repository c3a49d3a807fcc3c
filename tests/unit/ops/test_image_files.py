"""Images as files: pixels as Pillow and TensorFlow give them, what is refused, and what a missing Pillow says."""

from __future__ import annotations

import contextlib
import io
import math
import re
import struct
import sys
import tracemalloc
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

import inlay as tf

BAD = tf.errors.InvalidArgumentError
Y, X = np.mgrid[0:13, 0:17]
COLORS = np.stack([X * 15 % 256, Y * 19 % 256, (X + Y) * 8 % 256], -1).astype(np.uint8)
GREY = COLORS[..., :1]
ALPHA = np.concatenate([COLORS, 255 - GREY], -1)


def saved(pixels: Any, **how: Any) -> bytes:
    """A file that Pillow writes."""
    out = io.BytesIO()
    if isinstance(pixels, np.ndarray):
        pixels = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels)
    pixels.save(out, **how)
    return out.getvalue()


def by_pillow(text: bytes, mode: str | None = None) -> np.ndarray:
    image = Image.open(io.BytesIO(text))
    found = np.asarray(image.convert(mode) if mode else image)
    return found[..., None] if found.ndim == 2 else found


MOVING = [Image.fromarray(np.roll(COLORS, 3 * k, 1)).quantize(64) for k in range(3)]
GIF = saved(MOVING[0], format="GIF", save_all=True, append_images=MOVING[1:], duration=10)
JPEG, PNG = saved(COLORS, format="JPEG", quality=90), saved(COLORS, format="PNG")


@pytest.mark.parametrize("quality", [30, 75, 95])
@pytest.mark.parametrize("subsampling", [0, 2])
def test_jpeg_pixels_are_pillows(quality: int, subsampling: int) -> None:
    text = saved(COLORS, format="JPEG", quality=quality, subsampling=subsampling)
    for decode in (tf.io.decode_jpeg, tf.io.decode_png, tf.io.decode_image, tf.image.decode_jpeg):
        np.testing.assert_array_equal(decode(text), by_pillow(text))
    np.testing.assert_array_equal(tf.io.decode_jpeg(text, channels=3), by_pillow(text))
    grey = Image.open(io.BytesIO(text))
    grey.draft("L", None)
    np.testing.assert_array_equal(tf.io.decode_jpeg(text, channels=1)[..., 0], np.asarray(grey))


@pytest.mark.parametrize("pixels", [GREY, ALPHA[..., [0, 3]], COLORS, ALPHA], ids=["1", "2", "3", "4"])
def test_png_pixels_are_what_was_written(pixels: np.ndarray) -> None:
    text = tf.io.encode_png(pixels)
    np.testing.assert_array_equal(tf.io.decode_png(text), pixels)
    np.testing.assert_array_equal(by_pillow(text.numpy()), pixels)
    np.testing.assert_array_equal(tf.io.decode_png(text, dtype=tf.uint16), pixels.astype(np.uint16) * 257)
    for channels, mode in ((1, "L"), (3, "RGB"), (4, "RGBA")):
        np.testing.assert_array_equal(tf.io.decode_png(text, channels), by_pillow(text.numpy(), mode))


def test_png_of_16_bits() -> None:
    deep = (GREY.astype(np.uint16) * 251).astype(np.uint16)
    text = tf.io.encode_png(deep)
    np.testing.assert_array_equal(tf.io.decode_png(text, dtype=tf.uint16), deep)
    np.testing.assert_array_equal(tf.io.decode_png(text), deep >> 8)
    np.testing.assert_array_equal(tf.io.decode_png(text, 3), np.repeat(deep >> 8, 3, -1))
    np.testing.assert_allclose(tf.io.decode_image(text, dtype=tf.float32), deep / 65535, rtol=1e-6)
    with pytest.raises(tf.errors.UnimplementedError, match="Pillow reads 8 of the 16 bits"):
        tf.io.decode_png(text, 3, tf.uint16)
    with pytest.raises(tf.errors.UnimplementedError, match="Pillow writes no PNG file with colors of 16 bits"):
        tf.io.encode_png(COLORS.astype(np.uint16))


def test_png_with_a_palette() -> None:
    image = Image.fromarray(COLORS).quantize(16)
    text = saved(image, format="PNG")
    np.testing.assert_array_equal(tf.io.decode_png(text), np.asarray(image.convert("RGB")))
    text = saved(image, format="PNG", transparency=3)
    assert tf.io.decode_png(text).shape == [13, 17, 4]


@pytest.mark.parametrize("pixels", [GREY, COLORS], ids=["1", "3"])
def test_bmp_pixels(pixels: np.ndarray) -> None:
    text = saved(pixels, format="BMP")
    np.testing.assert_array_equal(tf.io.decode_bmp(text), pixels)
    np.testing.assert_array_equal(tf.io.decode_bmp(text, 3), np.broadcast_to(pixels, COLORS.shape))
    np.testing.assert_array_equal(tf.io.decode_image(text), pixels)


@pytest.mark.parametrize("downwards", [False, True])
def test_bmp_pixels_of_32_bits_have_their_alpha(downwards: bool) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (3, 5, 4), np.uint8)
    rows = pixels if downwards else pixels[::-1]
    header = struct.pack("<iiHHIIiiII", 5, -3 if downwards else 3, 1, 32, 0, 60, 0, 0, 0, 0)
    text = b"BM" + struct.pack("<IHHII", 54 + 60, 0, 0, 54, 40) + header + rows[:, :, [2, 1, 0, 3]].tobytes()
    np.testing.assert_array_equal(tf.io.decode_bmp(text), pixels)
    np.testing.assert_array_equal(tf.io.decode_image(text), pixels)
    np.testing.assert_array_equal(tf.io.decode_bmp(text, 3), pixels[:, :, :3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_bmp(text[:-4])


def bmp_of_8_bits(height: int, palette: bytes = b"") -> bytes:
    """Two rows of two pixels; a negative height is one that begins with the upper row."""
    rows = bytes([255, 0, 0, 0, 255, 9, 0, 0])
    header = struct.pack("<iiHHIIiiII", 2, height, 1, 8, 0, 8, 0, 0, len(palette) // 4, 0)
    first = 54 + len(palette)
    return b"BM" + struct.pack("<IHHII", first + 8, 0, 0, first, 40) + header + palette + rows


def test_bmp_pixels_without_a_palette_are_grey() -> None:
    greys = b"".join(bytes([i, i, i, 0]) for i in range(256))
    for text in (bmp_of_8_bits(2), bmp_of_8_bits(2, greys)):  # as in TensorFlow 2.21
        assert tf.io.decode_bmp(text).numpy().tolist() == [[[255], [9]], [[255], [0]]]
        assert tf.io.decode_image(text).numpy().tolist() == [[[255], [9]], [[255], [0]]]
        assert tf.io.decode_bmp(text, 3).numpy().tolist() == [[[255] * 3, [9] * 3], [[255] * 3, [0] * 3]]
    assert tf.io.decode_bmp(bmp_of_8_bits(-2)).numpy().tolist() == [[[255], [0]], [[255], [9]]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_bmp(bmp_of_8_bits(2)[:-3])


def test_gif_frames() -> None:
    frames = np.stack([np.asarray(m.convert("RGB")) for m in MOVING])
    np.testing.assert_array_equal(tf.io.decode_gif(GIF), frames)
    np.testing.assert_array_equal(tf.io.decode_image(GIF), frames)
    np.testing.assert_array_equal(tf.io.decode_image(GIF, expand_animations=False), frames[0])
    np.testing.assert_array_equal(tf.io.decode_gif(PNG)[0], COLORS)
    one = saved(MOVING[0], format="GIF")
    np.testing.assert_array_equal(tf.io.decode_png(one), frames[0])


@pytest.mark.parametrize(
    ("text", "dtype", "expected"),
    [
        (PNG, tf.uint16, COLORS.astype(np.uint16) * 257),
        (PNG, tf.float32, COLORS / 255),
        (saved(COLORS, format="BMP"), tf.uint16, COLORS.astype(np.uint16) * 256),
        (JPEG, tf.float32, by_pillow(JPEG) / 255),
    ],
    ids=["png16", "png float", "bmp16", "jpeg float"],
)
def test_images_of_another_type(text: bytes, dtype: Any, expected: Any) -> None:
    found = tf.io.decode_image(text, dtype=dtype)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_smaller_and_cut_jpegs() -> None:
    whole = saved(np.kron(COLORS, np.ones((8, 8, 1), np.uint8)), format="JPEG")
    for ratio in (2, 4, 8):
        image = Image.open(io.BytesIO(whole))
        image.draft("RGB", (136 // ratio, 104 // ratio))
        np.testing.assert_array_equal(tf.io.decode_jpeg(whole, ratio=ratio), np.asarray(image))
    part = tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 5, 6], channels=3)
    np.testing.assert_array_equal(part, by_pillow(JPEG)[2:7, 3:9])
    assert tf.io.extract_jpeg_shape(JPEG).numpy().tolist() == [13, 17, 3]
    assert tf.io.extract_jpeg_shape(saved(GREY, format="JPEG"), tf.int64).dtype == tf.int64
    assert [bool(tf.io.is_jpeg(t)) for t in (JPEG, PNG, b"")] == [True, False, False]


def test_a_jpeg_that_was_cut_short_is_read_as_far_as_it_goes_if_asked() -> None:
    text = saved(np.kron(COLORS, np.ones((8, 8, 1), np.uint8)), format="JPEG")
    with pytest.raises(BAD, match="Invalid JPEG data, size .*truncated"):
        tf.io.decode_jpeg(text[: len(text) * 3 // 4])
    found = tf.io.decode_jpeg(text[: len(text) * 3 // 4], try_recover_truncated=True)
    assert found.shape == [104, 136, 3]
    np.testing.assert_array_equal(found[:16, :64], by_pillow(text)[:16, :64])


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tf.io.decode_jpeg(b"garbage"), "Unknown image file format. One of JPEG, PNG, GIF, BMP required."),
        (lambda: tf.io.decode_image(b""), "Input is empty."),
        (lambda: tf.io.decode_png(PNG[:-40]), "Invalid PNG data, size"),
        (lambda: tf.io.decode_jpeg(JPEG, 4), "JPEG does not support 4 channels"),
        (lambda: tf.io.decode_jpeg(JPEG, 5), "`channels` must be 0, 1, 3 or 4 but got 5"),
        (lambda: tf.io.decode_image(JPEG, 2), "`channels` must be 0, 1, 3 or 4 but got 2"),
        (lambda: tf.io.decode_jpeg(JPEG, ratio=3), "ratio must be 1, 2, 4, or 8, got 3"),
        (lambda: tf.io.decode_image(GIF, 1), "channels must be 0 or 3 for GIF, got 1"),
        (lambda: tf.io.decode_png(GIF), "Got 3 frames, but animated gifs can only be decoded by tf.io.decode_gif"),
        (lambda: tf.io.decode_bmp(saved(GREY, format="BMP"), 1), "`channels` must be 0, 3 or 4 for BMP, but got 1"),
        (lambda: tf.io.decode_jpeg([JPEG]), "`contents` must be scalar but got shape[1]"),
        (lambda: tf.io.decode_and_crop_jpeg(JPEG, [2, 3, 50, 6]), "[2, 3, 50, 6] is not within (13, 17)"),
        (lambda: tf.io.extract_jpeg_shape(PNG), "a JPEG file is needed, got PNG"),
        (lambda: tf.io.encode_jpeg(ALPHA), "image must have 1 or 3 channels, got [13,17,4]"),
        (lambda: tf.io.encode_jpeg(GREY[..., 0]), "image must be 3-dimensional[13,17]"),
        (lambda: tf.io.encode_jpeg(COLORS, format="grayscale"), "format grayscale expects 1 channels, got [13,17,3]"),
        (lambda: tf.io.encode_jpeg(COLORS, quality=101), "quality must be in [0,100], got 101"),
        (lambda: tf.io.encode_jpeg(COLORS, density_unit="m"), '"m" is not in the list of allowed values: "in", "cm"'),
        (lambda: tf.io.encode_png(GREY[..., 0]), "images must be at least rank 3[13,17]"),
        (lambda: tf.io.encode_png(np.zeros((2, 2, 5), np.uint8)), "image must have 1, 2, 3, or 4 channels, got 5"),
        (lambda: tf.io.encode_png(GREY, compression=10), "compression should be in [-1,9], got 10"),
    ],
)  # fmt: skip
def test_what_is_refused(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(BAD, match=re.escape(says)):
        call()


def claiming(text: bytes, width: int, height: int) -> bytes:
    """A PNG file whose header says another size, with the right checksum."""
    head = b"IHDR" + struct.pack(">2I", width, height) + text[24:29]
    return text[:12] + head + struct.pack(">I", zlib.crc32(head)) + text[33:]


@pytest.mark.parametrize("size", [(20000, 20000), (2**31 - 1, 2**31 - 1), (8000, 8000)])
def test_no_memory_is_taken_for_a_size_that_a_file_cannot_have(size: tuple[int, int]) -> None:
    text = claiming(saved(COLORS, format="PNG"), *size)
    tracemalloc.start()
    try:
        with pytest.raises(BAD, match="could be decompression bomb|claims to have|Unknown image file format"):
            tf.io.decode_png(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 << 20


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


@pytest.mark.parametrize("channels", [2, 3, 4])
def test_every_sample_of_a_pixel_counts_for_the_size_that_a_file_can_have(channels: int) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (100, 400 // channels, channels), np.uint8)
    text = bytes(tf.io.encode_png(noise).numpy())
    side = math.isqrt(len(text) * 1032 * 3 // 4)  # fewer pixels than bytes that could come out, and more samples
    with pytest.raises(BAD, match="claims to have"):
        tf.io.decode_png(claiming(text, side, side))


def padded(text: bytes) -> bytes:
    """The same image with 60,000 bytes that are no pixels: a comment."""
    if text[:1] == b"\x89":
        return text[:33] + chunk(b"tEXt", b"Comment\0" + b"." * 60_000) + text[33:]
    if text[:3] == b"GIF":
        palette = 13 + (3 << (text[10] & 7) + 1)
        return text[:palette] + b"\x21\xfe" + (b"\xff" + b"." * 255) * 240 + b"\0" + text[palette:]
    return text[:2] + b"\xff\xfe" + struct.pack(">H", 60_002) + b"." * 60_000 + text[2:]


def stretched(text: bytes, side: int) -> bytes:
    """The same file, whose header says that it is a square."""
    if text[:1] == b"\x89":
        return claiming(text, side, side)
    if text[:3] == b"GIF":
        frame = text.index(b",\0\0\0\0" + struct.pack("<2H", 17, 13))
        size = struct.pack("<2H", side, side)
        return text[:6] + size + text[10 : frame + 5] + size + text[frame + 9 :]
    header = text.index(b"\xff\xc0")
    return text[: header + 5] + struct.pack(">2H", side, side) + text[header + 9 :]


@pytest.mark.parametrize("text", [PNG, GIF, JPEG], ids=["png", "gif", "jpeg"])
def test_bytes_that_are_no_pixels_make_no_image_larger(text: bytes) -> None:
    assert np.array_equal(tf.io.decode_image(padded(text)), tf.io.decode_image(text))
    with pytest.raises(BAD, match="claims to have"):
        tf.io.decode_image(stretched(padded(text), 4000))


@pytest.mark.parametrize("interlaced", [False, True])
@pytest.mark.parametrize("channels", [1, 3])
def test_png_data_that_end_before_the_last_row_are_refused(channels: int, interlaced: bool) -> None:
    rows = b"".join(bytes([0, *[row + 1] * 8 * channels]) for row in range(8))
    header = struct.pack(">2I5B", 8, 8, 8, {1: 0, 3: 2}[channels], 0, 0, interlaced)

    def file(data: bytes) -> bytes:
        compressed = zlib.compress(data)
        pieces = chunk(b"IDAT", compressed[:5]) + chunk(b"IDAT", compressed[5:])
        return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + pieces + chunk(b"IEND", b"")

    blank = bytes(8 * 8 * channels + (15 if interlaced else 8))  # a byte for each row of each pass
    assert not np.any(tf.io.decode_png(file(blank)))
    for data in (blank[:-1], rows[: len(rows) // 2], b""):
        with pytest.raises(BAD, match="Invalid PNG data"):
            tf.io.decode_png(file(data))


def test_large_images_that_compress_well_are_read() -> None:
    text = saved(np.zeros((3000, 3000, 1), np.uint8), format="PNG")
    assert len(text) < 20_000
    assert tf.io.decode_png(text).shape == (3000, 3000, 1)


def test_frames_that_claim_more_than_a_file_can_hold_are_refused() -> None:
    text = saved(MOVING[0], format="GIF", save_all=True, append_images=MOVING[1:])
    frame = text.rindex(b",\0\0\0\0" + struct.pack("<2H", 17, 13))
    with pytest.raises(BAD, match=r"Invalid GIF data.*frame 2 60000 x 60000 pixels|decompression bomb"):
        tf.io.decode_gif(text[: frame + 5] + struct.pack("<2H", 60000, 60000) + text[frame + 9 :])


def test_frames_of_a_small_file_take_little_memory() -> None:
    text = saved(MOVING[0], format="GIF", save_all=True, append_images=MOVING[1:])
    tracemalloc.start()
    try:
        with pytest.raises(BAD, match=r"frame 1 2000 x 2000 pixels"):
            tf.io.decode_gif(text[:6] + struct.pack("<2H", 2000, 2000) + text[10:])
        assert tracemalloc.get_traced_memory()[1] < 4 * len(text) + (64 << 20)
    finally:
        tracemalloc.stop()


def test_whatever_pillow_stumbles_over_is_an_invalid_argument() -> None:
    text = saved(MOVING[0], format="GIF", save_all=True, append_images=MOVING[1:])
    for end in range(len(text)):
        with contextlib.suppress(BAD):
            tf.io.decode_gif(text[:end])


def test_encoded_images_are_read_by_pillow() -> None:
    text = tf.io.encode_jpeg(COLORS, quality=80, progressive=True, density_unit="cm", x_density=100, y_density=50)
    image = Image.open(io.BytesIO(text.numpy()))
    assert image.info["progressive"] and image.info["dpi"] == (254, 127) and image.size == (17, 13)
    np.testing.assert_array_equal(tf.io.decode_jpeg(text), np.asarray(image))
    assert len(tf.io.encode_jpeg(COLORS, quality=10).numpy()) < len(tf.io.encode_jpeg(COLORS).numpy())
    many = tf.io.encode_png(np.stack([COLORS, COLORS[::-1]]), compression=9)
    assert many.shape == [2]
    np.testing.assert_array_equal(tf.io.decode_png(many[1]), COLORS[::-1])


def test_shapes_are_known_as_far_as_they_are_said() -> None:
    shapes: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def trace(text: Any) -> Any:
        made = [
            tf.io.decode_jpeg(text),
            tf.io.decode_jpeg(text, 3),
            tf.io.decode_png(text, channels=1),
            tf.io.decode_gif(text),
            tf.io.decode_bmp(text, 3),
            tf.io.decode_image(text),
            tf.io.decode_image(text, 3, expand_animations=False),
            tf.io.extract_jpeg_shape(text),
            tf.io.is_jpeg(text),
            tf.io.encode_png(tf.zeros([2, 4, 4, 3], tf.uint8)),
        ]
        shapes.extend(m.shape.as_list() if m.shape.rank is not None else None for m in made)
        return 0

    trace.get_concrete_function()
    any_size = [None, None]
    assert shapes == [
        [*any_size, None], [*any_size, 3], [*any_size, 1], [None, *any_size, 3], [*any_size, 3], None, [*any_size, 3],
        [3], [], [2],
    ]  # fmt: skip


def test_within_a_dataset() -> None:
    files = tf.data.Dataset.from_tensor_slices([JPEG, PNG])
    decoded = files.map(lambda text: tf.io.decode_image(text, 3, tf.float32, expand_animations=False))
    images = decoded.map(lambda image: tf.image.resize(image, [8, 8]))
    found = list(images.batch(2).as_numpy_iterator())[0]
    assert found.shape == (2, 8, 8, 3) and images.element_spec == tf.TensorSpec([8, 8, 3], tf.float32)
    np.testing.assert_allclose(found[1], tf.image.resize(COLORS / np.float32(255), [8, 8]), atol=1e-6)


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    for call in (lambda: tf.io.decode_jpeg(JPEG), lambda: tf.io.encode_png(GREY)):
        with pytest.raises(ImportError, match=re.escape("pip install 'inlay[data]'")):
            call()
