"""The ops behind the family: three kinds of host call, and the pullback of one execution.

`Pullback(handle, primals..., cotangents...)` consumes the pullback that a recorded step left in its slot. The
primals are inputs so that the graph shows what the derivative depends on; its own pullback gives the next order.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import tensor_of, value_of
from inlay._src.core.eager.convert import symbolic
from inlay._src.core.eager.tape import DirectPullback, Recording
from inlay._src.core.hints import Scheduling
from inlay._src.core.opdef import OPS, Effect, OpDef, Role, no_kernel
from inlay._src.core.signature import Signature
from inlay._src.core.state import handle_key
from inlay._src.core.tables import Reference
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO
from inlay._src.engine.autodiff.backward import pull, pull_recorded, zeros_of
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.host import steps
from inlay._src.host.gradient import user_gradient, warn_lost
from inlay._src.host.record import Mode
from inlay._src.host.remote_call import host_call


def through_pullback(op: Any, *grads: Any, connected: Container[int] | None = None) -> list[Any]:
    """The gradient of any node that can leave a pullback: a `Pullback` node that consumes it.

    Args:
      op: the node.
      *grads: cotangents of its outputs, None where there is none.
      connected: the numbers of the inputs that these outputs depend on; None is all.

    Returns:
      One cotangent per input; None for inputs that have no derivative.
    """
    arriving = [i for i, g in enumerate(grads) if g is not None]
    specs = [_cotangent_spec(t) if connected is None or i in connected else None for i, t in enumerate(op.inputs)]
    wanted = tuple(i for i, s in enumerate(specs) if s is not None)
    out: list[Any] = [None] * len(op.inputs)
    if not wanted or not arriving:
        return out
    graph: Any = context.current().graph or op.graph  # that of a body, where it differentiates what encloses it
    handle = op.graph.get_operation_by_name(op.name).pullback()
    taken = tuple(symbolic(t, graph) for t in (handle, *op.inputs, *(grads[i] for i in arriving)))
    attrs = {
        "primals": len(op.inputs),
        "given": tuple(arriving),
        "wanted": wanted,
        "outputs": len(op.outputs),
        "label": op.host.label if op.host is not None else None,
    }
    node = graph.add(
        OPS["Pullback"],
        taken,
        attrs,
        [specs[i][0] for i in wanted],  # type: ignore[index]
        [specs[i][1] for i in wanted],  # type: ignore[index]
        op.type,
    )
    for k, i in enumerate(wanted):
        out[i] = node.outputs[k]
    return out


def _cotangent_spec(tensor: Any) -> tuple[Any, Any] | None:
    """The dtype and shape of an input's cotangent; None if it has none. A variable's handle stands for its value."""
    if tensor.dtype is dtypes.resource:
        key = handle_key(tensor)
        return (
            None
            if key is None or not isinstance(key.dtype, dtypes.DType) or not key.dtype.is_trainable
            else (key.dtype, key.dims)
        )
    if tensor.dtype is dtypes.variant:  # a list of tensors: its cotangent is a list
        return dtypes.variant, ()
    return (tensor.dtype, tensor._dims) if tensor.dtype.is_trainable else None


def _host_vjp(op: Any, *grads: Any) -> list[Any]:
    host = op.host
    if host is None:  # recorded by a tape: a call with a gradient of any kind brings its own pullback
        return [None] * len(op.inputs)
    if host.grad is not None:
        return user_gradient(host, op.inputs, op.outputs, grads)
    if host.mode is Mode.NUMPY:
        return [None] * len(op.inputs)
    return through_pullback(op, *grads)


def _bind_host(step: Step, tables: Any) -> StepCall:
    host = tables.referred(Reference("host_functions", step.token or ""))
    call = host_call(host, step.name, step.op, step.promised)
    return steps.bound(call, step.pullback, step.in_dtypes)


def _host_op(name: str, effect: Effect, doc: str, on_tensors: bool = False) -> OpDef:
    OPS[name] = opdef = OpDef(
        name, no_kernel, Signature(variadic_out=True), effect=effect, vjp=_host_vjp,
        scheduling=Scheduling(bind=_bind_host, on_tensors=on_tensors), doc=doc,
    )  # fmt: skip
    return opdef


PY_FUNC = _host_op("PyFunc", Effect.STATEFUL, "Calls a Python function on NumPy arrays.")
PY_FUNC_STATELESS = _host_op("PyFuncStateless", Effect.PURE, "Calls a pure Python function on NumPy arrays.")
EAGER_PY_FUNC = _host_op("EagerPyFunc", Effect.STATEFUL, "Calls a Python function on eager tensors.", True)


class _PullbackCall(StepCall):
    """The step of a `Pullback` node.

    Attributes:
      attrs: the node's.
      dtypes: the dtypes of its inputs.
      keep: whether the pullback of the pull is asked for too, as a last result.
      read: the results that somebody reads; the others are left out (None).
      sources: the primals they are the cotangents of.
    """

    __slots__ = ("attrs", "dtypes", "keep", "read", "sources")

    def __init__(self, step: Step, tables: Any) -> None:
        self.attrs, self.dtypes, self.keep, self.read = step.attrs, step.in_dtypes, step.pullback, step.read
        self.sources = tuple(self.attrs["wanted"][k] for k in self.read)

    def __call__(self, handle: Recording | DirectPullback, *inputs: Any) -> list[Any]:
        attrs, kinds = self.attrs, self.dtypes[1:]
        if isinstance(handle, DirectPullback):
            cotangents = dict(zip(attrs["given"], inputs[attrs["primals"] :], strict=True))
            results: list[Any] = [None] * len(attrs["wanted"])
            for k, value in zip(self.read, handle.pulled(cotangents, self.sources), strict=True):
                results[k] = value
            return results
        if self.keep:
            results = self.recorded([handle, *map(tensor_of, inputs, kinds)])
            return [value_of(r) if isinstance(r, EagerTensor) else r for r in results]
        start = attrs["primals"]
        seeds: list[Any] = [None] * attrs["outputs"]
        for k, i in enumerate(attrs["given"], start):
            seeds[i] = tensor_of(inputs[k], kinds[k])
        own = handle.inputs
        sources = [own[i] if i < len(own) else handle.source(i, tensor_of(inputs[i], kinds[i])) for i in self.sources]
        grads = pull(handle, seeds, sources)
        out: list[Any] = [None] * len(attrs["wanted"])
        for j, k in enumerate(self.read):
            grad = grads[j]
            if grad is None or grad is IMPLICIT_ZERO:
                grad = zeros_of(sources[j])
            out[k] = value_of(grad) if isinstance(grad, EagerTensor) else grad
        self._warn_if_lost(handle, seeds)
        return out

    def _warn_if_lost(self, handle: Recording, seeds: Sequence[Any]) -> None:
        if self.attrs["label"] is not None and any(seeds[i] is not None for i in handle.unrecorded):
            warn_lost(self.attrs["label"])

    def recorded(self, tensors: Sequence[Any]) -> list[Any]:
        """The step on eager tensors: cotangents of the wanted primals, and the pullback of the pull if `keep`."""
        attrs = self.attrs
        handle: Recording = tensors[0]._value if isinstance(tensors[0], EagerTensor) else tensors[0]
        primals, cotangents = tensors[1 : 1 + attrs["primals"]], tensors[1 + attrs["primals"] :]
        seeds: list[Any] = [None] * attrs["outputs"]
        for i, tensor in zip(attrs["given"], cotangents, strict=True):
            seeds[i] = tensor
        every = [handle.source(i, primal) for i, primal in enumerate(primals)]
        sources = [every[i] for i in attrs["wanted"]]
        self._warn_if_lost(handle, seeds)
        if self.keep:
            grads, nested = pull_recorded(handle, seeds, sources, every)
            return [*grads, nested]
        cotangents = pull(handle, seeds, sources)
        return [zeros_of(t) if g is None or g is IMPLICIT_ZERO else g for g, t in zip(cotangents, sources, strict=True)]


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
    no_kernel,
    Signature(variadic_out=True),
    effect=Effect.READS,
    role=Role.PULLBACK,
    vjp=_pullback_vjp,
    scheduling=Scheduling(bind=_PullbackCall, calls_users=True, anywhere_from=0),
    doc="Applies the pullback of one execution to cotangents.",
)
OPS["Pullback"] = PULLBACK
