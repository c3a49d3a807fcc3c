"""Datasets as elements of datasets: their spec, the value that one is, arrays of them, and one that is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import Declared, export
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.element import Element, Values
from inlay._src.data.node import Counted, Cursor, Iteration, Node
from inlay._src.data.options import Options
from inlay._src.ops import array
from inlay._src.ops.stacking import stack
from inlay._src.programs.graph_def.pickles import StandIn

MADE_BY: dict[str, Any] = Declared("datasets")
"""Set by the module of `Dataset`, which is above this one."""


class Bound:
    """A dataset as a value: a node, and the values of what it uses.

    Attributes:
      node: its node.
      iteration: has the values.
    """

    __slots__ = ("iteration", "node")
    shape: tuple[int, ...] = ()  # what messages print of a runtime value

    def __init__(self, node: Node, iteration: Iteration) -> None:
        self.node, self.iteration = node, iteration

    def __reduce__(self) -> Any:
        used = self.node.used()
        values = [EagerTensor(self.iteration.value(tensor), tensor.dtype) for tensor in used]
        return _bound, (self.node, self.iteration.options, [*map(StandIn.of, used)], values)

    @property
    def elements(self) -> Sequence[Values] | None:
        """The values of its elements if they are there, else None."""
        return self.node.elements if isinstance(self.node, HeldNode) else None


def _bound(node: Node, options: Options, used: Sequence[Any], values: Sequence[EagerTensor]) -> Bound:
    """A pickled dataset: a node, and the values of the tensors that it uses."""
    return Bound(node, Iteration(options, dict(zip(map(id, used), map(value_of, values), strict=True))))


@export("data.DatasetSpec", "compat.v1.data.experimental.DatasetStructure")
class DatasetSpec(TypeSpec):
    """The spec of a dataset that is an element, or of an array of such datasets, which is their batch.

    Args:
      element_spec: the spec of its elements.
      dataset_shape: the shape of the array; () is a dataset.
    """

    __slots__ = ("_element_spec", "_shape")
    dtype: dtypes.DType = dtypes.variant

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec, self._shape = element_spec, shapes.as_shape(dataset_shape)

    @staticmethod
    def from_value(value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return DatasetSpec(value.element_spec)

    @property
    def element_spec(self) -> TensorSpec | Any:
        """The spec of its elements."""
        return self._element_spec

    @property
    def shape(self) -> TensorShape:
        """The shape of the array of datasets; () is a dataset."""
        return self._shape

    @property
    def value_type(self) -> type[Any]:
        """The class of datasets, or of arrays of them."""
        return MADE_BY["datasets"] if self._shape.rank == 0 else DatasetArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._shape

    def _of_tensor(self, tensor: Any) -> Any:
        """The dataset, or array of datasets, that a tensor of this spec stands for."""
        if self._shape.rank != 0:
            return DatasetArray(self, tensor)
        bound = value_of(tensor) if isinstance(tensor, EagerTensor) else None
        options = bound.iteration.options if isinstance(bound, Bound) else None
        return MADE_BY["datasets"](GivenNode(self._element_spec, tensor), options)

    def _to_components(self, dataset: Any) -> Any:
        """The tensor that stands for a dataset, or for an array of them."""
        (tensor,) = dataset._components()
        return tensor

    _from_components = _of_tensor

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._of_tensor(components[0])

    # ---- rows, see `CompositeSpec`

    def _batched_spec(self, size: int | None) -> DatasetSpec:
        return DatasetSpec(self._element_spec, shapes.TensorShape([size]).concatenate(self._shape))

    def _row_spec(self) -> DatasetSpec:
        if self._shape.rank == 0:
            raise ValueError("Slicing dataset elements is not supported for rank 0.")
        return DatasetSpec(self._element_spec, None if self._shape.rank is None else self._shape[1:])

    def _row_count(self, value: Any) -> Any:
        return array.shape(self._to_components(value))[0]

    def _row(self, value: Any, at: Any) -> Any:
        return self._row_spec()._of_tensor(self._to_components(value)[at])

    def _pieces(self, row: Any) -> list[Any]:
        return [stack([self._to_components(row)])]

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        return self._batched_spec(None)._of_tensor(pieces[0])

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._shape!r})"


class DatasetArray(Composite):
    """Datasets in an array: an element of a dataset of datasets that was batched. `unbatch` gives the datasets again.

    Args:
      spec: its spec.
      tensor: the datasets.
    """

    __slots__ = ("_spec", "_tensor")

    def __init__(self, spec: DatasetSpec, tensor: Any) -> None:
        self._spec, self._tensor = spec, tensor

    @property
    def _type_spec(self) -> DatasetSpec:
        return self._spec

    def _components(self) -> list[Any]:
        return [self._tensor]

    def _rebuild(self, components: Sequence[Any]) -> DatasetArray:
        return DatasetArray(self._spec, components[0])

    def _kind(self) -> Any:
        return self._spec


def array_of(datasets: Sequence[Any]) -> DatasetArray:
    """Datasets as one component of an element.

    Raises:
      TypeError, ValueError: if their elements differ in structure or dtypes.
    """
    spec = DatasetSpec(shared_spec([dataset.element_spec for dataset in datasets]), [len(datasets)])
    return DatasetArray(spec, stack([dataset._variant_tensor for dataset in datasets]))

    def __repr__(self) -> str:
        return f"<DatasetArray shape={self._spec.shape} element_spec={self._spec.element_spec!r}>"


class GivenNode(Node):
    """A dataset that is an argument or an element; its transformation is known when it is iterated."""

    __slots__ = ()
    name = "_VariantDataset"

    def __init__(self, spec: Any, tensor: Any) -> None:
        super().__init__(spec, (), (tensor,))

    def cursor(self, iteration: Iteration) -> Cursor:
        bound: Bound = iteration.value(self.tensors[0])
        if not hasattr(bound, "iteration"):
            raise errors.InvalidArgumentError(None, None, f"{self.tensors[0]!r} is not a dataset: expected a variant")
        return bound.node.cursor(bound.iteration)

    def cardinality(self, iteration: Iteration) -> int:
        bound: Bound = iteration.value(self.tensors[0])
        return bound.node.cardinality(bound.iteration)


class HeldNode(Node):
    """Elements in memory. The spec of the value that holds the dataset has their structure.

    Args:
      elements: their values.
    """

    __slots__ = ("elements",)
    name = "_VariantDataset"

    def __init__(self, elements: Sequence[Values]) -> None:
        super().__init__(Element(()))
        self.elements: Sequence[Values] = elements

    def cursor(self, iteration: Iteration) -> Cursor:
        return Counted(len(self.elements), lambda i: list(self.elements[i]))

    def cardinality(self, iteration: Iteration) -> int:
        return len(self.elements)


def held(elements: Sequence[Values]) -> Bound:
    """Elements that are there, as a dataset."""
    return Bound(HeldNode(elements), Iteration(Options()))


def shared_spec(specs: Sequence[Any]) -> Any:
    """The most specific spec that the elements of all specs satisfy.

    Raises:
      TypeError, ValueError: if their structures or dtypes differ.
    """
    first, *others = specs
    for other in others:
        nest.assert_same_structure(first, other)
        first = nest.map_structure(_wider, first, other)
    return first


def _wider(one: Any, two: Any) -> Any:
    """The spec of elements that may be of either of two specs, whatever their names."""
    if isinstance(one, TensorSpec) and isinstance(two, TensorSpec) and one.name != two.name:
        one, two = (TensorSpec(spec.shape, spec.dtype) for spec in (one, two))
    return one.most_specific_compatible_type(two)
