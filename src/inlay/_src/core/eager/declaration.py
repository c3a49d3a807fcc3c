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
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from inlay._src.base.misuse import written
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager import opfunction
from inlay._src.core.eager.attributes import kinds_of
from inlay._src.core.opdef import OPS, Arg, Effect, Expression, Gradient, Infer, OpDef, Refuses, Role, Sizes

Letters = Mapping[str, frozenset[DType]]
Ranks = Mapping[str, int | tuple[int, ...]]
LETTERS: Letters = {"T": dtypes.ANY, "Index": dtypes.INDEX}
"""What the letters of a signature stand for where an op does not say it."""


def parse_signature(
    text: str,
    static: Sequence[str],
    types: Letters | frozenset[DType],
    attrs: Mapping[str, Any],
    ranks: Ranks = MappingProxyType({}),
) -> tuple[tuple[Arg, ...], tuple[Any, ...], bool, Letters]:
    """(inputs, output types, whether the output is a list, what each letter stands for) of a signature."""
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
        args.append(Arg(name, kind(word.lstrip("*")), word.startswith("*"), name in static, ranks.get(name)))
    words = [p.strip() for p in right.split(",") if p.strip()]
    outs = tuple(kind(o.lstrip("*")) for o in words)
    used = {*(a.type for a in args), *outs}
    return tuple(args), outs, any(o.startswith("*") for o in words), {k: v for k, v in letters.items() if k in used}


def op(
    name: str,
    signature: str,
    *,
    types: Letters | frozenset[DType] = dtypes.ANY,
    static: Sequence[str] = (),
    infer: Infer | None = None,
    vjp: Gradient | None = None,
    effect: Effect = Effect.PURE,
    aliases: bool = False,
    fill: Mapping[str, Callable[..., Any]] | None = None,
    differentiable: bool = True,
    public: str | None = None,
    ufunc: Any = None,
    overwrites: Callable[..., Any] | None = None,
    refuses: Refuses | None = None,
    operator: str | None = None,
    expression: Expression | None = None,
    role: Role = Role.OPERATION,
    shape_only: bool = False,
    to_shape: bool = False,
    fixed_index: bool = False,
    fuses: bool | None = None,
    sizes: Sizes | None = None,
    label: str = "",
    among: Mapping[str, Sequence[str]] | None = None,
    least: Mapping[str, int] | None = None,
    ranks: Ranks | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares an op; the decorated kernel is replaced by the public function.

    Args:
      name: the op type.
      signature: inputs and outputs, see the module docstring.
      types: the dtypes that `T` may be, or type letter -> allowed dtypes.
      static: inputs whose values a compiler needs (axes, shapes); eager calls pass them as they are.
      infer: output shapes from `Shapes`.
      vjp: gradient in terms of other ops; see `OpDef`.
      fill: static input -> function of the other inputs that gives its value when the caller says None.
      differentiable: False where no gradient exists by nature.
      public: name of the public function; defaults to the kernel's.
      ufunc: the NumPy ufunc that the kernel is, if it is nothing else.
      refuses: whether the kernel may raise because of values; see `OpDef`, and `some_values`.
      operator, effect, aliases, overwrites, role, shape_only, to_shape, fixed_index, fuses, sizes, label: see `OpDef`.
      expression: what stands in generated source in place of the kernel's call; see `OpDef`.
      among: attribute -> the texts that it may be.
      least: attribute -> the least whole number that it may be, or the least length of a list of them.
      ranks: input -> the rank or the sizes that it must have; not for ops with a list input before it.

    Returns:
      A decorator.
    """

    def declare(exported: Callable[..., Any]) -> Callable[..., Any]:
        kernel = written(exported)
        parameters = list(inspect.signature(kernel).parameters.values())[1:]
        attrs = {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}
        inputs = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
        signed = parse_signature(signature, static, types, attrs, ranks or {})
        if len(inputs) != len(signed[0]):
            raise TypeError(f"op {name}: the kernel takes {len(inputs)} inputs, the signature has {len(signed[0])}")
        if name in OPS:
            raise ValueError(f"op {name} is declared twice")
        OPS[name] = opdef = OpDef(
            name, kernel, *signed, attrs, effect, infer, vjp, aliases, differentiable=differentiable, ufunc=ufunc,
            overwrites=overwrites, refuses=refuses, operator=operator, expression=expression, role=role,
            shape_only=shape_only, to_shape=to_shape, fixed_index=fixed_index, fuses=fuses, sizes=sizes, label=label,
            kinds=kinds_of([p for p in parameters if p.name in attrs]), among=among or {},
            least=least or {}, doc=kernel.__doc__ or "",
        )  # fmt: skip
        opdef.public = opfunction.write(opdef, public or kernel.__name__, inputs, fill or {}, kernel)
        return opdef.public

    return declare
