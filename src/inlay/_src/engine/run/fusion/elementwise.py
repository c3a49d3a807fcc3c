"""Operator fusion with cache blocking: consecutive elementwise steps as one, block by block of large arrays.

Elementwise steps over large arrays spend their time on memory: each step loads the array that the one before it stored.
A block stays in the cache from the first step to the last, needs no new memory, and other cores work on other blocks.
The results are those of the steps, which run one by one if the arrays cannot be divided or are too small.

    FusedSteps    consecutive steps, and their specializations
    FusedForm     a specialization for shapes relative to each other, of any length: cells, block function, costs

The decision to fuse, and the number of threads, follow from the steps and the sizes alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter import blocks
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import OpThreads, ThreadChoice, is_quick
from inlay._src.base.interpreter.fallbacks import fall_back
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DType, bool_
from inlay._src.core.opdef import Effect
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.fusion.block_function import BlockMemory, BlockSource
from inlay._src.engine.run.fusion.traced_kernels import expanded

Shape = tuple[int, ...]


class FusedSteps:
    """Steps that run as one on large arrays.

    Attributes:
      steps: the fused steps.
      constants: cell -> value of the constants that are scalars.
      ins: the cells that it reads besides.
      outs: the cells that it leaves.
      gone: the cells from outside that nobody reads after it.
    """

    __slots__ = ("_forms", "constants", "gone", "ins", "outs", "steps")

    def __init__(self, steps: Sequence[Step], constants: Mapping[int, Any]) -> None:
        self.steps: tuple[Step, ...] = tuple(steps)
        written = {step.outs[0] for step in steps}
        read = dict.fromkeys(c for step in steps for c in step.ins if c not in written)
        freed = {c for step in steps for c in step.frees}
        self.constants: Mapping[int, Any] = {c: constants[c] for c in read if c in constants}
        self.ins: tuple[int, ...] = tuple(c for c in read if c not in constants)
        self.outs: tuple[int, ...] = tuple(step.outs[0] for step in steps if step.outs[0] not in freed)
        self.gone: tuple[int, ...] = tuple(c for c in freed if c not in written)
        self._forms: dict[Any, FusedForm | None] = {}

    def __call__(self, *values: Any) -> list[Any] | None:
        """The values of `outs` from those of `ins`; None if the steps have to run one by one."""
        division = blocks.division(values)
        if division is None:
            return None
        try:
            form = self._form(division)
            context = None if form is None else form.threads(division.length)
            if form is None or context is None:
                return None
            with context as threads:
                return form.run(division, threads)
        except Exception as error:
            if self._runs_step_by_step(values):
                fall_back("operator fusion", error)
            return None

    def _runs_step_by_step(self, values: Sequence[Any]) -> bool:
        """Whether its steps succeed one by one. If not, the caller meets their error again, and words it."""
        cells = {**self.constants, **dict(zip(self.ins, values, strict=True))}
        try:
            for call, ins, out in _calls(self.steps):
                cells[out] = call(*[cells[c] for c in ins])
        except Exception:
            return False
        return True

    def _form(self, division: blocks.Division) -> FusedForm | None:
        key = division.form
        if key not in self._forms:
            if len(self._forms) >= TUNING.fused_forms:
                self._forms.clear()
            form = FusedForm(self, division)
            self._forms[key] = form if form.pays_ever else None
        return self._forms[key]


class FusedForm:
    """Fused steps on arrays whose shapes relate to each other in one way.

    Steps fall into three groups: those that no divided array reaches come first, whole; the divided ones follow, block
    by block; sums, and the steps that depend on them, come last, whole again.
    """

    __slots__ = (
        "_before", "_behind", "_block", "_choice", "_divided", "_elements", "_fused", "_ins", "_outs", "_peak",
        "_results", "_row", "_scratch", "_work",
    )  # fmt: skip

    def __init__(self, fused: FusedSteps, division: blocks.Division) -> None:
        self._fused = fused
        shapes: dict[int, Shape] = {cell: () for cell in fused.constants}
        shapes.update(zip(fused.ins, (part.shape for part in division.parts), strict=True))
        self._divided = {c for c, d in zip(fused.ins, division.divided, strict=True) if d}
        before, steps, behind = self._grouped(shapes, division)
        self._before, self._behind = _calls(before), _calls(behind)
        read = {c for step in behind for c in step.ins}
        self._results = [s.outs[0] for s in steps if s.outs[0] in read or s.outs[0] in fused.outs]
        sizes = {c: d.size * math.prod(shapes[c][1:]) for s in steps for c, d in _cells(s) if c in self._divided}
        self._peak = _most_held(steps, sizes)
        steps, constants = expanded(steps, shapes, fused.constants)
        self._divided.update(step.outs[0] for step in steps)
        tails = {cell: shapes[cell][1:] for cell in self._divided}
        source = BlockSource(steps, tails, constants, self._results)
        self._block, self._ins, self._scratch = source.function(), source.ins, source.scratch
        kinds = {cell: dtype.np for step in steps for cell, dtype in _cells(step)}
        self._outs = [BlockMemory(kinds[cell], tails[cell]) for cell in self._results]
        held = [BlockMemory(kinds[c], tails[c]) for c in self._ins if c in self._divided]
        self._row = sum(map(_bytes, (*held, *self._outs, *self._scratch)))
        self._work = source.nanoseconds, sum([not step.opdef.lowering.to_shape for step in steps])
        self._elements = max(math.prod(tail) for tail in tails.values())
        self._choice = ThreadChoice()

    def _grouped(
        self, shapes: dict[int, Shape], division: blocks.Division
    ) -> tuple[list[Step], list[Step], list[Step]]:
        """The steps before, in and behind the blocks; shapes and the divided cells are added to."""
        groups: tuple[list[Step], list[Step], list[Step]] = [], [], []
        behind: set[int] = set()
        for step in self._fused.steps:
            dims, out = [shapes.get(c, ()) for c in step.ins], step.outs[0]
            shape = np.broadcast_shapes(*dims) if behind.isdisjoint(step.ins) else ()
            if not behind.isdisjoint(step.ins) or (step.opdef.lowering.to_shape and shape != dims[1]):
                groups[2].append(step)
                behind.add(out)
                continue
            shapes[out] = shape
            divided = len(shape) == division.rank and shape[0] == division.length
            groups[divided].append(step)
            if divided:
                self._divided.add(out)
        return groups

    @property
    def pays_ever(self) -> bool:
        """Whether anything is divided that somebody reads."""
        return bool(self._results)

    def threads(self, length: int) -> OpThreads | None:
        """The context for a first axis of this length; None where the steps are faster one by one."""
        nanoseconds, steps = self._work
        held = self._peak * length
        work = nanoseconds * length + (self._row * length * TUNING.uncached_byte_ns * (held > TUNING.cached_bytes))
        context = self._choice.over(work, steps * length / blocks.rows_of(length, self._elements, self._row))
        blocked = steps > 1 and held > TUNING.core_cached_bytes
        return context if blocked or context.threads > 1 or context.measured else None

    def run(self, division: blocks.Division, threads: int) -> list[Any]:
        """The values of the fused steps' `outs`."""
        fused, length = self._fused, division.length
        cells = {**fused.constants, **dict(zip(fused.ins, division.parts, strict=True))}
        for call, ins, out in self._before:
            cells[out] = call(*[cells[c] for c in ins])
        results = [np.empty(division.whole(m.tail), m.dtype) for m in self._outs]
        # Results are arrays of their own, not views, so that a later step sees they are uniquely referenced.
        self._run_blocks(cells, [r.reshape(length, *m.tail) for r, m in zip(results, self._outs, strict=True)], threads)
        cells.update(zip(self._results, results, strict=True))
        if self._behind:
            cells.update(zip(fused.ins, division.values, strict=True))
            for call, ins, out in self._behind:
                cells[out] = call(*[cells[c] for c in ins])
        return [cells[c] for c in fused.outs]

    def _run_blocks(self, cells: Mapping[int, Any], places: Sequence[np.ndarray], threads: int) -> None:
        length, block, scratch = len(places[0]), self._block, self._scratch
        rows = blocks.rows_of(length, self._elements, self._row)
        arguments = [(cells[c], c in self._divided) for c in self._ins]
        free: list[list[np.ndarray]] = []  # memory in between, one of a thread at a time

        def work(turn: int) -> None:
            start, end = turn * rows, min(turn * rows + rows, length)
            try:
                mine = free.pop()
            except IndexError:
                mine = [np.empty((rows, *m.tail), m.dtype) for m in scratch]
            rows_of_values = [value[start:end] if divided else value for value, divided in arguments]
            block(*rows_of_values, *[p[start:end] for p in places], *[s[: end - start] for s in mine])
            free.append(mine)

        spread(work, -(-length // rows), threads)


def _calls(steps: Sequence[Step]) -> list[tuple[Any, tuple[int, ...], int]]:
    return [(step.opdef.bound(step.attrs), step.ins, step.outs[0]) for step in steps]


def _bytes(memory: BlockMemory) -> int:
    return memory.dtype.itemsize * math.prod(memory.tail)


def _cells(step: Step) -> Iterator[tuple[int, DType]]:
    return zip((*step.ins, *step.outs), (*step.in_dtypes, *step.dtypes), strict=True)


def _most_held(steps: Sequence[Step], sizes: Mapping[int, int]) -> int:
    """The most that is held at a time by the steps, run one by one: each may write into an input that is done with."""
    written = {step.outs[0] for step in steps}
    held = most = sum(size for cell, size in sizes.items() if cell not in written)
    for step in steps:
        size = sizes[step.outs[0]]
        gone = sum(sizes[c] for c in step.frees if c in written and c != step.outs[0])
        most = max(most, held + size - min(gone, size))
        held += size - gone
    return most


def fused_steps(plan: Plan, others: Collection[int] = ()) -> dict[int, FusedSteps]:
    """The fused steps of a plan, by the index of the first one; a single step that computes for long counts, too.

    Args:
      plan: the plan.
      others: the indices of steps that are fused with others.
    """
    constants = {cell: value for cell, value in plan.consts if getattr(value, "ndim", 1) == 0}
    starts: dict[int, FusedSteps] = {}
    start = 0
    steps = plan.steps
    while start < len(steps):
        end = start
        while end < len(steps) and end - start < TUNING.fused_steps and end not in others and in_chain(steps[end]):
            end += 1
        some = steps[start:end]
        if len(some) > 1 or (some and _takes_long(some[0])):
            fused = FusedSteps(some, constants)
            if fused.outs and fused.ins:
                starts[start] = fused
        start = max(end, start + 1)
    return starts


def _takes_long(step: Step) -> bool:
    """Whether a step is worth dividing by itself: it is a single function of NumPy's, or a kernel that declares it."""
    opdef = step.opdef
    return not is_quick(opdef.lowering.ufunc) if opdef.lowering.ufunc is not None else hasattr(opdef.kernel, "each")


def in_chain(step: Step) -> bool:
    """Whether a step is elementwise on numbers, and can run as one with others."""
    return _ELEMENTWISE[step.opdef] and _on_its_own(step)


def _on_its_own(step: Step) -> bool:
    numbers = all(d.is_numeric or d is bool_ for d in (*step.in_dtypes, *step.dtypes))
    return numbers and step.outs[0] != -1 and not (step.host or step.stateful or step.checks or step.device)


_ELEMENTWISE: BoundedCache[Any, bool] = BoundedCache(
    "ops that are fused",
    4096,
    lambda op: (
        (op.elementwise or op.lowering.to_shape)
        and op.scheduling.bind is None
        and op.effect is Effect.PURE
        and not op.many
    ),
)
