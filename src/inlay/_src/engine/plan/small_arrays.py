"""Small arrays of known shapes, whose memory takes the result of their last reader.

    v5 = u_0(v3, v4)           an array of its own: a ufunc made it, and no other step has seen it
    v6 = u_1(v5, v2)
    v7 = u_2(v1, v5, v5)       the last reader of v5, whose result replaces it

Memory for a small array costs as much as its arithmetic, and so would a question at run time. So an array counts only
if all steps that write or read it are of a kind whose results share memory with nothing.
"""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DType
from inlay._src.engine.plan.plan import Step

Form = tuple[tuple[int, ...], DType]


class SmallArrays:
    """The small arrays of a plan.

    Attributes:
      small: cells whose value is known to have few elements.
    """

    __slots__ = ("_forms", "small")

    def __init__(self, steps: Sequence[Step]) -> None:
        most = min(TUNING.in_place_elements, TUNING.blocked_elements - 1)
        small = [step for step in steps if step.shape is not None and math.prod(step.shape) <= most]
        self.small: frozenset[int] = frozenset(step.outs[0] for step in small)
        seen = {cell for step in steps if not _makes_its_own(step) for cell in step.ins} if small else set()
        self._forms: dict[int, Form] = {
            step.outs[0]: (step.shape, step.dtypes[0])
            for step in small
            if step.shape and _makes_its_own(step) and step.outs[0] not in seen
        }

    def replaced(self, step: Step, local: Container[int], lasting: Container[int]) -> int | None:
        """The input of a ufunc whose memory takes its result, as a cell.

        Args:
          step: the step that the source is written for.
          local: cells that only steps see.
          lasting: those that are never freed.
        """
        form = (step.shape, step.dtypes[0]) if step.shape and is_ufunc(step) else None
        if form is not None:
            for cell in step.ins:
                if self._forms.get(cell) == form and cell in step.frees and cell in local and cell not in lasting:
                    return cell
        return None


def is_ufunc(step: Step) -> bool:
    """Whether the kernel of a step is a ufunc of numbers and nothing else, on the host."""
    opdef = step.opdef
    numbers = all(d.is_numeric for d in (*step.in_dtypes, *step.dtypes))
    return opdef.lowering.ufunc is not None and numbers and not step.device and not opdef.own(step.attrs)


def _makes_its_own(step: Step) -> bool:
    """Whether the result of a step shares memory with nothing, unless it is of rank 0."""
    return is_ufunc(step) or (step.opdef.lowering.fresh and not step.device)
