"""`HostFunction`: the record of a user's Python function and its declaration, which the whole package reads."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inlay._src.base.types import nest
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.base.types.template import Template
from inlay._src.core.executor import Executor
from inlay._src.core.opdef import Effect
from inlay._src.core.site import Site
from inlay._src.host.memory_views import lending


class Mode(enum.Enum):
    """The kind of values that the function receives."""

    NUMPY = "numpy"
    EAGER = "eager"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One declared output: its dtype, its static shape, and its place in the declared structure."""

    dtype: DType
    dims: Dims
    path: str = ""


class ResultForm(enum.Enum):
    """The structure in which the caller receives the results."""

    SINGLE = "single"  # one dtype: one tensor
    LIST = "list"  # a flat list or tuple of dtypes: always a list, as in TensorFlow
    NEST = "nest"  # anything deeper: the declared structure


# Python looks a member of an enumeration up for as long as a small call takes.
_NUMPY, _SINGLE = Mode.NUMPY, ResultForm.SINGLE


@dataclass(frozen=True, slots=True)
class Outputs:
    """The declared result of a function.

    Attributes:
      form: the structure of the results.
      leaves: the declared tensors, flat.
      structure: for NEST, the declared nest (leaves are dtypes or specs).
      composites: for each item, the composite spec it is (ragged, sparse) or None; empty if there is none.
      arrays: whether a list where one value is declared counts as several values (contrib).
      dtypes, dims: of the leaves.
      array: NumPy's dtype of the one array that is declared; None where more should be looked at.
    """

    form: ResultForm
    leaves: tuple[Leaf, ...]
    structure: Any = None
    composites: tuple[Any, ...] = ()
    arrays: bool = False
    dtypes: tuple[DType, ...] = field(init=False, repr=False, compare=False)
    dims: tuple[Dims, ...] = field(init=False, repr=False, compare=False)
    array: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtypes", tuple([leaf.dtype for leaf in self.leaves]))
        object.__setattr__(self, "dims", tuple([leaf.dims for leaf in self.leaves]))
        one = len(self.leaves) == 1 and self.form is not ResultForm.NEST and not (self.composites or self.arrays)
        numbers = one and (self.dtypes[0].is_numeric or self.dtypes[0].is_bool)
        object.__setattr__(self, "array", self.dtypes[0].np if numbers else None)

    def pack(self, tensors: Sequence[Any]) -> Any:
        """Flat tensors as the caller gets them."""
        form = self.form
        if form is _SINGLE and not self.composites:
            return tensors[0]
        items = self.items(tensors)
        if form is _SINGLE:
            return items[0]
        if form is ResultForm.LIST:
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


@dataclass(slots=True)
class CallOptions:
    """The options of a call of the family, as `py_function` documents them.

    Attributes:
      sample_shapes: the shapes that the function returned for `sample`; None before it was called.
    """

    kwargs: Mapping[str, Any] | None = None
    output_shapes: Any = None
    sample: Sequence[Any] | None = None
    stateful: bool = True
    grad: Callable[..., Any] | None = None
    copy: bool = True
    executor: Any = None
    rng: Any = None
    sample_shapes: list[tuple[int, ...]] | None = field(default=None, init=False)


@dataclass(slots=True, eq=False)
class HostFunction:
    """A user's function and everything declared about it.

    It never changes; it is not frozen because a graph of ten thousand would take 15 ms longer to build.

    Attributes:
      fn: the callable.
      mode: the kind of its arguments.
      outputs: the declared result.
      effect: `Effect.STATEFUL` or `Effect.PURE`.
      label: its name and definition, for messages.
      site: the place in the program that made it an op.
      template: (positional, keyword) arguments with holes for inputs; None is one positional argument per input.
      grad: the user's gradient, or None.
      copy: whether inputs are the function's own to write; False hands out read-only views, of arrays as arguments
        and of tensors to the body that asks them for memory.
      shape_of: output shapes from input shapes, checked on every call; None if there is no such rule.
      executor: the executor that runs it; None runs it in place.
      source: the source that came with a saved function, for readers; "" for others.
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
    executor: Executor | None = None
    source: str = field(default="", init=False)

    @property
    def name(self) -> str:
        """The function's short name."""
        return self.label.split(" ", 1)[0]

    @property
    def called(self) -> Callable[..., Any]:
        """The function that a call runs: `fn`, wrapped so that tensors give read-only views if `copy` is False."""
        return self.fn if self.copy or self.mode is _NUMPY else lending(self.fn)

    @property
    def takes_copies(self) -> bool:
        """Whether the function never sees the runtime's own arrays, but copies (or views that the user asked for)."""
        return self.mode is _NUMPY

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
            id(self.shape_of), id(self.executor),
        )  # fmt: skip
