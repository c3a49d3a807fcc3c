"""Partitioned variables: the division of a shape, and the value that the parts form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.eager.attributes import truth
from inlay._src.ops import array, control, joining
from inlay._src.ops.variables.save_slice import SaveSliceInfo
from inlay._src.ops.variables.variable import Variable


def partitions_of(partitioner: Callable[..., Any], shape: TensorShape, dtype: DType) -> list[int]:
    """The number of parts along each dimension, as a partitioner says it.

    Raises:
      ValueError: if it says anything else, or the shape is not known.
    """
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    counts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(counts, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {counts}")
    if len(counts) != shape.rank:
        raise ValueError(f"Partitioner returned a partition list that does not match shape_size: {counts} vs {shape}")
    return checked_counts([int(c) for c in counts], shape.as_list())  # type: ignore[arg-type]


def checked_counts(counts: list[int], sizes: Sequence[int]) -> list[int]:
    """`counts`, if a shape can be cut so.

    Raises:
      ValueError: if it cannot.
    """
    if len(counts) != len(sizes):
        raise ValueError(f"the shape {list(sizes)} has another rank than the numbers of parts {counts}")
    if any(c < 1 for c in counts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {counts}")
    if sum(c > 1 for c in counts) > 1:
        raise ValueError(f"Can only slice a variable along one dimension: shape {list(sizes)}, partitioning {counts}")
    for axis, (count, size) in enumerate(zip(counts, sizes, strict=True)):
        if count > size > 0:
            raise ValueError(f"Cannot cut dimension {axis} of size {size} into {count} parts: shape {list(sizes)}")
    return counts


def parts(name: str, sizes: Sequence[int], counts: Sequence[int]) -> list[SaveSliceInfo]:
    """The parts of a variable; the first ones are larger by one where it cannot be cut evenly."""
    axis = next((a for a, c in enumerate(counts) if c > 1), 0)
    least, more = divmod(sizes[axis], counts[axis])
    infos, begin = [], 0
    for i in range(counts[axis]):
        here = least + (i < more)
        offset, shape = [0] * len(sizes), list(sizes)
        offset[axis], shape[axis] = begin, here
        infos.append(SaveSliceInfo(name, list(sizes), offset, shape))
        begin += here
    return infos


class PartitionedVariable:
    """A variable that is kept in parts along one dimension. Where a tensor is expected it is the whole.

    Args:
      name: the name of the whole.
      shape, dtype: of the whole.
      variable_list: the parts, which are variables.
      partitions: the number of parts along each dimension.

    Attributes:
      name, shape, dtype: of the whole.
    """

    def __init__(
        self, name: str, shape: Any, dtype: DType, variable_list: Sequence[Variable], partitions: Sequence[int]
    ) -> None:
        self.name, self.shape, self.dtype = name, shapes.as_shape(shape), dtype
        self._parts, self._partitions = list(variable_list), list(partitions)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self.shape

    def __inlay_parts__(self) -> list[Variable]:
        """The parts, for what looks rows up in each."""
        return self._parts

    def _get_variable_list(self) -> list[Variable]:
        return self._parts

    def _get_partitions(self) -> list[int]:
        return self._partitions

    @property
    def _axis(self) -> int:
        return next((a for a, c in enumerate(self._partitions) if c > 1), 0)

    def _concat(self) -> Any:
        if len(self._parts) == 1:
            return array.identity(self._parts[0], name=self.name)
        return joining.concat(self._parts, self._axis, name=self.name)

    def as_tensor(self) -> Any:
        """The whole as a tensor, read outside all control dependencies."""
        graph = context.current().graph
        if graph is None:
            return self._concat()
        with graph.control_dependencies(None), graph.name_scope(None):
            return self._concat()

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self.as_tensor()

    @property
    def initializer(self) -> Any:
        """The operation that gives all parts their first values."""
        return control.group(*[v.initializer for v in self._parts])

    def _each(self, write: str, value: Any, read_value: bool) -> Any:
        read_value = truth(read_value, "read_value")
        sizes = [v.shape.as_list()[self._axis] for v in self._parts]
        pieces = joining.split(value, sizes, self._axis) if len(sizes) > 1 else [value]
        written = [
            getattr(v, write)(piece, read_value=read_value) for v, piece in zip(self._parts, pieces, strict=True)
        ]
        return written if read_value else control.group(*written)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Gives every part its part of `value`; the parts' values, or the operation without `read_value`."""
        return self._each("assign", value, read_value)

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Adds to every part its part of `value`; the result is as of `assign`."""
        return self._each("assign_add", value, read_value)

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        """Takes from every part its part of `value`; the result is as of `assign`."""
        return self._each("assign_sub", value, read_value)

    def __repr__(self) -> str:
        return f"<tf.PartitionedVariable {self.name!r} shape={self.shape} dtype={self.dtype.name} parts={len(self)}>"
