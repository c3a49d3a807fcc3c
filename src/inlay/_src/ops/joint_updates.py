"""The updates of many small variables by one rule as one: NumPy takes longer to be called than to compute them.

Variables, and slots of one kind, lie end to end in one array, in which the rule runs once. Each cell holds a view of
its part. A view that a reader has is never written into: then all of its kind move to other memory. Any other value of
a cell, from an assignment or a checkpoint, is copied into its part before the next update. A Ctrl-C waits for the end
of an update.
"""

from __future__ import annotations

import itertools
import math
import operator
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.tuning import TUNING
from inlay._src.core.state import SMALL_LOCK, TAKEN, Cell
from inlay._src.ops.updating import UpdateRule, work_for, write, write_blocks


class JointMemory:
    """Arrays in which the values of cells lie end to end. Users of one hold the locks of the cells.

    Args:
      shapes: of the variables.
      dtype: their type, and that of their slots.
      kinds: number of cells of each variable, its own included.

    Attributes:
      shapes: see above.
      views: the parts, those of all variables first, then those of their first slots, and so on.
    """

    __slots__ = ("_alone", "_flat", "_gradient", "_gradients", "_ends", "_work", "shapes", "views")

    def __init__(self, shapes: Sequence[tuple[int, ...]], dtype: np.dtype[Any], kinds: int) -> None:
        self.shapes: list[tuple[int, ...]] = list(shapes)
        self._ends = list(itertools.accumulate(map(math.prod, shapes)))
        self._gradient = np.empty(self._ends[-1], dtype)
        self._gradients = self._parts(self._gradient)
        self._work: list[np.ndarray] = []
        self._flat = [np.empty_like(self._gradient) for _ in range(kinds)]
        self.views: list[np.ndarray] = [view for flat in self._flat for view in self._parts(flat)]
        self._alone = [self._holders(kind) for kind in range(kinds)]

    def _parts(self, flat: np.ndarray) -> list[np.ndarray]:
        starts = [0, *self._ends]
        return [flat[s:e].reshape(shape) for s, e, shape in zip(starts, self._ends, self.shapes, strict=False)]

    def _holders(self, kind: int) -> tuple[int, int, int]:
        """The number of references to the parts of a kind, or to arrays that keep them alive."""
        count = len(self.shapes)
        parts = self.views[kind * count : (kind + 1) * count]
        held, noted = max(map(ownership.getrefcount, parts)), max(map(weakref.getweakrefcount, parts))
        return held, noted, ownership.getrefcount(self._flat[kind])

    def leave_readers(self) -> None:
        """Makes sure that nobody else can reach the parts; the cells hold nothing."""
        count = len(self.shapes)
        for kind, alone in enumerate(self._alone):
            if self._holders(kind) != alone or ownership.LOCAL < 0:
                flat = self._flat[kind].copy()
                parts = self._parts(flat)
                self._flat[kind], self.views[kind * count : (kind + 1) * count] = flat, parts

    def update(
        self, rule: UpdateRule, operands: Sequence[Any], gradients: Sequence[Any], attrs: Mapping[str, Any]
    ) -> None:
        """Runs a rule, given everything but the gradient, and gradients that have the shapes of the variables."""
        for into, gradient in zip(self._gradients, gradients, strict=True):
            into[...] = gradient
        values = [*operands[: rule.gradient], self._gradient, *operands[rule.gradient :]]
        if self._gradient.size >= TUNING.blocked_elements:
            write_blocks(rule, self._flat, values, attrs)
            return
        if len(self._work) < rule.work:
            self._work = work_for(rule, self._gradient, self._gradient.shape)
        write(rule, self._flat, values, attrs, self._work[: rule.work])


