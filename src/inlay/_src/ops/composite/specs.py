"""Specs of composite values: static descriptions of ragged and sparse values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import SPEC_OF, TensorSpec, TypeSpec, spec_of
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops import array, math
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.composite.known_sizes import static_size
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_value import RaggedTensorValue
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.joining import concat
from inlay._src.ops.ragged import rowids_from_splits, splits_from_lengths
from inlay._src.ops.reductions import reduce_max

__all__ = ["IndexedSlicesSpec", "RaggedTensorSpec", "SparseTensorSpec"]


class CompositeSpec(TypeSpec, Composite):
    """Base: a spec that is a nest of the specs of its components."""

    __slots__ = ("__dict__", "__weakref__", "_dtype", "_shape")

    def __init__(self, shape: Any, dtype: Any) -> None:
        self._shape, self._dtype = shapes.as_shape(shape), dtypes.as_dtype(dtype)

    @property
    def shape(self) -> shapes.TensorShape:
        """The partial shape of the whole."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the values."""
        return self._dtype

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _from_components(self, components: Sequence[Any]) -> Any:
        """A value of this spec from its component tensors, which are taken as they are."""
        raise NotImplementedError

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._from_components(components)

    # ---- rows: what `map_fn` and its kin take out of values and put together again

    def _row_spec(self) -> TypeSpec:
        """The spec of a row of a value."""
        raise ValueError(f"{self!r} describes values that have no rows")

    def _batched_spec(self, size: int | None) -> TypeSpec:
        """The spec of a value whose rows are values of this spec."""
        raise ValueError(f"values of {self!r} cannot be rows of one value")

    def _row_count(self, value: Any) -> Any:
        """The number of rows of a value."""
        raise ValueError(f"{value!r} has no rows")

    def _row(self, value: Any, at: Any) -> Any:
        """A row of a value."""
        raise ValueError(f"{value!r} has no rows")

    def _pieces(self, row: Any) -> list[Any]:
        """A value of this spec as tensors that are joined with those of others along their first axes."""
        raise ValueError(f"values of {self!r} cannot be rows of one value")

    def _piece_specs(self) -> list[TensorSpec]:
        """The specs of `_pieces`."""
        raise ValueError(f"values of {self!r} cannot be rows of one value")

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        """The value whose `count` rows, each of this spec, had the pieces that were joined."""
        raise ValueError(f"values of {self!r} cannot be rows of one value")


