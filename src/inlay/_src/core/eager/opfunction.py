"""Writes the public function of an op: inputs, then attributes, then `name`.

It is written as source, so that a call costs one frame; ops of one form share the compiled source. It goes through the
funnel. Once that has run an op without effects, the function is written anew, with a fast path for calls like that one:

    def gather_op(params, indices, axis=0, batch_dims=0, name=None):
        params_ = params if params.__class__ is _E else _lone(params, _taken0)     # a tensor, or a number's
        indices_ = indices if indices.__class__ is _E else _lone(indices, _taken1)
        if params_ is not None and indices_ is not None:
            d = _results.get((params_._dtype, indices_._dtype))                       # seen before: dtype of the result
            if d is not None:
                s = _state() or _context._base
                if s.eager:                                                        # no graph, no device
                    ... kernel, wrap, have the tapes record it
        return _emit(_op, (params, indices), {"axis": axis, "batch_dims": batch_dims}, name)

All of it is inside a `try`, because the function is a boundary of tracebacks.

Any other call goes through the funnel, which also words every error: a kernel that fails in the fast path is
run again there (it changes nothing), unless it draws random numbers.
"""

from __future__ import annotations

import builtins
import inspect
import re
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import export
from inlay._src.base.interpreter import floating
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.source import Loader, Source
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.eager import emit, plain, record, running
from inlay._src.core.eager.attributes import class_of
from inlay._src.core.opdef import Effect, OpDef, operator_text
from inlay._src.core.signature import AtLeast, Attribute, OneOf
from inlay._src.core.tensor import EagerTensor, SymbolicTensor


class _Form(NamedTuple):
    """The key of the source of a public function; ops of one form share it.

    Attributes:
      inputs: per input how it is taken, and the number of its group: see `plain.Group`.
      attrs: per attribute the class that its values have, "among" if they are some texts, "dtypes" if they are some
        dtypes, "least" if there is a least number, "" if nothing is said. Only the fast path looks at it.
      order: the parameters, those without default first.
      filled: the inputs whose None a function fills in.
      outs: per output the number of the attribute that says its dtype, or None; a single "list" for a list of one
        dtype; None where there is no fast path.
      many: whether there are several outputs.
      operator: Python's operator that is the kernel, or None.
      once: whether the kernel must not run again if it fails: it drew random numbers.
      ranks: the number and the rank of inputs that are tensors and must have one.
    """

    inputs: tuple[tuple[str, int], ...]
    attrs: tuple[str, ...]
    order: tuple[str, ...]
    filled: tuple[int, ...]
    outs: tuple[Any, ...] | None
    many: bool
    operator: str | None
    once: bool = False
    ranks: tuple[tuple[int, int], ...] = ()


_SPACE: dict[str, Any] = {
    "_emit": emit.emit, "_leave": leave, "_fill": emit.filled, "_no": {}, "_E": EagerTensor, "_S": SymbolicTensor,
    "_state": context.get, "_context": context,
    "DType": DType, "_np": np, "_silence": floating.silence, "_SILENT": floating.SILENT, "_restore": floating.restore,
    "_new": object.__new__, "_beside": plain.beside, "_lone": plain.lone, "_value": plain.value,
    "_int32": plain.int32, "_index": plain.index, "_listed": plain.listed, "_NOT": plain.NOT_PLAIN,
    **{f"_{t.__name__}{r}": plain.of_rank(t, r) for t in (plain.value, plain.int32, plain.index) for r in (0, 1)},
    "_several": plain.several, "_failed": running.failed, "_unshared": record.unshared, "__builtins__": builtins,
    "__name__": __name__,
}  # fmt: skip
"""The globals of the source of every public function."""


