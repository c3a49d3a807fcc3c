"""Tracing the functions inside control flow: branches and loop bodies become programs that share captures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay.core import context
from inlay.core.func_graph import FuncGraph
from inlay.core.graph import Operation
from inlay.core.opdef import Effect, strongest
from inlay.eager.emit import convert_to_tensor, symbolic
from inlay.program import Program
from inlay.types import nest
from inlay.types.nest import Composite
from inlay.types.template import Flattening, Template


class Branch:
    """A traced function and the structure it returns.

    Attributes:
      graph: its graph; the outputs are the flat tensors of the result.
      result: what it returned, with symbolic tensors.
      template: the result with holes for the outputs; None where there is no tensor.
    """

    __slots__ = ("graph", "result", "template")

    def __init__(self, graph: FuncGraph, result: Any, template: Template) -> None:
        self.graph, self.result, self.template = graph, result, template

    def pack(self, tensors: Sequence[Any], node: Operation) -> Any:
        """Flat tensors in the structure of the result; the node if there is no tensor."""
        return self.template.fill(tensors) if self.graph.outputs else node


def trace_branch(function: Callable[..., Any], name: str, parameters: Sequence[Any] = ()) -> Branch:
    """Runs a function into a graph of its own, enclosed by the current one.

    Args:
      function: takes one symbolic tensor per parameter.
      name: the graph's name.
      parameters: (dtype, dims, name) of the inputs.
    """
    graph = FuncGraph(name, context.current().graph)
    inputs = [graph.add_input(dtype, dims, label) for dtype, dims, label in parameters]
    state = context.current()
    with context.using(context.State(graph=graph, tapes=state.tapes)):
        result = function(*inputs)
        result = nest.map_structure(lambda leaf: _symbolic(graph, leaf), result)
    flat, template = _taken_apart(result)
    graph.outputs.extend(flat)
    graph.finalize()
    return Branch(graph, result, template)


def _symbolic(graph: FuncGraph, leaf: Any) -> Any:
    """A result leaf as tensors of the graph."""
    if leaf is None or isinstance(leaf, Operation):
        return leaf
    if isinstance(leaf, Composite):
        return leaf._rebuild([symbolic(convert_to_tensor(c), graph) for c in leaf._components()])
    return symbolic(convert_to_tensor(leaf), graph)


def _taken_apart(result: Any) -> tuple[list[Any], Template]:
    """The tensors of a result, and the result with holes in their places, None in those of operations."""
    flat = Flattening()
    part = flat.part(result, lambda v: None if v is None or isinstance(v, Operation) else flat.hole(v))
    return flat.values, Template(part)


def aligned(branches: Sequence[Branch], labels: Sequence[str], name: str) -> None:
    """Refuses branches whose results differ in structure or dtypes.

    Raises:
      TypeError: naming the branches, the place and both sides.
    """
    first = branches[0]
    for branch, label in zip(branches[1:], labels[1:], strict=True):
        if not first.graph.outputs and not branch.graph.outputs:
            continue
        try:
            nest.assert_same_structure(first.result, branch.result, check_types=False)
        except (ValueError, TypeError) as error:
            raise TypeError(
                f"{name}: branches '{labels[0]}' and '{label}' must return the same structure, got "
                f"{first.result!r} and {branch.result!r}: {error}"
            ) from error
        pairs = zip(nest.flatten_with_paths(first.result), nest.flatten(branch.result), strict=True)
        for (path, a), b in pairs:
            _same_kind(a, b, path, labels[0], label, name)


def _same_kind(a: Any, b: Any, path: str, one: str, two: str, name: str) -> None:
    none_a, none_b = (x is None or isinstance(x, Operation) for x in (a, b))
    if none_a != none_b:
        raise TypeError(f"{name}: output{path} is {a!r} in branch '{one}' but {b!r} in branch '{two}'")
    if not none_a and a.dtype is not b.dtype:
        raise TypeError(
            f"{name}: output{path} has dtype {a.dtype.name} in branch '{one}' but {b.dtype.name} in branch "
            f"'{two}'; cast one of them"
        )


def shared_captures(programs: Sequence[Program]) -> tuple[list[Any], tuple[tuple[int, ...], ...]]:
    """The captures of several programs, each once, and which of them each program takes."""
    captures: list[Any] = []
    index: dict[int, int] = {}
    picks = []
    for program in programs:
        mine = []
        for outer in program.captures:
            if id(outer) not in index:
                index[id(outer)] = len(captures)
                captures.append(outer)
            mine.append(index[id(outer)])
        picks.append(tuple(mine))
    return captures, tuple(picks)


def effect_of(programs: Sequence[Program]) -> Effect:
    """The strongest effect of several programs."""
    return strongest(p.effect for p in programs)
