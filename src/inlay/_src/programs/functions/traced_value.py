"""The value of a tensor while the function that makes it is being traced: the first value of a variable made there.

The arguments of the call that traces are known, so what the tensor depends on runs by itself, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.core.devices.device_tensor import tensor_of, value_of
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Operation
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.plan import build as building
from inlay._src.engine.run import device_layout, xla_segments
from inlay._src.engine.run.executable import Executable
from inlay._src.programs.program import Runnable


class _Dependencies(Runnable):
    """The part of a graph that one tensor depends on."""

    __slots__ = ("_parameters", "_tensor")

    def __init__(self, tensor: SymbolicTensor, parameters: Sequence[SymbolicTensor]) -> None:
        super().__init__(tensor.op.graph)
        self._tensor, self._parameters = tensor, parameters

    @property
    def executable(self) -> Executable:
        graph = self._source
        plan = building.build(graph, [self._tensor], self._parameters)
        return Executable(device_layout.laid_out(plan, xla_segments.asked(None), scope=graph.place), graph)


def value_while_traced(tensor: SymbolicTensor) -> EagerTensor | None:
    """The value of a tensor of a function that is being traced; None if it depends on an argument without a value."""
    graph = tensor.op.graph
    if not isinstance(graph, FuncGraph):
        return None
    outer_values = {id(p): value for p, value in zip(graph.inputs, graph.given, strict=False)}
    outer_values |= {id(inner): outer for outer, inner in graph.captured}
    parameters = [p for p in (*graph.inputs, *(inner for _, inner in graph.captured)) if p.op in _behind(tensor)]
    values: list[Any] = []
    for p in parameters:
        value = outer_values.get(id(p))
        value = value_while_traced(value) if isinstance(value, SymbolicTensor) else value
        if not isinstance(value, EagerTensor):
            return None
        values.append(value_of(value))
    return tensor_of(_Dependencies(tensor, parameters).run(values)[0], tensor.dtype)


def _behind(tensor: SymbolicTensor) -> set[Operation]:
    """The operations that a tensor depends on."""
    operations: set[Operation] = set()
    stack = [tensor.op]
    while stack:
        node = stack.pop()
        if node not in operations:
            operations.add(node)
            stack += [*(t.op for t in node.inputs), *node.control_inputs]
    return operations
