"""Ops on an accelerator while executing eagerly: where one runs, whether it can, and its compiled kernel.

target     the scope's device, else the first input's that lies on an accelerator
kernel     the op's own, under `jax.numpy`, compiled once per op, attributes and static inputs (and by JAX per
           shapes), so that no constant in it crosses to the device when it runs
elsewhere  what cannot run there (text, state, ops that refuse values, kernels that XLA cannot hold) runs on the
           host, which also words every error of a kernel; numbers that it makes go to the device
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import explained
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.keys import NoKey, key_of
from inlay._src.core import context, device
from inlay._src.core.devices.device_tensor import KINDS, DeviceTensor, handle, hollow, sent, value_of
from inlay._src.core.opdef import OPS, Effect, OpDef, Role
from inlay._src.core.tensor import EagerTensor


def target(name: str, inputs: Sequence[Any], scope: str) -> str:
    """The accelerator that an op with these converted inputs runs on, or "" for the host: see the module docstring.

    InvalidArgumentError if the scope's device is not there.
    """
    if scope:
        device.check(scope, name)
        asked = device.resolved(scope)
        if asked:
            return asked if asked != device.CPU else ""
    return next((t._accelerator for t in _flat(inputs) if t.__class__ is DeviceTensor), "")


def _flat(inputs: Sequence[Any]) -> Iterator[Any]:
    """Inputs, those of the list input one after the other."""
    for x in inputs:
        yield from x if x.__class__ is list else (x,)


def in_scope(tensor: EagerTensor, scope: str) -> EagerTensor:
    """A new eager tensor on the device of the scope; InvalidArgumentError if that is not there."""
    accelerator = target("Const", (), scope)
    if accelerator:
        return sent(tensor, accelerator)
    place = device.logical_cpu(scope)
    return on_logical(EagerTensor(tensor._value, tensor._dtype), place) if place else tensor


def on_logical(tensor: EagerTensor, place: str) -> EagerTensor:
    """A tensor that nobody has yet, placed on a logical device of the CPU: returned itself."""
    tensor._place = place
    return tensor


def run(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], kinds: Sequence[DType], accelerator: str
) -> tuple[EagerTensor, ...] | None:
    """An op's results, of the types `kinds`, computed on an accelerator, or None where it must run on the host.

    The inputs are converted: tensors, a list of them for the list input, static values. A device that fails raises
    JAX's RuntimeError.
    """
    if op.lowering.shape_only:
        rest = [x._value if isinstance(x, EagerTensor) else x for x in inputs[1:]]
        return (EagerTensor(op.call([hollow(inputs[0]), *rest], attrs), kinds[0]),)
    flat = list(_flat(inputs))
    if not can_run(op, [t._dtype for t in flat if isinstance(t, EagerTensor)], kinds):
        return None
    if op.lowering.refuses is not None and op.lowering.refuses(
        [t._dtype if isinstance(t, EagerTensor) else None for t in flat],  # type: ignore[misc]
        [t._value if t.__class__ is EagerTensor else None for t in flat],
    ):
        return None  # its kernel may raise because of values that only the device knows
    if op.role is Role.IDENTITY:
        there = sent(inputs[0], accelerator)
        return (handle(there) if there is inputs[0] else there,)  # tapes tell tensors apart by identity
    if op.lowering.fixed_index and not inputs[op.variadic]:  # type: ignore[index]
        try:
            if op.lowering.aliases:  # a view: to try it costs nothing; `jax.numpy` would move an index into the range
                array = hollow(inputs[0])
                op.call([np.broadcast_to(np.empty((), array.dtype), array.shape), []], attrs)
        except ValueError:
            return None  # the host words it
        inputs, attrs = _with_free_numbers(op, inputs, attrs)
    return _compiled(op, inputs, attrs, kinds, accelerator)


def _with_free_numbers(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Inputs and attributes of an indexing op with its fixed numbers as inputs: compiled once, not once per number."""
    numbers: list[EagerTensor] = []
    index: list[Any] = []
    for item in attrs["index"]:
        if item.__class__ is int:
            index.append(("tensor", len(numbers)))
            numbers.append(EagerTensor(np.int32(item), dtypes.int32))
        else:
            index.append(item)
    flat = list(inputs)
    flat[op.variadic] = numbers  # type: ignore[index]
    return flat, {**attrs, "index": tuple(index)}


