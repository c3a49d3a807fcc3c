"""Whether an array is uniquely referenced: reference counts and array flags, as functions and as source.

An array is its holder's own if nobody else holds a reference to it and it owns its memory, so that nobody holds another
view of that. Then it may be written into, or passed on without a copy.

CPython counts differently from version to version: loading a local variable for a call adds a reference up to 3.13 and
none from 3.14 on. There a parameter borrows the reference of its caller's variable, and so does a variable that is
bound to a parameter: with two holders its count is that of one. So only variables that are neither are asked, which the
suite holds of every generated source. The counts are measured when this module is loaded, in code like that which asks,
with every kind of second holder. Where they do not tell one holder from two (an interpreter without such counts, or one
that defers or borrows more of them), no array is ever taken for its holder's own, and all are copied.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING

NAMES: dict[str, Any] = {"A": np.ndarray, "ref": getattr(sys, "getrefcount", lambda _: 0)}
"""The names that the source made here uses. Generated functions make them local variables (`A=A, ref=ref`)."""
getrefcount = NAMES["ref"]
_NEVER = -1


def _measured(count: str, alone: str, shared: Sequence[str]) -> int:
    """The count of an object with one holder; `_NEVER` if it is no smaller than one with two holders.

    Args:
      count: source of the count.
      alone: source that binds what `count` reads, with one holder.
      shared: sources that bind it with two: its caller holds the `parameter`, and the list `items` holds its item.
    """
    counts = []
    for binding in (alone, *shared):
        names = dict(NAMES)
        exec(
            f"def asked(parameter, items, A=A, ref=ref):\n {binding}\n return {count}\n"
            "def holder(A=A):\n x = A(1); items = [A(1)]\n return asked(x, items)",
            names,
        )
        counts.append(names["holder"]())
    return counts[0] if counts[0] < min(counts[1:]) else _NEVER


LOCAL = _measured("ref(x)", "x = A(1)", ["x = A(1); box = [x]", "x, = items", "x = items[0]"])
"""`getrefcount(x)` of an object that only the local variable `x` holds, which is bound to no parameter."""
ITEM = _measured("ref(box[0])", "box = [A(1)]", ["x = A(1); box = [x]", "box = [parameter]", "box = [*items]"])
"""`getrefcount(box[0])` of an object that only the list `box` holds."""

FLAGS_VECTOR, FLAGS_ARRAY = 0x0507, 0x0505
"""`array.flags.num` of an array that owns its memory (and hence has no base), writeable, aligned, C-ordered and with no
copy to be written back: NPY_ARRAY_* of NumPy's C API, in one look instead of five. A vector is Fortran-ordered too."""
_OWNDATA = 0x0004


# ---------------------------------------------------------------- source


def sole(name: str) -> str:
    """Source that says whether only the local variable `name` holds its object; it must be bound to no parameter."""
    return f"ref({name}) == {LOCAL}"


def own_array(name: str) -> str:
    """Source that says whether the array in the local variable `name` is its own: see `own`."""
    return f"{sole(name)} and ((n := {name}.flags.num) == {FLAGS_VECTOR} or n == {FLAGS_ARRAY})"


def writable(name: str) -> str:
    """Source that says whether a result may be written into the array in the local variable `name`."""
    return f"{sole(name)} and {name}.base is None and {name}.flags.writeable"


def reusable(array: Any) -> bool:
    """Whether a result is written into an array that its caller alone references: large, with memory of its own."""
    return array.size >= TUNING.in_place_elements and array.base is None and array.flags.writeable  # type: ignore[no-any-return]


def passed_view(name: str, of: list[str]) -> str:
    """Source that says whether the array in `name` is a C-ordered read-only view of what one of the variables holds.

    Nobody may write into such a view: it may be passed on as it is.
    """
    shared = " or ".join(f"{name}.base is ({h} if {h}.base is None else {h}.base)" for h in of)
    return f"not {name}.flags.writeable and {name}.flags.c_contiguous and ({shared})"


# ---------------------------------------------------------------- functions


@functools.cache
def base_count() -> int:
    """`getrefcount(box[0].base)` of an array that only one view holds. It is measured when a view is first met."""
    shared = ["x = A(4); box = [x.reshape(2, 2)]", "x = A(4).reshape(4, 1); box = [x.T]"]
    return _measured("ref(box[0].base)", "box = [A(4).reshape(2, 2)]", shared)


