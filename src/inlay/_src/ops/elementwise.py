"""Declares elementwise functions that NumPy has: ops whose kernel is one ufunc."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.interpreter.blocks import on_threads
from inlay._src.base.interpreter.costs import is_quick
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DENSE, DType
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import broadcast, same


def ufunc_op(
    name: str,
    ufunc: Any,
    doc: str,
    types: frozenset[DType] | DType,
    vjp: Any = None,
    *,
    result: DType | None = None,
    **more: Any,
) -> Callable[..., Any]:
    """Declares an op of one or two inputs whose kernel is a ufunc, which `jax.numpy` has under the same name.

    Args:
      name: the op type; the public function has it in lower case: `LessEqual` gives `less_equal`.
      ufunc: NumPy's function.
      doc: docstring of the public function.
      types: the dtypes it takes, or the one.
      vjp: the gradient; None where none exists by nature.
      result: the type of what it makes, if that is not the type it takes.
      **more: see `op`.
    """

    def one(xp, x):
        return ufunc(x) if xp is np else getattr(xp, ufunc.__name__)(x)

    def long(xp, x):
        if xp is not np:
            return getattr(xp, ufunc.__name__)(x)
        result = on_threads(ufunc, x) if x.size >= TUNING.blocked_elements else None
        return ufunc(x) if result is None else result

    def two(xp, x, y):
        return ufunc(x, y) if xp is np else getattr(xp, ufunc.__name__)(x, y)

    kernel: Any = two if ufunc.nin == 2 else one if is_quick(ufunc) else long
    kernel.__module__ = sys._getframe(1).f_globals["__name__"]  # who imports that has the op
    kernel.__name__, kernel.__doc__ = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), doc
    letters, kind = (DENSE, types.name) if isinstance(types, DType) else (types, "T")
    return op(
        name,
        ", ".join(f"{x}:{kind}" for x in "xy"[: ufunc.nin]) + f" -> {kind if result is None else result.name}",
        types=letters,
        ufunc=ufunc,
        infer=same if ufunc.nin == 1 else broadcast,
        vjp=vjp,
        differentiable=vjp is not None,
        **more,
    )(kernel)
