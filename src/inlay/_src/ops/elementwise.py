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
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import Gradient, Role, broadcast, no_gradient, same


def ufunc_op(
    name: str,
    ufunc: Any,
    doc: str,
    types: frozenset[DType] | DType,
    vjp: Gradient = no_gradient,
    *,
    result: DType | None = None,
    function: str | None = None,
    operator: str | None = None,
    role: Role = Role.OPERATION,
) -> Callable[..., Any]:
    """Declares an op of one or two inputs whose kernel is a ufunc, which `jax.numpy` has under the same name.

    Args:
      name: the op type.
      ufunc: NumPy's function.
      doc: docstring of the public function.
      types: the dtypes it takes, or the one.
      vjp: the gradient.
      result: the type of what it makes, if that is not the type it takes.
      function: the name of the public function; that of the op in lower case if None: `LessEqual` gives `less_equal`.
      operator: Python's operator that does the same; see `LoweringHints`.
      role: see `OpDef`.
    """

    def one(xp, x):
        return ufunc(x) if xp is np else getattr(xp, ufunc.__name__)(x)

    def long(xp, x):
        if xp is not np:
            return getattr(xp, ufunc.__name__)(x)
        return on_threads(ufunc, x) if x.size >= TUNING.blocked_elements else ufunc(x)

    def two(xp, x, y):
        return ufunc(x, y) if xp is np else getattr(xp, ufunc.__name__)(x, y)

    kernel: Any = two if ufunc.nin == 2 else one if is_quick(ufunc) else long
    kernel.__module__ = sys._getframe(1).f_globals["__name__"]  # who imports that has the op
    kernel.__name__, kernel.__doc__ = function or re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), doc
    letters, kind = (DENSE, types.name) if isinstance(types, DType) else (types, "T")
    return op(
        name,
        ", ".join(f"{x}:{kind}" for x in "xy"[: ufunc.nin]) + f" -> {kind if result is None else result.name}",
        types=letters,
        role=role,
        lower=LoweringHints(ufunc=ufunc, operator=operator),
        infer=same if ufunc.nin == 1 else broadcast,
        vjp=vjp,
    )(kernel)
