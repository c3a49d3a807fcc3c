"""`MonitoredSession` and its kin: sessions that initialize or restore themselves, run with hooks, and end whole."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.core import graph as graphs
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import Value
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.session.fetches import Fetch
from inlay._src.programs.session.session import Session
from inlay._src.tf1.monitored import wrapped
from inlay._src.tf1.monitored.creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from inlay._src.tf1.monitored.hook import SessionRunHook
from inlay._src.tf1.monitored.saving_hooks import CheckpointSaverHook
from inlay._src.tf1.monitored.scaffold import Scaffold, scaffold_of
from inlay._src.tf1.monitored.summary_hooks import StepCounterHook, SummarySaverHook
from inlay._src.tf1.queues.coordinator import Coordinator
from inlay._src.tf1.queues.queue_runner import start_queue_runners

R = TypeVar("R")

USE_DEFAULT = object()
"""Stands for an argument that was not given."""


class _CoordinatedCreator(SessionCreator):
    """Makes sessions with their threads and hooks.

    Attributes:
      tf_sess: the session itself, while there is one.
      coord: the coordinator of its threads.
    """

    def __init__(self, creator: SessionCreator, hooks: Sequence[SessionRunHook], stop_grace_period_secs: float) -> None:
        self._creator, self._hooks, self._seconds = creator, hooks, stop_grace_period_secs
        self.tf_sess: Any = None
        self.coord: Coordinator | None = None

    def create_session(self) -> wrapped.Coordinated:
        """A new session, whose queues are being filled."""
        self.tf_sess = self._creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        session = wrapped.Coordinated(wrapped.Hooked(self.tf_sess, self._hooks), self.coord, self._seconds)
        try:
            if graphs.default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
                start_queue_runners(sess=self.tf_sess, coord=self.coord)
            for hook in self._hooks:
                hook.after_create_session(self.tf_sess, self.coord)
        except BaseException:
            self.coord.clear_stop()  # the threads end; what they say matters less than this
            try:
                session.close()
            except Exception:
                pass
            raise
        return session


class _Monitored:
    """The common base; `should_recover` says whether a lost session is created anew."""

    StepContext = wrapped.StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        should_recover: bool,
        stop_grace_period_secs: float,
    ) -> None:
        self._graph = graphs.default_graph()
        self._graph_was_finalized = self._graph.finalized
        self._hooks = list(hooks or [])
        for hook in self._hooks:
            hook.begin()
        self._creator = _CoordinatedCreator(
            session_creator or ChiefSessionCreator(), self._hooks, stop_grace_period_secs
        )
        self._sess: wrapped.Wrapped | None = (
            wrapped.Recoverable(self._creator) if should_recover else self._creator.create_session()
        )

    @property
    def graph(self) -> Graph | None:
        """The graph; None once it is closed."""
        return None if self._creator.tf_sess is None else self._creator.tf_sess.graph

    @overload
    def run(self, fetches: Fetch, feed_dict: Any = ..., options: Any = ..., run_metadata: Any = ...) -> Value: ...
    @overload
    def run(self, fetches: Any, feed_dict: Any = ..., options: Any = ..., run_metadata: Any = ...) -> Any: ...
    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`, with hooks.

        Args:
          fetches, feed_dict, options, run_metadata: as there.

        Raises:
          RuntimeError: once it is closed, or a hook asked the loop to end.
        """
        return self._open().run(fetches, feed_dict, options, run_metadata)

    def run_step_fn(self, step_fn: Callable[..., R]) -> R:
        """Calls a function that runs one step, of several runs if it likes.

        Args:
          step_fn: a function of one argument, `step_context`: its `session` runs without hooks, `run_with_hooks` with
            them, and `request_stop` ends the loop.

        Returns:
          The result of the function.

        Raises:
          ValueError: if it has other arguments.
        """
        names = tuple(inspect.signature(step_fn).parameters)
        if names not in (("step_context",), ("self", "step_context")):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's "
                f"an instance method. Got {names} instead."
            )
        return self._open().run_step_fn(step_fn, lambda: self._creator.tf_sess)

    def _open(self) -> wrapped.Wrapped:
        if self._sess is None:
            raise RuntimeError("Session is already closed.")
        return self._sess

    def should_stop(self) -> bool:
        """Whether the loop should end: a hook or a thread said so, or it is closed."""
        return self._sess is None or self._sess.should_stop()

    def close(self) -> None:
        """Calls the `end` of all hooks, ends the threads, and closes the session."""
        self._close(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> bool:
        """Closes. The end of the input, `OutOfRangeError` or `StopIteration`, ends the block as it should."""
        if kind is not None and issubclass(kind, (errors.OutOfRangeError, StopIteration)):
            kind = None
        self._close(kind)
        return kind is None

    def _close(self, kind: type[BaseException] | None) -> None:
        try:
            if kind is None:
                for hook in self._hooks:
                    hook.end(self._creator.tf_sess)
        finally:
            session, self._sess = self._sess, None
            try:
                if session is None:
                    raise RuntimeError("Session is already closed.")
                session.close()
            finally:
                self._creator.tf_sess = self._creator.coord = None
                if not self._graph_was_finalized:
                    self._graph.finalized = False


@export("train.MonitoredSession")
class MonitoredSession(_Monitored):
    """A session that initializes or restores itself, fills its queues, runs with hooks, and ends whole.

    One that is lost (`AbortedError`, `UnavailableError`) is made again, restored from its last checkpoint, and the run
    repeated. The graph takes no more nodes while it is open. As a context manager it is closed at the end; the end of
    the input, `OutOfRangeError`, ends the block as it should.

    Args:
      session_creator: makes the session; None is a `ChiefSessionCreator`.
      hooks: a list of `SessionRunHook`.
      stop_grace_period_secs: the seconds that threads have to end.
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@export("train.SingularMonitoredSession")
class SingularMonitoredSession(_Monitored):
    """A `MonitoredSession` that is not made again when it is lost, and whose session can be had.

    Args:
      hooks: a list of `SessionRunHook`.
      scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path: as for `ChiefSessionCreator`.
      stop_grace_period_secs: the seconds that threads have to end.
    """

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Session:
        """The session itself, whose runs call no hooks."""
        return self._creator.tf_sess


def _either(steps: Any, seconds: Any, default: tuple[Any, Any]) -> tuple[Any, Any]:
    """(steps, seconds) of which one is given, or neither."""
    if steps is USE_DEFAULT and seconds is USE_DEFAULT:
        return default
    return None if steps is USE_DEFAULT else steps, None if seconds is USE_DEFAULT else seconds


@export("train.MonitoredTrainingSession")
def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A `MonitoredSession` for training, with the hooks that save checkpoints and summaries.

    Args:
      master: the session's target.
      is_chief: whether it initializes and saves; otherwise it waits until the chief did.
      checkpoint_dir: where checkpoints are; None saves none.
      scaffold: the requirements of the session; None makes it.
      hooks: a list of `SessionRunHook`.
      chief_only_hooks: those of the chief alone.
      save_checkpoint_secs, save_checkpoint_steps: the interval between checkpoints; 600 s by default.
      save_summaries_steps, save_summaries_secs: the interval between summaries; 100 steps by default.
      config: the session's.
      stop_grace_period_secs: the seconds that threads have to end.
      log_step_count_steps: after how many steps the speed is reported; None does not.
      max_wait_secs: the seconds that a worker waits for the chief.
      summary_dir: where summaries are written; None is `checkpoint_dir`.
      save_graph_def: whether the graph is saved, too.

    Returns:
      The session.
    """
    scaffold = scaffold_of(scaffold)
    if not is_chief:
        worker = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(worker, hooks, stop_grace_period_secs)
    summary_steps, summary_secs = _either(save_summaries_steps, save_summaries_secs, (100, None))
    saving_steps, saving_secs = _either(save_checkpoint_steps, save_checkpoint_secs, (None, 600))
    all_hooks: list[SessionRunHook] = list(chief_only_hooks or [])
    folder = summary_dir or checkpoint_dir
    if folder and log_step_count_steps and log_step_count_steps > 0:
        all_hooks.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=folder))
    if folder and any(every and every > 0 for every in (summary_steps, summary_secs)):
        all_hooks.append(SummarySaverHook(summary_steps, summary_secs, output_dir=folder, scaffold=scaffold))
    if checkpoint_dir and any(every and every > 0 for every in (saving_steps, saving_secs)):
        all_hooks.append(
            CheckpointSaverHook(
                checkpoint_dir, saving_secs, saving_steps, scaffold=scaffold, save_graph_def=save_graph_def
            )
        )
    all_hooks.extend(hooks or [])
    chief = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(chief, all_hooks, stop_grace_period_secs)
