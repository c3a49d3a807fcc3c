"""Order without data: `group`, `no_op`, `control_dependencies`, `tuple_`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import nest
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.opdef import OPS
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import identity


@export("no_op")
def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing; None while executing eagerly."""
    if context.executing_eagerly():
        return None
    return graphs.default_graph().add(OPS["NoOp"], (), {}, (), (), name)


@export("group")
def group(*inputs: Any, name: str | None = None, **kwargs: Any) -> Operation | None:
    """An operation that runs after all of `inputs`; None while executing eagerly.

    Args:
      *inputs: operations, tensors, or nests of them.
      name: the operation's name.
    """
    flat = [i for i in nest.flatten(list(inputs), expand_composites=True) if i is not None]
    graph = _graph_of(flat)
    if graph is None:
        return None
    with context.using(context.current() if context.current().graph is graph else context.State(graph=graph)):
        with graph.control_dependencies(flat):
            return graph.add(OPS["NoOp"], (), {}, (), (), name or "group_deps")


def _graph_of(items: Sequence[Any]) -> Any:
    graphs_of = (context.current().graph, *(getattr(i, "graph", None) for i in items))
    return next((g for g in graphs_of if g is not None), None)


@export("control_dependencies")
@contextmanager
def control_dependencies(control_inputs: Any) -> Iterator[None]:
    """Nodes created in the block run after `control_inputs`; eagerly, functions among them are called."""
    if context.executing_eagerly():
        for control in [control_inputs] if callable(control_inputs) else control_inputs or ():
            if callable(control):
                control()
        yield
        return
    with graphs.default_graph().control_dependencies(control_inputs):
        yield


@export("tuple")
def tuple_(tensors: Sequence[Any], control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors, none of which is available before all of them (and `control_inputs`) are."""
    if context.executing_eagerly():
        return list(tensors)
    with control_dependencies([t for t in tensors if t is not None] + list(control_inputs or [])):
        return [None if t is None else identity(t) for t in tensors]


@export("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The tensor, of which the program says that it never changes. Nothing here makes use of that.

    Args:
      input: a tensor.
      name: the node's name.
    """
    return identity(input, name=name)
