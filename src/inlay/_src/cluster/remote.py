"""Sessions on a server: plans are cut into parts, and each part runs in the actor of its task.

    plan ── parted ──▶ part of /job:a/task:0 ──▶ actor ──┐ values, as references into Ray's object store
                       part of /job:b/task:1 ──▶ actor ◀─┘
                       fetched values ◀── actor

This process hands references from part to part: a value that only tasks read does not come here.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.remote_spans import RemoteSpans
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, new_flow, now
from inlay._src.base.tuning import TUNING
from inlay._src.cluster import discovery
from inlay._src.cluster import payload as payloads
from inlay._src.cluster.spec import ClusterSpec
from inlay._src.cluster.task import FailedPart, Request, raised
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import Role
from inlay._src.core.pictured import Pictured
from inlay._src.core.state import FedCell
from inlay._src.engine.plan import partition
from inlay._src.engine.plan.partition import Part, Task
from inlay._src.engine.plan.plan import Plan
from inlay._src.host.executors import ray_connection


def actor_name(key: str, task: Task) -> str:
    """The name of a task's actor in Ray; `key` identifies the cluster."""
    return f"{key}/{task[0]}/{task[1]}"


class ServerTarget:
    """A server as the target of sessions.

    Args:
      name: the target, "grpc://host:port".
      config: a `ConfigProto` or None; `operation_timeout_in_ms` bounds runs, and how long servers are waited for.

    Attributes:
      spec: the cluster.
      task: the server's task, which runs steps without a placement.

    Raises:
      ImportError: if Ray is not installed.
      UnavailableError: if no server answers.
    """

    def __init__(self, name: str, config: Any = None) -> None:
        self.name = name
        timeout = getattr(config, "operation_timeout_in_ms", 0) if config is not None else 0
        self._patience = timeout / 1000 if timeout else discovery.PATIENCE
        ray_connection.check(f'a session on "{name}"')
        welcome = discovery.ask(name.partition("://")[2], self._patience)
        self.spec: ClusterSpec = ClusterSpec(welcome.cluster)
        self.task: Task = (welcome.job, welcome.task)
        self._key = welcome.key
        ray_connection.connected(welcome.ray, welcome.auth_mode)
        self._actors: dict[Task, Any] = {}
        self._lock = new_lock()
        self.actor(self.task)

    def devices(self) -> list[str]:
        """See `Target.devices`."""
        return [
            f"/job:{job}/replica:0/task:{i}{name}"
            for job in sorted(self.spec.jobs)
            for i in self.spec.task_indices(job)
            for name in self._got(self.actor((job, i)).devices.remote(), (job, i))
        ]

    def reset(self, containers: Sequence[str]) -> None:
        """See `Target.reset`. A container here is a job's, as in TensorFlow by default."""
        for job in self.spec.jobs:
            for i in self.spec.task_indices(job) if not containers or job in containers else ():
                self._got(self.actor((job, i)).reset.remote(), (job, i))

    def executable(self, plan: Plan, graph: Graph, soft: bool) -> RemoteExecutable:
        """See `Target.executable`."""
        homes = {n.attrs["handle"]: n.device for n in graph.nodes if n.opdef.role is Role.VARIABLE}
        parts = partition.parted(plan, lambda asked, step: self._task_of(asked, step, soft), homes)
        return RemoteExecutable(self, plan, graph, parts)

    def _task_of(self, asked: str, step: str, soft: bool) -> Task:
        """The task that a device string means.

        Raises:
          InvalidArgumentError: if there is no such task, unless `soft`.
        """
        named = dict(part.split(":", 1) for part in asked.split("/") if part and not part.startswith("device"))
        if named.get("replica", "0") == "0":
            job = named.get("job", self.task[0])
            number = int(named["task"]) if "task" in named else self.task[1] if job == self.task[0] else -1
            tasks = self.spec.task_indices(job) if job in self.spec.jobs else []
            if number == -1 and tasks:
                return job, tasks[0]
            if number in tasks:
                return job, number
        if soft:
            return self.task
        there = ", ".join(
            f"/job:{job}/replica:0/task:{i}/device:CPU:0"
            for job in sorted(self.spec.jobs)
            for i in self.spec.task_indices(job)
        )
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Cannot assign a device for operation {step}: {{{{node {step}}}}} was explicitly assigned to {asked} but "
            f"available devices are [ {there} ]. Make sure the device specification refers to a valid device.\n"
            f"  [[{{{{node {step}}}}}]]",
        )

    def actor(self, task: Task) -> Any:
        """The actor of a task.

        Raises:
          UnavailableError: if its server is not there.
        """
        with self._lock:
            actor = self._actors.get(task)
        if actor is None:
            address = self.spec.task_address(*task)
            try:
                if task != self.task:
                    discovery.ask(address, self._patience)
                ray = ray_connection.joined()
                actor = ray.get_actor(actor_name(self._key, task), namespace=ray_connection.NAMESPACE)
            except ValueError as error:
                raise self.lost(task, error) from error
            with self._lock:
                self._actors[task] = actor
        return actor

    def forget(self, task: Task, run: str) -> None:
        """Has a task drop what parts of a run left there, if it is still there."""
        with self._lock:
            actor = self._actors.get(task)
        if actor is not None:
            actor.forget.remote(run)

    def lost(self, task: Task, error: BaseException, part: Part | None = None) -> BaseException:
        """The error for a task whose actor is gone, while it ran a part if that is given; it is looked for again the
        next time."""
        with self._lock:
            self._actors.pop(task, None)
        why = ray_connection.message_of(error)
        return errors.UnavailableError(
            None,
            None,
            f"the server of {partition.text(task)} at {self.spec.task_address(*task)} is gone, and its variables with "
            f"it{_ran(part)}: {why}" + ("" if part is None else f"\n  [[{{{{node {part.plan.steps[0].name}}}}}]]"),
        )

    def got(self, reference: Any, part: Part) -> Any:
        """The value of a reference that a task created while it ran a part."""
        return self._got(reference, part.task, part)

    def _got(self, reference: Any, task: Task, part: Part | None = None) -> Any:
        ray = ray_connection.joined()
        try:
            return ray_connection.got(reference, partition.text(task), ray_connection.ANSWERS if part is None else None)
        except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
            raise self.lost(task, error, part) from error
        except ray.exceptions.TaskCancelledError as error:
            raise errors.CancelledError(None, None, "the run was cancelled") from error
        except ray.exceptions.RayError as error:
            raise errors.InternalError(
                None,
                None,
                f"the server of {partition.text(task)} could not run its part: {ray_connection.message_of(error)}",
            ) from error


