"""`tf.distribute.cluster_resolver`: the cluster of a program, from arguments or from the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from inlay._src.base.export import export
from inlay._src.cluster.spec import ClusterSpec
from inlay._src.core import device

_VARIABLE = "TF_CONFIG"


@export("distribute.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """The cluster of a program; a base class.

    Attributes:
      task_type, task_id: the job and the number of this process's task, or None.
      rpc_layer: the scheme of targets, before "://".
      environment: free text on where the cluster runs.
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None
    environment: str | None = ""

    def cluster_spec(self) -> ClusterSpec:
        """The cluster."""
        raise NotImplementedError

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target of sessions on a task; that of this process's task if none is named."""
        raise NotImplementedError

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        """The number of accelerators of each kind that this process can use."""
        counts: dict[str, int] = {}
        for name in device.accelerators():
            kind = name.split(":")[1]
            counts[kind] = counts.get(kind, 0) + 1
        return counts


def _target(address: str | None, rpc_layer: str | None) -> str:
    """An address as a target."""
    return address or "" if not rpc_layer or not address else f"{rpc_layer}://{address}"


@export("distribute.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """A cluster from arguments.

    Args:
      cluster_spec: the cluster.
      master: the address of the task that sessions are opened on.
      task_type, task_id: this process's task.
      environment: free text.
      num_accelerators: the number of accelerators of each kind per task.
      rpc_layer: the scheme of targets.

    Raises:
      TypeError: if `cluster_spec` is no `ClusterSpec`.
    """

    rpc_layer: Any
    environment: Any
    task_id: Any
    task_type: Any

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        if not isinstance(master, str):
            raise TypeError("master must be a string.")
        self._spec, self._master, self._accelerators = cluster_spec, master, num_accelerators
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        return self._spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        named = task_type is not None and task_id is not None
        address = self._spec.task_address(task_type, task_id) if named else self._master  # type: ignore[arg-type]
        return _target(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: str | None = None, task_id: int | None = None, config_proto: Any = None
    ) -> dict[str, int]:
        if self._accelerators is None:
            return super().num_accelerators(task_type, task_id, config_proto)
        return dict(self._accelerators)


@export("distribute.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ClusterResolver):
    """The cluster in the environment variable TF_CONFIG, as JSON:

        {"cluster": {"worker": ["host1:2222", "host2:2222"]}, "task": {"type": "worker", "index": 0}}

    Args:
      task_type, task_id, rpc_layer, environment: values that override the variable.
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        config = _configuration()
        task = config.get("task") or {}
        index = task.get("index") if task_id is None else task_id
        self.task_type: Any = task.get("type") if task_type is None else task_type
        self.task_id: Any = None if index is None else int(index)
        self.rpc_layer: Any = config.get("rpc_layer") if rpc_layer is None else rpc_layer
        self.environment: Any = config.get("environment") if environment is None else environment

    def cluster_spec(self) -> ClusterSpec:
        return ClusterSpec(_configuration().get("cluster") or {})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """See `ClusterResolver.master`; "" where no task is known: this process."""
        spec = self.cluster_spec()
        job = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if not spec or (len(spec.jobs) == 1 and spec.num_tasks(spec.jobs[0]) == 1 and job is None) or job is None:
            return ""
        return _target(spec.task_address(job, number or 0), rpc_layer or self.rpc_layer)


def _configuration() -> dict[str, Any]:
    """The value of the environment variable.

    Raises:
      ValueError: if it is no JSON object.
    """
    text = os.environ.get(_VARIABLE, "{}")
    try:
        config = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"the environment variable {_VARIABLE} is not JSON: {error}; it is {text!r}") from error
    if not isinstance(config, dict):
        raise ValueError(f"the environment variable {_VARIABLE} must be a JSON object, got {text!r}")
    return config
