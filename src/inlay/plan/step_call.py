"""StepCall: what a bound step calls, and what else a runner may ask of it. The base answers as for a kernel.

call        runtime values in, a value out (a sequence of them if the step has `many`)
source      the same, written out in a generated plan
recorded    the same on eager tensors, so that tapes hear what it does
failed      the error that a generated plan raises for one of its own
narrowed    the same where only some results are read
on_device   the same on an accelerator
jitted      the same as a compiled plan runs it
lines       what it runs, as text
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from inlay.core.device import CPU
from inlay.core.opdef import OpDef
from inlay.interpreter.caches import Cache
from inlay.interpreter.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inlay.plan.cells import Cells
    from inlay.plan.plan import Step


class StepCall(abc.ABC):
    """What a bound step calls.

    Attributes:
      writes_source: whether `source` writes it out.
      owns_result: of one that writes itself out: whether nobody but the run can hold its result.
      locates: whether its errors name the op that failed.
    """

    __slots__ = ()
    writes_source: bool = False
    owns_result: bool = False
    locates: bool = False

    @abc.abstractmethod
    def __call__(self, *values: Any) -> Any:
        """Runs on runtime values."""

    @property
    def plain(self) -> Callable[..., Any]:
        """A callable that does the same as a call, maybe a frame cheaper."""
        return self

    def source(self, step: Step, cells: Cells, source: Source) -> None:
        """Writes the call into a generated plan: from the cells `step.ins` to the cells `step.outs`.

        Args:
          step: the step.
          cells: how the source calls the cells, and what is known of them.
          source: where to write.

        Raises:
          NotImplementedError: unless `writes_source`.
        """
        raise NotImplementedError

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any] | None:
        """Runs on eager tensors, heard by the tapes in force; None: they are to hear the op as a whole."""
        return None

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException | None:
        """What a generated plan raises for an error of this call; None: as for a kernel.

        Args:
          error: as the call raised it.
          inputs: the step's, as far as they are still there.
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

    def __init__(self, opdef: OpDef, attrs: Mapping[str, Any]) -> None:
        self.plain = opdef.bound(attrs)  # type: ignore[misc]

    def __call__(self, *values: Any) -> Any:
        return self.plain(*values)


_WITHOUT_ATTRIBUTES: Cache[OpDef, KernelCall] = Cache("kernels without attributes", 4096, lambda op: KernelCall(op, {}))


def bind(step: Step, tables: Any) -> StepCall:
    """What a step calls.

    Args:
      step: the step.
      tables: the graph whose tables have the live objects that the step refers to; None if it needs none.
    """
    opdef = step.opdef
    if opdef.bind is None:
        needs = opdef.attrs or opdef.variadic is not None
        return KernelCall(opdef, step.attrs) if needs else _WITHOUT_ATTRIBUTES[opdef]
    call: StepCall = opdef.bind(step, tables)
    if step.jit:
        call = call.jitted()
    return call.on_device(step.device) if step.device and step.device != CPU else call
