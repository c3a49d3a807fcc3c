"""Writes the public function of an op: inputs, then attributes, then `name`.

It is written as source, so that a call costs one frame. Ops whose inputs share one type letter and that make one
tensor get a short cut for eager tensors:

    def add(x, y, name=None):
        if x.__class__ is _E and y.__class__ is _E and x._dtype is y._dtype:   # eager, one dtype
            d = _fast.get(x._dtype)                                            # seen before: dtype of the result
            if d is not None:
                s = _state() or _context._base
                if s.eager:                                                    # no graph, no device
                    ... kernel, wrap, tell the tapes
        return _emit(_op, (x, y), _no, name)

Whatever does not fit goes through the funnel, which also words every error: a kernel that fails in the short cut is
run again there (it is pure).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from inlay.core import context, emit, floating
from inlay.core.opdef import Effect, OpDef
from inlay.core.tensor import EagerTensor
from inlay.types.dtypes import DType

_LIFTED: dict[Any, EagerTensor] = {}
_LIFTED_LIMIT = 4096


def lift(value: Any, dtype: DType) -> EagerTensor | None:
    """A Python number as an eager tensor of `dtype`, from a cache; None where the funnel must decide."""
    kind = value.__class__
    if kind is not float and kind is not int:
        return None
    key = (kind, value, dtype)
    found = _LIFTED.get(key)
    if found is None:
        if not (dtype.is_floating or (kind is int and dtype.is_integer)):
            return None
        try:
            found = EagerTensor(dtype.np.type(value), dtype)
        except OverflowError:
            return None
        # Zeros are equal whatever their sign, and NaN is equal to nothing: neither can be a key.
        if value == value and value != 0 and len(_LIFTED) < _LIFTED_LIMIT:
            _LIFTED[key] = found
    return found


def has_short_cut(opdef: OpDef) -> bool:
    """Whether eager calls of an op can skip the funnel."""
    tensors = [a for a in opdef.args if not a.static]
    letters = {a.type for a in tensors}
    return (
        opdef.effect is Effect.PURE
        and len(opdef.outs) == 1
        and not opdef.variadic_out
        and 1 <= len(tensors) <= 3
        and not any(a.variadic for a in opdef.args)
        and len(letters) == 1
        and isinstance(next(iter(letters)), str)
        and (opdef.outs[0] in letters or isinstance(opdef.outs[0], DType))
    )


def write(
    opdef: OpDef, name: str, inputs: list[inspect.Parameter], fill: Mapping[str, Any], kernel: Callable[..., Any]
) -> Callable[..., Any]:
    """The public function of an op.

    Args:
      opdef: the declaration.
      name: the function's name.
      inputs: the kernel's input parameters.
      fill: static input -> function that gives its value when the caller says None.
      kernel: the kernel, for its module.
    """
    space: dict[str, Any] = {
        "_op": opdef, "_emit": emit.emit, "_fill": emit.filled, "_no": {}, "_E": EagerTensor, "_fast": opdef.fast,
        "_state": context.get, "_context": context, "_kernel": kernel, "_np": np, "_silence": floating.silence,
        "_SILENT": floating.SILENT, "_restore": floating.restore, "_new": object.__new__, "_heard": emit.heard,
        "_lift": lift,
    }  # fmt: skip
    names = [p.name for p in inputs]
    values = ", ".join(names) + ("," if len(names) == 1 else "")
    attrs = "{" + ", ".join(f"{a!r}: {a}" for a in opdef.attrs) + "}" if opdef.attrs else "_no"
    lines = [f"def {name}({', '.join([*_parameters(opdef, inputs, space), 'name=None'])}):"]
    if has_short_cut(opdef):
        lines += _short_cut(opdef, names, attrs)
    for parameter, function in fill.items():
        space[f"_fill_{parameter}"] = function
        lines.append(f"    if {parameter} is None: {parameter} = _fill(_fill_{parameter}, ({values}))")
    lines.append(f"    return _emit(_op, ({values}), {attrs}, name)")
    exec(compile("\n".join(lines), f"{__file__} ({name})", "exec"), space)
    made: Callable[..., Any] = space[name]
    made.__module__, made.__qualname__ = kernel.__module__, name
    made.__doc__ = opdef.doc
    made.__dict__["opdef"] = opdef
    return made


def _parameters(opdef: OpDef, inputs: list[inspect.Parameter], space: dict[str, Any]) -> list[str]:
    """The parameter list; defaults go into `space`. Attributes without default come before those with one."""
    params: list[str] = []
    attrs = (inspect.Parameter(a, inspect.Parameter.KEYWORD_ONLY, default=d) for a, d in opdef.attrs.items())
    for p in (*inputs, *attrs):
        if p.default is inspect.Parameter.empty:
            params.append(p.name)
        else:
            space[f"_default_{p.name}"] = p.default
            params.append(f"{p.name}=_default_{p.name}")
    return [p for p in params if "=" not in p] + [p for p in params if "=" in p]


def _short_cut(opdef: OpDef, names: list[str], attrs: str) -> list[str]:
    tensors = [n for n, a in zip(names, opdef.args, strict=True) if not a.static]
    static = [n for n, a in zip(names, opdef.args, strict=True) if a.static]
    first = tensors[0]
    plain = "".join(f" and ({s} is None or {s}.__class__ is int)" for s in static)
    lines = [f"    if {first}.__class__ is _E{plain}:"]
    operands = {first: first}
    for other in tensors[1:]:
        lines.append(f"        {other}_ = {other} if {other}.__class__ is _E else _lift({other}, {first}._dtype)")
        operands[other] = f"{other}_"
    same = "".join(
        f" and {operands[t]} is not None and {operands[t]}._dtype is {first}._dtype" for t in tensors[1:]
    )
    arguments = ", ".join(f"{operands[n]}._value" if n in operands else n for n in names)
    heard = ", ".join(operands.get(n, n) for n in names) + ("," if len(names) == 1 else "")
    keywords = "".join(f", {a}={a}" for a in opdef.attrs)
    lines += [
        f"        _d = _fast.get({first}._dtype)",
        f"        if _d is not None{same}:",
        "            _s = _state() or _context._base",
        "            if _s.eager:",
        "                _token = _silence(_SILENT)",
        "                try:",
        f"                    _r = _kernel(_np, {arguments}{keywords})",
        "                except Exception:",
        "                    pass",
        "                else:",
        "                    _t = _new(_E)",
        "                    _t._value = _r",
        "                    _t._dtype = _d",
        f"                    if _s.tapes: _heard(_op, ({heard}), _t, {attrs}, _s)",
        "                    return _t",
        "                finally:",
        "                    _restore(_token)",
    ]
    return lines
