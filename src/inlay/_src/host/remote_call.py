"""Host calls that an executor runs: `RemoteCall`, its serialized payload, and pullbacks that stay in the worker.

    start ─▶ prepare ─▶ Call(Portable) ─▶ executor ─▶ future ─▶ landed ─▶ accept
                 │                                                │
                 └──────────────────── explain ◀──────────────────┘

The `HostCall` prepares, accepts and explains. Under a tape, the worker keeps the pullback of a function of tensors. The
tape gets one record of the whole call, whose gradient runs in the worker; a gradient that is itself recorded keeps a
pullback there as well, and so on for every order.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import ownership
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, new_flow, now
from inlay._src.core import context
from inlay._src.core.eager.record import Record
from inlay._src.core.eager.tape import Recording, distinct, record_execution, record_operation
from inlay._src.core.executor import Call, ExecutionPullback, Executor
from inlay._src.core.opdef import OPS, Effect
from inlay._src.core.site import Site
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.autodiff.accumulation import IMPLICIT_ZERO
from inlay._src.engine.autodiff.backward import pull, pull_recorded
from inlay._src.engine.run.scheduling.work_stealing import run_inline
from inlay._src.host import observing
from inlay._src.host.call import HostCall
from inlay._src.host.executors import event_loop
from inlay._src.host.executors.selection import resolve_executor
from inlay._src.host.gradient import warn_lost
from inlay._src.host.record import HostFunction, Mode, Outputs, ResultForm

_NOWHERE = Site("", 0, "")
_UNDECLARED = Outputs(ResultForm.SINGLE, ())
"""A function of arrays only runs in the worker; its result is accepted here."""


class Portable:
    """The payload of a remote call: a host function that runs in the worker, on arguments that are its own there.

    Args:
      host: the function; the fields that only the caller reads do not travel.
    """

    __slots__ = ("__weakref__", "_key", "_state", "host")

    def __init__(self, host: HostFunction) -> None:
        self.host = host
        self._state: context.State | None = None
        self._key: tuple[Outputs, Any] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        travels = replace(
            self.host, executor=None, site=_NOWHERE, template=None, grad=None, shape_of=None, outputs=self._outputs
        )
        return Portable, (travels,)

    @property
    def _outputs(self) -> Outputs:
        """The results that the worker checks."""
        return _UNDECLARED if self.host.mode is Mode.NUMPY else self.host.outputs

    def body_key(self) -> tuple[Any, Any]:
        """See `bodies.body_of`."""
        host, outputs = self.host, self._outputs
        if self._key is None or self._key[0] is not outputs:
            declared = outputs.form, outputs.leaves, outputs.composites
            nest = outputs.form is ResultForm.NEST
            self._key = outputs, None if nest else _form(host.mode, host.effect, host.label, host.copy, declared)
        form = self._key[1]
        return (self, None) if form is None else (host.fn, form)

    @property
    def label(self) -> str:
        """The function's name and definition."""
        return self.host.label

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The result of the function."""
        state = self._state
        if state is None or SPANS.on:  # a state that was made before knows nothing of the recorder
            state = self._state = context.State(host=self.host.label, lends=not self.host.copy)
        before = context.get()
        context.set_state(state)
        try:
            return self._run(args, kwargs)
        finally:
            context.set_state(before)

    def kept(self, inputs: Sequence[EagerTensor], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The checked results, and the pullback: a list of tensors and an `ExecutionPullback`.

        Args:
          inputs: the flat inputs, all different. The tensors among the arguments are the same objects.
          args, kwargs: the arguments.
        """
        label = self.host.label
        call = HostCall(self.host, "", "EagerPyFunc")
        outputs, recording = record_execution(
            label,
            lambda _: call.accept([self._run(args, kwargs)]),
            inputs,
            lambda tapes: context.State(tapes=tapes, host=label, lends=not self.host.copy),
        )
        return outputs, KeptRecording(recording)

    def _run(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if self.host.mode is Mode.NUMPY:
            args = [self._own(a) for a in args]
            if kwargs:
                kwargs = {name: self._own(a) for name, a in kwargs.items()}
        function = self.host.fn
        if isinstance(function, event_loop.Awaited):  # on the loop of the process where it arrived
            return event_loop.loop_of(None).run(Call(function, args, kwargs, label=self.label))
        return function(*args, **kwargs)

    def _own(self, value: Any) -> Any:
        """An argument that came over: arrays may be written into, unless views were asked for."""
        if value.__class__ is not np.ndarray:
            return value
        if not self.host.copy:
            return ownership.read_only(value)
        return value if value.flags.writeable else value.copy()


@functools.lru_cache(maxsize=4096)
def _form(*form: Any) -> object:
    """One object for all equal forms: comparing those takes as long as a small call."""
    return object()


class KeptRecording:
    """The pullback of an execution, where it ran.

    Args:
      recording: the execution.
    """

    __slots__ = ("recording",)

    def __init__(self, recording: Recording) -> None:
        self.recording = recording

    def pull(self, seeds: Sequence[Any], keep: bool) -> tuple[list[Any], KeptRecording | None]:
        """See `ExecutionPullback.pull`."""
        inputs = self.recording.inputs
        wanted = [t for t in inputs if t.dtype.is_trainable]
        if keep:
            grads, nested = pull_recorded(self.recording, seeds, wanted, inputs)
            again = KeptRecording(nested)
        else:
            grads, again = list(pull(self.recording, seeds, wanted)), None
        rest = iter([None if g is IMPLICIT_ZERO else g for g in grads])
        return [next(rest) if t.dtype.is_trainable else None for t in inputs], again


class RemoteCall:
    """A host call that an executor runs; to be called as the `HostCall` that it is.

    Args:
      call: the call in place.
      executor: the executor.
    """

    __slots__ = ("call", "executor", "host", "name", "portable", "type")

    def __init__(self, call: HostCall, executor: Executor) -> None:
        self.call, self.executor = call, executor
        self.host, self.name, self.type = call.host, call.name, call.type
        self.portable: Portable | None = None if executor.here else Portable(call.host)

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """The whole call, in the state that is in force."""
        if run_inline.on:
            return self.call(inputs)
        keep = self.host.mode is Mode.EAGER and bool(context.current().tapes)
        if keep and self.portable is not None:
            inputs = distinct(inputs)
        return self.observed().run(inputs, keep)

    def observed(self) -> RemoteCall:
        """The call for one execution: itself, or one that interceptors meet on this side."""
        return InterceptedCall(self) if observing.meets_executors() else self

    def run(self, inputs: Sequence[Any], keep: bool = False) -> list[Any]:
        """Runs the call and waits for it; for `keep` see `start`."""
        with _Explaining(self.call, inputs):
            request = self.request(inputs, keep)
            box = [self.executor.run(request)]
            with self._accepting(request.flow):
                outputs, pullback = self._accepted(box, inputs, keep)
        return self._recorded(inputs, outputs, pullback)

    def start(self, inputs: Sequence[Any], keep: bool = False) -> Future[Any]:
        """Starts the call; `keep` asks for its pullback, and then the inputs must be different tensors."""
        with _Explaining(self.call, inputs):
            request = self.request(inputs, keep)
            future = self.executor.start(request)
        if request.flow:
            set_flow(future, request.flow)
        return future

    def landed(self, result: Callable[[], Any], inputs: Sequence[Any], keep: bool = False, flow: int = 0) -> list[Any]:
        """The checked results of a call that was started.

        Args:
          result: gives what the executor gives, and may wait for it.
          inputs, keep: those of `start`.
          flow: the number of the call in traces.
        """
        with _Explaining(self.call, inputs):
            box = [result()]
            if not keep and not flow:
                return self.call.accept(box, inputs)
            with self._accepting(flow):
                outputs, pullback = self._accepted(box, inputs, keep)
        return self._recorded(inputs, outputs, pullback)

    def request(self, inputs: Sequence[Any], keep: bool = False) -> Call:
        """The request to the executor; for `keep` see `start`."""
        if not SPANS.on:
            return self._request(inputs, keep, 0)
        flow, begin = new_flow(), now()
        try:
            return self._request(inputs, keep, flow)
        finally:
            details = {"flow": flow}
            if self.portable is not None:
                details["bytes"] = sum(getattr(getattr(v, "_value", v), "nbytes", 0) for v in inputs)
            SPANS.add(self._activity("submit"), begin, now(), details)

    def _request(self, inputs: Sequence[Any], keep: bool, flow: int) -> Call:
        op, label, repeatable = self.name, self.host.label, self.host.effect is not Effect.STATEFUL
        if self.portable is None:
            args, kwargs = self.call.prepare(inputs)
            return Call(observing.for_executor(self.call, flow), args, kwargs, op, label, repeatable, flow=flow)
        args, kwargs = self._uncopied(inputs)
        if keep:
            return Call(self.portable, (inputs, args, kwargs), {}, op, label, repeatable, keep, flow)
        return Call(self.portable, args, kwargs, op, label, repeatable, flow=flow)

    @contextlib.contextmanager
    def _span(self, flow: int) -> Iterator[None]:
        """A span of the acceptance of results."""
        begin = now()
        try:
            yield
        finally:
            SPANS.add(self._activity("accept"), begin, now(), {"flow": flow})

    def _accepting(self, flow: int) -> contextlib.AbstractContextManager[None]:
        return self._span(flow) if flow and SPANS.on else _NOTHING

    def _activity(self, category: str) -> Activity:
        """The subject of a span on this side of the call."""
        return _on_this_side(observing.activity_of(self.call), category, repr(self.executor))

    def _accepted(
        self, box: list[Any], inputs: Sequence[Any], keep: bool
    ) -> tuple[list[Any], ExecutionPullback | None]:
        """The checked results, and the pullback if `keep`; `box` has the result of the executor."""
        if not keep or self.portable is None:
            return self.call.accept(box, inputs), None
        outputs, pullback = box.pop()
        return self.call.accept([self.host.outputs.pack(outputs)], inputs), pullback

    def _recorded(self, inputs: Sequence[Any], outputs: list[Any], pullback: ExecutionPullback | None) -> list[Any]:
        """The results, after the tapes in force recorded the pullback."""
        if pullback is not None:
            _record(self.type, inputs, outputs, pullback, self.host.label)
        return outputs

    def explain(self, error: BaseException, inputs: Sequence[Any]) -> BaseException:
        """See `HostCall.explain`."""
        return self.call.explain(error, inputs)

    def _uncopied(self, inputs: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The arguments as they are sent; serialization copies them."""
        if self.host.mode is Mode.NUMPY:
            inputs = [v[()] if v.__class__ is np.ndarray and not v.ndim else v for v in inputs]
        return (inputs, {}) if self.host.template is None else self.host.template.fill(inputs)


@functools.lru_cache(maxsize=4096)
def _on_this_side(activity: Activity, category: str, executor: str) -> Activity:
    return activity._replace(category=category, details=(*activity.details, ("executor", executor)))


_NOTHING = contextlib.nullcontext()


def set_flow(future: Future[Any], flow: int) -> None:
    """Notes on a future the number of its call in traces."""
    future.flow = flow  # type: ignore[attr-defined]


def flow_of(future: Future[Any]) -> int:
    """The number of the call of a future in traces; 0 if spans are not recorded."""
    return getattr(future, "flow", 0)


class InterceptedCall(RemoteCall):
    """One execution of a remote call that interceptors meet on the caller's side; see `observing`.

    Args:
      remote: the call.
    """

    __slots__ = ("_interceptions",)

    def __init__(self, remote: RemoteCall) -> None:
        self.call, self.executor, self.portable = remote.call, remote.executor, remote.portable
        self.host, self.name, self.type = remote.host, remote.name, remote.type
        self._interceptions: list[observing.Interception] = []

    def run(self, inputs: Sequence[Any], keep: bool = False) -> list[Any]:
        """See `RemoteCall.run`."""
        future = self.start(inputs, keep)
        try:
            return self.landed(future.result, inputs, keep, flow_of(future))
        except BaseException:
            future.cancel()
            raise

    def start(self, inputs: Sequence[Any], keep: bool = False) -> Future[Any]:
        """See `RemoteCall.start`; an interceptor may answer, and then no executor is asked."""
        with _Explaining(self.call, inputs):
            request = self.request(inputs, keep)
            args, kwargs = request.args[1:] if request.keep else (request.args, request.kwargs)
            self._interceptions = observing.begun(self.call, args, kwargs)
            answer = self._interceptions[-1].answer if self._interceptions else None
            if answer is not None:
                return answer
            try:
                future = self.executor.start(request)
            except BaseException as error:
                self._failed(error)
                raise
        if request.flow:
            set_flow(future, request.flow)
        return future

    def landed(self, result: Callable[[], Any], inputs: Sequence[Any], keep: bool = False, flow: int = 0) -> list[Any]:
        """See `RemoteCall.landed`."""
        answered = bool(self._interceptions) and self._interceptions[-1].answer is not None
        pullback: ExecutionPullback | None = None
        with _Explaining(self.call, inputs):
            try:
                returned = result()
            except BaseException as error:
                self._failed(error)
                raise
            if keep and self.portable is not None and not answered:
                outputs, pullback = returned
                returned = self.host.outputs.pack(outputs)
                del outputs  # so that who else holds the result can be seen
            for interception in reversed(self._interceptions):
                returned = interception.landed(returned)
            box = [returned]
            del returned
            with self._accepting(flow):
                outputs = self.call.accept(box, inputs)
        return self._recorded(inputs, outputs, pullback)

    def _failed(self, error: BaseException) -> None:
        for interception in reversed(self._interceptions):
            interception.failed(error)


class _Explaining:
    """Explains an error of the block as an error of a call on these inputs."""

    __slots__ = ("_call", "_inputs")

    def __init__(self, call: HostCall, inputs: Sequence[Any]) -> None:
        self._call, self._inputs = call, inputs

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, errors.PASS_THROUGH):
            return
        raised = self._call.explain(error, self._inputs)
        try:
            raise raised from raised.__cause__
        finally:
            del raised  # its traceback has this frame


def _record(op: str, inputs: Sequence[Any], outputs: Sequence[Any], pullback: ExecutionPullback, label: str) -> None:
    """Records a remote execution with its pullback on the tapes in force; `label` is that of the function."""

    def pulled(_: Record, *grads: Any) -> list[Any]:
        state = context.current()
        pulled_grads, again = pullback.pull(grads, bool(state.tapes))
        if all(g is None for g in pulled_grads):
            warn_lost(label)
        if again is not None:
            cotangents = [g for g in grads if g is not None]
            results = [g for g in pulled_grads if g is not None]
            _record("Pullback", (*inputs, *cotangents), results, again, label)
        return list(pulled_grads)

    record_operation(OPS[op], tuple(inputs), tuple(outputs), {}, context.current(), pulled)


def placed(value: Any, function: Any, effect: Effect, label: str, api: str) -> Executor | None:
    """The executor of a function, from its `executor=` or the scope; None to run in place.

    An asynchronous function that should run in this process runs on its event loop.

    Raises:
      TypeError, ValueError: if it is no executor, or one that may run a stateful function twice.
    """
    executor = resolve_executor(value, api)
    if executor is not None and executor.may_repeat and effect is Effect.STATEFUL:
        raise ValueError(
            f"{api}: {label} is stateful, and {executor!r} runs a call again if its worker is lost: what the function "
            "does could happen twice. If a second run does no harm say stateful=False, else take another executor"
        )
    if event_loop.asynchronous(function) and (executor is None or executor.here):
        return event_loop.loop_of(executor)
    return executor


def host_call(
    host: HostFunction, name: str, type: str, declared: Any = None, form: type[HostCall] = HostCall
) -> HostCall | RemoteCall:
    """A host function at one place of a program, run where it says; `form` is the class of the call."""
    call = form(host, name, type, declared)
    return call if host.executor is None else RemoteCall(call, host.executor)
