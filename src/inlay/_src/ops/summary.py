"""Values as summaries, the messages of TensorBoard, in the words of TensorFlow 1: each op gives one as a string."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import bracketed
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import scalar
from inlay._src.core.signature import AtLeast
from inlay._src.core.values import boxed
from inlay._src.ops.audio import wav_of
from inlay._src.ops.image_files import png_of
from inlay._src.ops.serialized import tensor_message

_DARK = 1e-6
"""An image whose values are all nearer to zero than this is black."""


def _summary() -> Any:
    from inlay._src.base.protos.event import Summary

    return Summary()


def _written(summary: Any) -> Any:
    return boxed(summary.SerializeToString())


def _text(tag: Any) -> str:
    return np.asarray(tag).item().decode()


@op("ScalarSummary", "tags:string, values:T -> string", types=dtypes.REALS, infer=scalar, lower=REFUSES_VALUES)
def scalar_summary(xp, tags, values):
    """Numbers, each under its tag."""
    if np.shape(tags) != np.shape(values) and np.size(tags) != 1:
        raise ValueError(
            f"tags and values are not the same shape: {bracketed(np.shape(tags))} != {bracketed(np.shape(values))}"
        )
    numbers = np.asarray(values).ravel()
    if np.size(tags) != numbers.size:
        raise ValueError(
            f"a scalar summary has one value for each tag: {np.size(tags)} tags, values of shape "
            f"{bracketed(np.shape(values))}"
        )
    summary = _summary()
    for tag, value in zip(np.asarray(tags).ravel(), numbers, strict=True):
        summary.value.add(tag=tag.decode(), simple_value=float(value))
    return _written(summary)


# ---------------------------------------------------------------- histograms


@functools.cache
def _limits() -> np.ndarray:
    """The upper limits of the buckets: 1e-12 and up, each a tenth above the one before, and as many below zero.

    As in TensorFlow's `histogram.cc`.
    """
    above, limit = [], 1.0e-12
    while limit < 1.0e20:
        above.append(limit)
        limit *= 1.1
    above.append(np.finfo(np.float64).max)
    return np.array([-v for v in reversed(above)] + [0.0] + above)


def histogram(values: np.ndarray) -> Any:
    """The distribution of values as a `HistogramProto`; of consecutive empty buckets only the last is listed.

    Args:
      values: a vector of float64, finite.
    """
    from inlay._src.base.protos.event import HistogramProto

    limits = _limits()
    proto = HistogramProto(min=limits[-1], max=limits[0], num=len(values))
    if not len(values):
        proto.bucket_limit.append(limits[-1])
        proto.bucket.append(0.0)
        return proto
    proto.min, proto.max = values.min(), values.max()
    # One after the other, as TensorFlow adds: other orders end in other digits.
    proto.sum, proto.sum_squares = np.cumsum(values)[-1], np.cumsum(values * values)[-1]
    at = np.searchsorted(limits[:-1], values, side="right")
    counts = np.bincount(at, minlength=len(limits))
    last = np.append(counts[1:] > 0, True)
    listed = (counts > 0) | last
    proto.bucket_limit.extend(limits[listed].tolist())
    proto.bucket.extend(counts[listed].astype(float).tolist())
    return proto


@op("HistogramSummary", "tag:string, values:T -> string", types=dtypes.REALS, infer=scalar, lower=REFUSES_VALUES)
def histogram_summary(xp, tag, values):
    """The distribution of values as a summary."""
    flat = np.asarray(values).astype(np.float64).ravel()
    for bad, word in ((np.isnan, "Nan"), (np.isinf, "Infinity")):
        if bad(flat).any():
            raise ValueError(f"{word} in summary histogram for: {_text(tag)}")
    summary = _summary()
    summary.value.add(tag=_text(tag), histo=histogram(flat))
    return _written(summary)


# ---------------------------------------------------------------- images


def _pixels(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    """An image of floats as one of bytes: 0 is black, or grey if there are values below; the largest is white.

    As in TensorFlow's `summary_image_op.cc`.

    Args:
      image: [height, width, channels].
      bad_color: the color of points with a value that is not finite.
    """
    good = np.isfinite(image).all(2)
    seen = image[good].astype(np.float32)
    low, high = (seen.min(), seen.max()) if seen.size else (np.float32(np.inf), np.float32(-np.inf))
    if low < 0:
        most, span, zero = max(abs(low), abs(high)), 127.0, 128.0
    else:
        most, span, zero = high, 255.0, 0.0
    kind = image.dtype.type
    scale = kind(0.0 if most < _DARK else np.float32(span) / most)
    out = np.empty(image.shape, np.uint8)
    out[good] = (image[good] * scale + kind(zero)).astype(np.uint8)
    out[~good] = bad_color
    return out


_RED = np.array([255, 0, 0, 255], np.uint8)
_PIXELS = frozenset({dtypes.uint8, dtypes.float16, dtypes.float32, dtypes.float64})


@op(
    "ImageSummary",
    "tag:string, tensor:T -> string",
    types=_PIXELS,
    infer=scalar,
    lower=REFUSES_VALUES,
    attrs={"max_images": AtLeast(1)},
)
def image_summary(xp, tag, tensor, *, max_images=3, bad_color=_RED):
    """Images of a batch."""
    if np.ndim(tensor) != 4 or np.shape(tensor)[3] not in (1, 3, 4):
        raise ValueError(
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {bracketed(np.shape(tensor))}: "
            "[batch, height, width, channels]"
        )
    if max_images < 1:
        raise ValueError(f"max_images must be >= 1, got {max_images}")
    _, height, width, channels = np.shape(tensor)
    color = np.asarray(bad_color, np.uint8)[:channels]
    summary = _summary()
    for k, image in enumerate(np.asarray(tensor)[:max_images]):
        value = summary.value.add(tag=_numbered(tag, "image", k, max_images))
        pixels = image if image.dtype == np.uint8 else _pixels(image, color)
        value.image.height, value.image.width, value.image.colorspace = height, width, channels
        value.image.encoded_image_string = png_of(pixels, -1)
    return _written(summary)


def _numbered(tag: Any, kind: str, k: int, most: int) -> str:
    return f"{_text(tag)}/{kind}" if most == 1 else f"{_text(tag)}/{kind}/{k}"


@op(
    "AudioSummaryV2", "tag:string, tensor:float32, sample_rate:float32 -> string", infer=scalar,
    lower=REFUSES_VALUES, attrs={"max_outputs": AtLeast(1)},
)  # fmt: skip
def audio_summary(xp, tag, tensor, sample_rate, *, max_outputs=3):
    """Sounds of a batch."""
    if np.ndim(tensor) not in (2, 3):
        raise ValueError(
            f"Tensor must be 3-D or 2-D, got: {bracketed(np.shape(tensor))}: [batch, frames] or [batch, frames, "
            "channels]"
        )
    if max_outputs < 1:
        raise ValueError(f"max_outputs must be >= 1, got {max_outputs}")
    if np.size(sample_rate) != 1:
        raise ValueError(f"sample_rate must be a scalar, got shape {list(np.shape(sample_rate))}")
    rate = np.asarray(sample_rate).item()
    sounds = np.asarray(tensor).reshape(*np.shape(tensor)[:2], -1)
    summary = _summary()
    for k, sound in enumerate(sounds[:max_outputs]):
        value = summary.value.add(tag=_numbered(tag, "audio", k, max_outputs))
        value.audio.sample_rate = float(rate)
        value.audio.length_frames, value.audio.num_channels = sound.shape
        value.audio.content_type = "audio/wav"
        value.audio.encoded_audio_string = wav_of(sound, int(rate))
    return _written(summary)


# ---------------------------------------------------------------- tensors, several


@op(
    "TensorSummaryV2",
    "tag:string, tensor:T, serialized_summary_metadata:string -> string",
    types=dtypes.DENSE,
    infer=scalar,
)
def tensor_summary(xp, tag, tensor, serialized_summary_metadata):
    """A tensor as it is."""
    summary = _summary()
    add_tensor(summary, _text(tag), tensor, np.asarray(serialized_summary_metadata).item())
    return _written(summary)


def add_tensor(summary: Any, tag: str, tensor: Any, metadata: bytes | None) -> None:
    """Adds a tensor to a summary.

    Args:
      summary: a message `Summary`.
      tag: its tag.
      tensor: an array.
      metadata: a `SummaryMetadata` as bytes, or None.
    """
    array = np.asarray(tensor)
    kind = dtypes.string if array.dtype == object else dtypes.FROM_NUMPY[array.dtype]
    value = summary.value.add(tag=tag, tensor=tensor_message(array, kind))
    if metadata is not None:
        value.metadata.ParseFromString(metadata)
        value.metadata.SetInParent()


@op("MergeSummary", "inputs:*S -> string", types={"S": frozenset({dtypes.string})}, infer=scalar, lower=REFUSES_VALUES)
def merge_summary(xp, inputs):
    """The values of several summaries as one."""
    summary, seen = _summary(), set[str]()
    for text in inputs:
        for one in np.asarray(text).ravel():
            part = _summary()
            part.ParseFromString(one)
            for value in part.value:
                if value.tag in seen:
                    raise ValueError(f"Duplicate tag {value.tag} found in summary inputs")
                seen.add(value.tag)
            summary.MergeFrom(part)
    return _written(summary)
