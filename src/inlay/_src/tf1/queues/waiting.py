"""Ops that wait for what other runs do: begun they give a future, for which the thread waits.

A run whose other steps have something to do goes on with them meanwhile (`engine.run.scheduling`). When it ends early
(a step failed, a deadline, Ctrl-C) it cancels the futures; when its session is closed, the state that is waited for
does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.core.eager.declaration import parse_signature
from inlay._src.core.hints import LoweringHints, Scheduling
from inlay._src.core.opdef import OPS, Effect, Infer, Inference, OpDef, no_gradient
from inlay._src.core.signature import Attribute
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.scheduling.work_stealing import run_in_force


class BegunOperation(NamedTuple):
    """An operation that was begun.

    Attributes:
      future: is done when the operation has ended, one way or the other.
      results: then gives its results.
      serve: does what it needs the waiting thread for, such as reading a file; None is nothing.
    """

    future: Future[Any]
    results: Callable[[], Sequence[Any]]
    serve: Callable[[], None] | None = None


Begin = Callable[..., BegunOperation]
_BEGINS: dict[str, Begin] = {}
"""Name of an op -> what begins it, from runtime values and attributes."""


class WaitingCall(StepCall):
    """The step of an op that waits."""

    __slots__ = ("_begin", "_place")
    locates = True

    def __init__(self, step: Step, tables: Any) -> None:
        opdef, attrs = step.opdef, step.attrs
        own, begin = opdef.own(attrs), _BEGINS[step.op]

        def begun(*values: Any) -> BegunOperation:
            inputs = opdef.grouped(values, attrs)
            try:
                opdef.check_ranks(inputs)
            except ValueError as error:
                raise errors.InvalidArgumentError(None, None, str(error)) from None
            return begin(*inputs, **own)

        self._begin: Begin = begun
        self._place = f"op '{step.name}' ({step.op}), defined at {step.site}\n  [[{{{{node {step.name}}}}}]]"

    def __call__(self, *values: Any) -> Any:
        try:
            return waited(self._begin, *values)
        except errors.OpError as error:
            if "[[{{node" in error.message:
                raise
            raise type(error)(None, None, f"{error.message}\n  {self._place}") from None


def waited(begin: Begin, *inputs: Any, **attributes: Any) -> Sequence[Any]:
    """The results of what `begin` begins; one that nobody waits for any more is cancelled."""
    started: BegunOperation | None = None
    try:
        with PutOff():  # an interrupted operation that nobody cancels would take what others wait for
            started = begin(*inputs, **attributes)
        if started.serve is not None:
            started.serve()
        future = started.future
        if not future.done() and (run := run_in_force()) is not None:
            run.wait(future)
        return started.results()
    except BaseException:
        if started is not None:
            started.future.cancel()
        raise


def waiting_op(
    name: str,
    signature: str,
    attrs: Mapping[str, Any] | None = None,
    infer: Infer | None = None,
    scalars: Sequence[str] = (),
) -> Callable[[Begin], Begin]:
    """Declares an op that waits. The decorated function begins it.

    It takes the inputs, those of a list input as one, and the attributes by keyword. An op has no result or several.

    Args:
      name: the op type.
      signature: inputs and outputs; see `eager.declaration`.
      attrs: attribute -> default, `inspect.Parameter.empty` if it is required.
      infer: output shapes.
      scalars: inputs that must be scalars.
    """

    def declare(begin: Begin) -> Begin:
        def kernel(xp: Any, *inputs: Any, **attributes: Any) -> Any:
            return waited(begin, *inputs, **attributes)

        declared = {
            name: Attribute(default, "bool" if isinstance(default, bool) else "")
            for name, default in (attrs or {}).items()
        }
        signed = parse_signature(signature, (), {}, declared, dict.fromkeys(scalars, 0))
        OPS[name] = OpDef(
            name, kernel, signed, declared, Effect.WRITES, infer=Inference(infer),
            vjp=no_gradient, lowering=LoweringHints(aliases=True), scheduling=Scheduling(bind=WaitingCall, waits=True),
            doc=begin.__doc__ or "",
        )  # fmt: skip
        _BEGINS[name] = begin
        return begin

    return declare
