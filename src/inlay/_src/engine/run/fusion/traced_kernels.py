"""Kernels as the ufuncs that they call, so that a block needs no other memory for one than for a single ufunc.

A kernel is called once on stand-ins of its inputs. They keep what ufuncs are called on them (NumPy asks them:
`__array_ufunc__`). A kernel that asks for more than types and ranks, such as an element, stays as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.fallbacks import fall_back
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import OpDef, no_kernel
from inlay._src.core.signature import Signature
from inlay._src.engine.plan.plan import Step


class _Unknown(Exception):
    """A kernel needs more of an input than its type and rank."""


class _StandInArray:
    """An array of which only the type and the rank are known.

    Attributes:
      value: the number of what it stands for: an input, or the result of a call that was kept.
    """

    def __init__(self, calls: list[_Call], value: int, dtype: np.dtype[Any], ndim: int) -> None:
        self._calls, self.value, self.dtype, self.ndim = calls, value, dtype, ndim

    def __getattr__(self, name: str) -> Any:
        raise _Unknown(name)

    def __float__(self) -> float:
        raise _Unknown("float")

    def __bool__(self) -> bool:
        raise _Unknown("bool")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if function in (np.zeros_like, np.ones_like) and args == (self,) and not kwargs:
            return self.dtype.type(function is np.ones_like)
        raise _Unknown(function)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = (None,), **kwargs: Any) -> Any:
        target = out[0]
        if method != "__call__" or kwargs or ufunc.nout != 1 or len(self._calls) >= TUNING.fused_kernel_ufuncs:
            raise _Unknown(ufunc)
        samples = [np.ones(1, v.dtype) if v.__class__ is _StandInArray else v for v in inputs]
        if any(np.ndim(v) > 1 or np.size(v) != 1 for v in samples):
            raise _Unknown(ufunc)
        with np.errstate(all="ignore"):
            dtype = ufunc(*samples).dtype
        ndim = max(getattr(v, "ndim", 0) for v in inputs)
        self._calls.append((ufunc, [v.value if v.__class__ is _StandInArray else (v,) for v in inputs], dtype))
        value = ~len(self._calls)
        if target is None:
            return _StandInArray(self._calls, value, dtype, ndim)
        if target.__class__ is not _StandInArray or target.dtype != dtype or target.ndim != ndim or target.value >= 0:
            raise _Unknown(ufunc)
        target.value = value
        return target


_Call = tuple[Any, "list[Any]", "np.dtype[Any]"]
"""A ufunc; its operands, which are numbers of values or constants in tuples; the type of its result."""


def calls(step: Step, values: Sequence[Any]) -> list[_Call] | None:
    """The ufuncs that the kernel of a step calls; the last one makes its result. None if they are not known.

    Args:
      step: an elementwise one.
      values: per input its value if that is a known scalar, else its rank.
    """
    traced: list[_Call] = []
    arguments = [
        value if not isinstance(value, int) else _StandInArray(traced, j, dtype.np, value)
        for j, (value, dtype) in enumerate(zip(values, step.in_dtypes, strict=True))
    ]
    try:
        result = step.opdef.bound(step.attrs)(*arguments)
    except _Unknown:
        return None
    except Exception as error:
        fall_back("tracing of kernels", error)
        return None
    if (
        result.__class__ is not _StandInArray
        or not traced
        or result.value != ~len(traced)
        or result.dtype != step.dtypes[0].np
    ):
        return None
    return traced


UFUNCS: BoundedCache[Any, OpDef] = BoundedCache(
    "ufuncs of kernels",
    1024,
    lambda ufunc: OpDef(ufunc.__name__, no_kernel, Signature(outs=(None,)), lowering=LoweringHints(ufunc=ufunc)),
)


def expanded(
    steps: Sequence[Step], shapes: dict[int, tuple[int, ...]], scalars: Mapping[int, Any]
) -> tuple[list[Step], dict[int, Any]]:
    """Steps of single ufuncs in place of those whose kernels call several, and the scalars that are known then.

    Args:
      steps: elementwise ones.
      shapes: those of all fused cells that have one yet; those of new cells are added.
      scalars: cell -> value of the scalars that are known.
    """
    more = dict(scalars)
    free = itertools.count(1 + max(*shapes, *scalars))  # steps that are not divided have cells too
    ufunc_steps: list[Step] = []
    for step in steps:
        traced = None
        own = step.opdef.lowering.ufunc is None and not (step.opdef.lowering.to_shape or step.opdef.lowering.aliases)
        if own and len({shapes[c] for c in step.ins if c not in scalars}) == 1:  # so all that is made has that shape
            traced = calls(step, [scalars[c] if c in scalars else len(shapes[c]) for c in step.ins])
        some = [step] if traced is None else _steps(step, traced, more, free)
        shapes.update((s.outs[0], shapes[step.outs[0]]) for s in some)
        ufunc_steps += some
    return ufunc_steps, more


def _steps(step: Step, traced: Sequence[_Call], scalars: dict[int, Any], free: Iterator[int]) -> list[Step]:
    kinds = dict(zip(step.ins, step.in_dtypes, strict=True))
    results: list[int] = []
    ufunc_steps: list[Step] = []
    for ufunc, operands, dtype in traced:
        ins: list[int] = []
        for operand in operands:
            if operand.__class__ is tuple:
                cell = next(free)
                scalars[cell] = value = np.asarray(operand[0])[()]
                kinds[cell] = dtypes.FROM_NUMPY[value.dtype]
            else:
                cell = step.ins[operand] if operand >= 0 else results[~operand - 1]
            ins.append(cell)
        results.append(step.outs[0] if len(ufunc_steps) == len(traced) - 1 else next(free))
        kinds[results[-1]] = dtypes.FROM_NUMPY[dtype]
        ufunc_steps.append(
            replace(
                step, opdef=UFUNCS[ufunc], attrs={}, ins=tuple(ins), outs=(results[-1],), frees=(),
                in_dtypes=tuple(kinds[c] for c in ins), dtypes=(kinds[results[-1]],),
            )
        )  # fmt: skip
    return ufunc_steps
