"""Functions that bring their own gradient.

Eager results are recorded with the gradient; in a graph a node passes the results through, and the gradient is in a
table of the graph. A run that tapes hear has no symbolic tensors: the gradients of functions, branches and loops
applied in its body are traced as well. The tensors of the body that they use are then inputs of the node.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.nest import Composite
from inlay._src.core import context
from inlay._src.core.devices import device_tensor
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.eager.tape import Tape, record_operation
from inlay._src.core.graph import Graph
from inlay._src.core.hints import LoweringHints, Scheduling
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.core.signature import Arg, Attribute, Signature
from inlay._src.core.site import of_function
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.core.trackable import acts_as_variable
from inlay._src.engine.autodiff.gradient_tape import GradientTape
from inlay._src.engine.autodiff.graph_gradients import source_of
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import KernelCall
from inlay._src.ops.array import identity, zeros_like
from inlay._src.ops.control import control_dependencies
from inlay._src.programs.control.tracing import Traced, trace
from inlay._src.programs.program import Program, add_call

Gradient = Callable[..., Sequence[Any]]


def _first_values(xp: Any, values: Sequence[Any], *, num: int) -> Sequence[Any]:
    return values[:num]


class SerializedGradient(NamedTuple):
    """The gradient of an application as it is written down.

    Attributes:
      program: it, of the cotangents and of what it captured.
      places: index of the program's result for each input's cotangent; -1 for an input that has none.
      captured: captured tensors that are no inputs of the node.
    """

    program: Program
    places: tuple[int, ...]
    captured: Sequence[Any] = ()


class _Rule:
    """The gradient of one application, as the table of its graph holds it: called, it adds nodes.

    Attributes:
      program: the same for a run that tapes hear; None if the graph is no function's.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Any], gradient: Gradient) -> None:
        self._gradient, self._graph = gradient, graph
        self._kinds = [(t.dtype, t.shape._dims, "grad") for t in outputs]
        self.program: Program | None = None
        self._traced: Traced | None = None
        self._written: SerializedGradient | None = None
        if not graph.building_function:
            return
        try:
            self._traced = self._trace()
            self.program = Program(self._traced.graph)
        except Exception as error:  # it may never be asked for
            self._error = error

    def _trace(self) -> Traced:
        with context.within(self._graph) as state, context.using(state.with_tapes(())):
            return trace(lambda *grads: list(self._gradient(*grads)), "gradient", self._kinds)

    def written(self) -> SerializedGradient:
        """The gradient as it is written down; raises what tracing it raises.

        The graph of a session calls it for `tf.gradients` only, so its nodes do not take what it captured.
        """
        if self._graph.building_function:
            if self._traced is None or self.program is None:
                raise self._error
            return SerializedGradient(self.program, _places(self._traced))
        if self._written is None:
            traced = self._trace()
            program = Program(traced.graph)
            self._written = SerializedGradient(program, _places(traced), program.captures)
        return self._written

    def __call__(self, *grads: Any) -> Sequence[Any]:
        return self._gradient(*grads)

    def recorded(self, captures: Sequence[EagerTensor]) -> Gradient:
        """The gradient in a run, from the values of what the program captures."""
        if self._traced is None or self.program is None:
            return self._failing
        fill, run = self._traced.template.fill, self.program.run_recorded
        return lambda *grads: fill(run([*grads, *captures]))  # type: ignore[no-any-return]

    def _failing(self, *grads: Any) -> Sequence[Any]:
        """Stands for a gradient that could not be traced: the error is raised once the gradient is asked for."""
        raise self._error


def _places(traced: Traced) -> tuple[int, ...]:
    results = traced.template.fill(range(len(traced.graph.outputs)))
    return tuple(-1 if at is None else at for at in results)


class ReadRule:
    """The gradient of an application that was written down: a program of the cotangents and of what it captured.

    Args:
      graph: of the application.
      program: it.
      places: index of the program's result for each cotangent; -1 for an input that has none.
      captured: the tensors that it captured.
    """

    def __init__(
        self, graph: Graph, program: Program, places: Sequence[int], captured: Sequence[SymbolicTensor]
    ) -> None:
        self._graph, self.program, self.places, self._captured = graph, program, tuple(places), captured

    def written(self) -> SerializedGradient:
        """As it was written down."""
        return SerializedGradient(self.program, self.places)

    def _cotangents(self, results: Sequence[Any]) -> list[Any]:
        return [None if at < 0 else results[at] for at in self.places]

    def __call__(self, *grads: Any) -> Sequence[Any]:
        graph: Any = context.current().graph or self._graph
        operands = [symbolic(t, graph) for t in (*grads, *self._captured)]
        return self._cotangents(add_call(graph, self.program, operands, "gradient").outputs)

    def recorded(self, captures: Sequence[EagerTensor]) -> Gradient:
        """The gradient in a run, from the values of what the program captured."""
        return lambda *grads: self._cotangents(self.program.run_recorded([*grads, *captures]))


