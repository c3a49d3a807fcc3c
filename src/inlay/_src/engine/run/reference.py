"""The reference interpreter: it is the meaning of a plan, and lowerings must agree with it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import floating
from inlay._src.base.types import shapes
from inlay._src.core.executor import Batch, FutureBatch
from inlay._src.core.kernel_errors import explained, of_kernel
from inlay._src.core.values import describe
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall

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


class Wave:
    """Steps that an executor runs: begun here, each landed with `land` once its call has ended.

    Args:
      steps, calls: steps that may begin, whose calls have one executor. They begin in one request if all of them have
        one for it.
      cells: the cells of the run.

    Attributes:
      batch: the calls, in this order.

    Raises:
      OpError: if one cannot begin; those that did are cancelled.
    """

    __slots__ = ("_inputs", "_results", "batch")

    def __init__(self, steps: Sequence[Step], calls: Sequence[StepCall], cells: list[Any]) -> None:
        self._inputs: list[list[Any]] = [[cells[i] for i in step.ins] for step in steps]
        self._results: list[Callable[[Batch, int], Sequence[Any]]] = []
        executor, requests = calls[0].executor, []
        if len(steps) > 1 and executor is not None:
            requests = [call.request(values) for call, values in zip(calls, self._inputs, strict=True)]
        together = [request for request in requests if request is not None]
        if executor is not None and len(together) == len(steps):
            self._results = [request.results for request in together]
            self.batch = executor.start_many([request.call for request in together])
        else:
            self.batch = self._begun(calls)

    def _begun(self, calls: Sequence[StepCall]) -> FutureBatch:
        """Calls, each of which begins by itself."""
        futures: list[Future[Any]] = []
        try:
            for call, values in zip(calls, self._inputs, strict=True):
                future, ended = call.start(values)
                futures.append(future)
                self._results.append(lambda batch, position, ended=ended: ended())  # type: ignore[misc]
            return FutureBatch(futures)
        except BaseException:
            for future in futures:
                future.cancel()
            raise

    def land(self, position: int, step: Step, call: StepCall, cells: list[Any]) -> None:
        """Writes the results of the step at a position into its cells.

        Raises:
          OpError: naming the step.
        """
        inputs, self._inputs[position] = self._inputs[position], []
        land(step, call, cells, inputs, functools.partial(self._results[position], self.batch, position))


def land(step: Step, call: StepCall, cells: list[Any], inputs: list[Any], ended: Callable[[], Sequence[Any]]) -> None:
    """Writes the results of a step that was begun into its cells; for the arguments see `results`.

    Raises:
      OpError: naming the step.
    """
    for slot, value in zip(step.outs, results(step, call, inputs, ended), strict=False):
        if slot != -1:
            cells[slot] = value


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
