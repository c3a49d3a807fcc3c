"""Host calls as steps of plans: written into generated plans, recorded by tapes, on the CPU or on a device.

ArrayStep     a function of NumPy arrays
TensorStep    a function of eager tensors
RecordedStep  the same, which also leaves its pullback
OnDevice      either of the last two on an accelerator
RemoteStep      any of them where an executor runs the function
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.source import Source
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import sent, tensor_of, value_of
from inlay._src.core.eager.tape import Recording, distinct, tape_of
from inlay._src.core.executor import Batch, Executor
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import CallRequest, Started, StepCall
from inlay._src.engine.run.scheduling.work_stealing import run_inline
from inlay._src.host import observing, taped
from inlay._src.host.call import HostCall
from inlay._src.host.codegen import CallWriter
from inlay._src.host.record import Mode
from inlay._src.host.remote_call import RemoteCall, flow_of


def bound(call: HostCall | RemoteCall, wants_pullback: bool, kinds: Sequence[Any]) -> StepCall:
    """The callable of a plan's step: runtime values in, runtime values (and the pullback if wanted) out."""
    if isinstance(call, RemoteCall):
        return RemoteStep(call, kinds, wants_pullback)
    if call.host.takes_copies:
        return ArrayStep(call, kinds)
    return RecordedStep(call, kinds) if wants_pullback else TensorStep(call, kinds)


class _HostStep(StepCall):
    """The step of a host call.

    Attributes:
      call: the call.
      kinds: the dtypes of its inputs.
    """

    __slots__ = ("call", "kinds")

    def __init__(self, call: HostCall, kinds: Sequence[Any]) -> None:
        self.call, self.kinds = call, tuple(kinds)

    @property
    def label(self) -> str:  # type: ignore[override]
        """See `StepCall`."""
        return self.call.host.label

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """See `StepCall.failed`."""
        return _failed(self.call, error, inputs)

    def recorded(self, tensors: Sequence[EagerTensor]) -> Sequence[Any]:
        """See `StepCall.recorded`."""
        return taped.call_recorded(self.call, tensors)


class ArrayStep(_HostStep):
    """A function of NumPy arrays."""

    __slots__ = ()
    writes_source = True

    def __call__(self, *values: Any) -> list[Any]:
        return self.call(values)

    @property
    def owns_result(self) -> bool:  # type: ignore[override]
        """Whether its results are the run's own: without copies they may be views of what the caller fed."""
        return self.call.host.copy

    def source(self, step: Step, cells: CellLayout, source: Source) -> None:
        """Writes the call; see `StepCall.source`.

            h0 = V[3]; V[3] = None                                  its last reader: nobody needs the cell
            r = f_7((h0 if ref(h0) == 2 and ... else h0.copy()) if h0.ndim else h0[()])
            h0 = None
            if not (r.__class__ is A and r.dtype is d_7 and ...): r = e_7.single(r)
            V[4] = r

        An argument is the function's own: a copy, or the array itself where this is its last use and nobody else
        holds it.
        """
        ins, copy = step.ins, self.call.host.copy
        donors = cells.givers if copy else set()
        loaded = [j for j, i in enumerate(ins) if i not in donors and i not in cells.local and i not in cells.named]
        held = [f"h{j}" if j in loaded else cells[i] for j, i in enumerate(ins)]
        source.write(*(f"h{j} = {cells.place(ins[j])}" for j in loaded))
        source.write(*_emptied([cells.place(ins[j]) for j in loaded if ins[j] in cells.last]))
        writer = _writer(self.call, step, cells, source)
        arguments = [
            f"g{i}()" if i in donors else writer.argument(h, _handed_over(h, i, cells))
            for i, h in zip(ins, held, strict=True)
        ]
        writer.run(arguments, [f"{h}.shape" for h in held])
        done = _emptied([f"h{j}" for j in loaded] + [cells[i] for i in ins if i in cells.last and i in cells.local])
        writer.accept(held, done if copy else ())
        source.write(*(() if copy else done))  # the test of a view compares it with its base
        _store(writer.into, "{}", step, cells, source)


