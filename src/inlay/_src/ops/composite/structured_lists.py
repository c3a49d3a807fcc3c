"""Records as Python lists and dictionaries, made tensors of fields and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged_ops import constant as ragged_constant
from inlay._src.ops.composite.row_partition import RowPartition
from inlay._src.ops.composite.specs import RaggedTensorSpec
from inlay._src.ops.composite.structured_spec import StructuredSpec

Path = tuple[str, ...]

# ---------------------------------------------------------------- from Python


def parsed(cls: Any, value: Any, spec: Any, path: Path) -> Any:
    """A Python value as a tensor or as records.

    Args:
      cls: StructuredTensor.
      value: a dictionary, nested lists of dictionaries or of scalars, or a scalar.
      spec: spec of the result, or None.
      path: the names of the fields on the way to the value, for messages.

    Raises:
      ValueError: if dictionaries are at different depths, or the value does not fit the spec.
    """
    if isinstance(value, dict):
        return _record(cls, value, spec, path)
    if not isinstance(value, (list, tuple)):
        if spec is not None and not (isinstance(spec, TensorSpec) and spec.shape.rank == 0):
            raise _mismatch(path, value, spec)
        return _constant(value, spec, path)
    names: dict[str, None] = {}
    depth = _depth(value, names)
    return _lists(cls, value, spec, path) if depth is None else _records(cls, value, sorted(names), depth, spec, path)


def _mismatch(path: Path, value: Any, spec: Any) -> ValueError:
    return ValueError(f"Value at {path!r} does not match typespec: {value!r} vs {spec!r}")


def _constant(value: Any, spec: Any, path: Path) -> Any:
    try:
        return array.constant(value, None if spec is None else spec.dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path!r}: {error}") from error


def _record(cls: Any, value: Mapping[str, Any], spec: Any, path: Path) -> Any:
    """One record."""
    specs = dict.fromkeys(value) if spec is None else getattr(spec, "_field_specs", None)
    if specs is None or (spec is not None and (spec.rank != 0 or set(value) != set(specs))):
        raise _mismatch(path, value, spec)
    return cls.from_fields({name: parsed(cls, part, specs[name], (*path, name)) for name, part in value.items()})


def _records(cls: Any, value: Any, names: Sequence[str], rank: int, spec: Any, path: Path) -> Any:
    """Nested lists of records, of which each field is put together."""
    fields: dict[str, Any] = {name: [] for name in names}
    for child in value:
        _gather(child, fields, 1)
    static: Any = [None] * rank
    if spec is not None:
        if not isinstance(spec, StructuredSpec) or set(fields) - set(spec._field_specs):
            raise _mismatch(path, value, spec)
        static = spec._shape
        if static.rank < rank:
            raise ValueError(f"Value at {path!r} does not match typespec (rank mismatch): {value!r} vs {spec!r}")
        fields = {name: fields.get(name, []) for name in spec._field_specs}
    specs = dict.fromkeys(fields) if spec is None else spec._field_specs
    values = {name: parsed(cls, part, specs[name], (*path, name)) for name, part in fields.items()}
    try:
        if values or spec is not None:
            return cls.from_fields(values, static)
        return _without_fields(cls, value, rank)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path!r}: {error}") from error


def _without_fields(cls: Any, value: Any, rank: int) -> Any:
    """Nested lists of empty dictionaries."""
    if rank == 1:
        return cls.from_fields({}, [len(value)], nrows=len(value))
    zeros = ragged_constant(_zeros(value), ragged_rank=rank - 1)
    return cls.from_fields({}, [len(value), *[None] * (rank - 1)], len(value), zeros._nested_row_partitions)


def _zeros(value: Any) -> Any:
    return 0 if isinstance(value, dict) else [_zeros(child) for child in value]


def _lists(cls: Any, value: Any, spec: Any, path: Path) -> Any:
    """Nested lists without dictionaries."""
    if isinstance(spec, StructuredSpec):
        rank = _empty_depth(value)
        if rank is None:
            raise _mismatch(path, value, spec)
        return _records(cls, value, [], rank, spec, path)
    if isinstance(spec, TensorSpec):
        tensor = _constant(value, spec, path)
        if not spec.shape.is_compatible_with(tensor.shape):
            raise _mismatch(path, value, spec)
        return tensor
    if spec is not None and not isinstance(spec, RaggedTensorSpec):
        raise _mismatch(path, value, spec)
    try:
        if spec is None:
            return ragged_constant(value)
        inner = None if spec.shape.rank is None else spec.shape[spec.ragged_rank + 1 :]
        return ragged_constant(value, spec.dtype, spec.ragged_rank, inner, row_splits_dtype=spec.row_splits_dtype)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Error parsing path {path!r}: {error}") from error


def _depth(value: Any, names: dict[str, None]) -> int | None:
    """The depth at which dictionaries stand, None if there are none; collects their keys."""
    if isinstance(value, dict):
        names.update(dict.fromkeys(value))
        return 0
    if not isinstance(value, (list, tuple)):
        return None
    depths = {depth for child in value if (depth := _depth(child, names)) is not None}
    if len(depths) > 1:
        raise ValueError("Inconsistent depth of dictionaries")
    return depths.pop() + 1 if depths else None


def _empty_depth(value: Any) -> int | None:
    """The nesting depth of lists that contain only empty lists."""
    if not isinstance(value, list):
        return None
    depths = [_empty_depth(child) for child in value]
    return None if None in depths else 1 + max((depth for depth in depths if depth is not None), default=0)


def _gather(value: Any, fields: dict[str, Any], depth: int) -> None:
    """Adds the fields of one record, or of lists of them, to the innermost of the lists that were begun last."""
    if not isinstance(value, (dict, list, tuple)):
        raise ValueError("Expected dict or nested list/tuple of dict")
    for name, column in fields.items():
        innermost = column
        for _ in range(1, depth):
            innermost = innermost[-1]
        innermost.append(value[name] if isinstance(value, dict) else [])
    if not isinstance(value, dict):
        for child in value:
            _gather(child, fields, depth + 1)


# ---------------------------------------------------------------- to Python


def lists_of(value: Any) -> Any:
    """A field as Python lists."""
    if isinstance(value, Partitioned):
        return value.to_list()
    if not isinstance(value, Tensor):
        return value.to_pyval()
    whole = value.numpy()  # type: ignore[attr-defined]
    return whole.tolist() if isinstance(whole, np.ndarray) else whole


def records(fields: Mapping[str, Any], rank: int) -> Any:
    """Lists of fields as nested lists of records."""
    if rank == 0:
        return dict(fields)
    return [records(dict(zip(fields, row, strict=True)), rank - 1) for row in zip(*fields.values(), strict=True)]


def empty_records(partitions: Sequence[RowPartition], count: int) -> Any:
    """Nested lists of records without fields."""
    if not partitions:
        return [{} for _ in range(count)]
    ends = partitions[0].row_splits().numpy().tolist()
    whole = empty_records(partitions[1:], ends[-1])
    return [whole[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
