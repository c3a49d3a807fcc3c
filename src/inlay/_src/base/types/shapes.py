"""Partial shapes: `TensorShape`, and pure functions on tuples of `int | None`."""

from __future__ import annotations

import functools
import operator
import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from numbers import Integral
from typing import Any, ClassVar, overload

from inlay._src.base.export import export
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.attributes import ProtoMessage

__all__ = ["Dims", "TensorShape", "as_shape", "broadcast", "merge"]

Dims = tuple["int | None", ...] | None
"""A shape as data: None is unknown rank; a None inside is an unknown size."""


def _dim(value: Any) -> int | None:
    if value.__class__ is not int:
        value = value.value if isinstance(value, Dimension) else value
        if value is None:
            return None
        try:
            value = int(value.__index__())
        except (AttributeError, TypeError, RecursionError):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, got value "
                f"'{reprlib.repr(value)}' with type '{type(value)!r}'"
            ) from None
    if value < 0:
        raise ValueError(f"Dimension {value} must be >= 0")
    return value


def _rank(value: Any) -> int:
    """A rank; TypeError if it is no integer."""
    try:
        rank = int(value.__index__())
    except (AttributeError, TypeError):
        raise TypeError(f"A rank must be an integer, got {type(value).__name__}") from None
    if rank > sys.maxsize >> 32:
        raise ValueError(f"No shape has rank {rank}")
    return rank


def _operation(operator: Callable[[int, int], Any], form: Callable[[Any], Any], swapped: bool = False) -> Any:
    """A method of `Dimension` for an operator of two sizes, whose result is None if one of them is."""

    def method(self: Dimension, other: Any) -> Any:
        try:
            one, two = self.value, _dim(other)
        except (TypeError, ValueError):
            return NotImplemented
        if one is None or two is None:
            return form(None)
        return form(operator(two, one) if swapped else operator(one, two))

    return method


@export("compat.v1.Dimension", "Dimension")
class Dimension:
    """One size of a shape in the 1.x style, known or not: the type of `shape[0]` under v1 behavior.

    Args:
      value: an integer, another Dimension, or None for a size that is not known.
    """

    __slots__ = ("_value",)

    @boundary
    def __init__(self, value: Any) -> None:
        try:
            self._value = _dim(value)
        except Exception as error:
            leave(error)
            raise

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both may be one size."""
        return None in (self._value, _dim(other)) or self._value == _dim(other)

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both may be one size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The size that both say; ValueError if they contradict one another."""
        self.assert_is_compatible_with(other)
        return Dimension(other if self._value is None else self._value)

    def __eq__(self, other: object) -> Any:
        return _EQUAL(self, other)

    def __ne__(self, other: object) -> Any:
        return _UNEQUAL(self, other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', please use // instead"
        )

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', please use // instead"
        )

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __index__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __bool__(self) -> bool:
        return bool(self._value)

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)


def _itself(result: Any) -> Any:
    return result


_EQUAL, _UNEQUAL = _operation(operator.eq, _itself), _operation(operator.ne, _itself)
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _operation(getattr(operator, _name), Dimension))
    setattr(Dimension, f"__r{_name}__", _operation(getattr(operator, _name), Dimension, swapped=True))
