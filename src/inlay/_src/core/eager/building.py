"""Ops that are added to a graph: inputs converted, shapes inferred, one node made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.interpreter.caches import Cache
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core import context, site, values
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import constant_in, number, symbolic
from inlay._src.core.eager.inputs import Bound, as_input, bound_by_tensors
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OpDef, Shapes, rank_misfit
from inlay._src.core.tensor import SymbolicTensor

_MISFITS = (ValueError, TypeError, LookupError, ArithmeticError)
"""What the inference of a shape raises for inputs whose ranks and sizes it is not made for."""

Found = tuple[Bound, "tuple[DType, ...] | None", bool]
"""What tensors bind the letters to; the dtypes of the outputs, None where they are not known yet; whether all inputs
are tensors."""
_FOUND: Cache[Any, Found] = Cache("dtypes that ops in graphs were found to take", 4096)
"""By op and the dtypes of its inputs, None for numbers."""


def build(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], name: str | None, graph: Graph) -> Any:
    """Adds one op to a graph; see `emit`.

    Raises:
      TypeError, ValueError: if the inputs do not fit the op, or are of another graph.
    """
    if name is not None and name.__class__ is not str and not isinstance(name, str):
        if not isinstance(name, bytes):
            raise TypeError(f"The name of an operation must be a string or None, got {type(name).__name__}.")
        name = name.decode()
    state = context.current()
    if state.graph is not graph:  # a symbolic input met eager code: build in that input's graph
        with context.within(graph):
            return build(op, inputs, attrs, name, graph)
    where = site.caller(2)
    flat: Sequence[SymbolicTensor] = inputs
    scope = ""  # the node's own name, once a constant is made under it
    kinds: Sequence[DType] | None
    bound, kinds, every = _found(op, inputs, graph) or (bound_by_tensors(op, inputs, False), None, False)
    if not every:
        flat, scope = _converted(op, inputs, bound, name, graph, where)
    if op.variadic is not None:
        attrs = {**attrs, "N": len(flat) - len(inputs) + 1}
    shape = Shapes(flat, [t._dims for t in flat], attrs, graphs.static_value_of)
    kinds = kinds or op.output_dtypes(bound, attrs)
    try:
        for position, rank in op.ranked:
            size = shape.dims[position]
            if size is not None and (misfit := rank_misfit(size, rank)):
                raise ValueError(f"Shape {misfit}")
        dims: Sequence[Dims] = op.infer(shape) if op.infer is not None else (None,) * len(kinds)
    except _MISFITS as error:
        given = ", ".join(bracketed(t._dims) for t in flat)
        node_name = scope or name or op.label
        text = str(error).removesuffix(".") or f"the inputs do not fit ({type(error).__name__})"
        raise ValueError(f"{text} for '{{{{node {node_name}}}}} = {op.name}' with input shapes: {given}.") from error
    node = graph.add(op, tuple(flat), attrs, kinds, dims, scope + "/" if scope else name or op.label, where=where)
    made = node._made
    if made.__class__ is SymbolicTensor and not op.many:
        return made
    return node.outputs or node


def _found(op: OpDef, inputs: tuple[Any, ...], graph: Graph) -> Found | None:
    """What is found of inputs that are tensors of the graph, and numbers; None if one is something else."""
    key: list[Any] = [op]
    every = True
    for value in inputs:
        kind = value.__class__
        if kind is SymbolicTensor and value.op.graph is graph:
            key.append(value._dtype)
        elif kind is float or kind is int:
            key.append(None)
            every = False
        else:
            return None
    found = _FOUND.get((*key,)) if op.variadic is None else None
    if found is None:
        bound = bound_by_tensors(op, inputs, False)
        alone = not op.variadic_out and all([out.__class__ is DType or out in bound for out in op.outs])
        found = _FOUND[(*key,)] = bound, op.output_dtypes(bound, {}) if alone else None, every
    return found if every else (found[0].copy(), found[1], False)


def _converted(
    op: OpDef, inputs: tuple[Any, ...], bound: Bound, name: str | None, graph: Graph, where: site.Site
) -> tuple[list[SymbolicTensor], str]:
    """The inputs as tensors of the graph, and the name claimed for the node; `bound` is added to.

    Constants are called after the node and the input; there is no name if nothing had to be converted.
    """
    scope = ""
    flat: list[SymbolicTensor] = []
    for position, (arg, value) in enumerate(zip(op.args, inputs, strict=True)):
        if value.__class__ is SymbolicTensor and value.op.graph is graph and not arg.variadic:
            flat.append(value)
            continue
        if arg.static and value is None:
            raise values.NoTensorError(f"Input '{arg.name}' of {op.name} may not be None in a graph")
        scope = scope or graph.claim_name(name or op.label)
        wanted = bound.get(arg.type) if arg.type.__class__ is str else None  # type: ignore[arg-type]
        if wanted is not None and (made := number(value, wanted)) is not None:
            flat.append(constant_in(graph, made, f"{scope}/{arg.name}/", where))
        elif not arg.variadic:
            label = f"{scope}/{arg.name}/"
            flat.append(symbolic(as_input(op, arg, value, bound, position, label, False), graph, label))
        else:
            for k, item in enumerate(value):
                label = f"{scope}/{arg.name}_{k}/"
                flat.append(symbolic(as_input(op, arg, item, bound, position, label, False), graph, label))
    return flat, scope
