"""Checkpoints saved while a loop runs, and those who listen to that."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SessionLog
from inlay._src.core import graph as graphs
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.graph_def.writing import write_graph
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.monitored.scaffold import Scaffold
from inlay._src.tf1.monitored.timer import SecondOrStepTimer
from inlay._src.tf1.summaries.file_writer import FileWriterCache
from inlay._src.training.global_step import get_or_create_global_step
from inlay._src.training.saver import Saver

_MANY = 1_000_000


@export("train.CheckpointSaverListener")
class CheckpointSaverListener:
    """Is called around each checkpoint of a `CheckpointSaverHook`. Classes made of it write what they need."""

    def begin(self) -> None:
        """Is called first: nodes may still be added to the graph."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Is called before a checkpoint is saved."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Is called when a checkpoint was saved; True ends the loop."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Is called at the end, after the last checkpoint."""


@export("train.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint when a session is made, every so many steps or seconds, and at the end.

    Args:
      checkpoint_dir: the folder.
      save_secs: the seconds between two.
      save_steps: the steps between two; one of the two is given.
      saver: saves it; None takes that of `scaffold`, or of the graph's collection `SAVERS`.
      checkpoint_basename: the names of checkpoints, before their step.
      scaffold: has the saver.
      listeners: a list of `CheckpointSaverListener`.
      save_graph_def: whether the graph is saved, too: `graph.pbtxt`, and one with each checkpoint.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Saver | None = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Scaffold | None = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        messages.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold = saver, scaffold
        self._folder, self._path = checkpoint_dir, os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners: list[CheckpointSaverListener] = list(listeners or [])
        self._save_graph_def = save_graph_def

    def begin(self) -> None:
        self._writer = FileWriterCache.get(self._folder)
        self._step = get_or_create_global_step()
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run(self._step))
        graph = graphs.default_graph()
        if self._save_graph_def:
            write_graph(graph.as_graph_def(add_shapes=True), self._folder, "graph.pbtxt")
        self._writer.add_graph(graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`: a run may take many steps, so the step is read once more where it may be time."""
        if not self._timer.should_trigger_for_step(run_values.results + _MANY):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        """Saves a checkpoint; whether a listener asks the loop to end."""
        for listener in self._listeners:
            listener.before_save(session, step)
        messages.info("Saving checkpoints for %d into %s.", step, self._path)
        self._chosen_saver().save(session, self._path, global_step=step, write_meta_graph=self._save_graph_def)
        log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=self._path)
        self._writer.add_session_log(log, step)
        asked = [listener for listener in self._listeners if listener.after_save(session, step)]
        if asked:
            messages.info("A CheckpointSaverListener requested that training be stopped. listener: %s", asked[0])
        return bool(asked)

    def _chosen_saver(self) -> Any:
        """The saver.

        Raises:
          RuntimeError: if it was not said which, and the graph has none or several.
        """
        if self._saver is None and self._scaffold is not None:
            return self._scaffold.saver
        if self._saver is None:
            savers = graphs.default_graph().get_collection(GraphKeys.SAVERS)
            if len(savers) != 1:
                many = "More than one item" if savers else "No items"
                raise RuntimeError(
                    f"{many} in collection {GraphKeys.SAVERS}. Please provide the saver, or a scaffold that has one."
                )
            self._saver = savers[0]
        return self._saver
