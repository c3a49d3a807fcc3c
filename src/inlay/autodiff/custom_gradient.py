"""Functions that bring their own gradient."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from inlay.core import context
from inlay.core.opdef import OPS, Arg, OpDef
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.devices import device_tensor
from inlay.eager.convert import convert_to_tensor, symbolic
from inlay.eager.tape import record_operation
from inlay.export import export
from inlay.ops.array import zeros_like
from inlay.plan.plan import Step
from inlay.plan.step_call import KernelCall
from inlay.types import nest


def _first_values(xp: Any, values: Sequence[Any], *, num: int) -> Sequence[Any]:
    return values[:num]


class _PassThrough(KernelCall):
    """The step of a `CustomGradient` node. Tapes record it with the gradient that the node's graph holds."""

    __slots__ = ("_count", "_rule")

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step.opdef, step.attrs)
        self._count: int = step.attrs["num"]
        self._rule: Callable[..., Any] = tables.referred(step.attrs["gradient"])

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        return _recorded(tensors[: self._count], tensors[self._count :], self._rule)


def _recorded(
    outputs: Sequence[EagerTensor], inputs: Sequence[EagerTensor], rule: Callable[..., Any]
) -> list[EagerTensor]:
    """The outputs as tensors of their own, whose gradient the tapes in force take from `rule`."""
    made = [device_tensor.handle(t) for t in outputs]
    state = context.current()
    if state.tapes:
        op = OPS["CustomGradient"]
        record_operation(op, tuple(inputs), tuple(made), {}, state, lambda _, *grads: rule(*grads))
    return made


def _rule_vjp(op: Any, *grads: Any) -> list[Any]:
    rule = op.graph.referred(op.attrs["gradient"])
    return [*([None] * len(grads)), *rule(*grads)]


OPS["CustomGradient"] = OpDef(
    "CustomGradient",
    _first_values,
    (Arg("values", None, True, False),),
    (None,),
    variadic_out=True,
    attrs={"num": 1},
    vjp=_rule_vjp,
    bind=_PassThrough,
    aliases=True,
    doc="Passes values through, with the user's gradient.",
)


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator: `f(*x)` returns `(y, grad)`, where `grad(*dy)` gives the cotangents of `x`.

    Args:
      f: a function of tensors.

    Returns:
      A function that returns `y`; derivatives of any order use `grad`, which may itself be differentiated.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        inputs = [convert_to_tensor(a) for a in nest.flatten(args)]
        state = context.current()
        # The body's own ops are not recorded: only `grad` says what the derivative is.
        with context.using(state.replace(tapes=())):
            result, grad = f(*nest.pack_sequence_as(list(args), inputs), **kwargs)
        flat = [convert_to_tensor(y) for y in nest.flatten(result)]
        return nest.pack_sequence_as(result, _connected(flat, inputs, grad))

    return decorated


def _connected(outputs: list[Any], inputs: list[Any], grad: Callable[..., Any]) -> list[Any]:
    def rule(*grads: Any) -> list[Any]:
        filled = [zeros_like(o) if g is None else g for o, g in zip(outputs, grads, strict=True)]
        found = grad(*filled)
        flat = nest.flatten(found)
        if len(flat) != len(inputs):
            raise ValueError(
                f"custom_gradient function expected to return {len(inputs)} gradients, but returned "
                f"{len(flat)} instead."
            )
        return [None if g is None else convert_to_tensor(g, x.dtype) for g, x in zip(flat, inputs, strict=True)]

    if any(isinstance(t, SymbolicTensor) for t in (*outputs, *inputs)):
        graph = next(t for t in (*outputs, *inputs) if isinstance(t, SymbolicTensor)).graph
        every = tuple(symbolic(t, graph) for t in (*outputs, *inputs))
        node = graph.add(
            OPS["CustomGradient"],
            every,
            {"num": len(outputs), "N": len(every), "gradient": graph.gradients.add(rule)},
            [t.dtype for t in outputs],
            [t.shape._dims for t in outputs],
            "CustomGradient",
        )
        return list(node.outputs)
    return _recorded(outputs, inputs, rule)


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity: cotangents pass to its arguments unchanged.

    Args:
      f: a function whose results are shaped like its arguments.
    """

    @custom_gradient
    @functools.wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any) -> Any:
            return cotangents[0] if len(args) == 1 else cotangents

        return f(*args, **kwargs), grad

    return passed  # type: ignore[no-any-return]
