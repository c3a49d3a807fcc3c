"""The ops behind the family: three kinds of host call, and the pullback of one execution.

`Pullback(handle, primals..., cotangents...)` consumes the pullback that a recorded step left in its slot. The
primals are inputs so that the graph shows what the derivative depends on; its own pullback gives the next order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay import errors
from inlay.autodiff.recording import ZERO, Recording
from inlay.core.emit import symbolic
from inlay.core.opdef import OPS, Effect, OpDef
from inlay.core.tensor import EagerTensor, SymbolicTensor
from inlay.hostcall import call
from inlay.hostcall.records import Mode


def through_pullback(op: Any, *grads: Any) -> list[Any]:
    """The gradient of any node that can leave a pullback: a `Pullback` node that consumes it.

    Args:
      op: the node.
      *grads: cotangents of its outputs, None where there is none.

    Returns:
      One cotangent per input; None for inputs that have no derivative.
    """
    given = [i for i, g in enumerate(grads) if g is not None]
    wanted = tuple(i for i, t in enumerate(op.inputs) if t.dtype.is_trainable)
    out: list[Any] = [None] * len(op.inputs)
    if not wanted or not given:
        return out
    graph = op.graph
    cotangents = tuple(symbolic(grads[i], graph) for i in given)
    handle = graph.get_operation_by_name(op.name).pullback()
    attrs = {
        "primals": len(op.inputs),
        "given": tuple(given),
        "wanted": wanted,
        "outputs": len(op.outputs),
        "label": op.host.label if op.host is not None else op.name,
    }
    node = graph.add(
        OPS["Pullback"],
        (handle, *op.inputs, *cotangents),
        attrs,
        [op.inputs[i].dtype for i in wanted],
        [op.inputs[i]._dims for i in wanted],
        op.type,
    )
    for k, i in enumerate(wanted):
        out[i] = node.outputs[k]
    return out


def _host_vjp(op: Any, *grads: Any) -> list[Any]:
    host = op.host
    if host.grad is not None:
        return call.user_gradient(host, op.inputs, op.outputs, grads)
    if host.mode is Mode.NUMPY:
        return [None] * len(op.inputs)
    return through_pullback(op, *grads)


def _bind_host(node: Any, wants_pullback: bool) -> Callable[..., Any]:
    where = call.Where(node.name, node.type, tuple(t._dims for t in node.outputs))
    bound = call.bound(node.host, where, wants_pullback)
    if node.host.mode is Mode.EAGER:
        bound.dtypes = tuple(t.dtype for t in node.inputs)
    return bound  # type: ignore[no-any-return]


def _unreachable(*_: Any, **__: Any) -> Any:
    raise errors.InternalError(None, None, "a host call has no kernel: it is bound by its plan")


def _host_op(name: str, effect: Effect, doc: str) -> OpDef:
    opdef = OpDef(name, _unreachable, (), (), variadic_out=True, effect=effect, vjp=_host_vjp, bind=_bind_host, doc=doc)
    OPS[name] = opdef
    return opdef


PY_FUNC = _host_op("PyFunc", Effect.STATEFUL, "Calls a Python function on NumPy arrays.")
PY_FUNC_STATELESS = _host_op("PyFuncStateless", Effect.PURE, "Calls a pure Python function on NumPy arrays.")
EAGER_PY_FUNC = _host_op("EagerPyFunc", Effect.STATEFUL, "Calls a Python function on eager tensors.")


class _PullbackCall:
    """The step of a `Pullback` node."""

    __slots__ = ("attrs", "dtypes", "keep")

    def __init__(self, attrs: Any, dtypes: Sequence[Any], keep: bool) -> None:
        self.attrs, self.dtypes, self.keep = attrs, tuple(dtypes), keep

    def __call__(self, handle: Recording, *inputs: Any) -> list[Any]:
        attrs = self.attrs
        given = inputs[attrs["primals"] :]
        kinds = self.dtypes[1 + attrs["primals"] :]
        seeds: list[Any] = [None] * attrs["outputs"]
        for i, value, kind in zip(attrs["given"], given, kinds, strict=True):
            seeds[i] = EagerTensor(value, kind)
        if self.keep:
            grads, nested = handle.pull_recorded(seeds, attrs["wanted"])
            return [*(g._value for g in grads), nested]
        found = handle.pull(seeds, attrs["wanted"])
        if all(g is None or g is ZERO for g in found) and handle.inputs:
            call.warn_lost(attrs["label"])
        return [_value(g, handle.inputs[i]) for g, i in zip(found, attrs["wanted"], strict=True)]


def _value(grad: Any, like: EagerTensor) -> Any:
    from inlay.ops.array import zeros_like

    return (zeros_like(like) if grad is None or grad is ZERO else grad)._value


def _bind_pullback(node: Any, wants_pullback: bool) -> Callable[..., Any]:
    return _PullbackCall(node.attrs, [t.dtype for t in node.inputs], wants_pullback)


def _pullback_vjp(op: Any, *grads: Any) -> list[Any]:
    # Inputs: the handle, the primals, the cotangents. The nested recording's inputs are primals and cotangents.
    view = _WithoutHandle(op)
    return [None, *through_pullback(view, *grads)]


class _WithoutHandle:
    """A `Pullback` node seen without its handle input."""

    __slots__ = ("_node", "inputs")

    def __init__(self, node: Any) -> None:
        self._node = node
        self.inputs: tuple[SymbolicTensor, ...] = tuple(node.inputs[1:])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


PULLBACK = OpDef(
    "Pullback",
    _unreachable,
    (),
    (),
    variadic_out=True,
    effect=Effect.READS,
    vjp=_pullback_vjp,
    bind=_bind_pullback,
    doc="Applies the pullback of one execution to cotangents.",
)
OPS["Pullback"] = PULLBACK