_RUN = Activity("Session.run", "run")


class RemoteExecutable(Pictured):
    """A plan whose parts run on the tasks of a cluster; to be used as an `Executable`.

    Attributes:
      plan: the whole plan.
      parts: the part of the plan that each task runs.
      last: those that no other needs, by index.
      template: the cells before a run, with the constants.
    """

    _picture_kind = "parts"
    resources: tuple[Any, ...] = ()
    alone: Any = None
    private: frozenset[int] = frozenset()

    def __init__(self, target: ServerTarget, plan: Plan, graph: Graph, parts: Sequence[Part]) -> None:
        self.plan, self.parts, self._target = plan, parts, target
        self.template: list[Any] = [None] * plan.slots
        for cell, value in plan.consts:
            self.template[cell] = value
        packed = [payloads.packed(part.plan, graph, part.task) for part in parts]
        self._payload = [(hashlib.sha256(data).hexdigest(), ray_connection.joined().put(data)) for data in packed]
        produced = {c for part in parts for c in part.outs}
        needed = {i for part in parts for i in part.after}
        needed |= {i for i, part in enumerate(parts) if any({*part.outs} & {*other.ins} for other in parts)}
        self.last: list[int] = [i for i in range(len(parts)) if i not in needed]
        self._leaving = {part.task for part in parts if part.left}
        self._fetched = [c for c in dict.fromkeys(plan.fetches) if c in produced]

    def execute(self, cells: list[Any], stop: Any = None) -> None:
        """Runs every part, and puts the fetched values into their cells; `stop` may end it early.

        Raises:
          OpError: the error of a step, as if the step had run in this process.
          UnavailableError: if a task is gone.
        """
        begin = now() if SPANS.on else 0
        try:
            self._execute(cells, stop)
        finally:
            if begin and SPANS.on:
                SPANS.add(_RUN, begin, now())

    def _execute(self, cells: list[Any], stop: Any) -> None:
        run = _Run(self, cells)
        try:
            if stop is not None:
                stop.add(run)
            run.wait()
            run.fetch(self._fetched)
            run.receive_spans()
        except BaseException as error:
            run.end(error)
            run.receive_spans_of_ended()
            raise
        finally:
            for task in self._leaving:
                self._target.forget(task, run.name)


