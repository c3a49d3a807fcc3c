"""Recording of host calls by tapes: the ops of the body, its pullback as a value, or the user's gradient.

`call_recorded` makes an eager call without generated code (see `host.eager_calls`), and a step of a plan under a tape;
`call_with_pullback` runs a body under a tape of its own and returns the pullback.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.core import context, device
from inlay._src.core.devices import kernels
from inlay._src.core.devices.device_tensor import KINDS, handle, sent
from inlay._src.core.eager.record import Record
from inlay._src.core.eager.tape import Recording, record_execution, record_operation
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO
from inlay._src.host.call import HostCall
from inlay._src.host.gradient import RefusedGradient, user_gradient, warn_lost
from inlay._src.host.record import HostFunction, Mode
from inlay._src.host.remote_call import RemoteCall


def call_recorded(call: HostCall | RemoteCall, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
    """Runs a call on eager tensors in the state in force; its tapes record the body, or its own gradient."""
    state, host = context.current(), call.host
    place = kernels.target(call.type, (), state.device) if state.device else ""
    outputs = (_on_arrays if host.mode is Mode.NUMPY else _on_tensors)(call, tensors, state, place)
    if not state.tapes:
        return outputs
    if host.grad is not None:
        outputs = [handle(t) for t in outputs]
        _own_gradient(host, call.type, tensors, outputs, state)
    elif host.mode is Mode.NUMPY:
        record_operation(OPS[call.type], tuple(tensors), tuple(outputs), {}, state)
    else:
        outputs = boundary(OPS[call.type], tensors, outputs, state)
    return outputs


def _on_arrays(
    call: HostCall | RemoteCall, tensors: Sequence[EagerTensor], state: context.State, place: str
) -> list[EagerTensor]:
    host = call.host
    before = context.get()
    context.set_state(context.State(host=host.label))  # as in written calls: `using` takes three times as long
    try:
        arrays = call([t._value for t in tensors])
    finally:
        context.set_state(before)
    outputs = [EagerTensor(v, leaf.dtype) for v, leaf in zip(arrays, host.outputs.leaves, strict=True)]
    return [sent(t, place) for t in outputs] if place else outputs


def _on_tensors(
    call: HostCall | RemoteCall, tensors: Sequence[EagerTensor], state: context.State, place: str
) -> list[EagerTensor]:
    tapes = state.tapes if call.host.grad is None else ()
    scope = place or (device.logical_cpu(state.device) if state.device else "")
    before = context.get()
    context.set_state(context.State(tapes=tapes, host=call.host.label, device=scope))  # `using` takes longer
    try:
        return _at(call(_at(tensors, place)), place)
    finally:
        context.set_state(before)


def _at(tensors: Sequence[EagerTensor], place: str) -> list[EagerTensor]:
    """The tensors on a device, if one is in force."""
    if not place:
        return list(tensors)
    return [kernels.identity_on(t, place) if t.dtype._kind in KINDS else t for t in tensors]


def call_with_pullback(
    call: HostCall | RemoteCall, tensors: Sequence[EagerTensor]
) -> tuple[list[EagerTensor], Recording]:
    """Runs a function of eager tensors under a tape of its own; returns its outputs and the pullback."""
    label, scope = call.host.label, context.current().device
    return record_execution(label, call, tensors, lambda tapes: context.State(tapes=tapes, host=label, device=scope))


def boundary(
    op: OpDef, tensors: Sequence[EagerTensor], body: Sequence[EagerTensor], state: context.State
) -> list[EagerTensor]:
    """The outputs of the caller, connected with the results of the body, and with every input at least by zero.

    The body's own ops were recorded by the same tapes, so gradients flow through them to inputs, captured tensors and
    variables alike; an input the body did not use gets zeros of its shape.
    """
    outputs = [handle(t) for t in body]
    through: Callable[..., Any] = _through
    for tape in state.tapes:
        if tape.left is not None:
            if unrecorded := tape.unrecorded(body):
                through = UnrecordedBody(tape.left, unrecorded)
            tape.left = None
    record_operation(op, (*tensors, *body), tuple(outputs), {}, state, through)
    return outputs


def _through(record: Record, *grads: Any) -> list[Any]:
    """The gradient of a boundary: cotangents go on to what the body returned, whose tensors are its last inputs."""
    tensors = record.inputs[: len(record.inputs) - len(grads)]
    return [IMPLICIT_ZERO if t.dtype.is_trainable else None for t in tensors] + list(grads)


_through.structural = True  # type: ignore[attr-defined]


class UnrecordedBody:
    """The gradient of a boundary whose body computed results outside the framework: zero there, with a warning.

    Args:
      label: the function.
      results: the numbers of those results.
    """

    def __init__(self, label: str, results: Sequence[int]) -> None:
        self.label, self.results = label, results

    def __call__(self, record: Record, *grads: Any) -> list[Any]:
        if any(grads[i] is not None for i in self.results):
            warn_lost(self.label)
        return _through(record, *grads)


def _own_gradient(
    host: HostFunction,
    type_name: str,
    tensors: Sequence[EagerTensor],
    outputs: Sequence[EagerTensor],
    state: context.State,
) -> None:
    def pull(_: Record, *grads: Any) -> list[Any]:
        try:
            return user_gradient(host, tensors, outputs, grads)
        except errors.PASS_THROUGH:
            raise
        except RefusedGradient as error:
            raise errors.refused(
                errors.InvalidArgumentError,
                ValueError,
                f"{error} (inlay explain own-gradient)\n  the function was made an op at {host.site}",
            ) from error.__cause__
        except BaseException as error:
            raised = errors.wrap(error, f"  raised in grad of {host.label}, made an op at {host.site}")
            raise raised from raised.__cause__

    record_operation(OPS[type_name], tuple(tensors), tuple(outputs), {}, state, pull)
