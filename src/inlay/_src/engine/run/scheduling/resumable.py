"""A run in pieces: between them its caller has the thread, and an executor runs one of the steps."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from inlay._src.core import context
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.inlining import RUNNING


class ResumableRun:
    """An execution that gives its thread back while an executor runs one of its steps.

    Args:
      executable: the plan.
      values: one per parameter.
    """

    __slots__ = ("_at", "_cells", "_executable", "_flight")

    def __init__(self, executable: Executable, values: Sequence[Any]) -> None:
        self._executable, self._at = executable, 0
        self._cells = executable.template.copy()
        for slot, value in zip(executable.feeds, values, strict=True):
            self._cells[slot] = value
        self._flight: tuple[list[Any], Callable[[], Sequence[Any]]] | None = None  # inputs and results of a step

    def advance(self) -> Future[Any] | None:
        """Runs steps up to one that an executor runs, and returns the future to wait for before the next call.

        Returns:
          None at the end.
        """
        before = context.get()
        if before is RUNNING:
            return self._advance()
        context.set_state(RUNNING)
        try:
            return self._advance()
        finally:
            context.set_state(before)

    def _advance(self) -> Future[Any] | None:
        steps, calls, cells, at = self._executable.steps, self._executable.calls, self._cells, self._at
        if self._flight is not None:
            (inputs, ended), self._flight = self._flight, None
            land = functools.partial(reference.land, inputs=inputs, ended=ended)
            reference.execute(steps[at : at + 1], calls[at : at + 1], cells, land)
            at += 1
        self._at = end = next((k for k in range(at, len(steps)) if calls[k].starts), len(steps))
        reference.execute(steps[at:end], calls[at:end], cells)
        if end == len(steps):
            return None
        inputs = [cells[i] for i in steps[end].ins]
        future, ended = calls[end].start(inputs)
        self._flight = inputs, ended
        return future

    def results(self) -> list[Any]:
        """One value per output, at the end."""
        return [self._cells[slot] for slot in self._executable.fetches]
