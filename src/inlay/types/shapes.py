"""Partial shapes: `TensorShape`, and pure functions on tuples of `int | None`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from inlay.export import export

__all__ = ["Dims", "TensorShape", "as_shape", "broadcast", "merge"]

Dims = tuple["int | None", ...] | None
"""A shape as data: None is unknown rank; a None inside is an unknown size."""


def _dim(value: Any) -> int | None:
    if value is None:
        return None
    if value.__class__ is not int:
        value = getattr(value, "value", value) if type(value).__name__ == "Dimension" else value
        if value is None:
            return None
        try:
            value = int(value.__index__())
        except AttributeError:
            raise TypeError(
                f"Dimension value must be integer or None or have an __index__ method, got value '{value!r}' with "
                f"type '{type(value)!r}'"
            ) from None
    if value < 0:
        raise ValueError(f"Dimension {value} must be >= 0")
    return value


class Dimension(int):
    """A known size in the 1.x style: an int that also has `.value`."""

    @property
    def value(self) -> int:
        return int(self)


@export("TensorShape")
class TensorShape:
    """The static shape of a tensor: sizes known, partly known, or of unknown rank.

    Args:
      dims: None (unknown rank), an int, a TensorShape, or an iterable of sizes where None is unknown.
    """

    __slots__ = ("_dims",)
    _dims: Dims

    def __init__(self, dims: Any = None) -> None:
        if dims is None:
            self._dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"Failed to convert {dims!r} to a shape: it is text, not a list of sizes.")
        else:
            try:
                sizes = iter(dims)
            except TypeError:
                sizes = iter((dims,))
            self._dims = tuple(_dim(d) for d in sizes)

    @property
    def dims(self) -> list[int | None] | None:
        """The sizes as a list, or None for unknown rank."""
        return None if self._dims is None else [d if d is None else Dimension(d) for d in self._dims]

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    def as_list(self) -> list[int | None]:
        """The sizes as a list of `int | None`; ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def is_fully_defined(self) -> bool:
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def assert_has_rank(self, rank: int) -> None:
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape if its rank may be `rank`, with unknown sizes filled in; ValueError otherwise."""
        try:
            return self.merge_with((None,) * rank)
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def num_elements(self) -> int | None:
        """The product of the sizes, or None if it is not known."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one concrete shape could satisfy both."""
        return compatible(self._dims, as_shape(other)._dims)

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every concrete shape of this one is one of `other`'s."""
        dims = as_shape(other)._dims
        if dims is None:
            return True
        return (
            self._dims is not None
            and len(self._dims) == len(dims)
            and all(b is None or a == b for a, b in zip(self._dims, dims, strict=True))
        )

    def merge_with(self, other: Any) -> TensorShape:
        """The shape that says what both say; ValueError if they contradict one another."""
        return from_dims(merge(self._dims, as_shape(other)._dims))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that both satisfy."""
        dims = as_shape(other)._dims
        if self._dims is None or dims is None or len(dims) != len(self._dims):
            return TensorShape(None)
        return from_dims(tuple(a if a == b else None for a, b in zip(self._dims, dims, strict=True)))

    def concatenate(self, other: Any) -> TensorShape:
        """This shape's sizes followed by `other`'s; unknown rank if either rank is unknown."""
        dims = as_shape(other)._dims
        return from_dims(None if self._dims is None or dims is None else self._dims + dims)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            if isinstance(key, slice):
                return TensorShape(None)
            return None
        part = self._dims[key]
        return from_dims(part) if isinstance(key, slice) else part  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == as_shape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return f"({self._dims[0]},)"
        return f"({', '.join(str(d) for d in self._dims)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (None if self._dims is None else list(self._dims),)


UNKNOWN = TensorShape(None)


def from_dims(dims: Dims) -> TensorShape:
    """The shape of sizes that are known to be sizes."""
    shape = TensorShape.__new__(TensorShape)
    shape._dims = dims
    return shape


def as_shape(value: Any) -> TensorShape:
    """`value` as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)


def compatible(a: Dims, b: Dims) -> bool:
    """Whether one concrete shape could satisfy both."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def merge(a: Dims, b: Dims) -> Dims:
    """What both say; ValueError with TensorFlow's wording if they contradict one another."""
    if a is None:
        return b
    if b is None:
        return a
    if len(a) != len(b):
        raise ValueError(
            f"Shapes must be equal rank, but are {len(a)} and {len(b)}. Shapes are {bracketed(a)} and {bracketed(b)}."
        )
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x is not None and y is not None and x != y:
            raise ValueError(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
                f"Shapes are {bracketed(a)} and {bracketed(b)}."
            )
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def broadcast(a: Dims, b: Dims) -> Dims:
    """The shape of an elementwise op's result; ValueError if the two cannot broadcast."""
    if a == b:
        return a
    if a is None or b is None:
        return None
    if len(a) < len(b):
        a, b = b, a
    out: list[int | None] = list(a[: len(a) - len(b)])
    for x, y in zip(a[len(a) - len(b) :], b, strict=True):
        if x == y or y == 1:
            out.append(x)
        elif x == 1:
            out.append(y)
        elif x is None or y is None:
            out.append(y if x is None else x)
        else:
            raise ValueError(
                f"Dimensions must be equal, but are {x} and {y}: shapes {bracketed(a)} and "
                f"{bracketed(b)} do not broadcast."
            )
    return tuple(out)


def bracketed(dims: Iterable[int | None] | None) -> str:
    """The wire format's spelling: `[2,?]`; `<unknown>` for unknown rank."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"
