"""`tf.contrib.layers`: summaries of tensors and of collections of a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math, reductions
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.tf1.summaries import summary_ops

Summarizer = Callable[[Any], Any]


@export("contrib.layers.summarize_tensor")
def summarize_tensor(tensor: Any, tag: str | None = None) -> Tensor | None:
    """A summary of a tensor: a number as it is, others as a histogram.

    Args:
      tensor: a tensor or variable.
      tag: the name; None takes the tensor's.

    Returns:
      The summary; None for strings and bools.
    """
    if not isinstance(getattr(tensor, "dtype", None), DType):
        tensor = convert_to_tensor(tensor)
    if tensor.dtype in (dtypes.string, dtypes.bool_):
        return None
    label = tag or f"{tensor.op.name}_summary"
    return summary_ops.scalar(label, tensor) if tensor.shape.rank == 0 else summary_ops.histogram(label, tensor)


@export("contrib.layers.summarize_activation")
def summarize_activation(op: Any) -> Tensor:
    """A histogram of what an activation makes, and the share of elements that it cuts off.

    Args:
      op: the tensor.

    Returns:
      The histogram.
    """

    def share(compared: Any, what: str) -> None:
        part = reductions.reduce_mean(math.cast(compared, dtypes.float32))
        summary_ops.scalar(f"{op.op.name}/{what}", part)

    if op.op.type in ("Relu", "Softplus", "Relu6"):
        share(math.less(op.op.inputs[0], math.cast(0.0, op.dtype)), "zeros")
    if op.op.type == "Relu6":
        share(math.greater(op.op.inputs[0], math.cast(6.0, op.dtype)), "sixes")
    return summary_ops.histogram(f"{op.op.name}/activation", op)


@export("contrib.layers.summarize_tensors")
def summarize_tensors(tensors: Iterable[Any], summarizer: Summarizer = summarize_tensor) -> list[Any]:
    """Summaries of several tensors.

    Args:
      tensors: the tensors.
      summarizer: a function that makes one of a tensor.
    """
    return [summarizer(tensor) for tensor in tensors]


@export("contrib.layers.summarize_collection")
def summarize_collection(
    collection: str, name_filter: str | None = None, summarizer: Summarizer = summarize_tensor
) -> list[Any]:
    """Summaries of the tensors of a collection.

    Args:
      collection: the graph collection.
      name_filter: a regular expression that names begin with; None for all.
      summarizer: a function that makes one of a tensor.
    """
    tensors = default_graph().get_collection(collection)
    return summarize_tensors(
        [t for t in tensors if name_filter is None or re.match(name_filter, t.op.name)], summarizer
    )


@export("contrib.layers.summarize_variables")
def summarize_variables(name_filter: str | None = None, summarizer: Summarizer = summarize_tensor) -> list[Any]:
    """`summarize_collection` of the global variables."""
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


@export("contrib.layers.summarize_weights")
def summarize_weights(name_filter: str | None = None, summarizer: Summarizer = summarize_tensor) -> list[Any]:
    """`summarize_collection` of `GraphKeys.WEIGHTS`."""
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


@export("contrib.layers.summarize_biases")
def summarize_biases(name_filter: str | None = None, summarizer: Summarizer = summarize_tensor) -> list[Any]:
    """`summarize_collection` of `GraphKeys.BIASES`."""
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


@export("contrib.layers.summarize_activations")
def summarize_activations(name_filter: str | None = None, summarizer: Summarizer = summarize_activation) -> list[Any]:
    """`summarize_collection` of `GraphKeys.ACTIVATIONS`, each by `summarize_activation`."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