def groups_of(cells: Sequence[Cell], each: int | None = None) -> list[list[int]]:
    """The groups of variables to update as one, as lists of indices, where copying their gradients is worth it.

    Large ones and numbers are in none.

    Args:
      cells: those of the variables.
      each: overhead of a separate update, as the elements that are copied in that time; None is that of an op.
    """
    if each is None:
        each = TUNING.update_call_elements
    groups: list[list[int]] = []
    totals: list[int] = []
    for place, cell in enumerate(cells):
        if cell.lock is not SMALL_LOCK or not cell.dims:
            continue
        size = math.prod(cell.dims)  # type: ignore[arg-type]
        if not groups or totals[-1] + size > TUNING.blocked_elements:
            groups.append([])
            totals.append(0)
        groups[-1].append(place)
        totals[-1] += size
    return [
        group
        for group, total in zip(groups, totals, strict=True)
        if total + TUNING.fused_update_elements < each * len(group)
    ]


def update(
    rule: UpdateRule,
    cells: Sequence[Cell],
    gradients: Sequence[Any],
    operands: Sequence[Any],
    attrs: Mapping[str, Any],
    groups: Sequence[Sequence[int]] | None = None,
) -> set[int]:
    """Updates variables by one rule, small ones as one, unless one of their updates may fail.

    Args:
      rule: the rule.
      cells: those of the variables, then those of their first slots, and so on.
      gradients: one per variable.
      operands: further numbers that the rule takes.
      attrs: the rule's attributes.
      groups: `groups_of` the variables, if that is known.

    Returns:
      The places of the variables that are left to be updated.
    """
    count = len(gradients)
    left = set(range(count))
    for group in groups_of(cells[:count]) if groups is None else groups:
        some, theirs = cells, gradients
        if len(group) < count:
            some = [cells[kind * count + k] for kind in range(rule.cells) for k in group]
            theirs = [gradients[k] for k in group]
        with SMALL_LOCK, PutOff():
            if _update(rule, some, theirs, operands, attrs):
                left.difference_update(group)
    return left


def _update(
    rule: UpdateRule, cells: Sequence[Cell], gradients: Sequence[Any], operands: Sequence[Any], attrs: Mapping[str, Any]
) -> bool:
    """Updates different small variables as one; False, and nothing has changed, where one of the updates may fail."""
    values = [cell.value for cell in cells]
    memory: JointMemory | None = cells[0].joint
    changed: dict[int, Any] = {}  # what is not in its part yet
    if memory is None or len(values) != len(memory.views) or not all(map(operator.is_, values, memory.views)):
        memory = _memory_for(rule, cells, values)
        if memory is None:
            return False
        pairs = zip(values, memory.views, strict=True)
        changed = {k: value for k, (value, view) in enumerate(pairs) if value is not view}
    if [x.shape for x in gradients] != memory.shapes or any([x.ndim for x in operands]):
        return False
    del values
    TAKEN[id(changed)] = [cells[k] for k in changed], [*changed.values()]
    TAKEN[id(cells)] = cells, memory.views
    try:
        for cell in cells:
            cell.value = None
        memory.leave_readers()
        for k, value in changed.items():
            memory.views[k][...] = value
        changed.clear()
        TAKEN[id(changed)] = (), ()
        memory.update(rule, operands, gradients, attrs)
    finally:
        for k, value in changed.items():
            cells[k].value = value
        for cell, view in zip(cells, memory.views, strict=True):
            if cell.value is None:
                cell.value = view
        del TAKEN[id(changed)], TAKEN[id(cells)]
    return True


def _memory_for(rule: UpdateRule, cells: Sequence[Cell], values: Sequence[Any]) -> JointMemory | None:
    """Memory that the values of cells fit into; None if they are no plain ones."""
    shapes = [np.shape(x) for x in values]
    count = len(cells) // rule.cells
    variables = shapes[:count]
    for cell, value in zip(cells, values, strict=True):
        if (
            cell.__class__ is not Cell
            or cell.lock is not SMALL_LOCK
            or value.__class__ is not np.ndarray
            or value.dtype is not values[0].dtype
        ):
            return None
    if len({*map(id, cells)}) < len(cells) or shapes != variables * rule.cells:
        return None
    memory: JointMemory | None = cells[0].joint
    if memory is None or memory.shapes != variables or len(memory.views) != len(cells):
        memory = cells[0].joint = JointMemory(variables, values[0].dtype, rule.cells)
    return memory
