"""Creators of the session of a monitored one: the chief initializes it, a worker waits until it is initialized."""

from __future__ import annotations

import abc
from typing import Any

from inlay._src.base.export import export
from inlay._src.core import graph as graphs
from inlay._src.programs.session.session import Session
from inlay._src.tf1.monitored.scaffold import Scaffold, scaffold_of
from inlay._src.tf1.monitored.session_manager import SessionManager


@export("train.SessionCreator")
class SessionCreator(abc.ABC):
    """Makes sessions."""

    @abc.abstractmethod
    def create_session(self) -> Session | Any:
        """A new session."""


def _manager(scaffold: Scaffold) -> SessionManager:
    return SessionManager(
        local_init_op=scaffold.local_init_op,
        local_init_feed_dict=scaffold.local_init_feed_dict,
        ready_op=scaffold.ready_op,
        ready_for_local_init_op=scaffold.ready_for_local_init_op,
        graph=graphs.default_graph(),
    )


@export("train.ChiefSessionCreator")
class ChiefSessionCreator(SessionCreator):
    """Makes sessions that it restores or initializes.

    Args:
      scaffold: the operations for that; None makes one.
      master: the session's target.
      config: the session's.
      checkpoint_dir: where its checkpoints are.
      checkpoint_filename_with_path: one checkpoint, in place of the last one of a folder.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        self._scaffold = scaffold_of(scaffold)
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path
        self._manager: SessionManager | None = None

    def create_session(self) -> Session:
        """A new session, restored or initialized."""
        scaffold = self._scaffold.finalize()
        self._manager = self._manager or _manager(scaffold)
        return self._manager.prepare_session(
            self._master,
            saver=scaffold.saver,
            checkpoint_dir=self._folder,
            checkpoint_filename_with_path=self._path,
            config=self._config,
            init_op=scaffold.init_op,
            init_feed_dict=scaffold.init_feed_dict,
            init_fn=scaffold.init_fn,
        )


@export("train.WorkerSessionCreator")
class WorkerSessionCreator(SessionCreator):
    """Makes sessions that another process initializes.

    Args:
      scaffold: says what must be ready; None makes one.
      master: the session's target.
      config: the session's.
      max_wait_secs: the time limit in seconds.
    """

    def __init__(
        self, scaffold: Scaffold | None = None, master: str = "", config: Any = None, max_wait_secs: float = 30 * 60
    ) -> None:
        self._scaffold = scaffold_of(scaffold)
        self._master, self._config, self._max_wait_secs = master, config, max_wait_secs
        self._manager: SessionManager | None = None

    def create_session(self) -> Session:
        """A new session, once it is ready."""
        scaffold = self._scaffold.finalize()
        self._manager = self._manager or _manager(scaffold)
        return self._manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)
