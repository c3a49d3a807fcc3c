"""Tests that run under a condition, and several servers in one process."""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.cluster.server import Server
from inlay._src.cluster.spec import ClusterSpec


@export("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Callable[..., Any]:
    """Skips a test if a condition holds when it begins.

    Args:
      pred: the condition.
      skip_message: the reason that the report shows.
    """

    def decorated(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return run

    return decorated


@export("test.create_local_cluster")
def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Servers of one cluster on this machine, which have started.

    Args:
      num_workers: the number of tasks of the job "worker".
      num_ps: the number of tasks of the job "ps".
      protocol: see `tf.distribute.Server`.
      worker_config: a `ConfigProto` for the workers, or None.
      ps_config: a `ConfigProto` for the others, or None.

    Returns:
      The servers of the workers, and those of the other job.
    """
    ports = _unused_ports(num_workers + num_ps)
    addresses = [f"localhost:{port}" for port in ports]
    spec = ClusterSpec({"worker": addresses[:num_workers], "ps": addresses[num_workers:]})
    workers = [Server(spec, "worker", task, protocol, worker_config) for task in range(num_workers)]
    return workers, [Server(spec, "ps", task, protocol, ps_config) for task in range(num_ps)]


def _unused_ports(count: int) -> list[int]:
    """Ports of this machine that nobody listens on, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("localhost", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()
