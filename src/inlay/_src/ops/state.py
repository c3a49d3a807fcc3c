"""Ops on variables: handles, reads, writes. The only declared effects besides host calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.behavior import resource_variables_enabled
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import OPS, Effect, OpDef, Role, no_gradient
from inlay._src.core.signature import Attribute, Signature
from inlay._src.core.state import SERIAL, Cell
from inlay._src.ops.gathering import check_nd, check_updates
from inlay._src.ops.indexing import numpy_index


class HandleKey:
    """Names one variable of a graph; a session makes a cell for it.

    Attributes:
      read: the tensor that is fetched where the variable or its handle is, or None.
      order: greater than that of every variable made before.
      by_reference: whether it is one of 1.x and no resource: fetched beside an update of it, it has its new value.
      traced: of an argument of a function, a weak reference to the Variable that it was traced with, or None.
    """

    __slots__ = ("by_reference", "dims", "dtype", "name", "order", "owner", "read", "traced", "trainable")

    def __init__(self, name: str, dtype: DType, dims: Dims, trainable: bool) -> None:
        self.name, self.dtype, self.dims, self.trainable = name, dtype, dims, trainable
        self.owner: Any = None  # a weak reference to the Variable
        self.read: Any = None
        self.traced: Any = None
        self.order: int = next(SERIAL)
        self.by_reference: bool = not resource_variables_enabled()

    def make(self) -> Cell:
        return Cell(self.name, self.dtype, self.dims, self.trainable)

    def __repr__(self) -> str:
        return f"variable {self.name}"


def _no_kernel(*_: Any, **__: Any) -> Any:
    raise errors.InternalError(None, None, "a handle is supplied by the session")


def handle_op(name: str, doc: str, label: str = "") -> OpDef:
    """Declares the op of a handle: of a variable, or of other state that a session keeps."""
    OPS[name] = opdef = OpDef(
        name, _no_kernel, Signature(outs=(dtypes.resource,)), {"handle": Attribute(None)}, Effect.READS, Role.VARIABLE,
        label=label, doc=doc,
    )  # fmt: skip
    return opdef


# Two types, since programs of 1.x choose devices by type and count what is a variable.
handle_op("VarHandleOp", "The handle of a variable.")
handle_op("RandomStateOp", "The handle of the state that a draw of random numbers starts from.")


# ---------------------------------------------------------------- reading


def _read_infer(s: Any) -> list[Dims]:
    return [s.attrs["shape"]]


@op(
    "ReadVariableOp",
    "resource:resource -> dtype",
    effect=Effect.READS,
    infer=_read_infer,
    vjp=lambda op, dy: dy,
    role=Role.READ,
)
def read_variable(xp, resource, *, dtype, shape):
    """A variable's value."""
    return resource.read()


@op("VarIsInitializedOp", "resource:resource -> bool", effect=Effect.READS, infer=lambda s: [()])
def is_initialized(xp, resource):
    """Whether a variable has a value."""
    return np.bool_(resource.has_value)


@op(
    "InitializedValue",
    "resource:resource, initial:T -> T",
    types=dtypes.DENSE,
    effect=Effect.READS,
    infer=lambda s: [s.attrs["shape"]],
    vjp=lambda op, dy: (dy, None),
)
def initialized_value(xp, resource, initial, *, shape):
    """A variable's value if it has one, else the value it is going to be given first."""
    return resource.read() if resource.has_value else initial


@op("UninitializedNames", "initialized:*B -> string", types={"B": frozenset({dtypes.bool_})}, vjp=no_gradient)
def _uninitialized_names(xp, initialized, *, names):
    """The names whose flag is False."""
    missing = [n for n, has in zip(names, initialized, strict=True) if not has]
    out = np.empty((len(missing),), object)
    out[:] = missing
    return out


@op(
    "AssertInitialized",
    "initialized:*B -> ",
    types={"B": frozenset({dtypes.bool_})},
    effect=Effect.STATEFUL,
    vjp=no_gradient,
)
def _assert_initialized(xp, initialized, *, names):
    """Raises FailedPreconditionError unless every flag is True."""
    missing = [n.decode() for n, has in zip(names, initialized, strict=True) if not has]
    if missing:
        raise errors.FailedPreconditionError(
            None, None, f"Attempting to use uninitialized value {', '.join(missing)}: run their initializers first"
        )
    return ()


# ---------------------------------------------------------------- replacing


@op("AssignVariableOp", "resource:resource, value:T -> ", types=dtypes.DENSE, effect=Effect.WRITES)
def assign_variable(xp, resource, value):
    """Replaces a variable's value."""
    shape = np.shape(value)
    if shape != resource.dims and not shapes.compatible(shape, resource.dims):
        raise ValueError(
            f"Cannot assign value to variable '{resource.name}:0': Shape mismatch. The variable shape "
            f"{shapes.from_dims(resource.dims)}, and the assigned value shape {shape} are incompatible."
        )
    with resource.lock:
        resource.value = value
    return ()


def _alike(cell: Cell, old: Any, value: Any) -> Any:
    """`old`, if `value` has its shape: sums do not broadcast into a variable."""
    if old.shape != value.shape:
        raise ValueError(
            f"Cannot update variable '{cell.name}:0' with shape {shapes.bracketed(np.shape(old))} using a Tensor with "
            f"shape {shapes.bracketed(np.shape(value))}, shapes must be equal."
        )
    return old


