"""`Supervisor`: the predecessor of `MonitoredTrainingSession` in programs of 1.x."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Thread
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter import messages
from inlay._src.base.protos.event import SessionLog
from inlay._src.base.types.attributes import read_only
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.behavior import resource_variables_enabled
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.variables.collections import (
    GraphKeys,
    global_variables,
    global_variables_initializer,
    report_uninitialized_variables,
)
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.graph_def.writing import write_graph
from inlay._src.programs.session.session import Session
from inlay._src.tf1.monitored.scaffold import Scaffold
from inlay._src.tf1.monitored.session_manager import SessionManager
from inlay._src.tf1.monitored.supervised_services import CheckpointService, StepCounterService, SummaryService
from inlay._src.tf1.queues.coordinator import Coordinator, LooperThread
from inlay._src.tf1.summaries.file_writer import FileWriter
from inlay._src.tf1.summaries.summary_ops import merge_all
from inlay._src.training import meta_graph
from inlay._src.training.global_step import get_global_step, step_number
from inlay._src.training.saver import Saver


@export("train.Supervisor")
class Supervisor:
    """Prepares sessions, and in the chief's process saves checkpoints and writes summaries while they run.

    The graph takes no more nodes once it is made. `USE_DEFAULT` takes an op or a saver from the graph's collection of
    that kind, or makes it; None is none.

    Args:
      graph: the graph; None is the default one.
      ready_op: gives the names of variables that are not initialized.
      ready_for_local_init_op: gives those that `local_init_op` needs.
      is_chief: whether this process initializes, saves and writes.
      init_op: the operation that initializes variables if no checkpoint restores them.
      init_feed_dict: the feeds of `init_op`.
      init_fn: a function of the session that is called after `init_op`.
      local_init_op, local_init_run_options: runs in every new session, and with which options.
      logdir: the folder of checkpoints and summaries; None or "" is none.
      summary_op: the summaries.
      saver: saves and restores.
      global_step: the variable that counts steps.
      save_summaries_secs, save_model_secs: the seconds between two; 0 is never.
      recovery_wait_secs: the interval in seconds at which the initialization by another process is polled.
      stop_grace_secs: the seconds that threads have to end.
      checkpoint_basename: the prefix of the names of checkpoints.
      session_manager: makes the sessions; None makes one.
      summary_writer: writes summaries; None is none.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if this is not the chief, and a variable is placed nowhere, while resource variables are disabled.
    """

    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Graph | None = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Mapping[Any, Any] | None = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable[[Any], None] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        if context.executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        self._graph = graphs.default_graph() if graph is None else graph
        self._is_chief, self._init_fn, self._init_feed_dict = is_chief, init_fn, init_feed_dict
        self._save_summaries_secs, self._save_model_secs = save_summaries_secs, save_model_secs
        self._stop_grace_secs = stop_grace_secs
        self._coord = Coordinator()
        with self._graph.as_default():
            self._ready_op = _chosen(ready_op, GraphKeys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = _chosen(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = _chosen(init_op, GraphKeys.INIT_OP, global_variables_initializer)
            self._local_init_op = _chosen(local_init_op, GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
            self._summary_op = _chosen(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = get_global_step() if _is_default(global_step) else global_step
            self._saver = _chosen(saver, GraphKeys.SAVERS, lambda: Saver() if global_variables() else None)
        self._logdir = path_of(logdir) if logdir and is_chief else None
        self._save_path = os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        writer = FileWriter(self._logdir) if self._logdir and _is_default(summary_writer) else None
        self._summary_writer: Any = writer if _is_default(summary_writer) else summary_writer
        self._graph_written = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._check_places()
        self._graph.finalize()

    def _check_places(self) -> None:
        """Refuses variables that every process would have for itself; resource variables are not looked at."""
        if self._is_chief or resource_variables_enabled():
            return
        with self._graph.as_default():
            unplaced = [v.name for v in global_variables() if not v.device]
        if unplaced:
            raise ValueError(f"When using replicas, all Variables must have their device set: {', '.join(unplaced)}")

    # ---- what it has

    is_chief: bool = read_only(lambda self: self._is_chief, doc="Whether it initializes, saves and writes.")
    session_manager: SessionManager = read_only(lambda self: self._session_manager, doc="Makes the sessions.")
    coord: Coordinator = read_only(lambda self: self._coord, doc="The coordinator of its threads.")
    init_op: Operation | Any = read_only(lambda self: self._init_op, doc="Initializes variables.")
    init_feed_dict: dict[Any, Any] | None = read_only(
        lambda self: self._init_feed_dict, doc="What is fed to `init_op`."
    )
    ready_op: Tensor | Any = read_only(lambda self: self._ready_op, doc="Gives the names of what is not initialized.")
    ready_for_local_init_op: Tensor | Any = read_only(
        lambda self: self._ready_for_local_init_op, doc="Gives the names of what `local_init_op` needs."
    )
    summary_writer: Any = read_only(lambda self: self._summary_writer, doc="Writes summaries, or None.")
    summary_op: Tensor | Any = read_only(lambda self: self._summary_op, doc="The summaries, or None.")
    save_summaries_secs: int | float = read_only(
        lambda self: self._save_summaries_secs, doc="Seconds between summaries."
    )
    global_step: Variable | Any = read_only(
        lambda self: self._global_step, doc="The variable that counts steps, or None."
    )
    saver: Saver | None = read_only(lambda self: self._saver, doc="Saves and restores, or None.")
    save_model_secs: int | float = read_only(lambda self: self._save_model_secs, doc="Seconds between checkpoints.")
    save_path: str | None = read_only(
        lambda self: self._save_path, doc="What names of checkpoints begin with, or None."
    )

    # ---- sessions

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session that is ready: the chief initializes or restores it, others wait for that.

        Args:
          master, config: of the session.
          wait_for_checkpoint: whether the chief waits for a checkpoint.
          max_wait_secs: the time to wait.
          start_standard_services: whether threads that save, write and fill queues are started.
        """
        self._coord.clear_stop()
        if self._summary_writer is not None:
            self._summary_writer.reopen()
        if not self._is_chief:
            session = self._session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        else:
            session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                self.start_standard_services(session)
        if start_standard_services:
            self.start_queue_runners(session)
        return session

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Any]:
        """A session that is ready in the block, and closed after it, once all threads have ended.

        Args:
          master, config, start_standard_services: as for `prepare_or_wait_for_session`.
          close_summary_writer: whether the writer is closed too.

        Raises:
          Exception: the exception of the block or of a thread, except for `OutOfRangeError`, the end of the input.
        """
        session: Any = None
        try:
            session = self.prepare_or_wait_for_session(
                master=master, config=config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                with contextlib.suppress(Exception):
                    if session is not None:
                        session.close()

    def _write_graph(self) -> None:
        if self._logdir:
            write_graph(self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt")
        if self._summary_writer is not None and not self._graph_written:
            described = self._graph.as_graph_def(add_shapes=True)
            meta = meta_graph.written(self._graph, graph_def=described)
            if self._saver is not None and hasattr(self._saver, "saver_def"):
                meta.saver_def.CopyFrom(self._saver.saver_def)
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(meta)
            self._graph_written = True

    # ---- threads

    def start_standard_services(self, sess: Any) -> list[LooperThread] | None:
        """Starts the threads that save checkpoints and write summaries and steps per second.

        Args:
          sess: the session that they use.

        Returns:
          The threads; None without a folder.

        Raises:
          RuntimeError: if this is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError("Only chief supervisor can start standard services.")
        if not self._logdir:
            messages.warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer is not None:
            log = SessionLog(status=SessionLog.START)
            self._summary_writer.add_session_log(log, step_number(self._global_step, sess))
        threads: list[LooperThread] = []
        if self._save_summaries_secs and self._summary_writer is not None:
            if self._summary_op is not None:
                threads.append(SummaryService(self, sess))
            if self._global_step is not None:
                threads.append(StepCounterService(self, sess))
        if self._saver is not None and self._save_model_secs:
            threads.append(CheckpointService(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def start_queue_runners(self, sess: Any, queue_runners: Sequence[Any] | None = None) -> list[Thread]:
        """Starts the threads that fill queues.

        Args:
          sess: the session that they use.
          queue_runners: the `QueueRunner`s; None means those of the graph.
        """
        runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS) if queue_runners is None else queue_runners
        return [t for one in runners for t in one.create_threads(sess, coord=self._coord, daemon=True, start=True)]

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """A thread that calls something until the supervisor stops.

        Args:
          timer_interval_secs: the seconds between two calls; None is none.
          target: the function.
          args, kwargs: its arguments.
        """
        looper = LooperThread(self._coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def stop(
        self,
        threads: Sequence[Thread] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops the threads and waits for them; closes the writer of summaries.

        Args:
          threads: further ones to wait for.
          close_summary_writer: whether it is closed.
          ignore_live_threads: whether threads that do not end in time are no error.

        Raises:
          Exception: the error of a thread.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads
            )
        finally:
            if close_summary_writer and self._summary_writer is not None:
                self._summary_writer.add_session_log(SessionLog(status=SessionLog.STOP))
                self._summary_writer.close()
                self._graph_written = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks all threads to end.

        Args:
          ex: why: an exception or the triple of `sys.exc_info`, which `stop` raises.
        """
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Whether that was asked."""
        return self._coord.should_stop()

    def wait_for_stop(self) -> None:
        """Waits until it is asked."""
        self._coord.wait_for_stop()

    def stop_on_exception(self) -> AbstractContextManager[None]:
        """An exception in the block asks all threads to end."""
        return self._coord.stop_on_exception()

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
          sess: reads the step if it is not given.
          summary: the result of a summary op, or a `Summary`.
          global_step: the number of the step.

        Raises:
          RuntimeError: if there is no writer.
        """
        if self._summary_writer is None:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = step_number(self._global_step, sess)
        self._summary_writer.add_summary(summary, global_step)

    Loop = loop
    PrepareSession = prepare_or_wait_for_session
    RequestStop = request_stop
    ShouldStop = should_stop
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    StopOnException = stop_on_exception
    SummaryComputed = summary_computed
    WaitForStop = wait_for_stop


@export("train.basic_train_loop")
def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable[..., Any],
    args: Sequence[Any] | None = None,
    kwargs: Mapping[str, Any] | None = None,
    master: str = "",
) -> None:
    """Calls a function of a session until the supervisor stops; again with a new session if that was aborted.

    Args:
      supervisor: the supervisor.
      train_step_fn: takes the session, and the arguments.
      args, kwargs: further arguments; None passes the session alone.
      master: the session's target.
    """
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except errors.AbortedError:
            continue


def _is_default(argument: Any) -> bool:
    return isinstance(argument, int) and argument == Supervisor.USE_DEFAULT


def _chosen(argument: Any, key: str, make: Callable[[], Any]) -> Any:
    """The argument; by default the first item of a collection, or a new one that is added to it."""
    if not _is_default(argument):
        return argument
    items = graphs.default_graph().get_collection(key)
    if items:
        if len(items) > 1:
            messages.info("Found %d %s operations. Returning the first one.", len(items), key)
        return items[0]
    item = make()
    if item is not None:
        graphs.default_graph().add_to_collection(key, item)
    return item