def write(opdef: OpDef, inputs: list[inspect.Parameter], fill: Mapping[str, Any]) -> Callable[..., Any]:
    """The public function of an op.

    Args:
      opdef: the declaration. The function has the name of its kernel, without an underscore that keeps it apart from a
        builtin, and is exported where the kernel was.
      inputs: the kernel's input parameters.
      fill: static input -> function that gives its value when the caller says None.
    """
    kernel, dispatch = opdef.kernel, opdef.dispatch
    name = kernel.__name__.rstrip("_")
    renamed = {f"in{i}": p.name for i, p in enumerate(inputs)} | {f"at{i}": a for i, a in enumerate(opdef.attrs)}
    order, defaults = _order(opdef, inputs)
    filled = tuple(i for i, p in enumerate(inputs) if p.name in fill)
    space = {**_SPACE, "_op": opdef, "_results": dispatch.results, "_kernel": kernel}
    space |= {f"_fill_in{i}": fill[inputs[i].name] for i in filled}
    long = _Form(tuple(("", 0) for _ in inputs), ("",) * len(opdef.attrs), order, filled, None, False, None)
    text = space["__loader__"] = _Text(renamed, long)
    function = boundary(types.FunctionType(_code(name, long, renamed), space, name, defaults))
    function.__module__, function.__doc__ = kernel.__module__, opdef.doc
    function.__dict__["opdef"] = opdef
    export.replace(kernel, function)
    dispatch.function = function
    groups = dispatch.groups = plain.groups_of(opdef)
    if groups is not None:
        space |= {f"_taken{i}": group.taken for i, group in enumerate(groups)}
        for i, attribute in enumerate(opdef.attrs.values()):
            if isinstance(attribute.limit, OneOf):
                space[f"_among{i}"] = frozenset(attribute.limit.options)
            elif isinstance(attribute.limit, AtLeast):
                space[f"_least{i}"] = attribute.limit.least
        kinds = plain.kinds_of(opdef, groups)
        form = long._replace(
            inputs=kinds, outs=_outs(opdef), many=opdef.many, operator=opdef.lowering.operator,
            once=opdef.effect is not Effect.PURE,
            ranks=tuple(
                (at, len(rank) if isinstance(rank, tuple) else rank)
                for at, rank in opdef.ranked if kinds[at][0] in ("tensor", "any")
            ),
            attrs=tuple(map(_taken_attribute, opdef.attrs.values())),
        )  # fmt: skip

        def specialize() -> None:
            function.__code__, text.form = _code(name, form, renamed), form
            boundary(function)

        dispatch.specialize = specialize
    return function


def _taken_attribute(attribute: Attribute) -> str:
    """The values of an attribute that the fast path accepts, see `_Form`."""
    if attribute.limit is None:
        return class_of(attribute.kind)
    if isinstance(attribute.limit, OneOf):
        return "dtypes" if attribute.kind == "dtype" else "among"
    return "least"


def _code(name: str, form: _Form, renamed: Mapping[str, str]) -> types.CodeType:
    """The code of a public function of a form, with names of its own."""
    template = _TEMPLATES[form]
    return template.replace(
        co_name=name,
        co_qualname=name,
        co_filename=f"{__file__} ({name})" if form.outs is None else f"{__file__} ({name}, fast)",
        co_varnames=tuple(renamed.get(v, v) for v in template.co_varnames),
        co_consts=tuple(_renamed(c, renamed) for c in template.co_consts),
    )


def _outs(opdef: OpDef) -> tuple[Any, ...]:
    """The source of each output's dtype, see `_Form`."""
    if opdef.variadic_out:
        return ("list",)
    places: dict[Any, int] = {name: k for k, name in enumerate(opdef.attrs)}
    return tuple(map(places.get, opdef.outs))


class _Text(Loader):
    """The source of an op's public function, which is written again when it is asked for.

    Args:
      renamed: a name in the template -> the op's own.
      form: the present form of the function.
    """

    __slots__ = ("form", "renamed")

    def __init__(self, renamed: Mapping[str, str], form: _Form) -> None:
        self.renamed, self.form = renamed, form

    def get_source(self, name: str) -> str:
        text = "\n".join(_source(self.form).lines)
        return re.sub(r"\b(in|at)\d+\b", lambda match: self.renamed.get(match[0], match[0]), text)


def _template(form: _Form) -> types.CodeType:
    """The code of a public function with inputs `in0`, `in1`... and attributes `at0`...: many ops share one.

    Compiling one source per op would be most of what importing the package costs.
    """
    return next(c for c in _source(form).code(__file__).co_consts if isinstance(c, types.CodeType))


