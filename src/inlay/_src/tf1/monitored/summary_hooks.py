"""Summaries and the speed of a loop, written for TensorBoard."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SessionLog, Summary
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.monitored.scaffold import Scaffold
from inlay._src.tf1.monitored.timer import SecondOrStepTimer
from inlay._src.tf1.summaries.file_writer import FileWriter, FileWriterCache
from inlay._src.training.global_step import get_or_create_global_step


def _writer(writer: FileWriter | None, folder: str | None) -> FileWriter | None:
    return FileWriterCache.get(folder) if writer is None and folder else writer


@export("train.StepCounterHook")
class StepCounterHook(SessionRunHook):
    """Tells how many steps a loop takes per second, at level INFO and as a summary, `global_step/sec`.

    Args:
      every_n_steps: the steps between two.
      every_n_secs: the seconds between two; one of the two is given.
      output_dir: where the summary is written.
      summary_writer: writes it; None takes the one of `output_dir`.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: FileWriter | None = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_steps)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._before: int | None = None
        self._warnings = 5

    def begin(self) -> None:
        self._summary_writer = _writer(self._summary_writer, self._output_dir)
        self._step = get_or_create_global_step()
        self._tag = f"{self._step.op.name}/sec"

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """See `SessionRunHook`: the step that was read may be the one before the run."""
        seen = int(run_values.results)
        if self._timer.should_trigger_for_step(seen + 1):
            step = int(run_context.session.run(self._step))
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None and steps is not None:
                    self._log_and_record(steps, seconds, step)
        if seen == self._before and self._warnings:
            self._warnings -= 1
            messages.warning(
                "the global step is still %d after another run: pass it to the optimizer's minimize or apply_gradients",
                seen,
            )
        self._before = seen

    def _log_and_record(self, elapsed_steps: int, elapsed_time: float, global_step: int) -> None:
        """Tells the speed; programs of TensorFlow put their own in its place."""
        speed = elapsed_steps / elapsed_time if elapsed_time else float("inf")
        if self._summary_writer is not None:
            summary = Summary(value=[Summary.Value(tag=self._tag, simple_value=speed)])
            self._summary_writer.add_summary(summary, global_step)
        messages.info("%s: %g", self._tag, speed)


@export("train.SummarySaverHook")
class SummarySaverHook(SessionRunHook):
    """Writes summaries every so many steps or seconds, and at the first run.

    Args:
      save_steps: the steps between two.
      save_secs: the seconds between two; one of the two is given.
      output_dir: where they are written.
      summary_writer: writes them; None takes the one of `output_dir`.
      scaffold: has the summary op.
      summary_op: a summary, or a list of them; one of the two is given.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: FileWriter | None = None,
        scaffold: Scaffold | None = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        self._summary_writer = _writer(self._summary_writer, self._output_dir)
        self._next: int | None = None
        self._step = get_or_create_global_step()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._due = self._next is None or self._timer.should_trigger_for_step(self._next)
        wanted: dict[str, Any] = {"global_step": self._step}
        summaries = self._summaries() if self._due else None
        if summaries is not None:
            wanted["summary"] = summaries
        return SessionRunArgs(wanted)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if self._summary_writer is None:
            return
        step = int(run_values.results["global_step"]) + 1
        if self._due:
            step = int(run_context.session.run(self._step))
        if self._next is None:
            self._summary_writer.add_session_log(SessionLog(status=SessionLog.START), step)
        if self._due:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next = step + 1

    def end(self, session: Any = None) -> None:
        if self._summary_writer is not None:
            self._summary_writer.flush()

    def _summaries(self) -> list[Any] | None:
        """The fetches, or None."""
        fetches = self._summary_op
        if fetches is None:
            assert self._scaffold is not None
            fetches = self._scaffold.summary_op
        return fetches if fetches is None or isinstance(fetches, list) else [fetches]
