"""Runs the steps of a plan on eager tensors, so that the active tapes record each: for `reference.execute`.

Used under an eager tape, and to make the pullback of a function call, a branch or a loop. The meaning is that of
`reference.execute`; only the values are wrapped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.core import context
from inlay._src.core.devices import device_tensor, kernels
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference


def run_step(step: Step, call: StepCall, cells: list[Any]) -> None:
    """Runs one step on eager tensors; the active tapes record it."""
    tensors = [cells[i] for i in step.ins]
    results = call.recorded(tensors)
    if results is None:
        results = _by_kernel(step, call, tensors)
    elif step.checks:
        reference.checked(step, [device_tensor.value_of(r) if isinstance(r, EagerTensor) else r for r in results])
    for slot, result, dtype in zip(step.outs, results, step.dtypes, strict=True):
        if slot != -1:
            cells[slot] = result if isinstance(result, EagerTensor) else EagerTensor(result, dtype)


def _by_kernel(step: Step, call: StepCall, tensors: Sequence[EagerTensor]) -> Sequence[EagerTensor]:
    """The results of a step that is recorded as a whole."""
    place = kernels.target(step.op, tensors, "") if device_tensor.in_use() else ""
    outputs: Sequence[EagerTensor] | None = _on_device(step, tensors, place) if place else None
    if outputs is None:
        values = reference.results(step, call, [t._value for t in tensors])
        outputs = [EagerTensor(v, d) for v, d in zip(values, step.dtypes, strict=True)]
        if place:
            outputs = [device_tensor.sent(t, place) for t in outputs]
    state = context.current()
    if state.tapes:
        record_operation(step.opdef, tuple(tensors), tuple(outputs), step.attrs, state)
    return outputs


def _on_device(step: Step, tensors: Sequence[EagerTensor], place: str) -> Sequence[EagerTensor] | None:
    """The step's results on an accelerator; None if it must run on the host."""
    opdef = step.opdef
    results = kernels.run(opdef, opdef.grouped(tensors, step.attrs), opdef.own(step.attrs), step.dtypes, place)
    if results is not None:
        reference.checked(step, [device_tensor.value_of(t) for t in results])
    return results
