"""The funnel: every op call goes through `emit`, which adds a node or runs the kernel.

    emit(op, inputs, attrs, name)
      a graph in force, or a symbolic input  -> build: convert inputs, infer shapes, Graph.add
      neither                                -> run:   convert inputs, kernel(numpy, ...), tapes record

Conversion binds the type letters of the op's signature: tensors first, then Python and NumPy values take the bound
type, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import context, values
from inlay.core import graph as graphs
from inlay.core.context import State
from inlay.core.graph import Graph
from inlay.core.opdef import OPS, Arg, OpDef, Shapes
from inlay.core.tensor import EagerTensor, SymbolicTensor, Tensor, constant_eager, dtype_of
from inlay.devices import device_tensor, ondevice
from inlay.eager.dispatch import DISPATCH, dispatch
from inlay.eager.kernel_errors import kernel_error
from inlay.eager.letters import bind
from inlay.eager.lifting import lift
from inlay.eager.tape import record_operation
from inlay.interpreter import floating
from inlay.types import dtypes
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims

_NO_ATTRS: dict[str, Any] = {}


def emit(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any] = _NO_ATTRS, name: str | None = None) -> Any:
    """Builds or runs one op.

    Args:
      op: the declaration.
      inputs: one value per declared input; a sequence for the list input.
      attrs: attribute values.
      name: the node's name; ignored while running eagerly.

    Returns:
      A tensor, a list of tensors for several outputs, or the `Operation` for none.
    """
    for x in inputs:
        if x.__class__ in DISPATCH or (x.__class__ is list and any(v.__class__ in DISPATCH for v in x)):
            return dispatch(op, inputs, attrs, name)
    state = context.get() or context.base()
    graph = state.graph
    if graph is None:
        graph = graph_of(inputs)
        if graph is None:
            return _run(op, inputs, attrs, state)
        if graph.building_function:
            _refuse_outer(inputs, state)
    return _build(op, inputs, attrs, name, graph)


def filled(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """The value of a static input left out by the caller; eager kernels and composites take None as it is."""
    if inputs[0].__class__ in DISPATCH:
        return None
    if context.executing_eagerly() and graph_of(inputs) is None:
        return None
    return function(*inputs)


def graph_of(inputs: Sequence[Any]) -> Graph | None:
    """The graph of the first symbolic tensor among nested inputs; None if there is none."""
    for x in inputs:
        if x.__class__ is SymbolicTensor:
            return x.op.graph  # type: ignore[no-any-return]
        if x.__class__ in (list, tuple):
            found = graph_of(x)
            if found is not None:
                return found
        elif hasattr(x, "__inlay_symbolic__"):
            tensor = x.__inlay_symbolic__()
            if tensor is not None:
                return tensor.op.graph  # type: ignore[no-any-return]
    return None


def _refuse_outer(inputs: Sequence[Any], state: State) -> None:
    """Refuses a function's tensor used where its graph is not being built."""
    tensor = next((x for x in inputs if isinstance(x, SymbolicTensor)), inputs[0])
    reason = (
        f"the body of {state.host} runs when the graph runs, but this tensor belongs to a function that was being "
        "traced. Pass it to the function through `inp`."
        if state.host is not None
        else "it belongs to a function that is no longer being traced. Return it from the function instead."
    )
    raise TypeError(f"{tensor!r} is out of scope and cannot be used here: {reason}")


# ---------------------------------------------------------------- conversion


