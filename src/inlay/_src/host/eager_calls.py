"""Eager calls of the family: code generated once for each declaration, found through a dispatch cache.

    function ──▶ entry: label, checks that it passed (`host.dispatch_cache`)
    declaration ──▶ generated call (`host.codegen`)        one for all functions with that declaration
                        │
    inputs ─────────────┴──▶ tensors of the results

A declaration determines the code: the op, `Tout`, shapes, `copy`, and the nesting of the inputs. A generated test
compares a call with the last declarations of its function; any other declaration is looked up by key. The generated
call examines the inputs: it takes eager tensors as they are and converts NumPy arrays and Python values. Calls without
generated code (composite values, symbolic inputs, shape rules, device scopes, a user's gradient under a tape) are made
by `api.stage`, which also reports the errors of a declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.source import Source
from inlay._src.base.span_chunks import host_activity
from inlay._src.base.spans import SPANS
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.dtypes import FROM_NUMPY, DType
from inlay._src.base.types.keys import key_of
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.template import Hole, Plain, Template, is_plain, is_tensor_like
from inlay._src.core import context
from inlay._src.core.eager import emit
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.tape import record_operation
from inlay._src.core.opdef import OpDef
from inlay._src.core.site import Site, as_written, caller
from inlay._src.core.tensor import EagerTensor, Tensor, constant_eager
from inlay._src.host import declare, observing, taped
from inlay._src.host.call import HostCall
from inlay._src.host.codegen import CallWriter, NotSpecialized, structure_tests
from inlay._src.host.dispatch_cache import DispatchEntry, dispatch_entry
from inlay._src.host.executors.event_loop import asynchronous
from inlay._src.host.inputs import CallInputs, check_arity
from inlay._src.host.memory_views import lending
from inlay._src.host.record import CallOptions, HostFunction, Mode, Outputs

UNHANDLED: Any = object()
"""The result of `run` and `specialize` for a call that the general path has to make."""
_NOWHERE = Site("", 0, "")
_get, _set_state = context.get, context.set_state


def run(func: Any, inp: Any, tout: Any, op: OpDef, more: tuple[Any, ...] | None = None) -> Any:
    """Runs an eager call if its function was last called with this declaration; else returns UNHANDLED.

    Args:
      func, inp, tout: as in `py_function`.
      op: the op that the call would be in a graph.
      more: (kwargs, output_shapes, grad, copy, whether inputs are nested as in contrib); None if all are the defaults.
    """
    before = _get()
    state = before if before is not None else context._base
    if not state.eager and not _records(state):
        return UNHANDLED
    try:
        entry = dispatch_entry(func)
    except ValueError:  # the general path reports the error
        return UNHANDLED
    if entry is None:
        return run(as_written(func), inp, tout, op, more)
    by, count, like, call = entry.plain
    if not (
        by is op
        and more is None
        and inp.__class__ is list
        and count == len(inp)
        and (like is tout or (tout.__class__ is list and like == tout))
    ):
        kwargs, shapes, grad, copy, nested = more or _USUAL
        if grad is not None and _refuses(grad, state):
            return UNHANDLED
        values = None
        for declaration in entry.recent:
            by, takes, call, plain = declaration
            try:
                values = takes(inp, tout, kwargs, shapes, copy, nested) if by is op else None
            except (NotSpecialized, TypeError, ValueError, errors.OpError):  # as above
                return UNHANDLED
            if values is not None:
                break
        if values is None:
            return UNHANDLED
        if plain is not None:
            entry.plain = plain
        inp = values
    if not state.eager:
        func = _recorded(entry, func, op)
    try:
        return call(entry, func, inp, before, state)
    except NotSpecialized:
        return UNHANDLED


def _records(state: context.State) -> bool:
    """Whether a call has no other observer than the span recorder: then generated code runs it too."""
    return state.here and SPANS.on and not (observing._interceptors or context._logs_placement)


def _recorded(entry: DispatchEntry, func: Any, op: OpDef) -> Any:
    """The function, so that a span is left of it."""
    by, observed, wrapper = entry.observed
    if by is not op or observed is not func:
        wrapper = observing.recorded(func, host_activity(op.name, entry.label))
        entry.observed = op, func, wrapper
    return wrapper


def specialize(func: Any, inputs: CallInputs, tout: Any, op: OpDef, options: CallOptions, nested: bool = False) -> Any:
    """Generates the code of an eager call for its declaration, and runs it; UNHANDLED if the declaration has none.

    The next calls of the function with this declaration are made by `run`.

    Args:
      func: the function.
      inputs: the inputs of the call.
      tout: the declared result.
      op: the op that the call would be in a graph.
      options: the options of the call, which names neither an executor nor a generator.
      nested: whether inputs and results are nested as in contrib.
    """
    before = _get()
    state = before if before is not None else context._base
    if not state.eager and not _records(state):
        return UNHANDLED
    try:
        entry = dispatch_entry(func)
        if entry is None or (options.grad is not None and _refuses(options.grad, state)):
            return UNHANDLED
        call, values = _specialized(entry, func, inputs, tout, op, options, nested)
    except (NotSpecialized, TypeError, ValueError, errors.OpError):  # the general path reports the error
        return UNHANDLED
    if not state.eager:
        func = _recorded(entry, func, op)
    try:
        return call(entry, func, values, before, state)
    except NotSpecialized:
        return UNHANDLED


def _refuses(grad: Any, state: context.State) -> bool:
    """Whether a call with this gradient takes the general path: tapes record it there, and errors are reported."""
    return bool(state.tapes) or not callable(grad) or asynchronous(grad)


# ---------------------------------------------------------------- declarations

Takes = Callable[..., "Sequence[Any] | None"]
"""From inp, `Tout`, kwargs, output_shapes, copy and nested the flat inputs, or None if the declaration differs."""

_SPECIALIZED: BoundedCache[Any, tuple[Takes, Callable[..., Any]]] = BoundedCache(
    "host calls written for eager code", 1024
)
_USUAL = (None, None, None, True, False)
_RECENT = 4
"""The number of declarations of a function that its entry recognizes."""
_SIMPLE = frozenset({bool, int, float, complex, str, bytes, type(None)})


def _specialized(
    entry: DispatchEntry, func: Any, inputs: CallInputs, tout: Any, op: OpDef, options: CallOptions, nested: bool
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """The generated code for a declaration, and the values it is called with: flat inputs, then plain objects."""
    shapes, copy = options.output_shapes, bool(options.copy)
    if shapes.__class__ is str:
        raise NotSpecialized  # "infer"
    count, template, objects = len(inputs.values), inputs.template, list[Any]()
    if template is not None:
        if any(hole.composite is not None for hole in template.holes()):
            raise NotSpecialized
        template, objects = _with_open_objects(template, count)
    args: Any = inputs.args
    kwargs = inputs.kwargs
    key = (
        op, key_of(tout, _other), args.__class__, len(args), copy, nested, key_of(shapes, _other), count,
        template and (tuple(kwargs), template.key()),
    )  # fmt: skip
    generated = _SPECIALIZED.get(key)
    if generated is None:
        outputs = (declare.nested_outputs if nested else declare.outputs_of)(tout, op.name, shapes)
        positional, keyword = (tuple(map(Hole, range(count))), {}) if template is None else template.structure
        pattern = args.__class__(positional), {name: keyword[name] for name in kwargs}
        takes = _taker(pattern, count, tout, shapes, copy, nested)
        call = _EagerCallWriter(op, outputs, count, len(objects), template, copy).function()
        generated = _SPECIALIZED[key] = takes, call
    takes, call = generated
    if not nested:
        entry.check_arity(func, len(args), kwargs)
    defaults = options.kwargs is None and shapes is None and options.grad is None and copy and not nested
    plain = None
    if defaults and args.__class__ is list and _immutable(tout):
        plain = entry.plain = op, len(args), (tout[:] if tout.__class__ is list else tout), call
    entry.recent = ((op, takes, call, plain), *entry.recent[: _RECENT - 1])
    return call, [*inputs.values, *objects] if objects else inputs.values


def _with_open_objects(template: Template, count: int) -> tuple[Template, list[Any]]:
    """A template with holes, behind the first `count`, for the objects that are passed as they are; and these."""
    objects: list[Any] = []

    def opened(leaf: Any) -> Any:
        if leaf.__class__ is not Plain:
            return leaf
        objects.append(leaf.value)
        return Hole(count + len(objects) - 1)

    return Template(nest.map_structure(opened, template.structure)), objects


def _immutable(tout: Any) -> bool:
    """Whether `is`, or `==` for a list, tells that the declared dtypes are the same."""
    if tout.__class__ is list:
        return all([t.__class__ is DType for t in tout])
    return tout.__class__ is DType or isinstance(tout, type)


def _other(value: Any) -> Any:
    """The key of a part of a declaration that `key_of` does not know."""
    if nest.is_nested(value):
        return tuple([(name, key_of(child, _other)) for name, child in nest._items(value)])
    if callable(value):
        raise NotSpecialized  # a shape rule
    return value


def _taker(pattern: tuple[Any, dict[str, Any]], count: int, tout: Any, shapes: Any, copy: bool, nested: bool) -> Takes:
    """Generates the function that recognizes a declaration, and takes the values of such a call out of its arguments.

    Args:
      pattern: `inp` and `kwargs` with holes for the inputs, and, behind the first `count`, for plain objects.
      count: the number of inputs.
      tout, shapes, copy, nested: the declaration.
    """
    source = Source({
        "E": EagerTensor, "T": Tensor, "SIMPLE": _SIMPLE, "is_plain": is_plain, "is_nested": nest.is_nested,
        "is_tensor_like": is_tensor_like, "key_of": key_of, "other": _other,
    })  # fmt: skip
    positional, keyword = pattern
    flat: dict[int, str] = {}

    def constant(value: Any, at: str) -> list[str]:
        same = f"{at} is {source.name('c', value)}"
        if value is None or value.__class__ is DType:
            return [same]
        return [f"({same} or key_of({at}, other) == {source.name('k', key_of(value, _other))})"]

    def taken(hole: Hole, at: str) -> list[str]:
        flat[hole.index] = at
        if hole.index >= count:
            return [f"({at}.__class__ in SIMPLE or is_plain({at}, T))"]
        if nested:
            return [f"({at}.__class__ is E or not is_nested({at}))"]
        return [f"({at}.__class__ is E or is_tensor_like({at}, T))"] if hole.index >= len(positional) else []

    tests = [
        *structure_tests(source, tout, "tout", constant, True),
        *structure_tests(source, shapes, "shapes", constant, True),
        *structure_tests(source, positional, "inp", taken, True),
        "copy" if copy else "not copy",
        "nested" if nested else "not nested",
    ]
    if keyword:
        tests += structure_tests(source, keyword, "kwargs", taken, True)
    else:
        tests.append("(kwargs is None or kwargs == {})")
    flat_already = not keyword and all([part.__class__ is Hole for part in positional])
    leaves = "inp" if flat_already else f"[{', '.join([flat[i] for i in sorted(flat)])}]"
    with source.block("def takes(inp, tout, kwargs, shapes, copy, nested):"):
        source.write(f"return {leaves} if {' and '.join(tests)} else None")
    return source.function("takes", _FILE)


# ---------------------------------------------------------------- source


class _EagerCallWriter:
    """Generates the code of an eager call: a function of (entry, function, values, state before, state).

    Args:
      op: the op that the call would be in a graph.
      outputs: the declared result.
      count: the number of flat inputs.
      objects: the number of plain objects, whose values follow the inputs.
      template: the arguments, with holes for inputs and objects; None if every input is one argument.
      copy: whether the function gets memory of its own.
    """

    def __init__(
        self, op: OpDef, outputs: Outputs, count: int, objects: int, template: Template | None, copy: bool
    ) -> None:
        self.op, self.outputs, self.count, self.objects = op, outputs, count, objects
        mode = Mode.EAGER if op.scheduling.on_tensors else Mode.NUMPY
        if mode is Mode.NUMPY:
            declare.refuse_composite_outputs(outputs, op.name)
        self.host = HostFunction(_nothing, mode, outputs, op.effect, "", _NOWHERE, template, None, copy)
        self.source = Source({
            **ownership.NAMES, "E": EagerTensor, "State": context.State, "set_state": _set_state,
            "PASS_THROUGH": errors.PASS_THROUGH, "explain": self._explain, "long_way": self._long_way,
        })  # fmt: skip

    def function(self) -> Callable[..., Any]:
        """The generated function."""
        source, write = self.source, self.source.write
        lends = self.host.mode is Mode.EAGER and not self.host.copy
        called = f"{source.name('lending', lending)}(function)" if lends else "function"
        call = CallWriter(self.host, tuple([leaf.dims for leaf in self.outputs.leaves]), called, "long_way(K)", source)
        inputs = [f"t{i}" for i in range(self.count + self.objects)]
        tensors = inputs[: self.count]
        with source.block("def call(K, function, inputs, before, state, A=A, E=E, ref=ref):"):
            write(*([f"{', '.join(inputs)}, = inputs"] if inputs else []))
            arguments, values = self._arguments(call, inputs)
            with source.block("try:"):
                call.run(arguments, ())
                call.accept(values)
            write("except PASS_THROUGH: raise")
            with source.block("except BaseException as error:"):
                write(
                    f"raised = explain(K, function, error, [{', '.join(tensors)}])",
                    "raise raised from raised.__cause__",
                )
            write("finally: set_state(before)")
            self._results(tensors, call.into)
            write(f"return {call.packed(call.into)}")
        return source.function("call", _FILE)

    def _arguments(self, call: CallWriter, inputs: Sequence[str]) -> tuple[list[str], list[str]]:
        """Generates the conversion of inputs to arguments, and sets the state of the body.

        Returns:
          Source of the arguments, and the variables of the arrays that they are made of.
        """
        write, name, arguments, values = self.source.write, self.source.name, list(inputs), []
        arrays = self.host.mode is Mode.NUMPY
        convert = name("input", (_array if self.host.copy else _own_array) if arrays else _tensor)
        for i, t in enumerate(inputs[: self.count]):
            if arrays:
                write(f"v{i} = {t}._value if {t}.__class__ is E and {t}._dtype._kind not in 'rv' else {convert}({t})")
                arguments[i] = call.argument(f"v{i}")
                values.append(f"v{i}")
            else:
                write(f"if {t}.__class__ is not E: {t} = {convert}({t})")
        recorded = "State(tapes=state.tapes, host=K.label) if state.tapes else K.state"
        write(f"set_state({'K.state' if arrays else recorded})")
        return arguments, values

    def _results(self, tensors: Sequence[str], into: Sequence[str]) -> None:
        """Generates the conversion of results to tensors, and their recording by the tapes in force."""
        write, name = self.source.write, self.source.name
        arrays = self.host.mode is Mode.NUMPY
        if arrays:
            write(
                *(f"{r} = E({r}, {name('o', leaf.dtype)})" for r, leaf in zip(into, self.outputs.leaves, strict=True))
            )
        recorded = f"{name('recorded', _record_arrays if arrays else taped.boundary)}({name('op', self.op)}, "
        recorded += f"[{', '.join(tensors)}], [{', '.join(into)}], state)"
        write(f"if state.tapes: {''.join(f'{r}, ' for r in into)}{'= ' if into else ''}{recorded}")

    def _long_way(self, entry: DispatchEntry) -> HostCall:
        """The call of a function that accepts a result which the generated code does not recognize."""
        if len(entry.calls) >= 8:
            entry.calls.clear()
        call = entry.calls.get(self)
        if call is None:
            host = replace(self.host, label=entry.label)
            call = entry.calls[self] = HostCall(host, self.op.name, self.op.name)
        return call

    def _explain(self, entry: DispatchEntry, func: Any, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """The exception that the caller sees."""
        if isinstance(error, TypeError) and self.host.template is None:
            try:
                check_arity(func, self.count)  # its defaults may have changed since it was checked
            except errors.OpError as refused:
                return refused
        host = replace(self.host, fn=func, label=entry.label, site=caller())
        call = HostCall(host, self.op.name, self.op.name)
        return call.explain(error, [_tensor(t) for t in inputs])


_FILE = f"{__file__} (call)"  # within the package, so that user tracebacks leave it out


def _nothing(*_: Any) -> Any:
    """The placeholder for the function in a declaration."""


def _tensor(value: Any) -> EagerTensor:
    """An input as a tensor."""
    if isinstance(value, EagerTensor):
        return value
    if (
        value.__class__ is np.ndarray
        and value.ndim
        and (dtype := FROM_NUMPY.get(value.dtype, dtypes.string)) is not dtypes.string
    ):
        return EagerTensor(value.copy(), dtype)
    if not isinstance(value, _VALUES) and emit.graph_of((value,)) is not None:
        raise NotSpecialized
    if isinstance(value, Composite) and not hasattr(value, "__tf_tensor__"):
        raise NotSpecialized
    try:
        tensor = constant_eager(value) if isinstance(value, _VALUES) else convert_to_tensor(value)
    except (TypeError, ValueError):
        raise NotSpecialized from None
    return tensor  # type: ignore[return-value]


_VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def _array(value: Any) -> Any:
    """An input as a runtime value; the function receives a copy of it."""
    if value.__class__ is np.ndarray and value.dtype in FROM_NUMPY and value.dtype.kind != "O":
        return value
    if value.__class__ is float:
        return np.float32(value)
    tensor = _tensor(value)
    if tensor._dtype._kind in "rv":
        raise NotSpecialized
    return tensor._value


def _own_array(value: Any) -> Any:
    """An input as a runtime value; the function receives a view of it."""
    return _array(_tensor(value))


def _record_arrays(
    op: OpDef, inputs: Sequence[Any], outputs: Sequence[EagerTensor], state: context.State
) -> Sequence[EagerTensor]:
    """Records a function of NumPy arrays, through which no gradient flows, on the tapes in force."""
    record_operation(op, tuple([_tensor(t) for t in inputs]), tuple(outputs), {}, state)
    return outputs
