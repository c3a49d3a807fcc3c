"""Eager variables read and written without the funnel, which would take ten times as long as either."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import floating
from inlay._src.core import context
from inlay._src.core.devices import device_tensor
from inlay._src.core.eager.record import kept_attrs
from inlay._src.core.eager.tape import note_read
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.core.tensor import EagerTensor
from inlay._src.ops import joint_updates
from inlay._src.ops.updating import RULES

_REFUSALS = (ValueError, TypeError, errors.OpError)
"""Errors of a kernel before it writes anything; all others are the caller's."""


def read(variable: Any) -> EagerTensor | None:
    """The value of a variable, which the tapes in force note; None where the funnel is needed.

    That is in a graph, on another device, and where there is no value.
    """
    handle, state = variable._handle, context.get() or context.base()
    if handle.__class__ is not EagerTensor or not state.eager or device_tensor.in_use():
        return None
    value = handle._value.value
    if value is None:
        return None
    tensor = EagerTensor(value, variable._dtype)
    if state.tapes:
        note_read(handle, state)
        if variable._reading is None:
            variable._reading = kept_attrs({"dtype": variable._dtype, "shape": variable._dims})
        attrs, key = variable._reading
        for tape in state.tapes:
            tape.record_simple(OPS["ReadVariableOp"], (handle,), tensor, attrs, state, key)
    return tensor


def write(variable: Any, op: OpDef, value: Any) -> bool:
    """Writes into a variable by an op of its handle and a value; False, and nothing is done, where the funnel must.

    That is where a tape records too, and where the op refuses the value: the funnel says why.
    """
    handle = variable._handle
    if handle.__class__ is not EagerTensor or not _unheard():
        return False
    try:
        op.call((handle._value, value), {})
    except _REFUSALS:
        return False
    return True


def call(op: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> bool:
    """Calls an op that writes into variables, on handles and tensors of the right dtypes; else as `write`."""
    if not _unheard():
        return False
    for x in inputs:
        if x.__class__ is not EagerTensor:
            return False
    try:
        op.call([x._value for x in inputs], attrs)
    except _REFUSALS:
        return False
    return True


def call_jointly(
    op: OpDef, states: Sequence[Any], gradients: Sequence[Any], operands: Sequence[Any], attrs: Mapping[str, Any]
) -> Collection[int]:
    """Updates variables by one rule as one.

    Args:
      op: the op of the update.
      states: the handles of the variables, then those of their first slots, and so on.
      gradients: eager tensors, one per variable.
      operands: the other inputs of the rule.
      attrs: the op's attributes.

    Returns:
      The places of the variables that are left to be updated.
    """
    others = (*states, *operands)
    if not _unheard() or any([x.__class__ is not EagerTensor for x in others]):
        return range(len(gradients))
    cells, numbers = [x._value for x in states], [x._value for x in operands]
    token = floating.silence(floating.SILENT)
    try:
        return joint_updates.update(RULES[op], cells, [x._value for x in gradients], numbers, attrs)
    finally:
        floating.restore(token)


def _unheard() -> bool:
    """Whether ops run here and now, and nobody records them."""
    state = context.get() or context.base()
    return state.eager and not state.tapes and not device_tensor.in_use()
