"""`StructuredTensor`: a tensor of records, each field of which is a tensor, ragged or not, or a StructuredTensor.

    [{"a": 1, "b": [2, 3]}, {"a": 4, "b": []}]   is   shape [2]   with   fields a: [1, 4]   b: [[2, 3], []]

The first dimensions of every field are those of the whole. Their row partitions are the very same objects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.emit import ANSWERS, late_answer
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, joining, stacking
from inlay._src.ops.composite import structured_lists
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape
from inlay._src.ops.composite.extension_type import BatchableExtensionType
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_dense import merge_dense
from inlay._src.ops.composite.ragged_shape_parts import axis_from_front
from inlay._src.ops.composite.row_partition import RowPartition
from inlay._src.ops.composite.structured_spec import StructuredSpec

__all__ = ["StructuredTensor"]

_NAME = re.compile("[a-zA-Z][a-zA-Z0-9_]*")


@export("experimental.StructuredTensor")
class StructuredTensor(BatchableExtensionType):
    """A tensor of records of the same fields.

    Make one with a `from_...` method. `value["field"]` is a field, `value[i]` a record or the records of a row.

    Args:
      fields: name -> value, which has at least the dimensions of `ragged_shape`.
      ragged_shape: the shape of the whole.
    """

    _fields: Mapping[str, Tensor | Composite]
    _ragged_shape: DynamicRaggedShape
    Spec = StructuredSpec
    FieldName: ClassVar[Any] = str | Sequence[str]
    __name__: ClassVar[str] = "tf.StructuredTensor"

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields, self._ragged_shape = fields, ragged_shape

    # ---- making one

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Records without fields.

        Args:
          ragged_shape: the shape of the whole.
        """
        return cls({}, ragged_shape)

    @classmethod
    def from_fields(
        cls,
        fields: dict[str, Any],
        shape: Any = (),
        nrows: Any = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Records of fields.

        Args:
          fields: name -> a tensor, ragged or not, a StructuredTensor, or what becomes a tensor.
          shape: static shape of the whole; its rank must be known.
          nrows: the number of rows, needed if neither a field nor `shape` tells it; not for a scalar.
          row_partitions: the partitions of the dimensions after the first one, of a rank of at least 2.
          validate: ignored: fields are checked where they are known not to fit, and when the graph runs.

        Raises:
          TypeError: if `fields` is no dictionary of names, or a value does not become a tensor.
          ValueError: if the arguments do not go together.
        """
        static = shapes.as_shape(shape)
        rank = static.rank
        if rank is None:
            raise ValueError("StructuredTensor's shape must have known rank.")
        if not isinstance(fields, dict):
            raise TypeError(f"fields must be a dictionary, got {type(fields).__name__}")
        if rank < 2 and row_partitions:
            raise ValueError("row_partitions must be None or [] if shape.rank<2")
        if rank == 0 and nrows is not None:
            raise ValueError("nrows must be None if shape.rank==0")
        if row_partitions is not None and len(row_partitions) != max(0, rank - 1):
            raise ValueError("len(row_partitions) must be shape.rank-1")
        values = _converted(fields)
        whole = _whole_shape(values, static, nrows, tuple(row_partitions or ()))
        return cls._of_fields(values, whole)

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: Any = None
    ) -> StructuredTensor:
        """Records of fields, whose first dimensions tell the shape of the whole.

        Args:
          fields: as for `from_fields`; one at least.
          rank: the number of dimensions of the whole.
          validate: ignored.
          dtype: the type of row partitions; int64 if None, unless all fields have int32 ones.

        Raises:
          ValueError: if there is no field, or `rank` is no number that is not negative.
        """
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int):
            raise ValueError("rank must be an integer")
        if rank < 0:
            raise ValueError("rank must be nonnegative")
        values = _converted(fields)
        kind = _shape_dtype(values, None, ()) if dtype is None else dtypes.as_dtype(dtype)
        values = {name: _with_shape_dtype(value, kind) for name, value in values.items()}
        return cls._of_fields(values, _shape_of_fields(values, rank, kind))

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> StructuredTensor | Any:
        """Nested dictionaries and lists as a StructuredTensor.

        Args:
          pyval: a dictionary, or nested lists of dictionaries of the same keys at one depth; other lists and scalars
            become tensors.
          typespec: the spec that the result should have, or None.

        Raises:
          ValueError: if dictionaries are at different depths, or the value does not fit the spec.
        """
        return structured_lists.parsed(cls, pyval, typespec, ())

    @classmethod
    def _of_fields(cls, fields: Mapping[str, Any], shape: Any) -> StructuredTensor:
        """Records whose fields take the row partitions of the whole."""
        if shape.rank > 1:
            shape = shape._with_num_row_partitions(shape.rank - 1)
        rows = shape.row_partitions
        return cls({name: _with_partitions(value, rows) for name, value in fields.items()}, shape)

    # ---- what it says

    @property
    def rank(self) -> int:
        """The number of dimensions of the whole."""
        return self._ragged_shape.rank  # type: ignore[return-value]

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole; ragged dimensions are None."""
        return self._ragged_shape._to_tensor_shape()

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions of the dimensions after the first one, which all fields share."""
        return self._ragged_shape._as_row_partitions() if self.rank > 1 else ()

    def nrows(self) -> Tensor | None:
        """The number of rows, as a scalar; None for a single record."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Any) -> Any:
        """The value of a field.

        Args:
          field_name: its name, or the names on the way to a field of a field.

        Raises:
          KeyError: if there is none.
        """
        if not isinstance(field_name, (list, tuple)):
            return self._fields[field_name]
        value: Any = self
        for name in field_name:
            if not isinstance(value, StructuredTensor):
                raise KeyError(f"Field path {field_name} not found in {self}")
            value = value.field_value(name)
        return value

    def to_pyval(self) -> list[Any] | dict[str, Any]:
        """Nested lists of dictionaries; eager only.

        Raises:
          ValueError: in a graph.
        """
        if not all(isinstance(part, EagerTensor) for part in nest.flatten(self, expand_composites=True)):
            raise ValueError("StructuredTensor.to_pyval() is only supported in eager mode.")
        fields = {name: structured_lists.lists_of(value) for name, value in self._fields.items()}
        if fields or self.rank == 0:
            return structured_lists.records(fields, self.rank)
        return structured_lists.empty_records(self.row_partitions, int(self._ragged_shape[0]))

    def __getitem__(self, key: Any) -> StructuredTensor | Any:
        """A field, a record, rows, or a field of rows: `value["a"]`, `value[0]`, `value[1:]`, `value[0, "a"]`.

        Args:
          key: indices of as many dimensions as there are, then a field's name, then indices of the field.

        Raises:
          TypeError: if a name is where a dimension is indexed.
          ValueError: if an index is neither a number nor a slice, or a field's index is no name.
          KeyError: if there is no such field.
        """
        keys = tuple(key) if isinstance(key, (list, tuple)) else (key,)
        if not keys:
            return self
        rank = self.rank
        if len(keys) > rank and not (rank == 0 and keys[0] == slice(None)):
            name = keys[rank]
            if not isinstance(name, (str, bytes)):
                full = " or a full slice (':')" if rank == 0 else ""
                raise ValueError(f"Key for indexing a StructuredTensor must be a string{full}, got {name!r}")
            rest = (*keys[:rank], *keys[rank + 1 :])
            return self._fields[name][rest] if rest else self._fields[name]  # type: ignore[index]
        for one in keys:
            if one is None:
                raise ValueError("Slicing not supported for tf.newaxis")
            if not isinstance(one, (slice, int, np.integer, Tensor)):
                kind = TypeError if isinstance(one, (str, bytes)) else ValueError
                raise kind(
                    f"Slicing not supported for {one!r}: a dimension of records is indexed by a number or a slice"
                )
        if rank == 0:
            return self._applied(lambda value: value[keys[1:]] if keys[1:] else value, self._ragged_shape)
        whole = DynamicRaggedShape.from_tensor(array.ones(self._ragged_shape, dtypes.bool_)[keys])
        return self._applied(lambda value: value[keys], whole.with_dtype(self._ragged_shape.dtype))

    def __repr__(self) -> str:
        shown = ((name, str(value).replace("\n", "\n            ")) for name, value in sorted(self._fields.items()))
        fields = ",\n        ".join(f'"{name}": {text}' for name, text in shown)
        return f"<StructuredTensor(\n    fields={{\n        {fields}}},\n    shape={self.shape})>"

    # ---- other values

    def _applied(self, function: Callable[[Any], Any], shape: Any) -> StructuredTensor:
        """The records with each field replaced, and their shape."""
        return self._of_fields({name: function(value) for name, value in self._fields.items()}, shape)

    def with_shape_dtype(self, dtype: Any) -> StructuredTensor:
        """The same records with row partitions of another integer type.

        Args:
          dtype: int32 or int64.
        """
        kind = dtypes.as_dtype(dtype)
        if kind is self._ragged_shape.dtype:
            return self
        return self._applied(lambda value: _with_shape_dtype(value, kind), self._ragged_shape.with_dtype(kind))

    def with_updates(self, updates: Mapping[Any, Any], validate: bool = False) -> StructuredTensor:
        """The records with fields added, replaced or left out.

        Args:
          updates: name, or names on the way to a field of a field -> the new value, a function of the old one, or None
            to leave the field out.
          validate: ignored.

        Raises:
          ValueError: if a field and one of its fields are both updated, a field to change or to leave out is absent,
            or the values do not fit.
        """
        items = sorted(((name,) if isinstance(name, str) else tuple(name), value) for name, value in updates.items())
        for (one, _), (two, _) in zip(items, items[1:], strict=False):
            if two[: len(one)] == one:
                raise ValueError(
                    "`StructuredTensor.with_updates` does not allow both parent and child nodes to be updated: "
                    f"parent={one}, child={two}. If needed you can update child nodes in the parent update value."
                )
        return self._updated((), items, validate)

    def _updated(self, prefix: tuple[str, ...], updates: Sequence[Any], validate: bool) -> StructuredTensor:
        fields = dict(self._fields)
        for name, value in updates:
            _update(fields, prefix, name, value, validate)
        try:
            return StructuredTensor.from_fields(
                fields, self.shape, self.nrows(), self.row_partitions or None, validate=validate
            )
        except ValueError as error:
            where = f" for field {prefix}" if prefix else ""
            raise ValueError(f"`StructuredTensor.with_updates` failed{where}: {error}") from error

    def promote(self, source_path: Any, new_name: str) -> StructuredTensor:
        """The records with a copy of a field of a field one level higher, its values of one record together.

        Args:
          source_path: the names on the way to the field, two at least.
          new_name: the name of the copy, beside the field that holds the original.

        Raises:
          ValueError: if the path is too short, or a name is no text.
        """
        if not isinstance(new_name, str):
            raise ValueError("new_name is not a string")
        if not isinstance(source_path, (list, tuple)):
            raise ValueError("source_path must be a list or tuple")
        if len(source_path) < 2:
            raise ValueError("source_path must have length at least two")
        path = tuple(source_path)
        value, outer = self.field_value(path), self.field_value(path[:-2])
        rank, parent = value.shape.rank, self.field_value(path[:-1]).rank
        if rank is None:
            raise ValueError("Cannot determine if dimensions should be merged.")
        inner = min(parent, rank - 1)
        if parent != outer.rank and inner > outer.rank:
            value = _merged(value, outer.rank, inner)
        return self.with_updates({(*path[:-2], new_name): value})

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """The records with the first dimension divided into rows.

        Args:
          row_partition: the rows.

        Raises:
          TypeError: if it is no RowPartition.
          ValueError: for a single record.
        """
        if not isinstance(row_partition, RowPartition):
            raise TypeError("row_partition must be a RowPartition.")
        if self.rank == 0:
            raise ValueError(f"Shape {self.shape} must have rank at least 1")
        partitions = (row_partition.with_dtype(self._ragged_shape.dtype), *self.row_partitions)
        shape = DynamicRaggedShape.from_row_partitions(partitions)
        return self._applied(lambda value: _divided(value, partitions[0]), shape)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The records with dimensions `outer_axis` to `inner_axis` as one.

        Args:
          outer_axis, inner_axis: the first and the last of them; negative ones count from the end.

        Raises:
          ValueError: if there are no such dimensions.
        """
        outer, inner = (axis_from_front(axis, self.rank) for axis in (outer_axis, inner_axis))
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})")
        return self if outer == inner else _merged(self, outer, inner)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- fields


def _converted(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as tensors and composites, their names checked."""
    values = {}
    for name, value in fields.items():
        if not isinstance(name, str):
            raise TypeError(f"Unexpected type for key in `fields`: {name!r}")
        if not _NAME.fullmatch(name):
            raise ValueError(f"Field name {name!r} is not currently allowed.")
        try:
            values[name] = value if isinstance(value, Composite) else RaggedTensor._ragged_or_dense(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"Unexpected type for value in `fields`: {value!r}") from error
    return values


def _update(fields: dict[str, Any], prefix: tuple[str, ...], name: Any, value: Any, validate: bool) -> None:
    """Adds, replaces or takes out one field, or one of a field."""
    what, shown = "`StructuredTensor.with_updates` cannot", (*prefix, *name)
    if not name or not name[0]:
        raise ValueError(f"`StructuredTensor.with_updates` does not allow empty names {shown}.")
    first, rest = name[0], name[1:]
    if rest:
        if first not in fields:
            raise ValueError(f"{what} create new sub-field {shown} if parent field {(*prefix, first)} is not set.")
        if not isinstance(fields[first], StructuredTensor):
            raise ValueError(
                f"{what} create new sub-field {shown} if parent structure {(*prefix, first)} is not a "
                f"`StructuredTensor` that can contain sub-structures -- it is a `{type(fields[first])}`."
            )
        fields[first] = fields[first]._updated((*prefix, first), [(rest, value)], validate)
    elif value is None:
        if first not in fields:
            raise ValueError(f"{what} delete field {shown} because it is not present.")
        del fields[first]
    elif callable(value):
        if first not in fields:
            raise ValueError(
                f"{what} update the field {shown} because a transforming function was given, but that field does not "
                "already exist."
            )
        fields[first] = value(fields[first])
    else:
        fields[first] = value


def _with_partitions(value: Any, partitions: Sequence[RowPartition]) -> Any:
    """A field with the row partitions of the whole, which are equal to its own."""
    if not partitions or isinstance(value, Tensor):
        return value
    if isinstance(value, StructuredTensor):
        own = (*partitions, *value.row_partitions[len(partitions) :])
        shape = DynamicRaggedShape.from_row_partitions(own)
        return value._of_fields(value._fields, shape)
    if isinstance(value, Partitioned):
        values = _with_partitions(value.values, partitions[1:])
        return RaggedTensor._from_row_partition(values, partitions[0], validate=False)  # they are known to be equal
    return value


def _with_shape_dtype(value: Any, dtype: Any) -> Any:
    if isinstance(value, Partitioned):
        return value.with_row_splits_dtype(dtype)
    return value.with_shape_dtype(dtype) if isinstance(value, StructuredTensor) else value


def _divided(value: Any, partition: RowPartition) -> Any:
    """A field whose first dimension is divided into rows."""
    if isinstance(value, StructuredTensor):
        return value.partition_outer_dimension(partition)
    if isinstance(value, Partitioned) or not partition.is_uniform():
        return RaggedTensor._from_row_partition(value, partition)
    sizes = stacking.stack([partition.nrows(), partition.uniform_row_length()])
    return array.reshape(value, joining.concat([sizes, array.shape(value, partition.dtype)[1:]], 0))


def _merged(value: Any, outer: int, inner: int) -> Any:
    """A field, or records, with some dimensions as one."""
    if isinstance(value, StructuredTensor):
        return value._applied(lambda field: _merged(field, outer, inner), value._ragged_shape._merge_dims(outer, inner))
    return value.merge_dims(outer, inner) if isinstance(value, RaggedTensor) else merge_dense(value, outer, inner)


# ---------------------------------------------------------------- the shape of the whole


def _shape_dtype(fields: Mapping[str, Any], nrows: Any, partitions: Sequence[RowPartition]) -> Any:
    """The type of row partitions: int32 if something has such ones and nothing int64, else int64."""
    kinds = [partition.dtype for partition in partitions]
    kinds += [value.row_splits.dtype for value in fields.values() if isinstance(value, Partitioned)]
    kinds += [value._ragged_shape.dtype for value in fields.values() if isinstance(value, StructuredTensor)]
    kinds += [nrows.dtype] if isinstance(nrows, Tensor) else []
    return dtypes.int32 if kinds and all(kind is dtypes.int32 for kind in kinds) else dtypes.int64


def _shape_of_fields(fields: Mapping[str, Any], rank: int, dtype: Any) -> Any:
    """The shape of the first dimensions, which all fields have in common; None if there are no fields."""
    whole: Any = None
    for name, value in fields.items():
        try:
            shape = (
                value._ragged_shape if isinstance(value, StructuredTensor) else DynamicRaggedShape.from_tensor(value)
            )
            if shape.rank is not None and shape.rank < rank:
                raise ValueError(f"it has {shape.rank} dimensions, the whole {rank}")
            shape = shape.with_dtype(dtype)[:rank]
            whole = shape if whole is None else whole._merge_with(shape)
        except (ValueError, TypeError, errors.OpError) as error:
            raise ValueError(f"Error in shape of {name}: {error}") from error
    return whole


def _whole_shape(fields: Mapping[str, Any], static: TensorShape, nrows: Any, partitions: Any) -> Any:
    """The shape of records, from all that tells it."""
    rank, dtype = static.rank, _shape_dtype(fields, nrows, partitions)
    if rank == 0:
        return DynamicRaggedShape([], [], dtype)
    candidates = [_shape_of_fields(fields, rank, dtype)] if fields else []  # type: ignore[arg-type]
    if static.is_fully_defined():
        candidates.insert(0, DynamicRaggedShape([], static.as_list(), dtype))
    if rank == 1 and nrows is not None and not static.is_fully_defined():
        candidates.append(DynamicRaggedShape([], array.reshape(nrows, [1]), dtype))
    if partitions:
        candidates.append(DynamicRaggedShape.from_row_partitions(partitions, dtype))
    if not candidates:
        what = "`nrows`" if rank == 1 else "row_partitions"
        raise ValueError(f"Must specify {what}, a fully specified `shape`, or have `fields` if `rank={rank}`")
    whole = candidates[0]
    for other in candidates[1:]:
        whole = whole._merge_with(other)
    return whole


ANSWERS[StructuredTensor] = late_answer("structured")
