"""The nodes by which a saved graph restores and saves its variables, for readers that run the graph.

filename ─▶ RestoreV2 ─▶ AssignVariableOp of each variable ─▶ NoOp       `saver_def.restore_op_name`
filename ─▶ SaveV2 of a read of each variable ─▶ Identity of filename    `saver_def.save_tensor_name`
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.ops.serialized import tensor_message
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.node_names import NodeNames

_SCOPE = "saver"
_VERSION = 2
"""The number of TensorFlow's format of tensor bundles."""


class SavedVariable(NamedTuple):
    """A variable of a saved graph.

    Attributes:
      key: its name in the checkpoint.
      handle: the name of the node that gives its handle.
      dtype: its type.
    """

    key: str
    handle: str
    dtype: DType


def add_saver(meta: Any, variables: Sequence[SavedVariable]) -> None:
    """Adds the nodes to a `MetaGraphDef`, and names them in its `saver_def`.

    Args:
      meta: the message, with its graph.
      variables: the variables.
    """
    scope = NodeNames(node.name for node in meta.graph_def.node).claim_scope(_SCOPE)
    nodes = _Nodes(meta.graph_def, scope)
    filename = nodes.add("filename", "Placeholder", [], dtype=("type", dtypes.string), shape=("shape", TensorShape(())))
    keys = nodes.texts("names", [variable.key for variable in variables])
    parts = nodes.texts("parts", [""] * len(variables))
    kinds = [variable.dtype for variable in variables]
    assigned, reads = [], []
    if variables:
        nodes.add("restore", "RestoreV2", [filename, keys, parts], dtypes=("list(type)", kinds))
    for at, variable in enumerate(variables):
        kind = ("type", variable.dtype)
        inputs = [variable.handle, f"{scope}/restore:{at}"]
        assigned.append(nodes.add(f"assign_{at}", "AssignVariableOp", inputs, dtype=kind))
        reads.append(nodes.add(f"read_{at}", "ReadVariableOp", [variable.handle], dtype=kind))
    restore = nodes.add("restore_all", "NoOp", [f"^{name}" for name in assigned])
    written = []
    if variables:
        inputs = [filename, keys, parts, *reads]
        written = [f"^{nodes.add('save', 'SaveV2', inputs, dtypes=('list(type)', kinds))}"]
    saved = nodes.add("saved", "Identity", [filename, *written], T=("type", dtypes.string))
    saver = meta.saver_def
    saver.filename_tensor_name, saver.save_tensor_name = f"{filename}:0", f"{saved}:0"
    saver.restore_op_name, saver.version = restore, _VERSION


class _Nodes:
    """Nodes of one scope of a graph.

    Args:
      graph_def: the graph.
      scope: the scope.
    """

    def __init__(self, graph_def: Any, scope: str) -> None:
        self._graph_def, self._scope = graph_def, scope

    def add(self, label: str, op: str, inputs: Sequence[str], **attrs: tuple[str, Any]) -> str:
        """Adds a node; its name. Attributes are (kind, value)."""
        node = self._graph_def.node.add(name=f"{self._scope}/{label}", op=op, input=inputs)
        for name, (kind, value) in attrs.items():
            attributes.put(node.attr[name], kind, value)
        return str(node.name)

    def texts(self, label: str, texts: Sequence[str]) -> str:
        """Adds a constant with texts."""
        values = np.empty(len(texts), object)
        values[:] = [text.encode() for text in texts]
        message = tensor_message(values, dtypes.string)
        return self.add(label, "Const", [], dtype=("type", dtypes.string), value=("tensor", message))
