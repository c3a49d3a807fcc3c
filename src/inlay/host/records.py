"""HostFunction: all that is known of a user's Python function in a graph. Everything else reads it."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inlay.core.opdef import Effect
from inlay.core.site import Site
from inlay.types import dtypes, nest
from inlay.types.dtypes import DType
from inlay.types.exact import exact_key
from inlay.types.shapes import Dims


class Mode(enum.Enum):
    """What the function receives."""

    NUMPY = "numpy"
    EAGER = "eager"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One declared output: its dtype, what is known of its shape, and its place in the declared structure."""

    dtype: DType
    dims: Dims
    path: str = ""


class Slot:
    """In a template: the place of one input value, or of the components of a composite."""

    __slots__ = ("composite", "count", "index")

    def __init__(self, index: int, count: int = 1, composite: Any = None) -> None:
        self.index, self.count, self.composite = index, count, composite

    def value(self, flat: Sequence[Any]) -> Any:
        """The argument, from the flat values of a call."""
        if self.composite is None:
            return flat[self.index]
        return self.composite._rebuild(flat[self.index : self.index + self.count])

    def shape(self, flat: Sequence[Any]) -> Any:
        """The argument's shape, from those of the flat values."""
        if self.composite is None:
            return flat[self.index]
        return self.composite._component_shape(flat[self.index : self.index + self.count])


class Plain:
    """In a template: an object that holds no tensor and is passed as it is, containers included."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


@dataclass(frozen=True, slots=True)
class Template:
    """How flat input values become the function's arguments: nests whose leaves are `Slot`s or plain objects."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def fill(self, values: Sequence[Any], take: Callable[[Slot, Any], Any] = Slot.value) -> tuple[tuple[Any, ...], Any]:
        """The positional and keyword arguments for one call.

        Args:
          values: the flat input values.
          take: how a slot becomes an argument.
        """

        def place(leaf: Any) -> Any:
            return take(leaf, values) if leaf.__class__ is Slot else leaf

        def filled(part: Any) -> Any:
            if part.__class__ is Plain:
                return part.value
            return place(part) if part.__class__ is Slot else nest.map_structure(place, part)

        return tuple(map(filled, self.args)), {k: filled(v) for k, v in self.kwargs.items()}

    def shapes(self, found: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        """The arguments of a shape rule: shapes in place of tensors."""
        return self.fill(found, Slot.shape)

    def key(self) -> Any:
        """Equal keys mean that equal inputs become equal arguments. It has no hash if a plain object has none."""
        return tuple(map(_part_key, self.args)), tuple((k, _part_key(part)) for k, part in self.kwargs.items())

    @staticmethod
    def holds_tensors(part: Any) -> bool:
        """Whether a part of a template has a slot."""
        return part.__class__ is not Plain and any(leaf.__class__ is Slot for leaf in nest.flatten(part))


def _part_key(part: Any) -> Any:
    """The key of a part of a template."""
    if part.__class__ is Slot:
        return Slot, part.index, part.count, None if part.composite is None else part.composite._type_spec
    if part.__class__ is Plain:
        return Plain, exact_key(part.value)
    if nest.is_nested(part):
        order = tuple(part) if isinstance(part, Mapping) else None
        return type(part), order, tuple((at, _part_key(child)) for at, child in nest._items(part))
    return Plain, exact_key(part)


class Form(enum.Enum):
    """How the results are handed to the caller."""

    SINGLE = "single"  # one dtype: one tensor
    LIST = "list"  # a flat list or tuple of dtypes: always a list, as in TensorFlow
    NEST = "nest"  # anything deeper: the declared structure


@dataclass(frozen=True, slots=True)
class Outputs:
    """The declared result of a function.

    Attributes:
      form: how results are packed.
      leaves: the declared tensors, flat.
      structure: for NEST, the declared nest (leaves are dtypes or specs).
      composites: for each item, the composite spec it is (ragged, sparse) or None; empty if there is none.
      arrays: whether a list where one value is declared counts as several values (contrib).
    """

    form: Form
    leaves: tuple[Leaf, ...]
    structure: Any = None
    composites: tuple[Any, ...] = ()
    arrays: bool = False

    def pack(self, tensors: Sequence[Any]) -> Any:
        """Flat tensors as the caller gets them."""
        items = self.items(tensors)
        if self.form is Form.SINGLE:
            return items[0]
        if self.form is Form.LIST:
            return items
        return nest.pack_sequence_as(self.structure, items)

    def items(self, tensors: Sequence[Any]) -> list[Any]:
        """Flat tensors with the components of composites put together."""
        if not any(self.composites):
            return list(tensors)
        out, rest = [], list(tensors)
        for spec in self.composites:
            if spec is None:
                out.append(rest.pop(0))
            else:
                count = len(spec._components())
                out.append(spec._from_components(rest[:count]))
                del rest[:count]
        return out


@dataclass(frozen=True, slots=True, eq=False)
class HostFunction:
    """A user's function and everything declared about it.

    Attributes:
      fn: the callable.
      mode: what it receives.
      outputs: what it returns.
      effect: `Effect.STATEFUL` or `Effect.PURE`.
      label: its name and definition, for messages.
      site: where the program made it an op.
      template: how inputs become arguments; None is one positional argument per input.
      grad: the user's gradient, or None.
      copy: whether inputs are the function's own to write; False hands out read-only views.
      shape_of: output shapes from input shapes, checked on every call; None if there is no such rule.
    """

    fn: Callable[..., Any]
    mode: Mode
    outputs: Outputs
    effect: Effect
    label: str
    site: Site
    template: Template | None = None
    grad: Callable[..., Any] | None = None
    copy: bool = True
    shape_of: Callable[..., Any] | None = field(default=None)

    @property
    def name(self) -> str:
        """The function's short name."""
        return self.label.split(" ", 1)[0]

    @property
    def takes_copies(self) -> bool:
        """Whether the function never sees the runtime's own arrays, but copies (or views that the user asked for)."""
        return self.mode is Mode.NUMPY

    def is_plain(self) -> bool:
        """Whether a call can be written out: positional arguments, one numeric result, no computed shapes."""
        leaves = self.outputs.leaves
        return (
            self.template is None
            and self.shape_of is None
            and self.outputs.form is not Form.NEST
            and len(leaves) == 1
            and not self.outputs.composites
            and leaves[0].dtype not in (dtypes.string, dtypes.resource, dtypes.variant)
            and not leaves[0].dtype.is_quantized
        )

    def merge_key(self) -> tuple[Any, ...]:
        """Equal keys mean the same function declared alike; `==` compares bound methods.

        The key has no hash if a keyword argument has none: such a call is never merged.
        """
        try:
            hash(self.fn)
            fn: Any = self.fn
        except TypeError:
            fn = id(self.fn)
        outputs = self.outputs
        template = None if self.template is None else self.template.key()
        return (
            fn, self.mode, outputs.leaves, outputs.composites, outputs.arrays, id(self.grad), self.copy, template,
            id(self.shape_of),
        )  # fmt: skip
