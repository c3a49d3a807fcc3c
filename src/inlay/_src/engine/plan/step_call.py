"""StepCall: the call of a bound step, and its hooks for lowerings. The base class answers as for a kernel.

call        runtime values in, a value out (a sequence of them if the step has `many`)
start       the same, begun on an executor: the run goes on meanwhile
request     the same for an executor, which begins it with others
source      the same, written out in a generated plan
recorded    the same on eager tensors, so that tapes record it
failed      the error that a generated plan raises for one of its own
on_device   the same on an accelerator
jitted      the same as a compiled plan runs it
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, NamedTuple

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.source import Source
from inlay._src.core.device import CPU
from inlay._src.core.executor import Batch, Call, Executor
from inlay._src.core.hints import Scheduling
from inlay._src.core.opdef import PLAN_OPS, OpDef, no_kernel
from inlay._src.core.signature import Signature
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Step


class Started(NamedTuple):
    """A call that was begun.

    Attributes:
      future: is done when the call has ended, one way or the other.
      results: then gives what the call gives.
    """

    future: Future[Any]
    results: Callable[[], Sequence[Any]]


class CallRequest(NamedTuple):
    """A call for an executor, which was not begun.

    Attributes:
      call: the call.
      results: gives what the call gives once it has ended, from its batch and its position there.
    """

    call: Call
    results: Callable[[Batch, int], Sequence[Any]]


class StepCall(abc.ABC):
    """The call of a bound step.

    Attributes:
      writes_source: whether `source` writes it out.
      owns_result: of one that writes itself out: whether nobody but the run can hold its result.
      runs_kernels: of one that writes itself out: whether kernels run in it, so that it sets `CellLayout.user` itself.
      locates: whether its errors name the op that failed.
      starts: whether an executor runs it, so that `start` begins it.
      executor: that executor.
      label: the name and definition of the user's function that it runs, for messages.
    """

    __slots__ = ()
    writes_source: bool = False
    owns_result: bool = False
    runs_kernels: bool = False
    locates: bool = False
    starts: bool = False
    executor: Executor | None = None
    label: str = ""

    @abc.abstractmethod
    def __call__(self, *values: Any) -> Any:
        """Runs on runtime values."""

    @property
    def plain(self) -> Callable[..., Any]:
        """A callable that does the same as a call, maybe a frame cheaper."""
        return self

    def start(self, values: Sequence[Any]) -> Started:
        """Begins the call, if it `starts`, and returns at once."""
        raise NotImplementedError

    def request(self, values: Sequence[Any]) -> CallRequest | None:
        """The call for its executor, to be begun together with others; None if it has to be begun by itself."""
        return None

    def source(self, step: Step, cells: CellLayout, source: Source) -> None:
        """Writes the call, if `writes_source`, into a generated plan: from the cells `step.ins` to `step.outs`."""
        raise NotImplementedError

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any] | None:
        """Runs on eager tensors, recorded by the active tapes; None: they record the op as a whole."""
        return None

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException | None:
        """The exception that a generated plan raises for an error of this call, from the inputs that are left.

        None: as for a kernel.
        """
        return None

    def on_device(self, place: str) -> StepCall:
        """The same call on an accelerator."""
        return self

    def jitted(self) -> StepCall:
        """The same call in a compiled plan: the programs that it runs are compiled too."""
        return self


class KernelCall(StepCall):
    """A kernel under NumPy, with a node's attributes."""

    __slots__ = ("plain",)

    def __init__(self, opdef: OpDef, attrs: Mapping[str, Any], unranked: bool = False) -> None:
        self.plain: Callable[..., Any] = opdef.bound(attrs, unranked)  # type: ignore[misc]

    def __call__(self, *values: Any) -> Any:
        return self.plain(*values)


_WITHOUT_ATTRIBUTES: BoundedCache[OpDef, KernelCall] = BoundedCache(
    "kernels without attributes", 4096, lambda op: KernelCall(op, {})
)


PLAN_CALLS: dict[str, type[StepCall]] = {}
"""The calls of the ops that only plans have, by op. `engine.run` adds them, since plans know no way to run a step."""


def plan_op(name: str, signature: Signature) -> OpDef:
    """Declares an op that only plans have."""
    PLAN_OPS[name] = opdef = OpDef(name, no_kernel, signature, scheduling=Scheduling(bind=_plan_call))
    return opdef


def _plan_call(step: Step, tables: Any) -> StepCall:
    return PLAN_CALLS[step.op](step, tables)  # type: ignore[call-arg]


def bind(step: Step, tables: Any) -> StepCall:
    """The call of a step. The live objects that it refers to are in `tables`, those of its graph."""
    opdef = step.opdef
    bind_step = opdef.scheduling.bind
    if bind_step is None:
        needs = opdef.attrs or opdef.variadic is not None or step.unranked
        return KernelCall(opdef, step.attrs, step.unranked) if needs else _WITHOUT_ATTRIBUTES[opdef]
    call: StepCall = bind_step(step, tables)
    if step.jit:
        call = call.jitted()
    return call.on_device(step.device) if step.device and step.device != CPU else call
