"""The encoder that stacks and unstacks shapes of ragged tensors: as ragged tensors that have these shapes."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.ops import array
from inlay._src.ops.composite.batch_encoder import ExtensionTypeBatchEncoder
from inlay._src.ops.composite.row_partition_spec import RowPartitionSpec
from inlay._src.ops.composite.specs import RaggedTensorSpec


class RaggedShapeEncoder(ExtensionTypeBatchEncoder):
    """A shape is encoded as a tensor of it: the rows of that tensor have the shapes that are the rows of the shape."""

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of a shape whose rows have a spec; see `ExtensionTypeBatchEncoder`."""
        if spec.rank == 0:
            return spec._from_tensor_shape([batch_size], 0, spec.dtype)
        head = RowPartitionSpec(batch_size, None, spec._dimension(0), spec.dtype)
        rest = [RowPartitionSpec(None, None, p.uniform_row_length, spec.dtype) for p in spec._row_partitions]
        dims = spec._static_inner_shape._dims
        return type(spec)([head, *rest], None if dims is None else [None, *dims[1:]], spec.dtype)

    def unbatch(self, spec: Any) -> Any:
        """The spec of a row of a shape; see `ExtensionTypeBatchEncoder`."""
        dims, partitions = spec._static_inner_shape._dims, spec._row_partitions
        if not partitions:
            if dims == ():
                raise ValueError(f"a value of {spec!r} has no rows: it is the shape of a scalar")
            return type(spec)([], None if dims is None else dims[1:], spec.dtype)
        rest = [RowPartitionSpec(None, None, p.uniform_row_length, spec.dtype) for p in partitions[1:]]
        if dims is None:
            return type(spec)(rest, None, spec.dtype)
        return type(spec)(rest, [None if rest else partitions[0].uniform_row_length, *dims[1:]], spec.dtype)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A tensor of the shape."""
        return value._add_row_partitions(array.ones(value.inner_shape, dtypes.bool_))

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The shape of a tensor."""
        return spec.value_type.from_tensor(encoded_value, spec.dtype)

    def encoding_specs(self, spec: Any) -> Any:
        """The spec of a tensor of the shape."""
        if spec.rank == 0:
            return TensorSpec([], dtypes.bool_)
        return RaggedTensorSpec(spec._to_tensor_shape(), dtypes.bool_, spec.num_row_partitions, spec.dtype)
