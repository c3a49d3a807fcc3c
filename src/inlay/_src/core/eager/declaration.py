"""The decorator that declares an op: its kernel becomes its public function.

    @op("Sum", "input:T, axis:Index -> T", types=NUMBERS, static=("axis",), infer=..., vjp=...)
    def reduce_sum(xp, input_tensor, axis=None, *, keepdims=False):
        '''Sum over `axis`.'''
        return xp.sum(...)

declares the op `Sum` and leaves in `reduce_sum` the public function `reduce_sum(input_tensor, axis=None,
keepdims=False, name=None)`, which goes through the funnel (`eager.emit`). Kernel parameters after `xp` are inputs;
keyword-only parameters are attributes. No op is declared here.

The signature: `name:type` per input, `->`, one type per output. A type is a dtype name, a letter of `types` (where that
says nothing, `T` is any type and `Index` int32 or int64), or the name of an attribute that holds a dtype. `*T` is a
list of tensors (one per op at most); `*any` is one of mixed types.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from inspect import Parameter
from types import MappingProxyType
from typing import Any

from inlay._src.base.misuse import written
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager import opfunction
from inlay._src.core.eager.attributes import kinds_of
from inlay._src.core.hints import NO_LOWERING, LoweringHints
from inlay._src.core.opdef import OPS, Effect, Gradient, Infer, Inference, OpDef, Role
from inlay._src.core.signature import Arg, AtLeast, Attribute, OneOf, Signature

Letters = Mapping[str, frozenset[DType]]
Ranks = Mapping[str, int | tuple[int, ...]]
LETTERS: Letters = {"T": dtypes.ANY, "Index": dtypes.INDEX}
"""The dtypes of letters that an op does not declare."""


def parse_signature(
    text: str,
    static: Container[str],
    types: Letters | frozenset[DType],
    attrs: Mapping[str, Any],
    ranks: Ranks = MappingProxyType({}),
    optional: Container[str] = (),
) -> Signature:
    """The signature that a text stands for."""
    letters = {**LETTERS, **(types if isinstance(types, Mapping) else {"T": types})}

    def kind(word: str) -> DType | str | None:
        if word == "any":
            return None
        if word in letters or word in attrs:
            return word
        return dtypes.as_dtype(word)

    left, _, right = text.partition("->")
    args = []
    for part in filter(None, (p.strip() for p in left.split(","))):
        name, word = (half.strip() for half in part.split(":"))
        variadic = word.startswith("*")
        args.append(Arg(name, kind(word.lstrip("*")), variadic, name in static, ranks.get(name), name in optional))
    words = [p.strip() for p in right.split(",") if p.strip()]
    outs = tuple(kind(o.lstrip("*")) for o in words)
    used = {*(a.type for a in args), *outs}
    variadic_out = any(o.startswith("*") for o in words)
    return Signature(tuple(args), outs, variadic_out, {k: v for k, v in letters.items() if k in used})


def _parameters(kernel: Callable[..., Any]) -> tuple[list[Parameter], list[Parameter]]:
    """The inputs of a kernel, without `xp`, and its attributes.

    `inspect.signature` finds the same in three times the time, which was a thirtieth of the import.
    """
    code = getattr(kernel, "__code__", None)
    if code is None or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or hasattr(kernel, "__wrapped__"):
        parameters = list(inspect.signature(kernel).parameters.values())[1:]
        attributes = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
        return [p for p in parameters if p.kind is not p.KEYWORD_ONLY], attributes
    names, count = code.co_varnames, code.co_argcount
    defaults = [Parameter.empty] * count + list(kernel.__defaults__ or ())  # type: ignore[attr-defined]
    annotations, values = kernel.__annotations__, kernel.__kwdefaults__ or {}  # type: ignore[attr-defined]
    inputs = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)
        for name, default in zip(names[1:count], defaults[-count:][1:], strict=True)
    ]
    attributes = [
        Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=values.get(name, Parameter.empty),
            annotation=annotations.get(name, Parameter.empty),
        )
        for name in names[count : count + code.co_kwonlyargcount]
    ]
    return inputs, attributes


def op(
    name: str,
    signature: str,
    *,
    types: Letters | frozenset[DType] = dtypes.ANY,
    static: Sequence[str] | Mapping[str, Callable[..., Any]] = (),
    ranks: Ranks = MappingProxyType({}),
    attrs: Mapping[str, OneOf | AtLeast] = MappingProxyType({}),
    infer: Infer | Inference | None = None,
    vjp: Gradient | None = None,
    effect: Effect = Effect.PURE,
    role: Role = Role.OPERATION,
    lower: LoweringHints = NO_LOWERING,
    label: str = "",
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares an op; the decorated kernel is replaced by the public function, which has its name.

    Args:
      name: the op type.
      signature: inputs and outputs, see the module docstring.
      types: the dtypes that `T` may be, or type letter -> allowed dtypes.
      static: inputs whose values a compiler needs (axes, shapes); eager calls pass them as they are. A mapping gives a
        function of all inputs for each, which replaces None in a graph.
      ranks: input -> the rank or the sizes that it must have; not for ops with a list input before it.
      attrs: attribute -> the values that it may have: `OneOf` or `AtLeast`.
      infer: output shapes from `Shapes`; an `Inference` if more than shapes is inferred.
      vjp: gradient in terms of other ops, or `no_gradient`; see `OpDef`.
      effect, role, label: see `OpDef`.
      lower: hints for lowerings.

    Returns:
      A decorator.
    """

    def declare(exported: Callable[..., Any]) -> Callable[..., Any]:
        kernel = written(exported)
        inputs, attributes = _parameters(kernel)
        kinds = kinds_of(attributes)
        declared = {p.name: Attribute(p.default, kinds.get(p.name, ""), attrs.get(p.name)) for p in attributes}
        filled = static if isinstance(static, Mapping) else {}
        optional = {p.name for p in inputs if p.default is None or p.name in filled}
        signed = parse_signature(signature, static, types, declared, ranks, optional)
        if len(inputs) != len(signed.args):
            raise TypeError(f"op {name}: the kernel takes {len(inputs)} inputs, the signature has {len(signed.args)}")
        if name in OPS:
            raise ValueError(f"op {name} is declared twice")
        for attribute, said in declared.items():
            if attribute in signed.outs and not signed.variadic_out and said.default is not None:
                declared[attribute] = said._replace(kind="dtype")
        OPS[name] = opdef = OpDef(
            name, kernel, signed, declared, effect, role, infer if isinstance(infer, Inference) else Inference(infer),
            vjp, lower, label=label, doc=kernel.__doc__ or "",
        )  # fmt: skip
        return opfunction.write(opdef, inputs, filled)

    return declare
