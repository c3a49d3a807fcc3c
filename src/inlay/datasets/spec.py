"""Datasets as elements of datasets: their spec, the value that one is, and one that is given as an argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay import errors
from inlay.datasets.element import Element, Values
from inlay.datasets.node import Cursor, Iteration, Node
from inlay.datasets.options import Options
from inlay.datasets.sources import Counted
from inlay.export import Declared, export
from inlay.types import dtypes, shapes
from inlay.types.specs import TypeSpec

MADE_BY: dict[str, Any] = Declared()
"""Has the class of `datasets`, which says so itself: it stands above this module."""


class Bound:
    """A dataset as a value: a node, and the values of what it uses.

    Attributes:
      node: what it does.
      iteration: has the values.
    """

    __slots__ = ("iteration", "node")
    node: Node
    iteration: Iteration
    shape: tuple[int, ...] = ()  # what messages print of a runtime value

    def __init__(self, node: Node, iteration: Iteration) -> None:
        self.node, self.iteration = node, iteration

    @property
    def elements(self) -> Sequence[Values] | None:
        """The values of its elements if they are there, else None."""
        return self.node.elements if isinstance(self.node, Held) else None


@export("data.DatasetSpec")
class DatasetSpec(TypeSpec):
    """The spec of a dataset that is an element.

    Args:
      element_spec: the spec of its elements.
      dataset_shape: the shape of an array of datasets; only () is there.
    """

    __slots__ = ("_element_spec", "_shape")
    dtype: dtypes.DType = dtypes.variant

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._shape = element_spec, shapes.as_shape(dataset_shape)

    @property
    def element_spec(self) -> Any:
        """The spec of its elements."""
        return self._element_spec

    @property
    def shape(self) -> Any:
        """()"""
        return self._shape

    @property
    def value_type(self) -> type[Any]:
        """The class of datasets."""
        return MADE_BY["datasets"]

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._shape

    def _of_tensor(self, tensor: Any) -> Any:
        """The dataset that a tensor (or value) of this spec stands for."""
        return MADE_BY["datasets"](Given(self._element_spec, tensor))

    def _to_components(self, dataset: Any) -> Any:
        """The tensor that stands for a dataset."""
        (tensor,) = dataset._components()
        return tensor

    _from_components = _of_tensor

    def _batched_spec(self, size: int | None) -> TypeSpec:
        raise errors.UnimplementedError(
            None, None, "datasets cannot be stacked: flat_map(lambda d: d.batch(n)) gives batches of their elements"
        )

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._shape!r})"


class Given(Node):
    """A dataset that is an argument, or an element: what it does is known when it is iterated."""

    __slots__ = ()
    name = "_VariantDataset"

    def __init__(self, spec: Any, tensor: Any) -> None:
        super().__init__(spec, (), (tensor,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        bound: Bound = iteration.value(self.tensors[0])
        return bound.node.cursor(bound.iteration)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        bound: Bound = iteration.value(self.tensors[0])
        return bound.node.cardinality(bound.iteration)


class Held(Node):
    """Elements that are there. How they are built is said by the spec of what holds the dataset.

    Args:
      elements: their values.
    """

    __slots__ = ("elements",)
    name = "_VariantDataset"

    def __init__(self, elements: Sequence[Values]) -> None:
        super().__init__(Element(()))
        self.elements: Sequence[Values] = elements

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return Counted(len(self.elements), lambda i: list(self.elements[i]))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return len(self.elements)


def held(elements: Sequence[Values]) -> Bound:
    """Elements that are there, as a dataset."""
    return Bound(Held(elements), Iteration(Options()))
