"""ConcreteFunction: one traced signature of a `function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from inlay.control.tracing import Traced
from inlay.core import context, device
from inlay.core.func_graph import FuncGraph
from inlay.core.graph import Graph
from inlay.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay.devices.device_tensor import tensor_of, value_of
from inlay.eager.convert import convert_to_tensor, symbolic
from inlay.functions.arguments import Bound
from inlay.program import Program, add_call
from inlay.types import nest
from inlay.types.specs import TensorSpec
from inlay.types.template import Hole, Template
from inlay.variables import Variable


class ConcreteFunction:
    """One traced signature of a function. Callable with tensors in the traced positions.

    Attributes:
      program: the traced graph.
      structured_outputs: the specs of the results, nested like them.
    """

    def __init__(self, traced: Traced, bound: Bound) -> None:
        self.program = Program(traced.graph)
        results = traced.template
        self._pack: Callable[[Sequence[Any]], Any] = itemgetter(0) if _is_one(results) else results.fill
        specs = [TensorSpec.from_tensor(t) for t in traced.graph.outputs]
        composite = any(hole.composite is not None for hole in results.holes())
        self.structured_outputs = specs if composite else results.fill(specs)
        self.structured_input_signature = bound.signature()
        self._captured: list[Any] | None = None
        self._kinds: list[Any] = []
        self._wrap: Callable[[Any, Any], EagerTensor] = EagerTensor

    @property
    def graph(self) -> FuncGraph:
        """The traced graph."""
        return self.program.graph

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The placeholders, captures included."""
        return self.program.parameters

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The flat results."""
        return self.program.graph.outputs

    @property
    def captured_inputs(self) -> list[Any]:
        """What the function uses from outside."""
        return self.program.captures

    @property
    def name(self) -> str:
        return self.program.name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        given = [t for t in nest.flatten([args, kwargs], expand_composites=True) if _is_tensor_like(t)]
        inputs = self.program.graph.inputs
        if len(given) != len(inputs):
            raise TypeError(f"{self.name} takes {len(inputs)} tensors, got {len(given)}")
        tensors = [convert_to_tensor(v, p.dtype) for v, p in zip(given, inputs, strict=True)]
        for tensor, parameter in zip(tensors, inputs, strict=True):
            if not tensor.shape.is_compatible_with(parameter.shape):
                raise TypeError(
                    f"{self.name} was traced for {parameter.name} of shape {parameter.shape}, got {tensor.shape}"
                )
        return self.call_flat(tensors)

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Calls with the flat tensors of the declared inputs."""
        program = self.program
        every: list[Any] = [*tensors, *program.captures]
        state = context.current()
        graph: Graph | None = state.graph
        if graph is None:
            graph = next((t.op.graph for t in every if t.__class__ is SymbolicTensor), None)
        if graph is not None:
            return self._pack(_call_node(graph, program, every))
        if state.tapes and any(tape.follows(every) or tape.trainable for tape in state.tapes):
            return self._pack(program.run_recorded(every))
        return self.run([value_of(t) for t in tensors])

    def run(self, values: Sequence[Any]) -> Any:
        """Calls with the values of eager tensors while no tape listens; captures are eager too."""
        if self._captured is None:
            self._captured = [value_of(t) for t in self.program.captures]
            self._wrap = tensor_of if device.accelerators() else EagerTensor
            self._kinds = [t._dtype for t in self.program.graph.outputs]
        results = self.program.run([*values, *self._captured])
        wrap = self._wrap
        return self._pack([wrap(v, d) for v, d in zip(results, self._kinds, strict=True)])

    def __repr__(self) -> str:
        specs = ", ".join(f"{t.name.split(':')[0]}: {TensorSpec.from_tensor(t)!r}" for t in self.program.graph.inputs)
        return f"<ConcreteFunction ({specs}) -> {self.structured_outputs!r}>"


def _call_node(graph: Graph, program: Program, tensors: Sequence[Tensor]) -> list[SymbolicTensor]:
    with context.within(graph):
        node = add_call(graph, program, [symbolic(t, graph) for t in tensors])
    return node.outputs


def _is_one(results: Template) -> bool:
    """Whether the result is a single tensor."""
    hole = results.structure
    return isinstance(hole, Hole) and hole.composite is None


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray, np.generic)) and not isinstance(value, Variable)
