"""The public family: `py_function`, `numpy_function`, `py_func`. Short adapters that build a HostFunction."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.core import context, device
from inlay._src.core.eager.convert import symbolic
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Effect, OpDef
from inlay._src.core.site import as_written, caller, of_function
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.host import call_generator, declare, eager_calls, ops, shape_inference, taped
from inlay._src.host.call import HostCall, RuleError
from inlay._src.host.dispatch_cache import DispatchEntry, dispatch_entry
from inlay._src.host.executors.event_loop import asynchronous, awaited
from inlay._src.host.inputs import CallInputs, check_arity, flatten_inputs
from inlay._src.host.record import CallOptions, HostFunction, Mode, Outputs
from inlay._src.host.remote_call import host_call, placed

# Python looks a member of an enumeration up for as long as a small call takes.
_NUMPY, _EAGER, _PURE, _STATEFUL = Mode.NUMPY, Mode.EAGER, Effect.PURE, Effect.STATEFUL


@export("py_function", "contrib.eager.py_func")
@boundary
def py_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    name: str | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    output_shapes: Any = None,
    sample: Sequence[Any] | None = None,
    stateful: bool = True,
    grad: Callable[..., Any] | None = None,
    copy: bool = True,
    executor: Any = None,
    rng: Any = None,
) -> Any:
    """Calls a Python function as an op; the function receives eager tensors and is differentiated through its ops.

    In a graph, the call adds a node that runs the function whenever the graph runs.

    ```python
    def clipped(x):
        return x * 2.0 if x > 0 else x * 0.0

    tf.py_function(clipped, [3.0], tf.float32)  # 6.0; its gradient is that of the branch which ran
    ```

    Args:
      func: the function. It takes one eager tensor per input. If it is omitted, `py_function` returns a decorator.
      inp: a list of inputs: tensors, variables, ragged or sparse tensors, or values that `convert_to_tensor` accepts.
      Tout: the dtype of the result; a list of dtypes for several results; or a nest of dtypes and specs.
      name: the name of the op.
      kwargs: keyword arguments of `func`. Tensors anywhere in a nest become inputs; other objects are passed unchanged.
      output_shapes: shapes nested like `Tout`; or a callable with the parameters of `func` that receives shapes and
        returns shapes; or "infer", which learns them from one call on `sample`. Every call checks them.
      sample: the inputs of the call that `output_shapes="infer"` makes.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      grad: the gradient, `grad(*inputs, *outputs, *output_grads, **kwargs)`. It returns one gradient or None per
        input, and, if `kwargs` contains tensors, a dict of their gradients. It replaces the gradient of the body.
      copy: True gives the body a copy when it reads a tensor as memory (`np.asarray(x)`, `torch.from_dlpack(x)`).
        False gives `np.asarray` and `memoryview` a read-only view without a copy.
      executor: the place where `func` runs: "inline", "threads", "processes", "ray", an executor such as
        `tf.Processes(workers=4)`, or any `concurrent.futures.Executor`. None takes the executor of the enclosing
        `tf.executor` scope, else "inline".
      rng: a seed: an integer, a sequence of integers, a `np.random.SeedSequence` or a tensor of integers. `func`
        receives the keyword argument `rng`, a separate NumPy generator for each call,
        `np.random.default_rng((rng, number))`. The number is the index of the element in a dataset, else that of the
        call.

    Returns:
      A tensor; a list of tensors if `Tout` is a list or tuple; a nest like `Tout`. For an empty `Tout`, the Operation
      in a graph and [] in eager code.

    Raises:
      TypeError: if `Tout` is missing or not a dtype, or `inp` is not a list.
      ValueError: if `func` is not callable.
      errors.OpError: if the function raises. The error is an instance of TensorFlow's class and of the original class.
    """
    try:
        if func is not None and Tout is not None and executor is None and rng is None:
            more = None
            if not (kwargs is None and output_shapes is None and grad is None and copy):
                more = kwargs, output_shapes, grad, copy, False
            result = eager_calls.run(func, inp, Tout, ops.EAGER_PY_FUNC, more)
            if result is not eager_calls.UNHANDLED:
                return result
        options = CallOptions(kwargs, output_shapes, sample, stateful, grad, copy, executor, rng)
        return _call_or_decorate("py_function", Mode.EAGER, func, inp, Tout, name, options)
    except Exception as error:
        leave(error)
        raise


@export("numpy_function")
@boundary
def numpy_function(
    func: Any = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    output_shapes: Any = None,
    sample: Sequence[Any] | None = None,
    grad: Callable[..., Any] | None = None,
    copy: bool = True,
    executor: Any = None,
    rng: Any = None,
) -> Any:
    """Calls a Python function as an op; the function receives NumPy arrays.

    ```python
    def median(x):
        return np.median(x).astype(np.float32)

    tf.numpy_function(median, [[1.0, 2.0, 9.0]], tf.float32)  # 2.0
    ```

    Args:
      func: the function. It takes one array per input; for rank 0 a NumPy scalar, or `bytes` for a string.
      inp: a list of inputs, as in `py_function`.
      Tout: the exact dtype of the result; a list of dtypes for several results; or a nest of dtypes and specs.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.
      kwargs, output_shapes, sample, grad, executor, rng: as in `py_function`. Without `grad` the gradient is None.
      copy: True gives the function writable arrays of its own. False gives it read-only views without a copy.

    Returns:
      As `py_function`.

    Raises:
      As `py_function`.
    """
    try:
        if func is not None and Tout is not None and executor is None and rng is None:
            more = None
            if not (kwargs is None and output_shapes is None and grad is None and copy):
                more = kwargs, output_shapes, grad, copy, False
            result = eager_calls.run(func, inp, Tout, ops.PY_FUNC if stateful else ops.PY_FUNC_STATELESS, more)
            if result is not eager_calls.UNHANDLED:
                return result
        options = CallOptions(kwargs, output_shapes, sample, stateful, grad, copy, executor, rng)
        return _call_or_decorate("numpy_function", Mode.NUMPY, func, inp, Tout, name, options)
    except Exception as error:
        leave(error)
        raise


_MISSING: Any = object()
_USUAL, _STATELESS = CallOptions(), CallOptions(stateful=False)


@export("py_func")
@boundary
def py_func(
    func: Any = _MISSING, inp: Any = _MISSING, Tout: Any = _MISSING, stateful: bool = True, name: str | None = None
) -> Any:
    """Calls a Python function on NumPy arrays as an op, with the signature of TensorFlow 1; see `numpy_function`.

    Args:
      func: the function. It takes one array per input.
      inp: a list of inputs.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: False declares that inlay may merge equal calls, and may fold, repeat or drop calls.
      name: the name of the op.

    Returns:
      As `py_function`.

    Raises:
      As `py_function`.
    """
    try:
        if func is _MISSING or inp is _MISSING or Tout is _MISSING:
            raise TypeError("Missing required positional argument: py_func(func, inp, Tout, stateful=True, name=None)")
        result = eager_calls.run(func, inp, Tout, ops.PY_FUNC if stateful else ops.PY_FUNC_STATELESS)
        if result is not eager_calls.UNHANDLED:
            return result
        return stage("py_func", _NUMPY, func, inp, Tout, name, _USUAL if stateful else _STATELESS)
    except Exception as error:
        leave(error)
        raise


def _call_or_decorate(
    api: str, mode: Mode, func: Any, inp: Any, tout: Any, name: str | None, options: CallOptions
) -> Any:
    if tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'\n  If using `tf.{api}` as a decorator, set `Tout`: "
            f"@tf.{api}(Tout=tf.float32)"
        )
    if func is None:
        if inp is not None:
            raise TypeError(f"Don't set the `inp` argument when using tf.{api} as a decorator (`func=None`).")
        return functools.partial(_Decorated, api, mode, tout, name, options)
    if inp is None:
        raise TypeError("Missing argument `inp`: the list of inputs (use [] for none)")
    return stage(api, mode, func, inp, tout, name, options)


class DecoratedDeclaration(NamedTuple):
    """A function of the decorator form and its declaration, for tools that read it.

    Attributes:
      func: the function as the user wrote it.
      api: the public name that declared it: "py_function" or "numpy_function".
      tout, name, options: the arguments of the decorator.
    """

    func: Callable[..., Any]
    api: str
    tout: Any
    name: str | None
    options: CallOptions


def declaration_of(func: Any) -> DecoratedDeclaration | None:
    """The declaration of a decorated function; None for any other object."""
    return func.declaration if isinstance(func, _Decorated) else None


class _Decorated:
    """A function made an op by the decorator form; every call stages one call of the family."""

    def __init__(self, api: str, mode: Mode, tout: Any, name: str | None, options: CallOptions, func: Any) -> None:
        func = as_written(func)
        declare.checked_callable(func)
        functools.update_wrapper(self, func)  # first: a decorated function's own fields come along
        self._parts = (api, mode, tout, name, options)
        self._written = _op(mode, options.stateful), _unusual(options)
        self._func = func

    @property
    def declaration(self) -> DecoratedDeclaration:
        """The function and the arguments of its decorator."""
        api, _, tout, name, options = self._parts
        return DecoratedDeclaration(self._func, api, tout, name, options)

    @boundary
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        api, mode, tout, name, options = self._parts
        try:
            if not kwargs and options.executor is None and options.rng is None:
                result = eager_calls.run(self._func, list(args), tout, *self._written)
                if result is not eager_calls.UNHANDLED:
                    return result
            elif kwargs:
                args, kwargs = self._bind(args, kwargs)
                options = replace(options, kwargs={**(options.kwargs or {}), **kwargs})
            return stage(api, mode, self._func, args, tout, name, options)
        except Exception as error:
            leave(error)
            raise

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Keyword arguments bound through the signature: positional ones become inputs, the rest stay named."""
        try:
            signature = inspect.signature(self._func)
        except ValueError:  # no signature to be had
            return args, kwargs
        if self._parts[-1].rng is not None:
            signature = call_generator.signature_without(signature)
        bound = signature.bind(*args, **kwargs)
        return bound.args, bound.kwargs

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """On a class: a method whose `self` is bound, not turned into a tensor."""
        if instance is None:
            return self
        return _Decorated(*self._parts, self._func.__get__(instance, owner))

    def __repr__(self) -> str:
        return f"<{self._parts[0]} {of_function(self._func)}>"


