"""The reference interpreter: it is the meaning of a plan, and lowerings must agree with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import floating
from inlay._src.base.types import shapes
from inlay._src.core.kernel_errors import explained, of_kernel
from inlay._src.core.values import describe
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import Started, StepCall

RunStep = Callable[[Step, StepCall, list[Any]], None]
"""The function that runs a step: `run_step`, or one that does the same to other values."""


def execute(steps: Sequence[Step], calls: Sequence[StepCall], cells: list[Any], run: RunStep | None = None) -> None:
    """Runs every step in order: the one loop over steps. Feeds, resources and constants are in their cells by then.

    Raises:
      OpError: naming the step that failed.
    """
    for step, call in zip(steps, calls, strict=True):
        if run is not None:
            run(step, call, cells)
        else:  # `run_step`, a call cheaper
            for slot, value in zip(step.outs, results(step, call, [cells[i] for i in step.ins])):  # noqa: B905
                if slot != -1:
                    cells[slot] = value
        for slot in step.frees:
            cells[slot] = None


def run_step(step: Step, call: StepCall, cells: list[Any]) -> None:
    """Runs one step: reads its cells, calls, checks promises, writes its cells."""
    result = results(step, call, [cells[i] for i in step.ins])
    for slot, value in zip(step.outs, result):  # noqa: B905 - `strict` is a tenth of what a small step takes
        if slot != -1:
            cells[slot] = value


class InFlight:
    """A step that an executor runs: begun here, landed with `land` once `future` is done.

    Args:
      inputs: the values of its inputs.
      started: its call, which was begun.

    Attributes:
      future: of the executor.
    """

    __slots__ = ("_inputs", "_results", "future")

    def __init__(self, inputs: list[Any], started: Started) -> None:
        self._inputs = inputs
        self.future, self._results = started

    def land(self, step: Step, call: StepCall, cells: list[Any]) -> None:
        """Writes the results into the cells of the step: a `RunStep`.

        Raises:
          OpError: naming the step.
        """
        for slot, value in zip(step.outs, results(step, call, self._inputs, self._results), strict=False):
            if slot != -1:
                cells[slot] = value


def begun(steps: Sequence[Step], calls: Sequence[StepCall], cells: list[Any]) -> list[InFlight]:
    """Begins steps whose calls have one executor: in one request, where all of them have one for it.

    Raises:
      OpError: if one cannot begin; those that did are cancelled.
    """
    inputs = [[cells[i] for i in step.ins] for step in steps]
    requests = [call.request(values) for call, values in zip(calls, inputs, strict=True)] if len(steps) > 1 else [None]
    together = [request for request in requests if request is not None]
    executor = calls[0].executor
    if executor is not None and len(together) == len(steps):
        futures = executor.start_many([request.call for request in together])
        started = [request.started(future) for request, future in zip(together, futures, strict=True)]
        return list(map(InFlight, inputs, started))
    flights: list[InFlight] = []
    try:
        for call, values in zip(calls, inputs, strict=True):
            flights.append(InFlight(values, call.start(values)))
    except BaseException:
        for flight in flights:
            flight.future.cancel()
        raise
    return flights


def results(
    step: Step, call: StepCall, inputs: list[Any], ended: Callable[[], Sequence[Any]] | None = None
) -> Sequence[Any]:
    """The results of one step's call, checked against its promises.

    Args:
      step, call: the step.
      inputs: its values.
      ended: gives the results of a call that was begun; None calls now.

    Raises:
      OpError: naming the step.
    """
    before = None if step.host else floating.silence(floating.SILENT)
    try:
        result = call.plain(*inputs) if ended is None else ended()
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        located = of_step(error, step, call, inputs)
        if located is error:
            raise
        raise located from located.__cause__
    finally:
        if before is not None:
            floating.restore(before)
    if not step.opdef.many:
        result = (result,)
    return checked(step, result) if step.checks else result  # type: ignore[no-any-return]


def checked(step: Step, result: Sequence[Any]) -> Sequence[Any]:
    """The results of a step, held against what `set_shape` promised of them.

    Raises:
      InvalidArgumentError: naming the step.
    """
    for position, promise in step.checks:
        shape = np.shape(result[position])
        if not shapes.compatible(shape, promise):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"output {position} of '{step.name}' ({step.op}) has shape {shapes.bracketed(shape)}, but set_shape "
                f"promised {shapes.bracketed(promise)}\n  defined at {step.site}\n  [[{{{{node {step.name}}}}}]]",
            )
    return result


class Checked:
    """A step whose results are checked against promises; a call gives them, or raises as `results` does."""

    __slots__ = ("call", "step")

    def __init__(self, step: Step, call: StepCall) -> None:
        self.step, self.call = step, call

    def __call__(self, *values: Any) -> Any:
        return results(self.step, self.call, list(values))


def of_step(error: BaseException, step: Step, call: StepCall, inputs: Sequence[Any]) -> BaseException:
    """The error of a failing step: that of a kernel with the node's name and definition, and with its cause.

    An error of a host call, which names its node itself, is returned as it is.
    """
    if step.host or (isinstance(error, errors.OpError) and (_names(error, step) or call.locates)):
        return error

    def place(seen: str) -> str:
        return f"  op '{step.name}' ({step.op}) of ({seen}), defined at {step.site}\n  [[{{{{node {step.name}}}}}]]"

    cause = explained(step.opdef, error, inputs, step.attrs)
    if isinstance(cause, errors.OpError) and cause.original_class is not None:  # a user's function raised it
        return errors.framed(cause, "", place(", ".join(map(describe, inputs))))
    located = of_kernel(cause, inputs, lambda seen: f"\n{place(seen)}")
    located.__cause__ = cause
    return located


def _names(error: errors.OpError, step: Step) -> bool:
    return f"{{{{node {step.name}}}}}" in error.message
