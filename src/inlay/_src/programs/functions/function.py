"""`function`: runs Python once per signature into a graph, then runs the graph.

    call ─▶ bind arguments ─▶ signature key ─▶ Concrete (traced once per key) ─▶ Program
                                                 eager: run, under tapes run_recorded
                                                 in a graph: a call node

A key holds dtypes and shapes of tensors, identities of variables, and the values of other Python arguments.
Stateful nodes run in program order whether or not their results are used.
"""

from __future__ import annotations

import functools
import inspect
import sys
import weakref
from collections.abc import Callable, Sequence
from types import NoneType, SimpleNamespace
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.spans import SPANS
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec
from inlay._src.base.types.text import counted
from inlay._src.core import context, device
from inlay._src.core.eager.attributes import truth
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.pictured import Pictured
from inlay._src.core.site import as_written
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops.variables import created_since
from inlay._src.programs.control.tracing import Tracing, own_collections
from inlay._src.programs.functions import arguments, declared_signature, signature_text
from inlay._src.programs.functions.arguments import BoundArguments
from inlay._src.programs.functions.bound_function import BoundFunction, reference_to, signature_of
from inlay._src.programs.functions.compiler_ir import compiler_ir
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.retracing import history_of
from inlay._src.programs.functions.traced_value import value_while_traced
from inlay._src.programs.functions.traces import HasTraces


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
@explained
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Makes every `function` call its Python body directly (True), for debugging, or trace it (False)."""
    _settings.eager = bool(run_eagerly)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Whether `function`s call their Python bodies directly."""
    return _settings.eager


QUICK_KEPT = 256
"""Signatures of plain eager tensors that a function finds without binding arguments."""


_settings = SimpleNamespace(eager=False)


class TracingOptions(NamedTuple):
    """The options of `function`."""

    input_signature: tuple[Any, ...] | None
    autograph: bool
    jit_compile: Any
    reduce_retracing: bool
    implements: str | None = None


