"""Random arguments for calls of ops, the same ones wherever they are drawn: a call is its name, its number and a seed.

A table of calls (`calls/`) says with `calls` which functions of the library a family of arguments is for:

    @calls("add subtract maximum")
    def two_numbers(d):
        return d.call(*d.broadcasting(2, d.dtype("real")))

`d` draws. What it makes with `given` becomes a tensor, in graphs a placeholder; with `fixed` a constant; anything else
is handed over as it is.
"""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_DTYPES = {
    "float": ("float32", "float64", "float16", BFLOAT16),
    "int": ("int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64"),
    "index": ("int32", "int64"),
    "complex": ("complex64", "complex128"),
}
_DTYPES["wide"] = ("float32", "float64")
_DTYPES["real"] = (*_DTYPES["float"], *_DTYPES["int"])
_DTYPES["floating"] = (*_DTYPES["float"], *_DTYPES["complex"])
_DTYPES["number"] = (*_DTYPES["real"], *_DTYPES["complex"])
_DTYPES["any"] = (*_DTYPES["number"], "bool")
_USUAL = {"int": "int32", "index": "int32", "complex": "complex64"}
_ODD = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e30, 1e-30)
_DIMS = (0, 1, 1, 2, 2, 2, 3, 3, 4)


@dataclasses.dataclass(frozen=True)
class Given:
    """An array that is handed over as a tensor; in graphs through a placeholder, in functions as an argument.

    Attributes:
      array: the numbers.
      form: what is made of the tensor: "ragged", "sparse", "variable"; "numpy" is the array itself.
    """

    array: np.ndarray
    form: str = ""


@dataclasses.dataclass(frozen=True)
class Fixed:
    """An array that is handed over as a constant tensor."""

    array: np.ndarray


