"""Summaries of TensorFlow 2 by kind: numbers, histograms, images, sounds, text.

Each is a tensor and the name of the plugin of TensorBoard that shows it, in the form that the plugin takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.protos.event import SummaryMetadata
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import text as text_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import fill, shape
from inlay._src.ops.asserting import assert_non_negative, assert_rank, assert_scalar, assert_type
from inlay._src.ops.audio import encode_wav
from inlay._src.ops.image_colors import convert_image_dtype
from inlay._src.ops.image_files import encode_png
from inlay._src.ops.joining import concat
from inlay._src.ops.math import cast
from inlay._src.ops.printed_numbers import as_string
from inlay._src.ops.stacking import stack
from inlay._src.programs.control.maps import map_fn
from inlay._src.tf1.summaries.recording import summary_scope, write

_WAV = b"\x10\x0b"
"""The message `AudioPluginData` whose encoding is WAV."""


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> Any:
    plugin_data = SummaryMetadata.PluginData(plugin_name=plugin, content=content)
    described = None if description is None else text_of(description, "description")
    return SummaryMetadata(plugin_data=plugin_data, summary_description=described)


@export("summary.scalar")
def scalar(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Records a number with the writer in force.

    Args:
      name: its name; with the scopes around it is the tag.
      data: a scalar number, recorded as float32.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      description: a description for TensorBoard, in Markdown.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step, or `data` is no scalar.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    with summary_scope(name, "scalar_summary") as (tag, _):
        assert_scalar(data)
        return write(tag, cast(data, dtypes.float32), step, _metadata("scalars", description))


@op(
    "SummaryBuckets",
    "data:float64, count:int32 -> float64",
    infer=lambda s: [(None, 3)],
    lower=REFUSES_VALUES,
    vjp=no_gradient,
)
def _buckets(xp: Any, data: Any, count: Any) -> Any:
    """[count, 3]: the lower end of a bucket, its upper end, and how many values are in it; NaN and infinity in none."""
    values, number = np.asarray(data).ravel(), max(int(count), 0)
    values = values[np.isfinite(values)]
    out = np.zeros((number, 3))
    if not values.size or not number:
        return out
    low, high = values.min(), values.max()
    if high == low:
        out[:, :2], out[-1, 2] = high, values.size
        return out
    width = (high - low) / number
    out[:, 0] = low + width * np.arange(number)
    out[:-1, 1], out[-1, 1] = out[1:, 0], high
    at = np.minimum(np.floor((values - low) / width).astype(np.int64), number - 1)
    out[:, 2] = np.bincount(at, minlength=number)
    return out


@export("summary.histogram")
def histogram(name: str, data: Any, step: Any = None, buckets: Any = None, description: str | None = None) -> Tensor:
    """Records how the values of a tensor are spread with the writer in force.

    Args:
      name: its name; with the scopes around it is the tag.
      data: numbers of any shape. Those that are not finite are not counted, where TensorFlow counts none then.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      buckets: into how many parts of one width the values are sorted; 30 if None.
      description: a description for TensorBoard, in Markdown.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    with summary_scope(name, "histogram_summary") as (tag, _):
        count = convert_to_tensor(30 if buckets is None else buckets, dtypes.int32)
        assert_scalar(count)
        return write(
            tag, lambda: _buckets(cast(data, dtypes.float64), count), step, _metadata("histograms", description)
        )


@export("summary.image")
def image(
    name: str, data: Any, step: Any = None, max_outputs: Any = 3, description: str | None = None
) -> Tensor:  # fmt: skip
    """Records images, as PNG files, with the writer in force.

    Args:
      name: its name; with the scopes around it is the tag.
      data: [batch, height, width, channels] with 1 to 4 channels, of uint8, or of floats, which are clipped to the
        range from 0 to 1.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      max_outputs: the largest number of images.
      description: a description for TensorBoard, in Markdown.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step, or for another rank.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """

    def files() -> Any:
        assert_rank(data, 4)
        assert_non_negative(max_outputs)
        images = convert_image_dtype(data, dtypes.uint8, saturate=True)
        size = shape(images)
        sides = stack([as_string(size[2]), as_string(size[1])])
        return concat([sides, encode_png(images[:max_outputs])], 0)

    with summary_scope(name, "image_summary") as (tag, _):
        return write(tag, files, step, _metadata("images", description))


@export("summary.audio")
def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Records sounds, as WAV files, with the writer in force.

    Args:
      name: its name; with the scopes around it is the tag.
      data: [batch, frames, channels] of float32 between -1 and 1.
      sample_rate: frames a second, a scalar.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      max_outputs: the largest number of sounds.
      encoding: "wav", or None.
      description: a description for TensorBoard, in Markdown.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      ValueError: if there is a writer and no step, for another rank, or another encoding.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def files() -> Any:
        assert_rank(data, 3)
        assert_non_negative(max_outputs)
        sounds = map_fn(
            lambda one: encode_wav(one, sample_rate), convert_to_tensor(data)[:max_outputs], dtype=dtypes.string
        )
        return stack([sounds, fill(shape(sounds), "")], 1)  # TensorBoard takes a label beside each

    with summary_scope(name, "audio_summary") as (tag, _):
        return write(tag, files, step, _metadata("audio", description, _WAV))


@export("summary.text")
def text(name: str, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Records text with the writer in force; TensorBoard shows it as Markdown, vectors and matrices as tables.

    Args:
      name: its name; with the scopes around it is the tag.
      data: strings of any shape.
      step: the number of the step, a scalar; that of `as_default` or `set_step` if None.
      description: a description for TensorBoard, in Markdown.

    Returns:
      A bool tensor: whether it was recorded; False without a writer.

    Raises:
      TypeError: for another type.
      ValueError: if there is a writer and no step.
      ResourceExhaustedError, FailedPreconditionError: if the file could not be written.
    """
    with summary_scope(name, "text_summary") as (tag, _):
        words = convert_to_tensor(data)
        assert_type(words, dtypes.string)
        return write(tag, words, step, _metadata("text", description))
