"""Making variables: eager ones with a cell of their own, graph ones with a handle that each session gives a cell."""

from __future__ import annotations

import contextvars
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context, device
from inlay._src.core.devices import kernels
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import OPS, Effect, Role
from inlay._src.core.state import Cell, handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import state as ops
from inlay._src.ops.variables.lifting import lifted, not_lifted

_CREATED: contextvars.ContextVar[list[Any] | None] = contextvars.ContextVar("inlay_created_variables", default=None)


@contextmanager
def created_since() -> Iterator[list[Any]]:
    """Collects the variables made in the block."""
    variables: list[Any] = []
    token = _CREATED.set(variables)
    try:
        yield variables
    finally:
        _CREATED.reset(token)


def note_created(variable: Any) -> None:
    """Tells the innermost `created_since` of a variable."""
    watching = _CREATED.get()
    if watching is not None:
        watching.append(variable)


def declared_dims(shape: Any, value: Tensor, validate_shape: bool) -> Dims:
    """The shape a variable keeps, from what the caller said and the initial value."""
    if shape is None:
        return value.shape._dims if validate_shape else None
    dims = shapes.as_shape(shape)._dims
    if validate_shape and not shapes.compatible(dims, value.shape._dims):
        raise ValueError(
            f"The initial value's shape {value.shape} is not compatible with the explicitly supplied `shape` argument "
            f"({shapes.from_dims(dims)})."
        )
    return dims


def eager(variable: Any, initial: Any, dtype: DType | None, label: str, shape: Any, validate_shape: bool) -> None:
    """Fills in an eager variable."""
    state = context.current()
    with context.using(context.State(scope=state.scope if state.graph is None else "", device=state.device)):
        value = convert_to_tensor(initial() if callable(initial) else initial, dtype)
    if isinstance(value, SymbolicTensor):  # of the function being traced that makes the variable
        ask = getattr(value.op.graph, "traced_value", None)
        traced = None if ask is None else ask(value)
        if traced is None:
            raise not_lifted(label, value)
        if shape is None:
            shape = value.shape  # later calls of the function may bring other sizes
        value = traced
    assert isinstance(value, EagerTensor)
    variable._dims = declared_dims(shape, value, validate_shape)
    variable._dtype = value.dtype
    cell = Cell(label, value.dtype, variable._dims, variable._trainable)
    cell.value = value._value
    cell.owner = weakref.ref(variable)
    variable._handle = EagerTensor(cell, dtypes.resource)
    if state.device and (place := device.logical_cpu(state.device)):
        kernels.on_logical(variable._handle, place)
    variable._name = f"{label}:0"
    variable._initializer, variable._initial, variable._graph = None, value, None


def in_graph(
    variable: Any, graph: Graph, initial: Any, dtype: DType | None, label: str, shape: Any, validate_shape: bool
) -> None:
    """Fills in a graph variable: initial value, handle, the operation that assigns it, and one read."""
    state = context.current()
    place = state.device or getattr(state.graph, "place", "")
    here = state if state.graph is graph else context.State(graph=graph, device=place, scope=state.scope)
    variable._graph = graph
    with context.using(here), graph.control_dependencies(None), graph.name_scope(label) as scope:
        with graph.name_scope("Initializer"):
            first = initial() if callable(initial) else initial
            value = convert_to_tensor(first, dtype, name="initial_value")
            if not callable(initial) and isinstance(value, SymbolicTensor):
                value = guarded(lifted(value, graph, label))
        variable._dims, variable._dtype = declared_dims(shape, value, validate_shape), value.dtype
        key = ops.HandleKey(scope.rstrip("/"), value.dtype, variable._dims, variable._trainable)
        key.owner = weakref.ref(variable)
        attrs = {"handle": graph.resources.add(key, key.name), "dtype": value.dtype}
        node = graph.add(OPS["VarHandleOp"], (), attrs, (dtypes.resource,), ((),), scope)
        variable._handle, variable._name, variable._initial = node.outputs[0], f"{node.name}:0", value
        with context.device_v1(None), context.device_v1(node.device):  # where the value lies
            with graph.name_scope("IsInitialized"):
                variable._is_initialized = emit(OPS["VarIsInitializedOp"], (variable._handle,))
            variable._initializer = emit(OPS["AssignVariableOp"], (variable._handle, value), {}, "Assign")
            with graph.name_scope("Read"):
                variable._snapshot = key.read = emit(
                    OPS["ReadVariableOp"], (variable._handle,), {"dtype": value.dtype, "shape": variable._dims}
                )


