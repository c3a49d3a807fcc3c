"""A plan whose steps report when they ran: `TimedCall`s take the place of the calls of its steps.

So the wrapped plan runs step by step, and never as generated source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History
from inlay._src.engine.run.timed_call import Note, TimedCall


class TimedExecutable(Executable):
    """An executable whose steps note when they ran.

    Args:
      executable: the executable; it stays as it is.
      note: receives each execution of a step.
      inner: gives the call of a step that runs other plans, such that those report too.
      begun: receives the cells of each run before its first step.
    """

    __slots__ = ("_begun",)

    def __init__(
        self,
        executable: Executable,
        note: Note,
        inner: Callable[[Step, StepCall], StepCall] = lambda step, call: call,
        begun: Callable[[Sequence[Any]], None] | None = None,
    ) -> None:
        self.plan, self.steps, self.feeds = executable.plan, executable.steps, executable.feeds
        self.fetches, self.resources, self.template = executable.fetches, executable.resources, executable.template
        every = zip(executable.steps, executable.calls, strict=True)
        self.calls = tuple([TimedCall(step, inner(step, call), note) for step, call in every])
        self.body = self.alone = self._lowered = self._tensors = None
        self.private, self._of_values, self._runs = frozenset(), {}, 0
        self._history = History(starts=any([call.starts for call in self.calls]))
        self._begun, self.title = begun, executable.title

    @property
    def is_written(self) -> bool:
        """No: generated source would leave the calls out."""
        return False

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None = None) -> None:
        """See `Executable.execute`."""
        if self._begun is not None:
            self._begun(cells)
        self._schedule(self.calls, cells, stop)

    def record(self, cells: list[Any]) -> None:
        """See `Executable.record`."""
        if self._begun is not None:
            self._begun([value_of(c) if isinstance(c, EagerTensor) else c for c in cells])
        super().record(cells)
