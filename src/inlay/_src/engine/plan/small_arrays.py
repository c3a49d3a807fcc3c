"""Small arrays of known shapes: which are known, while source is written, to be free for the results of later steps.

    v5 = u_0(v3, v4)           v5 is an array of its own: a ufunc made it, and no other step has seen it
    v6 = u_1(v5, v2)           the last reader of v5, which makes an array of its own too: v5 is free from here on
    v7 = u_2(v6, v1, v6)       the result replaces an input that nobody reads again
    v8 = u_3(v7, v0, v5)       or goes to a free array of the same shape and dtype

Memory for a small array costs as much as its arithmetic, and so would a question at run time. So an array counts only
if all steps that write or read it are of a kind whose results share memory with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DType
from inlay._src.engine.plan.plan import Step

Form = tuple[tuple[int, ...], DType]


class SmallArrays:
    """The small arrays of a plan, and those that are free where the source stands.

    Attributes:
      small: cells whose value is known to have few elements.
    """

    __slots__ = ("_forms", "_free", "small")

    def __init__(self, steps: Sequence[Step]) -> None:
        most = min(TUNING.in_place_elements, TUNING.blocked_elements - 1)
        known = [step for step in steps if step.shape is not None and math.prod(step.shape) <= most]
        self.small: frozenset[int] = frozenset(step.outs[0] for step in known)
        seen = {cell for step in steps if not _makes_its_own(step) for cell in step.ins} if known else set()
        self._forms: dict[int, Form] = {
            step.outs[0]: (step.shape, step.dtypes[0])
            for step in known
            if step.shape and _makes_its_own(step) and step.outs[0] not in seen
        }
        self._free: list[int] = []

    def replaced(self, step: Step, private: Collection[int]) -> int | None:
        """The input of a ufunc whose memory takes its result, as a cell; `private` are cells that only steps see."""
        form = _form_of_result(step)
        fitting = (c for c in step.ins if c in step.frees and c in private and self._forms.get(c) == form)
        return next(fitting, None) if form else None

    def taken(self, step: Step) -> int | None:
        """A free array that takes the result of a ufunc, as a cell; it is no longer free."""
        form = _form_of_result(step)
        cell = next((c for c in reversed(self._free) if self._forms[c] == form), None) if form else None
        if cell is not None:
            self._free.remove(cell)
        return cell

    def add_freed(self, cells: Sequence[int], private: Collection[int]) -> list[int]:
        """Remembers cells that no step reads again; returns those that are to be emptied now."""
        self._free += [c for c in cells if c in self._forms and c in private]
        surplus = self._free[: -TUNING.free_arrays]
        self._free = self._free[-TUNING.free_arrays :]
        return [c for c in cells if c not in self._free and c not in surplus] + surplus

    def take_all(self) -> list[int]:
        """All free arrays, as cells; none is free then."""
        free, self._free = self._free, []
        return free


def is_ufunc(step: Step) -> bool:
    """Whether the kernel of a step is a ufunc of numbers and nothing else, on the host."""
    opdef = step.opdef
    numbers = all(d.is_numeric for d in (*step.in_dtypes, *step.dtypes))
    return opdef.lowering.ufunc is not None and numbers and not step.device and not opdef.own(step.attrs)


def _form_of_result(step: Step) -> Form | None:
    return (step.shape, step.dtypes[0]) if step.shape and is_ufunc(step) else None


def _makes_its_own(step: Step) -> bool:
    """Whether the result of a step shares memory with nothing, unless it is of rank 0."""
    return is_ufunc(step) or (step.opdef.lowering.fresh and not step.device)