def can_run(op: OpDef, in_dtypes: Sequence[DType], out_dtypes: Sequence[DType]) -> bool:
    """Whether an op is pure, and of types that a device can hold."""
    return (
        op.effect is Effect.PURE
        and op.scheduling.bind is None
        and bool(out_dtypes)
        and all(d._kind in KINDS for d in in_dtypes)
        and all(d._kind in KINDS for d in out_dtypes)
    )


_HERE: Any = object()  # stands for an array in a key
_KERNELS: BoundedCache[Any, Any] = BoundedCache("kernels on devices", 4096)
"""A key -> its kernel; a key with shapes -> None, where that cannot be compiled."""


def _compiled(
    op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], kinds: Sequence[DType], accelerator: str
) -> tuple[EagerTensor, ...] | None:
    """The results of the compiled kernel; None if it cannot be compiled for these inputs."""
    statics: list[Any] = []
    tensors: list[EagerTensor] = []
    for arg, x in zip(op.args, inputs, strict=True):
        if arg.variadic:
            tensors += x
            statics.append(len(x))
        elif arg.static:
            statics.append(x._value if isinstance(x, EagerTensor) else x)
        else:
            tensors.append(x)
            statics.append(_HERE)
    try:
        key = (op.name, *(_HERE if s is _HERE else key_of(s) for s in statics), key_of(dict(attrs)))
        kernel = _KERNELS.get(key, _HERE)
    except NoKey:
        return None
    shaped = (key, *((t._dtype, t.shape._dims) for t in tensors))
    if shaped in _KERNELS:
        return None
    if kernel is _HERE:
        kernel = xla.compiled(_bound(op, statics, dict(attrs)))
        _KERNELS[key] = kernel
    arrays = [value_of(sent(t, accelerator)) for t in tensors]
    with xla.on(device.accelerators()[accelerator]):
        try:
            results = kernel(*arrays)
        except Exception as error:
            if xla.failed_running(error):
                raise
            results = None
    if results is None or any(r.dtype != d.np for r, d in zip(results, kinds, strict=True)):
        _KERNELS[shaped] = None  # for these shapes it is the host's; if they are at fault, it says so
        return None
    return tuple(DeviceTensor(r, d, accelerator) for r, d in zip(results, kinds, strict=True))


def _bound(op: OpDef, statics: Sequence[Any], attrs: dict[str, Any]) -> Callable[..., Any]:
    """The kernel as a function of its arrays alone, that returns a tuple."""

    def kernel(*arrays: Any) -> tuple[Any, ...]:
        rest = iter(arrays)
        inputs = []
        for arg, static in zip(op.args, statics, strict=True):
            if arg.variadic:
                inputs.append(list(itertools.islice(rest, static)))
            else:
                inputs.append(next(rest) if static is _HERE else static)
        result = op.kernel(xla.jnp(), *inputs, **attrs)
        return tuple(result) if op.many else (result,)

    return kernel


def identity_on(tensor: Any, name: str) -> Any:
    """A tensor on another device, by an `identity` placed there; tapes hear it."""
    with context.using(context.current().replace(device=device.canonical(name))):
        return OPS["Identity"].dispatch.function(tensor)  # type: ignore[misc]


def _cpu(self: EagerTensor) -> EagerTensor:
    """The tensor on the CPU."""
    return identity_on(self, device.CPU)  # type: ignore[no-any-return]


@explained
def _gpu(self: EagerTensor, gpu_index: int = 0) -> EagerTensor:
    """The tensor on a GPU; InvalidArgumentError if there is none."""
    return identity_on(self, f"/device:GPU:{gpu_index}")  # type: ignore[no-any-return]


EagerTensor.cpu, EagerTensor.gpu = _cpu, _gpu  # type: ignore[method-assign, assignment]
