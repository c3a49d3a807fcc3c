"""Calls of the family that run at once: from a cache of written calls.

    function ──▶ known: label, checks that it passed      kept beside a weak reference, or in a bounded cache
    declaration ──▶ written call (`host.source`)          one for all functions that are declared alike
                        │
    inputs ─────────────┴──▶ tensors of the results

A declaration is all that the source depends on: the op, `Tout`, shapes, `copy`, and how inputs are nested. The source
looks at the inputs themselves: eager tensors pass, NumPy arrays and Python values become tensors on their way. What is
not written (composite values, symbolic inputs, shape rules, device scopes, a gradient of the user's under a tape) takes
the long way: `api.stage`, which also words what is wrong with a declaration.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import context
from inlay.core.opdef import OpDef
from inlay.core.site import ORIGINAL, Site, as_written, caller, of_function
from inlay.core.tensor import EagerTensor, constant_eager
from inlay.eager import emit
from inlay.eager.convert import convert_to_tensor
from inlay.eager.tape import record_operation
from inlay.host import declare, taped
from inlay.host.call import HostCall
from inlay.host.records import HostFunction, Mode, Outputs
from inlay.host.source import CallWriter
from inlay.interpreter import ownership
from inlay.interpreter.caches import Cache
from inlay.interpreter.source import Source
from inlay.types import nest
from inlay.types.dtypes import FROM_NUMPY, DType
from inlay.types.keys import key_of
from inlay.types.nest import Composite
from inlay.types.template import Hole, Template

LONG_WAY: Any = object()
"""What `run` returns where the call is not written."""
_NOWHERE = Site("", 0, "")
_get, _base, _set_state = context.get, context.base, context.set_state


class _LongWay(Exception):
    """An input or a declaration that is not written."""


class _Known:
    """What is known of a function that was called before.

    Attributes:
      held: gives the function while it lives; of a function of Python, its code; of a bound method, its object.
      function: of a bound method, gives its function while that lives.
      code: its code when it was checked; None if that is what is held, or it has none.
      name: its qualified name then.
      label, state: its name and place, and the state in which its body runs.
      fits: the numbers of arguments, and names of keyword arguments, that it was found to take.
      last: `Tout`, op and number of inputs of its last plain call, and what is written for that.
      calls: the long way of its calls, by what is written.
    """

    __slots__ = ("calls", "code", "fits", "function", "held", "label", "last", "name", "state")

    def __init__(self, func: Any, held: Callable[[], Any], function: Any = None, code: Any = None) -> None:
        self.held, self.function, self.code = held, function, code
        self.name = getattr(func, "__qualname__", None)
        self.label = of_function(func)
        self.state = context.State(host=self.label)
        self.fits: tuple[Any, ...] = ()
        self.calls: dict[Any, HostCall] | None = None
        self.last: tuple[Any, OpDef | None, int, Any] = (None, None, -1, None)


_KNOWN: Cache[Any, _Known] = Cache("functions called eagerly", 4096)
"""By identity: of a function of Python that of its code, so that one made anew at each call is known; of a bound method
those of its object and its function; of others their own. Entries die with these."""
_HELD: Cache[Any, _Known] = Cache("functions called eagerly that cannot be referred to weakly", 256)
"""By identity, as above; methods of built-in objects by equality. The functions live as long as their entries."""


def known_of(func: Any) -> _Known | None:
    """What is known of a function, from now on at the latest; None where AutoGraph converted it.

    Raises:
      ValueError: if it is no function that can be called.
    """
    kind, owner, code = func.__class__, func, None
    if kind is FunctionType:
        if hasattr(func, ORIGINAL) and as_written(func) is not func:
            return None
        if func.__dict__:  # it may wrap another function, which is checked
            code = func.__code__
        else:
            owner = func.__code__
    elif kind is MethodType:
        return _method(func)
    declare.checked_callable(func)
    key = id(owner)
    if kind is not BuiltinFunctionType:  # of which those of built-in objects are made anew at every look
        try:
            _KNOWN[key] = made = _Known(func, weakref.ref(owner, _forgets(key)), code=code)
            return made
        except TypeError:  # ufuncs, objects with slots
            pass
    _HELD[func if kind is BuiltinFunctionType else key] = made = _Known(func, lambda: func)
    return made


def _method(func: MethodType) -> _Known:
    """What is known of a bound method from now on: of its object and its function, as it is made anew at every look."""
    declare.checked_callable(func)
    owner, function = func.__self__, func.__func__
    key, code = (id(owner), id(function)), getattr(function, "__code__", None)
    try:
        _KNOWN[key] = made = _Known(func, weakref.ref(owner, _forgets(key)), weakref.ref(function), code)
    except TypeError:  # one of them cannot be referred to weakly
        _HELD[key] = made = _Known(func, lambda: owner, lambda: function, code)
    return made


def _met(func: Any) -> _Known | None:
    """What is known of a function that was called before; None if it is another one, or another by now."""
    kind = func.__class__
    if kind is FunctionType:
        code = func.__code__
        if func.__dict__:
            found = _KNOWN.get(id(func))
            return found if found is not None and found.held() is func and found.code is code else None
        found = _KNOWN.get(id(code))
        return found if found is not None and found.held() is code and found.name is func.__qualname__ else None
    if kind is MethodType:
        owner, function = func.__self__, func.__func__
        key = id(owner), id(function)
        found = _KNOWN.get(key) or _HELD.get(key)
        if found is None or found.held() is not owner or found.function() is not function:
            return None
        return found if found.code is getattr(function, "__code__", None) else None
    if kind is BuiltinFunctionType:
        return _HELD.get(func)
    found = _KNOWN.get(id(func)) or _HELD.get(id(func))
    return found if found is not None and found.held() is func else None


def _forgets(key: Any) -> Callable[[Any], None]:
    """What drops the entry of a function that died."""

    def forget(gone: Any) -> None:
        found = _KNOWN.get(key)
        if found is not None and found.held is gone:
            _KNOWN.pop(key, None)

    return forget


def run(func: Any, inp: Any, tout: Any, op: OpDef, more: tuple[Any, ...] | None = None) -> Any:
    """One eager call, or LONG_WAY.

    Args:
      func, inp, tout: as in `py_function`.
      op: the op that the call would be in a graph.
      more: (kwargs, output_shapes, grad, copy, whether inputs are nested as in contrib) where one is not as usual.
    """
    before = _get()
    state = before if before is not None else _base()
    if not state.eager:
        return LONG_WAY
    known = _met(func)
    if known is not None and more is None and inp.__class__ is list:
        like, by, count, call = known.last
        if by is op and count == len(inp) and (like is tout or (tout.__class__ is list and like == tout)):
            try:
                return call(known, func, inp, before, state)
            except _LongWay:
                return LONG_WAY
    try:
        if known is None:
            known = known_of(func)
        if known is None:
            return run(as_written(func), inp, tout, op, more)
        call, leaves = _written(known, func, inp, tout, op, more, state)
    except (_LongWay, TypeError, ValueError, errors.OpError):  # the long way says what is wrong
        return LONG_WAY
    try:
        return call(known, func, leaves, before, state)
    except _LongWay:
        return LONG_WAY


# ---------------------------------------------------------------- declarations

_WRITTEN: Cache[Any, Callable[..., Any]] = Cache("host calls written for eager code", 1024)
_TENSOR, _PLAIN = "tensor", "plain"  # what stands in the key of nested inputs for one that is flat
_USUAL = (None, None, None, True, False)


def _written(
    known: _Known, func: Any, inp: Any, tout: Any, op: OpDef, more: tuple[Any, ...] | None, state: context.State
) -> tuple[Callable[..., Any], Sequence[Any]]:
    """What is written for a declaration, and the flat inputs that it takes."""
    if inp.__class__ is not list and inp.__class__ is not tuple:
        raise _LongWay
    count = len(inp)
    kwargs, output_shapes, grad, copy, nested = more or _USUAL
    if more is None:
        leaves, inputs = inp, count
    else:
        if grad is not None and (state.tapes or not callable(grad)):
            raise _LongWay
        if output_shapes.__class__ is str or not (kwargs is None or kwargs.__class__ is dict):
            raise _LongWay  # "infer", or something odd
        leaves, inputs = _flat(inp, kwargs, nested)
    if more is None and tout.__class__ is DType:
        key: tuple[Any, ...] = (op, tout, inputs)
    else:
        key = (op, key_of(tout, _other), inputs, key_of(output_shapes, _other), bool(copy), nested)
    call = _WRITTEN.get(key)
    if call is None:
        outputs = (declare.nested_outputs if nested else declare.outputs_of)(tout, op.name, output_shapes)
        template, plain = (None, frozenset()) if more is None else _template(inputs)
        call = _WRITTEN[key] = _Writer(op, outputs, len(leaves), template, plain, copy).function()
    fit = (count, tuple(kwargs)) if kwargs else count
    if fit not in known.fits and not nested:
        declare.checked_arity(func, count, kwargs)
        known.fits = (*known.fits[-8:], fit)
    if more is None and inp.__class__ is list and _immutable(tout):
        known.last = (tout[:] if tout.__class__ is list else tout), op, count, call
    return call, leaves


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
        raise _LongWay  # a shape rule
    return value


def _flat(inp: Sequence[Any], kwargs: Any, nested: bool) -> tuple[list[Any], Any]:
    """The flat inputs of a call, and a key of how they are nested: see `declare.flatten_inputs`."""
    leaves: list[Any] = []
    if nested:
        args = tuple([_nested(value, leaves, True) for value in inp])
        return leaves, (args, tuple([(name, _nested(kwargs[name], leaves, True)) for name in sorted(kwargs)]))
    leaves += inp
    named = []
    for name, value in kwargs.items() if kwargs else ():
        if name.__class__ is not str:
            raise _LongWay
        start = len(leaves)
        key = _nested(value, leaves, False)
        if not _has_tensor(key):
            key, leaves[start:] = _PLAIN, [value]  # no tensor in it: it is passed as it is
        named.append((name, key))
    return leaves, ((_TENSOR,) * len(inp), tuple(named))


def _nested(value: Any, leaves: list[Any], every: bool) -> Any:
    """Takes the leaves of an input out; returns the key of its structure. With `every`, all leaves become tensors."""
    kind = value.__class__
    if nest.is_nested(value):
        if kind not in (list, tuple, dict) and not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
            raise _LongWay
        children = tuple([_nested(child, leaves, every) for _, child in nest._items(value)])
        return kind, tuple(value) if kind is dict else None, children
    if isinstance(value, Composite):
        raise _LongWay
    leaves.append(value)
    return _TENSOR if every or kind is EagerTensor or declare.is_tensor_like(value) else _PLAIN


def _has_tensor(key: Any) -> bool:
    return key is _TENSOR or (key is not _PLAIN and any(map(_has_tensor, key[2])))


def _template(key: Any) -> tuple[Template | None, frozenset[int]]:
    """What puts flat inputs together again, from the key of their structure; and which of them are no tensors."""
    plain: set[int] = set()
    numbers = iter(range(1 << 30))

    def part(key: Any) -> Any:
        if key is _TENSOR or key is _PLAIN:
            number = next(numbers)
            if key is _PLAIN:
                plain.add(number)
            return Hole(number)
        kind, names, children = key
        parts = [part(child) for child in children]
        if kind is dict:
            by_name = dict(zip(sorted(names), parts, strict=True))
            return {name: by_name[name] for name in names}
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)

    args, named = key
    template = Template((tuple([part(k) for k in args]), {name: part(k) for name, k in named}))
    return (None if not named and set(args) <= {_TENSOR} else template), frozenset(plain)


# ---------------------------------------------------------------- source


class _Writer:
    """Writes a call for one declaration, as a function of (what is known of the function, function, inputs, states)."""

    def __init__(
        self, op: OpDef, outputs: Outputs, count: int, template: Template | None, plain: frozenset[int], copy: bool
    ) -> None:
        self.op, self.outputs, self.count, self.plain = op, outputs, count, plain
        mode = Mode.EAGER if op.on_tensors else Mode.NUMPY
        if mode is Mode.NUMPY:
            declare.refuse_composites(template, outputs, op.name)
        self.host = HostFunction(_nothing, mode, outputs, op.effect, "", _NOWHERE, template, None, bool(copy))
        self.declared = tuple(leaf.dims for leaf in outputs.leaves)
        self.source = Source({
            **ownership.NAMES, "E": EagerTensor, "State": context.State, "set_state": _set_state,
            "PASS_THROUGH": errors.PASS_THROUGH, "explain": self._explain, "long_way": self._long_way,
        })  # fmt: skip

    def function(self) -> Callable[..., Any]:
        """The written call."""
        source, write = self.source, self.source.write
        call = CallWriter(self.host, self.declared, "function", "long_way(K)", source)
        inputs = [f"t{i}" for i in range(self.count)]
        tensors = [t for i, t in enumerate(inputs) if i not in self.plain]
        with source.block("def call(K, function, inputs, before, state, A=A, E=E, ref=ref):"):
            write(*([f"{', '.join(inputs)}, = inputs"] if inputs else []))
            arguments = self._arguments(call, inputs)
            with source.block("try:"):
                call.run(arguments, ())
                call.accept()
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

    def _arguments(self, call: CallWriter, inputs: Sequence[str]) -> list[str]:
        """Writes what makes arguments of the inputs, and sets the state of the body; gives source of the arguments."""
        write, name, arguments = self.source.write, self.source.name, []
        arrays = self.host.mode is Mode.NUMPY
        made = name("input", (_array if self.host.copy else _own_array) if arrays else _tensor)
        for i, t in enumerate(inputs):
            if i in self.plain:
                arguments.append(t)
            elif arrays:
                write(f"v{i} = {t}._value if {t}.__class__ is E and {t}._dtype._kind not in 'rv' else {made}({t})")
                arguments.append(call.argument(f"v{i}"))
            else:
                write(f"if {t}.__class__ is not E: {t} = {made}({t})")
                arguments.append(t)
        recorded = "State(tapes=state.tapes, host=K.label) if state.tapes else K.state"
        write(f"set_state({'K.state' if arrays else recorded})")
        return arguments

    def _results(self, tensors: Sequence[str], into: Sequence[str]) -> None:
        """Writes what makes tensors of the results, and tells the tapes in force."""
        write, name = self.source.write, self.source.name
        arrays = self.host.mode is Mode.NUMPY
        if arrays:
            write(
                *(f"{r} = E({r}, {name('o', leaf.dtype)})" for r, leaf in zip(into, self.outputs.leaves, strict=True))
            )
        recorded = f"{name('recorded', _record_arrays if arrays else taped.boundary)}({name('op', self.op)}, "
        recorded += f"[{', '.join(tensors)}], [{', '.join(into)}], state)"
        write(f"if state.tapes: {''.join(f'{r}, ' for r in into)}{'= ' if into else ''}{recorded}")

    def _long_way(self, known: _Known) -> HostCall:
        """The call of a known function where its result is not what the written test takes."""
        if known.calls is None or len(known.calls) >= 8:
            known.calls = {}
        found = known.calls.get(self)
        if found is None:
            host = replace(self.host, label=known.label)
            found = known.calls[self] = HostCall(host, self.op.name, self.op.name, self.declared)
        return found

    def _explain(self, known: _Known, func: Any, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """What the caller sees of an error."""
        if isinstance(error, TypeError) and self.host.template is None:
            try:
                declare.checked_arity(func, self.count)  # its defaults may have changed since it was checked
            except errors.OpError as refused:
                return refused
        host = replace(self.host, fn=func, label=known.label, site=caller())
        call = HostCall(host, self.op.name, self.op.name, self.declared)
        return call.explain(error, [_tensor(t) for t in inputs])


_FILE = f"{__file__} (call)"  # within the package, so that user tracebacks leave it out


def _nothing(*_: Any) -> Any:
    """Stands for the function in a declaration."""


def _tensor(value: Any) -> EagerTensor:
    """An input as a tensor."""
    if isinstance(value, EagerTensor):
        return value
    if not isinstance(value, _VALUES) and emit.graph_of((value,)) is not None:
        raise _LongWay
    if isinstance(value, Composite) and not hasattr(value, "__tf_tensor__"):
        raise _LongWay
    try:
        made = constant_eager(value) if isinstance(value, _VALUES) else convert_to_tensor(value)
    except (TypeError, ValueError):
        raise _LongWay from None
    return made  # type: ignore[return-value]


_VALUES = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def _array(value: Any) -> Any:
    """An input as a runtime value, of which the function gets a copy."""
    if value.__class__ is np.ndarray and value.dtype in FROM_NUMPY and value.dtype.kind != "O":
        return value
    if value.__class__ is float:
        return np.float32(value)
    tensor = _tensor(value)
    if tensor._dtype._kind in "rv":
        raise _LongWay
    return tensor._value


def _own_array(value: Any) -> Any:
    """An input as a runtime value, of which the function gets a view."""
    return _array(_tensor(value))


def _record_arrays(
    op: OpDef, inputs: Sequence[Any], outputs: Sequence[EagerTensor], state: context.State
) -> Sequence[EagerTensor]:
    """Has the tapes in force record a function of NumPy arrays, through which no gradient flows."""
    record_operation(op, tuple([_tensor(t) for t in inputs]), tuple(outputs), {}, state)
    return outputs
