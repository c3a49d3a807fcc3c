"""Ops that are added to a graph: inputs converted, shapes inferred, one node made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core import context, site, values
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import constant_in, number, symbolic
from inlay._src.core.eager.inputs import Bound, as_input, bound_by_tensors
from inlay._src.core.graph import Graph
from inlay._src.core.names import as_name
from inlay._src.core.opdef import OpDef, Shapes
from inlay._src.core.signature import rank_misfit
from inlay._src.core.tensor import SymbolicTensor

_MISFITS = (ValueError, TypeError, LookupError, ArithmeticError)
"""Exceptions of shape inference for inputs of unexpected ranks and sizes."""


class Binding(NamedTuple):
    """The dtypes that follow from those of the inputs of an op.

    Attributes:
      letters: the dtype that the tensors bind each letter of the signature to.
      dtypes: those of the outputs; None if they are not decided yet.
      complete: whether all inputs are tensors.
    """

    letters: Bound
    dtypes: tuple[DType, ...] | None
    complete: bool


def build(op: OpDef, inputs: tuple[Any, ...], attrs: Mapping[str, Any], name: str | None, graph: Graph) -> Any:
    """Adds one op to a graph; see `emit`.

    Raises:
      TypeError, ValueError: if the inputs do not fit the op, or are of another graph.
    """
    if name is not None and name.__class__ is not str:
        name = as_name(name, "an operation")
    state = context.current()
    if state.graph is not graph:  # a symbolic input met eager code: build in that input's graph
        with context.within(graph):
            return build(op, inputs, attrs, name, graph)
    where = site.caller(2)
    flat: Sequence[SymbolicTensor] = inputs
    scope = ""  # the node's own name, once a constant is made under it
    kinds: Sequence[DType] | None
    bound, kinds, complete = _binding(op, inputs, graph) or (bound_by_tensors(op, inputs, False), None, False)
    if not complete:
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
        dims: Sequence[Dims] = op.infer.dims(shape) if op.infer.dims is not None else (None,) * len(kinds)
    except _MISFITS as error:
        seen = ", ".join(bracketed(t._dims) for t in flat)
        node_name = scope or name or op.label
        text = str(error).removesuffix(".") or f"the inputs do not fit ({type(error).__name__})"
        raise ValueError(f"{text} for '{{{{node {node_name}}}}} = {op.name}' with input shapes: {seen}.") from error
    node = graph.add(op, tuple(flat), attrs, kinds, dims, scope + "/" if scope else name or op.label, where=where)
    output = node._made
    if output.__class__ is SymbolicTensor and not op.many:
        return output
    return node.outputs or node


def _binding(op: OpDef, inputs: tuple[Any, ...], graph: Graph) -> Binding | None:
    """The binding of inputs that are tensors of the graph, and numbers; None if one is something else."""
    key: list[Any] = []
    complete = True
    for value in inputs:
        kind = value.__class__
        if kind is SymbolicTensor and value.op.graph is graph:
            key.append(value._dtype)
        elif kind is float or kind is int:
            key.append(None)
            complete = False
        else:
            return None
    binding = op.dispatch.bindings.get((*key,)) if op.variadic is None else None
    if binding is None:
        letters = bound_by_tensors(op, inputs, False)
        decided = not op.variadic_out and all([out.__class__ is DType or out in letters for out in op.outs])
        binding = Binding(letters, op.output_dtypes(letters, {}) if decided else None, complete)
        op.dispatch.add_binding((*key,), binding)
    return binding if complete else Binding(binding.letters.copy(), binding.dtypes, False)


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
        if wanted is not None and (constant := number(value, wanted)) is not None:
            flat.append(constant_in(graph, constant, f"{scope}/{arg.name}/", where))
        elif not arg.variadic:
            label = f"{scope}/{arg.name}/"
            flat.append(symbolic(as_input(op, arg, value, bound, position, label, False), graph, label))
        else:
            for k, item in enumerate(value):
                label = f"{scope}/{arg.name}_{k}/"
                flat.append(symbolic(as_input(op, arg, item, bound, position, label, False), graph, label))
    return flat, scope