class _PassThrough(KernelCall):
    """The step of a `CustomGradient` node. Tapes record it with the gradient that the node's graph holds."""

    __slots__ = ("_inputs", "_outputs", "_rule")

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step.opdef, step.attrs)
        self._outputs: int = step.attrs["num"]
        self._inputs: int = self._outputs + step.attrs["inputs"]
        self._rule: _Rule | ReadRule = tables.referred(step.attrs["gradient"])

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        outputs, inputs = tensors[: self._outputs], tensors[self._outputs : self._inputs]
        return _recorded(outputs, inputs, self._rule.recorded(tensors[self._inputs :]))


def _recorded(outputs: Sequence[EagerTensor], inputs: Sequence[Any], gradient: Gradient) -> list[EagerTensor]:
    """The outputs as tensors of their own, whose gradient the tapes in force take from `gradient`."""
    handles = [device_tensor.handle(t) for t in outputs]
    state = context.current()
    if state.tapes:
        _watch_variables(inputs, state)

        def pull(_: Any, *grads: Any) -> Sequence[Any]:
            return gradient(*[zeros_like(o) if g is None else g for o, g in zip(handles, grads, strict=True)])

        record_operation(OPS["CustomGradient"], tuple(inputs), tuple(handles), {}, state, pull)
    return handles


def _watch_variables(inputs: Sequence[Any], state: context.State) -> None:
    """Lets the tapes in force watch the variables among the inputs: the function read them unheard."""
    for t in inputs:
        if t.dtype is dtypes.resource and getattr(handle_key(t), "trainable", False):
            for tape in state.tapes:
                if tape.trainable:
                    tape.watch_handle(t)


def _vjp(op: Any, *grads: Any) -> list[Any]:
    filled = [zeros_like(o) if g is None else g for o, g in zip(op.outputs, grads, strict=True)]
    cotangents = op.graph.referred(op.attrs["gradient"])(*filled)
    return [*([None] * len(grads)), *cotangents, *([None] * (len(op.inputs) - len(grads) - len(cotangents)))]


OPS["CustomGradient"] = OpDef(
    "CustomGradient",
    _first_values,
    Signature((Arg("values", None, True, False),), (None,), variadic_out=True),
    {"num": Attribute(1)},
    vjp=_vjp,
    lowering=LoweringHints(aliases=True),
    scheduling=Scheduling(bind=_PassThrough),
    doc="Passes values through, with the user's gradient.",
)


class _WithGradient:
    """A function that brings its own gradient; as an attribute of a class it is a method."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":  # `inspect.getfullargspec` takes what has a `__get__` for a builtin
            return inspect.signature(self._function)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)

    def __get__(self, instance: Any, owner: Any = None) -> _WithGradient:
        return self if instance is None else _WithGradient(types.MethodType(self._function, instance))

    def __repr__(self) -> str:
        return f"<function {of_function(self._function)} with a gradient of its own>"

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self._call(args, kwargs)
        except Exception as error:
            leave(error)
            raise

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        arguments = nest.flatten(args, expand_composites=True)
        inputs = [source_of(a) if source_of(a) is not a else convert_to_tensor(a) for a in arguments]
        passed = [a if source_of(a) is not a else x for a, x in zip(arguments, inputs, strict=True)]
        heard = Tape(trainable=True)
        # The body's own ops are not recorded: only `grad` says what the derivative is.
        with context.using(context.current().with_tapes((heard,))):
            result, grad = self._function(*nest.pack_sequence_as(list(args), passed, expand_composites=True), **kwargs)
            flat: list[Any] = [convert_to_tensor(y) for y in nest.flatten(result, expand_composites=True)]
        variables = [v for v in heard.variables() if not any(source_of(v) is x for x in inputs)]
        if variables and not _takes_variables(grad):
            raise TypeError(
                "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses variables: "
                f"{variables}"
            )
        gradient = _gradient(grad, nest.flatten(args), result, variables)
        inputs += [source_of(v) for v in variables]
        graph = next((t.graph for t in (*flat, *inputs) if isinstance(t, SymbolicTensor)), None)
        results = _recorded(flat, inputs, gradient) if graph is None else _applied(graph, flat, inputs, gradient)
        return nest.pack_sequence_as(result, results, expand_composites=True)


def _takes_variables(grad: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _gradient(grad: Callable[..., Any], args: Sequence[Any], result: Any, variables: Sequence[Any]) -> Gradient:
    """The user's gradient from flat cotangents to flat ones: those of the arguments, then those of the variables."""
    wanted = [_dtype_of(x) for x in args]  # now: a library's scope may have its variables read as another one

    def gradient(*grads: Any) -> list[Any]:
        cotangents = nest.flatten(nest.pack_sequence_as(result, grads, expand_composites=True))
        of_arguments, of_variables = grad(*cotangents, variables=variables) if variables else (grad(*cotangents), ())
        of_variables = nest.flatten(of_variables)
        if len(of_variables) != len(variables):
            raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        flat = nest.flatten(of_arguments)
        if len(flat) != len(args):
            raise ValueError(
                f"custom_gradient function expected to return {len(args)} gradients, but returned {len(flat)} instead."
            )
        gradients = [part for g, x, dtype in zip(flat, args, wanted, strict=True) for part in _parts(g, x, dtype)]
        for g, v in zip(of_variables, variables, strict=True):
            gradients.append(None if g is None else convert_to_tensor(g, v.dtype))
        return gradients

    return gradient


