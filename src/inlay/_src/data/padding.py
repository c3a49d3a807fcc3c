"""Batches of elements that are padded to one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import TensorShape, bracketed
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import static_value_of
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.data.batching import BatchCursor, BatchingNode
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.sizes import size_tensor, static_size
from inlay._src.data.spec import DatasetSpec
from inlay._src.data.stacking import gathering
from inlay._src.ops.math import cast


@graph_form("", f"int64 bool {CAPTURES}")
class PaddedBatchNode(BatchingNode):
    """Consecutive elements stacked along a new first axis, each component padded to one shape.

    Args:
      source, size, drop_remainder, static: see `BatchingNode`.
      shapes: an int64 vector for each component; -1 is the longest of the batch.
      padding: a scalar for each component.
      partial: the partial shape of each component when it is padded.
    """

    __slots__ = ()
    name = "_PaddedBatchDataset"

    def __init__(
        self,
        source: Node,
        size: Any,
        drop_remainder: Any,
        static: int | None,
        shapes: Sequence[Any],
        padding: Sequence[Any],
        partial: Sequence[TensorShape],
    ) -> None:
        leaves = zip(source.element.leaves, partial, strict=True)
        specs = [TensorSpec(TensorShape([static]).concatenate(shape), leaf.dtype) for leaf, shape in leaves]
        spec = nest.pack_sequence_as(source.element.spec, specs)
        super().__init__(spec, (source,), (size, drop_remainder, *shapes, *padding))

    def cursor(self, iteration: Iteration) -> Cursor:
        rest = iteration.values(self.tensors[2:])
        count = len(rest) // 2
        shapes = [[int(n) for n in shape] for shape in rest[:count]]
        negative = next((n for shape in shapes for n in shape if n < -1), None)
        if negative is not None:
            raise errors.InvalidArgumentError(None, None, f"Dimension {negative} must be >= -1")
        pad = Pad(shapes, rest[count:])
        return BatchCursor(self.inputs[0].cursor(iteration), gathering(pad), *self.sizes(iteration))


class Pad:
    """Stacks the values of elements, each component padded to one shape.

    Args:
      shapes: the shape of each component; -1 is the longest.
      padding: the padding value of each.
    """

    __slots__ = ("_padding", "_shapes")

    def __init__(self, shapes: Sequence[Sequence[int]], padding: Sequence[Any]) -> None:
        self._shapes, self._padding = shapes, padding

    def __call__(self, elements: Sequence[Values]) -> Values:
        """The values of a batch.

        Raises:
          InvalidArgumentError: if an element has another rank than the padded shape.
          DataLossError: if an element is longer than the padded shape.
        """
        parts = zip(*elements, strict=True)
        return [self._component(at, part) for at, part in enumerate(parts)]

    def _component(self, at: int, part: Sequence[Any]) -> Any:
        wanted = self._shapes[at]
        shapes = [np.shape(value) for value in part]
        for i, shape in enumerate(shapes):
            if len(shape) != len(wanted):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"All elements in a batch must have the same rank as the padded shape for component{at}: expected "
                    f"rank {len(wanted)} but got element with rank {len(shape)} (element {i} of the batch, shape "
                    f"{bracketed(shape)}).",
                )
        longest = [max(lengths) for lengths in zip(*shapes, strict=True)]
        full = tuple(long if n == -1 else n for n, long in zip(wanted, longest, strict=True))
        for i, shape in enumerate(shapes):
            if any(n > most for n, most in zip(shape, full, strict=True)):
                raise errors.DataLossError(
                    None,
                    None,
                    f"Attempted to pad to a smaller size than the input element. Component {at} of element {i} of the "
                    f"batch has shape {bracketed(shape)}, the padded shape is {bracketed(full)}.",
                )
        kind = getattr(part[0], "dtype", None)
        out = np.empty((len(part), *full), np.dtype(object) if kind is None or kind.kind in "OS" else kind)
        out[...] = self._padding[at]
        for i, (value, shape) in enumerate(zip(part, shapes, strict=True)):
            place: Any = (i, *[slice(n) for n in shape], ...)  # a string is an array of rank 0
            out[place] = value
        return out


def padded(spec: Any, padded_shapes: Any, padding_values: Any) -> tuple[list[Any], list[Any], list[TensorShape]]:
    """The padded shapes, the values to pad with, and what is known of the shapes; see `Dataset.padded_batch`.

    Args:
      spec: of the elements.
      padded_shapes, padding_values: as the user gave them.

    Raises:
      TypeError: if a component is no tensor, or a value to pad with has another dtype.
      ValueError: if a shape is missing or does not fit, or a value to pad with is no scalar.
    """
    leaves = nest.flatten(spec)
    for leaf in leaves:
        if isinstance(leaf, DatasetSpec):
            raise TypeError("`padded_batch` is not supported for datasets of datasets")
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                "`padded_batch` is only supported for datasets that produce tensor elements but type spec of elements "
                f"in the input dataset is not a subclass of TensorSpec: `{leaf!r}`."
            )
    if padded_shapes is None:
        for i, leaf in enumerate(leaves):
            if leaf.shape.rank is None:
                raise ValueError(f"You must provide `padded_shapes` argument because component {i} has unknown rank.")
        shapes = [leaf.shape for leaf in leaves]
    else:
        shapes = nest.flatten_up_to(spec, padded_shapes)
    one = padding_values is not None and not nest.is_nested(padding_values)
    values = [padding_values] * len(leaves) if one else _padding_values(spec, padding_values)
    pairs = [_shape(s, leaf) for s, leaf in zip(shapes, leaves, strict=True)]
    return (
        [tensor for tensor, _ in pairs],
        [_padding(v, leaf.dtype) for v, leaf in zip(values, leaves, strict=True)],
        [static for _, static in pairs],
    )


def _padding_values(spec: Any, values: Any) -> list[Any]:
    """The values to pad with, one for each component; None is for all components that are there."""
    if values is None:
        return [None] * len(nest.flatten(spec))
    if not nest.is_nested(spec) or not nest.is_nested(values):
        return nest.flatten_up_to(spec, values)
    children = [child for _, child in nest._items(spec)]
    parts = nest.flatten_up_to(nest._like(spec, [0] * len(children)), values)
    return [value for child, part in zip(children, parts, strict=True) for value in _padding_values(child, part)]


def _shape(shape: Any, leaf: TensorSpec) -> tuple[Any, TensorShape]:
    """A padded shape as an int64 vector, and what is known of it."""
    if isinstance(shape, int):
        shape = [shape]
    if isinstance(shape, TensorShape) or (isinstance(shape, (list, tuple)) and any(n is None for n in shape)):
        shape = [-1 if n is None else n for n in TensorShape(shape).as_list()]
    empty = isinstance(shape, (list, tuple)) and not shape
    tensor: Any = convert_to_tensor(shape, dtypes.int64 if empty else None)
    fault = f"Padded shape {shape} must be a `tf.int64` vector tensor, but its"
    if tensor.shape.rank not in (None, 1):
        raise ValueError(f"{fault} shape was {tuple(tensor.shape.as_list())}.")
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"{fault} element type was {tensor.dtype.name}.")
    tensor = cast(tensor, dtypes.int64)
    symbolic = isinstance(tensor, SymbolicTensor)
    numbers = static_value_of(tensor) if symbolic else value_of(tensor)
    if numbers is None:
        static = TensorShape(None if tensor.shape.num_elements() is None else [None] * tensor.shape[0])
    else:  # a negative number of a graph is refused where it runs
        static = TensorShape([None if n == -1 or (symbolic and n < 0) else n for n in numbers.tolist()])
    pairs = list(zip(static.as_list(), leaf.shape.as_list(), strict=False)) if static.rank and leaf.shape.rank else []
    ranks = {static.rank, leaf.shape.rank} - {None}
    if len(ranks) > 1 or any(n is not None and m is not None and n < m for n, m in pairs):
        raise ValueError(
            f"The padded shape {static} is not compatible with the shape {leaf.shape} of the corresponding input "
            "component."
        )
    return tensor, static


def _padding(value: Any, kind: Any) -> Any:
    """A value to pad with as a scalar of the component's dtype; None is zero, or the empty string."""
    if value is None:
        return convert_to_tensor(b"" if kind is dtypes.string else np.zeros((), kind.as_numpy_dtype)[()], kind)
    if nest.is_nested(value):
        raise TypeError(f"Invalid `padding_values`. Expected one scalar for a component, got {value!r}.")
    scalar = convert_to_tensor(value)
    if scalar.shape.rank not in (None, 0):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {scalar.shape}."
        )
    if scalar.dtype is not kind:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {scalar.dtype} does not match type {kind} of "
            "the corresponding input component."
        )
    return scalar


def padded_batch(
    source: Node,
    batch_size: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Node:
    """Pads each component to one shape and stacks consecutive elements along a new first axis.

    Args:
      batch_size: the number of elements per batch, an int64 scalar.
      padded_shapes: a nest of shapes like the elements; a size None or -1 is that of the longest element of the batch.
        None takes the static shapes of the components.
      padding_values: a nest of scalars like the elements; None is zero, or the empty string. One scalar is used for
        all components.
      drop_remainder: whether to drop a last batch that is smaller, a bool scalar.

    Raises:
      ValueError: if a shape is neither static nor given, or incompatible with the component.
      TypeError: if a component is no tensor, or if the dtype of a padding value differs from that of the component.
      InvalidArgumentError: during iteration, if the rank of an element differs from that of the padded shape.
      DataLossError: during iteration, if an element is longer than the padded shape.
    """
    shapes, padding, partial = padded(source.element.spec, padded_shapes, padding_values)
    static, drop = static_size(batch_size, drop_remainder), convert_to_tensor(drop_remainder, dtypes.bool_)
    size = size_tensor(batch_size, "Batch size", 1)
    return PaddedBatchNode(source, size, drop, static, shapes, padding, partial)