class TensorStep(_HostStep):
    """A function of eager tensors; its results may be shared with tensors that the body keeps."""

    __slots__ = ()

    def __call__(self, *values: Any) -> list[Any]:
        tensors = list(map(EagerTensor, values, self.kinds))
        return _values(self.on_tensors(tensors))

    @property
    def writes_source(self) -> bool:  # type: ignore[override]
        """A body that is recorded runs under a tape, which is not written."""
        return self.__class__ is TensorStep

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step's results, as tensors."""
        return self.call(tensors)

    def on_device(self, place: str) -> StepCall:
        """See `StepCall.on_device`."""
        return OnDevice(self, place)

    def source(self, step: Step, cells: CellLayout, source: Source) -> None:
        """Writes the call, with tensors around the cells' values; see `StepCall.source`."""
        cells.last.clear()  # the body may keep the tensors; cells are freed as usual
        writer = _writer(self.call, step, cells, source)
        values = [cells[i] for i in step.ins]
        tensors = [f"E({v}, {source.name('t', kind)})" for v, kind in zip(values, self.kinds, strict=True)]
        writer.run(tensors, [f"{v}.shape" for v in values])
        writer.accept()
        _store(writer.into, "{}._value", step, cells, source)


class RecordedStep(TensorStep):
    """A function of eager tensors that also leaves its pullback."""

    __slots__ = ()

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step's results, and the pullback."""
        outputs, recording = taped.call_with_pullback(self.call, tensors)
        return [*outputs, recording]

    def recorded(self, tensors: Sequence[EagerTensor]) -> Sequence[Any]:
        """See `StepCall.recorded`: the tapes in force record the body too."""
        return _recorded_with_pullback(self.call, tensors)


class OnDevice(_HostStep):
    """The step of a function of eager tensors on an accelerator: its tensors lie there, and so do its results.

    Ops of the body run there too. A result that the body computed on the host is copied there.
    """

    __slots__ = ("place", "step")

    def __init__(self, step: TensorStep, place: str) -> None:
        super().__init__(step.call, step.kinds)
        self.step, self.place = step, place

    def __call__(self, *values: Any) -> list[Any]:
        tensors = [tensor_of(v, d) for v, d in zip(values, self.kinds, strict=True)]
        with context.using(context.current().replace(device=self.place)):
            results = self.step.on_tensors(tensors)
            return [value_of(sent(t, self.place)) if isinstance(t, EagerTensor) else t for t in results]

    def recorded(self, tensors: Sequence[EagerTensor]) -> Sequence[Any]:
        """See `StepCall.recorded`."""
        with context.using(context.current().replace(device=self.place)):
            return self.step.recorded(tensors)