for _name in ("lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _operation(getattr(operator, _name), _itself))


class _ItemMode:
    """The class of `shape[0]` and of the items of a shape: numbers and None, or Dimensions as in 1.x."""

    numbers = True


def as_item(size: int | None) -> Any:
    """A size as the item of a shape that a program sees."""
    return size if _ItemMode.numbers else Dimension(size)


@export("enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """Makes the items of shapes numbers and None (the default)."""
    _ItemMode.numbers = True


@export("disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """Makes the items of shapes Dimensions, as in 1.x: `x.shape[0].value`."""
    _ItemMode.numbers = False


@export("compat.dimension_value", "compat.v1.dimension_value")
def dimension_value(dimension: Any) -> int | None:
    """The size that an item of a shape stands for, in both styles: `dimension.value`, or the number itself."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


@export("compat.dimension_at_index", "compat.v1.dimension_at_index")
@explained
def dimension_at_index(shape: Any, index: int) -> Dimension:
    """The size of one axis as a Dimension, in both styles; one that is not known where the rank is not."""
    dims = as_shape(shape)._dims
    if not isinstance(index, Integral):
        raise TypeError(f"`index` must be a whole number, got {repr_of(index)}")
    if dims is not None and not -len(dims) <= index < len(dims):
        raise IndexError(f"`index` must be in [-{len(dims)}, {len(dims)}), got {index}")
    return Dimension(None if dims is None else dims[index])


@export("TensorShape")
class TensorShape:
    """The static shape of a tensor: sizes known, partly known, or of unknown rank.

    Args:
      dims: None (unknown rank), an int, a TensorShape, or an iterable of sizes where None is unknown.
    """

    __slots__ = ("__dict__", "__weakref__", "_dims")

    @boundary
    def __init__(self, dims: Any = None) -> None:
        if dims is None:
            self._dims: Dims = None
        elif isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif isinstance(dims, (str, bytes)):
            raise TypeError(f"Failed to convert {repr_of(dims)} to a shape: it is text, not a list of sizes.")
        else:
            try:
                sizes = iter(dims)
            except TypeError:
                sizes = iter((dims,))
            try:
                self._dims = tuple(_dim(d) for d in sizes)
            except Exception as error:
                leave(error)
                raise

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as Dimensions, or None for unknown rank."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    def as_list(self) -> list[int | None]:
        """The sizes as a list of `int | None`; ValueError if the rank is unknown."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape. (inlay explain unknown-shape)")
        return list(self._dims)

    def as_proto(self) -> ProtoMessage:
        """The shape as a `TensorShapeProto`."""
        from inlay._src.base.protos.tensor import TensorShapeProto

        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[{"size": -1 if n is None else n} for n in self._dims])

    def is_fully_defined(self) -> bool:
        """Whether the rank and all sizes are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """ValueError if the rank or a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    @explained
    def assert_has_rank(self, rank: int) -> None:
        """ValueError if the rank is known and is not `rank`."""
        if self._dims is not None and len(self._dims) != _rank(rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    @explained
    def assert_same_rank(self, other: Any) -> None:
        """ValueError if the ranks are known and differ."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    @explained
    def with_rank(self, rank: int) -> TensorShape:
        """This shape if its rank may be `rank`, with unknown sizes filled in; ValueError otherwise."""
        rank = _rank(rank)
        try:
            return self.merge_with((None,) * max(rank, 0))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    @explained
    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is known and is less than `rank`."""
        if self._dims is not None and len(self._dims) < _rank(rank):
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    @explained
    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if its rank is known and is greater than `rank`."""
        if self._dims is not None and len(self._dims) > _rank(rank):
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def num_elements(self) -> int | None:
        """The product of the sizes, or None if it is not known."""
        return prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    @explained
    def is_compatible_with(self, other: Any) -> bool:
        """Whether one concrete shape could satisfy both."""
        return compatible(self._dims, as_shape(other)._dims)

    @explained
    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if no concrete shape satisfies both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    @explained
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

    @explained
    def merge_with(self, other: Any) -> TensorShape:
        """The shape that says what both say; ValueError if they contradict one another."""
        return from_dims(merge(self._dims, as_shape(other)._dims))

    def most_specific_common_supertype(self, others: Iterable[Any]) -> TensorShape | None:
        """The narrowest shape that this one and all the others fit; None if one of them is no TensorShape."""
        try:
            wider = list(others)
        except TypeError:  # a scalar array has the method and refuses to iterate
            raise TypeError(f"`others` must be a list of shapes, got {repr_of(others)}") from None
        if not all(isinstance(other, TensorShape) for other in wider):
            return None
        return functools.reduce(TensorShape.most_specific_compatible_shape, wider, self)

    @explained
    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that both satisfy."""
        dims = as_shape(other)._dims
        if self._dims is None or dims is None or len(dims) != len(self._dims):
            return TensorShape(None)
        return from_dims(tuple(a if a == b else None for a, b in zip(self._dims, dims, strict=True)))

    @explained
    def concatenate(self, other: Any) -> TensorShape:
        """This shape's sizes followed by `other`'s; unknown rank if either rank is unknown."""
        dims = as_shape(other)._dims
        return from_dims(None if self._dims is None or dims is None else self._dims + dims)

    @explained
    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims) if _ItemMode.numbers else map(Dimension, self._dims)

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    @overload
    def __getitem__(self, key: int) -> int | Any: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return from_dims(self._part(key))
        try:
            return as_item(None if self._dims is None else self._dims[key])
        except IndexError:
            raise IndexError(f"{self} has no size {repr_of(key)}") from None
        except TypeError:
            raise TypeError(f"A shape's index must be an integer or a slice, got {reprlib.repr(key)}") from None

    def _part(self, key: slice) -> Dims:
        """The sizes of a slice; of a shape of unknown rank, those that it must have."""
        if self._dims is not None:
            return self._dims[key]
        start, stop = key.start or 0, key.stop
        countable = key.step in (None, 1) and stop is not None and start >= 0 and stop >= start
        return (None,) * (stop - start) if countable else None

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
        return f"TensorShape({None if self._dims is None else list(self)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return f"({as_item(self._dims[0])},)"
        return f"({', '.join(str(d) for d in self)})"

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
    """The merged dimension; ValueError with TensorFlow's wording if they contradict one another."""
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
            raise ValueError(f"Dimensions must be equal, but are {x} and {y}")
    return tuple(out)


def bracketed(dims: Iterable[int | None] | None) -> str:
    """The wire format's spelling: `[2,?]`; `<unknown>` for unknown rank."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def reshape_refusal(count: int, sizes: Sequence[int]) -> ValueError:
    """The error for elements that cannot take a shape.

    Args:
      count: the number of elements.
      sizes: the shape, where -1 is a size to compute.
    """
    below = [axis for axis, size in enumerate(sizes) if size < 0]
    for axis in below:
        if sizes[axis] < -1:
            return ValueError(f"Size {axis} must be non-negative, not {sizes[axis]}")
    if len(below) > 1:
        return ValueError(f"Only one input size may be -1, not both {below[0]} and {below[1]}")
    return ValueError(
        f"Input to reshape is a tensor with {count} values, but the requested shape has {prod(sizes)}: {list(sizes)}"
    )
