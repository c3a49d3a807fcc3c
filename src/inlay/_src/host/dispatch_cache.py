"""The dispatch cache of eager calls: one entry for each function, with its label and its last declarations.

An entry belongs to the code of a plain function or method, so that a function defined again at each call finds it. A
function with attributes, or another object, has an entry of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.spans import SPANS
from inlay._src.core import context
from inlay._src.core.site import ORIGINAL, as_written, of_function
from inlay._src.host import declare
from inlay._src.host.call import HostCall
from inlay._src.host.executors.event_loop import asynchronous
from inlay._src.host.inputs import check_arity


class DispatchEntry:
    """The entry of a function.

    Attributes:
      owner: a weak reference to the owner of the key, whose end removes the entry, or the owner itself.
      detail: a second part of the key, compared by identity.
      label, state: its name and definition, and the state in which its body runs.
      fits: the numbers of arguments, and names of keyword arguments, that it is checked to take.
      plain: op, number of inputs, `Tout` and generated code of its last plain call.
      recent: its last declarations: op, the function that recognizes one and takes the flat inputs, the generated code,
        and the value of `plain` for it or None.
      calls: the `HostCall` of each generated function, for results that this does not recognize.
      observed: the op and the function of its last observed call, and the wrapper that leaves spans.
    """

    __slots__ = ("calls", "detail", "fits", "label", "observed", "owner", "plain", "recent", "state")

    def __init__(self, func: Any, owner: Any, detail: Any) -> None:
        self.owner, self.detail = owner, detail
        self.label: str = of_function(func)
        self.state: context.State = context.State(host=self.label)
        self.fits: tuple[Any, ...] = ()
        self.plain: tuple[Any, ...] = (None, -1, None, None)
        self.recent: tuple[tuple[Any, ...], ...] = ()
        self.calls: dict[Any, HostCall] = {}
        self.observed: tuple[Any, Any, Any] = (None, None, None)

    def check_arity(self, func: Any, count: int, keywords: Mapping[str, Any] | None) -> None:
        """`inputs.check_arity` of the entry's function, once for each number and names of arguments."""
        arity = (count, tuple(keywords)) if keywords else count
        if arity not in self.fits:
            check_arity(func, count, keywords)
            self.fits = (*self.fits[-8:], arity)


_ENTRIES: BoundedCache[Any, DispatchEntry] = BoundedCache("functions called eagerly", 4096)
"""By the identity of the key's owner. An entry dies with the owner, before another object can have its identity."""
_STRONG_ENTRIES: BoundedCache[Any, DispatchEntry] = BoundedCache(
    "functions called eagerly that cannot be referred to weakly", 256
)
"""By identity; built-in functions by equality. The owners live as long as the entries."""


def dispatch_entry(func: Any) -> DispatchEntry | None:
    """The entry of a function, made if there is none; None for a converted function, which is called as written.

    Raises:
      ValueError: if it cannot be called, or is asynchronous.
    """
    key: Any
    function: Any = func.__func__ if func.__class__ is MethodType else func
    kind = function.__class__
    if kind is FunctionType and not function.__dict__:
        owner, detail = function.__code__, function.__qualname__
        key = id(owner)
    elif kind is BuiltinFunctionType:  # a method of a built-in object is another object at each access
        key, owner, detail = function, function.__self__, None
    else:  # a function with attributes may wrap another one, which is checked
        owner, detail = function, getattr(function, "__code__", None)
        key = id(owner)
    entry = _ENTRIES.get(key) or _STRONG_ENTRIES.get(key)
    if entry is not None and entry.detail is detail:
        return entry
    if hasattr(function, ORIGINAL) and as_written(func) is not func:
        return None
    declare.checked_callable(func)
    if asynchronous(func):
        raise ValueError
    reference = None if key is function else _weak_reference(owner, key)
    if reference is None:
        _STRONG_ENTRIES[key] = entry = DispatchEntry(func, owner, detail)
    else:
        _ENTRIES[key] = entry = DispatchEntry(func, reference, detail)
    return entry


def _forget_observed() -> None:
    """Drops the wrappers of a recording, which hold functions."""
    for entry in (*_ENTRIES.values(), *_STRONG_ENTRIES.values()):
        entry.observed = (None, None, None)


SPANS.on_switch(_forget_observed)


def _weak_reference(owner: Any, key: int) -> weakref.ref[Any] | None:
    """A weak reference to an owner whose end removes the entry; None for ufuncs and objects with slots."""
    cache = _ENTRIES  # when the process ends, the names of the module are cleared first

    def forget(gone: Any) -> None:
        entry = cache.get(key)
        if entry is not None and entry.owner is gone:
            cache.pop(key, None)

    try:
        return weakref.ref(owner, forget)
    except TypeError:
        return None
