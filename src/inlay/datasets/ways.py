"""Where the function of a parallel stage runs, as its user says it."""

from __future__ import annotations

import os
from typing import Any

from inlay import errors
from inlay.datasets.mapped import Mapped
from inlay.datasets.node import Iteration
from inlay.datasets.working import Begun, Inline, Pooled, Way
from inlay.executors.chosen import chosen
from inlay.executors.executor import Executor
from inlay.export import export

AUTOTUNE: int = export("data.AUTOTUNE", "data.experimental.AUTOTUNE")(-1)


class Placing:
    """Where the function of a stage runs.

    Args:
      executor: what the call said: None, a name, an executor.
      what: the transformation, for messages.

    Raises:
      TypeError, ValueError: if it is no executor.
    """

    __slots__ = ("executor", "inline")
    executor: Executor | None

    def __init__(self, executor: Any, what: str) -> None:
        self.executor = None if executor is None else chosen(executor, what)
        self.inline = executor is not None and self.executor is None

    def way(self, mapped: Mapped, iteration: Iteration, calls: int) -> Way:
        """How the elements of one iteration are worked on.

        Args:
          mapped: the function.
          iteration: the iteration.
          calls: how many at once, or AUTOTUNE.

        Raises:
          InvalidArgumentError: if that is not positive.
        """
        calls = positive_calls(calls, iteration)
        if self.inline:
            return Inline(mapped.indexed(iteration))
        if mapped.begins:
            return Begun(*mapped.begun(iteration), calls)
        return Pooled(mapped.indexed(iteration), calls, mapped.label)


def positive_calls(calls: int, iteration: Iteration) -> int:
    """How many calls at once.

    Raises:
      InvalidArgumentError: if that is not positive.
    """
    if calls == AUTOTUNE:
        return int(iteration.options.autotune.cpu_budget or os.cpu_count() or 1)  # type: ignore[attr-defined]
    if calls < 1:
        raise errors.InvalidArgumentError(None, None, f"num_parallel_calls must be greater than zero, got {calls}.")
    return calls
