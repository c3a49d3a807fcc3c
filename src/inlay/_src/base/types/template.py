"""Template: a nest with holes. `flatten` splits a nest into flat values and a template; `fill` inserts other values.

    flatten([x, {"k": ragged, "n": 3}])  ->  leaves [x, values, row_splits],
                                             template [Hole(0), {"k": Hole(1, 2, ragged), "n": 3}]
    template.fill([x2, values2, row_splits2])  ->  [x2, {"k": another ragged tensor, "n": 3}]

Arguments of host functions and of traced functions, results of branches and variables of loops are carried this way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from inlay._src.base.misuse import too_deep
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.keys import key_of
from inlay._src.base.types.nest import Composite, composite_of


class Hole:
    """The place of one flat value, or of the components of a composite.

    Attributes:
      index: the number of the (first) value.
      count: the number of values.
      composite: the composite value or spec that the values are components of; None for a single value.
    """

    __slots__ = ("composite", "count", "index")

    def __init__(self, index: int, count: int = 1, composite: Any = None) -> None:
        self.index, self.count, self.composite = index, count, composite

    def value(self, flat: Sequence[Any]) -> Any:
        """The structure at this place, from the flat values."""
        if self.composite is None:
            return flat[self.index]
        return self.composite._rebuild(flat[self.index : self.index + self.count])

    def shape(self, flat: Sequence[Any]) -> Any:
        """The shape of what stands here, from those of the flat values."""
        if self.composite is None:
            return flat[self.index]
        return self.composite._component_shape(flat[self.index : self.index + self.count])

    def __repr__(self) -> str:
        more = "" if self.composite is None else f", {self.count}, {type(self.composite).__name__}"
        return f"Hole({self.index}{more})"


class Plain:
    """In a template: an object that is passed as it is, the very same one, containers included."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value: Any = value

    def __repr__(self) -> str:
        return f"Plain({self.value!r})"


def _plain_key(value: Any) -> Any:
    """The key of an object of the user's; a value without a hash may change, so it is no key."""
    try:
        hash(value)
    except TypeError:
        return value
    return key_of(value, lambda other: other)


@dataclass(frozen=True, slots=True)
class Template:
    """A nest whose leaves are `Hole`s, `Plain` objects and others, which stay as they are.

    Attributes:
      structure: the nest.
    """

    structure: Any

    def fill(self, flat: Sequence[Any], take: Callable[[Hole, Sequence[Any]], Any] = Hole.value) -> Any:
        """The nest with values in its holes; `take` says what is in a hole, from the hole and the flat values."""
        return _filled(self.structure, flat, take)

    def shapes(self, flat: Sequence[Any]) -> Any:
        """The nest with shapes in its holes, from those of the flat values."""
        return _filled(self.structure, flat, Hole.shape)

    def holes(self) -> list[Hole]:
        """The holes, in flattening order."""
        return [leaf for leaf in nest.flatten(self.structure) if leaf.__class__ is Hole]

    def key(self) -> Any:
        """Equal keys mean that equal flat values make equal nests. It has no hash if the key of a leaf has none."""
        return part_key(self.structure, _plain_key, lambda value: value._type_spec, True)


def _filled(part: Any, flat: Sequence[Any], take: Callable[[Hole, Sequence[Any]], Any]) -> Any:
    kind = part.__class__
    if kind is Hole:
        return take(part, flat)
    if kind is Plain:
        return part.value
    if kind is dict:  # with lists and tuples nearly all there is; filled at every call of a host function
        return {key: _filled(child, flat, take) for key, child in part.items()}
    if kind is list or kind is tuple:
        return kind([_filled(child, flat, take) for child in part])
    if nest.is_nested(part):
        return nest._like(part, [_filled(child, flat, take) for _, child in nest._items(part)])
    return part


def part_key(part: Any, plain: Callable[[Any], Any], composite: Callable[[Any], Any], ordered: bool) -> Any:
    """The key of a part of a template's structure; see `Template.key`.

    Args:
      part: the part.
      plain: the key of a leaf that is no hole.
      composite: the key of what the components of a composite are put together to.
      ordered: whether mappings that differ in the order of their keys are distinguished.
    """
    kind = part.__class__
    if kind is Hole:
        return Hole, part.index, part.count, None if part.composite is None else composite(part.composite)
    if kind is Plain:
        return plain(part.value)
    if nest.is_nested(part):
        order = tuple(part) if ordered and isinstance(part, Mapping) else None
        return kind, order, tuple([(at, part_key(child, plain, composite, ordered)) for at, child in nest._items(part)])
    return plain(part)


