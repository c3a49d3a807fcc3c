"""Elements of datasets: flat values inside the library, nested structures outside.

Nodes hand on *values*: a list of runtime values, one for each component of the element's spec. Only at the borders do
they become what users see: a nest of tensors, or of NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, MappingView, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import composite_of
from inlay._src.base.types.shapes import dimension_value
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.base.types.template import Flattening, Hole, flatten
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import EagerTensor
from inlay._src.core.values import boxed
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue
from inlay._src.ops.composite.sparse_ops import to_dense
from inlay._src.ops.composite.specs import CompositeSpec

Values = list[Any]
"""The runtime values of one element, flat."""


class Element:
    """The structure of a dataset's elements: their spec, and the way between values and nests.

    Args:
      spec: a nest of specs.

    Attributes:
      spec: the same.
      leaves: the specs of the components, flat.
    """

    __slots__ = ("_one", "_template", "leaves", "spec")
    spec: Any

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        leaves, self._template = flatten(spec)
        self.leaves: tuple[Any, ...] = tuple(leaves)
        hole = self._template.structure
        self._one = isinstance(hole, Hole) and hole.composite is None

    def pack(self, values: Sequence[Any]) -> Any:
        """Values as a nest of eager tensors."""
        if self._one:
            return _tensor(values[0], self.leaves[0])
        return self._template.fill([_tensor(v, s) for v, s in zip(values, self.leaves, strict=True)])

    @property
    def packing(self) -> Callable[[Sequence[Any]], Any]:
        """`pack`, as a function that is called often."""
        spec = self.leaves[0] if self._one else None
        if not isinstance(spec, TensorSpec):
            return self.pack
        kind = spec.dtype
        return lambda values: EagerTensor(values[0], kind)

    def symbols(self, tensors: Sequence[Any]) -> Any:
        """Symbolic tensors, one per component, as a nest."""
        values = [
            t if isinstance(s, TensorSpec) else s._of_tensor(t) for t, s in zip(tensors, self.leaves, strict=True)
        ]
        return self._template.fill(values)

    def arrays(self, values: Sequence[Any]) -> Any:
        """Values as a nest of read-only NumPy arrays and scalars; composites as their NumPy forms."""
        if self._one:
            return _array(values[0], self.leaves[0])
        return nest.map_structure(_numpy, self.pack(values))

    def parameters(self) -> list[tuple[Any, Any, str]]:
        """(dtype, dims, name) of placeholders for the components."""
        return [(s.dtype, s.shape._dims, f"args_{i}") for i, s in enumerate(self.leaves)]

    def __repr__(self) -> str:
        return f"Element({self.spec!r})"


def _tensor(value: Any, spec: Any) -> Any:
    tensor = EagerTensor(value, spec.dtype)
    return tensor if isinstance(spec, TensorSpec) else spec._of_tensor(tensor)


def _array(value: Any, spec: Any) -> Any:
    tensor = _tensor(value, spec)
    return _read_only(tensor.numpy()) if isinstance(spec, TensorSpec) else tensor


def _numpy(leaf: Any) -> Any:
    if isinstance(leaf, SparseTensor):
        return _read_only(to_dense(leaf).numpy())
    return _read_only(leaf.numpy()) if hasattr(leaf, "numpy") else leaf


def _read_only(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


@export("NoneTensorSpec")
class NoneTensorSpec(CompositeSpec):
    """The spec of None as a component of elements: there is nothing to it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((), dtypes.variant)

    @property
    def value_type(self) -> type[Any]:
        """The class of None."""
        return type(None)

    def _components(self) -> list[Any]:
        return []

    def _from_components(self, components: Sequence[Any]) -> None:
        return None

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    def _batched_spec(self, size: int | None) -> NoneTensorSpec:
        return self

    def _row_spec(self) -> NoneTensorSpec:
        return self

    def _row(self, value: None, at: Any) -> None:
        return None


NOTHING = NoneTensorSpec()


def component_value(value: Any) -> Any:
    """The composite for a value that elements hold as one: a sparse or ragged value of a session, a list of datasets.

    Any other value is returned unchanged.
    """
    if isinstance(value, list) and value and all(hasattr(part, "_dataset_spec") for part in value):
        return value[0]._array(value)
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return RaggedTensor._ragged_or_dense(value) if isinstance(value, RaggedTensorValue) else value


SEQUENCES = (list, range, MappingView)
"""Containers that are values where elements are nests, not structure, as TensorFlow's datasets have it."""


