"""`QueueRunner`: threads that run the operations which fill a queue, until it is closed or their coordinator stops.

runner threads    run an enqueue operation again and again; its OutOfRangeError says that the input is at its end:
                  the last of them to meet it closes the queue, so that what it holds is still taken out
close_on_stop     waits for the coordinator to stop, then closes the queue and cancels what waits to be put in, so
                  that the others end
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.operation import Operation
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.session.session import Session, get_default_session
from inlay._src.tf1.queues.coordinator import Coordinator
from inlay._src.tf1.queues.queue import QueueBase


@export("train.QueueRunner", "compat.v1.train.queue_runner.QueueRunner")
class QueueRunner:
    """The threads that fill a queue, one per operation, each in the sessions that it is started in.

    Args:
      queue: the queue.
      enqueue_ops: a list of operations that put elements in; one that is there twice gets two threads.
      close_op: closes the queue when all of them are at their end; None makes it.
      cancel_op: closes it and cancels what waits, when the coordinator stops; None makes it.
      queue_closed_exception_types: a tuple of classes of `errors` that say that an operation is at its end; None means
        `OutOfRangeError`.
      queue_runner_def, import_scope: accepted for the signature's sake.

    Raises:
      RuntimeError: while executing eagerly.
      NotImplementedError: for a `queue_runner_def`.
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type[errors.OpError], ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if context.executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use tf.data to get "
                "data into your model."
            )
        if queue_runner_def:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            raise NotImplementedError("a QueueRunner is made from its queue and operations, not from a QueueRunnerDef")
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        _check_types(queue_closed_exception_types)
        self._queue, self._enqueue_ops = queue, enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._ends = queue_closed_exception_types or (errors.OutOfRangeError,)
        self._lock = new_lock()
        self._running: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._raised: list[BaseException] = []

    @property
    def queue(self) -> QueueBase:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> Sequence[Any]:
        """The operations that put elements in."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Operation:
        """Closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Operation:
        """Closes the queue and cancels what waits to be put in."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[errors.OpError], ...]:
        """The errors that say that an operation is at its end."""
        return self._ends

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """The errors of threads that were started without a coordinator; a coordinator receives them otherwise."""
        return self._raised

    @property
    def name(self) -> str:
        """The queue's."""
        return self._queue.name  # type: ignore[no-any-return]

    def create_threads(
        self, sess: Any, coord: Coordinator | None = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """The threads that fill the queue of a session.

        Args:
          sess: the session.
          coord: receives errors, and ends the threads when it stops.
          daemon: whether the process may end while they run.
          start: whether they are started.

        Returns:
          The threads; none if there are some for this session that have not ended.
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._raised = []
        label = f"QueueRunnerThread-{self.name}"
        threads = [
            threading.Thread(target=self._run, args=(sess, op, coord), name=f"{label}-{op.name}")
            for op in self._enqueue_ops
        ]
        if coord is not None:
            threads.append(
                threading.Thread(target=self._close_on_stop, args=(sess, coord), name=f"{label}-close_on_stop")
            )
        for thread in threads:
            if coord is not None:
                coord.register_thread(thread)
            thread.daemon = daemon or thread.daemon
            if start:
                thread.start()
        return threads

    def _run(self, sess: Any, enqueue_op: Any, coord: Coordinator | None) -> None:
        """One thread."""
        ended = False
        try:
            enqueue = sess.make_callable(enqueue_op)
            while coord is None or not coord.should_stop():
                try:
                    enqueue()
                except self._ends:
                    ended = True
                    if not self._one_less(sess):
                        self._try(sess, self._close_op)
                    return
        except Exception as error:
            if coord is not None:
                coord.request_stop(error)
                return
            messages.error("Exception in QueueRunner: %s", error)
            with self._lock:
                self._raised.append(error)
            raise
        finally:
            if not ended:
                self._one_less(sess)

    def _one_less(self, sess: Any) -> int:
        """Notes that a thread of a session has ended; returns the number of those that are left."""
        with self._lock:
            self._running[sess] -= 1
            return self._running[sess]

    def _close_on_stop(self, sess: Any, coord: Coordinator) -> None:
        """The thread that ends the others."""
        coord.wait_for_stop()
        self._try(sess, self._cancel_op)

    @staticmethod
    def _try(sess: Any, op: Any) -> None:
        """Runs what closes the queue, which somebody else may have done, as closing the session does."""
        try:
            sess.run(op)
        except Exception as error:
            messages.vlog(1, "Ignored exception: %s", error)


def _check_types(types: Any) -> None:
    if types is not None and (
        not isinstance(types, tuple) or not types or not all(issubclass(t, errors.OpError) for t in types)
    ):
        raise TypeError(
            f"queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: {types}"
        )


@export("train.add_queue_runner", "compat.v1.train.queue_runner.add_queue_runner")
def add_queue_runner(qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner to those that `start_queue_runners` starts.

    Args:
      qr: the runner.
      collection: a collection of the default graph.
    """
    graphs.default_graph().add_to_collection(collection, qr)


@export("train.start_queue_runners", "compat.v1.train.queue_runner.start_queue_runners")
def start_queue_runners(
    sess: Any = None,
    coord: Coordinator | None = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners of a graph.

    Args:
      sess: the session; None is the default one. A monitored session has started them itself.
      coord: receives errors, and ends the threads when it stops.
      daemon: whether the process may end while they run.
      start: whether they are started.
      collection: a collection of the default graph.

    Returns:
      The threads.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if there is no session.
      TypeError: if `sess` is none.
    """
    if context.executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    if sess is None:
        sess = get_default_session()
        if sess is None:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                "explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, Session):
        if hasattr(sess, "run_step_fn"):
            return []
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {sess.__class__}")
    runners = graphs.default_graph().get_collection(collection)
    if not runners:
        messages.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were defined: it does nothing"
        )
    with sess.graph.as_default():
        return [t for r in runners for t in r.create_threads(sess, coord=coord, daemon=daemon, start=start)]
