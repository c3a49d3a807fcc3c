"""Loop iterables of `for` in the graph: a counter, its end condition, and the item for its value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.array import shape
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.math import add, cast, greater, less, logical_and, logical_or, minimum
from inlay._src.ops.variables import Variable


class Walk(NamedTuple):
    """A counted iteration.

    Attributes:
      begin: the first counter.
      holds: takes a counter and whether the loop goes on otherwise (True or a tensor), gives whether there is an item.
      following: takes a counter, gives the next one.
      item: takes a counter, gives the item.
      item_spec: (dtype, dims) of the item, or None if it is not one tensor.
      widens: whether variables may change their shapes, as in TensorFlow, where a loop over a dataset is a `reduce`.
    """

    begin: Any
    holds: Callable[[Any, Any], Any]
    following: Callable[[Any], Any]
    item: Callable[[Any], Any]
    item_spec: tuple[Any, Dims] | None
    widens: bool = False


class IndexedItems:
    """Items found by position: the result of `enumerate` and `zip` of tensors.

    Attributes:
      count: number of items, a scalar int32.
      at: takes a position, gives the item.
    """

    __slots__ = ("at", "count", "spec")

    def __init__(self, count: Any, at: Callable[[Any], Any], spec: tuple[Any, Dims] | None = None) -> None:
        self.count, self.at, self.spec = count, at, spec

    def __iter__(self) -> Any:
        raise TypeError("enumerate() or zip() of a tensor can only be iterated by a `for` statement in a function")


def rows_of(value: Any) -> IndexedItems | None:
    """A value as rows, if it has tensors to walk over in a graph."""
    if isinstance(value, IndexedItems):
        return value
    if context.current().graph is None:
        return None
    if isinstance(value, Variable):
        value = convert_to_tensor(value)
    if isinstance(value, RaggedTensor):
        return IndexedItems(cast(value.nrows(), dtypes.int32), lambda i: value[i])
    if not isinstance(value, Tensor):
        return None
    dims = value.shape._dims
    if dims == ():
        raise TypeError(f"Cannot iterate over a scalar tensor: {value!r}")
    count = convert_to_tensor(dims[0], dtypes.int32) if dims and dims[0] is not None else shape(value)[0]
    return IndexedItems(count, lambda i: value[i], (value.dtype, None if dims is None else dims[1:]))


def zipped(parts: Sequence[Any]) -> IndexedItems | None:
    """The rows of several values side by side, as many as the shortest has; None if one of them has none."""
    rows = [rows_of(p) for p in parts]
    if not rows or any(r is None for r in rows):
        return None
    present = [r for r in rows if r is not None]
    count = present[0].count
    for row in present[1:]:
        count = minimum(count, row.count)
    return IndexedItems(count, lambda i: tuple(r.at(i) for r in present))


def walk_of(iterated: Any) -> Walk | None:
    """The loop iterable of a value in the graph; None if Python iterates over it."""
    if isinstance(iterated, SymbolicTensor) and iterated.op.opdef.role is Role.RANGE and iterated.dtype.is_integer:
        return _range_walk(iterated)
    own = getattr(type(iterated), "_walk", None)  # a dataset, or an iterator of one
    if own is not None:
        return own(iterated)  # type: ignore[no-any-return]
    rows = rows_of(iterated)
    if rows is None:
        return None
    zero = convert_to_tensor(0, dtypes.int32)
    return Walk(
        _symbolic(zero), lambda i, more: both(less(i, rows.count), more), lambda i: add(i, 1), rows.at, rows.spec
    )


def both(holds: Any, more: Any) -> Any:
    """Whether there is an item, and the loop goes on otherwise."""
    return holds if more is True else logical_and(holds, convert_to_tensor(more))


def _symbolic(tensor: Any) -> Any:
    graph = context.current().graph
    return tensor if graph is None else symbolic(tensor, graph)


def _range_walk(numbers: SymbolicTensor) -> Walk:
    """A `tf.range` of integers: its numbers are counted, not made."""
    start, limit, delta = numbers.op.inputs
    step = constant_of(delta)

    def up(i: Any) -> Any:
        return less(i, limit)

    def down(i: Any) -> Any:
        return greater(i, limit)

    def either(i: Any) -> Any:
        return logical_or(logical_and(greater(delta, 0), up(i)), logical_and(less(delta, 0), down(i)))

    if step is not None and step == 0:
        raise ValueError("tf.range: Requires delta != 0")
    holds = either if step is None else up if step > 0 else down
    return Walk(
        _symbolic(start),
        lambda i, more: both(holds(i), more),
        lambda i: add(i, delta),
        lambda i: i,
        (numbers.dtype, ()),
    )
