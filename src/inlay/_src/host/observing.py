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
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.interpreter.source import Source
from inlay._src.base.spans import SPANS, Activity, now
from inlay._src.core import context

if TYPE_CHECKING:
    from inlay._src.host.call import HostCall

Interceptor = Callable[["HostCall", Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
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
        self, call: HostCall, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], /
    ) -> Any:
        """See `Interceptor`."""

    def begin(self, call: HostCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Interception:
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


_lock = new_rlock()
_calls: weakref.WeakSet[HostCall] = weakref.WeakSet()
_interceptors: tuple[Interceptor, ...] = ()
_two_part: tuple[TwoPartInterceptor, ...] = ()
_observes = False


def called(call: HostCall) -> Callable[..., Any]:
    """The function that a call runs now: the user's, or its wrapper."""
    function = call.host.called
    return wrapped(function, call) if _observes else function


def called_by_executor(call: HostCall) -> Callable[..., Any]:
    """The function that an executor of this process runs now: the interceptors of two parts meet the call elsewhere."""
    function = call.host.called
    if not _observes:
        return function
    return _wrapped(function, call, [each for each in _interceptors if each not in _two_part])


def begun(call: HostCall, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Interception]:
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


def name_function(call: HostCall, source: Source) -> str:
    """Names the function of a call in generated source, whose function is exchanged when observation begins or ends."""
    function = call.host.called
    with _lock:
        name = source.name("f", wrapped(function, call) if _observes else function)
        call.sites.append(CallSite(source.names, name, function))
        _calls.add(call)
    return name


def wrapped(function: Callable[..., Any], call: HostCall) -> Callable[..., Any]:
    """A function that runs another one and leaves a span of it, through the interceptors in force."""
    return _wrapped(function, call, _interceptors)


def _wrapped(function: Callable[..., Any], call: HostCall, interceptors: Sequence[Interceptor]) -> Callable[..., Any]:
    for interceptor in interceptors:
        function = functools.partial(_intercepted, interceptor, call, function)
    return recorded(function, activity_of(call)) if SPANS.on else function


def recorded(function: Callable[..., Any], activity: Activity) -> Callable[..., Any]:
    """A function that runs another one and leaves a span of it."""
    add, clock = SPANS.add, now

    def observed(*args: Any, **kwargs: Any) -> Any:
        begin = clock()
        try:
            return function(*args, **kwargs)
        finally:
            add(activity, begin, clock())

    observed.__wrapped__ = function  # type: ignore[attr-defined]
    return observed


def records_alone() -> bool:
    """Whether spans are recorded, and there is no interceptor."""
    return SPANS.on and not _interceptors


def _intercepted(
    interceptor: Interceptor, call: HostCall, function: Callable[..., Any], /, *args: Any, **kwargs: Any
) -> Any:
    return interceptor(call, function, args, kwargs)


def activity_of(call: HostCall) -> Activity:
    """What the spans of a call's function are of."""
    if call.activity is None:
        call.activity = activity(call.name, call.host.label)
    return call.activity


def activity(op: str, label: str) -> Activity:
    """What the spans of a host function are of: the op that calls it, and its name and definition."""
    return Activity(label.split(" ", 1)[0], "host", (("op", op), ("function", label)))


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
        for call in list(_calls):
            for site in call.sites:
                site.names[site.name] = wrapped(site.function, call) if _observes else site.function
    context.observe(_observes)


SPANS.on_switch(_switch)