def of_tensors(value: Any, convert: Callable[[Any], Any] = convert_to_tensor) -> tuple[Any, list[Any]]:
    """A user's nest as tensors: the nest of their specs, and the flat components."""
    flat = Flattening()

    def part(value: Any) -> Any:
        value = component_value(value)
        if isinstance(value, SEQUENCES):
            return single(convert(value))
        if nest.is_nested(value):
            return nest._like(value, [part(child) for _, child in nest._items(value)])
        if value is None:
            flat.hole(NOTHING)
            return NOTHING
        composite = None if isinstance(value, TypeSpec) else composite_of(value)
        if composite is None:
            return single(value if hasattr(value, "_dataset_spec") else convert(value))
        flat.hole(composite)
        return composite._type_spec

    def single(value: Any) -> Any:
        flat.single(value)
        return value._dataset_spec() if hasattr(value, "_dataset_spec") else TensorSpec(value.shape, value.dtype)

    specs = part(value)
    return specs, flat.values


def parts_of(element: Element) -> list[tuple[Element, slice]]:
    """The components of an element, composites as a whole: the structure of each, and the slice of its values."""
    parts, start = [], 0
    for spec in nest.flatten(element.spec):
        part = Element(spec)
        parts.append((part, slice(start, start + len(part.leaves))))
        start += len(part.leaves)
    return parts


def values_of(tensors: Sequence[Any]) -> Values:
    """The runtime values of eager tensors."""
    return [value_of(t) if isinstance(t, EagerTensor) else t for t in tensors]


def row_spec(spec: Any) -> Any:
    """The spec of a row of what a spec describes.

    Raises:
      ValueError: if it has no rows.
    """
    if not isinstance(spec, TensorSpec):
        return spec._row_spec()
    if spec.shape.rank == 0:
        raise ValueError("a scalar has no rows: unbatching and slicing need components of rank at least 1")
    dims = None if spec.shape.rank is None else spec.shape[1:]
    return TensorSpec(dims, spec.dtype)


def static_row_counts(spec: Any) -> set[int]:
    """The numbers of rows that the components of a nest of specs are known to have: one, if any is known."""
    parts = [part for whole in nest.flatten(spec) for part in (whole._parts() if hasattr(whole, "_parts") else [whole])]
    shapes = [getattr(part, "shape", None) for part in parts]
    sizes = [dimension_value(shape[0]) for shape in shapes if shape is not None and shape.rank]
    return {size for size in sizes if size is not None}


def rows_of(whole: Element, values: Values) -> tuple[int, Callable[[int], Values]]:
    """The number of rows of values, and a function that returns the values of one row.

    Raises:
      InvalidArgumentError: if the components have different numbers of rows.
    """
    specs = nest.flatten(whole.spec)
    plain = all(isinstance(s, TensorSpec) for s in specs)
    parts = [_as_objects(v) for v in values] if plain else nest.flatten(whole.pack(values))
    if plain and any(np.ndim(part) == 0 for part in parts):
        raise errors.InvalidArgumentError(None, None, f"a scalar has no rows, and one of {whole.spec!r} is a scalar")
    counts = [len(p) if plain else int(_count(p, s)) for p, s in zip(parts, specs, strict=True) if s is not NOTHING]
    if len(set(counts)) > 1:
        raise errors.InvalidArgumentError(
            None, None, f"the components of {whole.spec!r} have different numbers of rows: {counts}"
        )
    if plain and len(parts) == 1:
        only = _taking(parts[0])
        return counts[0], lambda i: [only(i)]
    if plain:
        taking = [_taking(part) for part in parts]
        return counts[0], lambda i: [take(i) for take in taking]
    return counts[0], lambda i: [v for p, s in zip(parts, specs, strict=True) for v in _row(p, s, i)]


def blocks_of(whole: Element, values: Values) -> Callable[[int, int], Values] | None:
    """A function that copies consecutive rows of values, from the first row up to but not including the last.

    None if the values are no arrays on the host.
    """
    plain = all(isinstance(s, TensorSpec) for s in nest.flatten(whole.spec))
    if not plain or not all(isinstance(v, np.ndarray) for v in values):
        return None
    parts = [_as_objects(v) for v in values]
    return lambda first, last: [part[first:last].copy() for part in parts]


def _as_objects(value: Any) -> Any:
    """A value whose rows are strings if it holds strings: those of an array of NumPy's strings are not."""
    return value.astype(object) if isinstance(value, np.ndarray) and value.dtype.kind == "S" else value


def _taking(part: Any) -> Callable[[int], Any]:
    """A function that returns a row of an array. A row of one string is boxed, since NumPy would unpack it."""
    if part.dtype == object and part.ndim == 1:
        return lambda i: boxed(part[i])
    return part.__getitem__  # type: ignore[no-any-return]


def _count(part: Any, spec: Any) -> Any:
    return part.shape[0] if isinstance(spec, TensorSpec) else spec._row_count(part)


def _row(part: Any, spec: Any, i: int) -> Values:
    if spec is NOTHING:
        return []
    row = part[i] if isinstance(spec, TensorSpec) else spec._row(part, i)
    return values_of(flatten(row)[0])
