"""What the short cut of a public function takes as it is: tensors of this machine, whole numbers where values are
static, numbers beside tensors; and what is kept of a call so that one like it is known again.

The tensors of a call that must have one dtype are a *group*. The dtypes of an op's groups are the key under which
`OpDef.fast` keeps the dtypes of its results, once the funnel has run it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay.core.opdef import Arg, Effect, OpDef
from inlay.core.tensor import EagerTensor
from inlay.eager.convert import number
from inlay.types import dtypes
from inlay.types.dtypes import DType

__all__ = [
    "NOT_PLAIN",
    "Group",
    "groups_of",
    "index",
    "int32",
    "kinds_of",
    "learn",
    "listed",
    "lone",
    "number",
    "several",
    "value",
]

NOT_PLAIN: Any = object()
"""What `value`, `int32` and `index` say of a static input that the funnel must look at."""


class Group(NamedTuple):
    """The inputs that one letter, or one fixed type, stands for.

    Attributes:
      places: their numbers.
      taken: the dtypes that a number which stands alone may become; none where the type is fixed.
      listed: whether it is a list input.
    """

    places: tuple[int, ...]
    taken: frozenset[DType]
    listed: bool


def groups_of(op: OpDef) -> tuple[Group, ...] | None:
    """The groups of an op's tensors; None if its calls have no short cut."""
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
        groups.append(Group(tuple(places), op.letters.get(kind, frozenset()), listed))
    for out in op.outs:
        if not (out.__class__ is DType or out in members or (out in op.attrs and not op.variadic_out)):
            return None
    return tuple(groups)


def _in_group(op: OpDef, arg: Arg) -> bool:
    """Whether an input must be a tensor: a static one only if its type is that of a result."""
    return not arg.static or (arg.type in op.outs and arg.type in op.letters)


def kinds_of(op: OpDef, groups: Sequence[Group]) -> tuple[tuple[str, int], ...]:
    """How each input is taken, and the number of its group.

    "tensor", "fixed" and "list" are in groups; "value", "int32" and "index" are static: a tensor is taken too for one
    of the last two.
    """
    kinds = []
    for place, arg in enumerate(op.args):
        if _in_group(op, arg):
            at = next(k for k, group in enumerate(groups) if place in group.places)
            kinds.append(("list" if groups[at].listed else "tensor" if groups[at].taken else "fixed", at))
            continue
        taken = op.letters.get(arg.type, frozenset({arg.type}))  # type: ignore[arg-type]
        alone = not any(a.type == arg.type and arg.type in op.letters and _in_group(op, a) for a in op.args)
        if not alone or dtypes.int32 not in taken:
            kinds.append(("value", 0))
        else:
            kinds.append(("index" if dtypes.int64 in taken else "int32", 0))
    return tuple(kinds)


# ---------------------------------------------------------------- what is taken


def value(given: Any) -> Any:
    """A list of whole numbers, or of such lists, as it is."""
    cls = given.__class__
    return given if (cls is list or cls is tuple) and _whole(given) else NOT_PLAIN


def int32(given: Any) -> Any:
    """Whole numbers as they are: a list, an array, the value of a tensor of int32."""
    cls = given.__class__
    if cls is list or cls is tuple:
        return given if _whole(given) else NOT_PLAIN
    if cls is EagerTensor:
        return given._value if given._dtype is dtypes.int32 else NOT_PLAIN
    return given if cls is np.ndarray and given.dtype.kind == "i" else NOT_PLAIN


def index(given: Any) -> Any:
    """Whole numbers as they are: what `int32` takes, and the value of a tensor of int64."""
    if given.__class__ is EagerTensor and given._dtype is dtypes.int64:
        return given._value
    return int32(given)


def _whole(numbers: Any) -> bool:
    for item in numbers:
        cls = item.__class__
        if cls is not int and not ((cls is list or cls is tuple) and _whole(item)):
            return False
    return True


def lone(given: Any, taken: frozenset[DType]) -> EagerTensor | None:
    """A number that stands alone as a tensor, if an op takes the type that TensorFlow gives it; else None."""
    cls = given.__class__
    kind = dtypes.float32 if cls is float else dtypes.int32
    return number(given, kind) if kind in taken else None


def listed(given: Any) -> tuple[DType | None, list[Any]] | None:
    """The dtype of the tensors in a list, and their values; None if there is anything else in it."""
    cls = given.__class__
    if cls is not list and cls is not tuple:
        return None
    if not given:
        return None, []
    if given[0].__class__ is not EagerTensor:
        return None
    dtype = given[0]._dtype
    values = []
    for item in given:
        if item.__class__ is not EagerTensor or item._dtype is not dtype:
            return None
        values.append(item._value)
    return dtype, values


def several(results: Iterable[Any], dtype: DType) -> list[EagerTensor]:
    """Results of one dtype as tensors."""
    return [EagerTensor(r, dtype) for r in results]


# ---------------------------------------------------------------- what is kept


def learn(op: OpDef, inputs: Sequence[Any], kinds: Sequence[DType]) -> None:
    """Keeps the dtypes of the results of a call that succeeded, so that the next one like it takes the short cut.

    Args:
      op: what was called.
      inputs: the converted inputs.
      kinds: the dtypes of its results.
    """
    if op.groups is None or (op.operator and kinds[0] is dtypes.string):  # Python's operators are not NumPy's for text
        return
    found: list[DType | None] = []
    for group in op.groups:
        x = inputs[group.places[0]]
        if group.listed:
            x = x[0] if x else None
        if x is not None and x.__class__ is not EagerTensor:
            return
        found.append(None if x is None else x._dtype)
    op.fast[found[0] if len(found) == 1 else tuple(found) if found else None] = (
        kinds[0] if op.variadic_out or not op.many else tuple(kinds)
    )
    shorten, op.shorten = op.shorten, None
    if shorten is not None:
        shorten()
