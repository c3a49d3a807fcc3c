"""The common part of tables: a handle, types, and keys that may be ragged or sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.core import context
from inlay._src.core.context import init_scope, name_scope
from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.core.trackable import Trackable
from inlay._src.ops.control import group, no_op
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.hash_tables.table_state import TableKey, TableSpec, TableState
from inlay._src.ops.variables.collections import GraphKeys


class LookupTable(Trackable):
    """A table of keys and values.

    Args:
      spec: the declaration of the table.
      name: names its node.
    """

    _in_checkpoints = False

    def __init__(self, spec: TableSpec, name: str) -> None:
        self._spec = spec
        with init_scope():
            graph = None if context.executing_eagerly() else default_graph()
            self._handle: Any = _handle(graph, spec, name)
        self._name: str | None = None if graph is None else self._handle.op.name.rpartition("/")[2]

    @classmethod
    def of_state(cls, state: TableState) -> LookupTable:
        """A table of this process that is there already."""
        table = object.__new__(cls)
        table._spec, table._handle, table._name = state.spec, EagerTensor(state, dtypes.resource), None
        return table

    @property
    def resource_handle(self) -> Tensor:
        """The handle, a resource tensor."""
        return self._handle

    @property
    def key_dtype(self) -> DType:
        """The type of keys."""
        return self._spec.key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of values."""
        return self._spec.value_dtype

    @property
    def name(self) -> str | None:
        """The name of its node; None of one that was made while executing eagerly."""
        return self._name

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries, an int64 scalar."""
        with name_scope(name, f"{self._name}_Size"):
            return table_ops.size(self._handle)

    def _exported(self) -> tuple[Any, Any]:
        keys, values = table_ops.export_entries(self._handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype)
        keys.set_shape([None, *self._spec.key_dims])
        values.set_shape([None, *self._spec.value_dims])
        return keys, values

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.key_dtype.name} to {self.value_dtype.name}>"


def _handle(graph: Graph | None, spec: TableSpec, name: str) -> Any:
    if graph is None:
        return EagerTensor(TableState(spec, name), dtypes.resource)
    key = TableKey(spec, name)
    attrs = {"handle": graph.resources.add(key, name)}
    return graph.add(table_ops.HANDLES[spec.kind], (), attrs, (dtypes.resource,), ((),), name).outputs[0]


def of_keys(keys: Any, dtype: DType, find: Callable[[Any], Any]) -> Any:
    """The results of `find` for dense, ragged or sparse keys, in the structure of the keys.

    Raises:
      TypeError: if the keys are of another type than `dtype`.
    """
    if keys.dtype != dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype}, received: {keys.dtype}")
    if not isinstance(keys, Composite):
        return find(keys)
    composite: Any = keys  # their classes would be a tenth of what a load of a model without them imports
    if hasattr(composite, "flat_values"):
        return composite.with_flat_values(find(composite.flat_values))
    return composite.with_values(find(composite.values))


@export("compat.v1.initializers.tables_initializer", "compat.v1.tables_initializer")
def tables_initializer(name: str = "init_all_tables") -> Operation | None:
    """An operation that fills all tables of the default graph; None while executing eagerly.

    Args:
      name: the operation's.
    """
    if context.executing_eagerly():
        return None
    every = default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*every, name=name) if every else no_op(name=name)


@export("compat.v1.initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> Operation | None:
    """`tables_initializer` by its first name."""
    return tables_initializer(name)
