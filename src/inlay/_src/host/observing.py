"""Host functions under observation: each call leaves a span, or passes through interceptors, or neither.

    not observed    generated source calls the user's function itself
    observed        the same source calls a wrapper: it records the span and asks the interceptors

Nothing is read while nobody observes: `_switch` exchanges the function at every *call site*, the place in generated
source where one `HostCall` calls its function. A call that is not generated asks `called`. The change is made under
`_lock`; a call that has begun ends as it began.

An interceptor stands around the function: it gets the call site's `HostCall`, the function, and the arguments, and
returns what the call takes for the function's result. `replaying` records and replays calls with one.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from time import thread_time_ns
from typing import Any, NamedTuple, Protocol

from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.interpreter.source import Source
from inlay._src.base.spans import SPANS, Activity, host_activity, now
from inlay._src.core import context
from inlay._src.host.executors.event_loop import Awaited
from inlay._src.host.record import HostFunction


class ObservedCall(Protocol):
    """A call of a host function, as observers know it: a `HostCall`."""

    host: HostFunction
    name: str
    sites: list[CallSite]
    activity: Activity | None


Interceptor = Callable[[ObservedCall, Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
"""From the call, its function, positional and keyword arguments: the result."""


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
_observes = SPANS.on  # a worker may be told to record before it loads this module


def called(call: ObservedCall) -> Callable[..., Any]:
    """The function that a call runs now: the user's, or its wrapper."""
    function = call.host.called
    return wrapped(function, call) if _observes else function


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
    for interceptor in _interceptors:
        function = functools.partial(_intercepted, interceptor, call, function)
    return recorded(function, activity_of(call)) if SPANS.on else function


def for_executor(call: ObservedCall, flow: int) -> Callable[..., Any]:
    """The function of a call as an executor of this process runs it; `flow` is the number of the call in traces."""
    function = call.host.called
    return recorded(function, activity_of(call), {"flow": flow}) if flow else function


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


def records_alone() -> bool:
    """Whether spans are recorded, and there is no interceptor."""
    return SPANS.on and not _interceptors


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
    """Puts an interceptor around each call of a host function from now on, inside of those that are in force."""
    global _interceptors
    with _lock:
        _interceptors = (*_interceptors, interceptor)
        _switch()


def release(interceptor: Interceptor) -> None:
    """Takes an interceptor away."""
    global _interceptors
    with _lock:
        _interceptors = tuple(other for other in _interceptors if other != interceptor)
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
