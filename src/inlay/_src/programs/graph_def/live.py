"""Attributes that refer to live objects of a graph, written: gradients as functions, what travels as bodies."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.operation import Operation
from inlay._src.core.tables import Reference
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.host_functions import refused_at


def put(scope: Any, message: Any, node: Operation, name: str, value: Reference) -> bool:
    """Writes what an attribute of a node refers to.

    Args:
      scope: the `exporting.Scope` of the node.
      message: the node as it is written.
      node: the node.
      name, value: the attribute.

    Returns:
      Whether that can be written.

    Raises:
      InvalidArgumentError, TypeError: if it cannot, and the message should be complete.
    """
    live, complete = node.graph.referred(value), scope.library.complete
    try:
        if value.table == "gradients":
            _put_gradient(scope, message, node, name, live.written())
            return True
        body = scope.library.body(node, live) if getattr(live, "travels", False) else None
    except Exception as error:
        if complete:
            raise error if isinstance(error, errors.OpError) else refused_at(node, error) from error
        return False
    if body is not None:
        message.attr[name].func.name = body
    elif complete and not name.startswith("_"):
        raise refused_at(node, f"it refers to a {type(live).__name__} of this process, which cannot be saved")
    return body is not None


def _put_gradient(scope: Any, message: Any, node: Operation, name: str, gradient: Any) -> None:
    """Writes the gradient of a node. Tensors that the gradient captures become inputs of the node."""
    captured = [_captured(scope, node, t) for t in gradient.captured]
    message.attr[name].func.name = scope.library.whole(gradient.program.graph)
    attributes.put(message.attr["_places"], "list(int)", gradient.places)
    message.input.extend(captured)
    message.attr["N"].i = len(message.input)


def _captured(scope: Any, node: Operation, tensor: Any) -> str:
    """The reference to a tensor that the gradient of a node captured."""
    if isinstance(tensor, SymbolicTensor):
        if _depends(tensor.op, node):
            raise ValueError("its gradient uses what is computed of its results")
        return scope.reference(tensor)  # type: ignore[no-any-return]
    if tensor.dtype not in dtypes.DENSE:
        raise ValueError(f"its gradient uses {tensor!r} from outside")
    return scope.constant(f"{node.name}/captured", tensor.numpy(), tensor.dtype)[0]  # type: ignore[no-any-return]


def _depends(node: Operation, on: Operation) -> bool:
    """Whether a node is another one, or computed of its results."""
    waiting, seen = [node], {node}
    while waiting:
        current = waiting.pop()
        if current is on:
            return True
        for before in (*(t.op for t in current.inputs), *current.control_inputs):
            if before not in seen:
                seen.add(before)
                waiting.append(before)
    return False
