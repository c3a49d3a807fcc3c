"""The inputs of a traced function that have a gradient, independently of the steps of a call.

A tape records the steps that a call runs. A branch that is not taken, a loop without an iteration and an output that
needs no input leave no step; the gradient of the function is then zero, as that of its whole graph is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.core import context
from inlay._src.programs.program import Program, dependencies

_MOST_OUTPUTS = 16
"""Functions of more outputs are not examined one output at a time."""


class Connections(NamedTuple):
    """The dependence of a function's results on its parameters.

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


def link(connected: Connections, tensors: Sequence[Any], results: Sequence[Any]) -> None:
    """Records on the tapes in force how the results of a call depend on its inputs.

    Args:
      connected: the connections of the function.
      tensors: the tensors of the call, captures included.
      results: the results of the call.
    """
    inputs = [tensors[i] for i in connected.inputs]
    outputs = [results[i] for i in connected.outputs]
    for tape in context.current().tapes:
        tape.link(inputs, outputs)