def convert_to_tensor(
    value: Any,
    dtype: Any = None,
    dtype_hint: Any = None,
    name: str | None = None,
    preferred_dtype: Any = None,
    as_ref: bool = False,
) -> Tensor:
    """`value` as a tensor: unchanged if it is one, else a constant.

    Args:
      value: a tensor, variable, number, string, nested list or array.
      dtype: the required type; a tensor of another type is refused.
      dtype_hint: a type to prefer where the value allows it.
      name: the constant's name in a graph.
      preferred_dtype: the 1.x name of `dtype_hint`.
      as_ref: ignored; a 1.x argument.

    Returns:
      A tensor.

    Raises:
      ValueError, TypeError: if the value has no such tensor.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            raise ValueError(
                f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: {value!r}"
            )
        return value
    convert = getattr(value, "__tf_tensor__", None)
    if convert is not None:
        return convert_to_tensor(convert(wanted, name), wanted)
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    if wanted is None and hint is not None:
        try:
            return convert_to_tensor(value, hint, name=name)
        except (TypeError, ValueError):
            pass
    if isinstance(value, (list, tuple)) and _holds_tensors(value):
        return _pack(value, wanted, name)
    made = constant_eager(value, wanted)
    state = context.current()
    if state.graph is not None:
        return constant_in(state.graph, made, name or "Const")
    return ondevice.placed(made, state.device) if state.device else made


def _holds_tensors(value: Sequence[Any]) -> bool:
    return any(issubclass(t, Tensor) or hasattr(t, "__tf_tensor__") for t in values.leaf_types(value, set()))


def _pack(value: Sequence[Any], dtype: DType | None, name: str | None) -> Tensor:
    """Nested lists that hold tensors become `Pack` ops."""
    first = dtype or _first_dtype(value)
    parts = [
        _pack(v, first, None)
        if isinstance(v, (list, tuple)) and _holds_tensors(v)
        else v
        if isinstance(v, Tensor)
        else convert_to_tensor(v, first)
        for v in value
    ]
    return emit(OPS["Pack"], (parts,), {"axis": 0}, name or "packed")  # type: ignore[no-any-return]


def _first_dtype(value: Sequence[Any]) -> DType | None:
    for v in value:
        found = (
            v.dtype
            if hasattr(v, "__tf_tensor__") or isinstance(v, Tensor)
            else (_first_dtype(v) if isinstance(v, (list, tuple)) else None)
        )
        if found is not None:
            return found  # type: ignore[no-any-return]
    return None


def constant_in(graph: Graph, tensor: EagerTensor, name: str) -> SymbolicTensor:
    """A `Const` node of `graph` with an eager tensor's value."""
    value, dims = tensor._value, ()
    if tensor._dtype._kind in "rv":  # no data: a cell, a list
        value = graph.resources.add(value)
    else:
        dims = value.shape
    attrs = {"value": value, "dtype": tensor._dtype}
    return graph.add(OPS["Const"], (), attrs, (tensor._dtype,), (dims,), name).outputs[0]


def _known_dtype(value: Any) -> DType | None:
    """The dtype a value brings along: tensors and variables have one, Python and NumPy values adapt."""
    if isinstance(value, Tensor):
        return value.dtype
    if hasattr(value, "__tf_tensor__"):
        return value.dtype  # type: ignore[no-any-return]
    if value.__class__ in (list, tuple) and value and _holds_tensors(value):
        return _first_dtype(value)
    return None


def _letters_of_tensors(op: OpDef, inputs: tuple[Any, ...], eager: bool) -> dict[str, DType]:
    letters: dict[str, DType] = {}
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if arg.static and value is None:
            continue
        for item in value if arg.variadic else (value,):
            known = _known_dtype(item)
            if known is not None:
                bind(op, arg, letters, known, position, eager)
    return letters


def _as_input(
    op: OpDef, arg: Arg, value: Any, letters: dict[str, DType], position: int, name: str | None, eager: bool
) -> Tensor:
    """One input as a tensor of the type its letter is bound to."""
    kind = arg.type
    wanted = kind if kind.__class__ is DType or kind is None else letters.get(kind)  # type: ignore[arg-type]
    if isinstance(value, Tensor):
        tensor = value
    elif wanted is None:
        tensor = convert_to_tensor(value, name=name, dtype_hint=_preferred(op, kind, value))
    else:
        tensor = _adapt(value, wanted, name)  # type: ignore[arg-type]
    bind(op, arg, letters, tensor.dtype, position, eager)
    return tensor


