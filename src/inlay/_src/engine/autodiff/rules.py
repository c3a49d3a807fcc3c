"""The gradient rule of an op application: a registered one, its own, the op's, or one derived from the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types.dtypes import DType
from inlay._src.core.opdef import OPS, no_gradient
from inlay._src.engine.autodiff import derive

REGISTERED: dict[str, Callable[..., Any]] = {}
"""Gradients by registered name (`RegisterGradient`)."""


@export("RegisterGradient")
def register_gradient(op_type: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that registers a gradient under a name, for `Graph.gradient_override_map`.

    Args:
      op_type: the name; registering it twice is an error.

    Returns:
      A decorator for `grad_fn(op, *output_grads)`.

    Raises:
      TypeError: if the name is no string.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if op_type in REGISTERED:
            raise KeyError(f"Registering two gradient with name '{op_type}'!")
        REGISTERED[op_type] = function
        return function

    return register


def brought(name: str, function: Callable[..., Any]) -> str:
    """Registers a gradient that a file brought, under a name that nothing else has; gives the name."""
    REGISTERED.setdefault(name, function)
    return name


@export("NotDifferentiable", "no_gradient", "compat.v1.NoGradient")
def not_differentiable(op_type: str) -> None:
    """Registers a name whose gradient is None."""
    register_gradient(op_type)(lambda op, *grads: [None] * len(op.inputs))


def gradient_function(record: Any) -> Callable[..., Any] | None:
    """The function from a record's output cotangents to its input cotangents; None if no gradient flows.

    Raises:
      LookupError: for an op that should have a gradient but declares none.
    """
    opdef = record.opdef
    if record.override is not None:
        if record.override in REGISTERED:
            return REGISTERED[record.override]
        try:
            opdef = OPS[record.override]
        except KeyError:
            raise LookupError(f"gradient registry has no entry for: {record.override}") from None
    elif record.pull is not None:
        return record.pull  # type: ignore[no-any-return]
    if opdef.vjp is no_gradient:
        return None
    if opdef.vjp is not None:
        return opdef.vjp
    if not any(not isinstance(t, DType) or t.is_trainable for t in opdef.outs):
        return None
    return derive.vjp_of(opdef)


def input_gradients(record: Any, grads: Sequence[Any]) -> Sequence[Any]:
    """One cotangent (or None, or IMPLICIT_ZERO) per input of a record or node.

    Raises:
      ValueError: if the rule gives another number of them.
    """
    function = record.opdef.vjp
    if function is None or record.override is not None or record.pull is not None:
        function = gradient_function(record)
        if function is None:
            return (None,) * len(record.inputs)
    result = function(record, *grads)
    if result is NotImplemented:  # a case that the op's rule leaves to its kernel
        result = derive.vjp_of(record.opdef)(record, *grads)
    if result.__class__ is not tuple and not isinstance(result, (list, tuple)):
        result = (result,)
    if len(result) != len(record.inputs):
        raise ValueError(
            f"Num gradients {len(result)} generated for op {record.name} ({record.type}) do not match num "
            f"inputs {len(record.inputs)}"
        )
    return result
