"""The gradient of a loop: the residuals of its iterations, and the backward iterations.

    forward     the body, which also returns the residuals of an iteration: the values that its gradient reads
    backward    the cotangents after an iteration, and the cotangents accumulated for captured tensors
                -> both before the iteration

Both are programs, so a backward iteration costs as little as an iteration. The gradient rules are those of graphs: the
backward program is `differentiate` over the body, in a graph that the body's encloses. Its captures are the residuals.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter.fallbacks import fall_back
from inlay._src.base.types import dtypes
from inlay._src.core import context, device
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.tape import DirectPullback, Recording, may_capture, record_operation
from inlay._src.core.opdef import OpDef
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.autodiff import backward
from inlay._src.engine.autodiff.accumulation import add_up
from inlay._src.engine.autodiff.backward import zeros_of
from inlay._src.engine.autodiff.graph_gradients import UnconnectedGradients, differentiate
from inlay._src.engine.run.lowering.inlining import reversed_turns
from inlay._src.ops.indexing import added
from inlay._src.programs.control.tracing import Tracing
from inlay._src.programs.program import Program

Pull = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Sequence[Any]]


class LoopGradient:
    """The gradient of a loop.

    Args:
      body: the loop's body.
      seeded: the loop variables whose cotangents it receives.
      wanted: the inputs of the loop whose cotangents are asked for.
      places: per capture of the body, its number among the loop's inputs.

    Attributes:
      forward: the body, which returns the residuals after the next values.
    """

    def __init__(self, body: Program, seeded: frozenset[int], wanted: frozenset[int], places: Sequence[int]) -> None:
        graph = body.graph
        self._body = body
        self.count: int = len(graph.inputs)
        self._outside = {p: inner for p, (_, inner) in zip(places, graph.captured, strict=True) if p in wanted}
        self._varied = self._varying(wanted)
        carried = seeded & self._varied
        while True:
            program, gathered, more = self._traced(sorted(carried))
            if more <= carried:
                break
            carried |= more
        # A user's gradient reads what its function closes over in the graph around the loop.
        inner = {id(t): p for p, both in zip(places, graph.captured, strict=True) for t in both}
        self.carried: tuple[int, ...] = tuple(sorted(carried))
        self.gathered: tuple[int, ...] = tuple(gathered)
        captures = program.captures
        saved = [t for t in captures if id(t) not in inner]
        self.forward: Program = Program(graph, saved)
        # Of each capture of the backward program: the number of its residual (from 0), or of its input (from -1).
        turn = {id(t): k for k, t in enumerate(saved)}
        self._sources = [turn[id(t)] if id(t) in turn else ~inner[id(t)] for t in captures]
        self._backward = program
        self._links = _links(program, len(self.carried))
        self._pull: Pull | None = None

    def observed(self, observe: Callable[[Program], Program]) -> LoopGradient:
        """The same gradient with programs that report their runs; see `ProgramCall.observed`."""
        gradient = copy.copy(self)
        gradient.forward, gradient._backward, gradient._pull = observe(self.forward), observe(self._backward), None
        return gradient

    def _varying(self, wanted: frozenset[int]) -> frozenset[int]:
        """The loop variables that depend on what is wanted."""
        graph, count = self._body.graph, self.count
        reached = {id(t) for p, t in enumerate(graph.inputs) if p in wanted} | {id(t) for t in self._outside.values()}
        while True:
            before = len(reached)
            for node in graph.nodes:
                if any(id(t) in reached for t in node.inputs):
                    reached.update(id(t) for t in node.outputs if t.dtype._kind in "fcv")
            reached |= {id(graph.inputs[j]) for j in range(count) if id(graph.outputs[j]) in reached}
            if len(reached) == before:
                break
        return frozenset(j for j, t in enumerate(graph.inputs) if id(t) in reached and t.dtype._kind in "fcv")

    def _traced(self, carried: Sequence[int]) -> tuple[Program, list[int], frozenset[int]]:
        """The backward program, the inputs for which it gathers, and the loop variables that cotangents reach."""
        graph, varied = self._body.graph, sorted(self._varied)
        tracing = Tracing(f"{graph.name}_grad", graph)
        inputs = [graph.inputs[j] for j in carried]
        with tracing.building():
            seeds = tracing.inputs([(t.dtype, t._dims, "cotangent") for t in inputs])
            sources = [*(graph.inputs[j] for j in varied), *self._outside.values()]
            gradients = differentiate(
                [graph.outputs[j] for j in carried],
                seeds,
                sources,
                [True] * len(sources),
                UnconnectedGradients.NONE,
                stops=[t.op for _, t in graph.captured],
            )
            states = dict(zip(varied, gradients, strict=False))
            outside = {p: g for p, g in zip(self._outside, gradients[len(varied) :], strict=True) if g is not None}
            sums = tracing.inputs([(*_kind(self._outside[p]), "gathered") for p in outside])
            results = [
                zeros_of(graph.inputs[j]) if states[j] is None else convert_to_tensor(states[j]) for j in carried
            ]
            results += [_sum(s, convert_to_tensor(g)) for s, g in zip(sums, outside.values(), strict=True)]
        more = frozenset(j for j, g in states.items() if g is not None)
        return Program(tracing.finish(results).graph), list(outside), more

    def connected(self, seeded: Collection[int]) -> set[int]:
        """The inputs of the loop whose cotangents depend on those of some loop variables after it."""
        places = (*self.carried, *self.gathered)
        reached = set(seeded) & set(self.carried)
        while True:
            more = {p for p, seeds in zip(places, self._links, strict=True) if any(places[k] in reached for k in seeds)}
            if more <= reached:
                return reached
            reached |= more

    def pull(self, residuals: Sequence[Any], values: Sequence[Any], inputs: Sequence[Any]) -> Sequence[Any]:
        """The cotangents before the first iteration.

        Args:
          residuals: the residuals of each iteration.
          values: the cotangents after the last iteration, and zeros to which those of captured tensors are added.
          inputs: those of the loop.
        """
        if self._pull is None:
            self._pull = reversed_turns(self._backward.executable, len(values), self._sources) or self._called
        return self._pull(residuals, values, inputs)

    def _called(self, residuals: Sequence[Any], values: Sequence[Any], inputs: Sequence[Any]) -> Sequence[Any]:
        """As `pull`, where the program has to be called."""
        for turn in reversed(residuals):
            values = self._backward.run([*values, *(turn[k] if k >= 0 else inputs[~k] for k in self._sources)])
        return values


def _links(backward: Program, carried: int) -> list[set[int]]:
    """Per result of a backward program, the cotangents, by number, that it depends on."""
    graph = backward.graph
    depends: dict[int, set[int]] = {id(t): {k} for k, t in enumerate(graph.inputs[:carried])}
    for node in graph.nodes:
        behind = set().union(*(depends.get(id(t), ()) for t in node.inputs))
        if behind:
            depends.update({id(t): behind for t in node.outputs})
    return [depends.get(id(t), set()) for t in graph.outputs]


def _sum(total: SymbolicTensor, gradient: Any) -> Any:
    """The accumulated cotangent of a captured tensor, with that of one iteration."""
    return add_up(total, gradient) if gradient.dtype is dtypes.variant else added(total, gradient)


def _kind(tensor: SymbolicTensor) -> tuple[Any, Any]:
    """The dtype and shape of the cotangent of what is outside a body; a variable's handle stands for its value."""
    if tensor.dtype is not dtypes.resource:
        return tensor.dtype, tensor._dims
    key = handle_key(tensor)
    return key.dtype, key.dims


