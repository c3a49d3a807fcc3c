"""Which inputs of a traced function have a gradient, whatever a call runs of it.

A tape hears the steps that a call runs. A branch that is not taken and a loop without a turn leave no step, and neither
does an output that needs none of the inputs; the gradient of a function is then zero, as that of its whole graph is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.core import context
from inlay._src.programs.program import Program, dependencies

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
    every, plain = dependencies(program, [program.graph.outputs[i] for i in outputs])
    if plain and len(outputs) <= _MOST_OUTPUTS:
        alone = (dependencies(program, [program.graph.outputs[i]])[0] for i in outputs)
        if len(outputs) == 1 or all(reached == every for reached in alone):
            return None
    return Connections(every, outputs)


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
