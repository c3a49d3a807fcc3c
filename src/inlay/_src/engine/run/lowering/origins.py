"""Errors of generated source: the step of a failing line, and the error as the reference interpreter words it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.interpreter.source import Source
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference


class Origin(NamedTuple):
    """The step that lines are written for.

    Attributes:
      step, call: the step, and its call.
      named: its plan's cells that have a name in the source.
      top: the step of the plan itself: one that runs the program in whose plan the step is, or the step.
    """

    step: Step
    call: StepCall
    named: Mapping[int, str]
    top: Step


def located_in(source: Source, error: BaseException, cells: Mapping[int, Any]) -> BaseException:
    """The failing step's error, worded as the reference interpreter words it."""
    trace: Any = error.__traceback__
    step, call, named, _ = source.origin(trace.tb_lineno)
    held = trace.tb_frame.f_locals

    def value(i: int, j: int, dtype: DType) -> Any:
        candidates = (cells.get(i), held.get(f"v{i}"), held.get(f"h{j}"), held.get(named.get(i)))
        return next((v for v in (*candidates, source.names.get(named.get(i, ""))) if v is not None), _HandedOver(dtype))

    inputs = [value(i, j, dtype) for i, j, dtype in zip(step.ins, itertools.count(), step.in_dtypes, strict=False)]
    if step.opdef.lowering.expression is not None and not isinstance(error, errors.OpError):
        error = _of_kernel(error, call, inputs)
    failed = call.failed(error, inputs)
    return reference.of_step(error, step, call, inputs) if failed is None else failed


def _of_kernel(error: BaseException, call: StepCall, inputs: Sequence[Any]) -> BaseException:
    """The error of a step that is written in place of its kernel's call, as the kernel words it."""
    try:
        call.plain(*inputs)
    except Exception as kernel_error:
        return kernel_error
    return error


class _HandedOver:
    """The text in an error for an input that belonged to the function and no longer exists."""

    shape = shapes.TensorShape(None)

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
