"""When the steps of a run ran, written for viewers of traces."""

from __future__ import annotations

import os

from inlay._src.base.export import export
from inlay._src.programs.session.options import RunOptions
from inlay._src.programs.session.timeline import Timeline
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.monitored.timer import SecondOrStepTimer
from inlay._src.tf1.summaries.file_writer import FileWriterCache
from inlay._src.training.global_step import get_or_create_global_step


@export("compat.v1.train.ProfilerHook")
class ProfilerHook(SessionRunHook):
    """Traces a run every so many steps or seconds, and writes `timeline-<step>.json` for chrome://tracing.

    Args:
      save_steps: the steps between two.
      save_secs: the seconds between two; one of the two is given.
      output_dir: the folder; a summary tells of the traced runs there too.
      show_dataflow: whether arrows show the results of steps on their way.
      show_memory: whether tensors and the bytes of allocators are shown.

    Raises:
      ValueError: if both or neither of `save_steps` and `save_secs` are given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._folder = output_dir
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._next: int | None = None
        self._due = False

    def begin(self) -> None:
        self._next = None
        self._writer = FileWriterCache.get(self._folder)
        self._step = get_or_create_global_step()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._due = self._next is not None and self._timer.should_trigger_for_step(self._next)
        options = RunOptions(trace_level=RunOptions.FULL_TRACE) if self._due else None
        return SessionRunArgs(self._step, options=options)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`: the first run only starts the clock."""
        step = int(run_values.results)
        if self._next is None:
            self._timer.update_last_triggered_step(step)
        step += 1
        if self._due:
            step = int(run_context.session.run(self._step))
            self._timer.update_last_triggered_step(step)
            report = run_values.run_metadata
            with open(os.path.join(self._folder, f"timeline-{step}.json"), "w", encoding="utf-8") as file:
                timeline = Timeline(report.step_stats)
                file.write(timeline.generate_chrome_trace_format(self._show_dataflow, self._show_memory))
            self._writer.add_run_metadata(report, f"step_{step}")
        self._next = step + 1
