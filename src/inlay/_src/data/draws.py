"""Random numbers in functions of elements: they depend on the index of the element, not on the executor.

A draw whose shape is known takes the same share of its sequence for every element, so element `i` begins `i` shares
after the first: these are the numbers that a loop over the elements draws, and TensorFlow's. Any other draw has a
sequence of its own for every element. A new iteration begins again, with the same numbers if a seed was given. The
index goes on from epoch to epoch of one iteration, see `numbering`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inlay._src.data.numbering import APART
from inlay._src.engine.plan.plan import Plan
from inlay._src.ops import philox
from inlay._src.ops.seeds import RandomState, entropy
from inlay._src.programs.program import Runnable

_SHARES = ("RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt")
"""Ops that take as much of their sequence as their shape, the second input, says."""
_APART = 0x9E3779B97F4A7C15  # odd, so that multiples of it are all different modulo 2**64
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Draw:
    """The sequence of one draw; data, so that it travels.

    Attributes:
      at: the index of its state among the last parameters of the program.
      name: of the state.
      key, high: its seed.
      seeded: whether that was given.
      share: the number of blocks per element; None if that is not known.
    """

    at: int
    name: str
    key: int
    high: int
    seeded: bool
    share: int | None

    def begun(self) -> Draw:
        """The same in a new iteration."""
        return self if self.seeded else replace(self, key=entropy(), high=entropy())

    def state(self, index: int) -> RandomState:
        """The state with which an element begins."""
        if self.share is None:
            return RandomState(self.name, (self.key, (self.high + (index + 1) * _APART) & _MASK))
        lane, at = divmod(index, APART)  # those of cursors that are open at once are far apart
        lane_state = RandomState(self.name, (self.key, (self.high + lane * _APART) & _MASK))
        lane_state.position = at * self.share & _MASK
        return lane_state


def draws_of(program: Runnable, captured: Sequence[Any]) -> tuple[Draw, ...]:
    """The draws of a function in a new iteration.

    Args:
      program: the program of the function.
      captured: the values of its last parameters.
    """
    if not any(isinstance(value, RandomState) for value in captured):
        return ()
    plan = program.executable.plan
    cells = [f.slot for f in plan.feeds][len(plan.feeds) - len(captured) :]
    return tuple(
        Draw(at, value.name, value.key, value.high, value.seeded, _share(plan, cell)).begun()
        for at, (value, cell) in enumerate(zip(captured, cells, strict=True))
        if isinstance(value, RandomState) and not value.kept
    )


def _share(plan: Plan, cell: int) -> int | None:
    readers = [step for step in plan.steps if cell in step.ins]
    if len(readers) == 1 and readers[0].op == "NumberedSeed":
        return 1
    if len(readers) != 1 or readers[0].op not in _SHARES:
        return None
    shape = dict(plan.consts).get(readers[0].ins[1])
    return math.prod(shape.tolist()) * philox.RESERVED if isinstance(shape, np.ndarray) else None


def with_draws(program: Runnable, captured: Sequence[Any], draws: Sequence[Draw]) -> Callable[..., list[Any]]:
    """A program as a function of an element's values and index, whose random numbers depend on the index.

    Args:
      program: the program of the function.
      captured: the values of its last parameters.
      draws: those of them that are states of draws.
    """
    run, count = program.repeated(()), itertools.count()

    def run_with_draws(values: Sequence[Any], index: int | None = None) -> list[Any]:
        at = next(count) if index is None else index
        last = list(captured)
        for draw in draws:
            last[draw.at] = draw.state(at)
        return run([*values, *last])

    return run_with_draws