def _preferred(op: OpDef, kind: Any, value: Any) -> DType | None:
    """The type of a bare value whose own type the op does not take: whole numbers become float32, say."""
    allowed = op.letters.get(kind)
    if allowed is None or (dtypes.int32 in allowed) == (dtypes.float32 in allowed):
        return None
    if value.__class__ not in (int, float) and not hasattr(value, "__tf_tensor__"):
        if isinstance(value, (list, tuple)) and _holds_tensors(value):
            return None
        try:
            if constant_eager(value).dtype in allowed:
                return None
        except (TypeError, ValueError):
            return None  # the conversion that follows says why
    return dtypes.int32 if dtypes.int32 in allowed else dtypes.float32  # an empty list has no type of its own


def _adapt(value: Any, wanted: DType, name: str | None) -> Tensor:
    """A Python or NumPy value beside a tensor of dtype `wanted`: casts that keep the kind are made."""
    lifted = lift(value, wanted)
    if lifted is not None:
        graph = context.current().graph
        return lifted if graph is None else constant_in(graph, lifted, name or "Const")
    if isinstance(value, (np.ndarray, np.generic)):
        natural = dtypes.from_numpy(value.dtype.newbyteorder("=")) if value.dtype.kind != "V" else None
        if (
            natural is not None
            and natural is not wanted
            and "biufc".find(natural._kind.replace("u", "i")) > "biufc".find(wanted._kind.replace("u", "i"))
        ):
            return convert_to_tensor(value, name=name)  # a cast would lose: let the type check speak
    return convert_to_tensor(value, wanted, name=name)


# ---------------------------------------------------------------- running


def _run(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], state: State) -> Any:
    letters = _letters_of_tensors(op, inputs, True) if len(inputs) > 1 or op.variadic is not None else {}
    converted: list[Any] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if arg.variadic:
            converted.append([_as_input(op, arg, v, letters, position, None, True) for v in value])
        elif arg.static and not isinstance(value, Tensor) and not _holds_any_tensor(value):
            converted.append(_default_letter(arg, value, letters))
        else:
            converted.append(_as_input(op, arg, value, letters, position, None, True))
    return apply(op, converted, attrs, letters, state)


def _default_letter(arg: Arg, value: Any, letters: dict[str, DType]) -> Any:
    if arg.type.__class__ is str and arg.type not in letters:
        dtype = getattr(value, "dtype", None)
        letters[arg.type] = dtypes.from_numpy(dtype) if isinstance(dtype, np.dtype) else dtypes.int32  # type: ignore
    return value


def _holds_any_tensor(value: Any) -> bool:
    return hasattr(value, "__tf_tensor__") or (isinstance(value, (list, tuple)) and _holds_tensors(value))


def apply(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], letters: Mapping[str, DType], state: State
) -> Any:
    """Runs a kernel on converted inputs and has the tapes record it."""
    place = ondevice.target(op.name, inputs, state.device) if state.device or device_tensor.in_use() else ""
    if place:
        return _apply_there(op, inputs, attrs, letters, state, place)
    outputs = _apply_here(op, inputs, attrs, letters)
    if state.tapes:
        record_operation(op, flat_inputs(op, inputs), outputs, attrs, state)
    return public_result(op, outputs)


def _apply_there(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], letters: Mapping[str, DType], state: State, place: str
) -> Any:
    """`apply` on an accelerator; what cannot run there runs on the host, and its numbers go there."""
    try:
        outputs = ondevice.run(op, inputs, attrs, op.output_dtypes(letters, attrs), place)
    except Exception as error:
        raise kernel_error(op, error, list(inputs), f"[Op:{op.name}] on {place}") from error
    if outputs is None:
        send = device_tensor.read if op.name == "ReadVariableOp" else device_tensor.sent
        outputs = tuple(send(t, place) for t in _apply_here(op, inputs, attrs, letters))
    if state.tapes:
        record_operation(op, flat_inputs(op, inputs), outputs, attrs, state)
    return public_result(op, outputs)


