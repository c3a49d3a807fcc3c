"""`ClusterSpec`: the jobs of a cluster, their tasks and where those listen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.base.export import export
from inlay._src.programs.session.message import DeclaredMessage
from inlay._src.programs.session.options import ClusterDef


@export("train.ServerDef")
class ServerDef(DeclaredMessage):
    """A server: its cluster, and which task of it it is. `port` and `replica` are accepted."""

    _spec = (
        "cluster: ClusterDef, job_name: str, task_index: int, replica: int, default_session_config: ConfigProto, "
        "protocol: str, port: int"
    )


@export("train.ClusterSpec")
class ClusterSpec:
    """The jobs of a cluster: immutable, and equal if jobs, tasks and addresses are.

    Args:
      cluster: a dictionary from a job's name to the addresses of its tasks, a list or a dictionary from numbers; a
        `ClusterDef`; or another one.

    Raises:
      TypeError: for anything else.
    """

    def __init__(self, cluster: Any) -> None:
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        elif isinstance(cluster, ClusterDef):
            cluster = {job.name: dict(job.tasks) for job in cluster.job}
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        for name, tasks in cluster.items():
            self._jobs[_text(name, "Job name {!r} must be bytes or unicode")] = _tasks(name, tasks)

    def as_dict(self) -> dict[str, Any]:
        """The jobs: name -> list of addresses, or number -> address where the numbers have gaps."""
        return {
            name: list(tasks.values()) if list(tasks) == list(range(len(tasks))) else dict(tasks)
            for name, tasks in ((name, dict(sorted(tasks.items()))) for name, tasks in self._jobs.items())
        }

    def as_cluster_def(self) -> ClusterDef:
        """The same as a message."""
        return ClusterDef(job=[{"name": name, "tasks": dict(self._jobs[name])} for name in sorted(self._jobs)])

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def num_tasks(self, job_name: str) -> int:
        """The number of tasks of a job; ValueError if there is no such job."""
        return len(self._tasks_of(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks, sorted; ValueError if there is no such job."""
        return sorted(self._tasks_of(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Where a task listens; ValueError if there is no such task."""
        tasks = self._tasks_of(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks, by number, None for one that there is not; ValueError if there is no such
        job."""
        tasks = self._tasks_of(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _tasks_of(self, job: str) -> dict[int, str]:
        if job not in self._jobs:
            raise ValueError(f"No such job in cluster: {job!r}")
        return self._jobs[job]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    def __hash__(self) -> int:
        return hash(tuple((name, tuple(sorted(self._jobs[name].items()))) for name in sorted(self._jobs)))

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{name!r}: {jobs[name]!r}' for name in sorted(jobs))}}})"


def _text(value: Any, refusal: str) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError(refusal.format(value))
    return value.decode() if isinstance(value, bytes) else value


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    """Number -> address of a job's tasks."""
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, Mapping):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    return {int(i): _text(address, "Task address {!r} must be bytes or unicode") for i, address in tasks.items()}
