"""The eager fast path: the arguments it accepts, and the dispatch cache that recognizes a repeated signature.

It takes tensors of this machine, whole numbers where values are static, and what is a tensor of the wanted type without
a decision: numbers, arrays, variables.

The tensors of a call that must have one dtype are a *group*. The dtypes of an op's groups are the key under which
`Dispatch.results` has the dtypes of its results, once the funnel has run it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context, values
from inlay._src.core.eager.convert import READ_AT_ONCE, number
from inlay._src.core.opdef import Effect, OpDef
from inlay._src.core.signature import Arg
from inlay._src.core.tensor import EagerTensor, constant_eager

__all__ = [
    "NOT_PLAIN",
    "Group",
    "beside",
    "groups_of",
    "index",
    "int32",
    "kinds_of",
    "learn",
    "listed",
    "lone",
    "several",
    "value",
]

NOT_PLAIN: Any = object()
"""The result of `value`, `int32` and `index` for a static input that the funnel must convert."""


class Group(NamedTuple):
    """The inputs that one letter, or one fixed type, stands for.

    Attributes:
      places: their numbers.
      taken: the dtypes that they may be; none where any is taken.
      listed: whether it is a list input.
    """

    places: tuple[int, ...]
    taken: frozenset[DType]
    listed: bool


def groups_of(op: OpDef) -> tuple[Group, ...] | None:
    """The groups of an op's tensors; None if its calls have no fast path."""
    if op.effect not in (Effect.PURE, Effect.RANDOM) or not op.outs or not op.args:
        return None
    members: dict[Any, list[int]] = {}
    for place, arg in enumerate(op.args):
        if _in_group(op, arg):
            members.setdefault(arg.type if arg.type in op.letters else place, []).append(place)
    groups = []
    for kind, places in members.items():
        listed = any(op.args[p].variadic for p in places)
        if listed and (len(places) > 1 or op.args[places[0]].type is None):
            return None  # a list beside other tensors, or of several dtypes
        fixed = op.args[places[0]].type
        taken = op.letters.get(kind, frozenset({fixed} if fixed.__class__ is DType else ()))  # type: ignore[arg-type]
        groups.append(Group(tuple(places), taken, listed))
    for out in op.outs:
        if not (out.__class__ is DType or out in members or (out in op.attrs and not op.variadic_out)):
            return None
    return tuple(groups)


def _in_group(op: OpDef, arg: Arg) -> bool:
    """Whether an input must be a tensor: a static one only if its type is that of a result."""
    return not arg.static or (arg.type in op.outs and arg.type in op.letters)


def kinds_of(op: OpDef, groups: Sequence[Group]) -> tuple[tuple[str, int], ...]:
    """The way each input is accepted, and the number of its group.

    "tensor", "any" and "list" are in groups; "value", "int32" and "index" are static: a tensor is taken too for one
    of the last two. "index0" is one that must be of rank 0, and so on; "index?" one that may be
    None.
    """
    kinds = []
    for place, arg in enumerate(op.args):
        if _in_group(op, arg):
            at = next(k for k, group in enumerate(groups) if place in group.places)
            kinds.append(("list" if groups[at].listed else "tensor" if groups[at].taken else "any", at))
            continue
        taken = op.letters.get(arg.type, frozenset({arg.type}))  # type: ignore[arg-type]
        alone = not any(a.type == arg.type and arg.type in op.letters and _in_group(op, a) for a in op.args)
        kind = "value"
        if alone and dtypes.int32 in taken:
            kind = "index" if dtypes.int64 in taken else "int32"
        kinds.append((kind + ("" if arg.rank is None else f"{arg.rank}") + "?" * arg.optional, 0))
    return tuple(kinds)


# ---------------------------------------------------------------- what is taken


def value(argument: Any) -> Any:
    """A list of whole numbers, or of such lists, as it is."""
    cls = argument.__class__
    return argument if (cls is list or cls is tuple) and _whole(argument) else NOT_PLAIN


def int32(argument: Any) -> Any:
    """Whole numbers as they are: a list, an array, the value of a tensor of int32."""
    cls = argument.__class__
    if cls is list or cls is tuple:
        return argument if _whole(argument) else NOT_PLAIN
    if cls is EagerTensor:
        return argument._value if argument._dtype is dtypes.int32 else NOT_PLAIN
    return argument if cls is np.ndarray and argument.dtype.kind == "i" else NOT_PLAIN


def index(argument: Any) -> Any:
    """Whole numbers as they are: the values that `int32` accepts, and that of a tensor of int64."""
    if argument.__class__ is EagerTensor and argument._dtype is dtypes.int64:
        return argument._value
    return int32(argument)