class Function(Pictured, HasTraces):
    """A Python function that is traced into graphs. Made by `function`.

    Args:
      python_function: the function.
      options: the options of `function`.
      name: the name of its graphs.
      method_of: gives the instance that the function is a method of, its first argument; None if it is none.

    Attributes:
      python_function: the Python function, without the instance if it is a method.
    """

    _picture_kind = "function"

    def __init__(
        self,
        python_function: Callable[..., Any],
        options: TracingOptions,
        name: str | None = None,
        method_of: Callable[[], Any] | None = None,
    ) -> None:
        functools.update_wrapper(self, python_function)  # first: the function's own fields come along
        self._written, self._method_of = python_function, method_of
        self.python_function: Callable[..., Any] = self._with_instance(python_function)
        self._name = name or getattr(python_function, "__name__", "function").replace("<", "").replace(">", "")
        self._options = options
        self._traced: dict[Any, ConcreteFunction] = {}
        self._quick: dict[Any, ConcreteFunction] = {}  # specs of eager arguments -> their traced function
        self._by_rank: dict[Any, ConcreteFunction] = {}  # with reduce_retracing: the latest trace per key without sizes
        self._lock = new_rlock()
        self._python_signature = signature_of(python_function, method_of is not None)
        self._signature: tuple[Any, ...] | None = options.input_signature
        if self._signature is not None:
            if self._python_signature is not None:
                declared_signature.check_declared(self._signature, self._python_signature)
            self._signature, self._keyword_specs = declared_signature.completed(self._signature, self._python_signature)
        parameters = () if self._python_signature is None else self._python_signature.parameters.values()
        positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        self._labels, self._defaults = [p.name for p in positional], [p.default for p in positional]
        self._rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "arg")
        self._named_defaults = {
            p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty
        }
        self._history = history_of(python_function)
        self._bound_methods: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._created_variables: Sequence[Any] = ()  # by the first trace; held, as the body may not hold them
        self._converted: Callable[..., Any] | None = None

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Replaces the Python function, which must not have been traced, by a decorated one; Sonnet 2 calls this."""
        if self._traced:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        Function.__init__(self, decorator(self._written), self._options, self._name, self._method_of)

    # ---- calling

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            self._history.calls += 1
            state = context.get() or context.base()
            plain = not kwargs and state.eager and not state.tapes and not _settings.eager
            if plain:
                key: list[Any] = []
                values: list[Any] = []
                for a in args:
                    if a.__class__ is not EagerTensor:
                        spec = a._shared_spec if isinstance(a, Composite) else None
                        if spec is None:
                            plain = False
                            break
                        key.append(spec)
                        (a,) = a._components()
                    values.append(a._value)
                    key += (a._dtype, a._value.shape)
                else:
                    traced = self._quick.get(tuple(key))
                    if traced is not None:
                        return traced._run(values)
            if _settings.eager:
                return self._with_instance(as_written(self._written))(*args, **kwargs)
            bound = self._bind(args, kwargs)
            concrete = self._traced.get(bound.key)
            if concrete is None:
                concrete = self._trace(bound, called=True)
            if plain and len(bound.tensors) == len(args) and len(self._quick) < QUICK_KEPT:
                if not any(isinstance(t, SymbolicTensor) for t in concrete.captured_inputs):
                    self._quick[tuple(key)] = concrete
            return concrete.call_flat(bound.tensors)
        except Exception as error:
            leave(error)
            raise

    @explained
    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The traced function for these arguments; `TensorSpec`s may stand for tensors.

        One with a name asks for a trace with an input of that name; one without takes any that there is.
        """
        if self._signature is not None and not args and not kwargs:
            args = self._signature
        bound = self._bind(args, kwargs)
        named = tuple((i, t.name) for i, t in enumerate(bound.tensors) if isinstance(t, TensorSpec) and t.name)
        if named and self._signature is None:
            key, bound.key = bound.key, (*bound.key[:2], (bound.key[2], named))
            concrete = self._traced.get(bound.key) or self._trace(bound)
            self._traced.setdefault(key, concrete)
            return concrete
        return self._traced.get(bound.key) or self._trace(bound)

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., str | bytes]:
        """A function from a stage, "hlo" or another, to the compiler's representation of the trace for these arguments.

        Raises:
          ValueError: for a function without `jit_compile=True`, or arguments of unknown shape.
        """
        if not self._options.jit_compile:
            raise ValueError("Compiler IR can only be returned for functions marked with 'jit_compile=True'")
        return compiler_ir(self.get_concrete_function(*args, **kwargs).graph)

    @property
    def input_signature(self) -> Any:
        """The declared specs, and those of tensors that are defaults of the parameters after them; or None."""
        declared = self._options.input_signature
        return None if self._signature is None else declared_signature.visible(self._signature, declared or ())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """A method: traces are kept per instance, as long as it lives."""
        if instance is None:
            return self
        try:
            function = self._bound_methods.get(instance)
            if function is None:
                function = self._bound_methods[instance] = self._for(instance)
        except TypeError:  # not hashable, or without weak references
            function = self._for(instance)
        return BoundFunction(function, instance)

    def _for(self, instance: Any) -> Function:
        return Function(self._written, self._options, self._name, reference_to(instance))

    # ---- binding

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundArguments:
        if self._signature is not None:
            return self._bind_declared(args, kwargs)
        args, kwargs = self._completed(args, kwargs)
        if self._options.implements is not None:
            args, kwargs = arguments.as_tensors(args, kwargs)
        return arguments.bind(args, self._parameter_names(len(args)), kwargs, self._mode())

    def _mode(self) -> Any:
        """The part of a trace's key that is independent of the arguments."""
        return _mode_key()

    def _completed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments as the function receives them: by position where they can be, defaults included."""
        if not kwargs:
            if len(args) < len(self._defaults):
                defaults = self._defaults[len(args) :]
                if any(d is inspect.Parameter.empty for d in defaults):
                    return args, kwargs
                args = (*args, *defaults)
            return args, self._named_defaults
        if self._python_signature is None:
            return args, kwargs
        try:
            arranged = self._python_signature.bind(*args, **kwargs)
        except TypeError as error:
            raise self._binding_error(error, args, kwargs) from None
        arranged.apply_defaults()
        return arranged.args, arranged.kwargs

    def _parameter_names(self, count: int) -> list[str]:
        """The names of at least `count` positional parameters."""
        labels, rest = self._labels, self._rest
        return labels if count <= len(labels) else [*labels, *(f"{rest}_{i}" for i in range(count - len(labels)))]

    def _binding_error(self, error: Exception, args: Any, kwargs: Any) -> TypeError:
        return TypeError(
            f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs} "
            f"for signature: {self._python_signature}."
        )

    def _bind_declared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundArguments:
        specs = self._signature
        assert specs is not None
        labels = self._parameter_names(len(specs))
        try:
            values, keywords = args, kwargs
            if self._python_signature is not None:
                arranged = self._python_signature.bind(*args, **kwargs)
                arranged.apply_defaults()
                values, keywords = arranged.args, arranged.kwargs
            return arguments.bind_declared(values, keywords, labels, specs, self._keyword_specs, self._mode())
        except (TypeError, ValueError) as error:
            raise self._binding_error(error, args, kwargs) from None

    # ---- tracing

    def _trace(self, bound: BoundArguments, called: bool = False) -> ConcreteFunction:
        with self._lock:
            cached = self._traced.get(bound.key)
            if cached is None:
                cached = next((traced for key, traced in self._traced.items() if bound.fits(key)), None)
            if cached is not None:
                self._traced[bound.key] = cached
                return cached
            if self._options.reduce_retracing:
                cached, bound = self._generalized(bound)
                if cached is not None:
                    self._traced[bound.key] = cached
                    return cached
            graph = context.current().graph
            if called and (
                graph is None or not graph.building_function
            ):  # inside another it is traced as often as that
                self._history.note_trace(self._written)
            with SPANS.span(self._name, "build"):
                concrete, variables = self._traced_once(bound)
            if variables and self._created_variables:
                raise ValueError(f"{_SINGLETON}: {self._name} created {_names(variables)} again. {_SEE}")
            if variables:  # a trace that creates variables is not cached: the next one must not create any
                self._created_variables = variables
                concrete, again = self._traced_once(bound)
                if again:
                    raise ValueError(f"{_SINGLETON}: {self._name} creates {_names(again)} at every call. {_SEE}")
            if self._options.reduce_retracing:
                self._by_rank[bound.rank_key()] = concrete
            self._traced[bound.key] = concrete
            return concrete

    def _traced_once(self, bound: BoundArguments) -> tuple[ConcreteFunction, Sequence[Any]]:
        """One trace, and the variables that were made meanwhile."""
        with created_since() as variables:
            concrete = trace(self._body(), self._name, bound, self._options.jit_compile)
        concrete.graph.implements = self._options.implements
        if self._options.implements is not None and concrete.captured_inputs:
            raise AssertionError(
                f"Function {self._name} has experimental_implements={self._options.implements!r} and thus can not "
                "depend on any tensors outside of its signature or modify variables; variables are always captured. "
                f"It captures {concrete.captured_inputs}. Pass them as arguments."
            )
        return concrete, variables

    def _body(self) -> Callable[..., Any]:
        """The function to trace: the Python function, its control flow converted if AutoGraph is on."""
        if not self._options.autograph:
            return self._with_instance(as_written(self._written))
        if inspect.isgeneratorfunction(self._written):
            raise NotImplementedError(f"{self._name} has a `yield`, and generators are not supported by tf.function")
        if self._converted is None:
            from inlay._src.programs.conversion import convert

            self._converted = self._with_instance(convert(self._written))
        return self._converted

    def _with_instance(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, or what it is as a method of its instance."""
        instance = self._method_of
        if instance is None:
            return function
        return functools.wraps(function)(lambda *args, **kwargs: function(instance(), *args, **kwargs))

    def _generalized(self, bound: BoundArguments) -> tuple[ConcreteFunction | None, BoundArguments]:
        """A trace that serves this call too, or the same call with the sizes that have varied left unknown."""
        traced = self._by_rank.get(bound.rank_key())
        if traced is None:
            return None, bound
        specs = [
            TensorSpec(p.shape.most_specific_compatible_shape(s.shape), s.dtype)
            for p, s in zip(traced.program.graph.inputs, bound.specs, strict=True)
        ]
        if all(s.shape == p.shape for s, p in zip(specs, traced.program.graph.inputs, strict=True)):
            return traced, bound
        return None, bound.for_specs(specs)

    def __reduce__(self) -> Any:
        module, name = self._written.__module__, self._written.__qualname__
        if module != "__main__" and _resolved(module, name) is self:  # it stands where its Python function was
            return name
        return Function, (self._written, self._options, self._name)

    def __deepcopy__(self, memo: Any) -> Function:
        return Function(self._written, self._options, self._name, self._method_of)

    def __repr__(self) -> str:
        signature = "(...)" if self._python_signature is None else signature_text.names(self._python_signature)
        traces = counted(self.experimental_get_tracing_count(), "trace")
        return f"<Function {self._name}{signature} at {id(self):#x}: {traces}>"


_SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function"
)
_SEE = "(inlay explain function-variables)"


def _resolved(module: str, name: str) -> Any:
    """The object of a dotted name in a module, or None."""
    return functools.reduce(lambda at, part: getattr(at, part, None), name.split("."), sys.modules.get(module))


def _names(variables: Sequence[Any]) -> str:
    return ", ".join(v.name for v in variables)


def _mode_key() -> Any:
    """The context of a trace: its enclosing graph, whose tensors it captures, its device, and the executor of its host
    functions."""
    state = context.current()
    place = device.resolved(state.device) if state.device and device.accelerators() else ""
    home = None if state.graph is None else id(state.graph)
    if state.executor is not None:
        return home, place, state.executor
    return (home, place) if place else home


def trace(
    python_function: Callable[..., Any],
    name: str,
    bound: BoundArguments,
    jit_compile: Any = None,
    in_v1: bool = False,
) -> ConcreteFunction:
    """Traces a Python function into a graph.

    Args:
      python_function: the function.
      name: the graph's name.
      bound: its arguments, and the specs of its placeholders.
      jit_compile: as in `function`.
      in_v1: see `FuncGraph`.
    """
    state = context.current()
    tracing = Tracing(name, state.graph, state.tapes)
    tracing.graph.in_v1 = in_v1
    if jit_compile is not None and not tracing.graph.jit:  # inside a compiled function everything is
        tracing.graph.jit = bool(jit_compile)
    tracing.graph._collections = own_collections(tracing.graph._collections)
    inputs = [tracing.graph.add_input(*parameters) for parameters in bound.placeholders()]
    args, kwargs = bound.filled(inputs)
    tracing.graph.given, tracing.graph.traced_value = bound.tensors, value_while_traced
    try:
        with tracing.building():
            result = python_function(*args, **kwargs)
    finally:
        tracing.graph.given = ()
    changed = bound.changed(inputs, args, kwargs)
    if changed:
        raise ValueError(
            f"{name} should not modify its Python input arguments. Modifying a copy is allowed. The following "
            f"parameter(s) were modified: {', '.join(changed)}"
        )
    return ConcreteFunction(tracing.finish(result, functools.partial(_returned, name)), bound)


