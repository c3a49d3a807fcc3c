"""One call of a host function: arguments, body, checked results, errors.

    values ─▶ argument per mode ─▶ fn(*args) ─▶ items ─▶ checked leaves ─▶ values
                                     │
                                     └ an exception ─▶ errors.wrap(original, op, function, site, inputs)

`run_numpy` and `run_eager` are the two flavours; `recorded` runs an eager body under a tape and returns the
pullback as a value.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.autodiff.accumulation import IMPLICIT_ZERO
from inlay.core import context, values
from inlay.core.opdef import OPS
from inlay.core.tensor import EagerTensor
from inlay.devices import ondevice
from inlay.devices.device_tensor import KINDS, handle, sent, tensor_of, value_of
from inlay.eager.record import Record
from inlay.eager.tape import Recording, Tape, distinct, record_operation
from inlay.host import convert, declare
from inlay.host.convert import ResultError
from inlay.host.own_gradient import RefusedGradient, user_gradient
from inlay.host.records import HostFunction, Mode
from inlay.interpreter import ownership
from inlay.interpreter.source import Source
from inlay.plan.cells import Cells
from inlay.plan.plan import Step
from inlay.plan.step_call import StepCall
from inlay.types import shapes
from inlay.types.shapes import Dims


class Where:
    """What messages say about the place of a call: the op's name and type, where it was defined."""

    __slots__ = ("declared", "name", "type")

    def __init__(self, name: str, type: str, declared: tuple[Dims, ...]) -> None:
        self.name, self.type, self.declared = name, type, declared

    def text(self, host: HostFunction, args: Sequence[Any], what: str) -> str:
        """The lines below a message; `what` begins them: what the function, or its shape rule, did."""
        seen = ", ".join(values.describe(a) for a in args) or "none"
        return (
            f"  {what} {host.label}\n  called by op '{self.name}' ({self.type}), defined at {host.site}\n"
            f"  inputs: {seen}\n  [[{{{{node {self.name}}}}}]]"
        )


def failure(host: HostFunction, where: Where, args: Sequence[Any], error: BaseException) -> BaseException:
    """What the caller sees when a body raises, or a result does not fit its declaration."""
    if isinstance(error, ResultError):
        text = f"{error}\n{where.text(host, args, 'returned by function')}"
        return errors.refused(error.kind, error.python, text)
    return errors.wrap(error, where.text(host, args, "raised in function"))


def invoke(host: HostFunction, args: Sequence[Any]) -> Any:
    """Calls the function; `args` are already in its mode's form."""
    if host.template is None:
        return host.fn(*args)
    positional, keyword = host.template.fill(args)
    return host.fn(*positional, **keyword)


def run_numpy(host: HostFunction, where: Where, inputs: Sequence[Any]) -> list[Any]:
    """Runs a NumPy-mode function on runtime values; returns runtime values."""
    make = convert.numpy_argument if host.copy else convert.numpy_view
    args = [make(v) for v in inputs]
    try:
        result = invoke(host, args)
        args.clear()
        box = [result]
        del result
        out = finished(host, where, box)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        raise failure(host, where, inputs, error) from cause(error)
    if host.shape_of is not None:
        _check_rule(host, where, inputs, out)
    return out


def finished(host: HostFunction, where: Where, box: list[Any]) -> list[Any]:
    """The checked results of a NumPy-mode function as runtime values.

    Args:
      host, where: the call.
      box: a list of what the function returned; it is emptied, so that who else holds the result can be seen.

    Raises:
      ResultError: if a result does not fit its declaration.
    """
    items = convert.items_of(host, box.pop())
    out: list[Any] = []
    for i, leaf in enumerate(host.outputs.leaves):
        items[i] = convert.numpy_result(host, i, leaf, items[i])
        out.append(ownership.own(items, i))
        convert.check_shape(host, i, out[i].shape, where.declared[i])
    return out


def cause(error: BaseException) -> BaseException | None:
    """What the error that the caller sees is raised from."""
    return error.__cause__ if isinstance(error, ResultError) else error


def _check_rule(host: HostFunction, where: Where, inputs: Sequence[Any], out: Sequence[Any]) -> None:
    """Checks results against the shapes that the function's shape rule computes from those of the inputs."""
    try:
        promised = declare.computed(host, [shapes.from_dims(np.shape(v)) for v in inputs])
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        raise errors.wrap(error, where.text(host, inputs, "raised in output_shapes of function")) from error
    try:
        for i, (value, dims) in enumerate(zip(out, promised, strict=True)):
            convert.check_shape(host, i, np.shape(value), dims)
    except ResultError as error:
        raise failure(host, where, inputs, error) from None