def of_rank(take: Callable[[Any], Any], rank: int) -> Callable[[Any], Any]:
    """A version of `take` for values of one rank, 0 or 1."""

    def taken(argument: Any) -> Any:
        cls = argument.__class__
        if cls is list or cls is tuple:
            return argument if rank and all([item.__class__ is int for item in argument]) else NOT_PLAIN
        static = take(argument)
        return static if static is NOT_PLAIN or static.ndim == rank else NOT_PLAIN

    return taken


def _whole(numbers: Any, level: int = 1) -> bool:
    """Whether nested lists hold Python integers alone; False for more levels than an array has."""
    if level > values.MOST_LEVELS:
        return False
    for item in numbers:
        cls = item.__class__
        if cls is not int and not ((cls is list or cls is tuple) and _whole(item, level + 1)):
            return False
    return True


_NUMBERS = frozenset({int, float})


def beside(argument: Any, dtype: DType) -> EagerTensor | None:
    """A number, an array, a list of numbers or a variable beside a tensor of `dtype`, as one of that type; None for
    what is of another type, and for anything else."""
    tensor = number(argument, dtype)
    if tensor is not None:
        return tensor
    if argument.__class__ is list:
        return _of_list(argument, dtype)
    return _of_type(argument, (dtype,))


def lone(argument: Any, taken: frozenset[DType]) -> EagerTensor | None:
    """An argument of `beside` as a tensor of its own type, if that is among `taken`; else None."""
    cls = argument.__class__
    if cls is float or cls is int:
        kind = dtypes.float32 if cls is float else dtypes.int32
        return number(argument, kind) if kind in taken else None
    if cls is list:
        tensor = _of_list(argument, None)
        return tensor if tensor is not None and tensor._dtype in taken else None
    return _of_type(argument, taken)


def _of_type(argument: Any, taken: Container[DType]) -> EagerTensor | None:
    """An array's or a variable's own value as a tensor, if its type is among `taken`; an array is copied."""
    cls = argument.__class__
    if cls is np.ndarray or isinstance(argument, np.generic):
        dtype = dtypes.FROM_NUMPY.get(argument.dtype)
        return constant_eager(argument) if dtype in taken and dtype is not dtypes.string and _eager() else None
    read = READ_AT_ONCE.get(cls)
    return None if read is None or argument.dtype not in taken else read(argument, argument.dtype)


def _eager() -> bool:
    """Whether ops run at once, on this machine: else no tensor is made that the funnel would make again."""
    return (context.get() or context.base()).eager


def _of_list(numbers: list[Any], dtype: DType | None) -> EagerTensor | None:
    """A list of Python's numbers as a tensor, if it is one."""
    if not numbers or not _NUMBERS.issuperset(values.leaf_types(numbers, set())) or not _eager():
        return None
    try:
        return constant_eager(numbers, dtype)
    except (TypeError, ValueError):  # the funnel says what is wrong
        return None


def listed(argument: Any) -> tuple[DType | None, list[Any]] | None:
    """The dtype of the tensors in a list, and their values; None if there is anything else in it."""
    cls = argument.__class__
    if cls is not list and cls is not tuple:
        return None
    if not argument:
        return None, []
    if argument[0].__class__ is not EagerTensor:
        return None
    dtype = argument[0]._dtype
    arrays = []
    for item in argument:
        if item.__class__ is not EagerTensor or item._dtype is not dtype:
            return None
        arrays.append(item._value)
    return dtype, arrays


def several(results: Iterable[Any], dtype: DType) -> list[EagerTensor]:
    """Results of one dtype as tensors."""
    return [EagerTensor(r, dtype) for r in results]


# ---------------------------------------------------------------- what is kept


def learn(op: OpDef, inputs: Sequence[Any], kinds: Sequence[DType]) -> None:
    """Keeps the dtypes of the results of a call that succeeded, so that the next one like it takes the fast path.

    Args:
      op: the op.
      inputs: the converted inputs.
      kinds: the dtypes of its results.
    """
    if op.dispatch.groups is None or (
        op.lowering.operator and kinds[0] is dtypes.string
    ):  # Python's operators are not NumPy's for text
        return
    key: list[DType | None] = []
    for group in op.dispatch.groups:
        x = inputs[group.places[0]]
        if group.listed:
            x = x[0] if x else None
        if x is not None and x.__class__ is not EagerTensor:
            return
        key.append(None if x is None else x._dtype)
    op.dispatch.add_results(
        key[0] if len(key) == 1 else tuple(key) if key else None,
        kinds[0] if op.variadic_out or not op.many else tuple(kinds),
    )
