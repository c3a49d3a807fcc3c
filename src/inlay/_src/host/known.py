"""What is known of functions that were called eagerly before: their names, and what they were found to take."""

from __future__ import annotations

import weakref
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from inlay._src.base.interpreter.caches import Cache
from inlay._src.core import context
from inlay._src.core.site import ORIGINAL, as_written, of_function
from inlay._src.host import declare
from inlay._src.host.call import HostCall
from inlay._src.host.executors.event_loop import asynchronous


class Known:
    """What is known of a function.

    Attributes:
      held: keeps what the function is known by alive, or forgets this when that dies.
      detail: what else must be the same.
      label, state: its name and place, and the state in which its body runs.
      fits: the numbers of arguments, and names of keyword arguments, that it was found to take.
      plain: op, number of inputs and `Tout` of its last plain call, and what is written for that.
      recent: its last declarations: op, the function that recognises one and takes the flat inputs, the generated code,
        and the value of `plain` for it or None.
      calls: the long way of its calls, by what is written.
    """

    __slots__ = ("calls", "detail", "fits", "held", "label", "plain", "recent", "state")

    def __init__(self, func: Any, held: Any, detail: Any) -> None:
        self.held, self.detail = held, detail
        self.label: str = of_function(func)
        self.state: context.State = context.State(host=self.label)
        self.fits: tuple[Any, ...] = ()
        self.plain: tuple[Any, ...] = (None, -1, None, None)
        self.recent: tuple[tuple[Any, ...], ...] = ()
        self.calls: dict[Any, HostCall] = {}


_KNOWN: Cache[Any, Known] = Cache("functions called eagerly", 4096)
"""By identity: of a function of Python, also of a method, that of its code, so that one made anew at each call is
known; of one with attributes, or an object, its own. Entries die with these, before anything else can be there."""
_HELD: Cache[Any, Known] = Cache("functions called eagerly that cannot be referred to weakly", 256)
"""By identity, built-in functions by equality. They live as long as their entries."""


def known_of(func: Any) -> Known | None:
    """What is known of a function, from now on at the latest; None where it is not to be called as it is.

    Raises:
      ValueError: if it is no function that can be called, or one that is to be awaited.
    """
    key: Any
    function: Any = func.__func__ if func.__class__ is MethodType else func
    kind = function.__class__
    if kind is FunctionType and not function.__dict__:
        owner, detail = function.__code__, function.__qualname__
        key = id(owner)
    elif kind is BuiltinFunctionType:  # those of built-in objects are made anew at every look
        key, owner, detail = function, function.__self__, None
    else:  # a function with attributes may wrap another one, which is checked
        owner, detail = function, getattr(function, "__code__", None)
        key = id(owner)
    found = _KNOWN.get(key) or _HELD.get(key)
    if found is not None and found.detail is detail:
        return found
    if hasattr(function, ORIGINAL) and as_written(func) is not func:
        return None
    declare.checked_callable(func)
    if asynchronous(func):
        raise ValueError
    held = None if key is function else _weakly(owner, key)
    if held is None:
        _HELD[key] = found = Known(func, owner, detail)
    else:
        _KNOWN[key] = found = Known(func, held, detail)
    return found


def _weakly(owner: Any, key: int) -> weakref.ref[Any] | None:
    """Refers to an owner, with whom the entry dies; None for ufuncs and objects with slots."""
    cache = _KNOWN  # at the end of the process the module's names go first

    def forget(gone: Any) -> None:
        found = cache.get(key)
        if found is not None and found.held is gone:
            cache.pop(key, None)

    try:
        return weakref.ref(owner, forget)
    except TypeError:
        return None
