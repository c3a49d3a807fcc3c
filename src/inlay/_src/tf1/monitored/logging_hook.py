"""Tensors that are logged while a loop runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core import graph as graphs
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.monitored.timer import NeverTimer, SecondOrStepTimer, Timer


@export("train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Tells the values of tensors every so many runs or seconds, at level INFO.

    Args:
      tensors: a dictionary from what a tensor is called to it or its name, or a list of tensors or names.
      every_n_iter: one run in so many is logged.
      every_n_secs: the seconds between two; one of the two is given, or `at_end` alone.
      at_end: whether they are logged at the end, too.
      formatter: makes the text of the dictionary of values.
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Sequence[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[Any, Any]], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        named = isinstance(tensors, Mapping)
        self._tags = sorted(tensors) if named else list(tensors)
        self._tensors: dict[Any, Any] = {tag: tensors[tag] if named else tag for tag in self._tags}  # type: ignore
        self._formatter, self._at_end = formatter, at_end
        self._timer: Timer = NeverTimer() if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)

    def begin(self) -> None:
        self._timer.reset()
        self._count = 0
        self._current = {tag: _element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        self._due = self._timer.should_trigger_for_step(self._count)
        return SessionRunArgs(self._current) if self._due else None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._due:
            self._tell(run_values.results)
        self._count += 1

    def end(self, session: Any) -> None:
        if self._at_end:
            self._tell(session.run(self._current))

    def _tell(self, values: dict[Any, Any]) -> None:
        seconds, _ = self._timer.update_last_triggered_step(self._count)
        with np.printoptions(suppress=True):
            if self._formatter is not None:
                messages.info("%s", self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]}" for tag in self._tags)
        messages.info("%s", text if seconds is None else f"{text} ({seconds:.3f} sec)")


def _element(tensor: Any) -> Any:
    """The fetch of a tensor, or of the name of a tensor or of an operation with one output.

    Raises:
      ValueError: if it is of another graph, or the operation has several outputs.
    """
    graph = graphs.default_graph()
    if not isinstance(tensor, str):
        if getattr(tensor, "graph", None) is not graph:
            raise ValueError(f"Passed {tensor} should have graph attribute that is equal to current graph {graph}.")
        return tensor
    if ":" in tensor:
        return graph.as_graph_element(tensor)
    output = graph.as_graph_element(f"{tensor}:0")
    if len(output.op.outputs) > 1:
        raise ValueError(
            f"Name {tensor} is ambiguous, as this `Operation` has multiple outputs (at least {len(output.op.outputs)})."
        )
    return output
