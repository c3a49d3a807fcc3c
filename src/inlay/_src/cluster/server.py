"""`Server`: a task of a cluster. It starts or joins Ray, where an actor runs what sessions place on the task."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.conditions import Event
from inlay._src.cluster import discovery
from inlay._src.cluster.discovery import Listener, Welcome
from inlay._src.cluster.remote import actor_name, key_of
from inlay._src.cluster.spec import ClusterSpec, ServerDef
from inlay._src.cluster.task import ServedTask
from inlay._src.engine.plan import partition
from inlay._src.host.executors import ray_connection

LONGEST_START = 120.0
"""Seconds for which a server waits while another one of its cluster starts."""
AT_ONCE = 100
"""Parts that a task runs at the same time; the others wait."""
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@export("distribute.Server", "train.Server")
class Server:
    """A task of a cluster, as long as this object lives. It needs the extra `inlay[ray]`.

    The task is an actor of Ray: a process that runs what sessions place on it, and keeps their variables. The Ray
    cluster is that of `address`, that of a server of the same cluster that is there already, or the one that this
    process is a member of; else one is started on this machine, for this machine, and ends with this process. Any
    process that reaches it can run code: see docs/security.md.

    Args:
      server_or_cluster_def: an argument of `ClusterSpec`, or a `ServerDef`.
      job_name, task_index: the task; required if there is more than one.
      protocol: "grpc", or None.
      config: a `ConfigProto`; accepted.
      start: whether it starts at once.
      address: "host:port" of the Ray cluster to join.
      num_gpus, resources: the resources of a Ray cluster that the task holds. It runs on a node that has them, or on
        this machine if none are asked for.

    Raises:
      ValueError: where job or task are not told, and if there is no such job.
      InternalError: if there is no such task.
      ImportError: if Ray is not installed.
      AlreadyExistsError: if the task runs already.
      UnavailableError: if the Ray cluster cannot be joined.
    """

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
        *,
        address: str | None = None,
        num_gpus: float = 0,
        resources: Mapping[str, float] | None = None,
    ) -> None:
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        self._spec = ClusterSpec(self._server_def.cluster)
        self._task = self._server_def.job_name, self._server_def.task_index
        if self._task[1] not in self._spec.task_indices(self._task[0]):
            raise errors.InternalError(None, None, f'Task {self._task[1]} was not defined in job "{self._task[0]}"')
        ray_connection.check("tf.distribute.Server")
        self._address, self._holds = address, {"num_gpus": num_gpus, "resources": dict(resources or {})}
        self._listener = Listener(self._spec.task_address(*self._task))
        self._ended = Event()
        self._actor: Any = None
        if start:
            self.start()

    @property
    def server_def(self) -> ServerDef:
        """The definition of the server."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target of sessions on this server, from any process on a machine of the Ray cluster."""
        return f"{self._server_def.protocol}://{self._listener.address}"

    def start(self) -> None:
        """Starts the server, unless it was started."""
        if self._actor is not None:
            return
        try:
            with _one_at_a_time(self._spec):
                self._start()
        except BaseException:
            self._listener.close()
            actor, self._actor = self._actor, None
            with contextlib.suppress(Exception):  # a cluster that has gone holds nothing any more
                if actor is not None:
                    ray_connection.joined().kill(actor)
            raise

    def _start(self) -> None:
        key = self._key()
        ray = ray_connection.connected(*self._ray(key))
        try:
            self._actor = (
                ray.remote(ServedTask)
                .options(
                    name=actor_name(key, self._task),
                    namespace=ray_connection.NAMESPACE,
                    num_cpus=0,
                    max_concurrency=AT_ONCE,
                    scheduling_strategy=self._where(ray),
                    **self._holds,
                )
                .remote(partition.text(self._task))
            )
        except ValueError as error:
            raise errors.AlreadyExistsError(
                None, None, f"the server of {partition.text(self._task)} runs already on this Ray cluster: {error}"
            ) from error
        try:
            ray_connection.got(self._actor.devices.remote(), partition.text(self._task), LONGEST_START)
        except ray.exceptions.RayError as error:
            raise errors.UnavailableError(
                None, None, f"the process of {partition.text(self._task)} did not start: {error}"
            ) from error
        there = ray.get_runtime_context().gcs_address
        self._listener.tell(Welcome(there, ray_connection.auth_mode(), key, self._told(), *self._task))

    def join(self) -> None:
        """Waits for ever."""
        while not self._ended.wait(3600.0):
            pass

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A server of a cluster of its own, with one task, for this machine.

        Args:
          config, start: see `Server`.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def _key(self) -> str:
        """The identity of the cluster: its specification, unless that leaves a port open."""
        return uuid.uuid4().hex[:16] if self._open() else key_of(self._spec)

    def _open(self) -> bool:
        """Whether the specification leaves this server's port open."""
        return discovery.split(self._spec.task_address(*self._task))[1] == 0

    def _told(self) -> dict[str, Any]:
        """The cluster with the port that this server has taken."""
        if not self._open():
            return self._spec.as_dict()
        job, task = self._task
        return self._spec.as_dict() | {
            job: {i: a for i, a in enumerate(self._spec.job_tasks(job)) if a is not None}
            | {task: self._listener.address}
        }

    def _ray(self, key: str) -> tuple[str | None, str]:
        """The Ray cluster to join, and how; None: the one of this process, or a new one."""
        address = self._address or os.environ.get("RAY_ADDRESS")
        if address:
            return address, ""
        for job in self._spec.jobs:
            for i in self._spec.task_indices(job):
                if (job, i) != self._task and discovery.split(self._spec.task_address(job, i))[1]:
                    with contextlib.suppress(errors.UnavailableError):
                        welcome = discovery.ask(self._spec.task_address(job, i), patience=0)
                        if welcome.key == key:
                            return welcome.ray, welcome.auth_mode
        if discovery.split(self._listener.address)[0] not in _LOOPBACK and not ray_connection.ray().is_initialized():
            raise errors.FailedPreconditionError(
                None,
                None,
                f"the server at {self._listener.address} is for other machines too, so it needs a Ray cluster that "
                "they reach: start one (ray start --head) and give its address, with `address` or in RAY_ADDRESS",
            )
        return None, ""

    def _where(self, ray: Any) -> Any:
        """Where Ray should run the task: here, unless it holds what may be elsewhere."""
        if self._holds["num_gpus"] or self._holds["resources"]:
            return "DEFAULT"
        return ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )

    def __del__(self) -> None:
        listener = getattr(self, "_listener", None)
        if listener is not None:
            listener.close()