@export("RaggedTensorSpec")
class RaggedTensorSpec(CompositeSpec):
    """The static description of a RaggedTensor.

    Args:
      shape: its partial shape; None is unknown.
      dtype: the type of its values.
      ragged_rank: number of row partitions; None makes every dimension but the first ragged.
      row_splits_dtype: int32 or int64.
      flat_values_spec: ignored; a TensorFlow argument.
    """

    __slots__ = ("_rank", "_splits")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        super().__init__(shape, dtype)
        self._splits = dtypes.as_dtype(row_splits_dtype)
        if self._splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"row_splits_dtype must be int32 or int64, got {self._splits.name}")
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = max(rank - 1, 0)
        if not isinstance(ragged_rank, int) or ragged_rank < 0:
            raise ValueError(f"ragged_rank must be a number that is not negative, got {ragged_rank!r}")
        if rank is not None and ragged_rank >= max(rank, 1):
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        self._rank = ragged_rank

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions."""
        return self._rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The type of the row partitions."""
        return self._splits

    @property
    def value_type(self) -> type[RaggedTensor]:
        """The class of values."""
        return RaggedTensor

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a RaggedTensor."""
        splits = value.row_splits.dtype
        return cls(TensorShape(value.shape), dtypes.as_dtype(value.dtype), value.ragged_rank, dtypes.as_dtype(splits))

    def _sizes(self) -> list[int | None]:
        return [None] * (self._rank + 1) if self._shape.rank is None else self._shape.as_list()

    def _components(self) -> list[TensorSpec]:
        if not self._rank:
            return [TensorSpec(self._shape, self._dtype)]
        sizes = self._sizes()
        inner = None if self._shape.rank is None else [None, *sizes[self._rank + 1 :]]
        count = None if sizes[0] is None else sizes[0] + 1
        splits = [TensorSpec([count if i == 0 else None], self._splits) for i in range(self._rank)]
        return [TensorSpec(inner, self._dtype), *splits]

    def _from_components(self, components: Sequence[Any]) -> Any:
        for spec, component in zip(self._components(), components, strict=True):
            if isinstance(component, SymbolicTensor):
                component.set_shape(spec.shape)
        flat, *splits = components
        return RaggedTensor._nested(flat, splits, self._sizes()[1 : self._rank + 1]) if splits else flat

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a spec, a RaggedTensor or (for ragged rank 0) a tensor satisfies this spec."""
        if self._rank == 0 and isinstance(spec_of(spec_or_value), TensorSpec):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return super().is_compatible_with(spec_or_value) and self._rows_fit(spec_or_value)

    def _rows_fit(self, value: Any) -> bool:
        """Whether ragged dimensions that the spec gives a size have rows of that size only."""
        sizes = self._sizes()[1 : self._rank + 1]
        if isinstance(value, TypeSpec) or all(size is None for size in sizes):
            return True
        for size, splits in zip(sizes, value.nested_row_splits, strict=True):
            array = getattr(splits, "_value", splits)
            if size is not None and hasattr(array, "tolist") and any(array[1:] - array[:-1] != size):
                return False
        return True

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._rank, self._splits

    def _row_spec(self) -> RaggedTensorSpec | TensorSpec:
        inner = None if self._shape.rank is None else self._shape[1:]
        if not self._rank:
            return TensorSpec(inner, self._dtype)
        return RaggedTensorSpec(inner, self._dtype, self._rank - 1, self._splits)

    def _batched_spec(self, size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._rank + 1, self._splits)

    def _row_count(self, value: Any) -> Any:
        return value.nrows() if self._rank else value.shape[0]

    def _row(self, value: Any, at: Any) -> Any:
        return value[at]

    def _pieces(self, row: Any) -> list[Any]:
        ragged = isinstance(row, RaggedTensor)
        if row.shape.rank == 0:
            raise ValueError(f"map_fn: fn returned a scalar where {self!r} wants rows; give fn_output_signature")
        if (row.ragged_rank if ragged else 0) != self._rank:
            raise ValueError(f"map_fn: fn returned {row!r}, but fn_output_signature says {self!r}")
        if not ragged:
            return [row, array.shape(row, self._splits)[:1]]
        splits = [math.cast(lengths, self._splits) for lengths in row.nested_row_lengths()]
        return [row.flat_values, *splits, array.reshape(row.nrows(self._splits), [1])]

    def _piece_specs(self) -> list[TensorSpec]:
        inner = None if self._shape.rank is None else [None, *self._shape[self._rank + 1 :]]
        if self._shape.rank == 0:
            raise ValueError(f"values of {self!r} are scalars: give their dtype")
        return [TensorSpec(inner, self._dtype), *[TensorSpec([None], self._splits)] * (self._rank + 1)]

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        flat, *lengths, rows = pieces
        rows.set_shape([static_size(count)])
        sizes = [rows, *lengths]
        return RaggedTensor._nested(
            flat, [splits_from_lengths(n) for n in sizes], [None, *self._sizes()[1 : len(sizes)]]
        )


