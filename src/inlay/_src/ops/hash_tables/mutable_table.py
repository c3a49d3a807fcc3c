"""Tables that programs change, which checkpoints keep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of, default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.hash_tables.table_state import TableSpec
from inlay._src.ops.variables.collections import GraphKeys


class _SaveSpec(NamedTuple):
    """Part of a table in a checkpoint; see `training.saveable`."""

    tensor: Any
    name: str
    slice_spec: str = ""


class _TableSaveable:
    """A table in a checkpoint; see `training.saveable`."""

    def __init__(self, table: _ChangeableTable, name: str) -> None:
        self.op, self.name = table, name
        keys, values = table.export()
        self.specs = [_SaveSpec(keys, f"{name}-keys"), _SaveSpec(values, f"{name}-values")]

    def restore(self, restored_tensors: Sequence[Any], restored_shapes: Any) -> Any:
        """Makes saved keys and values the entries."""
        with name_scope(f"{self.name}_table_restore".replace("/", "_").replace(".", "_")):
            return table_ops.import_entries(self.op.resource_handle, *restored_tensors)


class _ChangeableTable(LookupTable):
    """A table that programs change.

    Args:
      spec: the declaration of the table.
      default_value: the value of keys that are not there.
      name: names its node.
      checkpoint: whether checkpoints keep it.
    """

    def __init__(self, spec: TableSpec, default_value: Any, name: str, checkpoint: bool) -> None:
        super().__init__(spec, name)
        self._default_value, self._checkpoint = default_value, checkpoint
        if checkpoint and not context.executing_eagerly():
            default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))

    def _gather_saveables_for_checkpoint(self) -> Mapping[str, Callable[..., Any]]:
        return {"table": lambda name="table": _TableSaveable(self, name)} if self._checkpoint else {}

    def _find(self, keys: Any, default: Any) -> Any:
        tensor = convert_to_tensor(keys, self.key_dtype, name="keys")
        values = table_ops.find(self._handle, tensor, default)
        if tensor.shape.rank is not None:
            outer = tensor.shape[: tensor.shape.rank - len(self._spec.key_dims)]
            values.set_shape(outer.concatenate(self._spec.value_dims))
        return values

    def _checked(self, keys: Any) -> Any:
        if getattr(keys, "dtype", self.key_dtype) != self.key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self.key_dtype}, received: {keys.dtype}")
        return convert_to_tensor(keys, self.key_dtype, name="keys")

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation | None:
        """Enters values, in place of those that the keys had.

        Args:
          keys: of any shape.
          values: one for each.
          name: the operation's.

        Returns:
          The operation; None while executing eagerly.

        Raises:
          TypeError, ValueError: for keys or values of other types.
          InvalidArgumentError: if shapes do not fit.
        """
        with name_scope(name, f"{self._name}_lookup_table_insert"):
            keys = convert_to_tensor(keys, self.key_dtype, name="keys")
            return table_ops.insert(self._handle, keys, convert_to_tensor(values, self.value_dtype, name="values"))

    def remove(self, keys: Any, name: str | None = None) -> Operation | None:
        """Takes keys out; those that are not there are passed over.

        Args:
          keys: of any shape.
          name: the operation's.

        Returns:
          The operation; None while executing eagerly.

        Raises:
          TypeError: for keys of another type.
        """
        with name_scope(name, f"{self._name}_lookup_table_remove"):
            return table_ops.remove(self._handle, self._checked(keys))

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys and their values.

        Args:
          name: the operation's.
        """
        with name_scope(name, f"{self._name}_lookup_table_export_values"):
            return self._exported()