class _Run:
    """One run: its parts in flight.

    Args:
      of: the executable.
      cells: the fed values, and the constants.

    Attributes:
      name: names it to the tasks.
    """

    def __init__(self, of: RemoteExecutable, cells: list[Any]) -> None:
        self._of, self._cells, self._target = of, cells, of._target
        self.name = uuid.uuid4().hex
        self._made: dict[int, tuple[Any, Part]] = {}  # cell -> reference, and the part that makes it
        self._put: dict[int, Any] = {}  # cell -> reference to a large value that was fed
        self._ends: list[Any] = []  # per part: the reference that says how it ended
        self._stopped: BaseException | None = None
        self._flows: list[int] = []
        self._sent: list[int] = []
        for part, (digest, payload) in zip(of.parts, of._payload, strict=True):
            waited = [self._ends[i] for i in part.after]
            inputs = [self._given(c) for c in part.ins]
            actor = self._target.actor(part.task)
            call = actor.run.options(num_returns=len(part.outs) + 1)
            flow, begin = new_flow() if SPANS.on else 0, now()
            request = Request(digest, self.name, len(waited), len(part.outs), part.found, flow)
            references = call.remote(request, [payload], *waited, *inputs)
            *outs, end = references if part.outs else [references]
            self._made.update((c, (r, part)) for c, r in zip(part.outs, outs, strict=True))
            self._ends.append(end)
            self._flows.append(flow)
            self._sent.append(begin)
            if flow:
                subject = Activity(f"part for {partition.text(part.task)}", "submit")
                SPANS.add(subject, begin, now(), {"flow": flow})

    def _given(self, cell: int) -> Any:
        """A value that a part is given: by reference if it is made by another, or large."""
        produced = self._made.get(cell)
        if produced is not None or cell in self._put:
            return self._put[cell] if produced is None else produced[0]
        value = self._cells[cell]
        if isinstance(value, FedCell):
            raise errors.UnimplementedError(
                None, None, f"the handle of {value!r} cannot be fed on {self._target.name}: feed what is read from it"
            )
        if value.__class__ is np.ndarray and value.nbytes >= TUNING.stored_array_bytes:
            self._put[cell] = ray_connection.joined().put(value)
            return self._put[cell]
        return value

    def wait(self) -> None:
        """Waits until every part has ended; raises the error of the first that fails.

        Only the last parts are polled: a failure is handed on to the parts that depend on it.
        """
        left = list(self._of.last)
        while left:
            if len(left) > 1:
                done = ray_connection.ready([self._ends[i] for i in left])
                left.sort(key=lambda i: self._ends[i] not in done)
            end = self._ended(left.pop(0))
            if self._stopped is not None:
                raise self._stopped
            if end.__class__ is FailedPart:
                raise raised(end)

    def _ended(self, i: int) -> Any:
        """The end of a part. An error of Ray is attributed to the first part that it holds for."""
        try:
            return self._target.got(self._ends[i], self._of.parts[i])
        except errors.OpError:
            earlier = self._ends[:i]
            done, _ = ray_connection.joined().wait(earlier, num_returns=i, timeout=0) if earlier else ([], [])
            for j in (j for j in range(i) if self._ends[j] in done):
                self._target.got(self._ends[j], self._of.parts[j])
            raise

    def receive_spans(self) -> None:
        """Takes over the spans of the parts, if they were recorded; each has ended."""
        for i, flow in enumerate(self._flows):
            if flow and SPANS.on:
                begin = now()
                self._accept_spans(i, begin, self._ended(i))

    def receive_spans_of_ended(self) -> None:
        """Takes over the spans of parts, after a failure: those of parts that are not there are lost."""
        for i, flow in enumerate(self._flows):
            if flow and SPANS.on:
                begin, end = now(), None
                try:
                    ray, reference = ray_connection.joined(), self._ends[i]
                    if ray.wait([reference], num_returns=1, timeout=0)[0]:
                        end = ray.get(reference)
                    lost = "the run ended before it"
                except Exception:  # the failure of the run says more
                    lost = "its server is gone"
                self._accept_spans(i, begin, end, lost)

    def _accept_spans(self, i: int, begin: int, end: Any, lost: str = "it was not run") -> None:
        """Takes over the spans that came with the end of a part.

        Args:
          i: the part.
          begin: the begin of the acceptance, by `now`.
          end: the value that came at the end of the part; None if there is none.
          lost: the reason why there are no spans, if there are none.
        """
        details: dict[str, Any] = {"flow": self._flows[i]}
        spans = end.spans if isinstance(end, FailedPart) else end
        if isinstance(spans, RemoteSpans):
            spans.receive(self._sent[i])
        else:
            details["lost"] = lost if end is None else "a part before it failed"
        task = partition.text(self._of.parts[i].task)
        SPANS.add(Activity(f"part of {task}", "accept"), begin, now(), details)

    def fetch(self, wanted: Sequence[int]) -> None:
        """Brings values here."""
        for cell in wanted:
            reference, part = self._made[cell]
            self._cells[cell] = self._target.got(reference, part)

    def end(self, error: BaseException) -> None:
        """Lets nothing further start; called from another thread, it ends the run for who waits at its deadline."""
        self._stopped = error
        for reference in self._ends:
            try:
                ray_connection.joined().cancel(reference)
            except Exception:  # it has ended, or its actor is gone
                continue


def _ran(part: Part | None) -> str:
    """A phrase on the host calls of a part, any of which may have ended the task."""
    if part is None:
        return ""
    steps = [s for s in part.plan.steps if s.host] or part.plan.steps
    named = ", ".join(f"'{s.name}' ({s.op}), defined at {s.site}" for s in steps[:3])
    more = f", and {len(steps) - 3} more" if len(steps) > 3 else ""
    return f". It ran {named}{more}, which was not run again"


def key_of(spec: ClusterSpec) -> str:
    """The identity of a cluster among others on the same Ray."""
    return hashlib.sha256(json.dumps(spec.as_dict(), sort_keys=True).encode()).hexdigest()[:16]