@dataclasses.dataclass(frozen=True)
class Call:
    """What a function is called with.

    Attributes:
      args: positional arguments.
      kwargs: keyword arguments.
      order: how often it is differentiated.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    order: int = 2

    @property
    def finite(self) -> bool:
        """Whether all numbers given are finite: elsewhere derivatives are accidents."""
        return all(np.isfinite(np.asarray(g.array, np.complex128)).all() for g in self.given if g.array.dtype != object)

    @property
    def given(self) -> list[Given]:
        """What becomes tensors, in order."""
        return [leaf for leaf in leaves((self.args, self.kwargs)) if isinstance(leaf, Given)]


def leaves(value: Any) -> list[Any]:
    """The leaves of nested tuples, lists and dictionaries."""
    if isinstance(value, dict):
        return [leaf for v in value.values() for leaf in leaves(v)]
    if isinstance(value, (tuple, list)):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def described(value: Any) -> str:
    """An argument as a reader sees it."""
    if isinstance(value, Given):
        text = np.array2string(value.array, separator=",", threshold=1000, precision=6).replace("\n", "")
        return f"{value.form and value.form + ' '}{value.array.dtype}{list(value.array.shape)}{text.replace(' ', '')}"
    if isinstance(value, Fixed):
        return f"fixed({value.array.dtype}{value.array.tolist()})"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(described, value))
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    return str(value) if isinstance(value, np.dtype) else repr(value)


def text_of(name: str, call: Call) -> str:
    """A call as a reader sees it."""
    parts = [*map(described, call.args), *(f"{k}={described(v)}" for k, v in call.kwargs.items())]
    return f"{name}({', '.join(parts)})"


def fingerprint(name: str, call: Call) -> int:
    """A number that changes with the call: a recording of another one is stale."""
    text = name
    for leaf in leaves((call.args, sorted(call.kwargs.items()))):
        array = leaf.array if isinstance(leaf, (Given, Fixed)) else None
        if array is None:
            text += repr(leaf)
        else:
            text += f"{array.dtype}{array.shape}{array.tolist() if array.dtype == object else array.tobytes()}"
            text += getattr(leaf, "form", "")
    return zlib.crc32(text.encode())


class Draws:
    """Random arguments.

    Args:
      seed: text that decides every draw.
    """

    def __init__(self, seed: str) -> None:
        self.random = np.random.RandomState(zlib.crc32(seed.encode()))

    def call(self, *args: Any, order: int = 2, **kwargs: Any) -> Call:
        """A call; `optional` arguments that were not drawn fall away."""
        return Call(args, {k: v for k, v in kwargs.items() if v is not ABSENT}, order)

    def chance(self, probability: float) -> bool:
        """True with a probability."""
        return bool(self.random.random_sample() < probability)

    def pick(self, *options: Any) -> Any:
        """One of the options."""
        return options[self.random.randint(len(options))]

    def optional(self, *options: Any) -> Any:
        """One of the options, or nothing at all."""
        return ABSENT if self.chance(0.4) else self.pick(*options)

    def whole(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return int(self.random.randint(low, high + 1))

    def dtype(self, kind: str) -> Any:
        """A dtype of a kind, the usual one half of the time."""
        if kind not in _DTYPES:
            return np.dtype(kind)
        usual = _USUAL.get(kind, "float32")
        return np.dtype(usual if self.chance(0.5) else self.pick(*_DTYPES[kind]))

    def shape(self, low: int = 0, high: int = 4, *, empty: bool = True) -> tuple[int, ...]:
        """A shape of a rank from `low` to `high`; small, sometimes without elements."""
        rank = min(max(self.pick(0, 1, 1, 2, 2, 2, 3, 3, 4), low), high)
        dims = [self.pick(*_DIMS) for _ in range(rank)]
        return tuple(d if d or (empty and self.chance(0.5)) else 2 for d in dims)

    def array(self, dtype: Any, shape: Sequence[int], low: float = -3.0, high: float = 3.0, odd: bool = True) -> Any:
        """Numbers between two bounds; now and then whole ones, so that some are equal; now and then odd ones."""
        dtype = np.dtype(dtype)
        size = tuple(shape)
        if dtype.kind == "b":
            return self.random.random_sample(size) < 0.5
        if dtype.kind == "O":
            return self.texts(size)
        if dtype.kind in "iu":
            return self.random.randint(int(max(low, 0) if dtype.kind == "u" else low), int(high) + 1, size).astype(
                dtype
            )
        values = low + (high - low) * self.random.random_sample(size)
        if self.chance(0.2):
            values = np.clip(np.rint(values), low, high)
        if dtype.kind == "c":
            values = values + 1j * (low + (high - low) * self.random.random_sample(size))
        elif odd and self.chance(0.12) and values.size:
            values = np.where(self.random.random_sample(size) < 0.4, self.pick(*_ODD), values)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(values).astype(dtype)

    def texts(self, shape: Sequence[int], words: Sequence[bytes] = (b"", b"a", b"Bc d", b"12", "é√".encode())) -> Any:
        """Texts as an array of objects."""
        out = np.empty(tuple(shape), object)
        out[...] = b""
        for i in np.ndindex(*out.shape):
            out[i] = self.pick(*words)
        return out

    def given(
        self, dtype: Any, shape: Sequence[int], low: float = -3.0, high: float = 3.0, *, odd: bool = True
    ) -> Given:
        """Numbers as a tensor."""
        return Given(self.array(self.dtype(dtype) if isinstance(dtype, str) else dtype, shape, low, high, odd))

    def fixed(self, values: Any, dtype: Any = np.int32) -> Fixed:
        """A constant."""
        return Fixed(np.array(values, dtype))

    def broadcasting(self, count: int, dtype: Any, low: float = -3.0, high: float = 3.0) -> list[Given]:
        """Tensors whose shapes broadcast, mostly; one time in thirty they do not."""
        whole = self.shape()
        made = []
        for k in range(count):
            shape = tuple(1 if k and self.chance(0.25) else d for d in whole)[
                self.whole(0, len(whole)) if k and self.chance(0.4) else 0 :
            ]
            if k and self.chance(0.03):
                shape = (*shape[:-1], 7)
            made.append(self.given(dtype, shape, low, high))
        return made

    def axis(self, rank: int, *, wrong: bool = True) -> int:
        """An axis of a rank, counted from either end; one time in thirty there is none of that number."""
        if rank == 0 or (wrong and self.chance(0.03)):
            return self.pick(0, -1, rank)
        return self.whole(-rank, rank - 1)

    def axes(self, rank: int) -> Any:
        """One axis, several, all of them (None) or a list without one."""
        if self.chance(0.3):
            return None
        if self.chance(0.5):
            return self.axis(rank)
        some = [a for a in range(rank) if self.chance(0.5)]
        return [a - rank if self.chance(0.3) else a for a in some]


class _Absent:
    """Stands for an argument that is not given."""


ABSENT = _Absent()

TABLE: dict[str, Callable[[Draws], Call]] = {}
"""Dotted name -> what draws a call of it."""

LOOSE: dict[str, float] = {}
"""Dotted name -> by how much its tolerance is larger."""


SINGLE: set[str] = set()
"""Dotted names of functions that TensorFlow computes in float32 whatever comes in."""


def calls(
    names: str, *, loose: float = 1.0, single: bool = False
) -> Callable[[Callable[[Draws], Call]], Callable[[Draws], Call]]:
    """Says for which functions, by dotted name, one draws calls; `loose` and `single` as in the tables above."""

    def register(draw: Callable[[Draws], Call]) -> Callable[[Draws], Call]:
        for name in names.split():
            assert name not in TABLE, f"{name} has calls already"
            TABLE[name] = draw
            if loose != 1.0:
                LOOSE[name] = loose
            if single:
                SINGLE.add(name)
        return draw

    return register


PROGRAMS: dict[str, Callable[..., Any]] = {}
"""Name -> what is called with the library and the arguments, where that is more than one function."""


def program(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Says that calls of a name run a function of the library and the arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[name] = function
        return function

    return register
