"""Host functions on a Ray cluster: each call is a task.

    call ─▶ body, put into the object store once per digest ─▶ task ─▶ outcome ─▶ future
            arguments, large arrays beside them

Ray runs a task again if its worker or node is lost, at most `max_retries` times, and never a call that is not
repeatable. A call from inside a task runs in the same worker, beside its caller: as a task of its own it would wait for
a core that its caller holds.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import threads
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.misuse import explained
from inlay._src.base.remote_spans import RECORDED_HERE, RemoteSpans
from inlay._src.base.span_chunks import host_activity
from inlay._src.base.spans import SPANS, name_process, now
from inlay._src.core.executor import Call, Executor, NotifyingFuture
from inlay._src.host import bodies
from inlay._src.host.executors import outcome, ray_connection

BODIES_KEPT = 256
"""The number of functions that an executor keeps in the object store; the oldest is removed first."""


@export("RayExecutor")
class RayExecutor(Executor):
    """Runs host functions on a Ray cluster; needs the extra `inlay[ray]`.

    Args:
      address: "host:port" of a cluster; None takes the one that this process is a member of, else that of the
        environment variable RAY_ADDRESS, else starts one on this machine that nobody else can reach.
      num_cpus, num_gpus: the number of CPUs and GPUs that a call holds while it runs.
      resources: the same for resources that a cluster names itself: name -> amount.
      max_retries: the number of times that a call is run again after the loss of its worker or node; a call that is not
        repeatable (`stateful=True`) never is.
      forward_output: whether what functions print to standard output comes here when they end, each line after the
        name of the op.

    Raises:
      ImportError: if Ray is not installed.
      ValueError: for negative amounts.
    """

    apart = True
    call_seconds: float = 0.01  # a task costs about a millisecond

    def __init__(
        self,
        address: str | None = None,
        num_cpus: float = 1,
        num_gpus: float = 0,
        resources: Mapping[str, float] | None = None,
        max_retries: int = 3,
        forward_output: bool = True,
    ) -> None:
        ray_connection.check("RayExecutor")
        for name, amount in {"num_cpus": num_cpus, "num_gpus": num_gpus, "max_retries": max_retries}.items():
            if amount < 0:
                raise ValueError(f"RayExecutor: {name} must not be negative, got {amount}")
        self._address, self._max_retries, self._forward_output = address, max_retries, forward_output
        self._holds: dict[str, Any] = {"num_cpus": num_cpus, "num_gpus": num_gpus, "resources": dict(resources or {})}
        self._lock = new_lock()
        self._cluster = ""  # the address of the cluster that has what is below
        self._task: Any = None
        self._bodies: dict[str, Any] = {}  # digest -> reference to the body in the object store
        self._pending: dict[Future[Any], Call] = {}
        self._closed = False

    def start(self, call: Call) -> Future[Any]:
        """See `Executor.start`.

        Raises:
          InvalidArgumentError, TypeError: for a function or an argument that cannot be sent.
          UnavailableError: if the cluster cannot be reached.
          FailedPreconditionError: after `shutdown`.
        """
        if self._closed:
            text = f"{self!r} takes no calls after its shutdown. Give the function another executor"
            raise errors.refused(errors.FailedPreconditionError, RuntimeError, text)
        body = bodies.body_of(call.function)
        beside: list[Any] = []
        arguments = outcome.packed(call, beside)
        if _TaskState.busy and not (self._holds["num_gpus"] or self._holds["resources"]):
            return _beside_caller(body, arguments, beside, call.keep)
        ray = self._connected()
        options = {"max_retries": self._max_retries if call.repeatable else 0, "name": call.op or call.label}
        sent = now()
        reference = self._task.options(**self._holds, **options, retry_exceptions=False).remote(
            body.digest, [self._sent(ray, body)], arguments, beside, call.keep, self._forward_output, call.op, call.flow
        )
        future = _TaskFuture(reference)
        self._pending[future] = call
        future.add_done_callback(lambda done: self._pending.pop(done, None))
        reference.future().add_done_callback(lambda done: _arrived(done, future, call, sent))
        return future

    @property
    def workers(self) -> int | None:  # type: ignore[override]
        """The number of calls that the cluster has room for; None if a call holds no resource.

        Raises:
          UnavailableError: if the cluster cannot be reached.
        """
        has = self._connected().cluster_resources()
        holds: dict[str, float] = {
            "CPU": self._holds["num_cpus"],
            "GPU": self._holds["num_gpus"],
            **self._holds["resources"],
        }
        room = [int(has.get(name, 0) / amount) for name, amount in holds.items() if amount]
        return max(1, min(room)) if room else None

    def pending(self) -> list[str]:
        return [call.description for call in list(self._pending.values())]

    @explained
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more calls. The cluster goes on; one that was started here ends with the process."""
        self._closed = True
        pending = list(self._pending)
        for future in pending if cancel_futures else ():
            future.cancel()
        for future in pending if wait else ():
            with contextlib.suppress(BaseException):
                future.result()
        self._bodies.clear()

    def _connected(self) -> Any:
        """Ray, with the task that runs a call declared there."""
        ray = ray_connection.connected(self._address)
        cluster = ray.get_runtime_context().gcs_address
        with self._lock:
            if self._cluster != cluster:  # the first time, or after ray.shutdown()
                self._bodies, self._cluster, self._task = {}, cluster, ray.remote(_perform)
        return ray

    def _sent(self, ray: Any, body: bodies.Body) -> Any:
        """A reference to a body in the object store."""
        with self._lock:
            reference = self._bodies.get(body.digest)
            if reference is None:
                while len(self._bodies) >= BODIES_KEPT:
                    del self._bodies[next(iter(self._bodies))]
                reference = self._bodies[body.digest] = ray.put(body)
            return reference

    def __reduce__(self) -> Any:
        holds = self._holds
        arguments = self._address, holds["num_cpus"], holds["num_gpus"], holds["resources"]
        return RayExecutor, (*arguments, self._max_retries, self._forward_output)

    def __repr__(self) -> str:
        return f"RayExecutor({self._address or ''})"