def _updating(name: str, function: str, says: str) -> Any:
    def kernel(xp, resource, value):
        change = getattr(xp, function)
        with resource.lock:
            old = _alike(resource, resource.held(), value)
            if old.size < TUNING.scatter_in_place_elements or xp is not np or old.dtype != value.dtype:
                resource.value = change(old, value)
                return ()
            del old
            with resource.taken() as into:
                change(into, value, out=into)
        return ()

    kernel.__doc__ = says
    return op(name, "resource:resource, value:T -> ", types=dtypes.NUMBERS, effect=Effect.WRITES)(kernel)


assign_add_variable: Any = _updating("AssignAddVariableOp", "add", "Adds to a variable.")
assign_sub_variable: Any = _updating("AssignSubVariableOp", "subtract", "Subtracts from a variable.")

READ, ASSIGN = OPS["ReadVariableOp"], OPS["AssignVariableOp"]
CHANGES: dict[OpDef, np.ufunc] = {assign_add_variable.opdef: np.add, assign_sub_variable.opdef: np.subtract}
"""Ops that give a variable the result of a ufunc of its value and another -> the ufunc."""


@op(
    "ResourceCountUpTo",
    "resource:resource -> T",
    types={"T": frozenset({dtypes.int32, dtypes.int64})},
    effect=Effect.WRITES,
    infer=lambda s: [()],
    vjp=no_gradient,
)
def count_up_to(xp, resource, *, T, limit):
    """The value of a variable, which becomes one more."""
    with resource.lock:
        before = resource.held()
        if before.ndim:
            raise errors.InvalidArgumentError(None, None, f"Shape must be rank 0 but is rank {before.ndim}")
        if int(before) >= limit:
            raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
        resource.value = before + before.dtype.type(1)
    return before


@op(
    "ResourceStridedSliceAssign",
    "resource:resource, value:T, dynamic:*Index -> ",
    types=dtypes.DENSE,
    effect=Effect.WRITES,
)
def assign_slice(xp, resource, value, dynamic, *, index):
    """Replaces what `index` reads of a variable; the value is broadcast to it."""
    with resource.lock, resource.taken() as out:
        out[numpy_index(np, index, dynamic)] = value
    return ()


# ---------------------------------------------------------------- scattering


def _rows(cell: Cell, value: Any, indices: Any, updates: Any) -> tuple[Any, Any]:
    """Indices as integers and updates of the shape `indices.shape + value.shape[1:]`, both checked."""
    if np.ndim(value) < 1:
        raise ValueError(f"variable '{cell.name}:0' is a scalar: there are no rows to scatter into")
    indices = np.asarray(indices)
    size = np.shape(value)[0]
    outside = (indices < 0) | (indices >= size)
    if outside.any():
        at = np.unravel_index(int(np.argmax(outside)), indices.shape)
        where = "".join(f"[{int(i)}]" for i in at)
        raise ValueError(f"indices{where} = {int(indices[at])} is not in [0, {size})")
    wanted = indices.shape + np.shape(value)[1:]
    if np.ndim(updates) and np.shape(updates) != wanted:
        raise ValueError(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            f"updates.shape {shapes.bracketed(np.shape(updates))}, indices.shape {shapes.bracketed(indices.shape)}, "
            f"params.shape {shapes.bracketed(np.shape(value))}"
        )
    return indices, updates


def _positions(cell: Cell, value: Any, indices: Any, updates: Any) -> tuple[Any, Any]:
    """As `_rows` for indices whose last axis addresses a position in several axes."""
    indices, shape = np.asarray(indices), np.shape(value)
    depth = indices.shape[-1] if indices.ndim else 0
    if not shape:
        raise ValueError(f"Output must be at least 1-D, got variable '{cell.name}:0' of shape []")
    if not indices.ndim or depth > len(shape):
        raise ValueError(
            f"indices of shape {shapes.bracketed(indices.shape)} do not address variable '{cell.name}:0' of shape "
            f"{shapes.bracketed(shape)}: the last axis must have at most {len(shape)} entries"
        )
    check_updates(indices.shape, np.shape(updates), shape)
    check_nd(indices, shape)
    return tuple(np.moveaxis(indices, -1, 0)), updates


def _put(out: Any, where: Any, updates: Any) -> None:
    out[where] = updates


def _divide(out: Any, where: Any, updates: Any) -> None:
    (np.floor_divide if out.dtype.kind in "iu" else np.divide).at(out, where, updates)


_INTO: dict[str, Any] = {
    "Update": _put,
    "Add": np.add.at,
    "Sub": np.subtract.at,
    "Mul": np.multiply.at,
    "Div": _divide,
    "Min": np.minimum.at,
    "Max": np.maximum.at,
}


def _declare(name: str, kind: str, find: Any) -> None:
    def kernel(xp, resource, indices, updates):
        with resource.lock:
            where, rows = find(resource, resource.held(), indices, updates)
            with resource.taken() as out:
                _INTO[kind](out, where, rows)
        return ()

    repeats = "the last update stays" if kind == "Update" else "every update counts"
    kernel.__doc__ = f"{kind} at indices of a variable; where an index repeats, {repeats}."
    types = dtypes.DENSE if kind == "Update" else dtypes.NUMBERS
    op(name, "resource:resource, indices:Index, updates:T -> ", types=types, effect=Effect.WRITES)(kernel)


for _kind in _INTO:
    _declare(f"ResourceScatter{_kind}", _kind, _rows)
for _kind in ("Update", "Add", "Sub", "Min", "Max"):
    _declare(f"ResourceScatterNd{_kind}", _kind, _positions)
