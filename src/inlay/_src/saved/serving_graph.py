"""The graph of a saved model: a call for each signature, and the operation that initializes the model.

Readers that do not know the objects of a model, such as a server, run this graph: they restore the variables, see
`saver_nodes`, and fill tables by the main operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.types import dtypes, shapes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.ops.control import group
from inlay._src.ops.hash_tables import table_ops
from inlay._src.ops.hash_tables.table_state import TableKey, TableState
from inlay._src.ops.placeholders import placeholder_with_default
from inlay._src.ops.state import HandleKey
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.graph_def.exporting import is_state_of_op
from inlay._src.programs.program import add_call
from inlay._src.saved.saver_nodes import SavedVariable

MAIN_OP, INIT = "saved_model_main_op", "__saved_model_init_op"
"""The collection, and the signature, of the operation that initializes a loaded model."""
Held = tuple[str, Variable] | TableState | None


class ServingGraph:
    """The graph of a model.

    Args:
      object_of: gives (key in the checkpoint, variable) or the table behind a captured handle; None for another.

    Attributes:
      graph: the graph.
    """

    def __init__(self, object_of: Callable[[Any], Held]) -> None:
        self.graph = Graph()
        self._object_of = object_of
        self._handles: dict[Any, SymbolicTensor] = {}
        self._fills: list[Operation] = []

    def call(
        self, name: str, concrete: ConcreteFunction, defaults: Mapping[str, EagerTensor]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Adds the call of a signature; its inputs and outputs by name."""
        graph, program = self.graph, concrete.program
        with graph.as_default():
            inputs: dict[str, Any] = {
                spec.name: _placeholder(graph, spec.dtype, spec.shape, f"{name}_{spec.name}")
                if spec.name not in defaults
                else placeholder_with_default(defaults[spec.name], spec.shape, f"{name}_{spec.name}")
                for spec in concrete.structured_input_signature[1].values()
            }
            captured = [self._captured(outer) for outer in program.captures]
            node = add_call(graph, program, [*inputs.values(), *captured])
        return inputs, concrete._template.fill(node.outputs)

    def _captured(self, outer: Any) -> SymbolicTensor:
        """The tensor for a captured one."""
        held = self._object_of(outer)
        if isinstance(held, tuple):
            return self._variable(*held)
        if isinstance(held, TableState):
            return self._table(held)
        if id(outer) not in self._handles:
            tensor: Any
            if isinstance(outer, EagerTensor) and outer.dtype in dtypes.DENSE:
                tensor = convert_to_tensor(outer.numpy(), outer.dtype, name="captured")
            else:
                key = handle_key(outer) if is_state_of_op(outer) else None  # by which the draws know it
                tensor = _placeholder(self.graph, outer.dtype, getattr(outer, "shape", ()), "captured", key)
            self._handles[id(outer)] = tensor
        return self._handles[id(outer)]

    def _variable(self, key: str, variable: Variable) -> SymbolicTensor:
        handle = self._handles.get(key)
        if handle is None:
            variable_key = HandleKey(key, variable.dtype, variable._dims, variable.trainable)
            attrs = {"handle": self.graph.resources.add(variable_key, key)}
            name = variable.name.removesuffix(":0") or "variable"
            node = self.graph.add(OPS["VarHandleOp"], (), attrs, (dtypes.resource,), ((),), name)
            handle = self._handles[key] = node.outputs[0]
        return handle

    def _table(self, table: TableState) -> SymbolicTensor:
        handle = self._handles.get(id(table))
        if handle is None:
            key = TableKey(table.spec, table.name)
            attrs = {"handle": self.graph.resources.add(key, key.name)}
            opdef = table_ops.HANDLES[table.spec.kind]
            node = self.graph.add(opdef, (), attrs, (dtypes.resource,), ((),), table.name or "table")
            handle = self._handles[id(table)] = node.outputs[0]
            keys, values = table.export()
            tensors = (convert_to_tensor(keys, table.spec.key_dtype), convert_to_tensor(values, table.spec.value_dtype))
            self._fills.append(emit(OPS["LookupTableImportV2"], (handle, *tensors), {}, "fill"))
        return handle

    def finish(self, variables: Sequence[tuple[str, Variable]]) -> list[SavedVariable]:
        """Adds the handles of all variables, and the operation that initializes the model.

        Args:
          variables: (key in the checkpoint, variable) of each.

        Returns:
          The variables of the graph.
        """
        with self.graph.as_default():
            handles = [self._variable(key, variable) for key, variable in variables]
            self._init: Any = group(*self._fills, name="init")
        return [
            SavedVariable(key, handle.op.name, variable.dtype)
            for (key, variable), handle in zip(variables, handles, strict=True)
        ]

    def describe(self, meta: Any) -> None:
        """Names the operation that initializes the model in a `MetaGraphDef`."""
        meta.collection_def[MAIN_OP].node_list.value.append(self._init.name)
        info = meta.signature_def[INIT].outputs[INIT]
        info.name, info.tensor_shape.unknown_rank = self._init.name, True


def _placeholder(graph: Graph, dtype: Any, shape: Any, name: str, key: Any = None) -> SymbolicTensor:
    """A placeholder; of a resource with the key behind it, if that is known."""
    partial = shapes.as_shape(shape)
    attrs = {"dtype": dtype, "shape": partial}
    if key is not None:
        attrs["handle"] = graph.resources.add(key, getattr(key, "name", None))
    return graph.add(OPS["Placeholder"], (), attrs, (dtype,), (partial._dims,), name).outputs[0]
