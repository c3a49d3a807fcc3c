"""Ops that run at once: inputs converted, the kernel called, its error worded, tapes told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay import errors
from inlay.core import values
from inlay.core.context import State
from inlay.core.opdef import Arg, Effect, OpDef, Role
from inlay.core.tensor import EagerTensor, Tensor
from inlay.devices import device_tensor, kernels
from inlay.eager.convert import holds_tensors, number
from inlay.eager.inputs import Bound, as_input, bound_by_tensors
from inlay.eager.tape import record_operation
from inlay.interpreter import floating
from inlay.interpreter.caches import Cache
from inlay.types import dtypes
from inlay.types.dtypes import DType

_MET: Cache[Any, Any] = Cache("inputs of eager ops", 16384)
"""An op and what its inputs were -> the dtype of each result, or the attribute that says it."""


def run(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], state: State) -> Any:
    """Runs one op on values of any kind; see `emit`. The device in force says where, its tapes record it."""
    plain = _plain(op, inputs) if state.eager and op.effect is Effect.PURE else None
    if plain is not None:
        again = _again(op, plain, attrs, state)
        if again is not None:
            return again
    bound = bound_by_tensors(op, inputs, True) if len(inputs) > 1 or op.variadic is not None else {}
    converted: list[Any] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if arg.variadic:
            converted.append([as_input(op, arg, v, bound, position, None, True) for v in value])
        elif arg.static and not isinstance(value, Tensor) and not _holds_any_tensor(value):
            converted.append(_bind_default(arg, value, bound))
        else:
            converted.append(as_input(op, arg, value, bound, position, None, True))
    accelerator = kernels.target(op.name, converted, state.device) if state.device or device_tensor.in_use() else ""
    if accelerator:
        outputs = _on_accelerator(op, converted, attrs, bound, accelerator)
    else:
        outputs = _on_host(op, converted, attrs, bound)
        if plain is not None:
            _MET[plain.key] = tuple(t if t.__class__ is DType else bound.get(t, t) for t in op.outs)  # type: ignore
    if state.tapes:
        record_operation(op, op.flat(converted), outputs, attrs, state)
    return list(outputs) if op.many else outputs[0]


class _Plain(NamedTuple):
    """Inputs that need no conversion: the op and their dtypes, and the inputs with their values."""

    key: tuple[Any, ...]
    inputs: list[Any]
    values: list[Any]


def _plain(op: OpDef, inputs: tuple[Any, ...]) -> _Plain | None:
    """The inputs if they are eager tensors of this machine, whole numbers where values are static, and numbers beside
    tensors of their letter; else None."""
    key: list[Any] = [op]
    values: list[Any] = []
    numbers: list[tuple[int, int, str]] = []
    for arg, x in zip(op.args, inputs, strict=True):
        cls = x.__class__
        if cls is EagerTensor:
            key.append(x._dtype)
            values.append(x._value)
        elif arg.static:
            if not (cls is int or x is None or ((cls is list or cls is tuple) and _whole(x))):
                return None
            key.append(None)
            values.append(x)
        elif arg.variadic and cls is list and x:
            for item in x:
                if item.__class__ is not EagerTensor:
                    return None
            key += [item._dtype for item in x]
            values.append([item._value for item in x])
        elif (cls is float or cls is int) and arg.type.__class__ is str:
            numbers.append((len(values), len(key), arg.type))  # type: ignore[arg-type]
            key.append(None)
            values.append(x)
        else:
            return None
    taken = list(inputs)
    for at, place, letter in numbers:
        pairs = zip(op.args, inputs, strict=True)
        beside = next((x for arg, x in pairs if arg.type == letter and x.__class__ is EagerTensor), None)
        tensor = None if beside is None else number(inputs[at], beside._dtype)
        if tensor is None:
            return None
        taken[at], values[at], key[place] = tensor, tensor._value, tensor._dtype
    return _Plain(tuple(key), taken, values)


def _whole(numbers: Any) -> bool:
    """Whether a list has whole numbers alone, or lists of them."""
    for item in numbers:
        if item.__class__ is not int and not (item.__class__ is list and _whole(item)):
            return False
    return True


def _again(op: OpDef, plain: _Plain, attrs: Mapping[str, Any], state: State) -> Any:
    """What an op makes of inputs such as it took before; None if it took none or fails: then the long way tells it."""
    outs = _MET.get(plain.key)
    if outs is None:
        return None
    token = floating.silence(floating.SILENT)
    try:
        result = op.kernel(np, *plain.values, **attrs)
    except Exception:
        return None
    finally:
        floating.restore(token)
    if op.many:
        kinds = outs if not op.variadic_out else op.output_dtypes(dict.fromkeys(op.letters, outs[0]), attrs)
        made = [EagerTensor(r, d if d.__class__ is DType else attrs[d]) for r, d in zip(result, kinds, strict=True)]
        if state.tapes:
            record_operation(op, op.flat(plain.inputs), tuple(made), attrs, state)
        return made
    tensor = EagerTensor(result, outs[0] if outs[0].__class__ is DType else attrs[outs[0]])
    if state.tapes:
        record_operation(op, op.flat(plain.inputs), (tensor,), attrs, state)
    return tensor


def _bind_default(arg: Arg, value: Any, bound: Bound) -> Any:
    """A static value as it is; its dtype binds a letter that nothing else has bound."""
    if arg.type.__class__ is str and arg.type not in bound:
        dtype = getattr(value, "dtype", None)
        bound[arg.type] = dtypes.from_numpy(dtype) if isinstance(dtype, np.dtype) else dtypes.int32  # type: ignore
    return value


def _holds_any_tensor(value: Any) -> bool:
    return hasattr(value, "__tf_tensor__") or (isinstance(value, (list, tuple)) and holds_tensors(value))


def _on_accelerator(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], bound: Bound, accelerator: str
) -> tuple[EagerTensor, ...]:
    """The kernel's results on an accelerator; what cannot run there runs on the host, and its numbers go there."""
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
    token = floating.silence(floating.SILENT)
    try:
        result = op.kernel(np, *arrays, **attrs)
    except errors.OpError:
        raise
    except Exception as error:
        raise _kernel_error(op, error, arrays, f"[Op:{op.name}]") from error
    finally:
        floating.restore(token)
    kinds = op.output_dtypes(bound, attrs)
    if not op.many:
        outputs: tuple[EagerTensor, ...] = (EagerTensor(result, kinds[0]),)
        if bound and inputs[0].__class__ is EagerTensor and not (op.operator and kinds[0] is dtypes.string):
            op.fast[inputs[0]._dtype] = kinds[0]
    else:
        outputs = tuple(EagerTensor(r, d) for r, d in zip(result, kinds, strict=True))
    return outputs


def _kernel_error(op: OpDef, error: Exception, arrays: Sequence[Any], where: str) -> errors.OpError:
    """A kernel's exception as ours."""
    seen = ", ".join(values.describe(a) for x in arrays for a in (x if isinstance(x, list) else [x]))
    text = str(error)
    if "could not be broadcast" in text and len(arrays) >= 2:
        text = f"Incompatible shapes: {_bracket(arrays[0])} vs. {_bracket(arrays[1])}"
    return errors.of_kernel(error, f"{text} ({op.name} of {seen}) {where}")


def _bracket(array: Any) -> str:
    return "[" + ",".join(map(str, np.shape(array))) + "]"
