"""Functions of elements as one plan: those of maps in a row, and one for all elements of a batch.

Chain    element ─▶ function ─▶ function ─▶ … ─▶ result, in one run. An error says which function it is of.
Rows     elements stacked ─▶ the same functions ─▶ results stacked. Only where every op works element by element,
         cannot fail, and rounds exactly, so that the results are those of one element after the other, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import Role
from inlay._src.data.draws import Draw, draws_of
from inlay._src.data.element import Values
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Iteration
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.run.lowering.joined import Joined, joinable

EXACT = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute, np.square, np.sqrt, np.floor, np.ceil,
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
    np.logical_not,
})  # fmt: skip
"""Ufuncs whose results are exact or rounded correctly, so that it does not matter how many numbers they are given."""


class Chain:
    """Functions of which each takes what the one before it gives.

    Args:
      functions: `can_be_one` holds of them.
    """

    __slots__ = ("_functions", "_made")

    def __init__(self, functions: Sequence[Mapped]) -> None:
        self._functions = tuple(functions)
        whole = joined(functions)
        self._made = whole.of_values(len(whole.plan.feeds)), whole.of_values(functions[0].takes)

    def __reduce__(self) -> Any:
        return Chain, (self._functions,)

    def opened(self, iteration: Iteration, behind: Sequence[int]) -> Callable[[Values, int], Values]:
        """The functions in one iteration, as a function of an element's values and its index at the first of them.

        It raises `StepFailed` if one of them fails.

        Args:
          iteration: the iteration, which has the values of captured tensors.
          behind: for each function, what the index of an element is above the number that it has there; read at every
            call.
        """
        with_all, with_values = self._made
        captured: Values = []
        draws: list[tuple[int, Draw, int]] = []  # where among what is captured, which, and of which function
        for stage, function in enumerate(self._functions):
            values = iteration.values(function.captures)
            draws += [(len(captured) + draw.at, draw, stage) for draw in draws_of(function.program, values)]
            captured += values
        if not draws:
            return with_values(captured)
        run = with_all(())

        def run_with_draws(values: Values, index: int) -> Values:
            last = captured.copy()
            for at, draw, stage in draws:
                last[at] = draw.state(index - behind[stage])
            return run([*values, *last])

        return run_with_draws


def can_be_one(functions: Sequence[Mapped]) -> bool:
    """Whether functions can be a chain, or `StackedFunctions`."""
    return all(f.plain for f in functions) and joinable([f.program.executable for f in functions])


def joined(functions: Sequence[Mapped]) -> Joined:
    """The plans of functions as one."""
    return Joined([f.program.executable for f in functions], [f.takes for f in functions])


# ---------------------------------------------------------------- many elements at once


class StackedFunctions:
    """Functions, each of what the one before it gives, of elements that are stacked.

    Args:
      functions: such as can be called so; see `rows_of_functions`.
      stacked: for each result, whether it depends on the element.
    """

    __slots__ = ("_functions", "_make", "_stacked")

    def __init__(self, functions: Sequence[Mapped], stacked: Sequence[bool]) -> None:
        self._functions, self._stacked = tuple(functions), tuple(stacked)
        self._make = joined(functions).of_values(functions[0].takes)

    def __reduce__(self) -> Any:
        return StackedFunctions, (self._functions, self._stacked)

    def opened(self, iteration: Iteration) -> Callable[[Values, int], Values] | None:
        """The functions in one iteration, as a function of stacked values and how many elements these have.

        Its results are in memory of their own. None if what the functions capture lies elsewhere.
        """
        captured = [value for function in self._functions for value in iteration.values(function.captures)]
        if not all(isinstance(value, (np.ndarray, np.generic)) for value in captured):
            return None
        run, stacked = self._make(captured), self._stacked

        def run_stacked(values: Values, count: int) -> Values:
            out: Values = []
            for value, own in zip(run(values), stacked, strict=True):
                if not own:
                    out.append(np.repeat(np.asarray(value)[None], count, axis=0))
                elif value.base is not None or any(value is other for other in out):
                    out.append(value.copy())
                else:
                    out.append(value)
            return out

        return run_stacked


def rows_of_functions(functions: Sequence[Mapped]) -> StackedFunctions | None:
    """The functions for stacked elements; None where they must be called for each.

    The shapes of all that is computed must be known, as elements of equal shapes alone can be stacked.
    """
    stacked: list[bool] = []
    if not can_be_one(functions):
        return None
    for function in functions:
        results = _Look(function, stacked or [True] * function.takes).results()
        if results is None:
            return None
        stacked = results
    return StackedFunctions(functions, stacked)


class _Look:
    """Looks at the plan of one function.

    Args:
      function: the function.
      stacked: for each input, whether it depends on the element.
    """

    def __init__(self, function: Mapped, stacked: Sequence[bool]) -> None:
        built = function.program.executable
        self._plan, self._nodes = built.plan, function.program.graph._by_name
        self._shapes: dict[int, Dims] = {cell: np.shape(value) for cell, value in self._plan.consts}
        self._stacked: dict[int, bool] = dict.fromkeys(self._shapes, False)
        parameters = function.program.parameters
        for i, (cell, tensor) in enumerate(zip(built.feeds, parameters, strict=True)):
            self._shapes[cell] = tensor._dims if _is_plain(tensor.dtype) else None
            self._stacked[cell] = i < len(stacked) and stacked[i]

    def results(self) -> list[bool] | None:
        """For each result, whether it depends on the element; None if the function must be called for each."""
        if self._plan.resources or not all(self._add(step) for step in self._plan.steps):
            return None
        if not all(map(_is_small, self._shapes.values())):
            return None
        return [self._stacked[cell] for cell in self._plan.fetches]

    def _add(self, step: Step) -> bool:
        """Notes what a step makes; False if it cannot take stacked values."""
        node = self._nodes.get(step.name)
        if node is None or step.checks or step.device or len(step.outs) != 1 or not _is_exact(step):
            return False
        shape = node.outputs[0]._dims
        shapes = [self._shapes[cell] for cell in step.ins]
        stacked = [self._stacked[cell] for cell in step.ins]
        if shape is None or any(s is None or len(s) > len(shape) for s in shapes):
            return False
        if any(row and len(s) != len(shape) for row, s in zip(stacked, shapes, strict=True) if s is not None):
            return False  # its axes would be taken for others
        self._shapes[step.outs[0]], self._stacked[step.outs[0]] = shape, any(stacked)
        return True


def _is_exact(step: Step) -> bool:
    """Whether an op's results do not depend on how many numbers it is given at once, and it cannot fail."""
    opdef = step.opdef
    if not all(_is_plain(kind) for kind in (*step.in_dtypes, *step.dtypes)):
        return False
    if opdef.name == "Cast":
        return step.dtypes[0].is_floating or not step.in_dtypes[0].is_floating
    return opdef.role is Role.IDENTITY or opdef.lowering.ufunc in EXACT


def _is_plain(kind: DType) -> bool:
    """Whether values of a dtype are real numbers or truth values, as NumPy has them."""
    return (kind.is_floating or kind.is_integer or kind.is_bool) and not kind.is_quantized


def _is_small(shape: Dims) -> bool:
    return (
        shape is not None
        and math.prod(TUNING.stacked_numbers + 1 if n is None else n for n in shape) <= TUNING.stacked_numbers
    )
