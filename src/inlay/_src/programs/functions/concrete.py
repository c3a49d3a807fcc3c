"""ConcreteFunction: one traced signature of a `function`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from inlay._src.base import errors
from inlay._src.base.misuse import explained
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.base.types.template import Hole, Template
from inlay._src.core import context, device
from inlay._src.core.devices.device_tensor import tensor_of, value_of
from inlay._src.core.devices.kernels import identity_on, on_logical
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.pictured import Pictured
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.variables import Variable
from inlay._src.programs.control.tracing import Traced
from inlay._src.programs.functions import arguments, signature_text
from inlay._src.programs.functions.arguments import BoundArguments
from inlay._src.programs.functions.call_shapes import result_dims
from inlay._src.programs.functions.connections import Connections, connections, link
from inlay._src.programs.functions.function_type import AtomicFunction, FunctionType, of_captures
from inlay._src.programs.functions.pruning import pruned
from inlay._src.programs.graph_def import pickles
from inlay._src.programs.program import Program, add_call

LOADED = (pickles,)
"""The module that says how graphs and programs are pickled."""


CALL_LISTENERS: list[Callable[[ConcreteFunction], None]] = []
"""Receive the function at every call outside graphs, before it runs: `tf.summary.trace_on` adds one."""


class ConcreteFunction(Pictured):
    """One traced signature of a function. Callable with tensors in the traced positions.

    Attributes:
      program: the traced graph.
      structured_outputs: the specs of the results, nested like them.
    """

    _picture_kind = "concrete_function"
    structured_input_signature: Any

    def __init__(self, traced: Traced, bound: BoundArguments) -> None:
        self.program: Program = Program(traced.graph)
        self._template = results = traced.template
        self._pack: Callable[[Sequence[Any]], Any] = itemgetter(0) if _is_one(results) else results.fill
        specs = [TensorSpec(t.shape, t.dtype) for t in traced.graph.outputs]
        composite = any(hole.composite is not None for hole in results.holes())
        self.structured_outputs: list[TensorSpec] | Any = specs if composite else results.fill(specs)
        self.structured_input_signature, self._labels = bound.signature(), bound.labels
        self._types = bound.types()
        traced.graph.structured_outputs = traced.result
        traced.graph.structured_input_signature = self.structured_input_signature
        self._captured: list[Any] | None = None
        self._own_variables: tuple[Variable, ...] = ()  # variables that nobody else may hold
        self._kinds: list[Any] = []
        self._wrap: Callable[[Any, Any], EagerTensor] = EagerTensor
        self._linked: tuple[Connections | None] | None = None

    def _connections(self) -> Connections | None:
        if self._linked is None:
            self._linked = (connections(self.program),)
        return self._linked[0]

    @property
    def graph(self) -> FuncGraph:
        """The traced graph."""
        return self.program.graph

    def packed(self, values: Sequence[Any]) -> Any:
        """Flat results, nested as the function returns them."""
        return self._pack(values)

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
        """The values that the function captures."""
        return self.program.captures

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results, nested like them."""
        return nest.map_structure(lambda spec: None if spec is None else spec.shape, self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results, nested like them."""
        return nest.map_structure(lambda spec: None if spec is None else spec.dtype, self.structured_outputs)

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that it uses from outside."""
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of the variables that tapes watch."""
        return self.graph.trainable_variables

    @property
    def name(self) -> bytes:
        """The graph's name, as bytes as in TensorFlow."""
        return self.program.name.encode()

    @property
    def function_type(self) -> FunctionType:
        """The types of its parameters, results and captures."""
        positional, keyword = self._types
        by_position = dict(zip(self._labels, positional, strict=False))
        return FunctionType(by_position, keyword, of_captures(self.program.captures), self.structured_outputs)

    @property
    def inference_fn(self) -> AtomicFunction:
        """The traced graph as a function that is called with all that it takes."""
        return AtomicFunction(self)

    @explained
    def prune(self, feeds: Any, fetches: Any, name: str | None = None) -> ConcreteFunction:
        """A part of the graph as a function of its own, such as that of a frozen graph or a saved model of 1.x.

        Args:
          feeds: the tensors of the graph that it takes, or their names; a nest of them is taken flat, a ragged or
            sparse tensor by its parts. Captures of the function stay captures.
          fetches: its results: a nest of tensors of the graph, or their names. Operations in it run in each call,
            and give None.
          name: names the graph.

        Returns:
          A concrete function that takes one tensor for each feed, by position or by the name of its operation; with
          its number behind it, where it is one of several outputs that are fed.

        Raises:
          ValueError: if a feed is no tensor, or the part needs a placeholder that is not fed.
          KeyError: if the graph has no such name.
        """
        part = ConcreteFunction(*pruned(self.graph, feeds, fetches, name))
        part._own_variables = self._own_variables
        return part

    @explained
    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Its parameters, results and captures as text: a page, or a line without the captures."""
        positional, keyword = self._types
        by_position = dict(zip(self._labels, positional, strict=False))
        if not verbose:
            return signature_text.line(by_position | keyword, self.structured_outputs)
        captures = of_captures(self.program.captures)
        return signature_text.page(by_position, keyword, self.structured_outputs, captures)

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls with arguments like those that were traced, or with one tensor for each placeholder.

        Raises:
          TypeError: if the arguments are neither.
          InvalidArgumentError: for a tensor of another dtype.
        """
        try:
            return self.call_flat(self.bound(args, kwargs))
        except Exception as error:
            leave(error)
            raise

    @boundary
    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Tensor]:
        """The flat tensors of a call; see `__call__`.

        Args:
          args, kwargs: the arguments.
        """
        try:
            try:
                tensors = arguments.bind_traced(args, kwargs, self._labels, self.structured_input_signature)
            except (TypeError, ValueError) as error:
                flat = self._flat(args, kwargs)
                if flat is None:
                    raise TypeError(
                        f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: "
                        f"{kwargs} for signature: {self!r}."
                    ) from None
                tensors = flat
            return tensors
        except Exception as error:
            leave(error)
            raise

    def _flat(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor] | None:
        """The tensors of a call that gives one for each placeholder; None if it is no such call.

        While executing eagerly they may be of any shape.
        """
        inputs = self.program.graph.inputs
        rest = [p.op.name for p in inputs[len(args) :]]
        if len(args) > len(inputs) or sorted(rest) != sorted(kwargs):
            return None
        arguments = [*args, *(kwargs[name] for name in rest)]
        if not all(isinstance(v, (Tensor, Variable)) for v in arguments):
            return None
        tensors = [convert_to_tensor(v) for v in arguments]
        for at, (tensor, parameter) in enumerate(zip(tensors, inputs, strict=True)):
            if parameter.dtype is dtypes.resource and isinstance(arguments[at], Variable):
                return None
            if tensor.dtype is not parameter.dtype:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"cannot compute {self.program.name} as input #{at}(zero-based) was expected to be a "
                    f"{parameter.dtype.name} tensor but is a {tensor.dtype.name} tensor",
                )
            if not context.executing_eagerly() and not parameter.shape.is_compatible_with(tensor.shape):
                return None
        return tensors

    @boundary
    def call_flat(self, tensors: Sequence[Tensor], captures: Sequence[Any] | None = None) -> Any:
        """Calls with the flat tensors of the declared inputs.

        Args:
          tensors: one for each declared input.
          captures: replacements of the captures; None keeps them.

        Raises:
          ValueError: for another number of captures.
        """
        try:
            program = self.program
            if captures is not None and len(captures) != len(program.captures):
                raise ValueError(f"{program.name} captures {len(program.captures)} tensors, got {len(captures)}")
            every: list[Any] = [*tensors, *(program.captures if captures is None else captures)]
            state = context.current()
            graph: Graph | None = state.graph
            if graph is None:
                graph = next((t.op.graph for t in every if t.__class__ is SymbolicTensor), None)
            if graph is not None:
                return self._pack(_call_node(graph, program, every))
            place = device.logical_cpu(state.device) if state.device else ""
            if captures is not None or (state.tapes and any(t.follows(every) or t.trainable for t in state.tapes)):
                if CALL_LISTENERS:
                    self._tell()
                recorded: list[Any] = program.run_recorded(every)
                if state.tapes and (linked := self._connections()) is not None:
                    link(linked, every, recorded)
                return self._pack([identity_on(t, place) for t in recorded] if place else recorded)
            return self._run([value_of(t) for t in every[: len(tensors)]], place)
        except Exception as error:
            leave(error)
            raise

    def _run(self, values: Sequence[Any], place: str = "") -> Any:
        """Calls with the values of eager tensors while no tape listens; captures are eager too.

        Args:
          values: one for each declared input.
          place: the logical device of the CPU that the results are placed on, or "".
        """
        if self._captured is None:
            self._captured = [value_of(t) for t in self.program.captures]
            self._wrap = tensor_of if device.accelerators() else EagerTensor
            self._kinds = [t._dtype for t in self.program.graph.outputs]
        if CALL_LISTENERS:
            self._tell()
        results = self.program.run([*values, *self._captured])
        wrap = self._wrap
        tensors = [wrap(v, d) for v, d in zip(results, self._kinds, strict=True)]
        return self._pack([on_logical(t, place) for t in tensors] if place else tensors)

    def _tell(self) -> None:
        """Tells the listeners that it is called."""
        for listen in tuple(CALL_LISTENERS):
            listen(self)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)} at {id(self):#x}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _call_node(graph: Graph, program: Program, tensors: Sequence[Tensor]) -> list[SymbolicTensor]:
    with context.within(graph):
        inputs = [symbolic(t, graph) for t in tensors]
        node = add_call(graph, program, inputs, dims=result_dims(graph, program, inputs))
    return node.outputs


def _is_one(results: Template) -> bool:
    """Whether the result is a single tensor."""
    hole = results.structure
    return isinstance(hole, Hole) and hole.composite is None
