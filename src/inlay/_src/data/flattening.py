"""`flat_map`: the elements of the datasets that a function returns for each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import Cursor, Iteration, Node


@graph_form(
    "FlatMapDataset",
    CAPTURES,
    {"mapped": Mapped},
    functions=("f",),
    read=lambda m: FlatMapNode(m.inputs[0], m.function_of_datasets()),
)
class FlatMapNode(Node):
    """The elements of the datasets that a function makes of each element, one dataset after the other."""

    __slots__ = ("mapped",)
    name = "_FlatMapDataset"

    def __init__(self, source: Node, mapped: Mapped) -> None:
        super().__init__(datasets_of(mapped, "flat_map"), (source,), mapped.captures)
        self.mapped: Mapped = mapped

    def cursor(self, iteration: Iteration) -> Cursor:
        return FlatMapCursor(self.inputs[0].cursor(iteration), ElementFunction.of(self, self.mapped, iteration))


def datasets_of(mapped: Mapped, what: str) -> Any:
    """The spec of the elements of the datasets that a function makes.

    Raises:
      TypeError: if it makes none.
    """
    spec = mapped.element.spec
    if not hasattr(spec, "element_spec"):
        raise TypeError(f"The `map_func` argument must return a `Dataset` object. Got {spec!r} from that of {what}.")
    return spec.element_spec


class FlatMapCursor(MapCursor):
    """One iteration of `FlatMapNode`. Its position is the current element and where its dataset stands."""

    __slots__ = ("_inner", "_values")

    def __init__(self, source: Cursor, function: ElementFunction) -> None:
        super().__init__(source, function)
        self._values: Values = []
        self._inner: Cursor | None = None

    def __next__(self) -> Values:
        while True:
            if self._inner is None:
                self._open(next(self.sources[0]))
            assert self._inner is not None
            try:
                return next(self._inner)
            except StopIteration:
                self._inner.close()
                self._inner = None

    def _open(self, values: Values) -> None:
        (bound,) = self.applied(values)
        self._values, self._inner = values, bound.node.cursor(bound.iteration)

    def state(self) -> Any:
        inner = None if self._inner is None else {"element": self._values, "at": self._inner.state()}
        return {**super().state(), "inner": inner}

    def restore(self, state: Any) -> None:
        super().restore(state)
        if state["inner"] is not None:
            self.index -= 1  # the element is read again
            self._open(list(state["inner"]["element"]))
            assert self._inner is not None
            self._inner.restore(state["inner"]["at"])

    def below(self) -> Sequence[Cursor]:
        return self.sources if self._inner is None else (self._inner, *self.sources)


def flat_map(source: Node, map_func: Callable[..., Any], name: str | None = None) -> Node:
    """Concatenates the datasets that a function returns for the elements.

    Args:
      map_func: takes an element as the function of `map` does; returns a dataset.

    Raises:
      TypeError: if it returns something else.
    """
    return FlatMapNode(source, Mapped(map_func, source.element, "Dataset.flat_map()"))
