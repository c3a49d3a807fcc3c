"""The operations that a loaded graph runs first."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.core import context
from inlay._src.core.operation import Operation
from inlay._src.ops.control import control_dependencies, group
from inlay._src.ops.hash_tables.table import tables_initializer
from inlay._src.ops.variables.collections import global_variables_initializer, local_variables_initializer


@export("compat.v1.saved_model.main_op.main_op")
def main_op() -> Operation | None:
    """An operation that initializes the variables, global and local, and the tables of the graph; None while eager."""
    return group(global_variables_initializer(), local_variables_initializer(), tables_initializer())


@export("compat.v1.saved_model.main_op_with_restore", "compat.v1.saved_model.main_op.main_op_with_restore")
def main_op_with_restore(restore_op_name: Any) -> Operation | None:
    """An operation that runs `main_op`, then another one.

    Args:
      restore_op_name: an operation or a tensor, despite its name, as in TensorFlow.

    Returns:
      The operation; None while eager.

    Raises:
      TypeError: for a name.
    """
    if context.executing_eagerly():
        return None
    with control_dependencies([main_op()]):
        return group(restore_op_name)