def adopted(variable: Any, handle: Any, initializer: Any, read: Any, initial: Any, trainable: bool) -> Any:
    """Fills in a graph variable whose operations are there.

    Args:
      variable: the variable, of which nothing is set.
      handle: the tensor that stands for it.
      initializer: the operation that gives it its first value.
      read: a tensor of its value.
      initial: the first value; None if it is not there.
      trainable: whether tapes watch it.

    Returns:
      The variable.
    """
    key = handle_key(handle)
    variable.constraint = None
    variable.synchronization = variable.aggregation = None
    variable._trainable, variable._graph, variable._handle = trainable, handle.graph, handle
    variable._dims, variable._dtype, variable._name = key.dims, key.dtype, handle.name
    variable._initial, variable._initializer, variable._snapshot = initial, initializer, read
    key.owner, key.trainable = weakref.ref(variable), trainable
    if isinstance(key, ops.HandleKey):  # else the state of a function that the graph was imported into
        key.read = read
    return variable


def made_eager(variable: Any, handle: EagerTensor) -> None:
    """Makes a variable of a function's graph the one of its state, which is used where nothing is traced.

    Args:
      variable: the variable, filled in by `adopted`.
      handle: the state, which the graph captured.
    """
    cell: Any = handle._value
    variable._graph, variable._handle = None, handle
    variable._initial = variable._initializer = variable._snapshot = None
    cell.owner, cell.trainable = weakref.ref(variable), variable._trainable


def guarded(value: SymbolicTensor) -> SymbolicTensor:
    """`value` computed from other variables' initial values where those have none yet.

    Then initializers may run in any order, also concurrently. A computation that draws random numbers or calls user
    code is not repeated: such a value is returned unchanged.
    """
    needed: dict[int, Operation] = {}
    stack = [value.op]
    while stack:
        node = stack.pop()
        if node.index not in needed:
            needed[node.index] = node
            stack.extend(t.op for t in node.inputs)
    affected: dict[int, SymbolicTensor] = {}
    nodes = [needed[i] for i in sorted(needed)]
    if not any(n.opdef.role is Role.READ for n in nodes):
        return value
    for node in nodes:
        if node.opdef.role is Role.READ:
            key = handle_key(node.inputs[0])
            owner = key.owner() if key is not None and key.owner is not None else None
            if owner is None or node.control_inputs:
                return value
            attrs = {"shape": node.attrs["shape"]}
            affected[id(node.outputs[0])] = emit(
                OPS["InitializedValue"], (node.inputs[0], owner.initial_value), attrs, "initialized_value"
            )
        elif any(id(t) in affected for t in node.inputs):
            if node.effect is not Effect.PURE or node.control_inputs or node.host is not None:
                return value
            inputs = tuple(affected.get(id(t), t) for t in node.inputs)
            kinds, dims = [t.dtype for t in node.outputs], [t._dims for t in node.outputs]
            again = node.graph.add(node.opdef, inputs, node.attrs, kinds, dims, node.name.rpartition("/")[2])
            affected |= {id(old): new for old, new in zip(node.outputs, again.outputs, strict=True)}
    return affected.get(id(value), value)


def label_of(name: Any) -> str:
    """The name of a variable before it is made unique.

    Raises:
      TypeError: if it is no text; ValueError while executing eagerly, as in TensorFlow.
    """
    if name is None or isinstance(name, (str, bytes)):
        return name or "Variable"  # type: ignore[return-value]
    refused = ValueError if context.executing_eagerly() else TypeError
    raise refused(f"The name of a variable must be a string or None, got {type(name).__name__}.")
