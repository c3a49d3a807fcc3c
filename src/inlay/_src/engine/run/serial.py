"""The reference interpreter. What it does is the meaning of a plan; faster runners must agree with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import floating
from inlay._src.base.types import shapes
from inlay._src.core import values
from inlay._src.core.opdef import explained
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall

RunStep = Callable[[Step, StepCall, list[Any]], None]
"""How a loop runs a step: `run_step`, or a function that does the same to other values."""


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


def store(step: Step, result: Sequence[Any], cells: list[Any]) -> None:
    """Writes the results of a step into its cells."""
    for slot, value in zip(step.outs, result, strict=False):
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
        cause = error if step.host else explained(step.opdef, error, inputs, step.attrs)
        found = located(cause, step, call, inputs)
        if found is error:
            raise
        raise found from error.__cause__ if step.host else cause
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


def located(error: BaseException, step: Step, call: StepCall, inputs: list[Any]) -> BaseException:
    """A failing step's error with the node's name and where it was made."""
    if isinstance(error, errors.OpError) and (f"{{{{node {step.name}}}}}" in error.message or call.locates):
        return error
    if step.host:
        return error
    seen = ", ".join(values.describe(v) for v in inputs)
    place = f"  op '{step.name}' ({step.op}) of ({seen}), defined at {step.site}\n  [[{{{{node {step.name}}}}}]]"
    if isinstance(error, errors.OpError) and error.original_class is not None:  # a user's function raised it
        return errors.framed(error, "", place)
    text = error.message if isinstance(error, errors.OpError) else str(error)
    if "could not be broadcast" in text and len(inputs) >= 2:
        text = (
            f"Incompatible shapes: {shapes.bracketed(np.shape(inputs[0]))} vs. {shapes.bracketed(np.shape(inputs[1]))}"
        )
    return errors.of_kernel(error, f"{text}\n{place}")
