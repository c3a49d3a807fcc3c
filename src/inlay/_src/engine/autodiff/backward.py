"""The backward pass of tapes: cotangents from targets to sources.

A compiled vector-Jacobian product does it at once if the structure of the records came back; else reverse accumulation
goes op by op.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from inlay._src.base.interpreter.fallbacks import fall_back
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.eager.emit import emit
from inlay._src.core.eager.record import ASKED, Record
from inlay._src.core.eager.tape import Recording, Tape
from inlay._src.core.opdef import OPS, RowGradient, no_gradient
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.autodiff import compiled_vjp
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO, PASSING, accumulate, add_up, noting_barriers, whole
from inlay._src.engine.autodiff.rules import input_gradients
from inlay._src.engine.run.lowering.inlining import RUNNING
from inlay._src.ops.array import zeros_like


def backward(
    tape: Tape,
    targets: Sequence[Any],
    seeds: Sequence[Any],
    sources: Sequence[Any],
    barriers: list[Record] | None = None,
    rows: bool = False,
) -> Sequence[Any]:
    """Cotangents of `sources` given those of `targets`, the `seeds` (None: none).

    Returns:
      Per source: a tensor (or, if `rows`, a `RowGradient`), IMPLICIT_ZERO (connected, nothing flowed) or None (not
      connected). `barriers`, if given, has got the records through which no gradient could pass.
    """
    state = context.get() or context.base()
    failure: Exception | None = None
    if barriers is None and state.eager and not state.tapes:
        try:
            compiled = compiled_vjp.pull(tape, targets, seeds, sources)
        except Exception as error:  # the program's error if accumulation raises too
            compiled, failure = None, error
        if compiled is not None:
            return compiled if RowGradient not in map(type, compiled) else _whole_or_rows(compiled, sources, tape, rows)
    cotangents: dict[int, Any] = {}
    for t, seed in zip(targets, seeds, strict=True):
        if seed is not None:
            cotangents[id(t)] = add_up(cotangents.get(id(t)), seed)
    token = ASKED.set(tape.watched)
    try:
        rule = input_gradients if barriers is None else noting_barriers(barriers)
        asked = {id(s) for s in sources}
        records = tape.records if barriers is not None else _connected(tape.records, asked)
        accumulate(reversed(records), cotangents, asked, rule)
    finally:
        ASKED.reset(token)
    if failure is not None:
        fall_back("compiled vector-Jacobian product", failure)
    gradients = [cotangents.get(id(s)) for s in sources]
    return _whole_or_rows(gradients, sources, tape, rows)


def _connected(records: Sequence[Record], sources: Collection[int]) -> Sequence[Record]:
    """Of records with gradients of users' own, those that a source reaches: no other gradient need be called."""
    if not any([r.pull is not None for r in records]):
        return records
    reached, connected = set(sources), []
    for record in records:
        rules = record.opdef.vjp is not no_gradient or record.override is not None or record.pull is not None
        if rules and any([id(t) in reached for t in record.inputs]):
            reached.update(map(id, record.outputs))
            connected.append(record)
    return connected


def _whole_or_rows(cotangents: Sequence[Any], sources: Sequence[Any], tape: Tape, rows: bool) -> Sequence[Any]:
    """The cotangents as tensors; if rows are asked for, only those of values that entered host functions and loops."""
    if RowGradient not in map(type, cotangents):
        return cotangents
    inside = _entering_bodies(tape) if rows else ()
    return [g if rows and id(s) not in inside else whole(g, s) for g, s in zip(cotangents, sources, strict=True)]


def _entering_bodies(tape: Tape) -> set[int]:
    """Identities of what host functions and loops take, but for the body that we are in; also of what is passed on."""
    own = (None, RUNNING.host, context.current().host)
    entering: set[int] = set()
    for record in reversed(tape.records):
        passed = record.opdef.role in PASSING and id(record.outputs[0]) in entering
        if passed or record.body not in own:
            entering.update(map(id, record.inputs))
    return entering


def pull(recording: Recording, seeds: Sequence[Any], sources: Sequence[EagerTensor]) -> Sequence[Any]:
    """Cotangents of `sources` given those of a recording's outputs: a tensor, IMPLICIT_ZERO or None each."""
    return backward(recording.tape, recording.outputs, seeds, sources)


def pull_recorded(
    recording: Recording, seeds: Sequence[Any], sources: Sequence[EagerTensor], primals: Sequence[EagerTensor]
) -> tuple[list[Any], Recording]:
    """`pull`, and the recording of it: records of the execution followed by those of the pull.

    Its inputs are `primals`, all that the execution depends on, and the cotangents.
    """
    tape = recording.tape.copy()
    cotangents = tuple(s for s in seeds if s is not None)
    for s in cotangents:
        tape.watch(s)
    state = context.current()
    with context.using(state.replace(tapes=(*state.tapes, tape))):
        pulled = pull(recording, seeds, sources)
        grads = [zeros_of(t) if g is None or g is IMPLICIT_ZERO else g for g, t in zip(pulled, sources, strict=True)]
    return list(grads), Recording(f"gradient of {recording.label}", tape, (*primals, *cotangents), tuple(grads))


def zeros_of(tensor: Any) -> Any:
    """Zeros shaped like a tensor's value; for a variable's handle, like the variable."""
    if isinstance(tensor, EagerTensor) and tensor.dtype is dtypes.variant:
        return EagerTensor(tensor._value.zeros(), dtypes.variant)
    return zeros_like(variable_value(tensor))


def variable_value(tensor: Any) -> Any:
    """The value of the variable whose handle this is; any other tensor is returned as it is."""
    if tensor.dtype is not dtypes.resource:
        return tensor
    key = handle_key(tensor)
    if isinstance(tensor, EagerTensor):
        return EagerTensor(key.read(), key.dtype)
    attrs = {"dtype": key.dtype, "shape": key.dims}
    return emit(OPS["ReadVariableOp"], (tensor,), attrs)
