"""`SessionManager`: sessions whose variables have their values, from a checkpoint, an operation, or somebody else."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core import graph as graphs
from inlay._src.core.graph import Graph
from inlay._src.programs.session.session import Session
from inlay._src.training.checkpoint_state import get_checkpoint_state


@export("train.SessionManager")
class SessionManager:
    """Makes sessions that are ready to run.

    Args:
      local_init_op: runs in every new session.
      ready_op: gives the names of variables that are not initialized.
      ready_for_local_init_op: gives those that `local_init_op` needs.
      graph: the graph; None is the default one.
      recovery_wait_secs: the polling interval in seconds.
      local_init_run_options: the `RunOptions` of `local_init_op`.
      local_init_feed_dict: its feeds.

    Raises:
      ValueError: if there is a `ready_for_local_init_op` and no `local_init_op`.
    """

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Graph | None = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Mapping[Any, Any] | None = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op "
                f"[{ready_for_local_init_op}]"
            )
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graphs.default_graph() if graph is None else graph
        self._wait_seconds = recovery_wait_secs
        self._options, self._feed_dict = local_init_run_options, local_init_feed_dict

    def prepare_session(
        self,
        master: str,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Mapping[Any, Any] | None = None,
        init_fn: Callable[[Any], None] | None = None,
    ) -> Session:
        """A session that is ready: restored from the last checkpoint if there is one, initialized otherwise.

        Args:
          master: the session's target.
          init_op: the operation that initializes it.
          init_feed_dict: the feeds of `init_op`.
          saver: restores it.
          checkpoint_dir: where its checkpoints are.
          checkpoint_filename_with_path: one checkpoint, in place of the last one of a folder.
          wait_for_checkpoint: whether a checkpoint is waited for.
          max_wait_secs: the seconds.
          config: the session's.
          init_fn: is called with the session after `init_op`.

        Raises:
          RuntimeError: if it cannot be initialized, or is not ready after that; naming the variables.
          ValueError: if both a folder and a checkpoint are given.
        """
        sess, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        try:
            if not restored:
                if init_op is None and init_fn is None and self._local_init_op is None:
                    raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
                if init_op is not None:
                    sess.run(init_op, feed_dict=init_feed_dict)
                if init_fn is not None:
                    init_fn(sess)
            initialization = f"Init op: {getattr(init_op, 'name', init_op)}, init fn: {init_fn}"
            missing = self._run_local_init_op(sess)
            if missing is not None:
                raise RuntimeError(
                    f"Init operations did not make model ready for local_init.  {initialization}, error: {missing}"
                )
            missing = _missing(self._ready_op, sess, "Model not ready")
            if missing is not None:
                raise RuntimeError(
                    f"Init operations did not make model ready.  {initialization}, "
                    f"local_init_op: {self._local_init_op}, error: {missing}"
                )
        except BaseException:
            sess.close()
            raise
        return sess

    def recover_session(
        self,
        master: str,
        saver: Any = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Session, bool]:
        """A session restored from a checkpoint, if that makes it ready.

        Args:
          master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config: as
            for `prepare_session`.

        Returns:
          (the session, whether it is ready).
        """
        sess, restored = self._restored(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        missing = self._run_local_init_op(sess)
        if not restored:
            return sess, False
        missing = missing or _missing(self._ready_op, sess, "Model not ready")
        where = checkpoint_dir or checkpoint_filename_with_path
        if missing is not None:
            messages.info("Restoring model from %s did not make model ready: %s", where, missing)
            return sess, False
        messages.info("Restored model from %s", where)
        return sess, True

    def wait_for_session(self, master: str, config: Any = None, max_wait_secs: float = math.inf) -> Session:
        """A session that somebody else makes ready.

        Args:
          master: the session's target.
          config: the session's.
          max_wait_secs: the time limit in seconds.

        Raises:
          DeadlineExceededError: if it is not ready by then.
        """
        end = time.monotonic() + max_wait_secs
        while True:
            sess = Session(master, graph=self._graph, config=config)
            missing = self._run_local_init_op(sess) or _missing(self._ready_op, sess, "Model not ready")
            if missing is None:
                return sess
            sess.close()
            if time.monotonic() + self._wait_seconds > end:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {max_wait_secs} secs. {missing}"
                )
            messages.info("Waiting for model to be ready: %s", missing)
            time.sleep(self._wait_seconds)

    def _restored(
        self,
        master: str,
        saver: Any,
        folder: str | None,
        path: str | None,
        wait: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Session, bool]:
        """(a new session, whether it was restored from a checkpoint)."""
        if folder and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        sess = Session(master, graph=self._graph, config=config)
        if saver is None or not (folder or path):
            return sess, False
        if path:
            saver.restore(sess, path)
            return sess, True
        assert folder is not None
        end = time.monotonic() + (max_wait_secs if wait else 0.0)
        while (state := get_checkpoint_state(folder)) is None or not state.model_checkpoint_path:
            if time.monotonic() >= end:
                return sess, False
            messages.info("Waiting for checkpoint to be available.")
            time.sleep(self._wait_seconds)
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return sess, True

    def _run_local_init_op(self, sess: Session) -> str | None:
        """Runs `local_init_op`; returns a message if variables that it needs are uninitialized, else None."""
        if self._local_init_op is None:
            return None
        missing = _missing(self._ready_for_local_init_op, sess, "Model not ready for local init")
        if missing is None:
            messages.info("Running local_init_op.")
            sess.run(self._local_init_op, feed_dict=self._feed_dict, options=self._options)
            messages.info("Done running local_init_op.")
        return missing


def _missing(ready_op: Any, sess: Session, what: str) -> str | None:
    """A message that names the uninitialized variables; None if there are none."""
    if ready_op is None:
        return None
    try:
        names = sess.run(ready_op)
    except errors.FailedPreconditionError as error:
        if "uninitialized" not in str(error):
            messages.warning("%s : error [%s]", what, error)
            raise
        return str(error)
    if names is None or names.dtype == np.int32 or not names.size:
        return None
    return f"Variables not initialized: {', '.join(name.decode() for name in names)}"
