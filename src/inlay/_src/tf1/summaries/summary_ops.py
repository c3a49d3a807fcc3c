"""Summary ops of TensorFlow 1: values in graphs made summaries, which a `FileWriter` takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SummaryDescription, SummaryMetadata
from inlay._src.base.protos.text import from_json
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.context import executing_eagerly_outside_functions, name_scope
from inlay._src.core.eager.attributes import text as text_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import expand_dims
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.tf1.summaries import recording, typed

_BAD = re.compile(r"[^-/\w\.]")


def _cleaned(name: str | None) -> str | None:
    """A name without the characters that names of nodes may not have."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise TypeError(f"The name of a summary must be a string, got {type(name).__name__}.")
    cleaned = _BAD.sub("_", name).lstrip("/")
    if cleaned != name:
        messages.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def _scope(name: str, family: str | None, default: str | None = None) -> Iterator[tuple[str, str]]:
    """(the tag of a summary, its name scope), both unique in a graph."""
    name, family = _cleaned(name) or "", _cleaned(family)
    base = name if family is None else f"{family}/{name}"
    with name_scope(base or None, default) as scope:
        tag = scope.rstrip("/")
        yield tag if family is None else f"{family}/{tag}", scope


def _collected(summary: Any, collections: Any, otherwise: tuple[str, ...] = (GraphKeys.SUMMARIES,)) -> Any:
    """A summary, listed in collections of its graph."""
    if not context.executing_eagerly():
        for key in otherwise if collections is None else collections:
            graphs.default_graph().add_to_collection(key, summary)
    return summary


def _step_for_writer() -> Any:
    """The step at which the writer in force is to record a 1.x summary; None if the summary is made as in 1.x.

    Under TensorFlow 2's behavior a program of 1.x whose summaries nobody fetches writes them, if it set a writer.
    """
    if not executing_eagerly_outside_functions() or not recording.has_default_writer():
        return None
    return recording.step_in_force()


@contextmanager
def _tag_for_writer(name: str, family: str | None) -> Iterator[str]:
    with _scope(name, family) as (tag, _), name_scope(None):
        yield tag


def _emitted(kind: str, inputs: tuple[Any, ...], scope: str, **attrs: Any) -> Any:
    return emit(OPS[kind], inputs, attrs, scope)


