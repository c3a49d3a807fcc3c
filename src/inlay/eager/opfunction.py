"""Writes the public function of an op: inputs, then attributes, then `name`.

It is written as source, so that a call costs one frame; ops of one form share the compiled source. Ops whose inputs
share one type letter and that make one tensor get a short cut for eager tensors:

    def add(x, y, name=None):
        if x.__class__ is _E and y.__class__ is _E and x._dtype is y._dtype:   # eager, one dtype
            d = _fast.get(x._dtype)                                            # seen before: dtype of the result
            if d is not None:
                s = _state() or _context._base
                if s.eager:                                                    # no graph, no device
                    ... kernel, wrap, have the tapes record it
        return _emit(_op, (x, y), _no, name)

Whatever does not fit goes through the funnel, which also words every error: a kernel that fails in the short cut is
run again there (it is pure).
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay import export
from inlay.core import context
from inlay.core.opdef import Effect, OpDef, operator_text
from inlay.core.tensor import EagerTensor
from inlay.eager import emit
from inlay.eager.convert import number
from inlay.interpreter import floating
from inlay.interpreter.caches import Cache
from inlay.interpreter.source import Source
from inlay.types.dtypes import DType


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
      kernel: the kernel, for its module; where it was exported, the function is.
    """
    renamed = {f"in{i}": p.name for i, p in enumerate(inputs)} | {f"at{i}": a for i, a in enumerate(opdef.attrs)}
    order, defaults = _order(opdef, inputs)
    filled = [i for i, p in enumerate(inputs) if p.name in fill]
    template = _TEMPLATES[
        tuple(a.static for a in opdef.args), len(opdef.attrs), order, tuple(filled), has_short_cut(opdef),
        opdef.operator,
    ]  # fmt: skip
    space: dict[str, Any] = {
        "_op": opdef, "_emit": emit.emit, "_fill": emit.filled, "_no": {}, "_E": EagerTensor, "_fast": opdef.fast,
        "_state": context.get, "_context": context, "_kernel": opdef.kernel, "_np": np, "_silence": floating.silence,
        "_SILENT": floating.SILENT, "_restore": floating.restore, "_new": object.__new__,
        "_number": number, "__builtins__": builtins,
    }  # fmt: skip
    space |= {f"_fill_in{i}": fill[inputs[i].name] for i in filled}
    code = template.replace(
        co_name=name,
        co_qualname=name,
        co_filename=f"{__file__} ({name})",
        co_varnames=tuple(renamed.get(v, v) for v in template.co_varnames),
        co_consts=tuple(_renamed(c, renamed) for c in template.co_consts),
    )
    made = types.FunctionType(code, space, name, defaults)
    made.__module__, made.__doc__ = kernel.__module__, opdef.doc
    made.__dict__["opdef"] = opdef
    export.replace(kernel, made)
    return made


def _order(opdef: OpDef, inputs: list[inspect.Parameter]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The parameters by their names in the template, those without default first; the defaults of the others."""
    empty = inspect.Parameter.empty
    given = [(f"in{i}", p.default) for i, p in enumerate(inputs)]
    given += [(f"at{i}", default) for i, default in enumerate(opdef.attrs.values())]
    required = [n for n, default in given if default is empty]
    optional = [(n, default) for n, default in given if default is not empty]
    return (*required, *(n for n, _ in optional)), (*(default for _, default in optional), None)


def _renamed(const: Any, names: Mapping[str, str]) -> Any:
    """A constant of the template (an attribute's name, the names of keyword arguments) in the op's own names."""
    if const.__class__ is str:
        return names.get(const, const)
    if const.__class__ is tuple:
        return tuple(_renamed(c, names) for c in const)
    return const


def _template(
    statics: tuple[bool, ...],
    attrs: int,
    order: tuple[str, ...],
    filled: tuple[int, ...],
    short: bool,
    operator: str | None,
) -> types.CodeType:
    """The code of a public function with inputs `in0`, `in1`... and attributes `at0`...: many ops share one.

    Compiling one source per op would be most of what importing the package costs.
    """
    names = [f"in{i}" for i in range(len(statics))]
    keys = [f"at{i}" for i in range(attrs)]
    values = ", ".join(names) + ("," if len(names) == 1 else "")
    collected = "{" + ", ".join(f"{a!r}: {a}" for a in keys) + "}" if keys else "_no"
    source = Source({})
    with source.block(f"def f({', '.join([*order, 'name'])}):"):
        if short:
            _short_cut(source, statics, names, keys, collected, operator)
        for i in filled:
            source.write(f"if in{i} is None: in{i} = _fill(_fill_in{i}, ({values}))")
        source.write(f"return _emit(_op, ({values}), {collected}, name)")
    return next(c for c in source.code(__file__).co_consts if isinstance(c, types.CodeType))


_TEMPLATES: Cache[Any, types.CodeType] = Cache("public functions of ops", 512, lambda form: _template(*form))


def _short_cut(
    source: Source, statics: Sequence[bool], names: list[str], keys: list[str], attrs: str, operator: str | None
) -> None:
    tensors = [n for n, fixed in zip(names, statics, strict=True) if not fixed]
    static = [n for n, fixed in zip(names, statics, strict=True) if fixed]
    first = tensors[0]
    operands = {t: t if t is first else f"{t}_" for t in tensors}
    same = "".join(f" and {operands[t]} is not None and {operands[t]}._dtype is {first}._dtype" for t in tensors[1:])
    values = [f"{operands[n]}._value" if n in operands else n for n in names]
    recorded = ", ".join(operands.get(n, n) for n in names) + ("," if len(names) == 1 else "")
    keywords = [f"{a}={a}" for a in keys]
    call = f"_kernel({', '.join(['_np', *values, *keywords])})" if operator is None else operator_text(operator, values)
    plain = "".join(f" and ({s} is None or {s}.__class__ is int)" for s in static)
    block, write = source.block, source.write
    with block(f"if {first}.__class__ is _E{plain}:"):
        for other in tensors[1:]:
            write(f"{other}_ = {other} if {other}.__class__ is _E else _number({other}, {first}._dtype)")
        write(f"_d = _fast.get({first}._dtype)")
        with block(f"if _d is not None{same}:"):
            write("_s = _state() or _context._base")
            with block("if _s.eager:"):
                write("_token = _silence(_SILENT)")
                write("try:", f" _r = {call}")
                write("except Exception:", " pass")
                with block("else:"):
                    write("_t = _new(_E)", "_t._value = _r", "_t._dtype = _d")
                    write(f"for _tape in _s.tapes: _tape.record_simple(_op, ({recorded}), _t, {attrs}, _s)")
                    write("return _t")
                write("finally:", " _restore(_token)")