def has_holes(part: Any) -> bool:
    """Whether a part of a template's structure has a hole."""
    return any(leaf.__class__ is Hole for leaf in nest.flatten(part))


class Flattening:
    """Nests being flattened one after the other: the values that were taken out so far.

    Attributes:
      values: the flat values.
    """

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: list[Any] = []

    def single(self, value: Any) -> Hole:
        """Takes a value out as one value, whatever it is; returns its place."""
        self.values.append(value)
        return Hole(len(self.values) - 1)

    def hole(self, value: Any) -> Hole:
        """Takes a value out, a composite by its components; returns its place."""
        composite = composite_of(value)
        return self.single(value) if composite is None else self.components(composite, composite._components())

    def components(self, composite: Composite, components: Sequence[Any]) -> Hole:
        """Takes the components of a composite out; returns their place."""
        self.values.extend(components)
        return Hole(len(self.values) - len(components), len(components), composite)

    def part(self, structure: Any, place: Callable[[Any], Any] | None = None) -> Any:
        """A nest with holes in place of what was taken out: every leaf, or those for which `place` gives a hole."""
        if nest.is_nested(structure):
            try:
                children = [self.part(child, place) for _, child in nest._items(structure)]
            except RecursionError:
                raise too_deep() from None
            return nest._like(structure, children)
        return (place or self.hole)(structure)


def flatten(structure: Any) -> tuple[list[Any], Template]:
    """The leaves of a nest, composites by their components, and what puts them together again."""
    flat = Flattening()
    part = flat.part(structure)
    return flat.values, Template(part)


# ---------------------------------------------------------------- arguments of calls


def flatten_arguments(
    args: Sequence[Any], kwargs: Mapping[str, Any], tensor: type
) -> tuple[list[Any], tuple[tuple[Hole, ...], dict[str, Any]]]:
    """The inputs among the arguments of a call.

    Each positional argument is an input. In `kwargs`, tensors, arrays and composites anywhere in a nest are inputs; all
    other objects are `Plain`.

    Args:
      args: the positional arguments.
      kwargs: the keyword arguments.
      tensor: the class of tensors.

    Returns:
      The flat inputs, and the arguments with holes for them.
    """
    flat = Flattening()

    def leaf(value: Any) -> Any:
        return Plain(value) if is_plain(value, tensor) else _argument(flat, value)

    positional = tuple([_argument(flat, value) for value in args])
    keyword = {
        name: Plain(value) if is_plain(value, tensor) else flat.part(value, leaf) for name, value in kwargs.items()
    }
    return flat.values, (positional, keyword)


def flatten_nested_arguments(
    args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[list[Any], tuple[tuple[Any, ...], dict[str, Any]]]:
    """The leaves of the arguments of a call, all of which are inputs; keyword arguments are sorted by name.

    Args:
      args: the positional arguments, nests.
      kwargs: the keyword arguments, nests.

    Returns:
      The flat inputs, and the arguments with holes for them.
    """
    flat = Flattening()

    def leaf(value: Any) -> Hole:
        return _argument(flat, value)

    positional = tuple([flat.part(value, leaf) for value in args])
    return flat.values, (positional, {name: flat.part(kwargs[name], leaf) for name in sorted(kwargs)})


def _argument(flat: Flattening, value: Any) -> Hole:
    """Adds an input: a composite by its components, unless it converts to one tensor."""
    return flat.single(value) if hasattr(value, "__tf_tensor__") else flat.hole(value)


def is_tensor_like(value: Any, tensor: type) -> bool:
    """Whether a value among keyword arguments is an input: a tensor, a variable or an array."""
    if isinstance(value, (np.ndarray, np.generic)):
        return dtypes.from_numpy(value.dtype.newbyteorder("=")) is not None if value.dtype.kind != "V" else False
    return isinstance(value, tensor) or hasattr(value, "__tf_tensor__")


def is_plain(value: Any, tensor: type) -> bool:
    """Whether a value among keyword arguments contains no input, so that it is passed as it is."""
    return not any(isinstance(leaf, Composite) or is_tensor_like(leaf, tensor) for leaf in nest.flatten(value))
