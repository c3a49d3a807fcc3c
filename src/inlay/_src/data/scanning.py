"""Functions that carry a state from element to element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.element import Element, Values, of_tensors
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.pipeline import applied


@graph_form("", CAPTURES, {"step": Mapped, "_width": int})
class ScanNode(Node):
    """A function of a state and each element, which gives the next state and the new element.

    Args:
      source: the dataset to map.
      state: the first state, flat tensors.
      step: the function.
      spec: the spec of the new elements: the second of the pairs that it gives.
    """

    __slots__ = ("_width", "step")
    name = "_ScanDataset"

    def __init__(self, source: Node, state: list[Any], step: Mapped, spec: Any) -> None:
        super().__init__(spec, (source,), (*state, *step.captures))
        self.step, self._width = step, len(state)

    def cursor(self, iteration: Iteration) -> Cursor:
        state = iteration.values(self.tensors[: self._width])
        function = ElementFunction.of(self, self.step, iteration, errors.InvalidArgumentError)
        return ScanCursor(self.inputs[0].cursor(iteration), function, state)

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class ScanCursor(MapCursor):
    """One iteration of `ScanNode`. Its position has the state."""

    __slots__ = ("values",)

    def __init__(self, source: Cursor, function: ElementFunction, state: Values) -> None:
        super().__init__(source, function)
        self.values = state

    def __next__(self) -> Values:
        results = self.applied([*self.values, *next(self.sources[0])])
        width = len(self.values)
        self.values = results[:width]
        return results[width:]

    def state(self) -> Any:
        return {**super().state(), "values": self.values}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self.values = list(state["values"])


class Stepped:
    """A function of a state and an element, traced with a state whose shapes are what holds of all states.

    Args:
      function: the user's function.
      initial: the first state: a nest of values that become tensors.
      element: the structure of the elements.
      what: the transformation, for messages.
      state_of: returns the spec of the next state from that of the results.

    Attributes:
      tensors: the first state, flat.
      state: its spec.
      mapped: the function.

    Raises:
      TypeError: if the next state differs from the first in dtypes.
      InvalidArgumentError: if it has another number of components.
    """

    __slots__ = ("mapped", "state", "tensors")

    def __init__(
        self, function: Callable[..., Any], initial: Any, element: Element, what: str, state_of: Callable[[Any], Any]
    ) -> None:
        self.state, self.tensors = of_tensors(initial)
        self.mapped: Mapped = stepped(function, self.state, element, what, state_of)


def stepped(
    function: Callable[..., Any], state: Any, element: Element, what: str, state_of: Callable[[Any], Any]
) -> Mapped:
    """A function of a state and an element, traced with a state whose shapes are what holds of all states.

    Args:
      function: the user's function.
      state: the spec of the first state.
      element: the structure of the elements.
      what: the transformation, for messages.
      state_of: returns the spec of the next state from that of the results.

    Raises:
      TypeError, InvalidArgumentError: as `Stepped`.
    """
    while True:
        mapped = Mapped(function, Element((state, element.spec)), what)
        wider = _wider(state, state_of(mapped.element.spec), what)
        if wider == state:
            return mapped
        state = wider


def _wider(state: Any, following: Any, what: str) -> Any:
    """The most specific spec that two states satisfy."""
    label = what.rpartition(".")[2].removesuffix("()") + "_func"
    before, after = nest.flatten(state), nest.flatten(following)
    if len(before) != len(after):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Invalid `{label}`. The number of components of the initial state and of the new state do not match. "
            f"Expected {state!r}, got {following!r}.",
        )
    for one, two in zip(before, after, strict=True):
        if type(one) is not type(two):
            raise TypeError(
                f"Invalid `{label}`. The element classes for the new state must match the initial state. Expected "
                f"{one.value_type if hasattr(one, 'value_type') else one!r}, got {two!r}."
            )
        if one.dtype is not two.dtype:
            raise TypeError(
                f"Invalid `{label}`. The element types for the new state must match the initial state. Expected "
                f"{one.dtype}, got {two.dtype}: cast in `{label}`, or begin with another dtype."
            )
    shared = [
        _nameless(one).most_specific_compatible_type(_nameless(two)) for one, two in zip(before, after, strict=True)
    ]
    return nest.pack_sequence_as(state, shared)


def _nameless(spec: Any) -> Any:
    return TensorSpec(spec.shape, spec.dtype) if isinstance(spec, TensorSpec) else spec


def scan(source: Node, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Node:
    """Applies a function to a state and each element, which returns the next state and the new element.

    Args:
      initial_state: a nest of values that become tensors.
      scan_func: takes a state and an element; returns the next state, of the same structure and dtypes, and the new
        element.

    Raises:
      TypeError: if it returns no pair, or if the structure or dtypes of the state change.
    """

    def state_of(result: Any) -> Any:
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                f"value but its return type is {result!r}."
            )
        return result[0]

    step = Stepped(scan_func, initial_state, source.element, "Dataset.scan()", state_of)
    return ScanNode(source, step.tensors, step.mapped, step.mapped.element.spec[1])


applied_scan: Any = export("data.experimental.scan", "contrib.data.scan")(applied(scan))