def gradient_of(
    body: Any, seeded: frozenset[int], wanted: frozenset[int], places: Sequence[int]
) -> LoopGradient | None:
    """The gradient of a loop without records; None where its turns must be recorded."""
    if not isinstance(body, Program) or body.is_compiled or device.accelerators():
        return None
    if any(t.dtype is dtypes.resource for t in body.graph.inputs):  # handles as loop variables: no value to add up in
        return None
    if any(may_capture(node) for node in body.graph.nodes):  # tensors that functions close over are found by records
        return None
    try:
        return LoopGradient(body, seeded, wanted, places)
    except Exception as error:
        if error.__class__ is not LookupError:  # an op without a gradient: an error once the gradient is asked for
            fall_back("loop gradient", error)
        return None


class LoopPullback(DirectPullback):
    """The pullback of one execution of a loop.

    Args:
      gradient: its computation.
      inputs: the values of the loop's inputs.
      residuals: the residuals of each iteration.
      outputs: the values of the loop variables after it.
    """

    __slots__ = ("_gradient", "_inputs", "_residuals", "_outputs")

    def __init__(
        self, gradient: LoopGradient, inputs: Sequence[Any], residuals: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        self._gradient, self._inputs, self._residuals, self._outputs = gradient, inputs, residuals, outputs

    def connected(self, seeded: Collection[int]) -> set[int]:
        """The inputs of the loop whose cotangents depend on those of some loop variables after it."""
        return self._gradient.connected(seeded) if self._residuals else set(seeded) & set(self._gradient.carried)

    def pulled(self, seeds: Mapping[int, Any], wanted: Sequence[int]) -> list[Any]:
        """See `DirectPullback.pulled`."""
        gradient, inputs = self._gradient, self._inputs
        values = [seeds[j] if j in seeds else _zeros(self._outputs[j]) for j in gradient.carried]
        values += [_zeros(inputs[p]) for p in gradient.gathered]
        cotangents = dict(
            zip((*gradient.carried, *gradient.gathered), gradient.pull(self._residuals, values, inputs), strict=True)
        )
        return [cotangents[p] if p in cotangents else _zeros(inputs[p]) for p in wanted]


def record_loop(
    op: OpDef,
    pullback: LoopPullback,
    again: Callable[[], Recording],
    inputs: tuple[EagerTensor, ...],
    outputs: tuple[EagerTensor, ...],
) -> None:
    """Lets the tapes in force hear a loop as one op.

    Args:
      op: the op.
      pullback: that of this execution.
      again: runs it again and records the iterations, for derivatives of the gradient.
      inputs, outputs: of this execution.
    """

    def pull(_: Any, *grads: Any) -> list[Any]:
        cotangents = {j: g for j, g in enumerate(grads) if g is not None}
        reached = sorted(pullback.connected(cotangents))
        out: list[Any] = [None] * len(inputs)
        state = context.get() or context.base()
        if state.eager and not state.tapes and all(g.__class__ is EagerTensor for g in cotangents.values()):
            values = pullback.pulled({j: g._value for j, g in cotangents.items()}, reached)
            for p, value in zip(reached, values, strict=True):
                key = handle_key(inputs[p]) if inputs[p].dtype is dtypes.resource else inputs[p]
                out[p] = EagerTensor(value, key.dtype)
            return out
        recording = again()
        sources = [recording.inputs[p] for p in reached]
        for p, g in zip(reached, backward.pull(recording, grads, sources), strict=True):
            out[p] = g
        return out

    record_operation(op, inputs, outputs, {}, context.current(), pull)


def _zeros(value: Any) -> Any:
    """Zeros like a runtime value: an array, a list, or the cell of a variable."""
    if isinstance(value, np.ndarray | np.generic):
        return np.zeros_like(value)[()] if not value.ndim else np.zeros_like(value)
    if hasattr(value, "zeros"):
        return value.zeros()
    return np.zeros_like(value.read())
