"""The short way of an eager call: positional eager tensors in, one dense tensor out, nothing else asked for.

What does not change between calls of one function object (its checks, its label, the declared dtype) is kept beside a
weak reference to it, so nothing keeps a function alive. Every argument and result is still checked; whatever is not
plain takes the long way (`api.stage`), which also words every error.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from inlay import errors
from inlay.core import context
from inlay.core.opdef import OPS, Effect
from inlay.core.site import caller, of_function
from inlay.core.tensor import EagerTensor
from inlay.eager.tape import record_operation
from inlay.host import call, convert, declare
from inlay.host.records import Form, HostFunction, Leaf, Mode, Outputs
from inlay.interpreter.ownership import FLAGS_ARRAY, FLAGS_VECTOR, LOCAL, getrefcount
from inlay.types.dtypes import DType, resource, string, variant

ndarray = np.ndarray
ref = weakref.ref
LONG_WAY: Any = object()
"""What `run` returns where the call is not plain."""


class _Known:
    """What is known of a function object that was called before."""

    __slots__ = ("count", "label", "mode", "numpy", "op", "scalar", "state", "tout")

    def __init__(self, func: Any, mode: Mode, tout: DType, count: int) -> None:
        self.mode, self.tout, self.count = mode, tout, count
        self.numpy, self.scalar = tout.np, tout.np.type
        self.op = OPS["EagerPyFunc" if mode is Mode.EAGER else "PyFunc"]
        self.label = of_function(func)
        self.state = context.State(host=self.label)


_KNOWN: dict[Any, _Known] = {}


def _learn(func: Any, mode: Mode, tout: Any, count: int) -> _Known | None:
    if tout.__class__ is not DType or tout in (string, resource, variant) or tout.is_quantized:
        return None
    declare.checked_callable(func)
    declare.checked_arity(func, count)
    try:
        reference = weakref.ref(func, _forget)
        hash(func)
    except TypeError:  # no weak references (bound methods of slotted objects, built-in functions), or not hashable
        return None
    known = _KNOWN[reference] = _Known(func, mode, tout, count)
    return known


def _forget(reference: Any) -> None:
    _KNOWN.pop(reference, None)


def run(func: Any, inp: Any, tout: Any, mode: Mode) -> Any:
    """One eager call, or LONG_WAY.

    Args:
      func, inp, tout: as in `py_function`.
      mode: what the function receives.
    """
    before = context.get()
    state = before if before is not None else context.base()
    if not state.eager or inp.__class__ is not list:
        return LONG_WAY
    for t in inp:
        if t.__class__ is not EagerTensor or t._dtype._kind in "rv":
            return LONG_WAY
    try:
        known = _KNOWN.get(ref(func))
    except TypeError:
        return LONG_WAY
    if known is None or known.tout is not tout or known.mode is not mode or known.count != len(inp):
        known = _learn(func, mode, tout, len(inp))
        if known is None:
            return LONG_WAY
    if mode is Mode.NUMPY:
        return _numpy(known, func, inp, before, state)
    return _eager(known, func, inp, before, state)


def _numpy(known: _Known, func: Any, inp: list[EagerTensor], before: Any, state: context.State) -> Any:
    context.set_state(known.state)
    try:
        if known.count == 1:
            v = inp[0]._value
            if v.__class__ is ndarray:
                v = v.copy() if v.ndim else v[()]
            r = func(v)
            v = None  # so that a result that is the argument is seen to be nobody else's
        else:
            r = func(*[convert.numpy_argument(t._value) for t in inp])
        if (
            r.__class__ is ndarray and r.dtype is known.numpy and getrefcount(r) == LOCAL
            and r.flags.num in (FLAGS_VECTOR, FLAGS_ARRAY) and r.ndim
        ) or r.__class__ is known.scalar:  # fmt: skip
            pass
        else:
            box = [r]
            del r
            r = call.finished(_host(known, func), _where(known), box)[0]
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        raise _failure(known, func, inp, error) from call.cause(error)
    finally:
        context.set_state(before)
    out = EagerTensor(r, known.tout)
    if state.tapes:
        record_operation(known.op, tuple(inp), (out,), {}, state)
    return out


def _eager(known: _Known, func: Any, inp: list[EagerTensor], before: Any, state: context.State) -> Any:
    tapes = state.tapes
    context.set_state(context.State(tapes=tapes, host=known.label) if tapes else known.state)
    try:
        r = func(*inp)
        if not (r.__class__ is EagerTensor and r._dtype is known.tout):
            box = [r]
            del r
            r = call.finished_eager(_host(known, func), _where(known), box)[0]
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        raise _failure(known, func, inp, error) from call.cause(error)
    finally:
        context.set_state(before)
    return call.boundary(known.op.name, inp, [r], state)[0] if tapes else r


def _host(known: _Known, func: Any) -> HostFunction:
    """The record of this call, made where a message or the long check needs it."""
    outputs = Outputs(Form.SINGLE, (Leaf(known.tout, None),), known.tout)
    return HostFunction(func, known.mode, outputs, Effect.STATEFUL, known.label, caller())


def _where(known: _Known) -> call.Where:
    return call.Where(known.op.name, known.op.name, (None,))


def _failure(known: _Known, func: Any, inp: list[EagerTensor], error: BaseException) -> BaseException:
    return call.failure(_host(known, func), _where(known), inp, error)
