"""Models and graphs: the state of a graph that `saved_model.save` writes, and saved state as state of a graph.

A graph's variables and changeable tables have values in a session only: the default session supplies them. A static
table is saved as its initializer makes it. Variables and tables that are loaded into a graph get the saved values from
their initializers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.graph import Graph
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.ops.hash_tables import initializers, table_ops
from inlay._src.ops.hash_tables.table import LookupTable
from inlay._src.ops.hash_tables.table_state import TableKey, TableState
from inlay._src.ops.seeds import RandomKey
from inlay._src.ops.variables import creating
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization
from inlay._src.programs.session.session import Session

# ---------------------------------------------------------------- saving


def check(variable: Variable, path: str) -> None:
    """Refuses a variable of a graph that is not in force.

    Raises:
      InaccessibleTensorError: if it is one.
    """
    if variable.graph is not None and variable.graph is not context.current().graph:
        raise errors.InaccessibleTensorError(
            f"{path} is the variable {variable.name} of a graph, which is out of scope here: save it where the graph "
            "is the default one, `with graph.as_default(), session.as_default():`"
        )


def captured_parts(name: str, outer: SymbolicTensor) -> tuple[str, Any]:
    """A tensor of a graph that a function captured, as data; see `graph_def.pickles.captured_parts`.

    Raises:
      ValueError: if its value is not known without a session.
    """
    key = handle_key(outer) if outer.dtype is dtypes.resource else None
    if isinstance(key, RandomKey):
        return "random", (key.name, key.seeds)
    if isinstance(key, TableKey):
        return "table", key
    owner = getattr(key, "owner", None)
    variable = None if owner is None else owner()
    if variable is not None:
        return "variable", variable
    value = None if outer.dtype in (dtypes.resource, dtypes.variant) else get_static_value(outer)
    if value is None:
        raise ValueError(
            f"Unable to save function {name} because it captures graph tensor {outer!r} from a parent function which "
            "cannot be converted to a constant with `tf.get_static_value`: pass it as an argument"
        )
    return "tensor", EagerTensor(value if value.ndim else value[()], outer.dtype)


def table(key: TableKey, path: str) -> TableState:
    """The table of a graph: a static one as its initializer makes it, another as the default session has it.

    Args:
      key: the table's key in the graph in force.
      path: the attributes that lead to it, for messages.

    Raises:
      InaccessibleTensorError: if it is a table of another graph.
      ValueError: if a changeable table has no default session.
    """
    graph = context.current().graph
    nodes = [] if graph is None else graph.nodes
    handles = [n.outputs[0] for n in nodes if n.type in _HANDLES and handle_key(n.outputs[0]) is key]
    if graph is None or not handles:
        raise errors.InaccessibleTensorError(
            f"{path} is the table {key.name} of a graph, which is out of scope here: save it where the graph is the "
            "default one, `with graph.as_default(), session.as_default():`"
        )
    state = key.make()
    if key.spec.is_static:
        fill = [op for op in graph.get_collection(GraphKeys.TABLE_INITIALIZERS) if op.inputs[0] is handles[0]]
        with Session(graph=graph) as session:
            session.run(fill)
            return session._store.cell(key)  # type: ignore[return-value]
    types = {"Tkeys": key.spec.key_dtype, "Tvalues": key.spec.value_dtype}
    state.fill(*graph.session_for(None, "table").run(table_ops.export_entries(handles[0], **types)))
    return state


_HANDLES = {opdef.name for opdef in table_ops.HANDLES.values()}

# ---------------------------------------------------------------- loading


def loaded_variable(
    graph: Graph | None, value: np.ndarray, dtype: DType, shape: TensorShape, name: str, trainable: bool
) -> Variable:
    """A variable with a saved value; one of a graph has it after its initializer ran.

    Variables of a graph join `GLOBAL_VARIABLES` but, as in TensorFlow, not `TRAINABLE_VARIABLES`.

    Args:
      graph: the graph in force, or None.
      value: the value.
      dtype, shape, name, trainable: as for `Variable`.
    """
    if graph is None:
        return Variable(value, trainable=trainable, name=name, dtype=dtype, shape=shape)
    variable = Variable.__new__(Variable)
    variable.constraint, variable._trainable = None, trainable
    variable.synchronization, variable.aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
    creating.in_graph(variable, graph, value, dtype, name, shape, True)
    graph.add_to_collection(GraphKeys.GLOBAL_VARIABLES, variable)
    return variable


def loaded_table(graph: Graph | None, state: TableState) -> LookupTable:
    """A table with saved entries; one of a graph has them after `tables_initializer` ran.

    Args:
      graph: the graph in force, or None.
      state: the entries.
    """
    if graph is None:
        return LookupTable.of_state(state)
    loaded = LookupTable(state.spec, state.name)
    keys, values = state.export()
    tensors = convert_to_tensor(keys, state.spec.key_dtype), convert_to_tensor(values, state.spec.value_dtype)
    initializers.in_collection(table_ops.import_entries(loaded.resource_handle, *tensors))
    return loaded
