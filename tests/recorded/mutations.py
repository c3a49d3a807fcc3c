"""Calls made wrong or unusual: one argument of a drawn call is replaced by something of another kind.

A mutation is a function of the draws and of one value, and gives another value, or `NOTHING` where it does not apply.
Which argument is changed, by which mutation of those for its kind, is drawn. Nested lists are arguments too: the list
as a whole and each of its leaves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, Fixed, Given

NOTHING = object()
DTYPES = ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "bool", "complex64", "object")
Path = tuple[Any, ...]
Mutation = Callable[[Draws, Any], Any]


def places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Each argument and what is nested in it, with the way to it."""
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def replaced_at(value: Any, path: Path, new: Any) -> Any:
    """A nest with something else at one place."""
    if not path:
        return new
    if isinstance(value, dict):
        return {k: replaced_at(v, path[1:], new) if k == path[0] else v for k, v in value.items()}
    return type(value)(replaced_at(v, path[1:], new) if i == path[0] else v for i, v in enumerate(value))


def of_array(change: Callable[[Draws, np.ndarray], Any]) -> Mutation:
    """A mutation of a tensor's array."""

    def mutation(d: Draws, value: Any) -> Any:
        array = change(d, value.array)
        return NOTHING if array is NOTHING else dataclasses.replace(value, array=array)

    return mutation


def another_dtype(d: Draws, array: np.ndarray) -> Any:
    wanted = d.pick(*DTYPES)
    if np.dtype(wanted) == array.dtype:
        return NOTHING
    if "object" in (wanted, array.dtype.name):
        return d.array(np.dtype(wanted), array.shape, odd=False)
    with np.errstate(all="ignore"):
        return (array if wanted == "complex64" else array.real).astype(wanted)


