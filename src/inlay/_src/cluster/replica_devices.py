"""Where the variables of a replicated program of 1.x live: on the parameter servers, in turn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.cluster.spec import ClusterSpec
from inlay._src.core import device
from inlay._src.core.operation import Operation

KEPT = ("Variable", "VariableV2", "VarHandleOp", "MutableHashTableV2", "MutableDenseHashTableV2")
"""The types of what is kept on a parameter server."""


@export("compat.v1.train.replica_device_setter")
def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: Any = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Operation], int] | None = None,
) -> Callable[[Operation], str] | None:
    """A function for `tf.compat.v1.device` that places variables on parameter servers and other operations on a worker.

    Args:
      ps_tasks: the number of parameter servers.
      ps_device: their device; "" for none.
      worker_device: that of the other operations; "" for none.
      merge_devices: whether a device that scopes inside give an operation is completed; if not, it stays as it is.
      cluster: a `ClusterSpec` or an argument of one; it determines the number of parameter servers.
      ps_ops: the types of operations that are placed on parameter servers.
      ps_strategy: chooses the number of a task for each; None takes one after another.

    Returns:
      The function; None if there are no parameter servers.

    Raises:
      TypeError: if `cluster` is none, or `ps_strategy` cannot be called.
    """
    if cluster is not None:
        spec, job = ClusterSpec(cluster), device.parts_of(ps_device).get("job")
        if job not in spec.jobs:
            return None
        ps_tasks = spec.num_tasks(job)
    if ps_tasks == 0:
        return None
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    turns = itertools.cycle(range(ps_tasks))
    choose = ps_strategy or (lambda node: next(turns))
    on_servers = KEPT if ps_ops is None else tuple(ps_ops)

    def placed(node: Operation) -> str:
        if node.device and not merge_devices:
            return node.device
        if not ps_device or node.type not in on_servers:
            return device.canonical(node.device, worker_device)
        job = device.parts_of(ps_device).get("job")
        within = ps_device
        if job and device.parts_of(node.device).get("job", job) == job:
            within = device.canonical(f"/task:{choose(node)}", ps_device)
        return device.canonical(node.device, within)

    return placed