def run_eager(host: HostFunction, where: Where, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
    """Runs an eager-mode function on eager tensors, in the state that is in force; returns eager tensors."""
    try:
        box = [invoke(host, tensors)]
        out = finished_eager(host, where, box)
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        raise failure(host, where, tensors, error) from cause(error)
    if host.shape_of is not None:
        _check_rule(host, where, [t._value for t in tensors], [t._value for t in out])
    return out


def finished_eager(host: HostFunction, where: Where, box: list[Any]) -> list[EagerTensor]:
    """The checked results of an eager-mode function.

    Args:
      host, where: the call.
      box: a list of what the function returned; it is emptied, so that who else holds the result can be seen.

    Raises:
      ResultError: if a result does not fit its declaration.
    """
    leaves = host.outputs.leaves
    if box[0].__class__ is EagerTensor and len(leaves) == 1 and box[0]._dtype is leaves[0].dtype:
        if where.declared[0] is None and not host.outputs.composites:
            return box
    items = convert.items_of(host, box.pop())
    flat = convert.flat_components(host, host.outputs, items)
    del items
    out = []
    for i, leaf in enumerate(leaves):
        tensor = convert.eager_result(host, i, leaf, flat)
        convert.check_shape(host, i, value_of(tensor).shape, where.declared[i])
        out.append(tensor)
    return out


def recorded(host: HostFunction, where: Where, tensors: Sequence[EagerTensor]) -> tuple[list[EagerTensor], Recording]:
    """Runs an eager-mode function under a tape of its own; returns its outputs and the pullback."""
    tensors = distinct(tensors)
    tape = Tape(trainable=True)
    for t in tensors:
        if t._dtype._kind in "fcr":
            tape.watch(t)
    before = context.get()
    tapes = before.tapes if before is not None else ()
    device = before.device if before is not None else ""
    context.set_state(context.State(tapes=(*tapes, tape), host=host.label, device=device))
    try:
        outputs = run_eager(host, where, tensors)
    finally:
        context.set_state(before)
    return outputs, Recording(host.label, tape, tuple(tensors), tuple(outputs))


def bound(host: HostFunction, where: Where, wants_pullback: bool, dtypes: Sequence[Any]) -> Any:
    """What a plan's step calls: runtime values in, runtime values (and the pullback if wanted) out."""
    if host.mode is Mode.NUMPY:
        return (_PlainNumpyCall if host.is_plain() else _NumpyCall)(host, where, dtypes)
    if wants_pullback:
        return _RecordedCall(host, where, dtypes)
    return (_PlainEagerCall if host.is_plain() else _EagerCall)(host, where, dtypes)


class _HostCall(StepCall):
    """The step of a host call.

    Attributes:
      host, where: the call.
      dtypes: the dtypes of its inputs.
    """

    __slots__ = ("dtypes", "host", "where")

    def __init__(self, host: HostFunction, where: Where, dtypes: Sequence[Any] = ()) -> None:
        self.host, self.where, self.dtypes = host, where, tuple(dtypes)

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """What a generated plan raises for an error of this call."""
        if isinstance(error, errors.OpError) and f"{{{{node {self.where.name}}}}}" in error.message:
            return error
        raised = failure(self.host, self.where, inputs, error)
        raised.__cause__ = cause(error)
        return raised

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape."""
        return heard(self.host, self.where, tensors)  # type: ignore[return-value]


class _NumpyCall(_HostCall):
    __slots__ = ()

    def __call__(self, *inputs: Any) -> list[Any]:
        return run_numpy(self.host, self.where, inputs)


class _PlainNumpyCall(_NumpyCall):
    """A call that generated plans write out."""

    __slots__ = ()
    writes_source = True

    @property
    def owns_result(self) -> bool:  # type: ignore[override]
        """Whether its result is the run's own: without copies it may be a view of what the caller fed."""
        return self.host.copy

    def source(self, step: Step, cells: Cells, source: Source) -> None:
        """See `host.inline`."""
        from inlay.host import inline

        inline.write(self.host, self.where, step, cells, source)


class _EagerCall(_HostCall):
    __slots__ = ()

    def tensors(self, inputs: Sequence[Any]) -> list[EagerTensor]:
        return list(map(EagerTensor, inputs, self.dtypes))

    def __call__(self, *inputs: Any) -> list[Any]:
        return [t._value for t in run_eager(self.host, self.where, self.tensors(inputs))]

    def on_device(self, place: str) -> _DeviceCall:
        """The same call on an accelerator."""
        return _DeviceCall(self, place)


class _PlainEagerCall(_EagerCall):
    """A call that generated plans write out; its result may be shared with tensors that the body keeps."""

    __slots__ = ()
    writes_source = True

    def source(self, step: Step, cells: Cells, source: Source) -> None:
        """See `host.inline`."""
        from inlay.host import inline

        cells.last.clear()  # the body gets tensors around the cells' values; cells are freed as usual
        inline.write_eager(self.host, self.where, step, cells, source)


class _RecordedCall(_EagerCall):
    __slots__ = ()

    def __call__(self, *inputs: Any) -> list[Any]:
        outputs, recording = self.executed(self.tensors(inputs))
        return [*[t._value for t in outputs], recording]

    def executed(self, tensors: Sequence[EagerTensor]) -> tuple[list[EagerTensor], Recording]:
        return recorded(self.host, self.where, tensors)

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape, which hears the body too."""
        outputs, recording = recorded(self.host, self.where, tensors)
        state = context.current()
        return [*(boundary(self.where.type, tensors, outputs, state) if state.tapes else outputs), recording]


class _DeviceCall(_HostCall):
    """The step of an eager-mode function on an accelerator: its tensors lie there, and so do its results.

    Ops of the body run there too. A result that the body made on the host is sent there.
    """

    __slots__ = ("call", "place")

    def __init__(self, call: _EagerCall, place: str) -> None:
        super().__init__(call.host, call.where, call.dtypes)
        self.call, self.place = call, place

    def __call__(self, *inputs: Any) -> list[Any]:
        tensors = [tensor_of(v, d) for v, d in zip(inputs, self.dtypes, strict=True)]
        with context.using(context.current().replace(device=self.place)):
            if self.call.__class__ is not _RecordedCall:
                return self._left(run_eager(self.host, self.where, tensors))
            outputs, recording = self.call.executed(tensors)
            return [*self._left(outputs), recording]

    def _left(self, outputs: Sequence[EagerTensor]) -> list[Any]:
        return [value_of(sent(t, self.place)) for t in outputs]

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape."""
        with context.using(context.current().replace(device=self.place)):
            return self.call.recorded(tensors)


def call_eagerly(host: HostFunction, tensors: Sequence[EagerTensor], type_name: str) -> Any:
    """A call of the family while executing eagerly: runs the body now; the tapes in force see it."""
    where = Where(type_name, type_name, tuple(leaf.dims for leaf in host.outputs.leaves))
    return host.outputs.pack(heard(host, where, tensors))


def heard(host: HostFunction, where: Where, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
    """Runs a function on eager tensors in the state in force; its tapes hear the body, or its own gradient."""
    state = context.current()
    place = ondevice.target(where.type, (), state.device) if state.device else ""
    if host.mode is Mode.NUMPY:
        with context.using(context.State(host=host.label)):
            arrays = run_numpy(host, where, [t._value for t in tensors])
        outputs = [EagerTensor(v, leaf.dtype) for v, leaf in zip(arrays, host.outputs.leaves, strict=True)]
        if place:
            outputs = [sent(t, place) for t in outputs]
        if state.tapes and host.grad is None:
            record_operation(OPS[where.type], tuple(tensors), tuple(outputs), {}, state)
    else:
        if place:
            tensors = [ondevice.moved(t, place) if t.dtype._kind in KINDS else t for t in tensors]
        tapes = state.tapes if host.grad is None else ()
        with context.using(context.State(tapes=tapes, host=host.label, device=place)):
            outputs = run_eager(host, where, tensors)
            if place:
                outputs = [ondevice.moved(t, place) if t.dtype._kind in KINDS else t for t in outputs]
        if state.tapes and host.grad is None:
            outputs = boundary(where.type, tensors, outputs, state)
    if host.grad is not None and state.tapes:
        outputs = [handle(t) for t in outputs]
        _own_gradient(host, where.type, tensors, outputs, state)
    return outputs


def boundary(
    type_name: str, tensors: Sequence[EagerTensor], body: Sequence[EagerTensor], state: context.State
) -> list[EagerTensor]:
    """What the caller gets, connected with what the body returned, and with every input at least by zero.

    The body's own ops were heard by the same tapes, so gradients flow through them to inputs, captured tensors and
    variables alike; an input the body did not use gets zeros of its shape.
    """
    outputs = [handle(t) for t in body]
    record_operation(OPS[type_name], (*tensors, *body), tuple(outputs), {}, state, _through)
    return outputs


def _through(record: Record, *grads: Any) -> list[Any]:
    """The gradient of a boundary: cotangents go on to what the body returned, whose tensors are its last inputs."""
    tensors = record.inputs[: len(record.inputs) - len(grads)]
    return [IMPLICIT_ZERO if t.dtype.is_trainable else None for t in tensors] + list(grads)


_through.structural = True  # type: ignore[attr-defined]


def _own_gradient(
    host: HostFunction,
    type_name: str,
    tensors: Sequence[EagerTensor],
    outputs: Sequence[EagerTensor],
    state: context.State,
) -> None:
    def pull(_: Record, *grads: Any) -> list[Any]:
        try:
            return user_gradient(host, tensors, outputs, grads)
        except errors.PASS_THROUGH:
            raise
        except RefusedGradient as error:
            raise errors.refused(
                errors.InvalidArgumentError, ValueError, f"{error}\n  the function was made an op at {host.site}"
            ) from error.__cause__
        except BaseException as error:
            raise errors.wrap(error, f"  raised in grad of {host.label}, made an op at {host.site}") from error

    record_operation(OPS[type_name], tuple(tensors), tuple(outputs), {}, state, pull)


def warn_lost(label: str) -> None:
    """Says that a body cut its gradient off."""
    warnings.warn(
        f"the gradient of {label} is zero everywhere: its body left the framework (for instance through "
        ".numpy()), so nothing connects its outputs to its inputs. Use eager ops in the body, or give the "
        "function a gradient with grad=.",
        errors.LostGradientWarning,
        stacklevel=2,
    )