@export("lookup.experimental.MutableHashTable", "contrib.lookup.MutableHashTable")
class MutableHashTable(_ChangeableTable):
    """A table that is filled and changed by `insert` and `remove`.

    Args:
      key_dtype, value_dtype: the types of keys and values.
      default_value: the value of keys that are not there; its shape is that of every value.
      name: names its node.
      checkpoint: whether checkpoints keep it.
      experimental_is_anonymous: accepted; nothing else shares a table here.

    Raises:
      ValueError: if the shape of `default_value` is not known.
      InvalidArgumentError: if it has more than one axis; in a graph when the table is made.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        default = convert_to_tensor(default_value, value_dtype)
        dims = _dims_of(default)
        kind = "MutableHashTableOfTensors" if dims else "MutableHashTable"
        spec = TableSpec(kind, dtypes.as_dtype(key_dtype), default.dtype, value_dims=dims)
        super().__init__(spec, default, name, checkpoint)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
          keys: of any shape.
          dynamic_default_values: the values of absent keys in this call: one for all, or one for each.
          name: the operation's.

        Returns:
          A value for each key.
        """
        default = self._default_value
        if dynamic_default_values is not None:
            default = convert_to_tensor(dynamic_default_values, self.value_dtype)
        with name_scope(name, f"{self._name}_lookup_table_find"):
            return self._find(keys, default)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)


@export("lookup.experimental.DenseHashTable", "contrib.lookup.MutableDenseHashTable")
class DenseHashTable(_ChangeableTable):
    """A table as `MutableHashTable`, with two keys that it does not take: they mark its free places.

    `export` and checkpoints have all places, as in TensorFlow: those that are free, and those whose entry was removed.

    Args:
      key_dtype, value_dtype: the types of keys and values.
      default_value: the value of keys that are not there; its shape is that of every value.
      empty_key, deleted_key: the two keys, known when it is made; their shape is that of every key.
      initial_num_buckets: its initial capacity, a power of two; 131072 if None.
      name: names its node.
      checkpoint: whether checkpoints keep it.
      experimental_is_anonymous: accepted; nothing else shares a table here.

    Raises:
      InvalidArgumentError: if the two are equal, or for another number of buckets.
      ValueError: if they are not known, or a shape is not.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if initial_num_buckets is not None and (
            initial_num_buckets < 4 or initial_num_buckets & initial_num_buckets - 1
        ):
            raise errors.InvalidArgumentError(
                None, None, f"Number of buckets must be at least 4 and a power of 2, got: {initial_num_buckets}"
            )
        default = convert_to_tensor(default_value, value_dtype, name="default_value")
        empty, dims = _reserved(empty_key, key_dtype, "empty_key")
        deleted, other = _reserved(deleted_key, key_dtype, "deleted_key")
        if dims != other:
            raise errors.InvalidArgumentError(
                None, None, f"Empty and deleted keys must have same shape, got shapes: {list(dims)} and {list(other)}"
            )
        if empty == deleted:
            raise errors.InvalidArgumentError(None, None, "Empty and deleted keys cannot be equal")
        spec = TableSpec(
            "MutableDenseHashTable", dtypes.as_dtype(key_dtype), default.dtype, dims, _dims_of(default),
            {empty: "empty_key", deleted: "deleted_key"}, initial_num_buckets or 1 << 17,
        )  # fmt: skip
        super().__init__(spec, default, name, checkpoint)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
          keys: of any shape.
          name: the operation's.

        Returns:
          A value for each key.

        Raises:
          InvalidArgumentError: for one of the two keys that it does not take.
        """
        with name_scope(name, f"{self._name}_lookup_table_find"):
            return self._find(keys, self._default_value)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation | None:
        """`insert`."""
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation | None:
        """`remove`."""
        return self.remove(keys, name)


def _dims_of(default: Any) -> tuple[int, ...]:
    """The shape of a default value."""
    if not default.shape.is_fully_defined():
        raise ValueError(f"the shape of the default value must be known, got {default.shape}")
    return tuple(int(size) for size in default.shape.as_list())


def _reserved(key: Any, dtype: Any, what: str) -> tuple[Any, tuple[int, ...]]:
    """A key as what dictionaries hold, and its shape."""
    value = constant_of(convert_to_tensor(key, dtype, name=what))
    if value is None:
        raise ValueError(f"`{what}` must be known when the table is made: pass a constant")
    array = np.asarray(value)
    return (tuple(array.reshape(-1).tolist()) if array.ndim else array.item()), array.shape