class _TaskFuture(NotifyingFuture):
    """The future of a task. Cancelling it takes the task from its queue, or interrupts it: with a KeyboardInterrupt
    once it runs Python code."""

    def __init__(self, task: Any) -> None:
        super().__init__()
        self._task = task

    def cancel(self) -> bool:
        if self.done():
            return self.cancelled()
        with PutOff(), contextlib.suppress(Exception):  # a cluster that has gone runs nothing any more
            if super().cancel():
                ray_connection.joined().cancel(self._task, recursive=False)
        return self.cancelled()


def _arrived(done: Future[Any], future: Future[Any], call: Call, sent: int) -> None:
    """Settles the future of a task, sent at that time, with the outcome of its call."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        data, beside, printed, spans = done.result()
        if spans is not None and SPANS.on:
            spans.receive(sent)
        future.set_result(_opened(data, beside, printed, call.op))
    except BaseException as error:
        future.set_exception(_translated(error, call))


def _opened(data: bytes, beside: list[Any], printed: str, op: str) -> Any:
    """The value of an outcome, or its failure raised; the output of the function is printed here."""
    for line in printed.splitlines():
        print(f"[{op}] {line}" if op else line)
    return outcome.opened(data, beside)


def _translated(error: BaseException, call: Call) -> BaseException:
    """The error that the caller sees: an error of inlay in place of Ray's own."""
    if not type(error).__module__.startswith("ray."):
        return error
    failures = ray_connection.ray().exceptions
    if isinstance(error, failures.TaskCancelledError):
        return errors.CancelledError(None, None, f"the call of {call.label} was cancelled on the cluster")
    kind = errors.UnavailableError
    if isinstance(error, (failures.OutOfMemoryError, failures.ObjectStoreFullError, failures.OutOfDiskError)):
        kind = errors.ResourceExhaustedError  # type: ignore[assignment]
    again = "it was run again as often as max_retries allows" if call.repeatable else "it was not run again"
    return kind(
        None,
        None,
        f"the Ray worker that ran {call.label} was lost, or its result was ({type(error).__name__}): {again}. "
        "Probable causes: the node went away, the system ended the process for want of memory, or the function ended "
        f"it. {ray_connection.message_of(error)}",
    )


# ---------------------------------------------------------------- in the worker


_BODIES: BoundedCache[str, bodies.Body] = BoundedCache("bodies that came to a worker of Ray", BODIES_KEPT)


class _TaskState:
    """The state of this process as a worker of Ray.

    Attributes:
      busy: whether it runs a call of inlay.
    """

    busy = False


def _perform(
    digest: str,
    box: Sequence[Any],
    arguments: bytes,
    beside: Sequence[Any],
    keep: bool,
    forward_output: bool,
    op: str,
    flow: int,
) -> tuple[bytes, list[Any], str, RemoteSpans | None]:
    """Runs a call as a task.

    Args:
      digest: of the body.
      box: a list of a reference to it. Ray would fetch one that is an argument itself for every task, in 1.7 ms.
      arguments, beside, keep, forward_output, op, flow: the call.

    Returns:
      Its outcome, the arrays beside it, what it printed, and its spans if those are recorded.
    """
    body = _BODIES.get(digest)
    if body is None:
        body = _BODIES[digest] = ray_connection.got(box[0], "the store that has the function")
    printed = io.StringIO()
    arrays: list[Any] = []
    _TaskState.busy = True
    name_process("Ray worker")
    try:
        with contextlib.redirect_stdout(printed) if forward_output else contextlib.nullcontext():
            with RECORDED_HERE.request(host_activity(op, body.label), flow) as recorded:
                data = outcome.perform(body, arguments, keep, beside, arrays)
    finally:
        _TaskState.busy = False
    return data, arrays, printed.getvalue(), recorded.spans


def _beside_caller(body: bodies.Body, arguments: bytes, beside: Sequence[Any], keep: bool) -> Future[Any]:
    """Runs a call in this worker, on a thread of its own, as the task that makes it may wait for it."""
    future = NotifyingFuture()

    def run() -> None:
        results: list[Any] = []
        data = outcome.perform(body, arguments, keep, beside, results)
        future.settle(lambda: outcome.opened(data, results))

    threads.HELPERS.submit(run)
    return future
