"""Ops on variables: handles, reads, writes. The only declared effects besides host calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay import errors
from inlay.core.opdef import OPS, Effect, OpDef, op
from inlay.core.state import Cell
from inlay.types import dtypes, shapes
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims


class HandleKey:
    """Names one variable of a graph; a session makes a cell for it."""

    __slots__ = ("dims", "dtype", "name", "owner", "trainable")

    def __init__(self, name: str, dtype: DType, dims: Dims, trainable: bool) -> None:
        self.name, self.dtype, self.dims, self.trainable = name, dtype, dims, trainable
        self.owner: Any = None  # a weak reference to the Variable

    def make(self) -> Cell:
        return Cell(self.name, self.dtype, self.dims, self.trainable)

    def __repr__(self) -> str:
        return f"variable {self.name}"


def _no_kernel(*_: Any, **__: Any) -> Any:
    raise errors.InternalError(None, None, "a variable handle is supplied by the session")


OPS["VarHandleOp"] = OpDef(
    "VarHandleOp",
    _no_kernel,
    (),
    (dtypes.resource,),
    attrs={"key": None},
    effect=Effect.READS,
    doc="The handle of a variable.",
)


def _read_infer(s: Any) -> list[Dims]:
    return [s.attrs["shape"]]


@op("ReadVariableOp", "resource:resource -> dtype", effect=Effect.READS, infer=_read_infer, vjp=lambda op, dy: dy)
def read_variable(xp, resource, *, dtype, shape):
    """A variable's value."""
    return resource.read()


def _checked(cell: Cell, value: Any) -> Any:
    if not shapes.compatible(np.shape(value), cell.dims):
        raise ValueError(
            f"Cannot assign value to variable '{cell.name}': Shape mismatch. The variable shape "
            f"{shapes.from_dims(cell.dims)}, and the assigned value shape {np.shape(value)} are incompatible."
        )
    return value


@op("AssignVariableOp", "resource:resource, value:T -> ", types={"T": dtypes.DENSE}, effect=Effect.WRITES)
def assign_variable(xp, resource, value):
    """Replaces a variable's value."""
    with resource.lock:
        resource.value = _checked(resource, value)
    return ()


@op("AssignAddVariableOp", "resource:resource, value:T -> ", types={"T": dtypes.NUMBERS}, effect=Effect.WRITES)
def assign_add_variable(xp, resource, value):
    """Adds to a variable."""
    with resource.lock:
        resource.value = _checked(resource, xp.add(resource.read(), value))
    return ()


@op("AssignSubVariableOp", "resource:resource, value:T -> ", types={"T": dtypes.NUMBERS}, effect=Effect.WRITES)
def assign_sub_variable(xp, resource, value):
    """Subtracts from a variable."""
    with resource.lock:
        resource.value = _checked(resource, xp.subtract(resource.read(), value))
    return ()


@op("VarIsInitializedOp", "resource:resource -> bool", effect=Effect.READS, infer=lambda s: [()])
def is_initialized(xp, resource):
    """Whether a variable has a value."""
    return np.bool_(resource.value is not None)
