"""1.x signatures of functions whose 2.x form takes other arguments in other places."""

from __future__ import annotations

from typing import Any

from inlay.export import export
from inlay.ops import extremes, reductions, segments
from inlay.types import dtypes


@export("compat.v1.argmax")
def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Any:
    """Where the greatest element along `axis` (0 if None) stands.

    Args:
      input: real numbers.
      axis: one axis.
      name: the node's name.
      dimension: another name of `axis`.
      output_type: an integer type.
    """
    return extremes.argmax(input, axis, output_type, name, dimension)


@export("compat.v1.argmin")
def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Any:
    """Where the least element along `axis` (0 if None) stands.

    Args:
      input: real numbers.
      axis: one axis.
      name: the node's name.
      dimension: another name of `axis`.
      output_type: an integer type.
    """
    return extremes.argmin(input, axis, output_type, name, dimension)


@export("compat.v1.arg_max")
def arg_max(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """`argmax` under its oldest name."""
    return extremes.argmax(input, dimension, output_type, name)


@export("compat.v1.arg_min")
def arg_min(input: Any, dimension: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """`argmin` under its oldest name."""
    return extremes.argmin(input, dimension, output_type, name)


@export("compat.v1.count_nonzero")
def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: Any = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
    input: Any = None,
) -> Any:
    """How many elements over `axis` (all axes if None) are not zero.

    Args:
      input_tensor, input: any tensor.
      axis, reduction_indices: an axis or a list of them.
      keepdims, keep_dims: whether reduced axes stay, with size 1.
      dtype: the type of the count.
      name: the node's name.
    """
    return reductions.count_nonzero(
        input_tensor if input is None else input,
        axis,
        keepdims,
        dtype,
        name,
        reduction_indices=reduction_indices,
        keep_dims=keep_dims,
    )


@export("compat.v1.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Any:
    """How often each label (row) was predicted as each class (column).

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: how many classes; as many as occur if None.
      dtype: the type of the result.
      name: the node's name.
      weights: how much each pair counts; 1 if None.
    """
    return segments.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)