def _source(form: _Form) -> Source:
    names = [f"in{i}" for i in range(len(form.inputs))]
    keys = [f"at{i}" for i in range(len(form.attrs))]
    values = ", ".join(names) + ("," if len(names) == 1 else "")
    collected = "{" + ", ".join(f"{a!r}: {a}" for a in keys) + "}" if keys else "_no"
    source = Source({})
    with source.block(f"def f({', '.join([*form.order, 'name'])}):"):
        with source.block("try:"):
            if form.outs is not None:
                _fast_path(source, form, keys, collected)
            for i in form.filled:
                source.write(f"if in{i} is None: in{i} = _fill(_fill_in{i}, ({values}))")
            source.write(f"return _emit(_op, ({values}), {collected}, name)")
        source.write("except Exception as _error:", " _leave(_error)", " raise")
    return source


_TEMPLATES: BoundedCache[_Form, types.CodeType] = BoundedCache("public functions of ops", 512, _template)


_LIMITED = {
    "among": ("str", " and at{k} in _among{k}"),
    "dtypes": ("DType", " and at{k} in _among{k}"),
    "least": ("int", " and at{k} >= _least{k}"),
    "tuple": ("tuple", " and all([number.__class__ is int for number in at{k}])"),
}
"""The class of attributes that are limited, and what must hold besides, by how they are; see `_Form`."""


def _fast_path(source: Source, form: _Form, keys: list[str], attrs: str) -> None:
    conditions, values, recorded, dtypes = _taken(source, form)
    conditions += [f"in{at}_._value.ndim == {rank}" for at, rank in form.ranks]
    for k, kind in enumerate(form.attrs):
        if kind:
            kind, more = _LIMITED.get(kind, (kind, ""))
            conditions.append(f"at{k}.__class__ is {kind}{more.format(k=k)}")
    key = dtypes[0] if len(dtypes) == 1 else f"({', '.join(dtypes)})"
    keywords = [f"{a}={a}" for a in keys]
    call = (
        f"_kernel({', '.join(['_np', *values, *keywords])})"
        if form.operator is None
        else operator_text(form.operator, values)
    )
    inputs = ", ".join(recorded) + ("," if len(recorded) == 1 else "")
    block, write = source.block, source.write
    with block(f"if {' and '.join([*conditions, f'(_d := _results.get({key})) is not None'])}:"):
        write("_s = _state() or _context._base")
        with block("if _s.eager:"):
            write("_token = _silence(_SILENT)")
            write("try:", f" _r = {call}")
            if form.once:
                write(f"except Exception as _e: _failed(_op, _e, [{', '.join(values)}], {attrs})")
            else:
                write("except Exception:", " pass")
            with block("else:"):
                _wrap(source, form)
                if form.many:
                    write(f"for _tape in _s.tapes: _tape.record(_op, ({inputs}), (*_t,), {attrs}, _s)")
                elif any(kind == "list" for kind, _ in form.inputs):  # one that comes twice is not one input
                    write(f"for _tape in _s.tapes: _tape.record(_op, ({inputs}), (_t,), {attrs}, _s)")
                else:
                    write(f"for _tape in _s.tapes: _tape.record_simple(_op, ({inputs}), _t, {attrs}, _s)")
                write("return _t")
            write("finally:", " _restore(_token)")