def _server_def(definition: Any, job: Any, task: Any, protocol: Any, config: Any) -> ServerDef:
    """The definition of a server."""
    message = ServerDef()
    if isinstance(definition, ServerDef):
        message.CopyFrom(definition)
        job, task = message.job_name if job is None else job, message.task_index if task is None else task
        protocol = protocol or message.protocol
    else:
        message.cluster.CopyFrom(ClusterSpec(definition).as_cluster_def())
    spec = ClusterSpec(message.cluster)
    if job is None:
        if len(spec.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        (job,) = spec.jobs
    if task is None:
        if spec.num_tasks(job) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        (task,) = spec.task_indices(job)
    spec.task_indices(job)
    if protocol not in (None, "", "grpc"):
        raise errors.NotFoundError(
            None, None, f"No server factory registered for protocol {protocol!r}; there is 'grpc'"
        )
    message.job_name, message.task_index, message.protocol = job, task, "grpc"
    if config is not None:
        message.default_session_config.CopyFrom(config)
    return message


@contextlib.contextmanager
def _one_at_a_time(spec: ClusterSpec) -> Iterator[None]:
    """Servers of a cluster start one after the other on a machine: the first may start Ray, the others find it.

    Raises:
      DeadlineExceededError: if another one takes too long.
    """
    end = time.monotonic() + LONGEST_START
    with socket.socket(socket.AF_UNIX) as lock:  # a name that one process has at a time, and that ends with it
        while True:
            try:
                lock.bind(f"\0inlay-{os.getuid()}-{key_of(spec)}")
                break
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
                if time.monotonic() > end:
                    raise errors.DeadlineExceededError(
                        None, None, f"another server of this cluster has been starting for {LONGEST_START:g} s"
                    ) from error
            time.sleep(0.05)
        yield
