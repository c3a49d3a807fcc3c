"""The program order of a function's effects, as control inputs: TensorFlow runs a function by its data flow alone.

Two nodes that use one variable or table keep their order, unless both only read it. A node that may do anything, such
as a call of Python, keeps its place among all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from inlay._src.base.types import dtypes
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.operation import Operation

_EFFECTS = (Effect.READS, Effect.WRITES, Effect.STATEFUL)


class _ResourceUses:
    """The uses of one variable or table so far.

    Attributes:
      written: the last node that may have changed it.
      read: the nodes that read it since.
    """

    def __init__(self, written: Operation | None) -> None:
        self.written, self.read = written, list[Operation]()


def preceding(graph: FuncGraph) -> dict[Operation, Sequence[Operation]]:
    """For each node of a function with an effect, the nodes before it that must have run.

    Args:
      graph: the graph of the function. One of 1.x has no such order.
    """
    if graph.in_v1:
        return {}
    states: dict[int, _ResourceUses] = {}
    barrier: Operation | None = None
    before: dict[Operation, Sequence[Operation]] = {}
    for node in graph.nodes:
        if node.effect not in _EFFECTS or node.opdef.role in (Role.VARIABLE, Role.PLACEHOLDER):
            continue
        used = {id(t) for t in node.inputs if t.dtype is dtypes.resource}
        anything = node.effect is Effect.STATEFUL and (node.host is not None or not used)
        touched = list(states.values()) if anything else [states.setdefault(u, _ResourceUses(barrier)) for u in used]
        earlier = [barrier] if barrier is not None else []
        for state in touched:
            earlier += [state.written] if state.written is not None else []
            if node.effect is Effect.READS:
                state.read.append(node)
            else:
                earlier += state.read
                state.written, state.read = node, []
        if anything:
            barrier = node
        before[node] = [other for other in dict.fromkeys(earlier) if other is not node]
    return before