def owns_memory(array: Any) -> bool:
    """Whether an array has its memory to itself, writeable and C-ordered: its only holder may write into it."""
    return array.__class__ is np.ndarray and array.flags.num in (FLAGS_VECTOR, FLAGS_ARRAY)


def own(box: list[Any], index: int = 0) -> Any:
    """`box[index]` as an array that nobody else can reach, writeable and C-ordered: itself if only the list holds it.

    It may be a view of the whole of an array that nobody else holds, as a reshaped result is. The list must be the only
    holder that the caller knows of: no local variable may name the array.
    """
    if box[index].__class__ is not np.ndarray:
        return box[index]
    if getrefcount(box[index]) != ITEM or not (
        box[index].flags.num in (FLAGS_VECTOR, FLAGS_ARRAY)
        or (
            box[index].base.__class__ is np.ndarray
            and box[index].flags.num | _OWNDATA in (FLAGS_VECTOR, FLAGS_ARRAY)
            and getrefcount(box[index].base) == base_count()
            and owns_memory(box[index].base)
            and box[index].nbytes == box[index].base.nbytes
        )
    ):
        box[index] = copied(box[index])
    if not box[index].ndim and box[index].dtype != object:
        return box[index][()]
    return box[index]


def giver(value: Any) -> Callable[[], Any]:
    """A function that gives, at each call, a value that its receiver may write into: a copy, or the scalar itself."""
    if value.__class__ is not np.ndarray:
        return lambda: value
    return value.copy if value.ndim else functools.partial(value.__getitem__, ())  # type: ignore[no-any-return]


def read_only(array: np.ndarray) -> np.ndarray:
    """A view of an array that cannot be written into."""
    view = array.view()
    view.flags.writeable = False
    return view


def c_ordered(array: np.ndarray) -> np.ndarray:
    """An array in C order: itself if it is."""
    return array if array.flags.c_contiguous else copied(array)


_COPIES = ThreadChoice()


def copied(array: np.ndarray) -> np.ndarray:
    """A copy in C order; of a large array that is in another order, such as a flipped or a transposed one, by parts.

    The reads of one part are adjacent, so that each cache line is fetched once, in whatever order the part is written.
    """
    shape, strides = array.shape, array.strides
    if array.size < TUNING.blocked_elements or array.flags.c_contiguous or array.dtype.hasobject:
        return array.copy()
    order = sorted(range(len(shape)), key=lambda k: -abs(strides[k]))
    apart = len(shape) > 1 and strides[-2] != shape[-1] * strides[-1]  # else NumPy takes both axes as one
    columns = range(
        shape[-1] if apart and order[0] < len(shape) - 1 and 1 < shape[-1] <= TUNING.copy_narrow_columns else 0
    )
    axis = max(range(len(shape)), key=lambda k: abs(strides[k]) if shape[k] > 1 else -1)
    length = shape[axis]
    count = min(max(array.size // TUNING.block_elements, 1), length)
    out = np.empty(shape, array.dtype)
    crowded = order[-1] != len(shape) - 1 and not strides[order[-2]] % TUNING.copy_crowded_stride

    def work(turn: int) -> None:
        here = (*[slice(None)] * axis, slice(turn * length // count, (turn + 1) * length // count))
        to, part = out[here], array[here]
        if crowded:
            part = _with_margins(part.transpose(order)).transpose(np.argsort(order))
        for k in columns:
            to[..., k] = part[..., k]
        if not columns:
            to[...] = part

    with _COPIES.over(TUNING.copy_byte_ns * array.nbytes, count * max(len(columns), 1)) as threads:
        if threads == 1 and not columns and (order == list(range(len(shape))) or 0 in strides):
            np.copyto(out, array)
        else:
            spread(work, count, threads)
    return out


def _with_margins(array: np.ndarray) -> np.ndarray:
    """A copy whose rows lie a cache line further apart than they are long."""
    wider = np.empty((*array.shape[:-1], array.shape[-1] + 64 // array.itemsize), array.dtype)
    rows = wider[..., : array.shape[-1]]
    rows[...] = array
    return rows
