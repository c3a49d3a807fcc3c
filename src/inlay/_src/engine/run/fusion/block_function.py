"""Elementwise steps as a function of one block, written as source: each ufunc writes into memory that is there.

    def run(b1, b4, o9, s0):        blocks of what is read, of what is made, and memory in between
        u_0(b1, a_0, o9)            the block of a result serves until the result is made
        u_1(o9, b4, s0)
        v7 = k_0(np, s0)            a kernel of several functions makes an array of its own
        u_2(v7, b1, o9)

A block's memory stays in the cache from one step to the next, and from one block to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.costs import nanoseconds
from inlay._src.base.interpreter.source import Source
from inlay._src.engine.plan.plan import Step

_FILE = f"{__file__} (block)"  # within the package, so that user tracebacks leave it out


class BlockMemory(NamedTuple):
    """Memory that the blocks of a cell fit into: the type of its elements, and their shape behind the first axis."""

    dtype: np.dtype[Any]
    tail: tuple[int, ...]


class BlockSource:
    """Writes the function.

    Args:
      steps: elementwise ones, each of which makes something that is divided.
      tails: cell -> shape behind the first axis, of each cell that is divided.
      constants: cell -> value of those constants that are scalars; other undivided values are passed whole.
      outs: the cells that it leaves.
      apart: whether the block of a result is written once, when the result is made: it may be that of an input which
        nothing reads any more then.

    Attributes:
      ins: the cells that it reads.
      scratch: the memory in between that a call takes.
      nanoseconds: the estimated cost of a row.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        tails: Mapping[int, tuple[int, ...]],
        constants: Mapping[int, Any],
        outs: Sequence[int],
        apart: bool = False,
    ) -> None:
        self._tails, self._known, self._outs = tails, constants, outs
        self._origins = {step.outs[0]: k for k, step in enumerate(steps)}
        self._last = _last_uses(steps, tails)
        self._source = Source({"np": np})
        self._names: dict[int, str] = {}  # of cells, in the source
        self._arrays: dict[int, str] = {}  # of scalars as arrays, which ufuncs take in half the time
        self._memory: dict[str, BlockMemory] = {}  # for what is made on the way
        if not apart:
            self._memory = {f"o{c}": BlockMemory(steps[self._origins[c]].dtypes[0].np, tails[c]) for c in outs}
        self.ins: list[int] = []
        self.scratch: list[BlockMemory] = []
        self.nanoseconds: float = 0.0
        self._lines = [line for k, step in enumerate(steps) for line in self._step(k, step)]

    def function(self) -> Any:
        """The function; its parameters are what `ins` name, then blocks of the `outs`, then `scratch`."""
        parameters = [*(f"b{c}" for c in self.ins), *(f"o{c}" for c in self._outs)]
        parameters += [f"s{j}" for j in range(len(self.scratch))]
        with self._source.block(f"def run({', '.join(parameters)}):"):
            self._source.write(*self._lines)
        return self._source.function("run", _FILE)

    def _step(self, k: int, step: Step) -> list[str]:
        cell, opdef, name = step.outs[0], step.opdef, self._source.name
        if _is_first(step, self._tails):
            return self._left(cell, self._name(step.ins[0]))
        memory = BlockMemory(step.dtypes[0].np, self._tails[cell])
        ufunc = ufunc_of(step)
        elements = int(np.prod(memory.tail, dtype=np.int64))
        if not opdef.lowering.to_shape:  # a view
            self.nanoseconds += elements * nanoseconds(ufunc or opdef.kernel, step.in_dtypes[0].np)
        if ufunc is None:
            expression = opdef.text([self._name(c) for c in step.ins], step.attrs, name)
            return [f"v{cell} = {expression}", *self._left(cell, f"v{cell}")]
        values = [self._array(c) for c in step.ins]
        place = self._names[cell] = f"o{cell}" if cell in self._outs else self._place(k, cell, memory)
        return [f"{name('u', ufunc)}({', '.join([*values, f'out={place}'])})"]

    def _left(self, cell: int, place: str) -> list[str]:
        """Puts what lies elsewhere where it should be left, if it is."""
        self._names[cell] = place
        if cell not in self._outs:
            return []
        self._names[cell] = f"o{cell}"
        return [f"o{cell}[...] = {place}"]

    def _name(self, cell: int) -> str:
        name = self._names.get(cell)
        if name is None:
            if cell in self._known:
                name = self._source.name("n", self._known[cell])
            else:
                name = f"b{cell}"
                self.ins.append(cell)
            self._names[cell] = name
        return name

    def _array(self, cell: int) -> str:
        if cell not in self._known:
            return self._name(cell)
        name = self._arrays.get(cell)
        if name is None:
            name = self._arrays[cell] = self._source.name("a", np.asarray(self._known[cell]))
        return name

    def _place(self, k: int, cell: int, memory: BlockMemory) -> str:
        """Memory for what step `k` makes: that of a result which is made later, or in between, or more."""
        end = self._last.get(cell, k)
        taken = {name for c, name in self._names.items() if self._last.get(c, -1) > k or c in self._outs}
        for name, there in self._memory.items():
            if there == memory and name not in taken and (name[0] == "s" or self._origins[int(name[1:])] >= end):
                return name
        name = f"s{len(self.scratch)}"
        self.scratch.append(memory)
        self._memory[name] = memory
        return name


def ufunc_of(step: Step) -> Any:
    """The ufunc that a step is, and nothing else; or None."""
    return (
        step.opdef.lowering.ufunc if step.opdef.lowering.ufunc is not None and not step.opdef.own(step.attrs) else None
    )


def _is_first(step: Step, tails: Mapping[int, tuple[int, ...]]) -> bool:
    """Whether a step leaves its first input as it is: that has the shape of the second."""
    return step.opdef.lowering.to_shape and tails.get(step.ins[0]) == tails[step.outs[0]]


def _last_uses(steps: Sequence[Step], tails: Mapping[int, tuple[int, ...]]) -> dict[int, int]:
    """The last step that reads each cell, or what may lie in its memory: a kernel may return an input."""
    last: dict[int, int] = {}
    for k, step in reversed(list(enumerate(steps))):
        lasting = k if ufunc_of(step) is not None else last.get(step.outs[0], k)
        read = 1 if _is_first(step, tails) else len(step.ins)
        for cell, dtype in zip(step.ins[:read], step.in_dtypes, strict=False):
            until = lasting if step.opdef.lowering.aliases or dtype is step.dtypes[0] else k
            last[cell] = max(last.get(cell, k), until)
    return last
