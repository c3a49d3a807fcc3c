"""`SessionRunHook`: callbacks around each run of a monitored session."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.programs.session.session import Session


@export("train.SessionRunArgs")
class SessionRunArgs(NamedTuple):
    """The requests of a hook to a run.

    Attributes:
      fetches: a tensor, operation, name, or a nest of them; None fetches nothing.
      feed_dict: its feeds, or None.
      options: a `RunOptions` to be joined with that of the run, or None.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@export("train.SessionRunValues")
class SessionRunValues(NamedTuple):
    """The results of a run for a hook.

    Attributes:
      results: a nest like the fetches that it asked for.
      options: the `RunOptions` of the run.
      run_metadata: its `RunMetadata`.
    """

    results: Any
    options: Any
    run_metadata: Any


@export("train.SessionRunContext")
class SessionRunContext:
    """One run, as hooks see it.

    Args:
      original_args: the fetches and feeds of the caller, a `SessionRunArgs`.
      session: the session, for further runs.
    """

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session, self._stop_requested = original_args, session, False

    @property
    def original_args(self) -> SessionRunArgs:
        """The fetches and feeds of the caller."""
        return self._original_args

    @property
    def session(self) -> Session:
        """The session."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked the loop to end."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Asks the loop to end: `should_stop()` of the session is True from now on."""
        self._stop_requested = True


@export("train.SessionRunHook")
class SessionRunHook:
    """Is called around each run of a monitored session. Classes made of it write what they need."""

    def begin(self) -> None:
        """Is called first: nodes may still be added to the graph."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Is called when a session was made, also when one is made again.

        Args:
          session: the session, whose variables have their values.
          coord: the `Coordinator` of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Is called before a run.

        Args:
          run_context: the run.

        Returns:
          Additional fetches and feeds, or None.
        """
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """Is called after a run that did not fail.

        Args:
          run_context: the run.
          run_values: the values of this hook's fetches.
        """

    def end(self, session: Any) -> None:
        """Is called at the end, unless there was an error.

        Args:
          session: the session, which is closed afterwards.
        """