@export("SparseTensorSpec")
class SparseTensorSpec(CompositeSpec):
    """The static description of a SparseTensor.

    Args:
      shape: the partial dense shape.
      dtype: the type of the values.
    """

    __slots__ = ()

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(shape, dtype)

    @property
    def value_type(self) -> type[SparseTensor]:
        """The class of values."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec of a SparseTensor."""
        return cls(value.shape, value.dtype)

    def _components(self) -> list[TensorSpec]:
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _from_components(self, components: Sequence[Any]) -> SparseTensor:
        sparse = SparseTensor._of(components)
        sparse.set_shape(self._shape)
        return sparse

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    def _row_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(None if self._shape.rank is None else self._shape[1:], self._dtype)

    def _batched_spec(self, size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def _row_count(self, value: Any) -> Any:
        return value.dense_shape[0]

    def _row(self, value: Any, at: Any) -> Any:
        here = array.where(math.equal(value.indices[:, 0], math.cast(at, dtypes.int64)))[:, 0]
        parts = gather_op(value.indices, here)[:, 1:], gather_op(value.values, here), value.dense_shape[1:]
        return self._row_spec()._from_components(parts)  # type: ignore[attr-defined]

    def _pieces(self, row: Any) -> list[Any]:
        return [row.indices, row.values, row.dense_shape[None], array.shape(row.values, dtypes.int64)]

    def _piece_specs(self) -> list[TensorSpec]:
        places, values, sizes = self._components()
        return [places, values, TensorSpec([None, *sizes.shape], dtypes.int64), TensorSpec([None], dtypes.int64)]

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        places, values, sizes, numbers = pieces
        rows = rowids_from_splits(splits_from_lengths(numbers))
        shape = concat([array.shape(sizes, dtypes.int64)[:1], reduce_max(sizes, 0)], 0)
        return SparseTensor._of([concat([rows[:, None], places], 1), values, shape])


@export("IndexedSlicesSpec")
class IndexedSlicesSpec(CompositeSpec):
    """The static description of IndexedSlices.

    Args:
      shape: the partial shape of the whole.
      dtype: the type of the rows.
      indices_dtype: the type of the row numbers.
      dense_shape_dtype: the type of the shape of the whole, or None if values have none.
      indices_shape: the partial shape of the row numbers.
    """

    __slots__ = ("_indices", "_indices_shape", "_whole")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        super().__init__(shape, dtype)
        self._indices = dtypes.as_dtype(indices_dtype)
        self._whole = None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        self._indices_shape = shapes.as_shape([None] if indices_shape is None else indices_shape)

    @property
    def value_type(self) -> type[IndexedSlices]:
        """The class of values."""
        return IndexedSlices

    @classmethod
    def from_value(cls, value: Any) -> IndexedSlicesSpec:
        """The spec of IndexedSlices."""
        has_shape = None if value.dense_shape is None else value.dense_shape.dtype
        return cls(value.shape, value.dtype, value.indices.dtype, has_shape)

    def _components(self) -> list[TensorSpec]:
        rest = None if self._shape.rank is None else self._shape[1:]
        rows = TensorShape(None) if rest is None else self._indices_shape.concatenate(rest)
        parts = [TensorSpec(rows, self._dtype), TensorSpec(self._indices_shape, self._indices)]
        return parts if self._whole is None else [*parts, TensorSpec([self._shape.rank], self._whole)]

    def _from_components(self, components: Sequence[Any]) -> IndexedSlices:
        slices = IndexedSlices.__new__(IndexedSlices)
        slices._values, slices._indices = components[:2]
        slices._dense_shape = components[2] if len(components) > 2 else None
        return slices

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._indices, self._whole, self._indices_shape


SPEC_OF |= {
    RaggedTensor: RaggedTensorSpec.from_value,
    RaggedTensorValue: RaggedTensorSpec.from_value,
    SparseTensor: SparseTensorSpec.from_value,
    IndexedSlices: IndexedSlicesSpec.from_value,
}


@export("type_spec_from_value")
def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of a tensor, variable or composite; TypeError for anything else."""
    spec = spec_of(value)
    if spec is None:
        try:
            with context.using(context.EAGER):  # no node is made of it
                tensor = convert_to_tensor(value)
        except (TypeError, ValueError):
            raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}") from None
        spec = TensorSpec(tensor.shape, tensor.dtype)
    return spec
