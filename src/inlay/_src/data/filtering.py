"""Elements chosen by a predicate: `filter` and `take_while`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import Cursor, Iteration, Node
from inlay._src.data.pipeline import applied


@graph_form("FilterDataset", CAPTURES, {"mapped": Mapped}, functions=("predicate",))
class FilterNode(Node):
    """The elements for which a function is true.

    Raises:
      ValueError: if it gives something else.
    """

    __slots__ = ("mapped",)
    name = "_FilterDataset"

    def __init__(self, source: Node, mapped: Mapped) -> None:
        super().__init__(source.element, (source,), mapped.captures)
        self.mapped: Mapped = mapped
        spec = mapped.element.spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.bool_ and spec.shape.is_compatible_with(())):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its return type is "
                f"{spec!r}."
            )

    def cursor(self, iteration: Iteration) -> Cursor:
        return FilterCursor(self.inputs[0].cursor(iteration), ElementFunction.of(self, self.mapped, iteration))


class FilterCursor(MapCursor):
    """One iteration of `FilterNode`."""

    __slots__ = ()

    def __next__(self) -> Values:
        while True:
            values = next(self.sources[0])
            (chosen,) = self.applied(values)
            if np.ndim(chosen):
                raise errors.InvalidArgumentError(
                    None, None, f"the predicate of a filter must give a scalar, got shape {np.shape(chosen)}"
                )
            if chosen:
                return values


@graph_form("TakeWhileDataset", CAPTURES, {"mapped": Mapped}, functions=("predicate",))
class TakeWhileNode(FilterNode):
    """The elements up to the first for which a function is false."""

    __slots__ = ()
    name = "_TakeWhileDataset"

    def cursor(self, iteration: Iteration) -> Cursor:
        return TakeWhileCursor(self.inputs[0].cursor(iteration), ElementFunction.of(self, self.mapped, iteration))


class TakeWhileCursor(MapCursor):
    """One iteration of `TakeWhileNode`."""

    __slots__ = ("ended",)
    saved = ("ended", "first", "index")

    def __init__(self, source: Cursor, function: ElementFunction) -> None:
        super().__init__(source, function)
        self.ended: bool = False

    def __next__(self) -> Values:
        if self.ended:
            raise StopIteration
        values = next(self.sources[0])
        (chosen,) = self.applied(values)
        if not chosen:
            self.ended = True
            raise StopIteration
        return values


def filter_(source: Node, predicate: Callable[..., Any], name: str | None = None) -> Node:
    """Keeps the elements for which a predicate is true.

    Args:
      predicate: takes an element as the function of `map` does; returns a bool scalar.

    Raises:
      ValueError: if it returns something else.
    """
    return FilterNode(source, Mapped(predicate, source.element, "Dataset.filter()"))


def take_while(source: Node, predicate: Callable[..., Any], name: str | None = None) -> Node:
    """Ends the dataset before the first element for which a predicate is false.

    Args:
      predicate: takes an element as the function of `map` does; returns a bool scalar.

    Raises:
      ValueError: if it returns something else.
    """
    return TakeWhileNode(source, Mapped(predicate, source.element, "Dataset.take_while()"))


applied_take_while: Any = export("data.experimental.take_while")(applied(take_while))


def filter_with_legacy_function(source: Node, predicate: Callable[..., Any]) -> Node:
    """The same as `filter`.

    Args:
      predicate: see `filter`.
    """
    return filter_(source, predicate)