class RemoteStep(StepCall):
    """A function that an executor runs.

    Args:
      call: the call.
      kinds: the dtypes of its inputs.
      pullback: whether it leaves its pullback.
    """

    __slots__ = ("call", "kinds", "pullback")
    starts = True

    def __init__(self, call: RemoteCall, kinds: Sequence[Any], pullback: bool) -> None:
        self.call, self.kinds, self.pullback = call, tuple(kinds), pullback

    @property
    def executor(self) -> Executor:  # type: ignore[override]
        """See `StepCall`."""
        return self.call.executor

    @property
    def label(self) -> str:  # type: ignore[override]
        """See `StepCall`."""
        return self.call.host.label

    def __call__(self, *values: Any) -> Sequence[Any]:
        if run_inline.on:
            return bound(self.call.call, self.pullback, self.kinds)(*values)  # type: ignore[no-any-return]
        if self.pullback:
            started = self.start(values)
            try:
                return started.results()
            except BaseException:
                started.future.cancel()
                raise
        return _values(self.call.observed().run(self._inputs(values)))

    def _inputs(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values that the call receives: tensors, or arrays."""
        return list(map(EagerTensor, values, self.kinds)) if self.call.host.mode is Mode.EAGER else values

    def start(self, values: Sequence[Any]) -> Started:
        """See `StepCall.start`."""
        call, inputs = self.call.observed(), self._inputs(values)
        if not self.pullback:
            future = call.start(inputs)
            return Started(future, lambda: _values(call.landed(future.result, inputs, flow=flow_of(future))))
        tensors = distinct(inputs)
        state, tape = context.current(), tape_of(tensors)
        state = state.with_tapes((*state.tapes, tape))
        with context.using(state):
            future = call.start(tensors, keep=True)

        def results() -> Sequence[Any]:
            with context.using(state):
                outputs = call.landed(future.result, tensors, keep=True, flow=flow_of(future))
            return [*_values(outputs), Recording(call.host.label, tape, tuple(tensors), tuple(outputs))]

        return Started(future, results)

    def request(self, values: Sequence[Any]) -> CallRequest | None:
        """See `StepCall.request`: functions of this process find the state of their caller, so each begins alone.

        So does each call that an interceptor may answer.
        """
        if self.pullback or self.executor.here or observing.meets_executors():
            return None
        inputs = self._inputs(values)
        call = self.call.request(inputs)
        return CallRequest(call, functools.partial(self._landed, inputs, call.flow))

    def _landed(self, inputs: Sequence[Any], flow: int, batch: Batch, position: int) -> Sequence[Any]:
        """The results of a call that was begun with others."""
        return _values(self.call.landed(functools.partial(batch.result, position), inputs, flow=flow))

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """See `StepCall.failed`."""
        return _failed(self.call, error, inputs)

    def recorded(self, tensors: Sequence[EagerTensor]) -> Sequence[Any]:
        """See `StepCall.recorded`."""
        if self.pullback:
            return _recorded_with_pullback(self.call, tensors)
        return taped.call_recorded(self.call, tensors)


def _values(results: Sequence[Any]) -> list[Any]:
    """Results as runtime values."""
    return [t._value if isinstance(t, EagerTensor) else t for t in results]


def _failed(call: HostCall | RemoteCall, error: BaseException, inputs: Sequence[Any]) -> BaseException:
    """The error of a call, which names its op once."""
    if isinstance(error, errors.OpError) and f"{{{{node {call.name}}}}}" in error.message:
        return error
    return call.explain(error, inputs)


def _recorded_with_pullback(call: HostCall | RemoteCall, tensors: Sequence[EagerTensor]) -> Sequence[Any]:
    """The results of a call and its pullback; the tapes in force record the body too."""
    outputs, recording = taped.call_with_pullback(call, tensors)
    state = context.current()
    if state.tapes:
        outputs = taped.boundary(OPS[call.type], tensors, outputs, state)
    return [*outputs, recording]


# ---------------------------------------------------------------- source


def _writer(call: HostCall, step: Step, cells: CellLayout, source: Source) -> CallWriter:
    """The code generator of a call in a plan. Outputs that only the plan's function sees are its variables."""
    into = [cells[o] if o in cells.local else f"r{j}" for j, o in enumerate(step.outs)]
    function = observing.name_function(call, source)
    return CallWriter(call.host, call.declared, function, source.name("e", call), source, into)


def _store(into: Sequence[str], value: str, step: Step, cells: CellLayout, source: Source) -> None:
    """Writes the values into their cells; `value` makes one from a variable."""
    pairs = list(zip(into, step.outs, strict=True))
    stored = [(cells[o], value.format(v)) for v, o in pairs if o != -1]
    source.write(*(f"{cell} = {value}" for cell, value in stored if cell != value))
    source.write(*_emptied([v for v, o in pairs if o not in cells.local]))


def _handed_over(name: str, cell: int, cells: CellLayout) -> str:
    """Source of an array that is the function's own, from the variable that holds a cell's; "" where it is a copy."""
    if cell not in cells.last or cell in cells.views:
        return ""
    return name if cell in cells.owned else f"({name} if {ownership.own_array(name)} else {name}.copy())"


def _emptied(variables: Sequence[str]) -> list[str]:
    return [" = ".join(variables) + " = None"] if variables else []
