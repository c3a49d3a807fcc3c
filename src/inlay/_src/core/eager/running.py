"""Ops that run at once: inputs converted, the kernel called, its error worded, tapes told."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from inlay._src.base import errors
from inlay._src.base.misuse import repr_of
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, now
from inlay._src.base.types import dtypes
from inlay._src.core import context, device, values
from inlay._src.core.context import State
from inlay._src.core.devices import device_tensor, kernels
from inlay._src.core.eager.convert import holds_tensors
from inlay._src.core.eager.inputs import Bound, as_input, bound_by_tensors
from inlay._src.core.eager.plain import learn
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.kernel_errors import explained, of_kernel
from inlay._src.core.opdef import OpDef, Role
from inlay._src.core.signature import Arg, rank_misfit
from inlay._src.core.tensor import EagerTensor, Tensor

_WHOLE = (int, np.integer)


def converted_inputs(op: OpDef, inputs: tuple[Any, ...]) -> tuple[list[Any], Bound]:
    """The inputs of an op that runs at once as tensors, static ones as they are, and what its letters stand for.

    Raises:
      InvalidArgumentError, TypeError, ValueError: if dtypes or ranks do not fit.
    """
    bound = bound_by_tensors(op, inputs, True) if len(inputs) > 1 or op.variadic is not None else {}
    converted: list[Any] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if arg.variadic:
            converted.append([as_input(op, arg, v, bound, position, None, True) for v in value])
        elif arg.static and not isinstance(value, Tensor) and not _holds_any_tensor(value):
            converted.append(_as_static(op, arg, value, bound, position))
        else:
            converted.append(as_input(op, arg, value, bound, position, None, True))
    for position, rank in op.ranked:
        value = converted[position]
        try:
            shape = () if value.__class__ is int else value.shape if isinstance(value, Tensor) else np.shape(value)
        except ValueError:
            name = op.args[position].name
            raise ValueError(
                f"Can't convert non-rectangular Python sequence to Tensor: {name} = {repr_of(value)}"
            ) from None
        if value is not None and (misfit := rank_misfit(shape, rank)):
            raise errors.InvalidArgumentError(
                None, None, f"{op.args[position].name} {misfit}, got shape {list(shape)} [Op:{op.name}]"
            )
    return converted, bound


def run(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], state: State) -> Any:
    """Runs one op on values of any kind; see `emit`. The device in force says where, its tapes record it."""
    converted, bound = converted_inputs(op, inputs)
    if context.logs_placement():
        place = device.resolved(state.device) or device.CPU
        print(f"Executing op {op.name} in device /job:localhost/replica:0/task:0{place}", file=sys.stderr)
    accelerator = kernels.target(op.name, converted, state.device) if state.device or device_tensor.in_use() else ""
    device.note_started()
    if accelerator:
        outputs = _on_accelerator(op, converted, attrs, bound, accelerator)
    else:
        outputs = _on_host(op, converted, attrs, bound)
        if state.device and (place := device.logical_cpu(state.device)):
            for tensor in outputs:
                kernels.on_logical(tensor, place)
    if state.tapes:
        record_operation(op, op.flat(converted), outputs, attrs, state)
    if not op.many:
        return outputs[0]
    return list(outputs) if op.outs or op.variadic_out else None


def recorded(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], state: State) -> Any:
    """As `run`, and leaves a span."""
    activity = _ACTIVITIES.get(op.name)
    if activity is None:
        activity = _ACTIVITIES[op.name] = Activity(op.name, "op")
    begin = now()
    try:
        return run(op, inputs, attrs, state)
    finally:
        SPANS.add(activity, begin, now())


_ACTIVITIES: dict[str, Activity] = {}


def _as_static(op: OpDef, arg: Arg, value: Any, bound: Bound, position: int) -> Any:
    """A static value: whole numbers as they are, anything else as the tensor that a graph would make of it.

    Its dtype binds a letter that nothing else has bound.
    """
    if not (_is_whole(value) or (value is None and arg.optional)):
        return as_input(op, arg, value, bound, position, None, True)
    if arg.type.__class__ is str and arg.type not in bound:
        dtype = getattr(value, "dtype", None)
        bound[arg.type] = dtypes.from_numpy(dtype) if isinstance(dtype, np.dtype) else dtypes.int32  # type: ignore
    return value


def _is_whole(value: Any) -> bool:
    """Whether a value consists of whole numbers of Python's or NumPy's; such a list may still have no shape."""
    if isinstance(value, (list, tuple)):
        return all([issubclass(kind, _WHOLE) and kind is not bool for kind in values.leaf_types(value, set())])
    return value.__class__ is int or getattr(getattr(value, "dtype", None), "kind", "") == "i"


def _holds_any_tensor(value: Any) -> bool:
    return hasattr(value, "__tf_tensor__") or (isinstance(value, (list, tuple)) and holds_tensors(value))


def _on_accelerator(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], bound: Bound, accelerator: str
) -> tuple[EagerTensor, ...]:
    """The kernel's results on an accelerator; those of an op that cannot run there are sent there from the host."""
    try:
        outputs = kernels.run(op, inputs, attrs, op.output_dtypes(bound, attrs), accelerator)
    except errors.OpError:
        raise
    except Exception as error:
        raise _kernel_error(op, error, inputs, f"[Op:{op.name}] on {accelerator}") from error
    if outputs is None:
        send = device_tensor.read if op.role is Role.READ else device_tensor.sent
        outputs = tuple(send(t, accelerator) for t in _on_host(op, inputs, attrs, bound))
    return outputs


def _on_host(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], bound: Bound) -> tuple[EagerTensor, ...]:
    """The kernel's results on the host."""
    arrays = [
        [t._value for t in x]
        if x.__class__ is list and (not x or isinstance(x[0], Tensor))
        else x._value  # type: ignore[attr-defined]
        if isinstance(x, Tensor)
        else x
        for x in inputs
    ]
    try:
        result = op.call(arrays, attrs)
    except Exception as error:
        failed(op, error, arrays, attrs)
    kinds = op.output_dtypes(bound, attrs)
    if not op.many:
        outputs: tuple[EagerTensor, ...] = (EagerTensor(result, kinds[0]),)
    else:
        outputs = tuple(EagerTensor(r, d) for r, d in zip(result, kinds, strict=True))
    learn(op, inputs, kinds)
    return outputs


def failed(op: OpDef, error: Exception, arrays: Sequence[Any], attrs: Mapping[str, Any]) -> NoReturn:
    """Raises what a kernel raised on the host for these values, as an error of inlay."""
    if isinstance(error, errors.OpError):
        raise error
    cause = explained(op, error, op.flat(arrays), attrs)
    raise _kernel_error(op, cause, arrays, f"[Op:{op.name}]") from cause


def _kernel_error(op: OpDef, error: BaseException, arrays: Sequence[Any], where: str) -> errors.OpError:
    """A kernel's exception as ours."""
    inputs = [value for x in arrays for value in (x if isinstance(x, list) else [x])]
    return of_kernel(error, inputs, lambda seen: f" ({op.name} of {seen}) {where}")
