"""Host functions under observation: each call leaves a span, or passes through interceptors, or neither.

    not observed    generated source calls the user's function itself
    observed        the same source calls a wrapper: it records the span and asks the interceptors

Nothing is read while nobody observes: `_switch` exchanges the function at every *call site*, the place in generated
source where one `HostCall` calls its function. A call that is not generated asks `called`. The change is made under
`_lock`; a call that has begun ends as it began.

An interceptor stands around the function: it gets the call site's `HostCall`, the function, and the arguments, and
returns what the call takes for the function's result. `replaying` records and replays calls with one.

    call in place       interceptor(call, function, args, kwargs) ─▶ result
    call of an executor interceptor.begin(call, args, kwargs) ─▶ Interception ─▶ landed(result) or failed(error)

The second form is that of `TwoPartInterceptor`: such a one meets the calls of executors on the caller's side, where
they begin and where they land, and may answer a call, which then no executor runs. A plain function meets calls in
place, and those of executors of this process on their threads.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from time import thread_time_ns
from typing import Any, NamedTuple, Protocol, runtime_checkable

from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.interpreter.source import Source
from inlay._src.base.span_chunks import Activity, host_activity
from inlay._src.base.spans import SPANS, now
from inlay._src.core import context
from inlay._src.host.executors.event_loop import Awaited
from inlay._src.host.record import HostFunction


class ObservedCall(Protocol):
    """A call of a host function, as observers know it: a `HostCall`."""

    host: HostFunction
    name: str
    type: str
    sites: list[CallSite]
    activity: Activity | None


Interceptor = Callable[[ObservedCall, Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
"""From the call, its function, positional and keyword arguments: the result."""


class Interception(Protocol):
    """One call of an executor that a `TwoPartInterceptor` met.

    Attributes:
      answer: a future that has ended, in place of the executor's; None lets the executor run the call.
    """

    answer: Future[Any] | None

    def landed(self, result: Any) -> Any:
        """From the function's result, or that of `answer`, what the call takes for it; on the caller's thread."""

    def failed(self, error: BaseException) -> None:
        """The function or the executor raised `error`, which the call raises."""


@runtime_checkable
class TwoPartInterceptor(Protocol):
    """An interceptor that meets calls of executors where they begin and where they land."""

    def __call__(
        self, call: ObservedCall, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], /
    ) -> Any:
        """See `Interceptor`."""

    def begin(self, call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Interception:
        """Meets a call before its executor gets it; the arguments are still the caller's, and are only read."""


class CallSite(NamedTuple):
    """A place in generated source that calls a host function.

    Attributes:
      names: the globals of the source.
      name: the name of the function among them.
      function: the user's function.
    """

    names: dict[str, Any]
    name: str
    function: Callable[..., Any]


_LONG = 100_000  # nanoseconds of a call from which its processor time is measured
_long: set[int] = set()
"""The identities of the subjects that had such a call in this recording."""
_lock = new_rlock()
_calls: weakref.WeakSet[ObservedCall] = weakref.WeakSet()
_interceptors: tuple[Interceptor, ...] = ()
_two_part: tuple[TwoPartInterceptor, ...] = ()
_observes = SPANS.on  # a worker may be told to record before it loads this module


def called(call: ObservedCall) -> Callable[..., Any]:
    """The function that a call runs now: the user's, or its wrapper."""
    function = call.host.called
    return wrapped(function, call) if _observes else function


def begun(call: ObservedCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Interception]:
    """Lets the interceptors of two parts meet a call of an executor, the outermost first, up to one that answers."""
    interceptions: list[Interception] = []
    for interceptor in reversed(_two_part):
        interceptions.append(interceptor.begin(call, args, kwargs))
        if interceptions[-1].answer is not None:
            break
    return interceptions


def meets_executors() -> bool:
    """Whether an interceptor meets the calls of executors on the caller's side."""
    return bool(_two_part)


def name_function(call: ObservedCall, source: Source) -> str:
    """Names the function of a call in generated source, whose function is exchanged when observation begins or ends."""
    function = call.host.called
    with _lock:
        name = source.name("f", wrapped(function, call) if _observes else function)
        call.sites.append(CallSite(source.names, name, function))
        _calls.add(call)
    return name


def wrapped(function: Callable[..., Any], call: ObservedCall) -> Callable[..., Any]:
    """A function that runs another one and leaves a span of it, through the interceptors in force."""
    function = _through(_interceptors, function, call)
    return recorded(function, activity_of(call)) if SPANS.on else function


def for_executor(call: ObservedCall, flow: int) -> Callable[..., Any]:
    """The function of a call as an executor of this process runs it.

    Interceptors of two parts meet the call elsewhere. `flow` is the number of the call in traces, 0 without one.
    """
    function = call.host.called
    if not _observes:
        return function
    function = _through([each for each in _interceptors if each not in _two_part], function, call)
    return recorded(function, activity_of(call), {"flow": flow}) if flow else function


def _through(
    interceptors: Sequence[Interceptor], function: Callable[..., Any], call: ObservedCall
) -> Callable[..., Any]:
    for interceptor in interceptors:
        function = functools.partial(_intercepted, interceptor, call, function)
    return function


def recorded(
    function: Callable[..., Any], activity: Activity, details: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """A function that runs another one and leaves a span of it, with these details."""
    add, clock = SPANS.add, now
    if isinstance(function, Awaited):
        coroutine, asynchronous = function.function, activity._replace(category="async")

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            begin = clock()
            try:
                return await coroutine(*args, **kwargs)
            finally:
                add(asynchronous, begin, clock(), details)

        return Awaited(functools.update_wrapper(awaited, coroutine))

    subject, long = id(activity), _long

    def observed(*args: Any, **kwargs: Any) -> Any:
        # A call of the system takes 0.3 us: it is made for functions beside which that is nothing.
        cpu = thread_time_ns() if subject in long else 0
        begin = clock()
        try:
            return function(*args, **kwargs)
        finally:
            end = clock()
            own = {**(details or {}), "cpu": thread_time_ns() - cpu} if cpu else details
            if end - begin > _LONG:
                long.add(subject)
            add(activity, begin, end, own)

    observed.__wrapped__ = function  # type: ignore[attr-defined]
    return observed


def _intercepted(
    interceptor: Interceptor, call: ObservedCall, function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    return interceptor(call, function, args, kwargs)


def activity_of(call: ObservedCall) -> Activity:
    """The subject of the spans of a call's function."""
    if call.activity is None:
        call.activity = host_activity(call.name, call.host.label)
    return call.activity


def intercept(interceptor: Interceptor) -> None:
    """Puts an interceptor around each call of a host function from now on, around those that are in force."""
    with _lock:
        _install((*_interceptors, interceptor))


def release(interceptor: Interceptor) -> None:
    """Takes an interceptor away."""
    with _lock:
        _install(tuple(other for other in _interceptors if other != interceptor))


def _install(interceptors: tuple[Interceptor, ...]) -> None:
    global _interceptors, _two_part
    _interceptors = interceptors
    _two_part = tuple(each for each in interceptors if isinstance(each, TwoPartInterceptor))
    _switch()


def _switch() -> None:
    """Exchanges the functions at all call sites for what holds now."""
    global _observes
    with _lock:
        _observes = bool(_interceptors) or SPANS.on
        _long.clear()
        for call in list(_calls):
            for site in call.sites:
                site.names[site.name] = wrapped(site.function, call) if _observes else site.function
    context.observe(bool(_interceptors))


SPANS.on_switch(_switch)
_switch()
