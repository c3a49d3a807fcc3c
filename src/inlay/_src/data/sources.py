"""Sources: datasets that read no other one."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.element import Element, Values, blocks_of, of_tensors, row_spec, rows_of, static_row_counts
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.node import INFINITE, Counted, Cursor, Iteration, Node
from inlay._src.data.pipeline import Pipeline
from inlay._src.data.sizes import size_tensor
from inlay._src.data.spec import Bound, DatasetSpec, shared_spec

LAST = 2**63 - 1
"""The largest int64: a range up to it counts as infinite, as in TensorFlow."""


def _read_range(message: Any) -> Node:
    start, stop, step = message.tensors
    return RangeNode(start, stop, step, message.element().leaves[0].dtype)


@graph_form("RangeDataset", "int64 int64 int64", inputs=0, read=_read_range)
class RangeNode(Node):
    """Numbers from `start` up to `stop`, `step` apart.

    Raises:
      InvalidArgumentError: if the step is 0, now or, if it is not known yet, while it is iterated.
    """

    __slots__ = ()
    name = "_RangeDataset"

    def __init__(self, start: Any, stop: Any, step: Any, dtype: Any) -> None:
        if isinstance(step, EagerTensor):
            _checked_step(value_of(step))
        super().__init__(TensorSpec((), dtype), (), (start, stop, step))

    def check(self, iteration: Iteration) -> None:
        _checked_step(iteration.value(self.tensors[2]))

    def cursor(self, iteration: Iteration) -> Cursor:
        start, stop, step = map(iteration.number, self.tensors)
        kind, count = self.element.leaves[0].dtype.as_numpy_dtype, _steps(start, stop, step)

        def many(first: int, last: int) -> Values:
            return [(np.arange(first, last) * step + start).astype(kind, copy=False)]

        whole = np.dtype(kind).kind == "i" and _holds(kind, start) and _holds(kind, start + (count - 1) * step)
        return Counted(count, lambda i: [kind(start + i * step)], many if whole else None)

    def cardinality(self, iteration: Iteration) -> int:
        start, stop, step = map(iteration.number, self.tensors)
        return INFINITE if stop == LAST else min(_steps(start, stop, step), LAST)


def _steps(start: int, stop: int, step: int) -> int:
    """The number of elements of a range: `len`, which has an upper bound."""
    return max(0, -((start - stop) // _checked_step(step)))


def _checked_step(step: Any) -> int:
    if step == 0:
        raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
    return int(step)


def _holds(kind: Any, number: int) -> bool:
    """Whether an integer type has a number."""
    info = np.iinfo(kind)
    return bool(info.min <= number <= info.max)


@graph_form("", CAPTURES, inputs=0)
class CountNode(Node):
    """Numbers from `start` on, `step` apart, without end."""

    __slots__ = ()
    name = "ScanDataset"

    def __init__(self, start: Any, step: Any, dtype: Any) -> None:
        super().__init__(TensorSpec((), dtype), (), (start, step))

    def cursor(self, iteration: Iteration) -> Cursor:
        start, step = (value.item() for value in iteration.values(self.tensors))
        kind = self.element.leaves[0].dtype.as_numpy_dtype
        return Counted(sys.maxsize, lambda i: [kind(start + i * step)])

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE


@graph_form("TensorDataset", CAPTURES, inputs=0, read=lambda m: TensorsNode(m.components(), m.tensors))
class TensorsNode(Node):
    """One element.

    Args:
      spec: its spec.
      components: its flat tensors.
    """

    __slots__ = ()
    name = "_TensorDataset"

    def __init__(self, spec: Any, components: Sequence[Any]) -> None:
        super().__init__(spec, (), components)

    def cursor(self, iteration: Iteration) -> Cursor:
        values = iteration.values(self.tensors)
        return Counted(1, lambda i: list(values))

    def cardinality(self, iteration: Iteration) -> int:
        return 1


def _slices_tensors(node: Any) -> bool:
    return all(isinstance(spec, TensorSpec) for spec in nest.flatten(node.whole.spec))


@graph_form(
    "TensorSliceDataset",
    CAPTURES,
    {"whole": Element},
    inputs=0,
    same=_slices_tensors,
    read=lambda m: SlicesNode(m.components(), m.tensors),
)
class SlicesNode(Node):
    """The rows of tensors, and of ragged and sparse values.

    Args:
      spec: the spec of all rows together.
      components: the flat tensors.

    Raises:
      ValueError: if there is no component, if a component is a scalar, or if numbers of rows differ.
    """

    __slots__ = ("whole",)
    name = "_TensorSliceDataset"

    def __init__(self, spec: Any, components: Sequence[Any]) -> None:
        if not components:
            raise ValueError("Invalid `element`. `element` should not be empty: there are no tensors to take rows of.")
        self.whole: Element = Element(spec)
        super().__init__(nest.map_structure(row_spec, spec), (), components)
        counts = static_row_counts(spec)
        if len(counts - {None}) > 1:
            first, second = sorted(counts - {None})[:2]
            raise ValueError(
                f"Dimensions {first} and {second} are not compatible: every component must have as many rows"
            )

    def cursor(self, iteration: Iteration) -> Cursor:
        values = iteration.values(self.tensors)
        return Counted(*rows_of(self.whole, values), blocks_of(self.whole, values))

    def cardinality(self, iteration: Iteration) -> int:
        return rows_of(self.whole, iteration.values(self.tensors))[0]


@graph_form(inputs=None)
class ListedNode(Node):
    """Datasets, one after the other: its elements are datasets.

    Args:
      sources: the datasets; their elements are alike.
      spec: the most specific spec that the elements of all of them satisfy.
    """

    __slots__ = ()
    name = "_TensorSliceDataset"

    def __init__(self, sources: Sequence[Node], spec: Any) -> None:
        super().__init__(DatasetSpec(spec), sources)

    def cursor(self, iteration: Iteration) -> Cursor:
        return Counted(len(self.inputs), lambda i: [Bound(self.inputs[i], iteration)])

    def cardinality(self, iteration: Iteration) -> int:
        return len(self.inputs)


def range_(*args: Any, **kwargs: Any) -> Node:
    """The numbers of a range, as Python's `range` counts them.

    Args:
      *args: stop; or start and stop; or start, stop and step: int64 scalars.
      **kwargs: `output_type`, the dtype of the elements, int64 by default; `name`.

    Raises:
      ValueError: if the number of arguments is not 1, 2 or 3.
      InvalidArgumentError: if the step is 0.
    """
    kind = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"Dataset.range() got unexpected keyword arguments: {sorted(kwargs)}")
    if not 1 <= len(args) <= 3:
        raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    first, last, apart = (size_tensor(n, what) for n, what in ((start, "start"), (stop, "stop"), (step, "step")))
    return RangeNode(first, last, apart, kind)


def from_tensors(tensors: Any, name: str | None = None) -> Node:
    """A dataset of one element.

    Args:
      tensors: the element, a nest of values that become tensors, or of composites.
    """
    return TensorsNode(*of_tensors(tensors))


def from_tensor_slices(tensors: Any, name: str | None = None) -> Node:
    """The node of `Dataset.from_tensor_slices`."""
    if isinstance(tensors, list) and tensors and all(isinstance(t, Pipeline) for t in tensors):
        spec = shared_spec([t.element_spec for t in tensors])
        return ListedNode([t._node for t in tensors], spec)
    return SlicesNode(*of_tensors(tensors))


def counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None) -> Node:
    """An infinite dataset of the numbers `start`, `start + step` and so on.

    Args:
      start, step: scalars of `dtype`.
      dtype: the dtype of the elements.
    """
    kind = dtypes.as_dtype(dtype)
    return CountNode(convert_to_tensor(start, kind), convert_to_tensor(step, kind), kind)
