"""Which inputs of a traced function have a gradient, whatever a call runs of it.

A tape hears the steps that a call runs. A branch that is not taken and a loop without a turn leave no step, and neither
does an output that needs none of the inputs; the gradient of a function is then zero, as that of its whole graph is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from inlay.core import context
from inlay.core.graph import Operation
from inlay.core.tensor import SymbolicTensor
from inlay.program import CALLS, Program, programs_of

_KINDS = "fcrv"
_MOST_OUTPUTS = 16
"""Functions of more outputs are not looked at one output at a time."""


class Connections(NamedTuple):
    """How the results of a function depend on what it takes.

    Attributes:
      inputs: the numbers of the parameters that a result depends on.
      outputs: the numbers of the results that have a gradient.
    """

    inputs: Sequence[int]
    outputs: Sequence[int]


def connections(program: Program) -> Connections | None:
    """The connections of a function that its steps may not show; None if they show all of them.

    Args:
      program: the traced function.
    """
    outputs = [i for i, t in enumerate(program.graph.outputs) if t.dtype._kind in "fc"]
    if not outputs:
        return None
    every, plain = _reached(program, [program.graph.outputs[i] for i in outputs])
    if plain and len(outputs) <= _MOST_OUTPUTS:
        alone = (_reached(program, [program.graph.outputs[i]])[0] for i in outputs)
        if len(outputs) == 1 or all(reached == every for reached in alone):
            return None
    return Connections(every, outputs)


def _reached(program: Program, outputs: Iterable[SymbolicTensor]) -> tuple[list[int], bool]:
    """The numbers of the parameters that outputs depend on, and whether a call runs all that is between."""
    live, plain = {id(t) for t in outputs}, True
    for node in reversed(program.graph.nodes):
        if any(id(t) in live for t in node.outputs):
            passing, runs_all = _passing(node)
            plain = plain and runs_all
            live.update(id(t) for t in passing if t.dtype._kind in _KINDS)
    return [i for i, t in enumerate(program.parameters) if id(t) in live], plain


def _passing(node: Operation) -> tuple[Sequence[SymbolicTensor], bool]:
    """The inputs of a node that a gradient reaches, and whether each call of it runs all that it holds."""
    programs = programs_of(node)
    if node.opdef in CALLS and len(programs) == 1:
        outputs = [t for t in programs[0].graph.outputs if t.dtype._kind in "fc"]
        reached, plain = _reached(programs[0], outputs)
        return [node.inputs[i] for i in reached], plain and len(outputs) == 1
    if not node.opdef.differentiable and node.opdef.vjp is None:
        return (), True
    return node.inputs, not programs


def link(found: Connections, given: Sequence[Any], results: Sequence[Any]) -> None:
    """Tells the tapes in force how the results of a call depend on what it was given.

    Args:
      found: the connections of the function.
      given: the tensors of the call, captures included.
      results: what it returned.
    """
    inputs = [given[i] for i in found.inputs]
    outputs = [results[i] for i in found.outputs]
    for tape in context.current().tapes:
        tape.link(inputs, outputs)
