"""The 1.x functions that write variables: `assign`, `scatter_update` and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, shaping
from inlay._src.ops.math import cast
from inlay._src.ops.ranges import range_
from inlay._src.ops.stacking import stack
from inlay._src.ops.variables.variable import Variable


def _variable(ref: Any, name: str) -> Variable:
    if not isinstance(ref, Variable):
        raise TypeError(f"{name} writes into a tf.Variable, got {ref!r}: a tensor cannot be assigned")
    return ref


@export("assign")
def assign(
    ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None
) -> Tensor | Variable:
    """Replaces a variable's value.

    Args:
      ref: the variable, or a part `variable[key]` of it.
      value: its new value.
      validate_shape, use_locking: ignored; shapes are always checked and writes never tear.
      name: the operation's name.

    Returns:
      A tensor with the new value; eagerly the variable.
    """
    part = getattr(ref, "assign", None)  # that of `variable[key]` writes into the variable
    return (part or _variable(ref, "assign").assign)(value, name=name)


@export("assign_add")
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Tensor | Variable:
    """Adds to a variable; returns as `assign`."""
    return _variable(ref, "assign_add").assign_add(value, name=name)


@export("assign_sub")
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Tensor | Variable:
    """Subtracts from a variable; returns as `assign`."""
    return _variable(ref, "assign_sub").assign_sub(value, name=name)


def _scatter(kind: str, name: str, doc: str) -> Callable[..., Any]:
    locking = kind.endswith("Update")  # ignored: writes never tear

    def scatter(
        ref: Any, indices: Any, updates: Any, use_locking: bool = locking, name: str | None = None
    ) -> Tensor | Variable:
        return _variable(ref, scatter.__name__)._scatter(kind, indices, updates, name)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"{doc}\n\nReturns a tensor with the variable's new value; eagerly the variable."
    return scatter


scatter_update: Callable[..., Any] = export("scatter_update")(
    _scatter("Update", "scatter_update", "Replaces the rows `indices` of the variable `ref`.")
)
scatter_add: Callable[..., Any] = export("scatter_add")(
    _scatter("Add", "scatter_add", "Adds to the rows `indices` of `ref`; repeated rows add up.")
)
scatter_sub: Callable[..., Any] = export("scatter_sub")(
    _scatter("Sub", "scatter_sub", "Subtracts from the rows `indices` of `ref`.")
)
scatter_mul: Callable[..., Any] = export("scatter_mul")(
    _scatter("Mul", "scatter_mul", "Multiplies the rows `indices` of `ref`.")
)
scatter_div: Callable[..., Any] = export("scatter_div")(
    _scatter("Div", "scatter_div", "Divides the rows `indices` of `ref`.")
)
scatter_min: Callable[..., Any] = export("scatter_min")(
    _scatter("Min", "scatter_min", "Takes the minimum with the rows `indices` of `ref`.")
)
scatter_max: Callable[..., Any] = export("scatter_max")(
    _scatter("Max", "scatter_max", "Takes the maximum with the rows `indices` of `ref`.")
)
scatter_nd_update: Callable[..., Any] = export("scatter_nd_update")(
    _scatter("NdUpdate", "scatter_nd_update", "Replaces the slices of `ref` that the last axis of `indices` addresses.")
)
scatter_nd_add: Callable[..., Any] = export("scatter_nd_add")(
    _scatter("NdAdd", "scatter_nd_add", "Adds to the slices of `ref` that the last axis of `indices` addresses.")
)
scatter_nd_sub: Callable[..., Any] = export("scatter_nd_sub")(
    _scatter("NdSub", "scatter_nd_sub", "Subtracts from the slices of `ref` that the last axis of `indices` addresses.")
)


@export("compat.v1.batch_scatter_update")
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Tensor | Variable:
    """Replaces slices of a variable: in each batch, those of its first axis behind the batch.

    Args:
      ref: the variable, of shape [*batch, rows, ...].
      indices: places in the axis of rows, of shape [*batch, n] and known rank.
      updates: the new slices, of shape [*batch, n, ...].
      use_locking: ignored; writes never tear.
      name: the nodes' scope.

    Returns:
      A tensor with the variable's new value; eagerly the variable.

    Raises:
      ValueError: if the rank of `indices` is unknown.
    """
    places = convert_to_tensor(indices)
    if places.shape.rank is None:
        raise ValueError("batch_scatter_update does not allow indices of unknown rank.")
    sizes, ones = array.shape(places), [1] * places.shape.rank
    columns = [
        shaping.broadcast_to(array.reshape(range_(sizes[axis]), [*ones[:axis], -1, *ones[axis + 1 :]]), sizes)
        for axis in range(places.shape.rank - 1)
    ]
    columns = [cast(column, places.dtype) for column in columns]
    return scatter_nd_update(ref, stack([*columns, places], -1), updates, use_locking, name)


@export("count_up_to")
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """The value of a variable, which becomes one more (1.x).

    Args:
      ref: a variable, int32 or int64.
      limit: a number that is not counted beyond.
      name: accepted.

    Raises:
      OutOfRangeError: when it runs, if the value is `limit` already.
    """
    return _variable(ref, "count_up_to").count_up_to(limit)