@export("compat.v1.summary.scalar")
def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A number as a summary.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag.
      tensor: a scalar number.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.
      family: comes before the tag, and gathers tags in TensorBoard.

    Returns:
      A scalar string, the `Summary`; an empty one where a writer of TensorFlow 2 recorded it.
    """
    if (step := _step_for_writer()) is not None:
        with _tag_for_writer(name, family) as tag:
            typed.scalar(tag, tensor, step)
        return convert_to_tensor(b"")
    with _scope(name, family) as (tag, scope):
        return _collected(_emitted("ScalarSummary", (tag, tensor), scope), collections)


@export("compat.v1.summary.image")
def image(
    name: str, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:  # fmt: skip
    """Images as a summary of PNG files.

    Floats are scaled, image by image: the largest value is white, and 0 is black, or grey if there are values below.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag, which "/image" follows, and a
        number if there may be several.
      tensor: [batch, height, width, channels] of uint8 or float32, with 1, 3 or 4 channels.
      max_outputs: the largest number of images.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.
      family: comes before the tag, and gathers tags in TensorBoard.

    Returns:
      A scalar string, the `Summary`; an empty one where a writer of TensorFlow 2 recorded it.

    Raises:
      InvalidArgumentError: for another shape, when it runs.
    """
    if (step := _step_for_writer()) is not None:
        with _tag_for_writer(name, family) as tag:
            typed.image(tag, tensor, step, max_outputs)
        return convert_to_tensor(b"")
    with _scope(name, family) as (tag, scope):
        return _collected(_emitted("ImageSummary", (tag, tensor), scope, max_images=max_outputs), collections)


@export("compat.v1.summary.histogram")
def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """The histogram of a tensor's values, as a summary.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag.
      values: numbers of any shape.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.
      family: comes before the tag, and gathers tags in TensorBoard.

    Returns:
      A scalar string, the `Summary`; an empty one where a writer of TensorFlow 2 recorded it.

    Raises:
      InvalidArgumentError: for a value that is not finite, when it runs.
    """
    if (step := _step_for_writer()) is not None:
        with _tag_for_writer(name, family) as tag:
            typed.histogram(tag, values, step)
        return convert_to_tensor(b"")
    with _scope(name, family, "HistogramSummary") as (tag, scope):
        return _collected(_emitted("HistogramSummary", (tag, values), scope), collections)


@export("compat.v1.summary.audio")
def audio(
    name: str, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:
    """Sounds as a summary of WAV files.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag, which "/audio" follows, and a
        number if there may be several.
      tensor: [batch, frames] or [batch, frames, channels] of float32 between -1 and 1.
      sample_rate: frames a second, a scalar.
      max_outputs: the largest number of sounds.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.
      family: comes before the tag, and gathers tags in TensorBoard.

    Returns:
      A scalar string, the `Summary`; an empty one where a writer of TensorFlow 2 recorded it.

    Raises:
      InvalidArgumentError: for another shape, when it runs.
    """
    if (step := _step_for_writer()) is not None:
        sounds = convert_to_tensor(tensor)
        with _tag_for_writer(name, family) as tag:
            typed.audio(
                tag, expand_dims(sounds, 2) if sounds.shape.rank == 2 else sounds, sample_rate, step, max_outputs
            )
        return convert_to_tensor(b"")
    with _scope(name, family) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        return _collected(_emitted("AudioSummaryV2", (tag, tensor, rate), scope, max_outputs=max_outputs), collections)


@export("compat.v1.summary.text")
def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Text as a summary; TensorBoard shows it as Markdown, and vectors and matrices as tables.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag.
      tensor: strings of any shape.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.

    Returns:
      A scalar string, the `Summary`; an empty one where a writer of TensorFlow 2 recorded it.

    Raises:
      ValueError: if it is not of type string.
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype is not dtypes.string:
        raise ValueError(f"Expected tensor {tensor!r} to have dtype string, got {tensor.dtype}")
    if (step := _step_for_writer()) is not None:
        typed.text(name, tensor, step)
        return convert_to_tensor(b"")
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text"))
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


@export("compat.v1.summary.tensor_summary")
def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A tensor as a summary.

    Args:
      name: the node's name; with the scopes around, and made unique, it is the tag.
      tensor: of any type and shape.
      summary_description: a description for TensorBoard, in Markdown.
      collections: the graph's collections that list it; `GraphKeys.SUMMARIES` if None.
      summary_metadata: a `SummaryMetadata`, which names the plugin that shows it.
      family: comes before the tag, and gathers tags in TensorBoard.
      display_name: its name in TensorBoard, in place of the tag.

    Returns:
      A scalar string, the `Summary`.
    """
    metadata = SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_description is not None:
        metadata.summary_description = text_of(summary_description, "summary_description")
    if display_name is not None:
        metadata.display_name = text_of(display_name, "display_name")
    with _scope(name, family) as (tag, scope):
        operands = (tag, tensor, metadata.SerializeToString())
        return _collected(_emitted("TensorSummaryV2", operands, scope), collections)


@export("summary.merge")
def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """Several summaries as one.

    Args:
      inputs: the results of summary ops.
      collections: the graph's collections that list it; none if None.
      name: the node's name.

    Returns:
      A scalar string, the `Summary`.

    Raises:
      RuntimeError: while executing eagerly.
      InvalidArgumentError: if a tag occurs twice, when it runs.
    """
    _refuse_eager()
    name = _cleaned(name)
    with name_scope(name, "Merge"):
        return _collected(_emitted("MergeSummary", (list(inputs),), name or "MergeSummary"), collections, ())


@export("summary.merge_all")
def merge_all(key: Any = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """All summaries of the default graph as one.

    Args:
      key: the collection that lists them.
      scope: takes those only whose name matches it, as a regular expression.
      name: the node's name.

    Returns:
      A scalar string, the `Summary`; None if there are none.

    Raises:
      RuntimeError: while executing eagerly.
    """
    _refuse_eager()
    summaries = graphs.default_graph().get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def _refuse_eager() -> None:
    if context.executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution: build a graph, or record with "
            "tf.summary.create_file_writer(logdir).as_default(step=...)"
        )


@export("summary.get_summary_description")
def get_summary_description(node_def: Any) -> ProtoMessage:
    """The description of the node of an old `TensorSummary`.

    Args:
      node_def: a `NodeDef`.

    Returns:
      A `SummaryDescription`.

    Raises:
      ValueError: for another node.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    return from_json(SummaryDescription, node_def.attr["description"].s.decode())
