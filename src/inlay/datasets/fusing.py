"""Functions of elements as one plan: those of maps in a row, and one for all elements of a batch.

    Chain    element ─▶ function ─▶ function ─▶ … ─▶ result, in one run. An error says how many functions ran to their end.
    Rows     elements stacked ─▶ the same functions ─▶ results stacked. Only where every op works element by element,
             cannot fail, and rounds exactly, so that the results are those of one element after the other, bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.core.opdef import Role
from inlay.datasets.draws import Draw, draws_of
from inlay.datasets.element import Values
from inlay.datasets.mapped import Mapped
from inlay.datasets.node import Iteration
from inlay.plan.plan import Step
from inlay.run.joining import Joined
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims

EXACT = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute, np.square, np.sqrt, np.floor, np.ceil,
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
    np.logical_not,
})  # fmt: skip
"""Ufuncs whose results are exact or rounded correctly, so that it does not matter how many numbers they are given."""
MOST_NUMBERS = 1024
"""How many numbers an element has at most to be worked on with others: larger ones stay in the processor's cache from op
to op if they are worked on one by one, and what a plan costs beside its ops matters little."""


class Failed(Exception):
    """A function of a chain failed.

    Attributes:
      done: how many functions ran to their end.
      error: what the next one raised.
    """

    done: int
    error: BaseException

    def __init__(self, done: int, error: BaseException) -> None:
        super().__init__(done, error)
        self.done, self.error = done, error


class Chain:
    """Functions of which each takes what the one before it gives.

    Args:
      functions: none makes datasets.
    """

    __slots__ = ("_functions", "_joined")

    def __init__(self, functions: Sequence[Mapped]) -> None:
        self._functions = tuple(functions)
        self._joined = joined(functions)

    def opened(self, iteration: Iteration, behind: Sequence[int]) -> Callable[[Values, int], Values]:
        """The functions in one iteration, as a function of an element's values and its index at the first of them.

        Args:
          iteration: what the functions capture has its values there.
          behind: for each function, how many elements of those that were read did not reach it; read at every call.

        Returns:
          What raises `Failed` if one of them fails.
        """
        built, done = self._joined.executable, self._joined.done
        template, draws = self._template(iteration)
        execute = built.execute
        feeds = built.feeds[: len(self._functions[0].program.graph.inputs)]
        fetches = built.fetches[: len(self._functions[-1].element.leaves)]

        def run(values: Values, index: int) -> Values:
            cells = template.copy()
            for slot, value in zip(feeds, values, strict=True):
                cells[slot] = value
            for slot, draw, stage in draws:
                cells[slot] = draw.state(index - behind[stage])
            try:
                (built.alone or execute)(cells)
            except errors.PASS_THROUGH:
                raise
            except BaseException as error:
                raise Failed(done(cells), error) from None
            return [cells[slot] for slot in fetches]

        return run

    def _template(self, iteration: Iteration) -> tuple[list[Any], list[tuple[int, Draw, int]]]:
        """The cells before a run, with what is captured; and the cells of draws, with the function that each is of."""
        template = self._joined.executable.template.copy()
        draws: list[tuple[int, Draw, int]] = []
        for stage, (function, cells) in enumerate(captured_cells(self._functions, self._joined)):
            values = iteration.values(function.captures)
            for cell, value in zip(cells, values, strict=True):
                template[cell] = value
            draws += [(cells[draw.at], draw, stage) for draw in draws_of(function.program, values)]
        return template, draws


def joined(functions: Sequence[Mapped]) -> Joined:
    """The plans of functions as one."""
    return Joined([f.program.executable for f in functions], [len(f.program.graph.inputs) for f in functions])


def captured_cells(functions: Sequence[Mapped], whole: Joined) -> list[tuple[Mapped, list[int]]]:
    """The functions, each with the cells of its captures in the plan of all."""
    return [
        (f, [cells[slot] for slot in f.program.executable.feeds[len(f.program.graph.inputs) :]])
        for f, cells in zip(functions, whole.cells, strict=True)
    ]


# ---------------------------------------------------------------- many elements at once


class Rows:
    """Functions, each of what the one before it gives, of elements that are stacked.

    Args:
      functions: such as can be called so; see `rows_of_functions`.
      stacked: for each result, whether it depends on the element.
    """

    __slots__ = ("_functions", "_joined", "_stacked")

    def __init__(self, functions: Sequence[Mapped], stacked: Sequence[bool]) -> None:
        self._functions, self._stacked = tuple(functions), tuple(stacked)
        self._joined = joined(functions)

    def opened(self, iteration: Iteration) -> Callable[[Values, int], Values] | None:
        """The functions in one iteration, as a function of stacked values and how many elements these have.

        Its results are in memory of their own. None if what the functions capture lies elsewhere.
        """
        built = self._joined.executable
        template = built.template.copy()
        for function, cells in captured_cells(self._functions, self._joined):
            for cell, value in zip(cells, iteration.values(function.captures), strict=True):
                if not isinstance(value, (np.ndarray, np.generic)):
                    return None
                template[cell] = value
        feeds = built.feeds[: len(self._functions[0].program.graph.inputs)]
        results = list(zip(built.fetches, self._stacked, strict=False))

        def run(values: Values, count: int) -> Values:
            cells = template.copy()
            for slot, value in zip(feeds, values, strict=True):
                cells[slot] = value
            built.execute(cells)
            out: Values = []
            for slot, stacked in results:
                value = cells[slot]
                if not stacked:
                    out.append(np.repeat(np.asarray(value)[None], count, axis=0))
                elif value.base is not None or any(value is other for other in out):
                    out.append(value.copy())
                else:
                    out.append(value)
            return out

        return run


def rows_of_functions(functions: Sequence[Mapped]) -> Rows | None:
    """The functions for stacked elements; None where they must be called for each.

    The shapes of all that is computed must be known, as elements of equal shapes alone can be stacked.
    """
    stacked: list[bool] = []
    for function in functions:
        found = _Look(function, stacked or [True] * len(function.program.graph.inputs)).results()
        if found is None:
            return None
        stacked = found
    return Rows(functions, stacked)


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
    return opdef.role is Role.IDENTITY or opdef.ufunc in EXACT


def _is_plain(kind: DType) -> bool:
    """Whether values of a dtype are real numbers or truth values, as NumPy has them."""
    return (kind.is_floating or kind.is_integer or kind.is_bool) and not kind.is_quantized


def _is_small(shape: Dims) -> bool:
    return shape is not None and math.prod(MOST_NUMBERS + 1 if n is None else n for n in shape) <= MOST_NUMBERS
