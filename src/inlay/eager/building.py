"""Ops that are added to a graph: inputs converted, shapes inferred, one node made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay.core import context, values
from inlay.core import graph as graphs
from inlay.core.graph import Graph
from inlay.core.opdef import OpDef, Shapes
from inlay.core.tensor import SymbolicTensor
from inlay.eager.convert import symbolic
from inlay.eager.inputs import as_input, bound_by_tensors, check_dtype
from inlay.types.shapes import Dims, bracketed


def build(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], name: str | None, graph: Graph) -> Any:
    """Adds one op to a graph; see `emit`.

    Raises:
      TypeError, ValueError: if the inputs do not fit the op, or are of another graph.
    """
    state = context.current()
    if state.graph is not graph:  # a symbolic input met eager code: build in that input's graph
        with context.within(graph):
            return build(op, inputs, attrs, name, graph)
    scope = ""  # the node's own name, once a constant is made under it
    bound = bound_by_tensors(op, inputs, False)
    flat: list[SymbolicTensor] = []
    counts: list[int] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if value.__class__ is SymbolicTensor and value.op.graph is graph and not arg.variadic:
            check_dtype(op, arg, bound, value._dtype, position, False)
            counts.append(1)
            flat.append(value)
            continue
        if arg.static and value is None:
            raise values.NoTensorError(f"Input '{arg.name}' of {op.name} may not be None in a graph")
        scope = scope or graph.claim_name(name or op.label)
        items = list(value) if arg.variadic else [value]
        counts.append(len(items))
        for k, item in enumerate(items):
            label = f"{scope}/{arg.name}" + (f"_{k}/" if arg.variadic else "/")
            flat.append(symbolic(as_input(op, arg, item, bound, position, label, False), graph))
    if op.variadic is not None:
        attrs = {**attrs, "N": counts[op.variadic]}
    shape = Shapes(flat, [t._dims for t in flat], attrs, graphs.static_value_of)
    kinds = op.output_dtypes(bound, attrs)
    try:
        dims: Sequence[Dims] = op.infer(shape) if op.infer is not None else (None,) * len(kinds)
    except ValueError as error:
        given = ", ".join(bracketed(t._dims) for t in flat)
        node_name = scope or name or op.label
        text = str(error).removesuffix(".")
        raise ValueError(f"{text} for '{{{{node {node_name}}}}} = {op.name}' with input shapes: {given}.") from error
    node = graph.add(op, tuple(flat), attrs, kinds, dims, scope + "/" if scope else name or op.label)
    if not node.outputs:
        return node
    return list(node.outputs) if op.many else node.outputs[0]