def _unusual(options: CallOptions) -> tuple[Any, ...] | None:
    """The options that `eager_calls.run` takes; None if all of them are the defaults."""
    if options.kwargs is None and options.output_shapes is None and options.grad is None and options.copy:
        return None
    return options.kwargs, options.output_shapes, options.grad, options.copy, False


def _op(mode: Mode, stateful: bool) -> OpDef:
    """The op that a call of the family is."""
    return ops.EAGER_PY_FUNC if mode is _EAGER else ops.PY_FUNC if stateful else ops.PY_FUNC_STATELESS


def stage(api: str, mode: Mode, func: Any, inp: Any, tout: Any, name: str | None, options: CallOptions) -> Any:
    """Builds or runs one call of the family; `api` is its public name, for messages."""
    entry = _entry(func)
    if entry is None:
        declare.checked_callable(func)
        func = as_written(func)
    inputs = flatten_inputs(inp, options.kwargs, api)
    if inputs.graph is None and options.executor is None and options.rng is None:
        result = eager_calls.specialize(func, inputs, tout, _op(mode, options.stateful), options)
        if result is not eager_calls.UNHANDLED:
            return result
    keywords = options.kwargs
    if options.rng is not None:
        call_generator.check(func, keywords, api)
        keywords = {**(keywords or {}), call_generator.NAME: None}
    if entry is None:
        check_arity(func, len(inputs.args), keywords)
    else:
        entry.check_arity(func, len(inputs.args), keywords)
    shapes = options.output_shapes
    inferred = isinstance(shapes, str) and shapes == "infer"
    outputs = declare.outputs_of(tout, api, None if callable(shapes) or inferred else shapes)
    if inferred:
        outputs = shape_inference.learned(func, mode, outputs, options, api, inputs)
    return stage_flat(api, mode, func, inputs, outputs, options, name, entry)


