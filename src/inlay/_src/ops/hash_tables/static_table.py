"""Tables that are filled once."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.hash_tables.table import LookupTable, of_keys
from inlay._src.ops.hash_tables.table_state import TableSpec


@export("lookup.StaticHashTable")
class StaticHashTable(LookupTable):
    """A table that is filled once: eagerly when it is made, in a graph by an operation (`tables_initializer`).

    Args:
      initializer: its initializer, `KeyValueTensorInitializer` or `TextFileInitializer`.
      default_value: the value of keys that are not there, a scalar.
      name: names its node.
      experimental_is_anonymous: accepted; nothing else shares a table here.

    Raises:
      ValueError: if `default_value` is no scalar.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._default_value = convert_to_tensor(default_value, initializer.value_dtype)
        self._default_value.shape.merge_with([])
        super().__init__(TableSpec("HashTable", initializer.key_dtype, initializer.value_dtype), name or "hash_table")
        self._initializer = initializer
        self._init_op = initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys.

        Args:
          keys: a tensor, ragged or sparse ones too, of `key_dtype`.
          name: the operation's.

        Returns:
          Values of the same structure and shape.

        Raises:
          TypeError: for keys of another type.
          FailedPreconditionError: in a session where the table was not filled.
        """
        if not isinstance(keys, nest.Composite):
            keys = convert_to_tensor(keys, None if hasattr(keys, "dtype") else self.key_dtype, name="keys")
        with name_scope(name, f"{self._name}_Lookup"):
            return of_keys(keys, self.key_dtype, self._find)

    def __getitem__(self, keys: Any) -> Tensor:
        return self.lookup(keys)

    def _find(self, keys: Any) -> Any:
        values = table_ops.find(self._handle, keys, self._default_value)
        values.set_shape(keys.shape)
        return values

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys and their values.

        Args:
          name: the operation's.
        """
        with name_scope(name, f"{self._name}_Export"):
            return self._exported()


@export("compat.v1.lookup.StaticHashTable")
class StaticHashTableV1(StaticHashTable):
    """`lookup.StaticHashTable`, which also tells the operation that fills it."""

    @property
    def initializer(self) -> Operation | None:
        """The operation that fills it; None while executing eagerly."""
        return self._init_op


@export("contrib.lookup.HashTable")
class HashTable(StaticHashTableV1):
    """`compat.v1.lookup.StaticHashTable` by its first name.

    Args:
      initializer, default_value, name: as for `StaticHashTable`.
      shared_name: accepted; nothing else shares a table here.
    """

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str | None = None
    ) -> None:
        super().__init__(initializer, default_value, name)

    @property
    def init(self) -> Operation | None:
        """`initializer`."""
        return self.initializer
