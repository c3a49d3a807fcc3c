"""The threads of a `Supervisor`: summaries, steps per second, checkpoints, each again and again while it runs."""

from __future__ import annotations

import time
from typing import Any

from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SessionLog, Summary
from inlay._src.tf1.queues.coordinator import LooperThread
from inlay._src.training.global_step import step_number


class SummaryService(LooperThread):
    """Writes the summaries of a supervisor's graph.

    Args:
      supervisor: the supervisor.
      session: runs the summary op.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor, self._session = supervisor, session

    def run_loop(self) -> None:
        """Writes them once."""
        supervisor, step = self._supervisor, None
        if supervisor.global_step is None:
            summary = self._session.run(supervisor.summary_op)
        else:
            summary, step = self._session.run([supervisor.summary_op, supervisor.global_step])
        if supervisor.summary_writer is not None:
            messages.info("Recording summary at step %s.", step)
            supervisor.summary_writer.add_summary(summary, None if step is None else int(step.reshape(())))


class StepCounterService(LooperThread):
    """Writes how many steps pass in a second.

    Args:
      supervisor: the supervisor; it has a global step and a writer.
      session: reads the step.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor, self._session = supervisor, session
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def start_loop(self) -> None:
        """Notes where counting begins."""
        self._time, self._step = time.monotonic(), step_number(self._supervisor.global_step, self._session)

    def run_loop(self) -> None:
        """Writes the rate since the last time."""
        now, step = time.monotonic(), step_number(self._supervisor.global_step, self._session)
        rate = (step - self._step) / (now - self._time) if now > self._time else float("inf")
        self._time, self._step = now, step
        summary = Summary(value=[{"tag": self._tag, "simple_value": rate}])
        if self._supervisor.summary_writer is not None:
            self._supervisor.summary_writer.add_summary(summary, step)
        messages.info("%s: %g", self._tag, rate)


class CheckpointService(LooperThread):
    """Saves a supervisor's variables.

    Args:
      supervisor: the supervisor; it has a saver and a folder.
      session: holds the variables.
    """

    def __init__(self, supervisor: Any, session: Any) -> None:
        super().__init__(supervisor.coord, supervisor.save_model_secs)
        self._supervisor, self._session = supervisor, session

    def run_loop(self) -> None:
        """Saves them once."""
        supervisor = self._supervisor
        messages.info("Saving checkpoint to path %s", supervisor.save_path)
        supervisor.saver.save(self._session, supervisor.save_path, global_step=supervisor.global_step)
        if supervisor.summary_writer is not None and supervisor.global_step is not None:
            log = SessionLog(status=SessionLog.CHECKPOINT, checkpoint_path=supervisor.save_path)
            supervisor.summary_writer.add_session_log(log, step_number(supervisor.global_step, self._session))