def _entry(func: Any) -> DispatchEntry | None:
    """The dispatch entry of a plain synchronous function or method; None for other callables.

    Other objects have no entry here: it would keep them alive, and a dropped graph is to drop its functions.
    """
    if func.__class__ is not FunctionType and func.__class__ is not MethodType:
        return None
    try:
        return dispatch_entry(func)
    except ValueError:  # `stage` reports the error, or has the function awaited
        return None


def stage_flat(
    api: str,
    mode: Mode,
    func: Any,
    inputs: CallInputs,
    outputs: Outputs,
    options: CallOptions,
    name: str | None,
    entry: DispatchEntry | None = None,
) -> Any:
    """Builds or runs one call whose declaration is read; `entry` is that of the function, if `_entry` has one."""
    if mode is _NUMPY:
        declare.refuse_composite_outputs(outputs, api)
        inputs.refuse_composites(api)
    if options.rng is not None:
        inputs = call_generator.with_generator(inputs, options.rng, api)
    if options.grad is not None:
        _check_gradient(options.grad, api)
    effect = _STATEFUL if options.stateful else _PURE
    rule = options.output_shapes if callable(options.output_shapes) else None
    state = context.current()
    if entry is not None and options.executor is None and state.executor is None:
        label, where = entry.label, None
    else:
        label = of_function(func) if entry is None else entry.label
        where = placed(options.executor, func, effect, label, api)
        func = awaited(func)
    site = caller(2)
    host = HostFunction(
        func, mode, outputs, effect, label, site, inputs.template, options.grad, options.copy, rule, where
    )
    op, graph = _op(mode, options.stateful), inputs.graph
    if graph is None:
        tensors = inputs.tensors(op.name)
        graph = next((t.graph for t in tensors if isinstance(t, SymbolicTensor)), None)
        if graph is None:
            _refuse_resources(mode, tensors)
            device.check(state.device, op.name)
            return outputs.pack(taped.call_recorded(host_call(host, op.name, op.name), tensors))  # type: ignore[arg-type]
    return _add(graph, op, host, inputs, name)