def _taken(source: Source, form: _Form) -> tuple[list[str], list[str], list[str], list[str]]:
    """Writes how the inputs are taken.

    Returns:
      The conditions under which they are plain, in the order in which they can be evaluated; the expression that the
      kernel receives for each input; the inputs that a tape records; the dtype of each group.
    """
    conditions, values, recorded = [], [], []
    groups: dict[int, list[str]] = {}
    for i, (kind, group) in enumerate(form.inputs):
        name = f"in{i}"
        if kind.rstrip("01?") in ("value", "int32", "index"):
            take = kind.rstrip("?")
            plain_values = [f"{name} is None"] if kind.endswith("?") else []
            plain_values += [] if take.endswith("1") else [f"{name}.__class__ is int"]
            instead = f"{name} if {' or '.join(plain_values)} else " if plain_values else ""
            source.write(f"{name}_ = {instead}_{take}({name})")
            conditions.append(f"{name}_ is not _NOT")
            values.append(f"{name}_")
            recorded.append(f"_unshared({name})")
            continue
        groups.setdefault(group, []).append(name)
        values.append(f"{name}_[1]" if kind == "list" else f"{name}_._value")
        recorded.append(f"*{name}" if kind == "list" else f"{name}_")
    kinds = {f"in{i}": kind for i, (kind, _) in enumerate(form.inputs)}
    dtypes = []
    tests: list[str] = []
    for group, (first, *others) in sorted(groups.items()):
        if kinds[first] == "list":
            source.write(f"{first}_ = _listed({first})")
            tests.append(f"{first}_ is not None")
            dtypes.append(f"{first}_[0]")
            continue
        _tensors(source, kinds[first], group, first, others)
        tests += [f"{name}_ is not None" for name in (first, *others)]
        tests += [f"{name}_._dtype is {first}_._dtype" for name in others]
        dtypes.append(f"{first}_._dtype")
    return tests + conditions, values, recorded, dtypes or ["None"]


def _tensors(source: Source, kind: str, group: int, first: str, others: list[str]) -> None:
    """Writes how the tensors of one dtype are taken, numbers beside them too."""
    if not others:
        instead = f"None if {first}.__class__ is _S else _lone({first}, _taken{group})" if kind == "tensor" else "None"
        source.write(f"{first}_ = {first} if {first}.__class__ is _E else {instead}")
        return
    with source.block(f"if {first}.__class__ is _E:"):
        source.write(f"{first}_ = {first}")
        for other in others:
            source.write(f"{other}_ = {other} if {other}.__class__ is _E else _beside({other}, {first}._dtype)")
    last = others[-1]
    with source.block(f"elif {last}.__class__ is _E:"):
        source.write(f"{last}_ = {last}")
        for other in (first, *others[:-1]):
            source.write(f"{other}_ = {other} if {other}.__class__ is _E else _beside({other}, {last}._dtype)")
    with source.block("else:"):
        source.write(f"{first}_ = None if {first}.__class__ is _S else _lone({first}, _taken{group})")
        for other in others:
            beside = f"{other} if {other}.__class__ is _E else _beside({other}, {first}_._dtype)"
            source.write(f"{other}_ = None if {first}_ is None else {beside}")


def _wrap(source: Source, form: _Form) -> None:
    """Writes how results become tensors."""
    assert form.outs is not None
    if form.outs == ("list",):
        source.write("_t = _several(_r, _d)")
    elif form.many:
        for k, at in enumerate(form.outs):
            kind = f"_d[{k}]" if at is None else f"at{at}"
            source.write(f"_t{k} = _new(_E)", f"_t{k}._value = _r[{k}]", f"_t{k}._dtype = {kind}")
        source.write(f"_t = [{', '.join(f'_t{k}' for k in range(len(form.outs)))}]")
    else:
        kind = "_d" if form.outs[0] is None else f"at{form.outs[0]}"
        source.write("_t = _new(_E)", "_t._value = _r", f"_t._dtype = {kind}")


def _order(opdef: OpDef, inputs: list[inspect.Parameter]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The parameters by their names in the template, those without default first; the defaults of the others."""
    empty = inspect.Parameter.empty
    parameters = [(f"in{i}", p.default) for i, p in enumerate(inputs)]
    parameters += [(f"at{i}", default) for i, (default, *_) in enumerate(opdef.attrs.values())]
    required = [n for n, default in parameters if default is empty]
    optional = [(n, default) for n, default in parameters if default is not empty]
    return (*required, *(n for n, _ in optional)), (*(default for _, default in optional), None)


def _renamed(const: Any, names: Mapping[str, str]) -> Any:
    """A constant of the template (an attribute's name, the names of keyword arguments) in the op's own names."""
    if const.__class__ is str:
        return names.get(const, const)
    if const.__class__ is tuple:
        return tuple(_renamed(c, names) for c in const)
    return const
