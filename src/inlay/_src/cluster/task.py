"""One task of a cluster: runs parts of plans in a process of its own, and keeps the variables that are placed on it.

An instance lives in an actor of Ray, whose threads call it.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.remote_spans import RECORDED_HERE, RemoteSpans
from inlay._src.base.span_chunks import Activity
from inlay._src.cluster.payload import PlanPayload, ReceivedTables
from inlay._src.core import context, device
from inlay._src.core.state import Cell, CellStore
from inlay._src.engine.run import device_layout, xla_segments
from inlay._src.engine.run.executable import Executable
from inlay._src.host.executors import outcome, ray_connection

PLANS_KEPT = 1024
"""Plans that a task keeps bound; the oldest goes first."""
RUNS_LEFT = 1024
"""Runs whose values are kept for later parts; the oldest goes first."""
_RUNNING = context.State(host="a host function").lasting()


class Request(NamedTuple):
    """One run of a part.

    Attributes:
      digest: the digest of its payload.
      run: names the run that it is part of.
      waited: the number of inputs that only order the part after others.
      outs: the number of results.
      found: the cells that earlier parts of the run left here.
      flow: the number of the request in traces; 0 if spans are not recorded.
    """

    digest: str
    run: str
    waited: int
    outs: int
    found: tuple[int, ...]
    flow: int = 0


class FailedPart(NamedTuple):
    """Stands for the results of a part that failed, and of those that wait for it.

    Attributes:
      data: the failure: see `failed`.
      spans: those of the part that failed, if they are recorded; parts that wait for it have none.
    """

    data: bytes
    spans: RemoteSpans | None = None


def failed(error: BaseException) -> FailedPart:
    """A failure as it is sent: the error and the traceback."""
    return FailedPart(outcome.packed_failure(error))


def raised(failure: FailedPart) -> BaseException:
    """The error of a failure, with the classes that it had where it was raised and the traceback as its cause."""
    try:
        outcome.opened(failure.data)
    except BaseException as error:
        return error.with_traceback(None)
    raise AssertionError


class ServedTask:
    """The actor of a task.

    Args:
      name: the task, as part of a device string.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._store = CellStore()
        self._plans: dict[str, Executable] = {}
        self._left: dict[str, dict[int, Any]] = {}  # run -> cell -> value

    def devices(self) -> list[str]:
        """The devices of this process, without the task."""
        return device.available()

    def reset(self) -> None:
        """Forgets the variables."""
        self._store.clear()

    def run(self, request: Request, payload: Sequence[Any], *inputs: Any) -> Any:
        """Runs a part.

        Args:
          request: the part to run.
          payload: a list of a reference to the part's payload, which is fetched if the plan is not bound yet.
          *inputs: values that only order the part, then those of its feeds.

        Returns:
          Its results, and its spans, None if they are not recorded; `FailedPart` instead of each if the part or one
          before it failed.
        """
        stopped = next((v for v in inputs if v.__class__ is FailedPart), None)
        if stopped is not None:
            results = [stopped._replace(spans=None)] * (request.outs + 1)
        else:
            with RECORDED_HERE.request(Activity(f"part on {self._name}", "run"), request.flow) as recorded:
                results = self._results(request, payload, inputs)
            if recorded.spans is not None:
                spans = recorded.spans._replace(process=recorded.spans.process._replace(name=self._name))
                results[-1] = spans if results[-1] is None else results[-1]._replace(spans=spans)
        return results if request.outs else results[0]

    def _results(self, request: Request, payload: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
        try:
            executable = self._plans.get(request.digest) or self._bound(request.digest, payload)
            cells = executable.template.copy()
            left = self._left.get(request.run, {})
            values = [*inputs[request.waited :], *(left[c] for c in request.found)]
            for slot, value in zip(executable.feeds, values, strict=True):
                cells[slot] = value
            del values
            for slot, key in executable.resources:
                cells[slot] = _fitting(self._store.cell(key), key)
            with context.using(_RUNNING):
                executable.execute(cells)
            for slot in executable.fetches[request.outs :]:
                self._leave(request.run, slot, cells[slot])
            return [*(cells[slot] for slot in executable.fetches[: request.outs]), None]
        except BaseException as error:
            return [failed(error)] * (request.outs + 1)

    def _leave(self, run: str, cell: int, value: Any) -> None:
        """Keeps a value for later parts of a run."""
        while len(self._left) >= RUNS_LEFT and run not in self._left:  # of callers that are gone
            self._left.pop(next(iter(self._left)), None)
        self._left.setdefault(run, {})[cell] = value

    def forget(self, run: str) -> None:
        """Drops what parts of a run left: it is over."""
        self._left.pop(run, None)

    def _bound(self, digest: str, box: Sequence[Any]) -> Executable:
        """The plan of a payload, bound to what came with it, on the devices of this process."""
        payload: PlanPayload = pickle.loads(ray_connection.got(box[0], "the store that has the plan"))
        for step in payload.plan.steps:
            if step.asked:
                device.check(step.asked, f"{step.name}: {step.op}", None)
        plan = device_layout.laid_out(payload.plan, xla_segments.asked(False), border=device.CPU)
        while len(self._plans) >= PLANS_KEPT:
            self._plans.pop(next(iter(self._plans)), None)
        executable = self._plans[digest] = Executable(plan, ReceivedTables(payload))
        return executable


def _fitting(cell: Cell, key: Any) -> Cell:
    """A variable's cell; InvalidArgumentError if another session made it of another dtype."""
    if cell.dtype is not key.dtype:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Trying to access variable {key.name} with the wrong dtype. Expected {cell.dtype.name} got "
            f"{key.dtype.name}: sessions of one cluster share variables by name",
        )
    return cell