def _check_gradient(grad: Any, api: str) -> None:
    """Refuses what cannot be a gradient.

    Raises:
      TypeError: if it is not callable, or is asynchronous.
    """
    if not callable(grad):
        raise TypeError(
            f"{api}: `grad` must be a function of inputs, outputs and output gradients, got {repr_of(grad)}"
        )
    if asynchronous(grad):
        raise TypeError(f"{api}: `grad` cannot be asynchronous, got {of_function(grad)}; make it a plain function")


def _refuse_resources(mode: Mode, tensors: Sequence[Tensor]) -> None:
    if mode is _NUMPY:
        for i, t in enumerate(tensors):
            if t.dtype._kind in "rv":
                raise TypeError(f"input {i} is a {t.dtype.name} tensor: NumPy has no such value; use py_function")


def _add(graph: Graph, op: OpDef, host: HostFunction, inputs: CallInputs, name: str | None) -> Any:
    if context.current().graph is graph:
        node = _node(graph, op, host, inputs, name)
    else:
        with context.within(graph):
            node = _node(graph, op, host, inputs, name)
    if not host.outputs.leaves:
        return node if host.effect is _STATEFUL else []
    return host.outputs.pack(node.outputs)


def _node(graph: Graph, op: OpDef, host: HostFunction, inputs: CallInputs, name: str | None) -> Operation:
    """The call as a node of the graph in force."""
    tensors = inputs.values
    if not all([t.__class__ is SymbolicTensor and t.op.graph is graph for t in tensors]):
        scope = graph.unique_name(name or op.name, mark_as_used=False)
        scope = scope[len(context.current().scope) :]
        tensors = [symbolic(t, graph) for t in inputs.tensors(scope)]
    _refuse_resources(host.mode, tensors)
    try:
        dims = declare.static_dims(host, tensors)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        rule = RuleError()
        rule.__cause__ = error
        call = HostCall(host, graph.unique_name(name or op.name, mark_as_used=False), op.name)
        raise call.explain(rule, tensors) from error
    dtypes = host.outputs.dtypes
    return graph.add(op, tuple(tensors), _ATTRS[len(dtypes)], dtypes, dims, name, host, host.effect, host.site)


_ATTRS: BoundedCache[int, dict[str, Any]] = BoundedCache("attributes of host calls", 64, lambda count: {"num": count})
"""By the number of results; nodes share them."""