def _dtype_of(x: Any) -> Any:
    """The dtype that the cotangent of an argument has; None if it is a number of Python or NumPy."""
    if acts_as_variable(x) and source_of(x) is x:
        return convert_to_tensor(x).dtype
    return x.dtype if isinstance(x, Tensor) or source_of(x) is not x else None


def _parts(grad: Any, x: Any, dtype: Any) -> list[Any]:
    """The cotangent of an argument as those of its tensors: a composite has several."""
    if isinstance(x, Composite):
        if grad is None:
            return [None] * len(nest.flatten(x, expand_composites=True))
        return [convert_to_tensor(g) for g in nest.flatten(grad, expand_composites=True)]
    if grad is None:
        return [None]
    return [convert_to_tensor(grad, dtype)]


def _applied(graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any], gradient: Gradient) -> list[Any]:
    """The outputs, passed through a node that has the gradient."""
    rule = _Rule(graph, outputs, gradient)
    captures = [] if rule.program is None else rule.program.captures
    every = tuple(symbolic(t, graph) for t in (*outputs, *inputs, *captures))
    _watch_variables(every[len(outputs) : len(outputs) + len(inputs)], context.current())
    node = graph.add(
        OPS["CustomGradient"],
        every,
        {"num": len(outputs), "inputs": len(inputs), "N": len(every), "gradient": graph.gradients.add(rule)},
        [t.dtype for t in outputs],
        [t.shape._dims for t in outputs],
        "CustomGradient",
    )
    return list(node.outputs)


@export("custom_gradient")
def custom_gradient(f: Callable[..., Any] | None = None) -> Any:
    """Decorator: `f(*x)` returns `(y, grad)`, where `grad(*dy)` gives the cotangents of `x`.

    If `f` reads trainable variables, `grad` is called with `variables=`, the list of them, and returns a pair: the
    cotangents of `x`, and a list of those of the variables.

    Args:
      f: a function of tensors, or a method.

    Returns:
      A function that returns `y`; derivatives of any order use `grad`, which may itself be differentiated.

    Raises:
      TypeError: when it is called, if `f` reads trainable variables and `grad` takes no `variables`.
    """
    return custom_gradient if f is None else _WithGradient(f)


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity: cotangents pass to its arguments unchanged.

    Args:
      f: a function whose results are shaped like its arguments.
    """

    @custom_gradient
    @functools.wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any, variables: Sequence[Any] = ()) -> Any:
            of_inputs = cotangents[0] if len(args) == 1 else cotangents
            return (of_inputs, [None] * len(variables)) if variables else of_inputs

        return f(*args, **kwargs), grad

    return passed  # type: ignore[no-any-return]


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f`, of which nothing is kept for its gradient: that runs `f` again, which takes time and saves memory.

    Args:
      f: a function of tensors, which may read variables.

    Returns:
      A function with the results and gradients of `f`.
    """

    @custom_gradient
    @functools.wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any, variables: Sequence[Any] = ()) -> Any:
            with control_dependencies(cotangents), GradientTape() as tape:  # the nodes of the first run are not these
                inputs = nest.map_structure(identity, args)
                tape.watch(inputs)
                flat = nest.flatten(inputs)
                results = nest.flatten(f(*inputs, **kwargs))
            gradients = tape.gradient(results, [*flat, *variables], list(cotangents))
            return (gradients[: len(flat)], gradients[len(flat) :]) if variables else gradients

        # It may change the lists and dicts that it is given; the second run begins with the same ones.
        return f(*nest.map_structure(lambda leaf: leaf, args), **kwargs), grad

    recomputed.__wrapped__ = f
    return recomputed  # type: ignore[no-any-return]