def another_size(d: Draws, array: np.ndarray) -> Any:
    if not array.ndim:
        return NOTHING
    axis = d.whole(0, array.ndim - 1)
    kept = np.take(array, [], axis) if d.chance(0.3) else array
    some = [kept] if d.chance(0.2) or not array.shape[axis] else [kept, np.take(array, [0], axis)]
    return np.concatenate(some, axis) if d.chance(0.7) else np.take(array, range(array.shape[axis] // 2), axis)


def one_rank_less(d: Draws, array: np.ndarray) -> Any:
    return array[0] if array.ndim and len(array) and isinstance(array[0], np.ndarray) else NOTHING


def other_numbers(d: Draws, array: np.ndarray) -> Any:
    if array.dtype.kind not in "iufcV" or not array.size:
        return NOTHING
    value = d.pick(-1, -2, 0, 99, 5)
    if array.dtype.kind not in "iu":
        value = d.pick(np.nan, np.inf, -np.inf, 0.0, -1.0)
    if array.dtype.kind == "u":
        value = abs(value)
    out = np.array(array)
    out[...] = value if d.chance(0.4) else np.where(d.random.random_sample(array.shape) < 0.4, value, array)
    return out


def as_values(d: Draws, value: Any) -> Any:
    return value.array.tolist()


def in_the_form(form: str) -> Mutation:
    """A tensor handed over in another form."""
    return lambda d, value: dataclasses.replace(value, form=form)


ARRAYS: tuple[Mutation, ...] = (
    of_array(another_dtype),
    of_array(another_dtype),
    of_array(another_size),
    of_array(one_rank_less),
    of_array(lambda d, a: a[None]),
    of_array(lambda d, a: a[..., None]),
    of_array(lambda d, a: a.reshape(-1)),
    of_array(other_numbers),
    of_array(lambda d, a: np.zeros((0, *a.shape[1:]), a.dtype)),
    lambda d, value: None,
    as_values,
)
TENSORS: tuple[Mutation, ...] = (*ARRAYS, *map(in_the_form, ("ragged", "ragged", "sparse", "numpy", "variable")))


def unknown(dtype: Any) -> Mutation:
    """A tensor in the place of numbers: in graphs unknown while they are built."""
    return lambda d, value: as_one(value, dtype)


WHOLE: tuple[Mutation, ...] = (
    lambda d, value: d.pick(-1, -2, -5, 0),
    lambda d, value: d.pick(1, 2, 7, 99),
    lambda d, value: value + d.pick(-1, 1),
    lambda d, value: bool(value),
    lambda d, value: float(value),
    lambda d, value: value + 0.5,
    lambda d, value: str(value),
    lambda d, value: [value],
    lambda d, value: [value, value],
    lambda d, value: [],
    lambda d, value: None,
    lambda d, value: np.int64(value),
    unknown("int32"),
    unknown("int32"),
    unknown("int64"),
    unknown("float32"),
    lambda d, value: Given(np.array([value], "int32")),
)
REAL: tuple[Mutation, ...] = (
    lambda d, value: d.pick(-1.0, 0.0, 2.0, float("nan"), float("inf")),
    lambda d, value: int(value) if np.isfinite(value) else NOTHING,
    lambda d, value: d.pick(True, None, "a", [], [value], [value, value], 1j),
    lambda d, value: np.float64(value),
    unknown("float32"),
    unknown("float64"),
    unknown("int32"),
    lambda d, value: Given(np.array([value], "float32")),
)
TRUTH: tuple[Mutation, ...] = (
    lambda d, value: not value,
    lambda d, value: d.pick(0, 1, 2, None, "yes", [], [True], 1.5, np.bool_(value)),
    unknown("bool"),
    unknown("int32"),
)
TEXT: tuple[Mutation, ...] = (
    lambda d, value: d.pick("wrong", "", value.upper(), value.lower(), value + " "),
    lambda d, value: d.pick(None, 3, True, 1.5, [value], [], value.encode()),
    lambda d, value: Given(np.array(value.encode(), object)),
    lambda d, value: d.pick(*DTYPES[:-1], "string"),
)
SEVERAL: tuple[Mutation, ...] = (
    lambda d, value: type(value)(),
    lambda d, value: value[:-1],
    lambda d, value: value + value[-1:],
    lambda d, value: value[::-1],
    lambda d, value: [value],
    lambda d, value: value[0] if value else 1,
    lambda d, value: None,
    lambda d, value: tuple(value) if isinstance(value, list) else list(value),
    lambda d, value: as_one(value, "int32"),
    lambda d, value: as_one(value, "int64"),
    lambda d, value: as_one(value, "float32"),
    lambda d, value: "text",
)
ABSENT: tuple[Mutation, ...] = (lambda d, value: d.pick(0, 1, -1, 7, True, "a", 1.5, [], [0], [1, 1], "float32"),)


def as_one(value: Any, dtype: str) -> Any:
    """Numbers as one tensor, in graphs unknown while they are built; NOTHING if the dtype cannot hold them."""
    try:
        return Given(np.array(value, dtype))
    except (OverflowError, TypeError, ValueError):
        return NOTHING


def mutations_of(value: Any) -> tuple[Mutation, ...]:
    """The mutations for a value of a kind."""
    kinds: tuple[tuple[Any, tuple[Mutation, ...]], ...] = (
        (Given, TENSORS),
        (Fixed, ARRAYS),
        ((bool, np.bool_), TRUTH),
        ((int, np.integer), WHOLE),
        ((float, np.floating), REAL),
        (str, TEXT),
        ((list, tuple), SEVERAL),
        (type(None), ABSENT),
    )
    return next((m for kind, m in kinds if isinstance(value, kind)), ())


def mutated(d: Draws, call: Call) -> Call:
    """A call with one argument, now and then two, changed; without derivatives."""
    nest: Any = (call.args, call.kwargs)
    for _ in range(d.pick(1, 1, 1, 2)):
        for _ in range(10):
            able = [(path, value) for path, value in places(nest) if len(path) > 1 and mutations_of(value)]
            if not able:
                break
            path, value = d.pick(*able)
            new = d.pick(*mutations_of(value))(d, value)
            if new is not NOTHING:
                nest = replaced_at(nest, path, new)
                break
    return Call(nest[0], nest[1], 0)