def _returned(name: str, leaf: Any) -> Tensor:
    """A leaf of a traced function's result as a tensor."""
    try:
        return convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes or "
            f"None values; in compilation of {name}, found return value of type {type(leaf).__name__}, which is not a "
            f"Tensor or ExtensionType: {error} (inlay explain function-result)"
        ) from error


@export("function")
@boundary
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Compiles a Python function into graphs: a call traces it once per signature, and then runs the graph.

    Args:
      func: the function. If it is omitted, `function` returns a decorator.
      input_signature: specs of the arguments. One trace then serves every call, and other arguments raise an error.
      autograph: whether `if`, `while` and `for` on tensors become graph control flow.
      jit_compile: True compiles the pure parts between host calls with XLA; it needs `pip install "inlay[jax]"`.
      reduce_retracing: whether varying sizes become unknown sizes instead of causing new traces.
      experimental_implements: the name of a function that may replace this one. It may depend only on its arguments.
      experimental_autograph_options, experimental_attributes, experimental_relax_shapes, experimental_compile,
      experimental_follow_type_hints: accepted; the older names of the arguments above.

    Returns:
      A `Function`. With `experimental_implements`, tracing it raises AssertionError if it depends on more.
    """
    try:
        if not isinstance(input_signature, (tuple, list, NoneType)):
            raise TypeError(f"input_signature must be either a tuple or a list, got {type(input_signature)}.")
        jit = experimental_compile if jit_compile is None else jit_compile
        options = TracingOptions(
            None if input_signature is None else tuple(input_signature),
            truth(autograph, "autograph"),
            jit if jit is None else truth(jit, "jit_compile"),
            truth(reduce_retracing, "reduce_retracing")
            or truth(experimental_relax_shapes, "experimental_relax_shapes"),
            experimental_implements,
        )

        def make(python_function: Callable[..., Any]) -> Function:
            if not callable(python_function):
                raise TypeError(f"{repr_of(python_function)} is not a callable object")
            return Function(python_function, options)

        return make if func is None else make(func)
    except Exception as error:
        leave(error)
        raise
