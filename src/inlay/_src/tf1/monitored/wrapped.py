"""Wrappers of a session: one runs hooks, one ends with its threads, one creates a lost session anew.

Recoverable ──▶ Coordinated ──▶ Hooked ──▶ Session
makes another   knows of errors  calls the
one when it     in threads       hooks
is lost
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import messages
from inlay._src.programs.session.options import RunOptions
from inlay._src.programs.session.run_metadata import RunMetadata
from inlay._src.tf1.monitored.creators import SessionCreator
from inlay._src.tf1.monitored.hook import SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from inlay._src.tf1.queues.coordinator import Coordinator

LOST = (errors.AbortedError, errors.UnavailableError)
"""Errors that say that a session is lost, and another one may go on."""


class StepContext:
    """One step of a loop, as the function of `run_step_fn` sees it.

    Args:
      session: the session itself, whose runs call no hooks.
      run_with_hooks_fn: runs with hooks.
    """

    def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
        self._session, self._run_with_hooks = session, run_with_hooks_fn

    @property
    def session(self) -> Any:
        """The session itself."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """As `Session.run`, with hooks."""
        return self._run_with_hooks(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the loop: leaves the function."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class Wrapped:
    """A session, or one that is wrapped.

    Args:
      session: the wrapped object; None once it is closed.
    """

    def __init__(self, session: Any) -> None:
        self._sess = session

    @property
    def graph(self) -> Any:
        """The session's."""
        return self._sess.graph

    @property
    def sess_str(self) -> str:
        """The session's target."""
        return self._sess.sess_str  # type: ignore[no-any-return]

    def should_stop(self) -> bool:
        """Whether the loop should end."""
        if self._sess is None or self.check_stop():
            return True
        return self._sess is None or (isinstance(self._sess, Wrapped) and self._sess.should_stop())

    def check_stop(self) -> bool:
        """Whether this wrapper requests a stop."""
        return False

    def close(self) -> None:
        """Closes the session; one that is lost anyway may fail in that."""
        session, self._sess = self._sess, None
        if session is not None:
            try:
                session.close()
            except LOST as error:
                messages.error("closing a session that was lost: %s", error)

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`."""
        return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def run_step_fn(self, step_fn: Callable[..., Any], raw_session: Callable[[], Any]) -> Any:
        """Calls a function of a `StepContext`; `raw_session` gives the session itself."""
        return step_fn(StepContext(raw_session(), self.run))


class Hooked(Wrapped):
    """Runs with hooks.

    Args:
      session: the session.
      hooks: are called around each run.
    """

    def __init__(self, session: Any, hooks: Sequence[SessionRunHook]) -> None:
        super().__init__(session)
        self._hooks, self._stops = hooks, False

    def check_stop(self) -> bool:
        """See `Wrapped`: whether a hook said so."""
        return self._stops

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`, with hooks.

        Raises:
          RuntimeError: after a hook asked the loop to end, and if two feed the same tensor.
        """
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self._sess)
        options = RunOptions() if options is None else options
        run_metadata = RunMetadata() if run_metadata is None else run_metadata
        asked = [hook.before_run(context) or SessionRunArgs(None) for hook in self._hooks]
        fed = _joined_feeds(feed_dict, [a.feed_dict for a in asked])
        for args in asked:
            if args.options is not None:
                _join_options(options, args.options)
        wanted = [(i, a.fetches) for i, a in enumerate(asked) if a.fetches is not None]
        said = any(getattr(options, name, 0) for name in ("timeout_in_ms", "trace_level"))
        values = super().run([fetches, *(f for _, f in wanted)], fed, options if said else None, run_metadata)
        results = {i: value for (i, _), value in zip(wanted, values[1:], strict=True)}
        for i, hook in enumerate(self._hooks):
            hook.after_run(context, SessionRunValues(results.get(i), options, run_metadata))
        self._stops = self._stops or context.stop_requested
        return values[0]


def _joined_feeds(feeds: Mapping[Any, Any] | None, of_hooks: Sequence[Mapping[Any, Any] | None]) -> Any:
    """The feeds of the caller and the hooks.

    Raises:
      RuntimeError: if that is the same tensor.
    """
    joined: dict[Any, Any] = {}
    said = "Same tensor is fed by two hooks."
    for fed in (*of_hooks, feeds):
        if fed is feeds:
            said = "Same tensor is fed by a SessionRunHook and user."
        both = [key for key in fed or () if key in joined]
        if both:
            raise RuntimeError(f"{said} Conflict(s): {both}")
        joined.update(fed or {})
    return joined or feeds


def _join_options(options: Any, more: Any) -> None:
    """The requests of a hook to a run."""
    for name in ("trace_level", "timeout_in_ms", "inter_op_thread_pool", "output_partition_graphs"):
        setattr(options, name, max(getattr(options, name), getattr(more, name)))


class Coordinated(Wrapped):
    """Ends with its threads, and knows of their errors.

    Args:
      session: the wrapped object.
      coord: the coordinator of the threads.
      stop_grace_period_secs: the seconds that they have to end.
    """

    def __init__(self, session: Wrapped, coord: Coordinator, stop_grace_period_secs: float) -> None:
        super().__init__(session)
        self._coord, self._seconds = coord, stop_grace_period_secs

    def check_stop(self) -> bool:
        """See `Wrapped`: whether the coordinator stops. An error of a thread is raised."""
        self._coord.raise_requested_exception()
        return self._coord.should_stop()

    def close(self) -> None:
        """See `Wrapped`. The threads end first; an error of one is raised."""
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._seconds, ignore_live_threads=True)
        finally:
            super().close()

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`. Where a thread lost its session, that is said; other errors are those of the run."""
        try:
            return super().run(fetches, feed_dict, options, run_metadata)
        except LOST:
            raise
        except Exception as error:
            try:
                self._coord.raise_requested_exception()
            except LOST:
                raise
            except Exception:
                raise error from None
            raise


class Recoverable(Wrapped):
    """Is made again when it is lost.

    Args:
      creator: makes it.
    """

    def __init__(self, creator: SessionCreator) -> None:
        self._creator = creator
        super().__init__(self._new_session())

    def _new_session(self) -> Any:
        while True:
            try:
                return self._creator.create_session()
            except LOST as error:
                messages.info("a session was lost while it was made; another one is made: %s", error)

    def check_stop(self) -> bool:
        """See `Wrapped`: an error other than a loss ends the loop."""
        try:
            return self._sess is None or self._sess.check_stop()
        except LOST as error:
            self._lose(error)
            self._sess = self._new_session()
            return False
        except Exception:
            return True

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """As `Session.run`, again in another session where one is lost."""
        return self._again(lambda: self._sess.run(fetches, feed_dict, options, run_metadata))

    def run_step_fn(self, step_fn: Callable[..., Any], raw_session: Callable[[], Any]) -> Any:
        """See `Wrapped`; the function is called again where a session is lost."""
        return self._again(lambda: self._sess.run_step_fn(step_fn, raw_session))

    def _again(self, run: Callable[[], Any]) -> Any:
        while True:
            try:
                if self._sess is None:
                    self._sess = self._new_session()
                return run()
            except LOST as error:
                self._lose(error)

    def _lose(self, error: errors.OpError) -> None:
        messages.info("a session was lost; it is closed and another one made: %s", error)
        try:
            self.close()
        except LOST as again:  # a thread of it says the same
            messages.info("closing a session that was lost: %s", again)
