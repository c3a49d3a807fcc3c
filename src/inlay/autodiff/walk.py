"""The backward walk: from the cotangents of outputs to those of inputs, record by record.

What a gradient rule does is ordinary ops, which go through the funnel: outer tapes hear them and a graph in force takes
them, so any order of derivative works.

A cotangent may be `ZERO`: connected, but zero so far. It costs nothing and becomes zeros of the right shape only
where a source has nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay import errors
from inlay.core.opdef import OPS
from inlay.core.tensor import Tensor
from inlay.eager.record import Record
from inlay.types import dtypes
from inlay.types.dtypes import DType


class _Zero:
    """The cotangent of an input that is connected but contributes nothing."""

    def __repr__(self) -> str:
        return "ZERO"


ZERO = _Zero()
REGISTERED: dict[str, Callable[..., Any]] = {}
"""Gradients by registered name (`RegisterGradient`)."""


def gradient_function(record: Any) -> Callable[..., Any] | None:
    """What turns a record's output cotangents into input cotangents; None where no gradient flows.

    Raises:
      LookupError: for an op that should have a gradient but declares none.
    """
    if record.override is not None:
        return REGISTERED[record.override]
    if record.pull is not None:
        return record.pull  # type: ignore[no-any-return]
    opdef = record.opdef
    if opdef.vjp is not None:
        return opdef.vjp  # type: ignore[no-any-return]
    if not opdef.differentiable:
        return None
    return derived(opdef)


def derived(opdef: Any) -> Callable[..., Any] | None:
    """The gradient of an op that declares none."""
    if not any(not isinstance(t, DType) or t.is_trainable for t in opdef.outs):
        return None
    from inlay.autodiff import derive

    return derive.vjp_of(opdef)


def input_gradients(record: Any, grads: Sequence[Any]) -> Sequence[Any]:
    """One cotangent (or None, or ZERO) per input of a record or node."""
    function = record.opdef.vjp
    if function is None or record.override is not None or record.pull is not None:
        function = gradient_function(record)
        if function is None:
            return (None,) * len(record.inputs)
    result = function(record, *grads)
    if result.__class__ is not tuple and not isinstance(result, (list, tuple)):
        result = (result,)
    if len(result) != len(record.inputs):
        raise ValueError(
            f"Num gradients {len(result)} generated for op {record.name} ({record.type}) do not match num "
            f"inputs {len(record.inputs)}"
        )
    return result


def add_up(one: Any, two: Any) -> Any:
    """The sum of two cotangents."""
    if one is None or one is ZERO:
        return two
    if two is None or two is ZERO:
        return one
    return OPS["TensorListAdd" if one.dtype is dtypes.variant else "AddV2"].public(one, two)  # type: ignore[misc]


def walk(records: Sequence[Record], found: dict[int, Any], wanted: set[int], barriers: list[Record] | None) -> None:
    """Takes the cotangents in `found` back through the records; those of `wanted` tensors stay in it.

    What the gradient of an op in a function's body raises is that function's error.
    """
    record: Any = None
    try:
        for record in reversed(records):
            outputs = record.outputs
            if len(outputs) == 1:
                key = id(outputs[0])
                grad = found.get(key)
                if grad is None:
                    continue
                if key not in wanted:
                    del found[key]
                below = _below(record, (grad,), grad is ZERO)
            else:
                grads = [found.get(id(o)) for o in outputs]
                for o in outputs:
                    if id(o) not in wanted:
                        found.pop(id(o), None)
                if all(g is None for g in grads):
                    continue
                below = _below(record, grads, all(g is None or g is ZERO for g in grads))
            if barriers is not None and all(b is None for b in below):
                barriers.append(record)
            for t, g in zip(record.inputs, below, strict=True):
                if g is not None and isinstance(t, Tensor) and t.dtype._kind in "fcvr":
                    key = id(t)
                    before = found.get(key)
                    found[key] = g if before is None else add_up(before, g)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        if record is None or record.body is None:
            raise
        raise errors.wrap(error, f"  raised in the gradient of {record.type}, called by {record.body}") from error


def _below(record: Record, grads: Sequence[Any], nothing: bool) -> Sequence[Any]:
    """Cotangents of a record's inputs; if there is nothing but ZERO above, ZERO is below."""
    if nothing:
        return [ZERO] * len(record.inputs)
    if len(grads) > 1:
        grads = [None if g is ZERO else g for g in grads]
    return input_gradients(record, grads)