def _apply_here(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], letters: Mapping[str, DType]
) -> tuple[EagerTensor, ...]:
    """The kernel's results on the host."""
    arrays = [
        [t._value for t in x]
        if x.__class__ is list and (not x or isinstance(x[0], Tensor))
        else x._value  # type: ignore[attr-defined]
        if isinstance(x, Tensor)
        else x
        for x in inputs
    ]
    token = floating.silence(floating.SILENT)
    try:
        result = op.kernel(np, *arrays, **attrs)
    except errors.OpError:
        raise
    except Exception as error:
        raise kernel_error(op, error, arrays, f"[Op:{op.name}]") from error
    finally:
        floating.restore(token)
    kinds = op.output_dtypes(letters, attrs)
    if len(op.outs) == 1 and not op.variadic_out:
        outputs: tuple[EagerTensor, ...] = (EagerTensor(result, kinds[0]),)
        if letters and inputs[0].__class__ is EagerTensor and not (op.operator and kinds[0] is dtypes.string):
            op.fast[inputs[0]._dtype] = kinds[0]
    else:
        outputs = tuple(EagerTensor(r, d) for r, d in zip(result, kinds, strict=True))
    return outputs


def public_result(op: OpDef, outputs: Sequence[Any]) -> Any:
    """One tensor, or a list of them."""
    return list(outputs) if op.variadic_out or len(op.outs) != 1 else outputs[0]


def flat_inputs(op: OpDef, inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The inputs with the list input spread out, also an empty one."""
    if op.variadic is None:
        return tuple(inputs)
    flat: list[Any] = []
    for arg, x in zip(op.args, inputs, strict=True):
        if arg.variadic:
            flat.extend(x)
        else:
            flat.append(x)
    return tuple(flat)


# ---------------------------------------------------------------- building


def _build(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], name: str | None, graph: Graph) -> Any:
    state = context.current()
    if state.graph is not graph:  # a symbolic input met eager code: build in that input's graph
        with context.within(graph):
            return _build(op, inputs, attrs, name, graph)
    scope = name or op.name
    letters = _letters_of_tensors(op, inputs, False)
    flat: list[SymbolicTensor] = []
    counts: list[int] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if value.__class__ is SymbolicTensor and value.op.graph is graph and not arg.variadic:
            bind(op, arg, letters, value._dtype, position, False)
            counts.append(1)
            flat.append(value)
            continue
        if arg.static and value is None:
            raise ValueError(f"Input '{arg.name}' of {op.name} may not be None in a graph")
        items = list(value) if arg.variadic else [value]
        counts.append(len(items))
        for k, item in enumerate(items):
            label = f"{scope}/{arg.name}" + (f"_{k}" if arg.variadic else "")
            flat.append(symbolic(_as_input(op, arg, item, letters, position, label, False), graph))
    if op.variadic is not None:
        attrs = {**attrs, "N": counts[op.variadic]}
    shape = Shapes(flat, [t._dims for t in flat], attrs, graphs.constant_of)
    kinds = op.output_dtypes(letters, attrs)
    try:
        dims: Sequence[Dims] = op.infer(shape) if op.infer is not None else (None,) * len(kinds)
    except ValueError as error:
        raise ValueError(
            f"{error} (building {op.name} {name or ''} from {', '.join(values.describe(t) for t in flat)})"
        ) from error
    node = graph.add(op, tuple(flat), attrs, kinds, dims, name)
    if not node.outputs:
        return node
    return public_result(op, node.outputs)


def symbolic(tensor: Tensor, graph: Graph) -> SymbolicTensor:
    """`tensor` as a node output of `graph`: eager values become constants, outer tensors are captured.

    Raises:
      ValueError: if it is a tensor of an unrelated graph.
    """
    if tensor.__class__ is SymbolicTensor:
        if tensor.op.graph is graph:  # type: ignore[attr-defined]
            return tensor  # type: ignore[return-value]
        capture = getattr(graph, "capture", None)
        if capture is not None:
            return capture(tensor)  # type: ignore[no-any-return]
        other = graph.nodes[-1].outputs[0] if graph.nodes and graph.nodes[-1].outputs else graph
        raise ValueError(f"{tensor} must be from the same graph as {other}.")
    assert isinstance(tensor, EagerTensor)
    capture_eager = getattr(graph, "capture_eager", None)
    if capture_eager is not None:
        return capture_eager(tensor)  # type: ignore[no-any-return]
    return constant_in(graph, tensor, "Const")


__all__ = ["constant_eager", "convert_to_tensor", "dtype_of", "emit", "symbolic"]
