"""`Optional`: an element or its absence as a value, such as the result after the end of an iterator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import SPEC_OF, TensorSpec
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import ANSWERS, emit
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import OPS, Effect, no_gradient
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.data.composite_rules import answer
from inlay._src.data.element import Element, Values, of_tensors
from inlay._src.data.graph_ops import add_read
from inlay._src.data.iterator_state import IteratorState
from inlay._src.ops.composite.specs import CompositeSpec

__all__ = ["Optional", "OptionalSpec"]


class OptionalValue:
    """The runtime value of an `Optional`.

    Attributes:
      values: those of the element, or None.
    """

    __slots__ = ("values",)
    shape: tuple[()] = ()  # what messages print of a runtime value

    def __init__(self, values: Values | None) -> None:
        self.values = values

    def found(self) -> Values:
        """The values of the element.

        Raises:
          InvalidArgumentError: if there is none.
        """
        if self.values is None:
            raise errors.InvalidArgumentError(None, None, "The given optional does not have a value.")
        return list(self.values)

    def __repr__(self) -> str:
        return "<no value>" if self.values is None else f"<value of {len(self.values)} components>"


@op("OptionalNone", " -> variant", infer=lambda s: [()], vjp=no_gradient)
def _none(xp: Any) -> OptionalValue:
    """An optional without a value."""
    return OptionalValue(None)


@op(
    "OptionalFromValue",
    "components:*any -> variant",
    infer=lambda s: [()],
    lower=LoweringHints(aliases=True),
    vjp=no_gradient,
)
def _from_value(xp: Any, components: Sequence[Any]) -> OptionalValue:
    """An optional with a value."""
    return OptionalValue(list(components))


@op("OptionalHasValue", "optional:variant -> bool", infer=lambda s: [()], vjp=no_gradient)
def _has_value(xp: Any, optional: OptionalValue) -> Any:
    """Whether an optional has a value."""
    return np.bool_(optional.values is not None)


@op("OptionalGetValue", "optional:variant -> *output_types", lower=LoweringHints(aliases=True), vjp=no_gradient)
def _get_value(xp: Any, optional: OptionalValue, *, output_types: Any) -> Values:
    """The components of the value of an optional."""
    return optional.found()


@op(
    "IteratorGetNextAsOptional", "iterator:resource -> variant", effect=Effect.STATEFUL, infer=lambda s: [()],
    vjp=no_gradient,
)  # fmt: skip
def _get_next(xp: Any, iterator: IteratorState) -> OptionalValue:
    """The next element of an iterator, if there is one."""
    try:
        return OptionalValue(iterator.next())
    except StopIteration:
        return OptionalValue(None)


@export("experimental.Optional", "data.experimental.Optional")
class Optional(Composite):
    """A value that may be missing; see `from_value`, `empty` and `Iterator.get_next_as_optional`."""

    __slots__ = ("__dict__", "__weakref__", "_element", "_tensor")
    _element: Element
    _tensor: Any

    def __init__(self) -> None:
        raise TypeError("make an Optional with Optional.from_value or Optional.empty")

    @classmethod
    def _of(cls, tensor: Any, element: Element) -> Optional:
        optional = cls.__new__(cls)
        optional._tensor, optional._element = tensor, element
        return optional

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional with a value.

        Args:
          value: a nest of values that become tensors, or of composites.
        """
        spec, components = of_tensors(value)
        return Optional._of(emit(OPS["OptionalFromValue"], (components,)), Element(spec))

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional without a value.

        Args:
          element_spec: a nest of specs of the absent value.
        """
        return Optional._of(emit(OPS["OptionalNone"], ()), Element(element_spec))

    @property
    def _element_spec(self) -> TensorSpec | Any:
        return self._element.spec

    @_element_spec.setter
    def _element_spec(self, spec: Any) -> None:
        """Libraries set it of an empty one, whose element they learn of later."""
        self._element = Element(spec)

    @property
    def element_spec(self) -> TensorSpec | Any:
        """A nest like the value, of specs."""
        return self._element.spec

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value, a bool scalar.

        Args:
          name: the operation's.
        """
        if self._tensor.__class__ is EagerTensor and context.current().graph is None:
            return EagerTensor(np.bool_(self._tensor._value.values is not None), dtypes.bool_)
        return emit(OPS["OptionalHasValue"], (self._tensor,), {}, name)

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Args:
          name: the operation's.

        Raises:
          InvalidArgumentError: if there is none; in a graph when it runs.
        """
        graph = context.current().graph
        if graph is None:
            held: OptionalValue = value_of(self._tensor)
            return self._element.pack(held.found())
        return add_read(graph, "OptionalGetValue", self._tensor, self._element, name)

    def _components(self) -> list[Any]:
        return [self._tensor]

    def _rebuild(self, components: Sequence[Any]) -> Optional:
        return Optional._of(components[0], self._element)

    def _kind(self) -> Any:
        return self._type_spec

    def __repr__(self) -> str:
        return f"<Optional element_spec={self.element_spec!r}>"


@export("OptionalSpec", "compat.v1.data.experimental.OptionalStructure")
class OptionalSpec(CompositeSpec):
    """The spec of an `Optional`.

    Args:
      element_spec: a nest of specs of its value.
    """

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: Any) -> None:
        super().__init__((), dtypes.variant)
        self._element_spec = element_spec

    @property
    def element_spec(self) -> TensorSpec | Any:
        """A nest like the value, of specs."""
        return self._element_spec

    @property
    def value_type(self) -> type[Optional]:
        """The class of values."""
        return Optional

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The spec of an optional."""
        return OptionalSpec(value.element_spec)

    def _components(self) -> list[TensorSpec]:
        return [TensorSpec((), dtypes.variant)]

    def _from_components(self, components: Sequence[Any]) -> Optional:
        return Optional._of(components[0], Element(self._element_spec))

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r},)"


SPEC_OF[Optional] = OptionalSpec.from_value
ANSWERS[Optional] = answer


def next_as_optional(handle: Any, element: Element) -> Optional:
    """The next element of the iterator behind a handle, if there is one."""
    return Optional._of(emit(OPS["IteratorGetNextAsOptional"], (handle,)), element)


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, if there is one; see `Iterator.get_next_as_optional`.

    Args:
      iterator: the iterator.
    """
    return iterator.get_next_as_optional()  # type: ignore[no-any-return]
