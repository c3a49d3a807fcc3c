"""Readers of nodes that call public functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.array import identity
from inlay._src.programs.graph_def.reading import GraphReader, NodeMessage, op_of, plain


def as_functions(
    make: Callable[[NodeMessage], Any], fits: bool = True
) -> Callable[[GraphReader, NodeMessage], Operation | Sequence[SymbolicTensor]]:
    """A reader of nodes that calls public functions: `make(node)` returns its tensors, the first under its name.

    A node that an op of inlay of the same name takes as it is becomes one of that op, unless `fits` is False.
    """

    def read(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
        if fits and _fits(node):
            return plain(site, node)
        with site.inside(node):
            outputs = make(node)
        tensors = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        return [identity(t, name=node.name if i == 0 else f"{node.name}output_{i}/") for i, t in enumerate(tensors)]

    return read


def _fits(node: NodeMessage) -> bool:
    """Whether an op of inlay of the same name takes the inputs of a node."""
    op = op_of(node.message.op)
    if op is None or len(op.args) != len(node.inputs):
        return False
    if op.name == "SparseToDense" and node.inputs[0].shape.rank != 2:
        return False
    pairs = zip(op.args, node.inputs, strict=True)
    return all(t.dtype in op.letters.get(str(a.type), (a.type,)) for a, t in pairs)
